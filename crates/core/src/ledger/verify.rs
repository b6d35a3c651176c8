//! Checks a ledger: every link, every byte, the signed end.
//!
//! The first thing wrong is named by its index; nothing is repaired.

use crate::digest::{canonical, digest_of};
use crate::ledger::checkpoint::{Checkpoint, Head, verify_head};
use crate::ledger::record::{Line, genesis};
use serde::Deserialize;
use std::borrow::Cow;

/// The first thing wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FirstBad {
    /// Which record, counted from 1; one past the last for a missing end.
    pub index: u64,
    /// What is wrong with it.
    pub why: String,
}

impl std::fmt::Display for FirstBad {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "record {}: {}", self.index, self.why)
    }
}

/// The result of checking a whole export.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verification {
    /// Every record is what it was when it was written.
    Intact {
        /// How many.
        records: u64,
    },
    /// Something was changed.
    Broken(FirstBad),
}

/// What chains a record to the one before; the rest of it is not read.
#[derive(Deserialize)]
struct Link<'a> {
    #[serde(default)]
    seq: u64,
    #[serde(default, borrow)]
    prev: Cow<'a, str>,
}

/// Follows the chain link by link.
#[derive(Debug, Clone, Default)]
pub(crate) struct Links {
    last: Option<Head>,
}

impl Links {
    fn index(&self) -> u64 {
        self.last.as_ref().map_or(0, |head| head.seq).saturating_add(1)
    }

    fn bad(&self, why: &str) -> FirstBad {
        FirstBad { index: self.index(), why: why.to_owned() }
    }

    pub(crate) fn head(&self) -> Option<Head> {
        self.last.clone()
    }

    /// Goes past a record: its text is what was hashed, so it needs no other form.
    pub(crate) fn step(&mut self, body: &str, hash: &str) -> Result<(), FirstBad> {
        let link: Link<'_> = serde_json::from_str(body).map_err(|_| self.bad("is not JSON"))?;
        self.follow(link.seq, &link.prev, hash, digest_of(body.as_bytes()) == hash)
    }

    /// The same for a record that was read and hashed elsewhere.
    pub(crate) fn follow(&mut self, own: u64, before: &str, hash: &str, fits: bool) -> Result<(), FirstBad> {
        let seq = self.index();
        if own != seq {
            return Err(self.bad("has the wrong number: a record is missing, swapped or added"));
        }
        let is_next = match &self.last {
            Some(head) => head.hash == before,
            None => before == genesis(),
        };
        if !is_next {
            return Err(self.bad("does not follow from the record before it"));
        }
        if !fits {
            return Err(self.bad("does not match its hash"));
        }
        self.last = Some(Head { seq, hash: hash.to_owned() });
        Ok(())
    }
}

/// Checks an export: one line a record, then one signed checkpoint.
#[must_use]
pub fn verify_export(bytes: &[u8], trusted: Option<&str>) -> Verification {
    ExportCheck::new(trusted).rest(bytes)
}

/// The check of an export, standing before one of its lines.
#[derive(Debug, Clone)]
pub struct ExportCheck {
    links: Links,
    trusted: Option<String>,
}

impl ExportCheck {
    /// Before the first line. `trusted` is the key that must have signed the end.
    #[must_use]
    pub fn new(trusted: Option<&str>) -> ExportCheck {
        ExportCheck { links: Links::default(), trusted: trusted.map(str::to_owned) }
    }

    /// Checks one record's line and goes past it; stays before a bad one.
    ///
    /// # Errors
    /// What is wrong with the line.
    pub fn line(&mut self, line: &[u8]) -> Result<(), FirstBad> {
        check_line(utf8(line, &self.links)?, &mut self.links)
    }

    /// Checks everything that follows, to the signed end.
    #[must_use]
    pub fn rest(mut self, bytes: &[u8]) -> Verification {
        match self.lines(bytes) {
            Ok(()) => Verification::Intact { records: self.links.index().saturating_sub(1) },
            Err(bad) => Verification::Broken(bad),
        }
    }

    fn lines(&mut self, bytes: &[u8]) -> Result<(), FirstBad> {
        let body = bytes.strip_suffix(b"\n");
        let mut lines = body.unwrap_or(bytes).split(|byte| *byte == b'\n').peekable();
        while let Some(line) = lines.next() {
            let is_last = lines.peek().is_none();
            if is_last && body.is_none() {
                return Err(self.links.bad("the export ends in the middle of a line"));
            }
            if is_last {
                return check_end(utf8(line, &self.links)?, self.trusted.as_deref(), &self.links);
            }
            self.line(line)?;
        }
        Err(self.links.bad("the signed checkpoint at the end is missing"))
    }
}

fn utf8<'a>(line: &'a [u8], links: &Links) -> Result<&'a str, FirstBad> {
    std::str::from_utf8(line).map_err(|_| links.bad("is not UTF-8"))
}

/// A line as an export writes it: the hash, and the record behind it.
fn plain_line(text: &str) -> Option<(&str, &str)> {
    let rest = text.strip_prefix("{\"hash\":\"")?;
    let (hash, rest) = rest.split_at_checked(64)?;
    let body = rest.strip_prefix("\",\"record\":")?.strip_suffix('}')?;
    Some((hash, body))
}

fn check_line(text: &str, links: &mut Links) -> Result<(), FirstBad> {
    // What hashes to its hash is what was written, byte for byte.
    if let Some((hash, body)) = plain_line(text)
        && digest_of(body.as_bytes()) == hash
    {
        return links.step(body, hash);
    }
    let line: Line = serde_json::from_str(text).map_err(|_| links.bad("is not a ledger line"))?;
    if canonical(&line) != text {
        return Err(links.bad("is not in canonical form"));
    }
    links.step(&canonical(&line.record), &line.hash)
}

fn check_end(text: &str, trusted: Option<&str>, links: &Links) -> Result<(), FirstBad> {
    let end: Checkpoint =
        serde_json::from_str(text).map_err(|_| links.bad("the signed checkpoint at the end is missing"))?;
    if canonical(&end) != text || !verify_head(&end, trusted) {
        return Err(links.bad("the signature of the checkpoint is invalid"));
    }
    if links.head().as_ref() != Some(&end.checkpoint) {
        return Err(
            links.bad("the records do not match the signed checkpoint: the end was cut off or replaced")
        );
    }
    Ok(())
}
