//! A problem of a policy file as people and programs see it: file, line, caret, help.

use super::tree::{Mistake, Place};
use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
use serde::Serialize;
use std::fmt;
use std::sync::Arc;

/// How bad a problem is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FaultLevel {
    /// The policy does not hold as it is written.
    Error,
    /// It holds, and part of it does not do what it seems to.
    Warning,
    /// Good to know.
    Note,
}

/// Something wrong with a policy file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PolicyFault {
    /// How bad it is.
    pub level: FaultLevel,
    /// The file.
    pub file: String,
    /// The line, from 1; 0 if it is about the whole file.
    pub line: usize,
    /// The column, from 1.
    pub column: usize,
    /// How many characters it is about.
    pub length: usize,
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub cure: String,
    /// The text of the file, for the caret.
    pub text: Arc<str>,
}

impl fmt::Display for PolicyFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => write!(f, "{}: {}", self.file, self.message),
            line => write!(f, "{}:{line}: {}", self.file, self.message),
        }
    }
}

impl PolicyFault {
    /// A fault of the whole file.
    #[must_use]
    pub fn of_file(file: &str, message: impl Into<String>, cure: impl Into<String>) -> PolicyFault {
        let place = Place::in_line(0, 0, 0);
        PolicyFault { length: 0, ..PolicyFault::at(file, "", place, message, cure) }
    }

    /// A fault of a place in a file.
    pub(crate) fn at(
        file: &str,
        text: &str,
        place: Place,
        message: impl Into<String>,
        cure: impl Into<String>,
    ) -> PolicyFault {
        // A place is never outside of the file.
        let lines = text.matches('\n').count().saturating_add(1);
        let line = place.line.min(lines);
        let content = text.split('\n').nth(line.saturating_sub(1)).unwrap_or_default().trim_end_matches('\r');
        let column = place.column.min(content.chars().count().saturating_add(1));
        PolicyFault {
            level: FaultLevel::Error,
            file: file.to_owned(),
            line,
            column,
            length: place.length(),
            message: message.into(),
            cure: cure.into(),
            text: text.into(),
        }
    }

    pub(super) fn of_mistake(file: &str, text: &str, mistake: Mistake) -> PolicyFault {
        PolicyFault::at(file, text, mistake.place, mistake.message, mistake.help)
    }

    /// The same, as bad as this.
    #[must_use]
    pub fn with_level(mut self, level: FaultLevel) -> PolicyFault {
        self.level = level;
        self
    }

    /// The fault with the line it is about and a caret under the place.
    #[must_use]
    pub fn render(&self) -> String {
        let (level, word) = match self.level {
            FaultLevel::Error => (Level::ERROR, "error"),
            FaultLevel::Warning => (Level::WARNING, "warning"),
            FaultLevel::Note => (Level::NOTE, "note"),
        };
        let Some(start) = self.offset() else {
            return format!("{word}: {self}\n  = help: {}", self.cure);
        };
        let end = self
            .text
            .get(start..)
            .and_then(|rest| rest.char_indices().nth(self.length.max(1)))
            .map_or(self.text.len(), |(at, _)| start + at);
        let snippet = Snippet::source(&*self.text)
            .path(self.file.as_str())
            .annotation(AnnotationKind::Primary.span(start..end));
        let report = [level
            .primary_title(self.message.as_str())
            .element(snippet)
            .element(Level::HELP.message(self.cure.as_str()))];
        Renderer::plain().render(&report).to_string()
    }

    fn offset(&self) -> Option<usize> {
        let line_start = match self.line {
            0 => return None,
            1 => 0,
            line => self.text.match_indices('\n').nth(line.checked_sub(2)?)?.0.checked_add(1)?,
        };
        let line = self.text.get(line_start..)?.lines().next().unwrap_or_default();
        let within = line.char_indices().nth(self.column.saturating_sub(1)).map_or(line.len(), |(at, _)| at);
        line_start.checked_add(within)
    }
}

/// By file in the order they are given, then by place.
pub(crate) fn sort(faults: &mut Vec<PolicyFault>, files: &[String]) {
    let of_file = |fault: &PolicyFault| files.iter().position(|file| *file == fault.file);
    faults.sort_by_cached_key(|fault| {
        // What is about the whole file comes last: it is the least to do.
        let is_remark = fault.line == 0 && fault.level == FaultLevel::Note;
        (of_file(fault), is_remark, fault.line, fault.column, fault.level, fault.message.clone())
    });
    faults.dedup();
    // Where something is wrong, less is not told as well.
    let is_broken = faults.iter().any(|fault| fault.level == FaultLevel::Error);
    let wrong: Vec<(String, usize, usize)> = faults
        .iter()
        .filter(|fault| fault.level == FaultLevel::Error)
        .map(|fault| (fault.file.clone(), fault.line, fault.column))
        .collect();
    faults.retain(|fault| {
        let place = (fault.file.clone(), fault.line, fault.column);
        fault.level == FaultLevel::Error || !(wrong.contains(&place) || is_broken && fault.line == 0)
    });
}
