//! Wrong passphrases over HTTP: a few for the whole server, then none is looked at for a while.

use crate::house::ASKED;
use crate::review::{PASSPHRASE, answer, locked, state};
use crate::server::{Reply, Server, form_of};
use serde_json::{Value, json};

/// How many are looked at before a pause.
const WRONG_MAX: usize = 5;

fn api(server: &Server, cookie: &str, id: &str, passphrase: &str) -> Reply {
    let headers = format!("{cookie}Origin: http://{}\r\nContent-Type: application/json\r\n", server.host);
    let body = json!({ "word": "approve", "passphrase": passphrase }).to_string();
    server.post(&format!("/api/requests/{id}/answer"), &headers, &body)
}

/// Seconds until the next one is looked at.
#[track_caller]
fn retry_after(reply: &Reply) -> i64 {
    let line = reply.head.lines().find_map(|line| line.strip_prefix("retry-after: "));
    line.unwrap_or_else(|| panic!("no Retry-After: {}", reply.head)).parse().unwrap()
}

#[test]
fn wrong_passphrases_are_bounded_for_the_whole_server() {
    let house = locked();
    let (id, other) = (house.ask(ASKED).request(), house.ask("git push -f").request());
    let server = Server::start(&house);
    let cookie = server.come_in();
    let notes = || {
        let is_note = |record: &Value| record["entry"]["what"] == "wrong-passphrases";
        house.records().into_iter().filter(is_note).collect::<Vec<_>>()
    };
    for passphrase in ["", "short"] {
        assert_eq!(api(&server, &cookie, &id, passphrase).status, 403, "no try at all: {passphrase:?}");
    }
    for number in 0..WRONG_MAX {
        assert!(notes().is_empty());
        let reply = api(&server, &cookie, [&id, &other][number % 2], &format!("wrong horse {number}"));
        assert_eq!(reply.status, 403, "{}", reply.body);
    }
    let right = PASSPHRASE.trim();
    for id in [&id, &other] {
        let reply = api(&server, &cookie, id, right);
        assert_eq!(reply.status, 429, "{}", reply.body);
        assert!((1..=60).contains(&retry_after(&reply)), "{}", reply.head);
        assert!(reply.body.contains("try again in "), "{}", reply.body);
    }
    // The form comes back with its words, and says when.
    let (path, headers) = (format!("/requests/{id}"), server.form_headers(&cookie));
    let form = form_of(&server.get(&path, &cookie)).to_owned();
    let body = format!("form={form}&word=deny&words=not+today&passphrase=wrong+horse");
    let page = server.post(&path, &headers, &body);
    assert!(page.status == 429 && retry_after(&page) > 0, "{}", page.head);
    assert!(page.body.contains(">not today</textarea>") && page.body.contains("id=\"passphrase-fault\""));
    let kept = notes();
    assert_eq!(kept.len(), 1, "once, not each: {kept:?}");
    assert!(kept[0]["entry"]["text"].as_str().unwrap().starts_with("5 wrong passphrases"), "{kept:?}");
    assert_eq!(state(&house, &id), "pending");
    // A terminal of one's own is no part of it, and a new server begins anew.
    answer(&house, "approve", &id, PASSPHRASE).ended(0);
    drop(server);
    let server = Server::start(&house);
    assert_eq!(api(&server, &server.come_in(), &other, right).status, 200);
    house.run(&["ledger", "verify"]).ended(0);
}

/// As many connections as somebody likes are no more than one.
#[test]
fn many_at_once_are_no_way_around() {
    let house = locked();
    let id = house.ask(ASKED).request();
    let server = Server::start(&house);
    let cookie = server.come_in();
    let looked_at = std::thread::scope(|scope| {
        let one = |number: usize| api(&server, &cookie, &id, &format!("wrong horse {number}")).status;
        let all: Vec<_> = (0..24).map(|number| scope.spawn(move || one(number))).collect();
        let all: Vec<u16> = all.into_iter().map(|one| one.join().unwrap()).collect();
        assert!(all.iter().all(|status| [403, 429].contains(status)), "{all:?}");
        all.into_iter().filter(|status| *status == 403).count()
    });
    assert_eq!(looked_at, WRONG_MAX);
    assert_eq!(state(&house, &id), "pending");
}
