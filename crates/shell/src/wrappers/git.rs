//! Commands git itself starts: aliases given on the line, editors, filters,
//! `rebase --exec`, `bisect run`, `submodule foreach`.

use super::{Inner, arguments, joined};
use crate::normal::quote;
use crate::reading::{Command, Unknown, Word};
use crate::stream::Stream;
use smol_str::format_smolstr;

/// Settings whose value git runs.
const RUN_SETTINGS: [&str; 12] = [
    "core.alternaterefscommand",
    "core.editor",
    "core.pager",
    "core.sshcommand",
    "core.askpass",
    "core.fsmonitor",
    "core.gitproxy",
    "sequence.editor",
    "diff.external",
    "gpg.program",
    "credential.helper",
    "uploadpack.packobjectshook",
];

/// Values of one alias that are followed, the last ones.
const ALIASES_MAX: usize = 4;

/// The last part of settings in a section with a name whose value git runs.
const RUN_PARTS: [(&str, &[&str]); 14] = [
    ("tar.", &["command"]),
    ("man.", &["cmd"]),
    ("browser.", &["cmd"]),
    ("guitool.", &["cmd"]),
    ("sendemail.", &["tocmd", "cccmd", "headercmd", "sendmailcmd"]),
    ("filter.", &["clean", "smudge", "process"]),
    ("diff.", &["textconv", "command"]),
    ("merge.", &["driver"]),
    ("mergetool.", &["cmd"]),
    ("difftool.", &["cmd"]),
    ("gpg.", &["program"]),
    ("trailer.", &["cmd", "command"]),
    ("remote.", &["uploadpack", "receivepack"]),
    ("interactive.", &["difffilter"]),
];

/// Does git run the value of this setting?
fn is_run(name: &str) -> bool {
    let last = name.rsplit('.').next().unwrap_or("");
    RUN_SETTINGS.contains(&name)
        || name.starts_with("pager.")
        || RUN_PARTS.iter().any(|(section, lasts)| name.starts_with(section) && lasts.contains(&last))
}

/// Does the setting name a command, or a file with more of them?
pub(super) fn names_command(name: &str) -> bool {
    is_run(&name.to_ascii_lowercase()) || name.starts_with("alias.") || name == "include.path"
}

pub(super) fn open(command: &Command, _: Option<&Stream>) -> Option<Vec<Inner>> {
    if let Some(sub) = command.program.strip_prefix("git-").filter(|sub| !sub.is_empty()) {
        return Some(vec![by_own_name(command, sub)]);
    }
    if command.program != "git" {
        return None;
    }
    let mut found = Vec::new();
    // Of several settings of one name the last counts, from wherever it comes.
    let mut meant: Vec<Word> = Vec::new();
    for (name, value) in settings(command) {
        found.extend(address(command, &name, &value));
        let name = name.to_ascii_lowercase();
        if let Some(alias) = name.strip_prefix("alias.") {
            if alias.eq_ignore_ascii_case(command.usage.sub()) {
                meant.retain(|known| known.text != value.text);
                meant.push(value);
                meant.drain(..meant.len().saturating_sub(ALIASES_MAX));
            }
        } else if is_run(&name) && matches!(value.text.as_str(), "false" | "true" | "") {
            continue;
        } else if name == "credential.helper" {
            let text = value.text.strip_prefix('!').map(str::to_string);
            found.extend(text.map(|text| Inner::text(Word { text: text.into(), ..value.clone() })));
        } else if is_run(&name) {
            found.push(Inner::text(value));
        }
    }
    found.extend(meant.iter().map(|value| alias_text(command, value)));
    found.extend(by_subcommand(command));
    // `ext::x` is an address that is a command.
    found.extend(command.words.iter().filter_map(|word| {
        let text = word.text.strip_prefix("ext::")?.into();
        Some(Inner::text(Word { text, ..word.clone() }))
    }));
    if let Some(hidden) = command.assignments.iter().find(|one| one.name == "GIT_CONFIG_PARAMETERS") {
        let what = "settings of git in a variable".to_string();
        found.push(Inner::Opaque { span: hidden.value.span, kind: Unknown::Variable, what });
    }
    Some(found)
}

/// `remote.x.url=ext::y` and `url.ext::y.insteadOf=x`: an address that is a command.
fn address(command: &Command, name: &str, value: &Word) -> Option<Inner> {
    let lower = name.to_ascii_lowercase();
    if lower.starts_with("remote.") && lower.ends_with("url") {
        let text = value.text.strip_prefix("ext::")?.into();
        return Some(Inner::text(Word { text, ..value.clone() }));
    }
    let ends = [".insteadof", ".pushinsteadof"].iter().find(|end| lower.ends_with(*end))?;
    let base = name.get("url.".len()..name.len() - ends.len()).filter(|_| lower.starts_with("url."))?;
    let base = base.strip_prefix("ext::")?;
    // What follows the short name follows.
    let rest = command.usage.operands.iter().find_map(|word| word.text.strip_prefix(value.text.as_str()));
    let text = format_smolstr!("{base}{}", rest.unwrap_or_default());
    Some(Inner::text(Word { text, ..value.clone() }))
}

/// `git for-each-repo --config=x clean -fdx` is `git clean -fdx`, many times.
fn in_each(command: &Command) -> Option<Inner> {
    let words = arguments(command);
    let at = words.iter().position(|word| word.text == "for-each-repo")?;
    let mut rest = words.get(at + 1..)?;
    while let [option, more @ ..] = rest
        && option.text.starts_with("--")
    {
        rest = more.get(usize::from(option.text == "--config")..).unwrap_or_default();
    }
    let git = command.words.first()?.clone();
    Some(Inner::made(std::iter::once(git).chain(rest.iter().cloned()).collect()))
}

/// `/usr/lib/git-core/git-commit …` is `git commit …`.
fn by_own_name(command: &Command, sub: &str) -> Inner {
    let first = command.words.first().cloned().unwrap_or_default();
    let made = |text: &str| Word { text: text.into(), exact: true, glob: false, span: first.span };
    let words = [made("git"), made(sub)].into_iter().chain(arguments(command).iter().cloned());
    Inner::made(words.collect())
}

/// `-c name=value`, and the same through `GIT_CONFIG_KEY_0`.
pub(crate) fn settings(command: &Command) -> Vec<(String, Word)> {
    let mut found = Vec::new();
    for word in command.usage.values("-c") {
        let (name, value) = word.text.split_once('=').unwrap_or((&word.text, "true"));
        found.push((name.to_string(), Word { text: value.into(), ..word.clone() }));
    }
    for word in command.usage.values("--config-env") {
        let (name, variable) = word.text.split_once('=').unwrap_or((&word.text, ""));
        let value =
            command.assignments.iter().rev().find(|one| one.name == variable).map(|one| one.value.clone());
        let unknown = Word { text: format_smolstr!("${variable}"), exact: false, ..word.clone() };
        found.push((name.to_string(), value.unwrap_or(unknown)));
    }
    for assignment in &command.assignments {
        if let Some(number) = assignment.name.strip_prefix("GIT_CONFIG_KEY_") {
            let wanted = format!("GIT_CONFIG_VALUE_{number}");
            let value =
                command.assignments.iter().rev().find(|one| one.name == wanted).map(|one| one.value.clone());
            found.push((assignment.value.text.to_string(), value.unwrap_or_default()));
        }
        if assignment.name == "GIT_CONFIG_PARAMETERS" {
            for one in assignment.value.text.split('\'').filter(|one| one.contains('.')) {
                let (name, value) = one.split_once('=').unwrap_or((one, ""));
                found.push((name.to_string(), Word { text: value.into(), ..assignment.value.clone() }));
            }
        }
    }
    found
}

/// The command behind an alias, as text: `!x` for a shell, else a git command.
fn alias_text(command: &Command, value: &Word) -> Inner {
    let mut text = match value.text.strip_prefix('!') {
        Some(text) => text.to_string(),
        None => "git".to_string(),
    };
    let words = arguments(command);
    let after =
        words.iter().position(|word| word.text == command.usage.sub()).map_or(words.len(), |at| at + 1);
    if !value.text.starts_with('!') {
        // Its settings hold for what the alias names, which may be another alias.
        for word in words.iter().take(after.saturating_sub(1)) {
            text.push(' ');
            text.push_str(&if word.exact { quote(&word.text) } else { word.text.as_str().into() });
        }
        text.push(' ');
        text.push_str(&value.text);
    }
    for word in words.iter().skip(after) {
        text.push(' ');
        text.push_str(&if word.exact { quote(&word.text) } else { word.text.as_str().into() });
    }
    Inner::text(Word { text: text.into(), exact: true, ..value.clone() })
}

/// The command behind an alias set earlier in the same text.
pub(crate) fn open_alias(command: &Command, value: &str) -> Inner {
    let first = command.words.first().cloned().unwrap_or_default();
    alias_text(command, &Word { text: value.into(), exact: true, ..first })
}

/// `git config alias.x 'push -f'`: what `git x` will be, in a call no one can read.
fn kept_alias(value: &Word) -> Inner {
    let text = match value.text.strip_prefix('!') {
        Some(text) => text.into(),
        None => format_smolstr!("git {}", value.text),
    };
    Inner::text(Word { text, ..value.clone() })
}

/// `git config core.pager 'x'`: git runs the value from then on.
fn kept_setting(command: &Command) -> Vec<Inner> {
    let usage = &command.usage;
    let looks = ["--get", "--get-all", "--get-regexp", "--list", "--unset", "--unset-all"];
    let operands: Vec<&Word> = usage.operands.iter().skip_while(|word| word.text == "set").collect();
    let [name, value, ..] = operands.as_slice() else { return Vec::new() };
    let lower = name.text.to_ascii_lowercase();
    if lower.starts_with("alias.") && !value.text.is_empty() && !looks.iter().any(|option| usage.has(option))
    {
        return vec![kept_alias(value)];
    }
    let runs = is_run(&lower);
    let plain = matches!(value.text.as_str(), "true" | "false" | "");
    if !runs || plain || looks.iter().any(|option| usage.has(option)) {
        return Vec::new();
    }
    let text = match name.text.eq_ignore_ascii_case("credential.helper") {
        true => value.text.strip_prefix('!').map(str::to_string),
        false => Some(value.text.to_string()),
    };
    text.map(|text| Inner::text(Word { text: text.into(), ..(*value).clone() })).into_iter().collect()
}

fn by_subcommand(command: &Command) -> Vec<Inner> {
    let usage = &command.usage;
    let texts = |names: &[&str]| -> Vec<Inner> {
        let values = usage.flags.iter().filter(|flag| names.contains(&flag.name.as_str()));
        values.filter_map(|flag| flag.value.clone()).map(Inner::text).collect()
    };
    match usage.sub() {
        "config" => kept_setting(command),
        "for-each-repo" => in_each(command).into_iter().collect(),
        "fetch" | "clone" | "pull" | "ls-remote" | "fetch-pack" => texts(&["--upload-pack", "--exec"]),
        "push" | "send-pack" => texts(&["--receive-pack", "--exec"]),
        "grep" => texts(&["--open-files-in-pager"]),
        "rebase" => texts(&["--exec"]),
        "difftool" => texts(&["--extcmd"]),
        "filter-branch" => texts(&[
            "--tree-filter",
            "--index-filter",
            "--env-filter",
            "--msg-filter",
            "--commit-filter",
            "--parent-filter",
            "--tag-name-filter",
            "--setup",
        ]),
        "bisect" if usage.operands.first().is_some_and(|word| word.text == "run") => {
            vec![Inner::words(usage.operands.get(1..).unwrap_or_default())]
        }
        "submodule" if usage.operands.first().is_some_and(|word| word.text == "foreach") => {
            let words = arguments(command);
            let at = words.iter().position(|word| word.text == "foreach").map_or(words.len(), |at| at + 1);
            let rest: Vec<Word> =
                words.iter().skip(at).skip_while(|word| word.text.starts_with("--")).cloned().collect();
            joined(&rest).map(Inner::text).into_iter().collect()
        }
        _ => Vec::new(),
    }
}
