//! Rules written as prose: what is proposed for them, and what is left as advice.

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

#[test]
fn a_ban_of_a_command_is_a_rule() {
    let push = json!({ "command": { "program": ["git"], "subcommand": ["push"], "all_flags": ["--force"] } });
    for text in [
        "- Never run `git push --force`.",
        "* Do not use `git push --force` on shared branches",
        "1. You must not `git push --force`",
        "`git push --force` is forbidden.",
    ] {
        check(text, Enforceable::Yes, json!({ "kind": "block", "match": push }));
    }
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
