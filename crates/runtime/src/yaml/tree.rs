//! A YAML text as a tree in which every value knows its place.
//!
//! One mistake does not hide the next: the block of lines with a mistake is cut
//! out and the rest is read again, so a file says everything that is wrong with
//! it at once. Anchors and merge keys are resolved here.

use super::syntax;
use serde_saphyr::granit_parser::{Event, Marker, Options, Parser, ScalarStyle, ScanError, Span};
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::rc::Rc;

/// Values within each other. Deeper text is refused.
const DEPTH_MAX: usize = 100;

/// Values in one file, each alias counted with all it repeats.
const VALUES_MAX: usize = 4_000_000;

/// How many mistakes of one file are cut out before the rest is given up.
const CUTS_MAX: usize = 25;

/// A stretch of a file: lines and columns from 1, counted in characters; the end is not part of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place {
    pub line: usize,
    pub column: usize,
    pub end_line: usize,
    pub end_column: usize,
}

impl Place {
    /// A stretch of one line.
    pub fn in_line(line: usize, column: usize, length: usize) -> Place {
        Place { line, column, end_line: line, end_column: column.saturating_add(length) }
    }

    /// How many characters of its first line it covers; 1 where it covers several lines.
    pub fn length(&self) -> usize {
        if self.line == self.end_line { self.end_column.saturating_sub(self.column).max(1) } else { 1 }
    }

    fn of(span: &Span) -> Place {
        let column = |mark: &Marker| mark.col().saturating_add(1);
        let (start, end) = (&span.start, &span.end);
        Place { line: start.line(), column: column(start), end_line: end.line(), end_column: column(end) }
    }
}

/// One value.
#[derive(Debug)]
pub(crate) struct Node {
    /// Unique in its file.
    pub id: usize,
    pub place: Place,
    pub value: Value,
    depth: usize,
    size: usize,
}

/// What it is.
#[derive(Debug)]
pub(crate) enum Value {
    Text { text: String, style: ScalarStyle, is_text: bool },
    List(Vec<Rc<Node>>),
    Map(Vec<(Key, Rc<Node>)>),
}

/// The key of a value in a map.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Key {
    pub text: String,
    pub place: Place,
}

impl Node {
    /// The value of a key, if this is a map that has it.
    pub fn get(&self, key: &str) -> Option<&Rc<Node>> {
        let Value::Map(entries) = &self.value else { return None };
        entries.iter().find(|(known, _)| known.text == key).map(|(_, value)| value)
    }

    /// The items of a list; of anything else none.
    pub fn items(&self) -> &[Rc<Node>] {
        match &self.value {
            Value::List(items) => items,
            _ => &[],
        }
    }

    /// The entries of a map; of anything else none.
    pub fn entries(&self) -> &[(Key, Rc<Node>)] {
        match &self.value {
            Value::Map(entries) => entries,
            _ => &[],
        }
    }

    /// The text, if it is one.
    pub fn text(&self) -> Option<&str> {
        match &self.value {
            Value::Text { text, .. } => Some(text),
            _ => None,
        }
    }

    /// Nothing was written, or a null.
    pub fn is_null(&self) -> bool {
        let is_null = |text: &str| text.is_empty() || text == "~" || text.eq_ignore_ascii_case("null");
        matches!(&self.value, Value::Text { text, style: ScalarStyle::Plain, is_text: false } if is_null(text))
    }
}

/// A mistake and its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Mistake {
    pub place: Place,
    pub message: String,
    pub help: String,
}

/// A text that was read as far as it can be.
#[derive(Debug)]
pub(crate) struct Document {
    pub root: Option<Rc<Node>>,
    pub mistakes: Vec<Mistake>,
    /// Lines were cut out: what is missing may be in them.
    pub is_cut: bool,
}

impl Document {
    /// Reads a text.
    pub fn read(text: &str) -> Document {
        let own: Vec<&str> = text.split('\n').collect();
        let mut lines: Vec<Cow<'_, str>> = own.iter().map(|line| Cow::Borrowed(*line)).collect();
        let mut fixed_lines: HashSet<usize> = HashSet::new();
        let mut is_cut = false;
        let mut mistakes = Vec::new();
        for _ in 0..CUTS_MAX {
            let kept = lines.join("\n");
            let mut builder = Builder { lines: &own, ..Builder::default() };
            let end = builder.read(&kept);
            match end {
                Ok(()) => {
                    mistakes.append(&mut builder.mistakes);
                    return Document { root: builder.root, mistakes, is_cut };
                }
                Err(error) => {
                    let plain: Vec<&str> = lines.iter().map(|line| &**line).collect();
                    let mistake = syntax::explain(&plain, &error);
                    let at = mistake.place.line.saturating_sub(1);
                    let fixed = plain.get(at).and_then(|line| syntax::repaired(line, &mistake.help));
                    let cut = syntax::block_around(&plain, mistake.place.line, error.marker().line());
                    mistakes.push(mistake);
                    // With the line as it was meant, the rest of its rule can be read.
                    if let (Some(fixed), Some(line), true) =
                        (fixed, lines.get_mut(at), fixed_lines.insert(at))
                    {
                        *line = Cow::Owned(fixed);
                        continue;
                    }
                    // A line whose fix was not enough is told once.
                    if mistakes.len() > 1 && is_repeated(&mistakes) {
                        mistakes.pop();
                    }
                    is_cut = true;
                    if !cut_out(&mut lines, cut) {
                        break;
                    }
                }
            }
        }
        Document { root: None, mistakes, is_cut: true }
    }
}

/// Empties these lines; whether there was anything in them.
fn cut_out(lines: &mut [Cow<'_, str>], cut: Range<usize>) -> bool {
    let mut found = false;
    for line in lines.get_mut(cut).into_iter().flatten() {
        found |= !line.is_empty();
        *line = Cow::Borrowed("");
    }
    found
}

/// Is the last mistake in a line that has one already?
fn is_repeated(mistakes: &[Mistake]) -> bool {
    mistakes
        .split_last()
        .is_some_and(|(last, before)| before.iter().any(|one| one.place.line == last.place.line))
}

/// A list or map that is being read.
struct Open {
    anchor: usize,
    place: Place,
    /// The first key of a map.
    first: Option<Place>,
    /// The key whose value comes next.
    key: Option<Key>,
    is_map: bool,
    items: Vec<Rc<Node>>,
    entries: Vec<(Key, Rc<Node>)>,
    known: HashMap<String, usize>,
    merged: Vec<Rc<Node>>,
}

#[derive(Default)]
struct Builder<'a> {
    lines: &'a [&'a str],
    open: Vec<Open>,
    anchors: HashMap<usize, Rc<Node>>,
    root: Option<Rc<Node>>,
    mistakes: Vec<Mistake>,
    next: usize,
    documents: usize,
    copied: usize,
}

impl Builder<'_> {
    fn read(&mut self, text: &str) -> Result<(), ScanError> {
        let mut options = Options::default();
        options.emit_comments = false;
        options.emit_unresolved_aliases = true;
        for event in Parser::new_from_str_with_options(text, options) {
            let (event, span) = event?;
            self.take(event, &span);
            if self.documents > 1 {
                let place = Place::in_line(span.start.line(), 1, 3);
                self.mistake(
                    place,
                    "a second document begins here",
                    "remove this line: a policy is one document",
                );
                break;
            }
        }
        Ok(())
    }

    fn mistake(&mut self, place: Place, message: impl Into<String>, help: impl Into<String>) {
        self.mistakes.push(Mistake { place, message: message.into(), help: help.into() });
    }

    fn take(&mut self, event: Event<'_>, span: &Span) {
        let place = Place::of(span);
        match event {
            Event::DocumentStart(..) => self.documents = self.documents.saturating_add(1),
            Event::Scalar(text, style, anchor, tag) => {
                let foreign = tag.as_deref().is_some_and(|tag| !tag.is_yaml_core_schema());
                let (place, value) = match foreign.then_some(span.tag_start).flatten() {
                    Some(start) => self.tagged(&start, &text),
                    None => {
                        let is_text = tag.as_deref().is_some_and(|tag| tag.suffix() == "str");
                        (place, Value::Text { text: text.into_owned(), style, is_text })
                    }
                };
                let node = self.node(place, value, 0, 1);
                self.finish(anchor, node);
            }
            Event::SequenceStart(_, anchor, _) => self.begin(false, anchor, place),
            Event::MappingStart(_, anchor, _) => self.begin(true, anchor, place),
            Event::SequenceEnd | Event::MappingEnd => self.end(),
            Event::Alias(id) => match self.anchors.get(&id).cloned() {
                Some(node) => self.put(node),
                None => {
                    self.mistake(place, "an anchor cannot contain itself", "write the value out here");
                    self.put_null(place);
                }
            },
            Event::UnresolvedAlias(name) => {
                self.mistakes.push(syntax::unknown_alias(self.lines, place, &name));
                let value =
                    Value::Text { text: format!("*{name}"), style: ScalarStyle::SingleQuoted, is_text: true };
                let node = self.node(place, value, 0, 1);
                self.put(node);
            }
            _ => {}
        }
    }

    /// Tags mean nothing in a policy: a text that begins with `!` was meant.
    fn tagged(&mut self, start: &Marker, text: &str) -> (Place, Value) {
        let mistake = syntax::unknown_tag(self.lines, start.line(), start.col().saturating_add(1));
        let place = mistake.place;
        self.mistakes.push(mistake);
        (place, Value::Text { text: format!("!{text}"), style: ScalarStyle::SingleQuoted, is_text: true })
    }

    fn node(&mut self, place: Place, value: Value, depth: usize, size: usize) -> Rc<Node> {
        self.next = self.next.saturating_add(1);
        Rc::new(Node { id: self.next, place, value, depth, size })
    }

    fn put_null(&mut self, place: Place) {
        let value = Value::Text { text: String::new(), style: ScalarStyle::Plain, is_text: false };
        let node = self.node(place, value, 0, 1);
        self.put(node);
    }

    fn begin(&mut self, is_map: bool, anchor: usize, place: Place) {
        self.open.push(Open {
            anchor,
            place,
            first: None,
            key: None,
            is_map,
            items: Vec::new(),
            entries: Vec::new(),
            known: HashMap::new(),
            merged: Vec::new(),
        });
    }

    fn end(&mut self) {
        let Some(mut open) = self.open.pop() else { return };
        for node in std::mem::take(&mut open.merged) {
            for (key, value) in node.entries() {
                if !open.known.contains_key(&key.text) {
                    self.copied = self.copied.saturating_add(1);
                    open.known.insert(key.text.clone(), key.place.line);
                    open.entries.push((key.clone(), Rc::clone(value)));
                }
            }
        }
        let children = open.items.iter().chain(open.entries.iter().map(|(_, value)| value));
        let depth = children.clone().map(|one| one.depth).max().unwrap_or(0).saturating_add(1);
        let size = children.fold(1_usize, |sum, one| sum.saturating_add(one.size));
        // The first key says where a map in lines begins.
        let start = open.first.unwrap_or(open.place);
        let place = if self.is_flow(open.place) {
            Place::in_line(open.place.line, open.place.column, 1)
        } else {
            start
        };
        if depth > DEPTH_MAX || size > VALUES_MAX || self.copied > VALUES_MAX {
            self.mistake(
                place,
                "this nests too deep or repeats too much",
                "write it flatter, with fewer aliases",
            );
            return self.put_null(place);
        }
        let value = if open.is_map { Value::Map(open.entries) } else { Value::List(open.items) };
        let node = self.node(place, value, depth, size);
        self.finish(open.anchor, node);
    }

    fn is_flow(&self, place: Place) -> bool {
        let line = self.lines.get(place.line.saturating_sub(1)).copied().unwrap_or_default();
        matches!(line.chars().nth(place.column.saturating_sub(1)), Some('[' | '{' | '-'))
    }

    fn finish(&mut self, anchor: usize, node: Rc<Node>) {
        if anchor > 0 {
            self.anchors.insert(anchor, Rc::clone(&node));
        }
        self.put(node);
    }

    /// Puts a value where it belongs: below the key that waits for it, or it is that key.
    fn put(&mut self, node: Rc<Node>) {
        let Some(open) = self.open.last_mut() else {
            self.root = Some(node);
            return;
        };
        if !open.is_map {
            open.items.push(node);
            return;
        }
        let Some(key) = open.key.take() else {
            let text = match &node.value {
                Value::Text { text, .. } => text.clone(),
                _ => {
                    self.mistake(
                        node.place,
                        "a key must be a word, not a list or a map",
                        "write `key: value`",
                    );
                    String::new()
                }
            };
            if let Some(open) = self.open.last_mut() {
                open.first.get_or_insert(node.place);
                open.key = Some(Key { text, place: node.place });
            }
            return;
        };
        if key.text == "<<" {
            self.merge(&key, node);
        } else if let Some(line) = open.known.get(&key.text) {
            let message = format!("`{}` is written twice, first on line {line}", key.text);
            self.mistake(key.place, message, "join the two, or remove one of them");
        } else {
            open.known.insert(key.text.clone(), key.place.line);
            open.entries.push((key, node));
        }
    }

    fn merge(&mut self, key: &Key, node: Rc<Node>) {
        let all = if node.items().is_empty() { vec![node] } else { node.items().to_vec() };
        if all.iter().all(|one| matches!(one.value, Value::Map(_))) {
            self.open.last_mut().into_iter().for_each(|open| open.merged.extend(all.iter().cloned()));
        } else {
            self.mistake(
                key.place,
                "`<<` takes keys from a map, but this is not a map",
                "name an anchor of a map: `<<: *name`",
            );
        }
    }
}
