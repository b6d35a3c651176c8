//! The program at a terminal of its own: what it asks is answered once it has asked.

use crate::house::{House, TOOLGATE};
use std::io::{Read, Write};
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

const SCRIPT: &str = "/usr/bin/script";

/// Everything the screen showed, and how the program ended. Each answer is typed when its prompt is
/// there. `None`, told loudly, where there is no terminal to be had.
pub fn dialogue(house: &House, args: &[&str], answers: &[(&str, &str)]) -> Option<(String, Option<i32>)> {
    let lines: Vec<String> = answers.iter().map(|(_, answer)| format!("{answer}\n")).collect();
    let steps: Vec<(&str, &str)> =
        answers.iter().zip(&lines).map(|((prompt, _), line)| (*prompt, line.as_str())).collect();
    run(house, &format!("{TOOLGATE} {}", args.join(" ")), &steps, Duration::ZERO)
}

/// The same with single keys: what is typed is sent as it is, a moment after its prompt was shown, as a
/// person would.
pub fn typed(house: &House, args: &[&str], steps: &[(&str, &str)]) -> Option<(String, Option<i32>)> {
    typed_at(house, &format!("{TOOLGATE} {}", args.join(" ")), steps)
}

/// The same for any command.
pub fn typed_at(house: &House, command: &str, steps: &[(&str, &str)]) -> Option<(String, Option<i32>)> {
    // What never comes must not hang the test.
    run(house, &format!("timeout --foreground 60 {command}"), steps, Duration::from_millis(700))
}

fn run(
    house: &House,
    command: &str,
    steps: &[(&str, &str)],
    pause: Duration,
) -> Option<(String, Option<i32>)> {
    if !Path::new(SCRIPT).exists() {
        println!("SKIPPED: no `script` here; nothing was asked at a terminal");
        return None;
    }
    let mut script = house.command(SCRIPT, &["-qec", command, "/dev/null"]);
    script.env("TERM", "xterm").env("NO_COLOR", "1").stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = script.spawn().expect("script starts");
    let (mut keys, mut screen) = (child.stdin.take().expect("stdin"), child.stdout.take().expect("stdout"));
    let mut shown = Vec::new();
    let mut piece = [0; 4096];
    let mut seen = 0;
    let mut rest = steps.iter();
    let mut next = rest.next();
    loop {
        let length = screen.read(&mut piece).expect("the screen");
        if length == 0 {
            break;
        }
        shown.extend_from_slice(&piece[..length]);
        let text = String::from_utf8_lossy(&shown).into_owned();
        while let Some((prompt, answer)) = next
            && let Some(at) = text[seen..].find(prompt)
        {
            seen += at + prompt.len();
            std::thread::sleep(pause);
            keys.write_all(answer.as_bytes()).expect("the keys");
            next = rest.next();
        }
    }
    let text = String::from_utf8_lossy(&shown).replace('\r', "");
    assert!(next.is_none(), "never asked: {next:?}\n{text}");
    drop(keys);
    Some((text, child.wait().expect("script ends").code()))
}
