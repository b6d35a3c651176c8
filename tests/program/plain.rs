//! Makes what the program says the same on every machine and every day, for snapshots.

use crate::house::{House, TOOLGATE};
use std::path::Path;

/// The text without folders of this machine, hashes, ids, times and durations.
pub fn plain(house: &House, text: &str) -> String {
    let folder = Path::new(TOOLGATE).parent().expect("a folder").display().to_string();
    let text = text
        .replace(&house.root().display().to_string(), "[ROOT]")
        .replace(TOOLGATE, "[TOOLGATE]")
        .replace(&folder, "[BIN]");
    let text = without_times(&text);
    // The pack grows; where in it a rule stands is not what these tests are about.
    let keys = ["\"duration_us\":", "\"time_ms\":", "policies/default.yaml:"];
    keys.iter().fold(without_ids(&text), |text, key| without_numbers_of(key, &text))
}

/// Runs of hex: ids of ten digits, hashes of twelve and more.
fn without_ids(text: &str) -> String {
    let mut out = String::new();
    let mut run = String::new();
    for c in text.chars().chain(['\n']) {
        if c.is_ascii_digit() || ('a'..='f').contains(&c) {
            run.push(c);
            continue;
        }
        match run.len() {
            10 if out.ends_with("r-") || out.ends_with("d-") => out.push_str("[ID]"),
            12.. => out.push_str("[HASH]"),
            _ => out.push_str(&run),
        }
        run.clear();
        out.push(c);
    }
    out.pop();
    out
}

/// `2026-11-15 10:00:00 UTC` anywhere.
fn without_times(text: &str) -> String {
    let shape =
        |piece: &str| piece.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect::<String>();
    let mut out = String::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        match rest.get(..19) {
            Some(piece) if shape(piece) == "0000-00-00 00:00:00" => {
                out.push_str("[TIME]");
                let zone = rest[20..].find([' ', '\n', ';', ',', ')']).map_or(rest.len(), |end| 20 + end);
                rest = &rest[zone..];
            }
            _ => {
                out.push(first);
                rest = &rest[first.len_utf8()..];
            }
        }
    }
    out
}

fn without_numbers_of(key: &str, text: &str) -> String {
    let mut parts = text.split(key);
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |out, part| {
        format!("{out}{key}0{}", part.trim_start_matches(|c: char| c.is_ascii_digit()))
    })
}
