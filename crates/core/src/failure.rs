//! What went wrong a moment ago, as far as a session remembers it.
//!
//! The message is cut and freed of secrets before it is recorded; whether it
//! speaks of a connection is read from it, never stored.

use crate::address::Address;
use crate::leak::recorded;
use regex::Regex;
use serde::{Deserialize, Serialize};
use std::sync::LazyLock;

/// Longest message kept.
const MESSAGE_MAX: usize = 600;

/// Words of a failed connection, in lower case.
const CONNECTION: &[&str] = &[
    "econnrefused",
    "connection refused",
    "econnreset",
    "connection reset",
    "enotfound",
    "eai_again",
    "etimedout",
    "ehostunreach",
    "enetunreach",
    "connection timed out",
    "connect timeout",
    "connection timeout",
    "net::err_connection",
    "net::err_name_not_resolved",
    "net::err_address_unreachable",
    "failed to connect",
    "could not connect",
    "couldn't connect",
    "cannot connect",
    "unable to connect",
    "could not resolve host",
    "name or service not known",
    "no route to host",
    "network is unreachable",
    "socket hang up",
    "connect error",
    "connection error",
];

/// A call that failed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// The tool.
    pub tool: String,
    /// What it said, cut and without secrets.
    pub message: String,
    /// The number of calls judged by then.
    pub call: u64,
    /// The commands that failed, in their normal form.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ran: Vec<String>,
}

impl Failure {
    /// Whether something could not be reached.
    #[must_use]
    pub fn is_connection_failure(&self) -> bool {
        is_connection_failure(&self.message)
    }

    /// Whether the message has a symptom in it; one kind of failure has
    /// several names.
    #[must_use]
    pub fn tells(&self, symptom: &str) -> bool {
        let mut message = self.message.to_lowercase();
        for (code, words) in [
            ("econnrefused", " connection refused"),
            ("etimedout", " connection timed out"),
            ("econnreset", " connection reset"),
            ("enotfound", " could not resolve host"),
        ] {
            if message.contains(code) {
                message.push_str(words);
            }
        }
        let symptom = symptom.trim().to_lowercase();
        !symptom.is_empty() && message.contains(&symptom)
    }

    /// The addresses it names.
    #[must_use]
    pub fn addresses(&self) -> Vec<Address> {
        self.mentions("localhost").into_iter().map(|one| one.address).collect()
    }

    /// The addresses it names, `host` among them also where it is a bare word.
    #[must_use]
    pub fn mentions(&self, host: &str) -> Vec<Mention> {
        let pieces = self.message.split(|c: char| c.is_whitespace() || "\"'`()<>,;".contains(c));
        let pieces = pieces.map(|piece| piece.trim_end_matches(['.', ':', '!']));
        let pieces: Vec<&str> = pieces.filter(|piece| !piece.is_empty()).collect();
        // A file name with a line, `a.ts:12`, is not an address.
        let is_address = |piece: &str| {
            let name = piece.split(['/', ':']).next().unwrap_or_default();
            piece.contains("://")
                || piece.starts_with("localhost")
                || !host.is_empty() && name.eq_ignore_ascii_case(host)
                || piece.starts_with(|c: char| c.is_ascii_digit() || c == '[')
        };
        let mentions = pieces.iter().enumerate().filter(|(_, piece)| is_address(piece));
        mentions.filter_map(|(at, piece)| Mention::parse(piece, pieces.get(at + 1..)?)).collect()
    }

    /// What it says without addresses and file names: a word of those names no service.
    #[must_use]
    pub fn prose(&self) -> String {
        let is_name = |word: &&str| {
            let inner = word.trim_matches(|c: char| !c.is_alphanumeric());
            !inner.contains(['/', '@'])
                && !inner.contains("://")
                && !inner.split('.').skip(1).any(|part| !part.is_empty())
        };
        self.message.split_whitespace().filter(is_name).collect::<Vec<_>>().join(" ")
    }
}

/// An address in the text of a failure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mention {
    /// The address.
    pub address: Address,
    /// Whether the text says the port.
    pub has_port: bool,
}

impl Mention {
    /// Reads `piece`, and the port behind it: `localhost port 3000`,
    /// `at "localhost" (127.0.0.1), port 5432`.
    fn parse(piece: &str, rest: &[&str]) -> Option<Mention> {
        let mut address = Address::parse(piece)?;
        let (scheme, authority) =
            piece.split_once("://").map_or(("", piece), |(scheme, rest)| (scheme, rest));
        let authority = authority.split(['/', '?', '#']).next().unwrap_or_default();
        let authority = authority.rsplit(['@', ']']).next().unwrap_or_default();
        let mut has_port = authority.contains(':') || !scheme.is_empty();
        let said = rest.iter().take(3).position(|word| *word == "port");
        if let Some(port) = said.and_then(|at| rest.get(at + 1)?.parse().ok()).filter(|_| !has_port) {
            address.port = port;
            has_port = true;
        }
        Some(Mention { address, has_port })
    }

    /// Whether it may be the address of a service.
    #[must_use]
    pub fn is_of(&self, service: &Address) -> bool {
        let at = &self.address;
        let is_host = at.host == service.host || at.is_loopback() && service.is_loopback();
        is_host && (!self.has_port || at.port == service.port)
    }
}

/// Whether a text speaks of something that could not be reached.
#[must_use]
pub fn is_connection_failure(message: &str) -> bool {
    let message = message.to_lowercase();
    CONNECTION.iter().any(|words| message.contains(words))
}

static SECRETS: LazyLock<Vec<(Regex, &'static str)>> = LazyLock::new(|| {
    let patterns = [
        (r"(?i)\b(bearer|basic)\s+[a-z0-9._~+/=-]{8,}", "$1 [redacted]"),
        (
            r#"(?i)\b([a-z0-9_-]*(?:api[_-]?key|token|secret|passw(?:or)?d|pwd|authorization|access[_-]?key|credential)[a-z0-9_-]*)(["']?\s*[:=]\s*["']?)([^\s"',;&]+)"#,
            "$1$2[redacted]",
        ),
        (r"://[^/\s@]+@", "://[redacted]@"),
        (
            r"\b(?:gh[pousr]_|github_pat_|sk-|xox[abprs]-|AKIA|ASIA|eyJ|glpat-)[A-Za-z0-9_.-]{8,}",
            "[redacted]",
        ),
        (r"\b[A-Za-z0-9_-]{40,}", "[redacted]"),
    ];
    patterns.into_iter().filter_map(|(text, with)| Some((Regex::new(text).ok()?, with))).collect()
});

/// A message fit for a record: without secrets and control characters, cut in
/// the middle, because what went wrong is at the end as often as at the start.
#[must_use]
pub fn kept_message(text: &str) -> String {
    // What is cut away needs no look.
    let text = middle_out(text, MESSAGE_MAX.saturating_mul(8));
    let plain: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let kept = plain.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut kept = recorded(&kept).into_owned();
    for (pattern, with) in SECRETS.iter() {
        kept = pattern.replace_all(&kept, *with).into_owned();
    }
    middle_out(&kept, MESSAGE_MAX)
}

fn middle_out(text: &str, max: usize) -> String {
    if text.len() <= max {
        return text.to_owned();
    }
    let half = max / 2;
    let head = text.get(..text.floor_char_boundary(half)).unwrap_or_default();
    let tail = text.get(text.ceil_char_boundary(text.len().saturating_sub(half))..).unwrap_or_default();
    format!("{head} … {tail}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failure(message: &str) -> Failure {
        Failure { message: message.to_owned(), ..Failure::default() }
    }

    /// What a connection failure looks like, and what does not.
    #[test]
    fn a_connection_failure_is_told_from_others() {
        for text in [
            "Exit code 7 curl: (7) Failed to connect to localhost port 3000",
            "connect ECONNREFUSED 127.0.0.1:3000",
            "getaddrinfo ENOTFOUND api.internal",
            "page.goto: net::ERR_CONNECTION_REFUSED at http://localhost:3000/",
            "psql: error: connection to server at \"localhost\" failed: Connection refused",
            "connect ETIMEDOUT 10.0.0.1:443",
        ] {
            assert!(failure(text).is_connection_failure(), "{text}");
        }
        for text in ["Exit code 1 2 tests failed", "error: test timed out after 5 s", "no such file", ""] {
            assert!(!failure(text).is_connection_failure(), "{text}");
        }
    }

    #[test]
    fn a_kept_message_is_short_and_has_no_secrets() {
        let text = format!(
            "token=abc123 postgres://me:pw@db/x Authorization: Bearer abcdefghijk {}",
            "x ".repeat(5000)
        );
        let kept = kept_message(&text);
        assert!(kept.len() <= MESSAGE_MAX + 8, "{}", kept.len());
        assert!(kept.starts_with("token=[redacted] postgres://[redacted]@db/x "), "{kept}");
        assert!(!kept.contains("abcdefghijk"), "{kept}");
        assert_eq!(
            kept_message("connect\nECONNREFUSED\u{1b}[0m 127.0.0.1:3000"),
            "connect ECONNREFUSED [0m 127.0.0.1:3000"
        );
        assert!(kept_message(&format!("{} at the end", "y ".repeat(9000))).ends_with("at the end"));
    }

    #[test]
    fn addresses_are_found_in_messages() {
        let at = |text: &str| failure(text).addresses().iter().map(Address::origin).collect::<Vec<_>>();
        assert_eq!(at("connect ECONNREFUSED 127.0.0.1:3000"), ["http://127.0.0.1:3000"]);
        assert_eq!(at("at http://localhost:3000/, in a.ts:12."), ["http://localhost:3000"]);
        assert!(at("two words").is_empty());
    }
}
