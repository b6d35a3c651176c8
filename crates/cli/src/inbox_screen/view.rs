//! The inbox as lines of text: the list above, the card of the request under the cursor below it,
//! and at the end what is typed or said, and the keys.

use super::model::{Model, Prompt, Waiting, What};
use super::terminal::Size;
use crate::card::Row;
use crate::explanation::carets;
use crate::screen::{BOLD, DIM, YELLOW, count, one_line, styled};
use toolgate_core::{Word, visible};

/// Lines of the list at most, where the card is shown as well.
const LISTED: usize = 6;

/// Calls a pattern would have covered that are named.
const COVERED: usize = 4;

/// The keys, the most needed first: those that do not fit are on the page of the first.
const KEYS: &[&str] =
    &["? keys", "q quit", "y approve", "n deny", "m message", "s session", "a always", "Enter full text"];

const HELP: &[&str] = &[
    "j k  or arrows   next, previous request",
    "Enter            the request on the whole screen, and back",
    "Space b          a page down, up",
    "y                approve: this call, once (then Enter if it is severe)",
    "s                approve: this call for the rest of this session",
    "a                approve always: shows a pattern you can edit first",
    "n                deny",
    "m                write a message to the agent; it goes with your answer",
    "u                undo your last answer, until it has been used",
    "r                look again now (the list also updates by itself)",
    "q  or Ctrl-C     quit; requests keep waiting",
];

/// What is drawn.
pub struct Frame {
    /// The lines, each no wider than the screen.
    pub lines: Vec<String>,
    /// How many rows of the card were.
    pub page: usize,
}

/// What a pattern would have covered.
#[derive(Debug, Default)]
pub struct Covered {
    /// The pattern.
    pub pattern: String,
    /// What is wrong with it.
    pub fault: Option<String>,
    /// Calls of late that fit it.
    pub calls: Vec<String>,
}

/// Draws it. `card` holds the rows of the request under the cursor, `left` says how long each waits.
pub fn frame(
    model: &Model,
    size: Size,
    card: &[Row],
    covered: &Covered,
    left: &dyn Fn(&Waiting) -> String,
) -> Frame {
    let mut lines = vec![head(model, size.columns)];
    let foot = foot(model, size.columns, covered);
    if model.is_help {
        let room = size.rows.saturating_sub(1 + foot.len());
        lines.extend(HELP.iter().take(room).map(|line| carets::cut(line, size.columns)));
    }
    let listed = if model.is_full || model.is_help { 0 } else { LISTED.min(model.waiting.len()) };
    let from = model.index().unwrap_or(0).saturating_sub(listed.saturating_sub(1));
    for one in model.waiting.iter().skip(from).take(listed) {
        lines.push(list_line(model, one, size.columns, &left(one)));
    }
    let hidden = model.waiting.len().saturating_sub(listed);
    if listed > 0 && hidden > 0 {
        lines.push(styled(DIM, &carets::cut(&format!("  … {hidden} more: j and k move on"), size.columns)));
    }
    let page = if model.is_help { 0 } else { size.rows.saturating_sub(lines.len() + 1 + foot.len()) };
    if !model.is_help && model.selected.is_some() {
        lines.push(rule(model, size.columns, page, card.len()));
        lines.extend(card.iter().skip(model.scroll).take(page).map(Row::line));
    }
    // The foot stays at the bottom.
    let empty = size.rows.saturating_sub(lines.len() + foot.len());
    lines.extend(std::iter::repeat_n(String::new(), empty));
    lines.extend(foot);
    lines.truncate(size.rows);
    Frame { lines, page }
}

fn head(model: &Model, columns: usize) -> String {
    let waits = match model.waiting.len() {
        0 => "nothing waits; new requests appear here".to_owned(),
        1 => "1 request waits".to_owned(),
        many => format!("{many} requests wait"),
    };
    styled(BOLD, &carets::cut(&format!("Toolgate inbox · {waits}"), columns))
}

fn list_line(model: &Model, one: &Waiting, columns: usize, left: &str) -> String {
    let request = &one.request;
    let is_current = model.selected.as_ref() == Some(&request.id);
    let alike = if one.alike > 0 {
        format!(" (and in {})", count(one.alike as u64, "more session"))
    } else {
        String::new()
    };
    let words = if model.words.contains_key(&request.id) { " +message" } else { "" };
    let mark = if is_current { ">" } else { " " };
    let line =
        format!("{mark} {}  {left:<7} {}{alike}{words}", request.id, one_line(&request.title, columns));
    let line = carets::cut(&line, columns);
    if is_current { styled(BOLD, &line) } else { line }
}

/// The line above the card: whose it is, and how much of it is below the screen.
fn rule(model: &Model, columns: usize, page: usize, rows: usize) -> String {
    let below = rows.saturating_sub(model.scroll.saturating_add(page));
    let more = match (below, model.scroll) {
        (0, 0) => String::new(),
        (0, _) => " · end".to_owned(),
        (below, _) => format!(" · {} below: Space", count(below as u64, "more line")),
    };
    let id = model.selected.as_deref().unwrap_or("");
    let style = if below > 0 { YELLOW } else { DIM };
    let text = format!("── {id}{more} ");
    let dashes = columns.saturating_sub(text.chars().count());
    styled(style, &carets::cut(&format!("{text}{}", "─".repeat(dashes)), columns))
}

/// What is typed or said, and the keys.
fn foot(model: &Model, columns: usize, covered: &Covered) -> Vec<String> {
    let message = model.selected.as_ref().and_then(|id| model.words.get(id));
    let cut = |text: String| carets::cut(&text, columns);
    match &model.prompt {
        Some(Prompt { what: What::Message, text }) => vec![
            cut("Enter keeps, Esc drops. The message goes with your answer.".to_owned()),
            typed("> ", text, columns),
        ],
        Some(Prompt { what: What::Pattern, text }) => pattern(text, columns, covered),
        Some(Prompt { what: What::Severe(given), .. }) => vec![
            styled(YELLOW, &cut(format!("Severe. Approve {}: {}?", given.id, visible(&given.reach.words())))),
            cut("Enter approves, Esc cancels".to_owned()),
        ],
        Some(Prompt { what: What::Passphrase(given), text }) => {
            let verb = if given.word == Word::Approve { "Approve" } else { "Deny" };
            let dots = "•".repeat(text.chars().count());
            vec![
                cut(format!("{verb} {}: {}.", given.id, visible(&given.reach.words()))),
                typed("Passphrase (Enter answers, Esc cancels): ", &dots, columns),
            ]
        }
        None => {
            let said = model.notice.as_ref().map(|text| styled(YELLOW, &cut(visible(text))));
            let said =
                said.or_else(|| message.map(|text| cut(format!("message: \"{}\"", one_line(text, columns)))));
            vec![said.unwrap_or_default(), styled(DIM, &keys(columns))]
        }
    }
}

/// As many of the keys as fit.
fn keys(columns: usize) -> String {
    let mut line = String::new();
    for key in KEYS {
        let between = if line.is_empty() { "" } else { " · " };
        if line.chars().count() + between.chars().count() + key.chars().count() <= columns {
            line.push_str(between);
            line.push_str(key);
        }
    }
    line
}

fn pattern(text: &str, columns: usize, covered: &Covered) -> Vec<String> {
    let cut = |text: String| carets::cut(&text, columns);
    let mut lines = vec![
        cut("Approve always, until you revoke it.".to_owned()),
        cut("`*` matches any text within one word; empty means exactly this call.".to_owned()),
    ];
    if let Some(fault) = covered.fault.as_ref().filter(|_| covered.pattern == text) {
        lines.push(styled(YELLOW, &cut(visible(fault))));
    } else if covered.pattern == text && !text.is_empty() {
        let found = count(covered.calls.len() as u64, "recent call");
        lines.push(cut(format!("It would have covered {found}:")));
        lines.extend(
            covered.calls.iter().take(COVERED).map(|call| cut(format!("  {}", one_line(call, columns)))),
        );
    }
    lines.push(typed("Pattern (Enter approves, Esc cancels): ", text, columns));
    lines
}

/// A line that is typed, its end always on the screen.
fn typed(question: &str, text: &str, columns: usize) -> String {
    let shown: Vec<char> = visible(text).chars().collect();
    let room = columns.saturating_sub(question.chars().count() + 2);
    let from = shown.len().saturating_sub(room);
    let end: String = shown.iter().skip(from).collect();
    let line = format!("{question}{}{end}", if from > 0 { "…" } else { "" });
    format!(
        "{}{}",
        carets::cut(&line, columns.saturating_sub(1)),
        styled(anstyle::Style::new().invert(), " ")
    )
}
