//! Arguments made of text that is here, in a way that is not followed.
//!
//! A word no one knows (`git push $REMOTE`) is let through: there is no telling
//! what it is, and mostly it is harmless. Who takes text that is here and makes
//! it unreadable on the way (`git commit $(echo --xo-verify | awk …)`) hides it, and
//! is asked. Decides nothing about words that come from outside.

use std::sync::Arc;

use super::Walker;
use super::flow::CHAIN_MAX;
use super::items::item_mark;
use crate::reading::{Command, Unknown, Word};
use crate::scope::{BUILT, concat};
use crate::stream::Stream;

/// Programs that lose or publish work by one word more.
const CAREFUL: [&str; 9] = ["git", "rm", "dd", "shred", "truncate", "kubectl", "terraform", "docker", "gh"];

impl Walker<'_> {
    /// Says which argument of the command is disguised, if one is.
    pub(super) fn doubt_arguments(&mut self, command: &Command) {
        if !CAREFUL.contains(&command.program.as_str()) {
            return;
        }
        // Behind `--` and as the value of an option it is no option itself.
        let mut words = command.words.iter().skip(1).take_while(|word| word.text != "--");
        let Some(word) =
            words.find(|word| self.is_disguised(command, word) && command.usage.operands.contains(word))
        else {
            return;
        };
        let what = format!("argument of `{}` made by `{}`", command.program, word.text);
        self.opaque(word.span, Unknown::Decoded, what);
    }

    fn is_disguised(&self, command: &Command, word: &Word) -> bool {
        // What is in front of an unknown value says that it is no option.
        if word.exact || !word.text.starts_with(['$', '`']) {
            return false;
        }
        let built = command.program == "git" && (word.text.ends_with(BUILT) || self.is_of_list(&word.text));
        built || self.streams.get(word.text.trim()).is_some_and(|stream| self.is_made_here(command, stream))
    }

    /// `${!m[@]}`, the keys of a list that holds options, or `${m[1]}`, an item of one
    /// that was put together here.
    fn is_of_list(&self, text: &str) -> bool {
        let Some(inside) = text.strip_prefix("${") else { return false };
        let Some((name, _)) = inside.split_once('[') else { return false };
        match name.strip_prefix('!') {
            Some(list) => !self.scope.items(&concat(&[&item_mark(list, None), "-"]), 1).is_empty(),
            None => self.scope.get(name).is_some_and(|options| {
                options.iter().flatten().any(|item| !item.exact && item.text.ends_with(BUILT))
            }),
        }
    }

    pub(crate) fn commands_listed(&self) -> usize {
        self.commands.len()
    }

    /// Has one of the commands listed since then printed an option, word for word?
    /// Where no one can say whether it is printed, it is an option in disguise.
    pub(crate) fn prints_options(&self, since: usize) -> bool {
        let options = |command: &Arc<Command>| command.words.iter().skip(1).any(|word| is_option(&word.text));
        self.commands.iter().skip(since).any(|command| is_literal(command) && options(command))
    }

    /// Was it printed here, word for word, and then changed?
    fn is_made_here(&self, given: &Command, stream: &Stream) -> bool {
        if stream.changed {
            return true;
        }
        let mut at = stream.from;
        // Words parted at other signs begin in the middle of what is here.
        let mut only_ordered = self.scope.get("IFS").is_none();
        for _ in 0..CHAIN_MAX {
            let Some(command) = at.and_then(|at| self.commands.get(at)) else { break };
            if is_literal(command) {
                // To git a word counts as an option, to others as a place as well.
                let is_place = |text: &str| given.program != "git" && text.contains(['/', '~', '*', '.']);
                let counts = |word: &Word| may_be_option(&word.text) || is_place(&word.text);
                return at != stream.from && (!only_ordered || command.words.iter().skip(1).any(counts));
            }
            only_ordered &= orders(command);
            at = command.piped_from;
        }
        false
    }
}

/// Does it give back the words it was given, in another order?
fn orders(command: &Command) -> bool {
    let words = command.words.get(1..).unwrap_or_default();
    match command.program.as_str() {
        "sort" | "uniq" | "tac" | "cat" | "shuf" => true,
        // Bytes may be cut out of the middle of a word.
        "head" | "tail" => !words.iter().any(|word| !word.exact || word.text.contains('c')),
        // It may also put a dash somewhere, by whatever name.
        "tr" => words
            .iter()
            .all(|word| word.exact && matches!(word.text.as_str(), " " | "," | ":" | ";" | "\n" | "\\n")),
        _ => false,
    }
}

/// Could some of it stand for an option? Dashes inside of names do not count.
pub(super) fn may_be_option(text: &str) -> bool {
    let opens = |at: usize| text.get(..at).is_some_and(|front| !front.ends_with(char::is_alphanumeric));
    text.contains("--") || text.match_indices('-').any(|(at, _)| opens(at))
}

/// Does it print words that all stand here?
fn is_literal(command: &Command) -> bool {
    matches!(command.program.as_str(), "echo" | "printf")
        && command.words.len() > 1
        && command.words.iter().skip(1).all(|word| word.exact && !word.glob)
}

/// The options `echo` itself takes are not printed.
fn is_option(text: &str) -> bool {
    text.starts_with('-') && text.len() > 1 && !matches!(text, "-n" | "-e" | "-E" | "-en" | "-ne" | "--")
}
