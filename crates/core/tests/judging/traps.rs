//! Escalation traps: checks before an installation, questions before configuration changes and guessed addresses,
//! known issues (S0, C-24, C-25).

use crate::stage::{call, decide_in, file, layer, shell, summary};
use serde_json::{Value, json};
use toolgate_core::{
    Access, Address, Category, Context, Digest, Entry, Event, EventKind, Failure, Finding, Guard, Kind,
    Knowledge, KnowledgeEntry, Layer, Mark, Method, Outcome, Policy, Prerequisite, Record, Resulted, Seen,
    Session, Severity, Source, Verdict, compile, in_order, merge, passed_mark,
};

/// The sample of the seed (S0-23).
fn sample() -> Value {
    json!({
        "endpoints": {
            "playwright": {
                "name": "Playwright Server", "default_url": "http://localhost:9222",
                "config_key": "PLAYWRIGHT_SERVER_URL", "health_check": "/json/version",
            },
            "api": {
                "name": "Main API", "default_url": "http://api.internal:8080", "config_key": "API_BASE_URL",
            },
        },
        "known_issues": [
            {
                "symptom": "Failed to connect to Playwright server",
                "common_cause": "Wrong endpoint configuration",
                "simple_fix": "Check PLAYWRIGHT_SERVER_URL environment variable",
                "escalation_trap": "install playwright browsers",
            },
            {
                "symptom": "Connection refused",
                "common_cause": "Service not running or wrong port",
                "simple_fix": "Verify service status and port configuration",
                "escalation_trap": "install dependencies",
            },
        ],
        "practices": [{
            "name": "Connection Failures",
            "rule": "Always verify configuration before installing software",
            "validation": "Check config and test connectivity first",
        }],
    })
}

fn policy(traps: &Value, knowledge: &Value) -> Policy {
    let mut merged = merge(&[layer(Layer::Project, "test.yaml", &json!({ "traps": traps }))]);
    let knowledge: Knowledge = serde_json::from_value(knowledge.clone()).unwrap();
    let source = Source { file: "knowledge.toml".to_owned(), line: 0 };
    merged.settings.knowledge = vec![KnowledgeEntry { source, knowledge }];
    compile(&merged).unwrap()
}

fn after(messages: &[&str]) -> Session {
    let failure = |text: &&str| Failure { message: (*text).to_owned(), ..Failure::default() };
    Session { failures: messages.iter().map(failure).collect(), ..Session::new("s") }
}

#[track_caller]
fn check(traps: &Value, knowledge: &Value, failed: &[&str], event: &Event, expected: &str) {
    let decision = decide_in(&policy(traps, knowledge), event, &after(failed));
    assert_eq!(summary(event, &decision), expected, "{traps} {failed:?}\n{}", event.call.title());
}

const REFUSED: &str = "connect ECONNREFUSED 127.0.0.1:9222";

fn checks(policy: &Policy, event: &Event, session: &Session) -> Vec<Prerequisite> {
    let found =
        decide_in(policy, event, session).findings.into_iter().find_map(|finding| match finding.outcome {
            Outcome::Check(checks) => Some(checks),
            _ => None,
        });
    found.unwrap_or_default()
}

fn method(check: &Prerequisite) -> (u8, String) {
    (check.priority, check.method.to_string())
}

/// S0-14, literally: any failed connection, two checks, 10 before 9; else approved.
#[test]
fn an_installation_after_a_failed_connection_waits_for_checks() {
    let literal = json!({ "installation_prevention": { "literal": true } });
    let policy = policy(&literal, &json!({}));
    let browsers = shell("npx playwright install chromium");
    let asked = checks(&policy, &browsers, &after(&["Connection refused by somebody"]));
    let asked_for: Vec<(u8, String)> = asked.iter().map(method).collect();
    assert_eq!(
        asked_for,
        [(10, "`connection_url` is set".to_owned()), (9, "`${connection_url}` answers".to_owned())]
    );
    assert_eq!(asked[0].description, "Verify connection endpoint configuration");
    assert_eq!(asked[0].success_criteria, "Endpoint is correctly configured");
    assert_eq!(asked[1].description, "Test connectivity to configured endpoint");
    assert_eq!(asked[1].success_criteria, "Endpoint responds successfully");
    assert!(checks(&policy, &browsers, &after(&[])).is_empty());
    assert!(checks(&policy, &browsers, &after(&["2 tests failed"])).is_empty());
    assert!(checks(&policy, &shell("npm test"), &after(&[REFUSED])).is_empty());
}

/// S0-10: what counts as an installation of packages or browsers.
#[test]
fn installations_are_seen_in_every_spelling() {
    let literal = json!({ "installation_prevention": { "literal": true } });
    for command in [
        "npm install",
        "npm i -D playwright",
        "pip install playwright",
        "sudo apt-get install -y chromium",
        "npx playwright install",
        "npx -y playwright@latest install --with-deps chromium",
        "python -m playwright install",
        "npx @puppeteer/browsers install chrome@stable",
        "cd web && pnpm exec playwright install-deps",
        "brew install chromium",
    ] {
        check(&literal, &json!({}), &[REFUSED], &shell(command), "check installation_prevention");
    }
    for command in
        ["npm run install-check", "npm ls", "playwright --version", "npx playwright test", "grep install a"]
    {
        check(&literal, &json!({}), &[REFUSED], &shell(command), "allow");
    }
    let kind = Kind::Mcp { server: "playwright".to_owned(), tool: "browser_install".to_owned() };
    let tool = call("mcp__playwright__browser_install", kind, json!({}));
    check(&literal, &json!({}), &[REFUSED], &tool, "check installation_prevention");
}

/// S0-14 with knowledge: the service the failure is about, by its own setting; others do not matter.
#[test]
fn the_checks_are_about_the_service_that_failed() {
    let policy = policy(&json!({ "known_issues": { "on": false } }), &sample());
    let asked = |failed: &str| {
        let asked = checks(&policy, &shell("npm i x"), &after(&[failed]));
        asked.iter().map(|check| check.method.to_string()).collect::<Vec<_>>()
    };
    let playwright = ["`PLAYWRIGHT_SERVER_URL` is set", "`${PLAYWRIGHT_SERVER_URL}/json/version` answers"];
    assert_eq!(asked("Failed to connect to Playwright server"), playwright);
    assert_eq!(asked(REFUSED), playwright);
    assert!(asked("connect ECONNREFUSED 127.0.0.1:3000").is_empty(), "another port of this machine");
    let api = ["`API_BASE_URL` is set", "`${API_BASE_URL}` answers"];
    assert_eq!(asked("getaddrinfo ENOTFOUND api.internal:8080 http://api.internal:8080/"), api);
    assert!(asked("connect ETIMEDOUT https://registry.npmjs.org/x").is_empty(), "nothing the project knows");
}

/// S0-12, S0-15: two alternatives of two actions each; S0-03, S0-21: the practice of the project is named.
#[test]
fn alternatives_and_practices_are_said() {
    let policy = policy(&json!({}), &sample());
    let decision = decide_in(&policy, &shell("npm i x"), &after(&[REFUSED]));
    let finding = decision.findings.iter().find(|one| one.guard == "installation_prevention").unwrap();
    assert_eq!(
        finding.alternatives,
        [
            "Verify existing installation is accessible (check the installed version, test the existing connection)",
            "Check connection configuration (review the configuration, test the connectivity)",
        ]
    );
    let step = finding.remediation.as_deref().unwrap();
    assert!(step.contains("Always verify configuration before installing software"), "{step}");
    assert!(finding.message.starts_with("installation trap: "), "{}", finding.message);
}

/// C-06: by priority, higher first, those alike in their order, each once.
#[test]
fn checks_are_in_the_order_of_how_critical_they_are() {
    let one = |name: &str, priority: u8| Prerequisite {
        description: name.to_owned(),
        method: Method::ServiceStatus { service_name: name.to_owned() },
        success_criteria: String::new(),
        priority,
    };
    let given = [one("a", 3), one("b", 9), one("c", 3), one("d", 10), one("b", 1)];
    let names: Vec<String> = in_order(given).into_iter().map(|check| check.description).collect();
    assert_eq!(names, ["d", "b", "a", "c"]);
}

/// What passed in this session is not asked for again; what is left is (S0-25).
#[test]
fn what_passed_is_not_checked_again() {
    let policy = policy(&json!({ "known_issues": { "on": false } }), &sample());
    let event = shell("npm i x");
    let mut session = after(&[REFUSED]);
    let wanted = checks(&policy, &event, &session);
    assert_eq!(wanted.len(), 2);
    let facts = toolgate_core::Facts::of(&event.call, &crate::stage::places());
    let asked = policy.asks(&event.call, &facts);
    for (at, check) in wanted.iter().enumerate() {
        let mark = passed_mark(&check.method);
        assert!(asked.contains(&mark), "{asked:?}");
        session.marks.insert(mark, Mark::default());
        assert_eq!(checks(&policy, &event, &session).len(), 1 - at);
    }
    assert_eq!(decide_in(&policy, &event, &session).verdict, Verdict::Allow);
}

/// S0-16, literally; C-24: names of files and folders, exceptions, delete and move too; off by default.
#[test]
fn configuration_is_changed_with_a_yes() {
    let (on, none) = (json!({ "filesystem_safety": {} }), json!({}));
    let asked = "check filesystem_safety";
    let write = |path: &str| file(Access::Write, path);
    for path in [".env", ".env.local", "prod.env", "config/app.yml", "src/webpack.config.js", "tsconfig.json"]
    {
        check(&on, &none, &[], &write(path), asked);
        check(&none, &none, &[], &write(path), "allow");
    }
    for path in
        ["src/environment.ts", "src/event.rs", ".env.example", "docs/config.md", "README.md", "envoy/x"]
    {
        check(&on, &none, &[], &write(path), "allow");
    }
    check(&on, &none, &[], &shell("rm .env"), asked);
    check(&on, &none, &[], &shell("mv .env .env.old"), asked);
    check(&on, &none, &[], &shell("mkdir config"), asked);
    check(&on, &none, &[], &shell("cat .env config/app.yml"), "allow");
    check(&on, &none, &[], &file(Access::Read, ".env"), "allow");
    let except = json!({ "filesystem_safety": { "except": ["tsconfig*.json", "test/**"] } });
    check(&except, &none, &[], &write("web/tsconfig.build.json"), "allow");
    check(&except, &none, &[], &write("test/config/a.yml"), "allow");
    check(&except, &none, &[], &write("config/a.yml"), asked);
    let literal = json!({ "filesystem_safety": { "literal": true } });
    check(&literal, &none, &[], &write("src/environment.ts"), asked);
    check(&literal, &none, &[], &shell("rm .env"), "allow");
    let question = checks(&policy(&on, &none), &write("config/app.yml"), &after(&[]));
    assert_eq!(question[0].priority, 8);
    let Method::UserConfirmation { question } = &question[0].method else { panic!("{question:?}") };
    assert_eq!(question, "Should I modify config/app.yml? Have you verified the current config?");
}

/// S0-17, S0-11, C-25: a guessed address is asked about with both risks, unless the project declares it.
#[test]
fn a_guessed_address_is_asked_about() {
    let (on, none) = (json!({ "network_operations": {} }), json!({}));
    let asked = "ask network_operations";
    let fetch = |url: &str| call("WebFetch", Kind::Fetch { url: url.to_owned() }, json!({ "url": url }));
    check(&on, &none, &[], &fetch("http://localhost:3000/x"), asked);
    check(&on, &none, &[], &shell("curl -s http://127.0.0.1:3000/health"), asked);
    check(&on, &none, &[], &shell("curl localhost:3000"), asked);
    check(&on, &none, &[], &fetch("http://localhost:30001/"), "allow");
    check(&on, &none, &[], &fetch("http://example.org/?next=localhost:3000"), "allow");
    check(&none, &none, &[], &fetch("http://localhost:3000/"), "allow");
    let literal = json!({ "network_operations": { "literal": true } });
    check(&literal, &none, &[], &fetch("http://localhost:30001/"), asked);
    let mut declared = sample();
    declared["endpoints"]["api"]["default_url"] = json!("http://localhost:3000/v1");
    check(&on, &declared, &[], &fetch("http://localhost:3000/x"), "allow");
    let own = json!({ "network_operations": { "endpoints": ["db:5432", "localhost:8000"] } });
    check(&own, &none, &[], &fetch("http://localhost:8000/"), asked);
    check(&own, &none, &[], &fetch("http://localhost:3000/"), "allow");
    let decision = decide_in(&policy(&on, &none), &fetch("http://localhost:3000/"), &after(&[]));
    let finding = &decision.findings[0];
    assert_eq!(finding.message, "assumption trap: Request targets localhost:3000");
    assert_eq!(
        finding.evidence[1..].iter().map(|one| one.text.as_str()).collect::<Vec<_>>(),
        [
            "wrong endpoint: May not be the intended service",
            "service not running: Service may not be running on 3000"
        ]
    );
}

/// S0-22: the first known issue whose symptom was told and whose trap the call says.
#[test]
fn a_known_issue_is_mended_the_simple_way() {
    let only = json!({ "installation_prevention": { "on": false } });
    let told = "browserType.connect: Failed to connect to Playwright server at ws://localhost:3000";
    let browsers = shell("npx playwright install");
    check(&only, &sample(), &[told], &browsers, "ask escalation-trap");
    check(&only, &sample(), &[], &browsers, "allow");
    check(&only, &sample(), &["2 tests failed"], &browsers, "allow");
    check(&only, &sample(), &[told], &shell("npm test"), "allow");
    check(&only, &sample(), &[REFUSED], &shell("npm ci"), "ask escalation-trap");
    check(&only, &sample(), &[REFUSED], &shell("grep -r 'install dependencies' docs"), "allow");
    let block = json!({ "on": true, "installation_prevention": { "on": false }, "known_issues": { "answer": "block" } });
    check(&block, &sample(), &[told], &browsers, "block escalation-trap");
    let mut said = shell("make browsers");
    said.call.input["description"] = json!("Install Playwright browsers");
    let decision = decide_in(&policy(&only, &sample()), &said, &after(&[told]));
    assert_eq!(summary(&said, &decision), "ask escalation-trap");
    let finding = &decision.findings[0];
    assert_eq!(finding.alternatives, ["Check PLAYWRIGHT_SERVER_URL environment variable"]);
    assert!(finding.message.contains("Wrong endpoint configuration"), "{}", finding.message);
    let knowledge: Knowledge = serde_json::from_value(sample()).unwrap();
    let failed = after(&[told, "Connection refused"]);
    let failures: Vec<&Failure> = failed.recent_failures().collect();
    let issue =
        knowledge.detect_escalation_trap("install dependencies, install playwright browsers", &failures);
    assert_eq!(
        issue.map(|one| one.symptom.as_str()),
        Some("Failed to connect to Playwright server"),
        "the first"
    );
}

/// C-02: checks come before a person is asked, and a block before checks.
#[test]
fn checks_rank_between_a_question_and_a_block() {
    let both = "check installation_prevention,escalation-trap";
    check(&json!({}), &sample(), &[REFUSED], &shell("npm install"), both);
    let rules = json!({ "rules": [
        { "id": "no-npm", "kind": "block", "match": { "command": { "program": "npm" } }, "reason": "no" },
    ] });
    let mut merged = merge(&[layer(Layer::Project, "test.yaml", &rules)]);
    let source = Source { file: "k".to_owned(), line: 0 };
    let knowledge = serde_json::from_value(sample()).unwrap();
    merged.settings.knowledge = vec![KnowledgeEntry { source, knowledge }];
    let decision = decide_in(&compile(&merged).unwrap(), &shell("npm install"), &after(&[REFUSED]));
    assert_eq!(decision.verdict, Verdict::Block);
}

/// Defaults and layers: on with knowledge; off where one says so; on where any says so.
#[test]
fn a_trap_is_on_where_any_layer_says_so() {
    let none = json!({});
    check(&none, &none, &[REFUSED], &shell("npm install"), "allow");
    check(&json!({ "on": false }), &sample(), &[REFUSED], &shell("npm install"), "allow");
    check(&json!({ "on": true }), &none, &[], &file(Access::Write, ".env"), "check filesystem_safety");
    let says = |which: Layer, on: bool| {
        layer(which, "x.yaml", &json!({ "traps": { "filesystem_safety": { "on": on } } }))
    };
    let merged = merge(&[says(Layer::User, true), says(Layer::Project, false)]);
    let decision = decide_in(&compile(&merged).unwrap(), &file(Access::Write, ".env"), &Session::new("s"));
    assert_eq!(decision.verdict, Verdict::Check);
}

fn resulted(event: EventKind, ran: &str, message: Option<&str>) -> Record {
    let entry = Entry::Resulted(Resulted {
        event,
        call: None,
        tool: "Bash".to_owned(),
        ran: vec![ran.to_owned()],
        touched: Vec::new(),
        changed: false,
        lines: 0,
        files: None,
        message: message.map(str::to_owned),
        to: None,
        arguments: None,
    });
    let context = Context { session: "s".to_owned(), ..Context::default() };
    Record { seq: 1, time_ms: 0, prev: Digest::default(), context, entry }
}

/// S0-13: the session knows the last few failures, and forgets one whose command succeeded or that is long ago.
#[test]
fn a_session_knows_its_recent_failures() {
    let mut session = Session::new("s");
    for number in 0..8 {
        let (ran, said) = (format!("make {number}"), format!("failed {number}"));
        session = session.after(&resulted(EventKind::OnError, &ran, Some(&said)));
    }
    let said = |session: &Session| {
        session.recent_failures().map(|one| one.message.clone()).collect::<Vec<_>>().join(", ")
    };
    assert_eq!(said(&session), "failed 7, failed 6, failed 5, failed 4, failed 3");
    session = session.after(&resulted(EventKind::PostExecution, "make 6", None));
    assert_eq!(said(&session), "failed 7, failed 5, failed 4, failed 3");
    session.calls += 21;
    assert_eq!(said(&session), "");
}

#[test]
fn knowledge_that_cannot_be_meant_is_a_fault() {
    let faults = |knowledge: Value| {
        let knowledge: Knowledge = serde_json::from_value(knowledge).unwrap();
        knowledge.faults().len()
    };
    assert_eq!(faults(sample()), 0);
    let endpoint =
        |url: &str| json!({ "endpoints": { "x": { "name": "x", "default_url": url, "config_key": "X" } } });
    assert_eq!(faults(endpoint("http://x y/")), 1);
    let issue = json!({ "symptom": " ", "common_cause": "", "simple_fix": "", "escalation_trap": "a" });
    assert_eq!(faults(json!({ "known_issues": [issue] })), 1);
    assert_eq!(faults(json!({ "config_patterns": [{ "file": "../x" }, { "file": "/etc/x" }] })), 2);
    assert!(Address::parse("http://localhost:9222").is_some());
}

/// S0-24: what a rule rewrites is supervised as rewritten.
#[test]
fn a_rewritten_call_is_supervised_as_rewritten() {
    let rules = json!({ "traps": { "installation_prevention": { "literal": true } }, "rules": [{
        "id": "exact", "kind": "rewrite", "match": { "command": { "program": "npm", "subcommand": "install" } },
        "change": { "add_flags": ["--save-exact"] }, "reason": "versions are pinned",
    }] });
    let policy = compile(&merge(&[layer(Layer::Project, "test.yaml", &rules)])).unwrap();
    let event = shell("npm install x");
    let decision = decide_in(&policy, &event, &after(&[REFUSED]));
    assert_eq!(decision.verdict, Verdict::Check);
    assert!(decision.event.call.title().contains("--save-exact"), "{}", decision.event.call.title());
}

/// S0-07, C-01: each verdict has the name the seed gives it.
#[test]
fn verdicts_have_the_names_of_the_seed() {
    let names = [
        (Verdict::Allow, "Approve"),
        (Verdict::Warn, "Caution"),
        (Verdict::Ask, "RequireConfirmation"),
        (Verdict::Check, "RequirePrerequisites"),
        (Verdict::Block, "Block"),
    ];
    assert!(names.iter().all(|(verdict, name)| verdict.validation_result() == *name));
}

/// S0-05, S0-06: a validator of somebody's own has an id, says what it applies to, and joins the others with its checks.
#[test]
fn a_guard_of_ones_own_can_ask_for_checks() {
    struct Own;
    impl Guard for Own {
        fn id(&self) -> &str {
            "own"
        }
        fn priority(&self) -> u32 {
            200
        }
        fn category(&self) -> Category {
            Category::Quality
        }
        fn judge(&self, seen: &Seen<'_>) -> Option<Finding> {
            let applies = seen.event.call.tool == "Bash";
            let check = Prerequisite {
                description: "Database listens".to_owned(),
                method: Method::NetworkPing { host: "localhost".to_owned(), port: 5432 },
                success_criteria: "It accepts a connection".to_owned(),
                priority: 5,
            };
            applies.then(|| Finding {
                guard: "own".to_owned(),
                source: Source::default(),
                category: Category::Quality,
                severity: Severity::Low,
                outcome: Outcome::Check(vec![check]),
                message: "the database first".to_owned(),
                remediation: None,
                alternatives: vec!["start it".to_owned()],
                evidence: Vec::new(),
                confidence: 1.0,
                duration_us: 0,
            })
        }
    }
    let policy = policy(&json!({}), &json!({})).with_guard(Box::new(Own));
    let asked = checks(&policy, &shell("make migrate"), &after(&[]));
    assert_eq!(asked[0].method.to_string(), "something listens at localhost:5432");
}

#[test]
fn settings_that_cannot_be_meant_are_faults() {
    let traps = json!({ "traps": {
        "filesystem_safety": { "except": ["a["] }, "network_operations": { "endpoints": ["no port"] },
    } });
    let faults = compile(&merge(&[layer(Layer::Project, "test.yaml", &traps)])).unwrap_err();
    let needles: Vec<&str> = faults.iter().map(|(_, fault)| fault.needle.as_str()).collect();
    assert_eq!(needles, ["a[", "no port"]);
}
