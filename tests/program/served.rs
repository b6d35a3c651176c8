//! What `toolgate serve` shows and takes: forms that come back, pages of errors, what is alike beyond a page, lists as JSON.

use crate::house::{ASKED, House, TICKET};
use crate::judge::{Judge, Line, opinion};
use crate::server::{Server, form_of};
use serde_json::{Value, json};
use toolgate_core::{Context, Entry, Request};
use toolgate_runtime::{Dirs, signing_key};
use toolgate_store::{Sqlite, Store, Which};

/// Adds requests like the one there is, each changed by `change`.
fn multiply(house: &House, count: i64, change: impl Fn(i64, Request) -> Request) {
    let home = house.home().display().to_string();
    let dirs = Dirs::from_env(&|name| (name == "HOME").then(|| home.clone()));
    let mut store = Sqlite::open(&dirs.ledger(), signing_key(&dirs).unwrap()).unwrap();
    let first = store.requests(Which::All).unwrap().remove(0);
    let mut turn = store.begin().unwrap();
    for number in 0..count {
        let request = Request { id: format!("r-y{number:09}"), ..first.clone() };
        let request = change(number, request);
        turn.append(first.made_ms, &Context::default(), Entry::Requested(request)).unwrap();
    }
    turn.commit().unwrap();
}

#[test]
fn a_form_that_cannot_be_taken_comes_back_filled_in() {
    let house = House::with_policy(TICKET);
    let id = house.ask(ASKED).request();
    let server = Server::start(&house);
    let cookie = server.come_in();
    let (path, headers) = (format!("/requests/{id}"), server.form_headers(&cookie));
    let form = form_of(&server.get(&path, &cookie)).to_owned();
    let send = |rest: &str| {
        server.post(&path, &headers, &format!("form={form}&word=approve&words=mind+the+gap&{rest}"))
    };
    for (rest, field, kept) in [
        ("scope=for&minutes=0", "minutes", "value=\"0\""),
        ("scope=pattern&pattern=git+push+%7C+sh", "pattern", "value=\"git push | sh\""),
        ("scope=sideways&minutes=7", "scope", "value=\"7\""),
    ] {
        let reply = send(rest);
        assert_eq!(reply.status, 422, "{rest}: {}", reply.body);
        assert!(reply.body.contains(&format!("id=\"{field}-fault\"")), "{rest}: {}", reply.body);
        assert!(
            reply.body.contains(">mind the gap</textarea>") && reply.body.contains(kept),
            "{rest}: {}",
            reply.body
        );
        assert_eq!(reply.body.matches("class=\"fault\"").count(), 1, "{rest}");
    }
    let said = server.post(&format!("{path}/handle"), &headers, &format!("form={form}&action=comment&text="));
    assert!(said.status == 422 && said.body.contains("id=\"comment-fault\""), "{}", said.body);
    assert!(house.ask(ASKED).is_no(), "nothing of this was a yes");
}

#[test]
fn every_page_of_an_error_leads_on() {
    let house = House::with_policy(TICKET);
    let server = Server::start(&house);
    let cookie = server.come_in();
    for (path, status) in
        [("/nowhere", 404), ("/requests/r-0000000000", 404), ("/ledger/999", 404), ("/?behind=x", 400)]
    {
        let page = server.get(path, &cookie);
        assert_eq!(page.status, status, "{path}");
        assert!(
            page.body.contains("<nav") && page.body.contains("href=\"/grants\""),
            "{path}: {}",
            page.body
        );
    }
    assert!(server.get("/", "").body.contains("<nav"), "also for those who are not in");
}

/// A session may be called anything; its link leads to it all the same.
#[test]
fn a_session_with_an_odd_name_is_found() {
    let house = House::with_policy(TICKET);
    let mut event = house.call(ASKED);
    event["session_id"] = json!("s\u{1b}[2J/\u{202e}<b>");
    let id = house.ask_event(&event).request();
    let server = Server::start(&house);
    let cookie = server.come_in();
    for path in ["/", &format!("/requests/{id}"), "/sessions", "/ledger", "/ledger/1"] {
        let page = server.get(path, &cookie).body;
        let link = page.split("href=\"/sessions/").nth(1).unwrap_or_else(|| panic!("{path}: {page}"));
        let link = link.split('"').next().unwrap();
        let session = server.get(&format!("/sessions/{link}"), &cookie);
        assert!(session.status == 200 && session.body.contains(ASKED), "{path} {link}: {}", session.body);
    }
}

/// Alike is put together before pages are made: more than a page of it is one card.
#[test]
fn what_is_alike_is_one_card_beyond_a_page() {
    let house = House::with_policy(TICKET);
    house.ask(ASKED).request();
    multiply(&house, 60, |number, one| Request {
        session: format!("other-{number}"),
        made_ms: one.made_ms + number,
        ..one
    });
    house.ask("git push --force origin other").request();
    let server = Server::start(&house);
    let cookie = server.come_in();
    let inbox = server.get("/", &cookie).body;
    assert!(
        inbox.contains("the same request in 60 more sessions") && inbox.contains("62 requests waiting"),
        "{inbox}"
    );
    assert_eq!(inbox.matches("<article").count(), 2, "{inbox}");
    assert!(!inbox.contains("class=\"next\""), "there is no second page");
}

#[test]
fn lists_are_short_and_one_request_is_whole() {
    let house = House::with_policy(TICKET);
    let long = format!("{}git push --force origin main # the tail", "echo a line\n".repeat(2_000));
    let id = house.ask(&long).request();
    let server = Server::start(&house);
    let cookie = server.come_in();
    let get = |path: &str| -> Value { serde_json::from_str(&server.get(path, &cookie).body).unwrap() };
    let listed = get("/api/requests");
    assert!(listed[0]["cut"] == true && listed[0]["title"].as_str().unwrap().len() == 1_000, "{listed}");
    let whole = get(&format!("/api/requests/{id}"));
    assert!(whole["cut"] == false && whole["title"] == long.as_str(), "{whole}");
    assert_eq!(
        [get("/api/grants"), get("/api/bypasses"), get("/api/supervisors")],
        [json!([]), json!([]), json!([])]
    );
    let headers = format!("{cookie}Origin: http://{}\r\nContent-Type: application/json\r\n", server.host);
    let body = json!({ "word": "approve", "reach": { "extent": "session" } }).to_string();
    assert_eq!(server.post(&format!("/api/requests/{id}/answer"), &headers, &body).status, 200);
    assert_eq!(get("/api/grants")[0]["id"], id.as_str());
    assert_eq!(server.get("/api/grants?behind=x", &cookie).status, 400);
}

/// Calls a pattern would cover are shown as every other text is: what is spelled out is marked, the same letters are not.
#[test]
fn hidden_characters_of_covered_calls_are_marked() {
    let house = House::with_policy(TICKET);
    house.ask("git push --force origin ma\u{200b}in");
    house.ask("git push --force origin 'ma\\u{200b}in'");
    let id = house.ask("git push --force origin next").request();
    let server = Server::start(&house);
    let cookie = server.come_in();
    let page = server.get(&format!("/requests/{id}"), &cookie).body;
    assert!(page.contains("<code>git push --force origin ma<mark>\\u{200b}</mark>in</code>"), "{page}");
    assert!(page.contains("<code>git push --force origin &#39;ma\\u{200b}in&#39;</code>"), "{page}");
    let said = server.get("/api/covered?pattern=git+push+--force+origin+*", &cookie).body;
    let said: Value = serde_json::from_str(&said).unwrap();
    assert_eq!(said["count"], 3, "{said}");
    assert_eq!(said["calls"][2], "git push --force origin ma\\u{200b}in", "{said}");
    let pieces = json!([
        { "text": "git push --force origin ma", "spelled": false },
        { "text": "\\u{200b}", "spelled": true },
        { "text": "in", "spelled": false }
    ]);
    assert_eq!(said["pieces"][2], pieces, "{said}");
}

/// What a supervisor wanted run instead, and nobody did, is told on the request's page and in the session.
#[test]
fn a_change_nobody_took_is_shown_as_such() {
    let judge = Judge::start(|asked| {
        let mut own = opinion(asked, "modify", 0.9);
        own["decision"] = json!({ "modify": "git push --force origin elsewhere" });
        Line::json(own)
    });
    let house = crate::supervisors::house(&judge);
    let id = house.ask(ASKED).request();
    let server = Server::start(&house);
    let cookie = server.come_in();
    for path in [format!("/requests/{id}"), "/sessions/session-1".to_owned()] {
        let page = server.get(&path, &cookie).body;
        assert!(
            page.contains("proposed instead (not used): git push --force origin elsewhere"),
            "{path}: {page}"
        );
    }
    assert!(server.get("/ledger", &cookie).body.contains("git push --force origin elsewhere"));
}
