//! The models in the order of their names, sorted when compiling: every command
//! looks for its model, and four hundred names are too many to try in turn.

use super::{MODELS, Model};

const COUNT: usize = count();

/// Every name with its model.
pub(super) static BY_NAME: [(&str, &Model); COUNT] = sorted();

/// Where the names with each first byte begin among [`BY_NAME`].
static STARTS: [u16; 130] = starts();

/// The model of this program.
pub(super) fn find(program: &str) -> Option<&'static Model> {
    let first = usize::from(*program.as_bytes().first()?);
    let range = usize::from(*STARTS.get(first)?)..usize::from(*STARTS.get(first + 1)?);
    let same = BY_NAME.get(range)?.iter().find(|(name, _)| super::is_named(name, program));
    same.map(|(_, model)| *model)
}

#[allow(clippy::indexing_slicing)] // evaluated by the compiler, which refuses a wrong index
#[allow(clippy::cast_possible_truncation)] // a few hundred names
const fn starts() -> [u16; 130] {
    let mut all = [0; 130];
    let (mut byte, mut at) = (0, 0);
    while byte < all.len() {
        while at < COUNT && (BY_NAME[at].0.as_bytes()[0] as usize) < byte {
            at += 1;
        }
        all[byte] = at as u16;
        byte += 1;
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
                while at > 0 && is_before(name, all[at - 1].0) {
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

/// As `str` orders them, which a constant cannot ask.
const fn is_before(one: &str, other: &str) -> bool {
    let (mut one, mut other) = (one.as_bytes(), other.as_bytes());
    while let ([a, one_rest @ ..], [b, other_rest @ ..]) = (one, other) {
        if *a != *b {
            return *a < *b;
        }
        (one, other) = (one_rest, other_rest);
    }
    one.len() < other.len()
}

#[cfg(test)]
mod tests {
    use super::BY_NAME;

    #[test]
    fn names_are_sorted_and_none_has_two_models() {
        let wrong: Vec<_> = BY_NAME.windows(2).filter(|pair| pair[0].0 >= pair[1].0).collect();
        let wrong: Vec<_> = wrong.iter().map(|pair| (pair[0].0, pair[1].0)).collect();
        assert_eq!(wrong, []);
    }
}
