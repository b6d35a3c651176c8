//! `read-before-write`: a file that is there is read before it is changed.
//!
//! Making a file is not reading it, so its second change needs a read. Where
//! no one can tell whether the file is there, a person is asked.

use super::of_agent;
use crate::agent::Agent;
use crate::call::{Call, Kind};
use crate::event::EventKind;
use crate::facts::{Access, Facts, FileFact};
use crate::finding::Finding;
use crate::guard::{Category, Guard, Seen, Severity};
use crate::mark::read_mark;
use crate::outcome::Outcome;
use crate::settings::Settings;

pub(crate) const ID: &str = "read-before-write";

pub(crate) const PAGE: &str = "\
read-before-write: existing files are read before they are changed.

Applies to agents that set the key. New files may be written freely, and creating
a file does not count as reading it, nor do copying it, searching it, or printing
it to another file. Links are resolved first. `read_tools` and `write_tools` name
the tools that count, instead of all that read and edit files.

  agents:
    main:
      read_before_write: true
      read_tools: [Read, mcp__files__read]
      write_tools: [Write, Edit]
";

/// See the module.
pub(crate) struct ReadFirst;

impl Guard for ReadFirst {
    fn id(&self) -> &str {
        ID
    }

    fn priority(&self) -> u32 {
        21
    }

    fn category(&self) -> Category {
        Category::Compliance
    }

    fn asks(&self, call: &Call, facts: &Facts, settings: &Settings) -> Vec<String> {
        let entries = settings.agents_of(call).filter(|entry| entry.agent.read_before_write);
        entries
            .flat_map(|entry| changed(call, facts, &entry.agent))
            .map(|file| read_mark(place(file)))
            .collect()
    }

    fn judge(&self, seen: &Seen<'_>) -> Option<Finding> {
        if seen.event.kind != EventKind::PreExecution {
            return None;
        }
        let call = &seen.event.call;
        let unread = |file: &&FileFact| {
            file.exists != Some(false) && seen.session.mark(&read_mark(place(file))).is_none()
        };
        let (entry, file) =
            seen.settings.agents_of(call).filter(|entry| entry.agent.read_before_write).find_map(
                |entry| {
                    let files = || changed(call, seen.facts, &entry.agent).filter(unread);
                    let known = files().find(|file| file.exists.is_some());
                    Some((entry, known.or_else(|| files().next())?))
                },
            )?;
        let message = format!("`{}` would be changed without having been read in this session", file.written);
        let finding = of_agent(ID, entry, message, format!("read `{}` first, then change it", file.written));
        let outcome = if file.exists.is_some() { Outcome::Block } else { Outcome::Ask };
        Some(Finding { category: Category::Compliance, severity: Severity::Medium, outcome, ..finding })
    }
}

/// The files an edit tool would change. Shell commands write logs, builds and
/// caches all day; unless the policy names their tool, what they may touch is for the rules.
fn changed<'a>(call: &'a Call, facts: &'a Facts, agent: &Agent) -> impl Iterator<Item = &'a FileFact> {
    let is_edit = || !matches!(call.kind, Kind::Shell { .. });
    let by_tool = agent.writes_with(&call.tool).unwrap_or_else(is_edit);
    facts.files.iter().filter(move |file| by_tool && file.access == Access::Write)
}

fn place(file: &FileFact) -> &str {
    file.real.as_deref().unwrap_or(&file.path)
}
