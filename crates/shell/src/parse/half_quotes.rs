//! Single quotes inside `"${x:-…}"`, which protect some signs and not others.

use smol_str::SmolStr;

use super::Parser;
use super::word::Parts;
use crate::tree::{Part, Pieces};

impl<'a> Parser<'a> {
    /// Parts up to the `}` at `close`, where single quotes are plain text.
    pub(super) fn braced_text(&mut self, close: usize, parts: &mut Parts<'a>) {
        let outer = std::mem::take(&mut self.pending);
        let outer_end = std::mem::replace(&mut self.end, close);
        // It is looked through when it is expanded.
        let in_document = std::mem::replace(&mut self.in_document, true);
        while let Some(byte) = self.peek() {
            match byte {
                b'\'' | b'}' => self.quoted_byte(parts),
                _ => {
                    self.strip_quotes(byte);
                    self.nested_piece(byte, parts, true, b'}');
                }
            }
        }
        self.in_document = in_document;
        self.end = outer_end;
        self.pending = outer;
        if self.fault.is_some() {
            // What bash makes of it is not known.
            parts.push(Part::unknown(SmolStr::default(), Pieces::default()));
        }
        self.pos = if self.fault.is_none() { close + 1 } else { self.end };
        self.forgive(close + 1);
    }

    /// Bash first looks for the second quote and nothing else, then expands what
    /// is between as if there were no quotes. A substitution in it may then
    /// reach further than the quote does, so that is read as well.
    pub(super) fn half_quoted(&mut self, parts: &mut Parts<'a>) {
        self.align();
        let start = self.pos;
        let outer = std::mem::take(&mut self.pending);
        let rest = self.bytes.get(start + 1..self.end).unwrap_or_default();
        match rest.iter().position(|byte| *byte == b'\'') {
            Some(length) => {
                let next = start + length + 2;
                let outer_end = std::mem::replace(&mut self.end, next);
                self.half_quoted_here(start, parts);
                self.end = outer_end;
                if self.fault.is_some() && self.may_look(rest.len()) {
                    self.forgive(start);
                    self.half_quoted_here(start, parts);
                }
                self.forgive(next);
                self.pos = if self.fault.is_none() { next } else { self.end };
            }
            None => self.half_quoted_here(start, parts),
        }
        self.pending = outer;
    }

    fn half_quoted_here(&mut self, start: usize, parts: &mut Parts<'a>) {
        self.advance(1);
        parts.quoted("'");
        loop {
            match self.peek() {
                None => return self.fail(start, "unclosed `'`"),
                Some(b'\'') => {
                    self.advance(1);
                    return parts.quoted("'");
                }
                Some(byte) => {
                    self.strip_quotes(byte);
                    self.quoted_piece(byte, parts, b'\'');
                }
            }
        }
    }
}
