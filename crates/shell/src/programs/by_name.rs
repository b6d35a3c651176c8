//! The models by the first letter and the length of their names, sorted when
//! compiling: every command looks for its model, and four hundred names are too
//! many to try in turn.

use super::{MODELS, Model};

const COUNT: usize = count();

/// Letters and lengths that are told apart. Others share a group.
const LETTERS: usize = 32;
const LENGTHS: usize = 16;

/// Every name with its model, group after group.
pub(super) static BY_NAME: [(&str, &Model); COUNT] = sorted();

/// Where each group begins among [`BY_NAME`], and where the last one ends.
static STARTS: [u16; LETTERS * LENGTHS + 1] = starts();

/// The model of this program.
pub(super) fn find(program: &str) -> Option<&'static Model> {
    let group = group_of(program);
    let range = usize::from(*STARTS.get(group)?)..usize::from(*STARTS.get(group + 1)?);
    let same = BY_NAME.get(range)?.iter().find(|(name, _)| super::is_named(name, program));
    same.map(|(_, model)| *model)
}

const fn group_of(name: &str) -> usize {
    let Some(first) = name.as_bytes().first() else { return 0 };
    (*first as usize % LETTERS) * LENGTHS + name.len() % LENGTHS
}

#[allow(clippy::indexing_slicing)] // evaluated by the compiler, which refuses a wrong index
#[allow(clippy::cast_possible_truncation)] // a few hundred names
const fn starts() -> [u16; LETTERS * LENGTHS + 1] {
    let mut all = [0; LETTERS * LENGTHS + 1];
    let (mut group, mut at) = (0, 0);
    while group < all.len() {
        while at < COUNT && group_of(BY_NAME[at].0) < group {
            at += 1;
        }
        all[group] = at as u16;
        group += 1;
    }
    all
}

const fn count() -> usize {
    let mut count = 0;
    let mut families = MODELS;
    while let [family, after @ ..] = families {
        let mut models = *family;
        while let [model, more @ ..] = models {
            count += model.names.len();
            models = more;
        }
        families = after;
    }
    count
}

#[allow(clippy::indexing_slicing)] // evaluated by the compiler, which refuses a wrong index
const fn sorted() -> [(&'static str, &'static Model); COUNT] {
    let mut all = [("", &super::GENERIC); COUNT];
    let mut filled = 0;
    let mut families = MODELS;
    while let [family, after @ ..] = families {
        let mut models = *family;
        while let [model, more @ ..] = models {
            let mut names = model.names;
            while let [name, others @ ..] = names {
                let mut at = filled;
                while at > 0 && group_of(name) < group_of(all[at - 1].0) {
                    all[at] = all[at - 1];
                    at -= 1;
                }
                all[at] = (name, model);
                filled += 1;
                names = others;
            }
            models = more;
        }
        families = after;
    }
    all
}

#[cfg(test)]
mod tests {
    use super::{BY_NAME, find};
    use std::collections::BTreeSet;

    #[test]
    fn every_name_is_found_and_none_has_two_models() {
        let names: BTreeSet<&str> = BY_NAME.iter().map(|(name, _)| *name).collect();
        assert_eq!(names.len(), BY_NAME.len());
        for (name, model) in &BY_NAME {
            assert!(find(name).is_some_and(|found| std::ptr::eq(found, *model)), "{name}");
        }
        assert!(["", "é", "no-such-program"].iter().all(|name| find(name).is_none()));
    }
}
