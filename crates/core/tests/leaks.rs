//! Plain texts raise no alarm: every file of this project, and what its tools print.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    missing_docs,
    clippy::disallowed_methods
)]

use std::path::{Path, PathBuf};
use toolgate_core::{Personal, leaks};

fn texts(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap()) {
        let (path, name) = (entry.path(), entry.file_name().into_string().unwrap_or_default());
        let kind = entry.file_type().unwrap();
        if kind.is_dir() && !matches!(name.as_str(), "target" | ".git" | "node_modules") {
            texts(&path, found);
        } else if kind.is_file() {
            found.push(path);
        }
    }
}

/// `TOOLGATE_LEAK_TEXTS=FOLDER` looks at other texts, and tells instead of failing.
#[test]
fn plain_texts_raise_no_alarm() {
    let other = std::env::var_os("TOOLGATE_LEAK_TEXTS").map(PathBuf::from);
    let top = other.clone().unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."));
    let mut files = Vec::new();
    texts(&top, &mut files);
    let personal = [Personal::Card, Personal::Iban, Personal::Ssn];
    let (mut bytes, mut wrong) = (0, Vec::new());
    for file in files.iter().filter(|file| !file.ends_with("leak/tests.rs")) {
        let Ok(text) = std::fs::read_to_string(file) else { continue };
        bytes += text.len();
        for leak in leaks(&text, &personal) {
            let shown = text.get(leak.start..leak.end.min(leak.start + 60)).unwrap_or_default();
            wrong.push(format!("{}: {} {shown}", file.display(), leak.kind));
        }
    }
    if other.is_some() {
        println!("{} in {} files, {bytes} bytes:\n{}", wrong.len(), files.len(), wrong.join("\n"));
        return;
    }
    assert!(bytes > 1 << 20, "the test sees only {bytes} bytes");
    assert!(wrong.is_empty(), "{} in {bytes} bytes:\n{}", wrong.len(), wrong.join("\n"));
}
