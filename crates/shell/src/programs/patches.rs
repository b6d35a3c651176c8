//! Patches: which files the text of one changes.
//!
//! Reads the heads of unified and context diffs, of git's own and of `apply_patch`; what the
//! patch does to a file is not looked at.

/// More files of one patch than this are not listed.
const FILES_MAX: usize = 256;

/// Signs in front of a file name in the head of a diff.
const HEADS: [&str; 11] = [
    "*** Update File: ",
    "*** Add File: ",
    "*** Delete File: ",
    "*** Move to: ",
    "+++ ",
    "--- ",
    "*** ",
    "rename to ",
    "rename from ",
    "copy to ",
    "Index: ",
];

/// The files a patch changes, as it names them, with `strip` folders taken off
/// the front (`-p1`).
#[must_use]
pub fn patched_files(text: &str, strip: usize) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for line in text.lines() {
        let Some((head, rest)) = HEADS.iter().find_map(|head| Some((*head, line.strip_prefix(head)?))) else {
            continue;
        };
        // A time may follow, behind a tab; `--- 1,5 ----` is a place in a file.
        let name = rest.split('\t').next().unwrap_or(rest).trim().trim_matches('"');
        let is_frame = head == "*** " && (matches!(name, "Begin Patch" | "End Patch" | "End of File"));
        if is_frame
            || name.is_empty()
            || name == "/dev/null"
            || name.ends_with("---")
            || name.ends_with("***")
        {
            continue;
        }
        // git names a renamed file without the `a/` and `b/` in front.
        let bare = head.ends_with("to ") || head.ends_with("from ") || head.ends_with(": ");
        let strip = if bare && head != "Index: " { 0 } else { strip };
        let name = stripped(name, strip);
        if !name.is_empty() && found.len() < FILES_MAX && found.iter().all(|known| *known != name) {
            found.push(name);
        }
    }
    found
}

fn stripped(name: &str, count: usize) -> String {
    let mut rest = name;
    for _ in 0..count {
        match rest.split_once('/') {
            Some((_, after)) => rest = after.trim_start_matches('/'),
            None => break,
        }
    }
    rest.to_string()
}

#[cfg(test)]
mod tests {
    use super::patched_files;

    #[test]
    fn every_head_names_its_file() {
        let text = "diff --git a/x b/x\nrename from old\nrename to .e/new\n--- a/x\t2024\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n";
        assert_eq!(patched_files(text, 1), ["old", ".e/new", "x"]);
        assert_eq!(patched_files("--- /dev/null\n+++ b/d/n\n", 1), ["d/n"]);
        assert_eq!(patched_files("--- d/n\n+++ d/n\n", 0), ["d/n"]);
        assert_eq!(patched_files("*** a/c.old\n--- a/c\n*** 1,5 ****\n--- 1,5 ----\n", 1), ["c.old", "c"]);
        assert_eq!(patched_files("nothing of the sort", 1), Vec::<String>::new());
    }
}
