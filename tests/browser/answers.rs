//! Answering: with words, how far, with others, without scripts, while the page is open.

use crate::house::{ASKED, House, TICKET};
use crate::looks::FAULTS;
use crate::tab::Screen;
use crate::{Stage, asked};
use serde_json::json;
use toolgate_core::{Answer, Context, Entry, Extent, Proof, Word};
use toolgate_runtime::{Dirs, signing_key};
use toolgate_store::{Sqlite, Store};

#[test]
fn a_no_with_words_reaches_the_agent() {
    let (house, id) = asked();
    let Some(stage) = Stage::set(house) else { return };
    let tab = &stage.tab;
    tab.leads_on(|tab| tab.click(&format!("#{id} .open")));
    tab.key("r");
    assert!(tab.is("document.activeElement.id === 'words'"));
    tab.text("rebase onto main first");
    tab.key("Escape");
    tab.key("n");
    tab.leads_on(|tab| tab.key("Enter"));
    assert_eq!(tab.eval("document.getElementById('state').textContent"), "denied");
    assert!(tab.is("document.body.textContent.includes('rebase onto main first')"));
    assert!(!tab.is("document.getElementById('yes')"), "answered once");
    assert!(stage.house.ask(ASKED).text().contains("rebase onto main first"));
    stage.house.run(&["ledger", "verify"]).ended(0);
}

#[test]
fn a_yes_lets_the_call_run_once() {
    let (house, id) = asked();
    let Some(stage) = Stage::set(house) else { return };
    let tab = &stage.tab;
    stage.go(&format!("/requests/{id}"));
    tab.until("!document.getElementById('yes').disabled");
    tab.key("y");
    tab.leads_on(|tab| tab.key("Enter"));
    assert_eq!(tab.eval("document.getElementById('state').textContent"), "approved");
    assert!(!stage.house.ask(ASKED).is_no());
    assert!(stage.house.ask(ASKED).is_no(), "only once");
}

/// A yes for the session, listed as what stands, ended on its page; and one taken back before it was used.
#[test]
fn a_wider_yes_stands_until_it_is_ended() {
    let (house, id) = asked();
    let Some(stage) = Stage::set(house) else { return };
    let tab = &stage.tab;
    stage.go(&format!("/requests/{id}"));
    assert!(
        tab.is("document.getElementById('for-time').hidden && document.getElementById('for-pattern').hidden")
    );
    assert_eq!(tab.eval("document.getElementById('scope').value"), "once", "the narrowest is the default");
    tab.key("a");
    tab.eval("document.getElementById('scope').value = 'session'");
    tab.until("!document.getElementById('yes').disabled");
    tab.leads_on(|tab| tab.click("#yes"));
    assert!(!stage.house.ask(ASKED).is_no() && !stage.house.ask(ASKED).is_no(), "as often as it likes");
    stage.go("/grants");
    tab.picture("grants-standing");
    assert!(tab.is(&format!("document.getElementById('{id}').textContent.includes('used 2 times')")));
    tab.leads_on(|tab| tab.click(&format!("#{id} .open")));
    tab.leads_on(|tab| tab.click("#revoke"));
    assert_eq!(tab.eval("document.getElementById('state').textContent"), "revoked");
    let again = stage.house.ask(ASKED);
    assert!(again.is_no());
    stage.go(&format!("/requests/{}", again.request()));
    tab.until("!document.getElementById('yes').disabled");
    tab.leads_on(|tab| tab.click("#yes"));
    tab.leads_on(|tab| tab.click("#undo"));
    assert_eq!(tab.eval("document.getElementById('state').textContent"), "pending");
    tab.eval("document.getElementById('comment').scrollIntoView({ block: 'center' })");
    tab.click("#comment");
    tab.text("ask Grace first");
    tab.leads_on(|tab| tab.click("#say"));
    assert!(tab.is("document.body.textContent.includes('ada: ask Grace first')"));
    tab.eval("document.getElementById('claim').scrollIntoView({ block: 'center' })");
    tab.leads_on(|tab| tab.click("#claim"));
    assert!(tab.is("document.body.textContent.includes('Being reviewed by ada')"));
    tab.picture("request-claimed");
}

/// The pattern of a yes for always can be edited, and what it would have covered is shown before any key.
#[test]
fn a_pattern_shows_what_it_would_cover() {
    let house = House::with_policy(TICKET);
    house.ask("git push --force origin one");
    house.ask("git push --force origin two");
    let id = house.ask("git push --force upstream main").request();
    let Some(stage) = Stage::set(house) else { return };
    let tab = &stage.tab;
    stage.go(&format!("/requests/{id}"));
    tab.eval("(() => { const scope = document.getElementById('scope'); scope.value = 'pattern'; scope.dispatchEvent(new Event('change')); })()");
    assert!(tab.is("!document.getElementById('for-pattern').hidden"));
    assert_eq!(tab.eval("document.getElementById('pattern').value"), "git push --force upstream *");
    assert!(tab.is("document.getElementById('covered').textContent.includes('matched 1 ')"));
    let write = |pattern: &str| {
        tab.eval("document.getElementById('pattern').select()");
        tab.text(pattern);
    };
    write("git push --force * *");
    tab.until("document.getElementById('covered').textContent.includes('matched 3 ')");
    tab.picture("request-pattern");
    write("git push | sh");
    tab.until("document.getElementById('covered').textContent.includes('must be one plain command')");
    write("git push --force origin *");
    tab.until("document.getElementById('covered').textContent.includes('matched 2 ')");
    write("git push --force * *");
    tab.until("document.getElementById('covered').textContent.includes('matched 3 ')");
    tab.key("Enter");
    tab.settle();
    assert_eq!(tab.eval("document.activeElement.id"), "pattern", "Enter in a field answers nothing");
    assert_eq!(tab.eval("document.getElementById('state').textContent"), "pending");
    tab.until("!document.getElementById('yes').disabled");
    tab.leads_on(|tab| tab.click("#yes"));
    assert!(!stage.house.ask("git push --force origin three").is_no(), "it fits");
    assert!(stage.house.ask("git push --force origin three; true").is_no(), "nothing rides along");
}

/// What the script shows of covered calls is marked as the server marks it.
#[test]
fn hidden_characters_of_covered_calls_are_marked() {
    let house = House::with_policy(TICKET);
    house.ask("git push --force origin ma\u{200b}in");
    let id = house.ask("git push --force upstream next").request();
    let Some(stage) = Stage::set(house) else { return };
    let tab = &stage.tab;
    stage.go(&format!("/requests/{id}"));
    tab.eval("(() => { const scope = document.getElementById('scope'); scope.value = 'pattern'; scope.dispatchEvent(new Event('change')); })()");
    assert!(tab.is("document.querySelectorAll('#covered mark').length === 0"));
    tab.eval("document.getElementById('pattern').select()");
    tab.text("git push --force origin *");
    tab.until("document.querySelector('#covered mark')?.textContent === '\\\\u{200b}'");
    assert!(tab.is(
        "document.querySelector('#covered code').textContent === 'git push --force origin ma\\\\u{200b}in'"
    ));
    tab.picture("request-covered-hidden");
}

/// With a policy that does not load the page says so, offers no yes, and takes the no.
#[test]
fn a_no_needs_no_policy() {
    let (house, id) = asked();
    let Some(stage) = Stage::set(house) else { return };
    let tab = &stage.tab;
    stage.house.write(".toolgate/policy.yaml", "version: 1\nrules: [ { id: \n");
    stage.go(&format!("/requests/{id}"));
    assert!(tab.is("document.getElementById('broken').textContent.includes('can only be denied')"));
    assert!(!tab.is("document.getElementById('yes')"));
    assert!(!tab.is("document.getElementById('means')"), "there is no yes to mean anything");
    tab.eval("(() => { const scope = document.getElementById('scope'); scope.value = 'session'; scope.dispatchEvent(new Event('change')); })()");
    tab.picture("request-broken-policy");
    tab.key("r");
    tab.text("mend the policy first");
    tab.key("Escape");
    tab.key("n");
    tab.leads_on(|tab| tab.key("Enter"));
    assert_eq!(tab.eval("document.getElementById('state').textContent"), "denied");
    stage.house.write(".toolgate/policy.yaml", TICKET);
    assert!(stage.house.ask(ASKED).text().contains("mend the policy first"));
}

#[test]
fn everything_works_without_scripts() {
    let (house, id) = asked();
    let second = house.ask("git push --force origin next").request();
    let Some(stage) = Stage::set(house) else { return };
    let tab = &stage.tab;
    tab.scripts(false);
    stage.go("/");
    tab.leads_on(|tab| tab.click(&format!("#{id} .open")));
    tab.picture("without-scripts");
    tab.click("#words");
    tab.text("not today");
    tab.leads_on(|tab| tab.click("#no"));
    assert!(stage.house.ask(ASKED).text().contains("not today"));
    stage.go(&format!("/requests/{second}"));
    tab.leads_on(|tab| tab.click("#yes"));
    assert!(!stage.house.ask("git push --force origin next").is_no());
    stage.go("/playground");
    tab.leads_on(|tab| tab.click(".judge"));
    tab.scripts(true);
    assert!(tab.is("document.getElementById('verdict').textContent.includes('^')"));
}

#[test]
fn a_new_request_appears_by_itself() {
    let (house, id) = asked();
    let Some(stage) = Stage::set(house) else { return };
    let tab = &stage.tab;
    tab.key("j");
    let new = stage.house.ask("git push --force origin next").request();
    tab.until(&format!("document.getElementById('{new}')"));
    assert!(tab.is("document.title.startsWith('2 ')"));
    assert!(
        tab.is(&format!("document.getElementById('{id}').classList.contains('here')")),
        "the place is kept"
    );
}

#[test]
fn the_slower_one_is_told() {
    let (house, id) = asked();
    let Some(stage) = Stage::set(house) else { return };
    let tab = &stage.tab;
    stage.go(&format!("/requests/{id}"));
    tab.key("r");
    tab.text("I am still writing");
    stage.server.deny(&stage.cookie(), &id, "somebody else was here");
    tab.until("document.querySelector('.notice')");
    assert!(tab.is("document.querySelector('.notice').textContent.includes('denied')"));
    assert!(tab.is("document.getElementById('words').value === 'I am still writing'"), "nothing is lost");
}

/// What yes means is what is chosen, and nothing of it lies behind the answers.
#[test]
fn what_yes_means_follows_the_reach() {
    let house = House::with_policy(TICKET);
    for at in 1..=8 {
        house.ask(&format!("git push --force origin a-branch-with-a-long-name/number-{at}"));
    }
    let id = house.ask(ASKED).request();
    let Some(stage) = Stage::set(house) else { return };
    let tab = &stage.tab;
    let choose = |scope: &str| {
        tab.eval(&format!("(() => {{ const scope = document.getElementById('scope'); scope.value = '{scope}'; scope.dispatchEvent(new Event('change')); }})()"));
        tab.eval("document.getElementById('means').textContent").as_str().unwrap().to_owned()
    };
    for screen in [Screen::Light, Screen::Phone] {
        tab.screen(screen);
        stage.go(&format!("/requests/{id}"));
        for (scope, means) in [
            ("session", "as often as this session makes it"),
            ("for", "in any session, for 30 minutes"),
            ("always", "until it is revoked"),
            ("once", "runs once"),
            ("pattern", "every command that matches the pattern"),
        ] {
            let said = choose(scope);
            assert!(said.contains(means), "{scope}: {said}");
            assert_eq!(said.contains("once"), scope == "once", "{scope}: {said}");
        }
        tab.settle();
        tab.picture(&format!("request-reach-{screen:?}").to_lowercase());
        assert!(
            tab.is("document.getElementById('covered').getBoundingClientRect().bottom <= document.getElementById('bar').getBoundingClientRect().top"),
            "{screen:?}: what it would have covered lies behind the answers"
        );
    }
    choose("for");
    tab.eval("document.getElementById('minutes').select()");
    tab.text("1");
    assert!(tab.is("document.getElementById('means').textContent.endsWith('for 1 minute')"));
    tab.scripts(false);
    stage.go(&format!("/requests/{id}"));
    tab.scripts(true);
    assert!(
        tab.is("document.getElementById('means').textContent.includes('unless you choose more')"),
        "without a script it is true whatever is chosen"
    );
}

const TWO: &str = "version: 1
review: { delivery: ticket }
people: { needs: { low: 2 } }
";

/// Where two must say yes, the card tells who has, and nobody is asked twice.
#[test]
fn who_has_said_yes_is_told_and_not_asked_again() {
    let house = House::with_policy(TWO);
    let id = house.ask(ASKED).request();
    let Some(stage) = Stage::set(house) else { return };
    let tab = &stage.tab;
    let needs = |place: &str| tab.eval(&format!("document.querySelector('{place} .needs').textContent"));
    assert_eq!(needs(&format!("#{id}")), "0 of 2 approvals");
    stage.go(&format!("/requests/{id}"));
    tab.until("!document.getElementById('yes').disabled");
    tab.leads_on(|tab| tab.click("#yes"));
    assert_eq!(tab.eval("document.getElementById('state').textContent"), "pending");
    assert_eq!(needs("h1"), "1 of 2 approvals (ada)");
    assert!(!tab.is("document.getElementById('yes')") && tab.is("document.getElementById('no')"));
    assert!(tab.is(
        "document.getElementById('bar').textContent.includes('You have approved this. Undo your approval')"
    ));
    for screen in [Screen::Light, Screen::Dark, Screen::Phone] {
        tab.screen(screen);
        for (name, path) in [("request", format!("/requests/{id}")), ("card", "/".to_owned())] {
            stage.go(&path);
            tab.picture(&format!("two-people-{name}-{screen:?}").to_lowercase());
            assert_eq!(tab.eval(FAULTS), json!([]), "{name} {screen:?}");
        }
    }
    assert_eq!(needs(&format!("#{id}")), "1 of 2 approvals (ada)");
    stage.go(&format!("/requests/{id}"));
    tab.leads_on(|tab| tab.click("#undo"));
    assert_eq!(needs("h1"), "0 of 2 approvals");
    tab.until("!document.getElementById('yes').disabled");
    tab.leads_on(|tab| tab.click("#yes"));
    assert_eq!(needs("h1"), "1 of 2 approvals (ada)");
    tab.key("n");
    tab.leads_on(|tab| tab.key("Enter"));
    assert_eq!(tab.eval("document.getElementById('state').textContent"), "denied");
}

/// Somebody else's yes is told, and this person's is still asked for.
#[test]
fn the_second_yes_lets_the_call_run() {
    let house = House::with_policy(TWO);
    let id = house.ask(ASKED).request();
    let home = house.home().display().to_string();
    let dirs = Dirs::from_env(&|name| (name == "HOME").then(|| home.clone()));
    let mut store = Sqlite::open(&dirs.ledger(), signing_key(&dirs).unwrap()).unwrap();
    let mut turn = store.begin().unwrap();
    let request = turn.request(&id).unwrap().unwrap();
    let yes = Answer {
        request: id.clone(),
        word: Word::Approve,
        by: "bob\u{202e}".to_owned(),
        words: None,
        reach: Extent::Once,
        proof: Proof::Terminal,
    };
    turn.append(request.made_ms, &Context::default(), Entry::Answered(yes)).unwrap();
    turn.commit().unwrap();
    drop(store);
    let Some(stage) = Stage::set(house) else { return };
    let tab = &stage.tab;
    let needs = tab.eval(&format!("document.querySelector('#{id} .needs').textContent"));
    assert_eq!(needs, "1 of 2 approvals (bob\\u{202e})");
    stage.go(&format!("/requests/{id}"));
    tab.until("!document.getElementById('yes').disabled");
    tab.leads_on(|tab| tab.click("#yes"));
    assert_eq!(tab.eval("document.getElementById('state').textContent"), "approved");
    assert!(!stage.house.ask(ASKED).is_no());
}

impl Stage {
    /// The browser's cookie, for a second way in.
    pub fn cookie(&self) -> String {
        let wanted = serde_json::json!({ "urls": [format!("http://{}", self.server.host)] });
        let said = self.tab.say("Network.getCookies", &wanted);
        let own = &said["cookies"][0];
        format!("Cookie: {}={}\r\n", own["name"].as_str().unwrap(), own["value"].as_str().unwrap())
    }
}
