//! Files that programs of other languages read, write and delete by a literal
//! name: each amounts to a `cat`, a `tee` or an `rm`.
//!
//! A scan behind the name of the call, no parser. Names put together at run
//! time are not guessed at.

use super::Inner;
use super::language::literal;
use crate::reading::Word;

/// Calls that read the file named first.
const READS: [&str; 10] = [
    "readFileSync",
    "readFile",
    "createReadStream",
    "file_get_contents",
    "readfile",
    "read_csv",
    "readlines",
    "linecache",
    "foreach",
    "readText",
];

/// Calls that write the file named first.
const WRITES: [&str; 9] = [
    "writeFileSync",
    "writeFile",
    "appendFileSync",
    "appendFile",
    "createWriteStream",
    "file_put_contents",
    "writeTextFile",
    "truncateSync",
    "outputFileSync",
];

/// Calls that delete: name, and the options of the `rm` they amount to.
const DELETERS: [(&str, &str); 11] = [
    ("rmtree", "-rf"),
    ("rm_rf", "-rf"),
    ("rm_r", "-r"),
    ("remove_tree", "-rf"),
    ("rmSync", "-rf"),
    ("rimraf", "-rf"),
    ("remove_entry_secure", "-rf"),
    ("unlink", "-f"),
    ("unlinkSync", "-f"),
    ("rmdirSync", "-rf"),
    ("removeSync", "-rf"),
];

/// A call found in program text.
pub(super) struct Call<'a> {
    /// Its name, and what stands right before it.
    pub(super) name: &'a str,
    pub(super) head: &'a str,
    /// What follows the name, and what follows its parenthesis.
    pub(super) opening: &'a str,
    pub(super) inside: Option<&'a str>,
}

/// What the call does to a file, if that is plain.
pub(super) fn open(call: &Call, program: &Word) -> Option<Inner> {
    if let Some((_, option)) = DELETERS.iter().find(|(name, _)| *name == call.name) {
        return deletion(call, option, program);
    }
    let inside = call.inside?;
    let (path, after) = path(inside)?;
    let does = match call.name {
        "open" | "fopen" | "openSync" | "File" => by_mode(after, call),
        "Path" | "PurePath" => by_method(after),
        "remove" if call.head.ends_with("os.") => "rm -f",
        "rename" | "replace" if call.head.ends_with("os.") => "rm -f",
        "read" | "readlines" | "binread" if ends_with_file(call.head) => "cat",
        "write" | "binwrite" if ends_with_file(call.head) => "tee",
        "delete" if ends_with_file(call.head) => "rm -f",
        name if READS.contains(&name) => "cat",
        name if WRITES.contains(&name) => "tee",
        _ => return None,
    };
    let mut words: Vec<Word> =
        does.split(' ').filter(|word| !word.is_empty()).map(|word| made(word, program)).collect();
    if words.is_empty() {
        return None;
    }
    words.push(made(&path, program));
    Some(Inner::made(words))
}

fn made(text: &str, program: &Word) -> Word {
    Word { text: text.to_string(), exact: true, glob: false, span: program.span }
}

fn ends_with_file(head: &str) -> bool {
    ["File.", "IO.", "Deno.", "FileUtils."].iter().any(|name| head.ends_with(name))
}

/// The mode of `open(path, mode)`; Perl's comes first and is part of the name.
fn by_mode(after: &str, call: &Call) -> &'static str {
    let rest = after.trim_start();
    let mode =
        rest.strip_prefix(',').map(str::trim_start).map(|rest| rest.strip_prefix("mode=").unwrap_or(rest));
    match mode.and_then(literal) {
        Some((mode, _)) if mode.contains(['w', 'a', 'x', '+', '>']) => "tee",
        _ if call.head.ends_with("os.") => "",
        _ => "cat",
    }
}

/// `Path("x").write_text(…)`.
fn by_method(after: &str) -> &'static str {
    let method = after.trim_start().strip_prefix(')').unwrap_or("").trim_start_matches('.');
    let name: String = method.chars().take_while(|found| found.is_alphanumeric() || *found == '_').collect();
    match name.as_str() {
        "read_text" | "read_bytes" => "cat",
        "write_text" | "write_bytes" | "touch" => "tee",
        "unlink" => "rm -f",
        _ => "",
    }
}

fn deletion(call: &Call, option: &str, program: &Word) -> Option<Inner> {
    let argument = call.inside.unwrap_or(call.opening).trim_start();
    let pattern = argument.strip_prefix("glob").map(|rest| rest.trim_start_matches(['(', ' ']));
    if let Some((text, _)) = pattern.and_then(literal) {
        let line = format!("rm {option} {text}");
        return Some(Inner::text(Word { text: line, exact: true, ..program.clone() }));
    }
    let (path, _) = path(argument)?;
    Some(Inner::made(vec![made("rm", program), made(option, program), made(&path, program)]))
}

/// A literal path: not put together, nothing filled in.
fn path(text: &str) -> Option<(String, &str)> {
    let text = text.trim_start();
    let (path, after) = literal(text)?;
    let fills = text.starts_with(['f', 'F', '`']) && path.contains('{') || path.contains("${");
    let joined = after.trim_start().starts_with(['+', '%', '.']);
    let plain = !path.is_empty() && path.len() < 4096 && !path.contains('\n');
    (plain && !fills && !joined && !path.starts_with("http")).then_some((path, after))
}

/// awk's `print > "file"` and `getline < "file"`.
pub(super) fn awk(sign: char, after: &str, program: &Word) -> Option<Inner> {
    let (path, _) = path(after.trim_start_matches('>').trim_start())?;
    let does = if sign == '>' { "tee" } else { "cat" };
    let plain = !matches!(path.as_str(), "/dev/stderr" | "/dev/stdout" | "/dev/null" | "-");
    plain.then(|| Inner::made(vec![made(does, program), made(&path, program)]))
}
