//! Reads a policy file from YAML, with errors a person can act on: file, line,
//! caret, fix.

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_saphyr::Spanned;
use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use toolgate_core::{Agent, Guardrail, GuardrailLines, Layer, Layered, PolicyFile, RuleFault};

/// Largest policy file read.
const SIZE_MAX: usize = 4 << 20;

/// Something wrong with a policy file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PolicyFault {
    /// The file.
    pub file: String,
    /// The line, from 1; 0 if it is about the whole file.
    pub line: usize,
    /// The column, from 1.
    pub column: usize,
    /// How many characters it is about.
    pub length: usize,
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub cure: String,
    /// The text of the file, for the caret.
    pub text: String,
}

impl fmt::Display for PolicyFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.line == 0 {
            write!(f, "{}: {}", self.file, self.message)
        } else {
            write!(f, "{}:{}: {}", self.file, self.line, self.message)
        }
    }
}

impl PolicyFault {
    /// A fault of the whole file.
    #[must_use]
    pub fn of_file(file: &str, message: impl Into<String>, cure: impl Into<String>) -> PolicyFault {
        let (message, cure) = (message.into(), cure.into());
        PolicyFault {
            file: file.to_owned(),
            line: 0,
            column: 0,
            length: 0,
            message,
            cure,
            text: String::new(),
        }
    }

    /// The fault with the line it is about and a caret under the place.
    #[must_use]
    pub fn render(&self) -> String {
        let Some(start) = self.offset() else {
            return format!("error: {self}\n  = help: {}", self.cure);
        };
        let end = self
            .text
            .get(start..)
            .and_then(|rest| rest.char_indices().nth(self.length.max(1)))
            .map_or(self.text.len(), |(at, _)| start + at);
        let snippet = Snippet::source(self.text.as_str())
            .path(self.file.as_str())
            .annotation(AnnotationKind::Primary.span(start..end));
        let report = [Level::ERROR
            .primary_title(self.message.as_str())
            .element(snippet)
            .element(Level::HELP.message(self.cure.as_str()))];
        Renderer::plain().render(&report).to_string()
    }

    fn offset(&self) -> Option<usize> {
        let line_start = match self.line {
            0 => return None,
            1 => 0,
            line => self.text.match_indices('\n').nth(line.checked_sub(2)?)?.0.checked_add(1)?,
        };
        let line = self.text.get(line_start..)?.lines().next().unwrap_or_default();
        let within = line.char_indices().nth(self.column.saturating_sub(1)).map_or(line.len(), |(at, _)| at);
        line_start.checked_add(within)
    }
}

/// Only the places of the rules, whatever else the file says.
#[derive(Deserialize)]
struct Lines {
    #[serde(default)]
    rules: Vec<Spanned<IgnoredAny>>,
    #[serde(default)]
    agents: BTreeMap<String, Spanned<IgnoredAny>>,
    #[serde(default)]
    guardrails: Vec<Spanned<GuardrailPlaces>>,
}

/// The places of what is read as an expression.
#[derive(Default, Deserialize)]
#[serde(default)]
struct GuardrailPlaces {
    condition: ConditionPlace,
    validation: ValidationPlace,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct ConditionPlace {
    expression: Option<Spanned<IgnoredAny>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct ValidationPlace {
    check: Option<Spanned<IgnoredAny>>,
}

/// What is in a file of the folder `guardrails`, besides a guardrail alone.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct GuardrailFile {
    #[serde(default)]
    guardrails: Vec<Guardrail>,
    #[serde(alias = "custom_guardrail")]
    guardrail: Option<Guardrail>,
}

/// Only the places in such a file.
#[derive(Deserialize)]
struct GuardrailFilePlaces {
    #[serde(default)]
    guardrails: Vec<Spanned<GuardrailPlaces>>,
    #[serde(alias = "custom_guardrail")]
    guardrail: Option<Spanned<GuardrailPlaces>>,
}

/// Reads one file of a layer.
///
/// # Errors
/// What is wrong with it and where.
pub fn parse(layer: Layer, file: &str, bytes: &[u8]) -> Result<Layered, PolicyFault> {
    let text = text_of(file, bytes)?;
    let policy: PolicyFile = serde_saphyr::from_str(text).map_err(|error| yaml_fault(file, text, &error))?;
    if policy.version != 1 {
        return Err(at_needle(
            file,
            text,
            1,
            "version",
            format!("version {} is not known", policy.version),
            "write `version: 1`",
        ));
    }
    check_review(file, text, &policy)?;
    let lines: Lines = serde_saphyr::from_str(text).map_err(|error| yaml_fault(file, text, &error))?;
    let agent_lines = lines.agents.iter().map(|(name, place)| (name.clone(), line_of(place))).collect();
    let guardrail_lines = lines.guardrails.iter().map(guardrail_lines).collect();
    let lines: Vec<u32> = lines.rules.iter().map(line_of).collect();
    check_ids(file, text, &policy, &lines)?;
    let file = file.to_owned();
    Ok(Layered { layer, by: layer, file, policy, lines, agent_lines, guardrail_lines })
}

/// Reads one file of a folder of guardrails: one alone, one below `guardrail`
/// or `custom_guardrail`, or a list below `guardrails`.
///
/// # Errors
/// What is wrong with it and where.
pub(crate) fn parse_guardrails(layer: Layer, file: &str, bytes: &[u8]) -> Result<Layered, PolicyFault> {
    let text = text_of(file, bytes)?;
    let fault = |error| yaml_fault(file, text, &error);
    let keys: BTreeMap<String, IgnoredAny> = serde_saphyr::from_str(text).map_err(fault)?;
    let (guardrails, lines): (Vec<Guardrail>, Vec<GuardrailLines>) = if keys.contains_key("id") {
        let guardrail: Guardrail = serde_saphyr::from_str(text).map_err(fault)?;
        let place: Spanned<GuardrailPlaces> = serde_saphyr::from_str(text).map_err(fault)?;
        (vec![guardrail], vec![guardrail_lines(&place)])
    } else {
        let read: GuardrailFile = serde_saphyr::from_str(text).map_err(fault)?;
        let places: GuardrailFilePlaces = serde_saphyr::from_str(text).map_err(fault)?;
        let places = places.guardrails.iter().chain(&places.guardrail).map(guardrail_lines);
        (read.guardrails.into_iter().chain(read.guardrail).collect(), places.collect())
    };
    if guardrails.is_empty() {
        let cure = "write `guardrails:` with a list, or `guardrail:` with one; or take the file away";
        return Err(PolicyFault::of_file(file, "there is no guardrail in this file", cure));
    }
    let policy = PolicyFile { guardrails, ..PolicyFile::of_version_1() };
    let (file, agent_lines) = (file.to_owned(), BTreeMap::new());
    Ok(Layered { layer, by: layer, file, policy, lines: Vec::new(), agent_lines, guardrail_lines: lines })
}

/// Reads one file of a folder of agents: one agent, called like the file.
///
/// # Errors
/// What is wrong with it and where.
pub(crate) fn parse_agent(layer: Layer, file: &str, bytes: &[u8]) -> Result<Layered, PolicyFault> {
    let text = text_of(file, bytes)?;
    let agent: Agent = serde_saphyr::from_str(text).map_err(|error| yaml_fault(file, text, &error))?;
    let name = Path::new(file).file_stem().map(|name| name.to_string_lossy().into_owned());
    let Some(name) = name.filter(|name| !name.is_empty()) else {
        return Err(PolicyFault::of_file(
            file,
            "the file has no name",
            "call it like the agent: reviewer.yaml",
        ));
    };
    let agents = BTreeMap::from([(name.clone(), agent)]);
    let policy = PolicyFile { agents, ..PolicyFile::of_version_1() };
    let agent_lines = BTreeMap::from([(name, 1)]);
    let (file, lines, guardrail_lines) = (file.to_owned(), Vec::new(), Vec::new());
    Ok(Layered { layer, by: layer, file, policy, lines, agent_lines, guardrail_lines })
}

fn line_of<T>(place: &Spanned<T>) -> u32 {
    u32::try_from(place.defined.line()).unwrap_or(0)
}

fn guardrail_lines(place: &Spanned<GuardrailPlaces>) -> GuardrailLines {
    let line = |place: &Option<Spanned<IgnoredAny>>| place.as_ref().map_or(0, line_of);
    GuardrailLines {
        own: line_of(place),
        condition: line(&place.value.condition.expression),
        check: line(&place.value.validation.check),
    }
}

fn text_of<'a>(file: &str, bytes: &'a [u8]) -> Result<&'a str, PolicyFault> {
    if bytes.len() > SIZE_MAX {
        return Err(PolicyFault::of_file(
            file,
            "the file is larger than 4 MiB",
            "split it or take rules out",
        ));
    }
    std::str::from_utf8(bytes)
        .map_err(|_| PolicyFault::of_file(file, "the file is not UTF-8 text", "save it as UTF-8"))
}

fn check_review(file: &str, text: &str, policy: &PolicyFile) -> Result<(), PolicyFault> {
    let Some(review) = &policy.review else { return Ok(()) };
    if review.hold_seconds > 100 {
        let message = "a held call must be answered before the host gives up".to_owned();
        return Err(at_needle(file, text, 1, "hold_seconds", message, "use at most 100 seconds"));
    }
    if review.expires_minutes == 0 || review.expires_minutes > 1440 {
        let message = "a request must have an end".to_owned();
        return Err(at_needle(file, text, 1, "expires_minutes", message, "use 1 to 1440 minutes"));
    }
    if review.supervisor_seconds.is_some_and(|seconds| seconds == 0 || seconds > 100) {
        let message = "supervisors must answer before the host gives up".to_owned();
        return Err(at_needle(file, text, 1, "supervisor_seconds", message, "use 1 to 100 seconds"));
    }
    if review.confidence.is_some_and(|share| !(0.0..=1.0).contains(&share)) {
        let message = "`confidence` must be between 0 and 1".to_owned();
        return Err(at_needle(file, text, 1, "confidence", message, "use a number from 0 to 1: 0.7"));
    }
    Ok(())
}

fn check_ids(file: &str, text: &str, policy: &PolicyFile, lines: &[u32]) -> Result<(), PolicyFault> {
    for (at, rule) in policy.rules.iter().enumerate() {
        if policy.rules.iter().take(at).any(|earlier| earlier.id == rule.id) {
            let line = lines.get(at).copied().unwrap_or(1);
            let message = format!("two rules in this file are called `{}`", rule.id);
            return Err(at_needle(
                file,
                text,
                usize::try_from(line).unwrap_or(1),
                &rule.id,
                message,
                "rename one of them",
            ));
        }
    }
    Ok(())
}

/// The fault of a rule, with the place of the text it is about.
#[must_use]
pub(crate) fn rule_fault(file: &str, text: &str, line: u32, fault: &RuleFault) -> PolicyFault {
    let message = format!("rule `{}`: {}", fault.rule, fault.message);
    at_needle(file, text, usize::try_from(line).unwrap_or(1), &fault.needle, message, &fault.cure)
}

/// A fault at the first place of `needle` from `line` on.
pub(crate) fn at_needle(
    file: &str,
    text: &str,
    line: usize,
    needle: &str,
    message: String,
    cure: &str,
) -> PolicyFault {
    let found = text.lines().enumerate().skip(line.saturating_sub(1)).find_map(|(at, content)| {
        let byte = content.find(needle)?;
        Some((at.saturating_add(1), content.get(..byte)?.chars().count().saturating_add(1)))
    });
    let (line, column) = found.unwrap_or((line, 1));
    PolicyFault {
        file: file.to_owned(),
        line,
        column,
        length: needle.chars().count(),
        message,
        cure: cure.to_owned(),
        text: text.to_owned(),
    }
}

fn yaml_fault(file: &str, text: &str, error: &serde_saphyr::Error) -> PolicyFault {
    let plain = error.without_snippet().to_string();
    let (line, column) =
        error.location().map_or((1, 1), |place| (to_usize(place.line()), to_usize(place.column())));
    let message = plain.split(" at line ").next().unwrap_or(&plain).trim().to_owned();
    let (message, cure, length) = reword(&message);
    PolicyFault { file: file.to_owned(), line, column, length, message, cure, text: text.to_owned() }
}

fn to_usize(number: u64) -> usize {
    usize::try_from(number).unwrap_or(1)
}

/// Says serde's words in ours, and finds the nearest known key.
pub(crate) fn reword(message: &str) -> (String, String, usize) {
    let given = message.split('`').nth(1);
    let is_unknown = message.starts_with("unknown field") || message.starts_with("unknown variant");
    if let (true, Some(given), Some((_, known))) = (is_unknown, given, message.split_once("expected one of "))
    {
        let known: Vec<&str> = known.split(", ").map(|name| name.trim_matches('`')).collect();
        let cure = match nearest(given, &known) {
            Some(name) => format!("did you mean `{name}`?"),
            None => format!("known here: {}", known.join(", ")),
        };
        return (format!("unknown word `{given}`"), cure, given.chars().count());
    }
    let message = match message {
        "invalid u32" => "a whole number belongs here",
        "expected mapping start" => "keys with values belong here, not a list or a text",
        other => other.split(", set DuplicateKeyPolicy").next().unwrap_or(other),
    };
    (message.to_owned(), "correct this line; `toolgate policy schema` describes every key".to_owned(), 1)
}

/// The known name that is most like a mistyped one.
#[must_use]
pub fn nearest<'a>(given: &str, known: &[&'a str]) -> Option<&'a str> {
    let close = known.iter().map(|name| (distance(given, name), *name)).min()?;
    (close.0 <= 2).then_some(close.1)
}

/// Edits between two short words.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.chars().enumerate() {
        let mut diagonal = i;
        let mut left = i.saturating_add(1);
        let mut next = vec![left];
        for (to, above) in b.iter().zip(row.iter().skip(1)) {
            let change = diagonal.saturating_add(usize::from(from != *to));
            left = change.min(left.saturating_add(1)).min(above.saturating_add(1));
            diagonal = *above;
            next.push(left);
        }
        row = next;
    }
    row.last().copied().unwrap_or(usize::MAX)
}
