//! The words of PowerShell text: quotes, backticks, blocks, lists, pipes and redirections.

use std::collections::BTreeMap;

/// A part of a word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Part {
    /// Text, and whether it was in quotes.
    Text(String, bool),
    /// A variable by its name.
    Variable(String),
    /// `( … )`, `$( … )`, `@( … )`: what is in it.
    Inner(String),
}

/// One word.
pub(super) type Argument = Vec<Part>;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Token {
    Word(Argument),
    /// `{ … }`: what is in it.
    Block(String),
    Comma,
    /// `>` or `>>`; what follows is the file.
    Redirect {
        appends: bool,
    },
    Pipe,
}

impl Token {
    /// Texts in it that are read on their own, and whether they are the arguments of a method.
    pub(super) fn inner_texts(&self) -> Vec<(&str, bool)> {
        match self {
            Token::Block(text) => vec![(text, false)],
            Token::Word(parts) => {
                let before = std::iter::once(None).chain(parts.iter().map(Some));
                let pairs = parts.iter().zip(before);
                pairs
                    .filter_map(|(part, before)| match part {
                        Part::Inner(text) => {
                            Some((text.as_str(), matches!(before, Some(Part::Text(_, false)))))
                        }
                        _ => None,
                    })
                    .collect()
            }
            _ => Vec::new(),
        }
    }
}

/// The tokens of one statement.
#[derive(Debug, Default)]
pub(super) struct Statement(Vec<Token>);

impl Statement {
    /// The first word, where it is plain text without quotes.
    pub(super) fn first_bare(&self) -> Option<&str> {
        match self.0.first()? {
            Token::Word(parts) => match parts.as_slice() {
                [Part::Text(text, false)] => Some(text),
                _ => None,
            },
            _ => None,
        }
    }

    pub(super) fn drop_first(&mut self) {
        if !self.0.is_empty() {
            self.0.remove(0);
        }
    }

    /// `$name = value`.
    pub(super) fn assignment(&mut self) -> Option<(String, Statement)> {
        let is_sign = |token: &Token| matches!(token, Token::Word(parts) if matches!(parts.as_slice(), [Part::Text(text, false)] if matches!(text.as_str(), "=" | "+=")));
        let Some(Token::Word(parts)) = self.0.first() else { return None };
        let name = match parts.as_slice() {
            [Part::Variable(name)] => name.clone(),
            [.., Part::Variable(name)] if self.0.get(1).is_some_and(is_sign) => name.clone(),
            [Part::Variable(name), Part::Text(sign, false)] if sign == "=" => name.clone(),
            [Part::Variable(name), Part::Text(sign, false), rest @ ..] if sign.starts_with('=') => {
                let mut value = vec![Part::Text(sign.trim_start_matches('=').to_owned(), false)];
                value.extend_from_slice(rest);
                let name = name.clone();
                let tail = self.0.drain(1..);
                let tokens = std::iter::once(Token::Word(value)).chain(tail).collect();
                return Some((name, Statement(tokens)));
            }
            _ => return None,
        };
        let skip = match self.0.get(1) {
            Some(sign) if is_sign(sign) => 2,
            _ if parts.len() == 2 => 1,
            _ => return None,
        };
        Some((name, Statement(self.0.drain(skip..).collect())))
    }

    /// The text, if it is one word whose value is known.
    pub(super) fn only_text(&self, known: &BTreeMap<String, String>) -> Option<String> {
        match self.0.as_slice() {
            [Token::Word(parts)] => known_text(parts, known).filter(|_| {
                // A bare word is a command whose output is kept.
                parts.iter().any(|part| matches!(part, Part::Text(_, true) | Part::Variable(_)))
            }),
            _ => None,
        }
    }

    /// The commands of a pipeline.
    pub(super) fn stages(self) -> Vec<Vec<Token>> {
        let mut all = vec![Vec::new()];
        for token in self.0 {
            match (token, all.last_mut()) {
                (Token::Pipe, _) => all.push(Vec::new()),
                (token, Some(last)) => last.push(token),
                _ => {}
            }
        }
        all.retain(|stage| !stage.is_empty());
        all
    }
}

/// What a word amounts to, if all of it is known.
pub(super) fn known_text(parts: &[Part], known: &BTreeMap<String, String>) -> Option<String> {
    parts
        .iter()
        .map(|part| match part {
            Part::Text(text, _) => Some(text.clone()),
            Part::Variable(name) => known.get(&name.to_ascii_lowercase()).cloned(),
            Part::Inner(_) => None,
        })
        .collect()
}

/// The statements of a text.
pub(super) fn statements(source: &str) -> Vec<Statement> {
    let mut reader = Reader { rest: source.chars().collect(), at: 0 };
    let mut all = vec![Statement::default()];
    while let Some(step) = reader.step() {
        match step {
            Step::End => all.push(Statement::default()),
            Step::Token(token) => {
                let ends = matches!(token, Token::Block(_));
                if let Some(last) = all.last_mut() {
                    last.0.push(token);
                }
                // `if (…) { … } else { … }`: what follows a block of a statement is read on its own.
                if ends && all.last().is_some_and(|last| last.first_bare().is_some_and(is_keyword)) {
                    all.push(Statement::default());
                }
            }
        }
    }
    all.retain(|statement| !statement.0.is_empty());
    all
}

fn is_keyword(word: &str) -> bool {
    super::KEYWORDS.iter().chain(&["function", "filter"]).any(|one| one.eq_ignore_ascii_case(word))
}

enum Step {
    Token(Token),
    End,
}

struct Reader {
    rest: Vec<char>,
    at: usize,
}

impl Reader {
    fn peek(&self, ahead: usize) -> Option<char> {
        self.rest.get(self.at + ahead).copied()
    }

    fn step(&mut self) -> Option<Step> {
        loop {
            let found = self.peek(0)?;
            match found {
                '`' if self.peek(1) == Some('\n') => self.at += 2,
                ' ' | '\t' | '\r' => self.at += 1,
                '#' => self.skip_to('\n'),
                '<' if self.peek(1) == Some('#') => {
                    while self.peek(0).is_some() && !(self.peek(0) == Some('#') && self.peek(1) == Some('>'))
                    {
                        self.at += 1;
                    }
                    self.at += 2;
                }
                _ => break,
            }
        }
        let found = self.peek(0)?;
        self.at += 1;
        Some(match found {
            ';' | '\n' => Step::End,
            '&' if self.peek(0) == Some('&') => self.skipping(1, Step::End),
            '|' if self.peek(0) == Some('|') => self.skipping(1, Step::End),
            '|' => Step::Token(Token::Pipe),
            ',' => Step::Token(Token::Comma),
            '&' => return self.step(),
            '{' => Step::Token(Token::Block(self.until_closed('{', '}'))),
            '}' | ')' => return self.step(),
            '>' => self.redirect(),
            '1'..='6' | '*' if self.peek(0) == Some('>') => {
                self.at += 1;
                // `2>&1` goes nowhere else.
                if self.peek(0) == Some('&') {
                    self.skipping(2, Step::Token(Token::Word(Vec::new())))
                } else {
                    self.redirect()
                }
            }
            _ => {
                self.at -= 1;
                Step::Token(Token::Word(self.word()))
            }
        })
    }

    fn skipping(&mut self, count: usize, step: Step) -> Step {
        self.at += count;
        step
    }

    fn redirect(&mut self) -> Step {
        let appends = self.peek(0) == Some('>');
        self.at += usize::from(appends);
        Step::Token(Token::Redirect { appends })
    }

    fn skip_to(&mut self, end: char) {
        while self.peek(0).is_some_and(|found| found != end) {
            self.at += 1;
        }
    }

    /// What lies between here and the sign that closes what was just opened.
    fn until_closed(&mut self, open: char, close: char) -> String {
        let (mut depth, mut quote, mut text) = (1, None, String::new());
        while let Some(found) = self.peek(0) {
            self.at += 1;
            match quote {
                Some(sign) if found == sign => quote = None,
                Some(_) => {}
                None if matches!(found, '\'' | '"') => quote = Some(found),
                None if found == open => depth += 1,
                None if found == close => depth -= 1,
                None => {}
            }
            if depth == 0 {
                break;
            }
            text.push(found);
            if found == '`' {
                text.extend(self.peek(0));
                self.at += 1;
            }
        }
        text
    }

    fn word(&mut self) -> Argument {
        let mut parts: Argument = Vec::new();
        while let Some(found) = self.peek(0) {
            match found {
                ' ' | '\t' | '\r' | '\n' | ';' | '|' | '{' | '}' | ')' | ',' | '>' | '&' => break,
                '\'' => parts.push(Part::Text(self.single(), true)),
                '"' => parts.extend(self.double()),
                '@' if matches!(self.peek(1), Some('\'' | '"')) => parts.extend(self.here_text()),
                '(' => parts.push(self.inner(1)),
                '$' | '@' if self.peek(1) == Some('(') => parts.push(self.inner(2)),
                '@' if self.peek(1) == Some('{') => {
                    self.at += 2;
                    parts.push(Part::Inner(self.until_closed('{', '}')));
                }
                '$' => parts.extend(self.variable()),
                '`' => {
                    self.at += 2;
                    let escaped = self.rest.get(self.at.saturating_sub(1)).copied();
                    push(&mut parts, escaped.unwrap_or(' '), true);
                }
                _ => {
                    self.at += 1;
                    push(&mut parts, found, false);
                }
            }
        }
        parts
    }

    fn inner(&mut self, skip: usize) -> Part {
        self.at += skip;
        Part::Inner(self.until_closed('(', ')'))
    }

    fn single(&mut self) -> String {
        self.at += 1;
        let mut text = String::new();
        while let Some(found) = self.peek(0) {
            self.at += 1;
            if found == '\'' {
                if self.peek(0) != Some('\'') {
                    break;
                }
                self.at += 1;
            }
            text.push(found);
        }
        text
    }

    fn double(&mut self) -> Argument {
        self.at += 1;
        let mut parts = vec![Part::Text(String::new(), true)];
        while let Some(found) = self.peek(0) {
            match found {
                '"' if self.peek(1) == Some('"') => {
                    self.at += 2;
                    push(&mut parts, '"', true);
                }
                '"' => {
                    self.at += 1;
                    break;
                }
                '`' => {
                    self.at += 2;
                    let escaped = self.rest.get(self.at.saturating_sub(1)).copied();
                    push(
                        &mut parts,
                        match escaped {
                            Some('n') => '\n',
                            Some('t') => '\t',
                            other => other.unwrap_or(' '),
                        },
                        true,
                    );
                }
                '$' if self.peek(1) == Some('(') => parts.push(self.inner(2)),
                '$' => parts.extend(self.variable()),
                _ => {
                    self.at += 1;
                    push(&mut parts, found, true);
                }
            }
        }
        parts
    }

    /// `@'` to `'@` at the beginning of a line.
    fn here_text(&mut self) -> Option<Part> {
        let quote = self.peek(1)?;
        self.at += 2;
        let mut text = String::new();
        while let Some(found) = self.peek(0) {
            if found == '\n' && self.peek(1) == Some(quote) && self.peek(2) == Some('@') {
                self.at += 3;
                break;
            }
            self.at += 1;
            text.push(found);
        }
        Some(Part::Text(text.trim_start_matches(['\r', '\n']).to_owned(), true))
    }

    fn variable(&mut self) -> Option<Part> {
        self.at += 1;
        if self.peek(0) == Some('{') {
            self.at += 1;
            return Some(Part::Variable(self.until_closed('{', '}')));
        }
        let mut name = String::new();
        while let Some(found) = self.peek(0) {
            let scope =
                found == ':' && self.peek(1).is_some_and(|next| next.is_alphanumeric() || next == '_');
            if !(found.is_alphanumeric() || found == '_' || scope) {
                break;
            }
            name.push(found);
            self.at += 1;
        }
        if name.is_empty() { Some(Part::Text("$".to_owned(), false)) } else { Some(Part::Variable(name)) }
    }
}

fn push(parts: &mut Argument, found: char, quoted: bool) {
    match parts.last_mut() {
        Some(Part::Text(text, was)) if *was == quoted => text.push(found),
        _ => parts.push(Part::Text(found.to_string(), quoted)),
    }
}
