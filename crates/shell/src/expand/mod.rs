//! Raw words → the words a command would see: braces, tilde, variables,
//! substitutions whose output is plain to see, splitting, quotes.
//!
//! What cannot be known is in its source spelling and makes the word
//! inexact. Substituted commands are walked here, for they run here.

pub(crate) mod ansi;
mod arithmetic;
pub(crate) mod brace;
mod edit;
mod fields;
mod param;
mod pattern;

use std::borrow::Cow;

use smol_str::{SmolStr, SmolStrBuilder};

use crate::one_or_many::OneOrMany;
use crate::reading::{Span, Word};
use crate::scope::{Text, Value, hides_in_subscript};
use crate::stream::Stream;
use crate::tree::{Output, Part, RawWord};
use crate::walk::Walker;
use brace::Braces;
use fields::{Cut, Fields};

pub(crate) use pattern::fits_whole;

/// What words are cut at where nothing else is said.
pub(crate) const USUAL: &str = " \t\n";

/// What a word made by braces counts for, next to its bytes.
const MADE_COST: usize = 120;

/// A value on its way into words.
pub(crate) enum Resolved {
    /// One text; split where it is unquoted.
    One(Text),
    /// `"$@"` and `"${a[@]}"`: each text a word of its own.
    Many(Value),
    /// The words of `${x:-…}`, split already.
    Words(Cut),
}

/// Where a tilde may stand for the home.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Tilde {
    /// At the start.
    Start,
    /// At the start and behind every `:`, as in the value of a variable.
    Value,
    /// Like `Value` behind the `=`, in a word that looks like an assignment.
    Argument,
    /// At the start of a word that replaces a value: its text is split.
    StandIn,
}

impl Walker<'_> {
    /// Adds the words a raw word becomes. Most are what they seem to be.
    pub(crate) fn add_fields(&mut self, word: &RawWord, all: &mut Vec<Word>) {
        let plain = match word.parts.as_slice() {
            [Part::Quoted(text)] if !self.is_spelling(text) => Some((text, false)),
            [Part::Plain(text)] if !text.contains(['{', '~']) => Some((text, has_glob(text))),
            _ => None,
        };
        match plain {
            Some((text, glob)) => {
                all.push(Word { text: text.clone(), exact: true, glob, span: word.span });
            }
            None => all.extend(self.fields(word)),
        }
    }

    /// Quotes that came with a value no one knows protect its spelling, not it.
    fn is_spelling(&self, text: &str) -> bool {
        self.spelled && text.contains(['$', '`'])
    }

    /// The words a raw word becomes.
    pub(crate) fn fields(&mut self, word: &RawWord) -> OneOrMany<Word> {
        if !brace::has_brace(&word.parts) {
            return self.split_fields(&word.parts, word.span, tilde_of(&word.parts));
        }
        let braces = if self.is_spent() { Braces::TooMany } else { brace::expand(&word.parts) };
        match braces {
            Braces::Words(words) => {
                let mut all = OneOrMany::default();
                for parts in words {
                    let made = self.split_fields(&parts, word.span, Tilde::Start);
                    let bytes: usize = made.iter().map(|word| word.text.len() + MADE_COST).sum();
                    if !self.grow(bytes) {
                        break;
                    }
                    all.extend(made);
                }
                all
            }
            Braces::TooMany => {
                // Words that are named and not seen could be anything; mere
                // numbers are numbers.
                if brace::names_words(&word.parts) {
                    self.fail(word.span, "more than can be followed");
                }
                let mut one = self.single(&word.parts, word.span);
                one.exact = false;
                OneOrMany::One(one)
            }
        }
    }

    fn split_fields(&mut self, parts: &[Part], span: Span, tilde: Tilde) -> OneOrMany<Word> {
        self.cut_fields(parts, span, tilde).words
    }

    fn cut_fields(&mut self, parts: &[Part], span: Span, tilde: Tilde) -> Cut {
        let is_void = |part: &&Part| matches!(part, Part::Quoted(text) if text.is_empty());
        let filled = parts.len() - parts.iter().filter(is_void).count();
        let mut fields = Fields::new(span);
        let separators = if parts.iter().all(is_whole) || tilde != Tilde::StandIn && ends_in_dollar(parts) {
            SmolStr::default()
        } else {
            self.separators()
        };
        for (at, part) in parts.iter().enumerate() {
            match part {
                Part::Plain(text) => {
                    // `~-` and `~name` are folders, and no one knows which.
                    let known = at > 0 || !names_folder(text);
                    let text = self.tilde(text, tilde, at == 0, at + 1 == parts.len());
                    if tilde == Tilde::StandIn {
                        fields.split(&Text { text: text.into(), exact: known }, &separators);
                    } else {
                        fields.push(&text, known);
                        fields.current().glob |= has_glob(&text);
                    }
                }
                Part::Quoted(text) => fields.push(text, !self.is_spelling(text)),
                Part::Unknown(value) => {
                    self.arithmetic(&value.inner, span);
                    fields.push(&value.text, false);
                }
                Part::Array(words) => {
                    self.list_items(parts.get(..at).unwrap_or_default(), words, span);
                    fields.push("(…)", false);
                }
                Part::Process(output) => {
                    let text = self.process_text(output);
                    fields.push(&text, false);
                }
                Part::Output(output) => {
                    let text = self.output_text(output);
                    if filled == 1 && self.add_listed(&mut fields, &text) {
                        continue;
                    }
                    if output.quoted {
                        fields.push(&text.text, text.exact);
                    } else {
                        fields.split(&text, &separators);
                    }
                }
                Part::Param(param) => {
                    let mut value = self.param(param);
                    match &mut value {
                        // `"$@"` of no arguments is no word at all.
                        Resolved::Many(texts) if texts.is_empty() && filled == 1 => {
                            return Fields::new(span).finish();
                        }
                        // Where an item may vanish, others meet what is next to them.
                        Resolved::Many(texts) if filled > 1 && texts.iter().any(|text| !text.exact) => {
                            texts.iter_mut().for_each(|text| text.exact = false);
                        }
                        _ => {}
                    }
                    self.add_param(&mut fields, value, param.quoted, &separators);
                }
            }
        }
        fields.finish()
    }

    /// The paths a substitution lists (`$(find …)`, `$(ls)`), a word each.
    fn add_listed(&self, fields: &mut Fields, text: &Text) -> bool {
        let paths = match self.streams_of(text) {
            Some(stream) if !text.exact => stream.paths.as_slice(),
            _ => return false,
        };
        for (at, path) in paths.iter().enumerate() {
            if at > 0 {
                fields.cut();
            }
            fields.push(&path.text, false);
            fields.current().glob |= path.glob;
        }
        !paths.is_empty()
    }

    fn add_param(&mut self, fields: &mut Fields, value: Resolved, quoted: bool, separators: &str) {
        match (value, quoted) {
            (Resolved::One(text), true) => fields.push(&text.text, text.exact),
            (Resolved::One(text), false) => fields.split(&text, separators),
            (Resolved::Words(cut), _) if separators.is_empty() && cut.words.len() > 1 => {
                // Not cut after all; what was between the words is gone.
                fields.push(&joined_words(&cut.words).text, false);
            }
            (Resolved::Words(cut), _) => {
                if cut.before {
                    fields.blank();
                }
                for (at, word) in cut.words.into_iter().enumerate() {
                    if at > 0 {
                        fields.cut();
                    }
                    fields.push(&word.text, word.exact);
                    fields.current().glob |= word.glob;
                }
                if cut.behind {
                    fields.blank();
                }
            }
            (Resolved::Many(texts), _) => {
                let own = if separators.is_empty() { self.separators() } else { SmolStr::default() };
                let separators = if separators.is_empty() { own.as_str() } else { separators };
                for (at, text) in texts.iter().enumerate() {
                    if at > 0 {
                        fields.cut();
                    }
                    if quoted {
                        fields.push(&text.text, text.exact);
                    } else {
                        fields.split(text, separators);
                    }
                }
            }
        }
    }

    /// One word, never split: redirects, here-documents.
    pub(crate) fn single(&mut self, parts: &[Part], span: Span) -> Word {
        self.unsplit(parts, span, tilde_of(parts))
    }

    /// The value of a variable, never split.
    pub(crate) fn value(&mut self, parts: &[Part], span: Span) -> Word {
        self.unsplit(parts, span, Tilde::Value)
    }

    fn unsplit(&mut self, parts: &[Part], span: Span, tilde: Tilde) -> Word {
        let mut word = Word { exact: true, span, ..Word::default() };
        // Most words are one text, which need not be copied.
        if let [Part::Quoted(text)] = parts {
            word.text = text.clone();
            return word;
        }
        let mut all = SmolStrBuilder::new();
        for (at, part) in parts.iter().enumerate() {
            let text = match part {
                Part::Plain(text) => {
                    word.glob |= has_glob(text);
                    Text::exact(self.tilde(text, tilde, at == 0, at + 1 == parts.len()))
                }
                Part::Quoted(text) => Text::exact(text.clone()),
                Part::Unknown(value) => {
                    self.arithmetic(&value.inner, span);
                    Text::unknown(value.text.clone())
                }
                Part::Array(words) => {
                    self.list_items(&[], words, span);
                    Text::unknown("(…)")
                }
                Part::Process(output) => Text::unknown(self.process_text(output)),
                Part::Output(output) => self.output_text(output),
                Part::Param(param) => match self.param(param) {
                    Resolved::One(text) => text,
                    Resolved::Many(texts) => joined(&texts, " "),
                    Resolved::Words(cut) => {
                        let word = joined_words(&cut.words);
                        Text { text: word.text, exact: word.exact }
                    }
                },
            };
            if parts.len() == 1 {
                word.exact = text.exact;
                word.glob |= !text.exact && carries_glob(&text.text);
                word.text = text.text;
                return word;
            }
            all.push_str(&text.text);
            word.exact &= text.exact;
            word.glob |= !text.exact && carries_glob(&text.text);
        }
        word.text = all.finish();
        word
    }

    /// The items of a list. As those of integers they may be evaluated. With its
    /// name before it, `declare` will ask for it.
    fn list_items(&mut self, before: &[Part], words: &[RawWord], span: Span) {
        let mut items = Vec::new();
        for word in words {
            for item in self.fields(word) {
                if item.exact && hides_in_subscript(&item.text) {
                    self.run_text(&item.text, span);
                }
                items.push(item);
            }
        }
        if let [Part::Plain(name)] = before
            && let Some(name) = name.strip_suffix('=')
        {
            let list = self.list_of(name.trim_end_matches('+'), &items);
            self.lists.push_back((name.trim_end_matches('+').into(), list));
        }
    }

    /// Walks a command substitution; its output, where that is plain to see.
    fn output_text(&mut self, output: &Output) -> Text {
        let before = self.commands_listed();
        let mut stream = self.walk_aside(output, None);
        stream.whole = output.quoted;
        stream.changed |= stream.text.is_none() && self.prints_options(before);
        let meant = stream.other.as_ref().map(|_| self.choice.pick(&output.text, 2));
        let other = stream.other.as_ref().filter(|_| meant == Some(Some(1)));
        // Bytes that are zero are left out.
        let known = other
            .or(stream.text.as_ref())
            .map(|text| if text.contains('\0') { text.replace('\0', "").into() } else { Cow::from(text) })
            .map(|text| Text::exact(text.trim_end_matches('\n')));
        let text = known.unwrap_or_else(|| Text::unknown(output.text.clone()));
        if !text.exact || stream.download.is_some() {
            self.keep_stream(&text.text, stream);
        }
        text
    }

    fn process_text(&mut self, output: &Output) -> SmolStr {
        // What is written into `>(…)` comes later and is not known here.
        let input = output.text.starts_with('>').then(Stream::unknown);
        let stream = self.in_job(|walker| walker.walk_aside(output, input.as_ref()));
        self.keep_stream(&output.text, stream.settled());
        output.text.clone()
    }

    pub(crate) fn separators(&mut self) -> SmolStr {
        let Some(options) = self.scope.get("IFS") else { return SmolStr::new_static(USUAL) };
        let value = self.choice.pick("IFS", options.len()).and_then(|at| options.get(at));
        match value.and_then(|value| value.first()) {
            Some(text) if text.exact => text.text.clone(),
            _ => SmolStr::new_static(USUAL),
        }
    }

    /// Unquoted text with the home in place of tildes; `first` and `last` tell
    /// whether anything of the word is before and behind it.
    fn tilde<'t>(&self, text: &'t str, tilde: Tilde, first: bool, last: bool) -> Cow<'t, str> {
        let Some(home) = self.setting.home.as_deref().filter(|_| text.contains('~')) else {
            return text.into();
        };
        let head = text.find('=').filter(|_| first && tilde == Tilde::Argument);
        let mut out = String::new();
        let mut before = if first { Some(':') } else { None };
        for (at, found) in text.char_indices() {
            let may = match before {
                Some(':') => at == 0 || matches!(tilde, Tilde::Value | Tilde::Argument),
                Some('=') => head == at.checked_sub(1),
                _ => false,
            };
            let ends = match text.get(at + 1..).and_then(|rest| rest.chars().next()) {
                None => last,
                Some('/') => true,
                Some(':') => matches!(tilde, Tilde::Value | Tilde::Argument),
                Some(_) => false,
            };
            if found == '~' && may && ends {
                out.push_str(home);
            } else {
                out.push(found);
            }
            before = Some(found);
        }
        out.into()
    }
}

/// Is the last `$` one that represents itself? Bash does not split such a word.
fn ends_in_dollar(parts: &[Part]) -> bool {
    let own = |part: &Part| match part {
        Part::Plain(text) => text.contains('$').then_some(true),
        Part::Param(param) => (!param.quoted).then_some(false),
        Part::Output(output) => (!output.quoted).then_some(false),
        Part::Unknown(_) => Some(false),
        _ => None,
    };
    parts.len() > 1 && parts.iter().rev().find_map(own).unwrap_or(false)
}

/// The items of a line that is cut at `separators`, as `read -a` does it.
pub(crate) fn cut_at(line: &str, separators: &str) -> Value {
    let mut fields = Fields::new(Span::default());
    fields.split(&Text::exact(line), separators);
    fields.finish().words.into_iter().map(|word| Text::exact(word.text)).collect()
}

/// Does it stand in quotes, where nothing is cut?
fn is_whole(part: &Part) -> bool {
    match part {
        Part::Quoted(_) => true,
        Part::Param(param) => param.quoted && matches!(param.op, crate::tree::ParamOp::Get),
        _ => false,
    }
}

/// Is this `~+`, `~-` or the home of some user?
fn names_folder(text: &str) -> bool {
    let rest = text.strip_prefix('~').unwrap_or_default();
    rest.starts_with(|first: char| first.is_ascii_alphanumeric() || "+-_".contains(first))
}

/// A word such as `a=~/b` is given with the home in it.
fn tilde_of(parts: &[Part]) -> Tilde {
    let Some(Part::Plain(text)) = parts.first() else { return Tilde::Start };
    // Most words have none, and most are short.
    let Some(end) = text.bytes().position(|byte| byte == b'=') else { return Tilde::Start };
    let name = text.get(..end).unwrap_or_default();
    let name = name.strip_suffix('+').unwrap_or(name).split('[').next().unwrap_or_default();
    let is_name = name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    if is_name { Tilde::Argument } else { Tilde::Start }
}

/// Would unquoted `text` be matched against files? `(` is only there as part
/// of a pattern group.
fn has_glob(text: &str) -> bool {
    let mut open = false;
    text.bytes().any(|byte| {
        open |= byte == b'[';
        matches!(byte, b'*' | b'?' | b'(') || open && byte == b']'
    })
}

/// Is a value that is not known one of the files a pattern names? Nothing else
/// that is unknown is spelled without these signs.
pub(crate) fn carries_glob(text: &str) -> bool {
    has_glob(text) && !text.contains(['$', '`', '(', '<', '>', '…'])
}

/// Several words as one text.
fn joined_words(words: &[Word]) -> Word {
    let texts: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
    let exact = words.iter().all(|word| word.exact);
    Word { text: texts.join(" ").into(), exact, glob: words.iter().any(|word| word.glob), ..Word::default() }
}

/// `"$*"`: all texts in one, with this between.
fn joined(texts: &[Text], between: &str) -> Text {
    let all: Vec<&str> = texts.iter().map(|text| text.text.as_str()).collect();
    Text { text: all.join(between).into(), exact: texts.iter().all(|text| text.exact) }
}
