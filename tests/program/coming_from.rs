//! The examples of other systems, as they are written there.

use crate::house::{House, TICKET};
use serde_json::{Value, json};

/// `minsky supervision …`, word for word behind the name of the program.
#[test]
fn the_five_commands_of_supervision() {
    let house = House::bare("version: 1\n");
    let rule = "git commit.*--no-verify";
    let run = |args: &[&str]| house.run(&[&["supervision"][..], args].concat());
    run(&["rules", "add", "--name", "ban-no-verify", "--pattern", rule, "--action", "REJECT"]).ended(0);
    let listed = run(&["rules", "list", "--enabled"]).ended(0).text();
    assert!(listed.contains("ban-no-verify"), "{listed}");
    run(&["test", "git commit --no-verify -m 'fix'"]).ended(2);
    assert!(house.ask("git commit --no-verify -m 'fix'").is_no());
    let logs = run(&["logs", "--last", "24h", "--decisions", "REJECT,ESCALATE"]).ended(0).text();
    assert!(logs.contains("ban-no-verify"), "{logs}");
    run(&["escalation", "--auto-approve-low", "--human-required-critical"]).ended(0);
    assert!(house.ask("toolgate supervision rules remove ban-no-verify").is_no(), "not for agents");
}

#[test]
fn rules_that_modify_and_delay_are_made_on_the_command_line() {
    let house = House::bare(TICKET);
    let add = |args: &[&str]| house.run(&[&["supervision", "rules", "add"][..], args].concat());
    let commit = ["--name", "plain-commit", "--pattern", "git commit.*--no-verify", "--action", "MODIFY"];
    add(&commit).ended(1);
    add(&[&commit[..], &["--remove=--no-verify"]].concat()).ended(0);
    let said = house.run(&["test", "git commit --no-verify -m 'fix'", "--json"]).ended(0).text();
    let said: Value = serde_json::from_str(&said).unwrap();
    assert_eq!(said["modified_input"]["command"], json!("git commit -m 'fix'"), "{said}");
    let exact = ["--name", "exact", "--pattern", "npm install", "--action", "MODIFY", "--add=--save-exact"];
    add(&exact).ended(0);
    let said = house.run(&["test", "npm install left-pad", "--json"]).ended(0).text();
    assert!(said.contains("--save-exact"), "{said}");
    add(&["--name", "slow", "--pattern", "make deploy", "--action", "DELAY", "--seconds", "60"]).ended(0);
    house.run(&["test", "make deploy"]).ended(3);
    add(&["--name", "x", "--pattern", "y", "--action", "REJECT", "--seconds", "60"]).ended(1);
}

/// Every field of a rule there has one here.
#[test]
fn the_fields_of_a_rule() {
    let house = House::bare(
        "version: 1
rules:
  - id: ban-no-verify
    name: Ban --no-verify
    description: Hooks run on every commit.
    kind: REJECT
    match: { command: { program: git, subcommand: commit, flags: [--no-verify] } }
    severity: HIGH
    priority: 110
    enabled: true
    successRate: 0.95
    lastUpdated: 2026-01-31
    reason: hooks are skipped
",
    );
    let checked = house.run(&["policy", "check"]).ended(0).text();
    assert!(!checked.contains("warning"), "{checked}");
    let page = house.run(&["explain", "ban-no-verify"]).ended(0).text();
    for part in ["Hooks run on every commit.", "95 % right", "2026-01-31"] {
        assert!(page.contains(part), "{part}: {page}");
    }
}

/// The task comes from the host's environment or from the branch.
#[test]
fn a_task_is_known_by_the_environment_or_the_branch() {
    let policy = "version: 1
rules:
  - { id: no-deploy, kind: block, match: { regex: deploy }, when: { task: 'md*468' }, reason: not in this task }
";
    let house = House::bare(policy);
    assert!(!house.ask("make deploy").is_no());
    house.write(".git/HEAD", "ref: refs/heads/task/md#468-gate\n");
    assert!(house.ask("make deploy").is_no());
    house.write(".git/HEAD", "ref: refs/heads/main\n");
    assert!(!house.ask("make deploy").is_no());
    let mut hook = house.below_agent(&["hook", "claude-code"]);
    hook.env("TOOLGATE_TASK", "md#468");
    let said = crate::house::finish(hook, house.call("make deploy").to_string().as_bytes());
    assert!(said.answer().is_no());
}

/// Lists of guardrails by category, and a chain, as files.
#[test]
fn category_lists_and_chains_load_as_files() {
    let house = House::bare(TICKET);
    house.write(
        ".toolgate/guardrails/safety.yaml",
        "safety_guardrails:
  - id: safety-001
    name: destructive_command_block
    check: command does not match destructive patterns (rm -rf, DROP TABLE, force push)
    action_on_fail: block

  - id: safety-002
    name: sensitive_file_protection
    check: target file is not in protected paths (.env, credentials, keys)
    action_on_fail: block
",
    );
    house.write(
        ".toolgate/guardrails/chain.yaml",
        "pre_execution_chain:
  - guardrail: builtin-001    # priority: 1
  - guardrail: quality-004    # priority: 50
",
    );
    house.run(&["policy", "check"]).ended(0);
    assert!(house.ask("rm -rf src").text().contains("safety-001"));
    assert!(house.ask("cat .env").text().contains("safety-002"));
    house.write(".toolgate/guardrails/safety.yaml", "safety_guardrails: [{ id: safety-099 }]\n");
    let said = house.run(&["policy", "check"]).ended(1);
    assert!(format!("{}{}", said.text(), said.err).contains("safety-099"), "{said:?}");
}

/// The custom guardrail of the document, word for word.
#[test]
fn the_custom_guardrail_works_to_the_end() {
    let house = House::bare(TICKET);
    house.write(
        ".toolgate/guardrails/custom.yaml",
        r#"# Prevent implementer from modifying test files
custom_guardrail:
  id: custom-scope-001
  name: implementer_test_separation
  description: Implementer agents should not modify test files; test-writer handles tests.
  type: pre_execution
  priority: 110
  category: scope
  enabled: true
  condition:
    expression: "agent.role == 'implementer' AND action.type == 'file_write'"
    applies_to:
      agents: ["implementer-*"]
      tasks: "*"
      tools: ["Write", "Edit"]
  validation:
    check: "action.target_file does not match '**/test_*' AND '**/*_test.*'"
    action_on_fail: block
  bypass:
    allowed: true
    requires_approval: architect
    audit_required: true
"#,
    );
    let write = |path: &str| {
        let mut event = house.call("true");
        event["tool_name"] = json!("Write");
        event["tool_input"] = json!({ "file_path": house.project().join(path), "content": "x" });
        event["agent_id"] = json!("a-1");
        event["agent_type"] = json!("implementer");
        house.ask_event(&event)
    };
    assert!(write("test_login.py").text().contains("custom-scope-001"));
    assert!(!write("login.py").is_no());
}

/// The knowledge file and the example of supervisory validation.
#[test]
fn the_knowledge_file_of_supervisory_validation() {
    let house = House::bare("version: 1\n");
    house.write(
        ".patinox/knowledge.toml",
        r#"[endpoints.playwright]
name = "Playwright Server"
default_url = "http://localhost:9222"
config_key = "PLAYWRIGHT_SERVER_URL"
health_check = "/json/version"
"#,
    );
    let args =
        ["test", "--failed", "connect ECONNREFUSED 127.0.0.1:9222", "npx playwright install", "--json"];
    let said: Value = serde_json::from_str(&house.run(&args).ended(3).text()).unwrap();
    assert_eq!(said["validation_result"], json!("RequirePrerequisites"), "{said}");
    let checks = said["findings"][0]["outcome"]["check"].as_array().unwrap();
    let described: Vec<&str> = checks.iter().map(|check| check["description"].as_str().unwrap()).collect();
    assert_eq!(
        described,
        ["Verify connection endpoint configuration", "Test connectivity to configured endpoint"]
    );
}
