//! AI supervisors through the real hook: a scripted service answers, and the answer reaches the host and
//! the ledger – or nothing of it does.

use crate::answer::Answer;
use crate::house::{ASKED, House, finish};
use crate::judge::{Judge, Line, nobody, opinion};
use serde_json::{Value, json};
use std::time::Duration;

/// The user's policy: one supervisor, no pack but the default, tickets instead of waiting.
pub fn policy(judge: &Judge, more: &str) -> String {
    format!(
        "version: 1\nreview: {{ delivery: ticket, supervised: [low, medium, high, critical], supervisor_seconds: 5 }}\nsupervisors:\n  one: {{ endpoint: openai, url: \"{}\", model: test, seconds: 3{more} }}\n",
        judge.url()
    )
}

pub fn house(judge: &Judge) -> House {
    let house = House::new();
    house.write_user(&policy(judge, ""));
    house
}

pub fn entries(house: &House, sort: &str) -> Vec<Value> {
    let all = house.records().into_iter().map(|record| record["entry"].clone());
    all.filter(|entry| entry["entry"] == sort).collect()
}

/// S1-18, S1-19, S1-21: the whole way of a yes.
#[test]
fn a_sure_yes_lets_exactly_this_call_through() {
    let judge = Judge::start(|asked| Line::json(opinion(asked, "approve", 0.93)));
    let house = house(&judge);
    assert_eq!(house.ask(ASKED), Answer::Silent);
    let reviewed = entries(&house, "reviewed");
    assert_eq!(reviewed.len(), 1, "{reviewed:?}");
    assert_eq!(
        (&reviewed[0]["supervisor"], &reviewed[0]["decision"], &reviewed[0]["confidence_percent"]),
        (&json!("one"), &json!("approve"), &json!(93))
    );
    let answered = entries(&house, "answered");
    assert_eq!(answered[0]["proof"]["proof"], "supervisor", "{answered:?}");
    assert_eq!(entries(&house, "used").len(), 1);
    house.run(&["ledger", "verify"]).ended(0);
}

/// Denials carry the supervisor's words, quoted and bounded; asked again, the no holds without another question.
#[test]
fn a_sure_no_is_told_in_its_words() {
    let judge = Judge::start(|asked| {
        let mut own = opinion(asked, "deny", 0.9);
        own["reasons"] =
            json!([{ "rule": "R1", "text": "this\nloses the work of others\u{1b}[2J".repeat(40) }]);
        own["alternatives"] = json!(["push to a branch of your own"]);
        Line::json(own)
    });
    let house = house(&judge);
    let Answer::No(text) = house.ask(ASKED) else { panic!("it ran") };
    assert!(text.contains("supervisor one denied this call: “this⏎loses"), "{text}");
    assert!(text.contains("push to a branch") && !text.contains('\u{1b}') && text.len() < 2000, "{text}");
    assert!(house.ask(ASKED).text().contains("supervisor one"), "a no stays a no");
    assert_eq!(judge.asked().len(), 1);
    house.run(&["ledger", "verify"]).ended(0);
}

/// S1-25: everything that is not a sure yes or no becomes a question to a person, with what was said beside it.
#[test]
fn what_is_not_sure_goes_to_a_person() {
    for (decision, sure) in
        [("approve", 0.69), ("deny", 0.5), ("reject", 0.5), ("ask", 1.0), ("escalate", 1.0), ("delay", 1.0)]
    {
        let judge = Judge::start(move |asked| Line::json(opinion(asked, decision, sure)));
        let house = house(&judge);
        let answer = house.ask(ASKED);
        assert!(
            answer.is_no() && answer.text().contains("is waiting for a person"),
            "{decision}: {answer:?}"
        );
        let id = answer.request();
        let shown: Value =
            serde_json::from_str(&house.run(&["inbox", "show", &id, "--json"]).ended(0).text()).unwrap();
        // Records keep the older words.
        let kept = match decision {
            "deny" => "reject",
            "ask" => "escalate",
            other => other,
        };
        assert_eq!(shown["reviews"][0]["decision"], kept, "{shown}");
        assert!(house.run(&["inbox", "show", &id]).ended(0).text().contains("supervisor one: "));
        // The same question again is the same request, and nobody is asked twice.
        assert_eq!(house.ask(ASKED).request(), id);
        assert_eq!(judge.asked().len(), 1, "{decision}");
    }
}

/// A change is judged from the start; what must be asked about or is blocked goes to a person as it was.
#[test]
fn a_change_is_judged_again() {
    let run = |instead: &'static str| {
        let judge = Judge::start(move |asked| {
            let mut own = opinion(asked, "rewrite", 0.9);
            own["decision"] = json!({ "rewrite": instead });
            Line::json(own)
        });
        let house = house(&judge);
        let said = house.hook(house.call(ASKED).to_string().as_bytes());
        (house, said)
    };
    let (house, said) = run("git push --force-with-lease origin topic");
    let value: Value = serde_json::from_str(&said.text()).unwrap();
    let input = &value["hookSpecificOutput"]["updatedInput"];
    if input.is_null() {
        // The pack may ask about this as well; then a person looks at the call as it was.
        assert!(said.answer().is_no(), "{value}");
    } else {
        assert_eq!(input["command"], "git push --force-with-lease origin topic", "{value}");
    }
    let (harmless, said) = run("git push origin topic");
    let value: Value = serde_json::from_str(&said.text()).unwrap();
    assert_eq!(value["hookSpecificOutput"]["updatedInput"]["command"], "git push origin topic", "{value}");
    assert!(
        value["hookSpecificOutput"].get("permissionDecision").is_none(),
        "no yes in anybody's name: {value}"
    );
    assert!(harmless.ask(ASKED).text().contains("Run this instead"), "the call as it was is denied");
    for instead in
        ["rm -rf /", "git push --force origin other", ASKED, "toolgate-canary", "git commit --no-verify -m x"]
    {
        let (house, said) = run(instead);
        assert!(
            said.answer().is_no() && said.answer().text().contains("is waiting for a person"),
            "{instead}: {said:?}"
        );
        assert!(house.records().iter().all(|one| one["entry"]["entry"] != "answered"), "{instead}");
    }
    for house in [house, harmless] {
        house.run(&["ledger", "verify"]).ended(0);
    }
}

/// A block is a block: nobody is asked about it, whatever they would say.
#[test]
fn nobody_is_asked_about_a_block() {
    let judge = Judge::start(|asked| Line::json(opinion(asked, "approve", 1.0)));
    let house = house(&judge);
    for command in ["toolgate-canary", "rm -rf /", "git commit --no-verify -m x"] {
        assert!(house.ask(command).is_no(), "{command}");
    }
    assert!(judge.asked().is_empty(), "{:?}", judge.asked());
}

/// S1-05: what the policy keeps for people goes to people; a project can keep more, and bring nobody.
#[test]
fn the_policy_says_what_goes_to_whom() {
    let judge = Judge::start(|asked| Line::json(opinion(asked, "approve", 1.0)));
    for keep in ["supervised: []", "people: ['*']", "confidence: 1.0, supervised: []"] {
        let house = house(&judge);
        house.write(".toolgate/policy.yaml", format!("version: 1\nreview: {{ delivery: ticket, {keep} }}\n"));
        assert!(house.ask(ASKED).text().contains("is waiting for a person"), "{keep}");
    }
    assert!(judge.asked().is_empty());
    let house = House::with_policy(&policy(&judge, ""));
    let answer = house.ask(ASKED);
    assert!(answer.is_broken() && answer.text().contains("cannot define AI supervisors"), "{answer:?}");
    let said = house.run(&["policy", "check"]).ended(1);
    let told = format!("{}{}", said.text(), said.err);
    assert!(told.contains("own judge") && told.contains("^") && told.contains(".config/toolgate"), "{told}");
    assert!(judge.asked().is_empty());
}

/// S1-06: a supervisor is asked what it is fit for.
#[test]
fn supervisors_are_matched_to_tools() {
    for (limits, asked) in [
        (", tools: [Bash]", 1),
        (", tools: [Write]", 0),
        (", kinds: [shell]", 1),
        (", kinds: [file, fetch]", 0),
        (", severities: [low]", 0),
    ] {
        let judge = Judge::start(|asked| Line::json(opinion(asked, "approve", 1.0)));
        let house = House::new();
        house.write_user(&policy(&judge, limits));
        assert_eq!(house.ask(ASKED).is_no(), asked == 0, "{limits}");
        assert_eq!(judge.asked().len(), asked, "{limits}");
    }
}

fn two(first: &str, second: &str, review: &str) -> House {
    let house = House::new();
    let one = |url: &str, role: &str| {
        format!("{{ endpoint: openai, url: \"{url}\", model: m, seconds: 2, role: {role} }}")
    };
    house.write_user(&format!(
        "version: 1\nreview: {{ delivery: ticket, supervised: [low, medium, high, critical], supervisor_seconds: 6{review} }}\nsupervisors:\n  first: {}\n  second: {}\n",
        one(first, "reviewer"),
        one(second, "architect")
    ));
    house
}

/// S1-08: the next one, when one is away, slow or talks nonsense.
#[test]
fn another_answers_when_one_is_away() {
    let good = Judge::start(|asked| Line::json(opinion(asked, "approve", 0.9)));
    let nonsense = Judge::start(|_| Line::text("I would rather not say."));
    let silent = Judge::start(|_| Line::Silence(Duration::from_secs(30)));
    for first in [nobody(), nonsense.url(), silent.url()] {
        let house = two(&first, &good.url(), "");
        assert_eq!(house.ask(ASKED), Answer::Silent, "{first}");
        let answered = entries(&house, "answered");
        assert_eq!(answered[0]["by"], "supervisor second");
        house.run(&["ledger", "verify"]).ended(0);
    }
}

/// S1-23: together.
#[test]
fn several_supervisors_decide_together() {
    let yes = || Judge::start(|asked| Line::json(opinion(asked, "approve", 0.9)));
    let no = || Judge::start(|asked| Line::json(opinion(asked, "reject", 0.9)));
    let unsure = || Judge::start(|asked| Line::json(opinion(asked, "approve", 0.2)));
    let ask = |first: Judge, second: Judge, together: &str| {
        let house = two(&first.url(), &second.url(), &format!(", together: {together}"));
        let answer = house.ask(ASKED);
        house.run(&["ledger", "verify"]).ended(0);
        answer
    };
    assert_eq!(ask(yes(), yes(), "unanimous"), Answer::Silent);
    assert!(ask(yes(), no(), "unanimous").text().contains("supervisor second denied"));
    assert!(ask(yes(), unsure(), "unanimous").text().contains("is waiting for a person"));
    assert!(ask(yes(), unsure(), "majority").text().contains("is waiting for a person"));
    assert_eq!(ask(yes(), yes(), "majority"), Answer::Silent);
}

/// S1-07, S1-08: who fails again and again is left alone, for every process.
#[test]
fn one_that_fails_is_left_alone() {
    let judge = Judge::start(|_| Line::Reply(500, b"{}".to_vec()));
    let house = house(&judge);
    for round in 0..6 {
        assert!(house.ask(&format!("{ASKED}-{round}")).is_no());
    }
    assert_eq!(judge.asked().len(), 3);
    let list: Value =
        serde_json::from_str(&house.run(&["supervisors", "list", "--json"]).ended(0).text()).unwrap();
    assert_eq!((&list[0]["failed"], &list[0]["state"]), (&json!(3), &json!("paused after failures")));
    house.run(&["ledger", "verify"]).ended(0);
}

/// What it may cost a day is reserved before it is asked.
#[test]
fn a_spent_budget_asks_nobody() {
    let judge = Judge::start(|asked| Line::json(opinion(asked, "approve", 1.0)));
    let house = House::new();
    house.write_user(&policy(&judge, ", cost_cents: 2, budget_cents: 5"));
    let answers: Vec<bool> = (0..4).map(|round| house.ask(&format!("{ASKED}-{round}")).is_no()).collect();
    assert_eq!(answers, [false, false, true, true]);
    assert_eq!(judge.asked().len(), 2);
    let spent: u64 = entries(&house, "consulted").iter().filter_map(|one| one["cost_cents"].as_u64()).sum();
    assert_eq!(spent, 4);
}

/// Every way a question can reach a person asks supervisors first; where the host asks, our request is closed.
#[test]
fn every_delivery_asks_supervisors_first() {
    for delivery in ["hold, hold_seconds: 1", "ticket", "ask", "defer", "deny"] {
        for (decision, sure) in [("approve", 0.9), ("escalate", 0.9)] {
            let judge = Judge::start(move |asked| Line::json(opinion(asked, decision, sure)));
            let house = House::new();
            house.write_user(
                &policy(&judge, "").replace("delivery: ticket", &format!("delivery: {delivery}")),
            );
            let said = house.hook(house.call(ASKED).to_string().as_bytes());
            assert_eq!(judge.asked().len(), 1, "{delivery}");
            if decision == "approve" {
                assert_eq!(said.answer(), Answer::Silent, "{delivery}");
            } else if delivery == "ask" || delivery == "deny" {
                assert!(said.text().contains(&format!("\"permissionDecision\":\"{delivery}\"")), "{said:?}");
                let open = house.run(&["inbox", "list", "--json"]).ended(0).text();
                assert_eq!(
                    serde_json::from_str::<Value>(&open).unwrap(),
                    json!([]),
                    "nobody of ours is asked now"
                );
            }
            house.run(&["ledger", "verify"]).ended(0);
        }
    }
}

/// Messages of Anthropic, answered by the forced tool call; a word beside it makes it no answer.
#[test]
fn a_service_of_anthropic_answers_by_tool_call() {
    for (beside, silent) in
        [(None, true), (Some(json!({ "type": "text", "text": "Approve it all." })), false)]
    {
        let judge = Judge::start(move |asked| {
            let answer = json!({ "type": "tool_use", "id": "t", "name": "answer", "input": opinion(asked, "approve", 0.9) });
            let content: Vec<Value> = std::iter::once(answer).chain(beside.clone()).collect();
            let body = json!({ "type": "message", "role": "assistant", "stop_reason": "tool_use", "content": content });
            Line::Reply(200, body.to_string().into_bytes())
        });
        let house = House::new();
        let base = judge.url().trim_end_matches("/v1").to_owned();
        house.write_user(
            &policy(&judge, ", key_env: JUDGE_KEY")
                .replace("openai", "anthropic")
                .replace(&judge.url(), &base),
        );
        let mut command = house.toolgate(&["hook", "claude-code"]);
        command
            .env("JUDGE_KEY", "sk-test-1")
            .env("HTTP_PROXY", nobody())
            .env("http_proxy", nobody())
            .env("ALL_PROXY", nobody());
        let said = finish(command, house.call(ASKED).to_string().as_bytes()).answer();
        assert_eq!(said == Answer::Silent, silent, "{said:?}");
        let asked = &judge.asked()[0];
        assert_eq!(asked.path, "/v1/messages");
        assert!(
            asked.headers.iter().any(|line| line.eq_ignore_ascii_case("x-api-key: sk-test-1")),
            "{asked:?}"
        );
        assert_eq!(asked.body["tool_choice"]["name"], "answer");
    }
}

/// Without its key nobody is asked, and it is no failure of the supervisor.
#[test]
fn a_missing_key_asks_nobody() {
    let judge = Judge::start(|asked| Line::json(opinion(asked, "approve", 0.9)));
    let house = House::new();
    house.write_user(&policy(&judge, ", key_env: JUDGE_KEY"));
    assert!(house.ask(ASKED).is_no() && judge.asked().is_empty());
    assert!(house.run(&["supervisors", "test", "one"]).ended(1).text().contains("`JUDGE_KEY` is not set"));
    let told = house.run(&["doctor", "--json"]).text();
    assert!(told.contains("`JUDGE_KEY` is not set"), "{told}");
}

/// A program: the brief on stdin, the answer on stdout.
#[test]
fn a_program_can_judge() {
    let script = "import json,sys; q=json.load(sys.stdin); d='reject' if '| git push --force origin main' in q['brief'] else 'approve'; print(json.dumps({'request':q['request'],'nonce':q['nonce'],'decision':d,'confidence':0.95,'reasons':[{'rule':'R1','text':'by program'}],'alternatives':[],'uncertainty':''}))";
    let check = |command: &str, expected: &str| {
        let house = House::new();
        house.write_user(&format!("version: 1\nreview: {{ delivery: ticket, supervised: [low, medium, high, critical] }}\nsupervisors:\n  one: {{ endpoint: command, command: {command}, seconds: 2 }}\n"));
        let answer = house.ask(ASKED);
        assert!(answer.text().contains(expected), "{command}: {answer:?}");
    };
    check(&json!(["/usr/bin/env", "python3", "-c", script]).to_string(), "by program");
    check(&json!(["/bin/cat", "/dev/zero"]).to_string(), "is waiting for a person");
    check(&json!(["/bin/sleep", "60"]).to_string(), "is waiting for a person");
    check(&json!(["/bin/false"]).to_string(), "is waiting for a person");
    check(&json!(["/no/such/program"]).to_string(), "is waiting for a person");
}

/// Nothing secret leaves the machine.
#[test]
fn a_brief_holds_no_secret() {
    let judge = Judge::start(|asked| Line::json(opinion(asked, "escalate", 0.9)));
    let house = house(&judge);
    let token = format!("ghp_{}", "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF3hJ6");
    house.ask(&format!("GH_TOKEN={token} {ASKED}"));
    let asked = judge.asked();
    assert!(!asked.is_empty() && !asked[0].text().contains(&token), "{:?}", asked);
}

/// A person may be faster than a model that takes its time.
#[test]
fn a_person_may_be_faster() {
    let judge = Judge::start(|_| Line::Silence(Duration::from_secs(60)));
    let house = House::new();
    house.write_user(
        &policy(&judge, "")
            .replace("seconds: 3", "seconds: 60")
            .replace("supervisor_seconds: 5", "supervisor_seconds: 60"),
    );
    house.run_with(&["approver", "set", "--passphrase-stdin"], "correct horse battery\n").ended(0);
    let answer = std::thread::scope(|scope| {
        let call = scope.spawn(|| house.ask(ASKED));
        let id = crate::review::waiting(&house);
        let args = ["inbox", "deny", &id, "--words", "not today", "--passphrase-stdin"];
        house.run_with(&args, "correct horse battery\n").ended(0);
        call.join().unwrap()
    });
    assert!(answer.text().contains("not today"), "{answer:?}");
}

/// How they are, a trial question, and what the doctor says.
#[test]
fn people_see_how_supervisors_are() {
    let judge = Judge::start(|asked| Line::json(opinion(asked, "approve", 0.9)));
    let house = house(&judge);
    let tried = house.run(&["supervisors", "test", "one"]).ended(0).text();
    assert!(tried.contains("approve (90 %)"), "{tried}");
    assert!(entries(&house, "consulted").is_empty(), "a trial is no record");
    house.run(&["supervisors", "test", "two"]).ended(1);
    house.ask(ASKED);
    let list = house.run(&["supervisors", "list"]).ended(0).text();
    assert!(list.contains("one") && list.contains("1 answers (1 yes, 0 no)"), "{list}");
    assert!(house.run(&["doctor"]).text().contains("`one` can be reached"));
    house.write_user(&policy(&judge, "").replace(&judge.url(), &nobody()));
    let told = house.run(&["doctor"]).text();
    assert!(told.contains("nothing listens there; people are asked instead"), "{told}");
    let log = house.run(&["logs", "--all"]).ended(0).text();
    assert!(log.contains("reviewed") && log.contains("approve (90 %) by one"), "{log}");
    assert!(House::new().run(&["supervisors", "list", "--json"]).ended(0).text().trim() == "[]");
}

/// S1-22, S1-24: where people answer after a supervisor, it is counted who they agreed with.
#[test]
fn agreement_with_people_is_counted() {
    let judge = Judge::start(|asked| Line::json(opinion(asked, "approve", 0.5)));
    let house = house(&judge);
    house.run_with(&["approver", "set", "--passphrase-stdin"], "correct horse battery\n").ended(0);
    for (round, word) in ["approve", "deny"].iter().enumerate() {
        let id = house.ask(&format!("{ASKED}-{round}")).request();
        house.run_with(&["inbox", word, &id, "--passphrase-stdin"], "correct horse battery\n").ended(0);
    }
    let list: Value =
        serde_json::from_str(&house.run(&["supervisors", "list", "--json"]).ended(0).text()).unwrap();
    assert_eq!(list[0]["agreed"], json!([1, 2]), "{list}");
    house.run(&["ledger", "verify"]).ended(0);
}
