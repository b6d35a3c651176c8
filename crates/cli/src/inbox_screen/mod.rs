//! `toolgate inbox` at a terminal: what waits, live, answered with one key.
//!
//! `model` decides what a key does, `view` draws, `terminal` is the only part that touches the
//! screen. Answers go the same way as those of `toolgate inbox approve`.

mod keys;
mod model;
mod terminal;
mod view;

use crate::card::{Around, Row, rows};
use crate::project;
use crate::reach::covered_calls;
use crate::verbs::{Failure, Outcome, approver, inbox};
use model::{Action, Given, Model, Waiting, What};
use std::collections::HashMap;
use std::process::ExitCode;
use std::time::Duration;
use terminal::Terminal;
use toolgate_core::{Answer, Extent, Proof, Request, RequestState, Severity, span};
use toolgate_runtime::{Approver, Desk, Passphrase, now_ms, sign_answer};
use toolgate_store::{Store, Which};
use view::Covered;

/// How long a key is waited for before the ledger is looked at again.
const PAUSE: Duration = Duration::from_millis(300);

/// Shows the inbox until the person leaves.
pub fn run() -> Outcome {
    let mut desk = Desk::open(&project::dirs())?;
    let mut open = Open::default();
    open.model.needs_passphrase = Approver::load(&project::dirs())?.is_some();
    let mut terminal = Terminal::open()?;
    loop {
        open.refresh(&mut desk)?;
        let size = terminal.size();
        let card = open.card(&mut desk, size.columns)?;
        open.cover(&mut desk)?;
        let frame = view::frame(&open.model, size, &card, &open.covered, &left);
        open.model.drawn(card.len(), frame.page);
        terminal.show(&frame.lines)?;
        let Some(keys) = terminal.keys(PAUSE)? else { break };
        for (at, key) in keys.into_iter().enumerate() {
            let was_typing = open.model.prompt.is_some();
            // What a later key would answer has not been on the screen yet.
            if at > 0 && !was_typing && !key.is_movement() {
                break;
            }
            match open.model.press(key, now_ms()) {
                Action::Nothing => {}
                Action::Quit => return Ok(ExitCode::SUCCESS),
                Action::Refresh => open.head = None,
                Action::Answer(given) => open.answer(&mut desk, given),
                Action::Undo => open.undo(&mut desk),
            }
            if was_typing && open.model.prompt.is_none() {
                break;
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// The open inbox: what is shown, and what was looked up for it.
#[derive(Default)]
struct Open {
    model: Model,
    /// The last record that was looked at, and when.
    head: Option<u64>,
    looked_ms: i64,
    around: HashMap<String, Around>,
    covered: Covered,
    /// The last request answered here.
    answered: Option<String>,
}

/// How long a request still waits.
fn left(one: &Waiting) -> String {
    span(one.request.expires_ms.saturating_sub(now_ms()) / 1000)
}

impl Open {
    /// Looks at what waits, if something has happened or time may have ended it.
    fn refresh(&mut self, desk: &mut Desk) -> Result<(), Failure> {
        let (head, now) = (desk.store().head()?.map_or(0, |head| head.checkpoint.seq), now_ms());
        if self.head == Some(head) && now < self.looked_ms.saturating_add(1_000) {
            return Ok(());
        }
        (self.head, self.looked_ms) = (Some(head), now);
        let mut waiting = desk.store().requests(Which::Open)?;
        waiting.retain(|request| request.state == RequestState::Pending && !request.is_over(now));
        self.model.refresh(merged(waiting), now);
        Ok(())
    }

    /// The card of the request under the cursor.
    fn card(&mut self, desk: &mut Desk, columns: usize) -> Result<Vec<Row>, Failure> {
        let Some(request) = self.model.current().map(|one| one.request.clone()) else {
            return Ok(Vec::new());
        };
        if !self.around.contains_key(&request.id) {
            let around = Around::of(&request, &desk.store().requests(Which::All)?, project::here());
            // Where no rule says how bad it is, it may be bad.
            if around.severity.is_none_or(|severity| severity >= Severity::High) {
                self.model.severe.insert(request.id.clone());
            }
            self.around.insert(request.id.clone(), around);
        }
        let around = self.around.get(&request.id);
        Ok(around.map(|around| rows(&request, around, Some(columns))).unwrap_or_default())
    }

    /// What the pattern being typed would have covered.
    fn cover(&mut self, desk: &mut Desk) -> Result<(), Failure> {
        let Some(prompt) = self.model.prompt.as_ref().filter(|prompt| prompt.what == What::Pattern) else {
            return Ok(());
        };
        let pattern = prompt.text.trim().to_owned();
        let Some(one) = self.model.current().filter(|_| pattern != self.covered.pattern) else {
            return Ok(());
        };
        let reach = Extent::Always { pattern: Some(pattern.clone()) };
        let fault = if pattern.is_empty() { None } else { reach.fault_for(&one.request) };
        let calls = match fault {
            None if !pattern.is_empty() => covered_calls(desk.store(), &one.request.tool, &pattern)?,
            _ => Vec::new(),
        };
        self.covered = Covered { pattern, fault, calls };
        Ok(())
    }

    /// Answers, and says what came of it. What goes wrong is said and answers nothing.
    fn answer(&mut self, desk: &mut Desk, given: Given) {
        let (id, word) = (given.id.clone(), given.word);
        let reach = given.reach.words();
        let sent = if given.words.is_some() { "; the message was sent" } else { "" };
        self.model.notice = Some(match give(desk, given) {
            Ok(after) => {
                self.model.words.remove(&id);
                self.answered = Some(id.clone());
                match after.still_missing() {
                    Some(missing) => format!("{id}: your approval counts; {missing}"),
                    None if after.took(word, &inbox::person()) => {
                        format!("{} {id}: {reach}{sent} · u undoes it", word.past())
                    }
                    None => {
                        format!("{id} was answered by another person first: it is {}", after.state.name())
                    }
                }
            }
            Err(failure) => failure.what,
        });
        self.head = None;
    }

    fn undo(&mut self, desk: &mut Desk) {
        let undone = match self.answered.take() {
            Some(id) => {
                inbox::undo(desk, &id).map(|after| format!("{} is {} again", after.id, after.state.name()))
            }
            None => Ok("nothing was answered here yet".to_owned()),
        };
        self.model.notice = Some(undone.unwrap_or_else(|failure| failure.what));
        self.head = None;
    }
}

/// Requests that several sessions ask alike are one line, the newest; the newest first.
fn merged(mut waiting: Vec<Request>) -> Vec<Waiting> {
    waiting.sort_by(|one, other| (other.made_ms, &other.id).cmp(&(one.made_ms, &one.id)));
    let mut all: Vec<Waiting> = Vec::new();
    for request in waiting {
        match all.iter_mut().find(|one| one.request.is_like(&request)) {
            Some(newer) => newer.alike = newer.alike.saturating_add(1),
            None => all.push(Waiting { request, alike: 0 }),
        }
    }
    all
}

/// Records an answer with its proof, as `toolgate inbox approve` and `deny` do.
fn give(desk: &mut Desk, given: Given) -> Result<Request, Failure> {
    let request = inbox::find(desk.store(), &given.id)?;
    inbox::may_answer(desk, &request, given.word)?;
    let proof = match (Approver::load(&project::dirs())?, given.passphrase) {
        (None, _) => {
            approver::is_at_terminal()?;
            Proof::Terminal
        }
        (Some(approver), passphrase) => {
            let passphrase = Passphrase::new(&passphrase.unwrap_or_default())?;
            sign_answer(&approver, &passphrase, &request, given.word, &given.reach)?
        }
    };
    let Given { id, word, reach, words, .. } = given;
    let answer = Answer { request: id.clone(), word, by: inbox::person(), words, reach, proof };
    desk.answer(&request, answer)?;
    inbox::find(desk.store(), &id)
}
