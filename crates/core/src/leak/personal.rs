//! Numbers of cards, bank accounts and people, by their check digits.

use super::{Leak, Personal};
use regex::Regex;
use std::sync::LazyLock;

/// How far before a number its name may stand.
const NEAR: usize = 60;

fn pattern(text: &str) -> Option<Regex> {
    Regex::new(text).ok()
}

static CARDS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(r"[0-9]{4}[ -][0-9]{4}[ -][0-9]{4}[ -][0-9]{4}|[0-9]{4}[ -][0-9]{6}[ -][0-9]{5}|[0-9]{13,19}")
});
static IBANS: LazyLock<Option<Regex>> =
    LazyLock::new(|| pattern(r"[A-Z]{2}[0-9]{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,4})?"));
static SSNS: LazyLock<Option<Regex>> = LazyLock::new(|| pattern(r"[0-9]{3}-[0-9]{2}-[0-9]{4}"));
static EMAILS: LazyLock<Option<Regex>> =
    LazyLock::new(|| pattern(r"[A-Za-z0-9._%+-]{1,64}@(?:[A-Za-z0-9-]{1,63}\.){1,8}[A-Za-z]{2,24}"));

pub(super) fn find(text: &str, wanted: &[Personal]) -> Vec<Leak> {
    let mut found = Vec::new();
    for sort in wanted {
        let (pattern, kind, check): (&Option<Regex>, &'static str, Check) = match sort {
            Personal::Card => (&CARDS, "card-number", is_card),
            Personal::Iban => (&IBANS, "bank-account", is_iban),
            Personal::Ssn => (&SSNS, "social-security-number", is_ssn),
            Personal::Email => (&EMAILS, "email-address", is_email),
        };
        let hits = pattern.iter().flat_map(|pattern| pattern.find_iter(text));
        let alone = hits.filter(|hit| stands_alone(text, hit.start(), hit.end()));
        let leaks = alone.filter_map(|hit| {
            let length = check(text, hit.start(), hit.as_str())?;
            Some(Leak { kind, start: hit.start(), end: hit.start() + length })
        });
        found.extend(leaks);
    }
    found
}

/// How many bytes of a hit are one, if it is one.
type Check = fn(&str, usize, &str) -> Option<usize>;

/// No part of a longer number, word, path or address.
fn stands_alone(text: &str, start: usize, end: usize) -> bool {
    let bytes = text.as_bytes();
    let joins = |byte: Option<&u8>, with: &[u8]| {
        byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || with.contains(byte))
    };
    let before = start.checked_sub(1).and_then(|at| bytes.get(at));
    let dots_on = bytes.get(end) == Some(&b'.') && joins(bytes.get(end + 1), b"");
    !joins(before, b"_-./#$%+") && !joins(bytes.get(end), b"_-/%") && !dots_on
}

/// Numbers that are printed in manuals.
const PRINTED: &[&str] = &[
    "4242424242424242",
    "4111111111111111",
    "4012888888881881",
    "5555555555554444",
    "5105105105105100",
    "378282246310005",
    "371449635398431",
    "6011111111111117",
    "6011000990139424",
    "4000056655665556",
    "5200828282828210",
    "30569309025904",
    "3530111333300000",
    "4222222222222",
];

fn is_card(text: &str, start: usize, hit: &str) -> Option<usize> {
    let digits: String = hit.chars().filter(char::is_ascii_digit).collect();
    let number = |length: usize| digits.get(..length).and_then(|text| text.parse::<u32>().ok()).unwrap_or(0);
    let length_ok = match digits.len() {
        16 => {
            matches!(number(1), 4)
                || matches!(number(2), 51..=55 | 65)
                || matches!(number(4), 2221..=2720 | 3528..=3589 | 6011)
        }
        15 => matches!(number(2), 34 | 37),
        _ => false,
    };
    let varied = digits.bytes().collect::<std::collections::BTreeSet<u8>>().len() >= 4;
    // Bare digits may be anything; then the text must speak of cards.
    let grouped = hit.len() > digits.len();
    let known =
        grouped || is_near(text, start, &["card", "credit", "visa", "mastercard", "amex", "debit", "pan"]);
    (length_ok && varied && known && luhn(&digits) && !PRINTED.contains(&digits.as_str()))
        .then_some(hit.len())
}

fn luhn(digits: &str) -> bool {
    let sum: u32 = digits
        .bytes()
        .rev()
        .zip([false, true].into_iter().cycle())
        .map(|(byte, doubled)| {
            let digit = u32::from(byte.saturating_sub(b'0'));
            match doubled {
                true if digit > 4 => digit * 2 - 9,
                true => digit * 2,
                false => digit,
            }
        })
        .sum();
    sum.is_multiple_of(10)
}

/// Countries and how long their numbers are.
const COUNTRIES: &[(&str, usize)] = &[
    ("AT", 20),
    ("BE", 16),
    ("BG", 22),
    ("CH", 21),
    ("CY", 28),
    ("CZ", 24),
    ("DE", 22),
    ("DK", 18),
    ("EE", 20),
    ("ES", 24),
    ("FI", 18),
    ("FR", 27),
    ("GB", 22),
    ("GR", 27),
    ("HR", 21),
    ("HU", 28),
    ("IE", 22),
    ("IT", 27),
    ("LI", 21),
    ("LT", 20),
    ("LU", 20),
    ("LV", 21),
    ("MC", 27),
    ("MT", 31),
    ("NL", 18),
    ("NO", 15),
    ("PL", 28),
    ("PT", 25),
    ("RO", 24),
    ("SE", 24),
    ("SI", 19),
    ("SK", 24),
    ("TR", 26),
    ("UA", 29),
];

const PRINTED_ACCOUNTS: &[&str] = &[
    "GB82WEST12345698765432",
    "DE89370400440532013000",
    "GB29NWBK60161331926819",
    "FR1420041010050500013M02606",
];

/// The pattern may take in what follows; the country says how long it is.
fn is_iban(_: &str, _: usize, hit: &str) -> Option<usize> {
    let (_, wanted) = COUNTRIES.iter().find(|(country, _)| hit.starts_with(country))?;
    let mut length = 0;
    let mut plain = String::new();
    for c in hit.chars() {
        if plain.len() == *wanted {
            break;
        }
        length += c.len_utf8();
        if c != ' ' {
            plain.push(c);
        }
    }
    let ends = hit.as_bytes().get(length).is_none_or(|byte| *byte == b' ');
    let remainder = plain.chars().cycle().skip(4).take(plain.len()).try_fold(0_u32, |rest, c| {
        let value = c.to_digit(36)?;
        Some(if value > 9 { (rest * 100 + value) % 97 } else { (rest * 10 + value) % 97 })
    })?;
    let fits =
        plain.len() == *wanted && ends && remainder == 1 && !PRINTED_ACCOUNTS.contains(&plain.as_str());
    fits.then_some(length)
}

fn is_ssn(text: &str, start: usize, hit: &str) -> Option<usize> {
    let part =
        |from: usize, to: usize| hit.get(from..to).and_then(|text| text.parse::<u32>().ok()).unwrap_or(0);
    let (area, group, serial) = (part(0, 3), part(4, 6), part(7, 11));
    let given = area != 0 && area != 666 && area < 900 && group != 0 && serial != 0;
    let sample = matches!(hit, "123-45-6789" | "078-05-1120" | "219-09-9999");
    (given && !sample && is_near(text, start, &["ssn", "social security"])).then_some(hit.len())
}

fn is_email(text: &str, start: usize, hit: &str) -> Option<usize> {
    // `user:password@host` of an address.
    let before = start.checked_sub(1).and_then(|at| text.as_bytes().get(at));
    // `git@host:path` is one of a repository.
    if before == Some(&b':') || hit.starts_with("git@") {
        return None;
    }
    let host = hit.rsplit('@').next().unwrap_or_default();
    let sample = ["example.", "test.", "localhost", "noreply", "no-reply", "users.noreply"];
    (!sample.iter().any(|word| hit.contains(word)) && !host.ends_with(".local")).then_some(hit.len())
}

fn is_near(text: &str, start: usize, words: &[&str]) -> bool {
    let from = text.floor_char_boundary(start.saturating_sub(NEAR));
    let before = text.get(from..start).unwrap_or_default().to_ascii_lowercase();
    words.iter().any(|word| before.contains(word))
}
