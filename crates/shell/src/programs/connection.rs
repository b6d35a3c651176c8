//! How programs name the host they reach where it is no full address: the
//! scheme they speak, and where the port is given. Data only.

use super::records::identity;
use crate::reading::Command;

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

/// The port a command is given, apart from the address.
#[must_use]
pub fn given_port(command: &Command) -> Option<u16> {
    let usage = &command.usage;
    let Connection { scheme, port, .. } = connection(&command.program);
    let given = match port {
        PortPlace::Option(names) => names.iter().find_map(|name| usage.value(name)),
        PortPlace::Operand(at) => usage.operands.get(at),
        PortPlace::None => None,
    };
    let number = |text: &str| text.trim().parse().ok();
    given.and_then(|word| number(&word.text)).or_else(|| match scheme {
        // `ssh -o Port=2222`, `rsync -e 'ssh -p 2222'`
        "ssh" => usage
            .values("-o")
            .filter_map(|option| option.text.split_once(['=', ' ']))
            .find(|(name, _)| name.eq_ignore_ascii_case("port"))
            .and_then(|(_, value)| number(value))
            .or_else(|| {
                let (_, behind) = usage.value("--rsh")?.text.split_once("-p")?;
                number(behind.split_whitespace().next()?)
            }),
        "postgres" | "mysql" => {
            let variable = if scheme == "mysql" { "MYSQL_TCP_PORT" } else { "PGPORT" };
            let parts = usage.operands.iter().flat_map(|word| word.text.split_whitespace());
            let named = parts.filter_map(|part| part.strip_prefix("port=")).find_map(number);
            let assigned = command.assignments.iter().rev().find(|one| one.name == variable);
            named.or_else(|| number(&assigned?.value.text))
        }
        _ => None,
    })
}

/// How a program connects; `http` for unknown ones.
#[must_use]
pub fn connection(program: &str) -> Connection {
    let (scheme, port) = match identity(program).0 {
        "ssh" | "autossh" | "mosh" | "ssh-copy-id" | "rsync" | "sshfs" => {
            ("ssh", PortPlace::Option(&["-p", "--port"]))
        }
        "scp" | "sftp" | "rcp" => ("ssh", PortPlace::Option(&["-P"])),
        "https" | "xhs" => ("https", PortPlace::None),
        "cqlsh" => ("cassandra", PortPlace::Operand(1)),
        "sqlcmd" => ("sqlserver", PortPlace::None),
        "smbclient" => ("smb", PortPlace::None),
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
        "docker" | "podman" | "nerdctl" | "skopeo" | "crane" | "oras" | "regctl" | "cosign" => {
            return Connection { scheme: "https", port: PortPlace::None, image: true };
        }
        _ => ("http", PortPlace::None),
    };
    Connection { scheme, port, image: false }
}
