//! How programs name the host they reach where it is no full address: the
//! scheme they speak, and where the port is given. Data only.

use super::records::identity;

/// Where a program takes the port from, if not from the address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PortPlace {
    /// Nowhere else.
    None,
    /// One of these options, by their canonical names.
    Option(&'static [&'static str]),
    /// The operand in this place: `nc host 4444`.
    Operand(usize),
}

/// How a program connects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Connection {
    /// What it speaks.
    pub scheme: &'static str,
    /// Where the port is given.
    pub port: PortPlace,
    /// It is given names of images: `registry.example/app:1`.
    pub image: bool,
}

/// How a program connects; `http` for unknown ones.
#[must_use]
pub fn connection(program: &str) -> Connection {
    let (scheme, port) = match identity(program).0 {
        "ssh" | "autossh" | "mosh" | "ssh-copy-id" | "rsync" => ("ssh", PortPlace::Option(&["-p", "--port"])),
        "scp" | "sftp" | "rcp" => ("ssh", PortPlace::Option(&["-P"])),
        "git" => ("git", PortPlace::None),
        "psql" | "pgcli" | "pg_dump" | "pg_dumpall" | "pg_restore" | "createdb" | "dropdb" | "usql" => {
            ("postgres", PortPlace::Option(&["--port"]))
        }
        "mysql" | "mariadb" | "mycli" | "mysqldump" | "mysqladmin" | "mariadb-dump" => {
            ("mysql", PortPlace::Option(&["--port"]))
        }
        "redis-cli" | "valkey-cli" | "keydb-cli" => ("redis", PortPlace::Option(&["-p"])),
        "mongosh" | "mongodump" | "mongorestore" => ("mongodb", PortPlace::Option(&["--port"])),
        "nc" | "ncat" | "netcat" => ("tcp", PortPlace::Operand(1)),
        "telnet" => ("telnet", PortPlace::Operand(1)),
        "ftp" | "lftp" => ("ftp", PortPlace::Option(&["-p"])),
        "ping" | "ping6" | "dig" | "nslookup" | "host" | "traceroute" | "whois" | "drill" | "mtr"
        | "nmap" => ("", PortPlace::None),
        "docker" | "podman" | "nerdctl" => {
            return Connection { scheme: "https", port: PortPlace::None, image: true };
        }
        _ => ("http", PortPlace::None),
    };
    Connection { scheme, port, image: false }
}
