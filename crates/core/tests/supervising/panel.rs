//! Whom to ask next, and what answers come to.

use crate::stage::said;
use Judgement::{Approve, Delay, Escalate, Modify, Reject};
use toolgate_core::{
    Candidate, Consulted, Health, Judgement, Panel, PanelReply, PanelStep, Reviewed, Settled, Supervisor,
    SupervisorRole, Together, in_asking_order,
};

fn candidate(name: &str) -> Candidate {
    Candidate {
        name: name.to_owned(),
        role: SupervisorRole::Reviewer,
        limit_ms: 10_000,
        health: Health::default(),
        away: false,
    }
}

fn asked(at_ms: i64, question: &str) -> Consulted {
    Consulted {
        request: "r".to_owned(),
        supervisor: "a".to_owned(),
        question: question.to_owned(),
        until_ms: at_ms + 10_000,
        cost_cents: 2,
    }
}

fn reviewed(question: &str, decision: Option<Judgement>, duration_ms: u64) -> Reviewed {
    Reviewed {
        request: "r".to_owned(),
        supervisor: "a".to_owned(),
        question: question.to_owned(),
        decision,
        confidence_percent: 90,
        reasons: Vec::new(),
        alternatives: Vec::new(),
        uncertainty: String::new(),
        instead: None,
        missing: None,
        duration_ms,
        cost_cents: 2,
    }
}

/// A failed question at that time.
fn failed(health: Health, at_ms: i64) -> Health {
    health.after_question(&asked(at_ms, "q"), at_ms).after_answer(&reviewed("q", None, 100), at_ms)
}

/// Plays answers in the order of names a, b, c: `None` is no answer.
fn outcome(together: Together, answers: &[Option<(Judgement, u8)>]) -> Settled {
    let names = ["a", "b", "c", "d", "e"];
    let all = names.iter().take(answers.len()).map(|name| candidate(name)).collect();
    let mut panel = Panel::new(together, 70, 20_000, all);
    for _ in 0..20 {
        match panel.next(5) {
            PanelStep::Done(settled) => return settled,
            PanelStep::Ask(name) => panel.asked(&name, 5),
            PanelStep::Wait { .. } => {
                // The first who waits answers.
                let at = names.iter().position(|name| !panel_came(&panel, name)).unwrap();
                let came = answers[at]
                    .map_or(PanelReply::None, |(what, sure)| PanelReply::Opinion(said(what, sure)));
                panel.record(names[at], came, 5);
                CAME.with(|list| list.borrow_mut().push(names[at]));
            }
        }
    }
    panic!("the panel does not come to an end")
}

thread_local! {
    static CAME: std::cell::RefCell<Vec<&'static str>> = const { std::cell::RefCell::new(Vec::new()) };
}

fn panel_came(_: &Panel, name: &str) -> bool {
    CAME.with(|list| list.borrow().contains(&name))
}

#[track_caller]
fn check(together: Together, answers: &[Option<(Judgement, u8)>], expected: &str) {
    CAME.with(|list| list.borrow_mut().clear());
    let found = match outcome(together, answers) {
        Settled::Approved { by } => format!("yes by {}", by.join(",")),
        Settled::Rejected { by } => format!("no by {}", by.join(",")),
        Settled::Modified { by } => format!("changed by {by}"),
        Settled::Person => "person".to_owned(),
    };
    assert_eq!(found, expected, "{together:?} {answers:?}");
}

/// S1-08, S1-25: low sureness, "ask somebody else", no answer: the next, then a person.
#[test]
fn the_first_that_is_sure_decides() {
    let one = |answers: &[Option<(Judgement, u8)>], expected: &str| {
        check(Together::FirstConfident, answers, expected);
    };
    one(&[], "person");
    one(&[Some((Approve, 70))], "yes by a");
    one(&[Some((Approve, 69))], "person");
    one(&[None], "person");
    one(&[Some((Reject, 90)), Some((Approve, 99))], "no by a");
    one(&[Some((Reject, 50)), Some((Approve, 99))], "yes by b");
    one(&[None, Some((Reject, 80))], "no by b");
    one(&[Some((Escalate, 100)), Some((Delay, 100)), Some((Approve, 100))], "yes by c");
    one(&[Some((Escalate, 100)), Some((Delay, 100))], "person");
    one(&[Some((Modify, 80))], "changed by a");
    one(&[Some((Modify, 60)), None], "person");
}

/// S1-23: several on one decision.
#[test]
fn several_decide_together() {
    let most = |answers: &[Option<(Judgement, u8)>], expected: &str| {
        check(Together::Majority, answers, expected);
    };
    most(&[Some((Approve, 90)), Some((Approve, 90)), Some((Reject, 90))], "yes by a,b");
    most(&[Some((Reject, 90)), Some((Approve, 90)), Some((Reject, 90))], "no by a,c");
    most(&[Some((Approve, 90)), None, None], "person");
    most(&[Some((Approve, 90)), Some((Approve, 60)), None], "person");
    most(&[Some((Approve, 90)), Some((Reject, 90))], "person");
    most(&[Some((Approve, 90)), Some((Modify, 90)), Some((Escalate, 90))], "person");
    let all = |answers: &[Option<(Judgement, u8)>], expected: &str| {
        check(Together::Unanimous, answers, expected);
    };
    all(&[Some((Approve, 90)), Some((Approve, 90))], "yes by a,b");
    all(&[Some((Approve, 90)), None], "person");
    all(&[Some((Approve, 90)), Some((Approve, 10))], "person");
    all(&[Some((Approve, 90)), Some((Reject, 90))], "no by b");
    all(&[], "person");
}

#[test]
fn the_next_is_asked_when_the_first_is_slow() {
    let mut panel = Panel::new(Together::FirstConfident, 70, 20_000, vec![candidate("a"), candidate("b")]);
    assert_eq!(panel.next(0), PanelStep::Ask("a".to_owned()));
    panel.asked("a", 0);
    assert_eq!(panel.next(1), PanelStep::Wait { until_ms: 2_000 });
    assert_eq!(panel.next(1_999), PanelStep::Wait { until_ms: 2_000 });
    assert_eq!(panel.next(2_000), PanelStep::Ask("b".to_owned()));
    panel.asked("b", 2_000);
    assert_eq!(panel.next(2_001), PanelStep::Wait { until_ms: 10_000 });
    // The slow one may still be first.
    panel.record("a", PanelReply::Opinion(said(Approve, 90)), 3_000);
    assert_eq!(panel.next(3_000), PanelStep::Done(Settled::Approved { by: vec!["a".to_owned()] }));
}

#[test]
fn what_comes_too_late_never_counts() {
    let late = |limit_ms: u64, at_ms: u64| {
        let mut panel = Panel::new(Together::FirstConfident, 70, limit_ms, vec![candidate("a")]);
        panel.asked("a", 0);
        panel.record("a", PanelReply::Opinion(said(Approve, 100)), at_ms);
        panel.next(at_ms)
    };
    assert_eq!(late(20_000, 9_999), PanelStep::Done(Settled::Approved { by: vec!["a".to_owned()] }));
    assert_eq!(late(20_000, 10_000), PanelStep::Done(Settled::Person), "its own time");
    assert_eq!(late(3_000, 3_000), PanelStep::Done(Settled::Person), "everybody's time");
    let mut panel = Panel::new(Together::FirstConfident, 70, 3_000, vec![candidate("a")]);
    panel.asked("a", 0);
    assert_eq!(panel.next(3_000), PanelStep::Done(Settled::Person));
    assert_eq!(panel.overdue(2_999), Vec::<String>::new());
    assert_eq!(panel.overdue(3_000), ["a"]);
    // The first word of each counts.
    panel.record("a", PanelReply::None, 100);
    panel.record("a", PanelReply::Opinion(said(Approve, 100)), 101);
    assert_eq!(panel.next(102), PanelStep::Done(Settled::Person));
}

/// S1-07: role first, then who is least busy, fastest and most reliable.
#[test]
fn the_order_balances_the_load() {
    let order = |all: Vec<Candidate>| -> Vec<String> {
        in_asking_order(all, 1_000).into_iter().map(|one| one.name).collect()
    };
    let with = |name: &str, health: Health| Candidate { health, ..candidate(name) };
    let fast = Health { latency_ms: 200, ..Health::default() };
    let slow = Health { latency_ms: 4_000, ..Health::default() };
    let busy = Health { outstanding: vec![("q".to_owned(), 9_000); 9], ..fast.clone() };
    let stale = Health { outstanding: vec![("q".to_owned(), 900); 9], ..fast.clone() };
    let shaky = Health { failed_in_row: 2, ..fast.clone() };
    assert_eq!(order(vec![candidate("b"), candidate("a")]), ["a", "b"]);
    assert_eq!(order(vec![with("a", slow.clone()), with("b", fast.clone())]), ["b", "a"]);
    assert_eq!(order(vec![with("a", busy), with("b", fast.clone())]), ["b", "a"]);
    assert_eq!(order(vec![with("a", stale), with("b", fast.clone())]), ["a", "b"], "nobody waits for them");
    assert_eq!(order(vec![with("a", shaky), with("b", fast.clone())]), ["b", "a"]);
    let architect = Candidate { role: SupervisorRole::Architect, ..with("a", fast) };
    assert_eq!(order(vec![architect, with("z", slow)]), ["z", "a"]);
}

#[test]
fn after_failures_it_is_left_alone_and_then_tried_once() {
    let mut health = Health::default();
    for at in 0..3 {
        assert!(!health.is_open(at), "{at}");
        health = failed(health, at);
    }
    assert!(health.is_open(3) && health.is_open(30_001));
    assert!(!health.is_open(30_002), "its time is over");
    // One question tries it; the others wait for how that comes out.
    let tried = health.clone().after_question(&asked(40_000, "q9"), 40_000);
    assert!(tried.is_open(40_001));
    let back = tried.clone().after_answer(&reviewed("q9", Some(Escalate), 50), 41_000);
    assert!(!back.is_open(41_001) && back.failed_in_row == 0);
    let again = tried.after_answer(&reviewed("q9", None, 50), 41_000);
    assert!(again.is_open(41_000 + 59_999) && !again.is_open(41_000 + 60_000), "twice as long");
    let worse = (0..40).fold(again, |health, at| failed(health, 50_000 + at));
    assert!(!worse.is_open(50_040 + 15 * 60_000), "never longer than a quarter of an hour");
    // An end no clock of ours can have written is none.
    let odd = Health { open_until_ms: i64::MAX, ..Health::default() };
    assert!(!odd.is_open(0));
}

#[test]
fn a_day_has_its_budget() {
    let supervisor: Supervisor = serde_json::from_value(serde_json::json!({
        "endpoint": "command", "command": "x", "cost_cents": 2, "budget_cents": 5
    }))
    .unwrap();
    let noon = 86_400_000 * 3 + 1;
    let mut health = Health::default();
    for question in ["q1", "q2"] {
        assert!(health.can_afford(&supervisor, noon), "{question}");
        health = health.after_question(&asked(noon, question), noon);
    }
    assert!(!health.can_afford(&supervisor, noon), "two and two are four, and two more are six");
    assert!(!health.can_afford(&supervisor, noon - 86_400_000), "a clock set back gives nothing");
    assert!(health.can_afford(&supervisor, noon + 86_400_000));
}

/// S1-22, S1-24: who mostly disagrees with people no longer decides.
#[test]
fn one_that_drifts_from_people_is_not_asked() {
    let play = |words: &[bool]| words.iter().fold(Health::default(), |health, one| health.after_person(*one));
    assert!(!play(&[false; 7]).drifts(), "too few to say");
    assert!(play(&[false; 8]).drifts());
    assert!(!play(&[true, false, true, false, true, false, true, false]).drifts());
    assert_eq!(play(&[true, true, false]).agreement(), (2, 3));
    let long: Vec<bool> = [vec![false; 40], vec![true; 32]].concat();
    assert_eq!(play(&long).agreement(), (32, 32), "only the last ones count");
    let drifting = Candidate { health: play(&[false; 9]), ..candidate("a") };
    assert!(in_asking_order(vec![drifting], 0)[0].away);
}

/// Whoever is left alone still counts: what needs all does not get easier when one is missing.
#[test]
fn one_that_is_missing_makes_no_yes_easier() {
    let broken = Candidate { health: (0..3).fold(Health::default(), failed_at), ..candidate("b") };
    for together in [Together::Majority, Together::Unanimous] {
        let mut panel =
            Panel::new(together, 70, 20_000, in_asking_order(vec![broken.clone(), candidate("a")], 5));
        assert_eq!(panel.next(0), PanelStep::Ask("a".to_owned()), "{together:?}");
        panel.asked("a", 0);
        panel.record("a", PanelReply::Opinion(said(Approve, 100)), 1);
        assert_eq!(panel.next(1), PanelStep::Done(Settled::Person), "{together:?}");
    }
    let mut panel = Panel::new(Together::FirstConfident, 70, 20_000, in_asking_order(vec![broken], 5));
    assert_eq!(panel.next(0), PanelStep::Done(Settled::Person));
    panel.record("b", PanelReply::Opinion(said(Approve, 100)), 1);
    assert_eq!(panel.next(1), PanelStep::Done(Settled::Person));
}

fn failed_at(health: Health, at_ms: i64) -> Health {
    failed(health, at_ms)
}
