//! Past a guardrail that allows it: asked with a reason, answered by a person, for one call (S2-37, S2-46, S2-47).

use crate::answer::Answer;
use crate::house::{House, Said};
use crate::review::{PASSPHRASE, answer, state};
use serde_json::{Value, json};

const POLICY: &str = "version: 1
review: { delivery: ticket }
guardrails:
  - id: custom-scope-001
    description: Tests are for the test writer.
    type: pre_execution
    condition: { expression: \"action.type == 'file_write'\" }
    validation: { check: \"action.target does not match '**/test_*'\" }
    bypass: { allowed: true, requires_approval: architect }
  - id: custom-scope-002
    type: pre_execution
    condition: { expression: \"action.program == 'make'\" }
    validation: { check: \"false\" }
  - id: custom-scope-003
    type: pre_execution
    condition: { expression: \"action.type == 'file_write'\" }
    validation: { check: \"action.target does not match '**/test_asked*'\", action_on_fail: escalate }
";

const REASON: &str = "the test must follow the renamed function";

fn house() -> House {
    let house = House::bare(POLICY);
    house.run_with(&["approver", "set", "--passphrase-stdin"], PASSPHRASE).ended(0);
    house
}

fn write(house: &House, path: &str) -> Value {
    let mut event = house.call("true");
    event["tool_name"] = json!("Write");
    event["tool_input"] = json!({ "file_path": house.project().join(path), "content": "x" });
    event
}

/// The call a block names.
#[track_caller]
fn named(answer: &Answer) -> String {
    let rest = answer.text().split("--call ").nth(1).unwrap_or_else(|| panic!("no way past in {answer:?}"));
    rest.split(' ').next().unwrap().to_owned()
}

fn ask(house: &House, guardrail: &str, call: &str, reason: &str) -> Said {
    let args = ["bypass", "request", guardrail, "--call", call, "--reason", reason, "--json"];
    house.run_as_agent(&args)
}

fn id(said: &Said) -> String {
    serde_json::from_str::<Value>(&said.text()).unwrap()["id"].as_str().unwrap().to_owned()
}

#[test]
fn a_blocked_call_runs_once_when_its_role_says_yes() {
    let house = house();
    let blocked = house.ask_event(&write(&house, "test_a.py"));
    assert!(
        blocked.text().contains("if architect approves it: `toolgate bypass request custom-scope-001"),
        "{blocked:?}"
    );
    let call = named(&blocked);
    let request = id(&ask(&house, "custom-scope-001", &call, REASON).ended(0));
    assert_eq!(
        id(&ask(&house, "custom-scope-001", &call, REASON).ended(0)),
        request,
        "one question, asked once"
    );
    let shown = house.run(&["inbox", "show", &request]).ended(0).text();
    assert!(shown.contains(REASON) && shown.contains("needs architect"), "{shown}");
    assert!(shown.contains("\"content\": \"x\""), "the whole call: {shown}");
    assert!(house.ask_event(&write(&house, "test_a.py")).is_no(), "asking is no answer");
    answer(&house, "approve", &request, PASSPHRASE).ended(0);
    assert!(house.ask_event(&write(&house, "test_b.py")).is_no(), "another call");
    let mut elsewhere = write(&house, "test_a.py");
    elsewhere["session_id"] = json!("another");
    assert!(house.ask_event(&elsewhere).is_no(), "another session");
    assert!(!house.ask_event(&write(&house, "test_a.py")).is_no());
    assert_eq!(state(&house, &request), "used");
    assert!(house.ask_event(&write(&house, "test_a.py")).is_no(), "once");
    let kept = format!("{:?}", house.records());
    assert!(kept.contains("bypassed once, approved by") && kept.contains(REASON), "{kept}");
    let listed = house.run(&["bypass", "list"]).ended(0).text();
    assert!(listed.contains(&request) && listed.contains("used"), "{listed}");
    house.run(&["ledger", "verify"]).ended(0);
}

/// A better reason takes the place of the one before: whoever decides is shown the last word, and a reason that says
/// nothing blocks none that says something.
#[test]
fn another_reason_is_another_question() {
    let house = house();
    let call = named(&house.ask_event(&write(&house, "test_a.py")));
    let first = id(&ask(&house, "custom-scope-001", &call, "please please please please").ended(0));
    let second = id(&ask(&house, "custom-scope-001", &call, REASON).ended(0));
    assert_ne!(first, second);
    assert_eq!((state(&house, &first), state(&house, &second)), ("expired".to_owned(), "pending".to_owned()));
    answer(&house, "approve", &first, PASSPHRASE).ended(1);
    answer(&house, "approve", &second, PASSPHRASE).ended(0);
    assert!(!house.ask_event(&write(&house, "test_a.py")).is_no());
    house.run(&["ledger", "verify"]).ended(0);
}

/// Each question calls people, so an agent cannot put it anew for ever.
#[test]
fn a_request_makes_way_a_few_times_and_then_stands() {
    let house = house();
    let call = named(&house.ask_event(&write(&house, "test_a.py")));
    let reason = |number: u32| format!("{REASON}, said for the {number}. time");
    let mut last = id(&ask(&house, "custom-scope-001", &call, REASON).ended(0));
    for number in 1..=3 {
        let next = id(&ask(&house, "custom-scope-001", &call, &reason(number)).ended(0));
        assert_ne!(next, last);
        assert_eq!(
            (state(&house, &last), state(&house, &next)),
            ("expired".to_owned(), "pending".to_owned())
        );
        last = next;
    }
    let before = house.records().len();
    for number in [4, 5] {
        let said = ask(&house, "custom-scope-001", &call, &reason(number)).ended(1);
        assert!(said.err.contains(&format!("already requested 3 times ({last})")), "{}", said.err);
    }
    assert_eq!(
        id(&ask(&house, "custom-scope-001", &call, &reason(3)).ended(0)),
        last,
        "the same is no new one"
    );
    assert_eq!(house.records().len(), before + 1, "who repeats it is noted, and nothing else");
    let listed = house.run(&["bypass", "list"]).ended(0).text();
    assert!(listed.starts_with(&last) && listed.lines().count() == 4, "the newest first: {listed}");
    let other = named(&house.ask_event(&write(&house, "test_b.py")));
    ask(&house, "custom-scope-001", &other, REASON).ended(0);
    answer(&house, "approve", &last, PASSPHRASE).ended(0);
    let said = ask(&house, "custom-scope-001", &call, REASON).ended(1);
    assert!(said.err.contains(&format!("{last} is already approved")), "{}", said.err);
    assert!(!house.ask_event(&write(&house, "test_a.py")).is_no());
    id(&ask(&house, "custom-scope-001", &call, REASON).ended(0));
    house.run(&["ledger", "verify"]).ended(0);
}

/// Asking on does not undo a no: a better reason may be given, the same one not, and no emergency is made of it.
#[test]
fn after_a_no_only_something_new_is_asked() {
    let house = house();
    let call = named(&house.ask_event(&write(&house, "test_a.py")));
    let first = id(&ask(&house, "custom-scope-001", &call, REASON).ended(0));
    let no = ["inbox", "deny", &first, "--words", "which function?", "--passphrase-stdin"];
    house.run_with(&no, PASSPHRASE).ended(0);
    let same = ask(&house, "custom-scope-001", &call, REASON).ended(1);
    assert!(same.err.contains(&format!("ada denied {first}: which function?")), "{}", same.err);
    let better = "the test must follow parse_line, which is parse_row now";
    let second = id(&ask(&house, "custom-scope-001", &call, better).ended(0));
    assert_eq!((state(&house, &first), state(&house, &second)), ("denied".to_owned(), "pending".to_owned()));
    let haste = ["--call", &call, "--reason", better, "--urgency", "emergency"];
    let args: Vec<&str> = ["bypass", "request", "custom-scope-001"].into_iter().chain(haste).collect();
    let refused = house.run_as_agent(&args).ended(1);
    assert!(refused.err.contains(&format!("ada denied {first}")), "{}", refused.err);
    assert_eq!(state(&house, &second), "pending");
    answer(&house, "approve", &second, PASSPHRASE).ended(0);
    assert!(!house.ask_event(&write(&house, "test_a.py")).is_no());
    house.run(&["ledger", "verify"]).ended(0);
}

#[test]
fn a_no_and_an_empty_reason_open_nothing() {
    let house = house();
    let call = named(&house.ask_event(&write(&house, "test_a.py")));
    for reason in ["", "please", "because because", "needed now!"] {
        assert!(
            ask(&house, "custom-scope-001", &call, reason).ended(1).err.contains("is too short"),
            "{reason}"
        );
    }
    assert!(ask(&house, "custom-scope-002", &call, REASON).ended(1).err.contains("cannot be bypassed"));
    assert!(ask(&house, "custom-scope-009", &call, REASON).ended(1).err.contains("unknown guardrail"));
    assert!(
        ask(&house, "custom-scope-001", "00000000", REASON).ended(1).err.contains("has not blocked a call")
    );
    let made = house.ask("make");
    assert!(made.is_no() && !made.text().contains("bypass"), "{made:?}");
    let request = id(&ask(&house, "custom-scope-001", &call, REASON).ended(0));
    answer(&house, "deny", &request, PASSPHRASE).ended(0);
    assert!(house.ask_event(&write(&house, "test_a.py")).is_no());
    house.run(&["ledger", "verify"]).ended(0);
}

/// A yes past one guardrail is no yes to what another asks.
#[test]
fn what_others_object_to_is_still_asked() {
    let house = house();
    let call = named(&house.ask_event(&write(&house, "test_asked.py")));
    let request = id(&ask(&house, "custom-scope-001", &call, REASON).ended(0));
    answer(&house, "approve", &request, PASSPHRASE).ended(0);
    let asked = house.ask_event(&write(&house, "test_asked.py"));
    assert!(asked.text().contains("custom-scope-003"), "{asked:?}");
    assert_eq!(state(&house, &request), "approved", "not used up by a call that did not run");
    answer(&house, "approve", &asked.request(), PASSPHRASE).ended(0);
    assert!(!house.ask_event(&write(&house, "test_asked.py")).is_no());
    assert_eq!(state(&house, &request), "used");
    house.run(&["ledger", "verify"]).ended(0);
}

/// An agent may ask through its shell, and cannot answer itself.
#[test]
fn asking_is_open_to_agents() {
    let house = house();
    assert!(
        !house
            .ask("toolgate bypass request custom-scope-001 --call 0123456789ab --reason 'a b c d e f g h'")
            .is_no()
    );
    assert!(!house.ask("toolgate bypass list").is_no());
    assert!(house.ask("toolgate inbox approve r-1").is_no());
    assert!(house.ask("toolgate bypass approve r-1").is_no());
}

/// S2-57: with nothing left there is no way past.
#[test]
fn with_an_empty_budget_nothing_passes() {
    let house = house();
    let policy = format!("{POLICY}agents:\n  main: {{ budget: {{ calls: 2 }} }}\n");
    house.write(".toolgate/policy.yaml", policy);
    let call = named(&house.ask_event(&write(&house, "test_a.py")));
    house.ask("ls");
    let refused = ask(&house, "custom-scope-001", &call, REASON).ended(1);
    assert!(refused.err.contains("budget is used up"), "{}", refused.err);
}
