//! Words have a limit, and whoever goes beyond it is told how long theirs are and how long they may be.

use crate::house::{ASKED, House, TICKET};
use crate::review::{PASSPHRASE, locked, state};
use crate::server::{Server, form_of};
use serde_json::json;

/// Characters that are taken.
const WORDS_MAX: usize = 4_000;

const FAULT: &str = "the message is 4001 characters long; the limit is 4000";

#[test]
fn the_terminal_names_the_limit() {
    let house = locked();
    let id = house.ask(ASKED).request();
    let long = "ü".repeat(WORDS_MAX + 1);
    for args in [
        &["inbox", "deny", &id, "--words", &long, "--passphrase-stdin"][..],
        &["inbox", "approve", &id, "--words", &long, "--passphrase-stdin"],
        &["inbox", "deny", "--all", "--words", &long, "--passphrase-stdin"],
        &["inbox", "comment", &id, &long],
        &["bypass", "review", &id, "--words", &long],
    ] {
        let said = house.run_with(args, PASSPHRASE).ended(1);
        assert!(said.err.contains(FAULT), "{:?}: {}", &args[..2], said.err);
    }
    assert_eq!(state(&house, &id), "pending");
    let whole = &long[..long.len() - "ü".len()];
    house.run(&["inbox", "comment", &id, whole]).ended(0);
    house.run_with(&["inbox", "deny", &id, "--words", whole, "--passphrase-stdin"], PASSPHRASE).ended(0);
    assert!(house.ask(ASKED).text().contains(whole), "all of it reaches the agent");
}

#[test]
fn the_form_and_the_api_name_it_too() {
    let house = House::with_policy(TICKET);
    let id = house.ask(ASKED).request();
    let server = Server::start(&house);
    let cookie = server.come_in();
    let (path, headers) = (format!("/requests/{id}"), server.form_headers(&cookie));
    let form = form_of(&server.get(&path, &cookie)).to_owned();
    let long = "%C3%BC".repeat(WORDS_MAX + 1);
    let page = server.post(&path, &headers, &format!("form={form}&word=deny&words={long}"));
    assert_eq!(page.status, 422);
    assert!(page.body.contains("id=\"words-fault\"") && page.body.contains(FAULT), "{}", page.body);
    assert!(page.body.contains(&"ü".repeat(WORDS_MAX + 1)), "what was written is still there");
    let page =
        server.post(&format!("{path}/handle"), &headers, &format!("form={form}&action=comment&text={long}"));
    assert!(page.status == 422 && page.body.contains("id=\"comment-fault\"") && page.body.contains(FAULT));
    let json_headers =
        format!("{cookie}Origin: http://{}\r\nContent-Type: application/json\r\n", server.host);
    let long = "ü".repeat(WORDS_MAX + 1);
    for (verb, body) in [
        ("answer", json!({ "word": "deny", "words": long })),
        ("handle", json!({ "action": "comment", "text": long })),
    ] {
        let reply = server.post(&format!("/api{path}/{verb}"), &json_headers, &body.to_string());
        assert!(reply.status == 422 && reply.body.contains(FAULT), "{verb}: {}", reply.body);
    }
    assert_eq!(state(&house, &id), "pending");
    server.deny(&cookie, &id, &"ü".repeat(WORDS_MAX));
    assert_eq!(state(&house, &id), "denied");
}
