//! The files a tool of an MCP server would touch, read from its name and its
//! arguments: `write_file { path }` writes like the host's own Write tool.
//!
//! No server says what its tools do in a form that binds it, so the verb in
//! the name and the names of the arguments are all there is. A tool whose
//! arguments place the file on another machine touches none here.

use crate::facts::Access;
use crate::mcp_names::{CONTENT, ELSEWHERE, Use, use_of};
use serde_json::{Map, Value};
use toolgate_shell::{Reach, patched_files};

/// Most paths of one call that are read.
const PATHS_MAX: usize = 256;
/// Arguments inside arguments are read so deep: `edits[0].path`.
const DEPTH_MAX: usize = 4;

const WRITES: &[&str] = &[
    "write",
    "edit",
    "create",
    "save",
    "append",
    "update",
    "insert",
    "replace",
    "patch",
    "apply",
    "put",
    "touch",
    "modify",
    "overwrite",
    "mkdir",
    "multiedit",
    "export",
    "download",
    "set",
    "prepend",
    "make",
    "format",
];
const DELETES: &[&str] = &["delete", "remove", "unlink", "rm", "rmdir", "erase", "trash", "destroy"];
const MOVES: &[&str] = &["move", "mv", "rename"];
const COPIES: &[&str] = &["copy", "cp", "duplicate", "clone"];
const UNPACKS: &[&str] = &["extract", "unzip", "unpack", "untar", "decompress", "unarchive"];
/// Words that say files are meant, in the name of a tool or of its server.
const FILES: &[&str] = &[
    "file",
    "files",
    "fs",
    "filesystem",
    "dir",
    "directory",
    "folder",
    "path",
    "paths",
    "tree",
    "disk",
    "archive",
    "zip",
];
/// Words of tools that change nothing.
const LOOKS: &[&str] = &[
    "read",
    "get",
    "view",
    "search",
    "open",
    "cat",
    "show",
    "head",
    "tail",
    "grep",
    "check",
    "describe",
    "fetch",
    "lookup",
    "query",
    "diff",
    "status",
    "log",
    "blame",
    "validate",
    "lint",
    "summarize",
    "analyze",
    "count",
];
/// Names and sizes are no content.
const LISTS: &[&str] = &["list", "ls", "stat", "exists", "info", "tree", "glob", "metadata", "find"];

/// What happens to which path, as the caller wrote it, and whether to what lies below it.
pub(crate) fn of_input(server: &str, tool: &str, input: &Value) -> Vec<(Access, Reach, String)> {
    let mut named = Named::default();
    collect(input, DEPTH_MAX, &mut named);
    if named.elsewhere {
        return Vec::new();
    }
    let words = words_of(tool);
    let says = |verbs: &[&str]| says(&words, verbs);
    let whole = named.recursive || says(&["directory", "folder", "tree", "dir", "recursive", "rmdir"]);
    let deletion = if whole { Access::DeleteTree } else { Access::Delete };
    // What one argument names, and the ends of a move or copy.
    let (on, from, to) = if says(MOVES) {
        (Some(Access::Delete), Some(Access::Delete), Some(Access::Write))
    } else if says(COPIES) {
        (Some(Access::Read), Some(Access::Read), Some(Access::Write))
    } else if says(DELETES) {
        (Some(deletion), Some(deletion), Some(deletion))
    } else if says(UNPACKS) {
        (Some(Access::Read), Some(Access::Read), Some(Access::Write))
    } else if says(WRITES) || named.content {
        (Some(Access::Write), Some(Access::Read), Some(Access::Write))
    } else if says(LISTS) {
        (None, None, None)
    } else {
        (Some(Access::Read), Some(Access::Read), Some(Access::Write))
    };
    let moves = says(MOVES) || says(COPIES);
    // What such a tool deletes or moves may be a folder; a folder is copied with all in it.
    let below = |access: Access| match access {
        Access::Delete | Access::DeleteTree => Reach::All,
        _ if says(UNPACKS) && access == Access::Write || says(COPIES) && whole => Reach::Some,
        _ => Reach::Itself,
    };
    // `to` and `target` mean anything, unless something is done to files: a path shows.
    let about_files =
        moves || (says(DELETES) || says(UNPACKS)) && (says(FILES) || self::says(&words_of(server), FILES));
    let real = |paths: Vec<String>| paths.into_iter().filter(|path| about_files || is_path(path)).collect();
    let maybe = named.maybe.into_iter().filter(|path| is_path(path)).collect();
    let ends = [
        (on, named.on),
        (on, maybe),
        (from, real(named.from)),
        (from, named.from_paths),
        (to, real(named.to)),
        (to, named.to_paths),
    ];
    let found = ends.into_iter().filter_map(|(access, paths)| Some((access?, paths)));
    let found = found.flat_map(|(access, paths)| paths.into_iter().map(move |path| (access, path)));
    let all = found.chain(named.patched.into_iter().map(|path| (Access::Write, path)));
    all.take(PATHS_MAX).map(|(access, path)| (access, below(access), path)).collect()
}

/// Texts that could name a file under a name that says nothing, where the tool does not
/// say that it only looks: what is done with them is not known.
pub(crate) fn of_unknown_use(tool: &str, input: &Value) -> Vec<String> {
    let mut named = Named::default();
    collect(input, DEPTH_MAX, &mut named);
    let words = words_of(tool);
    let changes = [WRITES, DELETES, MOVES, COPIES, UNPACKS].iter().any(|verbs| says(&words, verbs));
    if named.elsewhere || !changes && !named.content && (says(&words, LOOKS) || says(&words, LISTS)) {
        return Vec::new();
    }
    named.other.extend(named.maybe);
    named.other.into_iter().filter(|path| path.contains(['/', '.'])).take(PATHS_MAX).collect()
}

pub(crate) fn says(words: &[String], wanted: &[&str]) -> bool {
    words.iter().any(|word| wanted.contains(&word.as_str()))
}

fn is_path(text: &str) -> bool {
    text.starts_with(['/', '.', '~']) || text.contains('/') && !text.contains(['@', ' '])
}

/// What the arguments name.
#[derive(Debug, Default)]
struct Named {
    on: Vec<String>,
    from: Vec<String>,
    to: Vec<String>,
    from_paths: Vec<String>,
    to_paths: Vec<String>,
    /// Under names that mean a file in some tools.
    maybe: Vec<String>,
    /// Under names that say nothing.
    other: Vec<String>,
    /// Named in the heads of a patch.
    patched: Vec<String>,
    content: bool,
    recursive: bool,
    elsewhere: bool,
}

fn collect(value: &Value, depth_left: usize, named: &mut Named) {
    match value {
        Value::Object(fields) if depth_left > 0 => collect_fields(fields, depth_left, named),
        Value::Array(items) if depth_left > 0 => {
            for item in items.iter().take(PATHS_MAX) {
                collect(item, depth_left - 1, named);
            }
        }
        _ => {}
    }
}

fn collect_fields(fields: &Map<String, Value>, depth_left: usize, named: &mut Named) {
    for (field, value) in fields {
        let name: String =
            field.chars().filter(|c| c.is_alphanumeric()).collect::<String>().to_ascii_lowercase();
        let is = |names: &[&str]| names.contains(&name.as_str());
        named.content |= is(CONTENT);
        named.recursive |= name == "recursive" && value.as_bool() == Some(true);
        named.elsewhere |= is(ELSEWHERE) && !value.is_null();
        if matches!(name.as_str(), "url" | "urls" | "href" | "address") {
            named.on.extend(texts(value).filter_map(local_file).take(PATHS_MAX));
        }
        let of_patch =
            texts(value).filter(|text| text.contains('\n') && !is(crate::mcp_names::PROSE)).flat_map(patched);
        let patched: Vec<String> = of_patch.take(PATHS_MAX).collect();
        named.patched.extend(patched);
        let kept = match use_of(field, &name) {
            Use::On => Some(&mut named.on),
            Use::From => Some(&mut named.from),
            Use::To => Some(&mut named.to),
            Use::FromPath => Some(&mut named.from_paths),
            Use::ToPath => Some(&mut named.to_paths),
            Use::Maybe => Some(&mut named.maybe),
            Use::Unknown => Some(&mut named.other),
            Use::Text => None,
        };
        if let Some(kept) = kept {
            kept.extend(texts(value).filter_map(local).take(PATHS_MAX));
        }
        collect(value, depth_left.saturating_sub(1), named);
    }
}

/// The files a patch names, with and without the `a/` and `b/` git puts in front.
fn patched(text: &str) -> Vec<String> {
    let has_head = ["+++ ", "*** ", "--- ", "rename to "].iter().any(|head| {
        text.starts_with(head) || text.contains('\n') && text.lines().any(|line| line.starts_with(head))
    });
    if !has_head {
        return Vec::new();
    }
    let plain = |name: String| {
        let bare = name.strip_prefix("a/").or(name.strip_prefix("b/")).map(str::to_owned);
        bare.unwrap_or(name)
    };
    let mut names: Vec<String> = patched_files(text, 0).into_iter().map(plain).collect();
    names.dedup();
    names
}

/// One text, or the texts of a list.
fn texts(value: &Value) -> impl Iterator<Item = &str> {
    let many = value.as_array().into_iter().flatten().filter_map(Value::as_str);
    value.as_str().into_iter().chain(many)
}

/// The path in `file:///x`; `None` for every other address.
pub(crate) fn local_file(address: &str) -> Option<String> {
    let rest = address.trim().get(..5).filter(|head| head.eq_ignore_ascii_case("file:"));
    let rest = rest.and_then(|_| address.trim().get(5..))?;
    let path = match rest.strip_prefix("//") {
        Some(rest) => rest.strip_prefix("localhost").filter(|rest| rest.starts_with('/')).unwrap_or(rest),
        None => rest,
    };
    Some(unescaped(path.split(['?', '#']).next().unwrap_or(path)))
}

/// `%2e` is a dot.
pub(crate) fn unescaped(text: &str) -> String {
    let mut parts = text.split('%');
    let mut bytes = parts.next().unwrap_or("").as_bytes().to_vec();
    for part in parts {
        let digits = part.get(..2).and_then(|digits| u8::from_str_radix(digits, 16).ok());
        match digits {
            Some(byte) => {
                bytes.push(byte);
                bytes.extend(part.get(2..).unwrap_or("").as_bytes());
            }
            None => {
                bytes.push(b'%');
                bytes.extend(part.as_bytes());
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The path of a local file; an address of another kind is none.
fn local(text: &str) -> Option<String> {
    let named = local_file(text);
    let path = named.as_deref().unwrap_or(text);
    let far = path.split_once("://").is_some_and(|(scheme, _)| scheme.chars().all(char::is_alphanumeric));
    let plain = !path.is_empty() && path.len() <= 4096 && !path.contains(['\n', '\0']);
    (plain && !far).then(|| path.to_owned())
}

/// `createFile`, `create_file` and `create-file` are the same two words.
pub(crate) fn words_of(tool: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_lower = false;
    for found in tool.chars() {
        if !found.is_alphanumeric() || found.is_uppercase() && was_lower {
            words.push(String::new());
        }
        was_lower = found.is_lowercase();
        if let Some(word) = words.last_mut().filter(|_| found.is_alphanumeric()) {
            word.extend(found.to_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::{of_input, of_unknown_use};
    use serde_json::{Value, json};

    #[track_caller]
    fn check(tool: &str, input: &Value, expected: &str) {
        let found: Vec<String> = of_input("x", tool, input)
            .iter()
            .map(|(access, _, path)| format!("{} {path}", access.name()))
            .collect();
        assert_eq!(found.join(", "), expected, "{tool} {input}");
    }

    #[test]
    fn verbs_and_argument_names_tell_what_happens() {
        check("write_file", &json!({ "path": "a", "content": "x" }), "write a");
        check("editFile", &json!({ "file_path": "a" }), "write a");
        check("read_text_file", &json!({ "path": "a", "head": 3 }), "read a");
        check("read_multiple_files", &json!({ "paths": ["a", "b"] }), "read a, read b");
        check("move_file", &json!({ "source": "a", "destination": "b" }), "delete a, write b");
        check("copy-file", &json!({ "src": "a", "dst": "b" }), "read a, write b");
        check("delete_file", &json!({ "filename": "a" }), "delete a");
        check("remove_directory", &json!({ "path": "a" }), "delete-tree a");
        check("delete", &json!({ "path": "a", "recursive": true }), "delete-tree a");
        check("batch", &json!({ "edits": [{ "path": "a", "new_text": "x" }] }), "write a");
        check("open_resource", &json!({ "uri": "file:///a/b" }), "read /a/b");
        check("fetch", &json!({ "url": "file:///a/%2eenv?x" }), "read /a/.env");
        check("fetch", &json!({ "url": "FILE://localhost/a" }), "read /a");
        check("odd", &json!({ "path": "a", "content": "x" }), "write a");
        check("render", &json!({ "output": "out/a.png" }), "write out/a.png");
        check("extract_archive", &json!({ "archive": "a.zip", "destination": "src" }), "write src");
        check("remove_file", &json!({ "target": "a" }), "delete a");
    }

    #[test]
    fn names_of_arguments_are_read_word_by_word() {
        check("replace_text", &json!({ "pathInProject": "a", "text": "x" }), "write a");
        check("write", &json!({ "rel_path": "a", "abspath": "b" }), "write a, write b");
        check(
            "write",
            &json!({ "name": "a/b", "location": "/c", "document": "d.md" }),
            "write a/b, write /c",
        );
        check("read", &json!({ "configFile": "a" }), "read a");
        check("sync", &json!({ "new_file_path": "a", "old_file_path": "b" }), "read b, write a");
        check("write", &json!({ "file_type": "ts", "path_count": "3", "name": "a" }), "");
    }

    #[test]
    fn a_patch_names_its_files() {
        let patch = "--- a/x/y\n+++ b/x/y\n@@ -1 +1 @@\n-a\n+b\n";
        check("apply_patch", &json!({ "patch": patch }), "write x/y");
        check(
            "run",
            &json!({ "changes": "*** Begin Patch\n*** Update File: x/y\n*** Delete File: z\n*** End Patch" }),
            "write x/y, write z",
        );
        check("note", &json!({ "text": "a\nb --- c" }), "");
    }

    #[test]
    fn texts_under_unknown_names_are_told() {
        let found = |tool: &str, input: Value| of_unknown_use(tool, &input).join(", ");
        assert_eq!(found("tool", json!({ "thing": ".x/y", "n": { "m": "a b" } })), ".x/y");
        assert_eq!(found("get_thing", json!({ "thing": ".x/y" })), "");
        assert_eq!(found("set_thing", json!({ "thing": ".x/y", "message": "a/b" })), ".x/y");
    }

    #[test]
    fn what_names_no_file_here_is_none() {
        check("list_directory", &json!({ "path": "a" }), "");
        check("get_file_contents", &json!({ "owner": "o", "repo": "r", "path": "a" }), "");
        check("fetch", &json!({ "uri": "https://example.com/a" }), "");
        check("send_mail", &json!({ "body": "path" }), "");
        check("send_mail", &json!({ "to": "a@example.com", "from": "b" }), "");
        check("search", &json!({ "from": "2024-01-01", "to": "2024-02-01" }), "");
        check("git_diff", &json!({ "target": "main" }), "");
        check("tool", &json!({ "schema": { "properties": { "path": { "type": "string" } } } }), "");
        check("tool", &json!({ "path": null }), "");
    }
}
