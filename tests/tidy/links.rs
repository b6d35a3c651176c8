//! Links between the pages of the project lead to files and headings that exist.

use crate::files::{File, text_files};
use crate::nothing_wrong;

/// The pages, without what is in blocks of code.
fn pages() -> Vec<File> {
    let pages = text_files().into_iter().filter(|file| file.path.ends_with(".md"));
    pages.map(|file| File { text: without_code(&file.text), path: file.path }).collect()
}

fn without_code(text: &str) -> String {
    let mut inside = false;
    let lines = text.lines().filter(|line| {
        let fence = line.trim_start().starts_with("```");
        inside ^= fence;
        !inside && !fence
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Where the links of a page lead: what is in `](…)`.
fn links(text: &str) -> impl Iterator<Item = &str> {
    text.split("](").skip(1).filter_map(|rest| rest.split_once(')')).map(|(link, _)| link)
}

/// The name a heading gets in the address of its page.
fn anchor(heading: &str) -> String {
    let lower = heading.trim().to_lowercase().replace(' ', "-");
    lower.chars().filter(|c| c.is_alphanumeric() || "-_".contains(*c)).collect()
}

/// A path relative to the folder of a page, without `..`.
fn resolved(page: &str, link: &str) -> String {
    let mut parts: Vec<&str> = page.split('/').collect();
    parts.pop();
    for part in link.split('/').filter(|part| !part.is_empty() && *part != ".") {
        if part == ".." {
            parts.pop();
        } else {
            parts.push(part);
        }
    }
    parts.join("/")
}

#[test]
fn links_lead_somewhere() {
    let pages = pages();
    let paths: Vec<String> = text_files().into_iter().map(|file| file.path).collect();
    let exists = |path: &str| paths.iter().any(|file| file == path || file.starts_with(&format!("{path}/")));
    let (mut wrong, mut seen) = (Vec::new(), 0);
    for page in &pages {
        for link in links(&page.text).filter(|link| !link.contains(':') && !link.contains(' ')) {
            seen += 1;
            let (file, heading) = link.split_once('#').unwrap_or((link, ""));
            let target = if file.is_empty() { page.path.clone() } else { resolved(&page.path, file) };
            if !exists(&target) {
                wrong.push(format!("{}: `{link}`", page.path));
                continue;
            }
            let Some(there) = pages.iter().find(|page| page.path == target) else { continue };
            let mut headings = there.text.lines().filter(|line| line.starts_with('#'));
            let found = headings.any(|line| anchor(line.trim_start_matches('#')) == heading);
            if !heading.is_empty() && !found {
                wrong.push(format!("{}: `{link}` (no such heading)", page.path));
            }
        }
    }
    assert!(seen > 50, "only {seen} links were seen");
    nothing_wrong("links that lead nowhere", &wrong);
}
