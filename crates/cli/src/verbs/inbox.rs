//! `toolgate inbox`: requests that wait for a person, and the person's answer.

use crate::card::{Around, card};
use crate::inbox_screen;
use crate::project;
use crate::reach::{ReachArgs, preview};
use crate::screen::{DIM, YELLOW, json, one_line, out, styled, talk, visible};
use crate::verbs::{Failure, Outcome, approver, install};
use clap::Subcommand;
use serde::Serialize;
use std::collections::HashMap;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use toolgate_core::{Answer, Handling, Request, RequestState, Word, count, span, words_fault};
use toolgate_runtime::{Approver, Desk, Setup, find_project, now_ms};
use toolgate_store::{Store, Which};

/// List and answer requests.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:
  toolgate inbox                                     what waits
  toolgate inbox show r-1a2b                         the whole call
  toolgate inbox approve r-1a2b                      this call, once
  toolgate inbox approve r-1a2b --minutes 30         this call, for half an hour
  toolgate inbox approve r-1a2b --always --pattern \"git push origin *\"
  toolgate inbox deny r-1a2b --words \"use the staging host\"
  toolgate inbox undo r-1a2b                         until the answer has been used
  toolgate inbox deny --all --words \"not today\"      all that waits in this project

A unique beginning of an id is enough. If the policy does not load, you can deny requests but not approve them.

Exit codes of `approve` and `deny`: 0 recorded (even if more approvals are needed) · 1 not recorded",
    args_conflicts_with_subcommands = true
)]
pub struct Args {
    /// What to do; at a terminal opens the inbox if not given, elsewhere lists what waits
    #[command(subcommand)]
    pub verb: Option<Verb>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// What to do with requests.
#[derive(Debug, Subcommand)]
pub enum Verb {
    /// List waiting requests
    List {
        /// Also show answered and expired requests
        #[arg(long)]
        all: bool,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Show a request with the whole call
    Show {
        /// The request
        id: String,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Approve a request: this call, once, unless an option says more
    Approve(AnswerArgs),
    /// Deny a request
    Deny(DenyArgs),
    /// Undo an answer that has not been used yet
    Undo(NameArgs),
    /// Mark a request as being reviewed by you
    Claim(NameArgs),
    /// Add a note (not shown to the agent)
    Comment {
        /// The request
        id: String,
        /// The note
        text: String,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

/// A yes.
#[derive(Debug, clap::Args)]
pub struct AnswerArgs {
    /// The request
    pub id: String,
    #[command(flatten)]
    how: How,
}

/// One request.
#[derive(Debug, clap::Args)]
pub struct NameArgs {
    /// The request
    pub id: String,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// A no, to one or to all.
#[derive(Debug, clap::Args)]
pub struct DenyArgs {
    /// The request
    #[arg(required_unless_present = "all")]
    pub id: Option<String>,
    /// Every waiting request of this project; needs --words
    #[arg(long, conflicts_with = "id", requires = "words")]
    pub all: bool,
    #[command(flatten)]
    how: How,
}

/// What goes with an answer.
#[derive(Debug, clap::Args)]
struct How {
    /// Message for the agent
    #[arg(long, short)]
    words: Option<String>,
    #[command(flatten)]
    reach: ReachArgs,
    /// Also answer the same request of other sessions
    #[arg(long)]
    alike: bool,
    /// Read the approver's passphrase from the first line of stdin
    #[arg(long)]
    passphrase_stdin: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Does it.
pub fn run(args: &Args) -> Outcome {
    match &args.verb {
        None if !args.json && is_at_screen() => inbox_screen::run(),
        None => list(Which::Open, args.json),
        Some(Verb::List { all, json }) => list(if *all { Which::All } else { Which::Open }, *json),
        Some(Verb::Show { id, json }) => {
            let mut desk = Desk::open(&project::dirs())?;
            show(desk.store(), id, *json)
        }
        Some(Verb::Approve(args)) => answer(&args.id, &args.how, Word::Approve),
        Some(Verb::Deny(DenyArgs { id: Some(id), how, .. })) => answer(id, how, Word::Deny),
        Some(Verb::Deny(DenyArgs { id: None, how, .. })) => deny_all(how),
        Some(Verb::Undo(args)) => handle(&args.id, Handling::Undone, args.json),
        Some(Verb::Claim(args)) => handle(&args.id, Handling::Claimed, args.json),
        Some(Verb::Comment { id, text, json }) => {
            handle(id, Handling::Commented { text: text.clone() }, *json)
        }
    }
}

/// Whether a person can be shown the inbox screen: a terminal of their own for keys and for lines.
fn is_at_screen() -> bool {
    let is_plain = std::env::var_os("TERM").is_none_or(|term| term == "dumb");
    !is_plain && std::io::stdout().is_terminal() && approver::is_at_terminal().is_ok()
}

fn list(which: Which, as_json: bool) -> Outcome {
    let Setup { project: here, dirs, .. } = project::here();
    let mut desk = Desk::open(&dirs)?;
    let now = now_ms();
    let mut requests = desk.store().requests(which)?;
    if which == Which::Open {
        let waits =
            |state: &RequestState| matches!(state, RequestState::Pending | RequestState::Approved { .. });
        requests.retain(|request| waits(&request.state) && !request.is_over(now));
    }
    let mut requests: Vec<Placed> = requests.into_iter().map(Placed::new).collect();
    // This project first, then the others by name; in each the newest first.
    requests.sort_by_cached_key(|one| {
        (one.project != here, one.project.clone(), std::cmp::Reverse(one.request.made_ms))
    });
    if as_json {
        json(&requests);
        return Ok(ExitCode::SUCCESS);
    }
    if requests.is_empty() {
        talk("nothing waits");
    }
    let mut project: Option<&Path> = None;
    let mut by_call: HashMap<&str, Vec<&Request>> = HashMap::new();
    for one in &requests {
        by_call.entry(&one.request.arguments).or_default().push(&one.request);
    }
    for Placed { request, project: own } in &requests {
        let same = by_call.get(request.arguments.as_str()).map(Vec::as_slice).unwrap_or_default();
        let alike: Vec<&&Request> = same.iter().filter(|one| one.is_like(request)).collect();
        // What several sessions ask alike is one line: the newest.
        if alike.iter().any(|one| (one.made_ms, &one.id) > (request.made_ms, &request.id)) {
            continue;
        }
        let alike = match alike.len() {
            0 => String::new(),
            others => format!("  (and in {})", count(others, "more session")),
        };
        if project != Some(own.as_path()) {
            let here = if *own == here { " (here)" } else { "" };
            out(&styled(DIM, &format!("{}{here}", one_line(&own.to_string_lossy(), 200))));
            project = Some(own);
        }
        let state = styled(YELLOW, &format!("{:<8}", request.state_name(now)));
        let title = one_line(&request.title, 100);
        out(&format!("{}  {state} {:<13} {title}{alike}", request.id, left(request, now)));
    }
    Ok(ExitCode::SUCCESS)
}

/// A request and the project it comes from.
#[derive(Serialize)]
struct Placed {
    #[serde(flatten)]
    request: Request,
    project: PathBuf,
}

impl Placed {
    fn new(request: Request) -> Placed {
        let project = find_project(Path::new(&request.dir));
        Placed { request, project }
    }
}

fn left(request: &Request, now: i64) -> String {
    let seconds = request.expires_ms.saturating_sub(now) / 1_000;
    match request.state {
        RequestState::Used { .. } | RequestState::Expired | RequestState::Revoked { .. } => String::new(),
        _ if request.is_over(now) => String::new(),
        _ if request.ends_ms() == i64::MAX => "until revoked".to_owned(),
        RequestState::Pending => format!("{} left", span(seconds)),
        _ => format!("ends in {}", span(request.ends_ms().saturating_sub(now) / 1_000)),
    }
}

/// The request whose id begins so.
pub fn find(store: &dyn Store, id: &str) -> Result<Request, Failure> {
    if id.len() < 4 {
        return Err(Failure::new(
            format!("`{id}` is too short to identify a request"),
            "write at least `r-` and two more characters",
        ));
    }
    let matching: Vec<Request> =
        store.requests(Which::All)?.into_iter().filter(|request| request.id.starts_with(id)).collect();
    match matching.as_slice() {
        [request] => Ok(request.clone()),
        [] => {
            Err(Failure::new(format!("there is no request `{id}`"), "`toolgate inbox list --all` shows them"))
        }
        _ => {
            Err(Failure::new(format!("`{id}` is the beginning of several requests"), "write more of the id"))
        }
    }
}

/// One request, whole: nothing of the call is cut or hidden.
pub fn show(store: &dyn Store, id: &str, as_json: bool) -> Outcome {
    let request = find(store, id)?;
    if as_json {
        json(&request);
        return Ok(ExitCode::SUCCESS);
    }
    card(&request, &Around::of(&request, &store.requests(Which::All)?, project::here()));
    Ok(ExitCode::SUCCESS)
}

fn answer(id: &str, how: &How, word: Word) -> Outcome {
    are_words(how.words.as_deref().unwrap_or_default())?;
    let mut desk = Desk::open(&project::dirs())?;
    let request = find(desk.store(), id)?;
    may_answer(&desk, &request, word)?;
    let mut asked = vec![request.clone()];
    preview(desk.store(), &request, &how.reach.extent_for(&asked)?)?;
    let mut alike = desk.store().requests(Which::Open)?;
    alike.retain(|other| other.is_like(&request) && !other.is_over(now_ms()));
    if how.alike {
        asked.extend(alike);
    } else if !alike.is_empty() {
        talk(&format!("the same waits in {} more sessions; --alike answers them too", alike.len()));
    }
    let after = give(&mut desk, asked, how, word)?;
    let told: Vec<Told<'_>> = after.iter().map(Told::of).collect();
    match told.as_slice() {
        [only] if how.json => json(only),
        several if how.json => json(&several),
        _ => {}
    }
    Ok(ended(&after, word))
}

/// Fails if this answer to a request would not count.
pub fn may_answer(desk: &Desk, request: &Request, word: Word) -> Result<(), Failure> {
    if request.state != RequestState::Pending || request.is_over(now_ms()) {
        let state = if request.is_over(now_ms()) { "expired" } else { request.state.name() };
        return Err(Failure::new(
            format!("request {} is {state}", request.id),
            "a call that is repeated makes a new request",
        ));
    }
    if word == Word::Approve {
        desk.may_approve(request)?;
        if let Some(fault) = request.yes_fault(&person(), key()?.as_deref()) {
            return Err(Failure::new(fault, "`toolgate inbox deny` ends it for everybody"));
        }
    }
    Ok(())
}

/// A request after an answer, for programs.
#[derive(Serialize)]
struct Told<'a> {
    #[serde(flatten)]
    request: &'a Request,
    /// How many more people must say yes.
    missing: u32,
}

impl Told<'_> {
    fn of(request: &Request) -> Told<'_> {
        Told { request, missing: request.missing() }
    }
}

/// The key answers are signed with, where a passphrase is set.
fn key() -> Result<Option<String>, Failure> {
    Ok(Approver::load(&project::dirs())?.map(|approver| approver.key))
}

/// Fails if words are too long to be said.
pub fn are_words(words: &str) -> Result<(), Failure> {
    words_fault(words).map_or(Ok(()), |fault| Err(Failure::new(fault, "write a shorter message")))
}

/// Does something with a request besides answering it.
fn handle(id: &str, what: Handling, as_json: bool) -> Outcome {
    install::refuse_agent()?;
    let mut desk = Desk::open(&project::dirs())?;
    let request = find(desk.store(), id)?;
    if let Handling::Commented { text } = &what {
        are_words(text)?;
    }
    let after = if what == Handling::Undone {
        undo(&mut desk, &request.id)?
    } else {
        desk.handle(&request, &person(), what)?
    };
    if as_json {
        json(&after);
    } else {
        talk(&format!("{} is {}", after.id, after.state.name()));
    }
    Ok(ExitCode::SUCCESS)
}

/// Takes an answer back, until it has been used.
pub fn undo(desk: &mut Desk, id: &str) -> Result<Request, Failure> {
    let request = find(desk.store(), id)?;
    if let Some(why) = request.undo_fault(&person(), key()?.as_deref(), now_ms()) {
        return Err(Failure::new(
            format!("the answer to {} cannot be undone: {why}", request.id),
            match request.state {
                RequestState::Pending => "deny it with `toolgate inbox deny`",
                _ => "revoke it with `toolgate grants revoke`",
            },
        ));
    }
    Ok(desk.handle(&request, &person(), Handling::Undone)?)
}

/// A no to everything that waits in this project.
fn deny_all(how: &How) -> Outcome {
    are_words(how.words.as_deref().unwrap_or_default())?;
    let Setup { project: here, dirs, .. } = project::here();
    let mut desk = Desk::open(&dirs)?;
    let now = now_ms();
    let mut waiting: Vec<Request> = desk.store().requests(Which::Open)?;
    waiting.retain(|request| request.state == RequestState::Pending && !request.is_over(now));
    let (own, others): (Vec<Request>, Vec<Request>) =
        waiting.into_iter().partition(|request| find_project(Path::new(&request.dir)) == here);
    if !others.is_empty() {
        talk(&format!("{} more wait in other projects; go there to answer them", others.len()));
    }
    if own.is_empty() {
        talk("nothing waits in this project");
    }
    let after = if own.is_empty() { own } else { give(&mut desk, own, how, Word::Deny)? };
    if how.json {
        json(&after.iter().map(Told::of).collect::<Vec<_>>());
    }
    Ok(ended(&after, Word::Deny))
}

/// Proves once that a person answers, and answers each request.
fn give(desk: &mut Desk, requests: Vec<Request>, how: &How, word: Word) -> Result<Vec<Request>, Failure> {
    let reach = how.reach.extent_for(&requests)?;
    let first = requests.first().cloned();
    let reach_of = |request: &Request| {
        let like = first.as_ref().is_some_and(|first| first.is_like(request));
        if like { reach.for_others() } else { reach.clone() }
    };
    let proofs = approver::prove(&requests, word, &reach_of, how.passphrase_stdin)?;
    let mut after = Vec::new();
    for (request, proof) in requests.iter().zip(proofs) {
        let words = how.words.clone();
        let (request_id, reach) = (request.id.clone(), reach_of(request));
        let answer = Answer { request: request_id, word, by: person(), words, reach, proof };
        desk.answer(request, answer)?;
        // Racing answers: the first in the ledger counts, and this says which it was.
        let now = find(desk.store(), &request.id)?;
        if !how.json {
            let missing = now.still_missing().map(|text| format!(": {}", visible(&text)));
            talk(&format!("{} is {}{}", request.id, now.state.name(), missing.unwrap_or_default()));
        }
        after.push(now);
    }
    Ok(after)
}

fn ended(after: &[Request], word: Word) -> ExitCode {
    let took = |request: &Request| request.took(word, &person());
    if after.iter().all(took) { ExitCode::SUCCESS } else { ExitCode::from(1) }
}

/// Who answers, for the ledger.
pub fn person() -> String {
    let named = std::env::var("USER").or_else(|_| std::env::var("LOGNAME"));
    named.ok().filter(|name| !name.is_empty()).unwrap_or_else(|| {
        let uid = rustix::process::getuid().as_raw().to_string();
        let users = std::fs::read_to_string("/etc/passwd").unwrap_or_default();
        let is_own = |fields: &Vec<&str>| fields.get(2) == Some(&uid.as_str());
        let own = users.lines().map(|line| line.split(':').collect::<Vec<&str>>()).find(is_own);
        own.and_then(|fields| fields.first().map(|name| (*name).to_owned())).unwrap_or(format!("uid {uid}"))
    })
}
