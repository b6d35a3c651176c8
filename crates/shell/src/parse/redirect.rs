//! Redirects, and the here-documents some of them announce.

use smol_str::{SmolStr, SmolStrBuilder};
use std::borrow::Cow;
use std::cell::OnceCell;
use std::rc::Rc;

use super::rewrite::CHANGES_MAX;
use super::{Parser, Pending};
use crate::reading::{RedirectKind, Span};
use crate::tree::{Part, Pieces, RawRedirect, RawWord};

/// Operators, longest first.
const OPERATORS: [(&str, RedirectKind); 12] = [
    ("<<<", RedirectKind::HereString),
    ("<<-", RedirectKind::HereDoc),
    ("&>>", RedirectKind::Append),
    ("<<", RedirectKind::HereDoc),
    ("<&", RedirectKind::Duplicate),
    ("<>", RedirectKind::ReadWrite),
    (">>", RedirectKind::Append),
    (">&", RedirectKind::Duplicate),
    (">|", RedirectKind::Write),
    ("&>", RedirectKind::Write),
    ("<", RedirectKind::Read),
    (">", RedirectKind::Write),
];

impl<'a> Parser<'a> {
    /// Could a redirect stand here? Asked before every word.
    #[inline]
    pub(super) fn may_redirect(&self) -> bool {
        matches!(self.raw(), Some(b'<' | b'>' | b'&' | b'{' | b'0'..=b'9' | b'\\'))
    }

    /// The redirect standing here, if one does.
    pub(super) fn redirect(&mut self) -> Option<RawRedirect> {
        if !matches!(self.peek(), Some(b'<' | b'>' | b'&' | b'{' | b'0'..=b'9')) {
            return None;
        }
        let start = self.pos;
        let from = self.descriptor();
        if !matches!(self.peek(), Some(b'<' | b'>' | b'&')) {
            self.pos = start;
            return None;
        }
        let process = self.peek_at(1) == Some(b'(') && self.peek() != Some(b'&');
        let found = OPERATORS.iter().filter(|_| !process).find(|(text, _)| self.looking_at(text));
        let Some((text, kind)) = found else {
            self.pos = start;
            return None;
        };
        if text.starts_with('&') && from.is_some() {
            self.pos = start;
            return None;
        }
        self.count_piece();
        self.print_redirect();
        self.advance(text.len());
        self.blanks();
        if *kind == RedirectKind::HereDoc {
            return Some(self.heredoc_start(from, *text == "<<-"));
        }
        let target = match self.word() {
            Some(word) => word,
            None => {
                self.fail(start, format!("`{text}` without a target"));
                RawWord::default()
            }
        };
        let kind = if *text == ">&" { kind_of_output(&target) } else { *kind };
        // Later readers need not know the sign to tell `<&3` from `>&3`.
        let from = from.or_else(|| (*text == "<&").then(|| "0".into()));
        Some(RawRedirect { kind, from, target: Rc::new(target), body: None })
    }

    /// `2` of `2>`, `{fd}` of `{fd}>`; the position is restored by the caller.
    fn descriptor(&mut self) -> Option<SmolStr> {
        let start = self.pos;
        if self.eat("{") {
            let name = self.identifier();
            if !name.is_empty() && self.eat("}") && matches!(self.peek(), Some(b'<' | b'>')) {
                return Some(name);
            }
            self.pos = start;
            return None;
        }
        let mut number = SmolStrBuilder::new();
        while let Some(byte) = self.peek().filter(u8::is_ascii_digit) {
            self.advance(1);
            number.push(char::from(byte));
        }
        if self.pos > start && matches!(self.peek(), Some(b'<' | b'>')) {
            return Some(number.finish());
        }
        self.pos = start;
        None
    }

    fn heredoc_start(&mut self, from: Option<SmolStr>, strip_tabs: bool) -> RawRedirect {
        let (delimiter, quoted) = self.delimiter();
        self.reprint.deferred = true;
        let body: Rc<OnceCell<RawWord>> = Rc::default();
        self.pending.push(Pending { delimiter, quoted, strip_tabs, body: Rc::clone(&body), left: false });
        RawRedirect { kind: RedirectKind::HereDoc, from, target: Rc::default(), body: Some(body) }
    }

    /// The delimiter word: quotes are removed, nothing is expanded.
    fn delimiter(&mut self) -> (String, bool) {
        let start = self.pos;
        let mut text = String::new();
        let mut quoted = false;
        while let Some(byte) = self.peek() {
            match byte {
                b'(' if text.ends_with(['?', '*', '+', '@', '!'])
                    && let Some(end) = self.look_for_close(1) =>
                {
                    self.align();
                    text.push_str(self.slice(self.pos, end + 1));
                    self.pos = end + 1;
                }
                b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'<' | b'>' | b'(' | b')' => break,
                b'\\' => {
                    self.advance(1);
                    quoted = true;
                    text.extend(self.bump());
                }
                b'\'' | b'"' => {
                    quoted = true;
                    self.advance(1);
                    let open = char::from(byte);
                    loop {
                        match self.bump() {
                            Some(found) if found == open => break,
                            Some('\\') if open == '"' => match self.bump() {
                                Some('\n') | None => {}
                                Some(found) => {
                                    let goes = matches!(found, '$' | '`' | '"' | '\\');
                                    text.extend((!goes).then_some('\\'));
                                    text.push(found);
                                }
                            },
                            Some('$' | '`') if open == '"' => return self.odd_delimiter(),
                            Some(found) => text.push(found),
                            None => {
                                self.fail(start, format!("unclosed `{open}`"));
                                break;
                            }
                        }
                    }
                }
                b'$' if self.peek_at(1) == Some(b'\'') => {
                    quoted = true;
                    self.advance(2);
                    let (decoded, closed) = self.ansi_body();
                    text.push_str(&decoded);
                    if !closed {
                        self.fail(start, "unclosed `$'`");
                    }
                }
                b'$' if self.peek_at(1) == Some(b'"') => self.advance(1),
                // Bash prints these again and compares with that.
                b'`' => return self.odd_delimiter(),
                b'$' if matches!(self.peek_at(1), Some(b'(' | b'{' | b'[')) => return self.odd_delimiter(),
                _ => text.extend(self.take()),
            }
        }
        if self.pos == start {
            self.fail(start, "`<<` without a delimiter");
        }
        (text, quoted)
    }

    /// A delimiter with an expansion in it: where its text ends is not known.
    fn odd_delimiter(&mut self) -> (String, bool) {
        self.exceed("a here-document whose end is not known");
        (String::new(), true)
    }

    /// Reads the bodies of all announced here-documents, in order.
    pub(super) fn read_heredocs(&mut self) {
        if self.pos <= self.pushed_to {
            self.heredoc_in_pushed |= !self.pending.is_empty();
            if self.pushes {
                return;
            }
        }
        self.read_left();
        for pending in std::mem::take(&mut self.pending) {
            let start = self.pos;
            let end = self.heredoc_end(&pending);
            let after = self.pos;
            let parts = if pending.quoted {
                Pieces::One(Part::Quoted(strip(self.slice(start, end), pending.strip_tabs)))
            } else {
                self.heredoc_parts(start, end, pending.strip_tabs)
            };
            if self.fault.is_none() {
                self.pos = after;
            }
            self.forgive(after);
            let _ = pending.body.set(RawWord { span: self.span(start, end), parts });
        }
    }

    /// Moves behind the delimiter line; returns where the body ends. A body
    /// without its delimiter runs to the end of the text, as in bash.
    pub(super) fn heredoc_end(&mut self, pending: &Pending) -> usize {
        loop {
            let start = self.pos;
            if start >= self.end {
                return start;
            }
            let mut joined: Cow<'a, str> = Cow::Borrowed("");
            loop {
                let line = self.raw_line();
                match line.strip_suffix('\\') {
                    Some(head) if !pending.quoted && odd_backslashes(line) && self.pos < self.end => {
                        joined += head;
                    }
                    _ => {
                        joined += line;
                        break;
                    }
                }
            }
            let line = if pending.strip_tabs { joined.trim_start_matches('\t') } else { &joined };
            // Also as it is, for a delimiter that begins with a tab.
            if line == pending.delimiter || joined == pending.delimiter {
                return start;
            }
            if (self.substitutions > 0 || pending.left)
                && line.strip_prefix(&pending.delimiter).is_some_and(|rest| rest.contains(')'))
            {
                self.move_behind(pending, start);
                return start;
            }
        }
    }

    /// In a substitution, bash takes the delimiter for the end wherever a `)`
    /// follows it in the line, and reads the rest of that line as commands.
    fn move_behind(&mut self, pending: &Pending, start: usize) {
        self.pos = start;
        while pending.strip_tabs && self.raw() == Some(b'\t') {
            self.pos += 1;
        }
        for _ in pending.delimiter.chars() {
            if !pending.quoted {
                self.align();
            }
            let _ = self.bump();
        }
    }

    /// One line without its end; moves behind it.
    fn raw_line(&mut self) -> &'a str {
        let start = self.pos;
        let rest = self.bytes.get(start..self.end).unwrap_or_default();
        let stop = rest.iter().position(|byte| *byte == b'\n').map_or(self.end, |length| start + length);
        self.pos = (stop + 1).min(self.end);
        self.source.get(start..stop).unwrap_or("")
    }

    /// The parts of an unquoted body: like double quotes, but `"` is plain.
    fn heredoc_parts(&mut self, start: usize, end: usize, strip_tabs: bool) -> Pieces {
        let base = self.span(start, end);
        if self.slice(start, end).contains("\\\n") {
            // Bash joins lines first, whatever quotes stand in the body.
            let text = joined(self.slice(start, end));
            return self.document_parts(&text, base, strip_tabs, 0);
        }
        let outer_end = std::mem::replace(&mut self.end, end);
        let left = self.rewrite.left.take();
        let in_document = std::mem::replace(&mut self.in_document, true);
        self.pos = start;
        let mut parts = self.deeper(|parser| parser.text_parts(strip_tabs));
        // What is announced in it ends with it.
        self.pending.clear();
        self.in_document = in_document;
        let changed = self.rewritten_document(start);
        self.rewrite.left = left;
        self.end = outer_end;
        if self.fault.is_some() {
            self.pos = self.end;
        }
        parts.extend(changed.map(|text| self.changed_document(&text, base, strip_tabs, 0)));
        parts
    }

    /// The same of a text of its own.
    fn document_parts(&mut self, text: &str, base: Span, strip_tabs: bool, changes: usize) -> Pieces {
        let mut parser = Parser::new(text, Some(base), self.depth);
        parser.pieces = self.pieces;
        parser.in_document = true;
        parser.looked.set(self.looked.get());
        let mut parts = parser.deeper(|parser| parser.text_parts(strip_tabs));
        let changed = parser.rewritten(0);
        self.pieces = parser.pieces;
        self.looked.set(parser.looked.get());
        self.mistake = self.mistake.take().or(parser.mistake);
        if let Some(fault) = parser.fault {
            self.end_with(self.end, fault.message, fault.kind);
        }
        parts.extend(changed.map(|text| self.changed_document(&text, base, strip_tabs, changes)));
        parts
    }

    /// What a body is to bash that has changed it while reading a substitution in it.
    fn changed_document(&mut self, text: &str, base: Span, strip_tabs: bool, changes: usize) -> Part {
        let mut inner = Pieces::default();
        if changes >= CHANGES_MAX || !self.may_look(text.len()) {
            self.exceed("more than can be followed");
        } else {
            let (fault, next) = (self.fault.take(), self.pos);
            inner = self.document_parts(text, base, strip_tabs, changes + 1);
            self.forgive(next);
            self.fault = self.fault.take().or(fault);
        }
        Part::unknown(SmolStr::default(), inner)
    }
}

/// The text with joined lines made one.
fn joined(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(found) = chars.next() {
        match (found, chars.peek()) {
            ('\\', Some('\n')) => {
                chars.next();
            }
            ('\\', Some(_)) => {
                out.push(found);
                out.extend(chars.next());
            }
            _ => out.push(found),
        }
    }
    out
}

/// `>&2` and `>&-` copy a descriptor; `>& file` writes.
fn kind_of_output(target: &RawWord) -> RedirectKind {
    match target.parts.as_slice() {
        [Part::Plain(text)] if text.trim_end_matches('-').bytes().all(|byte| byte.is_ascii_digit()) => {
            RedirectKind::Duplicate
        }
        [Part::Param(_)] => RedirectKind::Duplicate,
        _ => RedirectKind::Write,
    }
}

fn odd_backslashes(line: &str) -> bool {
    line.bytes().rev().take_while(|byte| *byte == b'\\').count() % 2 == 1
}

fn strip(body: &str, tabs: bool) -> SmolStr {
    if !tabs {
        return body.into();
    }
    body.split_inclusive('\n').map(|line| line.trim_start_matches('\t')).collect()
}
