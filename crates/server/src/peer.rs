//! The process at the other end of a connection of this machine, where the
//! system shows it, and whether an agent stands above it.
//!
//! A process that cannot be seen (another user's, one behind a tunnel) is no
//! reason to refuse: the browser's cookie is the proof, this only takes it away
//! from agents.

use std::net::SocketAddr;
use std::path::Path;
use toolgate_core::Asker;
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

impl Peer {
    /// The agent that has this connection open, itself or through what it runs.
    pub(crate) fn agent(self, askers: &[Asker]) -> Option<String> {
        self.holders().into_iter().find_map(|pid| agent_over(pid, askers))
    }

    /// The process that has this connection open.
    pub(crate) fn process(self) -> Option<u32> {
        self.holders().first().copied()
    }

    fn holders(self) -> Vec<u32> {
        self.inode().map(|inode| holders(&format!("socket:[{inode}]"))).unwrap_or_default()
    }

    /// The number of the other end's socket.
    fn inode(self) -> Option<u64> {
        let table = if self.there.is_ipv4() { "/proc/net/tcp" } else { "/proc/net/tcp6" };
        let text = std::fs::read_to_string(table).ok()?;
        let (local, remote) = (as_listed(self.there), as_listed(self.here));
        text.lines().skip(1).find_map(|line| {
            let fields: Vec<&str> = line.split_whitespace().collect();
            let is_it = fields.get(1) == Some(&local.as_str()) && fields.get(2) == Some(&remote.as_str());
            fields.get(9).filter(|_| is_it)?.parse().ok()
        })
    }
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

/// The processes that have a file open under this name.
fn holders(link: &str) -> Vec<u32> {
    let Ok(processes) = std::fs::read_dir("/proc") else { return Vec::new() };
    let numbers = processes
        .flatten()
        .take(PROCESSES_MAX)
        .filter_map(|entry| entry.file_name().to_str().and_then(|name| name.parse::<u32>().ok()));
    numbers.filter(|pid| has_open(*pid, link)).collect()
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
            let inode = peer.inode().unwrap();
            assert!(holders(&format!("socket:[{inode}]")).contains(&std::process::id()), "{address}");
        }
    }
}
