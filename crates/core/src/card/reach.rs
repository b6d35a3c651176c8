//! What a call does, in a few words: its effects and their targets, and the remote, branch,
//! database or cluster it names.

use crate::facts::{Access, Facts};
use std::collections::BTreeSet;
use toolgate_shell::{EffectKind, aims};

/// Things named before the rest is only counted.
const NAMED_MAX: usize = 8;

/// What a call does, each thing once. Empty where the facts name nothing.
#[must_use]
pub fn reached(facts: &Facts) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    let mut add = |what: &str, target: &str| {
        let one = if target.is_empty() { what.to_owned() } else { format!("{what} {target}") };
        if !all.contains(&one) {
            all.push(one);
        }
    };
    let mut named = BTreeSet::new();
    for (at, command) in facts.commands() {
        for effect in &command.effects {
            let target = effect.target.as_ref().map(|word| word.text.as_str()).unwrap_or_default();
            // A host without a name says nothing; the remote or database below does.
            if effect.kind == EffectKind::ReachesHost && target.is_empty() {
                continue;
            }
            named.insert((Some(at), target.to_owned()));
            let (to_target, alone) = words(effect.kind);
            add(if target.is_empty() { alone } else { to_target }, target);
        }
        for (what, name) in aims(command) {
            if !named.contains(&(Some(at), name.clone())) {
                match name.as_str() {
                    "the default" => add(&format!("the default {what}"), ""),
                    name => add(what, name),
                }
            }
        }
    }
    for file in &facts.files {
        if !named.contains(&(file.command, file.written.to_string())) {
            add(access_words(file.access), &file.path);
        }
    }
    for opaque in &facts.reading.opaque {
        add("not understood:", &opaque.what);
    }
    if let Some(fault) = &facts.reading.fault {
        add("not readable:", &fault.message);
    }
    let more = all.len().saturating_sub(NAMED_MAX);
    all.truncate(NAMED_MAX);
    if more > 0 {
        all.push(format!("and {more} more"));
    }
    all
}

/// An effect before its target, and alone.
fn words(kind: EffectKind) -> (&'static str, &'static str) {
    match kind {
        EffectKind::ReadsFile => ("reads", "reads files"),
        EffectKind::SeeksFile => ("looks for", "looks for files"),
        EffectKind::WritesFile => ("writes", "writes files"),
        EffectKind::CreatesFile => ("creates", "creates files"),
        EffectKind::DeletesFile => ("deletes", "deletes files"),
        EffectKind::DeletesTree => ("deletes the folder", "deletes folders"),
        EffectKind::DeletesUnknown => ("deletes the folder named by", "deletes an unknown folder"),
        EffectKind::TakesUntracked => ("takes untracked files from", "takes untracked files away"),
        EffectKind::DeletesBelow => ("deletes by name below", "deletes files by name"),
        EffectKind::DeletesMost => ("deletes most files below", "deletes most files"),
        EffectKind::WipesDevice => ("overwrites the device", "overwrites a device"),
        EffectKind::SkipsCommitHooks => ("skips git hooks of", "skips git hooks"),
        EffectKind::RewritesRemote => ("rewrites on the remote:", "rewrites the remote"),
        EffectKind::RewritesOwnRemote => (
            "rewrites on the remote if no one else has pushed:",
            "rewrites the remote if no one else has pushed",
        ),
        EffectKind::DiscardsWork => ("discards work in", "discards uncommitted work"),
        EffectKind::DiscardsNamedWork => ("discards", "discards work that is named"),
        EffectKind::RewritesHistory => ("rewrites the history of", "rewrites local history"),
        EffectKind::ChangesUser => ("runs as", "runs as another user"),
        EffectKind::RunsDownload => ("runs code downloaded from", "runs downloaded code"),
        EffectKind::DropsData => ("deletes data:", "deletes data"),
        EffectKind::ReachesHost => ("connects to", "connects to a host"),
        EffectKind::SendsData => ("sends data to", "sends data to a host"),
        EffectKind::SendsFile => ("sends the file", "sends a file"),
        EffectKind::QuotesFile => ("sends the content of", "sends the content of a file"),
        EffectKind::InstallsPackage => ("installs", "installs packages"),
        EffectKind::ChangesAccess => ("changes access to", "changes access"),
        EffectKind::GivesOwnerRights => ("sets the setuid bit of", "sets a setuid bit"),
        EffectKind::EndsProcess => ("ends the process", "ends processes"),
        EffectKind::StopsMachine => ("stops or restarts", "stops or restarts the machine"),
        EffectKind::WatchesTraffic => ("records traffic of", "records network traffic"),
        EffectKind::FloodsProcesses => ("starts endless processes of", "starts processes without end"),
        EffectKind::RunsLater => ("runs later through", "runs later"),
        EffectKind::DestroysInfrastructure => ("destroys", "destroys infrastructure"),
        EffectKind::DestroysRemote => ("destroys at a service:", "destroys something at a service"),
        EffectKind::Publishes => ("publishes", "publishes something"),
        EffectKind::MovesMoney => ("moves money:", "moves money"),
        EffectKind::WeakensDefence => ("weakens the protection of", "weakens the protection of this machine"),
        EffectKind::HidesTraces => ("hides the traces in", "hides its traces"),
        EffectKind::RevealsSecret => ("reveals the secret", "reveals a secret"),
        EffectKind::GivesShell => ("gives a shell to", "gives a shell to another machine"),
    }
}

fn access_words(access: Access) -> &'static str {
    match access {
        Access::Read => "reads",
        Access::Create => "creates",
        Access::Write => "writes",
        Access::Change => "changes",
        Access::Delete => "deletes",
        Access::DeleteTree => "deletes the folder",
    }
}
