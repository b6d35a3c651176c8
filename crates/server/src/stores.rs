//! Opened ledgers, kept for the next who needs one. Opening is the dearest
//! step of everything the server does.
//!
//! INVARIANT: a kept one is handed out only while the file it was opened from
//! still lies where the ledger lies; a ledger put elsewhere or put back must
//! not be written behind everybody's back.

use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use toolgate_runtime::{Broken, Dirs, make_private_folder, signing_key};
use toolgate_store::Sqlite;

/// Kept at most; more were opened for a moment only.
const KEPT_MAX: usize = 16;

/// Which file it is, and that the key next to it is the same.
pub(crate) type Identity = ((u64, u64), (u64, u64, i64));

/// The pool.
#[derive(Debug, Default)]
pub(crate) struct Stores {
    idle: Mutex<Vec<(Identity, Sqlite)>>,
}

/// The ledger as it lies there now.
fn identity(dirs: &Dirs) -> Option<Identity> {
    let about = |path: &Path| std::fs::metadata(path).ok();
    let (ledger, key) = (about(&dirs.ledger())?, about(&dirs.state.join("ledger.key"))?);
    Some(((ledger.dev(), ledger.ino()), (key.dev(), key.ino(), key.mtime())))
}

impl Stores {
    /// An open ledger, and which one it is.
    pub(crate) fn take(&self, dirs: &Dirs) -> Result<(Sqlite, Option<Identity>), Broken> {
        let now = identity(dirs);
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        while let Some((known, store)) = idle.pop() {
            if now == Some(known) {
                return Ok((store, now));
            }
        }
        drop(idle);
        make_private_folder(&dirs.state)?;
        let key = signing_key(dirs)?;
        let store = Sqlite::open(&dirs.ledger(), key)?;
        Ok((store, identity(dirs)))
    }

    /// Keeps it for the next.
    pub(crate) fn give(&self, dirs: &Dirs, opened: Option<Identity>, store: Sqlite) {
        let Some(identity) = opened.filter(|opened| Some(*opened) == identity(dirs)) else { return };
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.len() < KEPT_MAX {
            idle.push((identity, store));
        }
    }

    /// Works with an open ledger.
    pub(crate) fn with<T, E: From<Broken>>(
        &self,
        dirs: &Dirs,
        work: impl FnOnce(&mut Sqlite) -> Result<T, E>,
    ) -> Result<T, E> {
        let (mut store, opened) = self.take(dirs)?;
        let done = work(&mut store);
        if done.is_ok() {
            self.give(dirs, opened, store);
        }
        done
    }
}
