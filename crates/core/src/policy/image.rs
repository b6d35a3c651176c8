//! The compiled form of a policy: one block of bytes a hook process can use
//! without parsing rules it does not need.
//!
//! Layout, numbers little-endian:
//! `head_len:u32 | head JSON | pairs:u32 | (key:u64, rule:u32)* | rules JSON`.
//! Every read is bounds-checked; a block that does not add up is a fault,
//! never a shorter policy.

use crate::digest::Digest;
use crate::policy::file::{Mode, Review, Workspace};
use crate::policy::index::{Key, Lengths, keys_for};
use crate::policy::merge::{Merged, RuleEntry};
use crate::policy::revision_of;
use crate::rule::earlier_rules;
use crate::settings::Settings;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Serialize, Deserialize)]
struct HeadPart {
    revision: Digest,
    mode: Mode,
    review: Review,
    workspace: Workspace,
    settings: Settings,
    /// See the index.
    lengths: Lengths,
    /// Where each rule's JSON begins; the last entry is the end.
    offsets: Vec<u32>,
}

/// A compiled policy.
#[derive(Debug, Clone)]
pub struct Image {
    head: HeadPart,
    pairs: Vec<(Key, u32)>,
    /// The rules' JSON lies at the end of these bytes.
    bytes: Vec<u8>,
    rules_at: usize,
    sieve: Sieve,
}

/// Tells most keys nothing is filed under without searching for them: one bit for
/// each key, by its lowest bits. Keys are hashes, so those are as good as any.
#[derive(Debug, Clone)]
struct Sieve(Vec<u64>);

/// How many bits that takes, as a power of two: some ten for each key of a pack.
const SIEVE_BITS: u32 = 14;

impl Sieve {
    fn of(pairs: &[(Key, u32)]) -> Sieve {
        let mut words = vec![0; 1 << (SIEVE_BITS - 6)];
        for (key, _) in pairs {
            if let Some(word) = words.get_mut(Sieve::word(*key)) {
                *word |= 1 << (key & 63);
            }
        }
        Sieve(words)
    }

    fn word(key: Key) -> usize {
        usize::try_from((key >> 6) & ((1 << (SIEVE_BITS - 6)) - 1)).unwrap_or_default()
    }

    fn lets_through(&self, key: Key) -> bool {
        self.0.get(Sieve::word(key)).is_none_or(|word| word & (1 << (key & 63)) != 0)
    }
}

/// Why a block of bytes is not an image.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ImageFault;

impl Image {
    /// Compiles merged layers.
    #[must_use]
    pub fn build(merged: &Merged) -> Image {
        let mut rules = Vec::new();
        let mut offsets = vec![0];
        let mut pairs = Vec::new();
        let earlier = |entry: &RuleEntry| {
            let own = entry.clone();
            earlier_rules(&entry.rule).into_iter().map(move |rule| RuleEntry { rule, ..own.clone() })
        };
        let all: Vec<RuleEntry> =
            merged.rules.iter().cloned().chain(merged.rules.iter().flat_map(earlier)).collect();
        for (number, entry) in (0u32..).zip(&all) {
            pairs.extend(keys_for(&entry.rule).into_iter().map(|key| (key, number)));
            rules.extend(serde_json::to_vec(entry).unwrap_or_default());
            offsets.push(u32::try_from(rules.len()).unwrap_or(u32::MAX));
        }
        pairs.sort_unstable();
        pairs.dedup();
        let head = HeadPart {
            revision: revision_of(merged),
            mode: merged.mode,
            review: merged.review.clone(),
            workspace: merged.workspace.clone(),
            settings: merged.settings.clone(),
            lengths: Lengths::of(all.iter().map(|entry| &entry.rule)),
            offsets,
        };
        let sieve = Sieve::of(&pairs);
        Image { head, pairs, bytes: rules, rules_at: 0, sieve }
    }

    /// The bytes for the cache file.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let head = serde_json::to_vec(&self.head).unwrap_or_default();
        let mut bytes = Vec::with_capacity(head.len() + self.pairs.len() * 12 + self.bytes.len() + 8);
        bytes.extend(u32::try_from(head.len()).unwrap_or(u32::MAX).to_le_bytes());
        bytes.extend(&head);
        bytes.extend(u32::try_from(self.pairs.len()).unwrap_or(u32::MAX).to_le_bytes());
        for (key, number) in &self.pairs {
            bytes.extend(key.to_le_bytes());
            bytes.extend(number.to_le_bytes());
        }
        bytes.extend(self.rules());
        bytes
    }

    /// Reads the bytes of a cache file, from a place in them to their end. They
    /// are kept: a copy would cost a call more than reading them did.
    ///
    /// # Errors
    /// If they are not an image.
    pub fn from_bytes(bytes: Vec<u8>, from: usize) -> Result<Image, ImageFault> {
        let image = bytes.get(from..).ok_or(ImageFault)?;
        let (head_len, rest) = take_u32(image).ok_or(ImageFault)?;
        let (head, rest) = rest.split_at_checked(head_len).ok_or(ImageFault)?;
        let head: HeadPart = serde_json::from_slice(head).map_err(|_| ImageFault)?;
        let (count, rest) = take_u32(rest).ok_or(ImageFault)?;
        let (pairs, rules) =
            rest.split_at_checked(count.checked_mul(12).ok_or(ImageFault)?).ok_or(ImageFault)?;
        let pairs: Option<Vec<(Key, u32)>> = pairs.chunks_exact(12).map(pair).collect();
        let pairs = pairs.ok_or(ImageFault)?;
        let sieve = Sieve::of(&pairs);
        let rules_at = bytes.len().saturating_sub(rules.len());
        let image = Image { head, pairs, bytes, rules_at, sieve };
        if image.is_sound() { Ok(image) } else { Err(ImageFault) }
    }

    fn is_sound(&self) -> bool {
        let last = self.head.offsets.last().and_then(|end| usize::try_from(*end).ok());
        last == Some(self.rules().len())
            && self.head.offsets.is_sorted()
            && self.pairs.is_sorted()
            && self.pairs.iter().all(|(_, number)| usize::try_from(*number).is_ok_and(|at| at < self.len()))
    }

    fn rules(&self) -> &[u8] {
        self.bytes.get(self.rules_at..).unwrap_or_default()
    }

    /// How many rules it holds.
    #[must_use]
    pub fn len(&self) -> usize {
        self.head.offsets.len().saturating_sub(1)
    }

    /// Whether it holds no rule.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The policy revision.
    #[must_use]
    pub fn revision(&self) -> &str {
        &self.head.revision
    }

    pub(crate) fn mode(&self) -> Mode {
        self.head.mode
    }

    pub(crate) fn review(&self) -> &Review {
        &self.head.review
    }

    pub(crate) fn settings(&self) -> &Settings {
        &self.head.settings
    }

    pub(crate) fn lengths(&self) -> Lengths {
        self.head.lengths
    }

    pub(crate) fn workspace(&self) -> &Workspace {
        &self.head.workspace
    }

    /// One rule by number.
    pub(crate) fn rule(&self, number: usize) -> Option<RuleEntry> {
        let start = usize::try_from(*self.head.offsets.get(number)?).ok()?;
        let end = usize::try_from(*self.head.offsets.get(number.checked_add(1)?)?).ok()?;
        serde_json::from_slice(self.rules().get(start..end)?).ok()
    }

    /// Whether something may be filed under a key.
    pub(crate) fn may_hold(&self, key: Key) -> bool {
        self.sieve.lets_through(key)
    }

    /// The numbers of the rules filed under a key.
    pub(crate) fn rules_at(&self, key: Key) -> impl Iterator<Item = usize> {
        let from = self.pairs.partition_point(|(known, _)| *known < key);
        let found =
            self.pairs.get(from..).unwrap_or_default().iter().take_while(move |(known, _)| *known == key);
        found.filter_map(|(_, number)| usize::try_from(*number).ok())
    }
}

fn take_u32(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let (number, rest) = bytes.split_first_chunk::<4>()?;
    Some((usize::try_from(u32::from_le_bytes(*number)).ok()?, rest))
}

fn pair(chunk: &[u8]) -> Option<(Key, u32)> {
    let (key, rest) = chunk.split_first_chunk::<8>()?;
    let (number, _) = rest.split_first_chunk::<4>()?;
    Some((u64::from_le_bytes(*key), u32::from_le_bytes(*number)))
}
