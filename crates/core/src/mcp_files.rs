//! The files a tool of an MCP server would touch, read from its name and its
//! arguments: `write_file { path }` writes like the host's own Write tool.
//!
//! No server says what its tools do in a form that binds it, so the verb in
//! the name and the names of the arguments are all there is. A tool whose
//! arguments place the file on another machine touches none here.

use crate::facts::Access;
use serde_json::{Map, Value};

/// Most paths of one call that are read.
const PATHS_MAX: usize = 256;
/// Arguments inside arguments are read so deep: `edits[0].path`.
const DEPTH_MAX: usize = 4;

/// Arguments that name the file a tool works on.
const PATHS: &[&str] = &[
    "path",
    "paths",
    "file",
    "files",
    "filepath",
    "filename",
    "filenames",
    "uri",
    "uris",
    "notebookpath",
    "relativepath",
    "absolutepath",
    "relativefilepath",
    "fullpath",
    "localpath",
    "directory",
    "directorypath",
    "dir",
    "folder",
    "folderpath",
    "targetfile",
    "inputpath",
    "inputfile",
    "filepaths",
];
/// Arguments that name where something comes from.
const FROM: &[&str] = &["source", "src", "from", "oldpath", "sourcepath", "sourcefile", "oldname", "origin"];
/// Arguments that name where something goes.
const TO: &[&str] = &[
    "destination",
    "dest",
    "dst",
    "to",
    "newpath",
    "destinationpath",
    "destpath",
    "target",
    "targetpath",
    "newname",
    "output",
    "outputpath",
    "outputfile",
    "savepath",
    "saveto",
];
/// Arguments that hold what is written.
const CONTENT: &[&str] = &[
    "content",
    "contents",
    "text",
    "newtext",
    "newstring",
    "newstr",
    "filetext",
    "edits",
    "data",
    "patch",
    "diff",
];
/// Arguments that say the file is another machine's.
const ELSEWHERE: &[&str] =
    &["owner", "repo", "repository", "projectid", "bucket", "driveid", "spaceid", "filekey"];

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
/// Names and sizes are no content.
const LISTS: &[&str] = &["list", "ls", "stat", "exists", "info", "tree", "glob", "metadata", "find"];

/// What happens to which path, as the caller wrote it.
pub(crate) fn of_input(tool: &str, input: &Value) -> Vec<(Access, String)> {
    let mut named = Named::default();
    collect(input, DEPTH_MAX, &mut named);
    if named.elsewhere {
        return Vec::new();
    }
    let words = words_of(tool);
    let says = |verbs: &[&str]| words.iter().any(|word| verbs.contains(&word.as_str()));
    let deletion = if named.recursive || says(&["directory", "folder", "tree", "dir", "recursive", "rmdir"]) {
        Access::DeleteTree
    } else {
        Access::Delete
    };
    // What one argument names, and the ends of a move or copy.
    let (on, from, to) = if says(MOVES) {
        (Some(Access::Delete), Some(Access::Delete), Some(Access::Write))
    } else if says(COPIES) {
        (Some(Access::Read), Some(Access::Read), Some(Access::Write))
    } else if says(DELETES) {
        (Some(deletion), Some(deletion), Some(deletion))
    } else if says(WRITES) || named.content {
        (Some(Access::Write), Some(Access::Read), Some(Access::Write))
    } else if says(LISTS) {
        (None, None, None)
    } else {
        (Some(Access::Read), Some(Access::Read), Some(Access::Write))
    };
    // `to` and `target` mean anything, unless something is moved: a path shows.
    let moves = says(MOVES) || says(COPIES);
    let real = |paths: Vec<String>| paths.into_iter().filter(|path| moves || is_path(path)).collect();
    let ends = [(on, named.on), (from, real(named.from)), (to, real(named.to))];
    let found = ends.into_iter().filter_map(|(access, paths)| Some((access?, paths)));
    found
        .flat_map(|(access, paths)| paths.into_iter().map(move |path| (access, path)))
        .take(PATHS_MAX)
        .collect()
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
        let kept = [(PATHS, &mut named.on), (FROM, &mut named.from), (TO, &mut named.to)];
        if let Some((_, kept)) = kept.into_iter().find(|(names, _)| is(names)) {
            kept.extend(texts(value).filter_map(local).take(PATHS_MAX));
        }
        collect(value, depth_left.saturating_sub(1), named);
    }
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
    use super::of_input;
    use serde_json::{Value, json};

    #[track_caller]
    fn check(tool: &str, input: &Value, expected: &str) {
        let found: Vec<String> =
            of_input(tool, input).iter().map(|(access, path)| format!("{} {path}", access.name())).collect();
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
