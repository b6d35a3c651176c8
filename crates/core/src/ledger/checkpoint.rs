//! Signed heads: proof of how far the ledger had come.
//!
//! The chain shows edits and swaps; only a head signed and kept shows that a
//! tail was cut. The store signs its head with every append; a checkpoint is
//! that head for keeping elsewhere.

use crate::digest::{Digest, canonical, hex};
use crate::inbox::is_signed;
use ed25519_dalek::{Signer, SigningKey};
use serde::{Deserialize, Serialize};
use serde_json::json;

/// The newest record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Head {
    /// Its number.
    pub seq: u64,
    /// Its hash.
    pub hash: Digest,
}

/// A signed head, for keeping where the ledger is not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Checkpoint {
    /// The head.
    pub checkpoint: Head,
    /// Public key, hex.
    pub key: String,
    /// Signature over the head, hex.
    pub signature: String,
}

fn text(head: &Head) -> String {
    canonical(&json!({ "toolgate_head": head }))
}

/// Signs a head.
#[must_use]
pub fn sign_head(head: &Head, key: &SigningKey) -> Checkpoint {
    let signature = hex(&key.sign(text(head).as_bytes()).to_bytes());
    Checkpoint { checkpoint: head.clone(), key: hex(key.verifying_key().as_bytes()), signature }
}

/// Whether the checkpoint's own key signed it and, if one is given, that key
/// is the `trusted` one.
#[must_use]
pub fn verify_head(checkpoint: &Checkpoint, trusted: Option<&str>) -> bool {
    trusted.is_none_or(|key| key == checkpoint.key)
        && is_signed(&checkpoint.key, &checkpoint.signature, text(&checkpoint.checkpoint).as_bytes())
}
