//! Secrets that begin in a known way: keys and tokens of services, signed
//! tokens, private keys.

use super::Leak;
use super::chance::{entropy, is_sample};
use regex::Regex;
use std::sync::LazyLock;

/// Longest token looked at.
const TOKEN_MAX: usize = 4096;

/// Longest private key looked at.
const KEY_MAX: usize = 32 << 10;

/// Characters a token goes on with.
#[derive(Debug, Clone, Copy)]
enum Alphabet {
    Upper,
    Hex,
    Alnum,
    /// Letters, digits, `-`, `_`.
    Url,
    /// The same and `.`.
    Dotted,
    /// The same and `/`.
    Path,
}

impl Alphabet {
    fn has(self, byte: u8) -> bool {
        match self {
            Alphabet::Upper => byte.is_ascii_uppercase() || byte.is_ascii_digit(),
            Alphabet::Hex => byte.is_ascii_hexdigit(),
            Alphabet::Alnum => byte.is_ascii_alphanumeric(),
            Alphabet::Url => byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'),
            Alphabet::Dotted => Alphabet::Url.has(byte) || byte == b'.',
            Alphabet::Path => Alphabet::Url.has(byte) || byte == b'/',
        }
    }
}

/// How one sort of token is written.
struct Form {
    kind: &'static str,
    begins: &'static str,
    alphabet: Alphabet,
    /// Characters behind the beginning.
    shortest: usize,
    longest: usize,
}

const fn form(
    kind: &'static str,
    begins: &'static str,
    alphabet: Alphabet,
    shortest: usize,
    longest: usize,
) -> Form {
    Form { kind, begins, alphabet, shortest, longest }
}

use Alphabet::{Alnum, Dotted, Hex, Path, Upper, Url};

const FORMS: &[Form] = &[
    form("aws-access-key", "AKIA", Upper, 16, 16),
    form("aws-access-key", "ASIA", Upper, 16, 16),
    form("github-token", "ghp_", Alnum, 36, 255),
    form("github-token", "gho_", Alnum, 36, 255),
    form("github-token", "ghu_", Alnum, 36, 255),
    form("github-token", "ghs_", Alnum, 36, 255),
    form("github-token", "ghr_", Alnum, 36, 255),
    form("github-token", "github_pat_", Url, 60, 255),
    form("gitlab-token", "glpat-", Dotted, 20, 255),
    form("gitlab-token", "gldt-", Dotted, 20, 255),
    form("gitlab-token", "glrt-", Dotted, 20, 255),
    form("gitlab-token", "glptt-", Dotted, 20, 255),
    form("slack-token", "xoxb-", Url, 24, 255),
    form("slack-token", "xoxp-", Url, 24, 255),
    form("slack-token", "xoxa-", Url, 24, 255),
    form("slack-token", "xoxr-", Url, 24, 255),
    form("slack-token", "xoxs-", Url, 24, 255),
    form("slack-token", "xapp-", Url, 24, 255),
    form("slack-webhook", "hooks.slack.com/services/", Path, 40, 120),
    form("stripe-key", "sk_live_", Alnum, 24, 255),
    form("stripe-key", "rk_live_", Alnum, 24, 255),
    form("stripe-key", "whsec_", Alnum, 32, 255),
    form("google-api-key", "AIza", Url, 35, 35),
    form("google-token", "ya29.", Url, 30, TOKEN_MAX),
    form("google-secret", "GOCSPX-", Url, 28, 28),
    form("anthropic-key", "sk-ant-", Url, 40, 255),
    form("openai-key", "sk-proj-", Url, 40, 255),
    form("openai-key", "sk-svcacct-", Url, 40, 255),
    form("openai-key", "sk-admin-", Url, 40, 255),
    form("openai-key", "sk-", Alnum, 48, 48),
    form("npm-token", "npm_", Alnum, 36, 36),
    form("pypi-token", "pypi-AgE", Url, 60, 512),
    form("hugging-face-token", "hf_", Alnum, 34, 40),
    form("sendgrid-key", "SG.", Dotted, 60, 72),
    form("digitalocean-token", "dop_v1_", Hex, 64, 64),
    form("digitalocean-token", "doo_v1_", Hex, 64, 64),
    form("databricks-token", "dapi", Hex, 32, 34),
    form("doppler-token", "dp.pt.", Alnum, 40, 44),
    form("linear-key", "lin_api_", Alnum, 40, 40),
    form("notion-token", "ntn_", Alnum, 40, 50),
    form("planetscale-token", "pscale_tkn_", Dotted, 32, 64),
    form("planetscale-token", "pscale_pw_", Dotted, 32, 64),
    form("postman-key", "PMAK-", Url, 59, 59),
    form("shopify-token", "shpat_", Hex, 32, 32),
    form("shopify-token", "shpca_", Hex, 32, 32),
    form("shopify-token", "shppa_", Hex, 32, 32),
    form("shopify-token", "shpss_", Hex, 32, 32),
    form("square-token", "sq0atp-", Url, 22, 22),
    form("square-token", "sq0csp-", Url, 43, 43),
    form("vault-token", "hvs.", Url, 24, 255),
    form("vault-token", "hvb.", Url, 100, 255),
    form("age-key", "AGE-SECRET-KEY-1", Upper, 58, 58),
    form("supabase-token", "sbp_", Hex, 40, 40),
    form("groq-key", "gsk_", Alnum, 52, 52),
    form("replicate-token", "r8_", Alnum, 37, 37),
    form("perplexity-key", "pplx-", Alnum, 48, 48),
    form("docker-token", "dckr_pat_", Url, 27, 40),
    form("new-relic-key", "NRAK-", Upper, 27, 27),
    form("grafana-token", "glsa_", Url, 41, 41),
    form("rubygems-key", "rubygems_", Hex, 48, 48),
];

/// The two that are no plain run of characters.
const SIGNED: &str = "eyJ";
const PRIVATE: &str = "-----BEGIN ";

static BEGINNINGS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let mut begins: Vec<&str> = FORMS.iter().map(|form| form.begins).collect();
    begins.extend([SIGNED, PRIVATE]);
    // The longest first, so that `sk-ant-` is not taken for `sk-`.
    begins.sort_by_key(|text| std::cmp::Reverse(text.len()));
    let escaped: Vec<String> = begins.iter().map(|text| regex::escape(text)).collect();
    Regex::new(&escaped.join("|")).ok()
});

pub(super) fn find(text: &str) -> Vec<Leak> {
    let Some(beginnings) = BEGINNINGS.as_ref() else { return Vec::new() };
    let mut found: Vec<Leak> = Vec::new();
    for hit in beginnings.find_iter(text) {
        let is_inside = found.last().is_some_and(|last| hit.start() < last.end);
        if is_inside || !stands_alone(text, hit.start()) {
            continue;
        }
        let leak = match hit.as_str() {
            SIGNED => signed(text, hit.start()),
            PRIVATE => private_key(text, hit.start(), hit.end()),
            begins => plain(text, begins, hit.start(), hit.end()),
        };
        found.extend(leak);
    }
    found
}

/// Not in the middle of a longer word.
fn stands_alone(text: &str, start: usize) -> bool {
    let before = start.checked_sub(1).and_then(|at| text.as_bytes().get(at));
    !before.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
}

fn run(text: &str, from: usize, alphabet: Alphabet) -> &str {
    let rest = text.as_bytes().get(from..).unwrap_or_default();
    let length = rest.iter().take(TOKEN_MAX).take_while(|byte| alphabet.has(**byte)).count();
    text.get(from..from + length).unwrap_or_default()
}

fn plain(text: &str, begins: &str, start: usize, from: usize) -> Option<Leak> {
    FORMS.iter().filter(|form| form.begins == begins).find_map(|form| {
        let rest = run(text, from, form.alphabet).trim_end_matches(['.', '-']);
        let fits = (form.shortest..=form.longest).contains(&rest.len());
        let drawn = entropy(rest) >= if matches!(form.alphabet, Hex | Upper) { 2.5 } else { 3.2 };
        (fits && drawn && !is_sample(rest)).then_some(Leak { kind: form.kind, start, end: from + rest.len() })
    })
}

/// A signed token: three parts, the first of which is JSON that names its
/// algorithm.
fn signed(text: &str, start: usize) -> Option<Leak> {
    let whole = run(text, start, Dotted).trim_end_matches('.');
    let mut parts = whole.split('.');
    let (head, body, signature) = (parts.next()?, parts.next()?, parts.next()?);
    let is_head = decoded(head).is_some_and(|json| json.starts_with("{\"") && json.contains("\"alg\""));
    let long = body.len() >= 16 && signature.len() >= 16 && body.starts_with("ey");
    let end = start + head.len() + body.len() + signature.len() + 2;
    (is_head && long).then_some(Leak { kind: "signed-token", start, end })
}

/// Base64 as addresses write it; `None` if it is none, or no text.
pub(super) fn decoded(text: &str) -> Option<String> {
    let value = |byte: u8| -> Option<u32> {
        Some(u32::from(match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'-' => 62,
            b'_' => 63,
            _ => return None,
        }))
    };
    let (mut bits, mut held, mut bytes) = (0_u32, 0_u32, Vec::new());
    for byte in text.bytes() {
        bits = bits << 6 | value(byte)?;
        held += 6;
        if held >= 8 {
            held -= 8;
            bytes.push(u8::try_from(bits >> held & 0xff).ok()?);
        }
    }
    String::from_utf8(bytes).ok()
}

/// From the first line of a private key to its last; a key cut off counts to
/// where its letters end.
fn private_key(text: &str, start: usize, from: usize) -> Option<Leak> {
    let limit = text.floor_char_boundary(from.saturating_add(KEY_MAX).min(text.len()));
    let rest = text.get(from..limit)?;
    let (label, body) = rest.split_once("-----")?;
    let is_label = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b' ';
    if label.len() > 40
        || !label.bytes().all(is_label)
        || !label.trim_end().ends_with("PRIVATE KEY") && !label.ends_with("PRIVATE KEY BLOCK")
    {
        return None;
    }
    let in_key = |c: &char| c.is_ascii_alphanumeric() || " \t\r\n+/=\\,:-".contains(*c);
    let key_end = body.find("-----END").unwrap_or_else(|| body.chars().take_while(in_key).count());
    let key = body.get(..key_end)?;
    let letters = key.bytes().filter(u8::is_ascii_alphanumeric).count();
    // A heading in a text about keys is no key.
    if letters < 60 || !key.bytes().any(|byte| byte.is_ascii_digit()) {
        return None;
    }
    Some(Leak { kind: "private-key", start, end: from + label.len() + "-----".len() + key_end })
}
