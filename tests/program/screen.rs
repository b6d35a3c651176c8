//! `toolgate inbox` at a terminal: one key answers, nothing is approved unread, and the terminal is given back.

use crate::house::{ASKED, House, TICKET};
use crate::review::{PASSPHRASE, locked, state};
use crate::terminal::typed;

/// Leaves the screen of its own.
const LEFT: &str = "\u{1b}[?1049l";

/// Opens the inbox and types each text once what stands before it is on the screen; ends with `q`.
#[track_caller]
fn screen(house: &House, steps: &[(&str, &str)]) -> Option<String> {
    let steps: Vec<(&str, &str)> = steps.iter().copied().chain([("", "q")]).collect();
    let (shown, code) = typed(house, &["inbox"], &steps)?;
    assert_eq!(code, Some(0), "{shown}");
    assert!(shown.contains("\u{1b}[?1049h") && shown.contains(LEFT), "the screen is given back: {shown}");
    Some(shown)
}

#[test]
fn one_key_approves_and_the_call_runs_once() {
    let house = House::with_policy(TICKET);
    let call = house.call(ASKED);
    let id = house.ask_event(&call).request();
    let steps = [("y approve", "yyy"), ("Enter approves", "\r"), (&format!("approved {id}"), "")];
    let Some(shown) = screen(&house, &steps) else { return };
    assert_eq!(state(&house, &id), "approved");
    for text in
        ["1 request waits", "remote origin", "rewrites on the remote: main", "\"a test\" (the agent's words)"]
    {
        assert!(shown.contains(text), "{text}: {shown}");
    }
    assert!(!house.ask_event(&call).is_no());
    let Some(shown) = screen(&house, &[("nothing waits", "yn"), ("nothing waits", "")]) else { return };
    assert!(!shown.contains("approved"), "{shown}");
}

#[test]
fn a_message_goes_with_the_denial() {
    let house = House::with_policy(TICKET);
    let call = house.call(ASKED);
    let id = house.ask_event(&call).request();
    let steps = [
        ("y approve", "m"),
        ("Enter keeps", "use a new branx\u{7f}ch\r"),
        ("goes with your answer: y", "n"),
        (&format!("denied {id}"), "u"),
        ("is pending again", "n"),
        (&format!("denied {id}"), ""),
    ];
    if screen(&house, &steps).is_none() {
        return;
    }
    assert_eq!(state(&house, &id), "denied");
    assert!(house.ask_event(&call).is_no(), "the undone message is not kept");
    let id = house.ask("git push --force origin other").request();
    let steps = [
        ("y approve", "m"),
        ("Enter keeps", "not today\r"),
        ("goes with your answer: y", "n"),
        (&format!("denied {id}"), ""),
    ];
    screen(&house, &steps).unwrap();
    let told = house.ask("git push --force origin other");
    assert!(told.is_no() && told.text().contains("not today"), "{told:?}");
}

/// A yes is one to the whole text, and the end of it is where things are hidden.
#[test]
fn nothing_is_approved_unread() {
    let house = House::with_policy(TICKET);
    let command = format!("git push --force origin main\n{}echo the-end", "echo more\n".repeat(60));
    let id = house.ask(&command).request();
    let refused = [("more lines below", "y"), ("read the whole call first", "")];
    let Some(shown) = screen(&house, &refused) else { return };
    assert!(!shown.contains("the-end"), "{shown}");
    assert_eq!(state(&house, &id), "pending");
    let read = [
        ("more lines below", "y"),
        ("read the whole call first", "\u{1b}[4~"),
        ("the-end", "y"),
        ("Enter approves", "\r"),
        ("approved", ""),
    ];
    screen(&house, &read).unwrap();
    assert_eq!(state(&house, &id), "approved");
}

#[test]
fn an_approval_that_lasts_shows_its_pattern_first() {
    let house = House::with_policy(TICKET);
    let id = house.ask(ASKED).request();
    let steps = [
        ("y approve", "a"),
        ("git push --force origin *", "\u{7f}m*\r"),
        ("every command `git push --force origin m*`", ""),
    ];
    if screen(&house, &steps).is_none() {
        return;
    }
    let grants = house.run(&["grants"]).ended(0).text();
    assert!(grants.contains(&id) && grants.contains("`git push --force origin m*`"), "{grants}");
    let id = house.ask("git push --force origin side").request();
    screen(&house, &[("y approve", "s"), ("Enter approves", "\r"), (&format!("approved {id}"), "")]).unwrap();
    assert!(house.run(&["grants"]).ended(0).text().contains("as often as this session makes it"));
}

#[test]
fn a_set_passphrase_is_asked_for() {
    let house = locked();
    let id = house.ask(ASKED).request();
    let wrong = [("y approve", "y"), ("Passphrase (Enter", "wrong horse\r"), ("wrong passphrase", "")];
    let Some(shown) = screen(&house, &wrong) else { return };
    assert!(!shown.contains("wrong horse"), "it is not shown: {shown}");
    assert_eq!(state(&house, &id), "pending");
    let right = format!("{}\r", PASSPHRASE.trim());
    screen(&house, &[("y approve", "y"), ("Passphrase (Enter", &right), ("approved", "")]).unwrap();
    assert_eq!(state(&house, &id), "approved");
}

#[test]
fn hostile_text_moves_nothing_on_the_screen() {
    let house = House::with_policy(TICKET);
    house.ask("git push --force origin 'x\u{1b}]0;evil\u{7}\u{1b}[2J\u{202e}'").request();
    let Some(shown) = screen(&house, &[("y approve", "\r"), ("\\u{1b}]0;evil", "")]) else { return };
    assert!(
        !shown.contains("\u{1b}]0;") && !shown.contains("\u{202e}") && !shown.contains("\u{1b}[2J"),
        "{shown:?}"
    );
}

/// Ctrl-C ends it, and what comes next in the terminal is typed and shown as before.
#[test]
fn the_terminal_is_given_back() {
    let house = House::with_policy(TICKET);
    house.ask(ASKED).request();
    let script = house.root().join("inbox.sh");
    std::fs::write(&script, format!("{} inbox\nstty -a\n", crate::house::TOOLGATE)).unwrap();
    let command = ["/bin/sh".to_owned(), script.display().to_string()].join(" ");
    let Some((shown, _)) = crate::terminal::typed_at(&house, &command, &[("y approve", "\u{3}")]) else {
        return;
    };
    let after = shown.split(LEFT).nth(1).unwrap_or_else(|| panic!("{shown}"));
    let words: Vec<&str> = after.split([' ', ';', '\n']).collect();
    assert!(words.contains(&"icanon") && words.contains(&"echo") && words.contains(&"isig"), "{after}");
}

/// What an agent runs is a list, whatever terminal it has made for itself.
#[test]
fn an_agent_gets_a_list_and_no_screen() {
    let house = House::with_policy(TICKET);
    let id = house.ask(ASKED).request();
    let command = format!("env CLAUDECODE=1 {} inbox", crate::house::TOOLGATE);
    let Some((shown, code)) = crate::terminal::typed_at(&house, &command, &[]) else { return };
    assert!(code == Some(0) && shown.contains(&id) && !shown.contains("\u{1b}[?1049h"), "{shown}");
}
