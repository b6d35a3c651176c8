//! Effects of a call as a rule sees them: those of its commands, and those of
//! tools that say in their input what they do – a file tool writes, a fetch
//! reaches a host.

use crate::facts::{Access, FileFact};
use crate::guard::Seen;
use crate::host::Host;
use crate::rule::compiled::CompiledRule;
use toolgate_shell::{Command, Effect, EffectKind};

/// Effects whose target is a host.
pub(crate) const TO_HOSTS: [EffectKind; 4] =
    [EffectKind::ReachesHost, EffectKind::SendsData, EffectKind::RunsDownload, EffectKind::GivesShell];

/// Whether an effect of a command is one the rule speaks of.
pub(super) fn of_command(rule: &CompiledRule, command: &Command, effect: &Effect) -> bool {
    let to_host = TO_HOSTS.contains(&effect.kind);
    if !(rule.effects.contains(&effect.kind) || rule.effects.is_empty() && rule.hosts.is_some() && to_host) {
        return false;
    }
    let target = effect.target.as_ref().map_or("", |word| word.text.as_str());
    let hosts = || match (&effect.target, to_host) {
        (Some(word), true) => Host::of_command(command, &word.text),
        (None, true) => Vec::new(),
        // A file is sent: where to, the other effects say.
        (_, false) => command
            .effects
            .iter()
            .filter(|one| TO_HOSTS.contains(&one.kind))
            .filter_map(|one| one.target.as_ref())
            .flat_map(|word| Host::of_command(command, &word.text))
            .collect(),
    };
    target_fits(rule, target, || if to_host { hosts() } else { Vec::new() })
        && rule.hosts.as_ref().is_none_or(|wanted| wanted.mean(&hosts()))
}

/// A target is compared as it is written and, for hosts, by the host's name alone.
fn target_fits(rule: &CompiledRule, target: &str, hosts: impl Fn() -> Vec<Host>) -> bool {
    let fits = |text: &str| rule.targets.iter().any(|glob| glob.is_match(text));
    let by_host = |host: &Host| {
        let port = host.port.map(|port| format!("{}:{port}", host.name));
        !host.is_unknown() && (fits(&host.name) || port.is_some_and(|both| fits(&both)))
    };
    rule.targets.is_empty() || fits(target) || hosts().iter().any(by_host)
}

/// Whether a call that is no command has an effect the rule speaks of; the files
/// and addresses concerned.
pub(super) fn of_tool<'a>(rule: &CompiledRule, seen: &Seen<'a>) -> Option<(Vec<&'a FileFact>, Vec<&'a str>)> {
    let own = seen.facts.files.iter().filter(|file| file.command.is_none());
    let is_meant = |file: &&FileFact| {
        let named = kinds_of(file.access).iter().any(|kind| rule.effects.contains(kind));
        let relative = seen.event.call.shown(&file.path);
        let target = rule.targets.is_empty()
            || rule.targets.iter().any(|glob| {
                [&file.written, &file.path].iter().any(|text| glob.is_match(text)) || glob.is_match(relative)
            });
        named && target && rule.hosts.is_none()
    };
    let files: Vec<&FileFact> = own.filter(is_meant).collect();
    let reached = seen.facts.reached.iter().filter(|(kind, address)| {
        let to_host = TO_HOSTS.contains(kind);
        let named = rule.effects.contains(kind) || rule.effects.is_empty() && rule.hosts.is_some() && to_host;
        let hosts = || if to_host { Host::of_address(address) } else { Vec::new() };
        named
            && target_fits(rule, address, hosts)
            && rule.hosts.as_ref().is_none_or(|wanted| wanted.mean(&hosts()))
    });
    let reached: Vec<&str> = reached.map(|(_, address)| address.as_str()).collect();
    (!files.is_empty() || !reached.is_empty()).then_some((files, reached))
}

/// The effects a file tool's access amounts to.
pub(crate) fn kinds_of(access: Access) -> &'static [EffectKind] {
    match access {
        Access::Read => &[EffectKind::ReadsFile],
        Access::Create => &[EffectKind::CreatesFile, EffectKind::WritesFile],
        Access::Write | Access::Change => &[EffectKind::WritesFile],
        Access::Delete => &[EffectKind::DeletesFile],
        Access::DeleteTree => &[EffectKind::DeletesTree],
    }
}
