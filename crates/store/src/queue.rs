//! Waiting for the turn of other processes, in the order they came.
//!
//! SQLite gives the lock to the process that asks at the right moment, so of a
//! thousand some never get it. One that finds it taken waits in a queue the system
//! keeps: a lock on a file next to the ledger. Only the first one in it asks SQLite.
//! The queue decides nothing about records; without it everything still works.

use std::fs::{File, OpenOptions};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::sync::mpsc::sync_channel;
use std::thread::Builder;
use std::time::Duration;

/// The longest wait: enough for thousands of calls, and below every host's limit.
const WAIT_MAX: Duration = Duration::from_secs(60);

/// A place in the queue.
#[derive(Debug)]
pub(crate) enum Place {
    /// The first one, until it is dropped.
    First(#[allow(dead_code)] File),
    /// There is no queue: the file cannot be made or locked here.
    None,
    /// It took too long.
    TooLate,
}

/// Waits to be the first.
pub(crate) fn wait(path: &Path) -> Place {
    let opened = OpenOptions::new().create(true).truncate(false).write(true).mode(0o600).open(path);
    let Ok(file) = opened else { return Place::None };
    if file.try_lock().is_ok() {
        return Place::First(file);
    }
    // The system's wait has no end of its own, so another thread waits. If it comes too late, the
    // place is given up with the thread's end.
    let (send, receive) = sync_channel(1);
    let waits = move || {
        let place = match file.lock() {
            Ok(()) => Place::First(file),
            Err(_) => Place::None,
        };
        let _ = send.send(place);
    };
    match Builder::new().stack_size(64 << 10).spawn(waits) {
        Ok(_) => receive.recv_timeout(WAIT_MAX).unwrap_or(Place::TooLate),
        Err(_) => Place::None,
    }
}
