//! A fault of bash 5.2: it prints `$(…)` from its tree to read it again, and
//! where a here-document was printed, the next `;` is not. The two commands
//! around it are then one: `$(a <<E…; set -- rm x; shift; $1)` runs `rm`.
//!
//! Such a substitution is read twice, as it is meant and this way.

use super::Parser;
use smol_str::SmolStr;

use crate::reading::Unknown;
use crate::tree::{List, Node, Part, Pieces, RawWord, Simple};

/// How often bash may print one substitution: for each it is in, it is
/// read and printed once more, and so it is in `a=(…)`.
const PRINTS_MAX: usize = 4;

/// How far bash is with printing.
#[derive(Default)]
pub(super) struct Reprint {
    /// The text is read as bash printed it.
    active: bool,
    /// A here-document was announced, its lines are not printed yet.
    pub(super) deferred: bool,
    /// The lines of one were printed: the next `;` is not.
    printed: bool,
    /// Just now, so that their line end represents the `;`.
    just_printed: bool,
    /// Where a `;` was not printed this time.
    lost: Vec<usize>,
    /// Where one was not printed the times before.
    gone: Vec<usize>,
    /// They are printed with the condition they stand in, be it of `if` or a loop.
    /// When bash does that depends on more than is followed here: both are read.
    early: bool,
    /// There was such a condition.
    conditional: bool,
    /// In a function every command is printed on a line of its own.
    pub(super) functions: usize,
}

impl Parser<'_> {
    /// A sign between two commands, or the end of a compound one: here the
    /// lines of here-documents are printed.
    pub(super) fn print_heredocs(&mut self) {
        self.reprint.just_printed = false;
        self.reprint.printed |= std::mem::take(&mut self.reprint.deferred);
    }

    /// `then` or `do`: the end of a condition.
    pub(super) fn print_condition(&mut self) {
        if self.reprint.early {
            self.print_heredocs();
        }
        self.reprint.conditional |= self.reprint.deferred;
    }

    /// The end of the second of two commands that hang together: here as well.
    pub(super) fn print_second(&mut self) {
        if std::mem::take(&mut self.reprint.deferred) {
            self.reprint.printed = true;
            self.reprint.just_printed = true;
        }
    }

    /// A command begins.
    pub(super) fn print_command(&mut self) {
        self.reprint.just_printed = false;
    }

    /// Bash forgets what it printed when it prints redirects.
    pub(super) fn print_redirect(&mut self) {
        self.reprint.printed = false;
    }

    /// The `;` between two commands, or the line end in its place.
    pub(super) fn print_semicolon(&mut self) {
        let just_printed = std::mem::take(&mut self.reprint.just_printed);
        if self.reprint.deferred {
            self.print_heredocs();
        } else if std::mem::take(&mut self.reprint.printed) && !just_printed && self.reprint.functions == 0 {
            self.reprint.lost.push(self.pos);
        }
    }

    /// Moves over a `;` that bash did not print, if one is here.
    pub(super) fn eat_lost(&mut self) -> bool {
        let Reprint { active, deferred, printed, just_printed, functions, .. } = self.reprint;
        if !active {
            return false;
        }
        let separates = match self.peek() {
            Some(b';') => !matches!(self.peek_at(1), Some(b';' | b'&')),
            Some(b'\n') => true,
            _ => false,
        };
        let at = self.pos;
        let gone = self.reprint.gone.contains(&at);
        let loses = printed && !just_printed && !deferred && functions == 0;
        if !separates || !gone && !loses {
            return false;
        }
        match self.peek() {
            Some(b'\n') => self.line_end(),
            _ => self.advance(1),
        }
        self.lines();
        let lost = !self.at_list_end();
        if lost && !gone {
            self.reprint.printed = false;
            self.reprint.lost.push(at);
        }
        lost
    }

    /// `!`, `time` and `coproc` behind a lost `;` are mere words, and bash prints
    /// them otherwise: in an order of its own, and with a name for the coprocess.
    pub(super) fn printed_front(&mut self) -> Option<RawWord> {
        self.blanks();
        let start = self.pos;
        while matches!(self.bare().as_str(), "!" | "time" | "coproc") {
            let length = self.bare().as_str().len();
            self.advance(length);
            self.blanks();
        }
        let text = self.spelling(start);
        let parts = Pieces::One(Part::unknown(text, Pieces::default()));
        (self.pos > start).then(|| RawWord { span: self.span(start, self.pos), parts })
    }

    /// In a substitution, bash prints redirects behind the words: `$(<f ! rm x)`
    /// is `! rm x <f` when it runs, where the `!` is no word. Returns what it is not.
    pub(super) fn skip_printed_front(&mut self, simple: &Simple) -> Option<RawWord> {
        if self.substitutions == 0 || !simple.words.is_empty() || !simple.assignments.is_empty() {
            return None;
        }
        self.blanks();
        let start = self.pos;
        let front: SmolStr = self.bare().as_str().into();
        while matches!(self.bare().as_str(), "!" | "time" | "coproc") {
            let length = self.bare().as_str().len();
            self.advance(length);
            self.blanks();
            while self.looking_at("-p ") {
                self.advance(2);
                self.blanks();
            }
        }
        let word =
            RawWord { span: self.span(start, start + front.len()), parts: Pieces::One(Part::Plain(front)) };
        (self.pos > start).then_some(word)
    }

    /// Both readings of a command behind such a word: where nothing is printed (in a
    /// here-document), it is the name of a program.
    pub(super) fn with_front(front: Option<RawWord>, simple: Simple) -> List {
        let words = front.map(|front| std::iter::once(front).chain(simple.words.iter().cloned()).collect());
        let named = words.map(|words| Node::Simple(Simple { span: simple.span, words, ..Simple::default() }));
        std::iter::once(Node::Simple(simple)).chain(named).collect()
    }

    /// Where the lost `;` was before `case a in`, the patterns stand on a line
    /// of their own: `(b|c)` runs `b` and `c`, `b)` runs `b` and ends there.
    pub(super) fn lost_patterns(&mut self, simple: &mut Simple) -> List {
        let ends_head = |word: &RawWord| matches!(word.parts.as_slice(), [Part::Plain(text)] if text == "in");
        let head = simple.words.iter().rposition(ends_head).filter(|_| self.reprint.active);
        let Some(head) = head else { return List::new() };
        let words = simple.words.split_off(head + 1);
        if !words.is_empty() {
            return vec![Node::Simple(Simple { span: simple.span, words, ..Simple::default() })];
        }
        if self.eat("(") { self.list() } else { List::new() }
    }

    /// The list of a substitution that is from `open` to here, and how bash
    /// reads it again if that is something else.
    pub(super) fn reprinted(&mut self, list: List, open: usize, outer: &Reprint) -> List {
        let conditional = self.reprint.conditional;
        if self.reprint.lost.is_empty() && !conditional || outer.active || self.fault.is_some() {
            return list;
        }
        let mut arms = vec![(List::new(), list)];
        self.read_printed(open, false, &mut arms);
        if conditional && self.fault.is_none() {
            self.read_printed(open, true, &mut arms);
        }
        vec![Node::If { arms, rest: None, redirects: Vec::new() }]
    }

    /// Adds how the text from `open` to here is read each time it was printed.
    fn read_printed(&mut self, open: usize, early: bool, arms: &mut Vec<(List, List)>) {
        let next = self.pos;
        let mut gone = Vec::new();
        for _ in 0..PRINTS_MAX {
            let pending = std::mem::take(&mut self.pending);
            self.pos = open;
            self.reprint = Reprint { active: true, early, gone: gone.clone(), ..Reprint::default() };
            arms.push((List::new(), self.list_to_close(open)));
            self.pending = pending;
            let lost = std::mem::take(&mut self.reprint.lost);
            if self.fault.as_ref().is_some_and(|fault| fault.kind != Unknown::Syntax) {
                break;
            }
            self.fault = None;
            self.pos = next;
            if lost.is_empty() {
                break;
            }
            gone.extend(lost);
        }
    }
}
