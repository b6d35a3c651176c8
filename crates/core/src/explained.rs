//! Why a decision came out as it did: every pass with its facts, and for each
//! finding the bytes of the command that caused it.
//!
//! The bytes are found by trying: words are replaced by one that means
//! nothing, and what must stay for the guard to speak is the cause. So it
//! holds for every guard there is or will be, and none has to keep spans.
//! Never used on the hook path.

use crate::call::Kind;
use crate::chain::{Decision, Pass, judge_watched};
use crate::event::Event;
use crate::evidence::Origin;
use crate::facts::Facts;
use crate::finding::Finding;
use crate::guard::{Guard, Seen};
use crate::outcome::Verdict;
use crate::places::Places;
use crate::policy::Policy;
use crate::session::Session;
use std::panic::{AssertUnwindSafe, catch_unwind};
use toolgate_shell::{Outline, RedirectKind, Span, outline};

/// What a stretch is replaced by: a word that is no program, no option and no
/// file of note, so that the words behind it keep their places; or nothing at
/// all, so that `sudo` goes and what it starts stays.
const REPLACEMENTS: [&str; 2] = ["_", ""];

/// Readings one finding may cost.
const TRIES_MAX: usize = 1200;

/// Bytes read for one finding, all tries together.
const BYTES_MAX: usize = 8 << 20;

/// A decision and how it came about.
#[derive(Debug, Clone, PartialEq)]
pub struct Explained {
    /// The decision, the same as without explaining.
    pub decision: Decision,
    /// Each pass over the call; more than one if it was rewritten.
    pub rounds: Vec<Round>,
}

/// One pass over a call.
#[derive(Debug, Clone, PartialEq)]
pub struct Round {
    /// The event as judged.
    pub event: Event,
    /// What was read from it.
    pub facts: Facts,
    /// What the guards found, in order.
    pub findings: Vec<Pointed>,
}

/// A finding with its cause.
#[derive(Debug, Clone, PartialEq)]
pub struct Pointed {
    /// The finding.
    pub finding: Finding,
    /// The bytes of the command that caused it, in order; none for calls that
    /// are no shell command and for text too long to try.
    pub causes: Vec<Span>,
}

/// Judges one event and keeps why.
#[must_use]
pub fn explain(
    policy: &Policy,
    event: &Event,
    session: &Session,
    places: &Places,
    pass: &Pass<'_>,
) -> Explained {
    let mut rounds = Vec::new();
    let decision = judge_watched(policy, event, session, places, pass, &mut |seen, findings| {
        let guards = policy.guards_for(seen);
        let point = |finding: &Finding| {
            let guard = guards.iter().find(|guard| guard.id() == finding.guard);
            let causes = guard.map(|guard| causes(*guard, seen, finding, pass)).unwrap_or_default();
            Pointed { finding: finding.clone(), causes }
        };
        rounds.push(Round {
            event: seen.event.clone(),
            facts: seen.facts.clone(),
            findings: findings.iter().map(point).collect(),
        });
    });
    Explained { decision, rounds }
}

/// The bytes without which `guard` would not have said this.
fn causes(guard: &dyn Guard, seen: &Seen<'_>, finding: &Finding, pass: &Pass<'_>) -> Vec<Span> {
    let Kind::Shell { command, .. } = &seen.event.call.kind else { return Vec::new() };
    let verdict = finding.outcome.verdict();
    let mut tries = Tries { guard, seen, pass, source: command, verdict, left: tries_for(command) };
    let commands = tries.kept(whole_commands(seen.facts), &[], outer_first);
    // Two ways through, so that of `rm a b` both are found and not only one.
    let words = |span: &&Span| commands.gone.iter().all(|(gone, _)| !overlaps(**span, *gone));
    let words: Vec<Span> =
        words_of(seen.facts).iter().chain(&assignments(&outline(command))).filter(words).copied().collect();
    let forward = tries.kept(words.clone(), &commands.gone, outer_first);
    let backward = tries.kept(words, &commands.gone, |span| (usize::MAX - span.end, span.start));
    if tries.left == 0 {
        return Vec::new();
    }
    let mut found: Vec<Span> = forward.kept.into_iter().chain(backward.kept).collect();
    if found.is_empty() {
        found = commands.kept;
    }
    tidy(narrowed(found, finding, command), command)
}

/// Of a stretch over several lines, such as a here-document, what the finding quotes of it.
fn narrowed(spans: Vec<Span>, finding: &Finding, command: &str) -> Vec<Span> {
    let quoted: Vec<Span> = finding
        .evidence
        .iter()
        .filter(|one| matches!(one.origin, Some(Origin::Field { .. })))
        .filter_map(|one| one.range().map(|range| Span { start: range.start, end: range.end }))
        .collect();
    let is_long = |span: &Span| command.get(span.start..span.end).is_some_and(|text| text.contains('\n'));
    let inside = |span: Span| {
        let all = quoted.iter().filter(move |one| span.start <= one.start && one.end <= span.end).copied();
        all.collect::<Vec<_>>()
    };
    spans
        .into_iter()
        .flat_map(|span| {
            let parts = if is_long(&span) { inside(span) } else { Vec::new() };
            if parts.is_empty() { vec![span] } else { parts }
        })
        .collect()
}

fn outer_first(span: &Span) -> (usize, usize) {
    (span.start, usize::MAX - span.end)
}

fn tries_for(command: &str) -> usize {
    TRIES_MAX.min(BYTES_MAX / command.len().max(1))
}

/// Which stretches must stay, and which may go, and for what.
#[derive(Default)]
struct Sorted {
    kept: Vec<Span>,
    gone: Vec<Gone>,
}

type Gone = (Span, &'static str);

struct Tries<'a> {
    guard: &'a dyn Guard,
    seen: &'a Seen<'a>,
    pass: &'a Pass<'a>,
    source: &'a str,
    verdict: Verdict,
    left: usize,
}

impl Tries<'_> {
    /// Takes away one stretch after the other, and keeps those without which
    /// the guard falls silent.
    fn kept<K: Ord>(&mut self, mut spans: Vec<Span>, gone: &[Gone], order: impl Fn(&Span) -> K) -> Sorted {
        spans.sort_by_key(order);
        spans.dedup();
        let mut sorted = Sorted { kept: Vec::new(), gone: gone.to_vec() };
        self.sort_out(&spans, &mut sorted);
        sorted
    }

    /// Many at once where they may all go, else in halves: of a long script
    /// little matters.
    fn sort_out(&mut self, spans: &[Span], sorted: &mut Sorted) {
        let free = |span: &&Span| !sorted.gone.iter().any(|(other, _)| overlaps(**span, *other));
        let spans: Vec<Span> = spans.iter().filter(free).copied().collect();
        let goes = !spans.is_empty()
            && REPLACEMENTS.iter().any(|with| {
                let before = sorted.gone.len();
                sorted.gone.extend(spans.iter().map(|span| (*span, *with)));
                let speaks = self.still_speaks(&sorted.gone);
                if !speaks {
                    sorted.gone.truncate(before);
                }
                speaks
            });
        match spans.as_slice() {
            [] => {}
            _ if goes => {}
            [only] => sorted.kept.push(*only),
            several => {
                let (one, other) = several.split_at(several.len() / 2);
                self.sort_out(one, sorted);
                self.sort_out(other, sorted);
            }
        }
    }

    fn still_speaks(&mut self, gone: &[Gone]) -> bool {
        let Some(left) = self.left.checked_sub(1) else { return false };
        self.left = left;
        let Some(text) = without(self.source, gone) else { return false };
        let event = Event { call: self.seen.event.call.with_command(&text), ..self.seen.event.clone() };
        let facts = (self.pass.facts_of)(&event.call);
        let seen = Seen { event: &event, facts: &facts, ..*self.seen };
        let answer = catch_unwind(AssertUnwindSafe(|| self.guard.judge(&seen)));
        answer.is_ok_and(|finding| finding.is_some_and(|one| one.outcome.verdict() == self.verdict))
    }
}

/// Commands that stand in the text themselves. One with a here-document stays:
/// without its head the body would be commands.
fn whole_commands(facts: &Facts) -> Vec<Span> {
    let commands = facts.reading.commands.iter();
    let plain = commands.filter(|one| one.redirects.iter().all(|one| one.kind != RedirectKind::HereDoc));
    plain.filter(|one| one.started_by.is_none()).map(|one| one.span).filter(is_some_bytes).collect()
}

fn words_of(facts: &Facts) -> Vec<Span> {
    let commands = facts.reading.commands.iter();
    let mut spans: Vec<Span> = commands
        .flat_map(|command| {
            let words = command.words.iter().map(|word| word.span);
            let values = command.assignments.iter().map(|one| one.value.span);
            words.chain(values).chain(command.redirects.iter().map(|one| one.target.span))
        })
        .chain(facts.reading.opaque.iter().map(|one| one.span))
        .filter(is_some_bytes)
        .collect();
    spans.sort_by_key(|span| (span.start, span.end));
    spans.dedup();
    spans
}

/// `X=1` on its own belongs to no command, and may be what one means.
fn assignments(pieces: &[Outline]) -> Vec<Span> {
    let one = |piece: &Outline| {
        let own = (piece.shape == "assignment").then_some(piece.span);
        own.into_iter().chain(assignments(&piece.inside)).collect::<Vec<_>>()
    };
    pieces.iter().flat_map(one).filter(is_some_bytes).collect()
}

fn is_some_bytes(span: &Span) -> bool {
    span.start < span.end
}

fn overlaps(one: Span, other: Span) -> bool {
    one.start < other.end && other.start < one.end
}

/// The text with each stretch replaced; `None` if one does not lie in it.
fn without(source: &str, gone: &[Gone]) -> Option<String> {
    let mut gone = gone.to_vec();
    gone.sort_by_key(|(span, _)| span.start);
    let mut text = String::with_capacity(source.len());
    let mut at = 0;
    for (span, with) in gone {
        text.push_str(source.get(at..span.start)?);
        text.push_str(with);
        // The last line of a here-document ends before its delimiter.
        if source.get(span.start..span.end)?.ends_with('\n') {
            text.push('\n');
        }
        at = span.end;
    }
    text.push_str(source.get(at..)?);
    Some(text)
}

/// In order, the narrowest only, and joined where just blanks stand between.
fn tidy(mut spans: Vec<Span>, source: &str) -> Vec<Span> {
    spans.sort_by_key(|span| (span.start, span.end));
    spans.dedup();
    let holds =
        |outer: &Span, inner: &Span| outer != inner && outer.start <= inner.start && inner.end <= outer.end;
    let narrow: Vec<Span> =
        spans.iter().filter(|span| !spans.iter().any(|other| holds(span, other))).copied().collect();
    let mut joined: Vec<Span> = Vec::new();
    for span in narrow {
        match joined.last_mut() {
            Some(last) if is_blank(source.get(last.end..span.start)) => last.end = span.end,
            _ => joined.push(span),
        }
    }
    joined
}

fn is_blank(text: Option<&str>) -> bool {
    text.is_some_and(|text| text.chars().all(|found| found == ' '))
}
