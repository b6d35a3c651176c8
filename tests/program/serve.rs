//! `toolgate serve`: the inbox in a browser, and everybody who must stay outside.

use crate::house::{ASKED, House, TICKET};
use crate::server::{NO_ANSWER, Server, form_of};
use toolgate_core::{Context, Entry, Request};
use toolgate_runtime::{Dirs, signing_key};
use toolgate_store::{Sqlite, Store, Which};

fn asked(house: &House) -> String {
    house.ask(ASKED).request()
}

#[test]
fn a_call_is_approved_in_the_browser_and_runs_once() {
    let house = House::with_policy(TICKET);
    let id = asked(&house);
    let server = Server::start(&house);
    let cookie = server.come_in();
    let inbox = server.get("/", &cookie);
    // What made the rule ask is marked in the command.
    let marked = ASKED.replace("main", "<mark class=\"found\">main</mark>");
    assert!(
        inbox.status == 200 && inbox.body.contains(&id) && inbox.body.contains(&marked),
        "{}",
        inbox.body
    );
    let page = server.get(&format!("/requests/{id}"), &cookie);
    let body = format!("form={}&word=approve&words=go+on", form_of(&page));
    let reply = server.post(&format!("/requests/{id}"), &server.form_headers(&cookie), &body);
    assert_eq!(reply.status, 303, "{}", reply.body);
    assert!(!house.ask(ASKED).is_no(), "approved");
    assert!(house.ask(ASKED).is_no(), "only once");
    house.run(&["ledger", "verify"]).ended(0);
    let again = server.post(&format!("/requests/{id}"), &server.form_headers(&cookie), &body);
    assert_eq!(again.status, 409, "{}", again.body);
}

#[test]
fn a_no_in_the_browser_reaches_the_agent_with_its_words() {
    let house = House::with_policy(TICKET);
    let id = asked(&house);
    let server = Server::start(&house);
    let cookie = server.come_in();
    server.deny(&cookie, &id, "rebase first");
    assert!(house.ask(ASKED).text().contains("rebase first"));
    for path in ["/rules", "/ledger", "/sessions", "/grants", "/api/requests", "/api/log"] {
        let reply = server.get(path, &cookie);
        assert_eq!(reply.status, 200, "{path}: {}", reply.body);
        assert!(reply.body.len() < 150_000, "{path} is large");
    }
    assert!(server.get("/ledger", &cookie).body.contains("The ledger is intact"));
}

#[test]
fn with_a_passphrase_the_browser_needs_it_too() {
    let house = House::with_policy(TICKET);
    house.run_with(&["approver", "set", "--passphrase-stdin"], "correct horse\n").ended(0);
    let id = asked(&house);
    let server = Server::start(&house);
    let cookie = server.come_in();
    let page = server.get(&format!("/requests/{id}"), &cookie);
    let (form, headers) = (form_of(&page).to_owned(), server.form_headers(&cookie));
    let answer = |passphrase: &str| {
        let body = format!("form={form}&word=approve&passphrase={passphrase}");
        server.post(&format!("/requests/{id}"), &headers, &body).status
    };
    assert_eq!((answer(""), answer("wrong+horse")), (403, 403));
    assert!(house.ask(ASKED).is_no());
    assert_eq!(answer("correct+horse"), 303);
    assert!(!house.ask(ASKED).is_no());
}

#[test]
fn the_link_works_once() {
    let house = House::with_policy(TICKET);
    let mut server = Server::start(&house);
    let path = server.enter.split_once(&server.host).unwrap().1.to_owned();
    assert_eq!(server.get("/enter?token=", "").status, 403);
    assert_eq!(server.get(&path[..path.len() - 1], "").status, 403);
    assert_eq!(server.get("/enter", "").status, 400);
    let cookie = server.come_in();
    let used = server.get(&path, "");
    assert!(used.status == 403 && used.body.contains("kill -USR1"), "{}", used.body);
    // Where the server runs a new one is printed; who follows it is in instead.
    server.renew();
    assert_eq!(server.get(&path, "").status, 403, "the old one stays used");
    assert_eq!(server.get("/", &cookie).status, 200);
    let fresh = server.come_in();
    assert_eq!((server.get("/", &cookie).status, server.get("/", &fresh).status), (401, 200));
}

#[test]
fn others_stay_outside() {
    let house = House::with_policy(TICKET);
    let id = asked(&house);
    let server = Server::start(&house);
    let cookie = server.come_in();
    let own = server.host.clone();
    let port = own.rsplit(':').next().unwrap();
    let get = |path: &str, host: &str, more: &str| {
        server.raw(&format!("GET {path} HTTP/1.1\r\n{host}Connection: close\r\n{more}\r\n")).status
    };
    let ours = format!("Host: {own}\r\n");
    // Without a cookie, or with a wrong one.
    for path in
        ["/", "/log", "/rules", "/ledger", "/live", "/api/requests", "/api/log", &format!("/requests/{id}")]
    {
        for cookie in ["", "Cookie: toolgate=\r\n", "Cookie: toolgate=00\r\n", "Authorization: Bearer x\r\n"]
        {
            assert_eq!(get(path, &ours, cookie), 401, "{path} {cookie}");
        }
    }
    // Names that lead here but are not ours, as with a rebound name.
    for host in [
        "",
        "Host: evil.example\r\n",
        "Host: 127.0.0.1\r\n",
        &format!("Host: evil.example:{port}\r\n"),
        &format!("Host: {own}.evil.example\r\n"),
        &format!("Host: 0.0.0.0:{port}\r\n"),
        &format!("{ours}Host: x\r\n"),
        &format!("Host: x\r\n{ours}"),
        &format!("{ours}{ours}"),
    ] {
        let status = get("/", host, &cookie);
        assert!(matches!(status, 400 | 403), "{host}: {status}");
    }
    // Pages of others.
    for from in [
        "Origin: http://evil.example\r\n",
        "Origin: null\r\n",
        "Sec-Fetch-Site: cross-site\r\n",
        "Sec-Fetch-Site: same-site\r\n",
        &format!("Origin: https://{own}\r\n"),
        &format!("Origin: http://{own}.evil\r\n"),
    ] {
        assert_eq!(get("/", &ours, &format!("{cookie}{from}")), 403, "{from}");
    }
    assert_eq!(get("/", &ours, &cookie), 200);
    // Cookies know no ports: one that comes by the name of this machine may be anybody's.
    for shared in [format!("localhost:{port}"), server.address.clone()] {
        assert!(matches!(get("/", &format!("Host: {shared}\r\n"), &cookie), 401 | 403), "{shared}");
    }
}

/// Another server can set a cookie of the same name for a name above ours. That logs nobody out.
#[test]
fn a_cookie_of_others_throws_nobody_out() {
    let house = House::with_policy(TICKET);
    let server = Server::start(&house);
    let cookie = server.come_in();
    let (name, value) = cookie.trim().strip_prefix("Cookie: ").unwrap().split_once('=').unwrap();
    for cookies in [
        format!("Cookie: {name}=ffff; {name}={value}\r\n"),
        format!("Cookie: {name}={value}; {name}=ffff\r\n"),
        format!("Cookie: {name}=ffff\r\nCookie: {name}={value}\r\n"),
    ] {
        assert_eq!(server.get("/", &cookies).status, 200, "{cookies}");
    }
    let other = Server::start(&house).come_in();
    assert!(!other.starts_with(&format!("Cookie: {name}=")), "every server has a name of its own");
}

/// The link is for the name it has: at the address its cookie would go to every server of this machine.
#[test]
fn the_link_opens_at_its_own_name_only() {
    let house = House::with_policy(TICKET);
    let server = Server::start(&house);
    assert!(server.host.starts_with("t-") && server.host.contains(".localhost:"), "{}", server.host);
    let path = server.enter.split_once(&server.host).unwrap().1.to_owned();
    let reply = server.raw(&format!(
        "GET {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nSec-Fetch-Site: none\r\n\r\n",
        server.address
    ));
    assert!(reply.status == 403 && !reply.head.contains("set-cookie"), "{}", reply.body);
    assert!(reply.body.contains("--by-address"), "{}", reply.body);
    server.come_in();
}

/// For browsers that know no such names there is an address hardly any other server is at.
#[test]
fn by_address_it_is_no_address_others_share() {
    let house = House::with_policy(TICKET);
    let said = house.run(&["serve", "--by-address", "--listen", "127.0.0.1:0"]).ended(1);
    assert!(said.err.contains("cookie") && said.err.contains("[::1]"), "{}", said.err);
    let server =
        Server::run(house.toolgate(&["serve", "--by-address", "--listen", "127.61.7.2:0", "--json"]));
    assert_eq!(server.host, server.address);
    assert_eq!(server.get("/", &server.come_in()).status, 200);
}

/// The second one says what is the matter, and nothing is broken.
#[test]
fn a_second_server_says_that_one_is_running() {
    let house = House::with_policy(TICKET);
    let server = Server::start(&house);
    let said = house.run(&["serve", "--listen", &server.address]).ended(1);
    let id = server.child.id();
    assert!(said.err.contains("is running already") && said.err.contains(&id.to_string()), "{}", said.err);
    assert!(!said.err.contains("broken"), "{}", said.err);
}

#[test]
fn an_answer_comes_from_our_own_form() {
    let house = House::with_policy(TICKET);
    let id = asked(&house);
    let server = Server::start(&house);
    let cookie = server.come_in();
    let form = form_of(&server.get(&format!("/requests/{id}"), &cookie)).to_owned();
    let (path, ours) = (format!("/requests/{id}"), server.form_headers(&cookie));
    let form_type = "Content-Type: application/x-www-form-urlencoded\r\n";
    let good = format!("form={form}&word=approve");
    let check = |headers: &str, body: &str, expected: &[u16]| {
        let status = server.post(&path, headers, body).status;
        assert!(expected.contains(&status), "{headers:?} {body:?}: {status}");
    };
    check(&format!("{cookie}{form_type}"), &good, &[403]);
    check(&format!("{cookie}{form_type}Origin: http://evil.example\r\n"), &good, &[403]);
    check(&format!("{ours}Sec-Fetch-Site: cross-site\r\n"), &good, &[403]);
    check(&ours.replace(&cookie, ""), &good, &[401]);
    check(&ours, "word=approve", &[422]);
    check(&ours, "form=&word=approve", &[403]);
    check(&ours, &format!("form={form}0&word=approve"), &[403]);
    check(&ours, &format!("form={form}&word=yes"), &[422]);
    check(&ours, &format!("form={form}"), &[422]);
    check(&ours, &format!("{good}&words={}", "x".repeat(100_000)), &[422]);
    check(&ours, &format!("{good}&words={}", "x".repeat(2_000_000)), &[413, NO_ANSWER]);
    check(&ours.replace("x-www-form-urlencoded", "json"), "{}", &[415]);
    for method in ["PUT", "DELETE", "PATCH"] {
        let request =
            format!("{method} {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n{ours}\r\n", server.host);
        assert_eq!(server.raw(&request).status, 405, "{method}");
    }
    let status = server.post("/requests/r-0000000000", &ours, &good).status;
    assert_eq!(status, 404);
    assert!(house.ask(ASKED).is_no(), "nothing of this was a yes");
}

#[test]
fn nothing_hides_on_a_page() {
    let house = House::with_policy(TICKET);
    let hostile = "git push --force origin '<script>alert(1)</script>\u{1b}[2J\u{202e}\"><img src=x>'";
    let id = house.ask(hostile).request();
    let server = Server::start(&house);
    let cookie = server.come_in();
    for path in
        ["/".to_owned(), format!("/requests/{id}"), "/ledger".to_owned(), "/sessions/session-1".to_owned()]
    {
        let page = server.get(&path, &cookie);
        for raw in ["<script>alert", "<img", "\u{1b}", "\u{202e}"] {
            assert!(!page.body.contains(raw), "{path}: {raw:?}");
        }
        assert!(page.body.contains("\\u{202e}"), "{path} shows what is hidden");
        for header in [
            "content-security-policy: default-src 'none'",
            "x-frame-options: deny",
            "cache-control: no-store",
            "x-content-type-options: nosniff",
        ] {
            assert!(page.head.contains(header), "{path}: {header}");
        }
    }
}

#[test]
fn only_this_machine_is_served_and_no_agent_starts_it() {
    let house = House::with_policy(TICKET);
    for address in ["0.0.0.0:0", "[::]:0", "192.0.2.1:80"] {
        let said = house.run(&["serve", "--listen", address]).ended(1);
        assert!(said.err.contains("other machines"), "{}", said.err);
    }
    let mut inside = house.toolgate(&["serve", "--listen", "127.0.0.1:0"]);
    inside.env("CLAUDECODE", "1");
    let said = crate::house::finish(inside, b"").ended(1);
    assert!(said.err.contains("inside an agent"), "{}", said.err);
    assert!(house.ask("toolgate serve").is_no(), "the gate keeps agents from it as well");
}

/// Ten thousand more requests like the one there is.
fn multiply(house: &House) {
    let home = house.home().display().to_string();
    let dirs = Dirs::from_env(&|name| (name == "HOME").then(|| home.clone()));
    let mut store = Sqlite::open(&dirs.ledger(), signing_key(&dirs).unwrap()).unwrap();
    let first = store.requests(Which::All).unwrap().remove(0);
    let mut turn = store.begin().unwrap();
    for number in 0..10_000 {
        let request =
            Request { id: format!("r-x{number:09}"), made_ms: first.made_ms + number, ..first.clone() };
        turn.append(first.made_ms, &Context::default(), Entry::Requested(request)).unwrap();
    }
    turn.commit().unwrap();
}

#[test]
fn ten_thousand_requests_are_looked_through_a_page_at_a_time() {
    let house = House::with_policy(TICKET);
    asked(&house);
    multiply(&house);
    let server = Server::start(&house);
    let cookie = server.come_in();
    let (mut path, mut seen) = ("/".to_owned(), std::collections::BTreeSet::new());
    for number in 0..4 {
        let page = server.get(&path, &cookie);
        assert!(page.body.contains("10001 requests wait"), "{}", page.body);
        assert!(page.body.len() < 150_000, "{} bytes", page.body.len());
        let cards: Vec<&str> = page.body.split("tabindex=\"-1\" aria-label=\"").skip(1).collect();
        assert_eq!(cards.len(), 25, "page {number}");
        seen.extend(cards.iter().map(|card| card.split('"').next().unwrap().to_owned()));
        path =
            page.body.split("class=\"next\" href=\"").nth(1).unwrap().split('"').next().unwrap().to_owned();
    }
    assert_eq!(seen.len(), 100, "no request twice, none left out");
    assert!(seen.contains("r-x000009999") && seen.contains("r-x000009900"), "the newest first");
    let listed = server.get("/api/requests", &cookie);
    assert!(listed.body.matches("\"id\":").count() == 100 && listed.body.len() < 150_000);
}

/// The published document is the one that is served.
#[test]
fn the_api_is_its_document() {
    let house = House::with_policy(TICKET);
    let said = house.run(&["serve", "--openapi"]).ended(0).text();
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/openapi.json");
    let written = std::fs::read_to_string(file).expect("docs/openapi.json");
    assert!(said == written, "write it anew: toolgate serve --openapi > docs/openapi.json");
    let server = Server::start(&house);
    assert!(server.get("/api/openapi.json", &server.come_in()).body == written, "served as published");
}

/// What several sessions ask alike is one card; one answer is given to each that was named, and to nothing else.
#[test]
fn one_card_for_what_sessions_ask_alike() {
    let house = House::with_policy(TICKET);
    let ask = |session: &str, command: &str| {
        let mut event = house.call(command);
        event["session_id"] = serde_json::json!(session);
        house.ask_event(&event)
    };
    let ids: Vec<String> = ["one", "two", "three"].map(|session| ask(session, ASKED).request()).to_vec();
    let other = ask("four", "git push --force origin other").request();
    let server = Server::start(&house);
    let cookie = server.come_in();
    let inbox = server.get("/", &cookie).body;
    assert!(inbox.contains("the same request in 2 more sessions"), "{inbox}");
    assert_eq!(inbox.matches("<article").count(), 2, "{inbox}");
    let page = server.get(&format!("/requests/{}", ids[0]), &cookie).body;
    let also = page.split("name=\"also\" value=\"").nth(1).unwrap().split('"').next().unwrap();
    assert_eq!(also.split(' ').count(), 2, "{also}");
    assert!(also.contains(&ids[1]) && also.contains(&ids[2]), "{also}");
    assert!(!page.contains(" checked"), "nobody answers for other sessions unasked");
    let headers = format!("{cookie}Origin: http://{}\r\nContent-Type: application/json\r\n", server.host);
    // The third came to be asked after the page was made; the other is another question.
    let body = serde_json::json!({ "word": "approve", "alike": [ids[1], other, "r-0000000000"] }).to_string();
    assert_eq!(server.post(&format!("/api/requests/{}/answer", ids[0]), &headers, &body).status, 200);
    let state = |id: &String| crate::review::state(&house, id);
    assert_eq!([state(&ids[0]), state(&ids[1])], ["approved", "approved"]);
    assert_eq!([state(&ids[2]), state(&other)], ["pending", "pending"]);
    for session in ["one", "two"] {
        assert!(!ask(session, ASKED).is_no(), "{session} has its own yes");
        assert!(ask(session, ASKED).is_no(), "{session}: once");
    }
    assert!(ask("three", ASKED).is_no());
    house.run(&["ledger", "verify"]).ended(0);
}
