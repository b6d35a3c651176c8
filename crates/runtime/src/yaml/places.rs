//! Where in a file the text is that something is about.

use super::tree::{Document, Node, Place, Value};
use serde_saphyr::granit_parser::ScalarStyle;
use std::rc::Rc;

/// The place of a text: from this line on, and first within the rule, agent or guardrail that begins
/// there. `part` is a stretch of it in characters.
pub(crate) fn of_needle(text: &str, line: usize, needle: &str, part: Option<(usize, usize)>) -> Place {
    let root = Document::read(text).root;
    let lines: Vec<&str> = text.split('\n').collect();
    let own = root.as_ref().map(|root| entry_at(root, line).unwrap_or(root));
    let in_tree = own.and_then(|node| in_node(node, &lines, line, needle, part));
    let in_tree = in_tree.or_else(|| in_node(root.as_ref()?, &lines, line, needle, part));
    in_tree.or_else(|| in_lines(&lines, line, needle)).unwrap_or_else(|| whole_line(&lines, line))
}

/// The rule, agent or guardrail that begins in a line.
fn entry_at(root: &Rc<Node>, line: usize) -> Option<&Rc<Node>> {
    let values = root.entries().iter().map(|(_, value)| value);
    let below =
        values.flat_map(|value| value.items().iter().chain(value.entries().iter().map(|(_, one)| one)));
    below.into_iter().find(|node| node.place.line == line)
}

fn in_node(
    node: &Rc<Node>,
    lines: &[&str],
    line: usize,
    needle: &str,
    part: Option<(usize, usize)>,
) -> Option<Place> {
    if needle.is_empty() {
        return None;
    }
    let mut found = Found { line, needle, exact: None, within: None };
    found.look(node);
    match (found.exact, found.within) {
        (Some(Hit::Key(place)), _) => Some(place),
        (Some(Hit::Text(node)), _) => {
            let all = (0, needle.chars().count());
            Some(stretch(lines, node, part.unwrap_or(all)))
        }
        (None, Some((node, start))) => {
            let (from, length) = part.unwrap_or((0, needle.chars().count()));
            Some(stretch(lines, node, (start.saturating_add(from), length)))
        }
        (None, None) => None,
    }
}

enum Hit<'a> {
    Key(Place),
    Text(&'a Node),
}

/// The first key or text that is the needle, and the first text that holds it.
struct Found<'a, 'n> {
    line: usize,
    needle: &'n str,
    exact: Option<Hit<'a>>,
    within: Option<(&'a Node, usize)>,
}

impl<'a> Found<'a, '_> {
    fn look(&mut self, node: &'a Rc<Node>) {
        if self.exact.is_some() {
            return;
        }
        match &node.value {
            Value::Text { text, .. } if node.place.line >= self.line => {
                if text == self.needle {
                    self.exact = Some(Hit::Text(node));
                } else if let (None, Some(byte)) = (self.within, text.find(self.needle)) {
                    self.within = text.get(..byte).map(|before| (&**node, before.chars().count()));
                }
            }
            Value::Text { .. } => {}
            Value::List(items) => items.iter().for_each(|item| self.look(item)),
            Value::Map(entries) => {
                for (key, value) in entries {
                    if self.exact.is_none() && key.text == self.needle && key.place.line >= self.line {
                        self.exact = Some(Hit::Key(key.place));
                    }
                    self.look(value);
                }
            }
        }
    }
}

/// A stretch of what a text says, as it is written in the file.
fn stretch(lines: &[&str], node: &Node, (start, length): (usize, usize)) -> Place {
    let first = position(lines, node, start);
    let last = position(lines, node, start.saturating_add(length));
    match (first, last) {
        (Some((line, column)), Some((end_line, end_column))) if line == end_line && end_column > column => {
            Place { line, column, end_line, end_column }
        }
        (Some((line, column)), _) => Place::in_line(line, column, 1),
        (None, _) => node.place,
    }
}

/// Where the character with this number is written, past quotes, escapes and line ends.
fn position(lines: &[&str], node: &Node, wanted: usize) -> Option<(usize, usize)> {
    let Value::Text { text, style, .. } = &node.value else { return None };
    let mut cursor = Cursor { lines, line: node.place.line, column: node.place.column };
    match style {
        ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted => cursor.skip(1),
        ScalarStyle::Literal | ScalarStyle::Folded => {
            if matches!(cursor.now(), Some('|' | '>')) {
                cursor.next_line();
            }
            cursor.skip_blanks();
        }
        _ => {}
    }
    for letter in text.chars().take(wanted) {
        while cursor.now().is_none() {
            let is_end = cursor.line >= lines.len();
            if is_end {
                return None;
            }
            cursor.next_line();
            cursor.skip_blanks();
            if letter.is_whitespace() {
                break;
            }
        }
        match (cursor.now(), style) {
            (Some('\\'), ScalarStyle::DoubleQuoted) => cursor.skip(match cursor.after() {
                Some('x') => 4,
                Some('u') => 6,
                Some('U') => 10,
                _ => 2,
            }),
            (Some('\''), ScalarStyle::SingleQuoted) => cursor.skip(2),
            (Some(own), _) if own == letter => cursor.skip(1),
            // The blank or line end this letter was written as is behind already.
            _ if letter.is_whitespace() => {}
            _ => return None,
        }
    }
    Some((cursor.line, cursor.column))
}

struct Cursor<'a> {
    lines: &'a [&'a str],
    line: usize,
    column: usize,
}

impl Cursor<'_> {
    fn at(&self, column: usize) -> Option<char> {
        let line = self.lines.get(self.line.checked_sub(1)?)?.trim_end_matches('\r');
        line.chars().nth(column.checked_sub(1)?)
    }

    fn now(&self) -> Option<char> {
        self.at(self.column)
    }

    fn after(&self) -> Option<char> {
        self.at(self.column.saturating_add(1))
    }

    fn skip(&mut self, count: usize) {
        self.column = self.column.saturating_add(count);
    }

    fn next_line(&mut self) {
        (self.line, self.column) = (self.line.saturating_add(1), 1);
    }

    fn skip_blanks(&mut self) {
        while self.now().is_some_and(|found| found == ' ') {
            self.skip(1);
        }
    }
}

fn in_lines(lines: &[&str], line: usize, needle: &str) -> Option<Place> {
    if needle.is_empty() {
        return None;
    }
    lines.iter().enumerate().skip(line.saturating_sub(1)).find_map(|(at, content)| {
        let byte = content.find(needle)?;
        let column = content.get(..byte)?.chars().count().saturating_add(1);
        Some(Place::in_line(at.saturating_add(1), column, needle.chars().count()))
    })
}

/// What a line says, without what indents it.
fn whole_line(lines: &[&str], line: usize) -> Place {
    let line = line.max(1);
    let content = lines.get(line.saturating_sub(1)).copied().unwrap_or_default().trim_end();
    let blank = content.chars().take_while(|found| found.is_whitespace()).count();
    Place::in_line(line, blank.saturating_add(1), content.chars().count().saturating_sub(blank))
}
