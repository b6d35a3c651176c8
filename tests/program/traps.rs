//! Escalation traps through the hook: failures remembered from one process to the next, checks really made against
//! listeners of the test's own, their results in the ledger (S0).

use crate::answer::Answer;
use crate::house::{House, TICKET, finish};
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A server on this machine that answers every request alike, and counts them.
struct Server {
    port: u16,
    asked: Arc<AtomicUsize>,
}

impl Server {
    fn start(answer: &'static str) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let asked = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&asked);
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                count.fetch_add(1, Ordering::SeqCst);
                let mut request = [0; 1024];
                let _ = stream.read(&mut request);
                let _ = stream.write_all(answer.as_bytes());
            }
        });
        Server { port, asked }
    }

    fn asked(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
    }
}

const WELL: &str = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok";

/// A port where nothing listens.
fn closed_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

fn knowledge(port: u16) -> String {
    format!(
        r#"
[endpoints.playwright]
name = "Playwright Server"
default_url = "http://localhost:{port}"
config_key = "PLAYWRIGHT_SERVER_URL"
health_check = "/json/version"

[[practices]]
name = "Connection Failures"
rule = "Always verify configuration before installing software"
"#
    )
}

const ISSUE: &str = r#"
[[known_issues]]
symptom = "Failed to connect to Playwright server"
common_cause = "Wrong endpoint configuration"
simple_fix = "Check PLAYWRIGHT_SERVER_URL environment variable"
escalation_trap = "install playwright browsers"
"#;

const INSTALL: &str = "npx playwright install chromium";

fn house(policy: &str, knowledge: &str) -> House {
    let house = House::bare(policy);
    house.write(".toolgate/knowledge.toml", knowledge);
    house
}

fn failed(house: &House, command: &str, error: &str) {
    let mut event = house.call(command);
    event["hook_event_name"] = json!("PostToolUseFailure");
    event["error"] = json!(error);
    event["is_interrupt"] = json!(false);
    assert_eq!(house.ask_event(&event), Answer::Silent);
}

fn refuse(house: &House) {
    let said = "Exit code 1\nFailed to connect to Playwright server: connect ECONNREFUSED 127.0.0.1:3000";
    failed(house, "npx playwright test", said);
}

fn checked(house: &House) -> Vec<Value> {
    let all = house.records().into_iter().map(|record| record["entry"].clone());
    all.filter(|entry| entry["entry"] == "checked").collect()
}

#[track_caller]
fn denied(answer: &Answer, parts: &[&str]) {
    let Answer::No(text) = answer else { panic!("{answer:?}") };
    for part in parts {
        assert!(text.contains(part), "`{part}` is not in: {text}");
    }
}

/// The story of the seed (S0-01, S0-14, S0-25): the setting leads to the wrong port, the browser install is denied
/// with the check that failed; after the simple fix the same call runs, and nothing is checked a third time.
#[test]
fn an_installation_waits_until_the_endpoint_answers() {
    let server = Server::start(WELL);
    let house = house("version: 1\n", &knowledge(server.port));
    let wrong = closed_port();
    house.write(".env", format!("PLAYWRIGHT_SERVER_URL=http://localhost:{wrong}\n"));
    assert_eq!(house.ask(INSTALL), Answer::Silent, "nothing has failed yet");
    refuse(&house);
    denied(
        &house.ask(INSTALL),
        &[
            "Not run: PrerequisiteFailed: Test connectivity to configured endpoint",
            &format!("nothing answers at http://localhost:{wrong} (connection refused)"),
            "`PLAYWRIGHT_SERVER_URL` in `.env` says so",
            &format!(
                "`.toolgate/knowledge.toml` lists Playwright Server at http://localhost:{}",
                server.port
            ),
            "[installation_prevention (",
            "Check connection configuration (review the configuration, test the connectivity)",
        ],
    );
    assert_eq!(server.asked(), 0);
    // Other work goes on.
    assert_eq!(house.ask("npm test"), Answer::Silent);
    house.write(".env", format!("PLAYWRIGHT_SERVER_URL=http://localhost:{}\n", server.port));
    assert_eq!(house.ask(INSTALL), Answer::Silent);
    assert_eq!(server.asked(), 1);
    assert_eq!(house.ask("npm install"), Answer::Silent);
    assert_eq!(server.asked(), 1, "what passed is not checked again");
    let checked = checked(&house);
    let passed = |entry: &Value| {
        let results = entry["results"].as_array().unwrap();
        results.iter().map(|result| result["passed"].as_bool().unwrap()).collect::<Vec<_>>()
    };
    // The setting passed the first time and is remembered; the endpoint failed and is tried again.
    assert_eq!(checked.iter().map(passed).collect::<Vec<_>>(), [vec![true, false], vec![true]]);
    // Another session has not failed.
    let mut elsewhere = house.call(INSTALL);
    elsewhere["session_id"] = json!("another");
    assert_eq!(house.ask_event(&elsewhere), Answer::Silent);
    let logged = house.run(&["logs", "--all"]).ended(0).text();
    assert!(logged.contains("not met  Test connectivity to configured endpoint"), "{logged}");
    let number = house
        .records()
        .iter()
        .find(|record| record["entry"]["entry"] == "checked")
        .map(|one| one["seq"].to_string());
    let story = house.run(&["explain", &number.unwrap()]).ended(0).text();
    assert!(story.contains("wanted   `${PLAYWRIGHT_SERVER_URL}/json/version` answers"), "{story}");
    for id in ["installation_prevention", "filesystem_safety", "network_operations", "escalation-trap"] {
        let page = house.run(&["explain", id]).ended(0).text();
        assert!(page.contains("Allowed instead"), "{page}");
    }
    house.run(&["ledger", "verify"]).ended(0);
}

/// The environment is stronger than files, and a default of the knowledge is a setting too.
#[test]
fn the_configured_address_is_the_one_tested() {
    let server = Server::start(WELL);
    let house = house("version: 1\n", &knowledge(server.port));
    refuse(&house);
    let ask = |url: &str| {
        let mut command = house.toolgate(&["hook", "claude-code"]);
        command.env("PLAYWRIGHT_SERVER_URL", url);
        finish(command, house.call(INSTALL).to_string().as_bytes()).answer()
    };
    let wrong = closed_port();
    denied(&ask(&format!("http://localhost:{wrong}")), &["in the environment says so"]);
    denied(
        &ask("http://192.0.2.9:9222"),
        &["http://192.0.2.9:9222 is not listed in `.toolgate/knowledge.toml`"],
    );
    denied(&ask("nonsense here"), &["`PLAYWRIGHT_SERVER_URL` in the environment is not an address"]);
    assert_eq!(house.ask(INSTALL), Answer::Silent, "the default answers");
    assert_eq!(server.asked(), 1);
}

/// S0-14 without knowledge, literally: `connection_url` must be set and answer.
#[test]
fn without_knowledge_the_setting_is_connection_url() {
    let server = Server::start("HTTP/1.1 404 Not Found\r\n\r\n");
    let house = House::bare("version: 1\ntraps: { installation_prevention: { literal: true } }\n");
    refuse(&house);
    denied(
        &house.ask("npm install left-pad"),
        &[
            "PrerequisiteFailed: Verify connection endpoint configuration",
            "`connection_url` is not set anywhere",
        ],
    );
    house.write("config.yaml", format!("app:\n  connection_url: http://127.0.0.1:{}\n", server.port));
    assert_eq!(house.ask("npm install left-pad"), Answer::Silent);
}

/// A server that accepts and says nothing does not hold the agent up for long, and is a failure.
#[test]
fn a_silent_server_is_given_up() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let house = house("version: 1\n", &knowledge(listener.local_addr().unwrap().port()));
    refuse(&house);
    let started = std::time::Instant::now();
    denied(&house.ask(INSTALL), &["PrerequisiteFailed: Test connectivity", "no answer in time"]);
    assert!(started.elapsed() < std::time::Duration::from_secs(10), "{:?}", started.elapsed());
}

/// C-02: the checks come first; when they pass a known issue is asked about, and the person's yes lets the call run.
#[test]
fn a_person_is_asked_only_after_the_checks_passed() {
    let server = Server::start(WELL);
    let house = house(TICKET, &format!("{}{ISSUE}", knowledge(server.port)));
    house.write(".env", format!("PLAYWRIGHT_SERVER_URL=http://localhost:{}\n", closed_port()));
    refuse(&house);
    denied(&house.ask(INSTALL), &["PrerequisiteFailed"]);
    let waiting = |house: &House| house.run(&["inbox", "list"]).text().contains("r-");
    assert!(!waiting(&house), "a failed check disturbs nobody");
    house.write(".env", "");
    denied(
        &house.ask(INSTALL),
        &[
            "Not run yet: ",
            "Wrong endpoint configuration",
            "Check PLAYWRIGHT_SERVER_URL environment variable",
            "[escalation-trap (",
            "is waiting for a person",
        ],
    );
    assert!(waiting(&house));
    house.run(&["ledger", "verify"]).ended(0);
}

/// A symptom goes when what failed succeeds.
#[test]
fn a_later_success_ends_the_trap() {
    let house = house(TICKET, &format!("{}{ISSUE}", knowledge(closed_port())));
    refuse(&house);
    assert!(house.ask(INSTALL).is_no());
    let mut event = house.call("npx playwright test");
    event["hook_event_name"] = json!("PostToolUse");
    event["tool_response"] = json!({ "stdout": "ok", "stderr": "" });
    house.ask_event(&event);
    assert_eq!(house.ask(INSTALL), Answer::Silent);
}

/// A command that ended well can still tell of a failed connection.
#[test]
fn what_stderr_tells_counts() {
    let port = closed_port();
    let house = house("version: 1\n", &knowledge(port));
    let mut event = house.call(&format!("curl -s localhost:{port} || true"));
    event["hook_event_name"] = json!("PostToolUse");
    let said = format!("curl: (7) Failed to connect to localhost port {port}");
    event["tool_response"] = json!({ "stdout": "", "stderr": said });
    house.ask_event(&event);
    denied(&house.ask(INSTALL), &["PrerequisiteFailed"]);
}

/// S0-16: a confirmation is a question in the inbox.
#[test]
fn a_confirmation_is_asked_in_the_inbox() {
    let house = House::bare("version: 1\nreview: { delivery: ticket }\ntraps: { filesystem_safety: {} }\n");
    denied(
        &house.ask("echo A=1 >> .env"),
        &["Not run yet: ", "filesystem_safety", "is waiting for a person"],
    );
    let card = house.run(&["inbox", "list", "--json"]).ended(0).text();
    assert!(card.contains("bypass trap"), "{card}");
    assert_eq!(house.ask("cat .env"), Answer::Silent);
}

/// While observing, nothing is checked and nothing stopped.
#[test]
fn observing_makes_no_checks() {
    let server = Server::start(WELL);
    let house = house("version: 1\nmode: observe\n", &knowledge(server.port));
    refuse(&house);
    assert_eq!(house.ask(INSTALL), Answer::Silent);
    assert_eq!((server.asked(), checked(&house).len()), (0, 0));
}

/// `toolgate test` shows the checks without making them, exit 3.
#[test]
fn a_trial_shows_the_checks() {
    let server = Server::start(WELL);
    let house = house("version: 1\n", &knowledge(server.port));
    let failed = format!("connect ECONNREFUSED 127.0.0.1:{}", server.port);
    let args = ["test", "--failed", &failed, INSTALL];
    let said = house.run(&args).ended(3).text();
    assert!(said.starts_with("CHECK  npx playwright install chromium\n"), "{said}");
    assert!(
        said.contains("check    Verify connection endpoint configuration – `PLAYWRIGHT_SERVER_URL` is set"),
        "{said}"
    );
    assert!(said.contains("`${PLAYWRIGHT_SERVER_URL}/json/version` answers"), "{said}");
    let data = house.run(&[&args[..], &["--json"]].concat()).ended(3).text();
    let data: Value = serde_json::from_str(&data).unwrap();
    assert_eq!((&data["verdict"], &data["decision"]), (&json!("check"), &json!("DELAY")));
    assert_eq!(data["findings"][0]["outcome"]["check"][0]["priority"], json!(10));
    assert_eq!(server.asked(), 0);
    house.run(&["test", INSTALL]).ended(0);
}

/// C-26: missing is empty with a notice; malformed closes the gate with file, line, caret and cure; both names count.
#[test]
fn knowledge_is_missing_malformed_or_there() {
    let house = House::bare("version: 1\n");
    let doctor = |house: &House| house.run(&["doctor"]).text();
    assert!(doctor(&house).contains("no services or known issues are listed"), "{}", doctor(&house));
    let revision = |house: &House| house.run(&["test", "--json", "ls"]).text();
    let before = revision(&house);
    house.write(".patinox/knowledge.toml", knowledge(1));
    assert!(doctor(&house).contains("1 endpoint, 0 known issues, "), "{}", doctor(&house));
    assert_ne!(before, revision(&house), "knowledge is part of the revision");
    house.write(".toolgate/knowledge.toml", "[[known_issue]]\nsymptom = \"x\"\n");
    let answer = house.ask("ls");
    assert!(answer.is_broken(), "{answer:?}");
    denied(
        &answer,
        &["knowledge.toml:1: unknown key `known_issue`", "change `known_issue` to `known_issues`"],
    );
    let said = house.run(&["policy", "check"]);
    let text = format!("{}{}", said.text(), said.err);
    assert!(text.contains("1 | [[known_issue]]") && text.contains("^^^^^^^^^^^"), "{text}");
}

/// A changed knowledge file is never hidden by the cache.
#[test]
fn the_cache_follows_the_knowledge() {
    let house = house("version: 1\n", &knowledge(closed_port()));
    refuse(&house);
    assert!(house.ask(INSTALL).is_no());
    let server = Server::start(WELL);
    house.write(".toolgate/knowledge.toml", knowledge(server.port));
    assert_eq!(house.ask(INSTALL), Answer::Silent);
    std::fs::remove_file(house.project().join(".toolgate/knowledge.toml")).unwrap();
    let mut other = house.call(INSTALL);
    other["session_id"] = json!("another");
    assert_eq!(house.ask_event(&other), Answer::Silent);
}

/// The agent cannot write what the gate knows, under either name.
#[test]
fn the_agent_does_not_write_the_knowledge() {
    let house = house("version: 1\n", &knowledge(1));
    for command in [
        "echo > .patinox/knowledge.toml",
        "rm -r .patinox",
        "sed -i s/a/b/ .toolgate/knowledge.toml",
        "mkdir -p .patinox && cp /tmp/k .patinox/knowledge.toml",
    ] {
        denied(&house.ask(command), &["gate-self-protection"]);
    }
    assert_eq!(house.ask("cat .patinox/knowledge.toml"), Answer::Silent);
}

/// S0-13: a failure's message is kept short and without secrets.
#[test]
fn a_recorded_failure_has_no_secrets() {
    let house = House::bare("version: 1\n");
    let error = format!("Exit code 1\ncurl: API_TOKEN=abcdef123456 refused {}", "x ".repeat(4000));
    failed(&house, "curl x", &error);
    let records = house.records();
    let message = records.iter().find_map(|record| record["entry"]["message"].as_str()).unwrap();
    assert!(message.contains("API_TOKEN=[redacted]") && !message.contains("abcdef123456"), "{message}");
    assert!(message.len() < 1000);
    house.run(&["ledger", "verify"]).ended(0);
}
