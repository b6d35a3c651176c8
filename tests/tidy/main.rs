//! Holds the house in order: which crate may use which, how long files and
//! functions are, what no file may be called or contain.
//!
//! The limits are law; a change that needs them raised needs another shape.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice
)]

mod dependencies;
mod files;
mod functions;
mod hosts;
mod links;
mod paths;
mod requirements;
mod words;

use files::{File, sources, text_files};
use std::collections::BTreeMap;

/// Longest file, tests not counted.
const FILE_MAX: usize = 500;
/// Longest function.
const FUNCTION_MAX: usize = 70;

/// What each crate may use of the others.
const MAY_USE: &[(&str, &[&str])] = &[
    ("shell", &[]),
    ("core", &["shell"]),
    ("store", &["core"]),
    ("runtime", &["core", "store"]),
    ("adapters", &["core"]),
    ("server", &["core", "runtime", "store"]),
    ("toolgate", &["core", "runtime"]),
    ("cli", &["adapters", "core", "runtime", "server", "store"]),
];

#[track_caller]
fn nothing_wrong(what: &str, wrong: &[String]) {
    assert!(wrong.is_empty(), "{what}:\n  {}", wrong.join("\n  "));
}

#[test]
fn crates_depend_in_one_direction() {
    let allowed: BTreeMap<&str, &[&str]> = MAY_USE.iter().copied().collect();
    let mut wrong = Vec::new();
    let mut seen = 0;
    for file in text_files()
        .into_iter()
        .filter(|file| file.path.starts_with("crates/") && file.path.ends_with("Cargo.toml"))
    {
        let name = file.path.split('/').nth(1).unwrap().to_owned();
        let may = allowed
            .get(name.as_str())
            .unwrap_or_else(|| panic!("the tidy test does not know the crate `{name}`"));
        let own = file
            .text
            .split("[dependencies]")
            .nth(1)
            .unwrap_or_default()
            .split("\n[")
            .next()
            .unwrap_or_default();
        for used in own
            .lines()
            .filter_map(|line| line.strip_prefix("toolgate-"))
            .filter_map(|rest| rest.split(['.', ' ']).next())
        {
            seen += 1;
            if !may.contains(&used) {
                wrong.push(format!("{name} must not use {used}"));
            }
        }
    }
    assert!(seen > 5, "the test sees no dependencies; its reading is wrong");
    nothing_wrong("dependencies against the direction", &wrong);
}

#[test]
fn files_are_short() {
    let long = |file: &File| file.code_lines() > FILE_MAX;
    let wrong: Vec<String> = sources()
        .iter()
        .filter(|file| long(file))
        .map(|file| format!("{} has {} lines", file.path, file.code_lines()))
        .collect();
    nothing_wrong("files that are too long", &wrong);
}

#[test]
fn functions_are_short() {
    let mut wrong = Vec::new();
    let mut seen = 0;
    for file in sources() {
        for function in functions::of(&file.text) {
            seen += 1;
            if function.lines > FUNCTION_MAX {
                wrong.push(format!(
                    "{}:{} `{}` has {} lines",
                    file.path, function.line, function.name, function.lines
                ));
            }
        }
    }
    assert!(seen > 200, "the test sees only {seen} functions; its reading is wrong");
    nothing_wrong("functions that are too long", &wrong);
}

#[test]
fn no_module_is_a_drawer_for_everything() {
    let banned = ["util", "utils", "helper", "helpers", "common", "misc", "manager", "stuff"];
    let is_banned = |path: &str| path.trim_end_matches(".rs").split('/').any(|part| banned.contains(&part));
    let wrong: Vec<String> =
        sources().into_iter().map(|file| file.path).filter(|path| is_banned(path)).collect();
    nothing_wrong("modules without a noun", &wrong);
}

#[test]
fn every_module_says_what_it_is() {
    let opens = |file: &File| file.text.trim_start_matches("#![no_main]\n").starts_with("//!");
    let wrong: Vec<String> =
        sources().into_iter().filter(|file| !opens(file)).map(|file| file.path).collect();
    nothing_wrong("modules that do not open with `//!`", &wrong);
}

#[test]
fn nothing_is_left_to_do_in_silence() {
    let marks = ["todo!(", "unimplemented!(", concat!("FIX", "ME"), concat!("XX", "X")];
    let wrong: Vec<String> = sources()
        .iter()
        .filter(|file| !file.path.starts_with("tests/tidy"))
        .flat_map(|file| {
            marks
                .iter()
                .filter(|mark| file.text.contains(**mark))
                .map(|mark| format!("{}: {mark}", file.path))
                .collect::<Vec<_>>()
        })
        .collect();
    nothing_wrong("marks of unfinished work", &wrong);
}

/// The one file that may say the word: `start` gives the program its C entry.
#[test]
fn unsafe_code_is_in_one_place() {
    let word = concat!("uns", "afe");
    let says = |line: &str| {
        let code = line.split("//").next().unwrap_or_default();
        [" {", "(", " fn", " extern", " impl"].iter().any(|behind| code.contains(&format!("{word}{behind}")))
    };
    let saying: Vec<String> =
        sources().into_iter().filter(|file| file.text.lines().any(says)).map(|file| file.path).collect();
    assert_eq!(saying, ["crates/runtime/src/start.rs"]);
}

#[test]
fn unsafe_code_is_forbidden() {
    let law = text_files().into_iter().find(|file| file.path == "Cargo.toml").unwrap();
    assert!(law.text.contains("unsafe_code = \"forbid\""));
    for file in text_files()
        .iter()
        .filter(|file| file.path.starts_with("crates/") && file.path.ends_with("Cargo.toml"))
    {
        assert!(
            file.text.contains("[lints]\nworkspace = true"),
            "{} does not follow the workspace lints",
            file.path
        );
    }
}

#[test]
fn no_machine_and_no_registry_is_named() {
    // Put together here, so that this file does not name them itself.
    let registries = ["crates", "pypi", "npmjs"].map(|name| {
        format!(
            "{name}.{}",
            if name == "npmjs" {
                "com"
            } else if name == "crates" {
                "io"
            } else {
                "org"
            }
        )
    });
    let places = [
        "/work/".to_owned() + "main",
        "/work/".to_owned() + "shared",
        "../".to_owned() + "shared",
        "/root".to_owned() + "/.",
    ];
    let mut wrong = Vec::new();
    for file in text_files().iter().filter(|file| !file.path.ends_with("Cargo.lock")) {
        for name in registries.iter().chain(&places).filter(|name| file.text.contains(name.as_str())) {
            wrong.push(format!("{}: {name}", file.path));
        }
    }
    nothing_wrong("names of machines or registries", &wrong);
}

/// Where tests are modules of one program, a file nobody names would never run.
#[test]
fn no_test_file_is_forgotten() {
    let files = text_files();
    let text = |path: &str| files.iter().find(|file| file.path == path).map(|file| file.text.as_str());
    let (mut wrong, mut seen) = (Vec::new(), 0);
    for file in &files {
        let parts: Vec<&str> = file.path.split('/').collect();
        let ["crates", name, "tests", module] = parts.as_slice() else { continue };
        let manifest = text(&format!("crates/{name}/Cargo.toml")).unwrap();
        let (Some(module), true) = (module.strip_suffix(".rs"), manifest.contains("\nautotests = false"))
        else {
            continue;
        };
        seen += 1;
        let main = text(&format!("crates/{name}/tests/main.rs")).unwrap();
        let own = manifest.contains(&format!("path = \"tests/{module}.rs\""));
        if !own && !main.contains(&format!("\nmod {module};\n")) {
            wrong.push(file.path.clone());
        }
    }
    nothing_wrong("tests that never run", &wrong);
    assert!(seen > 20, "only {seen} files were seen");
}

#[test]
fn each_dependency_has_a_reason() {
    let root = text_files().into_iter().find(|file| file.path == "Cargo.toml").unwrap();
    let section = root.text.split("[workspace.dependencies]").nth(1).unwrap().split("\n[").next().unwrap();
    let wrong: Vec<String> = section
        .lines()
        .filter(|line| line.contains('=') && !line.starts_with('#') && !line.starts_with("toolgate-"))
        .filter(|line| line.rsplit_once(" # ").is_none_or(|(_, reason)| reason.len() < 10))
        .map(str::to_owned)
        .collect();
    nothing_wrong("dependencies without a reason", &wrong);
}
