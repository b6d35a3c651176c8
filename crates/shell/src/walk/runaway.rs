//! Text that starts processes without end: functions that start themselves
//! next to themselves, endless loops that start jobs and never wait.
//!
//! Looks at the shape of the tree only. A call that hangs on a condition may
//! end, so it does not count.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::effect_kind::EffectKind;
use crate::reading::{Command, Effect};
use crate::tree::{List, Node, Part, RawWord, Simple};

/// Functions and steps that are followed.
const STEPS_MAX: usize = 4096;

/// Deepest nesting that is looked at.
const DEPTH_MAX: usize = 64;

/// A call: the name, and whether it runs next to its caller.
type Called = (String, bool);

/// Adds the kind to a command of `list` if it never ends.
pub(super) fn mark(list: &List, source: &str, commands: &mut [Arc<Command>]) {
    let mut search = Search { source, ..Search::default() };
    search.list(list, 0);
    let Some(name) = search.looping.clone().or_else(|| search.bomb()) else { return };
    let at = commands.iter().position(|command| command.program == name).unwrap_or(0);
    if let Some(command) = commands.get_mut(at) {
        Arc::make_mut(command).effects.push(Effect { kind: EffectKind::FloodsProcesses, target: None });
    }
}

#[derive(Default)]
struct Search<'a> {
    /// The text the tree was read from.
    source: &'a str,
    functions: BTreeMap<String, Vec<Called>>,
    /// A job an endless loop starts.
    looping: Option<String>,
    steps: usize,
}

impl Search<'_> {
    fn list(&mut self, list: &List, depth: usize) {
        for node in list {
            self.node(node, depth + 1);
        }
    }

    fn node(&mut self, node: &Node, depth: usize) {
        self.steps += 1;
        if depth > DEPTH_MAX || self.steps > STEPS_MAX {
            return;
        }
        match node {
            Node::Simple(_) | Node::Test(..) | Node::Guess(_) => {}
            Node::Pipe(stages) => stages.iter().for_each(|stage| self.node(stage, depth + 1)),
            Node::Chain(first, rest) => {
                self.node(first, depth + 1);
                rest.iter().for_each(|(_, node)| self.node(node, depth + 1));
            }
            Node::Group(list, _) | Node::Subshell(list, _) => self.list(list, depth),
            Node::Coproc(inner) => self.node(inner, depth + 1),
            Node::If { arms, rest, .. } => {
                arms.iter().for_each(|(_, body)| self.list(body, depth));
                rest.iter().for_each(|body| self.list(body, depth));
            }
            Node::While { condition, body, .. } => {
                if is_endless(condition, self.source) && self.looping.is_none() {
                    self.looping = unbounded_job(body);
                }
                self.list(body, depth);
            }
            Node::For { body, .. } => self.list(body, depth),
            Node::Case { arms, .. } => arms.iter().for_each(|arm| self.list(&arm.body, depth)),
            Node::Function { name, body } => {
                let mut calls = Vec::new();
                surely_called(body, false, &mut calls, 0);
                self.functions.insert(name.to_string(), calls);
                self.node(body, depth + 1);
            }
        }
    }

    /// A function that surely comes back to itself, next to itself.
    fn bomb(&self) -> Option<String> {
        self.functions.keys().take(64).find(|name| self.returns(name)).cloned()
    }

    fn returns(&self, start: &str) -> bool {
        let mut open: Vec<(&str, bool)> = vec![(start, false)];
        let mut seen: Vec<(&str, bool)> = Vec::new();
        while let Some((name, beside)) = open.pop() {
            for (called, by_job) in self.functions.get(name).into_iter().flatten() {
                let next = (called.as_str(), beside || *by_job);
                if next == (start, true) {
                    return true;
                }
                if !seen.contains(&next) && seen.len() < 256 {
                    seen.push(next);
                    open.push(next);
                }
            }
        }
        false
    }
}

/// The plain words of a command as written; empty for others.
fn words(simple: &Simple) -> Vec<&str> {
    simple.words.iter().map_while(plain).collect()
}

fn plain(word: &RawWord) -> Option<&str> {
    match word.parts.as_slice() {
        [Part::Plain(text) | Part::Quoted(text)] => Some(text),
        _ => None,
    }
}

fn program(node: &Node) -> Option<&str> {
    match node {
        Node::Simple(simple) => words(simple).first().map(|word| crate::programs::base_name(word)),
        _ => None,
    }
}

/// Commands that run whenever `node` runs.
fn surely_called(node: &Node, beside: bool, calls: &mut Vec<Called>, depth: usize) {
    if depth > DEPTH_MAX || calls.len() > 256 {
        return;
    }
    match node {
        Node::Simple(_) => calls.extend(program(node).map(|name| (name.to_string(), beside))),
        Node::Pipe(stages) => stages.iter().for_each(|stage| surely_called(stage, true, calls, depth + 1)),
        Node::Chain(first, _) => surely_called(first, beside, calls, depth + 1),
        Node::Group(list, _) => list.iter().for_each(|node| surely_called(node, beside, calls, depth + 1)),
        Node::Subshell(list, _) => list.iter().for_each(|node| surely_called(node, true, calls, depth + 1)),
        Node::Coproc(inner) => surely_called(inner, true, calls, depth + 1),
        _ => {}
    }
}

/// `while true`, `until false`, `for ((;;))`.
fn is_endless(condition: &List, source: &str) -> bool {
    let [only] = condition.as_slice() else { return false };
    match only {
        Node::Simple(simple) => match words(simple).as_slice() {
            [name] => matches!(crate::programs::base_name(name), "true" | ":" | "false"),
            ["[" | "test", "1" | "true", ..] => true,
            _ => false,
        },
        Node::Test(words, _) => match words.as_slice() {
            [] => true,
            [word] => is_constant(word, source),
            _ => false,
        },
        _ => false,
    }
}

/// `[[ 1 ]]`, `((1))`, and the head of `for ((;;))`.
fn is_constant(word: &RawWord, source: &str) -> bool {
    let text = source.get(word.span.start..word.span.end).unwrap_or("");
    let text = text.trim_start_matches("for").trim_matches(['(', ')', ' ', ';']);
    let text = if word.span.end > 0 && text.is_empty() { ";;" } else { text };
    match text.split(';').collect::<Vec<_>>().as_slice() {
        [only] => matches!(only.trim(), "1" | "true"),
        [_, condition, _] => matches!(condition.trim(), "" | "1"),
        _ => false,
    }
}

/// A job started after the last `wait` of a round that nothing ends or slows.
fn unbounded_job(body: &List) -> Option<String> {
    let mut job = None;
    for node in body {
        match node {
            // A job of a subshell cannot be waited for outside it.
            Node::Subshell(inner, _) if matches!(inner.as_slice(), [Node::Subshell(..)]) => {
                if let Some(name) = background(inner) {
                    return Some(name);
                }
            }
            Node::Subshell(inner, _) => job = background(inner).or(job),
            Node::Simple(_) => match program(node) {
                Some("wait") => job = None,
                Some("sleep" | "read" | "break" | "exit" | "return") => return None,
                _ => {}
            },
            Node::If { arms, rest, .. } => {
                let may_end = arms.iter().any(|(condition, body)| !never(condition) && ends(body));
                if may_end || rest.as_ref().is_some_and(ends) {
                    return None;
                }
            }
            Node::Chain(_, rest) if rest.iter().any(|(_, node)| ends_loop(node)) => return None,
            Node::Case { .. } | Node::While { .. } | Node::For { .. } => return None,
            _ => {}
        }
    }
    job
}

/// The job of `x &`, also in `(x &)`.
fn background(inner: &List) -> Option<String> {
    match inner.as_slice() {
        [Node::Group(list, redirects)] if redirects.is_empty() => {
            Some(list.first().and_then(program).unwrap_or("").to_string())
        }
        [Node::Subshell(inner, _)] => background(inner),
        _ => None,
    }
}

fn never(condition: &List) -> bool {
    matches!(condition.as_slice(), [node] if program(node) == Some("false"))
}

fn ends(body: &List) -> bool {
    body.iter().any(ends_loop)
}

fn ends_loop(node: &Node) -> bool {
    matches!(program(node), Some("break" | "exit" | "return" | "sleep" | "wait"))
}
