//! The value of `$x` and `${x…}`.

use super::{Cut, Resolved, Tilde, edit, joined, joined_words};
use crate::one_or_many::OneOrMany;
use crate::reading::{Span, Word};
use crate::scope::{Options, Text, Value, built, size_of_value, state_key};
use crate::tree::{Param, ParamOp, Part};
use crate::walk::Walker;
use smol_str::{SmolStr, ToSmolStr};

/// Variables every environment has: `${HOME:+x}` is `x`.
const ALWAYS_SET: [&str; 8] = ["HOME", "PATH", "PWD", "SHELL", "USER", "IFS", "BASH", "BASH_VERSION"];

/// What changing a value counts for, next to its bytes.
const EDIT_COST: usize = 64;

/// Larger values than this are not copied.
const VALUE_MAX: usize = 4 << 20;

impl Walker<'_> {
    pub(super) fn param(&mut self, param: &Param) -> Resolved {
        if param.op == ParamOp::Get && param.index.is_none() && !matches!(param.name.as_str(), "@" | "*") {
            let value = self.value_of(&param.name, Some(0));
            return self.pick(param, value, None);
        }
        // The word and the index are expanded in any case: what they run, runs.
        let span = Span::default();
        // Unquoted, a word that replaces the value keeps its own quotes.
        let stands_in = !param.quoted && matches!(param.op, ParamOp::Default | ParamOp::Alternative);
        let fields = stands_in.then(|| self.cut_fields(&param.word, span, Tilde::StandIn));
        let word = match &fields {
            Some(fields) => joined_words(&fields.words),
            None => self.single(&param.word, span),
        };
        let index = param.index.as_ref().map(|parts| self.single(parts, span).text);
        if let Some(text) = index.as_deref().filter(|text| !matches!(*text, "@" | "*")) {
            self.evaluate(text, span);
        }
        if matches!(&param.op, ParamOp::Edit(op) if op == ":") {
            self.evaluate(&word.text, span);
        }
        let at = match &index {
            Some(text) => text.parse::<usize>().ok().or_else(|| self.counted_back(&param.name, text)),
            None => (!matches!(param.name.as_str(), "@" | "*")).then_some(0),
        };
        let value = self.value_of(&param.name, at);
        let value = self.item(param, index.as_deref(), value);
        // One item was asked for, and only that one was fetched.
        let index =
            index.filter(|text| at.is_none() && matches!(text.as_str(), "@" | "*") || value.is_none());
        match &param.op {
            ParamOp::Default | ParamOp::Assign => {
                let has_value = |text: &Text| !param.colon || !text.text.is_empty();
                let stands = value.as_ref().is_some_and(|value| value.iter().any(has_value));
                if stands && !self.may_lack(param, value.as_deref(), &word.text) {
                    return self.pick(param, value, index.as_deref());
                }
                let text = Text { text: word.text, exact: word.exact };
                if param.op == ParamOp::Assign {
                    self.scope.set_one(&param.name, text.clone());
                }
                fields.map_or(Resolved::One(text), Resolved::Words)
            }
            ParamOp::Alternative => alternative(param, value.as_deref(), fields, word),
            ParamOp::Get => self.pick(param, value, index.as_deref()),
            ParamOp::Indirect => {
                let target = value.and_then(|value| value.first().cloned()).filter(|text| text.exact);
                let found = target.and_then(|name| self.value_of(&name.text, Some(0)));
                let first = found.and_then(|value| value.first().cloned());
                Resolved::One(first.unwrap_or_else(|| Text::unknown(param.text.clone())))
            }
            ParamOp::Length if index.is_some() => {
                let known = value.filter(|value| value.iter().all(|text| text.exact));
                let count = known.map(|value| Text::exact(value.len().to_string()));
                Resolved::One(count.unwrap_or_else(|| Text::unknown(param.text.clone())))
            }
            ParamOp::Length => {
                let first = value.and_then(|value| value.first().cloned()).filter(|text| text.exact);
                let length = first.map(|text| Text::exact(text.text.chars().count().to_string()));
                Resolved::One(length.unwrap_or_else(|| Text::unknown(param.text.clone())))
            }
            ParamOp::Edit(op) => self.edited(param, value, index.as_deref(), op, &word),
        }
    }

    /// A value no one knows may be none: in one round of two, the default is in.
    fn may_lack(&mut self, param: &Param, value: Option<&[Text]>, word: &str) -> bool {
        let unknown = value.is_some_and(|value| value.iter().any(|text| !text.exact));
        unknown && !word.is_empty() && self.choice.pick(&state_key("lacks", &param.name), 2) == Some(1)
    }

    fn edited(
        &mut self,
        param: &Param,
        value: Option<Value>,
        index: Option<&str>,
        op: &str,
        word: &crate::reading::Word,
    ) -> Resolved {
        if param.text.ends_with("@P}") {
            // The value is expanded as a prompt is, substitutions and all.
            for text in value.iter().flatten().map(|text| text.text.clone()).collect::<Vec<_>>() {
                self.run_prompt(&text, Span::default());
            }
        }
        if op == ":" && (matches!(param.name.as_str(), "@" | "*") || index.is_some()) {
            let first = usize::from(index.is_none());
            let items = value.as_deref().and_then(|value| edit::slice(value, &word.text, first));
            return match items.filter(|items| word.exact && items.iter().all(|text| text.exact)) {
                Some(items) => Resolved::Many(items.into()),
                None => Resolved::One(Text::unknown(param.text.clone())),
            };
        }
        let picked = match self.pick(param, value, index) {
            Resolved::One(text) => OneOrMany::One(text),
            Resolved::Many(texts) => texts,
            Resolved::Words(_) => Value::default(),
        };
        if op == ":" && picked.len() != 1 {
            return Resolved::One(Text::unknown(param.text.clone()));
        }
        let mut done = Value::default();
        for text in picked {
            // A replacement may be longer than what it replaces.
            let bytes = text.text.len().saturating_mul(if word.glob || op.starts_with('/') {
                word.text.len() + 1
            } else {
                1
            });
            if bytes > VALUE_MAX || !self.grow(bytes + EDIT_COST) {
                return Resolved::One(Text::unknown(param.text.clone()));
            }
            let readable = text.exact && word.exact;
            let pattern = pattern_in(&param.word, op, &word.text).filter(|_| readable);
            match pattern.and_then(|pattern| edit::edit(&text.text, op, &word.text, pattern)) {
                Some(new) => done.push(Text::exact(new)),
                None if text.exact => return Resolved::One(built(&param.name)),
                None => return Resolved::One(Text::unknown(param.text.clone())),
            }
        }
        Resolved::Many(done)
    }

    /// The element the expansion asks for.
    fn pick(&mut self, param: &Param, value: Option<Value>, index: Option<&str>) -> Resolved {
        let Some(value) = value else { return Resolved::One(Text::unknown(param.text.clone())) };
        match (param.name.as_str(), index) {
            ("@", _) | (_, Some("@")) => Resolved::Many(value),
            ("*", _) | (_, Some("*")) => {
                if param.quoted && value.len() > 1 && self.scope.get("IFS").is_some_and(|ifs| !is_known(ifs))
                {
                    // No one knows what is between them.
                    Resolved::One(Text::unknown(param.text.clone()))
                } else if param.quoted {
                    let separators = self.separators();
                    let between = separators.chars().next().map(String::from).unwrap_or_default();
                    Resolved::One(joined(&value, &between))
                } else {
                    Resolved::Many(value)
                }
            }
            (_, None) => Resolved::One(value.first().cloned().unwrap_or(Text::exact(""))),
            (_, Some(_)) => Resolved::One(Text::unknown(param.text.clone())),
        }
    }

    /// What is known of a parameter, or of its item number `at`. Where it may have several values, the
    /// one of the present choice; the walker then comes back for the others.
    fn value_of(&mut self, name: &str, at: Option<usize>) -> Option<Value> {
        let is_place = name == "*" || name.starts_with(|first: char| first.is_ascii_digit()) && name != "0";
        let place = if is_place { "@" } else { name };
        if let Some(options) = self.scope.get(place) {
            let value = options.get(self.choice.pick(place, options.len())?)?;
            let position = name.parse::<usize>().ok().filter(|_| is_place).and_then(|at| at.checked_sub(1));
            let all_known = value.iter().all(|text| text.exact);
            if !all_known && position.is_none() && at.is_some_and(|at| at >= value.len()) {
                return None;
            }
            let value: &[Text] = match position.or(at) {
                Some(at) => value.get(at..=at).unwrap_or_default(),
                None => value,
            };
            let bytes = size_of_value(value);
            let value = (bytes < VALUE_MAX).then(|| value.iter().cloned().collect::<Value>());
            return value.filter(|_| self.grow(bytes));
        }
        match name {
            "IFS" => Some(OneOrMany::One(Text::exact(" \t\n"))),
            // What ran last may have been something else.
            "_" => self.last_word().filter(|_| self.choice.pick("_", 2) == Some(0)).map(OneOrMany::One),
            "HOME" => self.setting.home.clone().map(|home| OneOrMany::One(Text::exact(home))),
            "PWD" => self.here().map(OneOrMany::One),
            "#" => {
                let options = self.scope.get("@")?;
                let value = options.get(self.choice.pick("@", options.len())?)?;
                let exact = value.iter().all(|text| text.exact);
                Some(OneOrMany::One(Text { text: value.len().to_smolstr(), exact }))
            }
            _ => None,
        }
    }

    /// The current folder, absolute if the start is known.
    pub(crate) fn here(&self) -> Option<Text> {
        let moved = self.moved_to().cloned().unwrap_or_default();
        match (&self.setting.pwd, moved.text.as_str()) {
            (Some(pwd), "") => Some(Text::exact(pwd.as_str())),
            (_, text) if text.starts_with('/') => Some(moved),
            (Some(pwd), text) => Some(Text { text: crate::walk::join_path(pwd, text), exact: moved.exact }),
            (None, _) => None,
        }
    }
}

/// Are the signs of patterns behind this operator meant as such? `None` where
/// some are and some are not: a value that is among them is one as well.
fn pattern_in(parts: &[Part], op: &str, word: &str) -> Option<bool> {
    if !op.starts_with(['#', '%', '/']) {
        return Some(false);
    }
    let signs = |text: &str| text.contains(['*', '?', '[', ']', '(', '\\']);
    let one_slash = !op.starts_with('/') || word.matches('/').count() < 2;
    let (mut plain, mut quoted) = (false, false);
    for part in parts {
        match part {
            // Where its slash would part what is found from what it becomes.
            Part::Quoted(text) if op.starts_with('/') && text.contains('/') => return None,
            Part::Quoted(text) => quoted |= signs(text),
            Part::Plain(text) if text.starts_with('~') => return None,
            Part::Plain(text) => plain |= signs(text),
            _ if !signs(word) && one_slash => {}
            _ => return None,
        }
    }
    (!(plain && quoted)).then_some(plain)
}

/// `${x:+w}`: the word, where there is a value.
fn alternative(param: &Param, value: Option<&[Text]>, fields: Option<Cut>, word: Word) -> Resolved {
    let known = match value {
        None => ALWAYS_SET.contains(&param.name.as_str()),
        Some(value) => value.iter().all(|text| text.exact),
    };
    let is_empty = |text: &Text| param.colon && text.text.is_empty();
    if value.is_some_and(|value| value.iter().all(is_empty)) {
        return Resolved::One(Text { text: SmolStr::default(), exact: known });
    }
    match fields.filter(|_| known) {
        Some(fields) => Resolved::Words(fields),
        None => Resolved::One(Text { text: word.text, exact: known && word.exact }),
    }
}

/// Is every value it may have known?
fn is_known(options: &Options) -> bool {
    options.iter().flatten().all(|text| text.exact)
}
