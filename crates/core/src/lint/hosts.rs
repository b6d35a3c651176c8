//! Hosts and schemes that no call can have.

use super::warn;
use crate::nearest;
use crate::policy::{Notice, RuleEntry};
use crate::rule::Match;

/// What hosts are spoken to in.
const SCHEMES: [&str; 24] = [
    "http",
    "https",
    "ws",
    "wss",
    "ssh",
    "sftp",
    "ftp",
    "ftps",
    "git",
    "rsync",
    "telnet",
    "tcp",
    "udp",
    "ldap",
    "ldaps",
    "smb",
    "postgres",
    "postgresql",
    "mysql",
    "redis",
    "mongodb",
    "amqp",
    "cassandra",
    "sqlserver",
];

pub(super) fn look(entry: &RuleEntry, one: &Match, notices: &mut Vec<Notice>) {
    let Some(hosts) = &one.host else { return };
    for scheme in hosts.scheme.iter() {
        // The web is meant more often than what resembles it as much.
        let meant = nearest(scheme, ["https", "http", "ssh"]).or_else(|| nearest(scheme, SCHEMES));
        if let Some(meant) = meant.filter(|_| !SCHEMES.contains(&scheme)) {
            let text = format!("no address begins with `{scheme}://`");
            notices.push(warn(entry, scheme, text, format!("change `{scheme}` to `{meant}`")));
        }
    }
    for name in hosts.name.iter().chain(hosts.except.iter()) {
        if let Some((text, help)) = dead_name(name) {
            notices.push(warn(entry, name, text, help));
        }
    }
}

fn dead_name(name: &str) -> Option<(String, String)> {
    if let Some((address, bits)) = name.split_once('/')
        && address.parse::<std::net::Ipv4Addr>().is_ok()
    {
        let is_wrong = bits.parse::<u8>().is_ok_and(|bits| bits > 32);
        let text = format!("`{name}` never matches: an address has 32 bits, not {bits}");
        return is_wrong
            .then(|| (text, format!("write `{address}/24`, with the number of bits that are the same")));
    }
    if let Some(rest) = name.strip_prefix('.').filter(|rest| !rest.is_empty()) {
        let text = format!("`{name}` never matches: no host begins with a dot");
        return Some((text, format!("write `*.{rest}` for every host below it")));
    }
    None
}
