//! The hook's end of a hand-over.
//!
//! It says hello before it looks who is there: while the server makes its proof,
//! the hook reads its event and looks at the other process. Nothing but a random
//! number leaves it before all of that has held.

use crate::dirs::Dirs;
use crate::handover::{
    CHALLENGE, HELLO, Handed, HookReply, KEY, PROOF, is_private, key_path, proof, read_message, socket_path,
};
use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType, connect, socket_with};
use rustix::rand::{GetRandomFlags, getrandom};
use std::io::{ErrorKind, Read, Write};
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::os::unix::net::UnixStream;
use std::time::Duration;

/// A server that has not proved itself by then is left alone.
const PROVED_BY_MS: u64 = 8;

/// The variable that says otherwise, for slow machines and tests, and the most
/// it can say.
const PATIENCE: &str = "TOOLGATE_PATIENCE_MS";
const PATIENCE_MAX_MS: u64 = 10_000;

/// A server that has taken an event and says nothing until then is broken.
const ANSWERED_BY: Duration = Duration::from_secs(100);

/// What became of a hand-over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HandOver {
    /// The server judged and recorded it.
    Reply(HookReply),
    /// Nothing was judged; anyone who asked must.
    NotTaken,
    /// The server has it and says nothing; judging it again could be judging
    /// it twice.
    Silent,
}

/// Someone listens and was said hello to; who it is, is not known yet.
#[derive(Debug)]
pub struct Knocked {
    stream: UnixStream,
    /// What only the right one can say.
    proof: [u8; PROOF],
}

/// Says hello to the server of this user, if something listens in its place.
#[must_use]
pub fn knock(dirs: &Dirs) -> Option<Knocked> {
    let path = socket_path(dirs);
    let about = std::fs::symlink_metadata(&path).ok()?;
    let folder = std::fs::metadata(&dirs.state).ok()?;
    if !about.file_type().is_socket() || !is_private(&about, 0o077) || !is_private(&folder, 0o022) {
        return None;
    }
    let key = read_key(dirs)?;
    // A full queue must not make a hook wait.
    let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
    let socket = socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None).ok()?;
    connect(&socket, &SocketAddrUnix::new(&path).ok()?).ok()?;
    let mut stream = UnixStream::from(socket);
    stream.set_nonblocking(false).ok()?;
    let mut challenge = [0; CHALLENGE];
    if getrandom(&mut challenge, GetRandomFlags::empty()).ok()? != CHALLENGE {
        return None;
    }
    let mut hello = Vec::with_capacity(HELLO.len() + CHALLENGE);
    hello.extend(HELLO);
    hello.extend(challenge);
    stream.write_all(&hello).ok()?;
    Some(Knocked { stream, proof: proof(&key, &challenge) })
}

impl Knocked {
    /// A connection to a server that proved to be this user's own, running this
    /// very program.
    pub(super) fn proved(mut self) -> Option<UnixStream> {
        let peer = rustix::net::sockopt::socket_peercred(&self.stream).ok()?;
        if peer.uid != rustix::process::geteuid() || !runs_this_program(peer.pid.as_raw_pid()) {
            return None;
        }
        self.stream.set_read_timeout(Some(patience())).ok()?;
        let mut said = [0; PROOF];
        self.stream.read_exact(&mut said).ok()?;
        (said == self.proof).then_some(self.stream)
    }

    /// Hands an event over.
    #[must_use]
    pub fn hand_over(self, handed: &Handed) -> HandOver {
        let message = handed.to_bytes();
        let Some(mut stream) = self.proved() else { return HandOver::NotTaken };
        if stream.set_read_timeout(Some(ANSWERED_BY)).is_err() {
            return HandOver::NotTaken;
        }
        // From here on the event is the server's, until it answers or is gone.
        if stream.write_all(&message).is_err() {
            return HandOver::NotTaken;
        }
        match read_message(&mut stream) {
            Ok(bytes) if bytes.is_empty() => HandOver::NotTaken,
            Ok(bytes) => HookReply::from_bytes(&bytes).map_or(HandOver::Silent, HandOver::Reply),
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                HandOver::Silent
            }
            // The other end is closed: that process judges nothing any more.
            Err(_) => HandOver::NotTaken,
        }
    }
}

fn patience() -> Duration {
    let said = std::env::var(PATIENCE).ok().and_then(|text| text.parse().ok());
    Duration::from_millis(said.unwrap_or(PROVED_BY_MS).clamp(1, PATIENCE_MAX_MS))
}

/// Whether a process runs the file this one runs: another version would judge
/// otherwise, and another program is a fake.
fn runs_this_program(pid: i32) -> bool {
    let file = |path: &str| std::fs::metadata(path).ok().map(|about| (about.dev(), about.ino()));
    let own = file("/proc/self/exe");
    own.is_some() && own == file(&format!("/proc/{pid}/exe"))
}

/// The key, if no one else can have read it.
fn read_key(dirs: &Dirs) -> Option<[u8; KEY]> {
    let mut file = std::fs::File::open(key_path(dirs)).ok()?;
    let about = file.metadata().ok()?;
    if !is_private(&about, 0o077) || about.len() != u64::try_from(KEY).ok()? {
        return None;
    }
    let mut key = [0; KEY];
    file.read_exact(&mut key).ok()?;
    Some(key)
}
