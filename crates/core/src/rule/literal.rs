//! Texts of which every match of a pattern must contain one, for the rule
//! index.
//!
//! Found by walking the parsed pattern; when in doubt there are none, and the
//! rule is looked at for every call.

use regex_syntax::hir::{Hir, HirKind};

/// Shortest literal worth indexing.
const LITERAL_MIN: usize = 2;

/// Most literals worth indexing for one pattern.
const LITERALS_MAX: usize = 128;

/// Literals of which every match contains at least one; `None` if there is no
/// such set.
#[must_use]
pub(crate) fn required_literals(pattern: &str) -> Option<Vec<Vec<u8>>> {
    needed(&regex_syntax::parse(pattern).ok()?)
}

fn needed(hir: &Hir) -> Option<Vec<Vec<u8>>> {
    match hir.kind() {
        HirKind::Literal(literal) if literal.0.len() >= LITERAL_MIN => Some(vec![literal.0.to_vec()]),
        HirKind::Capture(capture) => needed(&capture.sub),
        HirKind::Repetition(repetition) if repetition.min > 0 => needed(&repetition.sub),
        HirKind::Concat(parts) => parts.iter().rev().filter_map(needed).max_by_key(|set| worth(set)),
        HirKind::Alternation(branches) => {
            let sets: Option<Vec<Vec<Vec<u8>>>> = branches.iter().map(needed).collect();
            let all: Vec<Vec<u8>> = sets?.into_iter().flatten().collect();
            (all.len() <= LITERALS_MAX).then_some(all)
        }
        _ => None,
    }
}

/// The longer its shortest literal and the fewer there are, the more a set narrows.
fn worth(set: &[Vec<u8>]) -> (usize, std::cmp::Reverse<usize>) {
    (set.iter().map(Vec::len).min().unwrap_or(0), std::cmp::Reverse(set.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(pattern: &str, expected: &[&str]) {
        let found = required_literals(pattern).unwrap_or_default();
        let found: Vec<String> =
            found.into_iter().map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).collect();
        assert_eq!(found, expected, "{pattern}");
    }

    #[test]
    fn only_text_that_must_be_there_counts() {
        check("git commit.*--no-verify", &["--no-verify"]);
        check("(?:deploy)+ now", &["deploy"]);
        check("(deploy)? go", &[" go"]);
        check("^chmod .*x|^setcap ", &["chmod ", "setcap "]);
        check("^(docker|podman) .*-v", &["docker", "podman"]);
        check("a|bcdef", &[]);
        check("(?i)deploy", &[]);
        check(".*", &[]);
    }
}
