//! Something a verb could not do: what, where, and what to do about it.
//!
//! For a person on stderr in words; with `--json` as one object, so that a
//! program never has to read sentences.

use crate::screen::{BOLD, RED, styled, talk, visible};
use serde::Serialize;
use std::any::Any;
use std::error::Error;
use std::fmt::Display;
use toolgate_runtime::{Broken, NotAPerson, PolicyFault};
use toolgate_store::StoreError;

/// What could not be done.
#[derive(Debug, Serialize)]
pub struct Failure {
    /// In one sentence.
    pub what: String,
    /// The place in a file it is about.
    #[serde(rename = "where")]
    place: Option<Place>,
    /// What to do.
    help: Option<String>,
    /// What a person reads in its place, carets, help and all.
    #[serde(skip)]
    text: Option<String>,
}

#[derive(Debug, Serialize)]
struct Place {
    file: String,
    line: usize,
    column: usize,
}

impl Failure {
    /// A failure with what to do about it.
    pub fn new(what: impl Display, help: impl Display) -> Failure {
        Failure { what: what.to_string(), place: None, help: Some(help.to_string()), text: None }
    }

    /// The same about one place in a file.
    pub fn at(file: &str, place: Option<(usize, usize)>, what: impl Display, help: impl Display) -> Failure {
        let place = place.map(|(line, column)| Place { file: file.to_owned(), line, column });
        Failure { place, ..Failure::new(what, help) }
    }

    /// The policy does not load: every problem with a caret for a person, the
    /// first one for a program.
    pub fn of_policy(faults: &[PolicyFault]) -> Failure {
        let Some(first) = faults.first() else {
            return Failure::new("the policy has an error", "run `toolgate policy check`");
        };
        let rendered: Vec<String> = faults.iter().map(PolicyFault::render).collect();
        let place = Place { file: first.file.clone(), line: first.line, column: first.column };
        let (what, help) = (first.message.clone(), Some(first.cure.clone()));
        Failure { what, place: Some(place), help, text: Some(rendered.join("\n\n")) }
    }

    /// The same where it keeps every call from running.
    pub fn of_broken_policy(faults: &[PolicyFault]) -> Failure {
        Failure::of_policy(faults).with_note("every call is blocked until this is fixed")
    }

    /// The same with a last line that says what it means.
    pub fn with_note(mut self, note: &str) -> Failure {
        if let Some(text) = &mut self.text {
            text.push_str(&format!("\n\nnote: {note}"));
        }
        self
    }

    /// A wrong command line.
    pub fn of_usage(error: &clap::Error) -> Failure {
        let text = error.render().to_string();
        let first: Vec<&str> =
            text.lines().take_while(|line| !line.trim().is_empty()).map(str::trim).collect();
        let what = first.join(" ");
        let what = what.strip_prefix("error: ").unwrap_or(&what);
        let after = |mark: &str| text.lines().find_map(|line| line.trim().strip_prefix(mark)).map(str::trim);
        let help = match (after("tip:"), after("Usage:")) {
            (Some(tip), _) => tip.to_owned(),
            (None, usage) => {
                let is_verb = |word: &&str| {
                    word.chars().all(|c| c.is_ascii_lowercase() || c == '-') && !word.starts_with('-')
                };
                let words: Vec<&str> = usage.unwrap_or("toolgate").split(' ').take_while(is_verb).collect();
                format!("see `{} --help`", words.join(" "))
            }
        };
        Failure::new(what, help)
    }

    /// Prints it.
    pub fn show(&self) {
        if asks_for_json() {
            talk(&serde_json::to_string(self).unwrap_or_default());
            return;
        }
        if let Some(text) = &self.text {
            let text = visible(text);
            let title = |line: &str| match line.strip_prefix("error:") {
                Some(rest) => format!("{}{rest}", styled(RED, "error:")),
                None => line.to_owned(),
            };
            return text.lines().for_each(|line| talk(&title(line)));
        }
        talk(&format!("{} {}", styled(RED, "error:"), visible(&self.what)));
        if let Some(Place { file, line, column }) = &self.place {
            talk(&format!("  --> {}:{line}:{column}", visible(file)));
        }
        if let Some(help) = &self.help {
            talk(&format!("{} {}", styled(BOLD, "help:"), visible(help)));
        }
    }
}

/// Whether the command line says `--json`, even one that cannot be parsed.
pub fn asks_for_json() -> bool {
    std::env::args_os().skip(1).take_while(|word| word != "--").any(|word| word == "--json")
}

impl<E: Error + 'static> From<E> for Failure {
    fn from(error: E) -> Failure {
        let any: &dyn Any = &error;
        // Its own sentence is for an agent whose call was not judged; here a person runs a verb.
        if let Some(broken) = any.downcast_ref::<Broken>() {
            return Failure::new(&broken.what, &broken.cure);
        }
        if let Some(store) = any.downcast_ref::<StoreError>() {
            return Failure::new(store, store.cure());
        }
        if let Some(refused) = any.downcast_ref::<NotAPerson>() {
            return Failure::new(refused, refused.cure());
        }
        Failure { what: error.to_string(), place: None, help: None, text: None }
    }
}
