//! What a call does, one action after the other, as expressions see it.

use crate::budget;
use crate::call::Kind;
use crate::expression::{ActionSort, Target, View};
use crate::facts::{Access, FileFact};
use crate::guard::Seen;
use toolgate_shell::{Deed, Effect};

/// One action, and how a person would call it.
pub(super) struct Action<'a> {
    pub view: View<'a>,
    pub what: String,
}

/// Every action of a call: each command, each file with where it leads, each
/// host. A call that does none of these is one action itself.
pub(super) fn actions<'a>(seen: &Seen<'a>, role: &'a str) -> Vec<Action<'a>> {
    let mut found = Vec::new();
    let whole = whole(seen, role);
    for (at, command) in seen.facts.commands() {
        let view = View { command: seen.facts.normal(at), program: &command.program, ..whole.view };
        found.push(Action { view, what: seen.facts.normal(at).to_owned() });
        for effect in command.effects.iter().filter(|effect| reaches(effect)) {
            let target = effect.target.as_ref();
            let named = target.map(|word| Target { path: &word.text, exact: word.exact, glob: false });
            let what = format!("reach `{}`", target.map_or("", |word| &word.text));
            found.push(Action { view: View { sort: ActionSort::Network, target: named, ..view }, what });
        }
    }
    for file in &seen.facts.files {
        found.extend(of_file(seen, file, whole.view));
    }
    if found.is_empty() || matches!(seen.event.call.kind, Kind::Mcp { .. }) {
        found.push(whole);
    }
    found
}

fn of_file<'a>(seen: &Seen<'a>, file: &'a FileFact, whole: View<'a>) -> impl Iterator<Item = Action<'a>> {
    let command = file.command.and_then(|at| Some((at, seen.facts.reading.commands.get(at)?)));
    let sort = match file.access {
        Access::Read => ActionSort::FileRead,
        Access::Create | Access::Write | Access::Change => ActionSort::FileWrite,
        Access::Delete | Access::DeleteTree => ActionSort::FileDelete,
    };
    let view = View {
        sort,
        command: command.map_or("", |(at, _)| seen.facts.normal(at)),
        program: command.map_or("", |(_, command)| &command.program),
        ..whole
    };
    file.targets().map(move |path| Action {
        view: View { target: Some(Target { path, exact: file.exact, glob: file.glob }), ..view },
        what: format!("{} `{}`", file.access.name(), file.written),
    })
}

fn reaches(effect: &Effect) -> bool {
    matches!(effect.deed, Deed::ReachesHost | Deed::SendsData)
}

/// The call as one action.
fn whole<'a>(seen: &Seen<'a>, role: &'a str) -> Action<'a> {
    let call = &seen.event.call;
    let (sort, target) = match &call.kind {
        Kind::Shell { .. } => (ActionSort::Command, None),
        Kind::Fetch { url } => (ActionSort::Network, Some(Target { path: url, exact: true, glob: false })),
        Kind::Mcp { .. } => (ActionSort::Mcp, None),
        Kind::Handoff => (ActionSort::Handoff, None),
        Kind::Stop => (ActionSort::Stop, None),
        Kind::File { .. } | Kind::Other => (ActionSort::Tool, None),
    };
    let spent = &seen.session.spent;
    // A log that became shorter does not say what was used.
    let known = !spent.lost;
    let view = View {
        role,
        agent: &call.agent,
        task: call.task.as_deref().unwrap_or_default(),
        tool: &call.tool,
        sort,
        command: call.command().unwrap_or_default(),
        program: "",
        target,
        calls: seen.session.calls,
        tokens: known.then_some(spent.tokens),
        answers: known.then_some(spent.api_calls),
        lines: spent.lines,
        minutes: budget::seconds(seen.session, seen.now_ms) / 60,
        places: seen.places,
    };
    Action { view, what: call.title() }
}
