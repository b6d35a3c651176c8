//! Programs that start a command in a terminal of its own:
//! tmux, screen, dtach.

use super::{Inner, arguments, joined};
use crate::options::{self, Spec};
use crate::reading::{Command, Usage, Word};
use crate::stream::Stream;

const TMUX: &str = "2 C l q u v L= S= f= T= c=";
const TMUX_RUN: &str = "A a b B d D E f F= h I= k M N= p= P R s= t= v X x= y= Z c= e= l= n= C= S= q w g";
const SCREEN: &str = "A a c= d m D e= h= i l L Logfile= ls list O p= q r R s= S= t= T= U v wipe x X";

pub(super) fn open(command: &Command, _: Option<&Stream>) -> Option<Vec<Inner>> {
    let words = arguments(command);
    match command.program.as_str() {
        "tmux" => Some(tmux(words)),
        "screen" => Some(screen(words)),
        "dtach" | "abduco" => Some(vec![Inner::words(behind(words, "n= A= c= a= N= e= r= z E", 1))]),
        "zellij" | "kitty" | "alacritty" | "xterm" | "gnome-terminal" | "konsole" => Some(behind_sign(words)),
        _ => None,
    }
}

fn behind<'a>(words: &'a [Word], table: &'static str, skip: usize) -> &'a [Word] {
    let spec = Spec { options: table, leading: true, short_names: false, one_dash: false };
    let mut usage = Usage::default();
    let at = options::sort(words, &spec, &mut usage) + skip;
    words.get(at..).unwrap_or_default()
}

fn tmux(words: &[Word]) -> Vec<Inner> {
    let rest = behind(words, TMUX, 0);
    let Some((verb, rest)) = rest.split_first() else { return Vec::new() };
    let run = behind(rest, TMUX_RUN, 0);
    let mut found: Vec<Inner> = match verb.text.as_str() {
        name if name.starts_with("new")
            || name.starts_with("split")
            || name.starts_with("respawn")
            || name == "popup"
            || name == "display-popup" =>
        {
            joined(run).map(Inner::text).into_iter().collect()
        }
        "send-keys" | "send" => {
            run.iter().filter(|word| word.text.contains(' ')).cloned().map(Inner::text).collect()
        }
        "run-shell" | "run" | "if-shell" | "if" | "pipe-pane" => {
            run.iter().cloned().map(Inner::text).collect()
        }
        _ => Vec::new(),
    };
    // `tmux a \; b`: each part is a command of tmux.
    if let Some(at) = rest.iter().position(|word| word.text == ";") {
        found.extend(tmux(rest.get(at + 1..).unwrap_or_default()));
    }
    found
}

fn screen(words: &[Word]) -> Vec<Inner> {
    let at = words.iter().position(|word| word.text == "stuff");
    if let Some(text) = at.and_then(|at| words.get(at + 1)) {
        return vec![Inner::text(text.clone())];
    }
    let run = behind(words, SCREEN, 0);
    if run.is_empty() { Vec::new() } else { vec![Inner::words(run)] }
}

/// What follows `--`, `-e` or `-x`.
fn behind_sign(words: &[Word]) -> Vec<Inner> {
    let at = words.iter().position(|word| matches!(word.text.as_str(), "--" | "-e" | "-x"));
    let run = at.and_then(|at| words.get(at + 1..)).unwrap_or_default();
    super::words_or_line(run)
}
