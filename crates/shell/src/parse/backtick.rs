//! Backticks: text that is changed before it is read.

use super::Parser;
use super::dollar::output_part;
use crate::reading::Span;
use crate::tree::{List, Output, Part};

impl Parser<'_> {
    /// Backticks: the text loses one level of backslashes and is read again.
    pub(super) fn backtick(&mut self, quoted: bool) -> Part {
        self.count_piece();
        let start = self.pos;
        self.advance(1);
        let mut text = String::new();
        loop {
            match self.bump() {
                None => {
                    self.fail(start, "unclosed `` ` ``");
                    break;
                }
                Some('`') => break,
                Some('\\') => match self.raw() {
                    Some(next @ (b'`' | b'\\' | b'$')) => {
                        self.pos += 1;
                        text.push(char::from(next));
                    }
                    Some(b'"') if quoted => {
                        self.pos += 1;
                        text.push('"');
                    }
                    // Gone before anything else is looked at, between single quotes as well.
                    Some(b'\n') => self.pos += 1,
                    _ => text.push('\\'),
                },
                Some(found) => text.push(found),
            }
        }
        let base = self.span(start, self.pos);
        let (list, holds) = self.deeper(|parser| parser.inner_text(&text, base));
        output_part(Output { list, text: self.spelling(start), quoted, in_place: false }, holds)
    }

    fn inner_text(&mut self, text: &str, base: Span) -> (List, bool) {
        let mut parser = Parser::new(text, Some(base), self.depth);
        parser.pieces = self.pieces + 1;
        parser.looked.set(self.looked.get());
        let list = parser.whole();
        self.pieces = parser.pieces;
        self.looked.set(parser.looked.get());
        let holds = parser.fault.is_none() && parser.mistake.is_none();
        self.mistake = self.mistake.take().or(parser.mistake);
        if let Some(fault) = parser.fault {
            let next = self.pos;
            self.end_with(next, fault.message, fault.kind);
            self.forgive(next);
        }
        (list, holds)
    }
}
