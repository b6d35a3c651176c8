//! Walks the tree in the order bash would run it and lists every command.
//!
//! Knows order, scope and pipes; knows no program by name except the builtins
//! that change the shell itself (`builtin.rs`). What a command does is asked
//! of `programs`, what it starts of `wrappers`. Bounded by a budget of steps.

mod absent;
mod archive_over_work;
mod budget;
mod builtin;
mod calls;
mod cases;
mod choice;
mod copied;
mod disguise;
mod disk_files;
mod exports;
mod expression;
mod fd_output;
mod flow;
mod folders;
mod guesses;
mod hooks;
mod inner;
mod input;
mod items;
mod kept_secrets;
mod links;
mod listed;
mod loading;
mod logins;
mod loops;
mod named;
mod order;
mod paths;
mod runaway;
mod saved;
mod shown_environment;
mod simple;
mod sourced_env;
mod strands;
mod written;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::rc::Rc;
use std::sync::Arc;

use smol_str::SmolStr;

use crate::reading::{
    Assignment, Command, Fault, Opaque, ReadContext, Reading, Redirect, Span, Unknown, Word,
};
use crate::scope::{DIR, Scope, Text, Value, state_key};
use crate::stream::Stream;
use crate::tree::{List, Node, Output};
use choice::Choice;

pub use paths::is_clean_path;
pub(crate) use paths::join_path;

/// Deepest nesting of tree and opened text together.
const DEPTH_MAX: usize = 160;

/// Substitutions that download which are remembered.
const DOWNLOADS_MAX: usize = 32;

/// Substitutions whose commands are remembered.
const OUTPUTS_MAX: usize = 64;

pub(crate) struct Walker<'a> {
    pub(crate) setting: &'a ReadContext,
    pub(crate) scope: Scope,
    /// Which of several possible values is looked at now.
    pub(crate) choice: Choice,
    reading: Reading,
    /// Wrappers around what is walked now, outermost first.
    via: Vec<SmolStr>,
    /// The command that starts what is walked now.
    starter: Option<usize>,
    in_place: bool,
    depth: usize,
    /// How often `return` was met.
    returns: usize,
    /// What all that follows reads, since `exec <x`.
    input: Option<Rc<Stream>>,
    /// The text is made of values no one knows, in their spelling.
    pub(crate) spelled: bool,
    /// A word of the command is guessed at.
    guessing: bool,
    /// Some variable was declared to be an integer.
    counted: bool,
    /// Work done so far; above `WORK_MAX` nothing more is looked at.
    work: usize,
    /// Redirects of the groups around what is walked now.
    carried: Vec<Redirect>,
    exported: Vec<Assignment>,
    /// Aliases and functions being followed now.
    calls: Vec<SmolStr>,
    /// Bodies of functions being followed now, and what they were given.
    bodies: Vec<(*const Node, Rc<Value>)>,
    /// Functions that were called somewhere.
    called: BTreeSet<*const Node>,
    defined: Vec<(Rc<Node>, bool)>,
    /// What process substitutions and downloads yield, by source spelling.
    streams: BTreeMap<SmolStr, Stream>,
    /// Numbered descriptors in the order they were opened, and what they were before.
    opened: Vec<(SmolStr, Option<Stream>)>,
    /// Substitutions that download, with the address.
    downloads: Vec<(SmolStr, Word)>,
    /// What the text itself wrote to files, and what was in them before, by path.
    files: BTreeMap<SmolStr, Stream>,
    /// Files that would have to be known.
    wanted_files: RefCell<BTreeSet<SmolStr>>,
    /// Work done for files that were there.
    disk_work: usize,
    /// Links this text made, and where they lead.
    links: Vec<(SmolStr, SmolStr)>,
    loading: loading::Loading,
    /// What the last command started by another one printed.
    printed: Option<Stream>,
    /// Folders a download was unpacked into, with where it came from.
    unpacked: Vec<(SmolStr, Word)>,
    /// Files that are not there where what is walked now runs.
    absent: Vec<SmolStr>,
    /// Texts given to `trap`.
    trapped: Vec<Word>,
    /// An `eval` ended within a quote: bash may take the next word for a name.
    half_line: bool,
    /// Files whose text was put in place of another, in that order.
    overwritten: Vec<SmolStr>,
    strands: strands::Strands,
    /// Loops around what is walked now, whose items are followed one by one.
    looping: usize,
    /// What is walked now was given its words, and runs with no others.
    is_given: bool,
    /// The command before, whose last word is `$_`.
    last_listed: Option<usize>,
    /// `set -a`: whatever is assigned is exported.
    exports_all: bool,
    /// Descriptors that lead into the output of what is walked now, and what was
    /// written to each.
    sent: Vec<(SmolStr, Stream)>,
    /// Lists among the words of a command, for `declare x=(…)`.
    pub(crate) lists: VecDeque<(SmolStr, Value)>,
    /// Files that are open for writing around what is walked now.
    writing: Vec<Word>,
    /// Files that process substitutions may still write errors to.
    shared: Vec<SmolStr>,
    /// The commands found so far; shared with anyone who follows one, because a
    /// copy of each would cost as much as reading it.
    commands: Vec<Arc<Command>>,
    /// Positions in `commands` by a hash of the command.
    listed: BTreeMap<u64, usize>,
    /// What descriptors opened by `exec` and `coproc` yield, whichever they are.
    descriptors: Option<Stream>,
    /// The file a descriptor opened by `exec` writes to.
    descriptor_file: Option<Word>,
    /// Commands whose output is in words, by source spelling.
    outputs: Vec<(SmolStr, usize)>,
    /// What is walked now runs on another machine or in a container.
    away: bool,
    /// Work that is safe where what is walked now runs.
    saved: Option<saved::Saved>,
    /// Variables `local` has hidden, per function being followed.
    hidden: Vec<Vec<(SmolStr, Option<crate::scope::Options>)>>,
}

/// Lists every command of `list`.
pub(crate) fn walk(list: &List, source: &str, setting: &ReadContext) -> Reading {
    let mut walker = Walker::new(setting);
    walker.scope.set_one(DIR, Text::exact(""));
    let _ = walker.list(list, None);
    walker.trapped();
    walker.uncalled_functions();
    runaway::mark(list, source, &mut walker.commands);
    walker.reading.commands = walker.commands;
    walker.reading.wanted_files = walker.wanted_files.take().into_iter().collect();
    flow::mark_sent(&mut walker.reading.commands);
    archive_over_work::mark(&mut walker.reading.commands);
    logins::mark_handed_over(&mut walker.reading.commands);
    kept_secrets::mark(&mut walker.reading.commands, &walker.outputs);
    sourced_env::mark(source, &mut walker.reading);
    shown_environment::mark(&mut walker.reading.commands);
    order::in_reading_order(walker.reading)
}

impl<'a> Walker<'a> {
    fn new(setting: &'a ReadContext) -> Walker<'a> {
        Walker {
            setting,
            scope: Scope::default(),
            choice: Choice::default(),
            reading: Reading::default(),
            commands: Vec::new(),
            via: Vec::new(),
            starter: None,
            in_place: true,
            depth: 0,
            guessing: false,
            counted: false,
            work: 0,
            carried: Vec::new(),
            exported: Vec::new(),
            calls: Vec::new(),
            bodies: Vec::new(),
            called: BTreeSet::new(),
            defined: Vec::new(),
            streams: BTreeMap::new(),
            opened: Vec::new(),
            downloads: Vec::new(),
            files: disk_files::files_of(setting),
            wanted_files: RefCell::default(),
            disk_work: 0,
            links: Vec::new(),
            loading: loading::Loading::default(),
            printed: None,
            unpacked: Vec::new(),
            absent: Vec::new(),
            trapped: Vec::new(),
            half_line: false,
            overwritten: Vec::new(),
            strands: strands::Strands::default(),
            looping: 0,
            is_given: false,
            last_listed: None,
            exports_all: false,
            saved: None,
            sent: Vec::new(),
            lists: VecDeque::new(),
            writing: Vec::new(),
            shared: Vec::new(),
            listed: BTreeMap::new(),
            descriptors: None,
            descriptor_file: None,
            outputs: Vec::new(),
            away: false,
            returns: 0,
            input: None,
            spelled: false,
            hidden: Vec::new(),
        }
    }

    /// There is too much to follow. That weighs more than a mistake in the text.
    pub(crate) fn fail(&mut self, span: Span, message: &str) {
        if self.reading.fault.as_ref().is_none_or(|fault| fault.kind != Unknown::Limit) {
            self.reading.fault = Some(Fault { span, message: message.to_string(), kind: Unknown::Limit });
        }
    }

    /// Text that is read while the rest runs has a mistake.
    pub(crate) fn mistake(&mut self, span: Span, message: &str) {
        if self.reading.fault.is_none() {
            self.reading.fault = Some(Fault { span, message: message.to_string(), kind: Unknown::Syntax });
        }
    }

    fn list(&mut self, list: &List, stdin: Option<&Stream>) -> Stream {
        let mut all = Stream::silent();
        for node in list {
            let one = self.node(node, stdin);
            all.append(one);
            if self.is_spent() {
                return Stream::unknown();
            }
        }
        all
    }

    fn node(&mut self, node: &Node, stdin: Option<&Stream>) -> Stream {
        if !self.grow(budget::NODE_COST) {
            return Stream::unknown();
        }
        if self.depth >= DEPTH_MAX {
            self.fail(Span::default(), "nested too deeply");
            return Stream::unknown();
        }
        self.depth += 1;
        let stream = self.node_here(node, stdin);
        self.depth -= 1;
        stream
    }

    fn node_here(&mut self, node: &Node, stdin: Option<&Stream>) -> Stream {
        match node {
            Node::Simple(simple) => self.simple(simple, stdin),
            // No one waits for a pipe that ends in a coprocess.
            Node::Pipe(stages) if matches!(stages.last(), Some(Node::Coproc(_))) => {
                self.in_job(|walker| walker.pipe(stages, stdin))
            }
            Node::Pipe(stages) => self.pipe(stages, stdin),
            Node::Chain(first, rest) => self.chain(first, rest, stdin),
            Node::Group(list, redirects) => {
                self.redirected(redirects, stdin, |walker, stdin| walker.list(list, stdin))
            }
            Node::Subshell(list, redirects) => {
                let (mark, outer) = (self.scope.checkpoint(), self.trapped.len());
                let overwritten = self.overwritten.len();
                let stream = self.redirected(redirects, stdin, |walker, stdin| match list.as_slice() {
                    // In the background.
                    [Node::Group(..)] => walker.in_job(|walker| walker.list(list, stdin)),
                    _ => walker.list(list, stdin),
                });
                self.trapped_since(outer);
                self.doubt_descriptors(overwritten);
                self.scope.rollback(mark);
                stream
            }
            Node::Guess(list) => self.guess(list),
            Node::Coproc(inner) => self.coprocess(inner),
            Node::If { arms, rest, redirects } => {
                self.redirected(redirects, stdin, |walker, stdin| walker.branches(arms, rest.as_ref(), stdin))
            }
            Node::While { condition, body, redirects } => {
                self.redirected(redirects, stdin, |walker, stdin| {
                    walker.repeated(stdin, |walker, stdin| {
                        let _ = walker.list(condition, stdin);
                        let _ = walker.list(body, stdin);
                    })
                })
            }
            Node::For { name, words, body, uses_name, redirects } => {
                let words = words.as_deref();
                self.redirected(redirects, stdin, |walker, stdin| {
                    walker.for_each(name, words, body, *uses_name, stdin)
                })
            }
            Node::Case { subject, arms, redirects } => {
                let value = self.compare(subject, arms);
                self.redirected(redirects, stdin, |walker, stdin| {
                    walker.one_arm(arms, value.as_deref(), stdin)
                })
            }
            Node::Test(words, redirects) => {
                self.test(words);
                self.redirected(redirects, stdin, |_, _| Stream::silent())
            }
            Node::Function { name, body } => {
                self.scope.define(name, body);
                self.scope.set_one(&state_key("function", name), Text::exact("1"));
                self.defined.push((Rc::clone(body), self.in_place));
                Stream::silent()
            }
        }
    }

    fn coprocess(&mut self, inner: &Node) -> Stream {
        if self.half_line {
            let what = "`coproc` after `eval` of half a line".to_string();
            self.opaque(Span::default(), Unknown::Name, what);
        }
        // Its input is written later, by the code that holds the other end.
        let (mark, outer) = (self.scope.checkpoint(), self.trapped.len());
        let stream = self.in_job(|walker| walker.node(inner, Some(&Stream::unknown())));
        self.trapped_since(outer);
        self.scope.rollback(mark);
        self.keep_descriptor(&stream);
        stream
    }

    fn branches(&mut self, arms: &[(List, List)], rest: Option<&List>, stdin: Option<&Stream>) -> Stream {
        let mut quiet = true;
        for (condition, _) in arms {
            quiet &= self.list(condition, stdin).text.as_deref() == Some("");
        }
        let bodies: Vec<&List> = arms.iter().map(|(_, body)| body).chain(rest).collect();
        let absent = match (arms, rest) {
            ([(condition, _)], None) => self.enter_absent_if(condition),
            _ => self.absent.len(),
        };
        let mut out = self.one_of(&bodies, rest.is_none(), stdin);
        if !quiet {
            (out.text, out.other, out.from) = (None, None, None);
        }
        self.absent.truncate(absent);
        out
    }

    fn one_of(&mut self, bodies: &[&List], maybe_none: bool, stdin: Option<&Stream>) -> Stream {
        let mut changes = Vec::new();
        let mut out = if maybe_none { Some(Stream::silent()) } else { None };
        let overwritten = self.overwritten.len();
        for body in bodies {
            let mark = self.scope.checkpoint();
            let one = self.list(body, stdin);
            out = Some(match out {
                Some(all) => all.or_instead(one),
                None => one,
            });
            changes.push(self.scope.take_changes(mark));
        }
        self.merge(&changes, maybe_none);
        self.doubt_written(overwritten);
        let mut out = out.unwrap_or_default();
        // Of text no one knows, no one knows which of them wrote it.
        out.from = out.from.filter(|_| out.text.is_some());
        out
    }

    /// Walks the list of a substitution: a subshell with a choice of its own.
    pub(crate) fn walk_aside(&mut self, output: &Output, stdin: Option<&Stream>) -> Stream {
        let mark = self.scope.checkpoint();
        let choice = std::mem::take(&mut self.choice);
        let was_in_place = self.in_place;
        let carried = std::mem::take(&mut self.carried);
        self.in_place &= output.in_place;
        let (overwritten, trapped) = (self.overwritten.len(), self.trapped.len());
        let mut stream = self.list(&output.list, stdin);
        if self.trapped.len() > trapped {
            // What the trap prints comes as well.
            stream.text = None;
            self.trapped_since(trapped);
        }
        self.doubt_descriptors(overwritten);
        self.carried = carried;
        self.in_place = was_in_place;
        self.choice = choice;
        self.scope.rollback(mark);
        stream
    }

    /// What a substitution spelled like this printed.
    pub(crate) fn streams_of(&self, text: &Text) -> Option<&Stream> {
        self.streams.get(&text.text)
    }

    pub(crate) fn keep_stream(&mut self, spelling: &str, stream: Stream) {
        if let Some(url) = stream.download.clone().filter(|_| self.downloads.len() < DOWNLOADS_MAX) {
            self.downloads.push((spelling.into(), url));
        }
        if let Some(from) = stream.from.filter(|_| !spelling.is_empty()) {
            let known = self.outputs.iter_mut().find(|(known, _)| known == spelling);
            if let Some((_, at)) = known {
                *at = from;
            } else if self.outputs.len() < OUTPUTS_MAX {
                self.outputs.push((spelling.into(), from));
            }
        }
        self.streams.insert(spelling.into(), stream);
    }

    fn opaque(&mut self, span: Span, kind: Unknown, what: String) {
        let opaque = Opaque { span, kind, what };
        if !self.reading.opaque.contains(&opaque) && self.reading.opaque.len() < 256 {
            self.reading.opaque.push(opaque);
        }
    }

    /// Bodies of functions no one calls here may still be called later.
    fn uncalled_functions(&mut self) {
        self.uncalled_since(0);
        self.in_place = true;
    }

    /// The same of those defined since then.
    fn uncalled_since(&mut self, since: usize) {
        while self.defined.len() > since
            && let Some((body, in_place)) = self.defined.pop()
        {
            if !self.called.insert(Rc::as_ptr(&body)) {
                continue;
            }
            let mark = self.scope.checkpoint();
            self.in_place = in_place;
            let _ = self.with_given(false, |walker| walker.node(&body, None));
            self.scope.rollback(mark);
        }
    }
}
