//! Is a command bash would run in the list, with exactly these words?

use toolgate_shell::{ReadContext, read};

#[track_caller]
pub fn check(source: &str, expected: &[&str]) {
    let setting = ReadContext { home: Some("/home/u".to_string()), ..ReadContext::default() };
    let reading = read(source, &setting);
    let words = |command: &toolgate_shell::Command| -> Vec<String> {
        command.words.iter().map(|word| word.text.to_string()).collect()
    };
    let listed: Vec<Vec<String>> = reading.commands.iter().map(|command| words(command)).collect();
    assert!(listed.iter().any(|words| words == expected), "{expected:?} of {source:?} in {listed:?}");
}
