//! Runs the Markdown test pages: what is written there about a rule is true of the real program.
//!
//! Pages are `policies/*.md`, and those under `docs/` that hold cases. How a page is written stands in
//! `page`; how its cases are judged stands in `judged`. Every rule of every pack must be shown on its
//! page from both sides.

#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stderr,
    reason = "helpers of tests fail by panicking"
)]

mod judged;
mod page;
mod quotes;

use judged::{Answer, Stage};
use page::{Case, Page, Strictness};
use std::path::{Path, PathBuf};

/// So many cases on each side of every rule, at least.
const CASES_MIN: usize = 3;

/// Guards that are in no pack but must be shown as well.
const BUILT_IN: &[&str] = &["agent-hooks", "gate-canary", "gate-self-protection"];

fn top() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the project's folder")
}

/// Files below `folder` with an ending, in order.
fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(files(&path, ending));
        } else if path.extension().is_some_and(|own| own == ending) {
            found.push(path);
        }
    }
    found.sort();
    found
}

fn read(path: &Path, strictness: Strictness) -> Page {
    let text = std::fs::read_to_string(path).expect("a page");
    let name = path.strip_prefix(top()).expect("below the top").display().to_string();
    match page::parse(&name, &text, strictness) {
        Ok(page) => page,
        Err(faults) => panic!("{}", faults.join("\n")),
    }
}

fn pack_pages() -> Vec<Page> {
    files(&top().join("policies"), "md").iter().map(|path| read(path, Strictness::Pack)).collect()
}

fn packs() -> Vec<String> {
    let names = files(&top().join("policies"), "yaml");
    let names = names.iter().map(|path| path.file_stem().expect("a name").to_string_lossy().into_owned());
    names.filter(|name| name != "template").collect()
}

#[test]
fn every_case_of_every_page_is_true() {
    let docs = files(&top().join("docs"), "md");
    let docs = docs.iter().map(|path| read(path, Strictness::Doc));
    let pages: Vec<Page> = pack_pages().into_iter().chain(docs).collect();
    let cases: Vec<&Case> = pages.iter().flat_map(|page| &page.cases).collect();
    let Some(stage) = Stage::set() else { return };
    let judged = stage.judge(&cases);
    let wrong: Vec<String> =
        cases.iter().zip(&judged.answers).filter_map(|(case, answer)| complaint(case, answer)).collect();
    assert!(wrong.is_empty(), "{} of {} cases are wrong:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
    assert!(judged.misquoted.is_empty(), "quoted but not written:\n{}", judged.misquoted.join("\n"));
    assert!(judged.quoted > 1_000, "only {} quotations were checked", judged.quoted);
}

/// What is wrong with a case, in words.
fn complaint(case: &Case, answer: &Answer) -> Option<String> {
    let fits = answer.fits(&case.expected);
    match (case.not_yet, fits) {
        (false, true) | (true, false) => None,
        (false, false) => Some(format!(
            "{}: {}\n  expected {}\n  got      {answer}",
            case.place,
            case.title(),
            case.expected
        )),
        (true, true) => Some(format!(
            "{}: {}\n  {} holds now: move this line up to its rule",
            case.place,
            case.title(),
            case.expected
        )),
    }
}

#[test]
fn every_page_of_a_pack_has_cases() {
    let empty: Vec<String> =
        pack_pages().into_iter().filter(|page| page.cases.is_empty()).map(|page| page.name).collect();
    assert!(empty.is_empty(), "pages without a single case: {empty:?}");
}

#[test]
fn every_rule_is_shown_from_both_sides() {
    let Some(stage) = Stage::set() else { return };
    let pages = pack_pages();
    let default = stage.rules_of("default");
    let mut missing = Vec::new();
    for pack in packs() {
        let name = format!("policies/{pack}.md");
        let Some(page) = pages.iter().find(|page| page.name == name) else {
            missing.push(format!("{name} does not exist"));
            continue;
        };
        let built_in: &[&str] = if pack == "default" { BUILT_IN } else { &[] };
        // Other packs stand beside the default one.
        let own = if pack == "default" {
            default.clone()
        } else {
            stage.rules_of(&pack).into_iter().filter(|rule| !default.contains(rule)).collect()
        };
        let rules = own.into_iter().chain(built_in.iter().map(|id| (*id).to_owned()));
        missing.extend(rules.flat_map(|rule| gaps(page, &rule)));
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

/// What a page fails to show about a rule. A case counts for a rule if it names it; a case that does not
/// counts against it only in the rule's own section, where a reader looks for the border.
fn gaps(page: &Page, rule: &str) -> Vec<String> {
    let shown: Vec<&Case> = page.cases.iter().filter(|case| !case.not_yet).collect();
    let names = |case: &&&Case| case.expected.ids.contains(rule);
    let on = shown.iter().filter(names).count();
    let off = shown.iter().filter(|case| case.section == rule).filter(|case| !names(case)).count();
    let gap = |count: usize, what: &str| {
        (count < CASES_MIN)
            .then(|| format!("{}: `{rule}` has {count} cases {what}, wants {CASES_MIN}", page.name))
    };
    gap(on, "that must match").into_iter().chain(gap(off, "in its section that must not match")).collect()
}
