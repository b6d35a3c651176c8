//! Texts that bash changes while it reads them. They are read once more, as changed.
//!
//! Here-documents still open where their `$(…)` closes: bash 5.2 reads their
//! lines there and then, those behind the line it is in, be that in the middle
//! of a quote, of arithmetic or of a joined line. And `$'…'` in `"${x:-…}"`, in
//! arithmetic and in subscripts is decoded before the rest is looked at, so that
//! `"${x:-$'\x24(rm y)'}"` runs `rm`; so are double quotes taken out of what
//! is in single quotes there.

use smol_str::SmolStr;

use super::word::Parts;
use super::{Parser, Pending};
use crate::reading::{Span, Unknown};
use crate::tree::{List, Node, Part, Pieces};

/// How often one text is changed.
pub(super) const CHANGES_MAX: usize = 6;

/// What one text is changed by.
#[derive(Default)]
pub(super) struct Rewrite {
    /// The first substitution with here-documents that are open behind it.
    pub(super) left: Option<Left>,
    /// Decoded texts, and from where to where they is.
    decoded: Vec<(usize, usize, String)>,
    /// How often this text was changed before.
    changes: usize,
}

/// Where a substitution closes, where the line ends that it closes in, and what
/// is open.
pub(super) struct Left {
    close: usize,
    line: usize,
    open: Vec<Pending>,
    /// What is around it does not hold together otherwise.
    certain: bool,
}

impl Parser<'_> {
    /// A substitution has just closed with these still open. They come before
    /// those announced outside of it.
    pub(super) fn leave_open(&mut self, mut left: Vec<Pending>) {
        if left.is_empty() {
            return;
        }
        if self.rewrite.left.is_none()
            && let Some(line) = self.line_end_from(self.pos)
        {
            let open = left.iter().map(Pending::without_body).collect();
            self.rewrite.left = Some(Left { close: self.pos.saturating_sub(1), line, open, certain: false });
        }
        // Behind those left by a substitution before it.
        let at = self.pending.iter().take_while(|one| one.left).count();
        left.iter_mut().for_each(|one| one.left = true);
        self.pending.splice(at..at, left);
    }

    /// The substitution that was opened here does not hold together with their lines
    /// in it: those are moved.
    pub(super) fn move_left(&mut self, open: usize) {
        if let Some(left) = self.rewrite.left.as_mut().filter(|left| left.close >= open) {
            left.certain = true;
        }
    }

    /// Here-documents are read here. Just behind the line it is as usual.
    pub(super) fn read_left(&mut self) {
        let usual = self.rewrite.left.as_ref().is_some_and(|left| !left.certain && left.line + 1 == self.pos);
        if usual && !self.pending.is_empty() {
            self.rewrite.left = None;
        }
    }

    /// `$'…'` where its text is read as if it was there itself.
    pub(super) fn decoded(&mut self, parts: &mut Parts<'_>) {
        let start = self.pos;
        self.advance(2);
        let (text, closed) = self.ansi_body();
        if !closed {
            return self.fail(start, "unclosed `$'`");
        }
        if text.contains(['$', '`', '\\', '"', '\'', '(', ')', '[', ']', '{', '}']) {
            // Its quotes keep nothing from being expanded; read here, an odd one
            // would hide all that follows.
            self.rewrite.decoded.push((start, self.pos, text.replace(['"', '\''], "")));
        }
        let (opened, closed) = (text.matches('(').count(), text.matches(')').count());
        let odd = text.matches('`').count() % 2 == 1 || opened > closed && closed > 0;
        if text.contains("$(") && odd {
            // What is opened last ends no one knows where; what is before it runs.
            self.exceed("something open in text that is expanded again");
        }
        // What is expanded once more is another text in the end.
        let expands = text.contains(['$', '`']);
        let text: SmolStr = text.into();
        parts.push(if expands { Part::unknown(text, Pieces::default()) } else { Part::Quoted(text) });
    }

    /// Bash takes double quotes out of what replaces a value before it expands
    /// it, where it has not read them before: `"${x:-'$"(rm y)'}"` runs `rm`.
    pub(super) fn strip_quotes(&mut self, byte: u8) {
        if byte != b'$' || self.peek_at(1) != Some(b'"') {
            return;
        }
        self.align();
        let rest = self.bytes.get(self.pos + 1..self.end).unwrap_or_default();
        let quotes = rest.iter().take_while(|byte| **byte == b'"').count();
        if matches!(rest.get(quotes), Some(b'(' | b'{' | b'[')) {
            self.rewrite.decoded.push((self.pos + 1, self.pos + 1 + quotes, String::new()));
        }
    }

    /// So does it with a backslash that protects nothing in quotes inside of quotes:
    /// `"${x:-"$\(rm y)"}"` runs `rm`.
    pub(super) fn strip_backslash(&mut self) {
        self.align();
        let rest = self.bytes.get(self.pos..self.end).unwrap_or_default();
        if let [b'$', b'\\', b'(' | b'{' | b'[', ..] = rest {
            self.rewrite.decoded.push((self.pos + 1, self.pos + 2, String::new()));
        }
    }

    /// Where a line of a file ends right behind what was no arithmetic, bash 5.2
    /// loses the first word of the next: `((( 1 ))`, `echo rm x)` runs `rm`.
    pub(super) fn lose_word_behind(&mut self, close: Option<usize>) {
        let Some(line) = close.filter(|_| self.base.is_some()).map(|close| close + 1) else { return };
        let rest = self.bytes.get(line..self.end).unwrap_or_default();
        if let [b'\n', rest @ ..] = rest {
            let is_blank = |byte: &&u8| matches!(byte, b' ' | b'\t');
            let from = line + 1 + rest.iter().take_while(is_blank).count();
            let word = self.bytes.get(from..self.end).unwrap_or_default();
            let length = word.iter().take_while(|byte| !b" \t\n;&|<>()".contains(byte)).count();
            self.rewrite.decoded.push((from, from + length, String::new()));
        }
    }

    /// What is there is some value, to a shell that reads it otherwise.
    pub(super) fn stand_in(&mut self, start: usize, end: usize) {
        self.rewrite.decoded.push((start, end, "$_".to_string()));
    }

    /// Reads the text from `start` on once more, if it is changed.
    pub(super) fn read_rewritten(&mut self, start: usize, list: &mut List) {
        let Some(text) = self.rewritten(start) else { return };
        if self.rewrite.changes >= CHANGES_MAX || !self.may_look(text.len()) {
            return self.exceed("more than can be followed");
        }
        let base = self.base.unwrap_or(Span { start, end: self.end });
        let mut other = Parser::new(&text, Some(base), self.depth);
        other.pieces = self.pieces;
        other.rewrite.changes = self.rewrite.changes + 1;
        other.looked.set(self.looked.get());
        list.push(Node::Subshell(other.whole(), Vec::new()));
        self.looked.set(other.looked.get());
        self.pieces = other.pieces;
        if let Some(fault) = other.fault.filter(|fault| fault.kind == Unknown::Limit) {
            self.fault = Some(fault);
        }
    }

    /// The text as bash changes it, if it does.
    pub(super) fn rewritten(&mut self, start: usize) -> Option<String> {
        if let Some(left) = self.rewrite.left.take() {
            return Some(self.with_lines_moved(start, &left));
        }
        if self.rewrite.decoded.is_empty() {
            return None;
        }
        let mut decoded = std::mem::take(&mut self.rewrite.decoded);
        // What is looked at twice is found twice.
        decoded.sort_unstable_by_key(|(from, ..)| *from);
        let mut text = String::new();
        let mut at = start;
        for (from, to, new) in decoded.iter().filter(|(from, ..)| *from >= start) {
            if *from >= at {
                text.push_str(self.slice(at, *from));
                text.push_str(new);
                at = *to;
            }
        }
        text.push_str(self.slice(at, self.end));
        (at > start).then_some(text)
    }

    /// The same for the body of a here-document, which ends here. What is decoded
    /// in it is so in the whole text.
    pub(super) fn rewritten_document(&mut self, start: usize) -> Option<String> {
        let left = self.rewrite.left.take()?;
        Some(self.with_lines_moved(start, &left))
    }

    fn with_lines_moved(&mut self, start: usize, left: &Left) -> String {
        self.pos = left.line + 1;
        self.substitutions += 1;
        for pending in &left.open {
            let _ = self.heredoc_end(pending);
        }
        self.substitutions -= 1;
        let after = std::mem::replace(&mut self.pos, self.end);
        let (before, behind) = (self.slice(start, left.close), self.slice(left.close, left.line + 1));
        let (lines, rest) = (self.slice(left.line + 1, after), self.slice(after, self.end));
        // The last line may have no end of its own.
        [before, "\n", lines, "\n", behind, rest].concat()
    }
}
