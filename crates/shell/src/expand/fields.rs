//! Words while they grow out of pieces: where one ends and the next begins.
//!
//! Knows texts and separators, nothing of variables.

use smol_str::SmolStrBuilder;

use super::carries_glob;
use crate::one_or_many::OneOrMany;
use crate::reading::{Span, Word};
use crate::scope::Text;

/// Words cut out of a value, and whether blanks was before and behind them.
pub(crate) struct Cut {
    pub(super) words: OneOrMany<Word>,
    pub(super) before: bool,
    pub(super) behind: bool,
}

/// Words under construction.
pub(super) struct Fields {
    done: OneOrMany<Word>,
    current: Option<Growing>,
    span: Span,
    /// Blanks came before the first word.
    blank_before: bool,
}

/// One of them.
pub(super) struct Growing {
    text: SmolStrBuilder,
    exact: bool,
    pub(super) glob: bool,
}

impl Fields {
    pub(super) fn new(span: Span) -> Fields {
        Fields { done: OneOrMany::default(), current: None, span, blank_before: false }
    }

    pub(super) fn current(&mut self) -> &mut Growing {
        self.current.get_or_insert_with(|| Growing { text: SmolStrBuilder::new(), exact: true, glob: false })
    }

    pub(super) fn push(&mut self, text: &str, exact: bool) {
        let word = self.current();
        word.text.push_str(text);
        word.exact &= exact;
        word.glob |= !exact && carries_glob(text);
    }

    pub(super) fn cut(&mut self) {
        if let Some(Growing { text, exact, glob }) = self.current.take() {
            self.done.push(Word { text: text.finish(), exact, glob, span: self.span });
        }
    }

    /// Ends a word, if there is one, as a blank does.
    pub(super) fn blank(&mut self) {
        self.blank_before |= self.current.is_none() && self.done.is_empty();
        self.cut();
    }

    /// Unquoted text: cut at every character of `separators`.
    pub(super) fn split(&mut self, text: &Text, separators: &str) {
        if !text.exact {
            self.push(&text.text, false);
            return;
        }
        // Blanks only part words; every other separator ends one, be it empty,
        // unless blanks have just ended it.
        let mut parted = false;
        for found in text.text.chars() {
            if separators.contains(found) {
                let is_blank = matches!(found, ' ' | '\t' | '\n');
                if !is_blank && !parted {
                    let _ = self.current();
                }
                parted = is_blank && (parted || self.current.is_some());
                if is_blank {
                    self.blank();
                } else {
                    self.cut();
                }
                continue;
            }
            parted = false;
            let word = self.current();
            word.text.push(found);
            word.glob |= matches!(found, '*' | '?');
        }
    }

    pub(super) fn finish(mut self) -> Cut {
        let behind = self.current.is_none() && !self.done.is_empty();
        self.cut();
        Cut { words: self.done, before: self.blank_before, behind }
    }
}
