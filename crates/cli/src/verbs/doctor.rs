//! `toolgate doctor`: checks the setup and sends a harmless call that must be
//! blocked through every installed hook.

use crate::installs;
use crate::project;
use crate::proof::{self, Unproven};
use crate::screen::{GREEN, RED, YELLOW, count, json, one_line, out, styled};
use crate::verbs::{Outcome, install, stats};
use crate::wiring;
use serde::Serialize;
use std::fmt::Display;
use std::process::ExitCode;
use toolgate_adapters::{HOSTS, Host, Level, Ours};
use toolgate_core::{KnowledgeEntry, NoticeKind, PinState};
use toolgate_runtime::{
    Approver, CacheState, Desk, Gate, PolicyFault, Setup, load, load_uncached, now_ms, trusted_key,
    verify_ledger, why_unguarded,
};
use toolgate_store::{Sqlite, Store, Verified, Which};

/// Checks the setup.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  toolgate doctor\n\nExit codes: 0 every check passed · 1 something must be fixed"
)]
pub struct Args {
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// Records looked at for what hosts sent.
const RECORDS: u32 = 50_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum State {
    Ok,
    Warn,
    Bad,
}

/// One thing that was checked.
#[derive(Debug, Serialize)]
pub struct Check {
    name: String,
    state: State,
    text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    fix: Option<String>,
}

impl Check {
    fn ok(name: &str, text: impl Into<String>) -> Check {
        Check { name: name.to_owned(), state: State::Ok, text: text.into(), fix: None }
    }

    fn warn(name: &str, text: impl Into<String>, fix: impl Into<String>) -> Check {
        Check { name: name.to_owned(), state: State::Warn, text: text.into(), fix: Some(fix.into()) }
    }

    fn bad(name: &str, text: impl Into<String>, fix: impl Into<String>) -> Check {
        Check { name: name.to_owned(), state: State::Bad, text: text.into(), fix: Some(fix.into()) }
    }
}

/// Runs every check and shows the results.
pub fn run(args: &Args) -> Outcome {
    let (checks, code) = checked(&project::here());
    if args.json {
        json(&checks);
    } else {
        print(&checks);
    }
    Ok(code)
}

/// Every check, and the exit code.
pub fn checked(setup: &Setup) -> (Vec<Check>, ExitCode) {
    let mut checks = policy(setup);
    checks.extend(ledger(setup));
    checks.push(approver(setup));
    checks.extend(lonely(setup));
    checks.extend(supervisors(setup));
    let mut is_guarded = false;
    for host in HOSTS {
        let found = hooks(*host, setup);
        is_guarded |= found.iter().any(|check| check.state != State::Warn);
        checks.extend(found);
    }
    if !is_guarded {
        checks.push(Check::bad(
            "hooks",
            "no host is guarded here",
            format!("run `toolgate install {}`", install::example_host()),
        ));
    }
    let bad = checks.iter().any(|check| check.state == State::Bad);
    (checks, if bad { ExitCode::from(1) } else { ExitCode::SUCCESS })
}

/// For a person.
pub fn print(checks: &[Check]) {
    checks.iter().for_each(show);
}

fn show(check: &Check) {
    let mark = match check.state {
        State::Ok => styled(GREEN, "ok   "),
        State::Warn => styled(YELLOW, "warn "),
        State::Bad => styled(RED, "fail "),
    };
    out(&format!("{mark} {:<10} {}", check.name, check.text));
    if let Some(fix) = &check.fix {
        out(&format!("      {:<10} fix: {fix}", ""));
    }
}

fn policy(setup: &Setup) -> Vec<Check> {
    match load_uncached(&setup.dirs, &setup.project) {
        Err(faults) => faults.iter().map(policy_fault).collect(),
        Ok(loaded) => {
            let text = format!(
                "{}, revision {}",
                count(loaded.policy.image().len(), "rule"),
                short(loaded.policy.revision())
            );
            let mut checks = vec![Check::ok("policy", text)];
            let told = loaded.notices.iter().filter(|notice| notice.kind > NoticeKind::Note);
            checks.extend(told.map(|notice| {
                Check::warn("policy", format!("{}: {}", notice.source, notice.text), notice.help.clone())
            }));
            if loaded.policy.mode() == toolgate_core::Mode::Observe {
                checks.push(Check::warn(
                    "mode",
                    "observe: calls are recorded and never stopped",
                    "set `mode: enforce` in the policy",
                ));
            }
            checks.push(knowledge(&loaded.policy.settings().knowledge));
            checks
        }
    }
}

/// A fault that keeps every call from running.
fn blocking(what: impl Display) -> String {
    format!("every call is blocked: {what}")
}

fn policy_fault(fault: &PolicyFault) -> Check {
    Check::bad("policy", blocking(fault), fault.cure.clone())
}

/// Events a host sent that no adapter knows: they were let be.
fn unknown_events(store: &Sqlite) -> Vec<Check> {
    let found = store.notes_of("unknown-event", RECORDS).unwrap_or_default();
    let told = found.into_iter().map(|(host, event)| {
        let text = format!(
            "{host} sent an event this version does not know: `{}`; it was recorded",
            one_line(&event, 60)
        );
        Check::warn("events", text, "update toolgate if the event concerns calls")
    });
    told.collect()
}

/// Emergencies whose review is overdue.
fn overdue(store: &dyn Store) -> Vec<Check> {
    let requests = store.requests(Which::All).unwrap_or_default();
    let late = requests.iter().filter(|one| one.progress.review_due_ms().is_some_and(|due| due < now_ms()));
    late.map(|one| {
        let text = format!("{} ran unanswered in an emergency and has not been reviewed", one.id);
        Check::bad("emergency", text, format!("run `toolgate bypass review {} --words …`", one.id))
    })
    .collect()
}

fn ledger(setup: &Setup) -> Vec<Check> {
    let mut desk = match Desk::open(&setup.dirs) {
        Ok(desk) => desk,
        Err(broken) => return vec![Check::bad("ledger", blocking(broken.what), broken.cure)],
    };
    let mut checks = overdue(desk.store());
    checks.extend(unknown_events(desk.store()));
    let alerts = stats::alerts_now(desk.store()).unwrap_or_default();
    checks.extend(alerts.into_iter().map(|one| {
        Check::warn(
            "alert",
            format!("{}: {}", one.name, one.text),
            "run `toolgate stats --last 1h` for details",
        )
    }));
    if load(&setup.dirs, &setup.project).is_ok_and(|(_, state)| state == CacheState::Unwritable) {
        let cache = setup.dirs.cache.display();
        checks.push(Check::warn(
            "cache",
            format!("the compiled policy cannot be cached in {cache}, so every call parses YAML"),
            "make the folder writable for your user",
        ));
    }
    let context = toolgate_core::Context { host: "toolgate".to_owned(), ..toolgate_core::Context::default() };
    if let Err(broken) = desk.note_for(&context, "doctor", "toolgate doctor ran") {
        checks.push(Check::bad("ledger", blocking(broken.what), broken.cure));
        return checks;
    }
    let trusted = trusted_key(&setup.dirs);
    checks.push(match verify_ledger(desk.store(), &setup.dirs, trusted.as_deref(), Vec::new()) {
        Ok(Verified::Intact { records }) => Check::ok(
            "ledger",
            format!("{}, intact, {}", count(records, "record"), setup.dirs.ledger().display()),
        ),
        Ok(Verified::Broken(bad)) => Check::bad(
            "ledger",
            format!("altered: {bad}"),
            "save it with `toolgate ledger export`, then find out what changed it",
        ),
        Err(error) => Check::bad("ledger", error.to_string(), error.cure()),
    });
    checks.extend(pins(desk.store()));
    checks
}

/// Tools of MCP servers that are pinned, if any are, and those that wait for a person.
fn pins(store: &dyn Store) -> Option<Check> {
    let pins = store.pins().unwrap_or_default();
    if pins.is_empty() {
        return None;
    }
    let waiting = pins.iter().filter(|pin| pin.state != PinState::Trusted).count();
    let text = format!("active: {}", pins.len());
    Some(match waiting {
        0 => Check::ok("pins", text),
        some => Check::warn(
            "pins",
            format!("{text}, and {some} blocked because they are new or changed"),
            "run `toolgate pins list`, then `toolgate pins diff SERVER`",
        ),
    })
}

fn knowledge(entries: &[KnowledgeEntry]) -> Check {
    if entries.iter().all(|entry| entry.knowledge.is_empty()) {
        let text = "no services or known issues are listed for this project (optional)";
        return Check::warn(
            "knowledge",
            text,
            "to list them, create `.toolgate/knowledge.toml` (see docs/policy.md)",
        );
    }
    let sum = |of: fn(&KnowledgeEntry) -> usize| entries.iter().map(of).sum::<usize>();
    let endpoints = count(sum(|entry| entry.knowledge.endpoints.len()), "endpoint");
    let issues = count(sum(|entry| entry.knowledge.known_issues.len()), "known issue");
    let files: Vec<&str> = entries.iter().map(|entry| entry.source.file.as_str()).collect();
    Check::ok("knowledge", format!("{endpoints}, {issues}, {}", files.join(", ")))
}

fn approver(setup: &Setup) -> Check {
    match Approver::load(&setup.dirs) {
        Ok(Some(_)) => Check::ok("approver", "approvals need the passphrase"),
        Ok(None) => Check::warn(
            "approver",
            "anyone at a terminal can approve requests (no passphrase is set)",
            "set a passphrase with `toolgate approver set`",
        ),
        Err(broken) => Check::bad("approver", blocking(broken.what), broken.cure),
    }
}

/// Several approvals are needed, but one passphrase counts as one person.
fn lonely(setup: &Setup) -> Option<Check> {
    Approver::load(&setup.dirs).ok().flatten()?;
    let loaded = load_uncached(&setup.dirs, &setup.project).ok()?;
    let entries = loaded.policy.settings().people.iter();
    let most = entries.flat_map(|entry| entry.people.needs.values()).max().filter(|number| **number > 1)?;
    Some(Check::warn(
        "people",
        format!(
            "`people.needs` asks for {most} approvals, but one passphrase counts as one person, so no request can be approved"
        ),
        "set `needs` to 1, or remove the passphrase",
    ))
}

/// An unreachable supervisor costs time, not safety: a person is asked instead.
fn supervisors(setup: &Setup) -> Vec<Check> {
    let Ok((gate, _)) = Gate::open(setup.clone()) else { return Vec::new() };
    let reached = gate.reach_supervisors();
    let check = |(name, reached): (String, Result<(), String>)| match reached {
        Ok(()) => Check::ok("supervisor", format!("`{name}` can be reached")),
        Err(why) => {
            let fix = format!("fix the connection, then run `toolgate supervisors test {name}`");
            Check::warn("supervisor", format!("`{name}`: {why}; people are asked instead"), fix)
        }
    };
    reached.into_iter().map(check).collect()
}

fn hooks(host: &dyn Host, setup: &Setup) -> Vec<Check> {
    let home = setup.dirs.home.clone().unwrap_or_default();
    let mut checks = Vec::new();
    for file in host.own_files(&home, &setup.project) {
        let Ok(bytes) = std::fs::read(&file) else { continue };
        let ours = host.installed(&bytes);
        let expected = if installs::holds(&setup.dirs, &file) { Ours::Yes } else { Ours::No };
        if let Some(why) = host.objection(Some(&bytes), expected) {
            checks.push(Check::bad(
                host.name(),
                format!("{}: {why}", file.display()),
                format!("correct the file, or run `toolgate install {}`", host.name()),
            ));
        }
        if let Some(command) = ours {
            checks.extend(outdated(host, &command, &bytes, &file));
            checks.push(fired(host, &command, setup, &file.display().to_string()));
        }
    }
    match checks.is_empty() {
        true => checks.extend(brought(host, setup)),
        false => checks.extend(session_here(host, setup)),
    }
    let level = Level::Project;
    let file = host.settings_file(level, &home, &setup.project);
    if !file.exists() && installs::holds(&setup.dirs, &file) {
        checks.push(Check::bad(
            host.name(),
            format!("{} was deleted", file.display()),
            format!("run `toolgate install {}`", host.name()),
        ));
    }
    checks
}

/// Whether an older version wrote the hook: it guards, and says less to the person.
fn outdated(host: &dyn Host, command: &str, settings: &[u8], file: &std::path::Path) -> Option<Check> {
    let program = command.strip_suffix(&format!(" hook {}", host.name()))?;
    let now = host.install(Some(settings), program).ok()?;
    (now != settings).then(|| {
        let what = format!("{}: the hook is from an older version of Toolgate", file.display());
        Check::warn(host.name(), what, format!("run `toolgate install {}` again", host.name()))
    })
}

/// The canary, sent through the very command the host would run.
fn fired(host: &dyn Host, command: &str, setup: &Setup, place: &str) -> Check {
    match proof::fire(host, command, &setup.project) {
        Ok(()) => Check::ok(host.name(), format!("{place}: the hook blocks a test call")),
        Err(Unproven { why, fix }) => Check::bad(host.name(), format!("{place}: {why}"), fix),
    }
}

/// Files of this repository that switch off the hooks of a host that is here and not guarded yet.
fn brought(host: &dyn Host, setup: &Setup) -> Option<Check> {
    if !wiring::is_here(host, setup) {
        return None;
    }
    let found = wiring::brought(host, setup).into_iter().next()?;
    Some(Check::warn(host.name(), format!("{} for {}", found.why, host.title()), found.fix))
}

/// Whether a session the host starts in this very folder would be guarded: some files are
/// read in one folder only, and others can switch them off.
fn session_here(host: &dyn Host, setup: &Setup) -> Option<Check> {
    let folder = project::current_dir();
    let found = why_unguarded(host.program(), setup.dirs.home.as_deref(), &folder)?;
    let text = format!("a session started in {} is not guarded: {}", folder.display(), found.why);
    Some(Check::bad(host.name(), text, found.fix))
}

fn short(revision: &str) -> &str {
    revision.get(..12).unwrap_or(revision)
}
