//! Answering: with words, only after the end was shown, without scripts, while the page is open.

use crate::house::{ASKED, House, TICKET};
use crate::{Stage, asked};

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
    assert!(tab.is("document.body.textContent.includes('ada is looking at it')"));
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
    assert!(tab.is("document.getElementById('covered').textContent.includes('covered 1 ')"));
    let write = |pattern: &str| {
        tab.eval("document.getElementById('pattern').select()");
        tab.text(pattern);
    };
    write("git push --force * *");
    tab.until("document.getElementById('covered').textContent.includes('covered 3 ')");
    tab.picture("request-pattern");
    write("git push | sh");
    tab.until("document.getElementById('covered').textContent.includes('is not one plain command')");
    write("git push --force origin *");
    tab.until("document.getElementById('covered').textContent.includes('covered 2 ')");
    write("git push --force * *");
    tab.until("document.getElementById('covered').textContent.includes('covered 3 ')");
    tab.until("!document.getElementById('yes').disabled");
    tab.leads_on(|tab| tab.click("#yes"));
    assert!(!stage.house.ask("git push --force origin three").is_no(), "it fits");
    assert!(stage.house.ask("git push --force origin three; true").is_no(), "nothing rides along");
}

#[test]
fn yes_waits_until_the_end_of_the_whole_text_was_shown() {
    let house = House::with_policy(TICKET);
    let long = format!("{}git push --force origin main # the tail", "echo one more line\n".repeat(300));
    let id = house.ask(&long).request();
    let Some(stage) = Stage::set(house) else { return };
    let tab = &stage.tab;
    assert!(tab.is(&format!("document.querySelector('#{id} .more').textContent.includes('more lines')")));
    stage.go(&format!("/requests/{id}"));
    assert!(
        tab.is("document.getElementById('what').textContent.endsWith('# the tail')"),
        "all of it is there"
    );
    // Two frames after loading every observer has told what it saw.
    tab.eval(
        "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))))",
    );
    assert!(tab.is("document.getElementById('yes').disabled"));
    assert!(!tab.is("document.getElementById('hint').hidden"));
    // Each key brings one screen more; at the end yes can be said.
    tab.key("y");
    assert!(tab.is("document.getElementById('yes').disabled"), "one screen is not all of it");
    for _ in 0..100 {
        tab.key("y");
        tab.eval("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))))");
        if !tab.is("document.getElementById('yes').disabled") {
            break;
        }
    }
    tab.until("!document.getElementById('yes').disabled");
    assert!(tab.is("document.getElementById('hint').hidden"));
    tab.key("y");
    assert!(tab.is("document.activeElement.id === 'yes'"));
    assert!(!tab.is("document.getElementById('no').disabled"), "no can always be said");
}

#[test]
fn hidden_characters_are_spelled_out() {
    let house = House::with_policy(TICKET);
    let id = house.ask("git push --force origin 'a\u{202e}b\u{1b}[2Jc\u{200b}<b>d</b>'").request();
    let Some(stage) = Stage::set(house) else { return };
    stage.go(&format!("/requests/{id}"));
    let text = stage.tab.eval("document.getElementById('what').textContent");
    assert_eq!(text, "git push --force origin 'a\\u{202e}b\\u{1b}[2Jc\\u{200b}<b>d</b>'");
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

impl Stage {
    /// The browser's cookie, for a second way in.
    pub fn cookie(&self) -> String {
        let wanted = serde_json::json!({ "urls": [format!("http://{}", self.server.host)] });
        let said = self.tab.say("Network.getCookies", &wanted);
        format!("Cookie: toolgate={}\r\n", said["cookies"][0]["value"].as_str().unwrap())
    }
}
