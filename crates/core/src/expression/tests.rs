//! Small cases of every comparison, and what is refused.

use super::*;
use crate::places::Places;

fn places() -> Places {
    Places { home: Some("/home/dev".to_owned()), workspace: vec!["/project".to_owned()], ..Places::default() }
}

/// An implementer that writes `/project/src/test_a.rs` with its 12th call.
fn holds(text: &str, change: impl Fn(&mut View<'_>)) -> Truth {
    let places = places();
    let mut view = View {
        role: "implementer",
        agent: "a-1",
        task: "T-7",
        tool: "Write",
        sort: ActionSort::FileWrite,
        command: "",
        program: "",
        target: Some(Target { path: "/project/src/test_a.rs", exact: true, glob: false, within: None }),
        calls: 12,
        tokens: Some(900),
        answers: Some(3),
        lines: 40,
        minutes: 5,
        places: &places,
    };
    change(&mut view);
    match Expression::new(text, Some(0.5)) {
        Ok(expression) => expression.holds(&view),
        Err(fault) => panic!("{text}: {fault:?}"),
    }
}

#[track_caller]
fn check(text: &str, expected: bool) {
    assert_eq!(holds(text, |_| {}), Truth::of(expected), "{text}");
}

#[test]
fn texts_are_compared() {
    check("agent.role == 'implementer' AND action.type == 'file_write'", true);
    check("agent.role == \"implementer\" && action.type == 'file_read'", false);
    check("agent.role != 'architect'", true);
    check("not agent.role == 'architect' and action.tool in ['Write', 'Edit']", true);
    check("action.tool_name not in ('Write',)", false);
    check("action.tool in []", false);
    check("task matches '^T-[0-9]+$' or false", true);
    check("task !~ '^T-'", false);
    check("agent.name like 'a-*' AND agent.id glob '?-1'", true);
    check(
        "agent.role contains 'lement' AND agent.role starts_with 'imp' AND agent.role ends with 'er'",
        true,
    );
    check("!(agent.role does not contain 'x') || TRUE", true);
    check("'implementer' == agent.role", true);
    check("agent.role == 'it\\'s'", false);
    check("agent.role == 'a' OR 'implementer'", true);
}

#[test]
fn or_binds_weaker_than_and_and_not_strongest() {
    check("true or false and false", true);
    check("(true or false) and false", false);
    check("not false and false", false);
    check("not (false and false)", true);
    check("not not true", true);
}

#[test]
fn numbers_are_compared() {
    check("session.calls < 13 AND session.calls >= 12 AND session.calls <= 12 AND session.calls > 11", true);
    check("100 > session.calls", true);
    check("session.calls == 12 and session.calls != 13 and session.spent.tokens in [1, 900]", true);
    check("session.calls > threshold", true);
    check("session.minutes < 5.5", true);
    check("session.spent.tokens > 1_000", false);
}

/// The spelling of the seed.
#[test]
fn one_pattern_after_the_other() {
    let seed = "action.target_file does not match '**/test_*' AND '**/*_test.*'";
    let at = |path: &'static str| {
        holds(seed, |view| view.target = Some(Target { path, exact: true, glob: false, within: None }))
    };
    assert_eq!(at("/project/src/test_a.rs"), Truth::No);
    assert_eq!(at("/project/src/a_test.rs"), Truth::No);
    assert_eq!(at("/project/src/a.rs"), Truth::Yes);
    assert_eq!(holds(seed, |view| view.target = None), Truth::Yes);
}

#[test]
fn a_path_has_several_names() {
    check("action.target == 'src/test_a.rs'", true);
    check("action.target == '/project/src/test_a.rs'", true);
    check("action.target starts_with 'src/' and action.target ends_with '.rs'", true);
    check("action.target matches 'src/**'", true);
    check("action.target regex '^src/test_'", true);
    check("action.target matches 'lib/**'", false);
    let home = |view: &mut View<'_>| {
        view.target = Some(Target { path: "/home/dev/.ssh/id_rsa", exact: true, glob: false, within: None });
    };
    assert_eq!(
        holds("action.target matches '~/.ssh/**' and action.target == '~/.ssh/id_rsa'", home),
        Truth::Yes
    );
}

#[test]
fn what_cannot_be_known_is_unclear() {
    let at = |text: &str, path: &'static str, exact: bool, glob: bool| {
        holds(text, |view| view.target = Some(Target { path, exact, glob, within: None }))
    };
    assert_eq!(at("action.target matches '**/test_*'", "/project/$F", false, false), Truth::Unclear);
    assert_eq!(at("action.target does not match '**/test_*'", "/project/$F", false, false), Truth::Unclear);
    assert_eq!(at("action.target matches '**/test_*' OR true", "/project/$F", false, false), Truth::Yes);
    assert_eq!(at("action.target matches '**/test_*' AND false", "/project/$F", false, false), Truth::No);
    assert_eq!(holds("session.spent.tokens < 5", |view| view.tokens = None), Truth::Unclear);
    assert_eq!(at("action.target matches '*_test.rs'", "/project/src/*.rs", true, true), Truth::Unclear);
    assert_eq!(at("action.target matches '*.env'", "/project/src/*.rs", true, true), Truth::No);
    assert_eq!(at("action.target matches 'tests/**'", "/project/src/*.rs", true, true), Truth::No);
    assert_eq!(at("action.target matches 'tests/**'", "/project/*/a.rs", true, true), Truth::Unclear);
}

#[track_caller]
fn refuses(text: &str, at: &str, said: &str) {
    let fault = Expression::new(text, None).expect_err(text);
    assert_eq!(text.get(fault.start..fault.end), Some(at), "{text}: {fault:?}");
    assert!(format!("{} – {}", fault.message, fault.cure).contains(said), "{text}: {fault:?}");
}

#[test]
fn what_is_wrong_is_told_with_its_place() {
    refuses("agent.rol == 'x'", "agent.rol", "unknown field `agent.rol` – known: agent.role");
    refuses("agent.role = 'x'", "=", "write `==`");
    refuses("agent.role == x", "x", "put text in quotes");
    refuses("agent.role == 'x", "'x", "never closed");
    refuses("agent.role == 'x' agent.name == 'y'", "agent.name", "AND or OR");
    refuses("agent.role", "agent.role", "comparison");
    refuses("agent.role < 3", "<", "this field is text");
    refuses("agent.role < 'a'", "<", "not a number");
    refuses("session.calls == '3'", "==", "remove the quotes");
    refuses("session.calls matches '3'", "matches", "this field is a number");
    refuses("session.calls < 1.2.3", "1.2.3", "not a number");
    refuses("session.calls < threshold", "threshold", "the guardrail has no threshold");
    refuses("action.type == 'file_wirte'", "==", "file_write, file_read");
    refuses("'x'", "'x'", "a value on its own");
    refuses("agent.role != 'a' OR 'b'", "'b'", "ambiguous");
    refuses("not agent.role == 'a' AND 'b'", "'b'", "a value on its own");
    refuses("(true", "true", "`)` is missing");
    refuses("action.target matches '^src/.*$'", "matches", "write `regex`");
    refuses("action.target matches 'a['", "matches", "invalid pattern: `[` is never closed");
    refuses("agent.role matches '('", "(", "invalid regular expression");
    refuses("agent.role in 'x'", "'x'", "['a', 'b']");
    refuses("agent.role in ['x'", "'x'", "['a', 'b']");
    refuses("agent.role == ‘x’", "‘", "plain quotes");
    refuses("a & b", "&", "write `AND`");
    refuses("", "", "known: agent.role");
    refuses(&"(".repeat(40), "(", "too deeply");
    refuses(&"!".repeat(40), "!", "too deeply");
    let long = format!("agent.role == '{}'", "x".repeat(5000));
    refuses(&long, &long, "longer than 4096");
}

#[test]
fn a_long_chain_is_no_deep_one() {
    let chain = vec!["session.calls > 1"; 100].join(" AND ");
    check(&chain, true);
}
