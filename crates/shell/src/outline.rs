//! The shape of a text: which lists, pipes and substitutions its simple
//! commands stand in. For people who ask why; no verdict comes from it.

use crate::parse;
use crate::reading::Span;
use crate::tree::{Link, List, Node, Part, RawRedirect, RawWord, Simple};

/// Deepest nesting that is drawn.
const DEPTH_MAX: usize = 80;

/// One piece of a text with the pieces inside it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Outline {
    /// What it is: `command`, `assignment`, `pipeline`, `chain`, `subshell`, `$(…)` and so on.
    pub shape: &'static str,
    /// How it hangs on the piece before it: `|`, `&&`, `||`; empty for none.
    pub joint: &'static str,
    /// Where it is: its own bytes for a command, else from its first
    /// command to its last.
    pub span: Span,
    /// The pieces inside, in reading order.
    pub inside: Vec<Outline>,
}

/// The pieces of `source`, as far as it can be read.
#[must_use]
pub fn outline(source: &str) -> Vec<Outline> {
    if source.len() > crate::SOURCE_MAX {
        return Vec::new();
    }
    of_list(&parse::parse(source, None, 0).list, 0)
}

fn of_list(list: &List, depth: usize) -> Vec<Outline> {
    list.iter().filter_map(|node| of_node(node, depth)).collect()
}

/// `None` for what holds no command.
fn of_node(node: &Node, depth: usize) -> Option<Outline> {
    if depth >= DEPTH_MAX {
        return None;
    }
    let depth = depth + 1;
    match node {
        Node::Simple(simple) => Some(of_simple(simple, depth)),
        Node::Pipe(stages) => {
            let mut inside: Vec<Outline> = stages.iter().filter_map(|stage| of_node(stage, depth)).collect();
            for stage in inside.iter_mut().skip(1) {
                stage.joint = "|";
            }
            holding("pipeline", inside)
        }
        Node::Chain(first, rest) => {
            let mut inside: Vec<Outline> = of_node(first, depth).into_iter().collect();
            for (link, node) in rest {
                let joint = if *link == Link::And { "&&" } else { "||" };
                inside.extend(of_node(node, depth).map(|one| Outline { joint, ..one }));
            }
            holding("chain", inside)
        }
        Node::Group(list, redirects) => with(redirects, "{ … }", of_list(list, depth), depth),
        Node::Subshell(list, redirects) => with(redirects, "subshell", of_list(list, depth), depth),
        Node::Guess(list) => holding("after the mistake", of_list(list, depth)),
        Node::Coproc(inner) => holding("coproc", of_node(inner, depth).into_iter().collect()),
        Node::If { arms, rest, redirects } => {
            let lists = arms.iter().flat_map(|(condition, body)| [condition, body]).chain(rest);
            with(redirects, "if", lists.flat_map(|list| of_list(list, depth)).collect(), depth)
        }
        Node::While { condition, body, redirects } => {
            let mut inside = of_list(condition, depth);
            inside.extend(of_list(body, depth));
            with(redirects, "while", inside, depth)
        }
        Node::For { words, body, redirects, .. } => {
            let mut inside = of_words(words.as_deref().unwrap_or_default(), depth);
            inside.extend(of_list(body, depth));
            with(redirects, "for", inside, depth)
        }
        Node::Case { subject, arms, redirects } => {
            let mut inside = of_parts(&subject.parts, depth);
            inside.extend(
                arms.iter().flat_map(|arm| {
                    of_words(&arm.patterns, depth).into_iter().chain(of_list(&arm.body, depth))
                }),
            );
            with(redirects, "case", inside, depth)
        }
        Node::Test(words, redirects) => with(redirects, "[[ … ]]", of_words(words, depth), depth),
        Node::Function { body, .. } => holding("function", of_node(body, depth).into_iter().collect()),
    }
}

fn of_simple(simple: &Simple, depth: usize) -> Outline {
    let assigned = simple.assignments.iter().flat_map(|one| {
        let index = one.index.as_deref().unwrap_or_default();
        of_parts(index, depth).into_iter().chain(of_parts(&one.value.parts, depth))
    });
    let mut inside: Vec<Outline> = assigned.collect();
    inside.extend(of_words(&simple.words, depth));
    inside.extend(of_redirects(&simple.redirects, depth));
    let runs = !simple.words.is_empty() || !simple.redirects.is_empty();
    let shape = if runs { "command" } else { "assignment" };
    Outline { shape, joint: "", span: simple.span, inside }
}

fn with(
    redirects: &[RawRedirect],
    shape: &'static str,
    mut inside: Vec<Outline>,
    depth: usize,
) -> Option<Outline> {
    inside.extend(of_redirects(redirects, depth));
    holding(shape, inside)
}

fn holding(shape: &'static str, inside: Vec<Outline>) -> Option<Outline> {
    let start = inside.iter().map(|one| one.span.start).min()?;
    let end = inside.iter().map(|one| one.span.end).max()?;
    Some(Outline { shape, joint: "", span: Span { start, end }, inside })
}

fn of_redirects(redirects: &[RawRedirect], depth: usize) -> Vec<Outline> {
    let target = |one: &RawRedirect| match one.text() {
        Some(body) => of_parts(&body.parts, depth),
        None => of_parts(&one.target.parts, depth),
    };
    redirects.iter().flat_map(target).collect()
}

fn of_words(words: &[RawWord], depth: usize) -> Vec<Outline> {
    words.iter().flat_map(|word| of_parts(&word.parts, depth)).collect()
}

/// The substitutions in a word.
fn of_parts(parts: &[Part], depth: usize) -> Vec<Outline> {
    if depth >= DEPTH_MAX {
        return Vec::new();
    }
    let depth = depth + 1;
    let one = |part: &Part| match part {
        Part::Plain(_) | Part::Quoted(_) => Vec::new(),
        Part::Output(output) => holding("$(…)", of_list(&output.list, depth)).into_iter().collect(),
        Part::Process(output) => holding("<(…)", of_list(&output.list, depth)).into_iter().collect(),
        Part::Param(param) => {
            let mut inside = of_parts(param.index.as_deref().unwrap_or_default(), depth);
            inside.extend(of_parts(&param.word, depth));
            inside
        }
        Part::Unknown(value) => of_parts(&value.inner, depth),
        Part::Array(words) => of_words(words, depth),
    };
    parts.iter().flat_map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(source: &str, pieces: &[Outline]) -> String {
        let one = |piece: &Outline| {
            let own = if matches!(piece.shape, "command" | "assignment") {
                source.get(piece.span.start..piece.span.end).unwrap_or("?").to_string()
            } else {
                piece.shape.to_string()
            };
            let inside = drawn(source, &piece.inside);
            let inside = if inside.is_empty() { inside } else { format!("[{inside}]") };
            format!("{}{own}{inside}", piece.joint)
        };
        pieces.iter().map(one).collect::<Vec<_>>().join(" ; ")
    }

    #[track_caller]
    fn check(source: &str, expected: &str) {
        assert_eq!(drawn(source, &outline(source)), expected);
    }

    #[test]
    fn every_simple_command_has_its_place() {
        check("ls", "ls");
        check("a; b", "a ; b");
        check("a x && b || c", "chain[a x ; &&b ; ||c]");
        check("a | b y", "pipeline[a ; |b y]");
        check("(a; b) > x", "subshell[a ; b]");
        check("if a; then b; else c; fi", "if[a ; b ; c]");
        check("for i in $(a); do b; done", "for[$(…)[a] ; b]");
        check("f() { a; }; f", "function[{ … }[a]] ; f");
        check("X=1", "X=1");
        check("X=$(a)", "X=$(a)[$(…)[a]]");
        check("a \"${X:-$(b)}\" <(c)", "a \"${X:-$(b)}\" <(c)[$(…)[b] ; <(…)[c]]");
        check("a '", "a '");
    }

    #[test]
    fn depth_is_bounded() {
        let deep = format!("{}a{}", "$(".repeat(3000), ")".repeat(3000));
        let _ = outline(&format!("echo {deep}"));
        let _ = outline(&format!("{}a{}", "(".repeat(3000), ")".repeat(3000)));
    }
}
