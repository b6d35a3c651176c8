//! Whether what a command does to a path it does to everything below as well:
//! `mv src old`, `chmod -R`, `tar x -C src`, `grep -r x src`.

use super::formatters;
use crate::effect_kind::EffectKind;
use crate::name_filter::NameFilter;
use crate::reading::{Command, Effect};

/// How far an effect on a path goes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Reach {
    /// The file or folder itself.
    #[default]
    Itself,
    /// Some files below, which ones is not known: an archive is unpacked into the folder.
    Some,
    /// Every file below.
    All,
}

/// How far an effect of a command goes below its target.
#[must_use]
pub fn reach_of(command: &Command, effect: &Effect) -> Reach {
    match effect.kind {
        EffectKind::DeletesTree => Reach::All,
        // These leave folders alone; whatever else takes a path away takes what it holds along.
        EffectKind::DeletesFile => match command.program.as_str() {
            "rm" | "grm" | "srm" | "unlink" | "rmdir" | "shred" => Reach::Itself,
            _ => Reach::All,
        },
        EffectKind::ChangesAccess if is_recursive(command) => Reach::All,
        EffectKind::WritesFile | EffectKind::CreatesFile if fills(command, effect) => Reach::Some,
        EffectKind::ReadsFile | EffectKind::SendsFile | EffectKind::QuotesFile if searches(command) => {
            Reach::Some
        }
        _ => Reach::Itself,
    }
}

fn is_recursive(command: &Command) -> bool {
    let flags = &command.usage.flags;
    flags.iter().any(|flag| {
        matches!(
            flag.name.as_str(),
            "--recursive" | "--archive" | "--dereference-recursive" | "-r" | "-R" | "-a"
        )
    })
}

static FORMATTERS: NameFilter = formatter_filter();

const fn formatter_filter() -> NameFilter {
    let (mut all, mut rows) = (NameFilter::NONE, formatters::MODELS);
    while let [model, more @ ..] = rows {
        let mut names = model.names;
        while let [name, others @ ..] = names {
            all = all.with(name);
            names = others;
        }
        rows = more;
    }
    all
}

/// Do files land in the folder it names?
fn fills(command: &Command, effect: &Effect) -> bool {
    match command.program.as_str() {
        "tar" | "gtar" | "bsdtar" | "unzip" | "7z" | "7za" | "7zz" | "7zr" | "unrar" | "unar" | "cpio"
        | "git" | "rsync" | "aws" | "gsutil" | "rclone" => true,
        "ditto" | "tsc" | "cmake" | "protoc" | "javac" | "degit" | "tiged" | "patch" | "docker"
        | "podman" => true,
        // `cp -r x y/` fills `y/x`, and `y` itself only with what is in `x/`.
        "cp" | "gcp" | "scp" | "rcp" => {
            let operands = &command.usage.operands;
            let to = operands.last().map(|word| &word.text);
            let is_inside = effect.target.as_ref().map(|word| &word.text) != to;
            let contents = operands.first().is_some_and(|word| word.text.ends_with(['/', '.', '*']));
            let is_folder = to.is_some_and(|to| to.ends_with('/'));
            is_recursive(command) && (is_inside || contents || !is_folder)
        }
        program => {
            FORMATTERS.may_hold(program)
                && formatters::MODELS.iter().any(|model| model.names.contains(&program))
        }
    }
}

/// Does it read what the files below a folder hold?
fn searches(command: &Command) -> bool {
    match command.program.as_str() {
        "rg" | "ripgrep" | "ag" | "ack" | "tar" | "gtar" | "bsdtar" | "7z" | "7za" | "rsync" | "ditto"
        | "rclone" => true,
        "docker" | "podman" => true,
        "git" => command.usage.sub() == "grep",
        "grep" | "egrep" | "fgrep" | "zgrep" | "cp" | "gcp" | "scp" | "rcp" | "zip" | "diff" | "aws"
        | "gsutil" => is_recursive(command),
        _ => false,
    }
}
