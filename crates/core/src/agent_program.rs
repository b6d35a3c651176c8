//! What the gate knows about a program that runs agents: how it is started, and
//! which settings must hold the gate's hook for its sessions to be guarded.
//!
//! Which programs there are, and what their settings mean, comes in as values
//! from the hosts; here is only what all of them have in common.

use std::path::{Path, PathBuf};
use toolgate_shell::{Command, Word};

/// The files below a folder that keep hooks from running, given how a file is read, and why.
pub type Brought = fn(&Path, &dyn Fn(&Path) -> Option<Vec<u8>>) -> Vec<(PathBuf, Unguarded)>;

/// A program that runs agents and offers the gate a hook.
#[derive(Debug, Clone, Copy)]
pub struct AgentProgram {
    /// Its name as its makers write it.
    pub title: &'static str,
    /// Names it is started by.
    pub programs: &'static [&'static str],
    /// The ends of script files an interpreter starts it from.
    pub scripts: &'static [&'static str],
    /// First words with which it starts no session.
    pub no_session: &'static [&'static str],
    /// The ends of the paths of its settings, in whatever folder.
    pub own_settings: &'static [&'static str],
    /// Variables it sets for what its agents run.
    pub marks: &'static [&'static str],
    /// Words with which a session runs without the hook, `*` for any text: `--bare`, `-c *hooks*`.
    pub off_words: &'static [&'static str],
    /// Variables that make it read other settings, or none.
    pub off_variables: &'static [&'static str],
    /// The files whose settings a session in a folder reads, for a home and that folder.
    pub settings: fn(&Path, &Path) -> Vec<PathBuf>,
    /// Files in a folder that switch hooks of the user off, as they are read.
    pub brought: Brought,
    /// Why a session with these settings is not guarded, if it is not.
    pub unguarded: fn(&[SettingsFile]) -> Option<Unguarded>,
}

/// Why a session would not be guarded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unguarded {
    /// What is so, as the end of a sentence.
    pub why: String,
    /// What the person can do about it.
    pub fix: String,
}

/// A settings file of a host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingsFile {
    /// Where it is.
    pub path: PathBuf,
    /// What is in it; `None` if it is not there.
    pub bytes: Option<Vec<u8>>,
}

impl AgentProgram {
    /// Whether a command starts a session of it.
    #[must_use]
    pub fn is_started_by(&self, command: &Command) -> bool {
        let is_script = |word: &Word| self.scripts.iter().any(|script| word.text.ends_with(script));
        let program = command.program.as_str();
        let behind = if self.programs.contains(&program) {
            1
        } else {
            // `node …/cli.js -p x`; a script that is only read is no operand of an interpreter.
            let at = command.words.iter().take(SCRIPT_MAX).position(is_script);
            match at.filter(|at| *at > 0 && toolgate_shell::is_interpreter(program)) {
                Some(at) => at.saturating_add(1),
                None => return false,
            }
        };
        let first = command.words.get(behind).map_or("", |word| word.text.as_str());
        !self.no_session.contains(&first)
    }
}

/// Where every program looks for the settings of its user.
const HOMES: [&str; 2] = ["HOME", "XDG_CONFIG_HOME"];

impl AgentProgram {
    /// The words or the variable with which a command keeps the hook from running.
    #[must_use]
    pub fn switched_off_by(&self, command: &Command) -> Option<String> {
        let variable = command.assignments.iter().find(|one| {
            let name = one.name.as_str();
            self.off_variables.contains(&name) || HOMES.contains(&name)
        });
        let words: Vec<&str> = command.words.iter().map(|word| word.text.as_str()).collect();
        variable.map(|one| format!("{}={}", one.name, one.value.text)).or_else(|| self.off_word(&words))
    }

    /// The words among these with which a session runs without the hook.
    #[must_use]
    pub fn off_word(&self, words: &[&str]) -> Option<String> {
        self.off_words.iter().find_map(|written| said_by(written, words))
    }
}

/// The words of a command that say this: `--disable hooks`, `--disable=hooks`, `-chooks=x`.
fn said_by(written: &str, words: &[&str]) -> Option<String> {
    let flags = || words.iter().filter(|word| word.starts_with('-'));
    let Some((flag, value)) = written.split_once(' ') else {
        let with_value = format!("{written}=*");
        return flags()
            .find(|word| fits(written, word) || fits(&with_value, word))
            .map(|word| (*word).to_owned());
    };
    let apart = words
        .windows(2)
        .find(|pair| matches!(pair, [first, second] if *first == flag && fits(value, second)));
    let attached = [format!("{flag}={value}"), format!("{flag}{value}")];
    let together = || flags().find(|word| attached.iter().any(|form| fits(form, word)));
    apart.map(|pair| pair.join(" ")).or_else(|| together().map(|word| (*word).to_owned()))
}

/// Whether a word fits; a `/` is a letter like any other.
fn fits(pattern: &str, word: &str) -> bool {
    let mut pieces = pattern.split('*');
    let Some(mut rest) = pieces.next().and_then(|first| word.strip_prefix(first)) else { return false };
    for piece in pieces {
        match rest.find(piece).and_then(|at| rest.get(at.saturating_add(piece.len())..)) {
            Some(behind) => rest = if piece.is_empty() { "" } else { behind },
            None => return false,
        }
    }
    rest.is_empty()
}

/// Words of an interpreter in which its script is looked for.
const SCRIPT_MAX: usize = 8;
