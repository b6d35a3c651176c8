//! JSON Schemas of output: the official test suite for draft 2020-12, and properties it does not state.
//!
//! `suite.jsonl` is a copy of the suite (LICENSE is its licence) without the files for `$dynamicRef` and
//! `unevaluated…`, one group of tests on a line. A schema with a keyword that is not checked must be refused; an accepted one must give the suite's answer for every value.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    missing_docs
)]

use proptest::prelude::*;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use toolgate_core::schema::{Mismatch, Schema};

/// Groups of the suite whose schema is refused, by file: other formats, `$anchor`, `$id` in a part, references out of
/// the schema, `unevaluated…`, `\cX` in patterns.
const REFUSED: &[(&str, usize)] = &[
    ("anchor", 4),
    ("content", 4),
    ("defs", 1),
    ("format", 13),
    ("not", 1),
    ("optional/anchor", 1),
    ("optional/cross-draft", 1),
    ("optional/dependencies-compatibility", 7),
    ("optional/ecmascript-regex", 3),
    ("optional/id", 1),
    ("optional/refOfUnknownKeyword", 2),
    ("optional/unknownKeyword", 1),
    ("ref", 16),
    ("refRemote", 15),
    ("vocabulary", 2),
];

#[test]
fn the_official_suite_agrees() {
    let mut refused: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let (mut wrong, mut tried) = (Vec::new(), 0);
    for line in include_str!("suite.jsonl").lines() {
        let group: Value = serde_json::from_str(line).unwrap();
        let (file, about) = (group["file"].as_str().unwrap(), &group["about"]);
        let schema = match Schema::read(&group["schema"]) {
            Ok(schema) => schema,
            Err(why) => {
                refused.entry(file.to_owned()).or_default().push(format!("{about}: {why}"));
                continue;
            }
        };
        for test in group["tests"].as_array().unwrap() {
            // Formats may be checked or not; here the known ones are, and the others are refused.
            if test["about"].as_str().unwrap().ends_with("only an annotation by default") {
                continue;
            }
            tried += 1;
            let answer = schema.check(&test["data"]);
            if answer.is_ok() != (test["valid"] == json!(true)) {
                wrong.push(format!("{file}: {about}, {}: {answer:?}", test["about"]));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {tried} differ:\n{}", wrong.len(), wrong.join("\n"));
    let counts: Vec<(&str, usize)> = refused.iter().map(|(file, all)| (file.as_str(), all.len())).collect();
    assert_eq!(counts, REFUSED, "refused, with reasons: {refused:#?}");
    assert!(tried > 1_000, "only {tried} values were tried");
}

#[track_caller]
fn check(schema: &Value, value: &Value) -> Result<(), Mismatch> {
    Schema::read(schema).unwrap_or_else(|why| panic!("{schema}: {why}")).check(value)
}

#[test]
fn what_would_not_be_checked_is_refused() {
    for (schema, at, why) in [
        (json!({ "type": "nothing" }), "", "`type` must be one or more of null,"),
        (json!({ "type": [] }), "", "`type` must be"),
        (json!({ "items": { "requird": ["id"] } }), "/items", "`requird` is not a keyword"),
        (json!({ "unevaluatedProperties": false }), "", "use `additionalProperties`"),
        (json!({ "format": "hostname" }), "", "use `pattern`"),
        (json!({ "items": [true] }), "", "use `prefixItems`"),
        (json!({ "$ref": "https://example.com/a.json" }), "", "nothing is fetched"),
        (json!({ "$ref": "#/$defs/no" }), "", "a part this schema does not have"),
        (json!({ "$ref": "#" }), "", "without end"),
        (
            json!({ "$defs": { "a": { "allOf": [{ "$ref": "#/$defs/b" }] }, "b": { "not": { "$ref": "#/$defs/a" } } }, "$ref": "#/$defs/a" }),
            "/$defs/a",
            "without end",
        ),
        (
            json!({ "properties": { "a/b": { "minLength": -1 } } }),
            "/properties/a~1b",
            "whole number, 0 or more",
        ),
        (json!({ "$defs": { "unused": 3 } }), "/$defs/unused", "must be an object"),
        (json!({ "multipleOf": 0 }), "", "more than 0"),
        (json!({ "pattern": "(" }), "", "pattern `(`"),
        (json!({ "pattern": "(?=a)" }), "", "look-around"),
        (json!({ "pattern": "[+--]" }), "", "write `\\-`"),
        (json!({ "pattern": "(a{1000}){1000}" }), "", "too large"),
        (json!({ "$schema": "http://json-schema.org/draft-04/schema#" }), "", "draft 2020-12"),
        (json!({ "exclusiveMinimum": true, "minimum": 1 }), "", "must be a number"),
        (json!({ "required": "id" }), "", "must be a list of names"),
        (json!({ "oneOf": [] }), "", "must not be empty"),
        (json!([]), "", "a schema must be an object"),
    ] {
        let error = Schema::read(&schema).err().unwrap_or_else(|| panic!("{schema} was accepted"));
        assert!(error.at == at && error.why.contains(why), "{schema}: {error:?}");
    }
    for fine in [
        json!({ "$schema": "https://json-schema.org/draft/2020-12/schema", "title": "t", "x-order": 3 }),
        json!({ "$schema": "http://json-schema.org/draft-07/schema#", "definitions": { "a": {} } }),
        json!({ "properties": { "next": { "$ref": "#" } } }),
        json!({ "$defs": { "a": {} }, "allOf": [{ "$ref": "#/$defs/a" }, { "$ref": "#/$defs/a" }] }),
    ] {
        assert!(Schema::read(&fine).is_ok(), "{fine}");
    }
}

#[test]
fn a_mismatch_names_the_place_and_quotes_nothing() {
    let orders = json!({
        "type": "array",
        "items": {
            "properties": { "id": { "type": "integer", "minimum": 1 }, "tags": { "maxItems": 1 } },
            "patternProperties": { "^secret": { "type": "null" } },
            "additionalProperties": false,
            "required": ["id"],
        },
    });
    for (value, at, why) in [
        (json!({}), "", "expected array"),
        (json!([{ "id": 1 }, { "id": "sesame" }]), "/1/id", "expected integer"),
        (json!([{ "id": 0 }]), "/0/id", "breaks `minimum: 1`"),
        (json!([{ "id": 1, "sesame": 2 }]), "/0", "has a property the schema does not allow"),
        (json!([{ "id": 1, "secret-sesame": 2 }]), "/0/*", "expected null"),
        (json!([{ "id": 1, "tags": ["sesame", 2] }]), "/0/tags", "has 2 items, at most 1 expected"),
        (json!([{}]), "/0", "`id` is missing"),
    ] {
        let mismatch = check(&orders, &value).unwrap_err();
        assert_eq!((mismatch.at.as_str(), mismatch.why.as_str()), (at, why), "{value}");
    }
    assert_eq!(check(&orders, &json!([{ "id": 1, "secret": null, "tags": [] }])), Ok(()));
}

#[test]
fn patterns_read_as_javascript_does() {
    for (pattern, text, fits) in [
        (r"^\d$", "7", true),
        (r"^\d$", "٣", false),
        (r"^[\d-]+$", "1-2", true),
        (r"^\w+$", "é", false),
        (r"^[^\w]$", "é", true),
        (r"^[[&~]$", "[", true),
        (r"^[[&~]$", "]", false),
        (r"^a.b$", "a\u{2028}b", false),
        (r"^a.b$", "a\nb", false),
        (r"^\s$", "\u{feff}", true),
        (r"^\S$", "\u{85}", true),
        ("b", "abc", true),
        (r"^\/\u0041$", "/A", true),
    ] {
        let answer = check(&json!({ "pattern": pattern }), &json!(text)).is_ok();
        assert_eq!(answer, fits, "`{pattern}` on {text:?}");
    }
}

#[test]
fn a_large_output_is_checked_in_full() {
    let list = json!({ "items": { "properties": { "id": { "type": "integer" } } } });
    let mut rows = vec![json!({ "id": 1 }); 20_000];
    assert_eq!(check(&list, &Value::from(rows.clone())), Ok(()));
    rows.push(json!({ "id": "1" }));
    assert_eq!(check(&list, &Value::from(rows)).unwrap_err().at, "/20000/id");
}

/// A schema that asks for exponential work, and one for a deep stack, end with a mismatch; also below `not`.
#[test]
fn work_and_depth_have_an_end() {
    let doubling = json!({ "$defs": { "a": { "anyOf": [
        { "items": { "$ref": "#/$defs/a" }, "minItems": 1 },
        { "items": { "$ref": "#/$defs/a" }, "minItems": 1 },
    ] } }, "$ref": "#/$defs/a" });
    let deep = (0..100).fold(json!([]), |inner, _| json!([inner]));
    let mut parts = serde_json::Map::new();
    for number in 0..1_000 {
        parts.insert(number.to_string(), json!({ "$ref": format!("#/$defs/{}", number + 1) }));
    }
    parts.insert("1000".to_owned(), json!({ "items": { "$ref": "#/$defs/0" } }));
    let long = json!({ "$defs": parts, "$ref": "#/$defs/0" });
    for schema in [&doubling, &json!({ "$defs": doubling["$defs"], "not": { "$ref": "#/$defs/a" } }), &long] {
        let mismatch = check(schema, &deep).unwrap_err();
        assert!(mismatch.why.contains("takes too long"), "{mismatch:?}");
    }
    let tree = json!({ "properties": { "children": { "items": { "$ref": "#" } } } });
    let nested = (0..60).fold(json!({}), |inner, _| json!({ "children": [inner] }));
    assert_eq!(check(&tree, &nested), Ok(()), "ordinary recursion fits");
}

fn values() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        (-3..3_i8).prop_map(Value::from),
        "[ab]{0,3}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::hash_map("[ab]{1,2}", inner, 0..4).prop_map(|map| map.into_iter().collect()),
        ]
    })
}

fn schemas() -> impl Strategy<Value = Value> {
    let words: [&str; 7] = ["null", "boolean", "integer", "number", "string", "array", "object"];
    let leaf = prop_oneof![
        any::<bool>().prop_map(Value::from),
        prop::sample::select(words.to_vec()).prop_map(|name| json!({ "type": name })),
        values().prop_map(|value| json!({ "const": value })),
        prop::collection::vec(values(), 0..3).prop_map(|list| json!({ "enum": list })),
        (-3..3_i8).prop_map(|limit| json!({ "minimum": limit })),
        (-3..3_i8).prop_map(|limit| json!({ "exclusiveMaximum": limit })),
        (0..3_u8, 0..3_u8).prop_map(|(least, most)| json!({ "minLength": least, "maxItems": most })),
        Just(json!({ "uniqueItems": true, "pattern": "^a" })),
        Just(json!({ "required": ["a"], "minProperties": 2 })),
    ];
    leaf.prop_recursive(3, 16, 3, |inner| {
        let several = prop::collection::vec(inner.clone(), 1..3);
        prop_oneof![
            inner.clone().prop_map(|one| json!({ "items": one })),
            inner.clone().prop_map(|one| json!({ "contains": one })),
            inner.clone().prop_map(|one| json!({ "properties": { "a": one } })),
            (inner.clone(), inner.clone()).prop_map(
                |(one, other)| json!({ "patternProperties": { "^b": one }, "additionalProperties": other })
            ),
            several.clone().prop_map(|list| json!({ "oneOf": list })),
            several.prop_map(|list| json!({ "prefixItems": list })),
            inner.prop_map(|one| json!({ "propertyNames": one })),
        ]
    })
}

proptest! {
    #[test]
    fn alternatives_follow_logic(one in schemas(), other in schemas(), value in values()) {
        let fits = |schema: Value| check(&schema, &value).is_ok();
        let (left, right) = (fits(one.clone()), fits(other.clone()));
        prop_assert_eq!(fits(json!({ "not": one })), !left);
        prop_assert_eq!(fits(json!({ "allOf": [one, other] })), left && right);
        prop_assert_eq!(fits(json!({ "anyOf": [one, other] })), left || right);
        prop_assert_eq!(fits(json!({ "oneOf": [one, other] })), left != right);
        prop_assert_eq!(fits(json!({ "if": one, "then": other })), !left || right);
        prop_assert_eq!(fits(json!({ "$defs": { "a": one }, "$ref": "#/$defs/a" })), left);
    }

    #[test]
    fn a_value_equals_itself_after_a_round_trip(value in values(), other in values()) {
        let again: Value = serde_json::from_str(&value.to_string()).unwrap();
        prop_assert_eq!(check(&json!({ "const": value }), &again), Ok(()));
        // Equality is the same from both sides, and as `uniqueItems` sees it.
        let equal = check(&json!({ "const": value }), &other).is_ok();
        prop_assert_eq!(check(&json!({ "const": other }), &value).is_ok(), equal);
        prop_assert_eq!(check(&json!({ "uniqueItems": true }), &json!([value, other])).is_ok(), !equal);
    }

    /// Any JSON read as a schema is an error or a schema, and checking ends.
    #[test]
    fn nothing_panics(schema in values(), pattern in ".{0,12}", value in values()) {
        for schema in [schema.clone(), json!({ "$ref": schema, "pattern": pattern, "items": schema }), json!({ "pattern": pattern })] {
            if let Ok(schema) = Schema::read(&schema) {
                let _ = schema.check(&value);
                let _ = schema.check(&json!(pattern));
            }
        }
    }
}
