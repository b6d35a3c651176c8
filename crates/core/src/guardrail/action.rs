//! What a call does, one action after the other, as expressions see it.

use crate::budget;
use crate::call::Kind;
use crate::evidence::Part;
use crate::expression::{ActionSort, Target, View};
use crate::facts::{Access, Facts, FileFact};
use crate::guard::Seen;
use toolgate_shell::{Effect, EffectKind};

/// One action, and where it is in the call.
pub(super) struct Action<'a> {
    pub view: View<'a>,
    pub part: Part<'a>,
}

/// Every action of a call: each command, each file with where it leads, each
/// host. A call that does none of these is one action itself.
pub(super) fn actions<'a>(seen: &Seen<'a>, role: &'a str) -> impl Iterator<Item = Action<'a>> {
    let Seen { facts, event, .. } = *seen;
    let whole = whole(seen, role);
    let commands = facts.commands().flat_map(move |(at, command)| {
        let normal = facts.normal(at);
        let view = View { command: normal, program: &command.program, ..whole };
        let reached = command.effects.iter().filter(|effect| reaches(effect)).map(move |effect| {
            let target = effect.target.as_ref();
            let target_named =
                target.map(|word| Target { path: &word.text, exact: word.exact, glob: false, within: None });
            let view = View { sort: ActionSort::Network, target: target_named, ..view };
            Action { view, part: Part::Command(at, target) }
        });
        std::iter::once(Action { view, part: Part::Command(at, None) }).chain(reached)
    });
    let files = facts.files.iter().flat_map(move |file| of_file(facts, file, whole));
    let is_other = facts.reading.commands.is_empty() && facts.files.is_empty();
    let as_one = is_other || matches!(event.call.kind, Kind::Mcp { .. });
    let whole = as_one.then_some(Action { view: whole, part: Part::Whole });
    commands.chain(files).chain(whole)
}

fn of_file<'a>(facts: &'a Facts, file: &'a FileFact, whole: View<'a>) -> impl Iterator<Item = Action<'a>> {
    let command = file.command.and_then(|at| Some((at, facts.reading.commands.get(at)?)));
    let sort = match file.access {
        Access::Read => ActionSort::FileRead,
        Access::Create | Access::Write | Access::Change => ActionSort::FileWrite,
        Access::Delete | Access::DeleteTree => ActionSort::FileDelete,
    };
    let view = View {
        sort,
        command: command.map_or("", |(at, _)| facts.normal(at)),
        program: command.map_or("", |(_, command)| &command.program),
        ..whole
    };
    // Of a folder that is deleted or moved, some files may be like a pattern and others not: both are asked.
    let is_one = file.access == Access::Read && file.below == toolgate_shell::Reach::Itself;
    let below = (file.reaches_below() && !is_one).then_some(Some(file));
    let targets =
        file.targets().flat_map(move |path| [None].into_iter().chain(below).map(move |below| (path, below)));
    targets.map(move |(path, within)| Action {
        view: View { target: Some(Target { path, exact: file.exact, glob: file.glob, within }), ..view },
        part: Part::File(file),
    })
}

fn reaches(effect: &Effect) -> bool {
    matches!(effect.kind, EffectKind::ReachesHost | EffectKind::SendsData)
}

/// The call as one action.
fn whole<'a>(seen: &Seen<'a>, role: &'a str) -> View<'a> {
    let call = &seen.event.call;
    let (sort, target) = match &call.kind {
        Kind::Shell { .. } => (ActionSort::Command, None),
        Kind::Fetch { url } => {
            (ActionSort::Network, Some(Target { path: url, exact: true, glob: false, within: None }))
        }
        Kind::Mcp { .. } => (ActionSort::Mcp, None),
        Kind::Handoff => (ActionSort::Handoff, None),
        Kind::Stop => (ActionSort::Stop, None),
        Kind::File { .. } | Kind::Files { .. } | Kind::Other => (ActionSort::Tool, None),
    };
    let spent = &seen.session.spent;
    // A log that became shorter does not say what was used.
    let known = !spent.lost;
    View {
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
    }
}
