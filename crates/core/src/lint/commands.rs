//! Programs, subcommands, options and effects that no command can have.

use super::warn;
use crate::nearest;
use crate::policy::{Notice, RuleEntry};
use crate::rule::{CommandMatch, Match, Names, has_flag};
use crate::tool_word::TOOL_WORDS;
use toolgate_shell::{
    EffectKind, ReadContext, SmolStr, canonical_sub, is_group, is_known, is_path, known_commands,
    known_flags, known_subcommands, read,
};

pub(super) fn look(entry: &RuleEntry, one: &Match, notices: &mut Vec<Notice>) {
    if let Some(command) = &one.command {
        command.program.iter().for_each(|program| notices.extend(look_at_program(entry, program)));
        for program in command.program.iter().filter(|name| is_plain(name)) {
            let words: Vec<&str> = command.subcommand.iter().collect();
            for sub in words.iter().take(if is_path(program, &words) { 1 } else { words.len() }) {
                notices.extend(look_at_subcommand(entry, program, sub));
            }
        }
        for flag in command.flags.iter().chain(command.all_flags.iter()) {
            notices.extend(look_at_flag(entry, command, flag));
        }
        for arg in command.args.iter().filter(|arg| arg.starts_with("--") && arg.len() > 2) {
            let text = format!("`{arg}` is an option, and `args` are the words that are none");
            notices.push(warn(entry, arg, text, format!("write `flags: [{arg}]`")));
        }
        notices.extend(command.via.iter().filter_map(|via| look_at_wrapper(entry, via)));
        for item in command.env.iter().filter(|item| item.contains(char::is_whitespace)) {
            let plain: Vec<&str> = item.split('=').map(str::trim).collect();
            let text = format!("`{item}` never matches: a variable and its value have no spaces around `=`");
            notices.push(warn(entry, item, text, format!("write `{}`", plain.join("="))));
        }
        notices.extend(path_in_list(entry, command));
    }
    notices.extend(one.tool.iter().filter_map(|tool| look_at_tool(entry, tool)));
    notices.extend(look_at_target(entry, one));
}

/// Options outside of `match`, of the command that is matched.
pub(super) fn look_at_parts(entry: &RuleEntry, notices: &mut Vec<Notice>) {
    let Some(command) = &entry.rule.matches.command else { return };
    let required = entry.rule.require.iter().flat_map(|require| require.flags.iter());
    let changed =
        entry.rule.change.iter().flat_map(|change| change.remove_flags.iter().chain(change.add_flags.iter()));
    for flag in required.chain(changed) {
        notices.extend(look_at_flag(entry, command, flag));
    }
}

/// `subcommand: [volume, rm]`: any of them, where in order may be meant.
fn path_in_list(entry: &RuleEntry, command: &CommandMatch) -> Option<Notice> {
    let words: Vec<&str> = command.subcommand.iter().collect();
    let program = command.program.iter().find(|name| is_plain(name))?;
    let [first, rest @ ..] = words.as_slice() else { return None };
    let may_be =
        !rest.is_empty() && is_group(program, first) && !rest.iter().any(|word| is_group(program, word));
    if !may_be || words.iter().any(|word| word.contains([' ', '*', '?'])) || is_path(program, &words) {
        return None;
    }
    let text =
        format!("each word of this list is a subcommand of its own: every `{program} {first}` matches");
    Some(warn(entry, first, text, format!("write `subcommand: {}` for the words in order", words.join(" "))))
}

/// Programs that run another one, as `via` names them.
const WRAPPERS: [&str; 24] = [
    "sudo", "doas", "env", "xargs", "parallel", "find", "timeout", "nohup", "nice", "ionice", "time",
    "watch", "ssh", "bash", "sh", "zsh", "docker", "npx", "eval", "exec", "command", "stdbuf", "setsid",
    "chroot",
];

fn look_at_wrapper(entry: &RuleEntry, via: &str) -> Option<Notice> {
    if !is_plain(via) || WRAPPERS.contains(&via) || is_known(via) {
        return None;
    }
    let meant = nearest(via, WRAPPERS)?;
    let text = format!("`{via}` runs no other program that the gate knows");
    Some(warn(entry, via, text, format!("change `{via}` to `{meant}`")))
}

/// Tools of the commonest host, whose names have capitals.
const TOOLS: [&str; 16] = [
    "Bash",
    "Read",
    "Write",
    "Edit",
    "MultiEdit",
    "NotebookEdit",
    "WebFetch",
    "WebSearch",
    "Grep",
    "Glob",
    "Task",
    "Agent",
    "PowerShell",
    "KillShell",
    "BashOutput",
    "TodoWrite",
];

fn look_at_tool(entry: &RuleEntry, tool: &str) -> Option<Notice> {
    // A word for the tools of every host is no misspelled name.
    if TOOL_WORDS.contains(&tool) {
        return None;
    }
    let meant = TOOLS.iter().find(|known| known.eq_ignore_ascii_case(tool) && **known != tool)?;
    let text = format!(
        "names of tools are compared with their capitals, and `{tool}` has none: on some hosts it is `{meant}`"
    );
    let words = TOOL_WORDS.map(|word| format!("`{word}`")).join(", ");
    let help = format!("write `[{meant}, {tool}]`, or one of the words that hold on every host: {words}");
    Some(warn(entry, tool, text, help))
}

fn is_plain(name: &str) -> bool {
    !name.is_empty() && !name.contains(['*', '?', '[', '{', ' ', '/'])
}

fn look_at_program(entry: &RuleEntry, program: &str) -> Option<Notice> {
    if let Some((name, rest)) = program.trim().split_once(' ') {
        let words: Vec<&str> = rest.split_whitespace().collect();
        let reading = read(program, &ReadContext::default());
        let flags = reading.commands.iter().flat_map(|command| &command.usage.flags);
        let flags: Vec<&str> = flags.map(|flag| flag.name.as_str()).collect();
        let subs: Vec<&str> = words.iter().copied().filter(|word| !word.starts_with('-')).collect();
        let mut help = format!("write `program: {name}");
        if !subs.is_empty() {
            help.push_str(&format!(", subcommand: {}", subs.join(" ")));
        }
        if !flags.is_empty() {
            help.push_str(&format!(", all_flags: [{}]", flags.join(", ")));
        }
        help.push('`');
        let text = format!("no program is called `{program}`: a name has no spaces");
        return Some(warn(entry, program, text, help));
    }
    if let Some(meant) = program_meant(program) {
        let text = format!("no program is known that is called `{program}`");
        return Some(warn(entry, program, text, format!("change `{program}` to `{meant}`")));
    }
    let (_, name) = program.rsplit_once('/')?;
    let text = format!("programs are matched by their name without a folder, so `{program}` never matches");
    let help =
        if name.is_empty() { "write the name of the program".to_owned() } else { format!("write `{name}`") };
    Some(warn(entry, program, text, help))
}

/// The program a name has the letters of, in another order.
fn program_meant(program: &str) -> Option<String> {
    if !is_plain(program) || program.len() < 3 || is_known(program) {
        return None;
    }
    let letters = |name: &str| {
        let mut all: Vec<char> = name.chars().collect();
        all.sort_unstable();
        all
    };
    let own = letters(program);
    let known = known_commands().into_iter().filter(|name| !name.contains(' '));
    known.into_iter().find(|name| {
        let ends = name.chars().next() == program.chars().next();
        ends && name.len() == program.len() && letters(name) == own
    })
}

/// Words for the same thing, of which each program has its own.
const SYNONYMS: [&[&str]; 4] = [
    &["delete", "remove", "rm", "destroy", "uninstall", "del"],
    &["install", "add", "get"],
    &["list", "ls", "show"],
    &["update", "upgrade"],
];

/// Programs to which no plugin adds a subcommand.
const CLOSED: [&str; 8] = ["npm", "terraform", "tofu", "pip", "pip3", "systemctl", "apt", "apt-get"];

fn look_at_subcommand(entry: &RuleEntry, program: &str, sub: &str) -> Option<Notice> {
    let first = sub.split_whitespace().next()?;
    if first.contains(['*', '?']) {
        return None;
    }
    let full = canonical_sub(program, first);
    let known: Vec<&str> = known_subcommands(program).collect();
    if known.contains(&full) || known.contains(&first) {
        return None;
    }
    let text = format!("`{program}` has no subcommand `{first}`");
    let same = SYNONYMS.iter().find(|words| words.contains(&first));
    let same = same.and_then(|words| words.iter().find(|word| known.contains(word))).copied();
    let Some(meant) = same.or_else(|| nearest(first, known.iter().copied())) else {
        let help =
            format!("`{program} help` lists them; a script or plugin of that name is not a subcommand");
        return (!known.is_empty() && CLOSED.contains(&program)).then(|| warn(entry, sub, text, help));
    };
    Some(warn(entry, sub, text, format!("change `{first}` to `{meant}`")))
}

fn look_at_flag(entry: &RuleEntry, command: &CommandMatch, flag: &str) -> Option<Notice> {
    let name = flag.split('=').next().unwrap_or(flag);
    if name.contains(char::is_whitespace) {
        let text = format!("`{flag}` is not an option: it has a space in it");
        return Some(warn(entry, flag, text, "write one option an item, with `=` before its value"));
    }
    if !name.starts_with(['-', '+', '/']) && !name.contains(['*', '?']) {
        let dashes = if name.chars().nth(1).is_some() { "--" } else { "-" };
        let text = format!("`{flag}` is not an option: it does not begin with a dash");
        return Some(warn(entry, flag, text, format!("write `{dashes}{flag}`")));
    }
    let programs: Vec<&str> = command.program.iter().filter(|name| is_plain(name)).collect();
    let subs = if command.subcommand.is_empty() { Names::of(&[""]) } else { command.subcommand.clone() };
    let mut found = Vec::new();
    for program in &programs {
        for sub in subs.iter() {
            found.push(dead_flag(program, sub, name)?);
        }
    }
    let (text, help) = found.into_iter().next()?;
    Some(warn(entry, flag, text, help))
}

/// Why no command with this program has such an option; nothing if one has, or it cannot be told.
fn dead_flag(program: &str, sub: &str, flag: &str) -> Option<(String, String)> {
    let who = if sub.is_empty() { program.to_owned() } else { format!("{program} {sub}") };
    let reading = read(&format!("{who} {flag}"), &ReadContext::default());
    let command = reading.commands.iter().find(|command| command.program == program)?;
    if !has_flag(command, flag) && !command.usage.flags.is_empty() {
        let names: Vec<&str> = command.usage.flags.iter().map(|flag| flag.name.as_str()).collect();
        let text = format!("`{flag}` never matches: `{who} {flag}` is read as {}", quoted(&names));
        let help = match names.as_slice() {
            [name] => format!("write `{name}`"),
            _ => format!("write `all_flags: [{}]`", names.join(", ")),
        };
        return Some((text, help));
    }
    let subcommand: Vec<SmolStr> =
        sub.split_whitespace().map(|word| canonical_sub(program, word).into()).collect();
    let known = known_flags(program, &subcommand);
    let is_known = command.usage.flags.iter().any(|given| known.contains(&given.name));
    let is_long = flag.starts_with("--") && flag.len() > 4;
    if is_known || known.is_empty() || !is_long {
        return None;
    }
    let meant = nearest(flag, known.iter().map(SmolStr::as_str))?;
    Some((
        format!("`{who}` has no option `{flag}` that the gate knows"),
        format!("change `{flag}` to `{meant}`"),
    ))
}

fn quoted(names: &[&str]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(" ")
}

fn look_at_target(entry: &RuleEntry, one: &Match) -> Option<Notice> {
    let target = one.target.iter().next()?;
    if one.effect.is_empty() {
        let text = "`target` says what an effect is done to, and this rule names no effect";
        return Some(warn(entry, "target", text, "add `effect:`, such as `effect: reaches-host`"));
    }
    let kinds: Vec<EffectKind> = one.effect.iter().filter_map(EffectKind::from_name).collect();
    if kinds.is_empty() || kinds.iter().any(|kind| kind.has_target()) {
        return None;
    }
    let name = kinds.first().map_or("", |kind| kind.name());
    let text = format!("`{name}` has no target, so `{target}` never matches");
    Some(warn(entry, target, text, "remove `target`, or name what is meant under `command` or `files`"))
}
