//! Settings in YAML, edited as text: each line that is ours is between two
//! comments, and no other byte changes. Only the usual layout is edited; any other is
//! refused with what to change.

use super::{BEGIN, CommandHost, END, Yaml, is_ours, tables};
use crate::settings::{Node, Settings, SettingsFault, value_of};
use serde_json::{Value, json};

pub(super) fn install(
    host: &CommandHost,
    form: &Yaml,
    before: &[u8],
    command: &str,
) -> Result<Vec<u8>, SettingsFault> {
    let mut text = without(&tables::read(before)?);
    let hook = |event: &str| {
        let line = line_of(form, event, command);
        format!("- {{command: {}, timeout: {}}}", json!(line), host.registration.timeout)
    };
    let events = || host.registration.events.iter().map(|(event, _)| *event);
    match hooks_of(&text)? {
        None => {
            if !text.is_empty() && !text.ends_with('\n') {
                text.push('\n');
            }
            let list: String = events().map(|event| format!("  {event}:\n  {}\n", hook(event))).collect();
            text.push_str(&format!("{BEGIN}\nhooks:\n{list}{END}\n"));
        }
        Some(block) => {
            let indent = block.indent.clone();
            let mut own = String::new();
            // From the last to the first, so that places stay where they are.
            let mut places: Vec<(usize, String)> = Vec::new();
            for event in events() {
                match block.lists.iter().find(|list| list.name == event) {
                    Some(list) if list.is_inline => return Err(not_a_block(&format!("hooks.{event}"))),
                    Some(list) => {
                        let hook = hook(event);
                        let at = if list.indent.is_empty() { &indent } else { &list.indent };
                        places.push((list.end, format!("{at}{BEGIN}\n{at}{hook}\n{at}{END}\n")));
                    }
                    None => own.push_str(&format!("{indent}{event}:\n{indent}{}\n", hook(event))),
                }
            }
            if !own.is_empty() {
                places.push((block.end, format!("{indent}{BEGIN}\n{own}{indent}{END}\n")));
            }
            places.sort_by_key(|(at, _)| std::cmp::Reverse(*at));
            for (at, lines) in places {
                text.insert_str(at, &lines);
            }
        }
    }
    Ok(text.into_bytes())
}

fn line_of(form: &Yaml, event: &str, command: &str) -> String {
    let line = if event.starts_with("pre_tool") { form.before } else { form.other };
    line.replace("COMMAND", command)
}

/// The block of `hooks`, where there is one.
struct Block {
    /// The end of its first line.
    end: usize,
    /// The white space before the names of its events.
    indent: String,
    lists: Vec<List>,
}

/// The list of one event.
struct List {
    name: String,
    /// The end of the line with its name.
    end: usize,
    /// The white space before its items.
    indent: String,
    /// Whether it is written in the line of its name.
    is_inline: bool,
}

fn hooks_of(text: &str) -> Result<Option<Block>, SettingsFault> {
    if text.trim_start().starts_with('{') {
        return Err(SettingsFault {
            why: "is written in braces, which cannot be added to".to_owned(),
            place: None,
            help: "write each key on a line of its own, without braces".to_owned(),
        });
    }
    let mut block: Option<Block> = None;
    let mut is_inside = false;
    let mut end = 0;
    for line in text.split_inclusive('\n') {
        end += line.len();
        let body = line.trim();
        if body.is_empty() || body.starts_with('#') {
            continue;
        }
        let indent: String = line.chars().take_while(|c| matches!(c, ' ' | '\t')).collect();
        if indent.is_empty() && !body.starts_with("- ") {
            let Some(rest) =
                ["hooks:", "\"hooks\":", "'hooks':"].iter().find_map(|key| body.strip_prefix(key))
            else {
                is_inside = false;
                continue;
            };
            if block.is_some() || !is_nothing(rest) || !line.ends_with('\n') {
                return Err(not_a_block("hooks"));
            }
            block = Some(Block { end, indent: "  ".to_owned(), lists: Vec::new() });
            is_inside = true;
            continue;
        }
        if let Some(block) = block.as_mut().filter(|_| is_inside) {
            add(block, &indent, body, end, line.ends_with('\n'))?;
        }
    }
    Ok(block)
}

/// Reads one line of the block.
fn add(block: &mut Block, indent: &str, body: &str, end: usize, is_whole: bool) -> Result<(), SettingsFault> {
    if indent.contains('\t') {
        return Err(not_a_block("hooks"));
    }
    if block.lists.is_empty() {
        indent.clone_into(&mut block.indent);
    }
    if body.starts_with('-') {
        let Some(list) = block.lists.last_mut() else { return Err(not_a_block("hooks")) };
        // The first item says how far the others are in.
        if list.indent.is_empty() {
            indent.clone_into(&mut list.indent);
        }
        return Ok(());
    }
    if indent != block.indent {
        return Ok(());
    }
    let Some((name, rest)) = body.split_once(':') else { return Err(not_a_block("hooks")) };
    let name = name.trim_matches(['"', '\'']).to_owned();
    // A name at the very end has no line below it yet.
    let is_inline = !is_nothing(rest) || !is_whole;
    block.lists.push(List { name, end, indent: String::new(), is_inline });
    Ok(())
}

fn is_nothing(rest: &str) -> bool {
    let rest = rest.trim();
    rest.is_empty() || rest.starts_with('#')
}

fn not_a_block(key: &str) -> SettingsFault {
    SettingsFault {
        why: format!("has `{key}` in a layout that cannot be added to"),
        place: None,
        help: format!(
            "write `{key}:` on a line of its own, and what it holds below it, indented with spaces"
        ),
    }
}

/// The text without the lines that are ours.
fn without(text: &str) -> String {
    let mut is_ours = false;
    let keep = |line: &&str| {
        let body = line.trim();
        is_ours |= body == BEGIN;
        let was_ours = is_ours;
        is_ours &= body != END;
        !was_ours
    };
    text.split_inclusive('\n').filter(keep).collect()
}

pub(super) fn uninstall(before: &[u8]) -> Result<Option<Vec<u8>>, SettingsFault> {
    let text = without(&tables::read(before)?);
    Ok((!text.is_empty()).then(|| text.into_bytes()))
}

/// The events whose lists hold a hook of ours.
pub(super) fn events(text: &str) -> Vec<String> {
    let (mut found, mut name, mut is_ours) = (Vec::new(), String::new(), false);
    for line in text.lines() {
        let body = line.trim();
        is_ours = (is_ours || body == BEGIN) && body != END;
        if let Some(key) = body.strip_suffix(':').filter(|key| !key.starts_with(['-', '#'])) {
            name = key.trim_matches(['"', '\'']).to_owned();
        }
        if is_ours && body.starts_with("- {command:") {
            found.push(name.clone());
        }
    }
    found
}

/// The commands that are ours as they are written, with the event of each.
fn lines(text: &str) -> Vec<String> {
    let hooks = text.lines().filter_map(|line| line.trim().strip_prefix("- {command: "));
    let command = |rest: &str| serde_json::Deserializer::from_str(rest).into_iter::<String>().next()?.ok();
    hooks.filter_map(command).filter(|line| line.contains("toolgate")).collect()
}

/// The command itself, without what is around it.
pub(super) fn command(name: &str, text: &str) -> Option<String> {
    let end = format!(" hook {name}");
    lines(text).iter().find_map(|line| {
        let line = line.get(..line.find(&end)? + end.len())?;
        let command = line.get(line.find('"').or_else(|| line.find('/'))?..)?.to_owned();
        is_ours(name, &command).then_some(command)
    })
}

/// The consents with ours among them.
pub(super) fn consent(
    form: &Yaml,
    events: &[(&str, Option<&str>)],
    before: &[u8],
    command: &str,
) -> Result<Vec<u8>, SettingsFault> {
    let mut settings = Settings::read(before)?;
    settings.begin();
    for (event, _) in events {
        let item = json!({ "event": event, "command": line_of(form, event, command) });
        if agreed(&settings.value(), &item) {
            continue;
        }
        let root = settings.root();
        match root.get("approvals") {
            Some(list) => settings.add(list, None, &item),
            None => settings.add(&root, Some("approvals"), &json!([item])),
        }
    }
    Ok(settings.into_bytes())
}

fn agreed(consents: &Value, item: &Value) -> bool {
    let list = consents.get("approvals").and_then(Value::as_array).into_iter().flatten();
    let same = |one: &Value| ["event", "command"].iter().all(|field| one.get(*field) == item.get(*field));
    list.into_iter().any(same)
}

fn is_own(name: &str, consent: &Value) -> bool {
    let command = consent.get("command").and_then(Value::as_str).unwrap_or_default();
    command.contains("toolgate") && command.contains(&format!(" hook {name}"))
}

/// Whether these are consents with ours among them.
pub(super) fn holds_consent(name: &str, bytes: &[u8]) -> bool {
    let consents = value_of(bytes).unwrap_or_default();
    let mut list = consents.get("approvals").and_then(Value::as_array).into_iter().flatten();
    list.any(|one| is_own(name, one))
}

/// The consents without ours.
pub(super) fn withdraw(name: &str, before: &[u8]) -> Result<Option<Vec<u8>>, SettingsFault> {
    let mut settings = Settings::read(before)?;
    loop {
        let root = settings.root();
        let Some(list) = root.get("approvals") else { break };
        let is_one = |node: &Node| is_own(name, &settings.value_at(node));
        let Some(at) = list.list().iter().position(is_one) else { break };
        match (list.list().len(), root.members().len()) {
            (1, 1) => return Ok(None),
            (1, _) => settings.remove(&root, root.position("approvals").unwrap_or_default()),
            _ => settings.remove(list, at),
        }
    }
    Ok(Some(settings.into_bytes()))
}

pub(super) fn is_agreed_to(host: &CommandHost, settings: &[u8], consents: &[u8]) -> bool {
    let consents = value_of(consents).unwrap_or_default();
    let event = host.registration.events.first().map_or("", |(event, _)| event);
    let own = lines(&String::from_utf8_lossy(settings));
    own.iter().any(|line| agreed(&consents, &json!({ "event": event, "command": line })))
}
