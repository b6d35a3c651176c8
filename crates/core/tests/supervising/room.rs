//! Which questions supervisors may answer.

use crate::stage::{asks, call, decision, finding, merged, one, supervision, with_one};
use serde_json::json;
use toolgate_core::NoticeKind;
use toolgate_core::{
    Answer, Category, Entry, EventKind, Extent, Kind, Layer, Outcome, Proof, Request, RequestState, Severity,
    Together, Word,
};

#[test]
fn only_questions_of_the_severities_left_to_them() {
    let plain = one(json!({}));
    for severity in [Severity::Low, Severity::Medium, Severity::High] {
        assert!(plain.has_room_for(&asks(severity)), "{severity:?}");
    }
    assert!(!plain.has_room_for(&asks(Severity::Critical)), "critical is for people");
    assert!(one(json!({ "supervised": ["critical"] })).has_room_for(&asks(Severity::Critical)));
    assert!(!one(json!({ "supervised": [] })).has_room_for(&asks(Severity::Low)));
    // All that decide must be in: one that is not is enough.
    let both = vec![
        finding("low", Severity::Low, Outcome::Ask),
        finding("critical", Severity::Critical, Outcome::Ask),
    ];
    assert!(!plain.has_room_for(&decision(call("x"), both)));
}

#[test]
fn never_a_block_and_never_anything_but_a_question() {
    let all = one(json!({ "supervised": ["low", "medium", "high", "critical"] }));
    for outcome in [Outcome::Block, Outcome::Check(Vec::new()), Outcome::Warn, Outcome::Pass] {
        let own = decision(call("x"), vec![finding("a", Severity::Low, outcome.clone())]);
        assert!(all.fit_for(&own).is_empty(), "{outcome:?}");
        // Nor where a question stands beside it that the other outweighs.
        let beside =
            vec![finding("a", Severity::Low, outcome.clone()), finding("b", Severity::Low, Outcome::Ask)];
        let own = decision(call("x"), beside);
        assert_eq!(!all.fit_for(&own).is_empty(), own.verdict.name() == "ask", "{outcome:?}");
    }
    let mut stop = asks(Severity::Low);
    stop.event.kind = EventKind::Stop;
    assert!(all.fit_for(&stop).is_empty());
    let mut passed = asks(Severity::Low);
    passed.bypasses = vec!["r-9".to_owned()];
    assert!(all.fit_for(&passed).is_empty(), "past a guardrail only people lead");
    let mut budget = asks(Severity::Low);
    budget.findings[0].category = Category::Budget;
    assert!(all.fit_for(&budget).is_empty(), "more budget is a person's to give");
}

#[test]
fn rules_for_people_are_for_people() {
    for (people, expected) in [("force-push", false), ("force*", false), ("other", true), ("[", false)] {
        let own = one(json!({ "people": [people] }));
        assert_eq!(own.has_room_for(&asks(Severity::Low)), expected, "{people}");
    }
}

/// S1-06: supervisors are matched to tools, sorts of calls and severities.
#[test]
fn a_supervisor_is_asked_what_it_is_fit_for() {
    let fits = |limits: serde_json::Value, decision: &toolgate_core::Decision| {
        let mut supervisor = json!({ "endpoint": "command", "command": ["/bin/judge"] });
        supervisor.as_object_mut().unwrap().extend(limits.as_object().unwrap().clone());
        let file = json!({ "version": 1, "supervisors": { "one": supervisor } });
        !supervision(&[(Layer::User, file)]).fit_for(decision).is_empty()
    };
    let push = asks(Severity::High);
    for (limits, expected) in [
        (json!({}), true),
        (json!({ "tools": "Bash" }), true),
        (json!({ "tools": ["Write", "B*"] }), true),
        (json!({ "tools": "Write" }), false),
        (json!({ "kinds": ["shell"] }), true),
        (json!({ "kinds": ["file", "mcp"] }), false),
        (json!({ "severities": ["high"] }), true),
        (json!({ "severities": ["low", "medium"] }), false),
    ] {
        assert_eq!(fits(limits.clone(), &push), expected, "{limits}");
    }
    let mut fetch = asks(Severity::High);
    fetch.event.call.kind = Kind::Fetch { url: "https://example.org".to_owned() };
    assert!(fits(json!({ "kinds": ["fetch"] }), &fetch) && !fits(json!({ "kinds": ["shell"] }), &fetch));
}

/// S1-05: layers only take room away; a project brings nobody.
#[test]
fn a_project_can_only_narrow() {
    let user = with_one(json!({ "supervised": ["low", "high"], "confidence": 0.8 }));
    let joined = |project: serde_json::Value| {
        supervision(&[
            (Layer::User, user.clone()),
            (Layer::Project, json!({ "version": 1, "review": project })),
        ])
    };
    let wide = joined(json!({ "supervised": ["low", "medium", "high", "critical"], "confidence": 0.1,
                              "together": "first_confident", "supervisor_seconds": 90, "cache_minutes": 600 }));
    assert_eq!(wide.supervised, [Severity::Low, Severity::High]);
    assert_eq!((wide.confidence_percent, wide.seconds, wide.cache_minutes), (80, 20, 0));
    let tight = joined(json!({ "supervised": ["low"], "confidence": 0.95, "together": "unanimous",
                               "supervisor_seconds": 5, "people": "a" }));
    assert_eq!(tight.supervised, [Severity::Low]);
    assert_eq!((tight.confidence_percent, tight.together, tight.seconds), (95, Together::Unanimous, 5));
    assert_eq!(tight.people, ["a"]);
    let none = joined(json!({ "supervised": [] }));
    assert!(none.supervised.is_empty());
    // Its own judge is an error that says where to write it instead.
    let own = supervision(&[(Layer::Project, with_one(json!({})))]);
    let faults = own.faults();
    assert!(
        faults[0].1.message.contains("its own judge") && faults[0].1.cure.contains("config"),
        "{faults:?}"
    );
    // Nor does a lower layer put another in a name's place.
    let other =
        json!({ "version": 1, "supervisors": { "one": { "endpoint": "command", "command": ["x"] } } });
    let both = merged(&[(Layer::Managed, with_one(json!({}))), (Layer::User, other)]);
    assert!(
        both.notices
            .iter()
            .any(|one| one.kind == NoticeKind::Conflict && one.text.contains("supervisor name `one`"))
    );
    let both = both.settings.supervision;
    assert_eq!(both.named("one").unwrap().url.as_deref(), Some("http://127.0.0.1:1/v1"));
}

#[test]
fn what_cannot_be_meant_is_told() {
    let check = |supervisor: serde_json::Value, expected: &str| {
        let file = json!({ "version": 1, "supervisors": { "one": supervisor } });
        let faults = supervision(&[(Layer::User, file)]).faults();
        let text = faults.first().map(|(_, fault)| fault.message.clone()).unwrap_or_default();
        assert!(if expected.is_empty() { faults.is_empty() } else { text.contains(expected) }, "{text}");
    };
    let http = |url: &str| json!({ "endpoint": "openai", "url": url, "model": "m" });
    check(http("https://judge.example/v1"), "");
    check(http("http://localhost:8080/v1"), "");
    check(http("http://[::1]:8080/v1"), "");
    check(http("http://judge.example/v1"), "unencrypted");
    check(http("http://127.0.0.1.evil.example/v1"), "unencrypted");
    check(http("https://user:secret@judge.example/v1"), "contains a password");
    check(http("file:///etc/passwd"), "not an address");
    check(json!({ "endpoint": "openai", "model": "m" }), "`url` is missing");
    check(json!({ "endpoint": "anthropic", "url": "https://a.example" }), "`model` is missing");
    check(json!({ "endpoint": "command" }), "`command` is missing");
    check(json!({ "endpoint": "command", "command": ["judge", "/x"] }), "absolute path");
    check(json!({ "endpoint": "openai", "url": "https://a.example", "model": "m", "command": "x" }), "only");
    check(json!({ "endpoint": "command", "command": "/x", "seconds": 0 }), "before the host");
    check(json!({ "endpoint": "command", "command": "/x", "tools": "a[" }), "not a valid pattern");
}

fn request(word: Word, proof: Proof) -> Request {
    let answer = Answer {
        request: "r-1".to_owned(),
        word,
        by: "x".to_owned(),
        words: None,
        reach: Default::default(),
        proof,
    };
    let state = match word {
        Word::Approve => RequestState::Approved { answer, at_ms: 10 },
        Word::Deny => RequestState::Denied { answer, at_ms: 10 },
    };
    Request {
        id: "r-1".to_owned(),
        session: "s".to_owned(),
        agent: "main".to_owned(),
        asker: None,
        arguments: "a".to_owned(),
        tool: "Bash".to_owned(),
        title: "t".to_owned(),
        input: None,
        dir: "/work".to_owned(),
        why: Vec::new(),
        asks: Vec::new(),
        progress: Default::default(),
        made_ms: 0,
        expires_ms: 1000,
        bypass: None,
        details: Box::default(),
        reviews: Vec::new(),
        state,
    }
}

/// What a yes is worth is looked at when it is used, not only when it is given.
#[test]
fn a_yes_of_supervisors_counts_only_in_their_room() {
    let proof = |names: &[&str], policy: &str| Proof::Supervisor {
        names: names.iter().map(|name| (*name).to_owned()).collect(),
        policy: policy.to_owned(),
        shape: String::new(),
        again: false,
    };
    let own = one(json!({}));
    let counts = |proof: Proof, decision: &toolgate_core::Decision, now_ms: i64| {
        let yes = request(Word::Approve, proof.clone()).supervised_grant(now_ms, &own, decision, "p1");
        let no = request(Word::Deny, proof.clone());
        let no = no.supervised_refusal(now_ms, &own, decision, "p1").is_some();
        assert_eq!(yes.is_some(), no, "{proof:?}");
        // Where a person's word is asked for, it is never one, key or no key.
        for key in [None, Some("aa")] {
            let plain = request(Word::Approve, proof.clone());
            let none = matches!(proof, Proof::Supervisor { .. });
            assert!(!none || plain.grant(now_ms, key).is_none(), "{proof:?}");
        }
        yes.is_some()
    };
    let high = asks(Severity::High);
    assert!(counts(proof(&["one"], "p1"), &high, 10));
    assert!(!counts(proof(&["one"], "p1"), &high, 1000), "over");
    assert!(!counts(proof(&["one"], "p0"), &high, 10), "another policy");
    assert!(!counts(proof(&["two"], "p1"), &high, 10), "nobody the policy names");
    assert!(!counts(proof(&["one", "two"], "p1"), &high, 10));
    assert!(!counts(proof(&[], "p1"), &high, 10));
    assert!(!counts(proof(&["one"], "p1"), &asks(Severity::Critical), 10), "not in its room");
    assert!(!counts(Proof::Terminal, &high, 10) && !counts(Proof::Browser, &high, 10));
}

/// Where the policy wants several people, a model is none of them; nor does it answer past a guardrail.
#[test]
fn a_model_is_nobody_of_several_people() {
    let names = vec!["one".to_owned()];
    let proof = Proof::Supervisor { names, policy: "p1".to_owned(), shape: String::new(), again: false };
    let answered = |needs: u32, reach: Extent, bypass: bool| {
        let mut own = request(Word::Approve, proof.clone());
        let RequestState::Approved { answer, .. } = own.state.clone() else { panic!() };
        own.state = RequestState::Pending;
        own.progress.needs = needs;
        own.bypass = bypass.then(|| {
            Box::new(toolgate_core::BypassRequest {
                guardrail: "g".to_owned(),
                role: "architect".to_owned(),
                reason: "r".to_owned(),
                urgency: toolgate_core::Pressing::Normal,
                replaced: 0,
            })
        });
        own.after(&Entry::Answered(Answer { reach, ..answer }), 10).state.name()
    };
    assert_eq!(answered(0, Extent::Once, false), "approved");
    assert_eq!(answered(1, Extent::Once, false), "approved");
    assert_eq!(answered(2, Extent::Once, false), "pending");
    assert_eq!(answered(0, Extent::Session, false), "pending", "never further than one call");
    assert_eq!(answered(0, Extent::Once, true), "pending");
}

#[test]
fn what_is_critical_can_be_kept_for_people() {
    let user = with_one(json!({ "supervised": ["low", "critical"] }));
    let people = json!({ "version": 1, "people": { "human_required_critical": true } });
    assert!(supervision(&[(Layer::User, user.clone())]).has_room_for(&asks(Severity::Critical)));
    let kept = supervision(&[(Layer::User, user), (Layer::Project, people)]);
    assert_eq!(kept.supervised, [Severity::Low]);
}
