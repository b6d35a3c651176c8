//! `installation_prevention`: nothing is installed because a connection failed
//! before the connection was looked at.

use super::block;
use crate::call::{Call, Kind};
use crate::event::EventKind;
use crate::evidence::Evidence;
use crate::facts::Facts;
use crate::failure::Failure;
use crate::finding::Finding;
use crate::guard::{Category, Guard, Seen, Severity};
use crate::knowledge::{ServiceEndpoint, says};
use crate::mark::passed_mark;
use crate::outcome::Outcome;
use crate::prerequisite::{Method, Prerequisite, not_passed};
use crate::settings::Settings;
use crate::traps::{Action, Alternative, InstallTrap};
use toolgate_shell::{Command, EffectKind};

pub(crate) const ID: &str = "installation_prevention";

pub(crate) const PAGE: &str = "\
installation_prevention: no installs to fix a failed connection.

The installation trap: a connection fails, and the agent installs software
although the address was wrong. After a failed connection to a service listed in
`.toolgate/knowledge.toml`, Toolgate makes two checks before packages or browsers
are installed: the setting that holds the address, and whether that address
answers. If one fails, the call is blocked; if both pass, the call runs, and they
are not repeated in this session.

Allowed instead: looking at the installed version and at the configuration,
testing the connection.

  traps:
    installation_prevention: { on: true, literal: false }
";

/// The setting that is looked at where no service is known.
const CONNECTION_URL: &str = "connection_url";

/// Programs that fetch browsers, besides package managers.
const BROWSERS: &[&str] =
    &["playwright", "patchright", "puppeteer", "cypress", "webdriver-manager", "chromedriver"];

const ALTERNATIVES: [Alternative; 2] = [
    Alternative {
        description: "Verify existing installation is accessible",
        actions: &[Action::CheckInstalledVersion, Action::TestExistingConnection],
    },
    Alternative {
        description: "Check connection configuration",
        actions: &[Action::ReviewConfig, Action::TestConnectivity],
    },
];

/// See the module.
pub(crate) struct InstallationPrevention;

impl Guard for InstallationPrevention {
    fn id(&self) -> &str {
        ID
    }

    fn priority(&self) -> u32 {
        30
    }

    fn category(&self) -> Category {
        Category::Quality
    }

    fn asks(&self, call: &Call, facts: &Facts, settings: &Settings) -> Vec<String> {
        let armed = settings.install_trap();
        if armed.is_empty() || installed(call, facts).is_none() {
            return Vec::new();
        }
        let known = settings.endpoints().flat_map(|(_, one)| checks_of(one));
        known.chain(literal_checks()).map(|check| passed_mark(&check.method)).collect()
    }

    fn judge(&self, seen: &Seen<'_>) -> Option<Finding> {
        if seen.event.kind != EventKind::PreExecution {
            return None;
        }
        let armed = seen.settings.install_trap();
        let mut failures =
            seen.session.recent_failures().filter(|one| one.is_connection_failure()).peekable();
        failures.peek()?;
        let what = (!armed.is_empty()).then(|| installed(&seen.event.call, seen.facts)).flatten()?;
        let failures: Vec<&Failure> = failures.collect();
        armed.into_iter().find_map(|(source, trap)| {
            let (checks, failure) = wanted(&trap, seen, &failures)?;
            let left = not_passed(seen.session, checks);
            if left.is_empty() {
                return None;
            }
            let message = format!("installation trap: a connection failed, and {what} does not fix that");
            let step = step(seen.settings, &left);
            Some(Finding {
                source,
                category: Category::Quality,
                severity: Severity::Medium,
                outcome: Outcome::Check(left),
                alternatives: ALTERNATIVES.iter().map(ToString::to_string).collect(),
                ..block(ID, message, &step, vec![Evidence::remark(&failure.message)])
            })
        })
    }
}

/// What a call would install, in words.
pub(super) fn installed(call: &Call, facts: &Facts) -> Option<String> {
    if let Kind::Mcp { tool, .. } = &call.kind {
        return says(&tool.replace('_', " "), "install").then(|| format!("`{}`", call.tool));
    }
    facts.commands().find_map(|(_, command)| {
        if is_browser_install(command) {
            return Some(format!("installing browsers with {}", program(command)));
        }
        let package = command.effects.iter().find(|effect| effect.kind == EffectKind::InstallsPackage)?;
        Some(match &package.target {
            Some(name) => format!("installing `{}`", name.text),
            None => "installing dependencies".to_owned(),
        })
    })
}

pub(super) fn is_browser_install(command: &Command) -> bool {
    let mut words = command.words.iter().map(|word| word.text.as_str());
    let by = words.any(|word| BROWSERS.contains(&name_of(word)) || word.contains("puppeteer/browsers"));
    by && words.any(|word| word == "install" || word == "install-deps")
}

fn program(command: &Command) -> String {
    let mut words = command.words.iter().map(|word| name_of(&word.text));
    words.find(|word| BROWSERS.contains(word)).unwrap_or("puppeteer").to_owned()
}

/// `playwright` of `/usr/bin/playwright`, `playwright@1.2`.
fn name_of(word: &str) -> &str {
    let last = word.rsplit('/').next().unwrap_or(word);
    last.split('@').next().unwrap_or(last)
}

/// The checks, and the failure they are about.
fn wanted<'a>(
    trap: &InstallTrap,
    seen: &Seen<'_>,
    failures: &[&'a Failure],
) -> Option<(Vec<Prerequisite>, &'a Failure)> {
    if trap.literal {
        return failures.first().map(|failure| (literal_checks(), *failure));
    }
    let is_meant = |key: &str, one: &ServiceEndpoint, failure: &Failure| {
        one.is_meant(key, (seen.disk.setting)(&one.config_key).as_deref(), failure)
    };
    let meant = |failure: &&&Failure| seen.settings.endpoints().any(|(key, one)| is_meant(key, one, failure));
    let failure = failures.iter().find(meant)?;
    let endpoints = seen.settings.endpoints().filter(|(key, one)| is_meant(key, one, failure));
    Some((endpoints.flat_map(|(_, one)| checks_of(one)).collect(), failure))
}

fn literal_checks() -> Vec<Prerequisite> {
    vec![config_check(CONNECTION_URL), endpoint_test(format!("${{{CONNECTION_URL}}}"))]
}

fn checks_of(endpoint: &ServiceEndpoint) -> Vec<Prerequisite> {
    let service = endpoint.service.as_ref().map(|name| Prerequisite {
        description: format!("Check that {} runs", endpoint.name),
        method: Method::ServiceStatus { service_name: name.clone() },
        success_criteria: "The service runs".to_owned(),
        priority: 9,
    });
    let config = config_check(&endpoint.config_key);
    std::iter::once(config).chain(service).chain([endpoint_test(endpoint.test_url())]).collect()
}

fn config_check(key: &str) -> Prerequisite {
    Prerequisite {
        description: "Verify connection endpoint configuration".to_owned(),
        method: Method::ConfigCheck { key: key.to_owned(), expected: None },
        success_criteria: "Endpoint is correctly configured".to_owned(),
        priority: 10,
    }
}

fn endpoint_test(url: String) -> Prerequisite {
    Prerequisite {
        description: "Test connectivity to configured endpoint".to_owned(),
        method: Method::EndpointTest { url },
        success_criteria: "Endpoint responds successfully".to_owned(),
        priority: 9,
    }
}

fn step(settings: &Settings, left: &[Prerequisite]) -> String {
    let checks: Vec<String> = left.iter().map(|check| check.method.to_string()).collect();
    let mut step = format!("first: {}", checks.join("; "));
    let about = |text: &str| says(text, "install") || says(text, "installing") || says(text, "connection");
    let practices = settings.knowledge.iter().flat_map(|entry| &entry.knowledge.practices);
    for one in practices.filter(|one| about(&one.rule) || about(&one.name)).take(2) {
        step.push_str(&format!(". Agreed here: {}", one.rule.trim_end_matches('.')));
    }
    step
}
