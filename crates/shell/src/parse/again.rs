//! A whole text, and the other ways bash may read it.

use super::{Parser, list};
use crate::reading::Unknown;
use crate::tree::{List, Node};

/// How often a loose reading goes on behind a mistake.
const LOOSE_MAX: usize = 16;

/// Bytes such readings may go through, all in all.
const LOOSE_BYTES: usize = 512 << 10;

/// Words before a command that are none of it.
const RESERVED: [&str; 12] =
    ["!", "{", "if", "then", "else", "elif", "do", "while", "until", "time", "coproc", "in"];

impl Parser<'_> {
    pub(super) fn whole(&mut self) -> List {
        let start = self.pos;
        let mut list = self.whole_once();
        self.read_rewritten(start, &mut list);
        if self.heredoc_in_pushed && !self.pushes {
            let second = self.read_again(start, true, false);
            list.push(Node::Subshell(second, Vec::new()));
        }
        if let Some(line) = self.pattern_line {
            let second = self.read_again(line, false, false);
            list.push(Node::Subshell(second, Vec::new()));
        }
        let broken = self.fault.as_ref().or(self.mistake.as_ref());
        if self.broken_line.is_none()
            && broken.is_some_and(|fault| fault.kind == Unknown::Syntax)
            && let Some(at) = self.slice(start, self.end).find("=(")
        {
            // The mistake may be one of a list that is not read as one here.
            self.broken_line = self.line_end_from(start + at);
        }
        if let Some(line) = self.broken_line {
            let second = self.read_again(line, false, true);
            list.push(Node::Subshell(second, Vec::new()));
        }
        if self.fault.as_ref().is_some_and(|fault| fault.kind == Unknown::Syntax) && !self.loose {
            list.push(self.guessed(self.fault_at, self.end));
        }
        list
    }

    /// What follows a mistake up to `end`: it may be ours, and then bash runs it.
    pub(super) fn guessed(&mut self, mistake: usize, end: usize) -> Node {
        let outer_end = std::mem::replace(&mut self.end, end.max(mistake));
        let start = self.behind_sign(mistake);
        let list = self.read_again(start, false, true);
        self.end = outer_end;
        Node::Guess(list)
    }

    /// The text from `start` on, read another way.
    fn read_again(&mut self, start: usize, pushes: bool, loose: bool) -> List {
        let mut other = Parser {
            pos: start,
            end: self.end,
            pushes,
            loose,
            depth: self.depth,
            pieces: self.pieces,
            ..Parser::new(self.source, self.base, 0)
        };
        let list = other.whole_once();
        self.pieces = other.pieces;
        if let Some(fault) = other.fault.filter(|fault| fault.kind == Unknown::Limit) {
            self.fault = Some(fault);
        }
        list
    }

    pub(super) fn whole_once(&mut self) -> List {
        let mut list = self.list();
        self.go_on(&mut list);
        self.blanks();
        while self.pos < self.end && list::CLOSERS.contains(&self.bare().as_str()) {
            // A mistake, most times. Behind an `eval` whose text lacks a quote,
            // bash takes such a word for a command and goes on.
            let next = self.pos;
            self.fail_unexpected();
            self.forgive(next);
            list.push(self.simple());
            while matches!(self.peek(), Some(b';' | b'&' | b'|')) {
                self.advance(1);
            }
            list.extend(self.list());
            self.blanks();
        }
        if self.pos < self.end {
            self.fail_unexpected();
        }
        self.pushed_to = 0;
        self.read_heredocs();
        list
    }

    /// Where the next command may begin.
    fn behind_sign(&self, start: usize) -> usize {
        let rest = self.bytes.get(start..self.end).unwrap_or_default();
        let at = rest.iter().position(|byte| b"\n;&|)}`".contains(byte));
        start + at.map_or(rest.len(), |at| at + 1)
    }

    /// The same where a word such as `do` or `fi` is that belongs to nothing.
    fn behind_closer(&self, start: usize) -> Option<usize> {
        let rest = self.bytes.get(start..self.end).unwrap_or_default();
        let end = start + rest.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
        list::CLOSERS.contains(&self.slice(start, end)).then_some(end)
    }

    /// Goes on behind whatever a loose reading does not understand.
    fn go_on(&mut self, list: &mut List) {
        let mut bytes = 0;
        for _ in 0..LOOSE_MAX {
            if !self.loose {
                return;
            }
            // Each time, all of the rest may be read without success.
            bytes += self.end.saturating_sub(self.fault_at);
            if bytes > LOOSE_BYTES {
                break;
            }
            let next = match self.fault {
                None if self.pos < self.end => self.pos,
                None => return,
                Some(_) => self.fault_at,
            };
            if self.fault.is_none() {
                self.fail_unexpected();
            }
            self.forgive(self.behind_closer(next).unwrap_or_else(|| self.behind_sign(next)));
            self.pending.clear();
            list.extend(self.list());
        }
        if self.loose && self.fault.is_none() && self.pos < self.end {
            self.fail_unexpected();
        }
        if self.loose && self.fault.as_ref().is_some_and(|fault| fault.kind == Unknown::Syntax) {
            self.forgive(self.behind_sign(self.fault_at));
            self.in_chunks(list);
        }
    }

    /// The rest, piece by piece, each as a command of its own: with so many mistakes
    /// nothing else is to be made of it.
    fn in_chunks(&mut self, list: &mut List) {
        let end = self.end;
        while self.pos < end && self.fault.is_none() {
            let next = self.behind_sign(self.pos);
            self.end = next.min(end);
            self.blanks();
            while RESERVED.contains(&self.bare().as_str()) {
                let _ = self.word();
                self.blanks();
            }
            let before = self.pos;
            if self.pos < self.end {
                list.push(self.simple());
            }
            self.end = end;
            self.pending.clear();
            self.forgive(next);
            self.pos = next.max(before);
        }
    }
}
