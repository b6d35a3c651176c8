//! Errors as a program reads them: one JSON object on stderr with what, where and help.

use crate::house::{House, finish};
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
        [&["test", "--json", "ls"], &["policy", "show", "--json"], &["rules", "check", "--json"]];
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

/// What is wrong with the setup is named, and the fix fits it.
#[test]
fn a_broken_setup_is_named() {
    let house = House::new();
    let mut homeless = house.toolgate(&["logs"]);
    for name in ["HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"] {
        homeless.env_remove(name);
    }
    let said = finish(homeless, b"").ended(1).err;
    assert!(said.contains("`HOME` is not set") && said.contains("set it to your home folder"), "{said}");
    std::fs::create_dir_all(house.state()).unwrap();
    std::fs::write(house.ledger(), "not a database at all, but longer than a header".repeat(40)).unwrap();
    let said = house.run(&["logs"]).ended(1).err;
    assert!(said.contains("is not a ledger") && said.contains("away to start a new ledger"), "{said}");
    std::fs::remove_dir_all(house.state()).unwrap();
    std::fs::write(house.state(), "").unwrap();
    let said = house.run(&["logs"]).ended(1).err;
    assert!(said.contains("is not a folder, and Toolgate needs one there"), "{said}");
    let said = house.run(&["man", "--dir", "/proc/x"]).ended(1).err;
    assert!(said.contains("`/proc/x`") && said.contains("help: "), "{said}");
    let said = error(&house, &["approver", "set", "--json"]);
    assert!(said["help"].is_string(), "{said}");
}

/// A NUL is a fault of the call, not of the setup.
#[test]
fn a_nul_byte_is_an_ordinary_block() {
    let house = House::new();
    let answer = house.ask("ls\0x");
    assert!(!answer.is_broken(), "{answer:?}");
    assert!(answer.text().contains("contains a NUL byte"), "{answer:?}");
}
