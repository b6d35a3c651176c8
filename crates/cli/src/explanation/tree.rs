//! The parts of a call as a tree: lists, pipes, substitutions, the simple
//! commands in them, what each starts, and the facts read from each.

use serde::Serialize;
use std::collections::{HashMap, HashSet};
use toolgate_core::shell::{Command, Effect, Opaque, Outline, Redirect, RedirectKind, Span, Word, outline};
use toolgate_core::{Evidence, FileFact, Finding, Round, RuleEntry};

/// Deepest nesting of commands that start each other.
const DEPTH_MAX: usize = 64;

/// One part with the parts inside it.
#[derive(Debug, Default, Serialize)]
pub struct Piece {
    /// `command`, or what holds commands: `pipeline`, `chain`, `$(…)` …
    pub shape: &'static str,
    /// How it hangs on the one before: `|`, `&&`, `||`.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub joint: &'static str,
    /// The command as it would run, or the shape.
    pub text: String,
    /// First byte and one past the last, in the command.
    pub span: [usize; 2],
    /// The folder it runs in, if the text changed it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dir: Option<String>,
    /// What it would do.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub facts: Vec<Fact>,
    /// The rules that speak of it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<String>,
    /// What it starts, and what is in its words.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<Piece>,
}

/// One thing a command would do.
#[derive(Debug, Serialize)]
pub struct Fact {
    /// The kind, or `opaque`, `unreadable`.
    pub what: String,
    /// What it is done to, as written.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub target: String,
    /// The path in full, for files.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Where symlinks lead, if elsewhere.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub real: Option<String>,
    /// Whether all of the target is known.
    pub exact: bool,
    /// The rules that speak of it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<String>,
}

/// The tree of one pass.
pub fn of(round: &Round, rules: &[RuleEntry]) -> Vec<Piece> {
    let grove = Grove::new(round, rules);
    let Some(source) = round.event.call.command() else { return grove.of_call() };
    let mut placed = HashSet::new();
    let mut pieces: Vec<Piece> =
        outline(source).iter().flat_map(|one| grove.of_outline(one, source, &mut placed)).collect();
    // What has no place of its own in the text: arithmetic, trap bodies.
    for (at, command) in round.facts.commands() {
        if command.started_by.is_none() && placed.insert(at) {
            pieces.push(grove.of_command(at, command, "", 0));
        }
    }
    pieces.extend(grove.of_rest());
    pieces
}

/// A round with what is looked up often: a script may hold thousands of commands.
struct Grove<'a> {
    round: &'a Round,
    rules: &'a [RuleEntry],
    /// Commands no one starts, by their place.
    by_span: HashMap<Span, Vec<usize>>,
    /// What each command starts.
    started: HashMap<usize, Vec<usize>>,
    /// What cannot be told, by the innermost command it is in.
    opaque: HashMap<Option<usize>, Vec<&'a Opaque>>,
}

impl<'a> Grove<'a> {
    fn new(round: &'a Round, rules: &'a [RuleEntry]) -> Grove<'a> {
        let mut grove =
            Grove { round, rules, by_span: HashMap::new(), started: HashMap::new(), opaque: HashMap::new() };
        for (at, command) in round.facts.commands() {
            match command.started_by {
                Some(by) => grove.started.entry(by).or_default().push(at),
                None => grove.by_span.entry(command.span).or_default().push(at),
            }
        }
        for one in &round.facts.reading.opaque {
            grove.opaque.entry(innermost(round, one.span)).or_default().push(one);
        }
        grove
    }

    /// The rules that quote a command.
    fn naming(&self, command: &Command) -> Vec<String> {
        let quotes = |finding: &Finding| finding.evidence.iter().any(|one| is_quoted(one, command.span));
        let does = |finding: &Finding| {
            let entry = self.rules.iter().find(|entry| entry.rule.id == finding.guard);
            let wanted = entry.map(|entry| &entry.rule.matches.effect);
            // Several commands may be read from one and the same stretch.
            wanted.is_none_or(|kinds| {
                kinds.iter().next().is_none()
                    || command.effects.iter().any(|one| kinds.iter().any(|kind| kind == one.kind.name()))
            })
        };
        let mut rules = self.speaking(|finding| quotes(finding) && does(finding));
        rules.dedup();
        rules
    }

    fn command(&self, at: usize) -> Option<&'a Command> {
        self.round.facts.reading.commands.get(at).map(AsRef::as_ref)
    }

    /// A call that is no shell command: its files.
    fn of_call(&self) -> Vec<Piece> {
        let call = &self.round.event.call;
        let facts = self.round.facts.files.iter().map(|file| self.file_fact(file)).collect();
        vec![Piece { shape: "call", text: call.tool.clone(), facts, ..Piece::default() }]
    }

    fn of_outline(&self, one: &Outline, source: &str, placed: &mut HashSet<usize>) -> Vec<Piece> {
        let inside: Vec<Piece> =
            one.inside.iter().flat_map(|inner| self.of_outline(inner, source, placed)).collect();
        let span = [one.span.start, one.span.end];
        let source_text = source.get(one.span.start..one.span.end).unwrap_or_default();
        let text = if is_written(one.shape) { source_text } else { one.shape }.to_owned();
        let plain = Piece { shape: one.shape, joint: one.joint, text, span, ..Piece::default() };
        if one.shape != "command" {
            return vec![Piece { parts: inside, ..plain }];
        }
        let own = self.by_span.get(&one.span).into_iter().flatten();
        let own = own.filter(|at| placed.insert(**at)).filter_map(|at| Some((*at, self.command(*at)?)));
        let mut pieces: Vec<Piece> =
            own.map(|(at, command)| self.of_command(at, command, one.joint, 0)).collect();
        match pieces.first_mut() {
            Some(first) => first.parts.splice(0..0, inside).for_each(drop),
            None => pieces.push(Piece { parts: inside, ..plain }),
        }
        pieces
    }

    fn of_command(&self, at: usize, command: &Command, joint: &'static str, depth: usize) -> Piece {
        let started = self.started.get(&at).into_iter().flatten().filter(|_| depth < DEPTH_MAX);
        let started = started.filter_map(|inner| Some((*inner, self.command(*inner)?)));
        let parts =
            started.map(|(inner, one)| self.of_command(inner, one, "", depth.saturating_add(1))).collect();
        let rules = self.naming(command);
        let mut facts: Vec<Fact> =
            command.effects.iter().map(|effect| self.effect_fact(at, effect, &rules)).collect();
        facts.extend(self.opaque_facts(Some(at)));
        Piece {
            shape: "command",
            joint,
            text: spelled(command),
            span: [command.span.start, command.span.end],
            dir: command.dir.as_ref().map(|dir| dir.text.to_string()),
            facts,
            rules,
            parts,
        }
    }

    fn effect_fact(&self, at: usize, effect: &Effect, speaking: &[String]) -> Fact {
        let target = effect.target.as_ref();
        let written = target.map_or("", |word| word.text.as_str());
        let mut files = self.round.facts.files.iter();
        let file = files.find(|file| file.command == Some(at) && target.is_some() && file.written == written);
        let name = effect.kind.name();
        let of_effect = |rule: &&String| {
            self.rules.iter().any(|entry| {
                entry.rule.id == **rule && entry.rule.matches.effect.iter().any(|kind| kind == name)
            })
        };
        let mut rules: Vec<String> = speaking.iter().filter(of_effect).cloned().collect();
        if let Some(file) = file {
            // A built-in guard names the file only, a rule also the command.
            let is_rule = |id: &str| self.rules.iter().any(|entry| entry.rule.id == id);
            let of_command = |id: &String| speaking.contains(id) || !is_rule(id);
            rules.extend(self.speaking(|finding| speaks_of(finding, file) && of_command(&finding.guard)));
            rules.dedup();
        }
        Fact {
            what: name.to_owned(),
            target: written.to_owned(),
            path: file.map(|file| file.path.to_string()),
            real: file.and_then(|file| file.real.clone()),
            exact: target.is_none_or(|word| word.exact),
            rules,
        }
    }

    fn file_fact(&self, file: &FileFact) -> Fact {
        Fact {
            what: file.access.name().to_owned(),
            target: file.written.to_string(),
            path: Some(file.path.to_string()),
            real: file.real.clone(),
            exact: file.exact,
            rules: self.speaking(|finding| speaks_of(finding, file)),
        }
    }

    fn opaque_facts(&self, at: Option<usize>) -> Vec<Fact> {
        let own = self.opaque.get(&at).into_iter().flatten();
        let fact = |one: &&Opaque| Fact {
            what: format!("opaque: {}", one.kind.name()),
            target: one.what.clone(),
            path: None,
            real: None,
            exact: true,
            rules: self.speaking(|finding| finding.evidence.iter().any(|evidence| evidence.text == one.what)),
        };
        own.map(fact).collect()
    }

    /// What is in no command, and why the text could not be read to its end.
    fn of_rest(&self) -> Vec<Piece> {
        let reading = &self.round.facts.reading;
        let mut facts = self.opaque_facts(None);
        facts.extend(reading.fault.iter().map(|fault| {
            let rules = self
                .speaking(|finding| finding.evidence.iter().any(|one| one.text.ends_with(&fault.message)));
            Fact {
                what: "unreadable".to_owned(),
                target: fault.message.clone(),
                path: None,
                real: None,
                exact: true,
                rules,
            }
        }));
        let rest =
            Piece { shape: "rest", text: "the rest of the text".to_owned(), facts, ..Piece::default() };
        if rest.facts.is_empty() { Vec::new() } else { vec![rest] }
    }

    fn speaking(&self, about: impl Fn(&Finding) -> bool) -> Vec<String> {
        let findings = self.round.findings.iter().map(|pointed| &pointed.finding);
        findings.filter(|finding| about(finding)).map(|finding| finding.guard.clone()).collect()
    }
}

fn innermost(round: &Round, span: Span) -> Option<usize> {
    let holds = |one: &Command| one.span.start <= span.start && span.end <= one.span.end;
    let commands = round.facts.commands().filter(|(_, one)| holds(one));
    commands.min_by_key(|(_, one)| one.span.end.saturating_sub(one.span.start)).map(|(at, _)| at)
}

fn speaks_of(finding: &Finding, file: &FileFact) -> bool {
    finding.evidence.iter().any(|one| one.is_quoted() && one.text.contains(file.written.as_str()))
}

/// Does a quotation begin where this stretch does? A long one is cut at its end, or to what matters.
fn is_quoted(evidence: &Evidence, span: Span) -> bool {
    evidence.range().is_some_and(|range| {
        let cut = range.end.saturating_sub(range.start) >= CUT && span.end > range.end;
        range.start == span.start && (range.end == span.end || cut)
    })
}

/// Quotations of this length may have been cut.
const CUT: usize = 380;

/// Is its own text shown, or its name?
fn is_written(shape: &str) -> bool {
    matches!(shape, "command" | "assignment")
}

/// The words as the program would get them, quoted where they must be, with
/// the assignments and redirects that are next to them.
fn spelled(command: &Command) -> String {
    let beside = |span: Span| command.span.start <= span.start && span.end <= command.span.end;
    let assigned = command.assignments.iter().filter(|one| beside(one.value.span));
    let assigned = assigned.map(|one| format!("{}={}", one.name, quoted(&one.value.text)));
    let words = command.words.iter().map(word_text);
    let here = |one: &&Redirect| one.kind == RedirectKind::HereDoc || beside(one.target.span);
    let redirects = command.redirects.iter().filter(here).map(redirect_text);
    assigned.chain(words).chain(redirects).collect::<Vec<_>>().join(" ")
}

fn word_text(word: &Word) -> String {
    if word.exact && !word.glob { quoted(&word.text) } else { word.text.to_string() }
}

fn redirect_text(redirect: &Redirect) -> String {
    let target = word_text(&redirect.target);
    match redirect.kind {
        RedirectKind::Read => format!("< {target}"),
        RedirectKind::Write => format!("> {target}"),
        RedirectKind::Append => format!(">> {target}"),
        RedirectKind::ReadWrite => format!("<> {target}"),
        RedirectKind::HereDoc => "<<…".to_owned(),
        RedirectKind::HereString => format!("<<< {target}"),
        RedirectKind::Duplicate => format!(">&{target}"),
    }
}

fn quoted(text: &str) -> String {
    let plain = |found: char| found.is_alphanumeric() || "_-./:=,+@%^~".contains(found);
    if !text.is_empty() && text.chars().all(plain) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', "'\\''"))
    }
}
