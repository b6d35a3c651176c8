//! `toolgate test --explain`: what was read from a call, what each guard found
//! in it, and the bytes that made it match.
//!
//! Renders an [`Explained`]; judges nothing.

pub mod carets;
mod tree;

use crate::screen::{BOLD, DIM, YELLOW, one_line, styled, verdict_style, visible};
use serde_json::{Value, json};
use toolgate_core::shell::Span;
use toolgate_core::{Evidence, Explained, Finding, Origin, Pointed, Round, RuleEntry};
use tree::{Fact, Piece};

/// Longest line, in columns.
const WIDTH: usize = 100;

/// Longest command, in lines.
const LINES_MAX: usize = 40;

/// The explanation as JSON, one entry per pass.
pub fn data(explained: &Explained, rules: &[RuleEntry]) -> Value {
    let round = |round: &Round| {
        let objections = round.findings.iter().filter(|pointed| pointed.finding.is_objection());
        let text = round.event.call.command().unwrap_or_default();
        let finding = |pointed: &Pointed| {
            let finding = &pointed.finding;
            json!({
                "rule": finding.guard,
                "verdict": finding.outcome.verdict().name(),
                "source": finding.source,
                "reason": finding.message,
                "because": finding.evidence,
                "causes": carets::places(text, &pointed.causes),
            })
        };
        json!({
            "call": round.event.call.title(),
            "parts": tree::of(round, rules),
            "findings": objections.map(finding).collect::<Vec<_>>(),
        })
    };
    explained.rounds.iter().map(round).collect()
}

/// The explanation for a person, without the verdict.
pub fn text(explained: &Explained, rules: &[RuleEntry]) -> String {
    let page = &mut Vec::new();
    for (at, round) in explained.rounds.iter().enumerate() {
        if at > 0 {
            page.push(styled(BOLD, "after the rewrite"));
        }
        show_call(page, round);
        page.push(String::new());
        let pieces = tree::of(round, rules);
        show_tree(page, &pieces);
        if !pieces.is_empty() {
            page.push(String::new());
        }
        show_fault(page, round);
        let objections = || round.findings.iter().filter(|pointed| pointed.finding.is_objection());
        for pointed in objections() {
            show_finding(page, pointed, round);
        }
        if objections().next().is_none() {
            page.push(styled(DIM, "no rule objects"));
            page.push(String::new());
        }
    }
    page.join("\n")
}

/// A piece of evidence in one line: a quotation with the line it is from, or a remark.
pub fn quoted(evidence: &Evidence) -> String {
    let text = one_line(&evidence.text, 160);
    match &evidence.origin {
        Some(Origin::Field { line, .. }) if *line > 1 => format!("`{text}` (line {line})"),
        Some(Origin::Field { .. }) => format!("`{text}`"),
        Some(Origin::File { file, line, .. }) => format!("`{text}` ({}:{line})", visible(file)),
        None => text,
    }
}

fn show_call(page: &mut Vec<String>, round: &Round) {
    let call = &round.event.call;
    let Some(text) = call.command() else {
        page.push(one_line(&call.title(), WIDTH));
        return;
    };
    let lines: Vec<String> = carets::lines(text);
    let several = lines.len() > 1;
    let digits = lines.len().to_string().len();
    for (number, line) in (1..).zip(lines.iter().take(LINES_MAX)) {
        let line = carets::cut(line, WIDTH);
        let bar = styled(DIM, &format!("{number:>digits$} |"));
        page.push(if several { format!("{bar} {line}") } else { line });
    }
    if let Some(more) = lines.len().checked_sub(LINES_MAX).filter(|more| *more > 0) {
        page.push(styled(DIM, &format!("… {more} more lines")));
    }
}

/// The tree of pieces, with branch lines.
fn show_tree(page: &mut Vec<String>, pieces: &[Piece]) {
    for (at, piece) in (1..).zip(pieces) {
        show_piece(page, piece, "", at == pieces.len());
    }
}

fn show_piece(page: &mut Vec<String>, piece: &Piece, before: &str, last: bool) {
    let branch = if last { "└─ " } else { "├─ " };
    let joint = if piece.joint.is_empty() { String::new() } else { format!("{} ", piece.joint) };
    let inside = match &piece.dir {
        Some(dir) => styled(DIM, &format!("  in {}", one_line(dir, WIDTH))),
        None => String::new(),
    };
    let text = one_line(&piece.text, WIDTH);
    let text = if matches!(piece.shape, "command" | "assignment") { text } else { styled(DIM, &text) };
    page.push(format!("{before}{branch}{joint}{text}{inside}{}", pointer(&piece.rules)));
    let below = format!("{before}{}", if last { "   " } else { "│  " });
    let bar = if piece.parts.is_empty() { "   " } else { "│  " };
    let longest = piece.facts.iter().map(|fact| fact.what.len()).max().unwrap_or_default();
    for fact in &piece.facts {
        page.push(format!("{below}{bar}{}", fact_line(fact, longest)));
    }
    for (at, part) in (1..).zip(&piece.parts) {
        show_piece(page, part, &below, at == piece.parts.len());
    }
}

fn fact_line(fact: &Fact, longest: usize) -> String {
    let target = match (fact.target.as_str(), &fact.path) {
        ("", _) => String::new(),
        (target, Some(path)) if path != target => {
            format!("{} → {}", one_line(target, WIDTH), one_line(path, WIDTH))
        }
        (target, _) => one_line(target, WIDTH),
    };
    let real =
        fact.real.as_ref().map(|real| format!(" → really {}", one_line(real, WIDTH))).unwrap_or_default();
    let unsure = if fact.exact { String::new() } else { styled(DIM, "  (partly unknown)") };
    let width = if target.is_empty() { 0 } else { longest.saturating_add(2) };
    format!(
        "{}{target}{real}{unsure}{}",
        styled(BOLD, &format!("{:width$}", fact.what)),
        pointer(&fact.rules)
    )
}

fn pointer(rules: &[String]) -> String {
    if rules.is_empty() {
        String::new()
    } else {
        format!("  {}", styled(BOLD, &format!("← {}", rules.join(", "))))
    }
}

/// Where parsing stopped, if it did.
fn show_fault(page: &mut Vec<String>, round: &Round) {
    let (Some(fault), Some(text)) = (&round.facts.reading.fault, round.event.call.command()) else { return };
    page.push(format!("{}  {}", styled(YELLOW, "unreadable"), visible(&fault.message)));
    let end = fault.span.end.max(fault.span.start.saturating_add(1));
    for line in carets::under(text, &[Span { end, ..fault.span }], WIDTH, YELLOW) {
        page.push(format!("  {line}"));
    }
    page.push(String::new());
}

fn show_finding(page: &mut Vec<String>, pointed: &Pointed, round: &Round) {
    let Finding { guard, source, outcome, message, evidence, .. } = &pointed.finding;
    let source = format!("({source})");
    let verdict = outcome.verdict();
    let name = styled(verdict_style(verdict), verdict.name());
    page.push(format!("{name}  {} {}", styled(BOLD, guard), styled(DIM, &source)));
    let text = round.event.call.command().unwrap_or_default();
    for line in carets::under(text, &pointed.causes, WIDTH, verdict_style(verdict)) {
        page.push(format!("  {line}"));
    }
    page.push(format!("  reason   {}", visible(message)));
    for one in evidence {
        page.push(format!("  found    {}", quoted(one)));
    }
    if let Some(step) = &pointed.finding.remediation {
        page.push(format!("  fix      {}", visible(step)));
    }
    for alternative in &pointed.finding.alternatives {
        page.push(format!("  allowed  {}", visible(alternative)));
    }
    page.push(String::new());
}
