//! The real Claude Code on a throw-away stage: installed once by npm, run in an empty home with a scrubbed
//! environment against the scripted model.
//!
//! Nothing here knows what toolgate decides. A machine without npm, or without a way to the package, skips
//! these tests loudly; with `TOOLGATE_E2E_REQUIRED=1` it fails instead. `TOOLGATE_E2E_CACHE` moves the
//! folder of the installed packages out of cargo's target folder.

use crate::model::{Model, Script};
use crate::npm::{node_major, package, path_with};
pub use crate::process::{Outcome, Running, Slot, poll};
use serde_json::json;
use std::env;
use std::fs::{self, File};
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::thread;
use std::time::Duration;
use tempfile::TempDir;

/// The version all facts about the host were read from.
pub const CLAUDE_CODE_VERSION: &str = "2.1.325";
const NODE_MAJOR_MIN: u32 = 22;
const RUN_WAIT_MAX: Duration = Duration::from_secs(90);
const COMMAND_WAIT_MAX: Duration = Duration::from_secs(30);
const DUMMY_KEY: &str = "dummy-key-for-the-scripted-model";

/// The installed programs.
struct Host {
    claude: PathBuf,
    /// Folder of a Node new enough for the host, when the one on `PATH` is not.
    node: Option<PathBuf>,
    cache: PathBuf,
}

/// Installs once for all tests; `None` means: say so and skip.
#[track_caller]
fn host() -> Option<&'static Host> {
    static HOST: OnceLock<Result<Host, String>> = OnceLock::new();
    match HOST.get_or_init(install) {
        Ok(host) => Some(host),
        Err(why) if env::var_os("TOOLGATE_E2E_REQUIRED").is_some_and(|value| value == "1") => {
            panic!("claude_code e2e is required: {why}")
        }
        Err(why) => {
            // Past the capture of the test runner: a skipped test must not look like a passed one.
            drop(writeln!(std::io::stderr(), "SKIPPED claude_code e2e: {why}"));
            None
        }
    }
}

fn install() -> Result<Host, String> {
    let cache = match env::var_os("TOOLGATE_E2E_CACHE").filter(|folder| !folder.is_empty()) {
        Some(folder) => PathBuf::from(folder),
        None => Path::new(env!("CARGO_TARGET_TMPDIR")).join("agents-e2e"),
    };
    fs::create_dir_all(&cache).map_err(|error| format!("cannot create {}: {error}", cache.display()))?;
    let lock = File::create(cache.join("install.lock")).map_err(|error| error.to_string())?;
    lock.lock().map_err(|error| error.to_string())?;
    let node = match node_major() {
        Some(major) if major >= NODE_MAJOR_MIN => None,
        _ => Some(package(&cache, None, "node", &NODE_MAJOR_MIN.to_string())?),
    };
    let claude = package(&cache, node.as_deref(), "@anthropic-ai/claude-code", CLAUDE_CODE_VERSION)?;
    Ok(Host { claude: claude.join("claude"), node, cache })
}

/// Whether the host asks for permissions itself.
#[derive(Clone, Copy)]
pub enum Permissions {
    /// The host asks nobody; only hooks stand between model and tool.
    Bypass,
    /// The host's own rules; headless, what would be asked is refused.
    Default,
}

/// A throw-away home, a git repository to work in, and the scripted model. Deleted at the end, kept when the
/// test fails.
pub struct Stage {
    host: &'static Host,
    folder: Option<TempDir>,
    pub home: PathBuf,
    pub work: PathBuf,
    pub model: Model,
}

impl Stage {
    /// Sets the stage, or says why not and returns `None`.
    #[track_caller]
    pub fn set(script: Script) -> Option<Stage> {
        let host = host()?;
        let folder = TempDir::with_prefix("toolgate-e2e-").expect("a temporary folder");
        // The host compares real paths; on some systems the temporary folder is behind a link.
        let root = folder.path().canonicalize().expect("the temporary folder");
        let stage = Stage {
            host,
            home: root.join("home"),
            work: root.join("work"),
            folder: Some(folder),
            model: Model::start(script),
        };
        for name in ["home", "work", "tmp", "bin", "log"] {
            fs::create_dir(root.join(name)).expect("a new folder");
        }
        stage.furnish();
        Some(stage)
    }

    fn furnish(&self) {
        let config = json!({
            "hasCompletedOnboarding": true, "theme": "dark", "autoUpdates": false,
            "customApiKeyResponses": {"approved": [&DUMMY_KEY[DUMMY_KEY.len() - 20..]], "rejected": []},
            "projects": {self.work.to_str().expect("a plain path"): {"hasTrustDialogAccepted": true}},
        });
        self.write(self.home.join(".claude.json"), &config.to_string());
        self.write(
            self.home.join(".gitconfig"),
            "[user]\nname = Dev\nemail = dev@example.com\n[init]\ndefaultBranch = main\n",
        );
        self.write(self.work.join("README.md"), "A project.\n");
        self.git(&["init", "--quiet"]);
        self.git(&["add", "README.md"]);
        self.git(&["commit", "--quiet", "-m", "start"]);
    }

    fn root(&self) -> &Path {
        self.home.parent().expect("the home has a parent")
    }

    /// Writes a file and the folders above it. A relative path is inside the work folder.
    pub fn write(&self, path: impl AsRef<Path>, text: &str) {
        let path = self.work.join(path);
        fs::create_dir_all(path.parent().expect("a file has a folder")).expect("a new folder");
        fs::write(&path, text).expect("a new file");
    }

    /// Writes a shell script and makes it executable; gives its full path.
    pub fn script(&self, path: impl AsRef<Path>, text: &str) -> PathBuf {
        let path = self.work.join(path);
        self.write(&path, &format!("#!/bin/sh\n{text}\n"));
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("an executable script");
        path
    }

    /// A program on the agent's `PATH`, outside the work folder.
    pub fn program(&self, name: &str, text: &str) -> PathBuf {
        self.script(self.root().join("bin").join(name), text)
    }

    /// The text of a file, or nothing. A relative path is inside the work folder.
    pub fn read(&self, path: impl AsRef<Path>) -> String {
        fs::read_to_string(self.work.join(path)).unwrap_or_default()
    }

    /// Is the file there?
    pub fn has(&self, path: impl AsRef<Path>) -> bool {
        self.work.join(path).exists()
    }

    /// How many model responses the host has written into its own log so far.
    pub fn answers_logged(&self) -> usize {
        let folders = fs::read_dir(self.home.join(".claude/projects")).into_iter().flatten().flatten();
        let files = folders.flat_map(|folder| fs::read_dir(folder.path()).into_iter().flatten().flatten());
        let texts = files.filter_map(|file| fs::read_to_string(file.path()).ok());
        texts.map(|text| text.matches("\"type\":\"assistant\"").count()).sum()
    }

    /// Runs git in the work folder; gives its output.
    #[track_caller]
    pub fn git(&self, args: &[&str]) -> String {
        let outcome = self.command(Path::new("git"), args, "");
        assert!(outcome.status.success(), "git {args:?}: {}", outcome.stderr);
        outcome.stdout
    }

    /// How many commits the repository has.
    #[track_caller]
    pub fn commits(&self) -> usize {
        self.git(&["rev-list", "--count", "HEAD"]).trim().parse().expect("a number of commits")
    }

    /// Runs toolgate in the work folder as the person at the keyboard would; `input` goes to its stdin.
    pub fn try_toolgate(&self, args: &[&str], input: &str) -> Outcome {
        self.command(Path::new(env!("CARGO_BIN_EXE_toolgate")), args, input)
    }

    /// The same, where anything but success is an error of the test; gives its output.
    #[track_caller]
    pub fn toolgate(&self, args: &[&str], input: &str) -> String {
        let outcome = self.try_toolgate(args, input);
        let Outcome { stdout, stderr, .. } = &outcome;
        assert!(outcome.status.success(), "toolgate {args:?}: {}\n{stdout}\n{stderr}", outcome.status);
        outcome.stdout
    }

    fn command(&self, program: &Path, args: &[&str], input: &str) -> Outcome {
        // A test may ask hundreds of times; the last output of each program is enough to look at.
        let name = program.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let mut command = self.scrubbed(program);
        command.args(args);
        Running::start(command, self.log(&name), Some(input), None).wait_max(COMMAND_WAIT_MAX).finish()
    }

    /// A command in the work folder that inherits nothing of the caller's environment but `PATH`.
    pub fn scrubbed(&self, program: &Path) -> Command {
        let bin = self.root().join("bin");
        let path = path_with([Some(bin.as_path()), self.host.node.as_deref()].into_iter().flatten());
        let mut command = Command::new(program);
        command.current_dir(&self.work).env_clear();
        command.env("PATH", path).env("HOME", &self.home).env("TMPDIR", self.root().join("tmp"));
        command.env("CI", "1").env("TERM", "dumb").env("LANG", "C.UTF-8").env("SHELL", "/bin/bash");
        command.env("XDG_STATE_HOME", self.home.join(".local/state"));
        command.env("XDG_CONFIG_HOME", self.home.join(".config"));
        command
    }

    /// The same for what talks to the scripted model, or starts what does.
    pub fn armed(&self, program: &Path) -> Command {
        let mut command = self.scrubbed(program);
        command.env("ANTHROPIC_BASE_URL", &self.model.url).env("ANTHROPIC_API_KEY", DUMMY_KEY);
        command.env("NO_PROXY", "127.0.0.1,localhost");
        for name in [
            "DISABLE_AUTOUPDATER",
            "DISABLE_TELEMETRY",
            "DISABLE_ERROR_REPORTING",
            "DISABLE_BUG_COMMAND",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC",
            // Lets the bypass mode work for root, as in a container.
            "IS_SANDBOX",
        ] {
            command.env(name, "1");
        }
        command
    }

    /// The installed program itself.
    pub fn claude_path(&self) -> &Path {
        &self.host.claude
    }

    /// Room for one more running Claude Code, until this value goes.
    pub fn slot(&self) -> Slot {
        Slot::take(&self.host.cache)
    }

    /// Where the output of one process is kept, without the ending.
    fn log(&self, name: &str) -> PathBuf {
        self.root().join("log").join(name)
    }

    /// Claude Code on this stage, not started yet.
    pub fn claude(&self) -> Run<'_> {
        Run {
            stage: self,
            prompt: "do it".to_string(),
            permissions: Permissions::Bypass,
            wait_max: RUN_WAIT_MAX,
        }
    }

    /// Runs Claude Code with all defaults to its end and expects it to end well.
    #[track_caller]
    pub fn play(&self) -> Outcome {
        let outcome = self.claude().start().finish();
        let Outcome { status, stdout, stderr } = &outcome;
        assert!(status.success(), "claude ended with {status}\n{stdout}\n{stderr}");
        outcome
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        if let Some(folder) = self.folder.take().filter(|_| thread::panicking()) {
            let kept = folder.keep();
            self.model.save(&kept.join("log"));
            eprintln!("kept for a look: {}", kept.display());
        }
    }
}

/// How Claude Code will be run.
pub struct Run<'a> {
    stage: &'a Stage,
    prompt: String,
    permissions: Permissions,
    wait_max: Duration,
}

impl Run<'_> {
    /// What the person asks for; the scripted model does not care, a hook may.
    pub fn prompt(mut self, prompt: &str) -> Self {
        self.prompt = prompt.to_string();
        self
    }

    pub fn permissions(mut self, permissions: Permissions) -> Self {
        self.permissions = permissions;
        self
    }

    /// After this time the whole process group is killed.
    pub fn wait_max(mut self, wait_max: Duration) -> Self {
        self.wait_max = wait_max;
        self
    }

    /// Starts the process; the test can act while it runs.
    pub fn start(self) -> Running {
        let slot = Slot::take(&self.stage.host.cache);
        let mut command = self.stage.armed(&self.stage.host.claude);
        command.args(["-p", &self.prompt, "--output-format", "stream-json", "--verbose"]);
        command.args([
            "--permission-mode",
            match self.permissions {
                Permissions::Bypass => "bypassPermissions",
                Permissions::Default => "default",
            },
        ]);
        let logs = (1..).map(|n| self.stage.log(&format!("claude-{n}")));
        let log = logs.into_iter().find(|log| !log.with_extension("stdout").exists()).expect("a free name");
        Running::start(command, log, None, Some(slot)).wait_max(self.wait_max)
    }
}
