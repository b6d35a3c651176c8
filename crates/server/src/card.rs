//! A request at a glance: what, where, why asked, what it reaches, what yes means.

use crate::inbox::is_waiting;
use crate::pages::{clock, time};
use crate::reach::Reader;
use toolgate_core::{Request, RequestState, Word, one_line, visible};
use toolgate_runtime::now_ms;

/// Lines and characters of a call a card shows; its page shows all.
const LINES_MAX: usize = 10;
const TEXT_MAX: usize = 700;

/// One request in a list.
pub(crate) struct Card {
    pub id: String,
    pub tool: String,
    pub text: String,
    /// What the card does not show of it.
    pub more: Option<String>,
    pub place: String,
    pub agent: String,
    pub session: String,
    pub why: Vec<Why>,
    pub reach: Vec<String>,
    pub yes: String,
    pub state: &'static str,
    pub left: String,
    /// What was said and how far it reaches, where that still counts.
    pub stands: Option<String>,
    /// Whether an emergency let it through and nobody looked yet.
    pub review_due: Option<String>,
    /// In how many more sessions the same waits, as far as the page shows.
    pub alike: usize,
}

/// Why somebody is asked: a sentence, and the rule with file and line.
pub(crate) struct Why {
    pub sentence: String,
    pub rule: String,
    pub source: String,
}

impl Why {
    /// From `sentence (rule, file:line)`, as a request keeps it.
    pub(crate) fn of(text: &str) -> Why {
        let text = visible(text);
        let parts = text
            .strip_suffix(')')
            .and_then(|text| text.rsplit_once(" ("))
            .and_then(|(sentence, rest)| rest.split_once(", ").map(|(rule, source)| (sentence, rule, source)))
            .filter(|(_, rule, _)| !rule.contains(' '));
        match parts {
            Some((sentence, rule, source)) => {
                Why { sentence: sentence.to_owned(), rule: rule.to_owned(), source: source.to_owned() }
            }
            None => Why { sentence: text, rule: String::new(), source: String::new() },
        }
    }
}

impl Card {
    pub(crate) fn of(request: &Request, reader: &mut Reader<'_>) -> Card {
        let over = request.state == RequestState::Pending && !is_waiting(request);
        let (text, more) = beginning(&request.title);
        Card {
            id: request.id.clone(),
            tool: one_line(&request.tool, 60),
            text,
            more: more.or_else(|| request.input.as_ref().map(|_| "its whole input".to_owned())),
            place: one_line(&request.dir, 120),
            agent: one_line(&request.agent, 40),
            session: visible(&request.session),
            why: request.why.iter().map(|why| Why::of(why)).collect(),
            reach: reader.of_request(request),
            yes: yes_means(request),
            state: if over { "expired" } else { request.state.name() },
            left: left(request),
            stands: stands(request),
            review_due: request.progress.review_due_ms().map(time),
            alike: 0,
        }
    }
}

/// One card for what several sessions ask alike: the newest, with how many more
/// there are.
pub(crate) fn merged(requests: &[Request], reader: &mut Reader<'_>) -> Vec<Card> {
    let mut shown: Vec<(&Request, usize)> = Vec::new();
    for request in requests {
        match shown.iter_mut().find(|(one, _)| one.is_like(request)) {
            Some((_, more)) => *more = more.saturating_add(1),
            None => shown.push((request, 0)),
        }
    }
    let card = |(request, alike)| Card { alike, ..Card::of(request, reader) };
    shown.into_iter().map(card).collect()
}

/// What was said, how far it reaches, until when, and how often it was used.
fn stands(request: &Request) -> Option<String> {
    let (answer, _) = request.answer()?;
    let word = if answer.word == Word::Approve { "yes" } else { "no" };
    let end = match request.ends_ms() {
        i64::MAX => "until it is revoked".to_owned(),
        end => format!("until {}", time(end)),
    };
    let (by, reach, uses) = (visible(&answer.by), visible(&answer.reach.words()), request.progress.uses);
    Some(format!("{word} by {by}: {reach}; {end}; used {uses} times"))
}

/// What a yes is worth, in one sentence.
pub(crate) fn yes_means(request: &Request) -> String {
    let until = clock(request.expires_ms);
    match &request.bypass {
        Some(bypass) => format!(
            "this one call passes `{}` once, in this session, until {until}",
            one_line(&bypass.guardrail, 60)
        ),
        None => {
            format!("exactly this call runs once, in this session, until {until}, unless you choose more")
        }
    }
}

/// How long somebody can still answer.
pub(crate) fn left(request: &Request) -> String {
    let seconds = request.expires_ms.saturating_sub(now_ms()).max(0) / 1000;
    if is_waiting(request) {
        format!("denied by itself in {}:{:02}", seconds / 60, seconds % 60)
    } else {
        String::new()
    }
}

/// The first lines, and what is left out.
fn beginning(text: &str) -> (String, Option<String>) {
    let shown: Vec<&str> = text.lines().take(LINES_MAX).collect();
    let shown = shown.join("\n");
    let cut = one_piece(&shown);
    let lines = text.lines().count().saturating_sub(LINES_MAX);
    let rest = text.len().saturating_sub(cut.len());
    let more = match (lines, rest) {
        (0, rest) if rest <= 1 => None,
        (0, rest) => Some(format!("{rest} more bytes")),
        (lines, rest) => Some(format!("{lines} more lines, {rest} bytes")),
    };
    (visible(&cut), more)
}

fn one_piece(text: &str) -> String {
    let end = text.floor_char_boundary(TEXT_MAX);
    text.get(..end).unwrap_or_default().to_owned()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_card_says_what_it_does_not_show() {
        assert_eq!(beginning("ls"), ("ls".to_owned(), None));
        assert_eq!(beginning("ls\n"), ("ls".to_owned(), None));
        let long = "x\n".repeat(30);
        assert_eq!(beginning(&long).1.unwrap(), "20 more lines, 41 bytes");
        assert_eq!(beginning(&"y".repeat(1000)).1.unwrap(), "300 more bytes");
    }

    #[test]
    fn why_is_told_apart_from_the_rule_that_asks() {
        let why = Why::of("rewrites history (of others) (git-push, /p/.toolgate/policy.yaml:3)");
        assert_eq!(
            (why.sentence.as_str(), why.rule.as_str(), why.source.as_str()),
            ("rewrites history (of others)", "git-push", "/p/.toolgate/policy.yaml:3")
        );
        for plain in ["just words", "past a rule: because (normal urgency, asked by main)"] {
            assert_eq!(Why::of(plain).sentence, plain);
        }
    }
}
