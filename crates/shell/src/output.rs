//! What a command would print, for the few programs where that is plain.
//!
//! Used to follow text into a shell (`echo … | base64 -d | sh`). Everything
//! else prints something unknown.

use crate::expand::ansi::{Flavour, decode};
use crate::reading::{Command, Word};
use crate::scope::Text;
use crate::stream::Stream;
use smol_str::format_smolstr;

/// Programs that print nothing of note.
fn is_silent(program: &str) -> bool {
    // As patterns these are compared length first, which a list is not.
    matches!(
        program,
        "cd" | "export"
            | "set"
            | "unset"
            | "mkdir"
            | "rm"
            | "touch"
            | "true"
            | ":"
            | "declare"
            | "local"
            | "shift"
            | "sleep"
            | "wait"
            | "chmod"
            | "alias"
            | "trap"
            | "exec"
            | "mv"
            | "cp"
            | "false"
            | "test"
            | "["
    )
}

/// What `command` prints when it reads `stdin`.
pub(crate) fn of(command: &Command, stdin: Option<&Stream>, here: impl FnOnce() -> Option<Text>) -> Stream {
    let mut stream = match printed(command, stdin, here) {
        Some(text) => Stream::known(text),
        None => Stream::unknown(),
    };
    if matches!(command.program.as_str(), "which" | "command") && stream.text.is_some() {
        // What is not installed is not named.
        stream.other = Some(String::new());
    }
    stream.download = match command.program.as_str() {
        "curl" | "wget" | "fetch" | "http" | "https" | "xh" | "aria2c" => {
            let url = command.effects.iter().find(|effect| effect.kind == crate::EffectKind::ReachesHost);
            Some(url.and_then(|effect| effect.target.clone()).unwrap_or_default())
        }
        _ => stdin.and_then(|stream| stream.download.clone()),
    };
    stream.noisy = stdin.is_some_and(|stream| stream.noisy);
    stream.paths = paths(command, stdin);
    stream
}

/// The files it names, for those who take them from a pipe.
fn paths(command: &Command, stdin: Option<&Stream>) -> Vec<Word> {
    let words = || command.words.get(1..).unwrap_or_default();
    match command.program.as_str() {
        "find" => crate::programs::find::Find::of(words()).listed(),
        "fd" | "fdfind" => crate::programs::fd::Fd::of(words()).matches(),
        "ls" => listed(command),
        "git" => match command.usage.sub() {
            "ls-files" => tracked(command),
            "diff" if command.usage.has("--name-only") => changed(command),
            _ => Vec::new(),
        },
        // The names of the files that hold what it looks for.
        "grep" | "egrep" | "fgrep" | "rg" if command.usage.has("--files-with-matches") => searched(command),
        "sort" | "uniq" => stdin.map(|stream| stream.paths.clone()).unwrap_or_default(),
        "head" | "tail" | "grep" => stdin.map(|stream| some_of(&stream.paths)).unwrap_or_default(),
        _ => Vec::new(),
    }
}

/// Some of the paths, and no one knows which.
fn some_of(paths: &[Word]) -> Vec<Word> {
    let narrowed = |path: &Word| {
        let head = path.text.strip_suffix("**").or_else(|| path.text.strip_suffix(ALL_NAMES));
        head.map_or_else(
            || path.clone(),
            |head| Word { text: format_smolstr!("{head}?*"), exact: false, ..path.clone() },
        )
    };
    paths.iter().map(narrowed).collect()
}

/// `declare`, `export -p`, `set`, `cd -`: builtins that set something, and print what is set
/// where they are given nothing to set.
fn shows_state(command: &Command) -> bool {
    let given = command.words.get(1..).unwrap_or_default();
    let has = |text: &str| given.iter().any(|word| word.text == text);
    let none = || given.iter().all(|word| word.text.starts_with(['-', '+']));
    match command.program.as_str() {
        "export" | "declare" | "local" => none() || has("-p") || has("-f") || has("-F"),
        "alias" => given.iter().any(|word| !word.text.contains('=')) || given.is_empty(),
        "trap" => given.is_empty() || has("-p") || has("-l"),
        "set" => {
            given.is_empty() || given.last().is_some_and(|word| matches!(word.text.as_str(), "-o" | "+o"))
        }
        "cd" => has("-"),
        _ => false,
    }
}

/// Some of the files it looked through, and no one knows which.
fn searched(command: &Command) -> Vec<Word> {
    let some = |path: &Word| {
        let text = if path.glob {
            path.text.clone()
        } else {
            format_smolstr!("{}/?*", path.text.trim_end_matches('/'))
        };
        Word { text, exact: false, glob: true, span: path.span }
    };
    let read = command.effects.iter().filter(|effect| effect.kind == crate::EffectKind::ReadsFile);
    read.filter_map(|effect| effect.target.as_ref()).take(8).map(some).collect()
}

/// What `git ls-files` lists: every file of the folder, or those of the paths named.
fn tracked(command: &Command) -> Vec<Word> {
    // Files that are gone, or that git ignores, are no work.
    let junk = ["-d", "--deleted", "-i", "--ignored"];
    let arguments = command.words.get(1..).unwrap_or_default();
    if arguments.iter().any(|word| junk.contains(&word.text.as_str())) {
        return Vec::new();
    }
    let below = |path: &Word| match path.glob || path.text.contains(['*', '?', '[']) {
        true => Word { glob: true, exact: false, ..path.clone() },
        false => Word {
            text: format_smolstr!("{}/**", path.text.trim_end_matches('/')),
            glob: true,
            ..path.clone()
        },
    };
    let here = Word { text: ".".into(), exact: true, glob: false, span: command.span };
    let named = command.usage.operands.iter().take(8).map(below).collect::<Vec<Word>>();
    if arguments.iter().any(|word| matches!(word.text.as_str(), "-m" | "--modified" | "-o" | "--others")) {
        // Those that changed, wherever they are.
        let some = |path: Word| Word { text: format_smolstr!("{}/*", path.text), exact: false, ..path };
        let all = if named.is_empty() { vec![below(&here)] } else { named };
        return all.into_iter().map(some).collect();
    }
    if named.is_empty() { vec![below(&here)] } else { named }
}

/// What `git diff --name-only` lists where no commit or path is named: all changes.
fn changed(command: &Command) -> Vec<Word> {
    let whole = command.usage.operands.iter().all(|word| word.text == "HEAD");
    let all = Word { text: "./**".into(), exact: true, glob: true, span: command.span };
    if whole { vec![all] } else { Vec::new() }
}

/// Every name in a folder.
const ALL_NAMES: &str = "*";

/// What `ls` lists: the names in a folder, or the files a pattern names. A long
/// listing is no list of paths.
fn listed(command: &Command) -> Vec<Word> {
    let arguments = command.words.get(1..).unwrap_or_default();
    let (options, operands): (Vec<&Word>, Vec<&Word>) =
        arguments.iter().partition(|word| word.text.starts_with('-'));
    let has =
        |letter: char| options.iter().any(|word| !word.text.starts_with("--") && word.text.contains(letter));
    if has('l') || has('s') || has('R') {
        return Vec::new();
    }
    // With `-d` what is named is listed itself.
    if has('d') && !operands.is_empty() || operands.len() > 1 && operands.iter().all(|word| word.glob) {
        return operands.iter().take(8).map(|word| (*word).clone()).collect();
    }
    if has('d') || operands.len() > 1 {
        return Vec::new();
    }
    match operands.first() {
        Some(word) if word.glob => vec![(*word).clone()],
        _ => vec![Word { text: ALL_NAMES.into(), exact: true, glob: true, span: command.span }],
    }
}

fn printed(command: &Command, stdin: Option<&Stream>, here: impl FnOnce() -> Option<Text>) -> Option<String> {
    let arguments = command.words.get(1..).unwrap_or_default();
    let input = || stdin.filter(|stream| stream.other.is_none()).and_then(|stream| stream.text.clone());
    match command.program.as_str() {
        "echo" => echo(arguments),
        "printf" => printf(arguments),
        "cat" if arguments.iter().all(|word| word.text == "-") => input(),
        "tee" | "sponge" => input(),
        // What comes in goes into a file.
        "cp" | "gcp" | "install" | "ginstall" if command.usage.operands.first().is_some_and(is_input) => {
            input()
        }
        "base64" if decodes(arguments) => decode_base64(&input()?),
        "openssl" if decodes(arguments) => decode_base64(&input()?),
        "xxd" if has_letter(arguments, 'r') && has_letter(arguments, 'p') => decode_hex(&input()?),
        "rev" => {
            Some(input()?.lines().map(|line| line.chars().rev().chain(['\n']).collect::<String>()).collect())
        }
        "sed" | "gsed" if command.usage.operands.len() <= usize::from(!command.usage.has("--expression")) => {
            crate::edit::of(command, &input()?)
        }
        "tr" => translate(arguments, &input()?),
        "head" | "tail" => some_lines(command.program == "head", arguments, &input()?),
        "pwd" => here().filter(|here| here.exact).map(|here| format!("{}\n", here.text)),
        "which" => arguments.first().filter(|word| word.exact).map(|word| format!("{}\n", word.text)),
        "command" if arguments.first().is_some_and(|word| word.text == "-v") => {
            arguments.get(1).filter(|word| word.exact).map(|word| format!("{}\n", word.text))
        }
        "realpath" | "grealpath" | "readlink" => real_path(command, here),
        "dirname" if arguments.len() == 1 => {
            let word = arguments.first().filter(|word| word.exact && !word.glob)?;
            let path = word.text.trim_end_matches('/');
            let folder = path.rsplit_once('/').map_or(".", |(folder, _)| folder);
            Some(format!("{}\n", if folder.is_empty() { "/" } else { folder }))
        }
        "basename" if arguments.len() == 1 => {
            let word = arguments.first().filter(|word| word.exact)?;
            Some(format!("{}\n", crate::programs::base_name(&word.text)))
        }
        program if is_silent(program) => (!shows_state(command)).then(String::new),
        _ => None,
    }
}

/// Is this the file that is the standard input?
pub(crate) fn is_input(word: &Word) -> bool {
    matches!(word.text.as_str(), "/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0")
}

/// The first or last lines, ten or as many as are asked for.
fn some_lines(first: bool, arguments: &[Word], text: &str) -> Option<String> {
    let words: Vec<&str> = arguments.iter().map(|word| word.text.as_str()).collect();
    let count = match words.as_slice() {
        [] | ["-"] => "10",
        ["-n" | "--lines", count] => count,
        [one] => one.strip_prefix("--lines=").or(one.strip_prefix("-n")).or(one.strip_prefix('-'))?,
        _ => return None,
    };
    let count = count.parse::<usize>().ok().filter(|_| !count.starts_with('+'))?;
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let skip = if first { 0 } else { lines.len().saturating_sub(count) };
    Some(lines.into_iter().skip(skip).take(count).collect())
}

/// `realpath x` and `readlink -f x`: the path from the root on, as far as it
/// can be told without looking at links.
fn real_path(command: &Command, here: impl FnOnce() -> Option<Text>) -> Option<String> {
    let arguments = command.words.get(1..).unwrap_or_default();
    let (options, operands): (Vec<&Word>, Vec<&Word>) =
        arguments.iter().partition(|word| word.text.len() > 1 && word.text.starts_with('-'));
    let followed = |word: &&Word| {
        word.text.starts_with("--canonicalize")
            || !word.text.starts_with("--") && word.text.contains(['f', 'e', 'm'])
    };
    let whole = command.program != "readlink" || options.iter().any(followed);
    if !whole || options.iter().any(|word| word.text.starts_with("--relative")) {
        return None;
    }
    let [path] = operands.as_slice() else { return None };
    let here = here().filter(|here| here.exact && path.exact && !path.glob)?;
    Some(format!("{}\n", crate::walk::join_path(&here.text, &path.text)))
}

fn echo(arguments: &[Word]) -> Option<String> {
    let is_option = |word: &Word| {
        word.text.len() > 1
            && word.text.strip_prefix('-').is_some_and(|rest| rest.bytes().all(|byte| b"neE".contains(&byte)))
    };
    let options: String =
        arguments.iter().map_while(|word| is_option(word).then_some(word.text.as_str())).collect();
    let rest: Vec<&Word> = arguments.iter().skip_while(|word| is_option(word)).collect();
    if rest.iter().any(|word| !word.exact || word.glob) {
        return None;
    }
    let texts: Vec<&str> = rest.iter().map(|word| word.text.as_str()).collect();
    let mut line = texts.join(" ");
    if options.contains('e') {
        line = decode(&line, Flavour::Echo);
    }
    if !options.contains('n') {
        line.push('\n');
    }
    Some(line)
}

/// Wider layouts than this are not followed.
const LAYOUT_MAX: usize = 4096;

fn printf(arguments: &[Word]) -> Option<String> {
    if arguments.iter().any(|word| !word.exact) {
        return None;
    }
    if arguments.first().is_some_and(|word| word.text.starts_with("-v")) {
        return Some(String::new());
    }
    let skip = usize::from(arguments.first().is_some_and(|word| word.text == "--"));
    let mut words = arguments.iter().skip(skip).map(|word| word.text.as_str());
    let format = words.next()?;
    let values: Vec<&str> = words.collect();
    let mut out = String::new();
    let mut used = 0;
    loop {
        let before = used;
        one_round(format, &values, &mut used, &mut out)?;
        if used >= values.len() || used == before {
            return Some(out);
        }
    }
}

/// Writes the format once, taking values as it needs them.
fn one_round(format: &str, values: &[&str], used: &mut usize, out: &mut String) -> Option<()> {
    let mut rest = format;
    while let Some((head, tail)) = rest.split_once('%') {
        out.push_str(&decode(head, Flavour::Format));
        let at = tail.find(|sign: char| !matches!(sign, '-' | '+' | ' ' | '0'..='9' | '.'))?;
        let (layout, behind) = tail.split_at(at);
        let mut chars = behind.chars();
        match chars.next()? {
            '%' => out.push('%'),
            sign => {
                let value = values.get(*used).copied().unwrap_or("");
                *used += 1;
                out.push_str(&laid_out(layout, sign, value)?);
            }
        }
        rest = chars.as_str();
    }
    out.push_str(&decode(rest, Flavour::Format));
    Some(())
}

/// One value in the layout of `%-9.2s`, where that is plain to see.
fn laid_out(layout: &str, sign: char, value: &str) -> Option<String> {
    // What needs no quotes gets none.
    let quoted = sign == 'q' && crate::normal::quote(value) == value;
    let sign = if quoted { 's' } else { sign };
    let signs = layout.trim_start_matches(['-', '+', ' ', '0']);
    let flags = layout.get(..layout.len() - signs.len())?;
    let (width, most) = signs.split_once('.').map_or((signs, None), |(width, most)| (width, Some(most)));
    let number = |text: &str| if text.is_empty() { Some(0) } else { text.parse::<usize>().ok() };
    let width = number(width).filter(|width| *width <= LAYOUT_MAX)?;
    let mut text = match sign {
        's' => value.to_string(),
        'b' => decode(value, Flavour::Echo),
        'c' => value.chars().take(1).collect(),
        'd' | 'i' if most.is_none() && !flags.contains(['+', ' ']) => {
            let digits = value.bytes().all(|byte| byte.is_ascii_digit()) && !value.starts_with('0');
            Some(value).filter(|_| digits && !value.is_empty()).or((value == "0").then_some("0"))?.to_string()
        }
        _ => return None,
    };
    if signs.is_empty() {
        return Some(text);
    }
    // Lengths are bytes.
    if !text.is_ascii() {
        return None;
    }
    if let Some(most) = most {
        text.truncate(number(most)?);
    }
    let zeros = flags.contains('0') && matches!(sign, 'd' | 'i');
    Some(match (flags.contains('-'), zeros) {
        (true, _) => format!("{text:<width$}"),
        (_, true) => format!("{text:0>width$}"),
        _ => format!("{text:>width$}"),
    })
}

fn decodes(arguments: &[Word]) -> bool {
    arguments.iter().any(|word| word.text.starts_with("--d"))
        || has_letter(arguments, 'd')
        || has_letter(arguments, 'D')
}

fn has_letter(arguments: &[Word], letter: char) -> bool {
    arguments
        .iter()
        .any(|word| word.text.starts_with('-') && !word.text.starts_with("--") && word.text.contains(letter))
}

fn decode_base64(text: &str) -> Option<String> {
    let mut bits = 0u32;
    let mut count = 0;
    let mut out = Vec::new();
    for byte in text.bytes() {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            b'=' => break,
            _ => continue,
        };
        bits = (bits << 6) | u32::from(value);
        count += 6;
        if count >= 8 {
            count -= 8;
            out.push(u8::try_from((bits >> count) & 0xff).unwrap_or(0));
        }
    }
    String::from_utf8(out).ok()
}

fn decode_hex(text: &str) -> Option<String> {
    let digits: Vec<u32> = text.chars().filter_map(|found| found.to_digit(16)).collect();
    let byte = |pair: &[u32]| match pair {
        [high, low] => u8::try_from(high * 16 + low).ok(),
        _ => None,
    };
    String::from_utf8(digits.chunks(2).filter_map(byte).collect()).ok()
}

/// `tr SET1 SET2` and `tr -d SET`.
fn translate(arguments: &[Word], text: &str) -> Option<String> {
    if arguments.iter().any(|word| !word.exact) {
        return None;
    }
    let words: Vec<&str> = arguments.iter().map(|word| word.text.as_str()).collect();
    match words.as_slice() {
        ["-d", set] => {
            let set = set_of(set);
            Some(text.chars().filter(|found| !set.contains(found)).collect())
        }
        [from, to] if !from.starts_with('-') => {
            let (from, to) = (set_of(from), set_of(to));
            let change = |found: char| match from.iter().position(|known| *known == found) {
                Some(at) => to.get(at).or(to.last()).copied().unwrap_or(found),
                None => found,
            };
            Some(text.chars().map(change).collect())
        }
        _ => None,
    }
}

fn set_of(text: &str) -> Vec<char> {
    let chars: Vec<char> = decode(text, Flavour::Format).chars().take(512).collect();
    let mut set = Vec::new();
    let mut at = 0;
    while let Some(first) = chars.get(at) {
        match (chars.get(at + 1), chars.get(at + 2)) {
            (Some('-'), Some(last)) if first < last && u32::from(*last) - u32::from(*first) < 512 => {
                set.extend(*first..=*last);
                at += 3;
            }
            _ => {
                set.push(*first);
                at += 1;
            }
        }
    }
    set
}

#[cfg(test)]
mod tests {
    use super::{decode_base64, decode_hex};

    #[test]
    fn encoded_text_is_decoded() {
        assert_eq!(decode_base64("cm0gLXJmIC8=\n").as_deref(), Some("rm -rf /"));
        assert_eq!(decode_hex("726d").as_deref(), Some("rm"));
    }
}
