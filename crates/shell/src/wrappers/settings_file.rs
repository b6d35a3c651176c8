//! Files of settings whose text is known: the commands they name, for git, ssh,
//! cron and just.
//!
//! Line by line; what is not understood is left alone.

use super::{Inner, STARTED_MAX, git};
use crate::reading::{Command, Word};

/// Lines and settings that are looked at.
const SETTINGS_MAX: usize = 256;

/// Settings of ssh whose value is run.
const SSH: [&str; 3] = ["proxycommand", "localcommand", "knownhostscommand"];

pub(super) fn read(command: &Command, file: &Word) -> Option<Vec<Inner>> {
    Some(match command.program.as_str() {
        "git" => with_settings(command, file),
        "ssh" | "scp" | "sftp" | "autossh" => ssh(file),
        "crontab" => file
            .text
            .lines()
            .filter_map(cron_line)
            .take(STARTED_MAX + 1)
            .map(|text| run(text, file))
            .collect(),
        "just" => just(file),
        _ => return None,
    })
}

fn run(text: &str, file: &Word) -> Inner {
    Inner::text(Word { text: text.into(), exact: true, ..file.clone() })
}

fn ssh(file: &Word) -> Vec<Inner> {
    let mut found = Vec::new();
    for line in file.text.lines() {
        if found.len() > STARTED_MAX {
            break;
        }
        let line = line.trim();
        let Some((name, value)) = line.split_once([' ', '\t', '=']) else { continue };
        let value = value.trim_start_matches([' ', '\t', '=']);
        let name = name.to_ascii_lowercase();
        if SSH.contains(&name.as_str()) && value != "none" {
            found.push(run(value, file));
        } else if name == "match"
            && let Some((_, text)) = value.split_once("exec ")
        {
            let text = super::language::literal(text).map_or_else(|| text.to_string(), |(text, _)| text);
            found.push(run(&text, file));
        } else if name == "include" {
            found.push(Inner::File(Word { text: value.into(), exact: false, ..file.clone() }));
        }
    }
    found
}

/// The command of a line of cron: behind five fields, or behind `@daily`.
fn cron_line(line: &str) -> Option<&str> {
    let mut rest = line.trim_start();
    let fields = if rest.starts_with('@') { 1 } else { 5 };
    let begins = |first: char| first.is_ascii_digit() || matches!(first, '*' | '@');
    rest.chars().next().filter(|first| begins(*first))?;
    for _ in 0..fields {
        let (_, behind) = rest.split_once([' ', '\t'])?;
        rest = behind.trim_start();
    }
    // What follows a `%` is its input.
    rest.split('%').next().filter(|text| !text.is_empty())
}

/// The lines of recipes, which are indented.
fn just(file: &Word) -> Vec<Inner> {
    let lines = file.text.lines().filter(|line| line.starts_with([' ', '\t']));
    let text = |line: &'_ str| line.trim_start_matches([' ', '\t', '@', '-']).to_string();
    lines
        .map(text)
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .take(STARTED_MAX + 1)
        .map(|line| run(&line, file))
        .collect()
}

/// The same command with the settings of the file on its line, as far as they
/// name commands.
fn with_settings(command: &Command, file: &Word) -> Vec<Inner> {
    let mut found = Vec::new();
    let mut given = Vec::new();
    let made = |text: String| Word { text: text.into(), exact: true, glob: false, span: file.span };
    for (name, value) in settings(&file.text).into_iter().filter(|(name, _)| git::names_command(name)) {
        if name == "include.path" {
            found.push(Inner::File(Word { exact: false, ..made(value) }));
            continue;
        }
        given.push(made("-c".to_string()));
        given.push(made(format!("{name}={value}")));
    }
    let known = given.get(1).is_none_or(|first| command.words.iter().any(|word| word.text == first.text));
    if known {
        return found;
    }
    let (first, rest) = (command.words.iter().take(1), command.words.iter().skip(1));
    found.push(Inner::made(first.cloned().chain(given).chain(rest.cloned()).collect()));
    found
}

/// `git config --file x a.b c`: the file, and what that adds to it.
pub(crate) fn set_in_file(command: &Command) -> Option<(Word, String)> {
    if command.program != "git" || command.usage.sub() != "config" {
        return None;
    }
    let file = command.usage.value("--file").or(command.usage.value("-f"))?;
    let [name, value, ..] = command.usage.operands.as_slice() else { return None };
    let (section, last) = name.text.rsplit_once('.')?;
    let head = match section.split_once('.') {
        Some((section, sub)) => format!("{section} \"{sub}\""),
        None => section.to_string(),
    };
    let value = value.text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    Some((file.clone(), format!("\n[{head}]\n{last} = \"{value}\"\n")))
}

/// Names and values of a file of git.
fn settings(text: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut section = String::new();
    for line in text.lines() {
        let mut line = line.trim();
        if let Some((head, behind)) = line.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
            let (name, sub) = head.split_once([' ', '\t']).unwrap_or((head, ""));
            let sub = sub.trim().trim_matches('"');
            section = name.to_ascii_lowercase();
            if !sub.is_empty() {
                section.push('.');
                section.push_str(sub);
            }
            line = behind.trim();
        }
        if line.is_empty() || line.starts_with(['#', ';']) || found.len() >= SETTINGS_MAX {
            continue;
        }
        let (name, value) = line.split_once('=').unwrap_or((line, "true"));
        found.push((format!("{section}.{}", name.trim().to_ascii_lowercase()), value_of(value.trim())));
    }
    found
}

/// A value without its quotes and without a comment behind it.
fn value_of(text: &str) -> String {
    let mut value = String::new();
    let mut quoted = false;
    let mut chars = text.chars();
    while let Some(found) = chars.next() {
        match found {
            '"' => quoted = !quoted,
            '#' | ';' if !quoted => break,
            '\\' => match chars.next() {
                Some('n') => value.push('\n'),
                Some('t') => value.push('\t'),
                other => value.extend(other),
            },
            found => value.push(found),
        }
    }
    value.trim_end().to_string()
}

#[cfg(test)]
mod tests {
    use super::{cron_line, settings};

    #[test]
    fn settings_have_the_name_of_their_section() {
        let found = settings("# a\n[Core]\n\tPager = \"a b\" # c\n[filter \"X\"] clean = d\n[x]\ny\n[");
        let found: Vec<(&str, &str)> =
            found.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        assert_eq!(found, [("core.pager", "a b"), ("filter.X.clean", "d"), ("x.y", "true"), ("x.[", "true")]);
    }

    #[test]
    fn the_command_stands_behind_the_times() {
        assert_eq!(cron_line("*/5 * * * 1 a b"), Some("a b"));
        assert_eq!(cron_line("@daily a%b"), Some("a"));
        assert_eq!(cron_line("A=b c d e f g"), None);
        assert_eq!(cron_line("* * *"), None);
    }
}
