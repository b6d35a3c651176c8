//! Words and their quotes.

use super::Parser;
use crate::expand::ansi;
use crate::tree::{Part, RawWord};

/// Collects parts, joining neighbours of one kind.
#[derive(Default)]
pub(super) struct Parts {
    list: Vec<Part>,
}

impl Parts {
    pub(super) fn plain(&mut self, text: &str) {
        match self.list.last_mut() {
            Some(Part::Plain(last)) => last.push_str(text),
            _ => self.add(Part::Plain(text.to_string())),
        }
    }

    pub(super) fn quoted(&mut self, text: &str) {
        match self.list.last_mut() {
            Some(Part::Quoted(last)) => last.push_str(text),
            _ => self.add(Part::Quoted(text.to_string())),
        }
    }

    pub(super) fn push(&mut self, part: Part) {
        match part {
            Part::Plain(text) => self.plain(&text),
            Part::Quoted(text) => self.quoted(&text),
            other => self.add(other),
        }
    }

    /// Most words have one part.
    fn add(&mut self, part: Part) {
        if self.list.is_empty() {
            self.list.reserve_exact(1);
        }
        self.list.push(part);
    }

    fn ends_with_glob_sign(&self) -> bool {
        matches!(self.list.last(), Some(Part::Plain(text)) if text.ends_with(['?', '*', '+', '@', '!']))
    }

    pub(super) fn take(self) -> Vec<Part> {
        self.list
    }
}

impl Parser<'_> {
    /// The word standing here, if one does.
    pub(super) fn word(&mut self) -> Option<RawWord> {
        self.word_with(false)
    }

    /// The right side of `=~`, where parentheses and bars are plain.
    pub(super) fn regex_word(&mut self) -> Option<RawWord> {
        self.word_with(true)
    }

    fn word_with(&mut self, regex: bool) -> Option<RawWord> {
        let start = self.pos;
        let mut parts = Parts::default();
        let mut level = 0usize;
        while let Some(byte) = self.peek() {
            match byte {
                b'(' if regex || level > 0 || parts.ends_with_glob_sign() => {
                    level += 1;
                    self.plain_bytes(1, &mut parts);
                }
                b')' if level > 0 => {
                    level -= 1;
                    self.plain_bytes(1, &mut parts);
                }
                b'<' | b'>' if level == 0 && self.peek_at(1) == Some(b'(') => {
                    let part = self.deeper(|parser| Some(parser.process()));
                    part.into_iter().for_each(|part| parts.push(part));
                }
                b' ' | b'\t' | b'\n' if level == 0 => break,
                b')' => break,
                b';' | b'&' | b'|' | b'(' | b'<' | b'>' if level == 0 && !regex => break,
                _ => self.word_piece(byte, &mut parts),
            }
        }
        if level > 0 {
            self.fail(start, "unclosed `(`");
        }
        let parts = parts.take();
        self.count_piece();
        if self.pos == start || parts.is_empty() && self.slice(start, self.pos).is_empty() {
            return None;
        }
        Some(RawWord { span: self.span(start, self.pos), parts })
    }

    fn plain_bytes(&mut self, count: usize, parts: &mut Parts) {
        self.align();
        parts.plain(self.slice(self.pos, self.pos + count));
        self.pos += count;
    }

    pub(super) fn quoted_byte(&mut self, parts: &mut Parts) {
        self.align();
        parts.quoted(self.slice(self.pos, self.pos + 1));
        self.pos += 1;
    }

    /// One piece of unquoted text: an escape, a quote, an expansion or a run.
    fn word_piece(&mut self, byte: u8, parts: &mut Parts) {
        match byte {
            b'\\' => {
                self.advance(1);
                match self.bump() {
                    Some(found) => parts.quoted(found.encode_utf8(&mut [0; 4])),
                    None => parts.quoted("\\"),
                }
            }
            b'\'' => self.single_quoted(parts),
            b'"' => self.double_quoted(parts),
            b'`' => {
                let part = self.backtick(false);
                parts.push(part);
            }
            b'$' => self.dollar_ansi(parts),
            _ => self.plain_run(parts),
        }
    }

    fn plain_run(&mut self, parts: &mut Parts) {
        self.align();
        let start = self.pos;
        let _ = self.bump();
        while let Some(byte) = self.raw() {
            match byte {
                b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'<' | b'>' | b'(' | b')' | b'\\' | b'\''
                | b'"' | b'`' | b'$' | b'}' | b']' => break,
                _ => self.pos += 1,
            }
        }
        parts.plain(self.slice(start, self.pos));
    }

    pub(super) fn dollar_ansi(&mut self, parts: &mut Parts) {
        match self.peek_at(1) {
            Some(b'\'') => {
                let start = self.pos;
                self.advance(2);
                let (text, closed) = self.ansi_body();
                if !closed {
                    self.fail(start, "unclosed `$'`");
                }
                parts.quoted(&text);
            }
            Some(b'"') => {
                self.advance(1);
                self.double_quoted(parts);
            }
            _ => {
                let part = self.dollar(false);
                parts.push(part);
            }
        }
    }

    pub(super) fn ansi_body(&mut self) -> (String, bool) {
        let start = self.pos;
        while let Some(byte) = self.raw() {
            match byte {
                b'\'' => {
                    let text = ansi::decode(self.slice(start, self.pos), ansi::Flavour::Quote);
                    self.pos += 1;
                    return (text, true);
                }
                b'\\' => self.pos = (self.pos + 2).min(self.end),
                _ => self.pos += 1,
            }
        }
        (String::new(), false)
    }

    pub(super) fn single_quoted(&mut self, parts: &mut Parts) {
        self.align();
        let start = self.pos;
        self.pos += 1;
        while self.raw().is_some_and(|byte| byte != b'\'') {
            self.pos += 1;
        }
        let text = self.slice(start + 1, self.pos).to_string();
        if self.raw().is_some() {
            self.pos += 1;
            parts.quoted(&text);
        } else {
            self.fail(start, "unclosed `'`");
        }
    }

    pub(super) fn double_quoted(&mut self, parts: &mut Parts) {
        let start = self.pos;
        self.advance(1);
        parts.quoted("");
        loop {
            match self.peek() {
                None => return self.fail(start, "unclosed `\"`"),
                Some(b'"') => {
                    self.advance(1);
                    return;
                }
                Some(byte) => self.quoted_piece(byte, parts, b'"'),
            }
        }
    }

    /// Text up to the end of a here-document body.
    pub(super) fn text_parts(&mut self, strip_tabs: bool) -> Vec<Part> {
        let mut parts = Parts::default();
        let mut line_start = true;
        while let Some(byte) = self.peek() {
            if strip_tabs && line_start && byte == b'\t' {
                self.advance(1);
                continue;
            }
            line_start = byte == b'\n';
            if byte == b'"' || byte == b'\n' {
                self.advance(1);
                parts.quoted(char::from(byte).encode_utf8(&mut [0; 4]));
            } else {
                self.quoted_piece(byte, &mut parts, b'\n');
            }
        }
        parts.take()
    }

    /// One piece of text inside double quotes or their like; runs stop before `stop`.
    pub(super) fn quoted_piece(&mut self, byte: u8, parts: &mut Parts, stop: u8) {
        match byte {
            b'\\' => {
                self.advance(1);
                match self.raw() {
                    Some(next @ (b'$' | b'`' | b'"' | b'\\')) if next != b'"' || stop != b'\n' => {
                        self.pos += 1;
                        parts.quoted(char::from(next).encode_utf8(&mut [0; 4]));
                    }
                    _ => parts.quoted("\\"),
                }
            }
            b'`' => {
                // In a here-document, `\"` inside backticks keeps its backslash.
                let part = self.backtick(stop != b'\n');
                parts.push(part);
            }
            b'$' => {
                let part = self.dollar(true);
                parts.push(part);
            }
            _ => {
                self.align();
                let start = self.pos;
                let _ = self.bump();
                while let Some(next) = self.raw() {
                    if matches!(next, b'\\' | b'`' | b'$' | b'"' | b'\'' | b'}' | b')' | b'(' | b'[' | b']')
                        || next == stop
                    {
                        break;
                    }
                    self.pos += 1;
                }
                parts.quoted(self.slice(start, self.pos));
            }
        }
    }
}
