//! One request at the terminal: the whole call with what the rules found in it, who asks and why,
//! what it reaches, what was answered, and how long that holds. The same rows for `inbox show` and
//! for the inbox screen.

use crate::explanation::{carets, quoted};
use crate::screen::{BOLD, DIM, YELLOW, out, styled};
use crate::verbs::{logs, serve};
use anstyle::Style;
use toolgate_core::shell::Span;
use toolgate_core::{
    Answer, Evidence, Habit, Origin, Request, RequestState, Severity, age, earlier, habit_of, why_parts,
};
use toolgate_runtime::{Reader, Setup, now_ms};
use unicode_width::UnicodeWidthStr;

/// Columns of the names in front of the rows.
pub const LABEL: usize = 9;

/// One line of a card.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// What it is; empty where the row above goes on.
    pub label: &'static str,
    /// What is shown; nothing in it moves the screen.
    pub text: String,
    /// How it looks.
    pub style: Style,
}

impl Row {
    /// As it is printed.
    pub fn line(&self) -> String {
        format!("{:<LABEL$}{}", self.label, styled(self.style, &self.text))
    }
}

/// What is said about a request besides what it holds itself.
#[derive(Debug, Default)]
pub struct Around {
    /// What its call does, and to what.
    pub reach: Vec<String>,
    /// How bad it would be, if the rules still say.
    pub severity: Option<Severity>,
    /// What was answered to the same call before, or else to calls like it.
    pub before: Option<String>,
}

impl Around {
    /// Looks it up: the call is read again, and the other requests counted.
    pub fn of(request: &Request, others: &[Request], setup: Setup) -> Around {
        let mut reader = Reader::new(setup, serve::call);
        let (reach, severity) = (reader.reach(request), reader.severity(request));
        let is_waiting = request.state == RequestState::Pending && !request.is_over(now_ms());
        let before = if is_waiting { before(request, others) } else { None };
        Around { reach, severity, before }
    }
}

fn before(request: &Request, others: &[Request]) -> Option<String> {
    let same = earlier(request, others).words(now_ms());
    same.or_else(|| {
        let Habit { yes, no } = habit_of(request, others);
        (yes + no > 0).then(|| format!("calls like this were approved {yes} times and denied {no} times"))
    })
}

/// Prints it: nothing of the call is cut or hidden.
pub fn card(request: &Request, around: &Around) {
    let state = request.state_name(now_ms());
    out(&styled(BOLD, &format!("{}  {state}", request.id)));
    rows(request, around, None).iter().for_each(|row| out(row.line().trim_end()));
}

/// Its rows, no wider than `width` columns if one is given.
pub fn rows(request: &Request, around: &Around, width: Option<usize>) -> Vec<Row> {
    let mut rows = Rows { all: Vec::new(), width: width.map(|width| width.saturating_sub(LABEL).max(20)) };
    call(&mut rows, request);
    rows.add("tool", &format!("{} in {}", request.tool, request.dir));
    if let Some(text) = &request.details.description {
        rows.add("purpose", &format!("\"{text}\" (the agent's words)"));
    }
    if !around.reach.is_empty() {
        rows.add("does", &around.reach.join(" · "));
    }
    if let Some(bypass) = &request.bypass {
        rows.add("needs", bypass.role_at(request.made_ms, now_ms()));
    }
    for why in &request.why {
        match why_parts(why) {
            Some((sentence, rule, source)) => rows.add("why", &format!("{sentence} [{rule} ({source})]")),
            None => rows.add("why", why),
        }
    }
    request.details.fixes.iter().for_each(|step| rows.add("fix", step));
    request.details.alternatives.iter().for_each(|step| rows.add("instead", step));
    around.before.iter().for_each(|text| rows.add("before", text));
    for note in &request.reviews {
        let decision = note.decision.map_or("no answer", toolgate_core::Judgement::name);
        let sure = note.confidence_percent;
        rows.add("review", &format!("supervisor {}: {decision} ({sure} %) {}", note.by, note.said));
    }
    let (time, ago) = (logs::time(request.made_ms), age(request.made_ms, now_ms()));
    let (agent, session) = (&request.agent, &request.session);
    rows.add("asked", &format!("{time} ({ago}) by agent {agent} of session {session}"));
    for yes in request.progress.yes.iter().filter(|_| request.progress.needs > 1) {
        rows.add("so far", &format!("{} approves; {} people must", yes.by, request.progress.needs));
    }
    request.progress.claimed.iter().for_each(|by| rows.add("claimed", &format!("by {by}")));
    for comment in &request.progress.comments {
        rows.add("note", &format!("{}: {}", comment.by, comment.text));
    }
    answer(&mut rows, request, now_ms());
    rows.all
}

struct Rows {
    all: Vec<Row>,
    width: Option<usize>,
}

impl Rows {
    fn add(&mut self, label: &'static str, text: &str) {
        self.styled(label, text, Style::new());
    }

    fn styled(&mut self, label: &'static str, text: &str, style: Style) {
        let width = self.width.unwrap_or(usize::MAX);
        let lines = carets::through(text, &[], None).into_iter();
        for (at, line) in lines.flat_map(|(line, _)| between_words(&line, width)).enumerate() {
            self.all.push(Row { label: if at == 0 { label } else { "" }, text: line, style });
        }
    }
}

/// A line of prose folded between its words; a word that is wider than a line is folded itself.
fn between_words(line: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in line.split(' ') {
        let Some(last) = lines.last_mut() else { break };
        if last.is_empty() || last.width().saturating_add(1).saturating_add(word.width()) <= width {
            last.push_str(if last.is_empty() { "" } else { " " });
            last.push_str(word);
        } else {
            lines.push(word.to_owned());
        }
    }
    lines.iter().flat_map(|line| carets::through(line, &[], Some(width))).map(|(line, _)| line).collect()
}

/// The whole call, with carets below what the rules found in it; evidence from elsewhere is quoted.
fn call(rows: &mut Rows, request: &Request) {
    let marks = request.details.marks_in(&request.title);
    let spans: Vec<Span> = marks.iter().map(|mark| Span { start: mark.start, end: mark.end }).collect();
    let mut label = "call";
    for (line, marked) in carets::through(&request.title, &spans, rows.width) {
        rows.all.push(Row { label, text: line, style: BOLD });
        label = "";
        rows.all.extend(marked.map(|text| Row { label, text, style: YELLOW }));
    }
    for (text, _) in request.input.iter().flat_map(|input| carets::through(input, &[], rows.width)) {
        rows.all.push(Row { label, text, style: Style::new() });
    }
    let is_elsewhere = |one: &&Evidence| marks.is_empty() || matches!(one.origin, Some(Origin::File { .. }));
    let found: Vec<&Evidence> = request.details.evidence.iter().filter(is_elsewhere).collect();
    found.iter().for_each(|one| rows.add("found", &quoted(one)));
}

/// How often an answer was used.
pub fn uses(request: &Request) -> String {
    match request.progress.uses {
        0 => "not used yet".to_owned(),
        1 => "used once".to_owned(),
        count => format!("used {count} times"),
    }
}

/// What was answered, and how long that holds.
fn answer(rows: &mut Rows, request: &Request, now: i64) {
    let end = logs::time(request.ends_ms());
    let said = |answer: &Answer| {
        let words = answer.words.as_ref().map(|words| format!(": \"{words}\"")).unwrap_or_default();
        format!("by {}{words}", answer.by)
    };
    match &request.state {
        RequestState::Used { call } => {
            let call = call.as_deref().map_or("the call ran".to_owned(), |call| format!("by call {call}"));
            rows.add("used", &call);
            request.decisive_answer().iter().for_each(|answer| rows.add("approved", &said(answer)));
        }
        RequestState::Expired => rows.add("expired", &format!("{end}; this counts as denied")),
        _ if request.is_over(now) => rows.add("expired", &format!("{end}; this counts as denied")),
        RequestState::Revoked { by } => rows.add("revoked", &format!("by {by}")),
        RequestState::Denied { answer, .. } | RequestState::Approved { answer, .. }
            if !answer.reach.is_once() =>
        {
            rows.add(answer.word.past(), &said(answer));
            rows.add("covers", &format!("{}; {}", answer.reach.words(), uses(request)));
            if request.ends_ms() < i64::MAX {
                rows.add("until", &end);
            }
        }
        RequestState::Denied { answer, .. } => {
            rows.add("denied", &said(answer));
            rows.add("until", &format!("{end}; the repeated call is denied as well"));
        }
        RequestState::Approved { answer, .. } => {
            rows.add("approved", &said(answer));
            rows.add("until", &format!("{end}; then the approval ends, used or not"));
        }
        RequestState::Pending => {
            if let Some(from_ms) = request.presses_from_ms() {
                let from = logs::time(from_ms);
                let text = format!("unanswered, it runs from {from} on if the policy lists its command");
                rows.add("urgent", &text);
            }
            rows.add("until", &format!("{end}; then it counts as denied"));
            rows.styled("approve", "lets exactly this call of this session run, once", DIM);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::between_words;

    #[test]
    fn prose_is_folded_between_words() {
        assert_eq!(between_words("one two three", 8), ["one two", "three"]);
        assert_eq!(between_words("one two three", usize::MAX), ["one two three"]);
        assert_eq!(between_words("a toolongword b", 6), ["a", "toolon", "gword", "b"]);
        assert_eq!(between_words("", 5), [""]);
    }
}
