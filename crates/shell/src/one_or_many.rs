//! A list that mostly holds one thing, and then needs no memory of its own.
//!
//! Words have one piece, variables one value, expansions give one word: one in
//! six times that reading took memory was for such a list. It is a slice to anyone who
//! looks at it, and does nothing a `Vec` would not.

use std::ops::{Deref, DerefMut};

/// None, one or many.
#[derive(Debug, Clone)]
pub enum OneOrMany<T> {
    /// Just this.
    One(T),
    /// As many as there are, also none.
    Many(Vec<T>),
}

impl<T> OneOrMany<T> {
    /// Adds one at the end.
    pub fn push(&mut self, item: T) {
        match self {
            OneOrMany::Many(items) if items.is_empty() => *self = OneOrMany::One(item),
            OneOrMany::Many(items) => items.push(item),
            OneOrMany::One(_) => {
                if let OneOrMany::One(first) = std::mem::take(self) {
                    // Where two are, three are soon: `"$a/b"` has three pieces.
                    let mut items = Vec::with_capacity(3);
                    items.extend([first, item]);
                    *self = OneOrMany::Many(items);
                }
            }
        }
    }

    /// All of them.
    #[must_use]
    pub fn as_slice(&self) -> &[T] {
        match self {
            OneOrMany::One(item) => std::slice::from_ref(item),
            OneOrMany::Many(items) => items,
        }
    }
}

impl<T> Default for OneOrMany<T> {
    fn default() -> OneOrMany<T> {
        OneOrMany::Many(Vec::new())
    }
}

impl<T> Deref for OneOrMany<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        self.as_slice()
    }
}

impl<T> DerefMut for OneOrMany<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        match self {
            OneOrMany::One(item) => std::slice::from_mut(item),
            OneOrMany::Many(items) => items,
        }
    }
}

impl<T: PartialEq> PartialEq for OneOrMany<T> {
    fn eq(&self, other: &OneOrMany<T>) -> bool {
        self.as_slice() == other.as_slice()
    }
}

impl<T: Eq> Eq for OneOrMany<T> {}

impl<T> From<Vec<T>> for OneOrMany<T> {
    fn from(items: Vec<T>) -> OneOrMany<T> {
        OneOrMany::Many(items)
    }
}

impl<T> From<OneOrMany<T>> for Vec<T> {
    fn from(few: OneOrMany<T>) -> Vec<T> {
        match few {
            OneOrMany::One(item) => vec![item],
            OneOrMany::Many(items) => items,
        }
    }
}

impl<T> FromIterator<T> for OneOrMany<T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> OneOrMany<T> {
        let mut few = OneOrMany::default();
        few.extend(items);
        few
    }
}

impl<T> Extend<T> for OneOrMany<T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, items: I) {
        items.into_iter().for_each(|item| self.push(item));
    }
}

impl<T> IntoIterator for OneOrMany<T> {
    type Item = T;
    type IntoIter = std::iter::Chain<std::option::IntoIter<T>, std::vec::IntoIter<T>>;

    fn into_iter(self) -> Self::IntoIter {
        let (one, many) = match self {
            OneOrMany::One(item) => (Some(item), Vec::new()),
            OneOrMany::Many(items) => (None, items),
        };
        one.into_iter().chain(many)
    }
}

impl<'a, T> IntoIterator for &'a OneOrMany<T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.as_slice().iter()
    }
}
