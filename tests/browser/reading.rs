//! Reading before answering: the whole text passes by without a gap, nothing in it hides, nothing spills out.

use crate::Stage;
use crate::house::{House, TICKET};
use crate::looks::FAULTS;
use crate::tab::{Screen, Tab};
use serde_json::json;

const DISABLED: &str = "document.getElementById('yes').disabled";

/// A home with a request of so many lines, and its id.
fn long(lines: usize) -> (House, String) {
    let house = House::with_policy(TICKET);
    let text = format!("{}git push --force origin main # the tail", "echo one more line\n".repeat(lines));
    let id = house.ask(&text).request();
    (house, id)
}

/// How often something must be done until yes can be said.
#[track_caller]
fn steps_until_yes(tab: &Tab, step: impl Fn(&Tab)) -> usize {
    for done in 0..100 {
        tab.settle();
        if !tab.is(DISABLED) {
            return done;
        }
        step(tab);
    }
    panic!("yes can never be said");
}

#[test]
fn yes_waits_until_the_whole_text_has_passed_by() {
    let (house, id) = long(300);
    let Some(stage) = Stage::set(house) else { return };
    let tab = &stage.tab;
    assert!(tab.is(&format!("document.querySelector('#{id} .more').textContent.includes('more line')")));
    stage.go(&format!("/requests/{id}"));
    assert!(
        tab.is("document.getElementById('what').textContent.endsWith('# the tail')"),
        "all of it is there"
    );
    tab.settle();
    assert!(tab.is(DISABLED) && !tab.is("document.getElementById('hint').hidden"));
    // Each key brings one screen more; at the end yes can be said.
    let screens = steps_until_yes(tab, |tab| tab.key("y"));
    assert!(screens > 5, "{screens} screens are not 300 lines");
    assert!(tab.is("document.getElementById('hint').hidden"));
    tab.key("y");
    assert!(tab.is("document.activeElement.id === 'yes'"));
    assert!(!tab.is("document.getElementById('no').disabled"), "no can always be said");
}

/// Who leaps past the text has not seen it, whichever way the leap was made.
#[test]
fn a_leap_past_the_text_does_not_count() {
    let (house, id) = long(200);
    let Some(stage) = Stage::set(house) else { return };
    let tab = &stage.tab;
    let page = format!("/requests/{id}");
    for leap in ["#words", "#answer", "#scope", "#end"] {
        stage.go("/");
        stage.go(&format!("{page}{leap}"));
        tab.settle();
        assert!(tab.is("scrollY > 1000"), "{leap} leads past the text");
        assert!(tab.is(DISABLED), "{leap}");
    }
    for key in ["r", "a", "n"] {
        stage.go("/");
        stage.go(&page);
        tab.settle();
        tab.key(key);
        tab.settle();
        tab.settle();
        assert!(key == "n" || tab.is("scrollY > 1000"), "{key} leads past the text");
        assert!(tab.is(DISABLED), "{key}");
    }
    stage.go("/");
    stage.go(&page);
    tab.settle();
    for leap in ["scrollTo(0, 2000)", "document.getElementById('end').scrollIntoView()", "scrollTo(0, 1e6)"] {
        tab.eval(leap);
        tab.settle();
        assert!(tab.is(DISABLED), "{leap}");
    }
    // And back to where reading stopped: on from there it is one text again.
    tab.picture("request-leapt");
    tab.click("#on");
    tab.settle();
    assert!(tab.is("scrollY < 1500"), "back to where it stopped");
    let screens = steps_until_yes(tab, |tab| tab.key("y"));
    assert!(screens > 2, "{screens} screens are not 200 lines");
}

/// Every way of going on counts: the browser's own keys, the link for those without keys.
#[test]
fn paging_on_shows_every_line() {
    let (house, id) = long(200);
    let Some(stage) = Stage::set(house) else { return };
    let tab = &stage.tab;
    for screen in [Screen::Light, Screen::Phone] {
        for key in ["PageDown", " "] {
            tab.screen(screen);
            stage.go("/");
            stage.go(&format!("/requests/{id}"));
            let screens = steps_until_yes(tab, |tab| tab.key(key));
            assert!(screens > 3, "{screen:?} {key}: {screens}");
        }
        stage.go("/");
        stage.go(&format!("/requests/{id}"));
        // By script: with the last step the link is gone, and a click would look for it.
        let screens = steps_until_yes(tab, |tab| {
            tab.eval("document.getElementById('on').click()");
        });
        assert!(screens > 3, "{screen:?}: {screens}");
    }
    // Lines that lie elsewhere on another screen are read anew there.
    tab.screen(Screen::Light);
    stage.go("/");
    stage.go(&format!("/requests/{id}"));
    tab.settle();
    tab.key("y");
    tab.settle();
    tab.screen(Screen::Phone);
    tab.settle();
    tab.settle();
    assert!(tab.is(DISABLED));
    steps_until_yes(tab, |tab| tab.key("y"));
}

/// What would not be seen is spelled out and marked; the same letters written by somebody are not.
#[test]
fn hidden_characters_are_spelled_out_and_marked() {
    let house = House::with_policy(TICKET);
    let id = house
        .ask("git push --force origin 'a\u{202e}b\u{1b}[2Jc\u{200b}<b>d</b> \\u{1b} \u{e0041}\u{fe0f}\u{fffc}\u{ffff}\u{e000}'")
        .request();
    let Some(stage) = Stage::set(house) else { return };
    let tab = &stage.tab;
    let marks = |place: &str| {
        tab.eval(&format!(
            "[...document.querySelectorAll('{place} mark:not(.found)')].map((one) => one.textContent)"
        ))
    };
    let spelled =
        json!(["\\u{202e}", "\\u{1b}", "\\u{200b}", "\\u{e0041}\\u{fe0f}\\u{fffc}\\u{ffff}\\u{e000}"]);
    assert_eq!(marks(&format!("#{id} .what")), spelled);
    for screen in [Screen::Light, Screen::Dark, Screen::Phone] {
        tab.screen(screen);
        for (name, path) in [
            ("request", format!("/requests/{id}")),
            ("card", "/".to_owned()),
            ("ledger", "/ledger".to_owned()),
        ] {
            stage.go(&path);
            tab.picture(&format!("hidden-{name}-{screen:?}").to_lowercase());
            assert_eq!(tab.eval(FAULTS), json!([]), "{name} {screen:?}");
        }
    }
    assert_eq!(marks("tbody tr:first-child code"), spelled);
    stage.go(&format!("/requests/{id}"));
    assert_eq!(marks("#what"), spelled);
    let found =
        tab.eval("[...document.querySelectorAll('#what > mark.found')].map((one) => one.textContent).join()");
    assert!(
        found.as_str().is_some_and(|text| text.contains("<b>d</b>")),
        "what made the rule ask is marked: {found}"
    );
    let text = tab.eval("document.getElementById('what').textContent");
    let end = "\\u{1b} \\u{e0041}\\u{fe0f}\\u{fffc}\\u{ffff}\\u{e000}'";
    assert_eq!(text, format!("git push --force origin 'a\\u{{202e}}b\\u{{1b}}[2Jc\\u{{200b}}<b>d</b> {end}"));
}

/// A field cannot spell anything out, so nothing that hides is put into one.
#[test]
fn no_pattern_is_proposed_that_hides_something() {
    let house = House::with_policy(TICKET);
    let ids = ["\u{202e}", "\u{1b}", "\u{e000}"]
        .map(|hidden| house.ask(&format!("git push --force up{hidden}stream main")).request());
    let plain = house.ask("git push --force upstream main").request();
    let Some(stage) = Stage::set(house) else { return };
    for id in ids {
        stage.go(&format!("/requests/{id}"));
        assert_eq!(stage.tab.eval("document.getElementById('pattern').value"), "");
        assert!(
            stage
                .tab
                .is("document.getElementById('covered').textContent.includes('No pattern is suggested')")
        );
    }
    stage.go(&format!("/requests/{plain}"));
    assert_eq!(stage.tab.eval("document.getElementById('pattern').value"), "git push --force upstream *");
}

/// Towers of marks on one letter widen no page and cover nothing.
#[test]
fn towers_of_marks_stay_on_the_page() {
    let house = House::with_policy(TICKET);
    let mut ids = Vec::new();
    for mark in ["\u{301}", "\u{489}", "\u{20dd}", "\u{e49}", "\u{ac1}", "\u{17b7}", "\u{fdfd}", "\u{1f3ff}"]
    {
        ids.push(house.ask(&format!("git push --force origin a{}", mark.repeat(40))).request());
    }
    let Some(stage) = Stage::set(house) else { return };
    let tab = &stage.tab;
    tab.size(390, 844, true);
    let requests = ids.iter().map(|id| ("request", format!("/requests/{id}")));
    for (name, path) in requests.chain([
        ("inbox", "/".to_owned()),
        ("ledger", "/ledger".to_owned()),
        ("session", "/sessions/session-1".to_owned()),
        ("grants", "/grants".to_owned()),
    ]) {
        stage.go(&path);
        tab.settle();
        tab.picture(&format!("towers-{name}"));
        let width = tab.eval("document.documentElement.scrollWidth").as_u64().unwrap();
        assert!(width <= 390, "{path}: {width} pixels");
    }
}
