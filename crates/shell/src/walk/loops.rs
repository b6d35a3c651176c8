//! Loops, and the words of other compound commands: `for`, `while`, `case`, `[[`.

use smol_str::format_smolstr;

use super::Walker;
use super::disguise::may_be_option;
use crate::one_or_many::OneOrMany;
use crate::reading::Word;
use crate::scope::{Text, Value, built, concat, hides_in_subscript, is_number};
use crate::stream::Stream;
use crate::tree::{List, Part, RawWord};

/// Rounds of a loop that are walked.
const ROUNDS_MAX: usize = 4;

/// Items of a `for` that are followed one by one, and of one in another.
const ITEMS_MAX: usize = 64;
const INNER_MAX: usize = 16;

/// Matches in one condition that are looked at.
const MATCHES_MAX: usize = 8;

/// Where a match is kept.
const MATCH: &str = "BASH_REMATCH";

impl Walker<'_> {
    /// A loop: once, and once more as long as a round changes what the next would
    /// see, a few times.
    pub(super) fn repeated(
        &mut self,
        stdin: Option<&Stream>,
        mut round: impl FnMut(&mut Self, Option<&Stream>),
    ) -> Stream {
        let overwritten = self.overwritten.len();
        for count in 0..ROUNDS_MAX {
            let mark = self.scope.checkpoint();
            self.with_given(false, |walker| round(walker, stdin));
            let changes = self.scope.take_changes(mark);
            let growing = self.scope.growing(&changes);
            let changed = changes.iter().any(|(name, options)| self.scope.get(name) != options.as_ref());
            self.merge(&[changes], true);
            // The folder and what else is no variable is followed for two rounds.
            if !changed || count > 0 && growing.is_empty() {
                break;
            }
            // One more round sees what no one knows any more.
            if count + 2 >= ROUNDS_MAX {
                growing.iter().for_each(|name| self.scope.doubt(name));
            }
        }
        self.doubt_written(overwritten);
        Stream::unknown()
    }

    /// The words of a `for`, with all values they may have.
    fn items(&mut self, words: &[RawWord]) -> Vec<Word> {
        let mut items: Vec<Word> = Vec::new();
        self.in_rounds(|walker| {
            let first = walker.choice.is_first();
            for word in words {
                for item in walker.fields(word) {
                    if first || items.len() > ITEMS_MAX || !items.contains(&item) {
                        items.push(item);
                    }
                }
            }
            Stream::silent()
        });
        items
    }

    /// `for x; do …`: the words the shell or the function was given.
    fn positions(&self, name: &str) -> Vec<Word> {
        let given = self.scope.get("@").map_or(&[][..], |options| options.as_slice());
        let word =
            |Text { text, exact }: &Text| Word { text: text.clone(), exact: *exact, ..Word::default() };
        let items: Vec<Word> = given.iter().flatten().map(word).collect();
        let unknown = || vec![Word { text: format_smolstr!("${name}"), ..Word::default() }];
        if items.is_empty() { unknown() } else { items }
    }

    pub(super) fn for_each(
        &mut self,
        name: &str,
        words: Option<&[RawWord]>,
        body: &List,
        uses_name: bool,
        stdin: Option<&Stream>,
    ) -> Stream {
        let mut items = self.items(words.unwrap_or_default());
        if words.is_none() {
            items = self.positions(name);
        }
        // One number is like another.
        let counts = items.iter().all(|item| is_number(&item.text));
        let most = if counts || self.looping > 0 { INNER_MAX } else { ITEMS_MAX };
        let known = items.len() <= most && items.iter().all(|item| item.exact && !item.glob);
        if !known || !uses_name {
            for item in items.iter().filter(|item| item.exact && hides_in_subscript(&item.text)) {
                self.run_text(&item.text, item.span);
            }
            return self.for_each_unknown(name, &items, body, uses_name, stdin);
        }
        let was_in_place = self.in_place;
        self.in_place &= items.len() == 1;
        let mut out = Stream::silent();
        self.looping += 1;
        for item in items {
            if self.is_spent() {
                break;
            }
            let mark = self.scope.checkpoint();
            self.scope.set_one(name, Text { text: item.text, exact: item.exact });
            let one = self.with_given(false, |walker| walker.list(body, stdin));
            out.append(one);
            let changes = self.scope.take_changes(mark);
            self.merge(&[changes], true);
        }
        self.looping -= 1;
        self.in_place = was_in_place;
        out
    }

    /// The same where the items are not all known: a pattern is carried to where
    /// the variable is used.
    fn for_each_unknown(
        &mut self,
        name: &str,
        items: &[Word],
        body: &List,
        uses_name: bool,
        stdin: Option<&Stream>,
    ) -> Stream {
        let unknown = || Text::unknown(format_smolstr!("${name}"));
        let mut values: Value = match items {
            [only] if uses_name => OneOrMany::One(Text::unknown(only.text.clone())),
            _ if !uses_name => OneOrMany::One(unknown()),
            _ if items.len() <= INNER_MAX => items.iter().map(Text::of).collect(),
            _ => items.iter().filter(|item| item.glob).take(INNER_MAX).map(Text::of).collect(),
        };
        let counts = items.iter().all(|item| is_number(&item.text));
        if items.len() > INNER_MAX && !counts && items.iter().all(|item| item.exact) {
            // They all stand here; who runs them must say which.
            values.push(built(name));
        } else if items.len() > INNER_MAX || values.is_empty() {
            values.push(unknown());
        }
        let was_in_place = self.in_place;
        self.in_place &= values.len() == 1;
        for value in values {
            self.scope.set_one(name, value);
            let _ = self.repeated(stdin, |walker, stdin| {
                let _ = walker.list(body, stdin);
            });
        }
        self.in_place = was_in_place;
        Stream::unknown()
    }

    /// The words of `[[ … ]]` and `((…))`.
    pub(super) fn test(&mut self, words: &[RawWord]) {
        self.in_rounds(|walker| {
            for word in words {
                walker.arithmetic(&word.parts, word.span);
                walker.subscript_of(&word.parts, word.span);
            }
            walker.keep_match(words);
            Stream::silent()
        });
    }

    /// `[[ text =~ … ]]` keeps parts of the text: which is not followed, but whether
    /// it is here is.
    fn keep_match(&mut self, words: &[RawWord]) {
        let matches = |word: &RawWord| matches!(word.parts.as_slice(), [Part::Plain(sign)] if sign == "=~");
        let mut kept = None;
        for pair in words.windows(2).filter(|pair| pair.last().is_some_and(matches)).take(MATCHES_MAX) {
            let Some(text) = pair.first().map(|text| self.single(&text.parts, text.span)) else { continue };
            let hides = text.exact && may_be_option(&text.text);
            if hides || kept.is_none() {
                kept = Some(if hides { built(MATCH) } else { Text::unknown(concat(&["$", MATCH])) });
            }
        }
        kept.into_iter().for_each(|kept| self.scope.set_one(MATCH, kept));
    }
}
