//! `tests/requirements.md`: every requirement of the sources has a row, every
//! row names tests that exist or says why there is none.

use crate::files::{File, text_files};
use crate::nothing_wrong;
use std::collections::BTreeMap;

const PAGE: &str = "tests/requirements.md";

/// The sources, and how many requirements each has.
const SOURCES: [(&str, usize); 5] = [("S0", 28), ("S1", 60), ("S2", 67), ("S3", 27), ("S4", 19)];

struct Row {
    number: String,
    tests: Vec<String>,
    remark: String,
}

fn rows(page: &str) -> Vec<Row> {
    let cells = |line: &str| -> Vec<String> { line.split('|').map(|cell| cell.trim().to_owned()).collect() };
    page.lines()
        .filter(|line| line.starts_with("| S"))
        .map(|line| {
            let cells = cells(line);
            let tests = cells[3].split(", ").filter(|test| !test.is_empty());
            Row {
                number: cells[1].clone(),
                tests: tests.map(|test| test.trim_matches('`').to_owned()).collect(),
                remark: cells[4].clone(),
            }
        })
        .collect()
}

/// Whether the file has a test of that name.
fn has_test(files: &BTreeMap<String, File>, path: &str, name: &str) -> bool {
    let Some(file) = files.get(path) else { return false };
    let above = |at: usize| file.text[..at].lines().rev().skip(usize::from(!file.text[..at].ends_with('\n')));
    file.text.match_indices(&format!("fn {name}(")).any(|(at, _)| {
        let attributes = above(at).take_while(|line| !line.trim().is_empty()).take(6);
        attributes.into_iter().any(|line| line.trim() == "#[test]")
    })
}

#[test]
fn every_requirement_has_its_tests() {
    let files: BTreeMap<String, File> =
        text_files().into_iter().map(|file| (file.path.clone(), file)).collect();
    let page = &files.get(PAGE).expect("the page of requirements").text;
    let rows = rows(page);
    let mut wrong = Vec::new();
    let expected: Vec<String> = SOURCES
        .iter()
        .flat_map(|(source, count)| (1..=*count).map(move |number| format!("{source}-{number:02}")))
        .collect();
    let listed: Vec<String> = rows.iter().map(|row| row.number.clone()).collect();
    assert_eq!(listed, expected, "numbers missing, twice, or out of order");
    for row in &rows {
        for test in &row.tests {
            let (path, name) = test.split_once("::").unwrap_or((test, ""));
            if !has_test(&files, path, name) {
                wrong.push(format!("{}: there is no test `{test}`", row.number));
            }
        }
        if row.tests.is_empty() && row.remark.is_empty() {
            wrong.push(format!("{}: neither a test nor a reason", row.number));
        }
    }
    let open = rows.iter().filter(|row| row.remark.starts_with("open")).count();
    if !page.contains(&format!("Open: {open} of {}.", rows.len())) {
        wrong.push(format!("the page does not say that {open} of {} are open", rows.len()));
    }
    nothing_wrong(PAGE, &wrong);
}
