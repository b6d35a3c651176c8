//! A list that mostly holds one thing, and then needs no memory of its own.
//!
//! Words have one piece, variables one value, expansions give one word: one in
//! six times that reading took memory was for such a list. It is a slice to whoever
//! looks at it, and does nothing a `Vec` would not.

use std::ops::{Deref, DerefMut};

/// None, one or many.
#[derive(Debug, Clone)]
pub enum Few<T> {
    /// Just this.
    One(T),
    /// As many as there are, also none.
    Many(Vec<T>),
}

impl<T> Few<T> {
    /// Adds one at the end.
    pub fn push(&mut self, item: T) {
        match self {
            Few::Many(items) if items.is_empty() => *self = Few::One(item),
            Few::Many(items) => items.push(item),
            Few::One(_) => {
                if let Few::One(first) = std::mem::take(self) {
                    // Where two are, three are soon: `"$a/b"` has three pieces.
                    let mut items = Vec::with_capacity(3);
                    items.extend([first, item]);
                    *self = Few::Many(items);
                }
            }
        }
    }

    /// All of them.
    #[must_use]
    pub fn as_slice(&self) -> &[T] {
        match self {
            Few::One(item) => std::slice::from_ref(item),
            Few::Many(items) => items,
        }
    }
}

impl<T> Default for Few<T> {
    fn default() -> Few<T> {
        Few::Many(Vec::new())
    }
}

impl<T> Deref for Few<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        self.as_slice()
    }
}

impl<T> DerefMut for Few<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        match self {
            Few::One(item) => std::slice::from_mut(item),
            Few::Many(items) => items,
        }
    }
}

impl<T: PartialEq> PartialEq for Few<T> {
    fn eq(&self, other: &Few<T>) -> bool {
        self.as_slice() == other.as_slice()
    }
}

impl<T: Eq> Eq for Few<T> {}

impl<T> From<Vec<T>> for Few<T> {
    fn from(items: Vec<T>) -> Few<T> {
        Few::Many(items)
    }
}

impl<T> From<Few<T>> for Vec<T> {
    fn from(few: Few<T>) -> Vec<T> {
        match few {
            Few::One(item) => vec![item],
            Few::Many(items) => items,
        }
    }
}

impl<T> FromIterator<T> for Few<T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Few<T> {
        let mut few = Few::default();
        few.extend(items);
        few
    }
}

impl<T> Extend<T> for Few<T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, items: I) {
        items.into_iter().for_each(|item| self.push(item));
    }
}

impl<T> IntoIterator for Few<T> {
    type Item = T;
    type IntoIter = std::iter::Chain<std::option::IntoIter<T>, std::vec::IntoIter<T>>;

    fn into_iter(self) -> Self::IntoIter {
        let (one, many) = match self {
            Few::One(item) => (Some(item), Vec::new()),
            Few::Many(items) => (None, items),
        };
        one.into_iter().chain(many)
    }
}

impl<'a, T> IntoIterator for &'a Few<T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.as_slice().iter()
    }
}
