//! Options and inputs that carry a command where one does not expect it:
//! `tar --to-command`, `rsync -e`, `psql -c '\\! …'`, `vim -c '!…'`, `sed '1e …'`.

use super::Inner;
use crate::reading::{Command, RedirectKind, Word};

pub(super) fn open(command: &Command) -> Vec<Inner> {
    match command.program.as_str() {
        "tar" | "gtar" | "bsdtar" => tar(command),
        "rsync" => command.usage.value("--rsh").cloned().map(Inner::text).into_iter().collect(),
        "sort" => command.usage.value("--compress-program").cloned().map(Inner::text).into_iter().collect(),
        "vi" | "vim" | "nvim" | "ex" => editor(command),
        "psql" | "mysql" | "mariadb" | "sqlite3" => escapes(command),
        "sed" | "gsed" => sed(command),
        "nc" | "ncat" | "netcat" => ["--exec", "--sh-exec"]
            .iter()
            .filter_map(|name| command.usage.value(name))
            .cloned()
            .map(Inner::text)
            .collect(),
        _ => Vec::new(),
    }
}

fn tar(command: &Command) -> Vec<Inner> {
    let usage = &command.usage;
    let mut found: Vec<Inner> = Vec::new();
    for name in ["--to-command", "--use-compress-program", "--info-script", "--rsh-command"] {
        found.extend(usage.values(name).cloned().map(Inner::text));
    }
    for action in usage.values("--checkpoint-action") {
        let text = action.text.strip_prefix("exec=").map(str::to_string);
        found.extend(text.map(|text| Inner::text(Word { text: text.into(), ..action.clone() })));
    }
    found
}

/// `-c '!x'`, `-c ':!x'` and `+!x`.
fn editor(command: &Command) -> Vec<Inner> {
    let plus = command.words.iter().filter_map(|word| {
        let text = word.text.strip_prefix('+')?;
        Some(Word { text: text.into(), ..word.clone() })
    });
    let all = command.usage.values("-c").cloned().chain(plus);
    let run = |word: Word| {
        let text = word.text.trim_start_matches([':', ' ']).strip_prefix('!')?.to_string();
        Some(Inner::text(Word { text: text.into(), ..word }))
    };
    all.filter_map(run).collect()
}

/// Lines of database input that go to a shell.
fn escapes(command: &Command) -> Vec<Inner> {
    let mut found = Vec::new();
    let here = command
        .redirects
        .iter()
        .filter(|one| matches!(one.kind, RedirectKind::HereDoc | RedirectKind::HereString));
    let texts = command.words.iter().skip(1).chain(here.map(|one| &one.target));
    for word in texts {
        for line in word.text.lines() {
            let line = line.trim_start();
            let run =
                ["\\!", ".shell ", ".system ", "system "].iter().find_map(|sign| line.strip_prefix(sign));
            found.extend(run.map(|text| Inner::text(Word { text: text.into(), ..word.clone() })));
        }
    }
    found
}

/// GNU sed: `1e command` runs it.
fn sed(command: &Command) -> Vec<Inner> {
    let usage = &command.usage;
    let given = usage.has("--expression");
    let scripts = usage.values("--expression").chain(usage.operands.iter().take(usize::from(!given)));
    let run = |word: &Word| {
        let text = word
            .text
            .trim_start_matches(|first: char| first.is_ascii_digit() || matches!(first, '$' | ',' | ' '));
        let text = text.strip_prefix("e ")?.to_string();
        Some(Inner::text(Word { text: text.into(), ..word.clone() }))
    };
    scripts.filter_map(run).collect()
}
