//! `network_operations`: an address that is mostly a guess is asked about

use super::block;
use crate::address::Address;
use crate::call::Kind;
use crate::event::EventKind;
use crate::evidence::{Evidence, Part};
use crate::finding::Finding;
use crate::guard::{Category, Guard, Seen, Severity};
use crate::outcome::Outcome;
use crate::settings::Settings;
use crate::traps::{NetworkTrap, Risk};
use toolgate_shell::EffectKind;

pub(crate) const ID: &str = "network_operations";

pub(crate) const PAGE: &str = "\
network_operations: guessed addresses are confirmed.

The assumption trap: a request goes to `localhost:3000` because servers often
run there, not because this one does. If a policy turns this on, a request to one
of `endpoints` needs approval, unless `.toolgate/knowledge.toml` lists it as an
endpoint. It is off by default.

Allowed instead: the address in the project's configuration; asking the user to
list the endpoint in `.toolgate/knowledge.toml`.

  traps:
    network_operations: { on: true, endpoints: [\"localhost:3000\"] }
";

/// See the module.
pub(crate) struct NetworkOperations;

impl Guard for NetworkOperations {
    fn id(&self) -> &str {
        ID
    }

    fn priority(&self) -> u32 {
        32
    }

    fn category(&self) -> Category {
        Category::Quality
    }

    fn judge(&self, seen: &Seen<'_>) -> Option<Finding> {
        if seen.event.kind != EventKind::PreExecution {
            return None;
        }
        let armed = seen.settings.network_trap();
        if armed.is_empty() {
            return None;
        }
        let targets = targets(seen);
        armed.into_iter().find_map(|(source, trap)| {
            let (endpoint, part) = targets.iter().find_map(|(target, part)| {
                let endpoint = trap.endpoints.iter().find(|one| is_meant(&trap, one, target))?;
                (!is_declared(seen.settings, target)).then_some((endpoint, part))
            })?;
            let port = Address::parse(endpoint).map_or_else(|| endpoint.to_owned(), |at| at.port.to_string());
            let risks = [
                Risk::WrongEndpoint("May not be the intended service".to_owned()),
                Risk::ServiceNotRunning(format!("Service may not be running on {port}")),
            ];
            let message = format!("assumption trap: Request targets {endpoint}");
            let quoted = part.quoted(&seen.event.call, seen.facts);
            let risks = risks.iter().map(|risk| Evidence::remark(risk.to_string()));
            Some(Finding {
                source,
                category: Category::Quality,
                severity: Severity::Medium,
                outcome: Outcome::Ask,
                alternatives: instead(seen.settings),
                ..block(
                    ID,
                    message,
                    "find out where the service really is, or let a person confirm the address",
                    quoted.into_iter().chain(risks).collect(),
                )
            })
        })
    }
}

/// Where a call would connect to.
fn targets<'a>(seen: &Seen<'a>) -> Vec<(&'a str, Part<'a>)> {
    if let Kind::Fetch { url } = &seen.event.call.kind {
        return vec![(url, Part::Whole)];
    }
    let effects =
        seen.facts.commands().flat_map(|(at, command)| command.effects.iter().map(move |one| (at, one)));
    let reached =
        effects.filter(|(_, effect)| matches!(effect.kind, EffectKind::ReachesHost | EffectKind::SendsData));
    let targets = reached.filter_map(|(at, effect)| Some((at, effect.target.as_ref()?)));
    targets.map(|(at, target)| (target.text.as_str(), Part::Command(at, Some(target)))).collect()
}

fn is_meant(trap: &NetworkTrap, endpoint: &str, target: &str) -> bool {
    if trap.literal {
        return target.contains(endpoint);
    }
    match (Address::parse(endpoint), Address::parse(target)) {
        (Some(guess), Some(at)) => guess.is_same_service(&at),
        _ => false,
    }
}

fn is_declared(settings: &Settings, target: &str) -> bool {
    let Some(at) = Address::parse(target) else { return false };
    let mut declared = settings.endpoints().filter_map(|(_, one)| Address::parse(&one.default_url));
    declared.any(|own| own.is_same_service(&at))
}

fn instead(settings: &Settings) -> Vec<String> {
    let known = settings.endpoints().map(|(_, one)| {
        format!("{} is at {} unless `{}` says otherwise", one.name, one.default_url, one.config_key)
    });
    known.take(5).collect()
}
