//! The process at the other end of a connection of this machine, where the
//! system shows it, and whether an agent is above it.
//!
//! Another user's process, and any on a system that shows none, is no reason to
//! refuse: the browser's cookie is the proof, this only takes it away from agents.
//! A connection of this user's that no one holds any more is one: who has sent a
//! word and gone cannot be told from an agent that does so to stay unseen.

use std::net::SocketAddr;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use toolgate_core::{AgentProgram, Asker};
use toolgate_runtime::agent_over;

/// Processes looked at; more are no ordinary machine.
const PROCESSES_MAX: usize = 100_000;

/// The two ends of a connection.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Peer {
    /// The other one.
    pub there: SocketAddr,
    /// Ours.
    pub here: SocketAddr,
}

/// Why the other end is no one's word.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Objection {
    /// An agent has the connection open, itself or through what it runs.
    Agent(String),
    /// No one has it open.
    Gone,
}

/// The other end's socket, as the system lists it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Socket {
    user: u32,
    /// 0 when no process has it any more.
    inode: u64,
}

impl Peer {
    /// What speaks against taking the other end's word, if something does.
    pub(crate) fn objection(self, agents: &[&AgentProgram], askers: &[Asker]) -> Option<Objection> {
        let own = rustix::process::geteuid().as_raw();
        let socket = match self.socket() {
            Listed::Nowhere => return None,
            Listed::Not => return Some(Objection::Gone),
            Listed::There(socket) => socket,
        };
        let seen = holders(socket.inode);
        // What holds it and lets no one look is one of those that let no one look.
        let is_ours = socket.user == own;
        let may_hold = if seen.is_empty() && is_ours { closed_processes(own) } else { seen };
        if socket.inode == 0 || may_hold.is_empty() && is_ours {
            return Some(Objection::Gone);
        }
        may_hold.into_iter().find_map(|pid| agent_over(agents, pid, askers)).map(Objection::Agent)
    }

    /// The process that has this connection open.
    pub(crate) fn process(self) -> Option<u32> {
        match self.socket() {
            Listed::There(socket) => holders(socket.inode).first().copied(),
            Listed::Not | Listed::Nowhere => None,
        }
    }

    fn socket(self) -> Listed {
        let Ok(text) = std::fs::read_to_string(if self.there.is_ipv4() { V4 } else { V6 }) else {
            return Listed::Nowhere;
        };
        let found = in_list(&text, self.there, self.here).or_else(|| {
            // Some programs use sockets of the new kind for addresses of the old one.
            let text = std::fs::read_to_string(V6).ok()?;
            in_list(&text, mapped(self.there)?, mapped(self.here)?)
        });
        found.map_or(Listed::Not, Listed::There)
    }
}

/// Where the system lists connections.
const V4: &str = "/proc/net/tcp";
const V6: &str = "/proc/net/tcp6";

fn in_list(text: &str, local: SocketAddr, remote: SocketAddr) -> Option<Socket> {
    let (local, remote) = (as_listed(local), as_listed(remote));
    text.lines().skip(1).find_map(|line| {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let is_it = fields.get(1) == Some(&local.as_str()) && fields.get(2) == Some(&remote.as_str());
        let (user, inode) = (fields.get(7).filter(|_| is_it)?, fields.get(9)?);
        Some(Socket { user: user.parse().ok()?, inode: inode.parse().ok()? })
    })
}

fn mapped(address: SocketAddr) -> Option<SocketAddr> {
    match address {
        SocketAddr::V4(v4) => Some((v4.ip().to_ipv6_mapped(), v4.port()).into()),
        SocketAddr::V6(_) => None,
    }
}

/// What the system's list says of a socket.
enum Listed {
    There(Socket),
    Not,
    /// There is no list.
    Nowhere,
}

/// An address as the kernel lists it: words of the machine's own byte order.
fn as_listed(address: SocketAddr) -> String {
    let word = |bytes: &[u8]| {
        let bytes = <[u8; 4]>::try_from(bytes).unwrap_or_default();
        format!("{:08X}", u32::from_ne_bytes(bytes))
    };
    let ip: String = match address {
        SocketAddr::V4(v4) => word(&v4.ip().octets()),
        SocketAddr::V6(v6) => v6.ip().octets().chunks(4).map(word).collect(),
    };
    format!("{ip}:{:04X}", address.port())
}

/// The processes that have a socket open.
fn holders(inode: u64) -> Vec<u32> {
    let link = format!("socket:[{inode}]");
    processes().filter(|pid| has_open(*pid, &link)).collect()
}

/// Processes of this user whose open files cannot be seen: the system lets a
/// process shut itself off.
fn closed_processes(own: u32) -> Vec<u32> {
    let is_closed = |pid: &u32| std::fs::read_dir(format!("/proc/{pid}/fd")).is_err();
    processes().filter(|pid| is_run_by(*pid, own)).filter(is_closed).collect()
}

/// Whether a process runs as a user. Its folder belongs to someone else when it
/// has shut itself off; what it says of itself does not.
fn is_run_by(pid: u32, user: u32) -> bool {
    let folder = format!("/proc/{pid}");
    if std::fs::metadata(&folder).is_ok_and(|about| about.uid() == user) {
        return true;
    }
    let status = std::fs::read_to_string(format!("{folder}/status")).unwrap_or_default();
    let users = status.lines().find_map(|line| line.strip_prefix("Uid:")).unwrap_or_default();
    users.split_whitespace().any(|one| one.parse() == Ok(user))
}

fn processes() -> impl Iterator<Item = u32> {
    let all = std::fs::read_dir("/proc").into_iter().flatten().flatten().take(PROCESSES_MAX);
    all.filter_map(|entry| entry.file_name().to_str().and_then(|name| name.parse().ok()))
}

fn has_open(pid: u32, link: &str) -> bool {
    let Ok(files) = std::fs::read_dir(format!("/proc/{pid}/fd")) else { return false };
    files.flatten().any(|file| std::fs::read_link(file.path()).is_ok_and(|to| to == Path::new(link)))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use std::net::{TcpListener, TcpStream};

    #[test]
    fn the_other_end_of_a_connection_is_found() {
        for address in ["127.0.0.1:0", "[::1]:0"] {
            let Ok(listener) = TcpListener::bind(address) else { continue };
            let here = listener.local_addr().unwrap();
            let stream = TcpStream::connect(here).unwrap();
            let peer = Peer { there: stream.local_addr().unwrap(), here };
            assert_eq!(peer.process(), Some(std::process::id()), "{address}");
            let own = std::process::id();
            let is_agents = |one: &Option<Objection>| matches!(one, Some(Objection::Agent(_)));
            let program = "it".to_owned();
            let asker = Asker { pid: own, started: started(own), program };
            assert!(
                is_agents(&peer.objection(&[], &[asker])),
                "{address}: the connection came from the server itself"
            );
            // No one is at the other end any more, and no one can be told from an agent.
            drop(stream);
            assert_eq!(peer.objection(&[], &[]), Some(Objection::Gone), "{address}");
        }
    }

    fn started(pid: u32) -> u64 {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
        stat.rsplit_once(") ").unwrap().1.split(' ').nth(19).unwrap().parse().unwrap()
    }
}
