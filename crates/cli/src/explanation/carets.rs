//! Puts carets under bytes of a text: hidden characters made visible, wide
//! ones counted as two columns, long lines cut around the carets.

use crate::screen::{DIM, styled, visible};
use anstyle::Style;
use serde_json::{Value, json};
use toolgate_core::shell::Span;
use unicode_width::UnicodeWidthStr;

/// What a tab is shown as.
const TAB: &str = "    ";

/// Lines of one stretch that get carets; the rest is left out.
const LINES_MAX: usize = 4;

/// One character of a line as it is shown.
struct Cell {
    /// First byte in the text.
    at: usize,
    shown: String,
    columns: usize,
}

impl Cell {
    fn new(at: usize, found: char) -> Cell {
        let shown = if found == '\t' { TAB.to_owned() } else { visible(found.encode_utf8(&mut [0; 4])) };
        let columns = shown.width();
        Cell { at, shown, columns }
    }
}

/// The lines of a text, hidden characters made visible.
pub fn lines(text: &str) -> Vec<String> {
    rows(text).iter().map(|row| row.iter().map(|cell| cell.shown.as_str()).collect()).collect()
}

/// At most `width` columns of a line that is shown already.
pub fn cut(line: &str, width: usize) -> String {
    if line.width() <= width {
        return line.to_owned();
    }
    let mut taken = 0_usize;
    let fits = |found: &char| {
        taken = taken.saturating_add(found.encode_utf8(&mut [0; 4]).width());
        taken < width
    };
    line.chars().take_while(fits).chain(['…']).collect()
}

/// Each stretch as data: bytes, line and column from 1, the text itself.
pub fn places(text: &str, spans: &[Span]) -> Vec<Value> {
    let place = |span: &Span| {
        let before = text.get(..span.start).unwrap_or_default();
        let start = before.rfind('\n').map_or(0, |at| at.saturating_add(1));
        json!({
            "start": span.start,
            "end": span.end,
            "line": before.matches('\n').count().saturating_add(1),
            "column": before.get(start..).unwrap_or_default().chars().count().saturating_add(1),
            "text": text.get(span.start..span.end).unwrap_or_default(),
        })
    };
    spans.iter().map(place).collect()
}

/// The lines the spans stand in, each with carets below.
pub fn under(text: &str, spans: &[Span], width: usize, style: Style) -> Vec<String> {
    let rows = rows(text);
    let digits = rows.len().to_string().len();
    let blank = " ".repeat(digits);
    let mut out = Vec::new();
    let mut left_out = false;
    let mut from_one = 0;
    let mut last_span = None;
    for (number, row) in (1..).zip(&rows) {
        let marked: Vec<bool> =
            row.iter().map(|cell| spans.iter().any(|span| holds(*span, cell.at))).collect();
        let first = row.iter().zip(&marked).find(|(_, marked)| **marked).map(|(cell, _)| cell.at);
        let Some(first) = first else { continue };
        // A stretch over many lines, such as a here-document, shows its first few.
        let span = spans.iter().position(|span| holds(*span, first));
        from_one = if span == last_span { from_one + 1 } else { 1 };
        last_span = span;
        if from_one > LINES_MAX {
            left_out = true;
            continue;
        }
        for (line, carets) in windows(row, &marked, width) {
            out.push(format!("{} {line}", styled(DIM, &format!("{number:>digits$} |"))));
            out.push(format!("{} {}", styled(DIM, &format!("{blank} |")), styled(style, &carets)));
        }
    }
    if left_out {
        out.push(styled(DIM, &format!("{blank} | …")));
    }
    out
}

/// Every line in full, folded at `width` columns if one is given, each with the carets below it
/// where it holds marked bytes.
pub fn through(text: &str, spans: &[Span], width: Option<usize>) -> Vec<(String, Option<String>)> {
    let width = width.unwrap_or(usize::MAX).max(1);
    let mut lines = Vec::new();
    for row in rows(text) {
        let mut rest = row.as_slice();
        loop {
            let mut columns = 0_usize;
            let fits = |cell: &&Cell| {
                columns = columns.saturating_add(cell.columns);
                columns <= width
            };
            let count = rest.iter().take_while(fits).count().max(1).min(rest.len());
            let (now, later) = rest.split_at(count);
            let line: String = now.iter().map(|cell| cell.shown.as_str()).collect();
            let caret = |cell: &Cell| {
                let is_marked = spans.iter().any(|span| holds(*span, cell.at));
                if is_marked { "^" } else { " " }.repeat(cell.columns)
            };
            let carets: String = now.iter().map(caret).collect();
            let carets = carets.trim_end();
            lines.push((line, (!carets.is_empty()).then(|| carets.to_owned())));
            rest = later;
            if rest.is_empty() {
                break;
            }
        }
    }
    lines
}

fn holds(span: Span, at: usize) -> bool {
    span.start <= at && at < span.end
}

fn rows(text: &str) -> Vec<Vec<Cell>> {
    let mut rows = vec![Vec::new()];
    for (at, found) in text.char_indices() {
        if found == '\n' {
            rows.push(Vec::new());
        } else if let Some(row) = rows.last_mut() {
            row.push(Cell::new(at, found));
        }
    }
    if rows.len() > 1 && rows.last().is_some_and(Vec::is_empty) {
        rows.pop();
    }
    rows
}

/// A short line as a whole; a long one as pieces around its carets.
fn windows(row: &[Cell], marked: &[bool], width: usize) -> Vec<(String, String)> {
    let total: usize = row.iter().map(|cell| cell.columns).sum();
    if total <= width {
        return vec![drawn(row, marked, 0, row.len())];
    }
    let lead = width / 4;
    let mut pieces = Vec::new();
    let mut next = 0;
    while let Some(first) = (next..row.len()).find(|at| marked.get(*at) == Some(&true)) {
        let start = first.saturating_sub(lead);
        let mut columns = 0_usize;
        let fits = |cell: &&Cell| {
            columns = columns.saturating_add(cell.columns);
            columns <= width
        };
        let end = start
            .saturating_add(row.iter().skip(start).take_while(fits).count())
            .max(first.saturating_add(1));
        pieces.push(drawn(row, marked, start, end));
        // The rest of a stretch that was cut is not shown again.
        next = (end..row.len()).find(|at| marked.get(*at) == Some(&false)).unwrap_or(row.len());
        if marked.get(end.saturating_sub(1)) == Some(&false) {
            next = end;
        }
    }
    pieces
}

fn drawn(row: &[Cell], marked: &[bool], start: usize, end: usize) -> (String, String) {
    let before = if start > 0 { "…" } else { "" };
    let after = if end < row.len() { "…" } else { "" };
    let cells = || row.iter().zip(marked).skip(start).take(end.saturating_sub(start));
    let line: String = cells().map(|(cell, _)| cell.shown.as_str()).collect();
    let carets: String =
        cells().map(|(cell, marked)| if *marked { "^" } else { " " }.repeat(cell.columns)).collect();
    (format!("{before}{line}{after}"), format!("{}{}", " ".repeat(before.width()), carets.trim_end()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lines with carets under `needle`.
    #[track_caller]
    fn check(text: &str, needle: &str, width: usize, expected: &[&str]) {
        let start = text.find(needle).unwrap_or_default();
        let span = Span { start, end: start + needle.len() };
        assert_eq!(
            under(text, &[span], width, Style::new())
                .iter()
                .map(|line| anstream::adapter::strip_str(line).to_string())
                .collect::<Vec<_>>(),
            expected
        );
    }

    #[test]
    fn carets_stand_under_the_bytes() {
        check("a bc d", "bc", 40, &["1 | a bc d", "  |   ^^"]);
        check("a\nb cd\ne", "cd", 40, &["2 | b cd", "  |   ^^"]);
        check("a b\nc d", "b\nc", 40, &["1 | a b", "  |   ^", "2 | c d", "  | ^"]);
    }

    #[test]
    fn wide_hidden_and_tab_take_the_columns_they_are_shown_with() {
        check("日本 x", "x", 40, &["1 | 日本 x", "  |      ^"]);
        check("日本 x", "本", 40, &["1 | 日本 x", "  |   ^^"]);
        check("a\tx", "x", 40, &["1 | a    x", "  |      ^"]);
        check("\u{1b}x", "x", 40, &["1 | \\u{1b}x", "  |       ^"]);
        check("\u{202e}x", "x", 40, &["1 | \\u{202e}x", "  |         ^"]);
        check("e\u{301}x", "x", 40, &["1 | e\u{301}x", "  |  ^"]);
    }

    #[test]
    fn a_whole_text_is_folded_with_its_carets() {
        let spans = [Span { start: 3, end: 6 }];
        let folded = |text: &str, width| {
            let lines = through(text, &spans, width).into_iter();
            lines.flat_map(|(line, carets)| std::iter::once(line).chain(carets)).collect::<Vec<_>>()
        };
        assert_eq!(folded("ab cde f\n\ng", None), ["ab cde f", "   ^^^", "", "g"]);
        assert_eq!(folded("ab cde f", Some(5)), ["ab cd", "   ^^", "e f", "^"]);
        assert_eq!(folded("\u{1b}\u{1b}", Some(3)), ["\\u{1b}", "\\u{1b}"], "what fits nowhere stays whole");
        assert_eq!(folded("", Some(3)), [""]);
    }

    #[test]
    fn long_lines_are_cut_around_the_carets() {
        let text = format!("{} needle {}", "a".repeat(200), "b".repeat(200));
        check(&text, "needle", 20, &["1 | …aaaa needle bbbbbbbb…", "  |       ^^^^^^"]);
        let long = "n".repeat(300);
        check(&format!("a {long}"), &long, 20, &["1 | a nnnnnnnnnnnnnnnnnn…", "  |   ^^^^^^^^^^^^^^^^^^"]);
    }
}
