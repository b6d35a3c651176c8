//! What is wrong with a value, in words, and what to write instead.

use super::reader::fields_of;
use super::syntax::quoted;
use super::tree::{Mistake, Node, Place, Value};
use super::values::Fault;
use serde::de::Unexpected;
use std::rc::Rc;
use toolgate_core::rule::{CommandMatch, FileMatch, Match};

/// What is wrong with a value.
#[derive(Debug)]
pub(super) enum Shape {
    UnknownKey {
        given: String,
        known: &'static [&'static str],
    },
    UnknownWord {
        given: String,
        known: &'static [&'static str],
    },
    Missing(&'static str),
    /// It is something else than belongs here.
    Type {
        found: String,
        expected: String,
    },
    /// It is of the right sort and still cannot be.
    Value {
        found: String,
        expected: String,
    },
    Other(String),
}

/// Words people write for a kind of rule, by what they mean.
const KIND_MEANINGS: &[(&str, &[&str])] = &[
    (
        "block",
        &[
            "deny",
            "prohibit",
            "forbid",
            "reject",
            "disallow",
            "stop",
            "ban",
            "refuse",
            "prevent",
            "never",
            "no",
            "fail",
            "error",
            "abort",
            "disable",
            "blacklist",
            "denylist",
            "halt",
            "kill",
            "drop",
            "blocked",
            "denied",
            "forbidden",
            "prohibited",
        ],
    ),
    (
        "ask",
        &[
            "escalate",
            "confirm",
            "prompt",
            "review",
            "approval",
            "question",
            "human",
            "manual",
            "request",
            "check",
            "hold",
            "ask_user",
            "ask-user",
            "confirmation",
            "require_approval",
            "require-approval",
        ],
    ),
    (
        "warn",
        &[
            "log", "notify", "note", "info", "alert", "warning", "remind", "caution", "report", "audit",
            "advise",
        ],
    ),
    (
        "approve",
        &[
            "permit",
            "allow",
            "accept",
            "yes",
            "ok",
            "pass",
            "grant",
            "skip",
            "ignore",
            "allowlist",
            "whitelist",
        ],
    ),
    (
        "rewrite",
        &["transform", "modify", "replace", "change", "edit", "substitute", "fix", "rewritten", "mutate"],
    ),
    ("require", &["must", "need", "needs", "ensure", "demand", "required", "requires"]),
    ("delay", &["wait", "sleep", "pause", "throttle", "slow", "later"]),
    ("label", &["mark", "tag", "remember"]),
];

/// The mistake a fault amounts to.
pub(super) fn of_shape(fault: &Fault, root: &Rc<Node>) -> Mistake {
    let place = fault.place.unwrap_or(root.place);
    let key = fault.key.as_deref();
    let (message, help) = match &*fault.shape {
        Shape::UnknownKey { given, known } => {
            let help = below(given, known).unwrap_or_else(|| instead(given, known));
            (format!("unknown key `{given}`"), help)
        }
        Shape::UnknownWord { given, known } => unknown_word(key, given, known),
        Shape::Missing(field) => missing(field, fault, root),
        Shape::Type { found, expected } => wrong_type(key, found, expected, node_at(root, place)),
        Shape::Value { found, expected } => {
            let name = key.unwrap_or("this");
            (format!("`{name}` cannot be {found}"), format!("write {}", range_of(name, expected)))
        }
        Shape::Other(said) => other(key, said),
    };
    let length = match &*fault.shape {
        Shape::UnknownKey { given, .. } => given.chars().count(),
        _ => place.length(),
    };
    let place = match *fault.shape {
        Shape::UnknownKey { .. } => Place::in_line(place.line, place.column, length),
        _ => place,
    };
    Mistake { place, message, help }
}

/// The key a key belongs below, if it is one of a deeper level.
fn below(given: &str, known: &[&str]) -> Option<String> {
    if nearest(given, known).is_some() {
        return None;
    }
    let levels = [
        ("match", fields_of::<Match>()),
        ("command", fields_of::<CommandMatch>()),
        ("files", fields_of::<FileMatch>()),
    ];
    let (level, name) = levels
        .iter()
        .filter(|(level, _)| known.contains(level))
        .find_map(|(level, fields)| Some((level, nearest(given, fields)?)))?;
    Some(format!("put it under `{level}`: `{level}: {{ {name}: … }}`"))
}

/// The known word to write, or all there are.
fn instead(given: &str, known: &[&str]) -> String {
    match nearest(given, &modern(known)).or_else(|| nearest(given, known)) {
        Some(name) => format!("change `{given}` to `{name}`"),
        None => format!("known here: {}", modern(known).join(", ")),
    }
}

/// Old names in capitals are understood and not proposed.
fn modern<'a>(known: &[&'a str]) -> Vec<&'a str> {
    known.iter().copied().filter(|name| !name.starts_with(|first: char| first.is_ascii_uppercase())).collect()
}

fn unknown_word(key: Option<&str>, given: &str, known: &[&str]) -> (String, String) {
    let name = key.unwrap_or("word");
    let message = format!("unknown {name} `{given}`");
    let is_kind = known.contains(&"block") && known.contains(&"rewrite");
    if !is_kind {
        return (message, instead(given, known));
    }
    let kinds: Vec<&str> = KIND_MEANINGS.iter().map(|(kind, _)| *kind).collect();
    let help = match kind_meant(given) {
        Some("approve") => {
            "remove the rule: a call that no rule objects to runs. `approve` also answers the host's own question, and \
             only your own policy can say it"
                .to_owned()
        }
        Some(kind) => format!("change `{given}` to `{kind}`"),
        None => format!("known here: {}", kinds.join(", ")),
    };
    (message, help)
}

/// The kind of rule a word means, mistyped or not.
fn kind_meant(given: &str) -> Option<&'static str> {
    let lower = given.to_lowercase();
    let of_word = |word: &str| {
        let found = KIND_MEANINGS.iter().find(|(kind, words)| *kind == word || words.contains(&word));
        found.map(|(kind, _)| *kind)
    };
    let words = KIND_MEANINGS.iter().flat_map(|(kind, words)| std::iter::once(kind).chain(*words)).copied();
    of_word(&lower).or_else(|| of_word(toolgate_core::nearest(&lower, words)?))
}

/// The word to read in place of an unknown one, so that the rest can be read as well.
pub(super) fn meant(given: &str, known: &[&'static str]) -> Option<String> {
    let kind = kind_meant(given).filter(|kind| known.contains(kind));
    // `kind: allow` is told; that it would approve as well is no second mistake.
    let kind = kind.map(|kind| if kind == "approve" { "warn" } else { kind });
    kind.or_else(|| nearest(given, known)).map(str::to_owned)
}

fn missing(field: &str, fault: &Fault, root: &Rc<Node>) -> (String, String) {
    let owner = fault.place.and_then(|place| map_at(root, place, field));
    let id = owner.and_then(|node| node.get("id").and_then(|id| id.text()));
    let who = match (id, fault.key.as_deref()) {
        (Some(id), _) => format!("`{id}` has"),
        (None, Some(key)) => format!("`{key}` has"),
        (None, None) => "the file has".to_owned(),
    };
    let help = match field {
        "version" => "write `version: 1` as the first line".to_owned(),
        "reason" => "add `reason:` and one sentence that says why".to_owned(),
        "kind" => "add `kind: block`, or ask, warn, require, rewrite, delay, label, approve".to_owned(),
        "match" => {
            "add `match:` with the calls it is about: `match: { command: { program: git } }`".to_owned()
        }
        "id" => "add `id:` and a name of its own: `id: no-force-push`".to_owned(),
        _ => format!("add `{field}:` and a value"),
    };
    (format!("{who} no `{field}`"), help)
}

fn wrong_type(key: Option<&str>, found: &str, expected: &str, node: Option<&Rc<Node>>) -> (String, String) {
    let name = key.map_or_else(|| "the file".to_owned(), |key| format!("`{key}`"));
    let key = key.unwrap_or("key");
    let text = node.and_then(|node| node.text()).unwrap_or_default();
    if found == "nothing" {
        return (
            format!("{name} has no value"),
            format!("write {expected} after `{key}:`, or remove the line"),
        );
    }
    let help = match expected {
        "a whole number" if key == "version" => "write `version: 1`".to_owned(),
        "a whole number" | "a number" => format!("write a number: `{key}: 100`"),
        "`true` or `false`" => format!("write `{key}: true` or `{key}: false`"),
        "a list" => list_help(key, node),
        "keys with values" => keys_help(key, text),
        "a text" if !text.is_empty() => format!("put it in quotes: `{key}: {}`", quoted(text)),
        "a text" => format!("write one text: `{key}: …`"),
        "a string or a list of strings" if !text.is_empty() => {
            format!("put it in quotes: `{key}: {}`", quoted(text))
        }
        "a text or a list of texts" if !text.is_empty() => format!("put it in quotes: `{}`", quoted(text)),
        _ => format!("write {expected}"),
    };
    (format!("{name} takes {expected}, not {found}"), help)
}

fn list_help(key: &str, node: Option<&Rc<Node>>) -> String {
    match node.map(|node| (&node.value, node.entries().first())) {
        Some((_, Some((first, value)))) => {
            let value = value.text().map_or("…".to_owned(), str::to_owned);
            let name = first.text.trim_start_matches('-');
            format!("begin each item with `- `: `- {name}: {value}`")
        }
        Some((Value::Text { text, .. }, _)) => format!("write `{key}: [{text}]`"),
        _ => format!("begin each item below `{key}:` with `- `"),
    }
}

fn keys_help(key: &str, text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    match (key, words.as_slice()) {
        ("command", [program, sub, ..]) if !sub.starts_with('-') => {
            format!("write `command: {{ program: {program}, subcommand: {sub} }}`")
        }
        ("command", [program, ..]) => format!("write `command: {{ program: {program} }}`"),
        ("files", [_, ..]) => format!("write `files: {{ path: {} }}`", quoted(text)),
        ("match", [_, ..]) => format!("write `match: {{ regex: {} }}`", quoted(text)),
        ("rules", _) => {
            "a rule has keys: `- id: no-force-push`, and below it `kind`, `match` and `reason`".to_owned()
        }
        ("examples", _) => "write `examples: { match: [\"…\"], pass: [\"…\"] }`".to_owned(),
        ("key", [_]) if text.contains(':') => {
            format!("write a space after the colon: `{}`", text.replacen(':', ": ", 1))
        }
        ("key", _) => "write keys with values: `version: 1`".to_owned(),
        _ => format!("write its keys below `{key}:`, indented by two spaces, each with a colon"),
    }
}

fn range_of(name: &str, expected: &str) -> String {
    match expected {
        _ if name == "priority" => "a whole number, 100 or more: `priority: 100`".to_owned(),
        "u8" => "a whole number from 0 to 255".to_owned(),
        "u16" => "a whole number from 0 to 65535".to_owned(),
        "u32" => "a whole number from 0 to 4294967295".to_owned(),
        "u64" | "usize" => "a whole number, 0 or more".to_owned(),
        other => other.to_owned(),
    }
}

fn other(key: Option<&str>, said: &str) -> (String, String) {
    let name = key.unwrap_or("this");
    if said.contains("untagged enum") {
        return (
            format!("`{name}` cannot be read"),
            format!("write `{name}: true`, or a list of names: `{name}: [a, b]`"),
        );
    }
    (said.to_owned(), format!("`toolgate policy schema` says what `{name}` takes"))
}

/// What was written, for the end of a sentence.
pub(super) fn found(found: &Unexpected<'_>) -> String {
    match found {
        Unexpected::Bool(value) => format!("`{value}`"),
        Unexpected::Unsigned(number) => format!("`{number}`"),
        Unexpected::Signed(number) => format!("`{number}`"),
        Unexpected::Float(number) => format!("`{number}`"),
        Unexpected::Str(text) => format!("`{text}`"),
        Unexpected::Unit | Unexpected::Option => "nothing".to_owned(),
        Unexpected::Seq => "a list".to_owned(),
        Unexpected::Map => "keys with values".to_owned(),
        _ => "this".to_owned(),
    }
}

pub(super) fn of_node(node: &Node) -> String {
    match &node.value {
        Value::List(_) => "a list".to_owned(),
        Value::Map(_) => "keys with values".to_owned(),
        Value::Text { .. } if node.is_null() => "nothing".to_owned(),
        Value::Text { text, .. } => format!("`{text}`"),
    }
}

/// The innermost value at a place.
fn node_at(root: &Rc<Node>, place: Place) -> Option<&Rc<Node>> {
    let below = root.items().iter().chain(root.entries().iter().map(|(_, value)| value));
    let deeper = below.filter_map(|child| node_at(child, place)).next_back();
    deeper.or_else(|| (root.place == place).then_some(root))
}

/// The innermost map at a place that lacks a key.
fn map_at<'a>(root: &'a Rc<Node>, place: Place, lacks: &str) -> Option<&'a Rc<Node>> {
    let below = root.items().iter().chain(root.entries().iter().map(|(_, value)| value));
    let deeper = below.filter_map(|child| map_at(child, place, lacks)).next_back();
    let own = root.place == place && matches!(root.value, Value::Map(_)) && root.get(lacks).is_none();
    deeper.or_else(|| own.then_some(root))
}

/// Words of serde in ours, for TOML, whose reader has no tree: what is wrong, what to do, and how many
/// characters it is about.
pub(crate) fn reword(message: &str) -> (String, String, usize) {
    let given = message.split('`').nth(1);
    let is_unknown = message.starts_with("unknown field") || message.starts_with("unknown variant");
    if let (true, Some(given), Some((_, known))) = (is_unknown, given, message.split_once("expected one of "))
    {
        let known: Vec<&str> = known.split(", ").map(|name| name.trim_matches('`')).collect();
        return (format!("unknown key `{given}`"), instead(given, &known), given.chars().count());
    }
    if let Some((found, expected)) =
        message.strip_prefix("invalid type: ").and_then(|rest| rest.split_once(", expected "))
    {
        let help = match expected.contains("string") {
            true => "put the value in quotes".to_owned(),
            false => format!("write {expected}"),
        };
        return (format!("{expected} belongs here, not {found}"), help, 1);
    }
    if let (true, Some(field)) = (message.starts_with("missing field"), given) {
        return (format!("`{field}` is missing"), format!("add `{field} = \"…\"`"), 1);
    }
    let help = "write `key = \"value\"`, a section as `[name]`, an item of a list as `[[name]]`";
    (message.to_owned(), help.to_owned(), 1)
}

/// The known name that was most likely meant.
#[must_use]
pub fn nearest<'a>(given: &str, known: &[&'a str]) -> Option<&'a str> {
    toolgate_core::nearest(given, known.iter().copied())
}
