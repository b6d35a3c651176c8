//! The program at a terminal of its own: what it asks is answered once it has asked.

use crate::house::{House, TOOLGATE};
use std::io::{Read, Write};
use std::path::Path;
use std::process::Stdio;

const SCRIPT: &str = "/usr/bin/script";

/// Everything the screen showed, and how the program ended. Each answer is typed when its prompt is
/// there. `None`, told loudly, where there is no terminal to be had.
pub fn dialogue(house: &House, args: &[&str], answers: &[(&str, &str)]) -> Option<(String, Option<i32>)> {
    if !Path::new(SCRIPT).exists() {
        println!("SKIPPED: no `script` here; nothing was asked at a terminal");
        return None;
    }
    let command = format!("{TOOLGATE} {}", args.join(" "));
    let mut script = house.command(SCRIPT, &["-qec", &command, "/dev/null"]);
    script.env("TERM", "xterm").env("NO_COLOR", "1").stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = script.spawn().expect("script starts");
    let (mut keys, mut screen) = (child.stdin.take().expect("stdin"), child.stdout.take().expect("stdout"));
    let mut shown = Vec::new();
    let mut piece = [0; 4096];
    let mut seen = 0;
    let mut rest = answers.iter();
    let mut next = rest.next();
    loop {
        let length = screen.read(&mut piece).expect("the screen");
        if length == 0 {
            break;
        }
        shown.extend_from_slice(&piece[..length]);
        let text = String::from_utf8_lossy(&shown).into_owned();
        if let Some((prompt, answer)) = next
            && let Some(at) = text[seen..].find(prompt)
        {
            seen += at + prompt.len();
            keys.write_all(format!("{answer}\n").as_bytes()).expect("the keys");
            next = rest.next();
        }
    }
    let text = String::from_utf8_lossy(&shown).replace('\r', "");
    assert!(next.is_none(), "never asked: {next:?}\n{text}");
    drop(keys);
    Some((text, child.wait().expect("script ends").code()))
}
