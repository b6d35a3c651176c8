//! The plugins that are installed into hosts, run by Node in a host that is played: they hand over each call,
//! carry out the answer, and let no call run without one. Skipped, loudly, where there is no Node.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr, missing_docs)]

use std::fmt::Write as _;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use toolgate_adapters::host;

/// Plays the gate: it notes what it is sent and says what it is told to.
const GATE: &str = "#!/bin/sh\ncat >> SENT\necho >> SENT\ncat ANSWER\nEND\n";

/// Answers of the gate, and how it ends.
const ANSWERS: &[(&str, &str, &str)] = &[
    ("allow", r#"{"decision":"allow"}"#, "exit 0"),
    ("deny", r#"{"decision":"block","reason":"WHY"}"#, "exit 0"),
    ("rewrite", r#"{"modifiedArgs":{"command":"touch b"},"additionalContext":"WHY"}"#, "exit 0"),
    (
        "replace",
        r#"{"modifiedResult":{"resultType":"success","textResultForLlm":"CLEAN"},"additionalContext":"WHY"}"#,
        "exit 0",
    ),
    ("remark", r#"{"additionalContext":"WHY"}"#, "exit 0"),
    ("empty object", "{}", "exit 0"),
    ("unknown word", r#"{"decision":"maybe"}"#, "exit 0"),
    ("list", "[]", "exit 0"),
    ("garbage", "hello", "exit 0"),
    ("two answers", "{\"decision\":\"allow\"}\n{\"decision\":\"allow\"}", "exit 0"),
    ("nothing", "", "exit 0"),
    ("fails", r#"{"decision":"allow"}"#, "exit 1"),
    ("killed", "", "kill -9 $$"),
];

fn has_node() -> bool {
    let found = Command::new("node").arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    let there = found.is_ok_and(|status| status.success());
    if !there {
        eprintln!("SKIPPED: the plugins are not tested, because there is no `node`");
    }
    there
}

/// A folder with the plugin of a host, the host that is played, and no gate yet.
fn folder(name: &str, host_name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("shims-{name}"));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    let gate = format!("\"{}/toolgate\"", folder.display());
    let plugin = host(host_name).unwrap().install(None, &gate).unwrap();
    std::fs::write(folder.join("toolgate.mjs"), plugin).unwrap();
    let driver = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/shims/drive.mjs");
    std::fs::copy(driver, folder.join("drive.mjs")).unwrap();
    folder
}

fn place_gate(folder: &Path, answer: &str, end: &str) {
    let at = |name: &str| folder.join(name).display().to_string();
    std::fs::write(at("answer"), answer).unwrap();
    let text = GATE.replace("SENT", &at("sent")).replace("ANSWER", &at("answer")).replace("END", end);
    std::fs::write(at("toolgate"), text).unwrap();
    std::fs::set_permissions(at("toolgate"), std::fs::Permissions::from_mode(0o755)).unwrap();
}

fn drive(folder: &Path, name: &str) -> String {
    let ended = Command::new("node").args(["drive.mjs", name]).current_dir(folder).output().unwrap();
    let said = String::from_utf8(ended.stdout).unwrap();
    assert!(ended.status.success(), "{said}{}", String::from_utf8_lossy(&ended.stderr));
    said.replace(&folder.display().to_string(), "DIR").trim().to_owned()
}

fn played(name: &str, host_name: &str) {
    if !has_node() {
        return;
    }
    let folder = folder(name, host_name);
    let mut text = format!("missing: {}\n", drive(&folder, name));
    for (what, answer, end) in ANSWERS {
        place_gate(&folder, answer, end);
        writeln!(text, "{what}: {}", drive(&folder, name)).unwrap();
    }
    insta::assert_snapshot!(format!("shim_{name}"), text);
    // What it hands over is what the adapter reads.
    let sent = std::fs::read_to_string(folder.join("sent")).unwrap();
    let mut lines: Vec<&str> = sent.lines().filter(|line| !line.is_empty()).collect();
    lines.truncate(8);
    assert!(lines.len() >= 3, "{sent}");
    for line in lines {
        host(host_name).unwrap().decode(line.as_bytes()).unwrap_or_else(|fault| panic!("{line}\n{fault:?}"));
    }
}

#[test]
fn the_plugin_of_opencode_carries_out_every_answer() {
    played("opencode", "opencode");
}

#[test]
fn the_plugin_of_opencode_fits_version_2() {
    played("opencode-2", "opencode");
}

#[test]
fn the_plugin_of_kilo_asks_as_kilo() {
    played("kilo", "kilo");
}

#[test]
fn the_extension_of_pi_carries_out_every_answer() {
    played("pi", "pi");
}

/// The scripts of Cline answer for a gate that does not: before a call it is cancelled, after it nothing is.
#[test]
fn the_scripts_of_cline_answer_for_a_gate_that_does_not() {
    let folder = folder("cline", "cline");
    let cline = host("cline").unwrap();
    let gate = format!("\"{}/toolgate\"", folder.display());
    let companions = cline.companions(&folder.join("PreToolUse.sh"));
    std::fs::write(folder.join("PreToolUse.sh"), cline.install(None, &gate).unwrap()).unwrap();
    for one in &companions {
        assert!(one.is_program());
        std::fs::write(&one.file, one.install(None, &gate).unwrap()).unwrap();
    }
    let run = |script: &str| {
        let ended = Command::new("/bin/sh").arg(folder.join(script)).stdin(Stdio::null()).output().unwrap();
        String::from_utf8(ended.stdout).unwrap().trim().to_owned()
    };
    let mut text = String::new();
    let mut note = |what: &str| {
        for script in ["PreToolUse.sh", "PostToolUse.sh"] {
            let said = run(script);
            assert!(serde_json::from_str::<serde_json::Value>(&said).is_ok_and(|answer| answer.is_object()));
            writeln!(text, "{what}, {script}: {said}").unwrap();
        }
    };
    note("missing");
    for (what, answer, end) in [
        ("silence", "{}", "exit 0"),
        ("deny", r#"{"overrideInput":{},"context":"WHY"}"#, "exit 0"),
        ("cancel", r#"{"cancel":true,"errorMessage":"WHY"}"#, "exit 0"),
        ("garbage", "hello", "exit 0"),
        ("nothing", "", "exit 0"),
        ("fails", "{}", "exit 1"),
        ("killed", "{}", "kill -9 $$"),
    ] {
        place_gate(&folder, answer, end);
        note(what);
    }
    insta::assert_snapshot!("shim_cline", text);
}
