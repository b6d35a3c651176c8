//! Which commands must have succeeded if the whole text did.
//!
//! Used to tell evidence from talk: `cargo test` and `cd x && cargo test` show
//! that the tests passed; `cargo test || true`, `cargo test | tail`, a branch,
//! a function or a background job do not. When in doubt, a command is not
//! among them.

use crate::parse;
use crate::reading::Span;
use crate::tree::{Link, List, Node};

/// The places of the simple commands that ran and succeeded if `source` did.
#[must_use]
pub fn surely_ran(source: &str) -> Vec<Span> {
    let parsed = parse::parse(source, None, 0);
    if parsed.fault.is_some() {
        return Vec::new();
    }
    let mut spans = Vec::new();
    of_list(&parsed.list, &mut spans);
    // The tree keeps no `!`; what follows one succeeded by failing.
    let is_negated =
        |span: &Span| source.get(..span.start).is_some_and(|before| before.trim_end().ends_with('!'));
    spans.retain(|span| !is_negated(span));
    spans
}

/// A list ends as its last command does.
fn of_list(list: &List, spans: &mut Vec<Span>) {
    if let Some(last) = list.last() {
        of_node(last, spans);
    }
}

fn of_node(node: &Node, spans: &mut Vec<Span>) {
    match node {
        Node::Simple(simple) => spans.push(simple.span),
        Node::Chain(first, rest) if rest.iter().all(|(link, _)| *link == Link::And) => {
            of_node(first, spans);
            rest.iter().for_each(|(_, node)| of_node(node, spans));
        }
        Node::Pipe(nodes) => nodes.last().into_iter().for_each(|node| of_node(node, spans)),
        Node::Group(list, _) => of_list(list, spans),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::surely_ran;

    #[track_caller]
    fn check(source: &str, expected: &[&str]) {
        let found: Vec<&str> =
            surely_ran(source).iter().filter_map(|span| source.get(span.start..span.end)).collect();
        assert_eq!(found, expected, "{source}");
    }

    #[test]
    fn only_what_the_end_depends_on_counts() {
        check("cargo test", &["cargo test"]);
        check("cd x && cargo test", &["cd x", "cargo test"]);
        check("ls; cargo test", &["cargo test"]);
        check("{ ls; cargo test; }", &["cargo test"]);
        check("cargo test; ls", &["ls"]);
        check("cargo test | tail", &["tail"]);
        check("cargo test || true", &[]);
        check("false && cargo test; true", &["true"]);
        check("! cargo test", &[]);
        check("cargo test &", &[]);
        check("if x; then cargo test; fi", &[]);
        check("f() { cargo test; }", &[]);
        check("(cargo test)", &[]);
        check("cargo test )", &[]);
    }
}
