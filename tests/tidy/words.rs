//! The words of everything people read: none of those that made the first
//! version hard to understand.
//!
//! Read are pages, policies, templates, help, schemas and snapshots as they
//! are, and of Rust sources the string literals and comments. What runs only
//! in tests is not read: a case may need any word.

use crate::files::{File, text_files};
use crate::nothing_wrong;

/// What must not occur, and what to write.
const WORDS: &[(&str, &str)] = &[
    ("mend", "fix"),
    ("mends", "fixes"),
    ("mended", "fixed"),
    ("mending", "fixing"),
    ("cure", "fix"),
    ("cures", "fixes"),
    ("cured", "fixed"),
    ("whoever", "name the person or program"),
    ("nobody", "no one is meant: name what is missing"),
    ("somebody", "a person, another user, the agent"),
    ("strangers", "untrusted content, third parties"),
    ("stranger", "untrusted content, a third party"),
    ("with leave", "with approval"),
    ("anew", "again"),
    ("beside", "next to"),
    ("stands", "is, applies, is active"),
    ("stood", "was"),
    ("at a venture", "speculatively"),
    ("by the way", "incidentally"),
    ("in vain", "without success"),
    ("read again:", "say what changed"),
    ("found by comparing", "say what changed"),
    ("as the rest", "same as others"),
    ("turn the two sides round", "swap the two sides"),
    ("is no pattern", "is not a valid pattern"),
    ("is no address", "is not an address"),
    ("is no number", "is not a number"),
    ("is no path", "is not a path"),
    ("is no id", "is not a valid id"),
    ("is no json", "is not JSON"),
    ("is no text", "is not text"),
    ("is no regular expression", "is not a regular expression"),
    ("are no rules", "say what they are"),
    ("deed", "effect"),
    ("deeds", "effects"),
    ("conscience", "say what is checked"),
];

/// What must not be shown; comments in code may have it.
const SHOWN: &[(&str, &str)] = &[
    ("behind the closing", "after the closing"),
    ("behind the colon", "after the colon"),
    ("behind its", "after its"),
    ("that is to", "that must, that should"),
    ("is to hold", "must contain"),
    ("and this is none", "but this is not a …"),
    ("rather one", "say what is preferred"),
    ("in line", "on line"),
    ("stays free", "is not asked about"),
    ("stay free", "are not asked about"),
    ("free are", "… do not count"),
    ("something else than", "something other than"),
    ("what waits keeps", "requests keep"),
    ("time does not go on", "time does not move"),
];

/// Our name where it begins a sentence or means the product, not the command.
const NAME: &[&str] = &[
    "toolgate's",
    "toolgate cannot",
    "toolgate no longer",
    "this toolgate",
    "that toolgate",
    "of toolgate",
    "where toolgate",
    "installs toolgate",
    "before toolgate",
];

/// Words after which `is no` is not meant as `is not a`.
const AFTER_NO: &[&str] = &["longer", "more", "one", "way"];

/// Numbers of an internal list of requirements.
const NUMBERED: &[&str] = &["S0-", "S1-", "S2-", "S3-", "S4-", "C-", "U"];

/// Files that must contain a word, with the reason.
const EXEMPT: &[(&str, &str, &str)] = &[
    ("CHANGELOG.md", "cure", "the name of a field before it was renamed"),
    ("docs/glossary.md", "deeds", "an older key that is still accepted"),
    ("crates/core/src/guards/category/safety_001.rs", "deeds", "the same key"),
    ("crates/server/src/api.rs", "deed", "an older key that is still accepted"),
    ("crates/core/src/inbox.rs", "anew", "the name of a field in the ledger"),
];

/// Pages and data that people read as they are.
fn is_page(path: &str) -> bool {
    let root = !path.contains('/') && path.ends_with(".md");
    let shown = ["policies/", "docs/", "crates/server/templates/", "crates/server/assets/", ".github/"];
    root || shown.iter().any(|folder| path.starts_with(folder)) || path.ends_with(".snap")
}

/// A line of what people read.
#[derive(Debug, PartialEq)]
struct Line {
    number: usize,
    text: String,
    is_comment: bool,
}

/// What people read of a file, each piece with its line.
fn read_by_people(file: &File) -> Vec<Line> {
    if is_page(&file.path) {
        let lines = file.text.lines().enumerate();
        return lines
            .map(|(at, line)| Line {
                number: at + 1,
                text: line.to_owned(),
                is_comment: file.path.ends_with(".js") && line.trim_start().starts_with("//"),
            })
            .collect();
    }
    let is_source =
        file.path.starts_with("crates/") && file.path.contains("/src/") && file.path.ends_with(".rs");
    let is_test = file.path.ends_with("/tests.rs") || file.path.contains("/tests/");
    if !is_source || is_test {
        return Vec::new();
    }
    words_of_source(file.text.split("\n#[cfg(test)]\nmod ").next().unwrap_or_default())
}

/// String literals and comments of Rust code, line by line.
fn words_of_source(text: &str) -> Vec<Line> {
    let bytes = text.as_bytes();
    let (mut found, mut at, mut line) = (Vec::new(), 0, 1);
    while at < bytes.len() {
        let end = at + length_of_token(&bytes[at..]);
        let token = &text[at..end];
        if token.starts_with("//") || token.len() > 1 && token.ends_with(['"', '#']) {
            let is_comment = token.starts_with("//");
            found.extend(token.split('\n').enumerate().map(|(down, part)| Line {
                number: line + down,
                text: part.to_owned(),
                is_comment,
            }));
        }
        line += token.matches('\n').count();
        at = end;
    }
    found
}

/// Bytes of the comment, string or character at the start of the code, else of one character.
fn length_of_token(code: &[u8]) -> usize {
    let up_to = |start: usize, stop: &[u8]| {
        let rest = code.get(start..).unwrap_or_default();
        rest.windows(stop.len())
            .position(|here| here == stop)
            .map_or(code.len(), |found| start + found + stop.len())
    };
    if code.starts_with(b"//") {
        return code.iter().position(|byte| *byte == b'\n').unwrap_or(code.len());
    }
    let hashes = code.iter().skip(1).take_while(|byte| **byte == b'#').count();
    if code[0] == b'r' && code.get(1 + hashes) == Some(&b'"') {
        return up_to(2 + hashes, &[&b"\""[..], &vec![b'#'; hashes]].concat());
    }
    if code[0] == b'"' {
        let mut at = 1;
        while at < code.len() && code[at] != b'"' {
            at += if code[at] == b'\\' { 2 } else { 1 };
        }
        return (at + 1).min(code.len());
    }
    // A character, not a lifetime.
    if code.starts_with(b"'\\") {
        return up_to(3, b"'");
    }
    if code[0] == b'\'' && code.get(2) == Some(&b'\'') {
        return 3;
    }
    // Whole characters: a boundary is where the next one starts.
    1 + code.iter().skip(1).take_while(|byte| **byte & 0xC0 == 0x80).count()
}

/// The forbidden words of one line, each with the better one.
fn faults(line: &Line) -> Vec<(String, &'static str)> {
    let mut found = faults_anywhere(&line.text);
    if line.is_comment {
        return found;
    }
    let lower = line.text.to_lowercase();
    let shown = SHOWN.iter().filter(|(word, _)| holds_word(&lower, word));
    found.extend(shown.map(|(word, better)| ((*word).to_owned(), *better)));
    let named = NAME.iter().filter(|name| holds_word(&line.text, name));
    found.extend(named.map(|name| ((*name).to_owned(), "Toolgate")));
    found.extend(is_no(&lower).map(|words| (words, "is not a")));
    found
}

/// `x is no option`, but not `there is no option`, `it is no longer`.
fn is_no(lower: &str) -> Option<String> {
    let words: Vec<&str> = lower.split(' ').collect();
    words.windows(4).find_map(|four| {
        let [subject, "is" | "are" | "was" | "were", "no", noun] = four else { return None };
        let noun = noun.trim_end_matches(|c: char| !c.is_alphanumeric());
        let is_plain = subject.ends_with("there") || AFTER_NO.contains(&noun);
        (!is_plain).then(|| four.join(" "))
    })
}

fn faults_anywhere(line: &str) -> Vec<(String, &'static str)> {
    let lower = line.to_lowercase();
    let mut found: Vec<(String, &str)> = WORDS
        .iter()
        .filter(|(word, _)| holds_word(&lower, word))
        .map(|(word, better)| ((*word).to_owned(), *better))
        .collect();
    found.extend(requirement_number(line).map(|number| (number, "no internal numbers")));
    found
}

fn holds_word(line: &str, word: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(word).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        let after = line[at + word.len()..].chars().next();
        let goes_on = word.ends_with(char::is_alphanumeric) && after.is_some_and(is_part);
        !goes_on && !before.is_some_and(is_part)
    })
}

/// `S1-20`, `C-15`, `U17`: a number of the requirements.
fn requirement_number(line: &str) -> Option<String> {
    line.split(|c: char| !c.is_alphanumeric() && c != '-').find_map(|piece| {
        let digits = NUMBERED.iter().find_map(|lead| piece.strip_prefix(lead))?;
        let all = digits.len() == 2 && digits.bytes().all(|byte| byte.is_ascii_digit());
        all.then(|| piece.to_owned())
    })
}

#[test]
fn people_read_plain_words() {
    let (mut wrong, mut read) = (Vec::new(), 0);
    for file in text_files() {
        for line in read_by_people(&file) {
            read += 1;
            for (word, better) in faults(&line) {
                let is_exempt = EXEMPT.iter().any(|(path, one, _)| *path == file.path && *one == word);
                if !is_exempt {
                    let (number, text) = (line.number, line.text.trim());
                    wrong.push(format!("{}:{number} `{word}` ({better}): {text}", file.path));
                }
            }
        }
    }
    assert!(read > 30_000, "only {read} lines were read");
    nothing_wrong("words that people should not have to read", &wrong);
}

/// An exemption that is no longer needed goes.
#[test]
fn exemptions_from_the_words_are_needed() {
    let files = text_files();
    let needed = |path: &str, word: &str| {
        let file = files.iter().find(|file| file.path == path);
        file.is_some_and(|file| {
            read_by_people(file).iter().any(|line| holds_word(&line.text.to_lowercase(), word))
        })
    };
    let wrong: Vec<String> = EXEMPT
        .iter()
        .filter(|(path, word, _)| !needed(path, word))
        .map(|(path, word, _)| format!("{path}: {word}"))
        .collect();
    nothing_wrong("exemptions nothing needs", &wrong);
}

#[test]
fn strings_and_comments_are_found_and_code_is_not() {
    let code = concat!(
        "let beside = 'x'; // whoever\n",
        "let a = \"mend \\\" it\"; let c = '\"';\n",
        "let b = r#\"cure \"x\" \"#;\n",
        "fn f<'a>(x: &'a str) {} /// by the\n",
        "let d = \"two\nlines anew\";\n",
    );
    let found = words_of_source(code);
    let pieces: Vec<(usize, &str)> = found.iter().map(|line| (line.number, line.text.as_str())).collect();
    assert_eq!(
        pieces,
        [
            (1, "// whoever"),
            (2, "\"mend \\\" it\""),
            (3, "r#\"cure \"x\" \"#"),
            (4, "/// by the"),
            (5, "\"two"),
            (6, "lines anew\""),
        ]
    );
    assert!(found[0].is_comment && !found[1].is_comment);
    let of = |text: &str, is_comment| faults(&Line { number: 1, text: text.to_owned(), is_comment });
    let words = |text: &str| of(text, false).into_iter().map(|(word, _)| word).collect::<Vec<_>>();
    assert_eq!(words("Nobody stands beside_it, besides"), ["nobody", "stands"]);
    assert_eq!(words("UTF-8, S1-2, C-100, AC-15 and secure"), Vec::<String>::new());
    assert_eq!(words("as S1-20 and (C-15) say, U17"), ["S1-20"]);
    assert_eq!(words("`x` is no option. There is no file, it is no longer"), ["`x` is no option."]);
    assert_eq!(
        words("text behind its quote: that toolgate cannot"),
        ["behind its", "toolgate cannot", "that toolgate",]
    );
    assert_eq!(of("// `x` is no option, behind its quote", true), []);
}
