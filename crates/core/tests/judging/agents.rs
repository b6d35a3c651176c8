//! What a policy says about agents: the built-in guards 003 and 004 (S2-41, S2-42, C-22, C-23).

use crate::stage::{call, decide, decide_in, file, layer, shell, summary};
use serde_json::{Value, json};
use toolgate_core::{
    Access, Event, Facts, Kind, Layer, Mark, Policy, Session, compile, merge, read_mark, tool_mark,
};

fn policy(agents: &Value) -> Policy {
    compile(&merge(&[layer(Layer::Project, "test.yaml", &json!({ "agents": agents }))])).unwrap()
}

fn by(role: &str, mut event: Event) -> Event {
    event.call.agent = format!("{role}-1");
    event.call.role = Some(role.to_owned());
    event
}

#[track_caller]
fn check(agents: &Value, event: &Event, expected: &str) {
    assert_eq!(summary(event, &decide(&policy(agents), event)), expected, "{agents}\n{event:?}");
}

#[test]
fn an_agent_uses_the_tools_it_was_given() {
    let agents = json!({ "reviewer": { "tools": ["Read", "mcp__docs__*"] } });
    check(&agents, &by("reviewer", shell("ls")), "block builtin-004");
    check(&agents, &by("implementer", shell("ls")), "allow");
    check(&agents, &shell("ls"), "allow");
    check(&json!({ "*": { "tools": ["Bash"] } }), &by("reviewer", shell("ls")), "allow");
    check(&json!({ "*": { "tools": [] } }), &shell("ls"), "block builtin-004");
    check(&json!({ "main": { "tools": [], "task_tools": "Bash" } }), &shell("ls"), "allow");
    check(&json!({ "main": { "role": "architect" } }), &shell("ls"), "allow");
}

#[test]
fn an_agent_stays_within_its_files() {
    let agents = json!({ "implementer": { "scope": { "write": ["src/**"], "deny": ["src/vendor/**"] } } });
    let writes = |path: &str| by("implementer", file(Access::Write, path));
    check(&agents, &writes("src/lib.rs"), "allow");
    check(&agents, &writes("/project/src/lib.rs"), "allow");
    check(&agents, &writes("tests/lib.rs"), "block builtin-003");
    check(&agents, &writes("src/../tests/lib.rs"), "block builtin-003");
    check(&agents, &writes("src/vendor/x.rs"), "block builtin-003");
    check(&agents, &writes("/elsewhere/src/lib.rs"), "block builtin-003");
    check(&agents, &by("implementer", shell("echo x > tests/a")), "block builtin-003");
    check(&agents, &by("implementer", shell("sed -i s/a/b/ src/a.rs")), "allow");
    check(&agents, &by("implementer", shell("echo x > $F")), "block builtin-003");
    check(&agents, &by("implementer", shell("cat tests/a")), "allow");
    check(&agents, &by("architect", shell("echo x > tests/a")), "allow");
}

#[test]
fn what_is_denied_is_denied_to_patterns_and_searches_too() {
    let agents = json!({ "Implementer": { "scope": { "deny": ["secrets/**", "key.txt"] } } });
    let runs = |command: &str| by("implementer", shell(command));
    check(&agents, &runs("cat secrets/a"), "block builtin-003");
    check(&agents, &runs("cat *.txt"), "block builtin-003");
    check(&agents, &runs("cat s*/x"), "block builtin-003");
    check(&agents, &runs("grep -r x ."), "block builtin-003");
    check(&agents, &runs("grep -r x"), "block builtin-003");
    check(&agents, &runs("rg x"), "block builtin-003");
    check(&agents, &runs("rm -rf ."), "block builtin-003");
    check(&agents, &runs("cat src/*.txt"), "allow");
    check(&agents, &runs("grep -r x src"), "allow");
    check(&agents, &runs("cat x | rg y"), "allow");
    check(&agents, &runs("grep x notes.txt"), "allow");
    check(&agents, &by("reviewer", shell("grep -r x .")), "allow");
}

/// A session that did these things.
fn session(keys: &[String]) -> Session {
    let mark = Mark { count: 1, seq: 1, call: 1, time_ms: 1 };
    Session { marks: keys.iter().map(|key| (key.clone(), mark)).collect(), ..Session::new("s") }
}

#[track_caller]
fn check_after(agents: &Value, event: &Event, done: &[String], expected: &str) {
    let policy = policy(agents);
    let asked = policy.asks(&event.call, &Facts::default());
    assert!(done.iter().all(|key| asked.contains(key) || !key.starts_with("tool ")), "{asked:?}");
    let decision = decide_in(&policy, event, &session(done));
    let said = decision.findings.first().map_or("", |finding| finding.message.as_str());
    assert_eq!(format!("{} {said}", decision.verdict.name()).trim_end(), expected);
}

#[test]
fn some_tools_come_after_others() {
    let agents = json!({ "main": { "after": { "Deploy": ["Test", "Lint"] } } });
    let deploy = call("Deploy", Kind::Other, json!({}));
    check_after(&agents, &deploy, &[], "block `Deploy` may run only after Lint, Test");
    check_after(&agents, &deploy, &[tool_mark("Lint")], "block `Deploy` may run only after Test");
    check_after(&agents, &deploy, &[tool_mark("Lint"), tool_mark("Test")], "allow");
    check_after(&agents, &shell("ls"), &[], "allow");
}

#[test]
fn a_file_is_read_before_it_is_changed() {
    let agents = json!({ "main": { "read_before_write": true } });
    let write = file(Access::Write, "./a/../notes.md");
    let read = read_mark("/project/notes.md");
    // Nobody looked whether it is there.
    check_after(
        &agents,
        &write,
        &[],
        "ask `./a/../notes.md` would be changed without having been read in this session",
    );
    check_after(&agents, &write, std::slice::from_ref(&read), "allow");
    check_after(&agents, &file(Access::Read, "notes.md"), &[], "allow");
    check_after(&json!({}), &write, &[], "allow");
}

#[test]
fn what_is_no_pattern_is_a_fault() {
    let agents =
        json!({ "agents": { "x": { "tools": ["a["], "scope": { "write": ["b{"], "deny": "!c" } } } });
    let faults = compile(&merge(&[layer(Layer::Project, "test.yaml", &agents)])).unwrap_err();
    let needles: Vec<&str> = faults.iter().map(|(_, fault)| fault.needle.as_str()).collect();
    assert_eq!(needles, ["a[", "b{", "!c"]);
}

#[test]
fn an_empty_list_leaves_nothing_and_every_layer_holds() {
    check(
        &json!({ "*": { "scope": { "read": [] } } }),
        &file(Access::Read, "/project/a"),
        "block builtin-003",
    );
    check(&json!({ "*": { "scope": {} } }), &file(Access::Write, "/project/a"), "allow");
    let wide = layer(Layer::User, "user.yaml", &json!({ "agents": { "main": { "tools": ["Read"] } } }));
    let own = layer(Layer::Project, "own.yaml", &json!({ "agents": { "main": { "tools": ["*"] } } }));
    let both = compile(&merge(&[wide, own])).unwrap();
    assert_eq!(summary(&shell("ls"), &decide(&both, &shell("ls"))), "block builtin-004");
}
