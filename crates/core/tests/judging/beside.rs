//! Guidance beside the work, and when an agent is done (S3-09 to S3-25).

use crate::stage::{call, layer, shell};
use serde_json::{Value, json};
use toolgate_core::{
    Completion, Disk, Kind, Layer, Mark, Policy, Session, advice_mark, compile, feedback, feedback_asks,
    merge,
};

fn policy(agent: &Value) -> Policy {
    compile(&merge(&[layer(Layer::Project, "test.yaml", &json!({ "agents": { "main": agent } }))])).unwrap()
}

/// Who spoke when: name, calls by then, seconds by then.
type Spoke<'a> = (&'a str, u64, i64);

#[track_caller]
fn check(agent: &Value, calls: u64, seconds: i64, spoke: &[Spoke<'_>], files: &[&str], expected: &[&str]) {
    let policy = policy(agent);
    let call = shell("ls").call;
    let asked = feedback_asks(&call, policy.settings());
    let mut session = Session { calls, started_ms: Some(0), ..Session::new("s") };
    for (name, call, seconds) in spoke {
        let mark = Mark { count: 1, seq: 1, call: *call, time_ms: seconds * 1000 };
        session.marks.insert((*name).to_owned(), mark);
    }
    assert!(session.marks.keys().all(|key| asked.contains(key)), "{asked:?}");
    let is_there = |name: &str| Some(files.contains(&name));
    let said = feedback(
        &call,
        policy.settings(),
        &session,
        seconds * 1000,
        Disk { is_there: &is_there, ..Disk::BLIND },
    );
    let said: Vec<String> =
        said.iter().map(|advice| format!("{:?} {}", advice.urgency, advice.text.trim())).collect();
    assert_eq!(said, expected, "{agent}");
}

#[test]
fn each_speaks_at_its_own_pace() {
    let every = json!({ "feedback": [{ "name": "A", "text": "a", "every_calls": 3 }] });
    let a = advice_mark("A");
    check(&every, 2, 0, &[], &[], &[]);
    check(&every, 3, 0, &[], &[], &["Info a"]);
    check(&every, 5, 0, &[(&a, 3, 0)], &[], &[]);
    check(&every, 6, 0, &[(&a, 3, 0)], &[], &["Info a"]);
    let seconds =
        json!({ "feedback": [{ "name": "A", "text": "a", "every_seconds": 60, "urgency": "caution" }] });
    check(&seconds, 1, 0, &[], &[], &["Caution a"]);
    check(&seconds, 9, 69, &[(&a, 1, 10)], &[], &[]);
    check(&seconds, 9, 70, &[(&a, 1, 10)], &[], &["Caution a"]);
    let both = json!({ "feedback": [
        { "name": "A", "text": "a", "every_calls": 100, "every_seconds": 60 },
        { "name": "B", "text": "b", "every_calls": 1 },
        { "name": "C", "text": "c" },
        { "name": "B", "text": "a second B is not heard", "every_calls": 1 }
    ] });
    check(&both, 1, 0, &[], &[], &["Info a", "Info b"]);
}

#[test]
fn a_file_makes_it_speak_once() {
    let agent = json!({ "feedback": [{ "name": "A", "text": "read the plan", "on_file": "plan.md" }] });
    check(&agent, 1, 0, &[], &[], &[]);
    check(&agent, 1, 0, &[], &["plan.md"], &["Info read the plan"]);
    check(&agent, 9, 9, &[("advice-file A plan.md", 1, 0)], &["plan.md"], &[]);
}

#[test]
fn a_deadline_grows_urgent() {
    let agent = json!({ "deadline_minutes": 10, "feedback": [{ "name": "Deadline", "deadline": 120, "every_calls": 1 }] });
    check(
        &agent,
        1,
        300,
        &[],
        &[],
        &["Info The work so far took 5 minutes. You have 5 minutes remaining to complete the task."],
    );
    check(
        &agent,
        1,
        480,
        &[],
        &[],
        &["Warning The work so far took 8 minutes. You have 2 minutes remaining to complete the task."],
    );
    check(
        &agent,
        1,
        555,
        &[],
        &[],
        &["Warning The work so far took 9 minutes. You have 45 seconds remaining to complete the task."],
    );
    check(
        &agent,
        1,
        661,
        &[],
        &[],
        &["Warning The work so far took 11 minutes. The time for this task is used up."],
    );
    check(&json!({ "feedback": [{ "name": "D", "deadline": 120, "every_calls": 1 }] }), 1, 0, &[], &[], &[]);
}

#[track_caller]
fn check_done(completion: &Value, fresh: &[&str], files: &[&str], expected: Option<&str>) {
    let completion: Completion = serde_json::from_value(completion.clone()).unwrap();
    let fresh = fresh.iter().map(|one| (*one).to_owned()).collect();
    let session = Session { fresh, ..Session::new("s") };
    let is_there = |name: &str| Some(files.contains(&name));
    let disk = Disk { is_there: &is_there, ..Disk::BLIND };
    assert_eq!(completion.missing(&session, disk).as_deref(), expected);
}

#[test]
fn done_means_what_the_policy_says() {
    check_done(&json!({}), &[], &[], None);
    let files = json!({ "files": ["a", "b", "c", "d"] });
    check_done(&files, &[], &["a", "b", "c", "d"], None);
    check_done(&files, &[], &["a", "c", "d"], Some("1 file is missing: b"));
    check_done(&files, &[], &[], Some("4 files are missing: a, b, c, …"));
    let ran = json!({ "ran": "cargo test" });
    check_done(&ran, &["cargo test --workspace"], &[], None);
    check_done(&ran, &["cargo tester"], &[], Some("`cargo test` has not succeeded since the last change"));
    let any = json!({ "any": [{ "files": "a" }, { "files": "b" }] });
    check_done(&any, &[], &["b"], None);
    check_done(&any, &[], &[], Some("1 file is missing: a; or 1 file is missing: b"));
    let all = json!({ "all": [{ "files": "a" }, { "ran": "make" }] });
    check_done(&all, &[], &["a"], Some("`make` has not succeeded since the last change"));
    check_done(&all, &["make"], &["a"], None);
    let unknown: Completion = serde_json::from_value(json!({ "files": "a" })).unwrap();
    assert!(unknown.missing(&Session::new("s"), Disk::BLIND).is_some(), "what cannot be told is missing");
}

#[test]
fn only_the_main_agent_is_held_and_only_in_time() {
    let policy = policy(&json!({ "deadline_minutes": 1, "completion": { "files": "a" } }));
    let mut stop = call("Stop", Kind::Stop, json!({}));
    stop.kind = toolgate_core::EventKind::Stop;
    let judged = |event: &toolgate_core::Event, started: i64| {
        let session = Session { started_ms: Some(started), ..Session::new("s") };
        crate::stage::decide_in(&policy, event, &session).verdict.name()
    };
    assert_eq!(judged(&stop, 0), "block");
    assert_eq!(judged(&stop, -60_000), "allow", "the time is over");
    stop.call.agent = "sub-1".to_owned();
    assert_eq!(judged(&stop, 0), "allow");
}
