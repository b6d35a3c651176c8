//! The moment of waiting, as the person at the keyboard sees it: the real Claude Code in tmux says what it waits for,
//! the bell rings, and one key in the inbox in another window answers.

use crate::gate::gated;
use crate::hooks::Level;
use crate::host::{Stage, poll};
use crate::model::{Script, bash, say};
use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::thread::sleep;
use std::time::Duration;

const WAIT_MAX: Duration = Duration::from_secs(40);

/// After the list has changed, keys are not taken as answers for a moment.
const SETTLE: Duration = Duration::from_millis(900);

/// A tmux server of its own with Claude Code in its first window. Ended when dropped.
struct Tmux<'a> {
    stage: &'a Stage,
    socket: PathBuf,
}

impl<'a> Tmux<'a> {
    /// Starts Claude Code as a person does, with a prompt. `None`, told loudly, where there is no tmux.
    fn start(stage: &'a Stage) -> Option<Tmux<'a>> {
        if Command::new("tmux").arg("-V").output().is_err() {
            eprintln!("SKIPPED: no tmux here; Claude Code was not looked at");
            return None;
        }
        // As if the person had said yes to the mode without questions before.
        let config = stage.home.join(".claude.json");
        let mut told: serde_json::Value = serde_json::from_str(&stage.read(&config)).expect("JSON");
        told["bypassPermissionsModeAccepted"] = serde_json::json!(true);
        fs::write(&config, told.to_string()).expect("the host's own file");
        let tmux = Tmux { stage, socket: stage.home.join("tmux.sock") };
        let claude =
            format!("'{}' --permission-mode bypassPermissions 'do it'", stage.claude_path().display());
        tmux.run(&[
            "-f",
            "/dev/null",
            "new-session",
            "-d",
            "-x",
            "110",
            "-y",
            "40",
            "-s",
            "s",
            "-n",
            "claude",
            &claude,
        ]);
        Some(tmux)
    }

    fn run(&self, args: &[&str]) -> String {
        let mut command = self.stage.armed("tmux".as_ref());
        // A person is there.
        command.env_remove("CI").arg("-S").arg(&self.socket).args(args);
        let said = command.output().expect("tmux runs");
        assert!(said.status.success(), "{args:?}: {}", String::from_utf8_lossy(&said.stderr));
        String::from_utf8_lossy(&said.stdout).into_owned()
    }

    /// Opens another window and runs a command in it.
    fn open(&self, window: &str, command: &str) {
        self.run(&["new-window", "-d", "-t", "s", "-n", window, command]);
    }

    fn screen(&self, window: &str) -> String {
        self.run(&["capture-pane", "-p", "-t", &format!("s:{window}")])
    }

    fn press(&self, window: &str, keys: &[&str]) {
        self.run(&[&["send-keys", "-t", &format!("s:{window}")], keys].concat());
    }

    #[track_caller]
    fn wait_for(&self, window: &str, text: &str) -> String {
        let shown = || Some(self.screen(window)).filter(|screen| screen.contains(text));
        poll(WAIT_MAX, shown).unwrap_or_else(|| panic!("no {text:?} in {window}:\n{}", self.screen(window)))
    }
}

impl Drop for Tmux<'_> {
    fn drop(&mut self) {
        let mut command = self.stage.armed("tmux".as_ref());
        drop(command.arg("-S").arg(&self.socket).arg("kill-server").output());
    }
}

/// While a call is held the screen of Claude Code says so and the bell rings; one key in the inbox answers, and the
/// agent hears the words.
#[test]
fn a_person_at_two_windows_answers_with_one_key() {
    let policy = "version: 1\nreview: { hold_seconds: 60 }\nrules:\n  - id: deploy-asks\n    kind: ask\n    match: { command: { program: deploy-tool } }\n    reason: a person decides about deploys\n";
    let script = Script::of([bash("deploy-tool live"), bash("deploy-tool staging"), say("bye")]);
    let Some(stage) = gated(Level::Project, policy, script) else { return };
    stage.program("deploy-tool", &format!("echo \"$*\" >> '{}/deploys.txt'", stage.work.display()));
    let _slot = stage.slot();
    let Some(tmux) = Tmux::start(&stage) else { return };

    tmux.wait_for("claude", "`toolgate inbox`");
    let bell = ["display-message", "-p", "-t", "s:claude", "#{window_bell_flag}"];
    poll(WAIT_MAX, || (tmux.run(&bell).trim() == "1").then_some(())).expect("the bell rings");
    tmux.open(
        "inbox",
        &format!("cd '{}' && '{}' inbox", stage.work.display(), env!("CARGO_BIN_EXE_toolgate")),
    );
    let shown = tmux.wait_for("inbox", "deploy-tool live");
    assert!(
        shown.contains("\"scripted command\" (the agent's words)") && shown.contains("deploy-asks"),
        "{shown}"
    );
    sleep(SETTLE);
    tmux.press("inbox", &["m"]);
    tmux.press("inbox", &["-l", "use the staging host"]);
    tmux.press("inbox", &["Enter"]);
    tmux.wait_for("inbox", "message goes with your answer");
    tmux.press("inbox", &["n"]);

    // The agent hears it and tries the next; the list in the open inbox follows by itself.
    tmux.wait_for("inbox", "deploy-tool staging");
    let (text, is_error) = stage.model.result(1);
    assert!(is_error && text.contains("use the staging host"), "{text}");
    sleep(SETTLE);
    tmux.press("inbox", &["y"]);
    poll(WAIT_MAX, || (stage.read("deploys.txt") == "staging\n").then_some(()))
        .expect("the approved call runs");
    tmux.wait_for("inbox", "nothing waits");
    poll(WAIT_MAX, || (stage.model.main().len() == 3).then_some(())).expect("the agent goes on");
    tmux.press("inbox", &["q"]);
    stage.toolgate(&["ledger", "verify"], "");
}
