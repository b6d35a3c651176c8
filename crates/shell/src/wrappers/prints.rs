//! Text a program would print that is in its own words:
//! `awk '{print "rm " $1}'`, `sed 's/.*/rm &/'`.
//!
//! What it puts between is spelled `$_`. The text may never be printed and other
//! text may be; anyone who reads it reads speculatively and must say nothing for sure.

use super::{arguments, interpreters};
use crate::reading::{Command, Word};

/// Texts of one command that are looked at, and the bytes of a program.
const TEXTS_MAX: usize = 64;
const PROGRAM_MAX: usize = 64 << 10;

/// What a command may print.
pub(crate) struct Printed {
    pub(crate) texts: Vec<String>,
    /// There is more than is looked at.
    pub(crate) more: bool,
}

/// A value no one knows.
pub(crate) const UNKNOWN: &str = "$_";

/// Words that only say that something is printed.
const PRINTING: [&str; 24] = [
    "print", "println", "printf", "echo", "puts", "say", "console", "log", "write", "stdout", "sys",
    "process", "BEGIN", "END", "import", "out", "r", "n", "s", "f", "return", "STDOUT", "io", "p",
];

/// What the command may print of what is in its words.
pub(crate) fn printed_texts(command: &Command) -> Printed {
    let words = arguments(command);
    let mut texts: Vec<String> = match command.program.as_str() {
        "sed" | "gsed" => words.iter().flat_map(replacements).collect(),
        "yes" => vec![words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ")],
        "find" | "gfind" => formats(words),
        "jq" | "yq" | "gojq" | "jaq" => words.iter().flat_map(literals).collect(),
        program if interpreters::name_of(program).is_some() => words.iter().flat_map(literals).collect(),
        _ => Vec::new(),
    };
    texts.retain(|text| !text.trim().is_empty() && text != UNKNOWN);
    let known = !texts.is_empty();
    let more = texts.len() > TEXTS_MAX || known && words.iter().any(|word| word.text.len() > PROGRAM_MAX);
    texts.truncate(TEXTS_MAX);
    Printed { texts, more }
}

/// `find … -printf 'rm %p\n'`
fn formats(words: &[Word]) -> Vec<String> {
    let is_format = |pair: &[Word]| matches!(pair, [option, _] if option.text == "-printf");
    let found = words.windows(2).filter(|pair| is_format(pair)).filter_map(|pair| pair.last());
    found.map(|word| values_between(&word.text.replace("\\n", "\n"), '%')).collect()
}

/// The text with `%p` and its like as values.
fn values_between(text: &str, sign: char) -> String {
    let mut out = String::new();
    let mut chars = text.chars();
    while let Some(found) = chars.next() {
        if found == sign {
            chars.next();
            out.push_str(UNKNOWN);
        } else {
            out.push(found);
        }
    }
    out
}

/// What `s/…/…/` puts in place of what it finds.
fn replacements(word: &Word) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = word.text.get(..PROGRAM_MAX).unwrap_or(&word.text);
    while let Some(at) = rest.find('s') {
        rest = rest.get(at + 1..).unwrap_or("");
        let Some(sign) = rest.chars().next().filter(|sign| sign.is_ascii_punctuation()) else { continue };
        let mut fields = cut_at(rest.get(1..).unwrap_or(""), sign);
        if let (Some(_), Some(text)) = (fields.next(), fields.next()) {
            found.push(replacement(&text));
        }
        if found.len() > TEXTS_MAX {
            break;
        }
    }
    found
}

/// The stretches between unescaped signs.
fn cut_at(text: &str, sign: char) -> impl Iterator<Item = String> {
    let mut fields = vec![String::new()];
    let mut chars = text.chars();
    while let Some(found) = chars.next() {
        let Some(last) = fields.last_mut() else { break };
        if found == '\\' {
            last.push(found);
            last.extend(chars.next());
        } else if found == sign {
            if fields.len() == 3 {
                break;
            }
            fields.push(String::new());
        } else {
            last.push(found);
        }
    }
    fields.into_iter()
}

/// `rm & \1` with the values found as such.
fn replacement(text: &str) -> String {
    let mut out = String::new();
    let mut chars = text.chars();
    while let Some(found) = chars.next() {
        match found {
            '&' => out.push_str(UNKNOWN),
            '\\' => match chars.next() {
                Some('0'..='9') => out.push_str(UNKNOWN),
                Some('n') => out.push('\n'),
                other => out.extend(other),
            },
            _ => out.push(found),
        }
    }
    out
}

/// The texts in quotes of a program, those of one statement in one.
fn literals(word: &Word) -> Vec<String> {
    let program = word.text.get(..PROGRAM_MAX).unwrap_or(&word.text);
    if !program.contains(['"', '\'']) {
        return Vec::new();
    }
    let mut found = Vec::new();
    let mut text = String::new();
    let mut code = String::new();
    let mut chars = program.chars();
    while let Some(sign) = chars.next() {
        match sign {
            '"' | '\'' => {
                text.push_str(between(&code));
                code.clear();
                quoted(&mut chars, sign, &mut text);
            }
            ';' | '\n' | '{' | '}' => {
                text.push_str(between(&code));
                code.clear();
                found.push(std::mem::take(&mut text));
            }
            _ => code.push(sign),
        }
    }
    text.push_str(between(&code));
    found.push(text);
    found
}

/// What code between texts puts there: nothing, a blank, or a value.
fn between(code: &str) -> &'static str {
    let names = code.split(|found: char| !found.is_ascii_alphanumeric() && found != '$' && found != '_');
    let values = names.filter(|name| !name.is_empty()).any(|name| !PRINTING.contains(&name));
    match values {
        true => UNKNOWN,
        false if code.contains(',') => " ",
        false => "",
    }
}

/// A text up to its quote, its escapes decoded and its inner values as such.
fn quoted(chars: &mut std::str::Chars<'_>, quote: char, text: &mut String) {
    while let Some(found) = chars.next() {
        match found {
            _ if found == quote => return,
            '\\' => match chars.next() {
                Some('n') => text.push('\n'),
                Some('t') => text.push('\t'),
                Some('(') => skip_value(chars, ')', text),
                other => text.extend(other),
            },
            '#' if chars.as_str().starts_with('{') => skip_value(chars, '}', text),
            _ => text.push(found),
        }
    }
}

/// `\(.x)` and `#{x}` stand for a value.
fn skip_value(chars: &mut std::str::Chars<'_>, close: char, text: &mut String) {
    text.push_str(UNKNOWN);
    chars.find(|found| *found == close);
}

#[cfg(test)]
mod tests {
    use super::{literals, replacements};
    use crate::reading::Word;

    fn check(made: fn(&Word) -> Vec<String>, program: &str, expected: &str) {
        let word = Word { text: program.into(), exact: true, ..Word::default() };
        assert!(made(&word).iter().any(|text| text == expected), "{program}: {:?}", made(&word));
    }

    #[test]
    fn texts_are_found_with_values_between() {
        check(literals, r#"{print "mv "$1" "$1".bak"}"#, "mv $_ $_.bak");
        check(literals, r#"BEGIN{print "rm -rf /"}"#, "rm -rf /");
        check(literals, r#"{print "rm", "-rf", $2}"#, "rm -rf$_");
        check(literals, "print('a b\\nc')", "a b\nc");
        check(literals, r#".[] | "rm \(.name)""#, "rm $_");
        check(replacements, "s/.*/rm &/", "rm $_");
        check(replacements, r"/x/s|\(a\)|mv \1 b|p", "mv $_ b");
    }

    #[test]
    fn half_a_program_is_no_trouble() {
        for program in ["\"", "s/", "s", "'\\", "print \"a\\(", "s/a\\"] {
            let word = Word { text: program.into(), ..Word::default() };
            let _ = (literals(&word), replacements(&word));
        }
    }
}
