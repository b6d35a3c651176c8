//! What a policy says about agents: the built-in guards 003 and 004 (S2-41, S2-42, C-22, C-23).

use crate::stage::{decide, file, layer, shell, summary};
use serde_json::{Value, json};
use toolgate_core::{Access, Event, Layer, Policy, compile, merge};

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
