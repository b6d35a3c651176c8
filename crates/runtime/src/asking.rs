//! A call no one but a person can decide: an answer that is there already is
//! used, otherwise a request is made.

use crate::broken::Broken;
use crate::gate::{Answered, context, go_ahead, new_id, plain, refused, shown_input};
use crate::hearing::Hearing;
use crate::processes::asker_from;
use crate::standing::{PREFERRED, UNATTENDED, asking, is_preferred, needed};
use toolgate_core::{
    Decision, Delivery, Details, Entry, Event, Grant, HostAnswer, Progress, Request, RequestState,
    quoted_message,
};
use toolgate_store::StoreError;

/// Programs remembered as having repeated the call of one request.
const REPEATED_BY_MAX: usize = 64;

/// What is recorded when the process `pid` repeats the call of a pending request:
/// its program is one of the askers from now on. One too many, and the request
/// ends: if it forgot an asker, that one could approve it.
pub(crate) fn repeated(request: &Request, pid: u32) -> Option<Entry> {
    let asker = asker_from(pid).filter(|asker| !request.is_asked_by(asker))?;
    let request_id = request.id.clone();
    Some(match request.progress.askers.len() {
        0..REPEATED_BY_MAX => Entry::Repeated { request: request_id, asker },
        _ => Entry::Expired { request: request_id },
    })
}

impl Hearing<'_> {
    pub(crate) fn ask(&mut self, decision: Decision, text: &str) -> Result<Answered, Broken> {
        let arguments = self.event.call.arguments_digest();
        if let Some(request) = self.used_by_this_call(&arguments)? {
            let delivered = go_ahead(&decision, &self.event);
            return Ok(Answered { decision, delivered, request: Some(request), is_new: false });
        }
        if let Some(request) = self.standing(&decision)? {
            return self.by_standing(decision, request);
        }
        if is_preferred(self.policy, &decision) {
            let delivered = preferred(&decision, &self.event);
            return Ok(plain(decision, delivered));
        }
        let mut pending = None;
        let open = self.turn.open_requests(&self.event.call.session, &arguments)?;
        // A yes past one guardrail answers no other question.
        for request in open.into_iter().filter(|request| request.bypass.is_none()) {
            // A yes is for the agent that asked; a no is one to the call.
            let is_own = request.agent == self.event.call.agent;
            if is_own && self.grant_of(&request, &decision).is_some() {
                let recorded = self.turn.request_in_records(&request.id)?;
                let told = recorded.filter(|told| *told == request);
                let grant = told.and_then(|told| self.grant_of(&told, &decision));
                let altered = || Broken::from(StoreError::Altered);
                return self.use_grant(decision, &grant.ok_or_else(altered)?);
            }
            if let Some(answer) = self.refusal_of(&request, &decision) {
                let delivered = refused(answer);
                return Ok(Answered { decision, delivered, request: Some(request), is_new: false });
            }
            if request.is_over(self.now_ms) {
                let entry = Entry::Expired { request: request.id.clone() };
                self.turn.append(self.now_ms, &context(&self.event, self.policy), entry)?;
            } else if is_own && request.state == RequestState::Pending {
                pending = Some(request);
            }
        }
        let supervised = self.is_supervised(&decision);
        if self.scene.delivery() == Delivery::Deny && !supervised {
            let text = format!("{text} {UNATTENDED}");
            return Ok(plain(decision, HostAnswer::Denied { text }));
        }
        if self.scene.delivery() == Delivery::Ask && !supervised {
            return Ok(plain(decision, HostAnswer::Asked { text: text.to_owned() }));
        }
        // Identical questions merge: one call, one request.
        if let Some(request) = &pending
            && let Some(entry) = self.asked_by.and_then(|pid| repeated(request, pid))
        {
            self.turn.append(self.now_ms, &context(&self.event, self.policy), entry)?;
            pending = self.turn.request(&request.id)?.filter(|one| one.state == RequestState::Pending);
        }
        let is_new = pending.is_none();
        let request = match pending {
            Some(request) => request,
            None => self.request(&decision, arguments)?,
        };
        let delivery = self.scene.delivery();
        let next = if delivery == Delivery::Deny { UNATTENDED.to_owned() } else { ticket(&request) };
        let text = format!("{text} {next}");
        let delivered = match delivery {
            Delivery::Defer => HostAnswer::Deferred { text },
            Delivery::Ask => HostAnswer::Asked { text },
            Delivery::Hold | Delivery::Ticket | Delivery::Deny => HostAnswer::Denied { text },
        };
        Ok(Answered { decision, delivered, request: Some(request), is_new })
    }

    /// A host with the hook installed twice asks twice about one call; both
    /// get the same yes, and it is used up once.
    fn used_by_this_call(&mut self, arguments: &str) -> Result<Option<Request>, Broken> {
        let Some(call) = &self.event.call.id else { return Ok(None) };
        let found = self.turn.request_used_by(&self.event.call.session, arguments, call)?;
        let Some(request) = found.filter(|request| !request.is_over(self.now_ms)) else { return Ok(None) };
        let told = self.turn.request_in_records(&request.id)?;
        Ok(told.filter(|told| *told == request))
    }

    pub(crate) fn use_grant(&mut self, decision: Decision, grant: &Grant) -> Result<Answered, Broken> {
        let entry = Entry::Used { request: grant.request.clone(), call: self.event.call.id.clone() };
        self.turn.append(self.now_ms, &context(&self.event, self.policy), entry)?;
        let used = self.turn.request(&grant.request)?;
        let delivered = match (go_ahead(&decision, &self.event), &grant.words) {
            (HostAnswer::Silence, Some(words)) => HostAnswer::Warned {
                text: format!("{} approved this call: {}", grant.by, quoted_message(words)),
            },
            (HostAnswer::Modified { input, text }, Some(words)) => HostAnswer::Modified {
                input,
                text: format!("{text} {} says: {}", grant.by, quoted_message(words)),
            },
            (delivered, _) => delivered,
        };
        Ok(Answered { decision, delivered, request: used, is_new: false })
    }

    fn request(&mut self, decision: &Decision, arguments: String) -> Result<Request, Broken> {
        let call = &self.event.call;
        let minutes = i64::from(self.policy.review().expires_minutes);
        let request = Request {
            id: new_id("r")?,
            session: call.session.clone(),
            agent: call.agent.clone(),
            asker: self.asked_by.and_then(asker_from).map(Box::new),
            arguments,
            tool: call.tool.clone(),
            title: call.title(),
            input: shown_input(call),
            dir: call.dir.clone(),
            why: decision.decisive().map(|f| format!("{} ({}, {})", f.message, f.guard, f.source)).collect(),
            asks: asking(decision).map(str::to_owned).collect(),
            progress: Box::new(Progress { needs: needed(self.policy, decision), ..Progress::default() }),
            made_ms: self.now_ms,
            expires_ms: self.now_ms.saturating_add(minutes.saturating_mul(60_000)),
            bypass: None,
            details: Box::new(Details::of(call, decision)),
            reviews: Vec::new(),
            state: RequestState::Pending,
        };
        let request = request.without_secrets();
        let entry = Entry::Requested(request.clone());
        self.turn.append(self.now_ms, &context(&self.event, self.policy), entry)?;
        Ok(request)
    }
}

/// What the host is told about a call whose severity the person chose to let through.
fn preferred(decision: &Decision, event: &Event) -> HostAnswer {
    match go_ahead(decision, event) {
        HostAnswer::Silence => {
            let asked: Vec<&str> = decision.decisive().map(|finding| finding.guard.as_str()).collect();
            HostAnswer::Warned { text: format!("{PREFERRED} [{}]", asked.join(", ")) }
        }
        rewritten => rewritten,
    }
}

/// What the agent reads about a request that waits.
fn ticket(request: &Request) -> String {
    format!(
        "Request {} is waiting for a person (`toolgate inbox approve {}` in their terminal). Continue with other work, or repeat exactly this call after it is approved; a changed call is a new request.",
        request.id, request.id
    )
}
