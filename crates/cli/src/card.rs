//! One request at the terminal: the whole call, who asks and why, what was said
//! and how long that holds.

use crate::screen::{BOLD, DIM, out, styled, visible};
use crate::verbs::logs;
use toolgate_core::{Answer, Request, RequestState, Word};
use toolgate_runtime::now_ms;

/// Prints it: nothing of the call is cut or hidden.
pub fn card(request: &Request) {
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
