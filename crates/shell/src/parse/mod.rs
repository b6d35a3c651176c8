//! Shell text → tree, the way bash's own parser cuts it.
//!
//! Scannerless recursive descent over bytes. Every failure goes through
//! [`Parser::fail`], which keeps the first fault and jumps to the end of the
//! text; all loops end there, so what was read before the fault survives.
//! Nothing is expanded or judged here.

mod again;
mod backtick;
mod compound;
mod dollar;
mod half_quotes;
mod list;
mod look;
mod pairs;
mod redirect;
mod reprint;
mod rewrite;
mod simple;
mod word;

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

use smol_str::SmolStr;

use crate::reading::{Fault, Span, Unknown};
use crate::tree::{List, Pieces, RawWord};

/// Deepest nesting of any kind that is followed.
pub(crate) const DEPTH_MAX: usize = 80;

/// More words, parts and nodes than this are not made of one text.
const PIECES_MAX: usize = 30_000;

/// Bytes that may be looked at ahead of time, all in all.
const LOOKED_MAX: usize = 4 << 20;

/// Longest source spelling kept for a value that is not known.
const SPELLING_MAX: usize = 160;

/// What parsing yields: all that was read, and why it stopped early if it did.
#[derive(Debug)]
pub(crate) struct Parsed {
    pub(crate) list: List,
    pub(crate) fault: Option<Fault>,
}

/// Parses `source`. With `base`, every span becomes that one: the text is
/// inside other text and has no place of its own.
pub(crate) fn parse(source: &str, base: Option<Span>, depth: usize) -> Parsed {
    let mut parser = Parser::new(source, base, depth);
    let list = parser.whole();
    Parsed { list, fault: parser.fault.or(parser.mistake) }
}

/// The parts of text that is expanded like a here-document. Where it cannot be
/// read to its end, the second value says so.
pub(crate) fn parse_text(source: &str, base: Span, depth: usize) -> (Pieces, bool) {
    let mut parser = Parser::new(source, Some(base), depth);
    let parts = parser.text_parts(false);
    (parts, parser.fault.is_none() && parser.mistake.is_none())
}

/// A here-document whose lines have not been reached yet.
struct Pending {
    delimiter: String,
    quoted: bool,
    strip_tabs: bool,
    body: Rc<OnceCell<RawWord>>,
    /// Its substitution has closed.
    left: bool,
}

impl Pending {
    fn without_body(&self) -> Pending {
        Pending { delimiter: self.delimiter.clone(), body: Rc::default(), ..*self }
    }
}

pub(crate) struct Parser<'a> {
    source: &'a str,
    bytes: &'a [u8],
    pos: usize,
    // INVARIANT: `pos <= end <= bytes.len()`, and `pos` is on a char boundary
    // whenever a slice of `source` is taken.
    end: usize,
    base: Option<Span>,
    depth: usize,
    pending: Vec<Pending>,
    fault: Option<Fault>,
    /// The first mistake in text that is only read when it runs: what is
    /// behind that text runs all the same.
    mistake: Option<Fault>,
    /// Bash looks through `((…) …)` for the end of arithmetic, finds none, and
    /// reads it once more from a copy. A here-document announced in the copy has
    /// its lines behind it, and those meant for it are commands! Texts with one
    /// are read twice: as they are meant, and this way.
    pushes: bool,
    /// Up to here is what is read from the copy.
    pushed_to: usize,
    heredoc_in_pushed: bool,
    /// Where a line ends with the first list that holds a pattern in parentheses.
    /// To a shell without `extglob` that is a mistake, and it goes on behind it.
    pattern_line: Option<usize>,
    /// Where a line ends with a mistake in the first list that has one. Bash drops
    /// all it was in the middle of and goes on behind it, and for a while a `)`
    /// may stand anywhere.
    broken_line: Option<usize>,
    /// The text is read that way.
    loose: bool,
    /// Where the first fault was found.
    fault_at: usize,
    /// Where `time` is a word like any other.
    plain_time: Option<usize>,
    reprint: reprint::Reprint,
    rewrite: rewrite::Rewrite,
    /// The text of a here-document is read, where `$'` means nothing.
    in_document: bool,
    /// How many `$(` and `<(` are open.
    substitutions: usize,
    /// Where the last command behind `coproc` starts.
    coproc_at: Option<usize>,
    /// Words, parts and nodes made so far.
    pieces: usize,
    /// Bytes looked at ahead of time so far.
    looked: Cell<usize>,
    /// Where substitutions close that were looked through, by where they start.
    closes: Rc<RefCell<HashMap<usize, Option<usize>>>>,
}

impl<'a> Parser<'a> {
    fn new(source: &'a str, base: Option<Span>, depth: usize) -> Self {
        let bytes = source.as_bytes();
        Parser {
            source,
            bytes,
            pos: 0,
            end: bytes.len(),
            base,
            depth,
            pending: Vec::new(),
            fault: None,
            mistake: None,
            pushes: false,
            pushed_to: 0,
            heredoc_in_pushed: false,
            pattern_line: None,
            broken_line: None,
            loose: false,
            fault_at: 0,
            plain_time: None,
            reprint: reprint::Reprint::default(),
            rewrite: rewrite::Rewrite::default(),
            in_document: false,
            substitutions: 0,
            coproc_at: None,
            pieces: 0,
            looked: Cell::new(0),
            closes: Rc::default(),
        }
    }

    fn slice(&self, start: usize, end: usize) -> &'a str {
        self.source.get(start..end).unwrap_or("")
    }

    fn span(&self, start: usize, end: usize) -> Span {
        self.base.unwrap_or(Span { start, end })
    }

    /// Source spelling from `start` to here, shortened so that nesting cannot
    /// make the tree grow with the square of the text.
    fn spelling(&self, start: usize) -> SmolStr {
        let full = self.slice(start, self.pos);
        if full.len() <= SPELLING_MAX {
            return full.into();
        }
        let mut short: String = full.chars().take(SPELLING_MAX / 2).collect();
        short.push('…');
        short.into()
    }

    /// Keeps the first fault and ends all reading.
    /// The text is not the shell's language.
    fn fail(&mut self, start: usize, message: impl Into<String>) {
        self.end_with(start, message, Unknown::Syntax);
    }

    /// The text is more than is read.
    fn exceed(&mut self, message: &str) {
        self.end_with(self.pos, message, Unknown::Limit);
    }

    fn end_with(&mut self, start: usize, message: impl Into<String>, kind: Unknown) {
        if self.fault.is_none() {
            self.fault_at = start;
            let end = self.pos.max(start).min(self.bytes.len());
            self.fault = Some(Fault { span: self.span(start.min(end), end), message: message.into(), kind });
        }
        self.pos = self.end;
    }

    /// A mistake just made was in text that is only read when it runs: reading
    /// goes on at `next`.
    fn forgive(&mut self, next: usize) {
        if self.fault.as_ref().is_some_and(|fault| fault.kind == Unknown::Syntax) {
            let fault = self.fault.take();
            self.mistake = self.mistake.take().or(fault);
            self.pos = next;
        }
    }

    fn fail_unexpected(&mut self) {
        let start = self.pos;
        match self.take() {
            None => self.fail(start, "unexpected end"),
            Some('\n') => self.fail(start, "unexpected end of line"),
            Some(found) => self.fail(start, format!("unexpected `{found}`")),
        }
    }

    /// Counts something made; fails when there is too much of it.
    fn count_piece(&mut self) {
        self.pieces += 1;
        if self.pieces > PIECES_MAX {
            self.exceed("more than can be followed");
        }
    }

    /// Counts bytes looked at ahead of time; false when there are too many.
    fn may_look(&self, bytes: usize) -> bool {
        self.looked.set(self.looked.get().saturating_add(bytes));
        self.looked.get() <= LOOKED_MAX
    }

    /// Runs `inner` one level deeper, or fails if that is too deep.
    fn deeper<T: Default>(&mut self, inner: impl FnOnce(&mut Self) -> T) -> T {
        if self.depth >= DEPTH_MAX {
            self.exceed("nested too deeply");
            return T::default();
        }
        self.depth += 1;
        let value = inner(self);
        self.depth -= 1;
        value
    }

    /// Skips blanks, joined lines and comments; stops at a line end.
    fn blanks(&mut self) {
        loop {
            self.align();
            match self.raw() {
                Some(b' ' | b'\t') => self.pos += 1,
                Some(b'#') => {
                    while self.raw().is_some_and(|byte| byte != b'\n') {
                        self.pos += 1;
                    }
                }
                _ => return,
            }
        }
    }

    /// Skips blanks and line ends, reading here-documents on the way.
    fn lines(&mut self) {
        loop {
            self.blanks();
            if self.peek() != Some(b'\n') {
                return;
            }
            self.line_end();
        }
    }

    /// Takes a line end and the here-documents that follow it.
    fn line_end(&mut self) {
        self.advance(1);
        self.read_heredocs();
    }
}
