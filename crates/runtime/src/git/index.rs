//! Git's index, read from its bytes: which files git tracks, and how each looked when git
//! last compared it.
//!
//! Pure, total and bounded by the length of what it is given. Versions 2 to 4. An index that
//! is split or sparse, or needs an extension that is not known here, is not read: what it
//! tracks cannot be told from it alone.

use std::ops::Range;

/// The fields before the name of an entry, but for the hash: times, places, sizes, flags.
const STAT_LENGTH: usize = 40;

/// What git tracks.
#[derive(Debug, Default)]
pub(crate) struct Index {
    /// Sorted by path, then by stage.
    entries: Vec<Entry>,
    /// The paths of all entries, one behind the other.
    paths: Vec<u8>,
}

/// One tracked file.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    path: Range<usize>,
    /// When the file had last changed: seconds and nanoseconds.
    pub(crate) changed: (u32, u32),
    /// Its size, in bytes, of which the lower 32 bits count.
    pub(crate) size: u32,
    /// The hash of what it held.
    pub(crate) hash: Vec<u8>,
    /// Its side in a conflict; 0 where there is none.
    pub(crate) stage: u8,
    /// Only its name was added (`git add -N`).
    pub(crate) is_intent: bool,
}

/// Why an index is not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Unreadable;

impl Index {
    /// Reads an index; `hash_length` is 20, or 32 in a repository of the newer form.
    ///
    /// # Errors
    /// If it is damaged, or of a form that does not say all.
    pub(crate) fn parse(bytes: &[u8], hash_length: usize) -> Result<Index, Unreadable> {
        let mut reader = Reader { bytes, at: 0 };
        if reader.take(4)? != b"DIRC" {
            return Err(Unreadable);
        }
        let version = reader.number()?;
        if !(2..=4).contains(&version) {
            return Err(Unreadable);
        }
        let count = usize::try_from(reader.number()?).map_err(|_| Unreadable)?;
        let mut index = Index::default();
        // A count that lies makes no room for more than the bytes can hold.
        index.entries.reserve(count.min(bytes.len() / STAT_LENGTH));
        for _ in 0..count {
            let entry = index.entry(&mut reader, version, hash_length)?;
            index.entries.push(entry);
        }
        index.is_sorted().then_some(()).ok_or(Unreadable)?;
        reader.check_extensions(hash_length)?;
        Ok(index)
    }

    /// The entry of a path, seen from the top of the repository.
    pub(crate) fn find(&self, path: &str) -> Option<&Entry> {
        let at = self.entries.partition_point(|entry| self.path(entry) < path.as_bytes());
        self.entries.get(at).filter(|entry| self.path(entry) == path.as_bytes())
    }

    /// Whether anything below a folder is tracked.
    pub(crate) fn has_below(&self, folder: &str) -> bool {
        if folder.is_empty() {
            return !self.entries.is_empty();
        }
        let below = [folder.as_bytes(), b"/"].concat();
        let at = self.entries.partition_point(|entry| self.path(entry) < below.as_slice());
        self.entries.get(at).is_some_and(|entry| self.path(entry).starts_with(&below))
    }

    fn path(&self, entry: &Entry) -> &[u8] {
        self.paths.get(entry.path.clone()).unwrap_or_default()
    }

    fn is_sorted(&self) -> bool {
        self.entries.is_sorted_by(|one, next| (self.path(one), one.stage) < (self.path(next), next.stage))
    }

    fn entry(
        &mut self,
        reader: &mut Reader<'_>,
        version: u32,
        hash_length: usize,
    ) -> Result<Entry, Unreadable> {
        let start = reader.at;
        reader.take(8)?; // when it was last renamed or its rights changed
        let changed = (reader.number()?, reader.number()?);
        reader.take(8)?; // device and inode
        reader.take(12)?; // what it is, its user and group
        let size = reader.number()?;
        let hash = reader.take(hash_length)?.to_vec();
        let flags = reader.short()?;
        let more = if version > 2 && flags & 0x4000 != 0 { reader.short()? } else { 0 };
        let before = self.entries.last().map_or(0..0, |entry| entry.path.clone());
        let kept = if version == 4 {
            // What the name shares with the one before.
            let cut = reader.varint()?;
            before.len().checked_sub(cut).ok_or(Unreadable)?
        } else {
            0
        };
        let from = self.paths.len();
        self.paths.extend_from_within(before.start..before.start.saturating_add(kept));
        self.paths.extend_from_slice(reader.until_zero()?);
        if version < 4 {
            // Padded with one to eight zeros, of which one is behind the name already.
            let length = reader.at.saturating_sub(start);
            reader.take(length.next_multiple_of(8).saturating_sub(length))?;
        }
        let stage = u8::try_from(flags >> 12 & 3).unwrap_or(0);
        Ok(Entry { path: from..self.paths.len(), changed, size, hash, stage, is_intent: more & 0x2000 != 0 })
    }
}

/// Bytes, read from front to back.
struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn take(&mut self, length: usize) -> Result<&'a [u8], Unreadable> {
        let end = self.at.checked_add(length).ok_or(Unreadable)?;
        let taken = self.bytes.get(self.at..end).ok_or(Unreadable)?;
        self.at = end;
        Ok(taken)
    }

    fn number(&mut self) -> Result<u32, Unreadable> {
        let bytes = self.take(4)?.try_into().map_err(|_| Unreadable)?;
        Ok(u32::from_be_bytes(bytes))
    }

    fn short(&mut self) -> Result<u16, Unreadable> {
        let bytes = self.take(2)?.try_into().map_err(|_| Unreadable)?;
        Ok(u16::from_be_bytes(bytes))
    }

    /// A number of any length, as git writes the offsets of its packs.
    fn varint(&mut self) -> Result<usize, Unreadable> {
        let mut next = || Ok(self.take(1)?.first().copied().unwrap_or_default());
        let mut byte: u8 = next()?;
        let mut value = usize::from(byte & 0x7f);
        while byte & 0x80 != 0 {
            byte = next()?;
            let shifted = value.checked_add(1).and_then(|value| value.checked_mul(128)).ok_or(Unreadable)?;
            value = shifted.checked_add(usize::from(byte & 0x7f)).ok_or(Unreadable)?;
        }
        Ok(value)
    }

    fn until_zero(&mut self) -> Result<&'a [u8], Unreadable> {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let length = rest.iter().position(|byte| *byte == 0).ok_or(Unreadable)?;
        let text = self.take(length)?;
        self.take(1)?;
        Ok(text)
    }

    /// Extensions whose name begins with a small letter must be understood; none of those is.
    fn check_extensions(&mut self, hash_length: usize) -> Result<(), Unreadable> {
        let end = self.bytes.len().checked_sub(hash_length).ok_or(Unreadable)?;
        while self.at < end {
            let name = self.take(4)?;
            let length = usize::try_from(self.number()?).map_err(|_| Unreadable)?;
            self.take(length)?;
            if !name.first().is_some_and(u8::is_ascii_uppercase) {
                return Err(Unreadable);
            }
        }
        if self.at == end { Ok(()) } else { Err(Unreadable) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An index as git writes it, of these paths.
    fn written(version: u32, paths: &[&str]) -> Vec<u8> {
        let mut bytes = [b"DIRC".as_slice(), &version.to_be_bytes()].concat();
        bytes.extend(u32::try_from(paths.len()).unwrap().to_be_bytes());
        let mut before = "";
        for path in paths {
            let start = bytes.len();
            for number in [0, 0, 17, 5, 0, 0, 0o100_644, 0, 0, 9] {
                bytes.extend(u32::to_be_bytes(number));
            }
            bytes.extend([7; 20]);
            let length = u16::try_from(path.len()).unwrap();
            bytes.extend(length.to_be_bytes());
            if version == 4 {
                let shared = before.bytes().zip(path.bytes()).take_while(|(one, other)| one == other).count();
                let cut = before.len() - shared;
                assert!(cut < 128);
                bytes.push(u8::try_from(cut).unwrap());
                bytes.extend(path.as_bytes().iter().skip(shared));
                bytes.push(0);
            } else {
                bytes.extend(path.as_bytes());
                bytes.push(0);
                while (bytes.len() - start) % 8 != 0 {
                    bytes.push(0);
                }
            }
            before = path;
        }
        bytes.extend([0; 20]);
        bytes
    }

    #[test]
    fn every_version_says_the_same() {
        let paths = ["README.md", "src/a.js", "src/b/c.js", "src2"];
        for version in 2..=4 {
            let index = Index::parse(&written(version, &paths), 20).unwrap();
            assert_eq!(index.entries.len(), 4);
            for path in paths {
                let entry = index.find(path).unwrap();
                assert_eq!((entry.changed, entry.size, entry.stage), ((17, 5), 9, 0), "{version} {path}");
            }
            assert!(index.find("src").is_none() && index.find("src/a").is_none());
            assert!(index.has_below("src") && index.has_below("src/b") && index.has_below(""));
            assert!(!index.has_below("src2") && !index.has_below("s"));
        }
    }

    /// Whatever the bytes are, it is read or refused, and what is read can be asked.
    #[test]
    fn any_bytes_go_in() {
        let mut state: usize = 0x2545_F491;
        let mut below = |limit: usize| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 8) % limit
        };
        for round in 0..20_000 {
            let mut bytes = written(2 + u32::try_from(round % 3).unwrap(), &["a", "src/a.js", "src/b.js"]);
            for _ in 0..=below(4) {
                let at = below(bytes.len());
                match below(3) {
                    0 => bytes.truncate(at.max(1)),
                    1 => bytes.insert(at, u8::try_from(below(256)).unwrap()),
                    _ => bytes[at] = u8::try_from(below(256)).unwrap(),
                }
            }
            if let Ok(index) = Index::parse(&bytes, 20) {
                let _ = (index.find("src/a.js"), index.has_below("src"));
            }
        }
    }

    #[test]
    fn what_is_cut_or_needs_more_is_not_read() {
        let whole = written(2, &["a", "b/c"]);
        for length in 0..whole.len() {
            let part = whole.get(..length).unwrap();
            assert!(Index::parse(part, 20).is_err(), "{length}");
        }
        for (name, is_read) in [(b"TREE", true), (b"link", false), (b"sdir", false)] {
            let mut with = whole.clone();
            let end = with.len() - 20;
            let extension = [name.as_slice(), &3_u32.to_be_bytes(), b"xyz"].concat();
            with.splice(end..end, extension);
            assert_eq!(Index::parse(&with, 20).is_ok(), is_read, "{name:?}");
        }
        assert!(Index::parse(&written(2, &["b", "a"]), 20).is_err(), "not in order");
    }
}
