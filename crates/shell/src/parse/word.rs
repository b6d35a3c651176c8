//! Words and their quotes.

use std::borrow::Cow;

use smol_str::SmolStr;

use super::Parser;
use crate::expand::ansi;
use crate::tree::{Part, Pieces, RawWord};

/// Of what kind the text at the end of a word is.
#[derive(Default, Clone, Copy, PartialEq, Eq)]
enum Run {
    #[default]
    None,
    Plain,
    Quoted,
}

/// Bytes that end a word or are more than themselves in one.
#[allow(clippy::indexing_slicing)] // evaluated by the compiler, which refuses a wrong index
const IS_SIGN: [bool; 256] = {
    let (mut table, mut signs) = ([false; 256], b" \t\n;&|<>()\\'\"`$".as_slice());
    while let [sign, more @ ..] = signs {
        table[*sign as usize] = true;
        signs = more;
    }
    table
};

/// Collects parts, joining neighbours of one kind.
#[derive(Default)]
pub(super) struct Parts<'a> {
    list: Pieces,
    /// Text that more may be joined to. Most words are one stretch of the source.
    run: Run,
    text: Cow<'a, str>,
}

impl<'a> Parts<'a> {
    fn add_text(&mut self, run: Run, text: Cow<'a, str>) {
        if self.run != run {
            self.end_run();
            self.run = run;
            self.text = text;
        } else if self.text.is_empty() {
            self.text = text;
        } else if !text.is_empty() {
            self.text.to_mut().push_str(&text);
        }
    }

    fn end_run(&mut self) {
        let text = || SmolStr::new(&self.text);
        let part = match std::mem::take(&mut self.run) {
            Run::None => return,
            Run::Plain => Part::Plain(text()),
            Run::Quoted => Part::Quoted(text()),
        };
        self.text = Cow::Borrowed("");
        self.add(part);
    }

    pub(super) fn plain(&mut self, text: &'a str) {
        self.add_text(Run::Plain, Cow::Borrowed(text));
    }

    pub(super) fn quoted(&mut self, text: &'a str) {
        self.add_text(Run::Quoted, Cow::Borrowed(text));
    }

    /// A character that does not stand in the source like this.
    pub(super) fn quoted_char(&mut self, found: char) {
        if self.run == Run::Quoted {
            self.text.to_mut().push(found);
        } else {
            self.add_text(Run::Quoted, Cow::Owned(found.to_string()));
        }
    }

    pub(super) fn push(&mut self, part: Part) {
        match part {
            Part::Plain(text) => self.add_text(Run::Plain, Cow::Owned(text.into())),
            Part::Quoted(text) => self.add_text(Run::Quoted, Cow::Owned(text.into())),
            other => {
                self.end_run();
                self.add(other);
            }
        }
    }

    fn add(&mut self, part: Part) {
        self.list.push(part);
    }

    /// Could a `(` here open a group of a pattern? Behind `$@` as well.
    fn ends_with_glob_sign(&self) -> bool {
        match (self.run, self.list.last()) {
            (Run::Plain, _) => self.text.ends_with(['?', '*', '+', '@', '!']),
            (Run::None, Some(Part::Param(param))) => {
                matches!(param.text.as_str(), "$@" | "$*" | "$?" | "$!")
            }
            _ => false,
        }
    }

    pub(super) fn take(mut self) -> Pieces {
        self.end_run();
        self.list
    }
}

impl<'a> Parser<'a> {
    /// The word standing here, if one does.
    pub(super) fn word(&mut self) -> Option<RawWord> {
        self.plain_word().or_else(|| self.word_with(false))
    }

    /// A word without any sign in it, of which most texts are made.
    fn plain_word(&mut self) -> Option<RawWord> {
        let start = self.pos;
        let rest = self.bytes.get(start..self.end)?;
        let is_plain = |byte: &&u8| !IS_SIGN.get(usize::from(**byte)).is_some_and(|is_sign| *is_sign);
        let len = rest.iter().take_while(is_plain).count();
        let ends = matches!(rest.get(len), None | Some(b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b')'));
        if len == 0 || !ends {
            return None;
        }
        self.pos = start + len;
        self.count_piece();
        let parts = Pieces::One(Part::Plain(self.slice(start, self.pos).into()));
        Some(RawWord { span: self.span(start, self.pos), parts })
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

    fn plain_bytes(&mut self, count: usize, parts: &mut Parts<'a>) {
        self.align();
        parts.plain(self.slice(self.pos, self.pos + count));
        self.pos += count;
    }

    pub(super) fn quoted_byte(&mut self, parts: &mut Parts<'a>) {
        self.align();
        parts.quoted(self.slice(self.pos, self.pos + 1));
        self.pos += 1;
    }

    /// One piece of unquoted text: an escape, a quote, an expansion or a run.
    fn word_piece(&mut self, byte: u8, parts: &mut Parts<'a>) {
        match byte {
            b'\\' => {
                self.advance(1);
                match self.bump() {
                    Some(found) => parts.quoted(self.slice(self.pos - found.len_utf8(), self.pos)),
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

    fn plain_run(&mut self, parts: &mut Parts<'a>) {
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

    pub(super) fn dollar_ansi(&mut self, parts: &mut Parts<'a>) {
        match self.peek_at(1) {
            Some(b'\'') => {
                let start = self.pos;
                self.advance(2);
                let (text, closed) = self.ansi_body();
                if !closed {
                    self.fail(start, "unclosed `$'`");
                }
                parts.push(Part::Quoted(text.into()));
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

    pub(super) fn single_quoted(&mut self, parts: &mut Parts<'a>) {
        self.align();
        let start = self.pos;
        self.pos += 1;
        while self.raw().is_some_and(|byte| byte != b'\'') {
            self.pos += 1;
        }
        let text = self.slice(start + 1, self.pos);
        if self.raw().is_some() {
            self.pos += 1;
            parts.quoted(text);
        } else {
            self.fail(start, "unclosed `'`");
        }
    }

    pub(super) fn double_quoted(&mut self, parts: &mut Parts<'a>) {
        self.up_to_quote(parts, false);
    }

    /// Double quotes; `inner` ones stand in `"${x:-…}"`.
    pub(super) fn up_to_quote(&mut self, parts: &mut Parts<'a>, inner: bool) {
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
                Some(byte) => {
                    if inner && byte == b'$' {
                        self.strip_backslash();
                    }
                    self.quoted_piece(byte, parts, b'"');
                }
            }
        }
    }

    /// Text up to the end of a here-document body.
    pub(super) fn text_parts(&mut self, strip_tabs: bool) -> Pieces {
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
                parts.quoted_char(char::from(byte));
            } else {
                self.quoted_piece(byte, &mut parts, b'\n');
            }
        }
        parts.take()
    }

    /// One piece of text inside double quotes or their like; runs stop before `stop`.
    pub(super) fn quoted_piece(&mut self, byte: u8, parts: &mut Parts<'a>, stop: u8) {
        match byte {
            b'\\' => {
                self.advance(1);
                match self.raw() {
                    Some(next @ (b'$' | b'`' | b'"' | b'\\')) if next != b'"' || stop != b'\n' => {
                        self.pos += 1;
                        parts.quoted_char(char::from(next));
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
