//! Whose yes counts.
//!
//! An agent runs as the same user as the person, so files and process rights
//! cannot tell them apart. Two things can: a passphrase only the person knows,
//! which yields a signing key that exists nowhere on disk; and, where none is
//! set, a terminal that no agent is above. What each is worth is written
//! in THREATS.md.

use crate::broken::Broken;
use crate::dirs::Dirs;
use crate::private::{make_private_folder, write_private};
use argon2::Argon2;
use ed25519_dalek::{Signer, SigningKey};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::PathBuf;
use toolgate_core::{Extent, Proof, Request, Word, hex, signed_text};

/// The public side of the approver: what a hook checks answers against.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Approver {
    /// Public key, hex.
    pub key: String,
    /// Salt of the passphrase, hex.
    pub salt: String,
}

/// A passphrase as typed; never printed.
pub struct Passphrase(String);

impl Passphrase {
    /// At least eight characters.
    ///
    /// # Errors
    /// If it is shorter.
    pub fn new(text: &str) -> Result<Passphrase, NotAPerson> {
        let text = text.trim_end_matches(['\r', '\n']);
        if text.chars().count() < 8 { Err(NotAPerson::TooShort) } else { Ok(Passphrase(text.to_owned())) }
    }

    /// Whether both were typed alike.
    #[must_use]
    pub fn is_same(&self, other: &Passphrase) -> bool {
        self.0 == other.0
    }
}

impl fmt::Debug for Passphrase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Passphrase(…)")
    }
}

/// Why an answer is not taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotAPerson {
    /// An agent is above this process.
    AgentAbove {
        /// Its name or mark.
        mark: String,
    },
    /// The passphrase yields another key.
    WrongPassphrase,
    /// The passphrase is too short to be one.
    TooShort,
    /// A passphrase is set and was not given.
    NeedsPassphrase,
    /// No one sits at a terminal.
    NoTerminal,
    /// Anyone who said it has gone, so no one can tell who it was.
    Gone,
}

impl fmt::Display for NotAPerson {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NotAPerson::AgentAbove { mark } => {
                write!(f, "this runs inside an agent ({mark})")
            }
            NotAPerson::WrongPassphrase => write!(f, "wrong passphrase"),
            NotAPerson::TooShort => write!(f, "the passphrase needs at least eight characters"),
            NotAPerson::NeedsPassphrase => write!(f, "a passphrase is required"),
            NotAPerson::Gone => write!(f, "the connection was closed before the sender could be identified"),
            NotAPerson::NoTerminal => write!(f, "answers need a terminal or a passphrase"),
        }
    }
}

impl std::error::Error for NotAPerson {}

impl NotAPerson {
    /// What to do about it on the command line.
    #[must_use]
    pub fn cure(&self) -> &'static str {
        match self {
            NotAPerson::AgentAbove { .. } => "answer from your own terminal",
            NotAPerson::WrongPassphrase => "enter the passphrase that was given to `toolgate approver set`",
            NotAPerson::TooShort => "choose a longer one",
            NotAPerson::NeedsPassphrase => "enter it at the terminal or use `--passphrase-stdin`",
            NotAPerson::NoTerminal => {
                "answer at a terminal, or set a passphrase with `toolgate approver set`"
            }
            NotAPerson::Gone => "keep the connection open until the response arrives",
        }
    }
}

impl Approver {
    fn path(dirs: &Dirs) -> PathBuf {
        dirs.config.join("approver.json")
    }

    /// The approver, if one is set.
    ///
    /// # Errors
    /// If the file is there but cannot be read: then no answer counts.
    pub fn load(dirs: &Dirs) -> Result<Option<Approver>, Broken> {
        let path = Approver::path(dirs);
        match std::fs::read(&path) {
            Ok(bytes) => serde_json::from_slice(&bytes).map(Some).map_err(|error| {
                Broken::new(
                    format!("`{}` cannot be read: {error}", path.display()),
                    "run `toolgate approver set` again",
                )
            }),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(Broken::io("read", &path, &error)),
        }
    }

    fn key_from(&self, passphrase: &Passphrase) -> Result<SigningKey, NotAPerson> {
        let key = derive(passphrase, &self.salt);
        match key {
            Some(key) if hex(key.verifying_key().as_bytes()) == self.key => Ok(key),
            _ => Err(NotAPerson::WrongPassphrase),
        }
    }
}

fn derive(passphrase: &Passphrase, salt: &str) -> Option<SigningKey> {
    let mut seed = [0; 32];
    Argon2::default().hash_password_into(passphrase.0.as_bytes(), salt.as_bytes(), &mut seed).ok()?;
    Some(SigningKey::from_bytes(&seed))
}

/// Sets the approver's passphrase.
///
/// # Errors
/// If it cannot be kept.
pub fn set_passphrase(dirs: &Dirs, passphrase: &Passphrase) -> Result<Approver, Broken> {
    let mut salt = [0; 16];
    getrandom::fill(&mut salt)
        .map_err(|error| Broken::new(format!("no randomness: {error}"), "run `toolgate doctor`"))?;
    let salt = hex(&salt);
    let key = derive(passphrase, &salt)
        .ok_or_else(|| Broken::new("the passphrase cannot be hashed", "choose another one"))?;
    let approver = Approver { key: hex(key.verifying_key().as_bytes()), salt };
    make_private_folder(&dirs.config)?;
    let text = serde_json::to_vec_pretty(&approver).unwrap_or_default();
    write_private(&Approver::path(dirs), &text)?;
    Ok(approver)
}

/// Signs an answer to a request.
///
/// # Errors
/// If the passphrase is not the approver's.
pub fn sign_answer(
    approver: &Approver,
    passphrase: &Passphrase,
    request: &Request,
    word: Word,
    reach: &Extent,
) -> Result<Proof, NotAPerson> {
    let key = approver.key_from(passphrase)?;
    let signature = hex(&key.sign(signed_text(request, word, reach).as_bytes()).to_bytes());
    Ok(Proof::Signature { key: approver.key.clone(), signature })
}
