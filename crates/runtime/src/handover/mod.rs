//! Handing an event over to a running `toolgate serve`, which has the ledger
//! open already: the warm path.
//!
//! The hook says hello, the server proves who it is, and only then the event is
//! sent. Up to there the hook may change its mind, and nothing was judged; from
//! there on it waits for the answer, and takes the matter back only when the
//! server is gone. So no call is ever judged by both at once.
//!
//! INVARIANT: the server takes only what one transaction settles. What waits for
//! a person, for time or for a check is given back untouched (`NotTaken`), and
//! the hook does it itself, in its own environment and under its own clock.

use crate::broken::Broken;
use crate::dirs::Dirs;
use crate::private::write_private;
use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType, connect, socket_with};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::{ErrorKind, Read, Write};
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::time::Duration;
use toolgate_core::{digest_of, hex};

/// A server that has not proved itself by then is left alone.
const PROVED_BY_MS: u64 = 8;

/// The variable that says otherwise, for slow machines and tests, and the most
/// it can say.
const PATIENCE: &str = "TOOLGATE_PATIENCE_MS";
const PATIENCE_MAX_MS: u64 = 10_000;

/// A server that has taken an event and says nothing until then is broken.
const ANSWERED_BY: Duration = Duration::from_secs(100);

/// A hook that says hello and then nothing does not hold the server up.
const HEARD_BY: Duration = Duration::from_secs(2);

/// First words of a hook; another version of them is not understood.
const HELLO: &[u8; 8] = b"toolgt 1";

/// Characters of a challenge, and of the proof.
const CHALLENGE: usize = 32;
const PROOF: usize = 64;

/// Most that is taken over.
const EVENT_MAX: usize = 9 << 20;

/// What judging depends on beside the event: whoever differs in one of these
/// must judge itself.
const AROUND: [&str; 6] = ["HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "TMPDIR", "TZ"];

/// An event on its way.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Handed {
    /// The host.
    pub host: String,
    /// The project, where the host names it.
    pub project: Option<PathBuf>,
    /// Variables judging depends on.
    around: BTreeMap<String, String>,
    /// The host's own bytes.
    #[serde(skip)]
    pub event: Vec<u8>,
}

impl Handed {
    /// An event as this process got it.
    #[must_use]
    pub fn new(host: &str, project: Option<PathBuf>, event: Vec<u8>) -> Handed {
        let own = |name: &str| std::env::var(name).ok().map(|value| (name.to_owned(), value));
        let around = AROUND.into_iter().filter_map(own).collect();
        Handed { host: host.to_owned(), project, around, event }
    }
}

/// The answer on its way back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Told {
    /// For stdout.
    pub stdout: String,
    /// For stderr.
    pub stderr: String,
    /// Exit code.
    pub code: u8,
}

/// What became of a hand-over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HandOver {
    /// The server judged and recorded it.
    Told(Told),
    /// Nothing was judged; whoever asked must.
    NotTaken,
    /// The server has it and says nothing; judging it again could be judging
    /// it twice.
    Silent,
}

fn socket_path(dirs: &Dirs) -> PathBuf {
    dirs.state.join("serve.sock")
}

fn key_path(dirs: &Dirs) -> PathBuf {
    dirs.state.join("serve.key")
}

/// What only somebody who can read the user's own key can say.
fn proof(key: &str, challenge: &str) -> String {
    digest_of(format!("toolgate serve\n{key}\n{challenge}").as_bytes())
}

/// Whether a file is this user's and nobody else may write it.
fn is_private(about: &std::fs::Metadata, others: u32) -> bool {
    about.uid() == rustix::process::geteuid().as_raw() && about.mode() & others == 0
}

/// Hands an event to the server of this user, if one runs.
#[must_use]
pub fn hand_over(dirs: &Dirs, handed: &Handed) -> HandOver {
    let Some(mut stream) = reach(dirs) else { return HandOver::NotTaken };
    let Ok(meta) = serde_json::to_vec(handed) else { return HandOver::NotTaken };
    let mut message = Vec::with_capacity(meta.len() + handed.event.len() + 8);
    for part in [meta.as_slice(), handed.event.as_slice()] {
        message.extend(u32::try_from(part.len()).unwrap_or(u32::MAX).to_le_bytes());
        message.extend(part);
    }
    if stream.set_read_timeout(Some(ANSWERED_BY)).is_err() {
        return HandOver::NotTaken;
    }
    // From here on the event is the server's, until it answers or is gone.
    if stream.write_all(&message).is_err() {
        return HandOver::NotTaken;
    }
    let answer = read_part(&mut stream, EVENT_MAX);
    match answer {
        Ok(bytes) if bytes.is_empty() => HandOver::NotTaken,
        Ok(bytes) => serde_json::from_slice(&bytes).map_or(HandOver::Silent, HandOver::Told),
        Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => HandOver::Silent,
        // The other end is closed: that process judges nothing any more.
        Err(_) => HandOver::NotTaken,
    }
}

/// A connection to a server that proved to be this user's own, running this
/// very program.
fn reach(dirs: &Dirs) -> Option<UnixStream> {
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
    let peer = rustix::net::sockopt::socket_peercred(&stream).ok()?;
    if peer.uid != rustix::process::geteuid() || !runs_this_program(peer.pid.as_raw_pid()) {
        return None;
    }
    let mut random = [0; CHALLENGE / 2];
    getrandom::fill(&mut random).ok()?;
    let challenge = hex(&random);
    stream.set_read_timeout(Some(patience())).ok()?;
    stream.write_all(&[HELLO.as_slice(), challenge.as_bytes()].concat()).ok()?;
    let mut said = [0; PROOF];
    stream.read_exact(&mut said).ok()?;
    (said.as_slice() == proof(&key, &challenge).as_bytes()).then_some(stream)
}

fn patience() -> Duration {
    let said = std::env::var(PATIENCE).ok().and_then(|text| text.parse().ok());
    Duration::from_millis(said.unwrap_or(PROVED_BY_MS).clamp(1, PATIENCE_MAX_MS))
}

/// Whether a process runs the file this one runs: another version would judge
/// otherwise, and another program is a fake.
fn runs_this_program(pid: i32) -> bool {
    let file = |path: String| std::fs::metadata(path).ok().map(|about| (about.dev(), about.ino()));
    let own = file("/proc/self/exe".to_owned());
    own.is_some() && own == file(format!("/proc/{pid}/exe"))
}

fn read_key(dirs: &Dirs) -> Option<String> {
    let mut file = std::fs::File::open(key_path(dirs)).ok()?;
    if !is_private(&file.metadata().ok()?, 0o077) {
        return None;
    }
    let mut key = String::new();
    file.read_to_string(&mut key).ok()?;
    (key.len() == PROOF).then_some(key)
}

fn read_part(stream: &mut UnixStream, max: usize) -> std::io::Result<Vec<u8>> {
    let mut length = [0; 4];
    stream.read_exact(&mut length)?;
    let length = usize::try_from(u32::from_le_bytes(length)).unwrap_or(usize::MAX);
    if length > max {
        return Err(std::io::Error::other("too long"));
    }
    let mut bytes = vec![0; length];
    stream.read_exact(&mut bytes)?;
    Ok(bytes)
}

/// The server's end. The socket goes with it.
#[derive(Debug)]
pub struct Listening {
    listener: UnixListener,
    path: PathBuf,
    key: String,
    around: BTreeMap<String, String>,
}

impl Listening {
    /// Listens for hooks of this user.
    ///
    /// # Errors
    /// If another server does, or the socket cannot be made.
    pub fn open(dirs: &Dirs) -> Result<Listening, Broken> {
        let path = socket_path(dirs);
        if reach(dirs).is_some() {
            return Err(Broken::new("another `toolgate serve` answers hooks already", "end that one first"));
        }
        let mut random = [0; PROOF / 2];
        getrandom::fill(&mut random)
            .map_err(|error| Broken::new(format!("no randomness: {error}"), "run `toolgate doctor`"))?;
        let key = hex(&random);
        write_private(&key_path(dirs), key.as_bytes())?;
        // One left over from a server that was killed.
        let _ = std::fs::remove_file(&path);
        let listener = bind(&path).map_err(|error| Broken::io("listen at", &path, &error))?;
        let Handed { around, .. } = Handed::new("", None, Vec::new());
        Ok(Listening { listener, path, key, around })
    }

    /// Waits for one hook and answers it; `judge` gives `None` for what the
    /// hook must do itself.
    ///
    /// # Errors
    /// If nobody can be listened to any more.
    pub fn answer_one(&self, judge: impl FnOnce(&Handed) -> Option<Told>) -> std::io::Result<()> {
        let (mut stream, _) = self.listener.accept()?;
        // A hook that goes away or talks nonsense is its own affair.
        let _ = self.talk(&mut stream, judge);
        Ok(())
    }

    fn talk(&self, stream: &mut UnixStream, judge: impl FnOnce(&Handed) -> Option<Told>) -> Option<()> {
        let peer = rustix::net::sockopt::socket_peercred(&*stream).ok()?;
        if peer.uid != rustix::process::geteuid() {
            return None;
        }
        stream.set_read_timeout(Some(HEARD_BY)).ok()?;
        let mut hello = [0; HELLO.len() + CHALLENGE];
        stream.read_exact(&mut hello).ok()?;
        let challenge = std::str::from_utf8(hello.strip_prefix(HELLO.as_slice())?).ok()?;
        stream.write_all(proof(&self.key, challenge).as_bytes()).ok()?;
        let meta = read_part(stream, EVENT_MAX).ok()?;
        let event = read_part(stream, EVENT_MAX).ok()?;
        let handed = Handed { event, ..serde_json::from_slice(&meta).ok()? };
        let told = if handed.around == self.around { judge(&handed) } else { None };
        let bytes = told.and_then(|told| serde_json::to_vec(&told).ok()).unwrap_or_default();
        let mut message = u32::try_from(bytes.len()).unwrap_or(u32::MAX).to_le_bytes().to_vec();
        message.extend(bytes);
        stream.write_all(&message).ok()
    }

    /// Where it listens.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }
}

fn bind(path: &Path) -> std::io::Result<UnixListener> {
    let listener = UnixListener::bind(path)?;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600))?;
    Ok(listener)
}
