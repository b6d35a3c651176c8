//! A throw-away home with one agent in it, a git repository to work in, the real `toolgate`, and the scripted
//! model. Deleted at the end, kept when the test fails.

use crate::agents::Agent;
use crate::install::Program;
use crate::model::{Model, Script};
use crate::npm::path_with;
use crate::process::{Outcome, Running, Slot};
use std::cell::Cell;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::Duration;
use tempfile::TempDir;

const COMMAND_WAIT_MAX: Duration = Duration::from_secs(60);
const DUMMY_KEY: &str = "dummy-key-for-the-scripted-model";
/// An MCP server with two tools; runs on the Node the agents run on.
const MCP_SERVER: &str = include_str!("mcp_server.mjs");

pub struct Stage<'a> {
    agent: &'a Agent,
    program: &'a Program,
    folder: Option<TempDir>,
    pub home: PathBuf,
    pub work: PathBuf,
    pub model: Model,
    runs: Cell<usize>,
}

impl<'a> Stage<'a> {
    /// Furnishes the stage and installs the hook.
    pub fn set(agent: &'a Agent, program: &'a Program, policy: &str, script: Script) -> Stage<'a> {
        let folder = TempDir::with_prefix("toolgate-hosts-").expect("a temporary folder");
        // Agents compare real paths; on some systems the temporary folder is behind a link.
        let root = folder.path().canonicalize().expect("the temporary folder");
        let stage = Stage {
            agent,
            program,
            home: root.join("home"),
            work: root.join("work"),
            folder: Some(folder),
            model: Model::start(script),
            runs: Cell::new(0),
        };
        for name in ["home/.local/bin", "work", "tmp", "log"] {
            fs::create_dir_all(root.join(name)).expect("a new folder");
        }
        stage.write(root.join("mcp_server.mjs"), MCP_SERVER);
        for (path, text) in agent.files {
            stage.write(stage.home.join(path), &stage.filled(text, ""));
        }
        stage.write(stage.home.join(".gitconfig"), "[user]\nname = Dev\nemail = dev@example.com\n");
        stage.write("README.md", "A project.\n");
        stage.git(&["init", "--quiet"]);
        stage.git(&["add", "README.md"]);
        stage.git(&["commit", "--quiet", "-m", "start"]);
        stage.write(".toolgate/policy.yaml", policy);
        stage.put_toolgate();
        for args in agent.prepare {
            let args: Vec<String> = args.iter().map(|arg| stage.filled(arg, "")).collect();
            let mut command = stage.armed(&program.path);
            command.args(args);
            Running::start(command, stage.log("prepare"), Some(""), None).wait_max(COMMAND_WAIT_MAX).finish();
        }
        stage.toolgate(&["install", agent.host, "--yes"], "");
        stage
    }

    fn root(&self) -> &Path {
        self.home.parent().expect("the home has a parent")
    }

    /// Where the hook is run from. A test may put something else there.
    pub fn hook_path(&self) -> PathBuf {
        self.home.join(".local/bin/toolgate")
    }

    /// The real program, where the hook will look for it.
    fn put_toolgate(&self) {
        let real = Path::new(env!("CARGO_BIN_EXE_toolgate"));
        if fs::hard_link(real, self.hook_path()).is_err() {
            fs::copy(real, self.hook_path()).expect("a copy of toolgate");
        }
    }

    fn filled(&self, text: &str, prompt: &str) -> String {
        let path = |path: &Path| path.display().to_string();
        [
            ("{url}", self.model.url.clone()),
            ("{home}", path(&self.home)),
            ("{work}", path(&self.work)),
            ("{mcp}", path(&self.root().join("mcp_server.mjs"))),
            ("{key}", DUMMY_KEY.to_string()),
            ("{key_end}", DUMMY_KEY[DUMMY_KEY.len() - 20..].to_string()),
            ("{version}", self.agent.version.to_string()),
            ("{prompt}", prompt.to_string()),
        ]
        .iter()
        .fold(text.to_string(), |text, (name, value)| text.replace(name, value))
    }

    /// Writes a file and the folders above it. A relative path is inside the work folder.
    pub fn write(&self, path: impl AsRef<Path>, text: &str) {
        let path = self.work.join(path);
        fs::create_dir_all(path.parent().expect("a file has a folder")).expect("a new folder");
        fs::write(&path, text).expect("a new file");
    }

    /// Writes a shell script and makes it executable.
    pub fn script(&self, path: impl AsRef<Path>, text: &str) {
        let path = self.work.join(path);
        self.write(&path, &format!("#!/bin/sh\n{text}\n"));
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("an executable script");
    }

    /// The text of a file, or nothing.
    pub fn read(&self, path: impl AsRef<Path>) -> String {
        fs::read_to_string(self.work.join(path)).unwrap_or_default()
    }

    pub fn has(&self, path: impl AsRef<Path>) -> bool {
        self.work.join(path).exists()
    }

    fn git(&self, args: &[&str]) {
        let mut command = self.scrubbed(Path::new("git"));
        let output = command.args(args).output().expect("git runs");
        assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
    }

    /// Runs toolgate in the work folder as the person at the keyboard would; gives its output.
    #[track_caller]
    pub fn toolgate(&self, args: &[&str], input: &str) -> String {
        let mut command = self.scrubbed(&self.hook_path());
        command.args(args);
        let outcome = Running::start(command, self.log("toolgate"), Some(input), None)
            .wait_max(COMMAND_WAIT_MAX)
            .finish();
        let Outcome { status, stdout, stderr } = outcome;
        assert!(status.success(), "toolgate {args:?}: {status}\n{stdout}\n{stderr}");
        stdout
    }

    /// A command in the work folder that inherits nothing of the caller's environment but `PATH`.
    fn scrubbed(&self, program: &Path) -> Command {
        let path = path_with(self.program.node.as_deref().into_iter());
        let mut command = Command::new(program);
        command.current_dir(&self.work).env_clear();
        command.env("PATH", path).env("HOME", &self.home).env("TMPDIR", self.root().join("tmp"));
        command.env("TERM", "dumb").env("LANG", "C.UTF-8").env("SHELL", "/bin/bash");
        command
    }

    /// The same for what talks to the model.
    fn armed(&self, program: &Path) -> Command {
        let mut command = self.scrubbed(program);
        command.env("NO_PROXY", "127.0.0.1,localhost");
        for (name, value) in self.agent.env {
            command.env(name, self.filled(value, ""));
        }
        command
    }

    fn log(&self, name: &str) -> PathBuf {
        self.root().join("log").join(name)
    }

    /// Starts the agent; the test can act while it runs.
    pub fn start(&self) -> Running {
        let slot = Slot::take(&self.program.cache);
        let mut command = self.armed(&self.program.path);
        command.args(self.agent.args.iter().map(|arg| self.filled(arg, "do it")));
        self.runs.set(self.runs.get() + 1);
        let log = self.log(&format!("agent-{}", self.runs.get()));
        Running::start(command, log, None, Some(slot)).wait_max(Duration::from_secs(self.agent.wait_seconds))
    }

    /// Runs the agent to its end. What it leaves running is ended.
    pub fn play(&self) -> Outcome {
        let outcome = self.start().finish();
        self.sweep();
        outcome
    }

    /// Ends what runs in this home; some agents leave a service behind.
    pub fn sweep(&self) {
        let mark = format!("HOME={}\0", self.home.display()).into_bytes();
        for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
            let environment = fs::read(entry.path().join("environ")).unwrap_or_default();
            if environment.windows(mark.len()).any(|window| window == mark) {
                let pid = entry.file_name();
                drop(Command::new("kill").arg("-KILL").arg(pid).output());
            }
        }
    }

    /// Keeps the folder for a look.
    pub fn keep(&mut self) -> Option<PathBuf> {
        let kept = self.folder.take()?.keep();
        self.model.save(&kept.join("log"));
        Some(kept)
    }
}

impl Drop for Stage<'_> {
    fn drop(&mut self) {
        self.sweep();
        if thread::panicking()
            && let Some(kept) = self.keep()
        {
            eprintln!("kept for a look: {}", kept.display());
        }
    }
}
