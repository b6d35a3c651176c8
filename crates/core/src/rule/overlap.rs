//! Whether a path pattern of a rule and a folder of a call can mean the same
//! file: `rm -rf db` takes `db/migrations/**` along.
//!
//! Both are compared part by part, as if the folder's path went on with
//! unknown parts. That alone would say yes to nearly everything, because
//! `**/*.pem` may lie below any folder. So a folder counts only if one of its
//! own parts is a part the pattern spells out (`db`), or if it is the whole
//! workspace. Pure: no file is looked at.

use crate::facts::{Access, FileFact};
use crate::path::is_within;
use crate::places::Places;
use crate::rule::pattern::{Pattern, spread};
use toolgate_shell::Reach;

/// Longer paths and patterns are not compared.
const PARTS_MAX: usize = 64;

/// Whether what a call does to `fact` may be done to a file `pattern` means,
/// though the path itself does not match.
pub(crate) fn can_hold(pattern: &Pattern, fact: &FileFact, places: &Places) -> bool {
    if !fact.reaches_below() {
        return false;
    }
    let Pattern::Path { glob, .. } = pattern else { return false };
    let takes_all = |path: &str| {
        let folder = whole(path);
        fact.access == Access::DeleteTree && glob.starts_with("**/") && is_all(folder, places)
    };
    fact.targets().any(|path| {
        let inside = pattern.is_at_any_depth().then(|| places.below_workspace(path)).flatten();
        takes_all(path)
            || Tree::new(inside.unwrap_or(path), fact, inside.is_some()).is_some_and(|tree| {
                spread(glob).is_some_and(|all| all.iter().any(|one| tree.may_hold(one, places)))
            })
    })
}

/// `x/*` and `x/**` of a call are all of `x`.
fn whole(path: &str) -> &str {
    let mut rest = path;
    while let Some((folder, "*" | "**" | ".*")) = rest.rsplit_once('/') {
        rest = if folder.is_empty() { "/" } else { folder };
    }
    rest
}

/// Is it the workspace, or a folder around it? A temporary folder the workspace
/// lies in is emptied all the time.
fn is_all(folder: &str, places: &Places) -> bool {
    let scratch = places.temp.iter().any(|temp| temp == folder);
    places.workspace.iter().any(|root| root == folder || is_within(root, folder) && !scratch)
}

/// A folder of a call, by its parts.
struct Tree<'a> {
    parts: Vec<&'a str>,
    /// What lies below counts, not only the path.
    below: bool,
    reads: bool,
    plain: bool,
    /// It is deleted or moved away.
    goes: bool,
    /// It is what `find` looks for, at any depth.
    sought: bool,
    /// It is narrow enough to be about some files and not all.
    narrow: bool,
}

impl<'a> Tree<'a> {
    fn new(path: &'a str, fact: &FileFact, inside: bool) -> Option<Tree<'a>> {
        let mut parts = parts(path);
        let plain = !parts.iter().any(|part| is_pattern(part));
        // What `find` lists may lie at any depth.
        if fact.glob && !fact.exact && parts.last().is_some_and(|last| is_pattern(last)) {
            parts.insert(parts.len().saturating_sub(1), "**");
        }
        let below = fact.below != Reach::Itself;
        let goes = matches!(fact.access, Access::Delete | Access::DeleteTree);
        // Top folders of the machine are about no file in particular, those of the project are.
        let narrow = goes || inside || parts.len() >= 2;
        (parts.len() <= PARTS_MAX).then_some(Tree {
            parts,
            below,
            reads: fact.access == Access::Read,
            sought: fact.glob && !fact.exact && !path.contains(['$', '`', '(']),
            plain,
            goes,
            narrow,
        })
    }

    /// `pattern` has no braces.
    fn may_hold(&self, pattern: &str, places: &Places) -> bool {
        let home = pattern.strip_prefix("~/").zip(places.home.as_ref());
        let full = home.map(|(rest, home)| format!("{home}/{rest}"));
        // That both lie at home says nothing.
        let told = home.map_or(0, |(_, home)| parts(home).len());
        let pattern = full.as_deref().unwrap_or(pattern);
        let wanted = parts(pattern);
        if wanted.len() > PARTS_MAX {
            return false;
        }
        if self.is_sought_by_name(&wanted) {
            return true;
        }
        // `chmod -R` of a top folder, or of all that is at home, is about no file in particular.
        let narrow = self.goes || self.narrow && self.parts.len() > told;
        let anchored = pattern.starts_with('/') && self.plain && !self.reads && narrow;
        let width = self.parts.len() + 1;
        // For each place in pattern and path: not reached, reached, reached by a part both spell out.
        let mut reached = vec![0u8; (wanted.len() + 1) * width];
        let mut open = vec![(0, 0, false)];
        while let Some((at, from, sure)) = open.pop() {
            let mark = if sure { 2 } else { 1 };
            match reached.get_mut(at * width + from) {
                Some(known) if *known < mark => *known = mark,
                _ => continue,
            }
            let (own, given) = (wanted.get(at).copied(), self.parts.get(from).copied());
            if given.is_none() && self.ends(wanted.get(at..).unwrap_or_default(), sure, anchored) {
                return true;
            }
            if own == Some("**") {
                open.push((at + 1, from, sure));
                open.extend(given.map(|_| (at, from + 1, sure)));
            }
            if given == Some("**") {
                open.push((at, from + 1, sure));
                // Unnamed folders lead there only from a named one.
                open.extend(own.filter(|own| sure && *own != "**").map(|_| (at + 1, from, sure)));
            }
            if let (Some(own), Some(given)) = (own, given)
                && own != "**"
                && given != "**"
                && meet(own, given)
            {
                let named = || says(own, given) || !self.reads && names(own, given, self.goes);
                open.push((at + 1, from + 1, sure || at >= told && named()));
            }
        }
        false
    }

    /// `find . -name a.ts -delete` finds `src/a.ts`: the same whole name, below the same folder.
    fn is_sought_by_name(&self, wanted: &[&str]) -> bool {
        let Some((name, folder)) =
            self.parts.split_last().filter(|(name, _)| self.sought && !is_pattern(name))
        else {
            return false;
        };
        let rest = wanted.strip_prefix(&["**"]).unwrap_or(wanted);
        wanted.last() == Some(name)
            && rest.len() > folder.len()
            && folder.iter().zip(rest).all(|(given, own)| *own != "**" && meet(own, given))
    }

    /// The path is read to its end: does the pattern end here too, or go on below?
    fn ends(&self, left: &[&str], sure: bool, anchored: bool) -> bool {
        if left.iter().all(|part| *part == "**") {
            return sure || self.below && anchored && !left.is_empty();
        }
        self.below && (anchored || sure && self.narrow)
    }
}

fn parts(path: &str) -> Vec<&str> {
    path.split('/').filter(|part| !part.is_empty()).collect()
}

fn is_pattern(part: &str) -> bool {
    part.contains(['*', '?', '['])
}

/// Could one name fit both parts?
fn meet(own: &str, given: &str) -> bool {
    // `*` of a shell means no hidden file.
    let hidden = is_pattern(given) && given.starts_with(['*', '?']) && own.starts_with('.');
    match (is_pattern(own), is_pattern(given)) {
        (_, false) => fast_glob::glob_match(own, given),
        (false, true) => !hidden && fast_glob::glob_match(given, own),
        (true, true) => !hidden && overlap(own.as_bytes(), given.as_bytes()),
    }
}

/// Do both spell out something of the name, and the same? A pattern of the call
/// does for a name by how that begins, and for a pattern by how both end.
fn says(own: &str, given: &str) -> bool {
    if own == given && own.chars().any(char::is_alphanumeric) {
        return true;
    }
    // `!(*a*)` is whatever is not like it.
    let spelled = |part: &str| part.chars().any(char::is_alphanumeric) && !part.contains(['(', '!']);
    if !is_pattern(given) {
        return spelled(own) && spelled(given);
    }
    let begin = |part: &'_ str| part.split(['*', '?', '[']).next().map(str::to_owned).unwrap_or_default();
    let tail = |part: &'_ str| part.rsplit(['*', '?', ']']).next().map(str::to_owned).unwrap_or_default();
    let (first, own_first) = (begin(given), begin(own));
    let same_start = spelled(&first)
        && first.chars().count() >= 2
        && (own_first.starts_with(&first) || first.starts_with(&own_first));
    if !is_pattern(own) {
        return same_start;
    }
    let (last, own_last) = (tail(given), tail(own));
    let same_end =
        spelled(&own_last) && spelled(&last) && (own_last.ends_with(&last) || last.ends_with(&own_last));
    same_end && own_first.is_empty() || same_start && !own_first.is_empty()
}

/// Does a pattern of a call that changes files mean a name the rule writes out, and say more than
/// `*` of it: `rm *.json` and `package.json`, `rm -rf s*` and `src`?
fn names(own: &str, given: &str, goes: bool) -> bool {
    let said = given.chars().filter(|found| found.is_alphanumeric()).count();
    let begins = given.starts_with(char::is_alphanumeric);
    is_pattern(given)
        && !is_pattern(own)
        && !own.starts_with('.')
        && !given.contains(['(', '!'])
        && (said >= 2 || goes && said == 1 && begins)
}

/// Whether one name could match two patterns. What is more than `*` and `?`
/// could be anything.
pub(crate) fn overlap(one: &[u8], other: &[u8]) -> bool {
    let is_plain = |glob: &[u8]| glob.len() <= 256 && !glob.iter().any(|byte| b"[]{}\\()!+@".contains(byte));
    if !is_plain(one) || !is_plain(other) {
        return true;
    }
    // Each row says which beginnings of `one` meet the part of `other` read so far.
    let mut row = vec![true];
    row.extend(one.iter().scan(true, |stars, byte| {
        *stars &= *byte == b'*';
        Some(*stars)
    }));
    for byte in other {
        let mut left = *byte == b'*' && row.first() == Some(&true);
        let mut next = vec![left];
        for (own, (before, above)) in one.iter().zip(row.iter().zip(row.iter().skip(1))) {
            let same = own == byte || *own == b'?' || *byte == b'?';
            let star = *own == b'*' || *byte == b'*';
            left = if star { left || *above } else { *before && same };
            next.push(left);
        }
        row = next;
    }
    row.last() == Some(&true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn places() -> Places {
        let temp = vec!["/tmp".to_owned()];
        Places {
            home: Some("/home/dev".to_owned()),
            workspace: vec!["/w/app".to_owned()],
            temp,
            ..Places::default()
        }
    }

    fn tree(access: Access, path: &str, below: Reach) -> FileFact {
        FileFact {
            access,
            written: path.into(),
            path: path.into(),
            raw: None,
            real: None,
            spelled: None,
            exists: None,
            unsaved: None,
            exact: true,
            glob: path.contains(['*', '?']),
            below,
            command: None,
        }
    }

    #[track_caller]
    fn check(pattern: &str, fact: &FileFact, expected: bool) {
        let found = Pattern::path(pattern).map(|pattern| can_hold(&pattern, fact, &places()));
        assert_eq!(found, Ok(expected), "{pattern} in {}", fact.path);
    }

    #[test]
    fn a_deleted_folder_holds_what_a_pattern_names_on_its_way() {
        let gone = |path: &str| tree(Access::DeleteTree, path, Reach::All);
        for (pattern, path, expected) in [
            ("db/migrations/**", "/w/app/db", true),
            ("db/migrations/**", "/w/app/db/migrations", true),
            ("db/migrations/**", "/w/app/build", false),
            ("src/*.rs", "/w/app/src", true),
            ("src/*.rs", "/w/app/src/deep", false),
            ("src/**/*.rs", "/w/app/src/deep", true),
            ("*.pem", "/w/app/certs", false),
            ("**/*.env", "/w/app/build", false),
            ("*.pem", "/w/app", true),
            ("*.pem", "/w", true),
            ("*.pem", "/w/app/*", true),
            ("*.pem", "/tmp", false),
            ("~/.ssh/**", "/home/dev", true),
            ("~/.ssh/**", "/home/dev/.cache", false),
            ("/srv/data/**", "/srv", true),
            ("/srv/data/**", "/srv/other", false),
            ("{api,web}/config/*.yml", "/w/app/web", true),
            ("packages/*/src/**", "/w/app/packages/a", true),
            ("packages/*/src/**", "/w/app/a", false),
        ] {
            check(pattern, &gone(path), expected);
        }
    }

    #[test]
    fn what_arrives_or_is_read_is_about_named_folders() {
        let filled = |path: &str| tree(Access::Write, path, Reach::Some);
        check("src/gen/**", &filled("/w/app/src"), true);
        check("src/gen/**", &filled("/w/app"), false);
        check("/etc/cron.d/**", &filled("/etc"), false);
        let read = |path: &str| tree(Access::Read, path, Reach::Some);
        check("config/prod.yml", &read("/w/app/config"), true);
        check("config/prod.yml", &read("/w/app"), false);
        check("~/.npmrc", &read("/home/dev"), false);
        let by_pattern = |path: &str| tree(Access::Read, path, Reach::Itself);
        check("certs/*.pem", &by_pattern("/w/app/certs/*"), true);
        check("certs/*.pem", &by_pattern("/w/app/certs/*.md"), false);
        check("*.pem", &by_pattern("/w/app/src/*"), false);
        check("*.pem", &by_pattern("/w/app/*"), false);
        check("package.json", &by_pattern("/w/app/*.json"), false);
        check("~/.ssh/**", &by_pattern("/home/dev/*"), false);
    }

    #[test]
    fn a_pattern_of_the_call_counts_for_what_it_spells_out() {
        let gone = |path: &str| tree(Access::Delete, path, Reach::Itself);
        check("src/main.rs", &gone("/w/app/src/*"), true);
        check("package.json", &gone("/w/app/*"), false);
        check("package.json", &gone("/w/app/pack*"), true);
        check("*.log", &gone("/w/app/logs/*.log"), true);
        check("package.json", &gone("/w/app/*.json"), true);
        check("a.ts", &gone("/w/app/src/*.ts"), true);
        check("src/**", &gone("/w/app/s*"), true);
        check("lib/**", &gone("/w/app/s*"), false);
        check("src/**", &gone("/w/app/?rc"), true);
        check(".env", &gone("/w/app/*.env"), false);
        check("service-account*.json", &gone("/w/app/*.json"), false);
        check(".env", &gone("/w/app/*"), false);
    }

    fn part() -> impl Strategy<Value = String> {
        prop::sample::select(vec!["a", "b", "ab", "a*", "*b", "*", "**"]).prop_map(str::to_owned)
    }

    /// Every path of up to three more parts.
    fn below(folder: &str) -> Vec<String> {
        let mut all = vec![folder.to_owned()];
        let mut last = all.clone();
        for _ in 0..3 {
            last =
                last.iter().flat_map(|path| ["a", "b", "ab"].map(|name| format!("{path}/{name}"))).collect();
            all.extend(last.clone());
        }
        all
    }

    proptest! {
        /// For a pattern with a start, a deleted folder holds a match exactly if a path below it matches.
        #[test]
        fn an_anchored_pattern_is_held_by_the_folders_on_its_way(
            pattern in prop::collection::vec(part(), 1..4),
            folder in prop::collection::vec(prop::sample::select(vec!["a", "b", "ab"]), 1..3),
        ) {
            let text = format!("/{}", pattern.join("/"));
            let folder = format!("/{}", folder.join("/"));
            let compiled = Pattern::path(&text).unwrap();
            let fact = tree(Access::DeleteTree, &folder, Reach::All);
            let by_names = compiled.is_match(&folder) || can_hold(&compiled, &fact, &places());
            let by_trying = below(&folder).iter().any(|path| compiled.is_match(path));
            prop_assert_eq!(by_names, by_trying, "{} in {}", text, folder);
        }

        /// Without a start, a folder that holds no match by any path never counts.
        #[test]
        fn no_folder_holds_what_cannot_lie_in_it(
            pattern in prop::collection::vec(part(), 1..4),
            folder in prop::collection::vec(prop::sample::select(vec!["a", "b", "ab"]), 1..3),
        ) {
            let text = pattern.join("/");
            let folder = format!("/w/app/{}", folder.join("/"));
            let compiled = Pattern::path(&text).unwrap();
            let fact = tree(Access::DeleteTree, &folder, Reach::All);
            let by_trying = below(&folder).iter().any(|path| crate::rule::is_like(&compiled, path, &places()));
            prop_assert!(!can_hold(&compiled, &fact, &places()) || by_trying, "{} in {}", text, folder);
        }
    }
}
