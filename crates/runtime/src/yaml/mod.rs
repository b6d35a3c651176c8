//! Reads policy files from YAML, and says everything that is wrong with them:
//! file, line, caret, help.
//!
//! `tree` reads text, `values` and `reader` our types out of it; `syntax` and `wording` say
//! what is wrong; `places` finds the text a fault is about.

mod empty;
mod fault;
mod places;
mod reader;
mod syntax;
mod tree;
mod values;
mod wording;

pub(crate) use empty::empty_parts;
pub(crate) use fault::sort;
pub use fault::{FaultLevel, PolicyFault};
pub use wording::nearest;
pub(crate) use wording::reword;

use serde::de::DeserializeOwned;
use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};
use std::path::Path;
use std::rc::Rc;
use toolgate_core::rule::Names;
use toolgate_core::{
    Agent, Categories, Guardrail, GuardrailLines, Layer, Layered, Notice, NoticeKind, PolicyFile, RuleFault,
};
use tree::{Document, Mistake, Node, Place};
use values::Changes;

/// Largest policy file read.
pub(crate) const SIZE_MAX: u64 = 4 << 20;

/// A file of a layer as far as it could be read.
#[derive(Debug, Default)]
pub(crate) struct ParsedFile {
    pub layer: Option<Layered>,
    pub faults: Vec<PolicyFault>,
    /// The ids of rules that are written and could not be read.
    pub unread: Vec<String>,
    /// The lines of rules that were read without some of their parts.
    pub partial: Vec<u32>,
}

impl ParsedFile {
    fn failed(fault: PolicyFault) -> ParsedFile {
        ParsedFile { faults: vec![fault], ..ParsedFile::default() }
    }

    /// The layer if nothing is wrong with it.
    ///
    /// # Errors
    /// The first fault.
    pub fn complete(self) -> Result<Layered, PolicyFault> {
        match (self.faults.into_iter().next(), self.layer) {
            (Some(fault), _) => Err(fault),
            (None, Some(layer)) => Ok(layer),
            (None, None) => Err(PolicyFault::of_file("", "the file cannot be read", "write `version: 1`")),
        }
    }
}

/// Reads one file of a layer.
///
/// # Errors
/// The first thing wrong with it, and where.
pub fn parse(layer: Layer, file: &str, bytes: &[u8]) -> Result<Layered, PolicyFault> {
    parse_policy(layer, file, bytes).complete()
}

/// Reads one file of a layer, and tells all that is wrong with it.
pub(crate) fn parse_policy(layer: Layer, file: &str, bytes: &[u8]) -> ParsedFile {
    let mut source = match Source::of(file, bytes) {
        Ok(source) => source,
        Err(faults) => return ParsedFile { faults, ..ParsedFile::default() },
    };
    let Some(policy) = source.read::<PolicyFile>() else { return source.parsed(None) };
    source.check_version(&policy);
    source.check_review(&policy);
    source.check_ids();
    let lines = source.kept_lines("rules");
    let guardrail_lines = source.kept_nodes("guardrails").iter().map(guardrail_lines).collect();
    let agents = source.root.get("agents").map(|node| node.entries().to_vec()).unwrap_or_default();
    let agent_lines = agents.iter().map(|(key, value)| (key.text.clone(), line_of(value))).collect();
    let file = file.to_owned();
    source.parsed(Some(Layered { layer, by: layer, file, policy, lines, agent_lines, guardrail_lines }))
}

/// Reads one file of a folder of guardrails: one alone, one below `guardrail`
/// or `custom_guardrail`, or a list below `guardrails`; and those of the categories
/// that are to be on, listed by category or in the order of a chain.
pub(crate) fn parse_guardrails(layer: Layer, file: &str, bytes: &[u8]) -> ParsedFile {
    let mut source = match Source::of(file, bytes) {
        Ok(source) => source,
        Err(faults) => return ParsedFile { faults, ..ParsedFile::default() },
    };
    let mut listed = None;
    let (guardrails, nodes) = if source.root.get("id").is_some() {
        let own = source.root.clone();
        (source.read::<Guardrail>().into_iter().collect(), vec![own])
    } else {
        let read = source.read::<GuardrailFile>().unwrap_or_default();
        let one = ["guardrail", "custom_guardrail"].iter().filter_map(|key| source.root.get(key).cloned());
        let nodes = source.kept_nodes("guardrails").into_iter().chain(one).collect();
        listed = read.categories();
        (read.guardrails.into_iter().chain(read.guardrail).collect::<Vec<Guardrail>>(), nodes)
    };
    if guardrails.is_empty() && listed.is_none() && source.faults.is_empty() {
        let help = "write `guardrails:` with a list, or `guardrail:` with one; or delete the file";
        return ParsedFile::failed(PolicyFault::of_file(file, "there is no guardrail in this file", help));
    }
    let policy = PolicyFile { guardrails, category_guardrails: listed, ..PolicyFile::of_version_1() };
    let (file, agent_lines) = (file.to_owned(), BTreeMap::new());
    let guardrail_lines = nodes.iter().map(guardrail_lines).collect();
    let lines = Vec::new();
    source.parsed(Some(Layered { layer, by: layer, file, policy, lines, agent_lines, guardrail_lines }))
}

/// Reads one file of a folder of agents: one agent, called like the file.
pub(crate) fn parse_agent(layer: Layer, file: &str, bytes: &[u8]) -> ParsedFile {
    let mut source = match Source::of(file, bytes) {
        Ok(source) => source,
        Err(faults) => return ParsedFile { faults, ..ParsedFile::default() },
    };
    let name = Path::new(file).file_stem().map(|name| name.to_string_lossy().into_owned());
    let Some(name) = name.filter(|name| !name.is_empty()) else {
        let help = "name it after the agent: reviewer.yaml";
        return ParsedFile::failed(PolicyFault::of_file(file, "the file has no name", help));
    };
    let Some(agent) = source.read::<Agent>() else { return source.parsed(None) };
    let agents = BTreeMap::from([(name.clone(), agent)]);
    let policy = PolicyFile { agents, ..PolicyFile::of_version_1() };
    let agent_lines = BTreeMap::from([(name, 1)]);
    let (file, lines, guardrail_lines) = (file.to_owned(), Vec::new(), Vec::new());
    source.parsed(Some(Layered { layer, by: layer, file, policy, lines, agent_lines, guardrail_lines }))
}

/// What is in a file of the folder `guardrails`, besides a guardrail alone.
#[derive(Default, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct GuardrailFile {
    #[serde(default)]
    guardrails: Vec<Guardrail>,
    #[serde(alias = "custom_guardrail")]
    guardrail: Option<Guardrail>,
    #[serde(default)]
    safety_guardrails: Vec<ListedGuardrail>,
    #[serde(default)]
    quality_guardrails: Vec<ListedGuardrail>,
    #[serde(default)]
    compliance_guardrails: Vec<ListedGuardrail>,
    #[serde(default)]
    budget_guardrails: Vec<ListedGuardrail>,
    #[serde(default)]
    scope_guardrails: Vec<ListedGuardrail>,
    #[serde(default)]
    pre_execution_chain: Vec<ChainedGuardrail>,
    #[serde(default)]
    post_execution_chain: Vec<ChainedGuardrail>,
}

/// A guardrail of a category, by its id. What it checks is what its page says; the words here are the
/// author's.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct ListedGuardrail {
    id: String,
    #[serde(rename = "name")]
    _name: Option<String>,
    #[serde(rename = "check")]
    _check: Option<String>,
    #[serde(rename = "threshold")]
    _threshold: Option<serde_json::Value>,
    #[serde(rename = "action_on_fail")]
    _action: Option<String>,
}

/// A guardrail in a chain. The order is that of the priorities, whatever is listed first.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct ChainedGuardrail {
    guardrail: String,
}

impl GuardrailFile {
    /// The guardrails of the categories it turns on.
    fn categories(&self) -> Option<Categories> {
        let lists = [
            &self.safety_guardrails,
            &self.quality_guardrails,
            &self.compliance_guardrails,
            &self.budget_guardrails,
            &self.scope_guardrails,
        ];
        let listed = lists.into_iter().flatten().map(|one| one.id.clone());
        let chains = self.pre_execution_chain.iter().chain(&self.post_execution_chain);
        // Guardrails that are always there, and those of files, are on without being listed.
        let chained = chains.map(|one| one.guardrail.clone());
        let chained = chained.filter(|id| !id.starts_with("builtin-") && !id.starts_with("custom-"));
        let on: Vec<String> = listed.chain(chained).collect();
        (!on.is_empty()).then(|| Categories { on: Names(on), ..Categories::default() })
    }
}

/// A file that is being read.
struct Source<'a> {
    file: &'a str,
    text: Cow<'a, str>,
    root: Rc<Node>,
    is_cut: bool,
    faults: Vec<PolicyFault>,
    changes: Changes,
}

impl<'a> Source<'a> {
    fn of(file: &'a str, bytes: &'a [u8]) -> Result<Source<'a>, Vec<PolicyFault>> {
        if u64::try_from(bytes.len()).is_ok_and(|length| length > SIZE_MAX) {
            return Err(vec![too_large(file)]);
        }
        let text = std::str::from_utf8(bytes).map_err(|error| vec![not_text(file, bytes, &error)])?;
        let text = with_plain_ends(text);
        let Document { root, mistakes, is_cut } = Document::read(&text);
        let mut faults: Vec<PolicyFault> =
            mistakes.into_iter().map(|one| PolicyFault::of_mistake(file, &text, one)).collect();
        let Some(root) = root.filter(|root| !root.is_null()) else {
            if faults.is_empty() {
                faults.push(PolicyFault::at(
                    file,
                    &text,
                    Place::in_line(1, 1, 1),
                    "the file is empty",
                    EMPTY_HELP,
                ));
            }
            return Err(faults);
        };
        let free = |(at, (key, _)): (usize, &(tree::Key, Rc<Node>))| {
            key.text.starts_with("x-").then_some((root.id, at))
        };
        let mut dropped: HashSet<values::Entry> =
            root.entries().iter().enumerate().filter_map(free).collect();
        // Notes of one's own are free in rules as well.
        for rule in root.get("rules").map(|rules| rules.items()).unwrap_or_default() {
            let own = rule.entries().iter().enumerate();
            let own = own.filter(|(_, (key, _))| key.text.starts_with("x-"));
            dropped.extend(own.map(|(at, _)| (rule.id, at)));
        }
        let changes = Changes::without(dropped);
        Ok(Source { file, text, root, is_cut, faults, changes })
    }

    fn read<T: DeserializeOwned>(&mut self) -> Option<T> {
        let read = values::read(&self.root, self.is_cut, std::mem::take(&mut self.changes));
        for one in read.mistakes {
            // What is no YAML there is told already.
            let is_told =
                |fault: &PolicyFault| (fault.line, fault.column) == (one.place.line, one.place.column);
            if !self.faults.iter().any(is_told) {
                self.mistake(one);
            }
        }
        self.changes = read.changes;
        read.value
    }

    fn mistake(&mut self, mistake: Mistake) {
        self.faults.push(PolicyFault::of_mistake(self.file, &self.text, mistake));
    }

    fn wrong(&mut self, node: &Node, message: impl Into<String>, help: &str) {
        self.mistake(Mistake { place: node.place, message: message.into(), help: help.to_owned() });
    }

    /// The items of a list at the top that could be read.
    fn kept_nodes(&self, key: &str) -> Vec<Rc<Node>> {
        let Some(list) = self.root.get(key) else { return Vec::new() };
        let items = list.items().iter().enumerate();
        items
            .filter(|(at, _)| !self.changes.dropped.contains(&(list.id, *at)))
            .map(|(_, item)| Rc::clone(item))
            .collect()
    }

    fn kept_lines(&self, key: &str) -> Vec<u32> {
        self.kept_nodes(key).iter().map(line_of).collect()
    }

    fn parsed(self, layer: Option<Layered>) -> ParsedFile {
        let read: HashSet<&str> =
            layer.iter().flat_map(|layer| &layer.policy.rules).map(|rule| rule.id.as_str()).collect();
        let written = self.root.get("rules").map(|rules| rules.items()).unwrap_or_default();
        let ids = written.iter().filter_map(|rule| rule.get("id")?.text());
        let unread = ids.filter(|id| !read.contains(id)).map(str::to_owned).collect();
        let holders: HashSet<usize> = self.changes.dropped.iter().map(|(container, _)| *container).collect();
        let partial = written.iter().filter(|rule| holds_any(rule, &holders)).map(line_of).collect();
        let mut faults = self.faults;
        sort(&mut faults, &[]);
        ParsedFile { layer, faults, unread, partial }
    }

    fn check_version(&mut self, policy: &PolicyFile) {
        if let (true, Some(node)) = (policy.version != 1, self.root.get("version").cloned()) {
            self.wrong(&node, format!("version {} is not known", policy.version), "write `version: 1`");
        }
    }

    fn check_review(&mut self, policy: &PolicyFile) {
        let Some(review) = &policy.review else { return };
        let wrong = [
            (
                review.hold_seconds > 100,
                "hold_seconds",
                "a held call must be answered before the host gives up",
                "use at most 100 seconds",
            ),
            (
                review.expires_minutes == 0 || review.expires_minutes > 1440,
                "expires_minutes",
                "a request must have an end",
                "use 1 to 1440 minutes",
            ),
            (
                review.supervisor_seconds.is_some_and(|seconds| seconds == 0 || seconds > 100),
                "supervisor_seconds",
                "supervisors must answer before the host gives up",
                "use 1 to 100 seconds",
            ),
            (
                review.confidence.is_some_and(|share| !(0.0..=1.0).contains(&share)),
                "confidence",
                "confidence is a share of 1",
                "use a number from 0 to 1: `confidence: 0.7`",
            ),
        ];
        for (_, key, message, help) in wrong.into_iter().filter(|(is_wrong, ..)| *is_wrong) {
            let entries = self.root.get("review").map(|node| node.entries().to_vec()).unwrap_or_default();
            if let Some((_, node)) = entries.iter().find(|(own, _)| own.text == key) {
                self.wrong(node, message, help);
            }
        }
    }

    fn check_ids(&mut self) {
        let rules = self.root.get("rules").map(|rules| rules.items().to_vec()).unwrap_or_default();
        let mut known: BTreeMap<&str, usize> = BTreeMap::new();
        for node in rules.iter().filter_map(|rule| rule.get("id")) {
            let Some(id) = node.text() else { continue };
            match known.get(id) {
                Some(line) => {
                    let message = format!("rule `{id}` already exists on line {line}");
                    self.wrong(node, message, "choose another id for one of them");
                }
                None => {
                    known.insert(id, node.place.line);
                }
            }
        }
    }
}

const EMPTY_HELP: &str = "write `version: 1`, or delete the file";

/// The text without the mark of the encoding some editors put in front, and with the line ends everything
/// here counts by.
pub(crate) fn with_plain_ends(text: &str) -> Cow<'_, str> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    // YAML takes a carriage return alone for the end of a line.
    match text.replace("\r\n", "\n").contains('\r') {
        true => text.replace("\r\n", "\n").replace('\r', "\n").into(),
        false => text.into(),
    }
}

/// A file that is not read for its size.
pub(crate) fn too_large(file: &str) -> PolicyFault {
    let help = "split it: files in the folders `guardrails` and `agents` next to it are read as well";
    PolicyFault::of_file(file, "the file is larger than 4 MiB", help)
}

fn not_text(file: &str, bytes: &[u8], error: &std::str::Utf8Error) -> PolicyFault {
    let help = "save it as UTF-8";
    let good = bytes.get(..error.valid_up_to()).and_then(|good| std::str::from_utf8(good).ok());
    if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
        return PolicyFault::of_file(file, "the file is UTF-16, not UTF-8 text", help);
    }
    let Some(good) = good.filter(|good| !good.is_empty()) else {
        return PolicyFault::of_file(file, "the file is not UTF-8 text", help);
    };
    let line = good.matches('\n').count().saturating_add(1);
    let column = good.rsplit('\n').next().map_or(0, |line| line.chars().count()).saturating_add(1);
    let text = String::from_utf8_lossy(bytes);
    PolicyFault::at(
        file,
        &text,
        Place::in_line(line, column, 1),
        "the file is not UTF-8 text from here on",
        help,
    )
}

/// Whether one of these is the value or within it.
fn holds_any(node: &Rc<Node>, ids: &HashSet<usize>) -> bool {
    let mut below = node.items().iter().chain(node.entries().iter().map(|(_, value)| value));
    ids.contains(&node.id) || below.any(|one| holds_any(one, ids))
}

fn line_of(node: &Rc<Node>) -> u32 {
    u32::try_from(node.place.line).unwrap_or(0)
}

fn guardrail_lines(node: &Rc<Node>) -> GuardrailLines {
    let line = |part: &str, key: &str| node.get(part).and_then(|part| part.get(key)).map_or(0, line_of);
    GuardrailLines {
        own: line_of(node),
        condition: line("condition", "expression"),
        check: line("validation", "check"),
    }
}

/// The fault of a rule, with the place of the text it is about.
#[must_use]
pub(crate) fn rule_fault(file: &str, text: &str, line: u32, fault: &RuleFault) -> PolicyFault {
    let message = format!("rule `{}`: {}", fault.rule, fault.message);
    let line = usize::try_from(line).unwrap_or(1);
    let to_usize = |number: u32| usize::try_from(number).unwrap_or_default();
    let part = fault.at.map(|(start, length)| (to_usize(start), to_usize(length)));
    let place = places::of_needle(text, line, &fault.needle, part);
    PolicyFault::at(file, text, place, message, &fault.cure)
}

/// What the layers say about each other, with its place.
pub(crate) fn of_notice(text: &str, notice: &Notice) -> PolicyFault {
    let level = match notice.kind {
        NoticeKind::Conflict => FaultLevel::Error,
        NoticeKind::Warning => FaultLevel::Warning,
        NoticeKind::Note => FaultLevel::Note,
    };
    let (file, line) = (&notice.source.file, usize::try_from(notice.source.line).unwrap_or(0));
    if line == 0 && notice.needle.is_empty() {
        return PolicyFault::of_file(file, &notice.text, &notice.help).with_level(level);
    }
    let place = places::of_needle(text, line, &notice.needle, None);
    PolicyFault::at(file, text, place, &notice.text, &notice.help).with_level(level)
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
    PolicyFault::at(file, text, places::of_needle(text, line, needle, None), message, cure)
}

#[cfg(test)]
#[allow(clippy::indexing_slicing)]
mod tests;
