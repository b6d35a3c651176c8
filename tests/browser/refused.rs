//! What is not taken: said where it is seen, with the way to mend it, on every screen.

use crate::Stage;
use crate::house::{ASKED, House, TICKET, finish};
use crate::looks::FAULTS;
use crate::tab::{Screen, Tab};
use serde_json::json;

const PASSPHRASE: &str = "correct horse battery\n";

fn locked(policy: &str) -> House {
    let house = House::with_policy(policy);
    house.run_with(&["approver", "set", "--passphrase-stdin"], PASSPHRASE).ended(0);
    house
}

/// Says no with a wrong passphrase, from the page of the request.
fn deny_wrongly(tab: &Tab) {
    tab.eval("document.getElementById('passphrase').focus()");
    tab.text("wrong horse battery");
    tab.key("Escape");
    tab.key("n");
    tab.leads_on(|tab| tab.key("Enter"));
}

#[test]
fn a_wrong_passphrase_is_told_above_the_text_and_then_when_the_next_is_taken() {
    let house = locked(TICKET);
    let long = format!("{}{ASKED}", "echo one more line of a long script\n".repeat(60));
    let id = house.ask(&long).request();
    let Some(stage) = Stage::set(house) else { return };
    let tab = &stage.tab;
    stage.go(&format!("/requests/{id}"));
    assert!(!tab.is("document.getElementById('refused')"));
    tab.key("r");
    tab.text("not today");
    for _ in 0..5 {
        deny_wrongly(tab);
        assert!(tab.is("document.getElementById('refused').textContent.includes('wrong passphrase')"));
        assert!(tab.is("document.getElementById('refused').getBoundingClientRect().bottom < innerHeight"));
    }
    deny_wrongly(tab);
    let refused = tab.eval("document.getElementById('refused').textContent");
    assert!(refused.as_str().unwrap().contains("try again in "), "{refused}");
    assert_eq!(tab.eval("document.getElementById('words').value"), "not today", "nothing is lost");
    for screen in [Screen::Light, Screen::Dark, Screen::Phone] {
        tab.screen(screen);
        tab.picture(&format!("request-paused-{screen:?}").to_lowercase());
        assert_eq!(tab.eval(FAULTS), json!([]), "{screen:?}");
    }
    assert_eq!(tab.eval("document.getElementById('state').textContent"), "pending");
}

/// Two names, one passphrase: whose yes it is, and no button that would do nothing.
#[test]
fn a_yes_under_another_name_is_not_offered_again() {
    let house = locked("version: 1\nreview: { delivery: ticket }\npeople: { needs: { low: 2 } }\n");
    let id = house.ask(ASKED).request();
    let mut command = house.toolgate(&["inbox", "approve", &id, "--passphrase-stdin"]);
    command.env("USER", "grace");
    finish(command, PASSPHRASE.as_bytes()).ended(0);
    let Some(stage) = Stage::set(house) else { return };
    let tab = &stage.tab;
    stage.go(&format!("/requests/{id}"));
    assert!(!tab.is("document.getElementById('yes') || document.getElementById('undo')"));
    assert!(tab.is(
        "document.getElementById('bar').textContent.includes('grace has approved this with the same passphrase')"
    ));
    for screen in [Screen::Light, Screen::Dark, Screen::Phone] {
        tab.screen(screen);
        tab.picture(&format!("request-said-as-{screen:?}").to_lowercase());
        assert_eq!(tab.eval(FAULTS), json!([]), "{screen:?}");
    }
}
