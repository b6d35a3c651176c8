//! Something a verb could not do: what, where, and what to do about it.
//!
//! For a person on stderr in words; with `--json` as one object, so that a
//! program never has to read sentences.

use crate::screen::{RED, styled, talk, visible};
use serde::Serialize;
use std::any::Any;
use std::error::Error;
use std::fmt::Display;
use toolgate_runtime::{Broken, PolicyFault};
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
    cure: Option<String>,
    /// What a person reads in its place; the cure may be in it already.
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
    /// A failure with a cure.
    pub fn new(what: impl Display, cure: impl Display) -> Failure {
        Failure { what: what.to_string(), place: None, cure: Some(cure.to_string()), text: None }
    }

    /// The policy does not load: every problem with a caret for a person, the
    /// first one for a program.
    pub fn of_policy(said: impl Display, faults: &[PolicyFault], hint: &str) -> Failure {
        let rendered: Vec<String> = faults.iter().map(PolicyFault::render).collect();
        let text = format!("{said}\n{}\n  hint: {hint}", rendered.join("\n\n"));
        let Some(first) = faults.first() else {
            return Failure { text: Some(text), ..Failure::new(said, hint) };
        };
        let place = Place { file: first.file.clone(), line: first.line, column: first.column };
        let (what, cure) = (first.message.clone(), Some(first.cure.clone()));
        Failure { what, place: Some(place), cure, text: Some(text) }
    }

    /// A wrong command line.
    pub fn of_usage(error: &clap::Error) -> Failure {
        let text = error.render().to_string();
        let first: Vec<&str> =
            text.lines().take_while(|line| !line.trim().is_empty()).map(str::trim).collect();
        let what = first.join(" ");
        let what = what.strip_prefix("error: ").unwrap_or(&what);
        Failure::new(what, "`--help` behind the verb shows how it is used")
    }

    /// Says it.
    pub fn show(&self) {
        if asks_for_json() {
            talk(&serde_json::to_string(self).unwrap_or_default());
            return;
        }
        let said = self.text.as_ref().unwrap_or(&self.what);
        talk(&format!("{} {}", styled(RED, "error:"), visible(said)));
        if let (Some(cure), None) = (&self.cure, &self.text) {
            talk(&format!("  hint: {cure}"));
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
        // Its own sentence is for an agent whose call was not judged; here somebody runs a verb.
        if let Some(broken) = any.downcast_ref::<Broken>() {
            return Failure::new(&broken.what, &broken.cure);
        }
        let text = Some(error.to_string());
        if let Some(store) = any.downcast_ref::<StoreError>() {
            return Failure { text, ..Failure::new(store, store.cure()) };
        }
        Failure { what: error.to_string(), place: None, cure: None, text: None }
    }
}
