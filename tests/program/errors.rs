//! Errors as a program reads them: one JSON object on stderr with what, where and help.

use crate::house::House;
use crate::plain::plain;
use serde_json::Value;

#[track_caller]
fn error(house: &House, args: &[&str]) -> Value {
    let said = house.run(args).ended(1);
    assert!(said.out.is_empty(), "{args:?}: {}", said.text());
    let value: Value =
        serde_json::from_str(&said.err).unwrap_or_else(|error| panic!("{args:?}: {error}: {}", said.err));
    let keys: Vec<&str> = value.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(keys, ["what", "where", "help"], "{args:?}");
    assert!(!value["what"].as_str().unwrap().is_empty(), "{args:?}");
    value
}

#[test]
fn every_error_is_one_object() {
    let house = House::new();
    let calls: [&[&str]; 9] = [
        &["inbox", "show", "r-none", "--json"],
        &["explain", "--json", "no-such-rule"],
        &["rules", "remove", "--json", "no-such-rule"],
        &["logs", "--json", "--last", "yesterday"],
        &["test", "--json", "--tool", "Bash", "--input", "{"],
        &["test", "--json"],
        &["test", "--json", "--nonsense", "ls"],
        &["nonsense", "--json"],
        &["ledger", "export", "--json"],
    ];
    let shown: Vec<String> = calls
        .iter()
        .map(|args| format!("$ toolgate {}\n{}\n", args.join(" "), error(&house, args)))
        .collect();
    insta::assert_snapshot!(plain(&house, &shown.join("\n")));
}

#[test]
fn a_policy_error_says_where() {
    let house = House::with_policy("version: 1\nmode: enforce\nrulez: []\n");
    let file = house.project().join(".toolgate/policy.yaml");
    let calls: [&[&str]; 3] =
        [&["test", "--json", "ls"], &["rules", "list", "--json"], &["explain", "--json", "git-skip-hooks"]];
    for args in calls {
        let value = error(&house, args);
        assert_eq!(value["where"]["file"], file.to_str().unwrap(), "{args:?}");
        assert_eq!(
            (&value["where"]["line"], &value["where"]["column"]),
            (&Value::from(3), &Value::from(1)),
            "{args:?}"
        );
        assert_eq!(
            (&value["what"], &value["help"]),
            (&Value::from("unknown key `rulez`"), &Value::from("change `rulez` to `rules`"))
        );
    }
}

/// Without `--json` an error stays text, and what follows `--` is no option.
#[test]
fn people_read_words() {
    let house = House::new();
    for args in [&["explain", "no-such-rule"][..], &["explain", "--", "--json"]] {
        let said = house.run(args).ended(1);
        assert!(said.err.starts_with("error: ") && said.err.contains("\nhelp: "), "{args:?}: {}", said.err);
    }
}
