//! A request at a glance: what, where, why asked, what it reaches, what yes means.

use crate::inbox::is_waiting;
use crate::pages::{clock, time};
use crate::reach::Reader;
use crate::shown::Shown;
use toolgate_core::{
    Pressing, Request, RequestState, Severity, Word, age, count, one_line, pieces, span, why_parts,
};
use toolgate_runtime::now_ms;

/// Lines and characters of a call a card shows; its page shows all.
const LINES_MAX: usize = 10;
const TEXT_MAX: usize = 700;

/// One request in a list.
#[derive(Default)]
pub(crate) struct Card {
    pub id: String,
    pub tool: Shown,
    pub text: Shown,
    /// What the card does not show of it.
    pub more: Option<String>,
    pub place: Shown,
    pub agent: Shown,
    pub session: Shown,
    /// The session as it is called, for links.
    pub session_id: String,
    /// How bad it would be; empty if no one can tell.
    pub severity: &'static str,
    /// How long ago it was asked, and when.
    pub age: String,
    pub asked: String,
    pub made_ms: i64,
    pub expires_ms: i64,
    /// How much a way past a guardrail presses; empty for other requests.
    pub urgency: &'static str,
    pub why: Vec<Why>,
    pub reach: Vec<Shown>,
    /// What the agent says the call is for.
    pub description: Option<Shown>,
    /// What the rules say to do.
    pub fixes: Vec<Shown>,
    /// What the rules would allow instead.
    pub alternatives: Vec<Shown>,
    /// How many approvals there are and whose, where one is not enough.
    pub needs: Option<Shown>,
    pub yes: String,
    pub state: &'static str,
    pub left: String,
    /// What happens to an emergency no one answers.
    pub presses: String,
    /// What was said and how far it reaches, where that still counts.
    pub answer: Option<Shown>,
    /// By when someone must look at what an emergency let through, and whether that is past.
    pub review_due: Option<String>,
    pub overdue: bool,
    /// Who looked at it.
    pub reviewed: Option<Shown>,
    /// In how many more sessions the same waits.
    pub alike: usize,
}

/// Why someone is asked: a sentence, and the rule with file and line.
pub(crate) struct Why {
    pub sentence: Shown,
    pub rule: Shown,
    pub source: Shown,
}

impl Why {
    /// From `sentence (rule, file:line)`, as a request keeps it.
    pub(crate) fn of(text: &str) -> Why {
        match why_parts(text) {
            Some((sentence, rule, source)) => {
                Why { sentence: Shown::all(sentence), rule: Shown::all(rule), source: Shown::all(source) }
            }
            None => Why { sentence: Shown::all(text), rule: Shown::default(), source: Shown::default() },
        }
    }
}

impl Card {
    pub(crate) fn of(request: &Request, reader: &mut Reader) -> Card {
        let over = request.state == RequestState::Pending && !is_waiting(request);
        let (text, more) = beginning(request);
        Card {
            id: request.id.clone(),
            tool: Shown::line(&request.tool, 60),
            text,
            more: more.or_else(|| request.input.as_ref().map(|_| "full input".to_owned())),
            place: Shown::line(&request.dir, 120),
            agent: Shown::line(&request.agent, 40),
            session: Shown::all(&request.session),
            session_id: request.session.clone(),
            severity: reader.severity(request).map_or("", Severity::name),
            age: age(request.made_ms, now_ms()),
            asked: time(request.made_ms),
            made_ms: request.made_ms,
            expires_ms: request.expires_ms,
            urgency: request.bypass.as_ref().map_or("", |bypass| urgency(bypass.urgency)),
            why: request.why.iter().map(|why| Why::of(why)).collect(),
            reach: reader.of_request(request),
            description: request.details.description.as_deref().map(|text| Shown::line(text, 300)),
            fixes: request.details.fixes.iter().map(|text| Shown::all(text)).collect(),
            alternatives: request.details.alternatives.iter().map(|text| Shown::all(text)).collect(),
            needs: needs(request),
            yes: yes_means(request),
            state: if over { "expired" } else { request.state.name() },
            left: left(request),
            presses: presses(request),
            answer: given_answer(request),
            review_due: request.progress.review_due_ms().map(time),
            overdue: request.progress.review_due_ms().is_some_and(|due| due < now_ms()),
            reviewed: request.progress.reviewed.as_deref().map(Shown::all),
            alike: 0,
        }
    }
}

fn urgency(pressing: Pressing) -> &'static str {
    match pressing {
        Pressing::Normal => "normal",
        Pressing::Urgent => "urgent",
        Pressing::Emergency => "emergency",
    }
}

/// A number of things, in words.
pub(crate) fn times(count: u32) -> String {
    match count {
        0 => "not used yet".to_owned(),
        1 => "used once".to_owned(),
        count => format!("used {count} times"),
    }
}

/// What was said, how far it reaches, until when, and how often it was used.
fn given_answer(request: &Request) -> Option<Shown> {
    let (answer, _) = request.answer()?;
    let word = if answer.word == Word::Approve { "yes" } else { "no" };
    let end = match request.ends_ms() {
        i64::MAX => "until revoked".to_owned(),
        end => format!("until {}", time(end)),
    };
    let (by, reach, uses) = (&answer.by, answer.reach.words(), times(request.progress.uses));
    Some(Shown::all(&format!("{word} by {by}: {reach}; {end}; {uses}")))
}

/// How many approvals there are and whose, where one is not enough.
fn needs(request: &Request) -> Option<Shown> {
    let progress = &request.progress;
    if progress.needs < 2 || request.state != RequestState::Pending {
        return None;
    }
    let yes: Vec<&str> = progress.yes.iter().map(|answer| answer.by.as_str()).collect();
    let who = if yes.is_empty() { String::new() } else { format!(" ({})", yes.join(", ")) };
    let to_what = if progress.is_divided() { " with different scopes" } else { "" };
    Some(Shown::line(&format!("{} of {} approvals{who}{to_what}", yes.len(), progress.needs), 120))
}

/// What an approval allows, in one sentence.
pub(crate) fn yes_means(request: &Request) -> String {
    let until = clock(request.expires_ms);
    match &request.bypass {
        Some(bypass) => format!(
            "this one call bypasses `{}` once, in this session, until {until}",
            one_line(&bypass.guardrail, 60)
        ),
        None => {
            format!("exactly this call runs once, in this session, until {until}, unless you choose more")
        }
    }
}

/// How long the request can still be answered.
pub(crate) fn left(request: &Request) -> String {
    let seconds = request.expires_ms.saturating_sub(now_ms()) / 1000;
    if is_waiting(request) { format!("denied automatically in {}", span(seconds)) } else { String::new() }
}

/// When an emergency runs without an answer.
fn presses(request: &Request) -> String {
    let from = request.presses_from_ms().map(time);
    from.map_or_else(String::new, |from| {
        format!("; emergency: runs without an answer from {from} if the policy lists its command")
    })
}

/// The first lines, and what is left out.
fn beginning(request: &Request) -> (Shown, Option<String>) {
    let (cut, more) = first_lines(&request.title);
    (Shown::marked(&cut, &request.details.marks_in(&cut)), more)
}

fn first_lines(text: &str) -> (String, Option<String>) {
    let shown: Vec<&str> = text.lines().take(LINES_MAX).collect();
    let shown = shown.join("\n");
    let cut = one_piece(&shown);
    let lines = text.lines().count().saturating_sub(LINES_MAX);
    let rest = text.len().saturating_sub(cut.len());
    let more = match (lines, rest) {
        (0, rest) if rest <= 1 => None,
        (0, rest) => Some(count(rest, "more byte")),
        (lines, rest) => Some(format!("{}, {rest} bytes", count(lines, "more line"))),
    };
    (cut.to_owned(), more)
}

/// So much of it that what is shown of it stays short, however much of that is
/// spelled out.
fn one_piece(text: &str) -> &str {
    let shown = |text: &str| pieces(text).iter().map(|piece| piece.text.len()).sum::<usize>();
    let mut end = text.floor_char_boundary(TEXT_MAX);
    loop {
        let cut = text.get(..end).unwrap_or_default();
        let long = shown(cut).saturating_sub(TEXT_MAX);
        if long == 0 {
            return cut;
        }
        // One byte is spelled out with at most six.
        end = cut.floor_char_boundary(end.saturating_sub(long.div_ceil(6)));
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_card_says_what_it_does_not_show() {
        assert_eq!(first_lines("ls"), ("ls".to_owned(), None));
        assert_eq!(first_lines("ls\n"), ("ls".to_owned(), None));
        let long = "x\n".repeat(30);
        assert_eq!(first_lines(&long).1.unwrap(), "20 more lines, 41 bytes");
        assert_eq!(first_lines(&"y".repeat(1000)).1.unwrap(), "300 more bytes");
        let (cut, more) = first_lines(&"x\u{1b}".repeat(300));
        let shown = Shown::all(&cut);
        assert!(shown.to_string().len() < 3 * TEXT_MAX && more.unwrap().starts_with("400 more"), "{shown}");
    }

    #[test]
    fn uses_are_counted_in_words() {
        assert_eq!([times(0), times(1), times(2)], ["not used yet", "used once", "used 2 times"]);
    }

    #[test]
    fn why_is_told_apart_from_the_rule_that_asks() {
        let why = Why::of("rewrites history (of others) (git-push, /p/.toolgate/policy.yaml:3)");
        assert_eq!(
            [why.sentence, why.rule, why.source].map(|text| text.to_string()),
            ["rewrites history (of others)", "git-push", "/p/.toolgate/policy.yaml:3"]
        );
        for plain in ["just words", "past a rule: because (normal urgency, asked by main)"] {
            assert_eq!(Why::of(plain).sentence, Shown::all(plain));
        }
    }
}
