//! Files that programs of other languages read, write and delete by a literal
//! name: each amounts to a `cat`, a `tee` or an `rm`.
//!
//! A scan behind the name of the call, no parser. What the arguments amount to
//! is asked of `values`; names put together otherwise are not guessed at.

use super::Inner;
use super::language::literal;
use super::listings;
use super::values::{Values, is_from_home, shell_word};
use crate::normal::quote;
use crate::reading::Word;

/// Calls that read the file named first.
const READS: [&str; 16] = [
    "readTextFileSync",
    "readTextFile",
    "parse_ini_file",
    "loadEnvFile",
    "dotenv_values",
    "readLines",
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
const WRITES: [&str; 11] = [
    "writeTextFileSync",
    "truncate",
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
const DELETERS: [(&str, &str); 12] = [
    ("removeItem", "-rf"),
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
pub(super) struct FunctionCall<'a> {
    /// Its name, and what is right before it.
    pub(super) name: &'a str,
    pub(super) head: &'a str,
    /// What follows the name, and what follows its parenthesis.
    pub(super) opening: &'a str,
    pub(super) inside: Option<&'a str>,
    /// What the program has given names to so far.
    pub(super) values: &'a Values,
}

/// What the call does to a file, if that is plain.
pub(super) fn open(call: &FunctionCall, program: &Word) -> Option<Inner> {
    if let Some((_, option)) = DELETERS.iter().find(|(name, _)| *name == call.name) {
        return deletion(call, option, program);
    }
    if METHODS.iter().any(|(name, _)| *name == call.name) && carries(call.name, call.head).is_none() {
        return by_path_method(call, program);
    }
    if call.inside.is_none()
        && let Some((does, path)) = two_words(call)
    {
        return does_to(does, &path, program);
    }
    let inside = call.inside?;
    if matches!(call.name, "Path" | "PurePath") {
        return by_new_path(call, inside, program);
    }
    if let Some((does, path)) = two_words(call) {
        return does_to(does, &path, program);
    }
    if let Some(opened) = opened_by_method(call, inside, program) {
        return Some(opened);
    }
    if call.name == "open"
        && let Some((does, argument)) = mode_first(inside)
    {
        let (path, _) = path(argument, call.values)?;
        return does_to(does, &path, program);
    }
    if call.name == "urlretrieve" {
        let (_, to) = inside.split_once(',')?;
        return path(to, call.values).map(|(to, _)| brought(&to, program));
    }
    let Some((path, after)) = path(inside, call.values) else {
        let deletes = call.name == "remove" && call.head.ends_with("os.")
            || call.name == "delete" && ends_with_file(call.head);
        return if deletes { listings::deletion(call, inside, "-f", program) } else { None };
    };
    let callee = named(inside, call.values).filter(|_| call.name == "array_map");
    if callee.is_some_and(|(callee, _)| matches!(callee.as_str(), "unlink" | "rmdir")) {
        return listings::deletion(call, "unlink", "-f", program);
    }
    let does = match call.name {
        "open" | "fopen" | "openSync" | "File" => by_mode(after, call),
        "remove" if call.head.ends_with("os.") || call.head.ends_with("file.") => "rm -f",
        name if carries(name, call.head).is_some() => {
            let does = carries(name, call.head).unwrap_or("cp");
            return moved(does, &path, second_of(after), call.values, program);
        }
        "rm" if inside.contains("recursive") => "rm -rf",
        "rm" if !path.starts_with('-') => "rm -f",
        "read" | "readlines" | "binread" if ends_with_file(call.head) => "cat",
        "write" | "binwrite" if ends_with_file(call.head) || call.head.ends_with("Bun.") => "tee",
        "file" if call.head.ends_with("Bun.") => "cat",
        "delete" if ends_with_file(call.head) => "rm -f",
        name if READS.contains(&name) => "cat",
        "appendFile" | "appendFileSync" => "tee -a",
        "file_put_contents" if inside.contains("FILE_APPEND") => "tee -a",
        name if WRITES.contains(&name) => "tee",
        _ => return None,
    };
    let text = match call.name {
        "open" | "fopen" | "openSync" | "File" => texts_of_writes(after, call.values),
        _ => {
            after.trim_start().strip_prefix(',').and_then(|rest| call.values.text(rest)).map(|(text, _)| text)
        }
    };
    written_to(does, &path, text, program)
}

/// `Path("x").write_text(…)`, `Path("x").rename("y")`.
fn by_new_path(call: &FunctionCall, inside: &str, program: &Word) -> Option<Inner> {
    let (path, after) =
        call.values.text(&format!("Path({inside}")).map(|(path, after)| (path, after.to_string()))?;
    let given = after.split_once('(').map(|(_, inside)| inside);
    if by_method(&after) == "mv" {
        return moved("mv", &path, given, call.values, program);
    }
    let text = given.and_then(|inside| call.values.text(inside)).map(|(text, _)| text);
    written_to(by_method(&after), &path, text, program)
}

/// `p.write_text(…)` of a path with a name.
fn by_path_method(call: &FunctionCall, program: &Word) -> Option<Inner> {
    let does = METHODS.iter().find_map(|(name, does)| (*name == call.name).then_some(*does))?;
    if is_plain_path(call.head) {
        return None;
    }
    let path = owner_path(call)?;
    if does == "mv" {
        return moved(does, &path, call.inside, call.values, program);
    }
    let text = call.inside.and_then(|inside| call.values.text(inside)).map(|(text, _)| text);
    written_to(does, &path, text, program)
}

/// `p.open('w')`: a method has no path among its arguments.
fn opened_by_method(call: &FunctionCall, inside: &str, program: &Word) -> Option<Inner> {
    let path = (call.name == "open" && !is_plain_path(call.head)).then(|| owner_path(call)).flatten()?;
    let mode = inside.trim_start().strip_prefix("mode=").unwrap_or(inside);
    let text = texts_of_writes(inside, call.values);
    written_to(does_in_mode(literal(mode).map(|(mode, _)| mode)), &path, text, program)
}

/// Texts of one program that are put into a file, at most.
const WRITES_MAX: usize = 32;

/// What the calls that follow write, as far as it is here.
fn texts_of_writes(after: &str, values: &Values) -> Option<String> {
    let mut all = None::<String>;
    let calls = [".write(", ".puts(", ".puts ", ".print("];
    for (at, name) in calls.iter().flat_map(|name| after.match_indices(name)).take(WRITES_MAX) {
        let written = after.get(at + name.len()..).and_then(|rest| values.text(rest.trim_start()));
        let Some((text, _)) = written else { continue };
        let all = all.get_or_insert_default();
        all.push_str(&text);
        all.push_str(if name.starts_with(".puts") { "\n" } else { "" });
    }
    all
}

/// The same as `does_to`, with the text that is written. It is added to what the
/// file is known to hold: no one knows whether the call is reached, or is the last.
fn written_to(does: &str, path: &str, text: Option<String>, program: &Word) -> Option<Inner> {
    if does == "tee" && text.is_none() && FETCHES.iter().any(|sign| program.text.contains(sign)) {
        return Some(brought(path, program));
    }
    let Some(text) = text.filter(|_| does.starts_with("tee")) else { return does_to(does, path, program) };
    // A `tee` of a program replaces what was there, see `losses`; `>>` keeps it.
    let sign = if does == "tee" { "| tee -a" } else { ">>" };
    let line = format!("printf %s {} {sign} {}", quote(&text), shell_word(path));
    Some(Inner::text(Word { text: line.into(), exact: true, ..program.clone() }))
}

/// What programs fetch with.
const FETCHES: [&str; 7] =
    ["requests.get", "httpx.get", "urlopen", "fetch(", "https.get", "Net::HTTP", "URI.open"];

/// A file that comes from the network, from the first address in the program.
fn brought(path: &str, program: &Word) -> Inner {
    let address = ["https://", "http://"].iter().find_map(|head| {
        let rest = program.text.get(program.text.find(head)?..)?;
        rest.get(..rest.find(['\'', '"', '`', ' ', ')']).unwrap_or(rest.len()))
    });
    let line = format!("curl -o {} {}", shell_word(path), quote(address.unwrap_or("unknown")));
    Inner::text(Word { text: line.into(), exact: true, ..program.clone() })
}

/// Calls that copy or move the file named first to the second.
fn carries(name: &str, head: &str) -> Option<&'static str> {
    match name {
        "rename" | "replace" if head.ends_with("os.") => Some("mv"),
        // `fs.rename`, `File.rename`, and the function of PHP.
        "rename"
            if ["fs.", "fsp.", "promises.", "File.", "fs/promises')."]
                .iter()
                .any(|one| head.ends_with(one)) =>
        {
            Some("mv")
        }
        "rename" if !head.trim_end().ends_with(['.', '>', ':']) => Some("mv"),
        "move" if head.ends_with("shutil.") => Some("mv"),
        "copy" | "copy2" | "copyfile" if head.ends_with("shutil.") => Some("cp"),
        "copytree" if head.ends_with("shutil.") => Some("cp -r"),
        "renameSync" | "moveSync" => Some("mv"),
        "copyFileSync" | "copyFile" | "cpSync" | "copySync" => Some("cp"),
        _ => None,
    }
}

/// The second argument, behind the first.
fn second_of(after: &str) -> Option<&str> {
    after.trim_start().strip_prefix(',')
}

/// `to` begins with the argument that says where it goes.
fn moved(does: &str, from: &str, to: Option<&str>, values: &Values, program: &Word) -> Option<Inner> {
    let second = to.map(|rest| {
        let rest = rest.trim_start();
        rest.strip_prefix("dst=").unwrap_or(rest)
    });
    let Some((to, _)) = second.and_then(|text| path(text, values)) else {
        return does_to(if does == "mv" { "rm -f" } else { "cat" }, from, program);
    };
    let line = format!("{does} {} {}", shell_word(from), shell_word(&to));
    Some(Inner::text(Word { text: line.into(), exact: true, ..program.clone() }))
}

/// Methods of a path.
const METHODS: [(&str, &str); 7] = [
    ("rename", "mv"),
    ("hardlink_to", "cat"),
    ("read_text", "cat"),
    ("read_bytes", "cat"),
    ("write_text", "tee"),
    ("write_bytes", "tee"),
    ("touch", "tee"),
];

/// The command that does the same to the file.
fn does_to(does: &str, path: &str, program: &Word) -> Option<Inner> {
    if does.is_empty() {
        return None;
    }
    if is_from_home(path) {
        let line = format!("{does} {}", shell_word(path));
        return Some(Inner::text(Word { text: line.into(), exact: true, ..program.clone() }));
    }
    let mut words: Vec<Word> = does.split(' ').map(|word| made(word, program)).collect();
    words.push(made(path, program));
    Some(Inner::made(words))
}

fn made(text: &str, program: &Word) -> Word {
    Word { text: text.into(), exact: true, glob: false, span: program.span }
}

fn ends_with_file(head: &str) -> bool {
    ["File.", "IO.", "Deno.", "FileUtils."].iter().any(|name| head.ends_with(name))
}

/// The mode of `open(path, mode)`; Perl's comes first and is part of the name.
fn by_mode(after: &str, call: &FunctionCall) -> &'static str {
    let rest = after.trim_start();
    let mode =
        rest.strip_prefix(',').map(str::trim_start).map(|rest| rest.strip_prefix("mode=").unwrap_or(rest));
    match does_in_mode(mode.and_then(literal).map(|(mode, _)| mode)) {
        "cat" if call.head.ends_with("os.") => "",
        does => does,
    }
}

fn does_in_mode(mode: Option<String>) -> &'static str {
    match mode {
        // What is there stays.
        Some(mode)
            if mode.contains('a') || mode.contains(">>") || mode.contains('+') && !mode.contains('w') =>
        {
            "tee -a"
        }
        Some(mode) if mode.contains(['w', 'x', '>']) => "tee",
        _ => "cat",
    }
}

/// Perl's `open F, ">path"`: how is in front of the name.
fn two_words(call: &FunctionCall) -> Option<(&'static str, String)> {
    let given = call.inside.unwrap_or(call.opening);
    let (handle, rest) = given.split_once(',').filter(|_| call.name == "open")?;
    let name = handle.trim().trim_start_matches("my ").trim_start_matches("local ");
    let is_handle = name.starts_with(['$', '*']) || name.bytes().all(|byte| byte.is_ascii_uppercase());
    let (text, after) = literal(rest.trim_start()).filter(|_| is_handle && !name.is_empty())?;
    if after.trim_start().starts_with(',') {
        return None;
    }
    let does = match text.trim_start() {
        text if text.starts_with(">>") => "tee -a",
        text if text.starts_with(['>', '+']) => "tee",
        _ => "cat",
    };
    let path = text.trim_start_matches(['>', '<', '+', ' ']).trim_end();
    let plain = !path.is_empty() && !path.starts_with(['|', '-', '&']) && !path.ends_with('|');
    plain.then(|| (does, path.to_string()))
}

/// Perl's `open(my $f, '>', path)`: what it does, and where the path begins.
fn mode_first(inside: &str) -> Option<(&'static str, &str)> {
    let (handle, rest) = inside.split_once(',')?;
    let is_handle = !handle.contains(['\'', '"', '(', '.']) && handle.len() < 64;
    let (mode, after) = literal(rest.trim_start()).filter(|_| is_handle)?;
    let named = after.trim_start().strip_prefix(',')?;
    match mode.trim().trim_start_matches('+').chars().next()? {
        '>' if mode.contains(">>") => Some(("tee -a", named)),
        '>' => Some(("tee", named)),
        '<' => Some(("cat", named)),
        _ => None,
    }
}

/// `Path("x").write_text(…)`.
fn by_method(after: &str) -> &'static str {
    let method = after.trim_start().trim_start_matches(')').trim_start_matches('.');
    let name: String = method.chars().take_while(|found| found.is_alphanumeric() || *found == '_').collect();
    match name.as_str() {
        "read_text" | "read_bytes" => "cat",
        "write_text" | "write_bytes" | "touch" => "tee",
        "unlink" => "rm -f",
        "rename" | "replace" => "mv",
        _ => "",
    }
}

/// The name in front of the dot of a method.
fn owner(head: &str) -> Option<&str> {
    let owner = head.strip_suffix('.')?;
    let at = owner.rfind(|found: char| !(found.is_alphanumeric() || found == '_')).map_or(0, |at| at + 1);
    owner.get(at..)
}

/// The path a method belongs to: `p.…`, `(Path.home() / 'x').…`, `Path('x').joinpath('y').…`.
fn owner_path(call: &FunctionCall) -> Option<String> {
    if let Some((path, _)) = owner(call.head).and_then(|name| path(name, call.values)) {
        return Some(path);
    }
    let whole = call.head.strip_suffix('.')?;
    let (path, rest) = path(whole.get(expression_start(whole)?..)?, call.values)?;
    rest.trim().is_empty().then_some(path)
}

/// `Path('x').`: what is done to it is read where the path is made, and must not be read twice.
fn is_plain_path(head: &str) -> bool {
    let made = head.strip_suffix('.').and_then(|whole| whole.strip_suffix(')'));
    let callee = made.and_then(|inside| inside.get(..opening_of(inside)?));
    let name = callee.and_then(|callee| callee.rsplit(|found: char| !found.is_alphanumeric()).next());
    matches!(name, Some("Path" | "PurePath"))
}

/// Where the calls and names begin that a text ends with.
fn expression_start(text: &str) -> Option<usize> {
    let is_name = |found: char| found.is_alphanumeric() || matches!(found, '_' | '.');
    let mut start = text.len();
    for _ in 0..CALLS_MAX {
        let opened = match text.get(..start)?.strip_suffix(')') {
            Some(inside) => opening_of(inside)?,
            None => break,
        };
        start = text.get(..opened)?.trim_end_matches(is_name).len();
    }
    Some(start)
}

/// Where the parenthesis opens that closes right behind a text.
fn opening_of(text: &str) -> Option<usize> {
    let mut depth = 1_usize;
    for (at, found) in text.char_indices().rev() {
        match found {
            ')' => depth += 1,
            '(' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(at);
        }
    }
    None
}

/// Calls in a row that are followed back.
const CALLS_MAX: usize = 8;

fn deletion(call: &FunctionCall, option: &str, program: &Word) -> Option<Inner> {
    let argument = call.inside.unwrap_or(call.opening).trim_start();
    // `p.unlink()` deletes what it belongs to.
    if argument.starts_with(')')
        && let Some(path) = owner_path(call)
    {
        return does_to(&format!("rm {option}"), &path, program);
    }
    let argument = if argument.starts_with(')') { owner(call.head).unwrap_or(argument) } else { argument };
    // Elixir's name ends in a sign.
    let argument = argument.strip_prefix("!(").unwrap_or(argument);
    // Swift names its arguments, and R deletes folders by one more.
    let argument = argument.strip_prefix("atPath:").unwrap_or(argument).trim_start();
    let deep = call.name == "unlink" && argument.contains("recursive");
    // Given nothing but the path, it deletes no folder.
    let alone = argument
        .find([',', ')'])
        .is_some_and(|at| argument.get(at..).is_some_and(|rest| rest.starts_with(')')));
    let shallow = call.name == "rmSync" && alone;
    let option = if deep {
        "-rf"
    } else if shallow {
        "-f"
    } else {
        option
    };
    let pattern = argument.strip_prefix("glob").map(|rest| rest.trim_start_matches(['(', ' ']));
    if let Some((text, _)) = pattern.and_then(literal) {
        let line = format!("rm {option} {text}");
        return Some(Inner::text(Word { text: line.into(), exact: true, ..program.clone() }));
    }
    match path(argument, call.values) {
        Some((path, _)) => does_to(&format!("rm {option}"), &path, program),
        None => listings::deletion(call, argument, option, program),
    }
}

/// A path that is plain to see, as seen from where the program began.
pub(super) fn path<'a>(text: &'a str, values: &Values) -> Option<(String, &'a str)> {
    named(text, values).map(|(path, after)| (values.placed(path), after))
}

/// The same as it is named there.
pub(super) fn named<'a>(text: &'a str, values: &Values) -> Option<(String, &'a str)> {
    let text = text.trim_start();
    let (path, after) = values.text(text)?;
    let fills = text.starts_with(['f', 'F', '`']) && path.contains('{') || path.contains("${");
    let joined = after.trim_start().starts_with(['+', '%', '.']);
    let plain = !path.is_empty() && path.len() < 4096 && !path.contains('\n');
    (plain && !fills && !joined && !path.starts_with("http")).then_some((path, after))
}

/// awk's `print > "file"` and `getline < "file"`.
pub(super) fn awk(sign: char, head: &str, after: &str, values: &Values, program: &Word) -> Option<Inner> {
    let (path, _) = path(after.trim_start_matches('>').trim_start(), values)?;
    let does = if sign == '>' { "tee" } else { "cat" };
    let printed = head.rsplit_once("print").and_then(|(_, printed)| values.text(printed.trim_start()));
    let text = printed.filter(|(_, rest)| rest.trim().is_empty()).map(|(text, _)| text + "\n");
    let plain = !matches!(path.as_str(), "/dev/stderr" | "/dev/stdout" | "/dev/null" | "-");
    if plain { written_to(does, &path, text, program) } else { None }
}
