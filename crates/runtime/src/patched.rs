//! Which files a patch on the disk would change.
//!
//! `git apply x.patch` says nothing of what it writes; the patch does. It is
//! read only for such a command, and only so far.

use std::fs::File;
use std::io::Read;
use toolgate_core::shell::{Command, Reach, patched_files};
use toolgate_core::{Access, Facts, FileFact, absolute};

/// More of a patch than this is not read, and more patches of one call.
const BYTES_MAX: u64 = 4 << 20;
const PATCHES_MAX: usize = 16;

/// Adds the files that patches named by the call would change.
#[must_use]
pub(crate) fn with_patched_files(mut facts: Facts, start: &str) -> Facts {
    let is_patch = |file: &&FileFact| file.access == Access::Read && file.exact && !file.glob;
    let named: Vec<(usize, usize, FileFact)> = facts
        .files
        .iter()
        .filter(is_patch)
        .filter_map(|file| {
            let at = file.command?;
            Some((at, strip_of(facts.reading.commands.get(at)?)?, file.clone()))
        })
        .take(PATCHES_MAX)
        .collect();
    for (at, strip, patch) in named {
        let Some(text) = start_of(&patch.path) else { continue };
        let moved = facts.reading.commands.get(at).and_then(|one| one.dir.as_ref());
        let dir = moved.map_or_else(|| start.to_owned(), |dir| absolute(&dir.text, start));
        for name in patched_files(&text, strip) {
            let path = absolute(&name, &dir);
            facts.files.push(FileFact {
                access: Access::Write,
                written: name.into(),
                raw: None,
                path: path.into(),
                below: Reach::Itself,
                ..patch.clone()
            });
        }
    }
    facts
}

/// How many folders are taken off the names of a patch this command applies;
/// `None` if it applies none.
fn strip_of(command: &Command) -> Option<usize> {
    let usage = &command.usage;
    let looks = ["--check", "--stat", "--numstat", "--summary", "--cached", "--dry-run"];
    let applies = match command.program.as_str() {
        "patch" => Some(0),
        "git" if usage.subcommand.first().is_some_and(|sub| sub == "apply" || sub == "am") => Some(1),
        _ => None,
    };
    let given = usage.value("--strip").or(usage.value("-p")).and_then(|word| word.text.parse().ok());
    applies.filter(|_| !looks.iter().any(|name| usage.has(name))).map(|usual| given.unwrap_or(usual))
}

/// The beginning of a plain file, as text.
fn start_of(path: &str) -> Option<String> {
    let plain = std::fs::metadata(path).is_ok_and(|found| found.is_file());
    let mut bytes = Vec::new();
    File::open(path).ok().filter(|_| plain)?.take(BYTES_MAX).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}
