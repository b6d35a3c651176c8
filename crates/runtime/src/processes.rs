//! Which programs run above a process, and whether one of them is an agent: a
//! host known by its name or its variables, or any program that has asked.
//!
//! Where the system does not show processes, none is seen.

use crate::dirs::Dirs;
use crate::key::signing_key;
use std::path::{Path, PathBuf};
use toolgate_core::{AgentProgram, Asker, Process, asker_among, asker_over};
use toolgate_store::Sqlite;

/// Longest chain of parents looked at; a loop must not hang an answer.
const ABOVE_MAX: usize = 64;

/// Requests whose askers are looked for; older ones have long been decided.
pub const ASKERS_MAX: u32 = 1_000;

/// Words of a process that are looked at.
const WORDS_MAX: usize = 16;

/// The agent this process runs under, if one can be seen: by a variable it
/// sets, by a program above this one, or because one of them has asked.
#[must_use]
pub fn agent_above(
    agents: &[&AgentProgram],
    var: &dyn Fn(&str) -> Option<String>,
    askers: &[Asker],
) -> Option<String> {
    let marked = marks(agents).find(|name| var(name).is_some()).map(str::to_owned);
    let chain = chain_from(std::process::id());
    let above = || host_among(agents, chain.get(1..).unwrap_or_default());
    marked.or_else(above).or_else(|| asking_agent(&chain, askers))
}

/// The agent another process is or runs under, if one can be seen.
#[must_use]
pub fn agent_over(agents: &[&AgentProgram], pid: u32, askers: &[Asker]) -> Option<String> {
    let variables = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
    let is_set = |mark: &&str| {
        variables
            .split(|byte| *byte == 0)
            .any(|one| one.strip_prefix(mark.as_bytes()).is_some_and(|rest| rest.first() == Some(&b'=')))
    };
    let marked = marks(agents).find(is_set).map(str::to_owned);
    let chain = chain_from(pid);
    marked.or_else(|| host_among(agents, &chain)).or_else(|| asking_agent(&chain, askers))
}

/// Variables hosts set for what their agents run.
fn marks<'a>(agents: &'a [&AgentProgram]) -> impl Iterator<Item = &'a str> {
    agents.iter().flat_map(|agent| agent.marks).copied()
}

/// The programs that have asked lately. A ledger that cannot be read shows none:
/// it takes no answer either.
#[must_use]
pub fn askers(dirs: &Dirs) -> Vec<Asker> {
    if !dirs.ledger().exists() {
        return Vec::new();
    }
    let store = signing_key(dirs).and_then(|key| Ok(Sqlite::open(&dirs.ledger(), key)?));
    store.ok().and_then(|store| store.askers(ASKERS_MAX).ok()).unwrap_or_default()
}

/// The program that asks when this process carries the question.
#[must_use]
pub(crate) fn asker_from(pid: u32) -> Option<Asker> {
    asker_among(&chain_from(pid))
}

fn asking_agent(chain: &[Process], askers: &[Asker]) -> Option<String> {
    asker_over(chain, askers)
        .map(|asker| format!("{}, process {}, which made the request", asker.program, asker.pid))
}

/// A host is known by the program's name or by its first word: a script comes
/// behind what reads it.
fn host_among(agents: &[&AgentProgram], chain: &[Process]) -> Option<String> {
    let names = chain.iter().flat_map(|one| one.words.iter().take(2));
    let names =
        names.filter_map(|word| Path::new(word).file_name().map(|name| name.to_string_lossy().into_owned()));
    let is_host = |name: &str| agents.iter().any(|agent| agent.programs.contains(&name));
    names.into_iter().find(|name| is_host(name))
}

/// A process and those above it, nearest first. Empty where the system does not
/// show them.
fn chain_from(pid: u32) -> Vec<Process> {
    let mut chain = Vec::new();
    let mut next = Some(pid).filter(|pid| *pid > 0);
    while let Some(pid) = next.filter(|_| chain.len() < ABOVE_MAX) {
        let Some((name, parent, started)) = stat_of(pid) else { break };
        chain.push(Process { pid, started, name, words: words_of(pid) });
        next = (parent > 0).then_some(parent);
    }
    chain
}

/// The terminal of the nearest program that has one, from a process upwards.
#[must_use]
pub(crate) fn terminal_above(pid: u32) -> Option<PathBuf> {
    chain_from(pid).into_iter().find_map(|one| terminal_of(one.pid))
}

/// The terminal a process belongs to. Linux says it as a device: 136 to 143 are the pseudo
/// terminals, 256 each, and 4 the consoles.
fn terminal_of(pid: u32) -> Option<PathBuf> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let device: u64 = stat.rsplit_once(") ")?.1.split(' ').nth(4)?.parse().ok()?;
    let (major, minor) = (device >> 8 & 0xfff, device & 0xff | device >> 12 & 0xf_ff00);
    match major {
        136..=143 => Some(PathBuf::from(format!("/dev/pts/{}", (major - 136) * 256 + minor))),
        4 => Some(PathBuf::from(format!("/dev/tty{minor}"))),
        _ => None,
    }
}

fn words_of(pid: u32) -> Vec<String> {
    let command = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    let command = command.strip_suffix(b"\0").unwrap_or(&command);
    let words = command.split(|byte| *byte == 0).take(WORDS_MAX);
    words.map(|word| String::from_utf8_lossy(word).into_owned()).collect()
}

/// What a process is called, its parent and when it began.
fn stat_of(pid: u32) -> Option<(String, u32, u64)> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name in parentheses may hold anything; the fields after it do not.
    let (head, fields) = stat.rsplit_once(") ")?;
    let (_, name) = head.split_once('(')?;
    let mut fields = fields.split(' ');
    let parent = fields.nth(1)?.parse().ok()?;
    let started = fields.nth(17)?.parse().ok()?;
    Some((name.to_owned(), parent, started))
}
