//! `pwsh` and `powershell`: which text they run. The language is read elsewhere.

use super::{Inner, arguments};
use crate::powershell::translated;
use crate::reading::{Command, Unknown, Word};
use crate::stream::Stream;

pub(super) fn open(command: &Command, stdin: Option<&Stream>) -> Option<Vec<Inner>> {
    if !["pwsh", "powershell"].iter().any(|name| name.eq_ignore_ascii_case(&command.program)) {
        return None;
    }
    let words = arguments(command);
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        let option = word.text.to_ascii_lowercase();
        let is = |name: &str| option.len() > 1 && name.starts_with(&option);
        match option.as_str() {
            "-" => return Some(stdin.map(|_| Inner::Program).into_iter().collect()),
            "-ex" | "-ep" | "-wd" => drop(rest.next()),
            _ if is("-encodedcommand") || option == "-ec" => {
                let what = "encoded text for PowerShell".to_string();
                return Some(vec![Inner::Opaque { span: word.span, kind: Unknown::Decoded, what }]);
            }
            // `-Command -` reads its input.
            _ if is("-command") && rest.as_slice().first().is_none_or(|word| word.text == "-") => break,
            _ if is("-command") => return Some(text_of(rest.as_slice())),
            _ if is("-file") => return Some(rest.next().cloned().map(Inner::File).into_iter().collect()),
            _ if VALUES.iter().any(|name| is(name)) => drop(rest.next()),
            _ if option.starts_with('-') => {}
            _ => {
                let from = words.iter().position(|one| one == word).unwrap_or_default();
                return Some(text_of(words.get(from..).unwrap_or_default()));
            }
        }
    }
    Some(stdin.map(|_| Inner::Program).into_iter().collect())
}

/// Options with a value that is no command.
const VALUES: [&str; 7] = [
    "-executionpolicy",
    "-version",
    "-windowstyle",
    "-outputformat",
    "-inputformat",
    "-configurationname",
    "-workingdirectory",
];

/// All that follows is one text.
fn text_of(words: &[Word]) -> Vec<Inner> {
    let whole: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
    let made = |word: &Word| Inner::text(Word { text: translated(&whole.join(" ")).into(), ..word.clone() });
    words.first().map(made).into_iter().collect()
}
