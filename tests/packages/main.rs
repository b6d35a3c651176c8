//! The packages for npm and pip, made by `packaging/build` from the program under test, installed from their archives
//! into empty folders without a network, and used: a call is blocked through each.
//!
//! Without npm or Python these tests are skipped, and say so.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stderr,
    missing_docs
)]

use serde_json::{Value, json};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

const BLOCKED: &str = "git commit --no-verify";

/// A home, a project and the packages, all thrown away.
struct Place {
    root: TempDir,
}

impl Place {
    /// `None`, said loudly, where one of the programs is missing.
    fn with(programs: &[&str]) -> Option<Place> {
        for program in programs {
            let there = Command::new(program).arg("--version").stdout(Stdio::null()).status();
            if !there.is_ok_and(|status| status.success()) {
                eprintln!("SKIPPED: no {program} on this machine, its package was not tried");
                return None;
            }
        }
        let place = Place { root: tempfile::Builder::new().prefix("toolgate-packages-").tempdir().unwrap() };
        fs::create_dir_all(place.path("work/.git")).unwrap();
        fs::create_dir_all(place.path("home")).unwrap();
        Some(place)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    /// A command in an environment that holds nothing of the caller's but `PATH`.
    fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new(program);
        command.env_clear().env("PATH", std::env::var_os("PATH").unwrap()).env("HOME", self.path("home"));
        // What pyenv and rustup need to find their own, if they stand in front.
        for name in ["PYENV_ROOT", "PYENV_VERSION", "TMPDIR"] {
            std::env::var_os(name).map(|value| command.env(name, value));
        }
        command.current_dir(self.path("work"));
        command
    }

    /// The program under test, without what only debuggers read where that can be taken out: packing it takes long.
    fn program(&self) -> PathBuf {
        let (whole, small) = (PathBuf::from(env!("CARGO_BIN_EXE_toolgate")), self.path("toolgate"));
        let stripped = self.command("strip").arg("-o").arg(&small).arg(&whole).stdin(Stdio::null()).output();
        if stripped.is_ok_and(|output| output.status.success()) { small } else { whole }
    }

    fn pack(&self, target: &str, out: &str) -> Vec<PathBuf> {
        let top = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let mut build = self.command("python3");
        build.arg(top.join("packaging/build")).args(["--level", "1", "--out"]).arg(self.path(out));
        build.arg(format!("{target}={}", self.program().display()));
        ended(build, 0);
        let mut made: Vec<PathBuf> =
            fs::read_dir(self.path(out)).unwrap().map(|entry| entry.unwrap().path()).collect();
        made.sort();
        made
    }
}

/// Runs it, and fails unless it ends with this code.
#[track_caller]
fn ended(mut command: Command, code: i32) -> Output {
    let output = command.stdin(Stdio::null()).output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    check_code(&command, &output, code);
    output
}

#[track_caller]
fn check_code(command: &Command, output: &Output, code: i32) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(code), "{command:?}\nstdout: {out}\nstderr: {err}");
}

/// The target this test runs on, as `packaging/build` names it.
fn target() -> Option<&'static str> {
    match (std::env::consts::OS, std::env::consts::ARCH) {
        ("linux", "x86_64") => Some("x86_64-unknown-linux-gnu"),
        ("linux", "aarch64") => Some("aarch64-unknown-linux-gnu"),
        ("macos", "x86_64") => Some("x86_64-apple-darwin"),
        ("macos", "aarch64") => Some("aarch64-apple-darwin"),
        _ => None,
    }
}

/// The installed program blocks what it should and lets pass what it may, on the command line and as a hook.
#[track_caller]
fn check_guards(place: &Place, toolgate: &Path) {
    let test = |call: &str| {
        let mut command = place.command(toolgate);
        command.args(["test", call]);
        command
    };
    ended(test(BLOCKED), 2);
    ended(test("git commit -m x"), 0);
    let hook = |call: &str, code: i32| -> String {
        let mut command = place.command(toolgate);
        let mut child = command
            .args(["hook", "claude-code"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let event = json!({
            "session_id": "s", "hook_event_name": "PreToolUse", "cwd": place.path("work"), "tool_use_id": call,
            "tool_name": "Bash", "tool_input": { "command": call },
        });
        child.stdin.take().unwrap().write_all(event.to_string().as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        check_code(&command, &output, code);
        String::from_utf8(output.stdout).unwrap()
    };
    let denied: Value = serde_json::from_str(&hook(BLOCKED, 2)).unwrap();
    assert_eq!(denied["hookSpecificOutput"]["permissionDecision"], "deny", "{denied}");
    let passed = hook("git commit -m x", 0);
    assert!(!passed.contains("deny"), "{passed}");
}

fn named<'a>(made: &'a [PathBuf], part: &str) -> &'a Path {
    let name = |path: &&PathBuf| path.file_name().unwrap().to_str().unwrap().contains(part);
    made.iter().find(name).unwrap_or_else(|| panic!("no {part} in {made:?}"))
}

#[test]
fn npm_installs_a_gate_that_blocks() {
    let (Some(target), Some(place)) = (target(), Place::with(&["npm", "node", "python3"])) else { return };
    let made = place.pack(target, "dist");
    let platform = made.iter().find(|path| {
        let name = path.file_name().unwrap().to_str().unwrap();
        name.starts_with("toolgate-linux-") || name.starts_with("toolgate-darwin-")
    });
    let main = named(&made, &format!("toolgate-{}.tgz", env!("CARGO_PKG_VERSION")));
    let install = |prefix: &str, packages: &[&Path]| {
        let mut npm = place.command("npm");
        npm.args(["install", "--global", "--offline", "--no-audit", "--no-fund", "--no-update-notifier"]);
        npm.args(["--loglevel=error", "--prefix"]).arg(place.path(prefix)).args(packages);
        ended(npm, 0);
        place.path(prefix).join("bin/toolgate")
    };
    check_guards(&place, &install("npm", &[main, platform.unwrap()]));

    // Without the program there is no answer, and a host must take that for a refusal.
    let alone = install("alone", &[main]);
    for (first, code) in [("test", 1), ("hook", 2)] {
        let mut command = place.command(&alone);
        let output = ended(std::mem::replace(command.args([first, "claude-code"]), Command::new("")), code);
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.contains("is missing\nhelp: "), "{said}");
    }
}

#[test]
fn pip_installs_a_gate_that_blocks() {
    let (Some(target), Some(place)) = (target(), Place::with(&["python3"])) else { return };
    let made = place.pack(target, "dist");
    let mut venv = place.command("python3");
    venv.args(["-m", "venv"]).arg(place.path("venv"));
    if !venv.output().is_ok_and(|output| output.status.success()) {
        eprintln!("SKIPPED: this Python has no venv, the wheel was not tried");
        return;
    }
    let mut pip = place.command(place.path("venv/bin/python"));
    pip.args(["-m", "pip", "install", "--quiet", "--no-index", "--disable-pip-version-check"]);
    pip.arg(named(&made, ".whl"));
    ended(pip, 0);
    check_guards(&place, &place.path("venv/bin/toolgate"));

    let mut pip = place.command(place.path("venv/bin/python"));
    pip.args(["-m", "pip", "uninstall", "--quiet", "--yes", "toolgate"]);
    ended(pip, 0);
    assert!(!place.path("venv/bin/toolgate").exists());
}

#[test]
fn the_archives_say_what_is_in_them() {
    let (Some(target), Some(place)) = (target(), Place::with(&["python3"])) else { return };
    let made = place.pack(target, "dist");
    let mut tar = place.command("tar");
    tar.arg("tzf").arg(named(&made, &format!("{target}.tar.gz")));
    let listed = String::from_utf8(ended(tar, 0).stdout).unwrap();
    for name in ["/toolgate\n", "/README.md\n", "/LICENSE-MIT\n", "/LICENSE-APACHE\n"] {
        assert!(listed.contains(name), "{name:?} in {listed}");
    }
    // The sums are those of the files, and the same input gives the same bytes.
    let sums = |folder: &str| fs::read_to_string(place.path(folder).join("SHA256SUMS")).unwrap();
    assert_eq!(sums("dist").lines().count(), made.len() - 1, "{made:?}");
    place.pack(target, "again");
    assert_eq!(sums("dist"), sums("again"));
    let mut check = place.command("python3");
    check.current_dir(place.path("dist")).arg("-c").arg(
        "import hashlib\nfor line in open('SHA256SUMS'):\n    want, name = line.split()\n    \
         assert hashlib.sha256(open(name, 'rb').read()).hexdigest() == want, name",
    );
    ended(check, 0);

    // A program for another system is refused before anyone installs it.
    for other in ["aarch64-apple-darwin", "x86_64-unknown-linux-gnu", "aarch64-unknown-linux-gnu"] {
        let mut build = place.command("python3");
        build.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../packaging/build")).arg("--out");
        build.arg(place.path("wrong")).arg(format!("{other}={}", env!("CARGO_BIN_EXE_toolgate")));
        if other != target {
            let said = String::from_utf8(ended(build, 1).stderr).unwrap();
            assert!(said.contains("is not built for it"), "{said}");
        }
    }
}
