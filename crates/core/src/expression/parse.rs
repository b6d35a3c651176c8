//! Reads tokens to the parts of an expression: `OR` binds weakest, then `AND`,
//! then `NOT`, then comparisons.

use super::ExpressionFault;
use super::ask::{Node, Question};
use super::field::{ActionSort, Field, Type};
use super::token::{Kind, Token};
use crate::rule::{LazyRegex, Pattern};

/// How deep parentheses and `NOT` may go.
const DEPTH_MAX: usize = 32;

/// A comparison as written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Op {
    Equal,
    Below,
    AtMost,
    Above,
    AtLeast,
    In,
    /// A glob on paths, a regular expression on other texts.
    Matches,
    Glob,
    Regex,
    Contains,
    Begins,
    Ends,
}

/// Signs and words of comparisons; several words stand in their order.
const OPS: &[(&[&str], Op)] = &[
    (&["=="], Op::Equal),
    (&["<="], Op::AtMost),
    (&[">="], Op::AtLeast),
    (&["=~"], Op::Regex),
    (&["<"], Op::Below),
    (&[">"], Op::Above),
    (&["in"], Op::In),
    (&["matches"], Op::Matches),
    (&["match"], Op::Matches),
    (&["glob"], Op::Glob),
    (&["like"], Op::Glob),
    (&["regex"], Op::Regex),
    (&["contains"], Op::Contains),
    (&["contain"], Op::Contains),
    (&["starts_with"], Op::Begins),
    (&["starts", "with"], Op::Begins),
    (&["ends_with"], Op::Ends),
    (&["ends", "with"], Op::Ends),
];

/// What a text that is alone behind `AND` or `OR` is compared like.
#[derive(Debug, Clone, Copy)]
struct Earlier {
    field: Field,
    op: Op,
    negated: bool,
}

/// A value as written.
#[derive(Debug, Clone)]
enum Value {
    Text(String),
    Number(f64),
}

pub(super) struct Parser<'a> {
    text: &'a str,
    tokens: &'a [Token],
    at: usize,
    depth: usize,
    threshold: Option<f64>,
    earlier: Option<Earlier>,
    after_or: bool,
}

type Read<T> = Result<T, ExpressionFault>;

impl<'a> Parser<'a> {
    pub(super) fn new(text: &'a str, tokens: &'a [Token], threshold: Option<f64>) -> Parser<'a> {
        Parser { text, tokens, at: 0, depth: 0, threshold, earlier: None, after_or: false }
    }

    pub(super) fn whole(mut self) -> Read<Node> {
        let node = self.either()?;
        match self.tokens.get(self.at) {
            None => Ok(node),
            Some(token) if self.is_sign(token, "=") => {
                Err(self.fault("`=` is not a comparison", "write `==`"))
            }
            Some(_) => Err(self.fault(
                "expected `AND`, `OR` or the end of the expression",
                "join conditions with AND or OR",
            )),
        }
    }

    fn either(&mut self) -> Read<Node> {
        let mut parts = vec![self.both()?];
        while self.takes(&["||", "or"]) {
            self.after_or = true;
            parts.push(self.both()?);
        }
        Ok(joined(parts, Node::Any))
    }

    fn both(&mut self) -> Read<Node> {
        let mut parts = vec![self.one()?];
        while self.takes(&["&&", "and"]) {
            self.after_or = false;
            parts.push(self.one()?);
        }
        Ok(joined(parts, Node::All))
    }

    fn one(&mut self) -> Read<Node> {
        if self.depth >= DEPTH_MAX {
            return Err(self.fault("the expression is nested too deeply", "split it into two guardrails"));
        }
        self.depth += 1;
        let node = self.one_within();
        self.depth = self.depth.saturating_sub(1);
        node
    }

    fn one_within(&mut self) -> Read<Node> {
        if self.takes(&["!", "not"]) {
            let part = self.one()?;
            self.earlier = None;
            return Ok(Node::Not(Box::new(part)));
        }
        if self.takes(&["("]) {
            self.earlier = None;
            let node = self.either()?;
            if !self.takes(&[")"]) {
                return Err(self.fault("a `)` is missing", "close the open parenthesis"));
            }
            self.earlier = None;
            return Ok(node);
        }
        for (word, value) in [("true", true), ("false", false)] {
            if self.takes(&[word]) {
                return Ok(Node::Always(value));
            }
        }
        self.comparison()
    }

    fn comparison(&mut self) -> Read<Node> {
        let start = self.at;
        if let Some(value) = self.value()? {
            return match (self.op(), self.earlier) {
                (Some((op, negated)), _) => self.turned(start, &value, op, negated),
                (None, Some(earlier)) => self.like_earlier(start, value, earlier),
                (None, None) => {
                    self.at = start;
                    let cure = "compare it with something: agent.role == 'implementer'";
                    Err(self.fault("a value on its own is not a condition", cure))
                }
            };
        }
        let field = self.field()?;
        let place = self.at;
        let Some((op, negated)) = self.op() else {
            let cure =
                "use ==, !=, <, <=, >, >=, in, matches, glob, regex, contains, starts_with or ends_with";
            return Err(match self.tokens.get(self.at) {
                Some(token) if self.is_sign(token, "=") => {
                    self.fault("`=` is not a comparison", "write `==`")
                }
                _ => self.fault("expected a comparison", cure),
            });
        };
        let values = self.values(op)?;
        self.earlier = Some(Earlier { field, op, negated });
        self.asked(place, field, op, values).map(|node| negated_if(node, negated))
    }

    /// `100 > session.calls` is `session.calls < 100`.
    fn turned(&mut self, start: usize, value: &Value, op: Op, negated: bool) -> Read<Node> {
        let op = match op {
            Op::Equal => Op::Equal,
            Op::Below => Op::Above,
            Op::AtMost => Op::AtLeast,
            Op::Above => Op::Below,
            Op::AtLeast => Op::AtMost,
            _ => {
                self.at = start;
                return Err(self.fault("expected a field before this comparison", "swap the two sides"));
            }
        };
        let field = self.field()?;
        self.earlier = None;
        self.asked(start, field, op, vec![value.clone()]).map(|node| negated_if(node, negated))
    }

    /// `x matches 'a' AND 'b'`.
    fn like_earlier(&mut self, start: usize, value: Value, earlier: Earlier) -> Read<Node> {
        let Earlier { field, op, negated } = earlier;
        if negated && self.after_or {
            self.at = start;
            let cure = "write AND if none of them may match, or repeat the field";
            return Err(self.fault("`not … OR …` is ambiguous", cure));
        }
        self.asked(start, field, op, vec![value]).map(|node| negated_if(node, negated))
    }

    fn field(&mut self) -> Read<Field> {
        let Some(token) = self.tokens.get(self.at) else {
            return Err(self.fault("expected a field at the end", &format!("known: {}", Field::known())));
        };
        let word = self.written(token);
        let Some(field) = Field::from_name(word).filter(|_| token.kind == Kind::Word) else {
            let message = match token.kind {
                Kind::Word => format!("unknown field `{word}`"),
                _ => format!("expected a field, not `{word}`"),
            };
            return Err(self.fault(&message, &format!("known: {}", Field::known())));
        };
        self.at += 1;
        Ok(field)
    }

    /// The comparison that follows, and whether it is turned round.
    fn op(&mut self) -> Option<(Op, bool)> {
        for (sign, op) in [("!=", Op::Equal), ("<>", Op::Equal), ("!~", Op::Regex)] {
            if self.takes(&[sign]) {
                return Some((op, true));
            }
        }
        let start = self.at;
        self.takes(&["does"]);
        let negated = self.takes(&["not"]);
        for (words, op) in OPS {
            let before = self.at;
            if words.iter().all(|word| self.takes(&[word])) {
                return Some((*op, negated));
            }
            self.at = before;
        }
        self.at = start;
        None
    }

    /// One value, or a list for `in`.
    fn values(&mut self, op: Op) -> Read<Vec<Value>> {
        let cure = "put text in quotes: 'implementer'";
        let missing = |parser: &Self| parser.fault("expected a value", cure);
        if op != Op::In {
            return Ok(vec![self.value()?.ok_or_else(|| missing(self))?]);
        }
        let close = if self.takes(&["["]) { "]" } else { ")" };
        if close == ")" && !self.takes(&["("]) {
            return Err(self.fault("expected a list after `in`", "write a list such as ['a', 'b']"));
        }
        let mut values = Vec::new();
        while !self.takes(&[close]) {
            values.push(self.value()?.ok_or_else(|| missing(self))?);
            if !self.takes(&[","]) && !self.next_is(close) {
                return Err(self.fault("the list is never closed", "write a list such as ['a', 'b']"));
            }
        }
        Ok(values)
    }

    fn value(&mut self) -> Read<Option<Value>> {
        let Some(token) = self.tokens.get(self.at) else { return Ok(None) };
        let value = match &token.kind {
            Kind::Text(text) => Value::Text(text.clone()),
            Kind::Number(number) => Value::Number(*number),
            Kind::Word if self.next_is("threshold") => match self.threshold {
                Some(number) => Value::Number(number),
                None => {
                    return Err(
                        self.fault("the guardrail has no threshold", "add `threshold:` next to `check:`")
                    );
                }
            },
            Kind::Word | Kind::Sign => return Ok(None),
        };
        self.at += 1;
        Ok(Some(value))
    }

    /// The question, if field, comparison and values fit together. `place` is
    /// where a fault is shown.
    fn asked(&self, place: usize, field: Field, op: Op, values: Vec<Value>) -> Read<Node> {
        let wrong = |message: &str, cure: &str| Err(Parser { at: place, ..*self }.fault(message, cure));
        if field.holds_a() == Type::Number {
            let numbers: Option<Vec<f64>> = values.iter().map(Value::number).collect();
            let Some(numbers) = numbers else {
                return wrong("this field is a number, not text", "remove the quotes");
            };
            let first = numbers.first().copied().unwrap_or(0.0);
            return Ok(Node::Asked(
                field,
                match op {
                    Op::Equal | Op::In => Question::IsNumber(numbers),
                    Op::Below => Question::Below(first),
                    Op::AtMost => Question::AtMost(first),
                    Op::Above => Question::Above(first),
                    Op::AtLeast => Question::AtLeast(first),
                    _ => {
                        return wrong(
                            "a number cannot be matched with a pattern",
                            "compare it with ==, <, <=, >, >= or in",
                        );
                    }
                },
            ));
        }
        let texts: Option<Vec<String>> = values.into_iter().map(Value::text).collect();
        let Some(texts) = texts else {
            return wrong("this field is text, not a number", "put the value in quotes");
        };
        if field.holds_a() == Type::Sort && matches!(op, Op::Equal | Op::In) {
            let known: Vec<&str> = ActionSort::ALL.iter().map(|sort| sort.name()).collect();
            if let Some(text) = texts.iter().find(|text| !known.contains(&text.as_str())) {
                return wrong(
                    &format!("unknown action type `{text}`"),
                    &format!("known: {}", known.join(", ")),
                );
            }
        }
        match question(field, op, texts) {
            Ok(question) => Ok(Node::Asked(field, question)),
            Err((message, cure)) => wrong(&message, &cure),
        }
    }

    /// Takes one word or sign of these, whatever its case.
    fn takes(&mut self, words: &[&str]) -> bool {
        let found = words.iter().any(|word| self.next_is(word));
        self.at += usize::from(found);
        found
    }

    fn next_is(&self, word: &str) -> bool {
        let Some(token) = self.tokens.get(self.at) else { return false };
        matches!(token.kind, Kind::Word | Kind::Sign) && self.written(token).eq_ignore_ascii_case(word)
    }

    fn is_sign(&self, token: &Token, sign: &str) -> bool {
        token.kind == Kind::Sign && self.written(token) == sign
    }

    fn written(&self, token: &Token) -> &'a str {
        self.text.get(token.start..token.end).unwrap_or_default()
    }

    /// A fault at the next token, or behind the last.
    fn fault(&self, message: &str, cure: &str) -> ExpressionFault {
        let place = self.tokens.get(self.at).map(|token| (token.start, token.end));
        let last = || self.tokens.last().map_or((0, 0), |token| (token.start, token.end));
        let (start, end) = place.unwrap_or_else(last);
        ExpressionFault { start, end, message: message.to_owned(), cure: cure.to_owned() }
    }
}

impl Value {
    fn number(&self) -> Option<f64> {
        match self {
            Value::Number(number) => Some(*number),
            Value::Text(_) => None,
        }
    }

    fn text(self) -> Option<String> {
        match self {
            Value::Text(text) => Some(text),
            Value::Number(_) => None,
        }
    }
}

fn question(field: Field, op: Op, texts: Vec<String>) -> Result<Question, (String, String)> {
    let first = || texts.first().cloned().unwrap_or_default();
    let is_path = field.holds_a() == Type::Path;
    let glob = |text: &str| {
        let pattern = if is_path { Pattern::path(text) } else { Pattern::word(text) };
        pattern.map(Question::Like).map_err(|fault| (fault.message, fault.help))
    };
    Ok(match op {
        Op::Equal | Op::In => Question::IsOneOf(texts),
        Op::Contains => Question::Holds(first()),
        Op::Begins => Question::Begins(first()),
        Op::Ends => Question::Ends(first()),
        Op::Glob => glob(&first())?,
        Op::Matches if is_path => {
            if is_like_regex(&first()) {
                let cure = "write `regex` for a regular expression, `glob` for a file pattern".to_owned();
                return Err(("this looks like a regular expression".to_owned(), cure));
            }
            glob(&first())?
        }
        Op::Matches | Op::Regex => Question::Regex(LazyRegex::new(&first())),
        Op::Below | Op::AtMost | Op::Above | Op::AtLeast => {
            let cure = "compare text with ==, !=, in, matches or contains".to_owned();
            return Err(("this field is not a number".to_owned(), cure));
        }
    })
}

/// Signs no file pattern has: read as one, it would match nothing, unseen.
fn is_like_regex(text: &str) -> bool {
    text.starts_with('^')
        || text.starts_with(".*")
        || text.ends_with('$')
        || text.contains(['\\', '(', '|'])
        || text.contains(".+")
}

fn joined(mut parts: Vec<Node>, join: fn(Vec<Node>) -> Node) -> Node {
    match (parts.len(), parts.pop()) {
        (1, Some(only)) => only,
        (_, last) => {
            parts.extend(last);
            join(parts)
        }
    }
}

fn negated_if(node: Node, negated: bool) -> Node {
    if negated { Node::Not(Box::new(node)) } else { node }
}
