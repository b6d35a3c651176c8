//! The key that signs the head of the ledger. Made on first use, kept in the
//! state folder for the user only; its public half is what `verify` trusts.

use crate::broken::Broken;
use crate::dirs::Dirs;
use crate::private::{make_private_folder, temp_name_near, write_private};
use ed25519_dalek::SigningKey;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use toolgate_core::hex;

fn path(dirs: &Dirs) -> PathBuf {
    dirs.state.join("ledger.key")
}

/// The signing key, made if there is none.
///
/// # Errors
/// If it cannot be read or made.
pub fn signing_key(dirs: &Dirs) -> Result<SigningKey, Broken> {
    let path = path(dirs);
    match std::fs::read(&path) {
        Ok(bytes) => from_bytes(&path, &bytes),
        Err(error) if error.kind() == ErrorKind::NotFound => make(dirs, &path),
        Err(error) => Err(Broken::io("read", &path, &error)),
    }
}

/// The public half in hex, if there is a key.
#[must_use]
pub fn trusted_key(dirs: &Dirs) -> Option<String> {
    let bytes: [u8; 32] = std::fs::read(path(dirs)).ok()?.try_into().ok()?;
    Some(hex(SigningKey::from_bytes(&bytes).verifying_key().as_bytes()))
}

fn from_bytes(path: &Path, bytes: &[u8]) -> Result<SigningKey, Broken> {
    let bytes: [u8; 32] = bytes.try_into().map_err(|_| {
        Broken::new(
            format!("`{}` is not a ledger key", path.display()),
            "restore it from a backup, or move it and the ledger away to start again",
        )
    })?;
    Ok(SigningKey::from_bytes(&bytes))
}

fn make(dirs: &Dirs, path: &Path) -> Result<SigningKey, Broken> {
    make_private_folder(&dirs.state)?;
    let mut seed = [0; 32];
    getrandom::fill(&mut seed)
        .map_err(|error| Broken::new(format!("no randomness for a key: {error}"), "run `toolgate doctor`"))?;
    // Linking fails if someone else was faster; then that key is the key.
    let fresh = temp_name_near(path);
    write_private(&fresh, &seed)?;
    let linked = std::fs::hard_link(&fresh, path);
    let _ = std::fs::remove_file(&fresh);
    match linked {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => Err(Broken::io("write", path, &error)),
        _ => read(path),
    }
}

fn read(path: &Path) -> Result<SigningKey, Broken> {
    let bytes = std::fs::read(path).map_err(|error| Broken::io("read", path, &error))?;
    from_bytes(path, &bytes)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use std::sync::Barrier;

    /// However many begin at once, in one process, all sign with the same key.
    #[test]
    fn whoever_begins_at_once_has_one_key() {
        for _ in 0..50 {
            let home = tempfile::tempdir().unwrap();
            let home = home.path().display().to_string();
            let dirs = Dirs::from_env(&move |name| (name == "HOME").then(|| home.clone()));
            let start = Barrier::new(8);
            let keys: BTreeSet<[u8; 32]> = std::thread::scope(|scope| {
                let one = || {
                    start.wait();
                    signing_key(&dirs).unwrap().to_bytes()
                };
                let all: Vec<_> = (0..8).map(|_| scope.spawn(one)).collect();
                all.into_iter().map(|one| one.join().unwrap()).collect()
            });
            assert_eq!(keys.len(), 1);
        }
    }
}
