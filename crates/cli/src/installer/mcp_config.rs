//! Puts `toolgate mcp` in front of the servers of a client's configuration, and
//! takes it out again. Both are edits of single words, so nothing has to be
//! remembered: what is taken out leaves the very bytes that were there.

use super::{Change, Manner, diff, read, short_name, write};
use crate::screen::count;
use crate::verbs::Failure;
use std::path::Path;
use toolgate_adapters::SettingsFault;
use toolgate_adapters::mcp::{McpServer, config_of, unwrapped, wrapped};
use toolgate_runtime::Setup;

/// Puts it in front of every server that is started here.
///
/// # Errors
/// If the file cannot be read or written, or names no server.
pub fn wrap(file: &Path, setup: &Setup, manner: Manner) -> Result<Change, Failure> {
    let (name, before, servers) = servers_of(file, setup)?;
    let program = std::env::current_exe()?;
    let program = program.to_str().ok_or_else(|| {
        Failure::new("the path of this program is not UTF-8 text", "install toolgate in another folder")
    })?;
    let after = wrapped(&before, program).map_err(|fault| unreadable(file, &name, &fault))?;
    let remote: Vec<&str> =
        servers.iter().filter(|one| one.command.is_empty()).map(|one| one.name.as_str()).collect();
    if !remote.is_empty() {
        manner.tell(&format!("Not changed, because they are reached by URL: {}.", remote.join(", ")));
    }
    if after == before {
        manner.tell(&format!("Every server that {name} starts is already behind toolgate."));
        return Ok(Change::None);
    }
    let new = servers.iter().filter(|one| !one.is_wrapped && !one.command.is_empty()).count();
    let new = count(u64::try_from(new).unwrap_or(u64::MAX), "server");
    manner.tell(&format!("Puts `toolgate mcp` in front of {new} in {name} and changes nothing else."));
    change(file, &name, (&before, &after), manner)
}

/// Takes it out of every server.
///
/// # Errors
/// If the file cannot be read or written, or names no server.
pub fn unwrap(file: &Path, setup: &Setup, manner: Manner) -> Result<Change, Failure> {
    let (name, before, servers) = servers_of(file, setup)?;
    let after = unwrapped(&before).map_err(|fault| unreadable(file, &name, &fault))?;
    if after == before {
        manner.tell(&format!("No server in {name} is behind toolgate."));
        return Ok(Change::None);
    }
    let own = servers.iter().filter(|one| one.is_wrapped).count();
    let own = count(u64::try_from(own).unwrap_or(u64::MAX), "server");
    manner.tell(&format!("Takes `toolgate mcp` out of {own} in {name} and changes nothing else."));
    change(file, &name, (&before, &after), manner)
}

fn servers_of(file: &Path, setup: &Setup) -> Result<(String, Vec<u8>, Vec<McpServer>), Failure> {
    let name = short_name(setup, file);
    let missing =
        || Failure::new(format!("there is no file `{name}`"), "name the client's configuration file");
    let before = read(file)?.ok_or_else(missing)?;
    let servers = config_of(&before).map_err(|fault| unreadable(file, &name, &fault))?.servers;
    if servers.is_empty() {
        return Err(Failure::new(
            format!("`{name}` names no MCP servers"),
            "name a JSON file with `mcpServers` or `servers`",
        ));
    }
    Ok((name, before, servers))
}

fn change(
    file: &Path,
    name: &str,
    (before, after): (&[u8], &[u8]),
    manner: Manner,
) -> Result<Change, Failure> {
    if !manner.quiet {
        diff::show(name, before, after, &[]);
    }
    if !manner.agree(&format!("Write {name}?"))? {
        return Ok(Change::Declined);
    }
    write(file, after)?;
    manner.tell("Restart the client for the change to take effect.");
    Ok(Change::Made)
}

fn unreadable(file: &Path, name: &str, fault: &SettingsFault) -> Failure {
    Failure::at(
        &file.display().to_string(),
        fault.place,
        format!("`{name}` {fault}; nothing was changed"),
        &fault.help,
    )
}
