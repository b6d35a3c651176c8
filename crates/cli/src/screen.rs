//! Output: results on stdout, messages on stderr, colour only in a terminal.
//! Untrusted text never reaches a terminal unescaped.

use anstyle::{AnsiColor, Style};
use serde::Serialize;
use std::io::{BufRead, IsTerminal, Write};
use toolgate_core::Verdict;

pub use toolgate_core::{count, one_line, visible};

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
    // If the reader is gone or the disk is full, there is nowhere to report it.
    let _ = writeln!(anstream::stdout(), "{text}");
}

/// A message next to the result.
pub fn talk(text: &str) {
    let _ = writeln!(anstream::stderr(), "{text}");
}

/// Result for a program, one line.
pub fn json<T: Serialize>(value: &T) {
    let text = serde_json::to_string(value).unwrap_or_else(|_| "null".to_owned());
    let _ = writeln!(anstream::stdout(), "{text}");
}

/// Whether there is a person to ask: a terminal to read from and one to write to.
pub fn can_ask() -> bool {
    std::io::stdin().is_terminal() && std::io::stderr().is_terminal()
}

/// Asks for yes; anything else is no.
pub fn confirm(question: &str) -> bool {
    matches!(answer(&format!("{question} [y/N]")).as_deref(), Some("y" | "Y" | "yes"))
}

/// What a person types after a question; `None` at the end of the input.
pub fn answer(question: &str) -> Option<String> {
    anstream::eprint!("{question} ");
    let _ = std::io::stderr().flush();
    let mut line = String::new();
    let read = std::io::stdin().lock().read_line(&mut line).unwrap_or(0);
    (read > 0).then(|| line.trim().to_owned())
}
