//! Rules in the front matter of Cursor's rule files (`.cursor/rules/*.mdc`).
//!
//! Front matter is often no YAML (`globs: *.ts`), so the block `toolgate:` is
//! cut out by its lines and read as a policy of the project; the lines of the
//! file stay the lines of the faults. Such a file may be written by agents and
//! anybody else, so it only adds: no other sections than rules and guardrails,
//! and no rule in place of another.

use crate::yaml::{ParsedFile, at_needle, parse_policy};
use std::path::{Path, PathBuf};
use toolgate_core::{Layer, Layered, Notice, PolicyFile, Source};

/// The key in the front matter.
const KEY: &str = "toolgate:";

/// The folder such files lie in.
pub(crate) fn folder(project: &Path) -> PathBuf {
    project.join(".cursor/rules")
}

/// Whether a file says anything to us.
pub(crate) fn has_block(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_ok_and(|text| front(text).any(|(_, line)| line.starts_with(KEY)))
}

/// The lines between the first `---` and the next, with their numbers from 0.
fn front(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let opened = text.lines().next().is_some_and(|line| line.trim_end() == "---");
    let lines = text.lines().enumerate().skip(1).take_while(|(_, line)| line.trim_end() != "---");
    lines.filter(move |_| opened)
}

/// Reads the block of one file.
pub(crate) fn read(file: &str, bytes: &[u8]) -> ParsedFile {
    let text = String::from_utf8_lossy(bytes);
    let mut parsed = parse_policy(Layer::Project, file, policy_text(&text).as_bytes());
    let only_adds = |layer: &Layered| PolicyFile {
        rules: layer.policy.rules.clone(),
        guardrails: layer.policy.guardrails.clone(),
        ..PolicyFile::of_version_1()
    };
    if parsed.layer.as_ref().is_some_and(|layer| layer.policy != only_adds(layer)) {
        let message = "only `rules` and `guardrails` are allowed here".to_owned();
        let help = "move the rest to `.toolgate/policy.yaml`";
        parsed.faults.push(at_needle(file, &text, 1, KEY, message, help));
    }
    parsed
}

/// The block as a policy file with every line where it was. `---` gives way to
/// the version, a list below the key is a list of rules.
fn policy_text(text: &str) -> String {
    let mut lines = vec![String::new(); text.lines().count()];
    let mut put = |at: usize, line: &str| {
        if let Some(place) = lines.get_mut(at) {
            line.clone_into(place);
        }
    };
    put(0, "version: 1");
    let mut block = front(text).skip_while(|(_, line)| !line.starts_with(KEY)).peekable();
    let Some((at, head)) = block.next() else { return lines.join("\n") };
    let rest = head.strip_prefix(KEY).unwrap_or_default();
    let own: Vec<(usize, &str)> = block.take_while(|(_, line)| belongs(line)).collect();
    let first = own.iter().map(|(_, line)| *line).find(|line| says_something(line)).unwrap_or(rest);
    let is_list = first.trim_start().starts_with(['-', '[']);
    if is_list {
        put(at, &format!("rules:{rest}"));
    } else if says_something(rest) {
        // Braces: nothing below them to dedent.
        put(0, rest.trim());
    }
    let indent = if is_list { 0 } else { first.len().saturating_sub(first.trim_start().len()) };
    for (at, line) in own {
        put(at, line.get(indent..).unwrap_or(line.trim_start()));
    }
    lines.join("\n")
}

/// A line of the block: deeper than its key, a list item, empty or a remark.
fn belongs(line: &str) -> bool {
    line.is_empty() || line.starts_with([' ', '\t', '-', '#'])
}

fn says_something(line: &str) -> bool {
    let line = line.trim();
    !line.is_empty() && !line.starts_with('#')
}

/// Takes out the rules whose id another file has, and says so.
pub(crate) fn only_adding(layers: &[Layered], added: Vec<Layered>) -> (Vec<Layered>, Vec<Notice>) {
    let mut taken: Vec<String> =
        layers.iter().flat_map(|layer| &layer.policy.rules).map(|rule| rule.id.clone()).collect();
    let mut notices = Vec::new();
    let mut kept = Vec::new();
    for mut layer in added {
        let rules = std::mem::take(&mut layer.policy.rules);
        for (rule, line) in rules.into_iter().zip(std::mem::take(&mut layer.lines)) {
            if taken.contains(&rule.id) {
                let source = Source { file: layer.file.clone(), line };
                let text = format!("a rule `{}` already exists, and this one is ignored", rule.id);
                notices.push(Notice::conflict(source, &rule.id, text, "choose another id for this one"));
            } else {
                taken.push(rule.id.clone());
                layer.policy.rules.push(rule);
                layer.lines.push(line);
            }
        }
        kept.push(layer);
    }
    (kept, notices)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic)]
mod tests {
    use super::*;
    use toolgate_core::NoticeKind;

    #[track_caller]
    fn check(text: &str, expected: &[(&str, u32)]) {
        assert!(has_block(text.as_bytes()));
        let layer =
            read("a.mdc", text.as_bytes()).complete().unwrap_or_else(|fault| panic!("{}", fault.render()));
        let ids = layer.policy.rules.iter().map(|rule| rule.id.as_str());
        assert_eq!(ids.zip(layer.lines.iter().copied()).collect::<Vec<_>>(), expected);
    }

    const RULE: &str = "{ id: a, kind: warn, match: { regex: x }, reason: r }";

    #[test]
    fn the_block_is_read_where_it_stands() {
        check(
            "---\nglobs: *.ts\ntoolgate:\n  - id: a\n    kind: warn\n    match: { regex: x }\n    reason: r\n---\nx",
            &[("a", 4)],
        );
        check(&format!("---\ntoolgate:\n- {RULE}\nalwaysApply: true\n---\n"), &[("a", 3)]);
        check(&format!("---\ntoolgate:\n\n    # why\n    rules:\n      - {RULE}\n---\n"), &[("a", 6)]);
        check(&format!("---\r\ntoolgate: [{RULE}]\r\n---\r\n"), &[("a", 2)]);
    }

    #[test]
    fn what_is_no_block_says_nothing() {
        for text in
            ["", "toolgate:\n  - x", "---\ndescription: x\n---\ntoolgate:\n", "---\n toolgate: x\n---\n"]
        {
            assert!(!has_block(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn it_only_adds() {
        for section in ["disable: [sudo]", "mode: observe", "packs: [relaxed]", "workspace: { also: [/] }"] {
            let fault = read("a.mdc", format!("---\ntoolgate:\n  {section}\n---\n").as_bytes())
                .complete()
                .unwrap_err();
            assert!(fault.render().contains("only `rules` and `guardrails` are allowed here"), "{section}");
        }
        let layer = |file: &str| {
            read(file, format!("---\ntoolgate:\n- {RULE}\n---\n").as_bytes()).complete().unwrap()
        };
        let (kept, notices) = only_adding(&[layer("first")], vec![layer("second")]);
        assert_eq!((kept.len(), kept.iter().map(|one| one.policy.rules.len()).sum::<usize>()), (1, 0));
        assert!(
            notices
                .iter()
                .all(|notice| notice.kind == NoticeKind::Conflict && notice.source.file == "second")
        );
        assert_eq!(notices.len(), 1);
    }
}
