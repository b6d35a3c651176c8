//! Files of other languages that lead to more files: modules, scripts of a
//! project, makefiles.
//!
//! Each is read once for each command that loads it, however many others name
//! it, and one that leads back to itself ends there.

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use super::Walker;
use crate::reading::{Command, Unknown, Word};
use crate::scope::{DIR, Text};
use crate::wrappers::{self, Inner};

/// Files that lead to one another deeper than this are not opened.
const DEPTH_MAX: usize = 48;

#[derive(Default)]
pub(super) struct Loading {
    /// Those being read now, with the words of who reads them.
    now: Vec<String>,
    /// Those that were read, by who reads them: the place of the command, a hash
    /// of name and text.
    done: BTreeSet<(usize, u64)>,
}

impl Walker<'_> {
    /// Opens what the text of a file starts or reads.
    pub(super) fn open_loaded(
        &mut self,
        command: &Command,
        index: usize,
        key: &str,
        text: &Word,
        found: Vec<Inner>,
    ) {
        let mut hasher = DefaultHasher::new();
        (key, text.text.as_str()).hash(&mut hasher);
        let words: Vec<&str> = command.words.iter().map(|word| word.text.as_str()).collect();
        let name = format!("{key} {}", words.join(" "));
        let known = self.loading.now.contains(&name) || !self.loading.done.insert((index, hasher.finish()));
        if known || !self.grow(text.text.len() + name.len()) {
            return;
        }
        if self.loading.now.len() >= DEPTH_MAX {
            let what = format!("files that lead on and on for `{}`", command.program);
            return self.opaque(command.span, Unknown::Limit, what);
        }
        self.loading.now.push(name);
        let mark = self.scope.checkpoint();
        if let Some(folder) = wrappers::folder(command) {
            let text = self.path_key(&folder);
            self.scope.set_one(DIR, Text { text, exact: folder.exact });
        }
        for inner in found {
            self.open_one(command, index, None, inner);
        }
        self.scope.rollback(mark);
        self.loading.now.pop();
    }
}
