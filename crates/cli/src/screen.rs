//! What people see: results on stdout, talk on stderr, colour only where a
//! person looks. Text from outside never reaches a terminal raw.

use anstyle::{AnsiColor, Style};
use serde::Serialize;
use std::io::{BufRead, IsTerminal, Write};
use toolgate_core::Verdict;

pub use toolgate_core::{one_line, visible};

/// Stopped.
pub const RED: Style = AnsiColor::Red.on_default().bold();
/// Fine.
pub const GREEN: Style = AnsiColor::Green.on_default();
/// Waits, or worth a look.
pub const YELLOW: Style = AnsiColor::Yellow.on_default();
/// Less important.
pub const DIM: Style = Style::new().dimmed();
/// Headings.
pub const BOLD: Style = Style::new().bold();

/// `text` in a style.
pub fn styled(style: Style, text: &str) -> String {
    format!("{style}{text}{style:#}")
}

/// The colour of a verdict.
pub fn verdict_style(verdict: Verdict) -> Style {
    match verdict {
        Verdict::Allow => GREEN,
        Verdict::Warn | Verdict::Rewrite | Verdict::Delay | Verdict::Ask | Verdict::Check => YELLOW,
        Verdict::Block => RED,
    }
}

/// Result for a person.
pub fn out(text: &str) {
    // Nobody is left to tell when the reader is gone or the disk is full.
    let _ = writeln!(anstream::stdout(), "{text}");
}

/// Talk beside the result.
pub fn talk(text: &str) {
    let _ = writeln!(anstream::stderr(), "{text}");
}

/// Result for a program, one line.
pub fn json<T: Serialize>(value: &T) {
    let text = serde_json::to_string(value).unwrap_or_else(|_| "null".to_owned());
    let _ = writeln!(anstream::stdout(), "{text}");
}

/// Asks for yes at a terminal; without one the answer is no.
pub fn confirm(question: &str) -> bool {
    if !std::io::stdin().is_terminal() {
        return false;
    }
    anstream::eprint!("{question} [y/N] ");
    let _ = std::io::stderr().flush();
    let mut line = String::new();
    std::io::stdin().lock().read_line(&mut line).is_ok() && matches!(line.trim(), "y" | "Y" | "yes")
}
