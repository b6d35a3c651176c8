//! Input no honest host sends. Whatever arrives, one JSON object leaves and it is a no: broken where
//! the gate cannot read the call, denied where it can.

use crate::house::{CANARY, House, TICKET};
use serde_json::{Value, json};

/// Cases by name, so that a failure says which one it was.
pub type Cases = Vec<(String, Vec<u8>)>;

#[track_caller]
fn check_broken(cases: &Cases, house: &House) {
    for (name, bytes) in cases {
        let answer = house.hook(bytes).answer();
        assert!(answer.is_broken(), "{name}: {answer:?}");
    }
}

#[track_caller]
pub fn check_denied(cases: &Cases, house: &House) {
    for (name, bytes) in cases {
        let answer = house.hook(bytes).answer();
        assert!(answer.is_no(), "{name}: {answer:?}");
    }
}

pub fn case(name: impl Into<String>, bytes: impl Into<Vec<u8>>) -> (String, Vec<u8>) {
    (name.into(), bytes.into())
}

/// The canary event with one field set.
pub fn with(house: &House, pointer: &str, value: Value) -> Vec<u8> {
    let mut event = house.event(CANARY);
    let (parent, field) = pointer.rsplit_once('/').expect("a pointer");
    event.pointer_mut(parent).expect(parent)[field] = value;
    event.to_string().into_bytes()
}

fn without(house: &House, field: &str) -> Vec<u8> {
    let mut event = house.event(CANARY);
    event.as_object_mut().expect("an object").shift_remove(field);
    event.to_string().into_bytes()
}

/// The canary event with a piece of its text replaced, valid JSON or not.
fn replaced(house: &House, from: &str, to: &[u8]) -> Vec<u8> {
    let text = house.event(CANARY).to_string();
    let (before, after) = text.split_once(from).expect(from);
    [before.as_bytes(), to, after.as_bytes()].concat()
}

fn not_json(house: &House) -> Cases {
    let valid = house.event(CANARY).to_string();
    let utf16: Vec<u8> = valid.encode_utf16().flat_map(u16::to_le_bytes).collect();
    vec![
        case("nothing", ""),
        case("a newline", "\n"),
        case("white space", " \t\r\n \n"),
        case("a megabyte of white space", " ".repeat(1 << 20)),
        case("a NUL", "\0"),
        case("words", "please run ls"),
        case("a command", "ls -l"),
        case("YAML", "hook_event_name: PreToolUse\n"),
        case("XML", "<event/>"),
        case("a comment first", format!("// hi\n{valid}")),
        case("a BOM first", format!("\u{feff}{valid}")),
        case("UTF-16", utf16),
        case("single quotes", valid.replace('"', "'")),
        case("a comma at the end", valid.replace("\"toolu_1\"}", "\"toolu_1\",}")),
        case("text after the object", format!("{valid} x")),
        case("two objects", format!("{valid}{valid}")),
        case("two lines", format!("{valid}\n{valid}\n")),
        case("a NUL after the object", format!("{valid}\0")),
        case("NaN", valid.replace("\"toolu_1\"", "NaN")),
        case("a raw newline in a text", valid.replace("a test", "a\ntest")),
        case("a raw NUL in a text", valid.replace("a test", "a\0test")),
        case("a raw escape in a text", valid.replace("a test", "a\u{1b}[2Jtest")),
        case("an unknown escape", valid.replace("a test", "a\\xtest")),
        case("half an escape", valid.replace("a test", "a\\u12")),
        case("a lone high surrogate", valid.replace("a test", "\\ud800")),
        case("a lone low surrogate", valid.replace("a test", "\\udc00")),
        case("a surrogate in the command", valid.replace(CANARY, "toolgate-canary\\ud83d")),
        case("surrogates the wrong way round", valid.replace("a test", "\\udc00\\ud800")),
        case("a number too large", valid.replace("\"toolu_1\"", "1e999")),
        case("a number with a leading zero", valid.replace("\"toolu_1\"", "01")),
        case("a hexadecimal number", valid.replace("\"toolu_1\"", "0x10")),
        case("a number that ends in a dot", valid.replace("\"toolu_1\"", "1.")),
        case("invalid UTF-8 in the command", replaced(house, "toolgate-canary", b"toolgate-canary \xff\xfe")),
        case("invalid UTF-8 in a key", replaced(house, "tool_use_id", b"tool\x80")),
        case("an overlong slash", replaced(house, "a test", b"\xc0\xaf")),
        case("a surrogate as UTF-8", replaced(house, "a test", b"\xed\xa0\x80")),
        case("half a character at the end", replaced(house, "\"toolu_1\"}", b"\"\xe2\x82")),
        case("ten megabytes", valid.replace("a test", &"x".repeat(10 << 20))),
        case("ten megabytes of quotes", "\"".repeat(10 << 20)),
    ]
}

#[test]
fn what_is_not_json_is_closed() {
    let house = House::new();
    check_broken(&not_json(&house), &house);
}

#[test]
fn json_that_is_no_object_is_closed() {
    let house = House::new();
    let texts = [
        "null",
        "true",
        "false",
        "0",
        "-1",
        "1e3",
        "18446744073709551616",
        "\"\"",
        "\"PreToolUse\"",
        "[]",
        "[{}]",
        "{}",
        "[null]",
    ];
    let mut cases: Cases = texts.iter().map(|text| case(*text, *text)).collect();
    cases.push(case("the event in a list", format!("[{}]", house.event(CANARY))));
    cases.push(case("the event in an object", json!({ "event": house.event(CANARY) }).to_string()));
    cases.push(case("the event as a text", json!(house.event(CANARY).to_string()).to_string()));
    check_broken(&cases, &house);
}

/// Every cut, byte by byte at both ends and in steps between.
#[test]
fn a_message_cut_anywhere_is_closed() {
    let house = House::new();
    let text = house.event(CANARY).to_string();
    let middle = (40..text.len().saturating_sub(40)).step_by(5);
    let cuts = (1..40).chain(middle).chain(text.len() - 40..text.len());
    let cases: Cases = cuts.map(|at| case(format!("cut at {at}"), &text.as_bytes()[..at])).collect();
    assert!(cases.len() > 100);
    check_broken(&cases, &house);
}

#[test]
fn deep_nesting_is_closed_and_does_not_end_the_process() {
    let house = House::new();
    let mut cases = Cases::new();
    for depth in [129, 1_000, 10_000, 100_000, 1_000_000] {
        let (open, close) = ("[".repeat(depth), "]".repeat(depth));
        cases.push(case(format!("{depth} lists"), format!("{open}{close}")));
        cases.push(case(format!("{depth} open lists"), open.clone()));
        cases.push(case(
            format!("{depth} lists in the input"),
            replaced(&house, "\"a test\"", format!("{open}{close}").as_bytes()),
        ));
        let (open, close) = ("{\"a\":".repeat(depth), "}".repeat(depth));
        cases.push(case(format!("{depth} objects"), format!("{open}1{close}")));
        cases.push(case(
            format!("{depth} objects in a field"),
            replaced(&house, "\"toolu_1\"", format!("{open}1{close}").as_bytes()),
        ));
    }
    check_broken(&cases, &house);
}

#[test]
fn a_field_the_gate_needs_must_be_there_with_the_right_type() {
    let house = House::new();
    let mut cases = Cases::new();
    for field in ["session_id", "cwd", "hook_event_name", "tool_name", "tool_input"] {
        cases.push(case(format!("no {field}"), without(&house, field)));
        for wrong in [
            json!(null),
            json!(true),
            json!(0),
            json!(-1.5),
            json!([]),
            json!(["Bash"]),
            json!({}),
            json!({ "a": 1 }),
        ] {
            cases.push(case(format!("{field} = {wrong}"), with(&house, &format!("/{field}"), wrong)));
        }
    }
    for field in ["session_id", "cwd", "hook_event_name", "tool_name", "tool_input"] {
        cases.push(case(format!("an empty {field}"), with(&house, &format!("/{field}"), json!(""))));
    }
    for wrong in [
        json!(null),
        json!(1),
        json!(false),
        json!(["toolgate-canary"]),
        json!({ "text": CANARY }),
        json!([]),
    ] {
        cases.push(case(format!("command = {wrong}"), with(&house, "/tool_input/command", wrong)));
    }
    cases.push(case(
        "the input as a text",
        with(&house, "/tool_input", json!(json!({ "command": CANARY }).to_string())),
    ));
    cases.push(case("the input in a list", with(&house, "/tool_input", json!([{ "command": CANARY }]))));
    cases.push(case("another case", replaced(&house, "\"command\"", b"\"Command\"")));
    cases.push(case("a blank in the key", replaced(&house, "\"command\"", b"\"command \"")));
    check_broken(&cases, &house);
}

#[test]
fn an_event_the_gate_does_not_know_is_closed() {
    let house = House::new();
    let names = [
        "pretooluse",
        "PRETOOLUSE",
        "PreToolUse ",
        " PreToolUse",
        "PreToolUse\u{0}",
        "PreToolUse\n",
        "Pre\u{200b}ToolUse",
        "PreToolUs\u{435}",
        "\u{202e}esUlooTerP",
        "BeforeTool",
        "\u{1b}[31mPreToolUse",
        "PermissionRequest",
        "Everything",
        "null",
        "*",
    ];
    let mut cases: Cases =
        names.iter().map(|name| case(*name, with(&house, "/hook_event_name", json!(name)))).collect();
    cases.push(case("a megabyte", with(&house, "/hook_event_name", json!("x".repeat(1 << 20)))));
    check_broken(&cases, &house);
}

#[test]
fn a_folder_that_cannot_be_one_is_closed() {
    let house = House::new();
    let folders = [
        "work",
        "./work",
        "../work",
        "~",
        "~/work",
        "C:\\work",
        "file:///work",
        " /work",
        "\u{2215}work",
        "/a\u{0}b",
    ];
    let mut cases: Cases =
        folders.iter().map(|folder| case(*folder, with(&house, "/cwd", json!(folder)))).collect();
    cases.push(case("a megabyte", with(&house, "/cwd", json!(format!("/{}", "x".repeat(1 << 20))))));
    check_broken(&cases, &house);
}

#[test]
fn tools_without_the_text_they_need_are_closed() {
    let house = House::new();
    let mut cases = Cases::new();
    for tool in ["Bash", "PowerShell", "Read", "Write", "Edit", "MultiEdit", "NotebookEdit", "WebFetch"] {
        for input in [
            json!({}),
            json!({ "file_path": 1, "command": 1, "url": 1, "notebook_path": 1 }),
            json!(null),
            json!([]),
        ] {
            let mut event = house.event(CANARY);
            event["tool_name"] = json!(tool);
            event["tool_input"] = input.clone();
            cases.push(case(format!("{tool} {input}"), event.to_string()));
        }
    }
    check_broken(&cases, &house);
}

/// Odd, but readable: the call is judged, and this one is denied.
#[test]
fn odd_text_in_a_field_changes_no_verdict() {
    let house = House::with_policy(TICKET);
    let odd = [
        "\u{202e}evil\u{202c}",
        "\u{1b}[2J\u{1b}]0;x\u{7}",
        "a\u{0}b",
        "\r\n\t",
        "\u{feff}",
        "\u{e0041}",
        "🦀".repeat(1000).as_str(),
        "'; DROP TABLE ledger; --",
        "{\"a\":",
        "%s%n",
        "../../../etc/passwd",
        "a\u{301}",
        "\u{ffff}",
    ]
    .map(str::to_owned);
    let mut cases = Cases::new();
    for text in &odd {
        for field in [
            "session_id",
            "transcript_path",
            "permission_mode",
            "tool_use_id",
            "agent_id",
            "agent_type",
            "tool_input/description",
            "unheard_of",
        ] {
            cases.push(case(format!("{field} = {text:?}"), with(&house, &format!("/{field}"), json!(text))));
        }
    }
    for field in [
        "transcript_path",
        "permission_mode",
        "tool_use_id",
        "agent_id",
        "effort",
        "prompt_id",
        "tool_input/description",
        "tool_input/timeout",
    ] {
        for wrong in [json!(null), json!(7), json!([1]), json!({ "a": {} }), json!(1e308)] {
            cases.push(case(format!("{field} = {wrong}"), with(&house, &format!("/{field}"), wrong)));
        }
    }
    check_denied(&cases, &house);
    house.run(&["ledger", "verify"]).ended(0);
}

#[test]
fn of_a_key_given_twice_the_last_one_counts_as_it_does_for_the_host() {
    let house = House::new();
    let cases = vec![
        case("command", replaced(&house, "\"command\"", b"\"command\":\"ls\",\"command\"")),
        case("tool", replaced(&house, "\"tool_name\"", b"\"tool_name\":\"Read\",\"tool_name\"")),
        case(
            "event",
            replaced(
                &house,
                "\"hook_event_name\"",
                b"\"hook_event_name\":\"PostToolUse\",\"hook_event_name\"",
            ),
        ),
        case(
            "input",
            replaced(&house, "\"tool_input\"", b"\"tool_input\":{\"command\":\"ls\"},\"tool_input\""),
        ),
        case("an escaped key", replaced(&house, "\"command\"", b"\"command\":\"ls\",\"c\\u006fmmand\"")),
    ];
    check_denied(&cases, &house);
}
