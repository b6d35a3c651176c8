//! Folders of this machine that a container sees under another name: what it does to
//! those is done here.
//!
//! `docker run -v "$PWD":/w alpine rm -rf /w/x` is `rm -rf $PWD/x`. Only names; what a
//! container does to its own files is none of this.

use crate::reading::{Command, Word};
use smol_str::{SmolStr, format_smolstr};

/// Mounts of one command that are followed.
const MOUNTS_MAX: usize = 16;

/// A folder or file of this machine (empty: the root), and its name inside.
pub(super) struct Mount {
    here: SmolStr,
    inside: SmolStr,
}

/// What a container command mounts of this machine.
pub(super) fn of(command: &Command) -> Vec<Mount> {
    let words = &command.words;
    let mut found = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let next = || words.get(at + 1).map_or("", |word| word.text.as_str());
        let text = word.text.as_str();
        let given = match text {
            "-v" | "--volume" | "--mount" => next(),
            _ => {
                ["--volume=", "--mount=", "-v"].iter().find_map(|head| text.strip_prefix(head)).unwrap_or("")
            }
        };
        found.extend(mount(given.trim_start_matches('=')));
    }
    found.truncate(MOUNTS_MAX);
    found
}

/// `here:inside[:ro]`, or `type=bind,source=here,target=inside`.
fn mount(given: &str) -> Option<Mount> {
    let (here, inside) = if given.contains("source=") || given.contains("src=") {
        let value = |names: [&str; 3]| {
            let named =
                |part: &str| names.iter().find_map(|name| part.strip_prefix(name).map(str::to_string));
            given.split(',').find_map(named)
        };
        (value(["source=", "src=", "source="])?, value(["target=", "dst=", "destination="])?)
    } else {
        let (here, rest) = given.split_once(':')?;
        (here.to_string(), rest.split(':').next()?.to_string())
    };
    // Anything else is a volume with a name of its own.
    let is_path = here.starts_with(['/', '.', '~', '$']);
    let inside = inside.trim_end_matches('/');
    (is_path && inside.starts_with('/') && inside.len() > 1)
        .then(|| Mount { here: here.trim_end_matches('/').into(), inside: inside.into() })
}

/// The words as they would be written here.
pub(super) fn seen_from_here(words: Vec<Word>, mounts: &[Mount]) -> Vec<Word> {
    words.into_iter().map(|word| moved(word, mounts)).collect()
}

fn moved(mut word: Word, mounts: &[Mount]) -> Word {
    for mount in mounts {
        if word.text == mount.inside {
            word.text = if mount.here.is_empty() { "/".into() } else { mount.here.clone() };
        } else if let Some(rest) =
            word.text.strip_prefix(mount.inside.as_str()).filter(|rest| rest.starts_with('/'))
        {
            word.text = format_smolstr!("{}{rest}", mount.here);
        } else if word.text.contains(' ') {
            word.text = in_line(&word.text, mount);
        } else {
            continue;
        }
        break;
    }
    word
}

/// The same inside of a line for a shell.
fn in_line(text: &str, mount: &Mount) -> SmolStr {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(mount.inside.as_str()) {
        let (front, behind) = rest.split_at(at);
        let behind = behind.get(mount.inside.len()..).unwrap_or("");
        let begins = front
            .chars()
            .next_back()
            .or(out.chars().next_back())
            .is_none_or(|one| " \t\n'\"=<>(;&|".contains(one));
        let ends = behind.chars().next().is_none_or(|one| " \t\n'\"/;&|)<>*".contains(one));
        out.push_str(front);
        out.push_str(if begins && ends { &mount.here } else { &mount.inside });
        rest = behind;
    }
    out.push_str(rest);
    out.into()
}
