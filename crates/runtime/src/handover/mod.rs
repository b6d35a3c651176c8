//! Handing an event over to a running `toolgate serve`, which has the ledger
//! open already: the warm path. `hook` is the end of the hook process, `server`
//! the other one; here is what goes between them.
//!
//! The hook says hello, the server proves who it is, and only then the event is
//! sent. Up to there the hook may change its mind, and nothing was judged; from
//! there on it waits for the answer, and takes the matter back only when the
//! server is gone. So no call is ever judged by both at once.
//!
//! INVARIANT: the server takes only what one transaction settles. What waits for
//! a person, for time or for a check is given back untouched (`NotTaken`), and
//! the hook does it itself, in its own environment and under its own clock.
//!
//! What the hook does here is a tenth of all it does, so it is made of few and
//! plain pieces: every page of the program it touches costs as much as ten
//! system calls.

mod hook;
mod server;

pub use hook::{HandOver, Knocked, knock};
pub use server::{Listening, running};

use crate::decide::TASK;
use crate::dirs::Dirs;
use std::io::{Error, Read};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use toolgate_core::plain_digest_of;

/// First words of a hook; another version of them is not understood.
const HELLO: &[u8; 8] = b"toolgt 2";

/// Bytes of a challenge, of the key and of the proof.
const CHALLENGE: usize = 32;
const KEY: usize = 64;
const PROOF: usize = 32;

/// Most that is taken over.
const MESSAGE_MAX: usize = 9 << 20;

/// What is read at once: most messages are shorter.
const PIECE: usize = 1024;

/// What judging depends on next to the event: anyone who differs in one of these
/// must judge itself.
const AROUND: [&str; 7] =
    ["HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "TMPDIR", "TZ", TASK];

/// An event on its way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Handed {
    /// The host.
    pub host: String,
    /// The project, where the host names it.
    pub project: Option<PathBuf>,
    /// Variables judging depends on, each behind a byte that says it is there.
    around: Vec<Vec<u8>>,
    /// The host's own bytes.
    pub event: Vec<u8>,
    /// The process it came from, where that is not the one that hands it over.
    /// Said by the code that looked at a connection, never by the message.
    pub asked_by: Option<u32>,
}

impl Handed {
    /// An event as this process got it.
    #[must_use]
    pub fn new(host: &str, project: Option<PathBuf>, event: Vec<u8>) -> Handed {
        Handed { host: host.to_owned(), project, around: around(), event, asked_by: None }
    }

    fn to_bytes(&self) -> Vec<u8> {
        let project = self.project.as_ref().map_or(&[] as &[u8], |path| path.as_os_str().as_bytes());
        let mut message = Message::new(self.event.len());
        message.part(self.host.as_bytes());
        message.part(project);
        self.around.iter().for_each(|value| message.part(value));
        message.part(&self.event);
        message.finished()
    }

    fn from_bytes(bytes: &[u8]) -> Option<Handed> {
        let mut rest = bytes;
        let mut next = || -> Option<Vec<u8>> {
            let (length, behind) = rest.split_first_chunk::<4>()?;
            let (part, behind) = behind.split_at_checked(size(*length))?;
            rest = behind;
            Some(part.to_vec())
        };
        let host = String::from_utf8(next()?).ok()?;
        let project = Some(next()?).filter(|path| !path.is_empty());
        let around = AROUND.iter().map(|_| next()).collect::<Option<Vec<_>>>()?;
        let event = next()?;
        let project = project.map(|path| PathBuf::from(std::ffi::OsString::from_vec(path)));
        rest.is_empty().then_some(Handed { host, project, around, event, asked_by: None })
    }
}

fn around() -> Vec<Vec<u8>> {
    let own = |name: &str| match std::env::var_os(name) {
        Some(value) => [b"=", value.as_bytes()].concat(),
        None => Vec::new(),
    };
    AROUND.into_iter().map(own).collect()
}

/// The answer on its way back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookReply {
    /// For stdout.
    pub stdout: String,
    /// For stderr.
    pub stderr: String,
    /// Exit code.
    pub code: u8,
}

impl HookReply {
    fn to_bytes(&self) -> Vec<u8> {
        let mut message = Message::new(self.stdout.len() + self.stderr.len());
        message.part(self.stdout.as_bytes());
        message.bytes.extend(self.stderr.as_bytes());
        message.bytes.push(self.code);
        message.finished()
    }

    fn from_bytes(bytes: &[u8]) -> Option<HookReply> {
        let (code, bytes) = bytes.split_last()?;
        let (length, bytes) = bytes.split_first_chunk::<4>()?;
        let (stdout, stderr) = bytes.split_at_checked(size(*length))?;
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).ok();
        Some(HookReply { stdout: text(stdout)?, stderr: text(stderr)?, code: *code })
    }
}

/// A message: its length, then its parts, most of them behind their own length.
struct Message {
    bytes: Vec<u8>,
}

impl Message {
    fn new(about: usize) -> Message {
        let mut bytes = Vec::with_capacity(about.saturating_add(256));
        bytes.extend([0; 4]);
        Message { bytes }
    }

    fn part(&mut self, part: &[u8]) {
        self.bytes.extend(length(part.len()));
        self.bytes.extend(part);
    }

    fn finished(mut self) -> Vec<u8> {
        let behind = length(self.bytes.len().saturating_sub(4));
        if let Some(head) = self.bytes.first_chunk_mut::<4>() {
            *head = behind;
        }
        self.bytes
    }
}

fn length(bytes: usize) -> [u8; 4] {
    u32::try_from(bytes).unwrap_or(u32::MAX).to_le_bytes()
}

fn size(length: [u8; 4]) -> usize {
    usize::try_from(u32::from_le_bytes(length)).unwrap_or(usize::MAX)
}

/// Reads one message to its end, without its length.
fn read_message(stream: &mut impl Read) -> std::io::Result<Vec<u8>> {
    let mut piece = [0; PIECE];
    let mut bytes = Vec::new();
    let wanted = loop {
        let read = stream.read(&mut piece)?;
        bytes.extend(piece.iter().take(read));
        if read == 0 {
            return Err(Error::from(std::io::ErrorKind::UnexpectedEof));
        }
        if let Some(head) = bytes.first_chunk::<4>() {
            break size(*head);
        }
    };
    let have = bytes.len().saturating_sub(4);
    if wanted > MESSAGE_MAX || have > wanted {
        return Err(Error::other("not a Toolgate message"));
    }
    let mut message = bytes.split_off(4);
    message.resize(wanted, 0);
    stream.read_exact(message.get_mut(have..).unwrap_or_default())?;
    Ok(message)
}

fn socket_path(dirs: &Dirs) -> PathBuf {
    dirs.state.join("serve.sock")
}

fn key_path(dirs: &Dirs) -> PathBuf {
    dirs.state.join("serve.key")
}

/// What only someone who can read the user's own key can say.
fn proof(key: &[u8; KEY], challenge: &[u8]) -> [u8; PROOF] {
    let mut text = Vec::with_capacity(KEY + CHALLENGE + 16);
    text.extend(b"toolgate serve\n");
    text.extend(key);
    text.extend(b"\n");
    text.extend(challenge);
    plain_digest_of(&text)
}

/// Whether a file is this user's and no one else may write it.
fn is_private(about: &std::fs::Metadata, others: u32) -> bool {
    about.uid() == rustix::process::geteuid().as_raw() && about.mode() & others == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whatever is sent arrives, however it is cut on its way.
    #[test]
    fn messages_arrive_as_they_were_sent() {
        struct Drops<'a>(&'a [u8], usize);
        impl Read for Drops<'_> {
            fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
                let length = self.1.min(into.len()).min(self.0.len());
                let (now, later) = self.0.split_at(length);
                into[..length].copy_from_slice(now);
                self.0 = later;
                Ok(length)
            }
        }
        for size in [0, 1, 3, 1000, 1024, 1025, 70_000] {
            let handed = Handed::new("a-host", Some(PathBuf::from("/a b")), vec![7; size]);
            let told = HookReply { stdout: "x".repeat(size), stderr: "ü".to_owned(), code: 2 };
            for cut in [1, 5, 1024, usize::MAX] {
                let read = |bytes: Vec<u8>| read_message(&mut Drops(&bytes, cut)).unwrap();
                assert_eq!(Handed::from_bytes(&read(handed.to_bytes())), Some(handed.clone()));
                assert_eq!(HookReply::from_bytes(&read(told.to_bytes())), Some(told.clone()));
            }
        }
        let whole = Handed::new("h", None, b"event".to_vec()).to_bytes();
        for end in 0..whole.len() {
            assert!(read_message(&mut &whole[..end]).is_err(), "cut at {end}");
            assert_eq!(Handed::from_bytes(&whole[4..end.max(4)]), None);
        }
        assert!(
            read_message(&mut [whole.as_slice(), b"x"].concat().as_slice()).is_err(),
            "and nothing behind"
        );
        assert!(read_message(&mut [0xff_u8; 16].as_slice()).is_err());
    }
}
