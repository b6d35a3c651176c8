//! The value of `$x` and `${x…}`.

use super::{Resolved, edit, joined};
use crate::reading::Span;
use crate::scope::{DIR, Text, Value};
use crate::tree::{Param, ParamOp};
use crate::walk::Walker;

/// Variables every environment has: `${HOME:+x}` is `x`.
const ALWAYS_SET: [&str; 8] = ["HOME", "PATH", "PWD", "SHELL", "USER", "IFS", "BASH", "BASH_VERSION"];

/// What each item of a list counts for, beside its bytes.
const ITEM_COST: usize = 16;

impl Walker<'_> {
    pub(super) fn param(&mut self, param: &Param) -> Resolved {
        // The word and the index are expanded in any case: what they run, runs.
        let span = Span::default();
        let word = self.single(&param.word, span);
        let index = param.index.as_ref().map(|parts| self.single(parts, span).text);
        let value = self.value_of(&param.name);
        match &param.op {
            ParamOp::Default => {
                if value.as_ref().is_some_and(|value| value.iter().any(|text| !text.text.is_empty())) {
                    return self.pick(param, value, index.as_deref());
                }
                let text = Text { text: word.text, exact: word.exact };
                if param.text.contains('=') && value.is_none() {
                    self.scope.set_one(&param.name, text.clone());
                }
                Resolved::One(text)
            }
            ParamOp::Alternative => {
                let known = value.is_some() || ALWAYS_SET.contains(&param.name.as_str());
                let empty = value.is_some_and(|value| value.iter().all(|text| text.text.is_empty()));
                let text = if empty { String::new() } else { word.text };
                Resolved::One(Text { text, exact: known && word.exact })
            }
            ParamOp::Get => self.pick(param, value, index.as_deref()),
            ParamOp::Indirect => {
                let target = value.and_then(|value| value.first().cloned()).filter(|text| text.exact);
                let found = target.and_then(|name| self.value_of(&name.text));
                let first = found.and_then(|value| value.first().cloned());
                Resolved::One(first.unwrap_or_else(|| Text::unknown(param.text.clone())))
            }
            ParamOp::Length => {
                let first = value.and_then(|value| value.first().cloned()).filter(|text| text.exact);
                let length = first.map(|text| Text::exact(text.text.chars().count().to_string()));
                Resolved::One(length.unwrap_or_else(|| Text::unknown(param.text.clone())))
            }
            ParamOp::Edit(op) => self.edited(param, value, index.as_deref(), op, &word),
        }
    }

    fn edited(
        &mut self,
        param: &Param,
        value: Option<Value>,
        index: Option<&str>,
        op: &str,
        word: &crate::reading::Word,
    ) -> Resolved {
        let picked = match self.pick(param, value, index) {
            Resolved::One(text) => vec![text],
            Resolved::Many(texts) => texts,
        };
        if op == ":" && picked.len() != 1 {
            return Resolved::One(Text::unknown(param.text.clone()));
        }
        let mut done = Vec::new();
        for text in picked {
            match edit::edit(&text.text, op, &word.text).filter(|_| text.exact && word.exact) {
                Some(new) => done.push(Text::exact(new)),
                None => return Resolved::One(Text::unknown(param.text.clone())),
            }
        }
        Resolved::Many(done)
    }

    /// The element the expansion asks for.
    fn pick(&self, param: &Param, value: Option<Value>, index: Option<&str>) -> Resolved {
        let Some(value) = value else { return Resolved::One(Text::unknown(param.text.clone())) };
        match (param.name.as_str(), index) {
            ("@", _) | (_, Some("@")) => Resolved::Many(value),
            ("*", _) | (_, Some("*")) => {
                if param.quoted {
                    Resolved::One(joined(&value))
                } else {
                    Resolved::Many(value)
                }
            }
            (_, None) => Resolved::One(value.first().cloned().unwrap_or(Text::exact(""))),
            (_, Some(index)) => match index.parse::<usize>() {
                Ok(at) => Resolved::One(value.get(at).cloned().unwrap_or(Text::exact(""))),
                Err(_) => Resolved::One(Text::unknown(param.text.clone())),
            },
        }
    }

    /// What is known of a parameter. Where it may have several values, the
    /// one of the present choice; the walker then comes back for the others.
    fn value_of(&mut self, name: &str) -> Option<Value> {
        let is_place = name == "*" || name.starts_with(|first: char| first.is_ascii_digit()) && name != "0";
        let place = if is_place { "@" } else { name };
        if let Some(options) = self.scope.get(place) {
            let count = options.len();
            let value = options.get(self.choice.min(count.saturating_sub(1))).cloned().unwrap_or_default();
            self.widest = self.widest.max(count);
            let bytes: usize = value.iter().map(|text| text.text.len() + ITEM_COST).sum();
            if !self.grow(bytes) {
                return None;
            }
            return match name.parse::<usize>() {
                Ok(0) | Err(_) => Some(value),
                Ok(at) => Some(value.get(at - 1).cloned().into_iter().collect()),
            };
        }
        match name {
            "IFS" => Some(vec![Text::exact(" \t\n")]),
            "HOME" => self.setting.home.clone().map(|home| vec![Text::exact(home)]),
            "PWD" => self.here().map(|here| vec![here]),
            "#" => self.scope.get("@")?.first().map(|value| vec![Text::exact(value.len().to_string())]),
            _ => None,
        }
    }

    /// The current folder, absolute if the start is known.
    pub(crate) fn here(&self) -> Option<Text> {
        let moved = self.scope.get(DIR).and_then(|options| options.get(self.choice.min(options.len() - 1)));
        let moved = moved.and_then(|value| value.first()).cloned().unwrap_or_default();
        match (&self.setting.pwd, moved.text.as_str()) {
            (Some(pwd), "") => Some(Text::exact(pwd.clone())),
            (_, text) if text.starts_with('/') => Some(moved),
            (Some(pwd), text) => Some(Text { text: crate::walk::join_path(pwd, text), exact: moved.exact }),
            (None, _) => None,
        }
    }
}
