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
    typed_line(&mut std::io::stdin().lock())
}

/// One line, which a carriage return ends as well: what is typed while a shell still edits its own
/// line keeps it. `None` at the end of the input.
fn typed_line(input: &mut impl BufRead) -> Option<String> {
    let mut line = Vec::new();
    let mut any = false;
    loop {
        let bytes = input.fill_buf().unwrap_or_default();
        let Some(byte) = bytes.first().copied() else { break };
        let is_pair = bytes.starts_with(b"\r\n");
        input.consume(if is_pair { 2 } else { 1 });
        any = true;
        if matches!(byte, b'\r' | b'\n') {
            break;
        }
        line.push(byte);
    }
    any.then(|| String::from_utf8_lossy(&line).trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::typed_line;

    #[test]
    fn answers_typed_ahead_are_one_each() {
        let mut input = &b"1\rn\n\r\n  y \nlast"[..];
        let all: Vec<String> = std::iter::from_fn(|| typed_line(&mut input)).collect();
        assert_eq!(all, ["1", "n", "", "y", "last"]);
    }
}
