//! Ways for the hook to fail. Each replaces the real `toolgate` after the real installation; what the host makes of
//! it is observed, and what Toolgate does about it is said.

use crate::agents::Agent;
use crate::install::Program;
use crate::model::{Script, Wish, say, wish};
use crate::stage::Stage;
use std::fs;
use std::path::Path;
use toolgate_adapters::{Host, Level};

/// One way to fail.
pub struct Failure {
    pub name: &'static str,
    /// What the hook does, as the end of a sentence.
    pub what: &'static str,
    /// The shell script in place of `toolgate`; empty if there is none.
    pub hook: &'static str,
    /// What Toolgate does about it.
    pub care: &'static str,
}

pub const FAILURES: &[Failure] = &[
    Failure {
        name: "crash",
        what: "ends with an error",
        hook: "echo broken >&2; exit 1",
        care: "errors and panics are caught and answered with a block",
    },
    Failure {
        name: "killed",
        what: "is killed",
        hook: "kill -KILL $$",
        care: "nothing it could do where the host lets the call run; the hook takes milliseconds",
    },
    Failure {
        name: "timeout",
        what: "is too slow",
        hook: "exec sleep 25",
        care: "the answer is sent well before the host's limit, a held call included",
    },
    Failure {
        name: "garbage",
        what: "writes text instead of JSON",
        hook: "echo 'no JSON'",
        care: "exactly one JSON object is written, in one piece",
    },
    Failure {
        name: "truncated",
        what: "answers half of its JSON",
        hook: "printf '{\"hookSpecificOutput\":{\"perm'",
        care: "exactly one JSON object is written, in one piece",
    },
    Failure {
        name: "missing",
        what: "is missing",
        hook: "",
        care: "`toolgate doctor` and `toolgate status` report it",
    },
];

/// What the host does with a call.
pub fn observe(agent: &Agent, host: &dyn Host, program: &Program, failure: &Failure) -> String {
    let script = Script::of([wish([Wish::Shell("touch ran.txt".into())]), say("bye")]);
    let stage = Stage::set(agent, program, "version: 1\n", script);
    let settings = host.settings_file(Level::User, &stage.home, &stage.work);
    if failure.name == "timeout" {
        shorten_limits(&settings);
        trust_again(host, &stage, &settings);
    }
    fs::remove_file(stage.hook_path()).expect("the hook was installed");
    let called = stage.home.join("hook-was-called");
    if !failure.hook.is_empty() {
        stage.script(stage.hook_path(), &format!("touch '{}'\n{}", called.display(), failure.hook));
    }
    stage.play();
    assert!(failure.hook.is_empty() || called.exists(), "{}: the hook was never called", failure.name);
    let was_asked = !stage.model.main().is_empty();
    match (stage.has("ran.txt"), was_asked) {
        (true, _) => "runs",
        (false, true) => "blocked",
        // The first event a host sends is the prompt.
        (false, false) => "blocked, and the prompt too",
    }
    .to_string()
}

/// Some hosts run only hooks they know, byte for byte.
fn trust_again(host: &dyn Host, stage: &Stage<'_>, settings: &Path) {
    let Some(file) = host.trust_file(&stage.home) else { return };
    let (trust, hooks) = (fs::read(&file).expect("its own settings"), fs::read(settings).expect("the hooks"));
    let trust = host.trusted(&trust, settings, &hooks).expect("settings that can be read");
    fs::write(file, trust).expect("its own settings");
}

/// Makes the host's time limits for the hook short enough to wait for.
fn shorten_limits(settings: &Path) {
    // Where it is a folder of scripts, the limit is the host's own.
    let Ok(text) = fs::read_to_string(settings) else { return };
    let mut short = String::new();
    for line in text.split_inclusive('\n') {
        let is_limit = line.contains("imeout") && line.contains(|sign: char| sign.is_ascii_digit());
        short += &if is_limit { shortened(line) } else { line.to_string() };
    }
    fs::write(settings, short).expect("the settings the hook is in");
}

/// The line with its number, of seconds or milliseconds, a thirtieth.
fn shortened(line: &str) -> String {
    let start = line.rfind(|sign: char| sign.is_ascii_digit()).expect("a digit") + 1;
    let head = line[..start].trim_end_matches(|sign: char| sign.is_ascii_digit());
    let number: u64 = line[head.len()..start].parse().expect("a number");
    format!("{head}{}{}", number / 30, &line[start..])
}
