//! Under which names a rule about files is filed, and which names a call's
//! files have.
//!
//! A path pattern nearly always says one part of the path in full (`.ssh`), how
//! it ends (`*.pem`) or how it begins (`id_*`). A rule is filed under that, so
//! that a call on other files does not even parse it. When no such part is sure,
//! there is no name and the rule is looked at for every file.

use crate::facts::FileFact;
use crate::rule::spread;

/// Bytes of a beginning; patterns with less are not filed by it.
const BEGIN: usize = 3;

/// One name: what it is about, and the text.
pub(super) type Name<'a> = (&'static str, &'a str);

/// Calls back with a name for every plain pattern in a path pattern; `false`
/// if one of them has none.
pub(super) fn names_for(pattern: &str, found: &mut impl FnMut(Name<'_>)) -> bool {
    // What `[` and `\` mean to the matcher is not repeated here.
    if pattern.contains(['[', ']', '\\']) {
        return false;
    }
    spread(pattern).is_some_and(|plain| {
        plain.iter().all(|one| match one.rsplit('/').find_map(name_of_part) {
            Some(name) => {
                found(name);
                true
            }
            None => false,
        })
    })
}

/// Calls back with every folder a path pattern names on its way to a file;
/// `None` for one of which it says only a part.
pub(super) fn folders_for(pattern: &str, found: &mut impl FnMut(Option<&str>)) {
    for plain in spread(pattern).unwrap_or_default() {
        let Some((folders, _)) = plain.rsplit_once('/') else { continue };
        for part in folders.split('/').filter(|part| part.contains(char::is_alphanumeric) || *part == "~") {
            found((!part.contains(['*', '?'])).then_some(part));
        }
    }
}

fn name_of_part(part: &str) -> Option<Name<'_>> {
    let is_plain = |text: &str| !text.contains(['*', '?', '{', '}']);
    if part.is_empty() || part == "~" {
        return None;
    }
    if is_plain(part) {
        return Some(("part", part));
    }
    let ending = part.rsplit_once('.').map(|(_, ending)| ending);
    if let Some(ending) = ending.filter(|ending| is_plain(ending) && !ending.is_empty()) {
        return Some(("ending", ending));
    }
    part.get(..BEGIN).filter(|begin| is_plain(begin)).map(|begin| ("begin", begin))
}

/// Calls back with every name the paths of a file fact have.
pub(super) fn names_of(fact: &FileFact, found: &mut impl FnMut(Name<'_>)) {
    for part in fact.targets().flat_map(|path| path.split('/')).filter(|part| !part.is_empty()) {
        found(("part", part));
        if let Some((_, ending)) = part.rsplit_once('.') {
            found(("ending", ending));
        }
        if let Some(begin) = part.get(..BEGIN) {
            found(("begin", begin));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(pattern: &str, expected: Option<&[&str]>) {
        let mut names: Vec<String> = Vec::new();
        let sure = names_for(pattern, &mut |(about, text)| names.push(format!("{about} {text}")));
        names.sort();
        names.dedup();
        let found = sure.then_some(names);
        let expected = expected.map(|names| names.iter().map(|name| (*name).to_owned()).collect());
        assert_eq!(found, expected, "{pattern}");
    }

    #[test]
    fn every_plain_pattern_gives_one_name() {
        check("**/.env", Some(&["part .env"]));
        check("~/.ssh/**", Some(&["part .ssh"]));
        check("**/*.{pem,p12}", Some(&["ending p12", "ending pem"]));
        check(".ssh/id_*", Some(&["begin id_"]));
        check("/{etc,usr}{,/**}", Some(&["part etc", "part usr"]));
        check("a/{b{c,d},e}", Some(&["part bc", "part bd", "part e"]));
        check(".env.*", Some(&["begin .en"]));
    }

    #[test]
    fn what_is_not_sure_has_no_name() {
        check("**", None);
        check("~/*", None);
        check("**/{.env,*}", None);
        check("[ab]/c", None);
        check("a\\*", None);
        check("x{1,2}{1,2}{1,2}{1,2}{1,2}{1,2}{1,2}{1,2}{1,2}{1,2}", None);
    }
}
