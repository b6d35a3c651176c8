//! Tool verification: mode × status, messages, counters (S4-01 to S4-19, C-03, C-34, C-35).

use crate::stage::{call, decide_in, layer, shell};
use serde_json::{Value, json};
use toolgate_core::{
    Enforced, Kind, Layer, Layered, Mark, Policy, Session, Status, ToolVerification, VerificationMode,
    compile, merge,
};

const TOOL: &str = "mcp__x__y";

fn file(level: Layer, name: &str, verification: &Value) -> Layered {
    layer(level, name, &json!({ "verification": verification }))
}

fn policy(verification: &Value) -> Policy {
    compile(&merge(&[file(Layer::Project, "test.yaml", verification)])).unwrap()
}

fn said(policy: &Policy, warned: u64) -> String {
    let kind = Kind::Mcp { server: "x".to_owned(), tool: "y".to_owned() };
    let mark = Mark { count: warned, ..Mark::default() };
    let marks = [(format!("unverified {TOOL}"), mark)].into_iter().filter(|_| warned > 0).collect();
    let session = Session { marks, ..Session::new("s") };
    let decision = decide_in(policy, &call(TOOL, kind, json!({})), &session);
    let message = decision.findings.first().map_or("", |finding| finding.message.as_str());
    format!("{} {message}", decision.verdict.name()).trim_end().to_owned()
}

#[track_caller]
fn check(verification: &Value, expected: &str) {
    assert_eq!(said(&policy(verification), 0), expected, "{verification}");
}

/// The whole matrix, with and without each flag.
#[test]
fn mode_and_status_meet_in_the_matrix() {
    use Enforced::{Allow, Block, Warn};
    use Status::{Failed, Pending, Skipped, Verified};
    use VerificationMode::{Development, Disabled, Permissive, Strict};
    let plain = ToolVerification::default();
    let flipped =
        ToolVerification { block_failed: false, block_pending: false, allow_skipped: true, ..plain.clone() };
    for (mode, status, by_default, with_flags) in [
        (Strict, Verified, Allow, Allow),
        (Strict, Failed, Block, Block),
        (Strict, Pending, Block, Block),
        (Strict, Skipped, Block, Block),
        (Permissive, Verified, Allow, Allow),
        (Permissive, Failed, Block, Warn),
        (Permissive, Pending, Warn, Allow),
        (Permissive, Skipped, Warn, Warn),
        (Development, Verified, Allow, Allow),
        (Development, Failed, Block, Warn),
        (Development, Pending, Warn, Warn),
        (Development, Skipped, Block, Warn),
        (Disabled, Verified, Allow, Allow),
        (Disabled, Failed, Allow, Allow),
        (Disabled, Pending, Allow, Allow),
        (Disabled, Skipped, Allow, Allow),
    ] {
        assert_eq!(plain.enforce(mode, status), by_default, "{mode:?} {status:?}");
        assert_eq!(flipped.enforce(mode, status), with_flags, "{mode:?} {status:?} with flags");
    }
}

#[test]
fn the_message_fits_the_cause() {
    let of = |status: &str, mode: &str| json!({ "mode": mode, "tools": { TOOL: { "status": status } } });
    let required = "Verification required but tool is not verified: mcp__x__y";
    check(&json!({}), &format!("block {required} (status: pending)"));
    check(&of("skipped", "strict"), &format!("block {required} (status: skipped)"));
    check(&of("skipped", "permissive"), &format!("warn {required} (status: skipped)"));
    check(&of("failed", "strict"), "block Tool verification failed: mcp__x__y - the check did not pass");
    let reason = json!({ "tools": { "mcp__x__*": { "status": "failed", "reason": "another publisher" } } });
    check(&reason, "block Tool verification failed: mcp__x__y - another publisher");
    let known = json!({ "tools": { TOOL: { "status": "pending", "reason": "asked on Monday" } } });
    check(&known, "block Tool invocation blocked: mcp__x__y - asked on Monday (status: pending)");
    check(&of("verified", "strict"), "allow");
}

#[test]
fn a_name_goes_before_a_pattern_and_an_end_is_an_end() {
    let both = json!({ "tools": { "mcp__*": { "status": "failed" }, TOOL: { "status": "verified" } } });
    check(&both, "allow");
    let over = json!({ "tools": { TOOL: { "status": "verified", "until_ms": 0 } } });
    check(&over, "block Tool invocation blocked: mcp__x__y - its verification has expired (status: pending)");
    let own = json!({ "mode": "strict", "tools": { TOOL: { "status": "pending", "mode": "permissive" } } });
    check(&own, "warn Verification required but tool is not verified: mcp__x__y (status: pending)");
}

#[test]
fn production_takes_no_loose_mode() {
    for mode in ["development", "disabled"] {
        check(
            &json!({ "mode": mode, "environment": "production" }),
            "block Tool invocation blocked: mcp__x__y - a loose mode of verification in production",
        );
    }
    check(&json!({ "mode": "disabled", "environment": "production", "loose_in_production": true }), "allow");
    check(&json!({ "mode": "disabled", "environment": "staging" }), "allow");
    assert!(serde_json::from_value::<ToolVerification>(json!({ "environment": "prod" })).is_err());
}

#[test]
fn every_tenth_warning_is_raised() {
    let policy = policy(&json!({ "mode": "permissive" }));
    assert!(!said(&policy, 8).contains("warned"));
    assert!(said(&policy, 9).ends_with("– warned 10 times"));
    assert!(!said(&policy, 10).contains("warned 1"));
    assert!(said(&policy, 19).ends_with("– warned 20 times"));
}

#[test]
fn every_layer_holds_and_the_hosts_own_tools_run() {
    let loose = file(Layer::Project, "project.yaml", &json!({ "mode": "disabled" }));
    let strict = file(Layer::Managed, "managed.yaml", &json!({}));
    let both = compile(&merge(&[strict, loose])).unwrap();
    assert!(said(&both, 0).starts_with("block "));
    assert_eq!(decide_in(&both, &shell("ls"), &Session::new("s")).verdict.name(), "allow");
}

/// Of several patterns the alphabet does not choose.
#[test]
fn the_most_specific_pattern_counts() {
    let tools = |list: Value| json!({ "mode": "permissive", "tools": list });
    let (yes, no) = (json!({ "status": "verified" }), json!({ "status": "failed" }));
    let failed = "block Tool verification failed: mcp__x__y - the check did not pass";
    check(&tools(json!({ "mcp__*": yes, "mcp__x__*": no })), failed);
    check(&tools(json!({ "mcp__*": no, "mcp__x__*": yes })), "allow");
    check(&tools(json!({ "mcp__x__*": no, TOOL: yes })), "allow");
    check(&tools(json!({ "mcp__x*": yes, "*mcp__x": yes, "mcp__x__?": no })), failed);
    // Neither says more than the other: the stricter counts.
    check(&tools(json!({ "mcp__x*": yes, "mcp__*y": no })), failed);
}

/// A tool of a server that takes a command is read as a shell, and is the server's all the same.
#[test]
fn a_tool_of_a_server_is_never_the_hosts_own() {
    let policy = policy(&json!({ "mode": "strict" }));
    let kind = || Kind::Shell { command: "ls".to_owned(), field: "command".to_owned() };
    let judged = |tool: &str| {
        decide_in(&policy, &call(tool, kind(), json!({ "command": "ls" })), &Session::new("s")).verdict.name()
    };
    assert_eq!(judged("mcp__server__run_command"), "block");
    assert_eq!(judged("Bash"), "allow");
}
