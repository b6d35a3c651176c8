//! The pages in `docs/hosts/` that are written from data: one for each host, what becomes of the thirty calls, and
//! what hosts do when the hook fails. `TOOLGATE_HOSTS_RECORD=1` writes them.

use crate::agents::agents;
use crate::calls::ROWS;
use crate::failures::FAILURES;
use crate::observed::{Observed, recorded};
use std::env;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use toolgate_adapters::{HOSTS, Host, Level};

const NOTE: &str = "<!-- Written by `TOOLGATE_HOSTS_RECORD=1 cargo test -p toolgate-cli --test hosts`; change `tests/hosts` or the adapter instead. -->";

/// Hosts whose page people write, because it says much more.
const BY_HAND: &[&str] = &["claude-code"];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/hosts")
}

#[test]
fn pages_are_what_was_seen() {
    let mut pages = vec![("verdicts".to_string(), verdicts()), ("failures".to_string(), failures())];
    let others = HOSTS.iter().filter(|host| !BY_HAND.contains(&host.name()));
    pages.extend(others.map(|host| (host.name().to_string(), page(*host))));
    for (name, text) in pages {
        let file = folder().join(format!("{name}.md"));
        if env::var_os("TOOLGATE_HOSTS_RECORD").is_some_and(|value| value == "1") {
            fs::write(&file, &text).expect("a page");
        }
        let written = fs::read_to_string(&file).unwrap_or_default();
        assert!(
            written == text,
            "docs/hosts/{name}.md is out of date; write it with TOOLGATE_HOSTS_RECORD=1"
        );
    }
}

/// Every host that was run, with what was seen of it.
fn all_seen() -> Vec<(&'static dyn Host, Observed)> {
    HOSTS.iter().filter_map(|host| Some((*host, recorded(host.name())?))).collect()
}

/// No call has another verdict on another host.
#[test]
fn verdicts_are_the_same_everywhere() {
    for (host, seen) in all_seen() {
        for (n, row) in (1..).zip(ROWS) {
            let verdict = seen.verdicts.get(&format!("{n:02}")).map(String::as_str);
            let agent = agents().find(|agent| agent.host == host.name()).expect("a row of the kit");
            let is_shown = row.needs.are_met(agent, host.can());
            let wanted = if is_shown { row.verdict } else { "not seen" };
            assert_eq!(verdict, Some(wanted), "call {n:02} on {}", host.name());
        }
    }
}

fn verdicts() -> String {
    let all = all_seen();
    let names: Vec<String> =
        all.iter().map(|(host, seen)| format!("{} {}", host.title(), seen.version)).collect();
    let mut text = format!(
        "{NOTE}\n\n# The same thirty calls on every host\n\nEvery host below was really run, without a network, with a model that follows a script: the same calls, the same policy\n(`tests/hosts/calls.rs`). Where a host cannot do what a verdict asks for, its page says what happens instead; the verdict is the same.\n\nRun: {}.\n\n",
        names.join(", ")
    );
    text += "| | call | verdict | rule | hosts |\n|---|---|---|---|---|\n";
    for (n, row) in (1..).zip(ROWS) {
        let key = format!("{n:02}");
        let agrees = |seen: &Observed| seen.verdicts.get(&key).is_some_and(|verdict| verdict == row.verdict);
        let count = all.iter().filter(|(_, seen)| agrees(seen)).count();
        let others: Vec<String> = all
            .iter()
            .filter(|(_, seen)| !agrees(seen))
            .map(|(host, seen)| {
                format!("{}: {}", host.title(), seen.verdicts.get(&key).map_or("not run", String::as_str))
            })
            .collect();
        let hosts = match others.is_empty() {
            true => format!("all {count}"),
            false => format!("{count}; {}", others.join(", ")),
        };
        let rule = if row.rule.is_empty() { String::new() } else { format!("`{}`", row.rule) };
        writeln!(text, "| {n} | {} | {} | {rule} | {hosts} |", row.name, row.verdict).expect("a text");
    }
    text += "\n*not seen*: the host sends no event for it, so no rule can hold. [All hosts](README.md) · [When the hook fails](failures.md)\n";
    text
}

fn failures() -> String {
    let mut text = format!(
        "{NOTE}\n\n# When the hook fails\n\nWhat each host does with a call when the hook, as `toolgate install` puts it there, breaks. *runs* means the call runs as if there were\nno gate. Seen with the real programs; the versions are on the page of each host.\n\n"
    );
    let names: Vec<&str> = FAILURES.iter().map(|failure| failure.name).collect();
    writeln!(text, "| host | {} |\n|---|{}", names.join(" | "), "---|".repeat(names.len())).expect("a text");
    for (host, seen) in all_seen() {
        let cells: Vec<&str> =
            names.iter().map(|name| seen.failures.get(*name).map_or("not run", String::as_str)).collect();
        writeln!(text, "| {} | {} |", host.title(), cells.join(" | ")).expect("a text");
    }
    text += "\n*blocked, and the prompt too*: the host asks the hook about the prompt first, and goes no further.\n\n## What Toolgate does about it\n\n| failure | in short | what Toolgate does |\n|---|---|---|\n";
    for failure in FAILURES {
        writeln!(text, "| {} | {} | {} |", failure.name, failure.what, failure.care).expect("a text");
    }
    text += "\n[All hosts](README.md) · [The same thirty calls on every host](verdicts.md)\n";
    text
}

/// How sure a property is: `proven`, `documented` or `impossible`.
fn sure(can: bool, seen: Option<&Observed>, name: &str) -> String {
    match (can, seen) {
        (true, Some(seen)) if seen.held.iter().any(|held| held == name) => "proven".to_string(),
        (true, _) => "documented".to_string(),
        (false, _) => "impossible".to_string(),
    }
}

fn page(host: &dyn Host) -> String {
    let (name, can) = (host.name(), host.can());
    let seen = recorded(name);
    let seen = seen.as_ref();
    let checked = match seen {
        Some(seen) => format!(
            "Checked with {} by `tests/hosts`: the real program against a scripted model.",
            seen.version
        ),
        None => "Written from recorded messages and documents; no test drives this host.".to_string(),
    };
    let mut text =
        format!("{NOTE}\n\n# {}\n\n{checked} Install with `toolgate install {name}`.\n\n", host.title());
    text += "| level | file |\n|---|---|\n";
    for level in host.levels() {
        let file = host.settings_file(*level, Path::new("~"), Path::new(""));
        let default = if *level == Level::User { " (default)" } else { "" };
        writeln!(text, "| {}{default} | `{}` |", level.name(), file.display()).expect("a text");
    }
    text += "\n## What can be enforced\n\n| | | otherwise |\n|---|---|---|\n";
    let hold = format!("for at most {} seconds", can.hold_seconds);
    let rows = [
        ("deny a call, with the reason", "deny", true, ""),
        ("run a call in another form", "rewrite", can.rewrite, "blocked; the agent is told what to run"),
        ("hold a call until a person answers", "hold", true, hold.as_str()),
        ("deny now, allow the same call once a person approved it", "ticket", true, ""),
        ("tell the agent something with a result", "tell", can.tell, "only the ledger has it"),
        ("replace output before the model reads it", "replace", can.replace, "the agent may read it"),
        ("refuse a stop", "refuse stop", can.refuse_stop, "the agent stops"),
        ("calls of sub-agents", "sub-agents", can.subagents, "not seen; block handing work over instead"),
        ("tools of MCP servers", "MCP", can.mcp, "not seen"),
    ];
    for (what, name, able, otherwise) in rows {
        let otherwise = if able && name != "hold" { "" } else { otherwise };
        writeln!(text, "| {what} | {} | {otherwise} |", sure(able, seen, name)).expect("a text");
    }
    if agents().any(|agent| agent.host == name && !agent.says_why_of_mcp) {
        text += "\nOf a blocked call to an MCP server the model only hears that it was skipped, not why; the reason is in the ledger.\n";
    }
    text += "\n## When the hook fails\n\n";
    if let Some(seen) = seen {
        text += "| the hook … | the call |\n|---|---|\n";
        for failure in FAILURES {
            let became = seen.failures.get(failure.name).map_or("not run", String::as_str);
            writeln!(text, "| {} | {became} |", failure.what).expect("a text");
        }
        text += "\n";
    }
    match can.fails_open {
        "" => text += "Nothing lets a call run when the hook fails.\n",
        open => writeln!(text, "What lets a call run: {open}.").expect("a text"),
    }
    text += "\n[All hosts](README.md) · [When the hook fails](failures.md) · [The same thirty calls on every host](verdicts.md)\n";
    text
}
