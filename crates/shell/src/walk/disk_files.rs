//! Files that are there already: what the text would run or read that it has
//! not written itself.
//!
//! The reader looks at no file. It says which ones it would have to know, and
//! anyone who reads the text once more gives it what they hold ([`ReadContext::files`]).
//! Such a file is what it is: only what it surely does counts, and not that a
//! name in it is hard to tell. Anyone who adds to it answers for all of it.

use smol_str::SmolStr;

use super::Walker;
use crate::reading::{Command, ReadContext, Span, Unknown, Word};
use crate::scope::Text;
use crate::stream::Stream;
use std::collections::BTreeMap;

/// Files that are asked for because they are read, and more because they are run: no one
/// shall hide a script behind files that are only looked at.
const READ_MAX: usize = 32;
const RUN_MAX: usize = 512;

/// Signs of a path no one can tell.
const UNSURE: [char; 4] = ['$', '`', '*', '?'];

/// Work all files that are there may cost together, next to that of the call.
const DISK_WORK_MAX: usize = super::budget::WORK_MAX;

/// What is in the files that are there, by their paths.
pub(super) fn files_of(setting: &ReadContext) -> BTreeMap<SmolStr, Stream> {
    let stream = |text: &Option<String>| match text {
        Some(text) => Stream { on_disk: true, ..Stream::known(text.as_str()) },
        None => Stream { on_disk: true, ..Stream::unknown() },
    };
    setting.files.iter().map(|(path, text)| (path.clone(), stream(text))).collect()
}

impl Walker<'_> {
    /// What is known of a file. One that is not known is asked for.
    pub(super) fn file(&self, path: &SmolStr) -> Option<&Stream> {
        let known = self.files.get(path);
        if known.is_none() {
            self.want_file(path);
        }
        known
    }

    /// Asks for a file that is read.
    pub(super) fn want_file(&self, path: &SmolStr) {
        self.seek_within(path, READ_MAX);
    }

    /// The same for one that is run.
    pub(super) fn request_file(&self, path: &SmolStr) -> Option<&Stream> {
        let known = self.files.get(path);
        if known.is_none() {
            self.seek_within(path, RUN_MAX);
        }
        known
    }

    /// Asks for a file, unless no one could tell which it is, or many are asked for.
    fn seek_within(&self, path: &SmolStr, most: usize) {
        let mut wanted_files = self.wanted_files.borrow_mut();
        if wanted_files.len() < most
            && path.starts_with('/')
            && !path.starts_with("/dev/")
            && !path.contains(UNSURE)
        {
            wanted_files.insert(path.clone());
        }
    }

    /// Asks for the files of one folder that a pattern names.
    pub(super) fn seek_pattern(&self, path: &SmolStr) {
        let Some((folder, _)) = path.rsplit_once('/') else { return };
        let mut wanted_files = self.wanted_files.borrow_mut();
        if path.starts_with('/')
            && !folder.contains(UNSURE)
            && !path.contains(['$', '`'])
            && wanted_files.len() < RUN_MAX
        {
            wanted_files.insert(path.clone());
        }
    }

    /// A file that is there is run, and no one read it to its end.
    pub(super) fn too_large(&mut self, command: &Command) {
        let what = format!("a file larger than is read for `{}`", command.program);
        self.opaque(command.span, Unknown::Limit, what);
    }

    /// A script knows where it lies: `$0`, and `BASH_SOURCE` also where it is sourced.
    pub(super) fn name_script(&mut self, command: &Command, path: &Word) {
        if !path.exact || path.glob {
            return;
        }
        if !matches!(command.program.as_str(), "." | "source") {
            self.scope.set_one("0", Text::exact(path.text.clone()));
        }
        self.scope.set_one("BASH_SOURCE", Text::exact(path.text.clone()));
    }

    /// Follows what a file that is there starts, with a budget of its own. What is
    /// hard to tell in it is no news, unless it was hidden on purpose; that it is more
    /// than is followed is said, but does not end the reading of the call.
    pub(super) fn follow_on_disk(&mut self, path: &str, inner: impl FnOnce(&mut Self)) {
        if self.disk_work > DISK_WORK_MAX || self.is_spent() {
            return self.fail(Span::default(), "more files than are followed");
        }
        let (opaque, fault) = (self.reading.opaque.len(), self.reading.fault.take());
        let (work, defined) = (std::mem::take(&mut self.work), self.defined.len());
        inner(self);
        if self.reading.opaque.len() > opaque {
            // Whatever it runs that no one can tell may be a function of its own.
            let in_place = self.in_place;
            self.uncalled_since(defined);
            self.in_place = in_place;
        }
        self.defined.truncate(defined);
        self.disk_work += std::mem::replace(&mut self.work, work);
        let ended = std::mem::replace(&mut self.reading.fault, fault);
        let mut at = 0;
        self.reading.opaque.retain(|one| {
            at += 1;
            at <= opaque || matches!(one.kind, Unknown::Decoded | Unknown::Limit)
        });
        if ended.is_some_and(|fault| fault.kind == Unknown::Limit) {
            let what = format!("more in `{path}` than is followed");
            self.opaque(Span::default(), Unknown::Output, what);
        }
    }
}
