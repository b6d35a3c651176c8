//! A text every match of a pattern must contain, for the rule index.
//!
//! Found by walking the parsed pattern; when in doubt there is none, and the
//! rule is looked at for every call.

use regex_syntax::hir::{Hir, HirKind};

/// Shortest literal worth indexing.
const LITERAL_MIN: usize = 3;

/// The longest literal that every match contains.
#[must_use]
pub(crate) fn required_literal(pattern: &str) -> Option<Vec<u8>> {
    let hir = regex_syntax::parse(pattern).ok()?;
    let mut best: Vec<u8> = Vec::new();
    walk(&hir, &mut best);
    (best.len() >= LITERAL_MIN).then_some(best)
}

fn walk(hir: &Hir, best: &mut Vec<u8>) {
    match hir.kind() {
        HirKind::Literal(literal) if literal.0.len() > best.len() => *best = literal.0.to_vec(),
        HirKind::Capture(capture) => walk(&capture.sub, best),
        HirKind::Concat(parts) => parts.iter().for_each(|part| walk(part, best)),
        HirKind::Repetition(repetition) if repetition.min > 0 => walk(&repetition.sub, best),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(pattern: &str, expected: Option<&str>) {
        assert_eq!(required_literal(pattern).as_deref(), expected.map(str::as_bytes), "{pattern}");
    }

    #[test]
    fn only_text_that_must_be_there_counts() {
        check("git commit.*--no-verify", Some("--no-verify"));
        check("(?:deploy)+ now", Some("deploy"));
        check("(deploy)? go", Some(" go"));
        check("a|bcdef", None);
        check("(?i)deploy", None);
        check(".*", None);
    }
}
