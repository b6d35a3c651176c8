//! The files a patch in the `*** Begin Patch` form touches: which are added,
//! changed, moved and deleted. Their content is not read.

use toolgate_core::Access;

/// Most files one patch may name.
const FILES_MAX: usize = 1_024;

/// The files with what happens to them, in the order of the patch.
///
/// # Errors
/// Why the text is no such patch.
pub(super) fn files(text: &str) -> Result<Vec<(Access, String)>, &'static str> {
    let mut lines = text.lines().map(str::trim_end).skip_while(|line| line.trim().is_empty());
    if lines.next().map(str::trim) != Some("*** Begin Patch") {
        return Err("it does not begin with `*** Begin Patch`");
    }
    let mut found: Vec<(Access, String)> = Vec::new();
    for line in lines {
        let Some(rest) = line.trim_start().strip_prefix("*** ") else { continue };
        let heads = [
            ("Add File: ", Access::Write),
            ("Update File: ", Access::Write),
            ("Delete File: ", Access::Delete),
        ];
        let head = heads.iter().find_map(|(head, access)| Some((*access, rest.strip_prefix(head)?)));
        if let Some((access, path)) = head {
            found.push((access, path.trim().to_owned()));
        } else if let Some(path) = rest.strip_prefix("Move to: ") {
            // What is moved is gone from where it was.
            if let Some(last) = found.last_mut() {
                last.0 = Access::Delete;
            }
            found.push((Access::Write, path.trim().to_owned()));
        }
        if found.len() > FILES_MAX {
            return Err("it names more than 1,024 files");
        }
    }
    if found.is_empty() || found.iter().any(|(_, path)| path.is_empty()) {
        return Err("it names no file");
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::files;
    use proptest::prelude::*;
    use toolgate_core::Access;

    #[track_caller]
    fn check(text: &str, expected: &[(Access, &str)]) {
        let found = files(text).unwrap();
        let found: Vec<(Access, &str)> =
            found.iter().map(|(access, path)| (*access, path.as_str())).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn every_file_is_found() {
        check("*** Begin Patch\n*** Add File: a b.txt\n+x\n*** End Patch", &[(Access::Write, "a b.txt")]);
        check(
            "\n*** Begin Patch\n*** Delete File: src/a.rs\n*** Update File: b\n*** Move to: c\n@@\n-x\n+*** Add File: no\n*** End Patch\n",
            &[(Access::Delete, "src/a.rs"), (Access::Delete, "b"), (Access::Write, "c")],
        );
    }

    #[test]
    fn what_is_no_patch_is_refused() {
        for text in ["", "hello", "*** Begin Patch\n*** End Patch", "*** Begin Patch\n*** Add File: \n"] {
            assert!(files(text).is_err(), "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "(\\*\\*\\* (Begin Patch|Add File: |Move to: |x)|[a-z \n+-]){0,40}") {
            if let Ok(found) = files(&text) {
                prop_assert!(found.iter().all(|(_, path)| !path.is_empty() && text.contains(path.as_str())));
            }
        }
    }
}
