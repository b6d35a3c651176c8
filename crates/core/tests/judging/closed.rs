//! Fail-closed: every built-in guard × {panic, hang, bad config, missing data} → as documented, never allow (S2-67,
//! C-09, C-18). And what holds for all guards together: one more never loosens a verdict, and their order does not
//! matter (S2-29 to S2-32).

use crate::stage::{call, decide_in, file, layer, places, shell};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::cell::Cell;
use toolgate_core::guards::{built_in, page};
use toolgate_core::{
    Access, Call, Category, Decision, Disk, Event, EventKind, Facts, Finding, Guard, Kind, Layer, Lock, Pass,
    Policy, PolicyFile, Seen, Session, Verdict, compile, judge, merge,
};

fn policy(said: &Value) -> Policy {
    compile(&merge(&[layer(Layer::User, "test.yaml", said)])).unwrap()
}

/// Stands in for a built-in guard that is broken.
struct Broken {
    id: String,
    priority: u32,
    panics: bool,
}

thread_local! {
    /// The clock of [`Broken`] guards that hang.
    static CLOCK_US: Cell<u64> = const { Cell::new(0) };
}

impl Guard for Broken {
    fn id(&self) -> &str {
        &self.id
    }

    fn priority(&self) -> u32 {
        self.priority
    }

    fn category(&self) -> Category {
        Category::Safety
    }

    fn judge(&self, _: &Seen<'_>) -> Option<Finding> {
        assert!(!self.panics, "broken");
        CLOCK_US.set(CLOCK_US.get() + 500_001);
        None
    }
}

fn with_broken(guard: &dyn Guard, panics: bool) -> Decision {
    let broken = Broken { id: guard.id().to_owned(), priority: guard.priority(), panics };
    let policy = policy(&json!({})).with_guard(Box::new(broken));
    let places = places();
    let facts_of = |call: &Call| Facts::of(call, &places);
    let disk = Disk::BLIND;
    let clock_us = || CLOCK_US.get();
    let pass = Pass { facts_of: &facts_of, disk, now_ms: 0, clock_us: &clock_us, suspended: &[] };
    judge(&policy, &shell("ls"), &Session::new("s"), &places, &pass)
}

#[test]
fn a_guard_that_panics_or_hangs_blocks() {
    for guard in built_in() {
        for (panics, words) in [(true, "crashed"), (false, "took longer than 500 ms")] {
            let decision = with_broken(guard.as_ref(), panics);
            let said = &decision.findings.last().unwrap().message;
            assert_eq!(decision.verdict, Verdict::Block, "{} {words}", guard.id());
            assert!(said.contains(guard.id()) && said.contains(words), "{said}");
        }
    }
}

/// For each guard with a configuration something it cannot mean: it is refused when the policy is read.
const BAD: &[(&[&str], &str)] = &[
    (&["gate-canary", "gate-self-protection", "agent-hooks"], ""),
    (&["builtin-001", "builtin-002", "budget-limits"], r#"{"agents":{"x":{"budget":{"tokens":-1}}}}"#),
    (&["builtin-003"], r#"{"agents":{"x":{"scope":{"write":["a["]}}}}"#),
    (&["builtin-004"], r#"{"agents":{"x":{"tools":["a["]}}}"#),
    (&["tool-order"], r#"{"agents":{"x":{"after":["a"]}}}"#),
    (&["read-before-write"], r#"{"agents":{"x":{"read_before_write":"maybe"}}}"#),
    (&["completion"], r#"{"agents":{"x":{"completion":{"fles":["a"]}}}}"#),
    (&["tool-verification"], r#"{"verification":{"mode":"lax"}}"#),
    (&["tool-pin"], r#"{"verification":{"drift":"lax"}}"#),
    (&["installation_prevention"], r#"{"traps":{"installation_prevention":{"on":1}}}"#),
    (&["filesystem_safety"], r#"{"traps":{"filesystem_safety":{"except":["a["]}}}"#),
    (&["network_operations"], r#"{"traps":{"network_operations":{"endpoints":["::"]}}}"#),
    (&["escalation-trap"], r#"{"traps":{"known_issues":{"answer":"shrug"}}}"#),
    (&["handoff"], r#"{"handoff":{"paylod":["context"]}}"#),
    (&["error-recovery"], r#"{"errors":{"quarantine":"all"}}"#),
    (&["risk-critical"], r#"{"risk":"extreme"}"#),
    (&["safety-001"], r#"{"category_guardrails":{"safety-001":{"effects":["x"]}}}"#),
    (&["safety-002"], r#"{"category_guardrails":{"safety-002":{"paths":["a["]}}}"#),
    (&["safety-004"], r#"{"category_guardrails":{"safety-004":{"also":["a["]}}}"#),
    (&["quality-003"], r#"{"category_guardrails":{"quality-003":{"command":""}}}"#),
    (&["quality-004"], r#"{"category_guardrails":{"quality-004":{"seconds":"long"}}}"#),
    (&["compliance-001"], r#"{"category_guardrails":{"compliance-001":{"minutes":-1}}}"#),
    (&["compliance-002"], r#"{"category_guardrails":{"compliance-002":{"into":["a["]}}}"#),
    (&["compliance-003"], r#"{"category_guardrails":{"compliance-003":{"allowed":["a["]}}}"#),
    (&["compliance-004"], r#"{"category_guardrails":{"compliance-004":{"docs":["a["]}}}"#),
    (&["budget-001"], r#"{"category_guardrails":{"budget-001":{"warn":"most"}}}"#),
    (&["budget-002"], r#"{"category_guardrails":{"budget-002":{"limit":1.5}}}"#),
    (&["budget-003"], r#"{"category_guardrails":{"budget-003":{"limits":3}}}"#),
    (&["budget-004"], r#"{"category_guardrails":{"budget-004":{"cents":"5"}}}"#),
    (&["scope-001"], r#"{"category_guardrails":{"scope-001":{"paths":["a["]}}}"#),
    (&["scope-002"], r#"{"category_guardrails":{"scope-002":{"write":["a["]}}}"#),
    (&["scope-003"], r#"{"agents":{"x":{"capabilities":["fly"]}}}"#),
    (&["scope-004"], r#"{"agents":{"x":{"autonomy":4}}}"#),
];

#[test]
fn a_configuration_nobody_can_mean_is_refused() {
    for guard in built_in() {
        assert!(page(guard.id()).is_some(), "{} has no page", guard.id());
        let row = BAD.iter().find(|(ids, _)| ids.contains(&guard.id()));
        let (_, bad) = row.unwrap_or_else(|| panic!("`{}` is not in the table", guard.id()));
        if bad.is_empty() {
            continue;
        }
        let mut said: Value = serde_json::from_str(bad).unwrap();
        said["version"] = json!(1);
        let read: Result<PolicyFile, _> = serde_json::from_value(said.clone());
        let refused = read.is_err() || compile(&merge(&[layer(Layer::User, "test.yaml", &said)])).is_err();
        assert!(refused, "{}: {bad}", guard.id());
    }
}

/// A guard, its policy, the call (`$` a command, `>` a file written, else a tool), what is odd about the session, and
/// at least what the guard must say though something it needs is not known.
const WITHOUT: &[(&str, &str, &str, &str, Verdict)] = &[
    ("builtin-001", r#"{"agents":{"main":{"budget":{"tokens":9}}}}"#, "$ls", "lost", Verdict::Ask),
    ("builtin-003", r#"{"agents":{"main":{"scope":{"write":["src/**"]}}}}"#, UNKNOWN, "", Verdict::Block),
    ("builtin-004", r#"{"agents":{"main":{"tools":[]}}}"#, "New", "", Verdict::Block),
    ("tool-order", r#"{"agents":{"main":{"after":{"Bash":"Plan"}}}}"#, "$ls", "", Verdict::Block),
    ("read-before-write", r#"{"agents":{"main":{"read_before_write":true}}}"#, ">a", "", Verdict::Ask),
    ("completion", r#"{"agents":{"main":{"completion":{"files":"a"}}}}"#, "Stop", "", Verdict::Block),
    ("tool-verification", r#"{"verification":{}}"#, "mcp__a__b", "", Verdict::Block),
    ("safety-001", r#"{"category_guardrails":{"on":"safety-001"}}"#, "$rm -rf \"$(pick)\"", "", Verdict::Ask),
    ("safety-004", r#"{"category_guardrails":{"on":"safety-004"}}"#, UNKNOWN, "", Verdict::Ask),
    (
        "quality-003",
        r#"{"category_guardrails":{"on":"quality-003"}}"#,
        "$git commit",
        "changed",
        Verdict::Ask,
    ),
    (
        "quality-004",
        r#"{"category_guardrails":{"on":"quality-004"}}"#,
        "$git commit",
        "changed",
        Verdict::Warn,
    ),
    ("compliance-001", r#"{"category_guardrails":{"on":"compliance-001"}}"#, ">a", "locked", Verdict::Block),
    (
        "compliance-002",
        r#"{"category_guardrails":{"on":"compliance-002"}}"#,
        "$git merge x",
        "",
        Verdict::Ask,
    ),
    ("compliance-003", r#"{"category_guardrails":{"on":"compliance-003"}}"#, "$git commit", "", Verdict::Ask),
    ("budget-001", r#"{"category_guardrails":{"budget-001":{"limit":9}}}"#, "$ls", "lost", Verdict::Ask),
    ("budget-004", r#"{"category_guardrails":{"budget-004":{"cents":9}}}"#, "$ls", "lost", Verdict::Ask),
    (
        "scope-002",
        r#"{"category_guardrails":{"scope-002":{"write":["src/**"]}}}"#,
        UNKNOWN,
        "",
        Verdict::Block,
    ),
    ("scope-003", r#"{"agents":{"main":{"capabilities":[]}}}"#, UNKNOWN, "", Verdict::Block),
    ("scope-004", r#"{"agents":{"main":{"autonomy":1}}}"#, UNKNOWN, "", Verdict::Ask),
    ("handoff", r#"{"handoff":{"known_receivers":true}}"#, "Task", "", Verdict::Block),
    ("risk-critical", r#"{"risk":"critical"}"#, "New", "", Verdict::Ask),
];

/// Where this writes cannot be told.
const UNKNOWN: &str = "$touch \"$(pick)\"";

fn called(what: &str) -> Event {
    match (what.strip_prefix('$'), what.strip_prefix('>'), what) {
        (Some(command), ..) => shell(command),
        (_, Some(path), _) => file(Access::Write, path),
        (.., "Stop") => Event { kind: EventKind::Stop, ..call("Stop", Kind::Stop, json!({})) },
        (.., "Task") => call("Task", Kind::Handoff, json!({})),
        (.., "mcp__a__b") => {
            call(what, Kind::Mcp { server: "a".to_owned(), tool: "b".to_owned() }, json!({}))
        }
        _ => call(what, Kind::Other, json!({})),
    }
}

fn odd(what: &str) -> Session {
    let mut session = Session::new("s");
    session.spent.lost = what == "lost";
    if what == "changed" {
        session.marks.insert("changed".to_owned(), toolgate_core::Mark::default());
    }
    if what == "locked" {
        let (path, session_id, agent) = ("/project/a".to_owned(), "x".to_owned(), "a".to_owned());
        session.locks.push(Lock { path, session: session_id, agent, time_ms: 0 });
    }
    session
}

/// Guards that need nothing but the call and the policy, or for which "not known" is the ordinary case: a session
/// nothing failed in, a file nobody changed.
const NEED_NOTHING: &[&str] = &[
    "gate-canary",
    "gate-self-protection",
    // Without a folder to look at, no start of an agent is guarded or unguarded.
    "agent-hooks",
    // Where no list of a server was seen, `tool-verification` decides.
    "tool-pin",
    "builtin-002",
    "budget-limits",
    "installation_prevention",
    "filesystem_safety",
    "network_operations",
    "escalation-trap",
    "error-recovery",
    "safety-002",
    "compliance-004",
    "budget-002",
    "budget-003",
    "scope-001",
];

#[test]
fn what_is_not_known_is_not_harmless() {
    for guard in built_in() {
        let listed = WITHOUT.iter().any(|row| row.0 == guard.id()) || NEED_NOTHING.contains(&guard.id());
        assert!(listed, "`{}` is not in the table", guard.id());
    }
    for (id, said, what, session, least) in WITHOUT {
        let policy = policy(&serde_json::from_str(said).unwrap());
        let decision = decide_in(&policy, &called(what), &odd(session));
        let own = decision.findings.iter().find(|finding| finding.guard == *id);
        let own = own.unwrap_or_else(|| panic!("`{id}` says nothing: {:?}", decision.findings));
        assert!(own.outcome.verdict() >= *least, "{id}: {own:?}");
    }
}

/// Sections that object to some of [`COMMANDS`].
fn sections() -> Vec<Value> {
    let guardrail = |id: &str, check: &str, action: &str, priority: u32| json!({ "guardrails": [{ "id": id, "type": "pre_execution", "priority": priority, "validation": { "check": check, "action_on_fail": action } }] });
    let rule = |id: &str, kind: &str, program: &str, priority: u32| json!({ "rules": [{ "id": id, "kind": kind, "priority": priority, "match": { "command": { "program": program } }, "reason": id }] });
    vec![
        json!({ "category_guardrails": { "on": ["safety"] } }),
        json!({ "category_guardrails": { "on": ["compliance", "scope"] } }),
        json!({ "category_guardrails": { "on": ["quality", "budget"], "budget-001": { "limit": 100 } } }),
        json!({ "risk": "low" }),
        json!({ "risk": "critical" }),
        json!({ "agents": { "main": { "scope": { "write": ["src/**"] } } } }),
        json!({ "agents": { "main": { "tools": ["Bash"], "capabilities": ["read", "run"] } } }),
        json!({ "agents": { "*": { "autonomy": 1, "budget": { "calls": 50, "tokens": 100 } } } }),
        guardrail("custom-a-001", "action.program != 'git'", "warn", 100),
        guardrail("custom-a-002", "session.calls < 30", "ask", 120),
        guardrail("custom-a-003", "action.type != 'file_write'", "block", 150),
        guardrail("custom-a-004", "action.program != 'make'", "log", 100),
        rule("rule-warns", "warn", "git", 110),
        rule("rule-asks", "ask", "make", 105),
        rule("rule-stops", "block", "touch", 130),
        rule("rule-approves", "approve", "ls", 100),
        json!({ "handoff": { "payload": ["context"] } }),
        json!({ "errors": {} }),
    ]
}

const COMMANDS: &[&str] = &[
    "ls",
    "make",
    "git commit -m x",
    "git push",
    "touch src/a",
    "touch /etc/x",
    "rm -rf src",
    "cat .env",
    "sudo make",
];

/// One layer a section, highest first.
fn built(chosen: &[usize]) -> Policy {
    let all = sections();
    let layers: Vec<_> =
        chosen.iter().map(|at| layer(Layer::User, &format!("{at}.yaml"), &all[*at])).collect();
    compile(&merge(&layers)).unwrap()
}

fn session(calls: u64, tokens: u64) -> Session {
    let mut session = Session { calls, ..Session::new("s") };
    session.spent.tokens = tokens;
    session
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn one_more_guard_never_loosens_a_verdict(
        chosen in proptest::sample::subsequence((0..18).collect::<Vec<usize>>(), 0..8),
        more in 0..18_usize,
        command in 0..COMMANDS.len(),
        calls in 0..60_u64,
        tokens in 0..120_u64,
    ) {
        let event = shell(COMMANDS[command]);
        let session = session(calls, tokens);
        let before = decide_in(&built(&chosen), &event, &session).verdict;
        let wider: Vec<usize> = chosen.iter().copied().chain([more]).collect();
        let after = decide_in(&built(&wider), &event, &session).verdict;
        prop_assert!(after >= before, "{chosen:?} + {more}: {before:?} became {after:?}");
    }

    #[test]
    fn the_order_of_guards_does_not_change_a_verdict(
        chosen in proptest::sample::subsequence((0..18).collect::<Vec<usize>>(), 1..10).prop_shuffle(),
        command in 0..COMMANDS.len(),
        calls in 0..60_u64,
        tokens in 0..120_u64,
    ) {
        let event = shell(COMMANDS[command]);
        let session = session(calls, tokens);
        let mut sorted = chosen.clone();
        sorted.sort_unstable();
        let one = decide_in(&built(&chosen), &event, &session).verdict;
        let other = decide_in(&built(&sorted), &event, &session).verdict;
        prop_assert_eq!(one, other);
    }
}
