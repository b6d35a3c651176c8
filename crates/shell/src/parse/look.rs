//! What is next in the text: bytes, short words, with joined lines never seen.

use super::Parser;

/// The longest reserved word.
const BARE_MAX: usize = 9;

/// A word as short as the longest reserved one, without an allocation: one is
/// looked for wherever a command may stand.
#[derive(Default)]
pub(super) struct Bare<'a> {
    /// It is in the text like this,
    whole: &'a str,
    /// or these are its bytes, with lines joined in between.
    bytes: [u8; BARE_MAX],
    len: usize,
}

impl Bare<'_> {
    pub(super) fn as_str(&self) -> &str {
        match self.bytes.get(..self.len) {
            Some(bytes @ [_, ..]) => std::str::from_utf8(bytes).unwrap_or(""),
            _ => self.whole,
        }
    }
}

impl<'a> Parser<'a> {
    /// The bytes from here on, with their places. A backslash at the end of
    /// a line joins it with the next before bash looks at anything, even
    /// inside `$(` or a name; so such pairs are never seen.
    pub(super) fn ahead(&self) -> impl Iterator<Item = (usize, u8)> {
        let mut at = self.pos;
        std::iter::from_fn(move || {
            while self.is_join(at) {
                at += 2;
            }
            let byte = self.bytes.get(at).copied().filter(|_| at < self.end)?;
            at += 1;
            Some((at - 1, byte))
        })
    }

    pub(super) fn is_join(&self, at: usize) -> bool {
        self.bytes.get(at) == Some(&b'\\') && at + 1 < self.end && self.bytes.get(at + 1) == Some(&b'\n')
    }

    /// The next `count` bytes, or all that are left; `None` where a backslash is
    /// among them, which may join lines. This is asked at every step.
    #[inline]
    pub(super) fn near(&self, count: usize) -> Option<&'a [u8]> {
        let near = self.bytes.get(self.pos..self.end.min(self.pos + count))?;
        if near.contains(&b'\\') { None } else { Some(near) }
    }

    #[inline]
    pub(super) fn peek(&self) -> Option<u8> {
        match self.raw() {
            Some(b'\\') => self.ahead().next().map(|(_, byte)| byte),
            found => found,
        }
    }

    pub(super) fn peek_at(&self, ahead: usize) -> Option<u8> {
        match self.near(ahead + 1) {
            Some(near) => near.get(ahead).copied(),
            None => self.ahead().nth(ahead).map(|(_, byte)| byte),
        }
    }

    /// The very next byte, joined lines and all: inside single quotes and
    /// comments they mean nothing.
    pub(super) fn raw(&self) -> Option<u8> {
        if self.pos < self.end { self.bytes.get(self.pos).copied() } else { None }
    }

    #[inline]
    pub(super) fn looking_at(&self, text: &str) -> bool {
        // Most times the first byte tells.
        let first = self.raw();
        (first == text.bytes().next() || first == Some(b'\\')) && self.is_ahead(text)
    }

    fn is_ahead(&self, text: &str) -> bool {
        if let Some(near) = self.near(text.len()) {
            return near == text.as_bytes();
        }
        self.ahead().map(|(_, byte)| byte).take(text.len()).eq(text.bytes())
    }

    pub(super) fn eat(&mut self, text: &str) -> bool {
        let found = self.looking_at(text);
        if found {
            self.advance(text.len());
        }
        found
    }

    /// Moves behind the next `count` bytes that are seen.
    pub(super) fn advance(&mut self, count: usize) {
        if let Some(near) = self.near(count) {
            self.pos += near.len();
        } else if let Some(last) = count.checked_sub(1) {
            let next = self.ahead().nth(last).map_or(self.end, |(at, _)| at + 1);
            self.pos = next;
        }
    }

    /// Moves behind joined lines.
    pub(super) fn align(&mut self) {
        while self.is_join(self.pos) {
            self.pos += 2;
        }
    }

    /// Takes one whole character that is seen.
    pub(super) fn take(&mut self) -> Option<char> {
        self.align();
        self.bump()
    }

    /// Takes one whole character, whatever it is.
    pub(super) fn bump(&mut self) -> Option<char> {
        let found = self.source.get(self.pos..self.end)?.chars().next()?;
        self.pos += found.len_utf8();
        Some(found)
    }

    /// The bare word standing here; empty when it is quoted, expanded or longer
    /// than any reserved word.
    pub(super) fn bare(&self) -> Bare<'a> {
        // Most words are none of the kind, and lines are seldom joined.
        let rest = self.bytes.get(self.pos..self.end).unwrap_or_default();
        let is_part = |byte: &&u8| matches!(byte, b'a'..=b'z' | b'{' | b'}' | b'!' | b'[' | b']');
        let len = rest.iter().take(BARE_MAX + 1).take_while(is_part).count();
        let ends = match rest.get(len..).unwrap_or_default() {
            [b'<' | b'>', b'\\', ..] | [b'\\', ..] => return self.bare_joined(),
            [b'<' | b'>', b'(', ..] => false,
            [b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'<' | b'>' | b'(' | b')', ..] | [] => true,
            _ => false,
        };
        let whole = if ends && len <= BARE_MAX { self.slice(self.pos, self.pos + len) } else { "" };
        Bare { whole, ..Bare::default() }
    }

    /// The same where lines may be joined in it.
    pub(super) fn bare_joined(&self) -> Bare<'a> {
        let mut word = Bare::default();
        let mut ahead = self.ahead().map(|(_, byte)| byte).peekable();
        while let Some(byte) = ahead.next() {
            match byte {
                b'<' | b'>' if ahead.peek() == Some(&b'(') => return Bare::default(),
                b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'<' | b'>' | b'(' | b')' => break,
                b'a'..=b'z' | b'{' | b'}' | b'!' | b'[' | b']' => match word.bytes.get_mut(word.len) {
                    Some(slot) => {
                        *slot = byte;
                        word.len += 1;
                    }
                    None => return Bare::default(),
                },
                _ => return Bare::default(),
            }
        }
        word
    }

    /// Takes the bare word `word`, known to stand here.
    pub(super) fn take_bare(&mut self, word: &str) {
        self.advance(word.len());
    }

    pub(super) fn eat_bare(&mut self, word: &str) -> bool {
        let found = self.bare().as_str() == word;
        if found {
            self.take_bare(word);
        }
        found
    }
}
