//! The change of a settings file as a diff. The hook is there once for
//! every event, the same each time: the first is shown, the others are named.

use crate::screen::{BOLD, DIM, GREEN, RED, styled, talk, visible};
use anstyle::{AnsiColor, Style};
use similar::{Algorithm, TextDiff};

/// The place of a hunk.
const CYAN: Style = AnsiColor::Cyan.on_default();

/// Longer lines are cut: some settings files are one line.
const LINE_MAX: usize = 160;

/// A longer change is code the gate brings along; its beginning says what it is.
const LINES_MAX: usize = 120;
const LINES_SHOWN: usize = 12;

/// Folded events that are named.
const NAMED_MAX: usize = 3;

/// Shows it; blocks of these events are shown once. No events: every line, uncut.
pub fn show(name: &str, before: &[u8], after: &[u8], events: &[String]) {
    lines(name, before, after, events).iter().for_each(|line| talk(&coloured(line)));
}

fn lines(name: &str, before: &[u8], after: &[u8], events: &[String]) -> Vec<String> {
    let before = String::from_utf8_lossy(before);
    let after = String::from_utf8_lossy(after);
    // Lines that are there once are matched first: what is kept does not look removed and added.
    let diff =
        TextDiff::configure().algorithm(Algorithm::Patience).diff_lines(before.as_ref(), after.as_ref());
    let text = diff.unified_diff().context_radius(2).header(name, name).to_string();
    let all: Vec<String> = text.lines().map(str::to_owned).collect();
    if events.is_empty() {
        return all;
    }
    let mut shown: Vec<String> = folded(&all, events).iter().map(|line| cut(line)).collect();
    if shown.len() > LINES_MAX {
        let more = shown.len() - LINES_SHOWN;
        shown.truncate(LINES_SHOWN);
        shown.push(format!("  … {more} more lines; --diff shows all"));
    }
    shown
}

fn coloured(line: &str) -> String {
    // Tabs indent settings files; nothing else may move the screen.
    let text = line.split('\t').map(visible).collect::<Vec<_>>().join("\t");
    match line.as_bytes() {
        [b'@', ..] => styled(CYAN, &text),
        [b'-', b'-', b'-', ..] | [b'+', b'+', b'+', ..] => styled(BOLD, &text),
        _ if line.starts_with("  …") => styled(DIM, &text),
        [b'+', ..] => styled(GREEN, &text),
        [b'-', ..] => styled(RED, &text),
        _ => text,
    }
}

fn cut(line: &str) -> String {
    let length = line.chars().count();
    if length <= LINE_MAX {
        return line.to_owned();
    }
    let start: String = line.chars().take(LINE_MAX).collect();
    format!("{start}… ({length} characters; --diff shows all)")
}

/// Lines of one event, from the one that names it on.
struct Block<'a> {
    event: Option<&'a str>,
    lines: Vec<&'a str>,
}

impl Block<'_> {
    /// What is in the list of the event, apart from which tools it is for, and
    /// how many lines that takes: the last block also closes what is around it.
    fn content(&self) -> (Vec<&str>, usize) {
        let mut content = Vec::new();
        let mut taken = usize::from(self.event.is_some());
        let mut depth = 0_usize;
        for line in self.lines.iter().skip(taken) {
            let text = line.get(1..).unwrap_or_default().trim().trim_end_matches(',');
            taken += 1;
            match (text.starts_with([']', '}']), depth.checked_sub(1)) {
                (true, None) => break,
                (true, Some(less)) => depth = less,
                (false, _) => depth += usize::from(text.ends_with(['[', '{'])),
            }
            if !text.starts_with("\"matcher\"") {
                content.push(text);
            }
        }
        (content, taken)
    }
}

fn folded(lines: &[String], events: &[String]) -> Vec<String> {
    let mut shown: Vec<Vec<&str>> = Vec::new();
    let mut named: Vec<&str> = Vec::new();
    let mut result: Vec<String> = Vec::new();
    let mut fold_at = 0;
    let blocks = blocks(lines, events);
    for block in &blocks {
        let (content, taken) = block.content();
        let mut from = 0;
        if let Some(event) = block.event {
            if shown.contains(&content) {
                fold_at = if named.is_empty() { result.len() } else { fold_at };
                named.push(event);
                from = taken;
            } else {
                shown.push(content);
            }
        }
        result.extend(block.lines.iter().skip(from).map(|line| (*line).to_owned()));
    }
    if !named.is_empty() {
        let first: Vec<&str> = named.iter().take(NAMED_MAX).copied().collect();
        let rest = if named.len() > first.len() { ", …" } else { "" };
        let names = format!("{}{rest}", first.join(", "));
        let text = format!("  … and {} more like it: {names} (--diff shows all)", named.len());
        result.insert(fold_at, text);
    }
    result
}

/// Runs of changed lines, cut where the next event begins.
fn blocks<'a>(lines: &'a [String], events: &'a [String]) -> Vec<Block<'a>> {
    let mut blocks: Vec<Block<'a>> = Vec::new();
    let mut sign = None;
    for line in lines {
        let event = event_of(line, events);
        let now = line.bytes().next().filter(|byte| b"+-".contains(byte));
        match blocks.last_mut() {
            Some(block) if event.is_none() && now == sign => block.lines.push(line),
            _ => blocks.push(Block { event, lines: vec![line] }),
        }
        sign = now;
    }
    blocks
}

/// The event a changed line opens the list of.
fn event_of<'a>(line: &str, events: &'a [String]) -> Option<&'a str> {
    let text = line.strip_prefix(['+', '-'])?.trim();
    let name = text.strip_prefix('"')?.strip_suffix("\": [")?;
    events.iter().map(String::as_str).find(|event| *event == name)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing)]
mod tests {
    use super::lines;
    use toolgate_adapters::reference_host;

    fn check(before: &str, shown: usize, more: &str) {
        let host = reference_host();
        let called = format!("hook {}", host.name());
        let after = host.install(Some(before.as_bytes()), "\"$HOME/.local/bin/toolgate\"").unwrap();
        let events = host.events(&after);
        for (from, to) in [(before.as_bytes(), after.as_slice()), (after.as_slice(), before.as_bytes())] {
            let text = lines("settings.json", from, to, &events).join("\n");
            assert!(text.contains(more), "{text}");
            assert_eq!(text.matches(&called).count(), shown, "{text}");
            let whole = lines("settings.json", from, to, &[]).join("\n");
            assert!(whole.matches(&called).count() == 10 && !whole.contains('…'), "{whole}");
        }
    }

    #[test]
    fn hooks_alike_are_shown_once() {
        check("{}\n", 1, "… and 9 more like it: PostToolUse, PostToolUseFailure, Stop, … (");
        check("{\n  \"model\": \"opus\"\n}\n", 1, "… and 9 more like it: PostToolUse,");
        let others = "{\n  \"hooks\": {\n    \"PreToolUse\": [\n      { \"hooks\": [] }\n    ]\n  }\n}\n";
        check(others, 2, "… and 8 more like it: PostToolUseFailure,");
    }
}
