//! Hosts are named in the adapters and nowhere else: what a host sends, understands and is called is data there.

use super::nothing_wrong;
use crate::files::text_files;

/// Crates in the middle, which know hosts only as values.
const MIDDLE: &[&str] = &["core", "runtime", "server", "store", "shell", "cli", "toolgate"];

/// Names of hosts, in any case.
const NAMES: &[&str] =
    &["claude", "codex", "gemini", "copilot", "grok", "openhands", "opencode", "qwen", "kimi"];

/// Lines that may hold one, with the reason.
const EXEMPT: &[(&str, &str, &str)] = &[
    ("crates/shell/src/programs/subcommands.rs", "copilot extension gist", "a subcommand of `gh`"),
    ("crates/shell/src/programs/cloud.rs", "copilot", "the deployment tool of AWS"),
];

#[test]
fn only_adapters_name_a_host() {
    let mut seen = 0;
    let mut wrong = Vec::new();
    for file in text_files() {
        let is_middle = MIDDLE.iter().any(|name| file.path.starts_with(&format!("crates/{name}/src/")));
        if !is_middle {
            continue;
        }
        seen += 1;
        for (at, line) in file.text.lines().enumerate() {
            let lower = line.to_lowercase();
            let is_exempt = EXEMPT.iter().any(|(path, part, _)| file.path == *path && line.contains(part));
            if let Some(name) = NAMES.iter().find(|name| lower.contains(*name) && !is_exempt) {
                wrong.push(format!("{}:{} names `{name}`: make it data of the host", file.path, at + 1));
            }
        }
    }
    assert!(seen > 300, "the test sees only {seen} files");
    nothing_wrong("hosts named outside the adapters", &wrong);
}
