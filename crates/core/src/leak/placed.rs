//! Secrets that are known by where they are: behind an option, in a header, in
//! a login file, in an address, in a connection text.
//!
//! A place alone is no proof, since manuals are full of them: each also demands
//! that the value looks like one, and not like a sample or a word.

use super::Leak;
use super::chance::{classes, entropy, is_sample, is_words};
use super::token::decoded;
use regex::Regex;
use std::ops::RangeInclusive;
use std::sync::LazyLock;

/// What a value must be, besides being in its place.
#[derive(Debug, Clone, Copy)]
enum Look {
    /// Letters and digits mixed as chance would.
    Drawn,
    /// Name and password in base64.
    Login,
    /// Anything that is no sample: no manual has it there.
    Any,
}

struct Place {
    kind: &'static str,
    /// Of these, in lower case, one is in every text that has such a place: most texts have none, and
    /// then the pattern is never made.
    signs: &'static [&'static str],
    look: Look,
    /// How long the secret is.
    length: RangeInclusive<usize>,
    /// With one group around it. Without counts: they make a pattern large.
    pattern: LazyLock<Option<Regex>>,
}

macro_rules! places {
    ($($kind:expr, $look:expr, $length:expr, $signs:expr, $pattern:expr;)*) => {
        [$(Place {
            kind: $kind,
            signs: $signs,
            look: $look,
            length: $length,
            pattern: LazyLock::new(|| Regex::new($pattern).ok()),
        },)*]
    };
}

static PLACES: [Place; 8] = places![
    "secret-value", Look::Drawn, 8..=512, &["--token", "--pass", "--api", "--secret", "--access", "--auth", "--client", "--private"],
        r#"--(?:token|password|passwd|passphrase|api-key|apikey|secret|secret-key|access-key|access-token|auth-token|client-secret|private-token)[= ]["']?([^\s"'`;&|<>(){}$]+)"#;
    "bearer-token", Look::Drawn, 16..=4096, &["bearer "],
        r"(?i)\bbearer\s+([A-Za-z0-9._~+/=-]+)";
    "basic-login", Look::Login, 8..=1024, &["basic "],
        r"(?i)\bauthorization[\x22']?\s*[:=]\s*[\x22']?basic\s+([A-Za-z0-9+/_=-]+)";
    "netrc-password", Look::Any, 4..=255, &["machine ", "default login", "default\nlogin"],
        r"\b(?:machine\s+\S+|default)\s+login\s+\S+\s+password\s+([^\s<$]+)";
    "azure-key", Look::Drawn, 40..=120, &["accountkey=", "sharedaccesskey="],
        r"\b(?:AccountKey|SharedAccessKey)=([A-Za-z0-9+/=]+)";
    "azure-signature", Look::Drawn, 40..=120, &["&sig=", "?sig=", ";sig="],
        r"[?&;](?:sv|se|sp|sr|spr|st)=[^\s\x22']*?\bsig=([A-Za-z0-9%+/=]+)";
    "azure-secret", Look::Drawn, 37..=40, &["q~"],
        r"(?:^|[^A-Za-z0-9_~.-])([A-Za-z0-9_~.-][A-Za-z0-9_~.-][A-Za-z0-9_~.-][0-9]Q~[A-Za-z0-9_~.-]+)";
    "twilio-key", Look::Drawn, 34..=34, &["sk"],
        r"\b(SK[0-9a-f]+)\b";
];

pub(super) fn find(text: &str) -> Vec<Leak> {
    let low = text.to_ascii_lowercase();
    let mut found = Vec::new();
    for place in PLACES.iter().filter(|place| place.signs.iter().any(|sign| low.contains(sign))) {
        let Some(pattern) = place.pattern.as_ref() else { continue };
        for value in pattern.captures_iter(text).filter_map(|hit| hit.get(1)) {
            if place.length.contains(&value.len()) && has_look(place.look, value.as_str()) {
                found.push(Leak { kind: place.kind, start: value.start(), end: value.end() });
            }
        }
    }
    found
}

fn has_look(look: Look, value: &str) -> bool {
    match look {
        Look::Any => !is_sample(value),
        Look::Drawn => {
            let digits = value.bytes().any(|byte| byte.is_ascii_digit());
            digits && classes(value) >= 2 && entropy(value) >= 2.9 && !is_words(value) && !is_sample(value)
        }
        Look::Login => {
            let plain = value.trim_end_matches('=').replace('+', "-").replace('/', "_");
            let login = decoded(&plain).unwrap_or_default();
            let password = login.split_once(':').map(|(_, password)| password).unwrap_or_default();
            password.len() >= 4 && password.chars().all(|c| !c.is_control()) && !is_sample(password)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::PLACES;

    #[test]
    fn every_place_can_be_read() {
        assert!(PLACES.iter().all(|place| place.pattern.is_some()));
    }
}
