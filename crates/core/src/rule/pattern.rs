//! Globs, matched without compiling: a hook call must not build thirty
//! automata to look at one path.

use crate::rule::pattern_fault::PatternFault;
use fast_glob::{glob_match, validate};

/// Represents `/` where a glob is about words, not paths, so that `*` crosses it.
const NO_SLASH: &str = "\u{1}";

/// Most plain patterns one pattern with braces is spread into.
const SPREAD_MAX: usize = 512;

/// A checked glob.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Pattern {
    /// About a path: `*` stays within a folder, `**` crosses folders.
    Path {
        /// The glob, `**/` in front where the pattern has no start of its own.
        glob: String,
        /// What lies below it, where it ends in a plain name: that of a folder means all in it.
        below: Option<String>,
    },
    /// About a word: `*` matches anything.
    Word(String),
}

impl Pattern {
    /// A glob about paths. Without a leading `/` or `~` it matches at any depth.
    pub(crate) fn path(text: &str) -> Result<Pattern, PatternFault> {
        check(text)?;
        // Paths of a call never begin with `./`.
        let text = text.strip_prefix("./").filter(|rest| !rest.is_empty()).unwrap_or(text);
        let anchored = text.starts_with('/') || text.starts_with('~') || text.starts_with("**/");
        let mut glob = if anchored { text.to_owned() } else { format!("**/{text}") };
        if glob.len() > 1 && glob.ends_with('/') {
            glob.push_str("**");
        }
        let last = glob.rsplit('/').next().unwrap_or_default();
        let plain = !last.is_empty() && !last.contains(['*', '?', '[', ']', '{', '}', '\\']);
        let below = plain.then(|| format!("{glob}/**"));
        Ok(Pattern::Path { glob, below })
    }

    /// A glob about words.
    pub(crate) fn word(text: &str) -> Result<Pattern, PatternFault> {
        check(text)?;
        Ok(Pattern::Word(text.replace('/', NO_SLASH)))
    }

    /// The last parts of the paths it names in full: `{a,b}.x` names `a.x` and `b.x`.
    pub(crate) fn names(&self) -> Vec<String> {
        let Pattern::Path { glob, .. } = self else { return Vec::new() };
        let last = glob.rsplit('/').next().unwrap_or(glob);
        let spread = match (last.split_once('{'), last.rsplit_once('}')) {
            (Some((head, _)), Some((_, tail))) => {
                let inner = last.get(head.len() + 1..last.len() - tail.len() - 1).unwrap_or_default();
                inner.split(',').map(|one| format!("{head}{one}{tail}")).collect()
            }
            _ => vec![last.to_owned()],
        };
        spread.into_iter().filter(|name| !name.contains(['*', '?', '[', '{', '}'])).collect()
    }

    /// Whether it has no start of its own.
    pub(crate) fn is_at_any_depth(&self) -> bool {
        matches!(self, Pattern::Path { glob, .. } if glob.starts_with("**/"))
    }

    /// Whether it means everything below some folder.
    pub(crate) fn is_all_below(&self) -> bool {
        matches!(self, Pattern::Path { glob, .. } if glob.ends_with("/**"))
    }

    /// Whether it speaks of the home folder.
    pub(crate) fn is_from_home(&self) -> bool {
        matches!(self, Pattern::Path { glob, .. } if glob.contains('~'))
    }

    /// Whether it matches.
    pub(crate) fn is_match(&self, text: &str) -> bool {
        match self {
            Pattern::Path { glob, below } => {
                glob_match(glob, text) || below.as_ref().is_some_and(|below| glob_match(below, text))
            }
            Pattern::Word(glob) if text.contains('/') => glob_match(glob, text.replace('/', NO_SLASH)),
            Pattern::Word(glob) => glob_match(glob, text),
        }
    }
}

fn check(text: &str) -> Result<(), PatternFault> {
    if text.is_empty() {
        let help = "write a name or a pattern, or remove it";
        return Err(PatternFault::new("this pattern is empty", help, 0, 1));
    }
    if text.starts_with('!') {
        let help = "list exceptions under `except`, without the `!`";
        return Err(PatternFault::new("a pattern cannot begin with `!`", help, 0, 1));
    }
    validate(text).map_err(|error| PatternFault::of_glob(text, &error))
}

/// The patterns without braces a pattern represents.
pub(crate) fn spread(pattern: &str) -> Option<Vec<String>> {
    let mut done = Vec::new();
    let mut open = vec![pattern.to_owned()];
    while let Some(text) = open.pop() {
        if done.len() + open.len() > SPREAD_MAX {
            return None;
        }
        let Some((head, choices, tail)) = first_braces(&text) else {
            done.push(text);
            continue;
        };
        open.extend(choices.iter().map(|choice| format!("{head}{choice}{tail}")));
    }
    Some(done)
}

/// Splits at the first braces: before, the choices, after.
fn first_braces(text: &str) -> Option<(&str, Vec<&str>, &str)> {
    let start = text.find('{')?;
    let inside = text.get(start + 1..)?;
    let (mut depth, mut from, mut choices) = (0usize, 0usize, Vec::new());
    for (at, found) in inside.char_indices() {
        match found {
            '{' => depth += 1,
            ',' if depth == 0 => {
                choices.push(inside.get(from..at)?);
                from = at + 1;
            }
            '}' if depth == 0 => {
                choices.push(inside.get(from..at)?);
                return Some((text.get(..start)?, choices, inside.get(at + 1..)?));
            }
            '}' => depth -= 1,
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_path(glob: &str, path: &str, expected: bool) {
        assert_eq!(
            Pattern::path(glob).map(|pattern| pattern.is_match(path)),
            Ok(expected),
            "{glob} on {path}"
        );
    }

    #[test]
    fn a_path_glob_without_a_start_matches_at_any_depth() {
        check_path(".env", "/work/app/.env", true);
        check_path(".env", "/work/app/.env.example", false);
        check_path(".env", "/.env", true);
        check_path("*.pem", "/a/b/key.pem", true);
        check_path("/etc/shadow", "/etc/shadow", true);
        check_path("/etc/shadow", "/work/etc/shadow", false);
        check_path("~/.ssh/id_*", "~/.ssh/id_rsa", true);
        check_path(".git/hooks/**", "/w/.git/hooks/pre-commit", true);
        check_path(".env.{local,prod}", "/w/.env.prod", true);
    }

    #[test]
    fn a_word_glob_crosses_slashes() {
        assert_eq!(Pattern::word("*prod*").map(|pattern| pattern.is_match("cluster/prod-1")), Ok(true));
        assert_eq!(
            Pattern::word("mcp__*__delete").map(|pattern| pattern.is_match("mcp__files__delete")),
            Ok(true)
        );
        assert_eq!(Pattern::word("git").map(|pattern| pattern.is_match("git2")), Ok(false));
    }

    #[test]
    fn what_is_no_glob_is_refused() {
        for text in ["", "a[", "a{b", "!a"] {
            assert!(Pattern::path(text).is_err(), "{text}");
        }
    }
}
