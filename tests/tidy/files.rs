//! The files of the project, as git sees them or as they lie in the folder.

use std::path::{Path, PathBuf};

/// One text file.
pub struct File {
    /// Path from the top of the project.
    pub path: String,
    /// Its text.
    pub text: String,
}

impl File {
    /// Lines without the tests at the end of the file.
    pub fn code_lines(&self) -> usize {
        self.text.split("\n#[cfg(test)]\nmod ").next().unwrap_or_default().lines().count()
    }
}

fn top() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// Every text file outside `target` and hidden folders (but for `.ci`, `.cargo` and `.github`).
pub fn text_files() -> Vec<File> {
    let top = top();
    let mut found = Vec::new();
    let mut folders = vec![top.clone()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap().map(Result::unwrap) {
            let name = entry.file_name().to_string_lossy().into_owned();
            let hidden = name.starts_with('.') && ![".ci", ".cargo", ".github"].contains(&name.as_str());
            let kind = entry.file_type().unwrap();
            if hidden || name == "target" || kind.is_symlink() {
                continue;
            }
            if kind.is_dir() {
                folders.push(entry.path());
            } else if let Ok(text) = std::fs::read_to_string(entry.path()) {
                let path = entry.path().strip_prefix(&top).unwrap().to_string_lossy().into_owned();
                found.push(File { path, text });
            }
        }
    }
    found.sort_by(|a, b| a.path.cmp(&b.path));
    found
}

/// The Rust files.
pub fn sources() -> Vec<File> {
    let files: Vec<File> = text_files().into_iter().filter(|file| file.path.ends_with(".rs")).collect();
    assert!(files.len() > 50, "the test sees only {} Rust files", files.len());
    files
}
