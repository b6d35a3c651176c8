//! Files written here that get another name or another text: copied, moved,
//! linked, changed in place.
//!
//! A target may be a file or a folder, and no one here knows which: what is
//! carried there is kept under both names.

use std::ops::Bound;

use super::{Walker, join_path};
use crate::programs::base_name;
use crate::reading::{Command, Word};
use crate::stream::Stream;
use crate::wrappers;
use smol_str::{SmolStr, format_smolstr};

/// Files below one folder that are carried along.
const BELOW_MAX: usize = 512;

/// Programs that change the files they are given, if asked to by `-i`.
const EDITORS: [&str; 7] = ["sed", "gsed", "perl", "ruby", "awk", "gawk", "ed"];

impl Walker<'_> {
    /// `cp a b`, `mv a dir`, `ln -s a b`, `install a b`.
    pub(super) fn carry_files(&mut self, command: &Command) {
        let usage = &command.usage;
        let here = Word { text: ".".into(), exact: true, ..Word::default() };
        let (from, to) = match (usage.value("--target-directory"), usage.operands.as_slice()) {
            (Some(folder), from) => (from, folder),
            (None, [only]) if command.program == "ln" => (std::slice::from_ref(only), &here),
            (None, [from @ .., to]) if !from.is_empty() => (from, to),
            _ => return,
        };
        if let [only] = from {
            self.rename_program(only, to);
        }
        let target = self.path_key(to);
        for source in from {
            if command.program == "ln" {
                self.carry_link(command, source, &target);
                continue;
            }
            let name = base_name(source.text.trim_end_matches('/'));
            if source.glob {
                for key in self.named_files(source) {
                    let to = format_smolstr!("{target}/{}", base_name(&key));
                    self.carry_one(&key, &to, source);
                }
                continue;
            }
            let key = self.path_key(source);
            let key = self.behind_link(&key).filter(|_| !self.files.contains_key(&key)).unwrap_or(key);
            if !self.has_files(&key) {
                self.want_file(&key);
                if !self.has_files(&target) {
                    continue;
                }
            }
            self.carry_one(&key, &target, source);
            self.carry_one(&key, &format_smolstr!("{target}/{name}"), source);
        }
    }

    /// Was anything written to this path or below it? Mostly not.
    fn has_files(&self, path: &str) -> bool {
        let from = (Bound::Included(path), Bound::Unbounded);
        self.files.range::<str, _>(from).next().is_some_and(|(key, _)| key.starts_with(path))
    }

    /// The file `from`, or all files below it, also as `to`.
    fn carry_one(&mut self, from: &str, to: &str, source: &Word) {
        let below = format_smolstr!("{}/", from.trim_end_matches('/'));
        let inside =
            self.files.range::<SmolStr, _>(&below..).take_while(|(key, _)| key.starts_with(below.as_str()));
        let inside =
            inside.map(|(key, stream)| (key.get(below.len() - 1..).unwrap_or("").to_string(), stream));
        let all = self.files.get(from).map(|stream| (String::new(), stream)).into_iter().chain(inside);
        let all: Vec<(SmolStr, Stream)> = all
            .take(BELOW_MAX + 1)
            .map(|(rest, stream)| (format_smolstr!("{to}{rest}"), stream.clone()))
            .collect();
        if all.len() > BELOW_MAX {
            return self.fail(source.span, "more files than are followed");
        }
        let bytes = |stream: &Stream| stream.text.as_ref().map_or(0, String::len);
        if !self.grow(all.iter().map(|(_, stream)| bytes(stream)).sum()) {
            return;
        }
        if all.is_empty() && source.exact && self.files.contains_key(to) {
            // What it holds now is what a file held that no one here wrote.
            self.keep_at(to.into(), &Stream { is_file: true, ..Stream::default() });
        }
        for (path, stream) in all {
            self.keep_at(path, &stream);
        }
    }

    /// A link may be made before what it leads to is written.
    fn carry_link(&mut self, command: &Command, source: &Word, target: &SmolStr) {
        let inside = format_smolstr!("{target}/{}", base_name(source.text.trim_end_matches('/')));
        for link in [target.clone(), inside] {
            let symbolic = command.usage.has("--symbolic") && !command.usage.has("--relative");
            let to = match link.rsplit_once('/').filter(|_| symbolic) {
                Some((folder, _)) => join_path(if folder.is_empty() { "/" } else { folder }, &source.text),
                None => self.path_key(source),
            };
            self.keep_link(link, to);
        }
    }

    /// `npm pkg set scripts.x=y` adds to a file, and so does `git config -f x a.b c`.
    pub(super) fn set_in_files(&mut self, command: &Command) {
        let (path, added) = if let Some((folder, text)) = wrappers::set_scripts(command) {
            let folder = folder.map_or_else(SmolStr::default, |folder| format_smolstr!("{}/", folder.text));
            (format_smolstr!("{folder}package.json"), text)
        } else if let Some((path, text)) = wrappers::set_in_file(command) {
            (path.text, text)
        } else {
            return;
        };
        let key = self.path_key(&Word { text: path, exact: true, ..Word::default() });
        let known = self.files.entry(key).or_insert_with(Stream::silent);
        // What else is in it may not be known; this is.
        known.text.get_or_insert_default();
        known.append(Stream::known(added));
    }

    /// `sed -i … a.sh`: what the file holds is computed where that is plain.
    pub(super) fn edit_files(&mut self, command: &Command, out: &Stream) {
        let program = command.program.as_str();
        let in_place = |word: &Word| {
            let before = word.text.strip_prefix('-').and_then(|letters| letters.split_once('i'));
            word.text.starts_with("--in-place")
                || before
                    .is_some_and(|(before, _)| before.bytes().all(|letter| b"npalwEersuz0".contains(&letter)))
        };
        let edits = EDITORS.contains(&program) && (program == "ed" || command.words.iter().any(in_place));
        if !edits && program != "patch" {
            return;
        }
        // Anyone who changes text that is here by what is here too hides it.
        let plain = command.words.iter().all(|word| word.exact);
        for word in command.words.iter().skip(1).rev() {
            for key in self.named_files(word) {
                let Some(old) = self.file(&key) else { continue };
                let new = old.text.as_deref().and_then(|text| crate::edit::of(command, text));
                let changed = new.is_none() && (old.changed || plain && old.text.is_some());
                let bytes = old.text.as_ref().map_or(0, String::len);
                let download = old.download.clone();
                let stream = Stream { text: new, from: out.from, changed, download, ..Stream::default() };
                if self.grow(bytes * 2) {
                    self.keep_at(key, &stream);
                }
            }
        }
    }
}
