//! Which of the files written here a word may name: by its path, through a link,
//! as one of those a pattern represents. And which program the first word names.
//!
//! Names only. Whether there are other files of that name is not looked at.

use super::Walker;
use crate::programs;
use crate::reading::Word;
use smol_str::{SmolStr, format_smolstr};

/// Links that are remembered, and how often one leads to the next.
const LINKS_MAX: usize = 256;
const HOPS_MAX: usize = 8;

/// Longer paths are those of no file: links that lead into themselves make them.
const PATH_MAX: usize = 4096;

/// Longer patterns are not compared.
const PATTERN_MAX: usize = 256;

/// Programs that go down into folders for what they name.
const DESCENDING: [&str; 7] = ["find", "gfind", "fd", "fdfind", "xargs", "gxargs", "parallel"];

impl Walker<'_> {
    /// The files written here that `word` may name.
    pub(super) fn named_files(&mut self, word: &Word) -> Vec<SmolStr> {
        let key = self.path_key(word);
        if !word.glob {
            let behind = self.behind_link(&key);
            return [Some(key), behind]
                .into_iter()
                .flatten()
                .filter(|key| self.request_file(key).is_some())
                .collect();
        }
        self.seek_pattern(&key);
        if self.files.is_empty() {
            return Vec::new();
        }
        if key.len() > PATTERN_MAX {
            self.fail(word.span, "a longer pattern than is compared");
            return Vec::new();
        }
        if !self.grow(self.files.keys().map(|file| file.len() + key.len()).sum()) {
            return Vec::new();
        }
        let deep = self.via.iter().any(|via| DESCENDING.contains(&via.as_str()));
        let fits = |file: &&SmolStr| {
            let below = || file.bytes().filter(|byte| *byte == b'/').count();
            (deep || key.contains("**") || below() == key.bytes().filter(|byte| *byte == b'/').count())
                && matches(key.as_bytes(), file.as_bytes())
        };
        self.files.keys().filter(fits).cloned().collect()
    }

    /// From here on `link` leads to `target`.
    pub(super) fn keep_link(&mut self, link: SmolStr, target: SmolStr) {
        // A link to a link leads on, whichever of them was made first.
        let target = self.behind_link(&target).unwrap_or(target);
        // What lies below a name is not what it leads to.
        let into_itself =
            target.strip_prefix(link.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        if into_itself || link.len() > PATH_MAX || target.len() > PATH_MAX {
            return;
        }
        self.links.retain(|(known, _)| *known != link);
        for (_, known) in self.links.iter_mut().filter(|(_, known)| *known == link) {
            known.clone_from(&target);
        }
        if self.links.len() >= LINKS_MAX {
            self.fail(crate::reading::Span::default(), "more links than are followed");
        } else {
            self.links.push((link, target));
        }
    }

    /// What a path leads to through the links made here, if through any.
    pub(super) fn behind_link(&self, path: &str) -> Option<SmolStr> {
        let mut found: Option<SmolStr> = None;
        for _ in 0..HOPS_MAX {
            let now = found.as_deref().unwrap_or(path);
            let next = self.links.iter().find_map(|(link, target)| {
                let rest = now.strip_prefix(link.as_str())?;
                (rest.is_empty() || rest.starts_with('/')).then(|| format_smolstr!("{target}{rest}"))
            });
            match next.filter(|next| next.len() <= PATH_MAX) {
                Some(next) => found = Some(next),
                None => break,
            }
        }
        found
    }
}

/// Does the pattern fit all of `text`? `[…]` represents any one sign: rather one
/// file more than one less.
fn matches(pattern: &[u8], text: &[u8]) -> bool {
    let (mut signs, mut rest) = (pattern, text);
    let mut star: Option<(&[u8], &[u8])> = None;
    loop {
        let step = match (signs, rest) {
            ([b'*', more @ ..], _) => {
                star = Some((more, rest));
                Some((more, rest))
            }
            ([], []) => return true,
            ([b'[', more @ ..], [_, after @ ..]) => {
                let end = more.iter().skip(1).position(|sign| *sign == b']').map_or(0, |at| at + 2);
                more.get(end..).map(|more| (more, after))
            }
            ([b'?', more @ ..], [_, after @ ..]) => Some((more, after)),
            ([sign, more @ ..], [found, after @ ..]) if sign == found => Some((more, after)),
            _ => None,
        };
        match (step, star) {
            (Some((more, after)), _) => (signs, rest) = (more, after),
            (None, Some((behind, [_, after @ ..]))) => {
                (signs, rest) = (behind, after);
                star = Some((behind, after));
            }
            (None, _) => return false,
        }
    }
}

/// The base name, if the last part of the path is plain to see: `$X/bin/rm`
/// is `rm`, `$X` is nothing.
pub(super) fn program_name(word: &Word) -> SmolStr {
    // Named by the variables every shell sets: a shell.
    if matches!(word.text.as_str(), "$SHELL" | "${SHELL}" | "$BASH" | "${BASH}") && !word.exact {
        return "bash".into();
    }
    if let Some(emptied) = crate::options::with_empty_unknowns(word).filter(|text| programs::is_known(text)) {
        return emptied;
    }
    let name = programs::base_name(&word.text);
    let unknown = !word.exact
        && (word.text == name || word.text.contains('…') || name.contains(['$', '`', '(', ')', '{', '}']));
    let matched = word.glob && name.contains(['*', '?', '[', '(']);
    match unknown || matched {
        true => SmolStr::default(),
        false if name.len() == word.text.len() => word.text.clone(),
        false => name.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn patterns_fit_whole_names() {
        let fits = |pattern: &str, text: &str| matches(pattern.as_bytes(), text.as_bytes());
        for (pattern, text) in [
            ("*.sh", "a.sh"),
            ("a*", "a"),
            ("a?c", "abc"),
            ("[ab].sh", "a.sh"),
            ("*a*b*", "xaxbx"),
            ("**", "x/y"),
        ] {
            assert!(fits(pattern, text), "{pattern} {text}");
        }
        for (pattern, text) in [("*.sh", "a.shx"), ("a?c", "ac"), ("", "a"), ("*a*b", "xbxa"), ("[ab", "")] {
            assert!(!fits(pattern, text), "{pattern} {text}");
        }
    }
}
