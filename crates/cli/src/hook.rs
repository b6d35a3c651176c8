//! What hosts call: one event on stdin, exactly one JSON object on stdout.
//!
//! Whatever happens in here – bytes that make no sense, a broken policy, a
//! full disk, a panic, a host that is slow to write, a hold without an answer –
//! an answer leaves before the host's own limit, and for a call about to run it
//! is a no. Where `toolgate serve` runs, it judges what needs no waiting, with the
//! same code; without it, or without its answer, this process does. Only a disk that never answers is left to the host, which then
//! blocks by itself (`onFailure`, set by the installer).

use crate::installs;
use crate::project;
use crate::wiring;
use rustix::buffer::spare_capacity;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use std::os::fd::{AsFd, BorrowedFd};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use toolgate_adapters::{Asked, HOSTS, Host, Ours, Unreadable, Wire, host};
use toolgate_core::{Context, Event, HostAnswer};
use toolgate_runtime::{Broken, Gate, HandOver, Handed, HookReply, HostLimits, Policies, Setup, knock};
use toolgate_store::Sqlite;

/// Largest event read. Larger ones are refused, not cut.
const INPUT_MAX: usize = 8 << 20;

/// A hold ends so many seconds before the closed answer leaves, which is before the
/// host goes on without one.
const HOLD_MARGIN: u32 = 5;

/// A host that writes later than this is slow.
const SOON: Timespec = Timespec { tv_sec: 0, tv_nsec: 20_000_000 };
const AT_ONCE: Timespec = Timespec { tv_sec: 0, tv_nsec: 0 };

/// Room for an event before it is known how long it is; most need less.
const PIECE: usize = 4 << 10;

/// Set by the code that answers first; there is one answer.
static ANSWERED: AtomicBool = AtomicBool::new(false);

/// Set once the clock runs.
static WATCHED: AtomicBool = AtomicBool::new(false);

/// Runs the hook of a host and never returns without an answer.
pub fn run(name: &str) -> ExitCode {
    let Some(host) = host(name) else {
        return unknown(name);
    };
    // A panic becomes an answer below; its own text would only confuse the host.
    std::panic::set_hook(Box::new(|_| {}));
    let wire = catch_unwind(AssertUnwindSafe(|| answer(host))).unwrap_or_else(|_| {
        let broken = Broken::new(
            "Toolgate crashed while judging the call",
            "run `toolgate doctor` and report what it says",
        );
        host.closed(&broken.to_string())
    });
    leave(&wire)
}

/// Starts the clock before something that may take long. Judging itself needs
/// none: every step of it is bounded, and a thread costs a tenth of the call.
fn watch(host: &'static dyn Host) {
    if WATCHED.swap(true, Ordering::SeqCst) {
        return;
    }
    std::thread::spawn(move || {
        std::thread::sleep(Duration::from_secs(u64::from(host.can().hold_seconds)));
        let broken = Broken::new("Toolgate did not decide in time", "run `toolgate doctor`");
        leave(&host.closed(&broken.to_string()));
    });
}

fn unknown(name: &str) -> ExitCode {
    let known: Vec<&str> = HOSTS.iter().map(|host| host.name()).collect();
    let broken = Broken::new(format!("unknown host `{name}`"), format!("use one of: {}", known.join(", ")));
    match HOSTS.first() {
        Some(host) => leave(&host.closed(&broken.to_string())),
        None => ExitCode::from(2),
    }
}

/// Writes the answer in one piece and ends the process.
fn leave(wire: &Wire) -> ! {
    if ANSWERED.swap(true, Ordering::SeqCst) {
        // Someone else is writing the one answer; wait for the end it brings.
        loop {
            std::thread::park();
        }
    }
    // Not even an empty line where a host wants nothing.
    let written = match wire.stdout.as_str() {
        "" => Ok(()),
        answer => write_line(rustix::stdio::stdout(), answer),
    };
    if !wire.stderr.is_empty() {
        let _ = write_line(rustix::stdio::stderr(), &wire.stderr);
    }
    // An answer no one could read must not look like consent.
    let code = if written.is_ok() { wire.code } else { 2 };
    std::process::exit(i32::from(code))
}

/// Straight to the system: what is in between would only be set up for one line.
fn write_line(to: BorrowedFd<'_>, text: &str) -> rustix::io::Result<()> {
    let line = [text.as_bytes(), b"\n"].concat();
    let mut rest = line.as_slice();
    while !rest.is_empty() {
        match rustix::io::write(to, rest) {
            Ok(0) => return Err(Errno::IO),
            Ok(length) => rest = rest.get(length..).unwrap_or_default(),
            Err(error) if error != Errno::INTR => return Err(error),
            Err(_) => {}
        }
    }
    Ok(())
}

fn answer(host: &'static dyn Host) -> Wire {
    let dirs = project::dirs();
    // A server gets ready while the event is read, but is not kept waiting for a host.
    let knocked = if is_there(&rustix::stdio::stdin(), &AT_ONCE) { knock(&dirs) } else { None };
    let bytes = match read_input(host) {
        Ok(bytes) => bytes,
        Err(broken) => return host.closed(&broken.to_string()),
    };
    if let Some(caller) = caller(host, &bytes) {
        return from_another(host, caller, bytes);
    }
    let project = named(host).or_else(|| host.project(&bytes));
    let handed = Handed::new(host.name(), project, bytes);
    match knocked.or_else(|| knock(&dirs)).map_or(HandOver::NotTaken, |server| server.hand_over(&handed)) {
        HandOver::Reply(HookReply { stdout, stderr, code }) => Wire { stdout, stderr, code },
        HandOver::NotTaken => {
            judged(host, &handed, &Waiting { slow: &|| watch(host), is_there: &|| true, is_last: true })
        }
        HandOver::Silent => {
            let broken = Broken::new(
                "`toolgate serve` accepted the call but did not answer",
                "stop the server and try again",
            );
            host.closed(&broken.to_string())
        }
    }
}

/// The host that really calls, where it runs the hooks of another host's settings.
fn caller(host: &dyn Host, message: &[u8]) -> Option<&'static dyn Host> {
    let is_set = |name: &str| std::env::var_os(name).is_some();
    let others = HOSTS.iter().copied().filter(|other| other.name() != host.name());
    let mut signed = others.filter_map(|other| Some((other, other.surface().sign?)));
    signed.find(|(_, sign)| sign.is_on(message, &is_set)).map(|(other, _)| other)
}

/// A call of a host that runs the hook of another host's settings, too. Where its own hook
/// is in its path, that one judges the call, once; else it is judged here, as a call of the host it is from.
fn from_another(host: &'static dyn Host, caller: &'static dyn Host, message: Vec<u8>) -> Wire {
    let in_own_words = caller.surface().sign.is_some_and(|sign| sign.in_own_words);
    let reader = if in_own_words { caller } else { host };
    let handed = Handed::new(reader.name(), named(reader), message);
    let asked = match reader.decode(&handed.event) {
        Ok(asked) => asked.from_host(caller.name()),
        Err(unreadable) => return unreadable_from(reader, &handed, unreadable),
    };
    let own = wiring::of(caller, &project::here());
    if !own.places.is_empty() && own.off.is_none() {
        return reader.encode(&asked, &HostAnswer::Silence);
    }
    let waiting = Waiting { slow: &|| watch(reader), is_there: &|| true, is_last: true };
    respond(reader, &asked, &handed, &waiting)
        .unwrap_or_else(|broken| reader.broken(&asked, &broken.to_string()))
}

/// The project the host names.
fn named(host: &dyn Host) -> Option<PathBuf> {
    std::env::var_os(host.project_variable()).map(PathBuf::from).filter(|path| path.is_absolute())
}

/// An event a running server was given: the answer if one transaction gives it,
/// and the gate with the ledger for the next one. Everything else is for the hook
/// itself, also what goes wrong: it says so in its own words.
pub fn at_once(
    handed: &Handed,
    policies: &Policies,
    ledger: &mut dyn FnMut() -> Option<Sqlite>,
) -> Option<(Option<HookReply>, Gate)> {
    let host = host(&handed.host)?;
    let asked = host.decode(&handed.event).ok()?;
    let (Asked::Judge(event) | Asked::Result(event, _)) = &asked else { return None };
    // What is relative is relative to the hook, not to the server.
    let is_plain = |path: &Path| path.is_absolute();
    if !is_plain(Path::new(&event.call.dir))
        || !event.log.as_deref().is_none_or(|log| is_plain(Path::new(log)))
    {
        return None;
    }
    let setup = setup(host, Path::new(&event.call.dir), handed);
    let mut gate = Gate::on(setup, ledger()?, policies).ok()?;
    let delivered = match &asked {
        Asked::Result(_, said) => gate.result(event, said.as_deref()).map(Some),
        _ => gate.decide_at_once(event).map(|answered| answered.map(|answered| answered.delivered)),
    };
    let told = delivered.ok().flatten().map(|delivered| to_reply(host.encode(&asked, &delivered)));
    Some((told, gate))
}

/// The same to its end, for hosts that ask over HTTP: with all its waiting, while
/// someone is there to hear the answer.
pub fn to_the_end(handed: &Handed, is_there: &dyn Fn() -> bool) -> HookReply {
    match host(&handed.host) {
        Some(host) => to_reply(judged(host, handed, &Waiting { slow: &|| {}, is_there, is_last: false })),
        None => HookReply { stdout: String::new(), stderr: "unknown host".to_owned(), code: 2 },
    }
}

fn to_reply(wire: Wire) -> HookReply {
    HookReply { stdout: wire.stdout, stderr: wire.stderr, code: wire.code }
}

/// How an answer that takes long is waited for.
struct Waiting<'a> {
    /// Called before the wait begins.
    slow: &'a dyn Fn(),
    /// Whether anybody still waits.
    is_there: &'a dyn Fn() -> bool,
    /// Whether the process ends behind the answer.
    is_last: bool,
}

/// Judges in this process.
fn judged(host: &'static dyn Host, handed: &Handed, waiting: &Waiting<'_>) -> Wire {
    match host.decode(&handed.event) {
        Ok(asked) => respond(host, &asked, handed, waiting)
            .unwrap_or_else(|broken| host.broken(&asked, &broken.to_string())),
        Err(unreadable) => unreadable_from(host, handed, unreadable),
    }
}

/// A message that makes no sense closes.
fn unreadable_from(host: &dyn Host, handed: &Handed, unreadable: Unreadable) -> Wire {
    let refusal = unreadable.refusal();
    let broken = Broken::new(
        unreadable.why,
        "run `toolgate doctor` to check that this version of the host is supported",
    );
    // Kept if it can be; the answer is the same either way.
    let _ = open(host, handed, &project::current_dir()).and_then(|mut gate| {
        gate.note(&Context { host: host.name().to_owned(), ..Context::default() }, "unreadable", &broken.what)
    });
    host.closed(&refusal.unwrap_or_else(|| broken.to_string()))
}

fn read_input(host: &'static dyn Host) -> Result<Vec<u8>, Broken> {
    let unreadable = |error: std::io::Error| {
        Broken::new(format!("the host's message cannot be read: {error}"), "run `toolgate doctor`")
    };
    let stdin = rustix::stdio::stdin();
    let mut bytes = Vec::with_capacity(PIECE);
    loop {
        if !is_there(&stdin, &SOON) {
            watch(host);
        }
        bytes.reserve(PIECE / 4);
        match rustix::io::read(stdin, spare_capacity(&mut bytes)) {
            Ok(0) => return Ok(bytes),
            Err(error) if error != Errno::INTR => return Err(unreadable(error.into())),
            Ok(_) | Err(_) => {}
        }
        if bytes.len() > INPUT_MAX {
            return Err(Broken::new(
                "the host's message is larger than 8 MiB",
                "make the call smaller, for example by writing the file in several parts",
            ));
        }
    }
}

/// Whether something – or the end – is there to be read within this time.
fn is_there(input: &impl AsFd, within: &Timespec) -> bool {
    let mut asked = [PollFd::new(input, PollFlags::IN)];
    poll(&mut asked, Some(within)).is_ok_and(|ready| ready > 0)
}

fn setup(host: &dyn Host, dir: &Path, handed: &Handed) -> Setup {
    let setup = project::setup(handed.project.as_deref().unwrap_or(dir));
    let can = host.can();
    let limits = HostLimits { asks: can.ask, hold_seconds: can.hold_seconds.saturating_sub(HOLD_MARGIN) };
    let asked_by = handed.asked_by.or(setup.asked_by);
    Setup { usage: Some(host.usage()), host: limits, asked_by, ..setup }
}

fn open(host: &dyn Host, handed: &Handed, dir: &Path) -> Result<Gate, Broken> {
    Gate::open(setup(host, dir, handed)).map(|(gate, _)| gate)
}

fn respond(
    host: &'static dyn Host,
    asked: &Asked,
    handed: &Handed,
    waiting: &Waiting<'_>,
) -> Result<Wire, Broken> {
    let delivered = match asked {
        Asked::Judge(event) => decided(open(host, handed, Path::new(&event.call.dir))?, event, waiting)?,
        Asked::Permission(event) => permission(host, event, handed, waiting)?,
        Asked::Result(event, said) => {
            open(host, handed, Path::new(&event.call.dir))?.result(event, said.as_deref())?
        }
        Asked::Note { context, what, text } => {
            open(host, handed, &project::current_dir())?.note(context, what, text)?;
            HostAnswer::Silence
        }
        Asked::Settings { context, file } => settings(host, handed, context, file.as_deref())?,
    };
    Ok(host.encode(asked, &delivered))
}

/// Judges to the end, with all its waiting.
fn decided(mut gate: Gate, event: &Event, waiting: &Waiting<'_>) -> Result<HostAnswer, Broken> {
    let answered = gate.decide(event)?;
    if answered.request.is_some() || answered.waits_for_time() {
        (waiting.slow)();
    }
    let delivered = gate.wait_while(event, answered, waiting.is_there)?.delivered;
    if waiting.is_last {
        // The decision is committed: tidying up memory and locks one by
        // one would only make the agent wait.
        std::mem::forget(gate);
    }
    Ok(delivered)
}

/// A call the host would ask its person about: judged again only if it was not let through.
fn permission(
    host: &dyn Host,
    event: &Event,
    handed: &Handed,
    waiting: &Waiting<'_>,
) -> Result<HostAnswer, Broken> {
    let mut gate = open(host, handed, Path::new(&event.call.dir))?;
    match gate.permission(event)? {
        Some(told) => Ok(told),
        None => decided(gate, event, waiting),
    }
}

/// Changed settings come into force only if the gate stays in the path.
fn settings(
    host: &dyn Host,
    handed: &Handed,
    context: &Context,
    file: Option<&Path>,
) -> Result<HostAnswer, Broken> {
    let mut gate = open(host, handed, &project::current_dir())?;
    let Some(file) = file else {
        gate.note(context, "settings", "the host's settings changed")?;
        return Ok(HostAnswer::Silence);
    };
    let bytes = std::fs::read(file).ok();
    let ours = if installs::holds(&project::dirs(), file) { Ours::Yes } else { Ours::No };
    match host.objection(bytes.as_deref(), ours) {
        Some(why) => {
            gate.note(context, "settings-refused", &format!("{}: {why}", file.display()))?;
            let text = format!(
                "Not applied: {why}. Toolgate's hook must stay installed; only the user may change `{}`.",
                file.display()
            );
            Ok(HostAnswer::Denied { text })
        }
        None => {
            gate.note(context, "settings", &format!("{} changed", file.display()))?;
            Ok(HostAnswer::Silence)
        }
    }
}
