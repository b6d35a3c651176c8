//! The hook in a host's settings, as text: no byte changes but the hook's own.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    missing_docs
)]

use proptest::prelude::*;
use serde_json::{Map, Value};
use toolgate_adapters::{Host, Ours, host};

const PROGRAM: &str = "\"$HOME/.local/bin/toolgate\"";

fn claude() -> &'static dyn Host {
    host("claude-code").unwrap()
}

fn install(text: &str) -> String {
    let bytes = claude().install(Some(text.as_bytes()), PROGRAM).unwrap_or_else(|f| panic!("{text:?}: {f}"));
    String::from_utf8(bytes).unwrap()
}

fn uninstall(text: &str) -> Option<String> {
    claude().uninstall(text.as_bytes()).unwrap().map(|bytes| String::from_utf8(bytes).unwrap())
}

/// Whether `whole` is `part` with something inserted.
fn is_inserted(part: &str, whole: &str) -> bool {
    let mut rest = whole.bytes();
    part.bytes().all(|byte| rest.any(|other| other == byte))
}

fn parsed(text: &str) -> Value {
    serde_json::from_str(text.trim_start_matches('\u{feff}')).unwrap_or_else(|e| panic!("{e}: {text}"))
}

#[track_caller]
fn check(name: &str, text: &str) -> String {
    let with = install(text);
    assert!(is_inserted(text.trim_end(), &with), "{name}: a byte changed\n{with}");
    assert_eq!(claude().objection(Some(with.as_bytes()), Ours::Yes), None, "{name}\n{with}");
    assert_eq!(claude().events(with.as_bytes()).len(), 10, "{name}\n{with}");
    assert_eq!(install(&with), with, "{name}: a second time changes nothing");
    if text.trim_start_matches('\u{feff}').trim().is_empty() || parsed(text) == Value::Object(Map::new()) {
        assert_eq!(uninstall(&with), None, "{name}");
    } else {
        assert_eq!(uninstall(&with).as_deref(), Some(text), "{name}: taken out, not byte for byte");
    }
    with
}

/// Two shown whole, so that a reader sees that what is added looks like the rest.
#[test]
fn what_is_added_looks_like_the_file() {
    let tabs = "{\n\t\"permissions\": { \"allow\": [\"Bash(npm test:*)\"] },\n\t\"hooks\": {\n\t\t\"Stop\": [\n\t\t\t{ \"hooks\": [] }\n\t\t]\n\t}\n}\n";
    let flat = "{\"model\":\"opus\"}";
    let shown = [tabs, flat].map(|text| check("shown", text)).join("\n---\n");
    insta::assert_snapshot!(shown);
}

#[test]
fn ten_formattings_come_back_byte_for_byte() {
    let two =
        "{\n  \"model\": \"opus\",\n  \"permissions\": { \"allow\": [\"Bash(ls:*)\"], \"deny\": [] }\n}\n";
    let others = "{\n  \"hooks\": {\n    \"PreToolUse\": [\n      { \"matcher\": \"Bash\", \"hooks\": [{ \"type\": \"command\", \"command\": \"other\" }] }\n    ],\n    \"Notification\": [{ \"hooks\": [] }]\n  },\n  \"z\": 1\n}\n";
    check("two spaces", two);
    check("four spaces", &two.replace("  ", "    "));
    check("tabs", &two.replace("  ", "\t"));
    check("CRLF", &two.replace('\n', "\r\n"));
    check("no final newline", two.trim_end());
    check("several final newlines", &format!("{two}\n\n"));
    check("one line", "{\"model\":\"opus\",\"a\":[1,2]}");
    check("one line with spaces", "{ \"model\": \"opus\", \"a\": [ 1, 2 ] }");
    check("BOM", &format!("\u{feff}{two}"));
    check(
        "unicode",
        "{\n  \"a\": \"\u{1f980} \\u00e9 \\/ \\\" } ] \", \"n\": 1.0, \"big\": 12345678901234567890\n}",
    );
    check("no indentation", "{\n\"a\": 1,\n\"b\": {\n\"c\": 2\n}\n}\n");
    check("brackets in columns", "{ \"a\": 1\n, \"b\": 2\n}\n");
    check("hooks of others", others);
    check("hooks of others, tabs", &others.replace("  ", "\t"));
    check("hooks of others, one line", &others.replace(['\n', ' '], ""));
    check("a name twice", "{\"hooks\": {\"Stop\": [{\"hooks\": []}], \"Stop\": [{\"hooks\": [7]}]}}");
    check("an empty object", "{}");
    check("an empty object on two lines", "{\n}\n");
    check("an empty file", "");
    check("a blank file", " \n");
    check("only a BOM", "\u{feff}");
}

/// An older entry of ours is changed where it is, and what is ours at other places goes.
#[test]
fn an_older_hook_is_brought_up_to_date_in_place() {
    let others = "{\n  \"hooks\": {\n    \"PreToolUse\": [\n      { \"matcher\": \"Bash\", \"hooks\": [] }\n    ]\n  },\n  \"z\": [1,2]\n}\n";
    let now = install(others);
    let older = now.replace("\"timeout\": 120", "\"timeout\": 60");
    assert_ne!(older, now);
    assert_eq!(install(&older), now, "another timeout");
    assert_eq!(install(&now.replace("$HOME/.local", "/opt")), now, "another place of the program");
    let elsewhere = now.replacen("\"matcher\": \"*\"", "\"matcher\": \"Bash\"", 1);
    let mended = install(&elsewhere);
    assert_eq!(claude().objection(Some(mended.as_bytes()), Ours::Yes), None, "{mended}");
    assert_eq!(claude().events(mended.as_bytes()).len(), 10);
    let retired = now.replacen("\"ConfigChange\"", "\"Notification\"", 1);
    assert_eq!(claude().events(install(&retired).as_bytes()).len(), 10, "an event it no longer needs");
    let reordered = install(&now.replacen("\"Stop\"", "\"Hidden\"", 1));
    assert_eq!(uninstall(&reordered).as_deref(), Some(others));
}

#[test]
fn a_group_shared_with_others_keeps_them() {
    let now = parsed(&install("{\"a\": 1}"));
    let mut shared = now;
    let other = serde_json::json!({ "type": "command", "command": "other" });
    shared["hooks"]["Stop"][0]["hooks"].as_array_mut().unwrap().insert(0, other.clone());
    let text = serde_json::to_string_pretty(&shared).unwrap();
    assert_eq!(install(&text), text);
    let rest = parsed(&uninstall(&text).unwrap());
    assert_eq!(rest, serde_json::json!({ "a": 1, "hooks": { "Stop": [{ "hooks": [other] }] } }));
}

#[test]
fn what_is_no_settings_file_is_refused_with_its_place() {
    let cases: [(&[u8], &str, usize, usize); 11] = [
        (b"{", "is not valid JSON: a bracket or quote is never closed", 1, 1),
        (b"[]", "is not a JSON object", 1, 1),
        (b" \n null", "is not a JSON object", 1, 1),
        (b"{} {}", "is not valid JSON: text after the closing bracket", 1, 4),
        (b"// c\n{}", "is not valid JSON: comments are not allowed", 1, 1),
        (b"{\n  \"a\": 1 /* c */\n}", "is not valid JSON: comments are not allowed", 2, 10),
        (b"{\n  \"a\": 1,\n}", "is not valid JSON: trailing comma", 3, 1),
        ("{ \"\u{e9}\": x }".as_bytes(), "is not valid JSON: expected value", 1, 8),
        (b"{\"hooks\": []}", "`hooks` is not an object", 1, 11),
        (b"{\"hooks\": {\"Stop\": {}}}", "`hooks.Stop` is not a list", 1, 20),
        (b"{\n \"a\xff\"}", "is not UTF-8 text", 2, 4),
    ];
    for (bytes, why, line, column) in cases {
        let fault = claude().install(Some(bytes), PROGRAM).unwrap_err();
        let text = String::from_utf8_lossy(bytes);
        assert_eq!((fault.why.as_str(), fault.place), (why, Some((line, column))), "{text}");
        assert!(!fault.help.is_empty(), "{text}");
    }
}

/// JSON with white space wherever it may be.
fn json_text() -> impl Strategy<Value = String> {
    let blank = || prop::sample::select(vec!["", "", " ", "\n", "\n  ", "\r\n\t", "  "]);
    let plain = prop_oneof![
        Just("null".to_owned()),
        Just("-1.5e3".to_owned()),
        Just("\"}]\\\",\u{e4}\\u0000\"".to_owned()),
        Just("true".to_owned()),
    ];
    let key = || prop::sample::select(vec!["a", "hooks2", "Stop", "\\u0061", "}"]);
    let value = plain.prop_recursive(4, 24, 4, move |inner| {
        let list = prop::collection::vec((blank(), inner.clone(), blank()), 0..4);
        let object = prop::collection::vec((blank(), key(), blank(), inner, blank()), 0..4);
        prop_oneof![
            list.prop_map(|items| {
                let items: Vec<String> = items.into_iter().map(|(a, v, b)| format!("{a}{v}{b}")).collect();
                format!("[{}]", items.join(","))
            }),
            object.prop_map(|items| {
                let items: Vec<String> =
                    items.into_iter().map(|(a, k, b, v, c)| format!("{a}\"{k}\"{b}:{b}{v}{c}")).collect();
                format!("{{{}}}", items.join(","))
            }),
        ]
    });
    (blank(), prop::collection::vec((blank(), key(), blank(), value, blank()), 1..4), blank()).prop_map(
        |(before, members, after)| {
            let members: Vec<String> =
                members.into_iter().map(|(a, k, b, v, c)| format!("{a}\"{k}\":{b}{v}{c}")).collect();
            format!("{before}{{{}}}{after}", members.join(","))
        },
    )
}

proptest! {
    #[test]
    fn any_object_comes_back_byte_for_byte(text in json_text()) {
        let with = install(&text);
        prop_assert!(is_inserted(&text, &with));
        prop_assert_eq!(claude().objection(Some(with.as_bytes()), Ours::Yes), None);
        let mut value = parsed(&with);
        value.as_object_mut().unwrap().shift_remove("hooks");
        prop_assert_eq!(value, parsed(&text));
        prop_assert_eq!(uninstall(&with), Some(text));
    }

    #[test]
    fn nothing_makes_it_panic(text in "[\\{\\}\\[\\]\",:a\\\\ \n\u{feff}é1]{0,40}") {
        let _ = claude().install(Some(text.as_bytes()), PROGRAM);
        let _ = claude().uninstall(text.as_bytes());
    }
}

/// An entry an older version wrote is brought up to date where it is, and still comes out whole.
#[test]
fn an_older_hook_gets_its_status_text() {
    let before = "{\n  \"model\": \"opus\",\n  \"permissions\": { \"allow\": [\"Bash(ls:*)\"] }\n}\n";
    let now = install(before);
    let mut old = parsed(&now);
    for groups in old["hooks"].as_object_mut().unwrap().values_mut() {
        let text = groups[0]["hooks"][0].as_object_mut().unwrap().remove("statusMessage").expect("a text");
        assert!(text.as_str().unwrap().contains("`toolgate inbox`"), "{text}");
    }
    let old = serde_json::to_string_pretty(&old).unwrap();
    assert_eq!(claude().objection(Some(old.as_bytes()), Ours::Yes), None, "it still guards");
    assert_eq!(parsed(&install(&old)), parsed(&now));
    assert_eq!(parsed(&uninstall(&install(&old)).unwrap()), parsed(before));
}
