//! Every key, on every page that has it.

use crate::{Stage, asked};

const FOCUSED: &str = "document.activeElement.id";

#[test]
fn the_keys_of_the_inbox() {
    let (house, older) = asked();
    let newer = house.ask("git push --force origin next").request();
    let Some(stage) = Stage::set(house) else { return };
    let tab = &stage.tab;
    let here = || tab.eval("document.querySelector('.here').id").as_str().unwrap().to_owned();
    assert!(!tab.is("document.querySelector('.here')"), "nothing is chosen for anybody");
    tab.key("Enter");
    tab.key("y");
    assert_eq!(stage.path(), "/", "without a choice nothing opens");
    tab.key("j");
    assert_eq!(here(), newer);
    tab.key("j");
    assert_eq!(here(), older);
    tab.key("j");
    assert_eq!(here(), older, "the last one stays");
    tab.key("k");
    tab.key("k");
    assert_eq!(here(), newer, "the first one stays");
    tab.key("?");
    assert!(tab.is("document.getElementById('keys').open"));
    tab.picture("keys");
    tab.key("?");
    assert!(!tab.is("document.getElementById('keys').open"));
    for (key, path, focused) in [
        ("Enter", "", ""),
        ("o", "", ""),
        ("y", "#to-yes", "yes"),
        ("n", "#no", "no"),
        ("r", "#words", "words"),
        ("a", "#scope", "scope"),
    ] {
        stage.go("/");
        tab.key("j");
        tab.leads_on(|tab| tab.key(key));
        assert_eq!(stage.path(), format!("/requests/{newer}{path}"), "{key}");
        if !focused.is_empty() && tab.is(&format!("document.getElementById('{focused}')")) {
            tab.until(&format!("{FOCUSED} === '{focused}'"));
        }
    }
}

#[test]
fn the_keys_of_a_request() {
    let (house, id) = asked();
    let Some(stage) = Stage::set(house) else { return };
    let tab = &stage.tab;
    stage.go(&format!("/requests/{id}"));
    tab.until("!document.getElementById('yes').disabled");
    assert!(tab.is("document.activeElement === document.body"), "no answer is chosen for anybody");
    for (key, focused) in [("y", "yes"), ("n", "no"), ("r", "words"), ("a", "scope")] {
        tab.key(key);
        assert_eq!(tab.eval(FOCUSED), focused, "{key}");
        tab.key("Escape");
    }
    tab.key("r");
    for key in ["y", "n", "j", "?"] {
        tab.key(key);
    }
    assert_eq!(tab.eval("document.activeElement.value"), "ynj?", "words are words");
    tab.key("Escape");
    tab.leads_on(|tab| tab.key("i"));
    assert_eq!(stage.path(), "/");
    assert!(stage.tab.is(&format!("document.getElementById('{id}')")), "and nothing was answered");
}
