//! What runs at the same time: the stages of a pipe, jobs in the background.
//! A file one of them writes and another runs holds no one knows what.

use super::Walker;
use crate::reading::{Unknown, Word};

/// Files written or run that are remembered.
const TOUCHED_MAX: usize = 64;

/// A file that was written or run.
struct Touched {
    path: String,
    strand: usize,
    written: bool,
}

/// What other strands do with a file.
struct Others {
    write: bool,
    run: bool,
}

/// The strands of what is walked, and what they touched.
#[derive(Default)]
pub(super) struct Strands {
    /// Those around what is walked now, outermost first.
    around: Vec<usize>,
    made: usize,
    touched: Vec<Touched>,
    /// Those of jobs, which no one waits for: from the first to the last.
    jobs: Vec<(usize, usize)>,
}

impl Strands {
    fn now(&self) -> usize {
        self.around.last().copied().unwrap_or(0)
    }

    /// Who else has to do with the file while this strand writes or runs it.
    fn others(&mut self, path: &str, written: bool) -> Others {
        let around = |strand: usize| strand == 0 || self.around.contains(&strand);
        // Where no more is remembered, anybody may have written it.
        let mut others = Others { write: self.touched.len() >= TOUCHED_MAX, run: false };
        for one in self.touched.iter().filter(|one| one.path == path && !around(one.strand)) {
            others.write |= one.written;
            others.run |= !one.written;
        }
        let strand = self.now();
        let known = |one: &Touched| one.path == path && one.strand == strand && one.written == written;
        if self.touched.len() < TOUCHED_MAX && !self.touched.iter().any(known) {
            self.touched.push(Touched { path: path.to_string(), strand, written });
        }
        others
    }

    /// The strands made since then have ended, but for jobs.
    pub(super) fn end(&mut self, since: usize) {
        let now = self.now();
        let jobs = &self.jobs;
        let in_job = |strand: usize| jobs.iter().any(|(first, last)| (*first..=*last).contains(&strand));
        for one in self.touched.iter_mut().filter(|one| one.strand > since && !in_job(one.strand)) {
            one.strand = now;
        }
    }

    pub(super) fn made(&self) -> usize {
        self.made
    }
}

impl Walker<'_> {
    /// Runs `inner` as something that runs next to the rest.
    pub(super) fn in_strand<T>(&mut self, inner: impl FnOnce(&mut Self) -> T) -> T {
        self.strands.made += 1;
        self.strands.around.push(self.strands.made);
        let value = inner(self);
        self.strands.around.pop();
        value
    }

    /// The same for what no one waits for.
    pub(crate) fn in_job<T>(&mut self, inner: impl FnOnce(&mut Self) -> T) -> T {
        self.share_open_files();
        let first = self.strands.made + 1;
        let value = self.in_strand(inner);
        if self.strands.jobs.len() < TOUCHED_MAX {
            self.strands.jobs.push((first, self.strands.made));
        }
        value
    }

    /// Notes that a file is written, or run. Two that write to one file are no harm
    /// before someone runs it.
    pub(super) fn touch(&mut self, path: &str, file: &Word, written: bool) {
        let others = self.strands.others(path, written);
        if if written { others.run } else { others.write } {
            self.opaque(file.span, Unknown::Output, format!("`{}` while it is written", file.text));
        }
        if written && others.write && self.strands.touched.len() < TOUCHED_MAX {
            self.share(path.into());
        }
    }
}
