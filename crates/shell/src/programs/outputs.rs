//! Programs that write where an option or their last word says: compilers, converters,
//! generators. Each is a row; must not know what they do besides.

use super::{Effects, Model, is_stream, plain};
use crate::effect_kind::EffectKind;
use crate::reading::{Command, Word};
use smol_str::format_smolstr;

pub(super) const MODELS: &[Model] = &[
    plain(&["gcc", "cc", "g++", "c++", "clang", "clang++", "rustc", "ld"], "", |one, _| files(one, &["-o"])),
    plain(&["tsc"], "", |one, _| folders(one, &["--outDir", "--outFile", "--declarationDir"])),
    plain(&["javac"], "", |one, _| folders(one, &["-d"])),
    plain(&["cmake"], "", |one, _| folders(one, &["-B"])),
    plain(&["protoc"], "", protoc),
    plain(&["sd"], "", |one, _| {
        let is_shown = one.words.iter().any(|word| matches!(word.text.as_str(), "-p" | "--preview"));
        let named = one.usage.operands.iter().skip(2).filter(|_| !is_shown);
        Effects::of(EffectKind::WritesFile, named)
    }),
    plain(&["dos2unix", "unix2dos"], "", |one, _| Effects::of(EffectKind::WritesFile, &one.usage.operands)),
    plain(&["ffmpeg", "convert", "magick"], "", last),
    plain(&["degit", "tiged"], "", |one, _| {
        let mut effects = Effects::none();
        one.usage.operands.get(1).into_iter().for_each(|to| fills(&mut effects, EffectKind::WritesFile, to));
        effects
    }),
    plain(&["ssh-keygen"], "", ssh_keygen),
    plain(&["split", "csplit"], "b,bytes= l,lines= a,suffix-length= d n,number= C= f,prefix=", split),
    plain(&["cpio"], "", cpio),
];

/// What is given to one of these options.
fn values(command: &Command, names: &[&str]) -> Vec<Word> {
    let mut found = Vec::new();
    let mut words = command.words.iter().skip(1);
    while let Some(word) = words.next() {
        let attached = names.iter().find_map(|name| {
            let rest = word.text.strip_prefix(name)?;
            let rest = rest.strip_prefix('=').or((*name == "-B").then_some(rest))?;
            Some(Word { text: rest.into(), ..word.clone() }).filter(|word| !word.text.is_empty())
        });
        match attached {
            Some(value) => found.push(value),
            None if names.contains(&word.text.as_str()) => found.extend(words.next().cloned()),
            None => {}
        }
    }
    found
}

fn files(command: &Command, names: &[&str]) -> Effects {
    let named = values(command, names);
    Effects::of(EffectKind::WritesFile, named.iter().filter(|word| !is_stream(&word.text)))
}

fn folders(command: &Command, names: &[&str]) -> Effects {
    let mut effects = Effects::none();
    values(command, names).iter().for_each(|folder| fills(&mut effects, EffectKind::WritesFile, folder));
    effects
}

/// A file or folder, and whatever is put into it.
pub(super) fn fills(effects: &mut Effects, kind: EffectKind, folder: &Word) {
    effects.on(kind, folder);
    let text = format_smolstr!("{}/*", folder.text.trim_end_matches('/'));
    effects.on(kind, &Word { text, glob: true, ..folder.clone() });
}

/// `--go_out=opt:folder`.
fn protoc(command: &Command, _: Option<&str>) -> Effects {
    let mut effects = Effects::none();
    for word in &command.words {
        let value = word.text.strip_prefix("--").and_then(|text| text.split_once("_out="));
        let Some((_, value)) = value else { continue };
        let folder = value.rsplit(':').next().unwrap_or(value);
        fills(&mut effects, EffectKind::WritesFile, &Word { text: folder.into(), ..word.clone() });
    }
    effects
}

/// The last word is what comes out, the first ones may go in.
fn last(command: &Command, _: Option<&str>) -> Effects {
    let words = command.words.get(1..).unwrap_or_default();
    let out = words.split_last().filter(|(last, before)| {
        let is_input = before.last().is_none_or(|word| word.text == "-i");
        !is_input && !last.text.starts_with('-') && !is_stream(&last.text) && last.text.contains(['.', '/'])
    });
    Effects::of(EffectKind::WritesFile, out.map(|(last, _)| last))
}

/// A new pair of keys. It asks before it replaces one.
fn ssh_keygen(command: &Command, _: Option<&str>) -> Effects {
    const LOOKS: [&str; 8] = ["-y", "-l", "-lf", "-e", "-i", "-B", "-F", "-yf"];
    let mut effects = Effects::none();
    if !command.words.iter().any(|word| LOOKS.contains(&word.text.as_str())) {
        for key in values(command, &["-f"]) {
            effects.on(
                EffectKind::CreatesFile,
                &Word { text: format_smolstr!("{}.pub", key.text), ..key.clone() },
            );
            effects.on(EffectKind::CreatesFile, &key);
        }
    }
    effects
}

/// The pieces have names that begin alike.
fn split(command: &Command, _: Option<&str>) -> Effects {
    let usage = &command.usage;
    let mut effects = Effects::of(EffectKind::ReadsFile, usage.operands.iter().take(1));
    let begin = if command.program == "split" { usage.operands.get(1) } else { usage.value("--prefix") };
    for begin in begin.into_iter().filter(|word| !word.text.is_empty()) {
        let text = format_smolstr!("{}*", begin.text);
        effects.on(EffectKind::WritesFile, &Word { text, glob: true, ..begin.clone() });
    }
    effects
}

fn cpio(command: &Command, _: Option<&str>) -> Effects {
    let mut effects = Effects::none();
    let does = |letter: char| {
        let mut options = command
            .words
            .iter()
            .skip(1)
            .filter(|word| word.text.starts_with('-') && !word.text.starts_with("--"));
        options.any(|word| word.text.contains(letter))
    };
    let here = Word { text: ".".into(), exact: true, glob: false, span: command.span };
    let folder = values(command, &["-D", "--directory"]).into_iter().next();
    if does('p') {
        command
            .usage
            .operands
            .last()
            .into_iter()
            .for_each(|to| fills(&mut effects, EffectKind::WritesFile, to));
    } else if does('i') || command.words.iter().any(|word| word.text == "--extract") {
        fills(&mut effects, EffectKind::WritesFile, &folder.unwrap_or(here));
    }
    effects
}
