//! Commands made to exhaust the reader: too deep, too long, too many. What cannot be read is not let
//! through.

use crate::hostile::{Cases, case, check_denied, with};
use crate::house::{CANARY, House, TICKET};
use serde_json::json;

/// The canary behind or inside a text made to exhaust the reader.
#[test]
fn commands_made_to_exhaust_the_reader_are_not_let_through() {
    let house = House::with_policy(TICKET);
    let mut cases = Cases::new();
    let pairs = [
        ("( ", " )"),
        ("{ ", "; }"),
        ("$(", ")"),
        ("`", "`"),
        ("\"$(", ")\""),
        ("<(", ")"),
        ("if true; then ", "; fi"),
        ("while ", "; do :; done"),
        ("${a:-", "}"),
    ];
    for (open, close) in pairs {
        for depth in [300, 20_000] {
            let nested = format!("{}{CANARY}{}", open.repeat(depth), close.repeat(depth));
            cases.push(case(
                format!("{depth} {open} around it"),
                with(&house, "/tool_input/command", json!(nested)),
            ));
            let cut = format!("{CANARY}; {}", open.repeat(depth));
            cases.push(case(
                format!("{depth} {open} behind it"),
                with(&house, "/tool_input/command", json!(cut)),
            ));
        }
    }
    for open in [
        "((",
        "$((",
        "${",
        "[[ ",
        "case x in ",
        "a() { ",
        "'",
        "\"",
        "$'",
        "<<A <<B ",
        "{a,",
        "!",
        "&& ",
        "|",
    ] {
        let cut = format!("{CANARY}; {}", open.repeat(20_000));
        cases.push(case(format!("20000 {open} behind it"), with(&house, "/tool_input/command", json!(cut))));
    }
    check_denied(&cases, &house);
}

#[test]
fn long_commands_are_not_let_through() {
    let house = House::with_policy(TICKET);
    let many = |part: &str, times: usize| part.repeat(times);
    let commands = [
        ("a megabyte behind it", format!("{CANARY} {}", many("x", 1 << 20))),
        ("a megabyte before it", format!("{}; {CANARY}", many("x", 1 << 20))),
        ("a megabyte of words", format!("{CANARY} {}", many("x ", 1 << 19))),
        ("ten thousand commands", format!("{}{CANARY}", many("true; ", 10_000))),
        ("ten thousand pipes", format!("{}{CANARY}", many("cat | ", 10_000))),
        ("ten thousand lines", format!("{}{CANARY}", many("true\n", 10_000))),
        ("ten thousand wrappers", format!("{}{CANARY}", many("env ", 10_000))),
        ("a thousand sudos", format!("{}{CANARY}", many("sudo ", 1000))),
        ("a thousand assignments", format!("{}{CANARY}", many("A=1 ", 1000))),
        ("braces that multiply", format!("{CANARY} {}", many("{a,b,c,d}", 40))),
        ("braces in braces", format!("{CANARY} {}x{}", many("{a,", 5000), many("}", 5000))),
        ("a range without end", format!("{CANARY} {{1..999999999999}}")),
        ("quotes without end", format!("{CANARY} \"{}", many("\\\"", 100_000))),
        ("a heredoc without end", format!("{CANARY} <<A\n{}", many("x\n", 100_000))),
        ("backslashes", format!("{CANARY} {}", many("\\", 100_001))),
        ("spelt apart", format!("tool''gate-\\{}", &CANARY[9..])),
        ("control characters", format!("{CANARY} \u{1b}[2K\u{8}\u{202e}\u{0}")),
    ];
    let cases: Cases = commands
        .iter()
        .map(|(name, text)| case(*name, with(&house, "/tool_input/command", json!(text))))
        .collect();
    check_denied(&cases, &house);
}
