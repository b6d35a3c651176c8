//! The message of a commit however it is given – `-m`, `-F file`, `-F -` –
//! and the headers of a request.

use crate::guard::Seen;
use crate::path::absolute;
use serde_json::Value;
use toolgate_shell::{Command, RedirectKind};

/// Every message a command gives.
pub(crate) fn messages(seen: &Seen<'_>, command: &Command) -> Vec<String> {
    let value = |names: &'static [&'static str]| {
        let flags = command.usage.flags.iter().filter(move |flag| names.contains(&flag.name.as_str()));
        flags.filter_map(|flag| flag.value.as_ref())
    };
    let mut found: Vec<String> = value(&["--message", "-m"]).map(|word| word.text.to_string()).collect();
    for file in value(&["--file", "-F"]) {
        match file.text.as_str() {
            "-" | "/dev/stdin" => found.extend(stdin(seen, command)),
            path => found.extend(file_text(seen, command, path)),
        }
    }
    found
}

/// What a command reads, where the same text says it: a here-document, a
/// here-string, or what the command before it prints.
fn stdin(seen: &Seen<'_>, command: &Command) -> Vec<String> {
    let own = command.redirects.iter().filter(|one| one.target.exact);
    let own: Vec<String> = own
        .filter(|one| matches!(one.kind, RedirectKind::HereDoc | RedirectKind::HereString))
        .map(|one| one.target.text.to_string())
        .collect();
    let read = command.redirects.iter().filter(|one| one.kind == RedirectKind::Read);
    let read = read.flat_map(|one| file_text(seen, command, &one.target.text));
    let piped = command.piped_from.and_then(|at| seen.facts.reading.commands.get(at));
    own.into_iter().chain(read).chain(piped.and_then(|before| printed(seen, before))).collect()
}

/// What a command prints, where its words say it.
fn printed(seen: &Seen<'_>, command: &Command) -> Option<String> {
    let words: Vec<&str> = command.words.iter().skip(1).map(|word| word.text.as_str()).collect();
    match command.program.as_str() {
        "echo" | "printf" => Some(words.join(" ")),
        "cat" if command.usage.operands.is_empty() => stdin(seen, command).into_iter().next(),
        "cat" => {
            let texts = command.usage.operands.iter().flat_map(|word| file_text(seen, command, &word.text));
            Some(texts.collect::<Vec<String>>().join("\n"))
        }
        _ => None,
    }
}

/// What is in a file: what the same text puts there, else what is there.
/// Where the text writes it in a way that cannot be told, nothing is known.
fn file_text(seen: &Seen<'_>, command: &Command, path: &str) -> Vec<String> {
    let here = |command: &Command, path: &str| {
        let start = &seen.event.call.dir;
        let base = command.dir.as_ref().map_or_else(|| start.clone(), |dir| absolute(&dir.text, start));
        absolute(path, &base)
    };
    let full = here(command, path);
    let writes = |one: &Command| {
        let to = |redirect: &&toolgate_shell::Redirect| {
            matches!(redirect.kind, RedirectKind::Write | RedirectKind::Append)
                && here(one, &redirect.target.text) == full
        };
        one.redirects.iter().any(|redirect| to(&redirect))
            || one.program == "tee" && one.usage.operands.iter().any(|word| here(one, &word.text) == full)
    };
    let writers: Vec<&Command> =
        seen.facts.commands().map(|(_, one)| one).filter(|one| writes(one)).collect();
    if writers.is_empty() {
        return (seen.disk.text)(&full).into_iter().collect();
    }
    let put = |one: &&Command| match one.program.as_str() {
        "tee" => stdin(seen, one).into_iter().next(),
        _ => printed(seen, one),
    };
    writers.iter().filter_map(put).collect()
}

/// The names of the headers a command gives, in small letters.
pub(crate) fn headers_of(command: &Command) -> Vec<String> {
    let flags = command.usage.flags.iter().filter(|flag| matches!(flag.name.as_str(), "--header" | "-H"));
    let given = flags.filter_map(|flag| flag.value.as_ref()).map(|word| word.text.as_str());
    // `http` takes them as operands: `X-Task:12`.
    let is_web = matches!(command.program.as_str(), "http" | "https" | "xh" | "xhs");
    let operands = command.usage.operands.iter().filter(|_| is_web).map(|word| word.text.as_str());
    let operands = operands.filter(|text| !text.contains("://"));
    given.chain(operands).filter_map(header_name).collect()
}

/// The names of the headers an input field holds, in small letters.
pub(crate) fn headers_in(input: &Value) -> Vec<String> {
    match input.get("headers") {
        Some(Value::Object(fields)) => fields.keys().map(|name| name.to_ascii_lowercase()).collect(),
        Some(Value::Array(list)) => list.iter().filter_map(Value::as_str).filter_map(header_name).collect(),
        Some(Value::String(text)) => text.lines().filter_map(header_name).collect(),
        _ => Vec::new(),
    }
}

fn header_name(text: &str) -> Option<String> {
    // `Name;` is how curl sends one without a value, `Name:` how it leaves one out.
    let (name, value) = text.split_once([':', ';'])?;
    let sends = !value.trim().is_empty() || text.ends_with(';');
    sends.then(|| name.trim().to_ascii_lowercase())
}
