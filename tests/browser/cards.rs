//! What a card and its page tell at a glance: how bad, how old, how long still; what a file would become.

use crate::house::{House, TICKET};
use crate::tab::Screen;
use crate::{Stage, asked};
use serde_json::json;
use toolgate_core::{Context, Entry, Progress, Request, RequestState};
use toolgate_runtime::{Dirs, signing_key};
use toolgate_store::{Sqlite, Store};

/// Moves the end of what is on the page into the past; the script's own clock sees it.
const TIME_UP: &str =
    "document.querySelectorAll('[data-ends]').forEach((one) => { one.dataset.ends = Date.now() - 5000; })";

#[test]
fn a_card_tells_how_bad_how_old_and_how_long_still() {
    let (house, id) = asked();
    let Some(stage) = Stage::set(house) else { return };
    let tab = &stage.tab;
    let text = |selector: &str| {
        tab.eval(&format!("document.querySelector('#{id} {selector}').textContent"))
            .as_str()
            .unwrap()
            .to_owned()
    };
    assert_eq!(text(".severity"), "high severity");
    assert!(tab.is(&format!("document.getElementById('{id}').classList.contains('is-high')")));
    assert_eq!(text(".age"), "just now");
    assert!(tab.is(&format!("/^\\d{{4}}-\\d\\d-\\d\\d /.test(document.querySelector('#{id} .age').title)")));
    assert!(text("dl").contains("session-1") && text("dl").contains("exactly this call runs once"));
    let left = text(".left");
    assert!(left.starts_with("denied automatically in "), "{left}");
    tab.eval(&format!("document.querySelector('#{id} .left').dataset.ends = Date.now() + 35880000"));
    tab.until(&format!("document.querySelector('#{id} .left').textContent.endsWith(' 9 h 57 min')"));
    tab.eval(&format!("document.querySelector('#{id} .age').dataset.made = Date.now() - 125000"));
    tab.until(&format!("document.querySelector('#{id} .age').textContent === '2 min ago'"));
    tab.eval(TIME_UP);
    tab.until(&format!("document.querySelector('#{id} .state').textContent === 'expired'"));
    assert!(text(".left").contains("counts as denied"), "{}", text(".left"));
    assert!(!text("dl").contains("Approving"), "nothing can be said any more");
    tab.picture("card-time-is-up");
}

#[test]
fn when_time_is_up_nothing_can_be_answered() {
    let (house, id) = asked();
    let Some(stage) = Stage::set(house) else { return };
    let tab = &stage.tab;
    stage.go(&format!("/requests/{id}"));
    tab.eval(TIME_UP);
    tab.until("!document.getElementById('yes') && !document.getElementById('no') && !document.getElementById('words')");
    assert_eq!(tab.eval("document.getElementById('state').textContent"), "expired");
    tab.picture("request-time-is-up");
}

/// On every screen the answers are at hand while one reads, and yes still waits for the end.
#[test]
fn the_answers_stay_on_the_screen() {
    let house = House::with_policy(TICKET);
    let long = format!("{}git push --force origin main # the tail", "echo one more line\n".repeat(300));
    let id = house.ask(&long).request();
    let Some(stage) = Stage::set(house) else { return };
    let tab = &stage.tab;
    for screen in [Screen::Light, Screen::Phone] {
        tab.screen(screen);
        stage.go(&format!("/requests/{id}"));
        let inside = "(() => { const box = document.getElementById('no').getBoundingClientRect(); return box.top >= 0 && box.bottom <= innerHeight; })()";
        assert!(tab.is("scrollY === 0") && tab.is(inside), "{screen:?}: at hand from the beginning");
        assert!(tab.is("document.getElementById('yes').disabled"), "{screen:?}");
        tab.eval("scrollTo(0, 1500)");
        assert!(tab.is(inside), "{screen:?}: and while reading");
        tab.settle();
        assert!(tab.is("document.getElementById('yes').disabled"), "{screen:?}");
    }
    tab.scripts(false);
    stage.go(&format!("/requests/{id}"));
    tab.scripts(true);
    assert!(
        tab.is("document.getElementById('no').getBoundingClientRect().top > document.getElementById('end').getBoundingClientRect().top && document.getElementById('no').getBoundingClientRect().top > innerHeight"),
        "without a script the answers lie below the end"
    );
}

const WRITES: &str = "version: 1
review: { delivery: ticket }
rules:
  - { id: watched, kind: ask, severity: critical, match: { files: { path: '**/watched*' } }, reason: a person watches }
";

#[test]
fn a_change_of_a_file_is_shown_line_by_line() {
    let house = House::with_policy(WRITES);
    let mut event = house.event("");
    event["tool_name"] = json!("Edit");
    event["tool_use_id"] = json!("toolu_edit");
    event["tool_input"] = json!({ "file_path": house.project().join("watched.py"),
        "old_string": "def f():\n    return 1\n", "new_string": "def f():\n    return 2 # \u{202e}hidden\u{1b}\n    <b>\n" });
    house.write("watched.py", "def f():\n    return 1\n");
    let mut read = event.clone();
    read["tool_name"] = json!("Read");
    read["tool_input"] = json!({ "file_path": house.project().join("watched.py") });
    house.ask_event(&read);
    let answer = house.ask_event(&event);
    let Some(stage) = Stage::set(house) else { return };
    let tab = &stage.tab;
    stage.go(&format!("/requests/{}", answer.request()));
    let lines = tab.eval("[...document.querySelectorAll('.change span')].map((one) => `${one.className}|${one.textContent.trimEnd()}`)");
    assert_eq!(
        lines,
        json!([
            "stays|  def f():",
            "goes|-     return 1",
            "comes|+     return 2 # \\u{202e}hidden\\u{1b}",
            "comes|+     <b>"
        ])
    );
    assert_eq!(tab.eval("document.querySelector('.severity').textContent"), "critical severity");
    for screen in [Screen::Light, Screen::Dark, Screen::Phone] {
        tab.screen(screen);
        tab.picture(&format!("change-{screen:?}").to_lowercase());
        assert_eq!(tab.eval(crate::looks::FAULTS), json!([]), "{screen:?}");
    }
}

const GUARDED: &str = "version: 1
review: { delivery: ticket }
guardrails:
  - id: custom-safety-001
    type: pre_execution
    condition: { expression: \"action.program == 'systemctl'\" }
    validation: { check: \"false\" }
    bypass: { allowed: true, requires_approval: architect }
";

/// Emergencies stand out, and say by when somebody must look at them, or that nobody did.
#[test]
fn an_emergency_is_red_and_says_when_its_review_is_due() {
    let house = House::with_policy(GUARDED);
    let blocked = house.ask("systemctl restart web");
    let call = blocked.text().split("--call ").nth(1).unwrap().split(' ').next().unwrap().to_owned();
    let reason = "the site is down and nobody answers the phone";
    let words = ["bypass", "request", "custom-safety-001", "--call", &call, "--reason", reason];
    let said =
        house.run_as_agent(&[&words[..], &["--urgency", "emergency", "--json"]].concat()).ended(0).text();
    let asked: Request = serde_json::from_str(&said).unwrap();
    let home = house.home().display().to_string();
    let dirs = Dirs::from_env(&|name| (name == "HOME").then(|| home.clone()));
    let mut store = Sqlite::open(&dirs.ledger(), signing_key(&dirs).unwrap()).unwrap();
    let mut turn = store.begin().unwrap();
    for (id, hours) in [("r-00000000aa", 1), ("r-00000000bb", 30)] {
        let overridden_ms = Some(asked.made_ms - hours * 3_600_000);
        let progress = Box::new(Progress { overridden_ms, ..Progress::default() });
        let state = RequestState::Used { call: None };
        let old = Request { id: id.to_owned(), progress, state, ..asked.clone() };
        turn.append(asked.made_ms, &Context::default(), Entry::Requested(old)).unwrap();
    }
    turn.commit().unwrap();
    drop(store);
    let Some(stage) = Stage::set(house) else { return };
    let tab = &stage.tab;
    for screen in [Screen::Light, Screen::Dark, Screen::Phone] {
        tab.screen(screen);
        stage.go("/bypasses");
        tab.picture(&format!("emergencies-{screen:?}").to_lowercase());
        assert_eq!(tab.eval(crate::looks::FAULTS), json!([]), "{screen:?}");
    }
    let due = |id: &str| tab.eval(&format!("document.querySelector('#{id} .due').textContent")).to_string();
    assert!(due("r-00000000aa").contains("due by"), "{}", due("r-00000000aa"));
    assert!(due("r-00000000bb").contains("overdue since"), "{}", due("r-00000000bb"));
    assert_eq!(tab.eval("document.querySelectorAll('.card.emergency').length"), 3);
}
