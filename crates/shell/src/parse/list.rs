//! Lists, chains and pipelines.

use std::rc::Rc;

use super::Parser;
use crate::reading::RedirectKind;
use crate::tree::{Link, List, Node, Part, Pieces, RawRedirect, RawWord};

/// Words that end a list where a command could stand.
pub(super) const CLOSERS: [&str; 8] = ["then", "do", "done", "fi", "elif", "else", "esac", "}"];

impl Parser<'_> {
    /// Commands up to whatever cannot start one.
    pub(super) fn list(&mut self) -> List {
        self.deeper(Self::list_here)
    }

    fn list_here(&mut self) -> List {
        let mut list = List::new();
        let mut separated = false;
        loop {
            self.lines();
            if self.at_list_end() {
                return list;
            }
            if separated {
                self.print_semicolon();
            }
            let before = self.pos;
            let node = self.chain();
            if !list.is_empty() {
                self.print_second();
            }
            self.blanks();
            if self.peek() == Some(b'&') && self.peek_at(1) != Some(b'&') {
                self.advance(1);
                self.print_heredocs();
                separated = false;
                // A group inside tells it from `( … )`.
                list.push(Node::Subshell(vec![Node::Group(vec![node], Vec::new())], Vec::new()));
                continue;
            }
            list.push(node);
            separated = true;
            match self.peek() {
                Some(b';') if self.peek_at(1) != Some(b';') && self.peek_at(1) != Some(b'&') => {
                    self.advance(1)
                }
                Some(b'\n') => self.line_end(),
                _ if self.at_list_end() => return list,
                _ => {
                    self.fail_unexpected();
                    return list;
                }
            }
            if self.pos == before {
                self.fail_unexpected();
            }
        }
    }

    /// A list that may not be empty.
    pub(super) fn filled_list(&mut self) -> List {
        let list = self.list();
        if list.is_empty() {
            self.fail_unexpected();
        }
        list
    }

    pub(super) fn at_list_end(&self) -> bool {
        match self.peek() {
            None | Some(b')') => true,
            Some(b';') => matches!(self.peek_at(1), Some(b';' | b'&')),
            // With these they begin; looking for a whole word costs more.
            Some(b't' | b'd' | b'f' | b'e' | b'}') => CLOSERS.contains(&self.bare().as_str()),
            _ => false,
        }
    }

    fn chain(&mut self) -> Node {
        let first = self.pipeline();
        let mut rest = Vec::new();
        loop {
            self.blanks();
            let link = if self.eat("&&") {
                Link::And
            } else if self.eat("||") {
                Link::Or
            } else {
                break;
            };
            self.print_heredocs();
            self.lines();
            rest.push((link, self.pipeline()));
            self.print_second();
        }
        if rest.is_empty() { first } else { Node::Chain(Box::new(first), rest) }
    }

    fn pipeline(&mut self) -> Node {
        let first = self.first_stage();
        if !self.at_pipe() {
            return first;
        }
        let mut stages = vec![first];
        while self.at_pipe() {
            self.advance(1);
            if self.eat("&")
                && let Some(redirects) = stages.last_mut().and_then(Node::redirects_mut)
            {
                redirects.push(errors_as_well());
            }
            self.print_heredocs();
            self.lines();
            // Behind a pipe, `time` is the program.
            while self.eat_bare("!") {
                self.blanks();
            }
            stages.push(self.command());
        }
        self.print_second();
        Node::Pipe(stages)
    }

    /// Moves to a `|` that is no `||`, if one is here.
    fn at_pipe(&mut self) -> bool {
        self.blanks();
        self.peek() == Some(b'|') && self.peek_at(1) != Some(b'|')
    }

    /// The first command of a pipeline. `!` and `time` alone are commands, too.
    fn first_stage(&mut self) -> Node {
        let before = self.pos;
        let negated = self.prefixes();
        if self.pos > before && matches!(self.peek(), None | Some(b'\n' | b';' | b')')) {
            return Node::Group(Vec::new(), Vec::new());
        }
        let node = self.command();
        // A group does not tell whether it succeeds.
        if negated { Node::Group(vec![node], Vec::new()) } else { node }
    }

    /// `!` and the reserved word `time`, which change nothing of what runs.
    /// Tells whether there was a `!`.
    fn prefixes(&mut self) -> bool {
        let mut negated = false;
        loop {
            self.blanks();
            if !matches!(self.peek(), Some(b'!' | b't')) {
                return negated;
            }
            let bare = self.bare();
            match bare.as_str() {
                "!" => {
                    self.take_bare("!");
                    negated = true;
                }
                "time" if self.plain_time != Some(self.pos) && self.time_is_reserved() => {
                    self.take_bare("time");
                    self.blanks();
                    if self.looking_at("-p") && ends_word(self.peek_at(2)) {
                        self.advance(2);
                    }
                    self.blanks();
                    if self.looking_at("--") && ends_word(self.peek_at(2)) {
                        self.advance(2);
                    }
                }
                _ => return negated,
            }
        }
    }

    /// `time -v x` is the program, not the reserved word.
    fn time_is_reserved(&self) -> bool {
        let rest = self.ahead().map(|(_, byte)| byte).skip(4);
        let after: Vec<u8> = rest.skip_while(|byte| matches!(byte, b' ' | b'\t')).take(3).collect();
        match after.as_slice() {
            [b'-', b'p' | b'-', rest @ ..] => ends_word(rest.first().copied()),
            [b'-', ..] => false,
            _ => true,
        }
    }
}

/// Does a word end before this byte?
fn ends_word(byte: Option<u8>) -> bool {
    byte.is_none_or(|byte| b" \t\n;&|<>()".contains(&byte))
}

/// `|&` is short for `2>&1 |`.
fn errors_as_well() -> RawRedirect {
    let target = RawWord { parts: Pieces::One(Part::Plain("1".into())), ..RawWord::default() };
    let from = Some("2".into());
    RawRedirect { kind: RedirectKind::Duplicate, from, target: Rc::new(target), body: None }
}
