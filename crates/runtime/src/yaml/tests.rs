//! Whatever is done to a good policy: no panic, every place within the file, no empty help.

use super::{PolicyFault, parse_agent, parse_guardrails, parse_policy};
use crate::load::check_files;
use proptest::prelude::*;
use toolgate_core::Layer;

const GOOD: &str = r#"# Rules of the project.
version: 1
mode: enforce
x-shared: &shared
  kind: block
  reason: "keys: never"
packs: []
review: { delivery: ticket, hold_seconds: 50 }
agents:
  main:
    budget: { calls: 500 }
    feedback:
      - { name: time, text: 'look at the clock', every_calls: 20 }
rules:
  - <<: *shared
    id: no-keys
    match: { files: { path: ["*.pem", "~/.ssh/**"] } }
  - id: tests-first
    kind: require
    match:
      command: { program: git, subcommand: commit }
    require: { ran: "npm test", fresh: true }
    reason: >-
      tests run
      before a commit
    examples:
      match: [git commit -m x]
  - id: no-force
    kind: ask
    match: { regex: "git\\s+push.*--force" }
    reason: ü – it rewrites history
guardrails:
  - id: custom-scope-001
    type: pre_execution
    validation: { check: "action.program != 'rm'" }
"#;

/// One thing done to a text.
#[derive(Debug, Clone)]
enum Change {
    Byte(usize, u8),
    Insert(usize, u8),
    Cut(usize, usize),
    DropLine(usize),
    DoubleLine(usize),
    Indent(usize, &'static str),
    SwapLines(usize),
}

fn change() -> impl Strategy<Value = Change> {
    let sign = prop::sample::select(&b"\t\n\r :-[]{}\"'*&!#|>,@\\x0~%\xff\xc3"[..]);
    let blank = prop::sample::select(&["\t", " ", "   ", "- ", "\u{feff}"][..]);
    let at = 0..GOOD.len();
    prop_oneof![
        (at.clone(), sign.clone()).prop_map(|(at, sign)| Change::Byte(at, sign)),
        (at.clone(), sign).prop_map(|(at, sign)| Change::Insert(at, sign)),
        (at, 0..200_usize).prop_map(|(at, length)| Change::Cut(at, length)),
        (0..45_usize).prop_map(Change::DropLine),
        (0..45_usize).prop_map(Change::DoubleLine),
        (0..45_usize, blank).prop_map(|(at, blank)| Change::Indent(at, blank)),
        (0..44_usize).prop_map(Change::SwapLines),
    ]
}

fn changed(changes: &[Change]) -> Vec<u8> {
    let mut bytes = GOOD.as_bytes().to_vec();
    for change in changes {
        match change {
            Change::Byte(at, sign) => bytes.get_mut(*at).into_iter().for_each(|byte| *byte = *sign),
            Change::Insert(at, sign) => bytes.insert((*at).min(bytes.len()), *sign),
            Change::Cut(at, length) => {
                let at = (*at).min(bytes.len());
                bytes.drain(at..at.saturating_add(*length).min(bytes.len()));
            }
            _ => bytes = with_lines(&bytes, change),
        }
    }
    bytes
}

fn with_lines(bytes: &[u8], change: &Change) -> Vec<u8> {
    let mut lines: Vec<Vec<u8>> = bytes.split(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
    match change {
        Change::DropLine(at) if *at < lines.len() => drop(lines.remove(*at)),
        Change::DoubleLine(at) => {
            if let Some(line) = lines.get(*at).cloned() {
                lines.insert(*at, line);
            }
        }
        Change::Indent(at, blank) => {
            lines.get_mut(*at).into_iter().for_each(|line| drop(line.splice(0..0, blank.bytes())));
        }
        Change::SwapLines(at) if at + 1 < lines.len() => lines.swap(*at, at + 1),
        _ => {}
    }
    lines.join(&b'\n')
}

fn check(fault: &PolicyFault, bytes: &[u8]) -> Result<(), TestCaseError> {
    let text = String::from_utf8_lossy(bytes);
    let text = super::with_plain_ends(&text);
    prop_assert!(!fault.message.trim().is_empty() && !fault.cure.trim().is_empty(), "{fault:?}");
    let lines: Vec<&str> = text.split('\n').collect();
    prop_assert!(fault.line <= lines.len(), "{fault:?}");
    if fault.line > 0 {
        let line = lines[fault.line - 1].chars().count();
        prop_assert!(fault.column >= 1 && fault.column <= line + 1, "{} of {line}: {fault:?}", fault.column);
    }
    prop_assert!(fault.render().contains("help: "), "{}", fault.render());
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, ..ProptestConfig::default() })]

    #[test]
    fn a_changed_policy_is_read_or_its_faults_have_places(changes in prop::collection::vec(change(), 1..4)) {
        let bytes = changed(&changes);
        for fault in check_files(&[(Layer::User, "policy.yaml", &bytes)]).faults {
            check(&fault, &bytes)?;
        }
        for parsed in [
            parse_policy(Layer::Project, "policy.yaml", &bytes),
            parse_guardrails(Layer::Project, "own.yaml", &bytes),
            parse_agent(Layer::Project, "main.yaml", &bytes),
        ] {
            prop_assert!(parsed.layer.is_some() || !parsed.faults.is_empty());
            for fault in &parsed.faults {
                check(fault, &bytes)?;
            }
        }
    }
}

#[test]
fn the_policy_that_is_changed_is_good() {
    let parsed = parse_policy(Layer::Project, "policy.yaml", GOOD.as_bytes());
    let faults: Vec<String> = parsed.faults.iter().map(PolicyFault::render).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert_eq!(parsed.layer.map(|layer| layer.lines), Some(vec![15, 18, 28]));
}
