//! Secrets that are known by where they are: behind an option, in a header, in
//! a login file, in an address, in a connection text.
//!
//! A place alone is no proof, since manuals are full of them: each also demands
//! that the value looks like one, and not like a sample or a word.

use super::Leak;
use super::chance::{classes, entropy, is_sample, is_words};
use super::token::decoded;
use regex::Regex;
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
    /// With one group around the secret.
    pattern: &'static str,
    look: Look,
}

const PLACES: &[Place] = &[
    Place {
        kind: "secret-value",
        pattern: r#"--(?:token|password|passwd|passphrase|api-key|apikey|secret|secret-key|access-key|access-token|auth-token|client-secret|private-token)[= ]["']?([^\s"'`;&|<>(){}$]{8,512})"#,
        look: Look::Drawn,
    },
    Place {
        kind: "bearer-token",
        pattern: r"(?i)\b(?:authorization\s*[:=]\s*|-H\s*)?[\x22']?bearer\s+([A-Za-z0-9._~+/=-]{16,4096})",
        look: Look::Drawn,
    },
    Place {
        kind: "basic-login",
        pattern: r"(?i)\bauthorization[\x22']?\s*[:=]\s*[\x22']?basic\s+([A-Za-z0-9+/_-]{8,1024}={0,2})",
        look: Look::Login,
    },
    Place {
        kind: "netrc-password",
        pattern: r"\b(?:machine\s+\S{1,255}|default)\s+login\s+\S{1,255}\s+password\s+([^\s<$]{4,255})",
        look: Look::Any,
    },
    Place {
        kind: "azure-key",
        pattern: r"\b(?:AccountKey|SharedAccessKey)=([A-Za-z0-9+/]{40,120}={0,2})",
        look: Look::Drawn,
    },
    Place {
        kind: "azure-signature",
        pattern: r"[?&;](?:sv|se|sp|sr|spr|st|sig)=[^\s\x22']{0,400}?\bsig=([A-Za-z0-9%+/]{40,120}=?)",
        look: Look::Drawn,
    },
    Place {
        kind: "azure-secret",
        pattern: r"(?:^|[^A-Za-z0-9_~.-])([A-Za-z0-9_~.-]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,34})(?:$|[^A-Za-z0-9_~.-])",
        look: Look::Drawn,
    },
    Place { kind: "twilio-key", pattern: r"\b(SK[0-9a-f]{32})\b", look: Look::Drawn },
];

static FORMS: LazyLock<Vec<(Regex, &'static Place)>> = LazyLock::new(|| {
    PLACES.iter().filter_map(|place| Some((Regex::new(place.pattern).ok()?, place))).collect()
});

pub(super) fn find(text: &str) -> Vec<Leak> {
    let mut found = Vec::new();
    for (form, place) in FORMS.iter() {
        for value in form.captures_iter(text).filter_map(|hit| hit.get(1)) {
            if has_look(place.look, value.as_str()) {
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
    use super::{FORMS, PLACES};

    #[test]
    fn every_place_can_be_read() {
        assert_eq!(FORMS.len(), PLACES.len());
    }
}
