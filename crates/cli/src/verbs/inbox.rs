//! `toolgate inbox`: requests that wait for a person, and the person's answer.

use crate::project;
use crate::reach::{ReachArgs, preview};
use crate::screen::{BOLD, DIM, YELLOW, json, one_line, out, styled, talk, visible};
use crate::verbs::{Failure, Outcome, approver, install, logs};
use clap::Subcommand;
use serde::Serialize;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use toolgate_core::{Answer, Habit, Handling, Request, RequestState, Word, habit_of};
use toolgate_runtime::{Gate, find_project, now_ms};
use toolgate_store::{Store, Which};

/// Requests that wait for a person.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  toolgate inbox                                     what waits
  toolgate inbox show r-1a2b                         the whole call
  toolgate inbox approve r-1a2b                      this call, once
  toolgate inbox approve r-1a2b --minutes 30         this call, for half an hour
  toolgate inbox approve r-1a2b --always --pattern \"git push origin *\"
  toolgate inbox deny r-1a2b --words \"use the staging host\"
  toolgate inbox undo r-1a2b                         while nothing was done because of it
  toolgate inbox deny --all --words \"not today\"       all that waits in this project

A unique beginning of an id is enough.")]
pub struct Args {
    /// What to do; lists what waits if not given
    #[command(subcommand)]
    pub verb: Option<Verb>,
}

/// What to do with requests.
#[derive(Debug, Subcommand)]
pub enum Verb {
    /// What waits
    List {
        /// Also answered and expired ones
        #[arg(long)]
        all: bool,
        /// Answer as JSON
        #[arg(long)]
        json: bool,
    },
    /// One request with the whole call
    Show {
        /// The request
        id: String,
        /// Answer as JSON
        #[arg(long)]
        json: bool,
    },
    /// Let exactly this call run, once, or what --session, --minutes or --always say
    Approve(AnswerArgs),
    /// Refuse it
    Deny(DenyArgs),
    /// Take an answer back while nothing was done because of it
    Undo(NameArgs),
    /// Tell others that you look at it
    Claim(NameArgs),
    /// Say something beside it; the agent is not told
    Comment {
        /// The request
        id: String,
        /// What
        text: String,
        /// Answer as JSON
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
    /// Answer as JSON
    #[arg(long)]
    pub json: bool,
}

/// A no, to one or to all.
#[derive(Debug, clap::Args)]
pub struct DenyArgs {
    /// The request
    #[arg(required_unless_present = "all")]
    pub id: Option<String>,
    /// Every request of this project that waits; needs --words
    #[arg(long, conflicts_with = "id", requires = "words")]
    pub all: bool,
    #[command(flatten)]
    how: How,
}

/// What goes with an answer.
#[derive(Debug, clap::Args)]
struct How {
    /// What the agent is told
    #[arg(long, short)]
    words: Option<String>,
    #[command(flatten)]
    reach: ReachArgs,
    /// Other sessions that ask the very same get the same answer, each for itself
    #[arg(long)]
    alike: bool,
    /// Read the approver's passphrase from the first line of stdin
    #[arg(long)]
    passphrase_stdin: bool,
    /// Answer as JSON
    #[arg(long)]
    json: bool,
}

/// Does it.
pub fn run(args: &Args) -> Outcome {
    match &args.verb {
        None => list(Which::Open, false),
        Some(Verb::List { all, json }) => list(if *all { Which::All } else { Which::Open }, *json),
        Some(Verb::Show { id, json }) => {
            let (mut gate, _) = Gate::open(project::here())?;
            show(gate.store(), id, *json)
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

fn list(which: Which, as_json: bool) -> Outcome {
    let setup = project::here();
    let here = setup.project.clone();
    let (mut gate, _) = Gate::open(setup)?;
    let now = now_ms();
    let mut requests = gate.store().requests(which)?;
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
            count => format!("  (and in {count} more sessions)"),
        };
        if project != Some(own.as_path()) {
            let here = if *own == here { " (here)" } else { "" };
            out(&styled(DIM, &format!("{}{here}", one_line(&own.to_string_lossy(), 200))));
            project = Some(own);
        }
        let state = styled(YELLOW, &format!("{:<8}", request.state_name(now)));
        let title = one_line(&request.title, 100);
        out(&format!("{}  {state} {:<9} {title}{alike}", request.id, left(request, now)));
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
    let minutes = request.expires_ms.saturating_sub(now) / 60_000;
    match request.state {
        RequestState::Used { .. } | RequestState::Expired | RequestState::Revoked { .. } => String::new(),
        _ if request.is_standing() => "stands".to_owned(),
        _ if request.is_over(now) => "over".to_owned(),
        _ => format!("{minutes} min"),
    }
}

/// The request whose id begins so.
pub fn find(store: &dyn Store, id: &str) -> Result<Request, Failure> {
    if id.len() < 4 {
        return Err(Failure::new(
            format!("`{id}` is too short for a request"),
            "write at least `r-` and two characters more",
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
    card(&request);
    if request.state == RequestState::Pending && !request.is_over(now_ms()) {
        let Habit { yes, no } = habit_of(&request, &store.requests(Which::All)?);
        if yes + no > 0 {
            out(&styled(DIM, &format!("before  such calls were approved {yes} times, denied {no} times")));
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn card(request: &Request) {
    let state = request.state_name(now_ms());
    out(&styled(BOLD, &format!("{}  {state}", request.id)));
    out(&format!("what    {}", visible(&request.title)));
    for line in request.input.iter().flat_map(|input| input.lines()) {
        out(&format!("        {}", visible(line)));
    }
    out(&format!("tool    {} in {}", visible(&request.tool), visible(&request.dir)));
    if let Some(bypass) = &request.bypass {
        out(&format!("needs   {}", visible(bypass.role_at(request.made_ms, now_ms()))));
    }
    for why in &request.why {
        out(&format!("why     {}", visible(why)));
    }
    for note in &request.reviews {
        let decision = note.decision.map_or("no answer", toolgate_core::Judgement::name);
        let sure = note.confidence_percent;
        out(&format!("said    supervisor {}: {decision} ({sure} %) {}", note.by, visible(&note.said)));
    }
    out(&format!(
        "asked   {} by agent {} of session {}",
        logs::time(request.made_ms),
        visible(&request.agent),
        visible(&request.session)
    ));
    for yes in request.progress.yes.iter().filter(|_| request.progress.needs > 1) {
        out(&format!("so far  {} says yes; {} must", visible(&yes.by), request.progress.needs));
    }
    if let Some(claimed) = &request.progress.claimed {
        out(&format!("looks   {}", visible(claimed)));
    }
    for comment in &request.progress.comments {
        out(&format!("said    {}: {}", visible(&comment.by), visible(&comment.text)));
    }
    standing(request, now_ms());
}

/// How often an answer was used.
pub fn uses(request: &Request) -> String {
    match request.progress.uses {
        1 => "used once".to_owned(),
        count => format!("used {count} times"),
    }
}

/// What came of it so far, and how long that holds.
fn standing(request: &Request, now: i64) {
    let end = logs::time(request.ends_ms());
    let said = |answer: &Answer| {
        let words = answer.words.as_ref().map(|words| format!(": {}", visible(words)));
        format!("by {}{}", visible(&answer.by), words.unwrap_or_default())
    };
    match &request.state {
        RequestState::Used { call } => {
            let call = call
                .as_deref()
                .map_or("the call ran".to_owned(), |call| format!("by call {}", visible(call)));
            out(&format!("used    {call}"));
            if let Some(answer) = request.decisive_answer() {
                out(&format!("yes     {}", said(answer)));
            }
        }
        RequestState::Expired => out(&format!("over    since {end}; it counts as denied")),
        _ if request.is_over(now) => out(&format!("over    since {end}; it counts as denied")),
        RequestState::Revoked { by } => out(&format!("over    revoked by {}", visible(by))),
        RequestState::Denied { answer, .. } | RequestState::Approved { answer, .. }
            if !answer.reach.is_once() =>
        {
            let word = if answer.word == Word::Approve { "yes" } else { "no" };
            out(&format!("{word:<8}{}", said(answer)));
            out(&format!("reaches {}; {}", visible(&answer.reach.words()), uses(request)));
            if request.ends_ms() < i64::MAX {
                out(&format!("until   {end}"));
            }
        }
        RequestState::Denied { answer, .. } => {
            out(&format!("no      {}", said(answer)));
            out(&format!("until   {end} – till then the repeated call is refused as well"));
        }
        RequestState::Approved { answer, .. } => {
            out(&format!("yes     {}", said(answer)));
            out(&format!("until   {end} – then the yes is over, used or not"));
        }
        RequestState::Pending => {
            if let Some(from_ms) = request.presses_from_ms() {
                let from = logs::time(from_ms);
                out(&format!(
                    "presses unanswered, it is let through from {from} on, where the policy lists its command"
                ));
            }
            out(&format!("until   {end} – then it counts as denied"));
            out(&styled(DIM, "yes     lets exactly this call of this session run, once"));
        }
    }
}

fn answer(id: &str, how: &How, word: Word) -> Outcome {
    let (mut gate, _) = Gate::open(project::here())?;
    let request = find(gate.store(), id)?;
    if request.state != RequestState::Pending || request.is_over(now_ms()) {
        let state = if request.is_over(now_ms()) { "expired" } else { request.state.name() };
        return Err(Failure::new(
            format!("request {} is {state}", request.id),
            "a call that is repeated makes a new request",
        ));
    }
    let mut asked = vec![request.clone()];
    preview(gate.store(), &request, &how.reach.extent_for(&asked)?)?;
    let mut alike = gate.store().requests(Which::Open)?;
    alike.retain(|other| other.is_like(&request) && !other.is_over(now_ms()));
    if how.alike {
        asked.extend(alike);
    } else if !alike.is_empty() {
        talk(&format!("the same waits in {} more sessions; --alike answers them too", alike.len()));
    }
    let after = give(&mut gate, asked, how, word)?;
    match after.as_slice() {
        [only] if how.json => json(only),
        several if how.json => json(&several),
        _ => {}
    }
    Ok(ended(&after, word))
}

/// Does something with a request besides answering it.
fn handle(id: &str, what: Handling, as_json: bool) -> Outcome {
    install::refuse_agent()?;
    let (mut gate, _) = Gate::open(project::here())?;
    let request = find(gate.store(), id)?;
    if what == Handling::Undone && !request.may_be_undone(now_ms()) {
        let why = match &request.state {
            RequestState::Pending => "nobody has answered it".to_owned(),
            _ if request.progress.uses > 0 => "the call has run".to_owned(),
            state => format!("it is {}", state.name()),
        };
        return Err(Failure::new(
            format!("the answer to {} cannot be taken back: {why}", request.id),
            "`toolgate grants revoke` ends a yes that stands",
        ));
    }
    let after = gate.handle(&request, &person(), what)?;
    if as_json {
        json(&after);
    } else {
        talk(&format!("{} is {}", after.id, after.state.name()));
    }
    Ok(ExitCode::SUCCESS)
}

/// A no to everything that waits in this project.
fn deny_all(how: &How) -> Outcome {
    let setup = project::here();
    let here = setup.project.clone();
    let (mut gate, _) = Gate::open(setup)?;
    let now = now_ms();
    let mut waiting: Vec<Request> = gate.store().requests(Which::Open)?;
    waiting.retain(|request| request.state == RequestState::Pending && !request.is_over(now));
    let (own, others): (Vec<Request>, Vec<Request>) =
        waiting.into_iter().partition(|request| find_project(Path::new(&request.dir)) == here);
    if !others.is_empty() {
        talk(&format!("{} more wait in other projects; go there to answer them", others.len()));
    }
    if own.is_empty() {
        talk("nothing waits in this project");
    }
    let after = if own.is_empty() { own } else { give(&mut gate, own, how, Word::Deny)? };
    if how.json {
        json(&after);
    }
    Ok(ended(&after, Word::Deny))
}

/// Proves once that a person answers, and answers each request.
fn give(gate: &mut Gate, requests: Vec<Request>, how: &How, word: Word) -> Result<Vec<Request>, Failure> {
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
        gate.answer(request, answer)?;
        // Racing answers: the first in the ledger counts, and this says which it was.
        let now = find(gate.store(), &request.id)?;
        if !how.json {
            let missing = now.still_missing().map(|text| format!(": {}", visible(&text)));
            talk(&format!("{} is {}{}", request.id, now.state.name(), missing.unwrap_or_default()));
        }
        after.push(now);
    }
    Ok(after)
}

fn ended(after: &[Request], word: Word) -> ExitCode {
    let took = |request: &Request| request.took(word) && request.state != RequestState::Pending;
    if after.iter().all(took) { ExitCode::SUCCESS } else { ExitCode::from(1) }
}

/// Who answers, for the ledger.
pub fn person() -> String {
    std::env::var("USER").or_else(|_| std::env::var("LOGNAME")).unwrap_or_else(|_| "somebody".to_owned())
}
