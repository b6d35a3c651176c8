//! What people do with a request besides answering it, and what a wider answer
//! would cover.

use crate::App;
use crate::failure::Failure;
use crate::peer::Peer;
use crate::shown::Shown;
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use toolgate_core::{
    Entry, EventKind, Extent, Handling, Piece, Request, fits_text, line_pieces, proposed_pattern, words_fault,
};
use toolgate_runtime::{Desk, now_ms};
use toolgate_store::Store;
use utoipa::ToSchema;

/// So many records back calls are looked for.
const RECORDS: u32 = 500;

/// Calls named before the rest is only counted.
const NAMED_MAX: usize = 8;

/// Characters of one call.
const CALL_MAX: usize = 120;

/// What to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum RequestAction {
    /// Say that you look at it.
    Claim,
    /// Say something next to it.
    Comment,
    /// Take the answer back until it has been used.
    Undo,
    /// End an answer that is.
    Revoke,
    /// Say what you found about what an emergency let through.
    Review,
}

/// What a pattern would have covered.
#[derive(Debug, Default, Serialize, ToSchema)]
pub(crate) struct Covered {
    /// What is wrong with the pattern, if something is.
    pub fault: Option<String>,
    /// How many of the last calls it would have covered.
    pub count: u64,
    /// Some of them.
    pub calls: Vec<String>,
    /// The same in pieces, so that what is spelled out can be marked.
    pub pieces: Vec<Vec<PieceView>>,
}

/// A stretch of text as people are shown it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub(crate) struct PieceView {
    /// What is shown.
    pub text: String,
    /// Whether it spells out what would not be seen, and is not there letter by letter.
    pub spelled: bool,
}

impl PieceView {
    fn of(Piece { text, spelled }: Piece) -> PieceView {
        PieceView { text, spelled }
    }
}

impl Covered {
    /// The calls as a page shows them.
    pub(crate) fn shown(&self) -> Vec<Shown> {
        let piece = |one: &PieceView| Piece { text: one.text.clone(), spelled: one.spelled };
        let call = |call: &Vec<PieceView>| Shown::of(&call.iter().map(piece).collect::<Vec<_>>());
        self.pieces.iter().map(call).collect()
    }
}

impl App {
    /// Does something with a request; what comes back is the request as it
    /// is then.
    pub(crate) fn handle(
        &self,
        id: &str,
        action: RequestAction,
        text: &str,
        peer: Peer,
    ) -> Result<Request, Failure> {
        self.refuse_agent(peer)?;
        let request = self.request(id)?;
        let conflict = |what: &str| Failure::new(StatusCode::CONFLICT, what, "Reload the request.");
        if let Some(fault) = words_fault(text) {
            let failure = Failure::new(StatusCode::UNPROCESSABLE_ENTITY, fault, "Write a shorter message.");
            return Err(failure.at(if action == RequestAction::Review { "review" } else { "comment" }));
        }
        let text = text.trim().to_owned();
        if text.is_empty() && matches!(action, RequestAction::Comment | RequestAction::Review) {
            let cure = "Write a comment.";
            let failure = Failure::new(StatusCode::UNPROCESSABLE_ENTITY, "The comment is empty.", cure);
            return Err(failure.at(if action == RequestAction::Review { "review" } else { "comment" }));
        }
        let what = match action {
            RequestAction::Claim => Handling::Claimed,
            RequestAction::Comment => Handling::Commented { text },
            RequestAction::Undo => match request.undo_fault(&self.person, self.key()?.as_deref(), now_ms()) {
                Some(why) => return Err(conflict(&format!("The answer cannot be undone: {why}."))),
                None => Handling::Undone,
            },
            RequestAction::Revoke if request.answer().is_some() => Handling::Revoked,
            RequestAction::Revoke => return Err(conflict("There is no active grant to revoke.")),
            RequestAction::Review if request.progress.review_due_ms().is_some() => {
                Handling::Reviewed { text }
            }
            RequestAction::Review => return Err(conflict("This request needs no review.")),
        };
        Ok(Desk::open(&self.setup.dirs)?.handle(&request, &self.person, what)?)
    }

    /// What a pattern would have covered of the last calls.
    pub(crate) fn covered(&self, pattern: &str) -> Result<Covered, Failure> {
        let reach = Extent::Always { pattern: Some(pattern.to_owned()) };
        if let Some(fault) = reach.fault() {
            return Ok(Covered { fault: Some(fault), ..Covered::default() });
        }
        let mut found = Covered::default();
        let records = self.store(|store| Ok(store.records_before(u64::MAX, RECORDS)?))?;
        for record in &records {
            let Entry::Decided(decided) = &record.entry else { continue };
            if decided.event != EventKind::PreExecution || !fits_text(pattern, &decided.title) {
                continue;
            }
            found.count += 1;
            let call = line_pieces(&decided.title, CALL_MAX).into_iter();
            let call: Vec<PieceView> =
                call.filter(|piece| !piece.text.is_empty()).map(PieceView::of).collect();
            // What is spelled out and the same letters look alike as text only.
            if found.calls.len() < NAMED_MAX && !found.pieces.contains(&call) {
                found.calls.push(call.iter().map(|piece| piece.text.as_str()).collect());
                found.pieces.push(call);
            }
        }
        Ok(found)
    }
}

/// How far an answer to a request can reach, for its form.
pub(crate) struct Choice {
    pub value: &'static str,
    pub words: String,
}

/// Every reach a person may choose for a request; the first is the narrowest.
pub(crate) fn choices(request: &Request) -> Vec<Choice> {
    let choice = |value: &'static str, reach: &Extent| Choice { value, words: reach.words() };
    let mut all = vec![choice("once", &Extent::Once)];
    // Past a guardrail there is one call only.
    if request.bypass.is_none() {
        all.push(choice("session", &Extent::Session));
        let words = "exactly this call in any session, for some minutes".to_owned();
        all.push(Choice { value: "for", words });
        all.push(choice("always", &Extent::Always { pattern: None }));
        if pattern_of(request).is_some() {
            let words = "every command that matches the pattern, in this folder and below, until revoked";
            all.push(Choice { value: "pattern", words: words.to_owned() });
        }
    }
    all
}

/// A pattern for the person to edit.
pub(crate) fn pattern_of(request: &Request) -> Option<String> {
    if request.bypass.is_some() || request.input.is_some() {
        return None;
    }
    proposed_pattern(&request.title)
}
