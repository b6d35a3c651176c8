//! Simple commands: assignments, words, redirects – and `f()`, which looks
//! like one until its parentheses.

use std::rc::Rc;

use smol_str::{SmolStr, SmolStrBuilder, format_smolstr};

use super::Parser;
use super::compound::plain_text;
use super::list::CLOSERS;
use crate::tree::{Node, Part, Pieces, RawAssignment, RawWord, Simple};

/// How far ahead `name[…]=` is looked for.
const SUBSCRIPT_MAX: usize = 256;

/// Builtins whose arguments may be whole assignments.
const DECLARERS: [&str; 5] = ["declare", "typeset", "local", "export", "readonly"];

/// Words that are still reserved in a list behind `coproc` and a word.
const RESERVED: [&str; 12] =
    ["!", "{", "[[", "if", "while", "until", "for", "select", "case", "function", "time", "coproc"];

/// Builtins that are given such a list as text.
const LIST_READERS: [&str; 3] = ["eval", "let", "alias"];

/// What `name=(…)` is to a command.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Lists {
    /// A mistake.
    Refused,
    /// An assignment.
    Declared,
    /// Text.
    Text,
}

impl Lists {
    fn of(first: &RawWord) -> Lists {
        if is_one_of(&LIST_READERS, first) {
            Lists::Text
        } else if is_one_of(&DECLARERS, first) {
            Lists::Declared
        } else {
            Lists::Refused
        }
    }
}

/// What is where an assignment could stand.
enum Head {
    Assignment(RawAssignment),
    Word(RawWord),
}

impl Parser<'_> {
    pub(super) fn simple(&mut self) -> Node {
        let start = self.pos;
        let mut simple = Simple::default();
        let mut last = start;
        let mut lists = Lists::Refused;
        let mut front = None;
        loop {
            self.blanks();
            if self.may_redirect()
                && let Some(redirect) = self.redirect()
            {
                simple.redirects.push(redirect);
                front = self.skip_printed_front(&simple).or(front);
            } else if simple.words.is_empty()
                && let Some(head) = self.head()
            {
                match head {
                    Head::Assignment(assignment) => simple.assignments.push(assignment),
                    Head::Word(word) => simple.words.push(word),
                }
            } else if let Some(word) = self.argument(&simple, lists, self.coproc_at == Some(start)) {
                if simple.words.is_empty() {
                    lists = Lists::of(&word);
                }
                simple.words.push(word);
            } else if self.eat_lost() {
                simple.words.extend(self.printed_front());
                continue;
            } else {
                break;
            }
            last = self.pos;
        }
        if self.peek() == Some(b'(') && is_function_head(&simple) {
            return self.function_parens(&simple);
        }
        if simple.words.is_empty() && simple.assignments.is_empty() && simple.redirects.is_empty() {
            self.fail_unexpected();
        }
        simple.span = self.span(start, last);
        let patterns = self.lost_patterns(&mut simple);
        if patterns.is_empty() && front.is_none() {
            return Node::Simple(simple);
        }
        let mut list = Self::with_front(front, simple);
        list.extend(patterns);
        Node::Group(list, Vec::new())
    }

    fn function_parens(&mut self, simple: &Simple) -> Node {
        self.advance(1);
        self.blanks();
        if !self.eat(")") {
            self.fail_unexpected();
        }
        self.function_body(simple.words.last())
    }

    /// A word; after `declare` and its like also `name=(…)`. What is first
    /// behind `coproc` may be a name, so the next word may be anything, `}` as well.
    fn argument(&mut self, simple: &Simple, lists: Lists, in_coproc: bool) -> Option<RawWord> {
        let alone = simple.assignments.is_empty() && simple.redirects.is_empty();
        let named = in_coproc && simple.words.len() == 1 && alone;
        if named && CLOSERS.contains(&self.bare().as_str()) {
            return None;
        }
        let start = self.pos;
        if (named || lists != Lists::Refused)
            && self.at_head()
            && let Some(head_end) = self.assignment_head()
            && self.bytes.get(head_end) == Some(&b'(')
        {
            let head = self.slice(start, head_end).replace("\\\n", "");
            self.pos = head_end;
            let array = if named { self.array(&RESERVED) } else { self.array(&[]) };
            let mut parts = match lists {
                Lists::Text => list_text(head, array),
                _ => vec![Part::Plain(head.into()), array].into(),
            };
            // Whatever is right behind it makes it no list.
            parts.extend(self.word().into_iter().flat_map(|rest| rest.parts));
            return Some(RawWord { span: self.span(start, self.pos), parts });
        }
        self.word()
    }

    /// End of `name=`, `name+=` or `name[…]=` if that is here.
    pub(super) fn assignment_head(&self) -> Option<usize> {
        let mut ahead = self.ahead().peekable();
        let mut first = true;
        while let Some((_, byte)) = ahead.peek() {
            match byte {
                b'a'..=b'z' | b'A'..=b'Z' | b'_' => {}
                b'0'..=b'9' if !first => {}
                _ => break,
            }
            first = false;
            ahead.next();
        }
        if first {
            return None;
        }
        if matches!(ahead.peek(), Some((_, b'['))) {
            skip_subscript(&mut ahead)?;
        }
        match (ahead.next(), ahead.next()) {
            (Some((at, b'=')), _) | (Some((_, b'+')), Some((at, b'='))) => Some(at + 1),
            _ => None,
        }
    }

    /// Does `name=`, `name+=` or `name[` stand here?
    fn at_head(&self) -> bool {
        let rest = self.bytes.get(self.pos..self.end).unwrap_or_default();
        let behind = rest.get(name_len(rest)..).unwrap_or_default();
        if !matches!(behind, [b'\\', ..] | [b'+', b'\\', ..]) {
            let named = behind.len() < rest.len();
            return named && matches!(behind, [b'=' | b'[', ..] | [b'+', b'=', ..]);
        }
        let mut ahead = self.ahead().map(|(_, byte)| byte).peekable();
        let is_first = |byte: &u8| byte.is_ascii_alphabetic() || *byte == b'_';
        if ahead.next_if(is_first).is_none() {
            return false;
        }
        while ahead.next_if(|byte| is_first(byte) || byte.is_ascii_digit()).is_some() {}
        matches!((ahead.next(), ahead.next()), (Some(b'=' | b'['), _) | (Some(b'+'), Some(b'=')))
    }

    /// An assignment – or, where nothing is assigned, a word: bash takes all of
    /// `name[…]` for one where an assignment could stand, whatever it holds.
    fn head(&mut self) -> Option<Head> {
        if !self.at_head() {
            return None;
        }
        let word_start = self.pos;
        self.count_piece();
        let name = self.identifier();
        let open = self.pos;
        let index = if self.eat("[") { Some(self.subscript()) } else { None };
        let behind = self.pos;
        let append = self.eat("+=");
        if !append && !self.eat("=") {
            let index = index.map(|index| self.plain_subscript(open + 1, behind, index));
            let mut parts = bracketed(&name, index.unwrap_or_default());
            parts.extend(self.word().into_iter().flat_map(|rest| rest.parts));
            return Some(Head::Word(RawWord { span: self.span(word_start, self.pos), parts }));
        }
        let start = self.pos;
        let value = if self.peek() == Some(b'(') {
            let mut parts: Pieces = Pieces::One(self.array(&[]));
            // `a=(b)c` is no list: the parentheses are part of the text.
            parts.extend(self.word().into_iter().flat_map(|rest| rest.parts));
            RawWord { span: self.span(start, self.pos), parts }
        } else {
            self.word().unwrap_or(RawWord { span: self.span(start, start), parts: Pieces::default() })
        };
        Some(Head::Assignment(RawAssignment { name, append, index, value }))
    }

    /// `(a [k]=b $(c))` after `name=`. The words of `refused` are a mistake.
    fn array(&mut self, refused: &[&str]) -> Part {
        let start = self.pos;
        self.advance(1);
        let mut words = Vec::new();
        let mut pattern_at = None;
        loop {
            self.lines();
            let word_start = self.pos;
            if self.eat(")") {
                break;
            }
            if self.pos >= self.end {
                self.fail(start, "unclosed `(`");
                break;
            }
            let bare = self.bare();
            let is_refused =
                refused.contains(&bare.as_str()) || !refused.is_empty() && CLOSERS.contains(&bare.as_str());
            let key = if self.eat("[") { Some(self.subscript()) } else { None };
            match self.word().filter(|_| !is_refused) {
                Some(word) => {
                    if pattern_at.is_none() && has_group(&word) {
                        pattern_at = Some(word_start);
                        self.pattern_line = self.pattern_line.or(self.line_end_from(word_start));
                    }
                    words.push(keyed(key, word));
                }
                None if key.is_some() => words.push(keyed(key, RawWord::default())),
                None => {
                    // A shell that reads a script goes on with the next line. It
                    // may not know patterns with parentheses and stop before.
                    let next = self.line_end_from(pattern_at.unwrap_or(self.pos)).unwrap_or(self.end);
                    self.broken_line = self.broken_line.or(Some(next));
                    self.fail_unexpected();
                    self.forgive(next);
                    // Nothing was assigned then.
                    let inner = words.drain(..).flat_map(|word: RawWord| word.parts).collect();
                    let parts = Pieces::One(Part::unknown("$list".into(), inner));
                    words.push(RawWord { parts, ..RawWord::default() });
                    break;
                }
            }
        }
        Part::Array(Rc::new(words))
    }

    pub(super) fn line_end_from(&self, start: usize) -> Option<usize> {
        let rest = self.bytes.get(start..self.end)?;
        Some(start + rest.iter().position(|byte| *byte == b'\n')?)
    }

    pub(super) fn identifier(&mut self) -> SmolStr {
        let rest = self.bytes.get(self.pos..self.end).unwrap_or_default();
        let len = name_len(rest);
        if rest.get(len) != Some(&b'\\') {
            let start = self.pos;
            self.pos += len;
            return self.slice(start, self.pos).into();
        }
        let mut name = SmolStrBuilder::new();
        let mut is_first = true;
        while let Some(byte) = self.peek() {
            match byte {
                b'a'..=b'z' | b'A'..=b'Z' | b'_' => {}
                b'0'..=b'9' if !is_first => {}
                _ => break,
            }
            is_first = false;
            name.push(char::from(byte));
            self.advance(1);
        }
        name.finish()
    }
}

/// How long the name is that `bytes` begin with.
fn name_len(bytes: &[u8]) -> usize {
    if bytes.first().is_some_and(u8::is_ascii_digit) {
        return 0;
    }
    bytes.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count()
}

/// `name[…]` as a word; where the brackets hold text only, it is a pattern.
fn bracketed(name: &str, index: Pieces) -> Pieces {
    if let [Part::Quoted(text) | Part::Plain(text)] = index.as_slice() {
        return Pieces::One(Part::Plain(format_smolstr!("{name}[{text}]")));
    }
    let mut parts = Pieces::One(Part::Plain(format_smolstr!("{name}[")));
    parts.extend(index);
    parts.push(Part::Plain("]".into()));
    parts
}

/// `[key]=word` in a list; the key may hold anything.
fn keyed(key: Option<Pieces>, word: RawWord) -> RawWord {
    let Some(key) = key else { return word };
    let mut parts = Pieces::One(Part::Plain("[".into()));
    parts.extend(key);
    parts.push(Part::Plain("]".into()));
    parts.extend(word.parts);
    RawWord { span: word.span, parts }
}

/// Moves behind `[…]`, if it closes on this line and not too far away.
fn skip_subscript(ahead: &mut impl Iterator<Item = (usize, u8)>) -> Option<()> {
    let mut level = 0usize;
    for (_, byte) in ahead.take(SUBSCRIPT_MAX) {
        match byte {
            b'[' => level += 1,
            b']' if level == 1 => return Some(()),
            b']' => level -= 1,
            b'\n' => return None,
            _ => {}
        }
    }
    None
}

/// Does the word hold a pattern in parentheses?
fn has_group(word: &RawWord) -> bool {
    word.parts.iter().any(|part| matches!(part, Part::Plain(text) if text.contains('(')))
}

/// Is this the name of one of these builtins, in whatever quotes?
fn is_one_of(names: &[&str], word: &RawWord) -> bool {
    match word.parts.as_slice() {
        [Part::Plain(text)] => names.iter().any(|name| crate::programs::is_named(name, text)),
        parts => parts.len() < 16 && names.contains(&plain_text(word).as_str()),
    }
}

/// `eval a=(b c)`: the list as one text, with blanks between.
fn list_text(head: String, array: Part) -> Pieces {
    let mut parts = Pieces::One(Part::Quoted(format_smolstr!("{head}(")));
    if let Part::Array(words) = array {
        let words = Rc::try_unwrap(words).unwrap_or_default();
        for (at, word) in words.into_iter().enumerate() {
            if at > 0 {
                parts.push(Part::Quoted(" ".into()));
            }
            parts.extend(word.parts);
        }
    }
    parts.push(Part::Quoted(")".into()));
    parts
}

/// Any word may be named; bash says when it runs whether it is a name. To bash,
/// `time` is no program even before an option: `time -f() { …; }`.
fn is_function_head(simple: &Simple) -> bool {
    let timed = |word: &RawWord| matches!(word.parts.as_slice(), [Part::Plain(text)] if text == "time");
    simple.assignments.is_empty()
        && match simple.words.as_slice() {
            [_] => true,
            [first, _] => timed(first),
            _ => false,
        }
}
