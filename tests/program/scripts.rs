//! Scripts a session writes and then runs, through the hook: a command that is blocked does not run from a file either.

use crate::answer::Answer;
use crate::house::{House, TICKET, finish_child};
use crate::review::{PASSPHRASE, locked, waiting};
use crate::server::Server;
use serde_json::{Value, json};
use std::process::Stdio;
use std::time::{Duration, SystemTime};

const SKIPS: &str = "git commit --no-verify -m x\n";
const FORCES: &str = "git push --force origin main\n";

fn after(house: &House, tool: &str, input: Value) {
    let mut event = house.call("true");
    event["hook_event_name"] = json!("PostToolUse");
    event["tool_name"] = json!(tool);
    event["tool_input"] = input;
    event["tool_response"] = json!({ "stdout": "" });
    house.hook(event.to_string().as_bytes()).ended(0);
}

/// The agent writes a file with its own tool, and the host says so.
fn writes(house: &House, name: &str, text: &str) {
    house.write(name, text);
    after(house, "Write", json!({ "file_path": house.project().join(name), "content": text }));
}

/// The agent runs a command, and the host says so.
fn ran(house: &House, command: &str) {
    let done = house.command("/bin/bash", &["-c", command]).status().expect("bash");
    assert!(done.success(), "{command}");
    after(house, "Bash", json!({ "command": command }));
}

#[track_caller]
fn check(house: &House, command: &str, rule: &str) {
    match (house.ask(command), rule) {
        (Answer::No(text), rule) => assert!(!rule.is_empty() && text.contains(rule), "{command}: {text}"),
        (other, rule) => assert!(rule.is_empty(), "{command}: {other:?}"),
    }
}

#[test]
fn what_is_blocked_in_a_call_is_blocked_in_a_script() {
    let python = "import subprocess\nsubprocess.run(['git', 'push', '--force'])\n";
    let node = "require('child_process').execSync('git commit -n -m x')\n";
    let package = r#"{"scripts": {"ship": "git push -f", "test": "node a.js"}}"#;
    for (name, text, runs, rule) in [
        (
            "x.sh",
            SKIPS,
            &["bash x.sh", "sh ./x.sh", ". ./x.sh", "source x.sh", "bash -x x.sh"][..],
            "git-skip-hooks",
        ),
        (
            "x.sh",
            SKIPS,
            &["bash < x.sh", "cat x.sh | sh", "xargs -n1 bash <<< x.sh", "cd . && bash x.sh"],
            "git-skip-hooks",
        ),
        (
            "bin/x",
            "#!/bin/sh\ngit commit -nm x\n",
            &["bin/x", "./bin/x now", "cd bin && ./x", "env A=1 bin/x"],
            "git-skip-hooks",
        ),
        ("x.sh", "f=--no-verify\ngit commit $f -m \"$1\"\n", &["bash x.sh y"], "git-skip-hooks"),
        ("fix.py", python, &["python3 fix.py", "python fix.py --now", "uv run fix.py"], "git-force-push"),
        ("fix.js", node, &["node fix.js"], "git-skip-hooks"),
        ("Makefile", "ship:\n\tgit push -f\n", &["make ship", "make -C . ship"], "git-force-push"),
        ("package.json", package, &["npm run ship", "yarn ship", "pnpm run ship"], "git-force-push"),
        ("drop.sql", "DROP TABLE users;\n", &["psql -f drop.sql prod", "psql prod < drop.sql"], "sql-drop"),
    ] {
        let house = House::with_policy(TICKET);
        writes(&house, name, text);
        for run in runs {
            check(&house, run, rule);
        }
        house.run(&["ledger", "verify"]).ended(0);
    }
}

#[test]
fn it_does_not_matter_how_the_script_was_written() {
    for write in [
        "printf 'git push -f\\n' > x.sh",
        "cat > x.sh <<'E'\ngit push -f\nE",
        "echo 'git push -f' | tee x.sh",
        "echo 'git push -f' > y.sh; mv y.sh x.sh",
        "echo 'git push' > x.sh; sed -i 's/push/push -f/' x.sh",
    ] {
        let house = House::with_policy(TICKET);
        ran(&house, write);
        check(&house, "bash x.sh", "git-force-push");
    }
}

#[test]
fn scripts_that_lead_to_scripts_are_followed() {
    let house = House::with_policy(TICKET);
    writes(&house, "c.sh", SKIPS);
    writes(&house, "b.sh", "bash c.sh\n");
    writes(&house, "a.sh", "cd .\nsource ./b.sh\n");
    check(&house, "bash a.sh", "git-skip-hooks");
    std::os::unix::fs::symlink("c.sh", house.project().join("link.sh")).expect("a link");
    check(&house, "sh link.sh", "git-skip-hooks");
}

/// A script knows where it lies, whoever runs it from where.
#[test]
fn scripts_find_what_lies_beside_them() {
    for first in [
        "source \"$(dirname \"$0\")/lib.sh\"\nship\n",
        "DIR=\"$(cd \"$(dirname \"${BASH_SOURCE[0]}\")\" && pwd)\"\nsource \"$DIR/lib.sh\"\nship\n",
        ". \"${0%/*}/lib.sh\"; ship\n",
        "cd \"$(dirname \"$0\")\"\nbash -c '. ./lib.sh; ship'\n",
    ] {
        let house = House::with_policy(TICKET);
        writes(&house, "bin/lib.sh", "ship() { git commit --no-verify -m x; }\n");
        writes(&house, "bin/x.sh", first);
        check(&house, "bash bin/x.sh", "git-skip-hooks");
        check(&house, "cd / && bash \"$OLDPWD/bin/x.sh\" || bash ./bin/x.sh", "");
    }
}

/// By a pattern, as a copy, with the folder around it.
#[test]
fn scripts_under_other_names_are_found() {
    for (before, run) in [
        ("", "bash x*.sh"),
        ("", "for f in s/*.sh; do bash \"$f\"; done"),
        ("", "cp x.sh y.sh && bash y.sh"),
        ("", "mv x.sh y && chmod +x y && ./y"),
        ("", "mkdir -p d && cd d && cp ../x.sh . && bash x.sh"),
        ("", "sed -i s/x/y/ x.sh && bash x.sh"),
        ("mv s t", "bash t/a.sh"),
        ("cp -r s t", "bash t/a.sh"),
        ("cp -a s/. t/", "bash t/a.sh"),
    ] {
        let house = House::with_policy(TICKET);
        writes(&house, "x.sh", SKIPS);
        writes(&house, "s/a.sh", SKIPS);
        if !before.is_empty() {
            house.write("t/keep", "");
            std::fs::remove_dir_all(house.project().join("t")).unwrap();
            ran(&house, before);
        }
        check(&house, run, "git-skip-hooks");
    }
}

/// What is added in the call itself counts with what was there.
#[test]
fn a_script_is_read_with_what_the_call_adds() {
    let house = House::with_policy(TICKET);
    writes(&house, "x.sh", "git commit \\\n");
    check(&house, "bash x.sh", "");
    check(&house, "echo ' --no-verify' >> x.sh && bash x.sh", "git-skip-hooks");
}

#[test]
fn what_the_session_did_not_write_is_the_projects_own() {
    let house = House::with_policy(TICKET);
    house.write("ship.sh", SKIPS);
    check(&house, "bash ship.sh", "");
    // It was made runnable, no more; and it is older than the session.
    let ship = std::fs::File::options().write(true).open(house.project().join("ship.sh")).expect("a file");
    ship.set_modified(SystemTime::now() - Duration::from_secs(3_600)).expect("a time");
    ran(&house, "chmod +x ship.sh");
    check(&house, "./ship.sh", "");
    ran(&house, "touch ship.sh");
    check(&house, "./ship.sh", "");
    // Another session wrote it.
    writes(&house, "x.sh", SKIPS);
    let mut other = house.call("bash x.sh");
    other["session_id"] = json!("session-2");
    assert!(!house.ask_event(&other).is_no());
}

#[test]
fn ordinary_scripts_are_left_in_peace() {
    let house = House::with_policy(TICKET);
    let build = "#!/usr/bin/env bash\nset -euo pipefail\ncd \"$(dirname \"$0\")\"\nCC=${CC:-cc}\n\"$CC\" -o a a.c\n\
                 eval \"$EXTRA\"\nfor t in \"$@\"; do \"./$t\"; done\necho 'never git commit --no-verify'\nrm -rf build\n";
    writes(&house, "build.sh", build);
    writes(
        &house,
        "app.py",
        "import os, subprocess\ncmd = os.environ['CMD']\nsubprocess.run(cmd, shell=True)\n",
    );
    writes(&house, "notes.md", "git push --force is not for us\n");
    writes(&house, "Makefile", "test:\n\tcargo test\nclean:\n\trm -rf target\n");
    for run in [
        "bash build.sh a b",
        "./build.sh",
        "python3 app.py",
        "cat notes.md",
        "make test",
        "make",
        "wc -l < notes.md",
    ] {
        check(&house, run, "");
    }
}

#[test]
fn a_yes_is_to_the_script_as_it_was() {
    let house = locked();
    writes(&house, "x.sh", FORCES);
    let first = house.ask("bash x.sh").request();
    assert_eq!(house.ask("bash x.sh").request(), first, "one question");
    house.run_with(&["inbox", "approve", &first, "--passphrase-stdin"], PASSPHRASE).ended(0);
    writes(&house, "x.sh", &format!("{FORCES}git push --force origin other\n"));
    let second = house.ask("bash x.sh").request();
    assert_ne!(first, second, "another text is another question");
    writes(&house, "x.sh", FORCES);
    check(&house, "bash x.sh", "");
    check(&house, "bash x.sh", "git-force-push");
}

#[test]
fn a_script_nobody_can_read_to_its_end_is_asked_about() {
    let house = House::with_policy(TICKET);
    let long = format!("{}{SKIPS}", "# nothing here\n".repeat(20_000));
    writes(&house, "x.sh", &long);
    check(&house, "bash x.sh", "shell-opaque");
    // No shell reads a program.
    writes(&house, "a.out", "\u{7f}ELF\0\0git push --force\n");
    check(&house, "./a.out", "");
    check(&house, "cat x.sh | wc -l", "");
    // Nor does one stop at a zero behind the first line.
    writes(&house, "z.sh", &format!("echo a\n# \0\n{SKIPS}"));
    check(&house, "bash z.sh", "git-skip-hooks");
    // By another name it is the same.
    writes(&house, "x.txt", &long);
    check(&house, "bash x.txt", "shell-opaque");
    check(&house, "python3 x.txt", "shell-opaque");
    // What is only data is not asked about.
    writes(&house, "d.json", &"[1]\n".repeat(100_000));
    writes(&house, "x.js", "const d = require('./d.json')\n");
    check(&house, "node x.js", "");
}

#[test]
fn scripts_that_lead_on_and_on_are_asked_about() {
    let house = House::with_policy(TICKET);
    for n in 0..20 {
        writes(&house, &format!("s{n}.sh"), &format!("bash s{}.sh\n", n + 1));
    }
    writes(&house, "s20.sh", SKIPS);
    check(&house, "bash s12.sh", "git-skip-hooks");
    check(&house, "bash s0.sh", "shell-opaque");
    // Nor do many files that are only looked at hide one that is run.
    let many: Vec<String> = (0..300).map(|n| format!("cat f{n}; ./no{n}")).collect();
    check(&house, &format!("{}; bash s15.sh", many.join("; ")), "git-skip-hooks");
}

/// While somebody is asked, the script changes: the yes was to another text.
#[test]
fn a_script_that_changes_meanwhile_is_asked_about_anew() {
    let house = locked();
    house.write(".toolgate/policy.yaml", "version: 1\nreview: { delivery: hold, hold_seconds: 60 }\n");
    writes(&house, "x.sh", FORCES);
    let mut command = house.toolgate(&["hook", "claude-code"]);
    let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    std::thread::scope(|scope| {
        let event = house.event("bash x.sh").to_string();
        let call = scope.spawn(move || finish_child(child, event.as_bytes()));
        let first = waiting(&house);
        house.write("x.sh", format!("{FORCES}git push --force origin other\n"));
        house.run_with(&["inbox", "approve", &first, "--passphrase-stdin"], PASSPHRASE).ended(0);
        assert_ne!(call.join().unwrap().answer().request(), first, "another question");
    });
}

/// The script becomes a pipe nobody writes to: the gate does not wait for one.
#[test]
fn a_script_that_becomes_a_pipe_is_not_waited_for() {
    let house = locked();
    house.write(".toolgate/policy.yaml", "version: 1\nreview: { delivery: hold, hold_seconds: 60 }\n");
    writes(&house, "x.sh", FORCES);
    let mut command = house.toolgate(&["hook", "claude-code"]);
    let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    std::thread::scope(|scope| {
        let event = house.event("bash x.sh").to_string();
        let call = scope.spawn(move || finish_child(child, event.as_bytes()));
        let first = waiting(&house);
        let pipe = house.command("/bin/sh", &["-c", "rm x.sh && mkfifo x.sh"]).status().expect("sh");
        assert!(pipe.success());
        house.run_with(&["inbox", "approve", &first, "--passphrase-stdin"], PASSPHRASE).ended(0);
        assert!(!call.join().unwrap().answer().is_broken());
    });
}

/// The person sees what a yes is to.
#[test]
fn the_person_is_shown_the_script() {
    let house = locked();
    writes(&house, "bin/x.sh", FORCES);
    let id = house.ask("bash bin/x.sh").request();
    let shown = house.run(&["inbox", "show", &id]).ended(0).text();
    assert!(shown.contains("# bin/x.sh") && shown.contains(FORCES.trim_end()), "{shown}");
    let said = house.run_with(
        &["inbox", "approve", &id, "--passphrase-stdin", "--always", "--pattern", "bash bin/*"],
        PASSPHRASE,
    );
    assert!(said.ended(1).err.contains("more than a command"));
}

/// A running server reads them as the hook does.
#[test]
fn a_server_reads_scripts_too() {
    let house = House::with_policy(TICKET).patient();
    let server = Server::start(&house);
    let cookie = server.come_in();
    writes(&house, "x.sh", SKIPS);
    let before = server.judged(&cookie);
    check(&house, "bash x.sh", "git-skip-hooks");
    assert_eq!(server.judged(&cookie), before + 1, "the server judged it");
}
