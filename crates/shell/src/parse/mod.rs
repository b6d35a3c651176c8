//! Shell text → tree, the way bash's own parser cuts it.
//!
//! Scannerless recursive descent over bytes. Every failure goes through
//! [`Parser::fail`], which keeps the first fault and jumps to the end of the
//! text; all loops end there, so what was read before the fault survives.
//! Nothing is expanded or judged here.

mod compound;
mod dollar;
mod list;
mod redirect;
mod simple;
mod word;

use std::cell::OnceCell;
use std::rc::Rc;

use crate::reading::{Fault, Span};
use crate::tree::{List, RawWord};

/// Deepest nesting of any kind that is followed.
pub(crate) const DEPTH_MAX: usize = 80;

/// Longest source spelling kept for a value that is not known.
const SPELLING_MAX: usize = 160;

/// What parsing yields: all that was read, and why it stopped early if it did.
#[derive(Debug)]
pub(crate) struct Parsed {
    pub(crate) list: List,
    pub(crate) fault: Option<Fault>,
}

/// Parses `source`. With `base`, every span becomes that one: the text stands
/// inside other text and has no place of its own.
pub(crate) fn parse(source: &str, base: Option<Span>, depth: usize) -> Parsed {
    let mut parser = Parser::new(source, base, depth);
    let list = parser.whole();
    Parsed { list, fault: parser.fault }
}

/// A here-document whose lines have not been reached yet.
struct Pending {
    delimiter: String,
    quoted: bool,
    strip_tabs: bool,
    body: Rc<OnceCell<RawWord>>,
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
}

impl<'a> Parser<'a> {
    fn new(source: &'a str, base: Option<Span>, depth: usize) -> Self {
        let bytes = source.as_bytes();
        Parser { source, bytes, pos: 0, end: bytes.len(), base, depth, pending: Vec::new(), fault: None }
    }

    fn whole(&mut self) -> List {
        let list = self.list();
        self.blanks();
        if self.pos < self.end {
            self.fail_unexpected();
        }
        self.read_heredocs();
        list
    }

    fn peek(&self) -> Option<u8> {
        self.peek_at(0)
    }

    fn peek_at(&self, ahead: usize) -> Option<u8> {
        let at = self.pos.checked_add(ahead)?;
        if at < self.end { self.bytes.get(at).copied() } else { None }
    }

    fn looking_at(&self, text: &str) -> bool {
        self.bytes.get(self.pos..self.end).is_some_and(|rest| rest.starts_with(text.as_bytes()))
    }

    fn eat(&mut self, text: &str) -> bool {
        let found = self.looking_at(text);
        if found {
            self.pos += text.len();
        }
        found
    }

    /// Takes one whole character.
    fn bump(&mut self) -> Option<char> {
        let found = self.source.get(self.pos..self.end)?.chars().next()?;
        self.pos += found.len_utf8();
        Some(found)
    }

    fn slice(&self, start: usize, end: usize) -> &'a str {
        self.source.get(start..end).unwrap_or("")
    }

    fn span(&self, start: usize, end: usize) -> Span {
        self.base.unwrap_or(Span { start, end })
    }

    /// Source spelling from `start` to here, shortened so that nesting cannot
    /// make the tree grow with the square of the text.
    fn spelling(&self, start: usize) -> String {
        let full = self.slice(start, self.pos);
        if full.len() <= SPELLING_MAX {
            return full.to_string();
        }
        let mut short: String = full.chars().take(SPELLING_MAX / 2).collect();
        short.push('…');
        short
    }

    /// Keeps the first fault and ends all reading.
    fn fail(&mut self, start: usize, message: impl Into<String>) {
        if self.fault.is_none() {
            let end = self.pos.max(start).min(self.bytes.len());
            self.fault = Some(Fault { span: self.span(start.min(end), end), message: message.into() });
        }
        self.pos = self.end;
    }

    fn fail_unexpected(&mut self) {
        let start = self.pos;
        match self.bump() {
            None => self.fail(start, "unexpected end"),
            Some('\n') => self.fail(start, "unexpected end of line"),
            Some(found) => self.fail(start, format!("unexpected `{found}`")),
        }
    }

    /// Runs `inner` one level deeper, or fails if that is too deep.
    fn deeper<T: Default>(&mut self, inner: impl FnOnce(&mut Self) -> T) -> T {
        if self.depth >= DEPTH_MAX {
            self.fail(self.pos, "nested too deeply");
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
            match self.peek() {
                Some(b' ' | b'\t') => self.pos += 1,
                Some(b'\\') if self.peek_at(1) == Some(b'\n') => self.pos += 2,
                Some(b'#') => {
                    while self.peek().is_some_and(|byte| byte != b'\n') {
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
        self.pos += 1;
        self.read_heredocs();
    }

    /// The bare word standing here, joined lines seen through; empty when it
    /// is quoted, expanded or longer than any reserved word.
    fn bare(&self) -> String {
        let mut word = String::new();
        let mut ahead = 0;
        while let Some(byte) = self.peek_at(ahead) {
            match byte {
                b'\\' if self.peek_at(ahead + 1) == Some(b'\n') => ahead += 1,
                b'<' | b'>' if self.peek_at(ahead + 1) == Some(b'(') => return String::new(),
                b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'<' | b'>' | b'(' | b')' => break,
                b'a'..=b'z' | b'{' | b'}' | b'!' | b'[' | b']' if word.len() < 9 => {
                    word.push(char::from(byte))
                }
                _ => return String::new(),
            }
            ahead += 1;
        }
        word
    }

    /// Takes the bare word `word`, known to stand here.
    fn take_bare(&mut self, word: &str) {
        let mut left = word.len();
        while left > 0 && self.pos < self.end {
            if self.looking_at("\\\n") {
                self.pos += 2;
            } else {
                self.pos += 1;
                left -= 1;
            }
        }
    }

    fn eat_bare(&mut self, word: &str) -> bool {
        let found = self.bare() == word;
        if found {
            self.take_bare(word);
        }
        found
    }
}
