//! Whether a hook is in the path of its host, as `status`, `doctor` and `run` say it; and calls that arrive in
//! another way than they were meant to.

use crate::house::{House, Said, finish};
use crate::plain::plain;
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::PermissionsExt;

fn install(house: &House, host: &str) {
    house.run(&["install", host, "--user", "--yes"]).ended(0);
}

fn hook(house: &House, host: &str, event: &Value, variables: &[(&str, &str)]) -> Said {
    let mut command = house.below_agent(&["hook", host]);
    command.envs(variables.iter().copied());
    finish(command, event.to_string().as_bytes())
}

fn answer(said: Said) -> Value {
    let text = said.text();
    assert_eq!(text.lines().count(), 1, "{text}");
    serde_json::from_str(&text).unwrap()
}

/// A home file.
fn write_home(house: &House, name: &str, text: &str) {
    let path = house.home().join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn codex_event(house: &House, name: &str, command: &str) -> Value {
    json!({
        "session_id": "s-1", "turn_id": "t", "transcript_path": null, "cwd": house.project(),
        "hook_event_name": name, "permission_mode": "default", "tool_name": "Bash",
        "tool_input": { "command": command }
    })
}

fn status(house: &House) -> Vec<Value> {
    let said = house.run(&["status", "--json"]);
    serde_json::from_str(&said.text()).unwrap()
}

fn of<'a>(all: &'a [Value], host: &str) -> &'a Value {
    all.iter().find(|one| one["host"] == host).unwrap()
}

#[test]
fn status_says_configured_enabled_observed() {
    let house = House::new();
    let said = house.run(&["status"]).ended(1);
    let mut text = said.text();
    for host in ["codex", "gemini-cli", "goose", "kimi-code"] {
        install(&house, host);
    }
    answer(hook(&house, "codex", &codex_event(&house, "PreToolUse", "ls"), &[]));
    text += &format!("---- configured\n{}", house.run(&["status"]).ended(0).text());
    house.write(".gemini/settings.json", r#"{ "hooksConfig": { "enabled": false } }"#);
    house.write(".config/goose/settings.json", r#"{ "disabledPlugins": ["toolgate"] }"#);
    house.write(".openhands/hooks.json", "{}");
    let kimi = house.home().join(".kimi-code/config.toml");
    let with = fs::read_to_string(&kimi).unwrap()
        + "\n[[hooks]]\nevent = \"PreToolUse\"\nonce = true\ncommand = \"x\"\n";
    fs::write(&kimi, with).unwrap();
    text += &format!("---- switched off\n{}", house.run(&["status"]).ended(1).text());
    insta::assert_snapshot!(plain(&house, &text));
}

/// Host, file, text, and what is named.
const IN_REPOSITORY: &[(&str, &str, &str, &str)] = &[
    ("claude-code", ".claude/settings.json", r#"{"disableAllHooks":true}"#, "disableAllHooks"),
    ("claude-code", ".claude/settings.local.json", r#"{"disableAllHooks":true}"#, "disableAllHooks"),
    ("codex", ".codex/config.toml", "[features]\nhooks = false\n", "features.hooks"),
    ("gemini-cli", ".gemini/settings.json", r#"{"hooksConfig":{"enabled":false}}"#, "hooksConfig.enabled"),
    (
        "gemini-cli",
        ".gemini/settings.json",
        r#"{"hooksConfig":{"disabled":["toolgate"]}}"#,
        "hooksConfig.disabled",
    ),
    ("copilot-cli", ".github/copilot/settings.json", r#"{"disableAllHooks":true}"#, "disableAllHooks"),
    ("copilot-cli", ".github/copilot/settings.local.json", r#"{"disableAllHooks":true}"#, "disableAllHooks"),
    ("copilot-cli", ".claude/settings.json", r#"{"disableAllHooks":true}"#, "disableAllHooks"),
    ("qwen-code", ".qwen/settings.json", r#"{"disableAllHooks":true}"#, "disableAllHooks"),
    (
        "mistral-vibe",
        ".vibe/hooks.toml",
        "[[hooks]]\nname = \"toolgate-pre_tool\"\ntype = \"pre_tool\"\ncommand = \"true\"\n",
        "toolgate-pre_tool",
    ),
    ("goose", ".config/goose/settings.json", r#"{"disabledPlugins":["toolgate"]}"#, "disabledPlugins"),
    ("goose", ".agents/plugins/toolgate/hooks/hooks.json", "{}", "hooks.json"),
    ("openhands", ".openhands/hooks.json", "{}", "hooks.json"),
];

/// Each way a file takes the hook out of the path, and the key that is named.
#[test]
fn every_switch_is_found() {
    for (host, file, text, key) in IN_REPOSITORY.iter().copied() {
        let house = House::new();
        install(&house, host);
        house.run(&["status"]).ended(0);
        house.write(file, text);
        house.run(&["status"]).ended(1);
        let all = status(&house);
        let one = of(&all, host);
        let why = one["off"]["why"].as_str().unwrap_or_else(|| panic!("{host} {file}: {one}"));
        assert!(why.contains(key) && why.contains(file), "{host}: {why}");
        assert_eq!(one["repository"].as_array().unwrap().len(), 1, "{one}");
        let doctor = house.run(&["doctor"]).ended(1).text();
        assert!(doctor.contains(file) && doctor.contains("not guarded"), "{host}: {doctor}");
        let said = house.run(&["status"]).text();
        assert!(said.contains("switched off") && said.contains(file), "{said}");
    }
    let of_user = [
        ("codex", ".codex/config.toml", "enabled = false"),
        ("grok", ".grok/disabled-hooks", "global/toolgate:pre_tool_use[0].hooks[0]\n"),
        ("goose", ".config/goose/settings.json", r#"{"disabledPlugins":["toolgate"]}"#),
        ("mistral-vibe", ".vibe/hooks.toml", "[[hooks]\nx\n"),
        ("kimi-code", ".kimi-code/config.toml", "[[hooks]]\nevent = \"Sometimes\"\ncommand = \"x\"\n"),
        ("claude-code", ".claude/settings.json", ""),
    ];
    for (host, file, text) in of_user {
        let house = House::new();
        install(&house, host);
        let path = house.home().join(file);
        let before = fs::read_to_string(&path).unwrap_or_default();
        let after = match host {
            "codex" => before.replacen("trusted_hash", "enabled = false\ntrusted_hash", 1),
            "claude-code" => before.replacen('{', "{ \"model\": 5,", 1),
            _ => before.clone() + text,
        };
        assert_ne!(before, after);
        write_home(&house, file, &after);
        let all = status(&house);
        let one = of(&all, host);
        assert_eq!(one["enabled"], false, "{host}: {one}");
        assert!(one["off"]["fix"].as_str().is_some_and(|fix| !fix.is_empty()), "{one}");
    }
}

/// A fake agent in `PATH` that leaves a mark.
fn agent(house: &House, name: &str) {
    let folder = house.root().join("bin");
    fs::create_dir_all(&folder).unwrap();
    let path = folder.join(name);
    fs::write(&path, "#!/bin/sh\necho \"ran $*\"\nexit 7\n").unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
}

fn run(house: &House, args: &[&str], variables: &[(&str, &str)]) -> Said {
    let mut command = house.toolgate(args);
    command.env("PATH", format!("{}:/usr/bin:/bin", house.root().join("bin").display()));
    command.envs(variables.iter().copied());
    finish(command, b"")
}

#[test]
fn an_agent_is_started_only_behind_the_gate() {
    let house = House::new();
    let mut text = String::new();
    let mut refused = |args: &[&str], variables: &[(&str, &str)]| {
        let said = run(&house, args, variables).ended(1);
        assert!(!said.text().contains("ran"), "{said:?}");
        text += &format!("$ toolgate {} {variables:?}\n{}", args.join(" "), said.err);
    };
    refused(&["run", "codex"], &[]);
    agent(&house, "codex");
    refused(&["run", "codex"], &[]);
    install(&house, "codex");
    refused(&["run", "codex", "--", "exec", "--disable", "hooks", "hi"], &[]);
    refused(&["run", "codex"], &[("CODEX_HOME", "/tmp/x")]);
    house.write(".codex/config.toml", "[features]\nhooks = false\n");
    refused(&["run", "codex"], &[]);
    fs::remove_file(house.project().join(".codex/config.toml")).unwrap();
    // The hook is there and does nothing.
    let file = house.home().join(".codex/hooks.json");
    let (good, trust) =
        (fs::read_to_string(&file).unwrap(), fs::read(house.home().join(".codex/config.toml")).unwrap());
    fs::remove_file(house.home().join(".codex/config.toml")).unwrap();
    refused(&["run", "codex"], &[]);
    fs::write(house.home().join(".codex/config.toml"), trust).unwrap();
    house.write(".toolgate/policy.yaml", "version: [");
    refused(&["run", "codex"], &[]);
    fs::remove_file(house.project().join(".toolgate/policy.yaml")).unwrap();
    assert_eq!(fs::read_to_string(&file).unwrap(), good);
    let said = run(&house, &["run", "codex", "--", "exec", "fix the tests"], &[]).ended(7);
    assert_eq!(said.text(), "ran exec fix the tests\n");
    assert!(said.err.contains("a test call was blocked"), "{}", said.err);
    insta::assert_snapshot!(plain(&house, &text));
}

#[test]
fn what_a_clone_brings_is_told() {
    let house = House::new();
    let told = |command: &str, between: &dyn Fn()| {
        let mut event = house.call(command);
        assert!(!house.ask_event(&event).is_no(), "{command}");
        between();
        event["hook_event_name"] = json!("PostToolUse");
        event["tool_response"] = json!({ "stdout": "", "stderr": "" });
        let said = answer(house.hook(event.to_string().as_bytes()));
        said["hookSpecificOutput"]["additionalContext"].as_str().unwrap_or_default().to_owned()
    };
    let write = |name: &'static str, text: &'static str| move |house: &House| house.write(name, text);
    let codex = write("repo/.codex/config.toml", "[features]\nhooks = false\n");
    let text = told("git clone https://example.com/a/repo.git", &|| codex(&house));
    for wanted in ["Codex", "repo/.codex/config.toml", "features.hooks", "tell the user"] {
        assert!(text.contains(wanted), "{wanted}: {text}");
    }
    // Once is enough.
    assert_eq!(told("git clone https://example.com/a/repo.git", &|| {}), "");
    let own = write(".openhands/hooks.json", "{}");
    let text = told("git switch other", &|| own(&house));
    assert!(text.contains("OpenHands") && text.contains(".openhands/hooks.json"), "{text}");
    let same = write("deep/.qwen/settings.json", r#"{"model":"x"}"#);
    assert_eq!(told("git pull", &|| same(&house)), "");
    assert_eq!(told("ls", &|| own(&house)), "");
    house.run(&["ledger", "verify"]).ended(0);
}

/// The host would ask its person about a call: silence if the gate let it run, a denial if it did not.
#[test]
fn a_prompt_of_the_host_does_not_pass_the_gate() {
    let house = House::new();
    let ask =
        |name: &str, command: &str| answer(hook(&house, "codex", &codex_event(&house, name, command), &[]));
    assert_eq!(ask("PreToolUse", "touch a"), json!({}));
    let mut event = codex_event(&house, "PermissionRequest", "touch a");
    event["tool_input"]["description"] = json!("to write outside the sandbox");
    assert_eq!(answer(hook(&house, "codex", &event, &[])), json!({}));
    let blocked = "git commit --no-verify -m x";
    for _ in 0..2 {
        let said = ask("PermissionRequest", blocked);
        let decision = &said["hookSpecificOutput"]["decision"];
        assert_eq!(decision["behavior"], "deny", "{said}");
        assert!(decision["message"].as_str().unwrap().contains("--no-verify"), "{said}");
        assert_eq!(said["hookSpecificOutput"]["hookEventName"], "PermissionRequest");
        ask("PreToolUse", blocked);
    }
    // Broken: the host's own reviewer must not decide alone.
    house.write(".toolgate/policy.yaml", "version: [");
    let said = ask("PermissionRequest", "touch a");
    assert_eq!(said["hookSpecificOutput"]["decision"]["behavior"], "deny", "{said}");
}

fn grok_event(house: &House, command: &str, id: &str) -> Value {
    let input = json!({ "command": command });
    json!({
        "hookEventName": "pre_tool_use", "sessionId": "g-1", "cwd": house.project(), "toolName": "run_terminal_command",
        "toolUseId": id, "toolInput": input, "toolInputTruncated": false, "hook_event_name": "PreToolUse",
        "session_id": "g-1", "permission_mode": "bypassPermissions", "tool_name": "run_terminal_command",
        "tool_input": input, "tool_use_id": id
    })
}

#[test]
fn a_host_that_runs_hooks_of_another_is_known() {
    let house = House::new();
    let grok = [("GROK_SESSION_ID", "g-1")];
    let hosts = || -> Vec<String> {
        let all = house.records();
        let decided =
            all.iter().filter(|one| one["entry"]["entry"] == "decided" || one["entry"] == "decided");
        decided.map(|one| one.to_string()).collect()
    };
    // Its own hook is not installed: the call is judged as its own, in its own words.
    let said = answer(hook(&house, "claude-code", &grok_event(&house, "git commit --no-verify", "1"), &grok));
    assert_eq!(said["hookSpecificOutput"]["permissionDecision"], "deny", "{said}");
    assert!(hosts().last().unwrap().contains("grok"), "{:?}", hosts());
    // Where it is, the call is judged once.
    install(&house, "grok");
    let before = hosts().len();
    let event = grok_event(&house, "git commit --no-verify", "2");
    assert_eq!(answer(hook(&house, "claude-code", &event, &grok)), json!({}));
    assert_eq!(hosts().len(), before);
    let said = answer(hook(&house, "grok", &event, &grok));
    assert_eq!(said["hookSpecificOutput"]["permissionDecision"], "deny", "{said}");
    assert_eq!(hosts().len(), before + 1);
    // An agent that was started by another inherits its variables; its messages are its own.
    let mut command = house.below_agent(&["hook", "claude-code"]);
    command.envs(grok);
    let event = house.event("git commit --no-verify -m x");
    assert!(finish(command, event.to_string().as_bytes()).answer().is_no());
    // A message of a third shape with the same session.
    let copilot = json!({
        "hook_event_name": "PreToolUse", "session_id": "c-1", "timestamp": "2026-11-18T22:26:13.608Z",
        "cwd": house.project(), "tool_name": "Bash", "tool_input": { "command": "git commit --no-verify" }
    });
    let said = answer(hook(&house, "claude-code", &copilot, &[("COPILOT_CLI", "1")]));
    assert_eq!(said["hookSpecificOutput"]["permissionDecision"], "deny", "{said}");
    assert!(hosts().last().unwrap().contains("copilot-cli"), "{:?}", hosts());
}

#[test]
fn an_unknown_event_ends_no_run_and_is_told() {
    let house = House::new();
    for host in ["claude-code", "codex", "grok", "kimi-code"] {
        let event = json!({ "session_id": "s", "cwd": house.project(), "hook_event_name": "MoonPhase", "phase": "full" });
        let said = hook(&house, host, &event, &[]).ended(0);
        assert_eq!(answer(said), json!({}), "{host}");
        // With a call in it, it may be the moment before the call.
        let mut event = codex_event(&house, "BeforeTheMoon", "ls");
        event["tool_input"] = json!({ "command": "ls" });
        let said = hook(&house, host, &event, &[]);
        assert!(said.text().contains("does not know"), "{host}: {said:?}");
    }
    install(&house, "codex");
    let said = house.run(&["doctor"]).text();
    for host in ["claude-code", "codex", "grok"] {
        assert!(
            said.contains(&format!("{host} sent an event this version does not know: `MoonPhase`")),
            "{said}"
        );
    }
}

/// A host without a limit of its own on refused stops.
#[test]
fn stops_are_not_refused_for_ever() {
    let house = House::bare("version: 1\nagents:\n  main:\n    completion:\n      files: [report.md]\n");
    for (host, name) in
        [("codex", "Stop"), ("openhands", "Stop"), ("droid", "Stop"), ("gemini-cli", "AfterAgent")]
    {
        let mut refused = 0;
        for _ in 0..30 {
            let event = json!({
                "session_id": format!("stop-{host}"), "cwd": house.project(), "working_dir": house.project(),
                "hook_event_name": name, "event_type": name, "stop_hook_active": true
            });
            let said = hook(&house, host, &event, &[]).text();
            // A stop that is not refused ends the run.
            if !said.contains("report.md") {
                break;
            }
            refused += 1;
        }
        assert_eq!(refused, 10, "{host}");
    }
}
