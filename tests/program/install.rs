//! The hook in a host's settings: put in with everything else left alone, taken out byte for byte.

use crate::house::{CANARY, House, Said, TOOLGATE};
use crate::plain::plain;
use crate::terminal::dialogue;
use serde_json::Value;
use std::fs;
use std::os::unix::fs::symlink;

const SETTINGS: &str = ".claude/settings.json";

const OTHERS: &str = r#"{
  "model": "opus",
  "hooks": {
    "PreToolUse": [
      { "matcher": "Bash", "hooks": [{ "type": "command", "command": "other-guard check" }] }
    ],
    "Notification": [{ "hooks": [{ "type": "command", "command": "notify-send hi" }] }]
  },
  "permissions": { "allow": ["Bash(ls:*)"], "deny": [] }
}
"#;

const LOCAL: &str = ".claude/settings.local.json";

fn install(house: &House) -> Said {
    house.run(&["install", "claude-code", "--project", "--yes"])
}

fn uninstall(house: &House) -> Said {
    house.run(&["uninstall", "claude-code", "--yes"])
}

/// Everything below the project but the gate's own marks.
fn files(house: &House) -> Vec<(String, Vec<u8>)> {
    let listed = std::process::Command::new("find")
        .arg(".")
        .args(["-not", "-path", "./.git*"])
        .current_dir(house.project())
        .output()
        .unwrap();
    let mut names: Vec<String> =
        String::from_utf8(listed.stdout).unwrap().lines().map(str::to_owned).collect();
    names.sort();
    names
        .into_iter()
        .map(|name| (name.clone(), fs::read(house.project().join(name)).unwrap_or_default()))
        .collect()
}

/// In and out again: the bytes are those from before, and in between the hook stands at its places.
#[track_caller]
fn check_restored(before: Option<&[u8]>) {
    let house = House::new();
    before.inspect(|bytes| house.write(SETTINGS, bytes));
    let all = files(&house);
    let said = install(&house).ended(0);
    assert!(said.err.contains("10 hooks") && said.err.contains("@@"), "the change is shown: {}", said.err);
    let value: Value = serde_json::from_str(house.read(SETTINGS).trim_start_matches('\u{feff}')).unwrap();
    for event in [
        "PreToolUse",
        "PostToolUse",
        "PostToolUseFailure",
        "Stop",
        "SubagentStop",
        "SessionStart",
        "SessionEnd",
        "UserPromptSubmit",
        "ConfigChange",
    ] {
        let groups = value["hooks"][event].as_array().unwrap_or_else(|| panic!("no {event}"));
        let ours = groups.iter().filter(|group| {
            group["hooks"][0]["command"].as_str().is_some_and(|command| command.ends_with("hook claude-code"))
        });
        assert_eq!(ours.clone().count(), 1, "{event}");
        ours.for_each(|group| assert_eq!(group["hooks"][0]["onFailure"], "block"));
    }
    let once = house.read(SETTINGS);
    let again = install(&house).ended(0);
    assert!(again.err.contains("already guarded"), "{}", again.err);
    assert_eq!(house.read(SETTINGS), once, "a second time changes nothing");
    uninstall(&house).ended(0);
    assert_eq!(files(&house), all, "byte for byte");
    uninstall(&house).ended(0);
    assert_eq!(files(&house), all, "a second time changes nothing");
}

#[test]
fn what_was_there_before_is_there_again() {
    check_restored(None);
    check_restored(Some(b""));
    check_restored(Some(b" \n"));
    check_restored(Some(b"{}"));
    check_restored(Some(b"{}\n"));
    check_restored(Some(OTHERS.as_bytes()));
    check_restored(Some(OTHERS.trim_end().as_bytes()));
    check_restored(Some(OTHERS.replace("  ", "\t").as_bytes()));
    check_restored(Some(OTHERS.replace("  ", "    ").as_bytes()));
    check_restored(Some(OTHERS.replace('\n', "\r\n").as_bytes()));
    check_restored(Some(format!("\u{feff}{OTHERS}").as_bytes()));
    check_restored(Some(OTHERS.replace(['\n', ' '], "").as_bytes()));
    check_restored(Some(
        "{\"a\": \"\u{1f980} \\u00e9 \\/ \", \"n\": 1.0, \"big\": 12345678901234567890, \"e\": 1e2}"
            .as_bytes(),
    ));
    check_restored(Some(b"{\"hooks\": {}, \"z\": 1, \"a\": 2}"));
    check_restored(Some(
        b"{\"hooks\": {\"Stop\": [], \"PreToolUse\": [{\"matcher\": \"X\", \"hooks\": []}]}}",
    ));
}

#[test]
fn the_hooks_of_others_stay_as_they_are() {
    let house = House::new();
    house.write(SETTINGS, OTHERS);
    install(&house).ended(0);
    let (before, after): (Value, Value) =
        (serde_json::from_str(OTHERS).unwrap(), serde_json::from_str(&house.read(SETTINGS)).unwrap());
    assert_eq!(after["hooks"]["PreToolUse"][0], before["hooks"]["PreToolUse"][0], "in the same place");
    assert_eq!(after["hooks"]["Notification"], before["hooks"]["Notification"]);
    assert_eq!((&after["model"], &after["permissions"]), (&before["model"], &before["permissions"]));
    let keys: Vec<&String> = after.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["model", "hooks", "permissions"], "in their order");
}

/// Hooks that are switched off guard nothing, and the person is told.
#[test]
fn settings_that_switch_hooks_off_are_no_guard() {
    let house = House::new();
    fs::create_dir_all(house.project().join(".claude")).unwrap();
    fs::write(house.project().join(SETTINGS), r#"{ "disableAllHooks": true }"#).unwrap();
    for _ in 0..2 {
        let said = install(&house).ended(0).err;
        assert!(said.contains("NOT guarded") && said.contains("disableAllHooks"), "{said}");
        assert!(!said.contains("is now guarded") && !said.contains("already guarded"), "{said}");
    }
    let house = House::new();
    let said = install(&house).ended(0).err;
    assert!(!said.contains("NOT guarded"), "{said}");
}

/// Changed since: the change stays, the hook goes, and no other byte moves.
#[test]
fn a_file_changed_since_keeps_the_change() {
    let house = House::new();
    house.write(SETTINGS, OTHERS);
    install(&house).ended(0);
    house.write(SETTINGS, house.read(SETTINGS).replace("\"opus\"", "\"sonnet\""));
    uninstall(&house).ended(0);
    assert_eq!(house.read(SETTINGS), OTHERS.replace("\"opus\"", "\"sonnet\""));
}

/// The same when the hook was put in again after the change.
#[test]
fn a_file_changed_between_two_installs_keeps_the_change() {
    let house = House::new();
    house.write(SETTINGS, "{\n  \"model\": \"opus\"\n}\n");
    install(&house).ended(0);
    let mut value: Value = serde_json::from_str(&house.read(SETTINGS)).unwrap();
    value["added"] = "by hand".into();
    value["hooks"].as_object_mut().unwrap().shift_remove("Stop");
    house.write(SETTINGS, value.to_string());
    install(&house).ended(0);
    uninstall(&house).ended(0);
    let after: Value = serde_json::from_str(&house.read(SETTINGS)).unwrap();
    assert_eq!(after, serde_json::json!({ "model": "opus", "added": "by hand" }));
}

/// Nothing of ours is in there, so there is nothing to take out.
#[test]
fn a_file_without_the_hook_is_not_touched() {
    for text in [
        "{}",
        "",
        "{\"a\":[1,2],\t\"hooks\":{}}",
        "{\"hooks\":{\"Stop\":[]}}\n",
        &OTHERS.replace('\n', "\r\n"),
    ] {
        let house = House::new();
        house.write(SETTINGS, text);
        uninstall(&house).ended(0);
        assert_eq!(fs::read_to_string(house.project().join(SETTINGS)).ok().as_deref(), Some(text));
    }
}

#[test]
fn settings_that_cannot_be_read_are_refused_and_not_touched() {
    for text in [
        &b"{"[..],
        b"[]",
        b"null",
        b"\"x\"",
        b"{} {}",
        b"// c\n{}",
        b"{\"hooks\": []}",
        b"{\"hooks\": {\"Stop\": {}}}",
        b"\xff\xfe",
        b"{\"a\": 1,}",
    ] {
        let house = House::new();
        house.write(SETTINGS, text);
        let said = install(&house).ended(1);
        assert!(said.err.contains("nothing was changed") && said.err.contains("\n  --> "), "{}", said.err);
        assert!(said.err.contains("settings.json:1:") && said.err.contains("\nhelp: "), "{}", said.err);
        assert_eq!(fs::read(house.project().join(SETTINGS)).unwrap(), text);
    }
}

/// A link into a dotfiles folder: the file behind it changes, the link stays.
#[test]
fn a_linked_file_stays_a_link() {
    let house = House::new();
    let real = house.root().join("dotfiles.json");
    fs::write(&real, OTHERS).unwrap();
    fs::create_dir(house.project().join(".claude")).unwrap();
    let link = house.project().join(SETTINGS);
    symlink(&real, &link).unwrap();
    install(&house).ended(0);
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert!(fs::read_to_string(&real).unwrap().contains("hook claude-code"));
    uninstall(&house).ended(0);
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(fs::read_to_string(&real).unwrap(), OTHERS);
}

/// A link to a file that is not there yet.
#[test]
fn a_link_to_nothing_is_followed() {
    let house = House::new();
    let real = house.root().join("dotfiles.json");
    fs::create_dir(house.project().join(".claude")).unwrap();
    let link = house.project().join(SETTINGS);
    symlink(&real, &link).unwrap();
    install(&house).ended(0);
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink(), "the link is gone");
    assert!(real.exists());
}

#[test]
fn rights_of_the_file_stay() {
    use std::os::unix::fs::PermissionsExt;
    let house = House::new();
    house.write(SETTINGS, OTHERS);
    let path = house.project().join(SETTINGS);
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    install(&house).ended(0);
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
}

/// A script has to say yes on the command line.
#[test]
fn without_a_yes_nothing_is_written() {
    let house = House::new();
    house.write(SETTINGS, OTHERS);
    let check = |args: &[&str]| {
        let before = files(&house);
        let said = house.run(args).ended(1);
        assert!(said.err.contains("nothing was changed") && said.err.contains("--yes"), "{}", said.err);
        let as_json = house.run(&[args, &["--json"]].concat()).ended(1);
        let error: Value = serde_json::from_str(&as_json.err).expect("one object and no diff");
        assert!(error["help"].as_str().is_some_and(|help| help.contains("--yes")), "{error}");
        assert!(as_json.out.is_empty());
        assert_eq!(files(&house), before, "{args:?}");
    };
    check(&["install", "claude-code"]);
    check(&["install", "claude-code", "--project"]);
    check(&["init"]);
    install(&house).ended(0);
    check(&["uninstall", "claude-code"]);
    house.run(&["install", "no-such-host", "--yes"]).ended(1);
}

/// A program reads stdout, and nothing else is said.
#[test]
fn as_json_only_json_is_said() {
    let house = House::new();
    let check = |args: &[&str], pointer: &str, expected: Value| {
        let said = house.run(args).ended(0);
        assert_eq!(said.err, "", "{args:?}");
        let value: Value = serde_json::from_slice(&said.out).expect("one object");
        assert_eq!(value.pointer(pointer), Some(&expected), "{value}");
    };
    let file = |name: &str| Value::from(house.project().join(name).to_str().unwrap());
    check(&["install", "claude-code", "--local", "--yes", "--json"], "/file", file(LOCAL));
    check(&["install", "claude-code", "--yes", "--json"], "/changed", Value::from(false));
    check(&["uninstall", "claude-code", "--yes", "--json"], "/files/0", file(LOCAL));
    check(&["uninstall", "claude-code", "--yes", "--json"], "/changed", Value::from(false));
    check(&["init", "--yes", "--json"], "/written/1", file(".toolgate/policy.yaml"));
    check(&["init", "--yes", "--json"], "/written", Value::Array(Vec::new()));
}

/// For everything the user runs, for one project, or for one project and its team.
#[test]
fn each_level_is_a_place_of_its_own() {
    let house = House::new();
    let user = house.home().join(SETTINGS);
    house.run(&["install", "claude-code", "--yes"]).ended(0);
    assert!(user.exists() && !house.project().join(".claude").exists(), "the user's, where none is named");
    house.run(&["install", "claude-code", "--local", "--yes"]).ended(0);
    install(&house).ended(0);
    assert!(house.project().join(LOCAL).exists() && house.project().join(SETTINGS).exists());
    house.run(&["uninstall", "claude-code", "--project", "--yes"]).ended(0);
    assert!(user.exists() && house.project().join(LOCAL).exists(), "only the one that is named");
    uninstall(&house).ended(0);
    assert!(!house.home().join(".claude").exists() && !house.project().join(".claude").exists(), "all");
    house.run(&["install", "claude-code", "--user", "--local"]).ended(1);
}

/// Whom a level concerns is said where git would take the file along.
#[test]
fn a_shared_file_is_called_shared() {
    let house = House::new();
    let said = |args: &[&str]| {
        let said = house.run(&[&["install", "claude-code", "--yes"], args].concat()).ended(0).err;
        house.run(&["uninstall", "claude-code", "--yes"]).ended(0);
        said
    };
    assert!(!said(&["--project"]).contains("warning"), "no repository");
    crate::house::finish(house.command("git", &["init", "--quiet"]), b"").ended(0);
    let team = said(&["--project"]);
    assert!(team.contains("shared with everyone") && team.contains("blocks every"), "{team}");
    assert!(said(&["--local"]).contains("git does not ignore .claude/settings.local.json"));
    assert!(!said(&["--user"]).contains("warning"));
    house.write(".gitignore", ".claude/\n");
    assert!(!said(&["--project"]).contains("warning") && !said(&["--local"]).contains("warning"));
}

/// The whole conversation, as it is on the screen.
#[test]
fn the_dialogue_of_init() {
    let all = |house: &House, answers: &[(&str, &str)]| {
        let (text, code) = dialogue(house, &["init"], answers)?;
        Some(format!("$ toolgate init\n{}\n(exit {})\n", plain(house, &text), code.unwrap_or(-1)))
    };
    let (level, hook, policy) =
        ("to quit [1]: ", "Write ~/.claude/settings.json? [y/N] ", "policy.yaml? [y/N] ");
    let project = "Write .claude/settings.json? [y/N] ";
    let house = House::new();
    let Some(no) = all(&house, &[(level, "x"), (level, "1"), (hook, "n"), (policy, "n")]) else { return };
    assert!(no.ends_with("Nothing was changed. Your agents are not guarded.\n\n(exit 0)\n"), "{no}");
    assert_eq!(files(&house), files(&House::new()), "a no is a no");
    let half = all(&house, &[(level, "2"), ("settings.local.json? [y/N] ", ""), (policy, "y")]).unwrap();
    assert!(half.contains("Written: .toolgate/policy.yaml") && !half.contains("Nothing was"), "{half}");
    let yes = House::new();
    yes.write(SETTINGS, OTHERS);
    crate::house::finish(yes.command("git", &["init", "--quiet"]), b"").ended(0);
    let yes = all(&yes, &[(level, "3"), (project, "y"), (policy, "n")]).unwrap();
    assert!(yes.contains("is now guarded") && yes.contains("Try it"), "the policy is optional: {yes}");
    insta::assert_snapshot!([no, half, yes].join("\n"));
}

/// The very command in the settings, run the way the host runs it.
#[test]
fn the_installed_command_denies_the_canary() {
    let house = House::new();
    install(&house).ended(0);
    let value: Value = serde_json::from_str(&house.read(SETTINGS)).unwrap();
    let command = value["hooks"]["PreToolUse"][0]["hooks"][0]["command"].as_str().unwrap().to_owned();
    assert!(command.contains(TOOLGATE));
    let said = crate::house::finish(
        house.command("/bin/sh", &["-c", &command]),
        house.event(CANARY).to_string().as_bytes(),
    );
    assert!(said.answer().is_canary());
    let doctor = house.run(&["doctor"]).ended(0).text();
    assert!(doctor.contains("the hook blocks a test call"), "{doctor}");
}

/// From nothing – not even the host is there – to guarded, and the second time nothing changes.
#[test]
fn init_guards_a_project() {
    let house = House::new();
    let said = house.run(&["init", "--yes"]).ended(0);
    assert!(said.err.contains("Claude Code was not found"), "{said:?}");
    assert!(said.text().contains("the hook blocks a test call"), "{said:?}");
    assert!(house.home().join(SETTINGS).exists(), "for every folder");
    let all = files(&house);
    house.run(&["init", "--yes", "--host", "claude-code"]).ended(0);
    assert_eq!(files(&house), all);
    house.run(&["policy", "check"]).ended(0);
}

/// A hook an older version wrote guards as before; the doctor says what is missing, and installing again adds it.
#[test]
fn a_hook_of_an_older_version_is_pointed_out() {
    let house = House::new();
    install(&house).ended(0);
    let mut old: Value = serde_json::from_str(&house.read(SETTINGS)).unwrap();
    for groups in old["hooks"].as_object_mut().unwrap().values_mut() {
        groups[0]["hooks"][0].as_object_mut().unwrap().remove("statusMessage").expect("a status text");
    }
    house.write(SETTINGS, serde_json::to_string_pretty(&old).unwrap());
    let doctor = house.run(&["doctor"]).text();
    assert!(doctor.contains("the hook is from an older version of Toolgate"), "{doctor}");
    install(&house).ended(0);
    assert!(house.read(SETTINGS).matches("`toolgate inbox`").count() == 10, "{}", house.read(SETTINGS));
    assert!(!house.run(&["doctor"]).text().contains("older version"));
}

/// Every top-level key of a policy, with an example that loads once its comment signs are gone.
#[test]
fn the_template_explains_every_key() {
    let house = House::new();
    let template = house.run(&["policy", "template"]).ended(0).text();
    let is_example = |text: &&str| {
        let (key, _) = text.split_once(':').unwrap_or_default();
        let is_key = !key.is_empty() && key.chars().all(|c| c.is_ascii_lowercase() || c == '_');
        is_key || text.starts_with("  ")
    };
    let lines = template.lines().filter_map(|line| line.strip_prefix("# ")).filter(is_example);
    let lines: Vec<&str> = lines.collect();
    let named = lines.iter().filter(|line| !line.starts_with(' ')).filter_map(|line| line.split(':').next());
    let mut named: Vec<&str> = named.chain(["version"]).collect();
    named.sort_unstable();
    let schema = house.run(&["policy", "schema"]).ended(0).text();
    let schema: Value = serde_json::from_str(&schema).unwrap();
    let mut keys: Vec<&str> = schema["properties"].as_object().unwrap().keys().map(String::as_str).collect();
    keys.sort_unstable();
    assert_eq!(named, keys);
    house.write_user(&format!("version: 1\n{}\n", lines.join("\n")));
    house.run(&["policy", "check"]).ended(0);
}

/// Editors find the schema where the first line says it is, without a network.
#[test]
fn the_template_names_a_schema_that_is_there() {
    let house = House::new();
    house.run(&["init", "--yes"]).ended(0);
    let policy = house.read(".toolgate/policy.yaml");
    let named = policy.lines().next().unwrap().strip_prefix("# yaml-language-server: $schema=").unwrap();
    let schema: Value = serde_json::from_str(&house.read(&format!(".toolgate/{named}"))).unwrap();
    assert!(schema["properties"]["rules"].is_object(), "{named}");
}

/// The way people go: `init`, work, `uninstall`; whatever their settings look like.
#[test]
fn init_and_uninstall_leave_no_trace_in_settings() {
    for (name, text) in [
        ("two blanks", OTHERS.to_owned()),
        ("four blanks", OTHERS.replace("  ", "    ")),
        ("tabs", OTHERS.replace("  ", "\t")),
        ("Windows line ends", OTHERS.replace('\n', "\r\n")),
        ("a byte-order mark", format!("\u{feff}{OTHERS}")),
        ("one line", OTHERS.replace(['\n', ' '], "")),
        ("no line end at the end", OTHERS.trim_end().to_owned()),
        ("blank lines at the end", format!("{OTHERS}\n\n")),
        ("lists in one line", "{\n  \"permissions\": { \"allow\": [\"Bash(npm test:*)\"] }\n}\n".to_owned()),
        ("odd spacing", "{ \"a\" :1 ,\n\n\"hooks\":{ } , \"b\": [ ] }".to_owned()),
        ("escapes and numbers", "{\"a\": \"\\u00e9 \\/\", \"n\": 1.0, \"e\": 1e2}".to_owned()),
        ("nothing", String::new()),
    ] {
        for level in ["--user", "--project", "--local"] {
            let house = House::new();
            let file = match level {
                "--user" => house.home().join(SETTINGS),
                "--project" => house.project().join(SETTINGS),
                _ => house.project().join(LOCAL),
            };
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(&file, &text).unwrap();
            house.run(&["init", level, "--yes"]).ended(0);
            assert!(fs::read_to_string(&file).unwrap().contains("hook claude-code"), "{name} {level}");
            uninstall(&house).ended(0);
            assert_eq!(fs::read_to_string(&file).unwrap(), text, "{name} {level}");
        }
    }
}
