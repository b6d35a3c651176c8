//! Reads values of our own types out of a tree, and says all that is wrong.
//!
//! A value that cannot be read is taken out, or read as what was meant, and the
//! rest is read again, so one mistake does not hide the next. What lacks only
//! what was taken out is no mistake of its own.

use super::reader::Reader;
use super::tree::{Key, Mistake, Node, Place};
use super::wording::{self, Shape};
use serde::de::{self, Expected, Unexpected};
use std::collections::{HashMap, HashSet};
use std::fmt;
use std::rc::Rc;

/// How many mistakes of one value are told.
const MISTAKES_MAX: usize = 100;

/// An item of a list or a map: the container, and the number in it.
pub(crate) type Entry = (usize, usize);

/// What is not read as it is written.
#[derive(Debug, Default)]
pub(crate) struct Changes {
    /// Taken out.
    pub dropped: HashSet<Entry>,
    /// Keys read as the ones that were meant.
    pub(super) keys: HashMap<Entry, String>,
    /// Words read as the ones that were meant.
    pub(super) words: HashMap<usize, String>,
}

impl Changes {
    /// These items are not read.
    pub fn without(dropped: HashSet<Entry>) -> Changes {
        Changes { dropped, ..Changes::default() }
    }
}

/// What was read, as far as it could be.
pub(crate) struct ReadValue<T> {
    pub value: Option<T>,
    pub mistakes: Vec<Mistake>,
    pub changes: Changes,
}

/// Reads a value, without what is taken out already. Where lines were cut out, what is missing at the top may
/// have been there.
pub(crate) fn read<T: de::DeserializeOwned>(
    root: &Rc<Node>,
    is_cut: bool,
    mut changes: Changes,
) -> ReadValue<T> {
    let mut lacking: HashMap<usize, Vec<String>> = HashMap::new();
    let mut mistakes = Vec::new();
    while mistakes.len() < MISTAKES_MAX {
        let fault = match T::deserialize(Reader { node: root, changes: &changes }) {
            Ok(value) => return ReadValue { value: Some(value), mistakes, changes },
            Err(fault) => fault,
        };
        let owner = fault.owner.unwrap_or(root.id);
        let is_known = match &*fault.shape {
            Shape::Missing(field) => {
                let gone = lacking.get(&owner).is_some_and(|all| all.iter().any(|key| key == field));
                gone || is_cut && owner == root.id
            }
            _ => false,
        };
        if !is_known {
            mistakes.push(wording::of_shape(&fault, root));
        }
        if !change(&fault, &mut changes, &mut lacking) {
            break;
        }
    }
    ReadValue { value: None, mistakes, changes }
}

/// Makes room for reading the rest; whether that changed anything.
fn change(fault: &Fault, changes: &mut Changes, lacking: &mut HashMap<usize, Vec<String>>) -> bool {
    let Some(Item { entry, key, siblings }) = fault.item.as_deref() else { return false };
    match &*fault.shape {
        Shape::UnknownKey { given, known } if !changes.keys.contains_key(entry) => {
            let meant = wording::nearest(given, known).filter(|name| !siblings.iter().any(|one| one == name));
            if let Some(name) = meant {
                changes.keys.insert(*entry, name.to_owned());
                return true;
            }
        }
        Shape::UnknownWord { given, known } => {
            let meant = fault.node.and_then(|node| Some((node, wording::meant(given, known)?)));
            if let Some((node, word)) = meant.filter(|(node, _)| !changes.words.contains_key(node)) {
                changes.words.insert(node, word);
                return true;
            }
        }
        _ => {}
    }
    lacking.entry(entry.0).or_default().extend(key.clone());
    changes.dropped.insert(*entry)
}

/// Why a value cannot be read, and where.
#[derive(Debug)]
pub(super) struct Fault {
    pub shape: Box<Shape>,
    pub place: Option<Place>,
    /// The key whose value it is.
    pub key: Option<String>,
    /// The item it is, of the innermost list or map.
    item: Option<Box<Item>>,
    /// The map that lacks something.
    owner: Option<usize>,
    /// The value itself.
    node: Option<usize>,
}

#[derive(Debug)]
struct Item {
    entry: Entry,
    key: Option<String>,
    /// The keys of the same map.
    siblings: Vec<String>,
}

impl Fault {
    pub(super) fn new(shape: Shape) -> Fault {
        let shape = Box::new(shape);
        Fault { shape, place: None, key: None, item: None, owner: None, node: None }
    }

    pub(super) fn at(mut self, node: &Node) -> Fault {
        self.place.get_or_insert(node.place);
        self.owner.get_or_insert(node.id);
        self.node.get_or_insert(node.id);
        self
    }

    pub(super) fn within(mut self, container: &Node, at: usize, key: Option<&Key>) -> Fault {
        if self.key.is_none() {
            self.key = key.map(|key| key.text.clone());
        }
        self.item.get_or_insert_with(|| {
            Box::new(Item {
                entry: (container.id, at),
                key: key.map(|key| key.text.clone()),
                siblings: container.entries().iter().map(|(key, _)| key.text.clone()).collect(),
            })
        });
        self
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.shape)
    }
}

impl std::error::Error for Fault {}

impl de::Error for Fault {
    fn custom<T: fmt::Display>(message: T) -> Fault {
        Fault::new(Shape::Other(message.to_string()))
    }

    fn invalid_type(found: Unexpected<'_>, expected: &dyn Expected) -> Fault {
        Fault::new(Shape::Type { found: wording::found(&found), expected: expected.to_string() })
    }

    fn invalid_value(found: Unexpected<'_>, expected: &dyn Expected) -> Fault {
        Fault::new(Shape::Value { found: wording::found(&found), expected: expected.to_string() })
    }

    fn unknown_variant(given: &str, known: &'static [&'static str]) -> Fault {
        Fault::new(Shape::UnknownWord { given: given.to_owned(), known })
    }

    fn unknown_field(given: &str, known: &'static [&'static str]) -> Fault {
        Fault::new(Shape::UnknownKey { given: given.to_owned(), known })
    }

    fn missing_field(field: &'static str) -> Fault {
        Fault::new(Shape::Missing(field))
    }
}
