//! Variables a program of another language sets for the commands it starts:
//! `os.environ['HUSKY'] = '0'`, `env={**os.environ, 'HUSKY': '0'}`.
//!
//! Only names and values that stand there literally.

use super::Inner;
use super::language::literal;
use super::values::Values;
use crate::normal::quote;
use crate::reading::Word;

/// Signs of a call that are searched for an environment, and variables kept.
const SEARCHED_MAX: usize = 1024;
const NAMES_MAX: usize = 16;

impl Values {
    /// `os.environ['X'] = 'y'`, `process.env.X = 'y'`, `$ENV{X} = 'y'`, `putenv('X=y')`.
    pub(super) fn learn_environment(&mut self, name: &str, after: &str) {
        let found = match name {
            "environ" | "env" | "ENV" => self.assigned(after),
            "putenv" | "setenv" => self.put(after),
            _ => None,
        };
        if let Some(found) = found.filter(|_| self.environment.len() < NAMES_MAX) {
            self.environment.push(found);
        }
    }

    fn assigned(&self, after: &str) -> Option<(String, String)> {
        let inside = after.strip_prefix(['.', '[', '{'])?;
        let (key, rest) = key(inside)?;
        let right = rest.trim_start_matches([']', '}']).trim_start().strip_prefix('=')?;
        let (value, _) = self.text(right.trim_start()).filter(|_| !right.starts_with(['=', '~', '>']))?;
        Some((key, value))
    }

    fn put(&self, after: &str) -> Option<(String, String)> {
        let (first, rest) = self.text(after.trim_start().strip_prefix('(')?)?;
        match rest.trim_start().strip_prefix(',') {
            Some(second) => Some((first, self.text(second)?.0)),
            None => first.split_once('=').map(|(key, value)| (key.to_string(), value.to_string())),
        }
    }

    /// What is started, with the variables that are set for it.
    pub(super) fn with_environment(&self, inner: Inner, argument: &str, program: &Word) -> Inner {
        let mut all = self.environment.clone();
        all.extend(self.given_environment(argument));
        all.retain(|(key, _)| is_variable(key));
        if all.is_empty() {
            return inner;
        }
        let set: Vec<String> = all.iter().map(|(key, value)| format!("{key}={value}")).collect();
        let word = |text: &str| Word { text: text.into(), exact: true, glob: false, span: program.span };
        match inner {
            Inner::Words { words, .. } => {
                let front = std::iter::once("env").chain(set.iter().map(String::as_str)).map(word);
                Inner::made(front.chain(words).collect())
            }
            Inner::Text { text, .. } => {
                let set: Vec<String> =
                    all.iter().map(|(key, value)| format!("{key}={}", quote(value))).collect();
                let line = format!("export {}; {}", set.join(" "), text.text);
                Inner::text(Word { text: line.into(), ..text })
            }
            other => other,
        }
    }

    /// `env={…}` and `env: {…}` of a call, or a table in front of all else.
    fn given_environment(&self, argument: &str) -> Vec<(String, String)> {
        let text = argument
            .char_indices()
            .nth(SEARCHED_MAX)
            .and_then(|(at, _)| argument.get(..at))
            .unwrap_or(argument);
        let named = text
            .match_indices("env")
            .map(|(at, sign)| text.get(at + sign.len()..).unwrap_or("").trim_start());
        let table = named
            .filter_map(|rest| rest.strip_prefix(['=', ':']))
            .next()
            .or_else(|| Some(text).filter(|text| text.starts_with('{')));
        let Some(table) = table.map(str::trim_start) else { return Vec::new() };
        let end = table.find(['}', ')', '\n']).unwrap_or(table.len());
        let pairs = table.get(..end).unwrap_or("").split(',').take(NAMES_MAX);
        pairs.filter_map(|pair| self.pair(pair.trim_start_matches(['{', ' ']))).collect()
    }

    fn pair(&self, pair: &str) -> Option<(String, String)> {
        let (key, rest) = key(pair)?;
        let rest = rest.trim_start();
        let value = rest.strip_prefix("=>").or_else(|| rest.strip_prefix([':', '=']))?;
        Some((key, self.text(value.trim_start())?.0))
    }
}

/// A name, in quotes or not.
fn key(text: &str) -> Option<(String, &str)> {
    literal(text).or_else(|| {
        let end = text.find(|found: char| !(found.is_alphanumeric() || found == '_'))?;
        Some((text.get(..end)?.to_string(), text.get(end..)?))
    })
}

fn is_variable(key: &str) -> bool {
    !key.is_empty() && key.chars().all(|found| found.is_ascii_alphanumeric() || found == '_')
}
