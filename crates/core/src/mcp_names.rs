//! What the name of an argument of an MCP tool says about its text: a path, where something
//! comes from or goes, prose, or nothing.
//!
//! Tables and one function; must not look at the text itself.

use crate::mcp_files::{says, words_of};

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
/// Words a name of an argument ends with that holds a path: `relPath`, `abs_path`, `configFile`.
const PATH_WORDS: &[&str] = &[
    "path",
    "paths",
    "file",
    "files",
    "filepath",
    "filename",
    "dir",
    "directory",
    "folder",
    "pathname",
    "abspath",
    "relpath",
    "uri",
];
/// Words that follow such a word: `pathInProject`, `path_to_file`, `file_name`.
const PATH_WORDS_AFTER: &[&str] =
    &["in", "inside", "within", "to", "of", "name", "names", "relative", "absolute"];
/// Words in front of such a word that say it is where something comes from, or goes.
const FROM_WORDS: &[&str] = &["source", "src", "from", "old", "origin", "original"];
const TO_WORDS: &[&str] = &["destination", "dest", "dst", "to", "new", "output", "out", "save"];
/// Arguments that name a file in some tools and anything in others: only what looks like a path counts.
const MAYBE_PATHS: &[&str] =
    &["name", "location", "document", "doc", "resource", "entry", "item", "object", "page", "asset"];
/// Arguments that hold prose or what is looked for: a path in them is not touched.
pub(crate) const PROSE: &[&str] = &[
    "message",
    "body",
    "query",
    "pattern",
    "regex",
    "prompt",
    "title",
    "description",
    "comment",
    "question",
    "summary",
    "reason",
    "note",
    "search",
    "oldtext",
    "oldstring",
    "oldstr",
    "thought",
    "explanation",
];
/// Arguments that hold what is written.
pub(crate) const CONTENT: &[&str] = &[
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
pub(crate) const ELSEWHERE: &[&str] =
    &["owner", "repo", "repository", "projectid", "bucket", "driveid", "spaceid", "filekey"];

/// What the name of an argument says about its text.
pub(crate) enum Use {
    On,
    From,
    To,
    /// The name says that it is a path.
    FromPath,
    ToPath,
    Maybe,
    Unknown,
    Text,
}

pub(crate) fn use_of(field: &str, name: &str) -> Use {
    let known = [(PATHS, Use::On), (FROM, Use::From), (TO, Use::To), (MAYBE_PATHS, Use::Maybe)];
    if let Some((_, meant)) = known.into_iter().find(|(names, _)| names.contains(&name)) {
        return meant;
    }
    if [CONTENT, PROSE].iter().any(|names| names.contains(&name)) {
        return Use::Text;
    }
    let words = words_of(field);
    let is_noun = |word: &String| PATH_WORDS.contains(&word.as_str());
    let followed = words.first().is_some_and(is_noun)
        && words.get(1).is_some_and(|word| PATH_WORDS_AFTER.contains(&word.as_str()));
    if !followed && !words.last().is_some_and(is_noun) {
        return Use::Unknown;
    }
    match () {
        () if says(&words, FROM_WORDS) => Use::FromPath,
        () if says(&words, TO_WORDS) && !followed => Use::ToPath,
        () => Use::On,
    }
}
