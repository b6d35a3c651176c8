//! Where the values of a JSON text stand. Knows just enough to find them in a
//! text that serde has read before; on any other it gives nothing.

use std::ops::Range;

/// Deeper than serde reads.
const DEPTH_MAX: usize = 200;

/// One value: its place, and what is in it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Node {
    pub start: usize,
    pub end: usize,
    pub shape: Shape,
}

/// What is in a value.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) enum Shape {
    /// Name, where the name begins, value.
    Object(Vec<(String, usize, Node)>),
    List(Vec<Node>),
    #[default]
    Plain,
}

impl Node {
    /// The value under a name: as everywhere in JSON, of several the last counts.
    pub(crate) fn get(&self, key: &str) -> Option<&Node> {
        let position = self.position(key)?;
        let Shape::Object(members) = &self.shape else { return None };
        members.get(position).map(|(_, _, value)| value)
    }

    /// Which member has this name.
    pub(crate) fn position(&self, key: &str) -> Option<usize> {
        let Shape::Object(members) = &self.shape else { return None };
        members.iter().rposition(|(name, _, _)| name == key)
    }

    /// The values of a list; none of anything else.
    pub(crate) fn list(&self) -> &[Node] {
        match &self.shape {
            Shape::List(items) => items,
            Shape::Object(_) | Shape::Plain => &[],
        }
    }

    /// The members of an object; none of anything else.
    pub(crate) fn members(&self) -> &[(String, usize, Node)] {
        match &self.shape {
            Shape::Object(members) => members,
            Shape::List(_) | Shape::Plain => &[],
        }
    }

    /// Where each of its items is, with their names.
    pub(super) fn items(&self) -> Vec<Range<usize>> {
        match &self.shape {
            Shape::Object(members) => members.iter().map(|(_, start, value)| *start..value.end).collect(),
            Shape::List(items) => items.iter().map(|item| item.start..item.end).collect(),
            Shape::Plain => Vec::new(),
        }
    }

    /// Where the first item begins and the last one ends.
    pub(super) fn first_and_last(&self) -> Option<(usize, usize)> {
        let items = self.items();
        Some((items.first()?.start, items.last()?.end))
    }
}

/// The value a text holds from `start` on.
pub(super) fn parse(text: &str, start: usize) -> Option<Node> {
    let mut reader = Reader { text, at: start };
    reader.value(0)
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl Reader<'_> {
    fn value(&mut self, depth: usize) -> Option<Node> {
        if depth > DEPTH_MAX {
            return None;
        }
        self.blank();
        let start = self.at;
        let shape = match self.peek()? {
            b'{' => self.object(depth)?,
            b'[' => self.list(depth)?,
            b'"' => self.string().map(|_| Shape::Plain)?,
            _ => {
                while self.peek().is_some_and(|byte| !b",]} \t\r\n".contains(&byte)) {
                    self.at += 1;
                }
                Shape::Plain
            }
        };
        Some(Node { start, end: self.at, shape })
    }

    fn object(&mut self, depth: usize) -> Option<Shape> {
        let mut members = Vec::new();
        self.items(b'}', |reader| {
            let start = reader.at;
            let name = reader.string()?;
            reader.blank();
            reader.eat(b':')?;
            members.push((name, start, reader.value(depth + 1)?));
            Some(())
        })?;
        Some(Shape::Object(members))
    }

    fn list(&mut self, depth: usize) -> Option<Shape> {
        let mut values = Vec::new();
        self.items(b']', |reader| {
            values.push(reader.value(depth + 1)?);
            Some(())
        })?;
        Some(Shape::List(values))
    }

    /// From the opening bracket to the closing one.
    fn items(&mut self, end: u8, mut item: impl FnMut(&mut Self) -> Option<()>) -> Option<()> {
        self.at += 1;
        self.blank();
        while self.peek()? != end {
            item(self)?;
            self.blank();
            if self.peek()? == b',' {
                self.at += 1;
                self.blank();
            }
        }
        self.eat(end)
    }

    fn string(&mut self) -> Option<String> {
        let start = self.at;
        self.eat(b'"')?;
        while self.peek()? != b'"' {
            self.at += if self.peek()? == b'\\' { 2 } else { 1 };
        }
        self.eat(b'"')?;
        serde_json::from_str(self.text.get(start..self.at)?).ok()
    }

    fn eat(&mut self, byte: u8) -> Option<()> {
        (self.peek()? == byte).then(|| self.at += 1)
    }

    fn blank(&mut self) {
        while self.peek().is_some_and(|byte| b" \t\r\n".contains(&byte)) {
            self.at += 1;
        }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }
}
