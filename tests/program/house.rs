//! A throw-away home with one project in it, and the program run inside.

use crate::answer::Answer;
use serde_json::{Value, json};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use tempfile::TempDir;

/// The program under test.
pub const TOOLGATE: &str = env!("CARGO_BIN_EXE_toolgate");

/// The command the gate always denies.
pub const CANARY: &str = "toolgate-canary";

/// A command the default pack asks a person about.
pub const ASKED: &str = "git push --force origin main";

/// Questions become tickets at once, so that no test waits for a person.
pub const TICKET: &str = "version: 1\nreview: { delivery: ticket }\n";

/// How a process ended and what it said.
#[derive(Debug)]
pub struct Said {
    pub out: Vec<u8>,
    pub err: String,
    /// `None` when a signal ended it.
    pub code: Option<i32>,
}

impl Said {
    pub fn text(&self) -> String {
        String::from_utf8(self.out.clone()).expect("stdout is UTF-8")
    }

    /// The one JSON object of a hook.
    #[track_caller]
    pub fn answer(&self) -> Answer {
        Answer::read(self)
    }

    /// Fails unless it ended with this code.
    #[track_caller]
    pub fn ended(self, code: i32) -> Said {
        let text = String::from_utf8_lossy(&self.out).into_owned();
        assert_eq!(self.code, Some(code), "stdout: {text}\nstderr: {}", self.err);
        self
    }
}

/// One user's home on a machine of its own.
pub struct House {
    root: TempDir,
    /// Whether hooks wait for a server however busy the machine is.
    patient: bool,
}

impl House {
    pub fn new() -> House {
        let root =
            tempfile::Builder::new().prefix("toolgate-program-").tempdir().expect("a temporary folder");
        let house = House { root, patient: false };
        std::fs::create_dir_all(house.project().join(".git")).expect("the project");
        std::fs::create_dir_all(house.home()).expect("the home");
        house
    }

    /// With this text as the project's policy.
    pub fn with_policy(text: &str) -> House {
        let house = House::new();
        house.write(".toolgate/policy.yaml", text);
        house
    }

    /// The same with hooks that wait for a server however busy the machine is.
    pub fn patient(self) -> House {
        House { patient: true, ..self }
    }

    /// With this text as the project's policy and no pack, so that a change of a pack changes nothing here.
    pub fn bare(text: &str) -> House {
        let house = House::with_policy(text);
        house.write_user("version: 1\npacks: []\n");
        house
    }

    /// Writes the user's own policy.
    pub fn write_user(&self, text: &str) {
        let folder = self.home().join(".config/toolgate");
        std::fs::create_dir_all(&folder).expect("the folder");
        std::fs::write(folder.join("policy.yaml"), text).expect("the file");
    }

    pub fn root(&self) -> &Path {
        self.root.path()
    }

    pub fn home(&self) -> PathBuf {
        self.root().join("home")
    }

    pub fn project(&self) -> PathBuf {
        self.root().join("work")
    }

    pub fn state(&self) -> PathBuf {
        self.home().join(".local/state/toolgate")
    }

    pub fn cache(&self) -> PathBuf {
        self.home().join(".cache/toolgate")
    }

    pub fn ledger(&self) -> PathBuf {
        self.state().join("ledger.sqlite")
    }

    /// Writes a file of the project.
    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        let path = self.project().join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("the folder");
        std::fs::write(path, bytes).expect("the file");
    }

    /// Reads a file of the project.
    #[track_caller]
    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.project().join(name)).expect(name)
    }

    /// Any program in the project, with nothing of the outer environment.
    pub fn command(&self, program: &str, args: &[&str]) -> Command {
        let mut command = Command::new(program);
        command.args(args).env_clear().current_dir(self.project());
        command
            .env("HOME", self.home())
            .env("PATH", "/usr/bin:/bin:/usr/sbin:/sbin")
            .env("TZ", "UTC")
            .env("USER", "ada")
            // Nobody is at the machine: no bell and no desktop notification from tests.
            .env("CI", "1");
        if self.patient {
            command.env("TOOLGATE_PATIENCE_MS", "10000");
        }
        command
    }

    pub fn toolgate(&self, args: &[&str]) -> Command {
        self.command(TOOLGATE, args)
    }

    /// Runs the program to its end.
    pub fn run(&self, args: &[&str]) -> Said {
        finish(self.toolgate(args), b"")
    }

    /// Runs the program with a text on stdin.
    pub fn run_with(&self, args: &[&str], stdin: &str) -> Said {
        finish(self.toolgate(args), stdin.as_bytes())
    }

    /// Sends bytes to the hook, from below a program of its own as hosts do: nothing below whoever asks may
    /// answer, and this process answers.
    pub fn hook(&self, stdin: &[u8]) -> Said {
        finish(self.below_agent(&["hook", "claude-code"]), stdin)
    }

    /// Runs the program to its end as an agent does.
    pub fn run_as_agent(&self, args: &[&str]) -> Said {
        finish(self.below_agent(args), b"")
    }

    /// The program below an agent nobody has heard of.
    pub fn below_agent(&self, args: &[&str]) -> Command {
        let agent = self.root().join("agent.sh");
        if !agent.exists() {
            // Put there whole: others may look for it at the same time.
            let new = tempfile::NamedTempFile::new_in(self.root()).expect("a file");
            std::fs::write(new.path(), "\"$@\"\nexit $?\n").expect("the agent");
            new.persist(&agent).expect("the agent");
        }
        let mut command = self.command("/bin/sh", &[agent.to_str().expect("a plain name"), TOOLGATE]);
        command.args(args);
        command
    }

    /// A shell command as the host would ask about it.
    pub fn event(&self, command: &str) -> Value {
        json!({
            "session_id": "session-1", "transcript_path": "/nowhere.jsonl", "cwd": self.project(),
            "permission_mode": "default", "hook_event_name": "PreToolUse", "tool_name": "Bash",
            "tool_input": { "command": command, "description": "a test" }, "tool_use_id": "toolu_1"
        })
    }

    /// Asks about a shell command.
    #[track_caller]
    pub fn ask(&self, command: &str) -> Answer {
        self.ask_event(&self.call(command))
    }

    /// The event of a call of its own: as hosts do, every call has another id.
    pub fn call(&self, command: &str) -> Value {
        static CALLS: AtomicUsize = AtomicUsize::new(0);
        let mut event = self.event(command);
        event["tool_use_id"] = json!(format!("toolu_call_{}", CALLS.fetch_add(1, Ordering::SeqCst)));
        event
    }

    #[track_caller]
    pub fn ask_event(&self, event: &Value) -> Answer {
        self.hook(event.to_string().as_bytes()).answer()
    }

    /// The records `toolgate logs` knows, oldest first.
    pub fn records(&self) -> Vec<Value> {
        let said = self.run(&["logs", "--json", "--all", "--limit", "1000000"]).ended(0);
        said.text().lines().map(|line| serde_json::from_str(line).expect("a record")).collect()
    }
}

/// Runs a command to its end with these bytes on stdin.
pub fn finish(mut command: Command, stdin: &[u8]) -> Said {
    let child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    finish_child(child, stdin)
}

pub fn finish_child(mut child: Child, stdin: &[u8]) -> Said {
    let mut pipe = child.stdin.take().expect("stdin");
    let ended = std::thread::scope(|scope| {
        // A process that does not read all of its input is a case, not a fault of the test.
        scope.spawn(move || drop(pipe.write_all(stdin)));
        child.wait_with_output().expect("the program ends")
    });
    Said {
        out: ended.stdout,
        err: String::from_utf8_lossy(&ended.stderr).into_owned(),
        code: ended.status.code(),
    }
}
