//! Whether letters look drawn by chance, or written by a person.

/// Bits of surprise per character (Shannon), over the text's own letters.
pub(super) fn entropy(text: &str) -> f64 {
    let mut counts = [0_u32; 256];
    for byte in text.bytes() {
        if let Some(count) = counts.get_mut(usize::from(byte)) {
            *count += 1;
        }
    }
    let all = text.len().max(1) as f64;
    let share = |count: &u32| f64::from(*count) / all;
    counts.iter().filter(|count| **count > 0).map(|count| -share(count) * share(count).log2()).sum()
}

/// Words people write where a secret would stand.
const SAMPLES: &[&str] = &[
    "example",
    "sample",
    "placeholder",
    "changeme",
    "change-me",
    "change_me",
    "your",
    "dummy",
    "fake",
    "redacted",
    "xxxx",
    "****",
    "....",
    "todo",
    "insert",
    "replace",
    "secret",
    "password",
    "notreal",
    "not-a-real",
    "test",
    "mock",
    "abcdef",
    "123456",
    "098765",
    "987654",
    "foobar",
    "default",
    "deadbeef",
    "lorem",
];

/// Whether it says itself that it is none.
pub(super) fn is_sample(text: &str) -> bool {
    let small = text.to_ascii_lowercase();
    SAMPLES.iter().any(|word| small.contains(word)) || repeats(&small)
}

/// `aaaaaaa`, `1111111`: seven of a kind are no chance.
fn repeats(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.windows(7).any(|seven| seven.iter().all(|byte| Some(byte) == seven.first()))
}

/// How many of small letters, capitals and digits are in it.
pub(super) fn classes(text: &str) -> usize {
    let has = |sort: fn(&u8) -> bool| usize::from(text.as_bytes().iter().any(sort));
    has(u8::is_ascii_lowercase) + has(u8::is_ascii_uppercase) + has(u8::is_ascii_digit)
}

/// `access_token_v2`, `my-app.secret.name`: words joined, no chance in them.
pub(super) fn is_words(text: &str) -> bool {
    let parts: Vec<&str> =
        text.split(['-', '_', '.', '/', ':', ' ', '+']).filter(|part| !part.is_empty()).collect();
    let is_word = |part: &&str| {
        let letters = part.trim_end_matches(|c: char| c.is_ascii_digit());
        let digits = part.len() - letters.len();
        digits <= 4 && is_spelled(letters)
    };
    parts.iter().all(is_word)
}

/// One word in one case, or words in camel case: after a capital come small
/// letters, and vowels are there.
fn is_spelled(letters: &str) -> bool {
    if letters.is_empty() {
        return true;
    }
    if !letters.bytes().all(|byte| byte.is_ascii_alphabetic()) {
        return false;
    }
    let vowels = letters.bytes().filter(|byte| b"aeiouyAEIOUY".contains(byte)).count();
    let turns = letters
        .as_bytes()
        .windows(2)
        .filter(|two| matches!(two, [a, b] if a.is_ascii_uppercase() != b.is_ascii_uppercase()))
        .count();
    vowels * 5 >= letters.len() && turns * 3 <= letters.len() || letters.len() <= 4
}
