//! The task a call belongs to: what the host says, else what the branch is called.
//!
//! `feature/md-468-gate` is the task `md-468`. Nothing is guessed from prose.

use crate::call::Call;
use crate::guard::Disk;
use std::borrow::Cow;

/// Longest prefix of an id.
const PREFIX_MAX: usize = 10;

/// The task of a call; empty if it has none.
pub(crate) fn task_of<'a>(call: &'a Call, disk: Disk<'_>) -> Cow<'a, str> {
    match &call.task {
        Some(task) => Cow::Borrowed(task),
        None => {
            let branch = (disk.branch)(&call.dir).unwrap_or_default();
            Cow::Owned(task_in_branch(&branch).unwrap_or_default().to_owned())
        }
    }
}

/// The first id in the name of a branch: `PROJ-123`, `md#468`, `#468`, or a number alone between `/` and `-`.
#[must_use]
pub fn task_in_branch(branch: &str) -> Option<&str> {
    branch.split('/').find_map(|part| with_prefix(part).or_else(|| number_alone(part)))
}

/// `PROJ-123` of `PROJ-123-fix-login`, `md#468`, `#468`.
fn with_prefix(part: &str) -> Option<&str> {
    for (at, _) in part.match_indices(['-', '#']) {
        let (before, behind) = (part.get(..at)?, part.get(at + 1..)?);
        let digits = behind.bytes().take_while(u8::is_ascii_digit).count();
        let start = before.bytes().rev().take_while(u8::is_ascii_alphabetic).count();
        let is_word = (1..=PREFIX_MAX).contains(&start) || part.get(at..)?.starts_with('#');
        let ends =
            behind.get(digits..)?.chars().next().is_none_or(|next| !next.is_alphanumeric() && next != '.');
        if digits > 0 && is_word && ends && start == before.len() {
            return part.get(..at + 1 + digits);
        }
    }
    None
}

fn number_alone(part: &str) -> Option<&str> {
    let digits = part.bytes().take_while(u8::is_ascii_digit).count();
    let ends = part.get(digits..)?.chars().next().is_none_or(|next| matches!(next, '-' | '_'));
    (digits > 1 && ends).then(|| part.get(..digits)).flatten()
}

#[cfg(test)]
mod tests {
    use super::task_in_branch;

    #[test]
    fn ids_are_found_where_people_put_them() {
        for (branch, expected) in [
            ("PROJ-123", Some("PROJ-123")),
            ("feature/PROJ-123-fix-login", Some("PROJ-123")),
            ("task/md#468", Some("md#468")),
            ("ada/#468", Some("#468")),
            ("468-gate", Some("468")),
            ("fix/468", Some("468")),
            ("main", None),
            ("release/1.2.0", None),
            ("feature/login-page", None),
            ("v2", None),
            ("dependabot/npm-1.2.3", None),
            ("", None),
        ] {
            assert_eq!(task_in_branch(branch), expected, "{branch}");
        }
    }
}
