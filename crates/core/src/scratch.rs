//! Folders a call makes for throw-away files: `d=$(mktemp -d)`.
//!
//! What such a folder is called is not known, and where it lies is: below the temporary folder,
//! unless the command says another place.

use crate::places::Places;
use toolgate_shell::{Reading, Word};

/// Where new scratch folders of a call lie.
pub(crate) struct Scratch<'a> {
    reading: &'a Reading,
    places: &'a Places,
}

impl<'a> Scratch<'a> {
    pub(crate) fn of(reading: &'a Reading, places: &'a Places) -> Scratch<'a> {
        Scratch { reading, places }
    }

    /// The temporary folder, unless the call may name another one. Asked for seldom, so nothing is kept.
    fn temp(&self) -> Option<&'a str> {
        let moved = |name: &str| matches!(name, "TMPDIR" | "TMP" | "TEMP");
        let mut set = self.reading.commands.iter().flat_map(|one| &one.assignments);
        self.places.temp.first().map(String::as_str).filter(|_| !set.any(|one| moved(&one.name)))
    }

    /// The whole path of something in a new scratch folder.
    pub(crate) fn folder(&self, text: &str) -> Option<String> {
        is_scratch(text).then_some(())?;
        Some(format!("{}/{text}", self.temp()?))
    }

    /// A file whose place is known by that, seen from where its command runs.
    pub(crate) fn file(&self, target: &Word, dir: Option<&Word>) -> Option<Word> {
        let known = |text: String| Word { text: text.into(), exact: true, ..target.clone() };
        if let Some(path) = self.folder(&target.text) {
            return Some(known(path));
        }
        let folder = self.folder(&dir?.text)?;
        let plain = target.exact && !target.text.starts_with(['/', '~']) && !target.text.contains("..");
        plain.then_some(())?;
        Some(known(format!("{folder}/{}", target.text)))
    }
}

/// Does a path begin in a folder `mktemp` makes, and stay in it?
fn is_scratch(text: &str) -> bool {
    if !matches!(text.as_bytes().first(), Some(b'$' | b'`')) {
        return false;
    }
    let made = ["$(mktemp", "`mktemp"].iter().find_map(|sign| text.strip_prefix(sign));
    let Some((words, rest)) = made.and_then(|made| made.split_once([')', '`'])) else { return false };
    let in_temp = words.split_whitespace().any(|word| word == "--tmpdir" || is_cluster(word, 't'));
    let stays = |word: &str| match word.strip_prefix('-') {
        Some(_) => !word.contains('=') && !is_cluster(word, 'p'),
        // A name of one's own is put into the folder the command runs in, unless `-t` says otherwise.
        None => in_temp && !word.contains('/'),
    };
    words.split_whitespace().all(stays)
        && (rest.is_empty() || rest.starts_with('/'))
        && !rest.contains("..")
        && !rest.contains(['$', '`'])
}

/// Is it a word of short options with this one among them?
fn is_cluster(word: &str, option: char) -> bool {
    word.starts_with('-') && !word.starts_with("--") && word.contains(option)
}

#[cfg(test)]
mod tests {
    use super::is_scratch;

    #[test]
    fn only_what_surely_lies_in_the_temporary_folder_is_scratch() {
        for (text, expected) in [
            ("$(mktemp -d)", true),
            ("$(mktemp -d)/a/.git", true),
            ("`mktemp -d`/x", true),
            ("$(mktemp -dt x.X)/y", true),
            ("$(mktemp -d --tmpdir x.X)", true),
            ("$(mktemp -d x.X)", false),
            ("$(mktemp -d -p .)", false),
            ("$(mktemp -d --tmpdir=src)", false),
            ("$(mktemp -dt src/x.X)", false),
            ("$(mktemp -d)/../x", false),
            ("$(mktemp -d)$X", false),
            ("$(mktemp -d)-x", false),
            ("$(pwd)/x", false),
        ] {
            assert_eq!(is_scratch(text), expected, "{text}");
        }
    }
}
