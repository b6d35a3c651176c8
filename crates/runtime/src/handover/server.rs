//! The server's end of a hand-over.

use crate::broken::Broken;
use crate::dirs::Dirs;
use crate::handover::{
    CHALLENGE, HELLO, Handed, HookReply, KEY, around, key_path, knock, proof, read_message, socket_path,
};
use crate::private::write_private;
use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::time::Duration;
use toolgate_core::hex;

/// A hook that says hello and then nothing does not hold the server up.
const HEARD_BY: Duration = Duration::from_secs(2);

/// The server's end. The socket goes with it.
#[derive(Debug)]
pub struct Listening {
    listener: UnixListener,
    path: PathBuf,
    key: [u8; KEY],
    around: Vec<Vec<u8>>,
}

impl Listening {
    /// Listens for hooks of this user.
    ///
    /// # Errors
    /// If another server does, or the socket cannot be made.
    pub fn open(dirs: &Dirs) -> Result<Listening, Broken> {
        let path = socket_path(dirs);
        if let Some(id) = running(dirs) {
            let what = format!("another `toolgate serve` (process {id}) is already answering them");
            return Err(Broken::new(what, "stop that one first"));
        }
        let key = fresh_key()
            .map_err(|error| Broken::new(format!("no randomness: {error}"), "run `toolgate doctor`"))?;
        write_private(&key_path(dirs), &key)?;
        // One left over from a server that was killed.
        let _ = std::fs::remove_file(&path);
        let listener = bind(&path).map_err(|error| Broken::io("listen at", &path, &error))?;
        Ok(Listening { listener, path, key, around: around() })
    }

    /// Waits for one hook and answers it. `judge` gives `None` for what the hook
    /// must do itself, and next to it what is left to do; `after` does that, once
    /// the hook has its answer.
    ///
    /// # Errors
    /// If no one can be listened to any more.
    pub fn answer_one<T>(
        &self,
        judge: impl FnOnce(&Handed) -> (Option<HookReply>, T),
        after: impl FnOnce(T),
    ) -> std::io::Result<()> {
        let (mut stream, _) = self.listener.accept()?;
        // A hook that goes away or talks nonsense is its own affair.
        let Some(handed) = self.heard(&mut stream) else { return Ok(()) };
        let (told, left) = judge(&handed);
        let _ = stream.write_all(&told.map_or_else(|| vec![0; 4], |told| told.to_bytes()));
        drop(stream);
        after(left);
        Ok(())
    }

    /// What a hook hands over; `None` from anybody else, and from hooks that must
    /// judge themselves. They notice that no one is there any more.
    fn heard(&self, stream: &mut UnixStream) -> Option<Handed> {
        let peer = rustix::net::sockopt::socket_peercred(&*stream).ok()?;
        if peer.uid != rustix::process::geteuid() {
            return None;
        }
        stream.set_read_timeout(Some(HEARD_BY)).ok()?;
        let mut hello = [0; HELLO.len() + CHALLENGE];
        stream.read_exact(&mut hello).ok()?;
        let challenge = hello.strip_prefix(HELLO.as_slice())?;
        stream.write_all(&proof(&self.key, challenge)).ok()?;
        let handed = Handed::from_bytes(&read_message(stream).ok()?)?;
        (handed.around == self.around).then_some(handed)
    }

    /// Where it listens.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// The process that serves this user's hooks, if one does.
#[must_use]
pub fn running(dirs: &Dirs) -> Option<i32> {
    let stream = knock(dirs).and_then(super::Knocked::proved)?;
    Some(rustix::net::sockopt::socket_peercred(&stream).ok()?.pid.as_raw_pid())
}

/// A key no one else has, in hex.
fn fresh_key() -> Result<[u8; KEY], getrandom::Error> {
    let mut random = [0; KEY / 2];
    getrandom::fill(&mut random)?;
    let mut key = [0; KEY];
    key.iter_mut().zip(hex(&random).bytes()).for_each(|(into, digit)| *into = digit);
    Ok(key)
}

fn bind(path: &Path) -> std::io::Result<UnixListener> {
    let listener = UnixListener::bind(path)?;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600))?;
    Ok(listener)
}
