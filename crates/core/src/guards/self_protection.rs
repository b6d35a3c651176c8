//! The agent cannot bind its own guard (rule 5 of the design).
//!
//! Blocks writes and deletes of the gate's own files by any spelling, and the
//! verbs of our own command line that loosen the gate or answer a request.

use crate::call::Kind;
use crate::evidence::{Part, shortened};
use crate::facts::{Access, Facts, FileFact};
use crate::finding::Finding;
use crate::guard::{Category, Guard, Seen};
use crate::path::absolute;
use crate::path::is_within;
use crate::places::{Place, Places};
use std::sync::Arc;
use toolgate_shell::{Command, SmolStr};

pub(super) const ID: &str = "gate-self-protection";

pub(super) const PAGE: &str = "# gate-self-protection
**What** – blocks calls that change the gate's policy, ledger, program or hook settings, and calls of `toolgate` that
answer a request, fake a result (`hook`) or loosen the policy. It does not matter how: edit tool, redirect, `sed -i`, `cp`, `mv`, symlink or delete.
**Why** – an agent that can edit the gate is not guarded. The gate's keys cannot be read either.
**Allowed instead** – reading the other files, `toolgate test`, `toolgate explain`, `toolgate logs`, `toolgate inbox list`;
the user makes changes, in their own terminal.
";

/// First words of our own command line that only look.
const LOOKING: &[&str] = &[
    "test",
    "explain",
    "logs",
    "stats",
    "doctor",
    "hosts",
    "policy",
    "help",
    "--help",
    "-h",
    "--version",
    "-V",
    "completions",
    "man",
];

/// Verbs with a looking and a changing side: what of them only looks.
const PARTLY: &[(&str, &[&str])] = &[
    ("inbox", &["list", "show"]),
    ("rules", &["list", "check", "propose"]),
    ("restore", &["list"]),
    ("ledger", &["verify", "export"]),
    ("pins", &["list", "show", "diff", "verify"]),
    // Asking is no answer.
    ("bypass", &["list", "request"]),
];

/// Guards the guard.
pub(super) struct SelfProtection;

impl Guard for SelfProtection {
    fn id(&self) -> &str {
        ID
    }

    fn priority(&self) -> u32 {
        3
    }

    fn category(&self) -> Category {
        Category::Safety
    }

    fn judge(&self, seen: &Seen<'_>) -> Option<Finding> {
        let files = seen.facts.files.iter().filter(|file| {
            touches_gate(file, seen.places)
                || replaces_settings(file, seen.facts, seen.places)
                || is_key(file, seen.facts, seen.places)
                || touches_deep(file, seen.facts, seen.places)
                || takes_program(file, seen.facts, seen.places)
                || touches_found_program(file, seen.facts)
        });
        let mut found: Vec<(String, Part<'_>)> = files
            .map(|file| (format!("{} `{}`", file.access.name(), file.written), Part::File(file)))
            .collect();
        let commands = seen.facts.commands();
        let is_own = |command: &Command| {
            is_own_verb(command) || is_given_own_file(command, seen) || is_fed_own_file(command, seen)
        };
        let own = commands.filter(|(_, command)| is_own(command));
        let mut answers = 0;
        for (at, command) in own {
            let part = Part::Command(at, None);
            let written = part.quoted(&seen.event.call, seen.facts).map(|quoted| quoted.text);
            let name = shortened(written.as_deref().unwrap_or(&command.program)).to_owned();
            answers += usize::from(answers_request(command));
            found.push((format!("`{name}`"), part));
        }
        found.extend(unknown_use(seen));
        if found.is_empty() {
            return None;
        }
        let named: Vec<&str> = found.iter().map(|(named, _)| named.as_str()).collect();
        let reads = seen.facts.files.iter().any(|file| is_key(file, seen.facts, seen.places));
        let kind = match answers {
            _ if reads => "read a key of the gate",
            1 if found.len() == 1 => "answer a request",
            answers if answers == found.len() => "answer requests",
            _ => "change the gate itself",
        };
        let message = format!("this would {kind} ({})", named.join(", "));
        let step = "ask the user to make this change in their own terminal";
        let quoted = found.iter().filter_map(|(_, part)| part.quoted(&seen.event.call, seen.facts));
        Some(super::block(ID, message, step, quoted.collect()))
    }
}

/// Our files named to a tool under an argument no one knows: what it does with them is not
/// known either.
fn unknown_use<'a>(seen: &Seen<'_>) -> Option<(String, Part<'a>)> {
    let call = &seen.event.call;
    let Kind::Mcp { tool, .. } = &call.kind else { return None };
    let named = crate::mcp_files::of_unknown_use(tool, &call.input);
    let own = named.into_iter().find(|text| is_own(&absolute(text, &call.dir), seen.places))?;
    Some((format!("use `{own}`"), Part::Whole))
}

fn touches_gate(file: &FileFact, places: &Places) -> bool {
    if file.glob && file.access != Access::Read && file.targets().any(|path| could_be_own(path, places)) {
        return true;
    }
    match file.access {
        Access::Read => false,
        Access::Create | Access::Write | Access::Change => file.targets().any(|path| is_own(path, places)),
        Access::Delete | Access::DeleteTree => {
            file.targets().any(|path| is_own(path, places) || (file.exact && loses_gate(path, places)))
        }
    }
}

/// Something that is no folder yet takes the name of a folder of host settings, with
/// whatever is in it: `ln -s ~/mine sub/.host`, `mv mine sub/.host`.
fn replaces_settings(file: &FileFact, facts: &Facts, places: &Places) -> bool {
    let adds = matches!(file.access, Access::Create | Access::Write);
    if !adds || file.glob || file.exists == Some(true) {
        return false;
    }
    let folders = || places.settings.iter().filter_map(|name| Some(name.rsplit_once('/')?.0));
    let is_one = |path: &str| folders().any(|folder| path.rsplit('/').next() == Some(folder));
    let command = file.command.and_then(|at| facts.reading.commands.get(at));
    let carries = |command: &Arc<Command>| {
        command.usage.operands.len() > 1
            && !matches!(command.program.as_str(), "mkdir" | "install" | "ginstall")
    };
    command.is_some_and(carries) && file.targets().any(is_one)
}

/// Files of the gate whose holder could speak in its name.
const KEYS: [&str; 3] = ["hook.token", "serve.key", "ledger.key"];

/// Programs that read whole folders without being told to.
const GATHERERS: [&str; 8] = ["tar", "bsdtar", "zip", "7z", "rsync", "rg", "ag", "scp"];

/// Is a key of the gate read, by its name, by a pattern, or with the folder it lies in?
fn is_key(file: &FileFact, facts: &Facts, places: &Places) -> bool {
    if file.access != Access::Read {
        return false;
    }
    let is_one = |path: &str| {
        let (folder, last) = path.rsplit_once('/').unwrap_or(("", path));
        // Most files are none of them; only then paths are put together.
        if !file.glob && !KEYS.contains(&last) {
            return false;
        }
        // A pattern that says something; every file is looked through all the time.
        let meant = |own: &str, key: &str| {
            let differ = |(part, name): (&str, &str)| part != name && part.chars().any(char::is_alphanumeric);
            folder == own || !path.contains("**") && path.split('/').zip(key.split('/')).any(differ)
        };
        let mut keys =
            places.gate.iter().flat_map(|own| KEYS.iter().map(move |key| (own, format!("{own}/{key}"))));
        keys.any(
            |(own, key)| {
                if file.glob { meant(own, &key) && fast_glob::glob_match(path, &key) } else { path == key }
            },
        )
    };
    let command = file.command.and_then(|at| facts.reading.commands.get(at));
    let gathers = command.is_some_and(|command| {
        command.usage.has("--recursive") || GATHERERS.contains(&command.program.as_str())
    });
    // The folder of settings holds none of them.
    let is_folder = |path: &str| {
        path.ends_with("/toolgate")
            && !path.ends_with("/.config/toolgate")
            && places.gate.iter().any(|own| own == path)
    };
    let found =
        command.is_some_and(|command| command.via.iter().any(|name| FINDERS.contains(&name.as_str())));
    // Looked for by name below a folder that holds ours.
    let is_sought = |path: &str| {
        let (folder, last) = path.rsplit_once('/').unwrap_or(("", path));
        // By a pattern that says something: every file is looked through all the time.
        last.bytes().filter(u8::is_ascii_alphanumeric).count() > 1
            && KEYS.iter().any(|key| fast_glob::glob_match(last, key))
            && places.gate.iter().any(|own| own.ends_with("/toolgate") && is_within(own, folder))
    };
    file.targets().any(|path| is_one(path) || gathers && is_folder(path) || found && is_sought(path))
}

/// Programs that do something to every file that is found.
const FINDERS: [&str; 7] = ["find", "gfind", "fd", "fdfind", "xargs", "gxargs", "parallel"];

/// A change of everything below a folder, or of what is found there by name:
/// `chmod -R 000 .host`, `find . -name settings.json -exec sed -i …`. Folders
/// as wide as the project are left to the rules about them.
fn touches_deep(file: &FileFact, facts: &Facts, places: &Places) -> bool {
    let Some(command) = file.command.and_then(|at| facts.reading.commands.get(at)) else { return false };
    let finds = |name: &SmolStr| FINDERS.contains(&name.as_str());
    let found = FINDERS.contains(&command.program.as_str()) || command.via.iter().any(finds);
    let rights = matches!(command.program.as_str(), "chmod" | "chown" | "chgrp" | "setfacl" | "chattr");
    let deep = found || rights && command.usage.has("--recursive");
    if file.access == Access::Read || !deep {
        return false;
    }
    file.targets().any(|path| {
        let (folder, last) = path.rsplit_once('/').unwrap_or(("", path));
        let wild = file.glob && !last.chars().any(char::is_alphanumeric);
        if wild || !file.glob && file.exact {
            return loses_gate(if wild { folder } else { path }, places);
        }
        // A name that says at least how it begins; an ending alone means any file.
        let begin = last.split(['*', '?', '[']).next().unwrap_or_default();
        let named = |own: &String| {
            let name = own.rsplit('/').next().unwrap_or(own);
            is_within(own, folder) && fast_glob::glob_match(last, name)
        };
        found && begin.len() > 1 && places.gate.iter().any(named)
    })
}

/// A copy of the program itself, which would run under a name no one knows.
fn takes_program(file: &FileFact, facts: &Facts, places: &Places) -> bool {
    let copies = |command: &Command| {
        matches!(
            command.program.as_str(),
            "cp" | "gcp" | "ln" | "install" | "ginstall" | "dd" | "rsync" | "ditto"
        )
    };
    let command = file.command.and_then(|at| facts.reading.commands.get(at));
    let own = |path: &str| {
        path.rsplit('/').next() == Some(PROGRAM)
            && (places.holds(Place::Gate, path) || file.written == PROGRAM && file.exists != Some(true))
    };
    file.access == Access::Read && command.is_some_and(|command| copies(command)) && file.targets().any(own)
}

/// `rm "$(which toolgate)"`: the program, wherever it was found.
fn touches_found_program(file: &FileFact, facts: &Facts) -> bool {
    let looks = |command: &Command| {
        matches!(command.program.as_str(), "which" | "command" | "type" | "whereis" | "hash")
            && command.words.iter().skip(1).any(|word| word.text == PROGRAM)
    };
    file.access != Access::Read
        && file.written == PROGRAM
        && file.exists != Some(true)
        && facts.commands().any(|(_, command)| looks(command))
}

/// The name of our own program.
const PROGRAM: &str = "toolgate";

/// Our files, and any `.toolgate` folder: a policy put nearer to the work
/// would otherwise take the place of the one in force.
fn is_own(path: &str, places: &Places) -> bool {
    places.holds(Place::Gate, path) || path.split('/').any(|part| part == ".toolgate")
}

/// Whether a pattern can mean our files: its parts fit the parts of one, from
/// the root on. Only patterns that name something: `*` alone means everything,
/// and the rules about whole folders speak of that.
fn could_be_own(pattern: &str, places: &Places) -> bool {
    let parts: Vec<&str> = pattern.split('/').collect();
    let fits = |own: &str| {
        let own: Vec<&str> = own.split('/').collect();
        let pairs = || parts.iter().zip(&own);
        let lies_open =
            own.split_last().is_some_and(|(_, folder)| places.workspace.contains(&folder.join("/")));
        let is_every =
            lies_open && parts.last().zip(own.last()).is_some_and(|(part, name)| says_kind(part, name));
        let named =
            !is_every && pairs().any(|(part, name)| part != name && part.chars().any(char::is_alphanumeric));
        // All of a folder that holds settings: `tar xf x -C .host`.
        let settings = own.iter().rev().nth(1).is_some_and(|folder| folder.starts_with('.'));
        let all = matches!(parts.last(), Some(&("*" | "**" | "?*")))
            && pairs().filter(|(part, name)| part != name).count() == 1;
        let named = named || settings && all && parts.len() == own.len();
        named && parts.len() >= own.len() && pairs().all(|(part, name)| fast_glob::glob_match(part, name))
    };
    places.gate.iter().any(|own| fits(own)) || could_be_settings(&parts, places)
}

/// Whether a pattern says only of what kind a file is: `*.json` speaks of every such file in the
/// project, not of the one that is a host's. `?name.json` and `*name*` speak of that one.
fn says_kind(pattern: &str, name: &str) -> bool {
    let kind = name.rfind('.').filter(|at| *at > 0).and_then(|at| name.get(at..));
    kind.is_some() && pattern.strip_prefix('*') == kind
}

/// Whether the last parts of a pattern can mean host settings, in whatever folder: `sub/.host/*`.
fn could_be_settings(parts: &[&str], places: &Places) -> bool {
    let fits = |name: &String| {
        let own: Vec<&str> = name.split('/').collect();
        let Some(last) = parts.len().checked_sub(own.len()).and_then(|at| parts.get(at..)) else {
            return false;
        };
        let is_every = own.len() == 1 && last.iter().zip(&own).any(|(part, name)| says_kind(part, name));
        let named = !is_every && last.first().is_some_and(|part| part.chars().any(char::is_alphanumeric));
        named && last.iter().zip(&own).all(|(part, name)| fast_glob::glob_match(part, name))
    };
    places.settings.iter().any(fits)
}

/// Deleting a folder above the gate's files loses them too. `/`, system
/// folders, home and project are left to the rules about them, which say it
/// better.
fn loses_gate(path: &str, places: &Places) -> bool {
    let folder = path.strip_suffix("/*").unwrap_or(path);
    let broad =
        [Place::Home, Place::Workspace, Place::System].iter().any(|place| places.covers(folder, *place));
    // What is compiled of a policy is made again when it is gone.
    let lasting = |own: &&String| !own.contains("/.cache/");
    !broad && places.gate.iter().filter(lasting).any(|own| is_within(own, folder))
}

/// Programs no one described that only look, or run no program at all.
const LOOKERS: [&str; 20] = [
    "stat",
    "basename",
    "dirname",
    "realpath",
    "readlink",
    "tree",
    "export",
    "cd",
    "pushd",
    "popd",
    "trap",
    "which",
    "wait",
    "mkdir",
    "yamllint",
    "check-jsonschema",
    "shellcheck",
    "actionlint",
    "hadolint",
    "cspell",
];

/// Is one of our files named to a program no one described? It may write to it.
fn is_given_own_file(command: &Command, seen: &Seen<'_>) -> bool {
    let program = command.program.as_str();
    if program.is_empty()
        || program == PROGRAM
        || LOOKERS.contains(&program)
        || toolgate_shell::is_known(program)
    {
        return false;
    }
    let start = seen.event.call.dir.as_str();
    let own = |text: &str| {
        let base = command.dir.as_ref().map(|dir| absolute(&dir.text, start));
        is_own(&absolute(text, base.as_deref().unwrap_or(start)), seen.places)
    };
    // `--file=x` and `-fx` as well.
    let named = |text: &str| {
        let value = text.split_once('=').map_or("", |(_, value)| value);
        let attached = text.strip_prefix('-').and_then(|rest| rest.get(1..)).unwrap_or("");
        // What has blanks in it is a text, and read as such elsewhere.
        let is_path = |part: &str| part.contains(['/', '.']) && !part.contains(char::is_whitespace);
        [text, value, attached].into_iter().any(|part| is_path(part) && own(part))
    };
    command.words.iter().skip(1).filter(|word| word.exact && !word.glob).any(|word| named(&word.text))
}

/// Verbs of `toolgate inbox` that answer a request.
const ANSWERS: [&str; 3] = ["approve", "deny", "undo"];

/// The words that follow the name of our program.
fn own_words(command: &Command) -> impl Iterator<Item = &str> {
    let words = command.words.iter().skip(1).map(|word| word.text.as_str());
    words.filter(|word| *word != "--json")
}

/// Does it answer a request of this or another agent?
fn answers_request(command: &Command) -> bool {
    let mut words = own_words(command);
    let is_inbox = words.next() == Some("inbox");
    command.program == PROGRAM && is_inbox && words.next().is_some_and(|second| ANSWERS.contains(&second))
}
/// Programs that give the words they read to another one.
const FEEDERS: [&str; 3] = ["xargs", "gxargs", "parallel"];

/// Programs that change or delete the files they are given.
const CHANGERS: [&str; 20] = [
    "rm", "unlink", "shred", "mv", "cp", "ln", "dd", "install", "rsync", "truncate", "tee", "sponge", "sed",
    "perl", "ruby", "chmod", "chown", "chattr", "ed", "ex",
];

/// Is one of our files named by what feeds a program that changes files: `ls .host/settings.json | xargs rm`?
fn is_fed_own_file(command: &Command, seen: &Seen<'_>) -> bool {
    let of = |at: usize| seen.facts.reading.commands.get(at);
    let is_fed = command.via.iter().any(|name| FEEDERS.contains(&name.as_str()));
    if !is_fed || !CHANGERS.contains(&command.program.as_str()) {
        return false;
    }
    let feeder = command.started_by.and_then(of);
    let mut source = command.piped_from.or_else(|| feeder.and_then(|feeder| feeder.piped_from));
    for _ in 0..SOURCES_MAX {
        let Some(command) = source.and_then(of) else { return false };
        let base = command.dir.as_ref().map(|dir| absolute(&dir.text, &seen.event.call.dir));
        let start = base.as_deref().unwrap_or(&seen.event.call.dir);
        if command.words.iter().skip(1).any(|word| is_own(&absolute(&word.text, start), seen.places)) {
            return true;
        }
        source = command.piped_from;
    }
    false
}

/// Commands of a pipe that are followed back.
const SOURCES_MAX: usize = 8;

fn is_own_verb(command: &Command) -> bool {
    if command.program != PROGRAM {
        return false;
    }
    let mut words = own_words(command);
    let Some(verb) = words.next() else { return false };
    if LOOKING.contains(&verb) {
        return false;
    }
    let second = words.next().unwrap_or("list");
    !PARTLY.iter().any(|(name, looking)| *name == verb && looking.contains(&second))
}
