//! A fault of bash 5.2: it prints `$(…)` from its tree to read it anew, and
//! where a here-document was printed, the next `;` is not. The two commands
//! around it are then one: `$(a <<E…; set -- rm x; shift; $1)` runs `rm`.
//!
//! Such a substitution is read twice, as it is meant and this way.

use super::Parser;
use crate::reading::Unknown;
use crate::tree::{List, Node, Part, RawWord, Simple};

/// How far bash is with printing.
#[derive(Default)]
pub(super) struct Reprint {
    /// The text is read as bash printed it.
    active: bool,
    /// A here-document was announced, its lines are not printed yet.
    pub(super) deferred: bool,
    /// The lines of one were printed: the next `;` is not.
    printed: bool,
    /// Some `;` was not printed.
    lost: bool,
    /// In a function every command is printed on a line of its own.
    pub(super) functions: usize,
}

impl Parser<'_> {
    /// A sign between two commands, or the end of a compound one: here the
    /// lines of here-documents are printed.
    pub(super) fn print_heredocs(&mut self) {
        self.reprint.printed |= std::mem::take(&mut self.reprint.deferred);
    }

    /// The `;` between two commands, or the line end in its place.
    pub(super) fn print_semicolon(&mut self) {
        if self.reprint.deferred {
            self.print_heredocs();
        } else if std::mem::take(&mut self.reprint.printed) {
            self.reprint.lost |= self.reprint.functions == 0;
        }
    }

    /// Moves over a `;` that bash did not print, if one stands here.
    pub(super) fn eat_lost(&mut self) -> bool {
        let Reprint { active, deferred, printed, functions, .. } = self.reprint;
        let separates = match self.peek() {
            Some(b';') => !matches!(self.peek_at(1), Some(b';' | b'&')),
            Some(b'\n') => true,
            _ => false,
        };
        if !active || deferred || !printed || functions > 0 || !separates {
            return false;
        }
        match self.peek() {
            Some(b'\n') => self.line_end(),
            _ => self.advance(1),
        }
        self.lines();
        let lost = !self.at_list_end();
        self.reprint.printed &= !lost;
        lost
    }

    /// Where the lost `;` stood before `case a in`, the patterns stand on a line
    /// of their own: `(b|c)` runs `b` and `c`.
    pub(super) fn lost_patterns(&mut self, simple: &Simple) -> List {
        let ends_head = |word: &RawWord| matches!(word.parts.as_slice(), [Part::Plain(text)] if text == "in");
        if !self.reprint.active || !simple.words.last().is_some_and(ends_head) || !self.eat("(") {
            return List::new();
        }
        self.list()
    }

    /// The list of a substitution that stands from `open` to here, and how bash
    /// reads it anew if that is something else.
    pub(super) fn reprinted(&mut self, list: List, open: usize, outer: &Reprint) -> List {
        if !self.reprint.lost || outer.active || self.fault.is_some() {
            return list;
        }
        let next = self.pos;
        let pending = std::mem::take(&mut self.pending);
        self.pos = open;
        self.reprint = Reprint { active: true, ..Reprint::default() };
        let second = self.list_to_close(open);
        self.pending = pending;
        if self.fault.as_ref().is_none_or(|fault| fault.kind == Unknown::Syntax) {
            self.fault = None;
            self.pos = next;
        }
        vec![Node::If { arms: vec![(List::new(), list)], rest: Some(second), redirects: Vec::new() }]
    }
}
