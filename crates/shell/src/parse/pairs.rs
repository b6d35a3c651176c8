//! Where a parenthesis closes, looked for before anything in it is read.
//!
//! As bash does for `((` and `$((`, which may be arithmetic or not: only
//! quotes, expansions and parentheses count, and a command substitution inside
//! is read for real, for its own end depends on what it says.

use super::{DEPTH_MAX, Parser};

/// What looking through a byte of a substitution counts for: it is read.
const READ_COST: usize = 4;

/// What reading one substitution counts for, next to its bytes.
const SUBSTITUTION_COST: usize = 256;

/// Words that open something.
const COMPOUNDS: [&str; 8] = ["if", "case", "while", "until", "for", "select", "coproc", "function"];

impl Parser<'_> {
    /// Bash reads `((` as arithmetic when the parenthesis matching the second
    /// one is followed at once by another.
    pub(super) fn closes_twice(&self, close: Option<usize>) -> bool {
        close.is_some_and(|at| self.byte_at(at + 1) == Some(b')'))
    }

    /// Where the `$((` closes that ends `ahead` bytes on, if it is arithmetic and
    /// still so when it is expanded. Then bash counts the parentheses once more,
    /// those of `case` patterns as well.
    pub(super) fn arithmetic_close(&mut self, ahead: usize) -> Option<usize> {
        let start = self.ahead().nth(ahead).map_or(self.end, |(at, _)| at);
        let found = self.look_for_arithmetic_close(ahead);
        let close = found.filter(|_| self.closes_twice(found))?;
        let mut level = 0isize;
        let mut at = start;
        while let Some(byte) = self.byte_at(at).filter(|_| at < close) {
            let skipped = match byte {
                b'(' => {
                    level += 1;
                    None
                }
                b')' => {
                    level -= 1;
                    None
                }
                b'\\' => Some(at + 1),
                // An apostrophe in a comment takes all the rest with it.
                b'\'' => self.quote_end(at + 1, byte, false).or(Some(close)),
                b'"' => self.pair_end(at + 1, byte, self.depth).or(Some(close)),
                _ => None,
            };
            at = skipped.unwrap_or(at) + 1;
        }
        (level == 0).then_some(close)
    }

    /// Where the parenthesis closes that was opened `ahead` bytes before.
    pub(super) fn look_for_close(&mut self, ahead: usize) -> Option<usize> {
        let (start, _) = self.ahead().nth(ahead)?;
        let close = self.pair_end(start, b')', self.depth);
        let looked = close.unwrap_or(self.end).saturating_sub(start);
        if !self.may_look(looked) {
            self.exceed("more than can be followed");
            return None;
        }
        close
    }

    /// Where the `))` of arithmetic closes that was opened `ahead` bytes before,
    /// or the `)` of what only looked like it. Bash heeds quotes, parentheses and
    /// `$(` there and nothing else: `(( ${x:+(} rm y ))` runs commands.
    pub(super) fn look_for_arithmetic_close(&mut self, ahead: usize) -> Option<usize> {
        let (start, _) = self.ahead().nth(ahead)?;
        let close = self.arithmetic_end(start, self.depth);
        let behind = close.unwrap_or(self.end);
        if !self.may_look(behind.saturating_sub(start)) {
            self.exceed("more than can be followed");
            return None;
        }
        if times_a_compound(self.slice(start, behind)) {
            // `time` is a plain word there when bash looks for the end.
            self.exceed("`time` and a compound in arithmetic");
        }
        if leaves_quote_open(self.slice(start, behind)) {
            // The lines of a here-document are looked through before they are known as such.
            self.exceed("a quote in a here-document in arithmetic");
        }
        close
    }

    fn arithmetic_end(&self, start: usize, depth: usize) -> Option<usize> {
        if depth > DEPTH_MAX || !self.may_look(1) {
            return None;
        }
        let mut level = 1usize;
        let mut at = start;
        while let Some(byte) = self.byte_at(at) {
            match byte {
                b'\\' => at += 1,
                b'#' if self.in_document && self.follows_blank(at) => at = self.comment_end(at),
                b'(' => level += 1,
                b')' if level == 1 => return Some(at),
                b')' => level -= 1,
                b'\'' => at = self.quote_end(at + 1, b'\'', false)?,
                b'"' => at = self.pair_end(at + 1, b'"', depth + 1)?,
                b'`' => at = self.quote_end(at + 1, b'`', true)?,
                b'$' => match self.byte_at(at + 1) {
                    Some(b'(') => at = self.substitution_end(at + 2, depth + 1)?,
                    Some(b'\'') => at = self.quote_end(at + 2, b'\'', true)?,
                    _ => {}
                },
                _ => {}
            }
            at += 1;
        }
        None
    }

    /// In the text of a here-document, which is looked through when it is
    /// expanded, comments are skipped.
    fn follows_blank(&self, at: usize) -> bool {
        matches!(self.byte_at(at.wrapping_sub(1)), Some(b' ' | b'\t' | b'\n'))
    }

    fn comment_end(&self, start: usize) -> usize {
        let rest = self.bytes.get(start..self.end).unwrap_or_default();
        start + rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len())
    }

    /// Where the `}` of a `${` is, from inside it.
    pub(super) fn look_for_brace(&mut self) -> Option<usize> {
        let close = self.pair_end(self.pos, b'}', self.depth);
        let looked = close.unwrap_or(self.end).saturating_sub(self.pos);
        close.filter(|_| self.may_look(looked))
    }

    /// Where the pair that `close` ends is closed, from inside it.
    fn pair_end(&self, start: usize, close: u8, depth: usize) -> Option<usize> {
        if depth > DEPTH_MAX || !self.may_look(1) {
            return None;
        }
        let mut level = 1usize;
        let mut at = start;
        while let Some(byte) = self.byte_at(at) {
            match byte {
                b'\\' => at += 1,
                _ if byte == close => {
                    level -= 1;
                    if level == 0 {
                        return Some(at);
                    }
                }
                b'(' if close == b')' => level += 1,
                b'\'' if close != b'"' => at = self.quote_end(at + 1, b'\'', false)?,
                b'"' => at = self.pair_end(at + 1, b'"', depth + 1)?,
                b'`' => at = self.quote_end(at + 1, b'`', true)?,
                b'$' => match self.byte_at(at + 1) {
                    Some(b'(') => at = self.substitution_end(at + 2, depth + 1)?,
                    Some(b'{') => at = self.pair_end(at + 2, b'}', depth + 1)?,
                    Some(b'\'') if close != b'"' => at = self.quote_end(at + 2, b'\'', true)?,
                    _ => {}
                },
                _ => {}
            }
            at += 1;
        }
        None
    }

    fn byte_at(&self, at: usize) -> Option<u8> {
        self.bytes.get(at).copied().filter(|_| at < self.end)
    }

    fn quote_end(&self, start: usize, close: u8, escapes: bool) -> Option<usize> {
        let mut at = start;
        loop {
            match self.byte_at(at)? {
                byte if byte == close => return Some(at),
                b'\\' if escapes => at += 2,
                _ => at += 1,
            }
        }
    }

    /// The `)` of a substitution that holds nothing but plain words.
    fn plain_end(&self, start: usize) -> Option<usize> {
        let rest = self.bytes.get(start..self.end)?.get(..64.min(self.end - start))?;
        let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b" -_./|+%=:,".contains(byte);
        let length = rest.iter().take_while(|byte| plain(byte)).count();
        let text = rest.get(..length)?;
        let has_case = text.windows(4).any(|piece| piece == b"case");
        (rest.get(length) == Some(&b')') && !has_case).then_some(start + length)
    }

    /// The `)` of a command substitution, from inside it.
    fn substitution_end(&self, start: usize, depth: usize) -> Option<usize> {
        if self.byte_at(start) == Some(b'(') {
            return self.arithmetic_end(start, depth);
        }
        if let Some(close) = self.plain_end(start) {
            return Some(close);
        }
        if let Some(known) = self.closes.borrow().get(&start) {
            return *known;
        }
        let mut inner = Parser::new(self.source, self.base, depth.min(DEPTH_MAX));
        inner.pos = start;
        inner.end = self.end;
        inner.pieces = self.pieces;
        inner.substitutions = 1;
        inner.looked.set(self.looked.get());
        inner.closes = std::rc::Rc::clone(&self.closes);
        let _ = inner.list();
        inner.align();
        self.looked.set(inner.looked.get());
        let read = inner.fault.is_none() && inner.raw() == Some(b')');
        let close = if read { Some(inner.pos) } else { self.pair_end(start, b')', depth + 1) };
        let bytes = close.unwrap_or(self.end).saturating_sub(start);
        let _ = self.may_look(SUBSTITUTION_COST + bytes * READ_COST);
        self.closes.borrow_mut().insert(start, close);
        close
    }
}

/// Does a `$(` begin with `time` and something that has an end of its own, where a
/// comment may hide parts of it?
fn times_a_compound(text: &str) -> bool {
    let opens = |inside: &str| {
        let mut words = inside.split_ascii_whitespace().skip(1).skip_while(|word| word.starts_with('-'));
        words.next().is_some_and(|word| word.starts_with(['(', '{', '[']) || COMPOUNDS.contains(&word))
    };
    text.contains("time")
        && text.contains('#')
        && text.split("$(").skip(1).any(|inside| begins_with_time(inside) && opens(inside))
}

/// Is there a here-document in a `$(` that is in another one, and a quote that is not closed?
fn leaves_quote_open(text: &str) -> bool {
    let begins =
        |rest: &str| rest.starts_with(|first: char| first.is_ascii_alphabetic() || "-'\"\\".contains(first));
    text.contains("<<")
        && text.contains('\n')
        && text.split("$(").skip(2).any(|inside| inside.split("<<").skip(1).any(begins))
        && ['\'', '"', '`'].iter().any(|quote| text.matches(*quote).count() % 2 == 1)
}

/// Is the first word the reserved one?
pub(super) fn begins_with_time(text: &str) -> bool {
    let behind = text.trim_start().strip_prefix("time");
    behind.is_some_and(|behind| behind.starts_with([' ', '\t', '\n', '\\']))
}
