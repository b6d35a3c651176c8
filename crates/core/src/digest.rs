//! Canonical bytes and their SHA-256: the one way anything here is hashed.

use serde::Serialize;
use sha2::{Digest as _, Sha256};

/// A SHA-256 in lower-case hex.
pub type Digest = String;

/// The RFC 8785 text of a value: same value, same bytes, on any machine.
/// A value that has no such text (a map with non-text keys) gives `null`,
/// which no record of ours can be.
#[must_use]
pub fn canonical<T: Serialize>(value: &T) -> String {
    serde_jcs::to_string(value).unwrap_or_else(|_| "null".to_owned())
}

/// SHA-256 of bytes, in hex.
#[must_use]
pub fn digest_of(bytes: &[u8]) -> Digest {
    hex(&plain_digest_of(bytes))
}

/// The same as it is.
#[must_use]
pub fn plain_digest_of(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}

/// Bytes in lower-case hex.
#[must_use]
pub fn hex(bytes: &[u8]) -> String {
    const DIGITS: [char; 16] =
        ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e', 'f'];
    let digit = |nibble: u8| DIGITS.get(usize::from(nibble)).copied().unwrap_or('0');
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

/// The bytes of a hex text; `None` if it is not one.
#[must_use]
pub(crate) fn unhex(text: &str) -> Option<Vec<u8>> {
    if !text.len().is_multiple_of(2) || !text.is_ascii() {
        return None;
    }
    let nibbles: Option<Vec<u8>> =
        text.chars().map(|c| c.to_digit(16).and_then(|d| u8::try_from(d).ok())).collect();
    Some(nibbles?.chunks(2).map(|pair| pair.iter().fold(0, |byte, nibble| (byte << 4) | nibble)).collect())
}
