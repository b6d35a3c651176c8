//! Text read speculatively: what is in the words of programs that print
//! something no one knows, where that is run or given to a command.
//!
//! It adds commands that may run. It never says that something is known.

use super::Walker;
use super::flow::CHAIN_MAX;
use super::simple::PendingCommand;
use crate::reading::{Command, Span, Unknown, Word};
use crate::stream::Stream;
use crate::tree::List;
use crate::{parse, wrappers};

/// What reading a byte of such a text costs.
const GUESS_COST: usize = 8;

/// Arguments of one command that are guessed at.
const ARGUMENTS_MAX: usize = 4;

impl Walker<'_> {
    /// Commands that may stand behind a mistake, or in text that may be printed.
    pub(super) fn guess(&mut self, list: &List) -> Stream {
        self.speculatively(|walker| {
            let _ = walker.list(list, None);
        });
        Stream::unknown()
    }

    /// A name or a value no one knows is no news in what is read speculatively.
    fn speculatively(&mut self, inner: impl FnOnce(&mut Self)) {
        let (mark, known) = (self.scope.checkpoint(), self.reading.opaque.len());
        let overwritten = self.overwritten.len();
        inner(self);
        self.doubt_written(overwritten);
        self.scope.rollback(mark);
        let mut at = 0;
        self.reading.opaque.retain(|one| {
            at += 1;
            at <= known || !matches!(one.kind, Unknown::Name | Unknown::Variable | Unknown::Output)
        });
    }

    /// What the programs behind `stream` have in their words, run as `via` would.
    pub(super) fn guess_printed(&mut self, stream: &Stream, span: Span, via: &str) {
        let (texts, more) = self.texts_behind(stream);
        if more {
            self.opaque(span, Unknown::Limit, format!("more text for `{via}` than is looked at"));
        }
        for text in texts {
            if !self.grow(text.len() * GUESS_COST) {
                return;
            }
            let parsed = parse::parse(&text, Some(span), self.depth);
            let was_in_place = std::mem::replace(&mut self.in_place, false);
            self.via.push(via.into());
            let _ = self.guess(&parsed.list);
            self.via.pop();
            self.in_place = was_in_place;
        }
    }

    /// `git commit $(awk 'BEGIN {print "-n"}')`: the command, given that text.
    pub(super) fn guess_arguments(&mut self, command: &Command, stdin: Option<&Stream>) {
        if self.guessing {
            return;
        }
        // The value of an option is one word, unless it is there without quotes.
        let counts = |at: usize, word: &Word| at == 1 || command.usage.operands.contains(word);
        let words = command.words.iter().enumerate().skip(1).filter(|(_, word)| !word.exact);
        let streams: Vec<(usize, Stream)> = words
            .filter_map(|(at, word)| {
                let stream = self.streams.get(word.text.trim())?;
                let bare = !stream.whole && word.span.end.saturating_sub(word.span.start) == word.text.len();
                (bare || counts(at, word)).then(|| (at, stream.clone()))
            })
            .take(ARGUMENTS_MAX)
            .collect();
        for (at, stream) in streams {
            for text in self.texts_behind(&stream).0 {
                let Some(call) = given(command, at, &text, stream.whole) else { continue };
                self.guessing = true;
                self.speculatively(|walker| {
                    let _ = walker.call(call, stdin);
                });
                self.guessing = false;
            }
        }
    }

    /// `awk '{print "-n"}' | xargs git commit`: the same for what `xargs` reads.
    pub(super) fn guess_items(&mut self, command: &Command, index: usize, stdin: Option<&Stream>) {
        let reads = matches!(command.program.as_str(), "xargs" | "gxargs" | "parallel");
        let Some(stream) = stdin.filter(|stream| reads && stream.text.is_none()).cloned() else { return };
        let (texts, more) = self.texts_behind(&stream);
        if more {
            self.opaque(command.span, Unknown::Limit, "more items than are looked at".to_string());
        }
        for text in texts {
            let known = Stream::known(text);
            self.speculatively(|walker| {
                for inner in wrappers::open(command, Some(&known)) {
                    walker.open_one(command, index, None, inner);
                }
            });
        }
    }

    /// The texts, and whether there are more.
    fn texts_behind(&mut self, stream: &Stream) -> (Vec<String>, bool) {
        let (mut texts, mut more) = (Vec::new(), false);
        let mut at = stream.from;
        for _ in 0..CHAIN_MAX {
            let Some(command) = at.and_then(|at| self.commands.get(at)) else { break };
            let printed = wrappers::printed_texts(command);
            texts.extend(printed.texts);
            more |= printed.more;
            at = command.piped_from;
        }
        let bytes: usize = texts.iter().map(String::len).sum();
        if self.grow(bytes) { (texts, more) } else { (Vec::new(), more) }
    }
}

/// The command with the words of `text` in place of that at `at`. Values in it are
/// taken to be empty: what no one knows is no news.
fn given(command: &Command, at: usize, text: &str, whole: bool) -> Option<PendingCommand> {
    let text = text.replace(wrappers::UNKNOWN, "");
    let place = command.words.get(at)?;
    let word = |text: &str| Word { text: text.into(), exact: true, ..place.clone() };
    let mut words: Vec<Word> = command.words.get(..at)?.to_vec();
    match whole {
        true => words.push(word(text.trim_end())),
        false => words.extend(text.split_whitespace().map(word)),
    }
    words.extend(command.words.get(at + 1..)?.iter().cloned());
    Some(PendingCommand {
        span: command.span,
        words,
        assignments: command.assignments.clone(),
        moved: true,
        ..PendingCommand::default()
    })
}
