//! What in a call made a guard speak, quoted as the agent wrote it.
//!
//! A quotation is a slice of an input field or of a line of a file, with its
//! place, so that anyone can mark the bytes. It is never put into another form.

use crate::call::{Call, Kind};
use crate::facts::{Facts, FileFact};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::ops::Range;
use toolgate_shell::{Command, Span, Word};

/// Longer quotations are kept to this many bytes.
const QUOTED_MAX: usize = 400;

/// Deepest input that is searched for a text.
const DEPTH_MAX: usize = 8;

/// One thing that made a guard speak.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Stored")]
pub struct Evidence {
    /// The quoted text exactly as it is at its place; a remark of the gate where there is no place.
    pub text: String,
    /// Where it is.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub origin: Option<Origin>,
    /// The bytes that matter most, counted like those of the place; none if all of it does.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub marks: Vec<Range<usize>>,
}

/// Where a quotation is from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Origin {
    /// An input field of the call.
    Field {
        /// Its name; of nested ones all names, joined by dots.
        field: String,
        /// First byte in the field.
        start: usize,
        /// One past the last byte.
        end: usize,
        /// The line it begins on, from 1.
        line: usize,
    },
    /// One line of a file the call runs.
    File {
        /// Its whole path.
        file: String,
        /// First byte in the file.
        start: usize,
        /// One past the last byte.
        end: usize,
        /// The line, from 1.
        line: usize,
    },
}

/// Evidence as records hold it; the first version kept plain text.
#[derive(Deserialize)]
#[serde(untagged)]
enum Stored {
    Text(String),
    Quoted {
        text: String,
        #[serde(flatten)]
        origin: Option<Origin>,
        #[serde(default)]
        marks: Vec<Range<usize>>,
    },
}

impl From<Stored> for Evidence {
    fn from(stored: Stored) -> Evidence {
        match stored {
            Stored::Text(text) => Evidence::remark(text),
            Stored::Quoted { text, origin, marks } => Evidence { text, origin, marks },
        }
    }
}

/// A part of a call that can be quoted. Most are never asked for, so nothing is copied before.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Part<'a> {
    /// A command of the reading, and the word that matters in it.
    Command(usize, Option<&'a Word>),
    /// A file the call touches.
    File(&'a FileFact),
    /// All of it.
    Whole,
}

impl Part<'_> {
    /// The part as it is written in the call.
    pub(crate) fn quoted(self, call: &Call, facts: &Facts) -> Option<Evidence> {
        match self {
            Part::Command(at, word) => Evidence::of_command(call, facts, at, word),
            Part::File(file) => Evidence::of_file(call, facts, file),
            Part::Whole => Evidence::of_call(call),
        }
    }
}

impl Evidence {
    /// Something the gate says that is no quotation.
    #[must_use]
    pub fn remark(text: impl Into<String>) -> Evidence {
        Evidence { text: text.into(), origin: None, marks: Vec::new() }
    }

    /// Whether it is a quotation.
    #[must_use]
    pub fn is_quoted(&self) -> bool {
        self.origin.is_some()
    }

    /// The line it begins on and, for a script, the file.
    #[must_use]
    pub fn line(&self) -> Option<usize> {
        self.origin.as_ref().map(|origin| match origin {
            Origin::Field { line, .. } | Origin::File { line, .. } => *line,
        })
    }

    /// Its bytes in the field or file.
    #[must_use]
    pub fn range(&self) -> Option<Range<usize>> {
        self.origin.as_ref().map(|origin| match origin {
            Origin::Field { start, end, .. } | Origin::File { start, end, .. } => *start..*end,
        })
    }

    /// The bytes to mark when the field or file is shown.
    #[must_use]
    pub fn marked(&self) -> Vec<Range<usize>> {
        if self.marks.is_empty() { self.range().into_iter().collect() } else { self.marks.clone() }
    }

    /// A stretch of the text that was read as a shell command, with the bytes that matter in it.
    pub(crate) fn of_span(
        call: &Call,
        span: Span,
        marks: impl IntoIterator<Item = Span>,
    ) -> Option<Evidence> {
        let Kind::Shell { command, field } = &call.kind else { return None };
        let mut marks: Vec<Range<usize>> = marks
            .into_iter()
            .filter(|mark| span.start <= mark.start && mark.start < mark.end && mark.end <= span.end)
            .map(|mark| mark.start..mark.end)
            .collect();
        marks.sort_by_key(|mark| (mark.start, mark.end));
        marks.dedup();
        of_field(field, command, span.start..span.end, marks)
    }

    /// The command at `at`, with the words that matter in it.
    pub(crate) fn of_command<'a>(
        call: &Call,
        facts: &Facts,
        at: usize,
        words: impl IntoIterator<Item = &'a Word>,
    ) -> Option<Evidence> {
        let command = facts.reading.commands.get(at)?;
        if let Some(written) = Evidence::elsewhere(call, command) {
            return Some(written);
        }
        let words: Vec<&Word> = words.into_iter().collect();
        match call.kind {
            Kind::Shell { .. } => Evidence::of_span(call, command.span, words.iter().map(|word| word.span)),
            // What was read is made of the input: whatever of it is written there.
            _ => words
                .iter()
                .copied()
                .chain(command.words.iter().rev())
                .find_map(|word| Evidence::of_text(call, &word.text)),
        }
    }

    /// Where a command is written that is not where it runs: in a here-document, an alias, a file
    /// written before, a program in another language, or a script the call runs. Of several places
    /// the one with most of its words; the call itself before a script.
    pub(crate) fn elsewhere(call: &Call, command: &Command) -> Option<Evidence> {
        let Kind::Shell { command: own, field } = &call.kind else { return None };
        let words: Vec<&str> = command.words.iter().map(|word| word.text.as_str()).collect();
        let here = own.get(command.span.start..command.span.end).unwrap_or_default();
        if words.first().is_none_or(|program| program.is_empty()) || written_in(here, &words).is_some() {
            return None;
        }
        let mut best: Option<(usize, Evidence)> = None;
        let mut keep = |count: usize, quoted: Option<Evidence>| {
            if let Some(quoted) = quoted.filter(|_| best.as_ref().is_none_or(|(most, _)| count > *most)) {
                best = Some((count, quoted));
            }
        };
        for (_, start, line) in lines_of(own) {
            if let Some((count, range)) = written_in(line, &words) {
                let range = range.start.saturating_add(start)..range.end.saturating_add(start);
                keep(count, of_field(field, own, range, Vec::new()));
            }
        }
        for script in &call.scripts {
            for (number, start, line) in lines_of(script.text.as_deref().unwrap_or_default()) {
                if let Some((count, _)) = written_in(line, &words) {
                    keep(count, of_line(&script.path, line, start, number));
                }
            }
        }
        best.map(|(_, quoted)| quoted)
    }

    /// The file a call touches, as it is named in the call.
    pub(crate) fn of_file(call: &Call, facts: &Facts, file: &FileFact) -> Option<Evidence> {
        let by_command = file.command.and_then(|at| {
            let command = facts.reading.commands.get(at)?;
            let is_named = |word: &&Word| word.text == file.written;
            let targets = command.effects.iter().filter_map(|effect| effect.target.as_ref());
            Evidence::of_command(call, facts, at, targets.filter(is_named))
        });
        by_command.or_else(|| Evidence::of_text(call, &file.written))
    }

    /// Text that is in one of the input fields.
    pub(crate) fn of_text(call: &Call, text: &str) -> Option<Evidence> {
        if text.is_empty() {
            return None;
        }
        let whole = find_in(&call.input, "", DEPTH_MAX, &|own| (own == text).then_some(0));
        whole.or_else(|| find_in(&call.input, "", DEPTH_MAX, &|own| own.find(text))).and_then(
            |(field, own, start)| of_field(&field, own, start..start.saturating_add(text.len()), Vec::new()),
        )
    }

    /// A whole input field, by its name.
    pub(crate) fn of_field(call: &Call, name: &str) -> Option<Evidence> {
        let value = name.split('.').try_fold(&call.input, |value, key| value.get(key))?;
        let text = value.as_str()?;
        of_field(name, text, 0..text.len(), Vec::new())
    }

    /// The part of a call that says most: its command, address or file, or its first text.
    pub(crate) fn of_call(call: &Call) -> Option<Evidence> {
        match &call.kind {
            Kind::Shell { command, .. } => Evidence::of_span(call, Span { start: 0, end: command.len() }, []),
            Kind::Fetch { url } => Evidence::of_text(call, url),
            Kind::File { paths, .. } => paths.first().and_then(|path| Evidence::of_text(call, path)),
            Kind::Files { files } => files.first().and_then(|(_, path)| Evidence::of_text(call, path)),
            Kind::Mcp { .. } | Kind::Handoff | Kind::Other => {
                let first = find_in(&call.input, "", DEPTH_MAX, &|own| (!own.is_empty()).then_some(0));
                first.and_then(|(field, own, _)| of_field(&field, own, 0..own.len(), Vec::new()))
            }
            Kind::Stop => None,
        }
    }
}

/// At most so many characters of a quotation inside a sentence; the marker is no part of it.
const SHORT_MAX: usize = 120;

/// A quotation short enough for a sentence, and what follows its closing backtick where it was cut.
pub(crate) fn shortened(text: &str) -> &str {
    match text.char_indices().nth(SHORT_MAX) {
        Some((end, _)) => text.get(..end).unwrap_or(text).trim_end(),
        None => text,
    }
}

/// The lines of a text with their number, from 1, and their first byte.
fn lines_of(text: &str) -> impl Iterator<Item = (usize, usize, &str)> {
    let mut next = 0_usize;
    text.split('\n').enumerate().map(move |(at, line)| {
        let start = next;
        next = start.saturating_add(line.len()).saturating_add(1);
        (at.saturating_add(1), start, line)
    })
}

/// Where in a line a command is written, and how many of its words are: from its program to the
/// last of the words that follow it in order.
fn written_in(line: &str, words: &[&str]) -> Option<(usize, Range<usize>)> {
    let (program, rest) = words.split_first()?;
    let mut best: Option<(usize, Range<usize>)> = None;
    for (start, _) in line.match_indices(program) {
        let mut end = start.saturating_add(program.len());
        let before = line.get(..start).and_then(|text| text.chars().next_back());
        let after = line.get(end..).and_then(|text| text.chars().next());
        if [before, after].into_iter().flatten().any(|next| next.is_alphanumeric() || "_-.".contains(next)) {
            continue;
        }
        let mut count = 1_usize;
        for word in rest.iter().filter(|word| !word.is_empty()) {
            let Some(at) = line.get(end..).and_then(|text| text.find(word)) else { continue };
            end = end.saturating_add(at).saturating_add(word.len());
            count = count.saturating_add(1);
        }
        if best.as_ref().is_none_or(|(most, _)| count > *most) {
            best = Some((count, with_quotes(line, start, end)));
        }
    }
    best
}

/// A stretch of a line with the quotes of its first and last word, where it would break them.
fn with_quotes(line: &str, start: usize, end: usize) -> Range<usize> {
    let quote_at = |text: Option<char>| text.filter(|c| "'\"".contains(*c));
    let Some(closing) = quote_at(line.get(end..).and_then(|text| text.chars().next())) else {
        return start..end;
    };
    let inside = line.get(start..end).map_or(0, |text| text.matches(closing).count());
    let is_opened = quote_at(line.get(..start).and_then(|text| text.chars().next_back())) == Some(closing);
    match (inside, is_opened) {
        (0, _) => start..end,
        (_, true) => start.saturating_sub(1)..end.saturating_add(1),
        (odd, false) => start..end.saturating_add(odd % 2),
    }
}

/// A stretch of a field; cut where it is long, to the marked bytes if they fit.
fn of_field(field: &str, text: &str, range: Range<usize>, marks: Vec<Range<usize>>) -> Option<Evidence> {
    let (range, marks) = kept(text, range, marks)?;
    let before = text.get(..range.start)?;
    let line = before.matches('\n').count().saturating_add(1);
    let quoted = text.get(range.clone()).filter(|quoted| !quoted.is_empty())?;
    let origin = Origin::Field { field: field.to_owned(), start: range.start, end: range.end, line };
    Some(Evidence { text: quoted.to_owned(), origin: Some(origin), marks })
}

/// A line of a file that begins at byte `at`.
fn of_line(file: &str, line: &str, at: usize, number: usize) -> Option<Evidence> {
    let (range, _) = kept(line, 0..line.len(), Vec::new())?;
    let text = line.get(range.clone()).filter(|text| !text.is_empty())?;
    let (start, end) = (at.saturating_add(range.start), at.saturating_add(range.end));
    let origin = Origin::File { file: file.to_owned(), start, end, line: number };
    Some(Evidence { text: text.to_owned(), origin: Some(origin), marks: Vec::new() })
}

/// What is kept of a stretch: without blanks around it, and not too long.
fn kept(
    text: &str,
    range: Range<usize>,
    marks: Vec<Range<usize>>,
) -> Option<(Range<usize>, Vec<Range<usize>>)> {
    let whole = text.get(range.clone())?;
    let mut start = range.start.saturating_add(whole.len().saturating_sub(whole.trim_start().len()));
    let mut end = range.start.saturating_add(whole.trim_end().len()).max(start);
    if end.saturating_sub(start) > QUOTED_MAX {
        if let (Some(first), Some(last)) = (marks.first(), marks.iter().map(|mark| mark.end).max()) {
            (start, end) = (first.start, last);
        }
        end = end.min(start.saturating_add(QUOTED_MAX));
        while !text.is_char_boundary(end) {
            end = end.saturating_sub(1);
        }
    }
    let inside = |mark: Range<usize>| (mark.start < end).then(|| mark.start.max(start)..mark.end.min(end));
    let marks = marks.into_iter().filter_map(inside).filter(|mark| *mark != (start..end)).collect();
    Some((start..end, marks))
}

/// The first text of an input for which `found` says where, with its name.
fn find_in<'a>(
    value: &'a Value,
    name: &str,
    depth: usize,
    found: &dyn Fn(&str) -> Option<usize>,
) -> Option<(String, &'a str, usize)> {
    let depth = depth.checked_sub(1)?;
    let named = |key: &str| if name.is_empty() { key.to_owned() } else { format!("{name}.{key}") };
    match value {
        Value::String(text) => found(text).map(|at| (name.to_owned(), text.as_str(), at)),
        Value::Array(items) => items
            .iter()
            .enumerate()
            .find_map(|(at, item)| find_in(item, &named(&at.to_string()), depth, found)),
        Value::Object(fields) => {
            fields.iter().find_map(|(key, item)| find_in(item, &named(key), depth, found))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{Evidence, Origin, QUOTED_MAX, written_in};
    use crate::call::{Call, Kind};
    use serde_json::{Value, json};
    use toolgate_shell::Span;

    fn call(kind: Kind, input: Value) -> Call {
        Call {
            host: String::new(),
            session: String::new(),
            agent: String::new(),
            role: None,
            task: None,
            id: None,
            tool: "T".to_owned(),
            kind,
            input,
            dir: "/p".to_owned(),
            scripts: Vec::new(),
            salt: None,
            standing: None,
        }
    }

    fn shell(command: &str) -> Call {
        let kind = Kind::Shell { command: command.to_owned(), field: "command".to_owned() };
        call(kind, json!({ "command": command }))
    }

    #[track_caller]
    fn check(evidence: Option<Evidence>, expected: &Value) {
        let written = serde_json::to_value(&evidence).unwrap();
        assert_eq!(written, *expected);
        // What is recorded is read as it was.
        assert_eq!(serde_json::from_value::<Option<Evidence>>(written).unwrap(), evidence);
    }

    #[test]
    fn a_stretch_of_a_command_has_its_bytes_and_line() {
        let call = shell("ls\n rm -rf x ");
        let span = Span { start: 3, end: 13 };
        let all = json!({ "text": "rm -rf x", "field": "command", "start": 4, "end": 12, "line": 2 });
        check(Evidence::of_span(&call, span, []), &all);
        let mut marked = all.clone();
        marked["marks"] = json!([{ "start": 11, "end": 12 }]);
        check(
            Evidence::of_span(&call, span, [Span { start: 11, end: 12 }, Span { start: 0, end: 2 }]),
            &marked,
        );
        check(Evidence::of_span(&call, Span { start: 3, end: 99 }, []), &Value::Null);
        check(Evidence::of_span(&call, Span { start: 3, end: 3 }, []), &Value::Null);
    }

    #[test]
    fn a_long_stretch_is_cut_between_characters_or_to_what_matters() {
        let text = format!("rm {} b", "é".repeat(QUOTED_MAX));
        let whole = Span { start: 0, end: text.len() };
        let cut = Evidence::of_span(&shell(&text), whole, []).unwrap();
        assert!(text.starts_with(&cut.text) && cut.range() == Some(0..cut.text.len()), "{cut:?}");
        let last = Span { start: text.len() - 1, end: text.len() };
        assert_eq!(Evidence::of_span(&shell(&text), whole, [last]).unwrap().text, "b");
    }

    #[test]
    fn a_text_is_found_in_the_fields_of_an_input() {
        let call =
            call(Kind::Other, json!({ "n": 1, "a": { "b": ["x", "see .env here"] }, "file_path": ".env" }));
        let path = json!({ "text": ".env", "field": "file_path", "start": 0, "end": 4, "line": 1 });
        check(Evidence::of_text(&call, ".env"), &path);
        let part = json!({ "text": "see", "field": "a.b.1", "start": 0, "end": 3, "line": 1 });
        check(Evidence::of_text(&call, "see"), &part);
        check(Evidence::of_text(&call, "nothing"), &Value::Null);
        check(Evidence::of_text(&call, ""), &Value::Null);
    }

    #[test]
    fn a_command_is_found_on_a_line_by_its_words() {
        let check = |line: &str, words: &[&str], expected: Option<(usize, &str)>| {
            let found = written_in(line, words);
            let found = found.and_then(|(count, range)| Some((count, line.get(range)?)));
            assert_eq!(found, expected, "{line}");
        };
        check("alias gp='git push --force'; gp", &["git", "push", "--force"], Some((3, "git push --force")));
        check("os.system(\"git push -f\")", &["git", "push", "-f"], Some((3, "git push -f")));
        check("run(['git', 'push'])", &["git", "push"], Some((2, "'git', 'push'")));
        check("  rm -rf 'a b' # x", &["rm", "-rf", "a b"], Some((3, "rm -rf 'a b'")));
        check("git log; git push", &["git", "push"], Some((2, "git log; git push")));
        check("digit push; git-lfs", &["git", "push"], None);
        check("", &["git"], None);
        check("x", &[], None);
    }

    #[test]
    fn plain_text_of_old_records_is_read_as_a_remark() {
        let old: Vec<Evidence> = serde_json::from_value(json!(["find -delete ."])).unwrap();
        assert_eq!(old, [Evidence::remark("find -delete .")]);
        assert!(!old[0].is_quoted());
        let file = json!({ "text": "rm x", "file": "/p/x.sh", "start": 9, "end": 13, "line": 2 });
        let read: Evidence = serde_json::from_value(file).unwrap();
        assert!(matches!(read.origin, Some(Origin::File { line: 2, .. })), "{read:?}");
    }
}
