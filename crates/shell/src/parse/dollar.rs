//! Everything that starts with `$`.

use smol_str::{SmolStr, SmolStrBuilder, ToSmolStr};
use std::rc::Rc;

use super::Parser;
use super::pairs::begins_with_time;
use super::word::Parts;
use crate::reading::Unknown;
use crate::tree::{List, Output, Param, ParamOp, Part, Pieces};

/// Operators of `${x…}`, longest first, with what they do.
const OPERATORS: [&str; 22] = [
    ":-", ":=", ":+", ":?", "##", "%%", "//", "/#", "/%", "^^", ",,", "~~", "-", "=", "+", "?", ":", "#",
    "%", "/", "^", ",",
];

/// What a byte counts for that is read once more.
const REREAD_COST: usize = 8;

impl<'a> Parser<'a> {
    /// The expansion standing here; a lone `$` represents itself.
    pub(super) fn dollar(&mut self, quoted: bool) -> Part {
        self.count_piece();
        let part = self.deeper(|parser| Some(parser.dollar_here(quoted)));
        part.unwrap_or(Part::Quoted(SmolStr::default()))
    }

    /// Are there `case` and comments in what may be arithmetic? What a comment ends before
    /// then depends on how bash prints the rest.
    fn doubt_comment(&mut self, start: usize, end: usize) -> (bool, bool) {
        let text = self.slice(start, end);
        let has_case = text.contains("esac");
        let has_comment =
            [" #", "\t#", "\n#"].iter().any(|sign| text.contains(sign)) || text.starts_with("$((#");
        if has_case && has_comment {
            self.exceed("a comment and `case` in arithmetic");
        }
        (has_case, has_comment)
    }

    fn dollar_here(&mut self, quoted: bool) -> Part {
        if !matches!(self.peek_at(1), Some(b'(' | b'[' | b'{')) {
            return self.named(quoted);
        }
        let start = self.pos;
        if self.looking_at("$((")
            && let Some(close) = self.arithmetic_close(3)
        {
            let (has_case, has_comment) = self.doubt_comment(start, close);
            self.advance(3);
            let mut inner = self.arithmetic_body(close);
            if (has_case || has_comment) && self.fault.is_none() {
                inner.push(self.printed_otherwise(start, has_comment));
            }
            return Part::unknown(self.spelling(start), inner);
        }
        if self.looking_at("$((") {
            let (list, holds) = self.nested_subshell(start);
            let _ = self.doubt_comment(start, self.pos);
            let text = self.spelling(start);
            return output_part(Output { list, text, quoted, in_place: true }, holds);
        }
        if self.eat("$(") {
            let list = self.substituted(start);
            return Part::Output(Rc::new(Output {
                list,
                text: self.spelling(start),
                quoted,
                in_place: true,
            }));
        }
        if self.eat("$[") {
            let inner = self.subscript();
            return Part::unknown(self.spelling(start), inner);
        }
        self.advance(2);
        match self.peek() {
            Some(b' ' | b'\t' | b'\n' | b'|') => self.braced_output(start, quoted),
            _ => self.braced(start, quoted),
        }
    }

    /// `$x`, or a lone `$`.
    fn named(&mut self, quoted: bool) -> Part {
        let start = self.pos;
        self.advance(1);
        let name = self.parameter_name(false);
        if name.is_empty() {
            return if quoted { Part::Quoted("$".into()) } else { Part::Plain("$".into()) };
        }
        let text = self.spelling(start);
        Part::Param(Rc::new(Param {
            name,
            op: ParamOp::Get,
            colon: false,
            word: Pieces::default(),
            index: None,
            quoted,
            text,
        }))
    }

    /// Bash prints `case a in (b)` in a substitution without the first
    /// parenthesis, and may then take for commands what was arithmetic. When it
    /// expands it, it also skips comments, as in a here-document.
    fn printed_otherwise(&mut self, start: usize, skips_comments: bool) -> Part {
        let (next, mistake) = (std::mem::replace(&mut self.pos, start), self.mistake.take());
        let in_document = self.in_document;
        self.in_document |= skips_comments;
        let (list, _) = self.nested_subshell(start);
        self.in_document = in_document;
        // Where it does not hold together that way, this expansion fails and no more.
        self.forgive(next);
        self.mistake = mistake;
        if self.fault.is_none() {
            self.pos = next;
        }
        Part::Output(Rc::new(Output { list, text: SmolStr::default(), quoted: true, in_place: false }))
    }

    /// The list of `$((…) …)`. Bash takes it for arithmetic at first and looks
    /// for nothing but the parenthesis that closes it.
    /// Tells whether it holds together: it is read when it runs.
    fn nested_subshell(&mut self, start: usize) -> (List, bool) {
        let Some(close) = self.look_for_arithmetic_close(2) else {
            self.fail(start, "unclosed `$(`");
            return (List::new(), false);
        };
        self.advance(2);
        let outer = std::mem::take(&mut self.pending);
        let outer_end = std::mem::replace(&mut self.end, close);
        let pushed_to = std::mem::take(&mut self.pushed_to);
        let in_document = std::mem::replace(&mut self.in_document, false);
        let mistake = self.mistake.take();
        // What is in it is no tree yet when bash prints what is around it.
        let reprint = std::mem::take(&mut self.reprint);
        self.substitutions += 1;
        let list = self.whole_once();
        self.substitutions -= 1;
        self.reprint = reprint;
        self.in_document = in_document;
        self.pushed_to = pushed_to;
        self.end = outer_end;
        self.pending = outer;
        let holds = self.fault.is_none() && self.mistake.is_none();
        self.mistake = mistake.or(self.mistake.take());
        self.pos = if self.fault.is_none() { close + 1 } else { self.end };
        self.forgive(close + 1);
        (list, holds)
    }

    /// The list of `$(…)` or `<(…)` up to its `)`. Here-documents announced
    /// outside wait for their own line end. Shells before bash 5.2 look for the
    /// `)` only and find mistakes when it runs.
    fn substituted(&mut self, start: usize) -> List {
        let open = self.pos;
        let outer = std::mem::take(&mut self.pending);
        let outer_reprint = std::mem::take(&mut self.reprint);
        let in_document = std::mem::replace(&mut self.in_document, false);
        self.substitutions += 1;
        let list = self.list_to_close(start);
        self.refuse_case_behind_time(open);
        let mut list = self.reprinted(list, open, &outer_reprint);
        self.reprint = outer_reprint;
        self.in_document = in_document;
        let failed = self.fault.as_ref().is_some_and(|fault| fault.kind == Unknown::Syntax);
        if failed && let Some(more) = self.behind_plain_time(open, start) {
            list.extend(more);
        }
        self.substitutions -= 1;
        let left = std::mem::replace(&mut self.pending, outer);
        if self.fault.is_none() {
            self.leave_open(left);
        }
        if self.fault.as_ref().is_some_and(|fault| fault.kind == Unknown::Syntax) {
            let mistake = self.fault_at;
            self.move_left(open);
            self.pos = open;
            match self.look_for_close(0) {
                Some(close) if !self.loose => {
                    list.push(self.guessed(mistake.min(close), close));
                    self.forgive(close + 1);
                }
                Some(close) => self.forgive(close + 1),
                None => self.pos = self.end,
            }
        }
        list
    }

    pub(super) fn list_to_close(&mut self, start: usize) -> List {
        let list = self.list();
        if !self.eat(")") {
            if self.pos >= self.end {
                self.fail(start, "unclosed `$(`");
            } else {
                self.fail_unexpected();
            }
        }
        list
    }

    /// `"$(time case w in w) …"` ends at the first `)` for bash 5.2, and at the last
    /// for others.
    fn refuse_case_behind_time(&mut self, open: usize) {
        let text = self.slice(open, self.pos);
        if self.fault.is_none() && begins_with_time(text) && text.contains("esac") {
            self.exceed("`case` after `time` in a substitution");
        }
    }

    /// Bash 5.2 takes `time` at the start of a substitution for a plain word at
    /// first, and so `case` and `if` behind it; only when that has run its course
    /// does it find the mistake. `None` where that does not hold together, either.
    fn behind_plain_time(&mut self, open: usize, start: usize) -> Option<List> {
        let first = self.fault.clone();
        self.forgive(open);
        self.pending.clear();
        self.blanks();
        let is_time = self.bare().as_str() == "time";
        self.plain_time = is_time.then_some(self.pos);
        let more = if is_time { self.list_to_close(start) } else { List::new() };
        self.plain_time = None;
        if is_time && self.fault.is_none() {
            return Some(more);
        }
        self.fault = self.fault.take().filter(|fault| fault.kind == Unknown::Limit).or(first);
        None
    }

    /// `${ list; }` and `${|list; }`, command substitutions of newer shells. To
    /// older ones it is a mistake that ends at the first `}`.
    fn braced_output(&mut self, start: usize, quoted: bool) -> Part {
        let close = self.look_for_brace();
        let _ = self.eat("|");
        let list = self.list();
        if !self.eat_bare("}") && !self.eat("}") {
            self.fail(start, "unclosed `${`");
        }
        if let Some(close) = close {
            if self.fault.is_none() && self.pos != close + 1 {
                // Both ways: to who does not know it, it is a value without a name.
                self.stand_in(start, close + 1);
            }
            self.forgive(close + 1);
        }
        Part::Output(Rc::new(Output { list, text: self.spelling(start), quoted, in_place: true }))
    }

    pub(super) fn process(&mut self) -> Part {
        let start = self.pos;
        self.advance(2);
        let list = self.substituted(start);
        Part::Process(Rc::new(Output { list, text: self.spelling(start), quoted: true, in_place: true }))
    }

    /// A variable, position or special parameter; `braced` allows `${10}`.
    fn parameter_name(&mut self, braced: bool) -> SmolStr {
        match self.peek() {
            Some(b'0'..=b'9') => {
                let mut name = SmolStrBuilder::new();
                while let Some(byte) = self.peek().filter(u8::is_ascii_digit) {
                    self.advance(1);
                    name.push(char::from(byte));
                    if !braced {
                        break;
                    }
                }
                name.finish()
            }
            Some(byte @ (b'@' | b'*' | b'#' | b'?' | b'$' | b'!' | b'-')) => {
                self.advance(1);
                char::from(byte).to_smolstr()
            }
            _ => self.identifier(),
        }
    }

    fn braced(&mut self, start: usize, quoted: bool) -> Part {
        let prefix = match (self.peek(), self.peek_at(1)) {
            (Some(b'#'), Some(next)) if names_parameter(next) && self.peek_at(2) != Some(b'-') => {
                ParamOp::Length
            }
            (Some(b'!'), Some(next))
                if next.is_ascii_alphanumeric() || next == b'_' || next == b'@' || next == b'#' =>
            {
                ParamOp::Indirect
            }
            _ => ParamOp::Get,
        };
        if prefix != ParamOp::Get {
            self.advance(1);
        }
        let name = self.parameter_name(true);
        let index = if self.eat("[") { Some(self.subscript_before(Some(b'}'))) } else { None };
        let found = OPERATORS.iter().find(|text| self.looking_at(text)).copied();
        let op = match (prefix, found) {
            (ParamOp::Get, None) if self.peek() == Some(b'}') && !name.is_empty() => ParamOp::Get,
            (ParamOp::Get, Some(":-" | "-")) => ParamOp::Default,
            (ParamOp::Get, Some(":=" | "=")) => ParamOp::Assign,
            (ParamOp::Get, Some(":+" | "+")) => ParamOp::Alternative,
            (ParamOp::Get, Some(text)) => ParamOp::Edit(text.to_string()),
            (ParamOp::Get, None) => ParamOp::Edit(String::new()),
            (other, None) if self.peek() == Some(b'}') => other,
            _ => ParamOp::Edit(String::new()),
        };
        let colon = found.is_some_and(|text| text.starts_with(':'));
        self.advance(found.map_or(0, str::len));
        // What follows a lone `:` is arithmetic, where single quotes protect nothing.
        let counts = matches!(&op, ParamOp::Edit(sign) if sign == ":");
        let word = self.braced_word(start, quoted || counts, &op);
        Part::Param(Rc::new(Param { name, op, colon, word, index, quoted, text: self.spelling(start) }))
    }

    /// Parts up to the `}` of `${`. In double quotes, bash first looks for the
    /// `}`, where single quotes count, and then expands what is before it,
    /// where they do not – but for patterns, which keep their quotes.
    fn braced_word(&mut self, start: usize, quoted: bool, op: &ParamOp) -> Pieces {
        let keeps_quotes = matches!(op, ParamOp::Edit(op) if op.starts_with(['#', '%', '/', '^', ',', '~']));
        let mut parts = Parts::default();
        loop {
            match self.peek() {
                None => {
                    self.fail(start, "unclosed `${`");
                    return parts.take();
                }
                Some(b'}') => {
                    self.advance(1);
                    return parts.take();
                }
                Some(b'\'') if keeps_quotes => self.single_quoted(&mut parts),
                Some(b'$') if keeps_quotes && self.peek_at(1) == Some(b'\'') => self.dollar_ansi(&mut parts),
                Some(b'\'') if quoted && let Some(close) = self.look_for_brace() => {
                    self.braced_text(close, &mut parts);
                    return parts.take();
                }
                Some(byte) => self.nested_piece(byte, &mut parts, quoted && !keeps_quotes, b'}'),
            }
        }
    }

    /// Parts up to the `]` of a subscript or of `$[`.
    pub(super) fn subscript(&mut self) -> Pieces {
        self.subscript_before(None)
    }

    /// What is from `start` to the `]` before `behind` is no subscript but part of
    /// a word, where `<(…)` runs as well.
    pub(super) fn plain_subscript(&mut self, start: usize, behind: usize, read: Pieces) -> Pieces {
        let runs = |text: &str| text.contains("<(") || text.contains(">(");
        if self.fault.is_some() || !runs(self.slice(start, behind)) {
            return read;
        }
        if !self.may_look((behind - start) * REREAD_COST) {
            self.exceed("more than can be followed");
            return read;
        }
        let here = std::mem::replace(&mut self.pos, start);
        let outer_end = std::mem::replace(&mut self.end, behind.saturating_sub(1));
        let mut parts = Parts::default();
        while let Some(byte) = self.peek().filter(|_| self.fault.is_none()) {
            self.nested_piece(byte, &mut parts, false, b']');
        }
        self.end = outer_end;
        self.pos = here;
        self.forgive(here);
        parts.take()
    }

    /// The same; `outer` ends it as well, and is left: `${a[@}` is a mistake
    /// bash finds when it gets there.
    fn subscript_before(&mut self, outer: Option<u8>) -> Pieces {
        let start = self.pos;
        let mut parts = Parts::default();
        let mut level = 0usize;
        loop {
            match self.peek() {
                None => {
                    self.fail(start, "unclosed `[`");
                    return parts.take();
                }
                Some(b']') if level == 0 => {
                    self.advance(1);
                    return parts.take();
                }
                found if found == outer => return parts.take(),
                Some(byte) => {
                    match byte {
                        b'[' => level += 1,
                        b']' => level -= 1,
                        _ => {}
                    }
                    self.nested_piece(byte, &mut parts, true, b']');
                }
            }
        }
    }

    /// Parts up to the `))` of arithmetic, which is at `close`.
    pub(super) fn arithmetic_body(&mut self, close: usize) -> Pieces {
        if joins_comment(self.slice(self.pos, close)) {
            // The line behind is part of it when what is substituted runs, and is not
            // when bash looks for the end.
            self.exceed("a comment in arithmetic that ends with a backslash");
        }
        let mut parts = Parts::default();
        let outer = std::mem::take(&mut self.pending);
        let outer_end = std::mem::replace(&mut self.end, close);
        while let Some(byte) = self.peek() {
            self.nested_piece(byte, &mut parts, true, b')');
        }
        self.end = outer_end;
        self.pending.extend(outer);
        self.pos = if self.fault.is_none() { close + 2 } else { self.end };
        self.forgive(close + 2);
        parts.take()
    }

    /// A piece inside `${…}`, `[…]` or `((…))`. Where the whole is in double
    /// quotes, single quotes only protect the closing sign: what they hold is
    /// still expanded.
    pub(super) fn nested_piece(&mut self, byte: u8, parts: &mut Parts<'a>, quoted: bool, stop: u8) {
        if self.in_document {
            self.strip_quotes(byte);
        }
        match byte {
            b'"' => self.deeper(|parser| parser.up_to_quote(parts, quoted)),
            b'\'' if quoted => self.half_quoted(parts),
            b'\'' => self.single_quoted(parts),
            b'$' if !quoted && self.peek_at(1) == Some(b'\'') => self.dollar_ansi(parts),
            b'$' if !self.in_document && self.peek_at(1) == Some(b'\'') => self.decoded(parts),
            b'$' if !self.in_document && self.peek_at(1) == Some(b'"') => self.advance(1),
            b'\\' if !quoted || self.peek_at(1) == Some(stop) => {
                self.advance(1);
                if let Some(found) = self.bump().filter(|found| *found != '\n') {
                    parts.quoted(self.slice(self.pos - found.len_utf8(), self.pos));
                }
            }
            b'$' | b'`' | b'\\' => self.quoted_or_plain(byte, parts, quoted, stop),
            b'<' | b'>' if !quoted && self.peek_at(1) == Some(b'(') => {
                let part = self.deeper(|parser| Some(parser.process()));
                part.into_iter().for_each(|part| parts.push(part));
            }
            _ if quoted => self.quoted_piece(byte, parts, stop),
            _ => {
                if let Some(found) = self.take() {
                    parts.plain(self.slice(self.pos - found.len_utf8(), self.pos));
                }
            }
        }
    }

    fn quoted_or_plain(&mut self, byte: u8, parts: &mut Parts<'a>, quoted: bool, stop: u8) {
        if quoted || byte == b'\\' {
            return self.quoted_piece(byte, parts, stop);
        }
        let part = if byte == b'$' { self.dollar(false) } else { self.backtick(false) };
        parts.push(part);
    }
}

/// A substitution. Bash stops at a mistake in it, and what was printed until
/// then is not known.
pub(super) fn output_part(output: Output, holds: bool) -> Part {
    if holds {
        return Part::Output(Rc::new(output));
    }
    Part::unknown(output.text.clone(), Pieces::One(Part::Output(Rc::new(output))))
}

fn names_parameter(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'@' | b'*' | b'?' | b'$' | b'!' | b'#')
}

/// Does a comment of something that is substituted end with a backslash?
fn joins_comment(text: &str) -> bool {
    let opens = |front: &str| {
        front.is_empty() || front.ends_with([' ', '\t', '\n', ';', '&', '|', '(', ')', '<', '>'])
    };
    let commented = |line: &str| line.match_indices('#').any(|(at, _)| line.get(..at).is_some_and(opens));
    let joined = |line: &str| line.ends_with("\\\n") && commented(line);
    text.contains('#') && text.contains("$(") && text.split_inclusive('\n').any(joined)
}
