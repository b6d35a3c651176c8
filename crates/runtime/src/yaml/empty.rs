//! Parts of a policy that are written and say nothing: empty lists, limits of 0.

use super::fault::{FaultLevel, PolicyFault};
use super::tree::{Document, Key, Node, Value};
use std::rc::Rc;

/// Parts of a rule in which an empty list or map is as good as none.
const CONDITIONS: [&str; 6] = ["match", "then", "when", "unless", "require", "change"];

/// Limits that let nothing through when they are 0.
const LIMITS: [&str; 12] = [
    "tokens",
    "minutes",
    "calls",
    "api_calls",
    "lines",
    "files",
    "cost_cents",
    "deadline_minutes",
    "every_calls",
    "every_seconds",
    "limit",
    "cents",
];

/// Everything in a file that is empty or 0 and cannot be meant so.
pub(crate) fn empty_parts(file: &str, bytes: &[u8]) -> Vec<PolicyFault> {
    let Ok(text) = std::str::from_utf8(bytes) else { return Vec::new() };
    let text = &*super::with_plain_ends(text);
    let Some(root) = Document::read(text).root else { return Vec::new() };
    let mut look = Look { file, text, found: Vec::new() };
    for rule in root.get("rules").map(|rules| rules.items()).unwrap_or_default() {
        let parts = rule.entries().iter().filter(|(key, _)| CONDITIONS.contains(&key.text.as_str()));
        parts.for_each(|(key, value)| look.at_condition(key, value));
        let before = rule.get("after").map(|after| after.items()).unwrap_or_default();
        before.iter().flat_map(|one| one.entries()).for_each(|(key, value)| look.at_condition(key, value));
    }
    for rule in root.get("rules").map(|rules| rules.items()).unwrap_or_default() {
        rule.entries().iter().for_each(|(key, value)| look.at_switch(key, value));
    }
    for (name, agent) in root.get("agents").map(|agents| agents.entries()).unwrap_or_default() {
        look.at_agent(&name.text, agent);
    }
    look.at_zero(
        &root,
        "errors",
        "retries",
        "quarantines a call at its first failure",
        "write `retries: 1` or more",
    );
    look.at_zero(
        &root,
        "review",
        "hold_seconds",
        "holds no call: an approval counts only for a call that is made again",
        "write a number from 1 to 100, or remove `hold_seconds`",
    );
    for section in ["agents", "category_guardrails"] {
        let entries = root.get(section).map(|node| node.entries()).unwrap_or_default();
        entries.iter().for_each(|(key, value)| look.at_limit(key, value));
    }
    look.found
}

struct Look<'a> {
    file: &'a str,
    text: &'a str,
    found: Vec<PolicyFault>,
}

impl Look<'_> {
    fn warn(&mut self, node: &Node, message: String, help: String) {
        let fault = PolicyFault::at(self.file, self.text, node.place, message, help);
        self.found.push(fault.with_level(FaultLevel::Warning));
    }

    fn at_condition(&mut self, key: &Key, node: &Rc<Node>) {
        // A rule about every call is an error, told elsewhere.
        let is_whole = key.text == "match" || key.text == "then";
        let is_empty = !is_whole
            && match &node.value {
                Value::List(items) => items.is_empty(),
                Value::Map(entries) => entries.is_empty(),
                Value::Text { .. } => node.is_null(),
            };
        if is_empty {
            let message = format!("`{}` is empty and says nothing", key.text);
            self.warn(node, message, format!("write the values for `{}`, or remove it", key.text));
        }
        // What is set is data, and may be empty.
        if key.text != "set" {
            node.entries().iter().for_each(|(key, value)| self.at_condition(key, value));
        }
    }

    /// What an agent may use, where nothing is written.
    fn at_agent(&mut self, name: &str, agent: &Rc<Node>) {
        for (key, node) in agent.entries() {
            let is_empty = match &node.value {
                Value::List(items) => items.is_empty(),
                Value::Map(entries) => entries.is_empty(),
                Value::Text { .. } => node.is_null(),
            };
            let (message, help) = match key.text.as_str() {
                "tools" if is_empty && !node.is_null() => (
                    format!("agent `{name}`: the list of tools is empty, so it may use none"),
                    "name its tools, or remove `tools` for all of them",
                ),
                "tools" if is_empty => {
                    (format!("agent `{name}`: `tools` has no value"), "name its tools, or remove the line")
                }
                _ => continue,
            };
            let place = match node.is_null() {
                true => key.place,
                false => node.place,
            };
            let fault = PolicyFault::at(self.file, self.text, place, message, help);
            self.found.push(fault.with_level(FaultLevel::Warning));
        }
    }

    /// `locked: "yes"` is a text that is read as a switch.
    fn at_switch(&mut self, key: &Key, node: &Rc<Node>) {
        let is_switch = matches!(key.text.as_str(), "locked" | "enabled");
        let written = node.text().filter(|text| is_switch && !matches!(*text, "true" | "false"));
        if let Some(text) = written {
            let is_on = matches!(text.to_ascii_lowercase().as_str(), "yes" | "on" | "y" | "1");
            let message = format!("`{}` takes `true` or `false`, and this is `{text}`", key.text);
            self.warn(node, message, format!("write `{}: {is_on}`", key.text));
        }
    }

    fn at_zero(&mut self, root: &Rc<Node>, section: &str, key: &str, what: &str, help: &str) {
        let node = root.get(section).and_then(|section| section.get(key).cloned());
        if let Some(node) = node.filter(|node| node.text().is_some_and(|text| text.trim() == "0")) {
            self.warn(&node, format!("`{key}: 0` {what}"), help.to_owned());
        }
    }

    fn at_limit(&mut self, key: &Key, node: &Rc<Node>) {
        let is_empty = matches!(&node.value, Value::Map(entries) if entries.is_empty()) || node.is_null();
        if key.text == "budget" && is_empty {
            let help = "write a limit, as in `budget: { calls: 400 }`, or remove `budget`".to_owned();
            self.warn(node, "`budget` is empty and limits nothing".to_owned(), help);
        }
        let is_limit = LIMITS.contains(&key.text.as_str());
        if is_limit && node.text().is_some_and(|text| text.trim() == "0") {
            let name = &key.text;
            let (message, help) = match name.starts_with("every_") {
                true => {
                    (format!("`{name}: 0` speaks after every call"), format!("write a number: `{name}: 20`"))
                }
                false => (
                    format!("`{name}: 0` leaves nothing: it is used up before the first call"),
                    format!("write a number, or remove `{name}` for no limit"),
                ),
            };
            self.warn(node, message, help);
        }
        node.entries().iter().for_each(|(key, value)| self.at_limit(key, value));
        node.items()
            .iter()
            .flat_map(|item| item.entries())
            .for_each(|(key, value)| self.at_limit(key, value));
    }
}
