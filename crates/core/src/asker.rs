//! Which process asks, and whether another one runs below it.
//!
//! An agent's program runs as the same user as the person, so an answer is only
//! theirs if it does not come from below the program that asked. Which processes
//! there are is read elsewhere; here is what they mean.

use serde::{Deserialize, Serialize};

/// The program that asks, as the machine knows it. Numbers are used again, so the
/// time it began belongs to it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Asker {
    /// Its number.
    pub pid: u32,
    /// When it began, in the machine's own ticks since it was switched on.
    pub started: u64,
    /// What it is called, for people.
    pub program: String,
}

/// A process that runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Process {
    /// Its number.
    pub pid: u32,
    /// When it began.
    pub started: u64,
    /// What the system calls it: the file it was started from, cut at 15 bytes.
    /// Unlike its first word, no matter who starts it cannot choose it freely.
    pub name: String,
    /// The words it was started with.
    pub words: Vec<String>,
}

/// Longest name the system keeps.
const NAME_MAX: usize = 15;

const SHELLS: &[&str] = &["sh", "bash", "dash", "zsh", "fish", "ksh", "mksh", "ash", "busybox", "nu", "pwsh"];

/// Programs that only start another one and wait for it.
const CARRIERS: &[&str] = &[
    "timeout", "nice", "ionice", "nohup", "setsid", "stdbuf", "time", "env", "chrt", "taskset", "toolgate",
    "sudo", "doas", "su",
];

/// What people sit at. A call made by hand comes from below one of these, and
/// anyone who sits there may answer it.
const SEATS: &[&str] = &[
    "alacritty",
    "containerd-shim-runc-v2",
    "foot",
    "ghostty",
    "gnome-terminal-server",
    "init",
    "kitty",
    "konsole",
    "login",
    "mosh-server",
    "ptyxis-agent",
    "screen",
    "SCREEN",
    "sshd",
    "sshd-session",
    "systemd",
    "terminator",
    "tilix",
    "tmux",
    "wezterm-gui",
    "xfce4-terminal",
    "xterm",
    "zellij",
];

impl Process {
    /// The base name of its program; `-bash` and `tmux: server` are bash and tmux.
    fn program(&self) -> &str {
        let first = self.words.first().map_or("", String::as_str);
        let name = first.rsplit('/').next().unwrap_or_default();
        let name = name.split([':', ' ']).next().unwrap_or_default();
        name.strip_prefix('-').unwrap_or(name)
    }

    /// Whether a person sits at it.
    fn is_seat(&self) -> bool {
        let name = self.name.split([':', ' ']).next().unwrap_or_default();
        let is_cut = name.len() == NAME_MAX;
        SEATS.iter().any(|seat| *seat == name || (is_cut && seat.starts_with(name)))
    }

    /// A shell that runs a command or a person's lines, not a script: the script
    /// would be the one that asks.
    fn is_plain_shell(&self) -> bool {
        if !SHELLS.contains(&self.program()) {
            return false;
        }
        let mut rest = self.words.iter().skip(1).map(String::as_str);
        if self.program() == "busybox" {
            rest.next();
        }
        while let Some(word) = rest.next() {
            let is_short = word.starts_with(['-', '+']) && !word.starts_with("--");
            if is_short && word.contains('c') {
                return true;
            }
            if is_short && word.ends_with(['o', 'O']) {
                rest.next();
            } else if !word.starts_with(['-', '+']) {
                return false;
            }
        }
        true
    }
}

/// The one that asks among a process and those above it, nearest first: what
/// only carries the question does not, and a person at a terminal is no one's
/// agent.
#[must_use]
pub fn asker_among(chain: &[Process]) -> Option<Asker> {
    let carries = |one: &&Process| one.is_plain_shell() || CARRIERS.contains(&one.program());
    let mut above = chain.iter().skip_while(carries).peekable();
    let mut asking = above.next()?;
    // A copy a program makes of itself for a moment is called alike.
    while let Some(original) = above.next_if(|one| one.words == asking.words) {
        asking = original;
    }
    let is_agent = asking.pid > 1 && !asking.words.is_empty() && !asking.is_seat();
    is_agent.then(|| Asker {
        pid: asking.pid,
        started: asking.started,
        program: asking.program().chars().filter(|c| !c.is_control()).take(64).collect(),
    })
}

/// The asker a process is or runs below, given the process and those above it.
#[must_use]
pub fn asker_over<'a>(chain: &[Process], askers: &'a [Asker]) -> Option<&'a Asker> {
    let is_it = |asker: &&Asker| chain.iter().any(|one| one.pid == asker.pid && one.started == asker.started);
    askers.iter().find(is_it)
}
