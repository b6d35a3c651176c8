//! Rules people wrote as prose for agents (`.cursor/rules/*.mdc`, `AGENTS.md`),
//! sorted into what a gate can enforce, what it can in part, and advice.
//!
//! Only proposes: no text becomes a rule without a person's approval. The
//! sorting is by a few plain forms, and what fits none of them is advice.

use crate::prose_forms;
use crate::rule::{CommandMatch, FileMatch, Match, Names, Requirement, Rule, RuleKind, When};
use serde::Serialize;
use toolgate_shell::{ReadContext, is_known, known_subcommands, read};

/// How far a sentence can be enforced.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Enforceable {
    /// A rule says the same.
    Yes,
    /// A rule covers a part of it; a person should check.
    Semi,
    /// For the agent to read.
    Advisory,
}

impl Enforceable {
    /// The word for it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Enforceable::Yes => "enforceable",
            Enforceable::Semi => "semi-enforceable",
            Enforceable::Advisory => "advisory",
        }
    }
}

/// One sentence that tells an agent what to do.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Sentence {
    /// Its line, from 1.
    pub line: usize,
    /// Its words.
    pub text: String,
    /// How far it can be enforced.
    pub enforceable: Enforceable,
    /// The rule proposed for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<Rule>,
}

/// Every sentence of a text that gives an instruction. `name` begins the
/// ids of the rules proposed.
#[must_use]
pub fn sentences(name: &str, text: &str) -> Vec<Sentence> {
    let mut found = Vec::new();
    let mut fenced = false;
    let skipped = front_matter_lines(text);
    for (at, line) in text.lines().enumerate().skip(skipped) {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        } else if !fenced && !line.trim_start().starts_with('#') {
            let told = split(line).into_iter().filter(|sentence| tells(&sentence.to_lowercase()));
            for sentence in told {
                let id = format!("{}-{}", slug(name), found.len().saturating_add(1));
                let (enforceable, rule) = sort(&id, sentence);
                found.push(Sentence { line: at + 1, text: sentence.to_owned(), enforceable, rule });
            }
        }
    }
    found
}

fn front_matter_lines(text: &str) -> usize {
    let mut lines = text.lines();
    if lines.next().is_none_or(|line| line.trim_end() != "---") {
        return 0;
    }
    lines.position(|line| line.trim_end() == "---").map_or(0, |end| end.saturating_add(2))
}

/// The sentences of a line without its bullet. A full stop inside backticks
/// ends nothing.
fn split(line: &str) -> Vec<&str> {
    let line = line.trim().trim_start_matches(['-', '*', '+', '>', ' ']);
    let line = line.trim_start_matches(|c: char| c.is_ascii_digit()).trim_start_matches(['.', ')', ' ']);
    let mut parts = Vec::new();
    let (mut start, mut quoted) = (0, false);
    let mut chars = line.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        quoted ^= c == '`';
        let ends =
            !quoted && matches!(c, '.' | ';' | '!') && chars.peek().is_none_or(|(_, next)| *next == ' ');
        if ends {
            parts.push(line.get(start..at).unwrap_or_default().trim());
            start = at.saturating_add(1);
        }
    }
    parts.push(line.get(start..).unwrap_or_default().trim());
    parts.into_iter().filter(|part| !part.is_empty()).collect()
}

const FORBIDS: [&str; 9] = [
    "never ",
    "do not ",
    "don't ",
    "must not ",
    "may not ",
    "not allowed",
    "forbidden",
    "avoid ",
    "prohibited",
];
const ASKS: [&str; 6] =
    ["ask before", "ask first", "approval before", "confirm before", "requires approval", "without asking"];
const DEMANDS: [&str; 6] = ["always ", "must ", "make sure ", "ensure ", "prefer ", "use "];

fn has(text: &str, words: &[&str]) -> bool {
    words.iter().any(|word| text.contains(word))
}

fn tells(text: &str) -> bool {
    // "Run `cargo fmt` before every commit."
    let before = text.starts_with("run `") && text.contains(" before ");
    before || text.starts_with("only ") || has(text, &FORBIDS) || has(text, &ASKS) || has(text, &DEMANDS)
}

fn sort(id: &str, sentence: &str) -> (Enforceable, Option<Rule>) {
    let words = sentence.to_lowercase();
    let spans: Vec<&str> = sentence.split('`').skip(1).step_by(2).map(str::trim).collect();
    let rule = |kind, matches| Some(rule(id, kind, matches, sentence));
    // Asking comes first: "never push without asking" is a question, no ban.
    let kind = if has(&words, &ASKS) {
        Some(RuleKind::Ask)
    } else if has(&words, &FORBIDS) {
        Some(RuleKind::Block)
    } else {
        None
    };
    if let Some(only) = prose_forms::only_below(&words, &spans) {
        return (Enforceable::Yes, rule(RuleKind::Block, only));
    }
    if let Some(kind) = kind {
        return restricted(id, kind, sentence, &words, &spans);
    }
    if let Some(rule) = instead(id, sentence, &words, &spans).or_else(|| before(id, sentence, &words, &spans))
    {
        return (Enforceable::Semi, Some(rule));
    }
    (Enforceable::Advisory, None)
}

/// What is forbidden, or asked about, as a rule.
fn restricted(
    id: &str,
    kind: RuleKind,
    sentence: &str,
    words: &str,
    spans: &[&str],
) -> (Enforceable, Option<Rule>) {
    let rule = |kind, matches| Some(rule(id, kind, matches, sentence));
    if let Some(branch) = prose_forms::commit_branch(sentence).filter(|_| !words.contains("secret")) {
        let command = CommandMatch {
            program: names(&["git"]),
            subcommand: names(&["commit"]),
            ..CommandMatch::default()
        };
        let mut rule = self::rule(id, kind, Match { command: Some(command), ..Match::default() }, sentence);
        rule.when = Some(When { branch: names(&[branch]), ..When::default() });
        rule.examples = Default::default();
        return (Enforceable::Semi, Some(rule));
    }
    if let Some(files) = restricted_files(words, spans) {
        return (Enforceable::Yes, rule(kind, files));
    }
    if let Some(branch) = pushed_branch(sentence) {
        return (Enforceable::Semi, rule(kind, push_to(branch)));
    }
    if let Some(meant) = prose_forms::meant(words).or_else(|| prose_forms::host(sentence)) {
        return (Enforceable::Semi, rule(kind, meant));
    }
    let quoted = commands(spans);
    match quoted.or_else(|| command(&unquoted_command(sentence)?)) {
        // Of which calls it speaks, only a person can say.
        Some(matches) if prose_forms::is_qualified(words) => {
            (Enforceable::Semi, rule(RuleKind::Ask, matches))
        }
        // "avoid" leaves room; a rule does not.
        Some(matches) if words.contains("avoid ") => (Enforceable::Semi, rule(RuleKind::Warn, matches)),
        Some(matches) => (Enforceable::Yes, rule(kind, matches)),
        None => match used_program(sentence) {
            // "never use curl to download scripts": for other things it may.
            Some((program, true)) => (Enforceable::Semi, rule(RuleKind::Warn, program)),
            Some((program, false)) => (Enforceable::Yes, rule(kind, program)),
            None => (Enforceable::Advisory, None),
        },
    }
}

/// The files a sentence speaks of, and what may not be done with them.
fn restricted_files(words: &str, spans: &[&str]) -> Option<Match> {
    let only_deletes =
        has(words, &["delete", "remove"]) && !has(words, &["edit", "modify", "change", "touch", "write"]);
    let changes = has(words, &["edit", "modify", "change", "touch", "write", "delete", "remove"]);
    let reads = has(words, &["read", "open", "print", "show"]);
    let access: &[&str] = match (only_deletes, changes) {
        (true, _) => &["delete"],
        (false, true) => &["write", "delete"],
        (false, false) => &["read"],
    };
    if !changes && !reads {
        return None;
    }
    // "the `vendor` folder"
    let is_folder = has(words, &["` folder", "` directory"]);
    match spans {
        [folder] if is_folder && !folder.contains([' ', '/', '.', '*']) => {
            Some(files(&[&format!("{folder}/**")], access))
        }
        _ => paths(spans, access),
    }
}

/// "Use `a` instead of `b`", "prefer a over b": the agent is told.
fn instead(id: &str, sentence: &str, words: &str, spans: &[&str]) -> Option<Rule> {
    let between = ["instead of", "over", "rather than", "not"]
        .into_iter()
        .find(|way| words.contains(&format!(" {way} ")))?;
    let (wanted, unwanted) = match spans {
        [wanted, unwanted] => (*wanted, *unwanted),
        [] => {
            // The words next to "instead of", in the sentence's own case.
            let (before, behind) = sentence.split_once(&format!(" {between} "))?;
            let last = before.split_whitespace().next_back()?;
            // "use yarn, not npm"
            if between == "not" && !last.ends_with(',') {
                return None;
            }
            (last.trim_end_matches(','), behind.split_whitespace().next()?)
        }
        _ => return None,
    };
    let matches = command(unwanted).or_else(|| lone_program(unwanted))?;
    let mut rule = rule(id, RuleKind::Warn, matches, sentence);
    rule.alternatives = vec![wanted.to_owned()];
    Some(rule)
}

/// "Never use sudo", "never run `curl` to …": the program, and whether it is meant for one purpose only.
fn used_program(sentence: &str) -> Option<(Match, bool)> {
    let words: Vec<&str> = sentence.split_whitespace().collect();
    let verb = words
        .iter()
        .position(|word| matches!(*word, "use" | "run" | "call" | "execute" | "using" | "running"))?;
    let name = words.get(verb + 1)?.trim_matches(['`', ',', '.']);
    let program = lone_program(name)?;
    Some((program, words.get(verb + 2).is_some_and(|word| matches!(*word, "to" | "for" | "in" | "on"))))
}

/// Every quoted command of one program, or the first one.
fn commands(spans: &[&str]) -> Option<Match> {
    let mut all = spans.iter().filter_map(|span| command(span));
    let mut first = all.next()?;
    let is_plain =
        |one: &CommandMatch| one.all_flags.is_empty() && one.args.is_empty() && !one.subcommand.is_empty();
    if let Some(own) = first.command.as_mut().filter(|own| is_plain(own)) {
        for other in all.filter_map(|other| other.command) {
            if other.program == own.program && is_plain(&other) {
                own.subcommand.0.extend(other.subcommand.0);
            }
        }
    }
    Some(first)
}

fn files(paths: &[&str], access: &[&str]) -> Match {
    let files = FileMatch { access: names(access), path: names(paths), ..FileMatch::default() };
    Match { files: Some(files), ..Match::default() }
}

/// A lone word is a command only if a program of that name is known.
fn lone_program(word: &str) -> Option<Match> {
    let word = word.trim_end_matches([',', '.']);
    let command = CommandMatch { program: names(&[word]), ..CommandMatch::default() };
    let is_program = is_known(word) && word.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit());
    is_program.then(|| Match { command: Some(command), ..Match::default() })
}

/// "Never use git push --force": a command without backticks, as far as it surely goes.
fn unquoted_command(sentence: &str) -> Option<String> {
    let words: Vec<&str> =
        sentence.split_whitespace().map(|word| word.trim_end_matches([',', ':'])).collect();
    let is_start = |at: usize, word: &str| {
        let next = words.get(at + 1).copied().unwrap_or_default();
        known_subcommands(word).any(|known| known == next)
    };
    let at = words.iter().enumerate().position(|(at, word)| is_start(at, word))?;
    let (start, rest) = words.get(at..)?.split_at_checked(2)?;
    let options = rest.iter().take_while(|word| word.starts_with('-'));
    Some(start.iter().chain(options).copied().collect::<Vec<_>>().join(" "))
}

/// "Never push to main": the branch.
fn pushed_branch(sentence: &str) -> Option<&str> {
    let at = sentence.to_lowercase().find("push ")?;
    let (_, behind) = sentence.get(at..)?.split_once(" to ")?;
    let behind = behind.trim_start().trim_start_matches("the ");
    let end = behind.find(|c: char| c.is_whitespace() || c == ',').unwrap_or(behind.len());
    let branch = behind.get(..end)?.trim_matches('`');
    let is_name = branch.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '/' | '.'));
    (is_name && !branch.is_empty()).then_some(branch)
}

/// A push that names the branch. One that does not is left to a person: it goes where git is set up to push.
fn push_to(branch: &str) -> Match {
    let command = CommandMatch {
        program: names(&["git"]),
        subcommand: names(&["push"]),
        args: Names(vec![branch.to_owned(), format!("*:{branch}"), format!("*:refs/heads/{branch}")]),
        ..CommandMatch::default()
    };
    Match { command: Some(command), ..Match::default() }
}

/// "Always run `a` before committing": a commit needs it.
fn before(id: &str, sentence: &str, words: &str, spans: &[&str]) -> Option<Rule> {
    let subcommand = ["commit", "push"].into_iter().find(|verb| {
        ["before ", "before each ", "before every ", "before you ", "before a "]
            .iter()
            .any(|start| words.contains(&format!("{start}{verb}")))
    })?;
    let ran = spans.iter().find(|span| command(span).is_some())?;
    let matches = Match {
        command: Some(CommandMatch {
            program: names(&["git"]),
            subcommand: names(&[subcommand]),
            ..CommandMatch::default()
        }),
        ..Match::default()
    };
    let mut rule = rule(id, RuleKind::Require, matches, sentence);
    let ran = format!("^{}", regex_escape(ran));
    rule.require = Some(Requirement { ran: Some(ran), fresh: true, ..Requirement::default() });
    rule.examples = Default::default();
    Some(rule)
}

fn regex_escape(text: &str) -> String {
    text.chars().fold(String::new(), |mut escaped, c| {
        if !c.is_alphanumeric() && !matches!(c, ' ' | '-' | '_' | '/' | ':') {
            escaped.push('\\');
        }
        escaped.push(c);
        escaped
    })
}

/// The condition for files, if every quoted thing looks like one.
fn paths(spans: &[&str], access: &[&str]) -> Option<Match> {
    let is_path = |span: &&str| {
        !span.contains(' ')
            && !span.starts_with('-')
            && span.contains(['/', '.', '*'])
            && !span.contains("://")
    };
    if spans.is_empty() || !spans.iter().all(is_path) {
        return None;
    }
    let globs = spans.iter().map(|span| match span.strip_suffix('/') {
        Some(folder) => format!("{folder}/**"),
        None => (*span).to_owned(),
    });
    let files = FileMatch { access: names(access), path: Names(globs.collect()), ..FileMatch::default() };
    Some(Match { files: Some(files), ..Match::default() })
}

/// The condition for a quoted command: program, subcommand, options.
fn command(span: &str) -> Option<Match> {
    let words: Vec<&str> = span.split_whitespace().collect();
    let is_word = |word: &str| {
        word.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '+' | ':'))
    };
    let (program, rest) = words.split_first()?;
    // A lone word is as often a name as a command.
    // `DROP TABLE` is SQL.
    let is_sql = program.len() > 1 && program.chars().all(|c| c.is_ascii_uppercase());
    if is_sql || !is_word(program) || program.starts_with('-') || program.contains('.') || rest.is_empty() {
        return None;
    }
    let (flags, operands): (Vec<&str>, Vec<&str>) = rest.iter().partition(|word| word.starts_with('-'));
    if !operands.iter().all(|word| is_word(word) || *word == "*") {
        return None;
    }
    // How many words are the subcommand is for the reader to say: `compose down` is two.
    let reading = read(span, &ReadContext::default());
    let known = reading.commands.first().map_or(0, |command| command.usage.subcommand.len());
    let (subcommand, args) = operands.split_at(known.max(1).min(operands.len()));
    let subcommand = subcommand.join(" ");
    let command = CommandMatch {
        program: names(&[program]),
        subcommand: Names((!subcommand.is_empty()).then_some(subcommand).into_iter().collect()),
        all_flags: names(&flags),
        args: names(&args.iter().copied().filter(|word| *word != "*").collect::<Vec<_>>()),
        ..CommandMatch::default()
    };
    Some(Match { command: Some(command), ..Match::default() })
}

fn rule(id: &str, kind: RuleKind, matches: Match, sentence: &str) -> Rule {
    let mut rule = Rule::new(id, kind, matches, sentence);
    let quoted = sentence.split('`').skip(1).step_by(2).find(|span| command(span).is_some());
    if rule.matches.command.is_some() {
        rule.examples.matching = quoted.map(str::to_owned).into_iter().collect();
    }
    rule
}

fn names(list: &[&str]) -> Names {
    Names(list.iter().map(|name| (*name).to_owned()).collect())
}

/// A name as ids have it.
fn slug(name: &str) -> String {
    let kept = name.to_lowercase();
    let kept: String = kept.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    kept.split('-').filter(|part| !part.is_empty()).collect::<Vec<_>>().join("-")
}
