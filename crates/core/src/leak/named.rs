//! Values behind a name that says they are secret, and passwords in addresses.

use super::Leak;
use super::chance::{classes, entropy, is_sample, is_words};
use regex::Regex;
use std::sync::LazyLock;

/// Longest name, and longest value looked at.
const NAME_MAX: usize = 48;
const VALUE_MAX: usize = 512;

static NAMES: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let names = r"(?i)(?:passw(?:or)?d|passwd|passphrase|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|auth[_-]?key|signing[_-]?key|encryption[_-]?key|credential)";
    Regex::new(names).ok()
});

/// Names that only speak about a secret.
const ABOUT: &[&str] = &[
    "id", "ids", "name", "names", "url", "uri", "type", "types", "path", "file", "files", "len", "length",
    "count", "counts", "expiry", "expires", "limit", "budget", "izer", "ize", "izers", "ized", "public",
    "field", "key_id", "version", "arn", "ref", "hint", "policy", "endpoint", "at", "in",
];

/// Words in front of a name that make it harmless: `nextPageToken`.
const HARMLESS: &[&str] = &[
    "page",
    "next",
    "prev",
    "previous",
    "continuation",
    "cursor",
    "resume",
    "sync",
    "public",
    "max",
    "min",
    "num",
    "total",
    "cache",
    "lexer",
    "eos",
    "bos",
    "pad",
    "unk",
    "mask",
    "stop",
    "special",
    "start",
    "end",
];

/// Whether what is right before a name is one of them.
fn is_harmless(text: &str, start: usize) -> bool {
    let from = text.floor_char_boundary(start.saturating_sub(16));
    let before = text.get(from..start).unwrap_or_default().trim_end_matches(['_', '-']).to_ascii_lowercase();
    HARMLESS.iter().any(|word| before.ends_with(word))
}

pub(super) fn find(text: &str) -> Vec<Leak> {
    let mut found: Vec<Leak> = Vec::new();
    if let Some(names) = NAMES.as_ref() {
        let mut seen = 0;
        for hit in names.find_iter(text).map(|hit| (hit.start(), hit.end())) {
            // `secret_token = …` is one name.
            if hit.0 < seen {
                continue;
            }
            let Some((leak, end)) = behind(text, hit.0, hit.1) else { continue };
            seen = end;
            found.extend(leak);
        }
    }
    found.extend(in_addresses(text));
    found
}

/// What follows a name; and how far it was read.
fn behind(text: &str, start: usize, end: usize) -> Option<(Option<Leak>, usize)> {
    let rest =
        text.get(end..text.floor_char_boundary(end.saturating_add(NAME_MAX + VALUE_MAX).min(text.len())))?;
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    let name_len = rest.bytes().take(NAME_MAX).take_while(is_name).count();
    let (tail, rest) = rest.split_at_checked(name_len)?;
    let about = tail.to_ascii_lowercase();
    let about = about.trim_start_matches(['_', '-', 's']);
    let last = about.rsplit(['_', '-']).next().unwrap_or_default();
    let read = end + name_len;
    if ABOUT.contains(&last) || ABOUT.contains(&about) || is_harmless(text, start) {
        return Some((None, read));
    }
    let quoted = rest.trim_start_matches(['"', '\'', '`']);
    let spaced = quoted.trim_start_matches([' ', '\t']);
    let Some(value) = spaced
        .strip_prefix(":=")
        .or_else(|| spaced.strip_prefix("=>"))
        .or_else(|| spaced.strip_prefix('='))
        .or_else(|| spaced.strip_prefix(':'))
    else {
        return Some((None, read));
    };
    let gap = value.trim_start_matches([' ', '\t']);
    let quote = gap.chars().next().filter(|c| matches!(c, '"' | '\'' | '`'));
    let value = quote.map_or(gap, |quote| gap.strip_prefix(quote).unwrap_or(gap));
    let from = end + name_len + rest.len() - value.len();
    let ends = |c: char| match quote {
        Some(quote) => c == quote || c == '\n' || c == '\\',
        None => c.is_whitespace() || "\"'`,;&)]}<>|\\".contains(c),
    };
    let length = value.find(ends).unwrap_or(value.len());
    let inside = value.get(..length)?;
    let after = value.get(length..)?;
    let name =
        Name { is_password: is_password(text.get(start..end)?, tail), has_colon: spaced.starts_with(':') };
    let is_secret = match quote.is_some() {
        true => {
            is_quoted_secret(inside) || name.is_password && is_short_password(inside) && !is_words(inside)
        }
        false => is_bare_secret(text, start, &name, inside, after),
    };
    let leak = is_secret.then_some(Leak { kind: "secret-value", start: from, end: from + length });
    Some((leak, from + length))
}

/// What is known of the name in front of a value.
struct Name {
    /// Just a password, and not something about one.
    is_password: bool,
    /// `name: value`
    has_colon: bool,
}

fn is_password(name: &str, tail: &str) -> bool {
    tail.is_empty() && ["pass", "Pass", "PASS"].iter().any(|begin| name.starts_with(begin))
}

/// Ways to store a password, where one would be.
const METHODS: &[&str] = &[
    "sha256",
    "sha512",
    "sha1",
    "argon2",
    "argon2id",
    "argon2i",
    "bcrypt2",
    "base64",
    "oauth2",
    "pbkdf2",
    "scram-sha-256",
];

/// A password people choose: letters and digits or signs, too short to look drawn by chance.
fn is_short_password(value: &str) -> bool {
    let has = |sort: fn(&u8) -> bool| value.as_bytes().iter().any(sort);
    let sign = |byte: &u8| byte.is_ascii_punctuation() && !b"-_./:,".contains(byte);
    let mixed = has(u8::is_ascii_alphabetic) && (has(u8::is_ascii_digit) || has(sign));
    (6..=64).contains(&value.len())
        && mixed
        && value.is_ascii()
        && !is_code(value)
        && !is_sample(value)
        && !METHODS.contains(&value.to_ascii_lowercase().as_str())
}

/// Of text a program would compute, or that represents something else.
fn is_code(value: &str) -> bool {
    value.starts_with(['$', '<', '{', '%', '[', '/', '.', '(', '@', '~', '#', '*'])
        || value.contains("://")
        || value.contains("${")
        || value.contains("$(")
        || value.contains("{{")
        || value.contains("::")
        || value.contains('(')
        || value.contains(' ')
        || ["process.env", "os.environ", "env.", "sha256", "sha512", "sha1-", "arn:", "vault:", "op:"]
            .iter()
            .any(|begin| value.starts_with(begin))
}

fn is_quoted_secret(value: &str) -> bool {
    (16..=VALUE_MAX).contains(&value.len())
        && value.is_ascii()
        && !is_code(value)
        && classes(value) >= 2
        && value.bytes().any(|byte| byte.is_ascii_digit())
        && entropy(value) >= 3.2
        && !is_words(value)
        && !is_sample(value)
}

/// Without quotes, only where the whole line is one setting: `NAME=value`,
/// `name: value`.
fn is_bare_secret(text: &str, name_start: usize, name: &Name, value: &str, after: &str) -> bool {
    let to_end = after.split('\n').next().unwrap_or_default();
    let line = text.get(..name_start).and_then(|before| before.rsplit('\n').next()).unwrap_or_default();
    let is_front =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b' ' | b'\t');
    let alone = to_end.trim().is_empty() && line.len() <= 120 && line.bytes().all(is_front);
    if !alone || is_code(value) || !value.is_ascii() || is_sample(value) || value.len() > VALUE_MAX {
        return false;
    }
    if name.is_password && name.has_colon && is_short_password(value) {
        return true;
    }
    let word = line.trim_start_matches("export ").trim();
    let shouted = !word.bytes().any(|byte| byte.is_ascii_lowercase())
        && text.get(name_start..).is_some_and(|name| name.starts_with(|c: char| c.is_ascii_uppercase()));
    let special = value.bytes().any(|byte| byte.is_ascii_punctuation() && !b"-_.".contains(&byte));
    let mixed = value.bytes().any(|byte| byte.is_ascii_digit()) && classes(value) >= 2;
    match shouted {
        // A line of an environment.
        true => value.len() >= 8 && (mixed || special) && entropy(value) >= 2.7 && !is_words(value),
        false => value.len() >= 20 && mixed && entropy(value) >= 3.5 && !is_words(value),
    }
}

static LOGINS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"://[A-Za-z0-9._~%+-]{1,64}:([^\s/@:'`\x22<>(){}\\]{3,128})@([A-Za-z0-9.-]{1,255})").ok()
});

/// Words that are no passwords of anything that matters.
const COMMON: &[&str] = &[
    "password", "passwd", "pass", "pwd", "secret", "postgres", "root", "admin", "user", "guest", "mysql",
    "token",
];

fn in_addresses(text: &str) -> Vec<Leak> {
    let Some(logins) = LOGINS.as_ref() else { return Vec::new() };
    let found = logins.captures_iter(text).filter_map(|login| {
        let (password, host) = (login.get(1)?, login.get(2)?.as_str());
        let word = password.as_str();
        // Inside one machine or one compose file passwords are mostly those of samples.
        let is_inside = !host.contains('.') || host.ends_with(".local");
        let is_drawn = word.bytes().any(|byte| !byte.is_ascii_alphabetic()) && !is_words(word);
        let near = host == "localhost" || host.starts_with("127.") || is_inside && !is_drawn;
        let plain =
            COMMON.contains(&word.to_ascii_lowercase().as_str()) || is_sample(word) || is_sample(host);
        let stands_for = word.starts_with(['$', '%', '*', '[', '#']) || word.len() < 6;
        let leak = Leak { kind: "password-in-address", start: password.start(), end: password.end() };
        (!near && !plain && !stands_for).then_some(leak)
    });
    found.collect()
}
