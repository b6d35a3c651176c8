//! Rules written as prose: what is proposed for them, and what is left as advice.

use crate::stage::{decide, policy, shell};
use serde_json::json;
use toolgate_core::{Enforceable, Sentence, sentences};

fn only(text: &str) -> Sentence {
    let found = sentences("git.mdc", text);
    assert_eq!(found.len(), 1, "{text}: {found:?}");
    found.into_iter().next().unwrap()
}

#[track_caller]
fn check(text: &str, enforceable: Enforceable, rule: serde_json::Value) {
    let found = only(text);
    assert_eq!(found.enforceable, enforceable, "{text}");
    let mut proposed = serde_json::to_value(&found.rule).unwrap();
    let kept = ["kind", "match", "require", "alternatives"];
    if let Some(rule) = proposed.as_object_mut() {
        rule.retain(|key, _| kept.contains(&key.as_str()));
        rule["match"].as_object_mut().unwrap().remove("event");
    }
    assert_eq!(proposed, rule, "{text}");
}

/// The line of each sentence, how far it is enforced, and what the rule matches.
#[track_caller]
fn proposed(text: &str, expected: &str) {
    let found = sentences("a.md", text);
    let shown = found.iter().map(|one| {
        let rule = one.rule.as_ref().map(|rule| {
            let matches = serde_json::to_string(&rule.matches).unwrap();
            let matches = matches.replace(r#""event":"pre_execution","#, "");
            let branch = rule.when.iter().flat_map(|when| when.branch.iter()).collect::<Vec<_>>().join(" ");
            format!("{} {matches} {branch}", serde_json::to_string(&rule.kind).unwrap())
        });
        format!("{}: {}", one.enforceable.name(), rule.unwrap_or_default().trim())
    });
    assert_eq!(shown.collect::<Vec<_>>().join("\n"), expected, "{text}");
}

#[test]
fn plain_sentences_are_read_for_what_they_say() {
    proposed("- Never force-push.", r#"semi-enforceable: "block" {"effect":["rewrites-remote"]}"#);
    proposed(
        "- Never amend commits.",
        r#"semi-enforceable: "block" {"command":{"program":["git"],"subcommand":["commit"],"flags":["--amend"]}}"#,
    );
    proposed("- Never `DROP TABLE`.", r#"semi-enforceable: "block" {"effect":["drops-data"]}"#);
    proposed(
        "- Don't run `make deploy` or `make release`.",
        r#"enforceable: "block" {"command":{"program":["make"],"subcommand":["deploy","release"]}}"#,
    );
    proposed(
        "- Do not delete anything in `data/`.",
        r#"enforceable: "block" {"files":{"access":["delete"],"path":["data/**"]}}"#,
    );
    proposed(
        "- Never run `kubectl delete` in production.",
        r#"semi-enforceable: "ask" {"command":{"program":["kubectl"],"subcommand":["delete"]}}"#,
    );
    proposed(
        "- Do not commit directly to `main`.",
        r#"semi-enforceable: "block" {"command":{"program":["git"],"subcommand":["commit"]}} main"#,
    );
    proposed("- Never use sudo.", r#"enforceable: "block" {"command":{"program":["sudo"]}}"#);
    proposed(
        "- Never use `curl` to download scripts.",
        r#"semi-enforceable: "warn" {"command":{"program":["curl"]}}"#,
    );
    proposed(
        "- Do not touch the `vendor` folder.",
        r#"enforceable: "block" {"files":{"access":["write","delete"],"path":["vendor/**"]}}"#,
    );
    proposed(
        "- Don't call https://api.stripe.com from scripts.",
        r#"semi-enforceable: "block" {"host":{"name":["api.stripe.com"]}}"#,
    );
    proposed("- Use yarn, not npm.", r#"semi-enforceable: "warn" {"command":{"program":["npm"]}}"#);
    proposed("- Never commit secrets.", "advisory: ");
    proposed("- Never use `any` in TypeScript.", "advisory: ");
}

#[test]
fn a_ban_of_a_command_is_a_rule() {
    let push = json!({ "command": { "program": ["git"], "subcommand": ["push"], "all_flags": ["--force"] } });
    for text in [
        "- Never run `git push --force`.",
        "1. You must not `git push --force`",
        "`git push --force` is forbidden.",
    ] {
        check(text, Enforceable::Yes, json!({ "kind": "block", "match": push }));
    }
    // Which branches are shared, only a person can say.
    check(
        "* Do not use `git push --force` on shared branches",
        Enforceable::Semi,
        json!({ "kind": "ask", "match": push }),
    );
    check("Ask before you run `git push --force`", Enforceable::Yes, json!({ "kind": "ask", "match": push }));
    check(
        "Never `git push --force` without asking",
        Enforceable::Yes,
        json!({ "kind": "ask", "match": push }),
    );
    check("Avoid `git push --force`", Enforceable::Semi, json!({ "kind": "warn", "match": push }));
}

#[test]
fn a_ban_on_files_is_a_rule() {
    let files = json!({ "files": { "access": ["write", "delete"], "path": ["src/generated/**", "*.lock"] } });
    check(
        "Don't edit `src/generated/` or `*.lock`.",
        Enforceable::Yes,
        json!({ "kind": "block", "match": files }),
    );
}

#[test]
fn plain_words_are_understood() {
    let push = json!({ "command": { "program": ["git"], "subcommand": ["push"], "all_flags": ["--force"] } });
    check("Never use git push --force.", Enforceable::Yes, json!({ "kind": "block", "match": push }));
    let to_main = json!({ "command": { "program": ["git"], "subcommand": ["push"], "args": ["main", "*:main", "*:refs/heads/main"] } });
    for text in ["Never push to main", "Do not push directly to `main`, open a pull request"] {
        check(text, Enforceable::Semi, json!({ "kind": "block", "match": to_main }));
    }
    let env = json!({ "files": { "access": ["read"], "path": [".env"] } });
    check("Do not read `.env`", Enforceable::Yes, json!({ "kind": "block", "match": env }));
    let migrations = json!({ "files": { "access": ["write", "delete"], "path": ["db/migrations"] } });
    check("Do not edit `db/migrations`", Enforceable::Yes, json!({ "kind": "block", "match": migrations }));
    let npm = json!({ "command": { "program": ["npm"] } });
    for text in ["Use pnpm instead of npm", "Prefer `pnpm` over `npm`."] {
        check(text, Enforceable::Semi, json!({ "kind": "warn", "match": npm, "alternatives": ["pnpm"] }));
    }
}

/// Whatever command a sentence forbids, the proposed rule forbids that very command.
#[test]
fn a_proposed_rule_matches_its_own_example() {
    for command in [
        "git push --force",
        "git push -f",
        "git commit --no-verify",
        "git commit -n",
        "git branch -D main",
        "terraform destroy",
        "terraform apply -auto-approve",
        "aws s3 rb",
        "gh pr merge --admin",
        "gh repo delete",
        "docker compose down -v",
        "docker system prune -a",
        "docker push",
        "kubectl delete namespace",
        "helm uninstall",
        "npm publish",
        "npm install --force",
        "pnpm publish",
        "yarn add",
        "pip install",
        "cargo publish",
        "rm -rf",
        "rm -r -f",
        "make deploy",
        "systemctl stop nginx",
        "gcloud projects delete",
        "az group delete",
        "vercel deploy --prod",
        "heroku pg:reset",
        "redis-cli flushall",
        "chmod -R 777",
        "curl -k",
    ] {
        let Some(rule) = only(&format!("Never run `{command}`")).rule else { continue };
        let id = rule.id.clone();
        let policy = policy(&json!([rule]));
        let decision = decide(&policy, &shell(command));
        assert!(decision.findings.iter().any(|one| one.guard == id), "{command}: {:?}", decision.findings);
    }
}

#[test]
fn what_holds_in_part_is_said_to() {
    let npm = json!({ "command": { "program": ["npm"], "subcommand": ["install"] } });
    check(
        "Use `pnpm add` instead of `npm install`",
        Enforceable::Semi,
        json!({ "kind": "warn", "match": npm, "alternatives": ["pnpm add"] }),
    );
    let commit = json!({ "command": { "program": ["git"], "subcommand": ["commit"] } });
    check(
        "Always run `cargo test --all` before committing",
        Enforceable::Semi,
        json!({ "kind": "require", "match": commit,
                "require": { "ran": "^cargo test --all", "fresh": true, "otherwise": "block" } }),
    );
}

#[test]
fn everything_else_is_advice_or_nothing() {
    for text in [
        "Always write clear names.",
        "Never use magic numbers",
        "Avoid `unwrap`",
        "Do not use `any` in TypeScript",
        "Prefer `Option` over `null`",
        "Ensure docs are current",
    ] {
        check(text, Enforceable::Advisory, json!(null));
    }
    for text in
        ["", "# Never run `git push --force`", "The parser reads `a b`.", "```\nnever run `git push -f`\n```"]
    {
        assert_eq!(sentences("a", text), [], "{text}");
    }
}

#[test]
fn lines_and_ids_are_told_and_front_matter_is_left_out() {
    let text = "---\ndescription: never run `rm -rf x`\n---\n\nNever run `git push -f`. Always be kind.\n";
    let found = sentences(".cursor/rules/My rules.mdc", text);
    let shown: Vec<_> = found.iter().map(|one| (one.line, one.text.as_str())).collect();
    assert_eq!(shown, [(5, "Never run `git push -f`"), (5, "Always be kind")]);
    assert_eq!(found[0].rule.as_ref().unwrap().id, "cursor-rules-my-rules-mdc-1");
    assert_eq!(found[0].rule.as_ref().unwrap().examples.matching, ["git push -f"]);
}
