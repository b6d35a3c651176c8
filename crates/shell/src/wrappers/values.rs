//! What expressions of other languages amount to where that is plain to see:
//! literals, names given one before, texts joined, paths put together, the
//! home folder.
//!
//! No parser: whatever is not of these few forms is not known. Bounded in
//! depth and in the length of what it keeps.

use super::language::literal;
use crate::normal::quote;

/// Represents the home folder, which only the shell knows.
const HOME: &str = "\u{1}home";

/// Gaps of one text that are filled.
const GAPS_MAX: usize = 16;

/// Names that are remembered, and bytes of one value.
const NAMES_MAX: usize = 256;
const VALUE_MAX: usize = 4096;

/// Expressions inside expressions are read so deep.
const DEPTH_MAX: usize = 6;

/// Calls that put their arguments together as a path.
const JOINS: [&str; 8] =
    ["os.path.join", "path.join", "path.resolve", "File.join", "osp.join", "Path", "PurePath", "join"];

/// Calls that give their argument back, as far as a path is concerned.
const SAMES: [&str; 9] = [
    "os.path.abspath",
    "os.path.realpath",
    "os.path.normpath",
    "os.fspath",
    "str",
    "String",
    "shlex.quote",
    "realpath",
    "abspath",
];

/// Calls that put the home in place of a tilde.
const TILDES: [&str; 3] = ["os.path.expanduser", "File.expand_path", "expanduser"];

/// What represents the home, and for the folder the program runs in.
const HOMES: [&str; 6] =
    ["Path.home", "os.homedir", "homedir", "Dir.home", "process.env.HOME", "process.env['HOME']"];
const FOLDERS: [&str; 6] = ["os.getcwd", "process.cwd", "Path.cwd", "Dir.pwd", "Deno.cwd", "getcwd"];

/// Calls and tables that give a variable of the environment.
const VARIABLES: [&str; 7] =
    ["os.environ", "os.environ.get", "os.getenv", "getenv", "ENV", "ENV.fetch", "Deno.env.get"];

#[derive(Debug, Clone)]
pub(super) enum Value {
    Text(String),
    List(Vec<String>),
}

/// The names a program has given values to so far.
#[derive(Debug, Default)]
pub(super) struct Values {
    known: Vec<(String, Value)>,
    /// What is side by side is joined, as in awk.
    beside: bool,
    /// A dot joins, as in Perl.
    dots: bool,
    /// Variables it sets for what it starts.
    pub(super) environment: Vec<(String, String)>,
    /// Where it went.
    folder: Option<String>,
}

impl Values {
    pub(super) fn of(language: &str) -> Values {
        let dots = matches!(language, "perl" | "php");
        Values { beside: language.ends_with("awk"), dots, ..Values::default() }
    }

    /// `name = …`: what it is from here on.
    pub(super) fn learn(&mut self, name: &str, after: &str) {
        self.learn_environment(name, after);
        self.learn_folder(name, after);
        let Some(right) =
            after.trim_start().strip_prefix('=').filter(|rest| !rest.starts_with(['=', '>', '~']))
        else {
            return self.add(name, after);
        };
        let right = right.trim_start();
        let value = match self.words(right) {
            Some((items, _)) => Some(Value::List(items)),
            None => self.text(right).map(|(text, _)| Value::Text(text)),
        };
        self.forget(name);
        if let Some(value) = value.filter(|_| self.known.len() < NAMES_MAX) {
            self.known.push((name.to_string(), value));
        }
    }

    /// `name` is one of several texts; this is the one of now.
    pub(super) fn bind(&mut self, name: &str, text: &str) {
        self.forget(name);
        self.known.push((name.to_string(), Value::Text(text.to_string())));
    }

    fn forget(&mut self, name: &str) {
        self.known.retain(|(known, _)| known != name);
    }

    /// `os.chdir('x')`: names without a folder are of that one from here on.
    fn learn_folder(&mut self, name: &str, after: &str) {
        if name == "chdir" {
            let inside = after.trim_start().trim_start_matches('(');
            self.folder = self.text(inside).map(|(folder, _)| folder);
        }
    }

    /// A path as seen from where the program began.
    pub(super) fn placed(&self, path: String) -> String {
        match &self.folder {
            Some(folder) => joined(folder, &path),
            None => path,
        }
    }

    pub(super) fn get_mut(&mut self, name: &str) -> Option<&mut Value> {
        self.known.iter_mut().find(|(known, _)| known == name).map(|(_, value)| value)
    }

    /// `name += 'x'` of a text.
    pub(super) fn lengthen(&mut self, name: &str, more: &str) {
        if let Some(Value::Text(text)) = self.get_mut(name)
            && text.len() + more.len() <= VALUE_MAX
        {
            text.push_str(more);
        }
    }

    fn get(&self, name: &str) -> Option<&Value> {
        self.known.iter().find(|(known, _)| known == name).map(|(_, value)| value)
    }

    /// The text of the expression `text` begins with, and what follows it.
    pub(super) fn text<'a>(&self, text: &'a str) -> Option<(String, &'a str)> {
        self.expression(text, 0)
    }

    /// The texts of a list up to its end; what is not known ends it.
    pub(super) fn list(&self, text: &str) -> Vec<String> {
        let mut found = Vec::new();
        let mut rest = text;
        while found.len() < 64 {
            // `*['-f']` and `...['-f']` stand for what is in them.
            let spread = rest.trim_start();
            let spread = spread.strip_prefix("*[").or_else(|| spread.strip_prefix("...["));
            let Some((text, after)) = self.expression(spread.unwrap_or(rest), 1) else { break };
            found.push(text);
            let after = after.trim_start();
            let after = after
                .strip_prefix(']')
                .map(str::trim_start)
                .filter(|rest| rest.starts_with(','))
                .unwrap_or(after);
            match after.strip_prefix(',') {
                Some(more) => rest = more,
                None => break,
            }
        }
        found
    }

    /// The list a name represents.
    pub(super) fn list_named(&self, text: &str) -> Option<&[String]> {
        match self.get(name_of(text)) {
            Some(Value::List(items)) => Some(items),
            _ => None,
        }
    }

    fn expression<'a>(&self, text: &'a str, depth: usize) -> Option<(String, &'a str)> {
        if depth > DEPTH_MAX {
            return None;
        }
        let (mut value, mut rest) = self.term(text.trim_start(), depth)?;
        loop {
            let after = rest.trim_start();
            if let Some((next, after)) = self.filling(&value, after, depth) {
                (value, rest) = (next, after);
                continue;
            }
            let joins = after.starts_with('/') && !after.starts_with("//");
            let more = after.strip_prefix('+').or_else(|| after.strip_prefix('/').filter(|_| joins));
            let more = more.or_else(|| after.strip_prefix('.').filter(|_| self.dots));
            let names = |first: char| first.is_alphanumeric() || matches!(first, '"' | '_');
            let more = more.or_else(|| Some(after).filter(|after| self.beside && after.starts_with(names)));
            let Some(more) = more.filter(|more| !more.starts_with(['+', '='])) else { break };
            let Some((next, after)) = self.term(more.trim_start(), depth + 1) else { break };
            if joins {
                value = joined(&value, &next);
            } else {
                value.push_str(&next);
            }
            if value.len() > VALUE_MAX {
                return None;
            }
            rest = after;
        }
        Some((value, rest))
    }

    fn term<'a>(&self, text: &'a str, depth: usize) -> Option<(String, &'a str)> {
        if let Some((value, after)) = literal(text) {
            let value = self.filled(text, value);
            return (value.len() <= VALUE_MAX).then(|| self.methods(value, after, depth));
        }
        if let Some(inside) = text.strip_prefix('(') {
            let (value, after) = self.expression(inside, depth + 1)?;
            let after = after.trim_start().strip_prefix(')')?;
            return Some(self.methods(value, after, depth));
        }
        let (name, after) = dotted(text)?;
        // Where a dot joins, a name ends at it.
        let whole = name.find('.').filter(|_| self.dots);
        let (name, after) = match whole {
            Some(at) => (name.get(..at)?, text.get(text.len() - after.len() - name.len() + at..)?),
            None => (name, after),
        };
        let (value, after) = self.named(name, after, depth)?;
        Some(self.methods(value, after, depth))
    }

    /// A call of a few known names, or a name with a known value.
    fn named<'a>(&self, name: &'a str, after: &'a str, depth: usize) -> Option<(String, &'a str)> {
        let name = name.trim_start_matches(['$', '@', '%']);
        let call = name.strip_prefix("pathlib.").unwrap_or(name);
        if call == "require" {
            let behind = after.split_once(')').map(|(_, behind)| behind.trim_start_matches('.'))?;
            let module = literal(after.trim_start_matches(['(', ' ']))?.0;
            let (method, rest) = dotted(behind)?;
            let whole = format!("{}.{method}", module.trim_start_matches("node:"));
            return self.called(&whole, rest, depth);
        }
        if let Some(found) = self.called(call, after, depth) {
            return Some(found);
        }
        // `p.write_text(…)`: the name, and the rest is for anyone who asked.
        let first = name.split('.').next().unwrap_or(name);
        let behind = name.get(first.len()..).unwrap_or("");
        match self.get(first)? {
            Value::Text(value) if behind.is_empty() => Some((value.clone(), after)),
            Value::Text(_) | Value::List(_) => None,
        }
    }

    fn called<'a>(&self, call: &str, after: &'a str, depth: usize) -> Option<(String, &'a str)> {
        let inside = after.trim_start().strip_prefix('(');
        let no_arguments =
            || inside.and_then(|inside| inside.trim_start().strip_prefix(')')).unwrap_or(after);
        if HOMES.contains(&call) {
            return Some((HOME.to_string(), no_arguments()));
        }
        if FOLDERS.contains(&call) {
            return Some((".".to_string(), no_arguments()));
        }
        if VARIABLES.contains(&call) {
            let key = after.trim_start_matches(['(', '[', '{', ' ']);
            let behind = key.trim_start_matches(['\'', '"']).strip_prefix("HOME")?;
            return Some((HOME.to_string(), behind.trim_start_matches(['\'', '"']).get(1..)?));
        }
        let inside = inside?;
        if matches!(call, "chr" | "String.fromCharCode") {
            let (codes, rest) = inside.split_once(')')?;
            let sign = |code: &str| code.trim().parse::<u32>().ok().and_then(char::from_u32);
            return Some((codes.split(',').take(VALUE_MAX).map(sign).collect::<Option<String>>()?, rest));
        }
        if call == "sprintf" {
            let (pattern, rest) = self.expression(inside, depth + 1)?;
            let arguments = self.list(rest.trim_start().strip_prefix(',')?);
            return Some((
                filled_in(&pattern, "%s", &arguments)?,
                rest.split_once(')').map_or("", |(_, rest)| rest),
            ));
        }
        if call == "join" && self.dots {
            // Perl's has nothing to do with paths: what goes between comes first.
            let texts = self.list(inside);
            let (between, texts) = texts.split_first()?;
            return Some((texts.join(between), inside.split_once(')').map_or("", |(_, rest)| rest)));
        }
        if JOINS.contains(&call) {
            return self.joined_arguments(inside, depth);
        }
        let tilde = TILDES.contains(&call);
        if tilde || SAMES.contains(&call) {
            let (value, rest) = self.expression(inside, depth + 1)?;
            let rest = rest.trim_start().strip_prefix(')')?;
            return Some((if tilde { with_home(&value) } else { value }, rest));
        }
        None
    }

    fn joined_arguments<'a>(&self, inside: &'a str, depth: usize) -> Option<(String, &'a str)> {
        let (mut value, mut rest) = self.expression(inside, depth + 1)?;
        while let Some(more) = rest.trim_start().strip_prefix(',') {
            let (next, after) = self.expression(more, depth + 1)?;
            value = joined(&value, &next);
            rest = after;
        }
        Some((value, rest.trim_start().strip_prefix(')')?))
    }

    /// Methods that leave a path what it is.
    fn methods<'a>(&self, mut value: String, mut rest: &'a str, depth: usize) -> (String, &'a str) {
        for _ in 0..DEPTH_MAX {
            let same = [".resolve()", ".absolute()", ".as_posix()", ".toString()", ".strip()", ".trim()"];
            if let Some(after) = rest.strip_prefix(".expanduser()") {
                value = with_home(&value);
                rest = after;
            } else if let Some(after) = same.iter().find_map(|method| rest.strip_prefix(method)) {
                rest = after;
            } else if let Some((next, after)) =
                rest.strip_prefix(".joinpath(").and_then(|inside| self.joined_arguments(inside, depth + 1))
            {
                value = joined(&value, &next);
                rest = after;
            } else if let Some(after) = rest.strip_prefix("[::-1]") {
                value = value.chars().rev().collect();
                rest = after;
            } else if let Some((next, after)) = self.spread(&value, rest, depth) {
                (value, rest) = (next, after);
            } else {
                break;
            }
        }
        (value, rest)
    }

    /// `"".join(["r", "m"])`, `"{}m".format("r")`, `"rXm".replace("X", "")`.
    fn spread<'a>(&self, value: &str, rest: &'a str, depth: usize) -> Option<(String, &'a str)> {
        let methods = [".join(", ".format(", ".replace("];
        let method = methods.iter().find(|method| rest.starts_with(**method))?;
        let inside = rest.get(method.len()..)?.trim_start();
        let inside = inside.strip_prefix(['[', '(']).unwrap_or(inside);
        let texts = if depth > DEPTH_MAX { Vec::new() } else { self.list(inside) };
        let after = inside.split_once(')')?.1;
        let made = match (*method, texts.as_slice()) {
            (".join(", [_, ..]) => texts.join(value),
            (".format(", [_, ..]) => filled_in(value, "{}", &texts)?,
            (".replace(", [old, new]) if !old.is_empty() => value.replace(old.as_str(), new),
            _ => return None,
        };
        (made.len() <= VALUE_MAX).then_some((made, after))
    }

    /// `"%sm" % "r"`.
    fn filling<'a>(&self, value: &str, after: &'a str, depth: usize) -> Option<(String, &'a str)> {
        let right =
            after.strip_prefix('%').filter(|_| value.contains("%s") && depth < DEPTH_MAX)?.trim_start();
        if let Some(tuple) = right.strip_prefix('(') {
            let made = filled_in(value, "%s", &self.list(tuple))?;
            return Some((made, tuple.split_once(')')?.1));
        }
        let (text, rest) = self.term(right, depth + 1)?;
        Some((filled_in(value, "%s", &[text])?, rest))
    }

    /// A literal with the known names in it replaced: `f'{d}/x'`, `` `${d}/x` ``, `"$d/x"`.
    fn filled(&self, source: &str, value: String) -> String {
        let python = source.starts_with(['f', 'F'])
            || source.get(1..2).is_some_and(|second| matches!(second, "f" | "F"));
        let value = if python { with_literals(value, "{") } else { with_literals(value, "${") };
        let plain = !value.contains(['{', '$'])
            || self.known.is_empty() && !value.contains("HOME") && !value.contains("home");
        if plain || source.starts_with('\'') {
            return value;
        }
        let mut filled = value;
        for (name, known) in &self.known {
            let Value::Text(text) = known else { continue };
            let signs = [format!("${{{name}}}"), format!("#{{{name}}}"), format!("${name}")];
            for sign in
                signs.iter().filter(|sign| filled.contains(sign.as_str())).cloned().collect::<Vec<_>>()
            {
                filled = filled.replace(&sign, text);
            }
            if python && filled.contains('{') {
                filled = filled.replace(&format!("{{{name}}}"), text);
            }
            if filled.len() > VALUE_MAX {
                return filled;
            }
        }
        let homes = ["$ENV{HOME}", "${process.env.HOME}", "${os.homedir()}", "#{Dir.home}", "#{ENV['HOME']}"];
        homes.iter().fold(filled, |filled, sign| filled.replace(sign, HOME))
    }
}

/// A text with the literals in place that stand in its gaps: `{'--force'}`.
fn with_literals(mut text: String, opening: &str) -> String {
    for quote in ['\'', '"'] {
        let (open, close) = (format!("{opening}{quote}"), format!("{quote}}}"));
        for _ in 0..GAPS_MAX {
            let Some((before, rest)) = text.split_once(&open) else { break };
            let Some((inside, after)) = rest.split_once(&close) else { break };
            if inside.contains(['\'', '"', '{', '}', '\\']) {
                break;
            }
            text = [before, inside, after].concat();
        }
    }
    text
}

/// A pattern with each `sign` replaced by the next text, if there are enough.
fn filled_in(pattern: &str, sign: &str, texts: &[String]) -> Option<String> {
    let parts: Vec<&str> = pattern.split(sign).collect();
    let mut texts = texts.iter();
    let (first, more) = parts.split_first()?;
    let mut made = (*first).to_string();
    for part in more {
        made.push_str(texts.next()?);
        made.push_str(part);
    }
    (made.len() <= VALUE_MAX).then_some(made)
}

/// `a.b.c` at the start of `text`, with the sign Perl and PHP put in front.
fn dotted(text: &str) -> Option<(&str, &str)> {
    let signs = text.len() - text.trim_start_matches(['$', '@', '%']).len();
    let is_part = |found: char| found.is_alphanumeric() || matches!(found, '_' | '.');
    let body = text.get(signs..)?;
    let end = body.find(|found: char| !is_part(found)).unwrap_or(body.len());
    // The last part may be a method of a value: leave those to the caller.
    let name = body.get(..end)?;
    let method =
        [".expanduser", ".resolve", ".absolute", ".as_posix", ".toString", ".strip", ".trim", ".joinpath"]
            .iter()
            .find_map(|method| {
                name.strip_suffix(method)
                    .filter(|head| *head != "path" && !head.is_empty() && *head != "os.path")
            });
    let name = method.unwrap_or(name);
    let starts = name.starts_with(|first: char| first.is_alphabetic() || first == '_');
    starts.then(|| (name, body.get(name.len()..).unwrap_or("")))
}

/// The plain name at the start of `text`.
pub(super) fn name_of(text: &str) -> &str {
    let text = text.trim_start().trim_start_matches(['$', '@']);
    let end = text.find(|found: char| !(found.is_alphanumeric() || found == '_')).unwrap_or(text.len());
    text.get(..end).unwrap_or("")
}

fn joined(folder: &str, path: &str) -> String {
    if path.starts_with('/') || path.starts_with(HOME) {
        return path.to_string();
    }
    format!("{}/{path}", folder.trim_end_matches('/'))
}

fn with_home(path: &str) -> String {
    match path.strip_prefix('~') {
        Some(rest) if rest.is_empty() || rest.starts_with('/') => format!("{HOME}{rest}"),
        _ => path.to_string(),
    }
}

/// Does the value speak of the home?
pub(super) fn is_from_home(value: &str) -> bool {
    value.contains(HOME)
}

/// A value as a word of a shell.
pub(super) fn shell_word(value: &str) -> String {
    let parts: Vec<String> = value.split(HOME).map(|part| quote(part).into_owned()).collect();
    let quoted =
        if value.starts_with(HOME) { parts.get(1..).unwrap_or_default().join("") } else { parts.join("") };
    if value.starts_with(HOME) {
        format!("\"$HOME\"{}", if quoted == "''" { "" } else { &quoted })
    } else {
        quoted
    }
}

/// A value as text for a shell.
pub(super) fn shell_text(value: &str) -> String {
    value.replace(HOME, "$HOME")
}
