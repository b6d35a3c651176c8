//! The whole way of a question: the real Claude Code asks, a real model behind a real service is not sure, and a person
//! answers in a real browser. Nobody scripted the model, so the test asks until it is unsure – which a model this
//! small nearly always is.

use crate::host::{Stage, poll};
use crate::model::{Gate as Door, Script, bash, say};
use crate::server::Server;
use crate::service::{packages, serve};
use crate::tab::Tab;
use serde_json::Value;
use std::time::Duration;

/// Where the agent wants to deploy; one question each.
const TARGETS: [&str; 6] = ["staging --from main", "shop", "search", "mail", "billing", "archive"];

/// A model on a busy machine takes its time; the gate's own limit is shorter.
const WAIT_MAX: Duration = Duration::from_secs(240);

const ASKS: &str = "\
version: 1
rules:
  - id: deploy-asks
    kind: ask
    match: { command: { program: deploy-tool } }
    reason: somebody decides about deploys
";

fn supervised(port: u16) -> String {
    format!(
        "version: 1\nreview: {{ hold_seconds: 100, supervised: [low, medium, high], supervisor_seconds: 90, confidence: 1 }}\n\
         supervisors:\n  local: {{ endpoint: openai, url: \"http://127.0.0.1:{port}/v1\", model: smollm2, seconds: 90, answer_tokens: 500 }}\n"
    )
}

/// A question a person has to answer.
struct Asked {
    request: String,
    command: String,
    /// How many calls the agent has made.
    calls: usize,
}

struct Story {
    stage: Stage,
    doors: Vec<Door>,
    calls: usize,
    targets: std::slice::Iter<'static, &'static str>,
}

impl Story {
    /// A stage whose agent runs what the test tells it to.
    fn set(port: u16) -> Option<Story> {
        let doors: Vec<Door> = (0..2 * TARGETS.len()).map(|_| Door::default()).collect();
        let script = Script::of(doors.iter().map(|door| bash("{word}").after(door)).chain([say("bye")]));
        let stage = Stage::set(script)?;
        stage.write(stage.home.join(".config/toolgate/policy.yaml"), &supervised(port));
        stage.write(".toolgate/policy.yaml", ASKS);
        stage.toolgate(&["install", "claude-code", "--project", "--yes"], "");
        stage.program("deploy-tool", &format!("echo \"$*\" >> '{}/deploys.txt'", stage.work.display()));
        Some(Story { stage, doors, calls: 0, targets: TARGETS.iter() })
    }

    /// The agent calls; gives the number of the call.
    fn call(&mut self, command: &str) -> usize {
        self.doors[self.calls].open_with(command);
        self.calls += 1;
        self.calls
    }

    /// Entries of one sort in the ledger, oldest first.
    fn entries(&self, sort: &str) -> Vec<Value> {
        let said = self.stage.toolgate(&["logs", "--json", "--all", "--limit", "100000"], "");
        let entries =
            said.lines().map(|line| serde_json::from_str::<Value>(line).expect("a record")["entry"].take());
        entries.filter(|entry| entry["entry"] == sort).collect()
    }

    /// What the model heard as the result of the `n`-th call.
    fn result(&self, n: usize) -> (String, bool) {
        poll(WAIT_MAX, || (self.stage.model.main().len() > n).then_some(())).expect("the call came back");
        self.stage.model.result(n)
    }

    /// Lets the agent ask about one deploy after the other until the supervisor is not sure.
    fn unsure(&mut self) -> Asked {
        while let Some(target) = self.targets.next() {
            let command = format!("deploy-tool {target}");
            let before = self.entries("reviewed").len();
            let calls = self.call(&command);
            let review = poll(WAIT_MAX, || self.entries("reviewed").get(before).cloned())
                .expect("the model was asked");
            eprintln!("the model about `{command}`: {review}");
            assert_eq!(review["supervisor"], "local");
            let decides = ["approve", "reject", "modify"].iter().any(|word| review["decision"] == *word);
            if !decides || review["confidence_percent"].as_u64() < Some(100) {
                let request = review["request"].as_str().expect("an id").to_owned();
                return Asked { request, command, calls };
            }
            // Sure of itself: its word is kept, and the agent goes on.
            self.result(calls);
        }
        panic!("the model was sure about everything");
    }

    /// What the model hears after a person's answer. A person slower than the host's patience finds the agent gone on;
    /// then the same call, made again, brings the answer.
    fn answered(&mut self, asked: &Asked) -> (String, bool) {
        let (text, is_error) = self.result(asked.calls);
        if !text.contains("is waiting for a person") {
            return (text, is_error);
        }
        let again = self.call(&asked.command);
        self.result(again)
    }
}

/// The page of a request: the whole command, and what the supervisor said.
fn open_request(tab: &Tab, server: &Server, asked: &Asked) {
    tab.go(&format!("http://{}/requests/{}", server.host, asked.request));
    assert_eq!(tab.eval("document.getElementById('what').textContent"), asked.command.as_str());
    assert!(tab.is("[...document.querySelectorAll('dt')].some((name) => name.textContent === 'Supervisor' && name.nextElementSibling.textContent.includes('local'))"));
    tab.until("!document.getElementById('yes').disabled");
}

/// The model hands over, a person denies with words in the browser, the agent's next request carries them; a second call is
/// approved once and runs once; the ledger shows every step.
#[test]
fn a_question_goes_from_the_agent_over_a_model_to_a_person() {
    let Some(folder) = packages() else { return };
    let Some((_service, port)) = serve(&folder) else { return };
    let Some(mut story) = Story::set(port) else { return };
    let Some(tab) = Tab::open() else { return };
    let mut command = story.stage.scrubbed(env!("CARGO_BIN_EXE_toolgate").as_ref());
    command.args(Server::WORDS).env("USER", "grace");
    let server = Server::run(command);
    tab.go(&server.enter);
    tab.await_event("Page.loadEventFired");
    let running = story.stage.claude().wait_max(Duration::from_secs(1200)).start();

    let denied = story.unsure();
    open_request(&tab, &server, &denied);
    tab.picture("whole-story-asked");
    tab.key("r");
    tab.text("not on a Sunday, ask Grace");
    tab.key("Escape");
    tab.key("n");
    tab.leads_on(|tab| tab.key("Enter"));
    assert_eq!(tab.eval("document.getElementById('state').textContent"), "denied");
    let (text, is_error) = story.answered(&denied);
    assert!(is_error && text.contains("not on a Sunday, ask Grace"), "{text}");

    let approved = story.unsure();
    open_request(&tab, &server, &approved);
    tab.key("y");
    tab.leads_on(|tab| tab.key("Enter"));
    let (text, is_error) = story.answered(&approved);
    assert!(!is_error, "{text}");
    let target = approved.command.replace("deploy-tool ", "");
    let ran = |story: &Story| story.stage.read("deploys.txt").lines().filter(|line| *line == target).count();
    assert_eq!(ran(&story), 1);

    // The yes is spent: the same call is a new request.
    let before = story.entries("requested").len();
    story.call(&approved.command);
    let new = poll(WAIT_MAX, || story.entries("requested").get(before).cloned()).expect("a new request");
    assert_ne!(new["id"], approved.request.as_str());
    drop(running);
    assert_eq!(ran(&story), 1, "the yes was used twice");

    told_by_the_ledger(&story, &denied, "deny");
    told_by_the_ledger(&story, &approved, "approve");
    assert!(!story.stage.read("deploys.txt").contains(&denied.command.replace("deploy-tool ", "")));
    story.stage.toolgate(&["ledger", "verify"], "");
}

/// Asked, handed to the model, its opinion, the person's answer: every step of one request.
fn told_by_the_ledger(story: &Story, asked: &Asked, word: &str) {
    let of = |sort: &str, field: &str| {
        story.entries(sort).into_iter().find(|entry| entry[field] == asked.request.as_str())
    };
    assert!(of("requested", "id").is_some(), "{}", asked.request);
    assert!(of("consulted", "request").is_some_and(|entry| entry["supervisor"] == "local"));
    assert!(of("reviewed", "request").is_some());
    let answered = of("answered", "request").expect("an answer");
    assert_eq!((&answered["word"], &answered["by"]), (&word.into(), &"grace".into()), "{answered}");
}
