//! `agent-hooks`: an agent started by an agent is guarded like it.
//!
//! What the settings in a folder say is asked of the disk; here is only which
//! commands start an agent, and in which folder.

use super::block;
use crate::agent_program::AgentProgram;
use crate::evidence::Part;
use crate::facts::{Access, Facts};
use crate::finding::Finding;
use crate::guard::{Category, Guard, Seen, Severity};
use crate::outcome::Outcome;
use crate::path::absolute;
use toolgate_shell::Command;

pub(super) const ID: &str = "agent-hooks";

pub(super) const PAGE: &str = "# agent-hooks
**What** – asks before an agent is started in a folder whose settings do not run Toolgate's hook: they switch hooks off,
the host drops them for a mistake in them, the hook is installed for another folder only, or a flag or variable of the
command keeps hooks from running.
**Why** – without the hook, the agent that is started does what it likes.
**Allowed instead** – starting it in a folder that is guarded. `toolgate install HOST` guards every folder;
`toolgate doctor` says whether the current one is.
";

/// See the module.
pub(super) struct AgentHooks;

impl Guard for AgentHooks {
    fn id(&self) -> &str {
        ID
    }

    fn priority(&self) -> u32 {
        4
    }

    fn category(&self) -> Category {
        Category::Safety
    }

    fn judge(&self, seen: &Seen<'_>) -> Option<Finding> {
        let started = seen.facts.commands().find_map(|(at, command)| {
            let agent = seen.disk.agents.iter().find(|agent| agent.is_started_by(command))?;
            let why = unguarded(agent, command, seen)?;
            Some((at, agent, why))
        });
        let (at, agent, why) = started?;
        let message = format!("this starts {} where Toolgate does not guard it: {why}", agent.title);
        let step = "start it in a guarded folder; `toolgate doctor` says whether one is";
        let quoted = Part::Command(at, None).quoted(&seen.event.call, seen.facts);
        Some(Finding {
            severity: Severity::High,
            outcome: Outcome::Ask,
            ..block(ID, message, step, quoted.into_iter().collect())
        })
    }
}

/// Why a session started by the command would not be guarded.
fn unguarded(agent: &AgentProgram, command: &Command, seen: &Seen<'_>) -> Option<String> {
    let start = seen.event.call.dir.as_str();
    if changes_folder_itself(command, seen.facts) {
        return Some("the program that starts it chooses the folder".to_owned());
    }
    let folder = match &command.dir {
        None => start.to_owned(),
        Some(dir) if dir.exact && !dir.glob => absolute(&dir.text, start),
        Some(dir) => return Some(format!("the folder `{}` is not known before it runs", dir.text)),
    };
    if let Some(written) = agent.switched_off_by(command) {
        return Some(format!("`{written}` keeps the hook from running"));
    }
    if let Some(found) = (seen.disk.unguarded)(agent, &folder) {
        return Some(found.why);
    }
    let is_there = (seen.disk.is_there)(&folder) == Some(true);
    let brought = brings_settings(&folder, is_there, seen.facts);
    brought
        .then(|| format!("this call fills `{folder}`, and the settings in it are not known before it runs"))
}

/// Whether the folder, or what is in it, is only there once the call has run.
fn brings_settings(folder: &str, is_there: bool, facts: &Facts) -> bool {
    let anything = |path: &str| path.strip_suffix("/*").is_some_and(|top| top == folder);
    let by_pattern = facts
        .files
        .iter()
        .any(|file| file.access != Access::Read && file.glob && file.targets().any(&anything));
    let is_made = || {
        facts
            .files
            .iter()
            .any(|file| file.access == Access::Create && file.targets().any(|path| path == folder))
    };
    by_pattern || !is_there && !is_made()
}

/// A program of another language can start what it starts in any folder.
fn changes_folder_itself(command: &Command, facts: &Facts) -> bool {
    let starter = command.started_by.and_then(|at| facts.reading.commands.get(at));
    starter.is_some_and(|starter| {
        toolgate_shell::is_interpreter(&starter.program)
            && starter.words.iter().any(|word| word.text.contains("cwd") || word.text.contains("chdir"))
    })
}
