//! Past a guardrail that allows it: an agent asks with a reason, a person says
//! yes, and exactly that call runs, once.
//!
//! A bypass is a request like any other, so it is answered in the inbox and
//! lies in the ledger for good. An emergency no one answers within a minute is let
//! through if the person's own policy lists its command.

use crate::asking::repeated;
use crate::broken::Broken;
use crate::clock::now_ms;
use crate::gate::{Answered, Gate, context, cut, new_id};
use crate::hearing::Hearing;
use crate::processes::asker_from;
use crate::scripts;
use crate::yaml::nearest;
use toolgate_core::{
    Autonomy, BypassRequest, Context, Decided, Decision, Details, Entry, Finding, Outcome, Pressing, Record,
    Request, RequestState, Source, Verdict, autonomy, is_overridden,
};
use toolgate_store::Store;

/// So many records back a blocked call is looked for.
const RECORDS_MAX: u32 = 2_000;

/// What the ledger calls a call let through in an emergency.
pub const EMERGENCY: &str = "emergency";

/// What makes a reason: so many characters and words.
const REASON_MIN: (usize, usize) = (20, 4);

/// Guardrails one call may pass.
const SUSPENDED_MAX: usize = 4;

/// So often a request makes way for another reason: each of them calls people.
const REPLACED_MAX: u32 = 3;

/// A bypass that was asked for.
#[derive(Debug)]
pub struct BypassAsked {
    /// The request.
    pub request: Request,
    /// Whether it was made just now; else it waits since it was asked before.
    pub is_new: bool,
}

/// Why a bypass cannot be asked for.
#[derive(Debug)]
pub enum BypassRefused {
    /// The gate is broken.
    Broken(Broken),
    /// What, and what to do.
    No(String, &'static str),
}

impl From<Broken> for BypassRefused {
    fn from(broken: Broken) -> BypassRefused {
        BypassRefused::Broken(broken)
    }
}

impl Gate {
    /// Asks for one blocked call past one guardrail; `call` is the beginning
    /// of the call's hash.
    ///
    /// # Errors
    /// If the guardrail allows none, no such call was blocked, or the reason
    /// says nothing.
    pub fn request_bypass(
        &mut self,
        guardrail: &str,
        call: &str,
        reason: &str,
        urgency: Pressing,
    ) -> Result<BypassAsked, BypassRefused> {
        is_a_reason(reason)?;
        let Some(bypass) = self.policy().bypass(guardrail) else {
            let known = self.policy().settings().guardrails.iter();
            let known: Vec<&str> = known.map(|entry| entry.guardrail.id.as_str()).collect();
            let why = match (known.contains(&guardrail), nearest(guardrail, &known)) {
                (true, _) => format!("`{guardrail}` cannot be bypassed"),
                (false, Some(meant)) => format!("unknown guardrail `{guardrail}`; did you mean `{meant}`?"),
                (false, None) => format!("unknown guardrail `{guardrail}`"),
            };
            return Err(BypassRefused::No(why, "find another way, or ask the user to change the policy"));
        };
        let role = bypass.requires_approval.clone();
        let (record, decided) = self.blocked(guardrail, call)?;
        let mut turn = self.store.begin().map_err(Broken::from)?;
        let now = now_ms();
        let session = turn.session(&record.context.session).map_err(Broken::from)?;
        let agents = self.scene.policy().settings().agents.iter();
        let agents = agents.filter(|entry| entry.name == "*" || entry.name == record.context.agent);
        let mode = autonomy(agents, &session, now).map_or(Autonomy::Standard, |(mode, _)| mode);
        let Some(role) = mode.approver(role.as_deref()) else {
            let why = "the budget is used up, and bypasses are not allowed without budget".to_owned();
            return Err(BypassRefused::No(why, "report what is done and what is left"));
        };
        let (guardrail, reason) = (guardrail.to_owned(), cut(reason.trim()));
        let mut asked = BypassRequest { guardrail, role, reason, urgency, replaced: 0 };
        let context = Context { policy: self.scene.policy().revision().to_owned(), ..record.context };
        let open = turn.open_requests(&session.id, &decided.arguments).map_err(Broken::from)?;
        let is_own = |request: &Request| {
            let own = request.bypass.as_ref().is_some_and(|own| own.guardrail == asked.guardrail);
            own && request.agent == context.agent && !request.is_over(now)
        };
        let open: Vec<Request> = open.into_iter().filter(is_own).collect();
        let key = self.approver.as_ref().map(|approver| approver.key.as_str());
        if urgency == Pressing::Emergency {
            open.iter().try_for_each(|before| no_said(before, key, now))?;
        }
        if let Some(before) = open.into_iter().max_by_key(|one| one.made_ms) {
            match existing(&before, &asked, key, now)? {
                Existing::Same => {
                    if let Some(entry) = self.setup.asked_by.and_then(|pid| repeated(&before, pid)) {
                        let seq = turn.append(now, &context, entry).map_err(Broken::from)?.seq;
                        turn.commit().map_err(Broken::from)?;
                        self.checkpoint(seq);
                    }
                    return Ok(BypassAsked { request: before, is_new: false });
                }
                Existing::Another { replaced } => asked.replaced = replaced,
            }
            // Another reason or urgency: the approver sees the latest one.
            if !matches!(before.state, RequestState::Denied { .. }) {
                turn.append(now, &context, Entry::Expired { request: before.id }).map_err(Broken::from)?;
            }
        }
        let request = Request {
            asker: self.setup.asked_by.and_then(asker_from).map(Box::new),
            ..new_request(&context, decided, asked, now)?
        }
        .without_secrets();
        let seq = turn.append(now, &context, Entry::Requested(request.clone())).map_err(Broken::from)?.seq;
        turn.commit().map_err(Broken::from)?;
        self.checkpoint(seq);
        Ok(BypassAsked { request, is_new: true })
    }

    /// The newest call this guardrail blocked whose hash begins so.
    fn blocked(&mut self, guardrail: &str, call: &str) -> Result<(Record, Decided), BypassRefused> {
        let is_short = call.len() < 8 || !call.chars().all(|c| c.is_ascii_hexdigit());
        let records = self.store.records_before(u64::MAX, RECORDS_MAX).map_err(Broken::from)?;
        let found = records.into_iter().filter(|_| !is_short).find_map(|record| match record.entry.clone() {
            Entry::Decided(decided)
                if decided.arguments.starts_with(call)
                    && decided
                        .findings
                        .iter()
                        .any(|one| one.guard == guardrail && one.outcome == Outcome::Block) =>
            {
                Some((record, decided))
            }
            _ => None,
        });
        found.ok_or_else(|| {
            let why = format!("`{guardrail}` has not blocked a call whose id starts with `{call}`");
            BypassRefused::No(
                why,
                "make the call first; the message of the block shows how to request a bypass",
            )
        })
    }
}

fn is_a_reason(reason: &str) -> Result<(), BypassRefused> {
    let (length, words) = (reason.trim().chars().count(), reason.split_whitespace().count());
    if length >= REASON_MIN.0 && words >= REASON_MIN.1 {
        return Ok(());
    }
    let why = "the reason is too short to decide on".to_owned();
    Err(BypassRefused::No(why, "say in one sentence what must happen and why there is no other way"))
}

/// What a request is next to one for the same call that still counts.
enum Existing {
    /// Nothing new.
    Same,
    /// Another reason, role or haste; so many have made way for it.
    Another { replaced: u32 },
}

/// Whether someone may be asked once more. People are called each time, so it
/// ends somewhere; and a no is not undone by asking on.
fn existing(
    before: &Request,
    asked: &BypassRequest,
    key: Option<&str>,
    now: i64,
) -> Result<Existing, BypassRefused> {
    let id = &before.id;
    let replaced = before.bypass.as_ref().map_or(0, |own| own.replaced);
    let is_same = before.bypass.as_deref() == Some(&BypassRequest { replaced, ..asked.clone() });
    if before.grant(now, key).is_some() {
        let why = format!("{id} is already approved");
        return Err(BypassRefused::No(why, "repeat exactly the blocked call; it runs once"));
    }
    if is_same || replaced >= REPLACED_MAX {
        no_said(before, key, now)?;
    }
    if is_same && before.state == RequestState::Pending {
        return Ok(Existing::Same);
    }
    if replaced >= REPLACED_MAX {
        let why = format!("this bypass was already requested {replaced} times ({id})");
        return Err(BypassRefused::No(why, "wait for the answer, or continue with other work"));
    }
    Ok(Existing::Another { replaced: replaced.saturating_add(1) })
}

/// An emergency no one answers is let through; one someone said no to was answered.
fn no_said(before: &Request, key: Option<&str>, now: i64) -> Result<(), BypassRefused> {
    let Some(no) = before.refusal(now, key) else { return Ok(()) };
    let words = no.words.as_ref().map(|words| format!(": {words}")).unwrap_or_default();
    let why = format!("{} denied {}{words}", no.by, before.id);
    Err(BypassRefused::No(why, "find another way, or ask the user"))
}

fn new_request(
    context: &Context,
    decided: Decided,
    asked: BypassRequest,
    now: i64,
) -> Result<Request, Broken> {
    let why = format!(
        "bypass of `{}` for this one call, needs {}: {} ({} urgency, asked by {})",
        asked.guardrail,
        asked.role,
        asked.reason,
        format!("{:?}", asked.urgency).to_lowercase(),
        context.agent
    );
    let blocks = decided.findings.iter().filter(|one| one.outcome == Outcome::Block);
    let blocks = blocks.map(|one| format!("{} ({}, {})", one.message, one.guard, one.source));
    Ok(Request {
        id: new_id("r")?,
        session: context.session.clone(),
        agent: context.agent.clone(),
        asker: None,
        arguments: decided.arguments,
        tool: decided.tool,
        title: decided.title,
        input: decided.input,
        dir: decided.dir,
        why: std::iter::once(why).chain(blocks).collect(),
        asks: Vec::new(),
        progress: Box::default(),
        made_ms: now,
        expires_ms: asked.expires_ms(now),
        bypass: Some(Box::new(asked)),
        // What the block offers instead is this very request.
        details: Box::new(Details {
            fixes: Vec::new(),
            alternatives: Vec::new(),
            ..Details::of_findings(&decided.findings)
        }),
        reviews: Vec::new(),
        state: RequestState::Pending,
    })
}

impl Hearing<'_> {
    /// The decision without the guardrails a person has suspended for exactly
    /// this call.
    pub(crate) fn past_guardrails(&mut self, decision: Decision) -> Result<Decision, Broken> {
        let mut decision = decision;
        let mut used: Vec<Request> = Vec::new();
        while matches!(decision.verdict, Verdict::Block | Verdict::Check) && used.len() < SUSPENDED_MAX {
            let Some(request) = self.granted(&decision)? else { break };
            used.push(request);
            let ids: Vec<String> =
                used.iter().filter_map(|one| Some(one.bypass.clone()?.guardrail)).collect();
            let (_, glance) = scripts::read(self.turn, self.scene, &self.session, &self.event)?;
            decision = self.scene.look_past(&self.event, &self.session, glance, &ids);
        }
        decision.findings.extend(used.iter().filter_map(|request| bypass_finding(request, decision.verdict)));
        decision.bypasses = used.into_iter().map(|request| request.id).collect();
        Ok(decision)
    }

    /// A yes past the guardrail that blocks, told alike by the row and by the
    /// records.
    fn granted(&mut self, decision: &Decision) -> Result<Option<Request>, Broken> {
        let Some(block) = decision.findings.iter().find(|one| blocks(one)) else { return Ok(None) };
        // A guardrail that allows none any more is not passed on an old yes.
        if self.policy.bypass(&block.guard).is_none() {
            return Ok(None);
        }
        let key = self.approver.map(|approver| approver.key.as_str());
        let arguments = self.event.call.arguments_digest();
        for request in self.turn.open_requests(&self.event.call.session, &arguments)? {
            let is_own = request.bypass.as_ref().is_some_and(|own| own.guardrail == block.guard);
            let opens = request.grant(self.now_ms, key).is_some() || self.is_overridden(&request, decision);
            if is_own && request.agent == self.event.call.agent && opens {
                let recorded = self.turn.request_in_records(&request.id)?;
                return Ok(recorded.filter(|told| *told == request));
            }
        }
        Ok(None)
    }

    /// Whether an emergency no one answered opens the way.
    fn is_overridden(&self, request: &Request, decision: &Decision) -> bool {
        let call = &self.event.call;
        let names = [Some(call.agent.as_str()), call.role.as_deref()];
        let names: Vec<&str> = names.into_iter().flatten().collect();
        let people = &self.policy.settings().people;
        is_overridden(people, request, &names, &decision.facts, self.now_ms)
    }

    /// Whether someone may ask for this call past what blocks it.
    pub(crate) fn may_be_passed(&self, decision: &Decision) -> bool {
        let block = decision.findings.iter().find(|one| one.outcome == Outcome::Block);
        block.is_some_and(|one| self.policy.bypass(&one.guard).is_some())
    }

    /// Whether what suspended guardrails for a call is still good: while it was
    /// held, another process may have used it.
    pub(crate) fn is_still_past(&mut self, decision: &Decision) -> Result<bool, Broken> {
        let key = self.approver.map(|approver| approver.key.as_str());
        for id in &decision.bypasses {
            let request = self.turn.request(id)?;
            let opens =
                |one: &Request| one.grant(self.now_ms, key).is_some() || self.is_overridden(one, decision);
            if !request.as_ref().is_some_and(opens) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Uses up what let the call through.
    pub(crate) fn use_bypasses(&mut self, answered: &Answered) -> Result<(), Broken> {
        if !answered.delivered.verdict(answered.decision.verdict).runs() {
            return Ok(());
        }
        for id in &answered.decision.bypasses {
            let context = context(&self.event, self.policy);
            let before = self.turn.request(id)?;
            if before.is_some_and(|request| request.has_pressed(self.now_ms)) {
                let text = format!(
                    "{id} ran unanswered in an emergency; review it within 24 hours: `toolgate bypass review {id}`"
                );
                self.turn.append(self.now_ms, &context, Entry::Noted { what: EMERGENCY.to_owned(), text })?;
            }
            let entry = Entry::Used { request: id.clone(), call: self.event.call.id.clone() };
            self.turn.append(self.now_ms, &context, entry)?;
        }
        Ok(())
    }
}

/// Whether a finding stops the call until it is asked past: a check stops it if it fails.
fn blocks(finding: &Finding) -> bool {
    matches!(finding.outcome, Outcome::Block | Outcome::Check(_))
}

/// What the record says about a guardrail that was passed.
fn bypass_finding(request: &Request, verdict: Verdict) -> Option<Finding> {
    let bypass = request.bypass.as_ref()?;
    let who = match request.answer() {
        Some((answer, _)) => format!("bypassed once, approved by {} ({})", answer.by, bypass.role),
        None => "bypassed once in an unanswered emergency".to_owned(),
    };
    let message = format!("{who}: {} [{}]", bypass.reason, request.id);
    (verdict < Verdict::Block).then(|| Finding {
        guard: bypass.guardrail.clone(),
        source: Source { file: "inbox".to_owned(), line: 0 },
        category: Default::default(),
        severity: Default::default(),
        outcome: Outcome::Log,
        message,
        remediation: None,
        alternatives: Vec::new(),
        evidence: Vec::new(),
        confidence: 1.0,
        duration_us: 0,
    })
}
