//! The compiled policy on disk, so that a hook call parses no YAML.
//!
//! The cache is never trusted further than it can be checked: it must belong
//! to this user, be writable by no one else, match its own hash, and name the
//! exact bytes of every source file and of this program's packs. Anything else
//! means rebuild. What a process of the same user could still forge is in
//! THREATS.md.

use crate::broken::Broken;
use crate::dirs::Dirs;
use crate::load::{Loaded, SourceFile, from_files, read_files};
use crate::packs::{PACKS, Pack};
use crate::private::{make_private_folder, write_private};
use crate::yaml::PolicyFault;
use std::fs::File;
use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use toolgate_core::{Image, Policy, digest_of};

/// Changes whenever the layout of an image or the keys of its index change.
const FORMAT: &str = "toolgate image 18";

/// Tells this program's packs from those of another build. Packs are part of
/// the program, so no one chooses their text to collide; made when compiling,
/// because a hook call has no time to hash them.
const PACKS_MARK: u64 = mark_of(PACKS);

const fn mark_of(packs: &[Pack]) -> u64 {
    let mut mark = 0xcbf2_9ce4_8422_2325_u64;
    let mut rest = packs;
    while let [pack, after @ ..] = rest {
        let mut text = pack.text.as_bytes();
        while let [byte, more @ ..] = text {
            mark = (mark ^ *byte as u64).wrapping_mul(0x0100_0000_01b3);
            text = more;
        }
        mark = (mark ^ 0xff).wrapping_mul(0x0100_0000_01b3);
        rest = after;
    }
    mark
}

/// Largest cache file read: many times what the largest policy compiles to.
const SIZE_MAX: u64 = 64 << 20;

/// Length of a SHA-256 in hex.
const HASH: usize = 64;

/// How the policy was come by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CacheState {
    /// Read from the cache.
    Hit,
    /// Built from the files, and the cache written.
    Rebuilt,
    /// Built from the files; the cache could not be written.
    Unwritable,
}

/// The policy in force for a project.
///
/// # Errors
/// Everything wrong with the policy files.
pub fn load(dirs: &Dirs, project: &Path) -> Result<(Policy, CacheState), Vec<PolicyFault>> {
    Sources::read(dirs, project)?.policy(dirs, project)
}

/// What a policy is made from, as it lies there now.
pub(crate) struct Sources {
    files: Vec<SourceFile>,
    /// Names the exact bytes.
    pub key: String,
}

impl Sources {
    pub(crate) fn read(dirs: &Dirs, project: &Path) -> Result<Sources, Vec<PolicyFault>> {
        let files = read_files(dirs, project)?;
        let key = key_of(&files);
        Ok(Sources { files, key })
    }

    /// The policy they say.
    pub(crate) fn policy(
        &self,
        dirs: &Dirs,
        project: &Path,
    ) -> Result<(Policy, CacheState), Vec<PolicyFault>> {
        let path = path_of(dirs, project);
        if let Some(image) = read(&path, &self.key) {
            return Ok((Policy::new(image), CacheState::Hit));
        }
        let loaded = from_files(&self.files)?;
        let written = write(dirs, &path, &self.key, &loaded);
        let state = if written.is_ok() { CacheState::Rebuilt } else { CacheState::Unwritable };
        Ok((loaded.policy, state))
    }
}

/// Builds the cache again, whatever it holds.
///
/// # Errors
/// Everything wrong with the policy files; a cache that cannot be written is
/// no error.
pub fn rebuild(dirs: &Dirs, project: &Path) -> Result<Loaded, Vec<PolicyFault>> {
    let files = read_files(dirs, project)?;
    let loaded = from_files(&files)?;
    let _ = write(dirs, &path_of(dirs, project), &key_of(&files), &loaded);
    Ok(loaded)
}

fn path_of(dirs: &Dirs, project: &Path) -> PathBuf {
    let name = digest_of(project.as_os_str().as_encoded_bytes());
    dirs.cache.join(format!("policy-{}.bin", name.get(..16).unwrap_or_default()))
}

/// Names the exact bytes the image was built from.
fn key_of(files: &[SourceFile]) -> String {
    let mut key = format!("{FORMAT}\n{}\n", env!("CARGO_PKG_VERSION"));
    key.push_str(&format!("{PACKS_MARK:x}\n"));
    for file in files {
        let digest = file.bytes.as_ref().map_or_else(|| "-".to_owned(), |bytes| digest_of(bytes));
        key.push_str(&format!("{digest} {}\n", file.path.display()));
    }
    key
}

fn write(dirs: &Dirs, path: &Path, key: &str, loaded: &Loaded) -> Result<(), Broken> {
    make_private_folder(&dirs.cache)?;
    let mut body = u32::try_from(key.len()).unwrap_or(u32::MAX).to_le_bytes().to_vec();
    body.extend(key.as_bytes());
    body.extend(loaded.policy.image().to_bytes());
    let mut bytes = digest_of(&body).into_bytes();
    bytes.extend(body);
    write_private(path, &bytes)
}

/// The image in the cache file, if every check holds.
fn read(path: &Path, key: &str) -> Option<Image> {
    // Opening a pipe would wait for a writer.
    if !std::fs::symlink_metadata(path).ok()?.is_file() {
        return None;
    }
    let file = File::open(path).ok()?;
    // Asked of the open file, so that it cannot be swapped in between.
    let about = file.metadata().ok()?;
    let owner = rustix::process::geteuid().as_raw();
    if !about.is_file() || about.uid() != owner || about.mode() & 0o077 != 0 {
        return None;
    }
    if about.len() > SIZE_MAX {
        return None;
    }
    let mut bytes = Vec::with_capacity(usize::try_from(about.len()).ok()?);
    file.take(SIZE_MAX).read_to_end(&mut bytes).ok()?;
    let (hash, body) = bytes.split_at_checked(HASH)?;
    if digest_of(body).as_bytes() != hash {
        return None;
    }
    let (length, rest) = body.split_first_chunk::<4>()?;
    let (own_key, image) = rest.split_at_checked(usize::try_from(u32::from_le_bytes(*length)).ok()?)?;
    if own_key != key.as_bytes() {
        return None;
    }
    let from = bytes.len().saturating_sub(image.len());
    Image::from_bytes(bytes, from).ok()
}
