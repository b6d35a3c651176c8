//! Whoever must stay outside of `toolgate serve`: other pages, rebound names, forged forms, old tokens, frames,
//! agents. One table through the real server; every line is refused, and at the end the question is still open.

use crate::house::{ASKED, House, TICKET};
use crate::server::{Reply, Server, form_of};
use std::io::{Read, Write};
use std::process::Stdio;

/// What stands for what in the table below: `HOST` is the server's own name, `ADDRESS` where it listens, `PORT` its
/// port, `COOKIE` the good cookie line, `NAME` what the cookie is called, `TOKEN` what is in it, `API` the token of
/// programs, `FORM` the token of its forms, `ID` a waiting request, `LINK` the token of the used link, `OLD` a cookie
/// of another server.
const READS: &[(&str, &str, &str)] = &[
    // Nobody in particular.
    ("no cookie", "/", "Host: HOST\n"),
    ("no cookie, api", "/api/requests", "Host: HOST\n"),
    ("no cookie, document", "/api/openapi.json", "Host: HOST\n"),
    ("no cookie, live", "/live", "Host: HOST\n"),
    ("no cookie, record", "/ledger/1", "Host: HOST\n"),
    ("no cookie, session", "/sessions/session-1", "Host: HOST\n"),
    ("no cookie, playground", "/playground", "Host: HOST\n"),
    // Tokens that are none.
    ("empty cookie", "/", "Host: HOST\nCookie: NAME=\n"),
    ("short cookie", "/", "Host: HOST\nCookie: NAME=00\n"),
    (
        "cookie of zeroes",
        "/",
        "Host: HOST\nCookie: NAME=0000000000000000000000000000000000000000000000000000000000000000\n",
    ),
    ("cookie under another name", "/", "Host: HOST\nCookie: Toolgate=TOKEN\n"),
    ("cookie with something behind", "/", "Host: HOST\nCookie: NAME=TOKEN0\n"),
    ("cookie in quotes", "/", "Host: HOST\nCookie: NAME=\"TOKEN\"\n"),
    ("cookie of another server", "/", "Host: HOST\nCookie: OLD\n"),
    ("the link's token as cookie", "/", "Host: HOST\nCookie: NAME=LINK\n"),
    ("the form's token as cookie", "/", "Host: HOST\nCookie: NAME=FORM\n"),
    ("the API's token as cookie", "/", "Host: HOST\nCookie: NAME=API\n"),
    ("the cookie's name of others", "/", "Host: HOST\nCookie: toolgate=TOKEN\n"),
    // What every server on this machine could have been sent, in the hands of a program.
    ("the cookie's token as bearer", "/api/requests", "Host: ADDRESS\nAuthorization: Bearer TOKEN\n"),
    ("the cookie's token as bearer, by name", "/", "Host: HOST\nAuthorization: Bearer TOKEN\n"),
    ("the cookie at the address", "/", "Host: ADDRESS\nCOOKIE"),
    ("the cookie at the address, api", "/api/requests", "Host: ADDRESS\nCOOKIE"),
    ("the cookie at localhost", "/", "Host: localhost:PORT\nCOOKIE"),
    ("the form's token as bearer", "/api/requests", "Host: HOST\nAuthorization: Bearer FORM\n"),
    ("a wrong bearer beside the cookie", "/", "Host: HOST\nCOOKIEAuthorization: Bearer x\n"),
    ("token in another scheme", "/api/requests", "Host: HOST\nAuthorization: Basic TOKEN\n"),
    ("token in the address", "/?token=TOKEN", "Host: HOST\n"),
    ("the used link", "/enter?token=LINK", "Host: HOST\n"),
    ("the used link from elsewhere", "/enter?token=LINK", "Host: HOST\nSec-Fetch-Site: cross-site\n"),
    ("an empty link", "/enter?token=", "Host: HOST\n"),
    ("two links", "/enter?token=LINK&token=LINK", "Host: HOST\n"),
    // Names that lead here but are not ours.
    ("rebound name", "/", "Host: evil.example\nCOOKIE"),
    ("rebound name with our port", "/", "Host: evil.example:PORT\nCOOKIE"),
    ("our address without port", "/", "Host: 127.0.0.1\nCOOKIE"),
    ("our address with another port", "/", "Host: 127.0.0.1:1\nCOOKIE"),
    ("a name that begins like ours", "/", "Host: HOST.evil.example\nCOOKIE"),
    ("a name that ends like ours", "/", "Host: evil.localhost:PORT\nCOOKIE"),
    ("everybody's address", "/", "Host: 0.0.0.0:PORT\nCOOKIE"),
    ("the short spelling of ours", "/", "Host: 127.1:PORT\nCOOKIE"),
    ("ours as a number", "/", "Host: 2130706433:PORT\nCOOKIE"),
    ("ours in the newer form", "/", "Host: [::ffff:127.0.0.1]:PORT\nCOOKIE"),
    ("with a name in front", "/", "Host: user@HOST\nCOOKIE"),
    ("no host", "/", "COOKIE"),
    ("two hosts", "/", "Host: HOST\nHost: evil.example\nCOOKIE"),
    ("the same host twice", "/", "Host: HOST\nHost: HOST\nCOOKIE"),
    ("rebound name, api", "/api/requests", "Host: evil.example:PORT\nCOOKIE"),
    ("rebound name, live", "/live", "Host: evil.example:PORT\nCOOKIE"),
    // Pages of others.
    ("another page", "/", "Host: HOST\nCOOKIEOrigin: http://evil.example\n"),
    ("no page at all", "/", "Host: HOST\nCOOKIEOrigin: null\n"),
    ("ours, but secured", "/", "Host: HOST\nCOOKIEOrigin: https://HOST\n"),
    ("a page that begins like ours", "/", "Host: HOST\nCOOKIEOrigin: http://HOST.evil\n"),
    ("another port of this machine", "/", "Host: HOST\nCOOKIEOrigin: http://127.0.0.1:1\n"),
    ("another site", "/", "Host: HOST\nCOOKIESec-Fetch-Site: cross-site\n"),
    ("a neighbour site", "/", "Host: HOST\nCOOKIESec-Fetch-Site: same-site\n"),
    ("a site that is no word", "/", "Host: HOST\nCOOKIESec-Fetch-Site: x\n"),
    ("framed by another site", "/", "Host: HOST\nCOOKIESec-Fetch-Site: cross-site\nSec-Fetch-Dest: iframe\n"),
    (
        "a script of another site",
        "/api/requests",
        "Host: HOST\nCOOKIESec-Fetch-Site: cross-site\nSec-Fetch-Mode: no-cors\n",
    ),
    ("live for another site", "/live", "Host: HOST\nCOOKIEOrigin: http://evil.example\n"),
];

const FORM: &str = "Content-Type: application/x-www-form-urlencoded\n";
const OURS: &str = "Host: HOST\nOrigin: http://HOST\n";

/// Answers that are none: headers, body, and whether it goes to the API.
fn answers() -> Vec<(&'static str, String, &'static str, bool)> {
    let form = |headers: &str| format!("{headers}{FORM}");
    let json = |headers: &str| format!("{headers}Content-Type: application/json\n");
    let good = "form=FORM&word=approve";
    let yes = r#"{"word":"approve"}"#;
    vec![
        ("no cookie", form(OURS), good, false),
        ("no origin", form("Host: HOST\nCOOKIE"), good, false),
        ("another origin", form("Host: HOST\nCOOKIEOrigin: http://evil.example\n"), good, false),
        ("origin null", form("Host: HOST\nCOOKIEOrigin: null\n"), good, false),
        (
            "ours, sent from another site",
            form(&format!("{OURS}COOKIESec-Fetch-Site: cross-site\n")),
            good,
            false,
        ),
        ("ours, typed by nobody", form(&format!("{OURS}COOKIESec-Fetch-Site: none\n")), good, false),
        (
            "a rebound name",
            form("Host: evil.example:PORT\nCOOKIEOrigin: http://evil.example:PORT\n"),
            good,
            false,
        ),
        ("no form", form(&format!("{OURS}COOKIE")), "word=approve", false),
        ("an empty form", form(&format!("{OURS}COOKIE")), "form=&word=approve", false),
        (
            "a form of zeroes",
            form(&format!("{OURS}COOKIE")),
            "form=0000000000000000000000000000000000000000000000000000000000000000&word=approve",
            false,
        ),
        ("a longer form", form(&format!("{OURS}COOKIE")), "form=FORM0&word=approve", false),
        ("the cookie's token as form", form(&format!("{OURS}COOKIE")), "form=TOKEN&word=approve", false),
        ("two forms", form(&format!("{OURS}COOKIE")), "form=x&form=FORM&word=approve", false),
        ("a word that is none", form(&format!("{OURS}COOKIE")), "form=FORM&word=yes", false),
        ("two words", form(&format!("{OURS}COOKIE")), "form=FORM&word=deny&word=approve", false),
        ("as text", format!("{OURS}COOKIEContent-Type: text/plain\n"), good, false),
        ("as parts", format!("{OURS}COOKIEContent-Type: multipart/form-data; boundary=x\n"), "--x--", false),
        ("as nothing", format!("{OURS}COOKIE"), good, false),
        ("JSON without token", json(OURS), yes, true),
        ("JSON without origin", json("Host: HOST\nCOOKIE"), yes, true),
        ("JSON of another page", json("Host: HOST\nCOOKIEOrigin: http://evil.example\n"), yes, true),
        ("JSON as text, as a simple request", format!("{OURS}COOKIEContent-Type: text/plain\n"), yes, true),
        ("JSON as a form", form(&format!("{OURS}COOKIE")), "word=approve", true),
        ("the cookie's token as bearer", json("Host: ADDRESS\nAuthorization: Bearer TOKEN\n"), yes, true),
        ("the cookie at the address", json("Host: ADDRESS\nOrigin: http://ADDRESS\nCOOKIE"), yes, true),
        ("a wrong bearer", json("Host: HOST\nAuthorization: Bearer 00\n"), yes, true),
        ("a wrong bearer beside the cookie", json("Host: HOST\nCOOKIEAuthorization: Bearer 00\n"), yes, true),
        ("an unknown field", json(&format!("{OURS}COOKIE")), r#"{"word":"approve","by":"root"}"#, true),
        ("a list", json(&format!("{OURS}COOKIE")), r#"["approve"]"#, true),
        ("the word twice", json(&format!("{OURS}COOKIE")), r#"{"word":"deny","word":"approve"}"#, true),
        ("two values", json(&format!("{OURS}COOKIE")), r#"{"word":"approve"} {"word":"approve"}"#, true),
    ]
}

struct Stage {
    house: House,
    server: Server,
    id: String,
    cookie: String,
    form: String,
    old: String,
}

impl Stage {
    fn set() -> Stage {
        let house = House::with_policy(TICKET);
        let id = house.ask(ASKED).request();
        let old = Server::start(&house).come_in();
        let mut command = house.toolgate(&Server::WORDS);
        command.arg("--api-token");
        let server = Server::run(command);
        let cookie = server.come_in();
        let form = form_of(&server.get(&format!("/requests/{id}"), &cookie)).to_owned();
        Stage { house, server, id, cookie, form, old }
    }

    /// The cookie's name and value.
    fn pair(&self) -> (&str, &str) {
        self.cookie.trim().strip_prefix("Cookie: ").unwrap().split_once('=').unwrap()
    }

    /// The token of programs.
    fn api(&self) -> &str {
        self.server.api.as_deref().unwrap()
    }

    fn filled(&self, text: &str) -> String {
        let link = self.server.enter.split("token=").nth(1).unwrap();
        let port = self.server.host.rsplit(':').next().unwrap();
        let old = self.old.trim().strip_prefix("Cookie: ").unwrap();
        let (name, token) = self.pair();
        let values = [
            ("COOKIE", self.cookie.trim_end_matches("\r\n").to_owned() + "\n"),
            ("HOST", self.server.host.clone()),
            ("PORT", port.to_owned()),
            ("FORM", self.form.clone()),
            ("ADDRESS", self.server.address.clone()),
            ("NAME", name.to_owned()),
            ("TOKEN", token.to_owned()),
            ("API", self.api().to_owned()),
            ("LINK", link.to_owned()),
            ("OLD", old.to_owned()),
            ("ID", self.id.clone()),
        ];
        values.iter().fold(text.to_owned(), |text, (name, value)| text.replace(name, value))
    }

    fn send(&self, method: &str, path: &str, headers: &str, body: &str) -> Reply {
        let (path, body) = (self.filled(path), self.filled(body));
        let headers = self.filled(headers).replace('\n', "\r\n");
        let length =
            if method == "GET" { String::new() } else { format!("Content-Length: {}\r\n", body.len()) };
        self.server
            .raw(&format!("{method} {path} HTTP/1.1\r\nConnection: close\r\n{length}{headers}\r\n{body}"))
    }

    /// Whether nothing has been answered so far.
    fn is_open(&self) -> bool {
        self.server
            .get(&format!("/api/requests/{}", self.id), &self.cookie)
            .body
            .contains("\"state\":\"pending\"")
    }
}

#[test]
fn everybody_else_stays_outside() {
    let stage = Stage::set();
    assert!(READS.len() + answers().len() >= 60 + 20);
    for (name, path, headers) in READS {
        let reply = stage.send("GET", path, headers, "");
        assert!(matches!(reply.status, 400 | 401 | 403), "{name}: {} {}", reply.status, reply.body);
        assert!(!reply.body.contains(&stage.id) && !reply.body.contains("--force"), "{name} tells something");
        assert!(!reply.head.contains("set-cookie"), "{name} lets in");
        assert!(!reply.head.contains("access-control-allow"), "{name} invites others");
    }
    for (name, headers, body, api) in answers() {
        let path = if api { "/api/requests/ID/answer" } else { "/requests/ID" };
        let reply = stage.send("POST", path, &headers, body);
        assert!(
            matches!(reply.status, 400 | 401 | 403 | 415 | 422),
            "{name}: {} {}",
            reply.status,
            reply.body
        );
        assert!(stage.is_open(), "{name} was an answer");
    }
    for (method, path) in [
        ("GET", "/requests/ID?word=approve&form=FORM"),
        ("GET", "/api/requests/ID/answer?word=approve"),
        ("PUT", "/requests/ID"),
        ("DELETE", "/requests/ID"),
        ("OPTIONS", "/api/requests/ID/answer"),
        ("TRACE", "/"),
        ("CONNECT", "/"),
    ] {
        let reply = stage.send(method, path, &format!("{OURS}COOKIE{FORM}"), "form=FORM&word=approve");
        assert!(!reply.head.contains("access-control-allow"), "{method} {path}");
        assert!(stage.is_open(), "{method} {path} was an answer");
    }
    assert!(stage.house.ask(ASKED).is_no(), "nothing of this was a yes");
    // The same with everything right is taken, so the table refuses for the reasons it names; and only once.
    let (headers, body) = (format!("{OURS}COOKIE{FORM}"), "form=FORM&word=approve");
    assert_eq!(stage.send("POST", "/requests/ID", &headers, body).status, 303);
    assert_eq!(stage.send("POST", "/requests/ID", &headers, body).status, 409, "replayed");
    assert!(!stage.house.ask(ASKED).is_no());
    assert_eq!(stage.send("POST", "/requests/ID", &headers, body).status, 409, "replayed after use");
    assert!(stage.house.ask(ASKED).is_no());
}

#[test]
fn every_answer_forbids_frames_and_caches() {
    let stage = Stage::set();
    for path in [
        "/",
        "/requests/ID",
        "/rules",
        "/nowhere",
        "/api/requests",
        "/api/nowhere",
        "/style.css",
        "/enter?token=x",
    ] {
        for headers in ["Host: HOST\nCOOKIE", "Host: HOST\n", "Host: evil.example\n"] {
            let reply = stage.send("GET", path, headers, "");
            for line in [
                "content-security-policy: default-src 'none'",
                "frame-ancestors 'none'",
                "x-frame-options: deny",
                "x-content-type-options: nosniff",
                "cache-control: no-store",
                "cross-origin-resource-policy: same-origin",
            ] {
                assert!(reply.head.contains(line), "{path} {headers}: {line}");
            }
        }
    }
}

/// A yes with a good token, as a program sends it.
fn approval(stage: &Stage) -> String {
    let body = r#"{"word":"approve"}"#;
    format!(
        "POST /api/requests/{}/answer HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nAuthorization: Bearer {}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        stage.id,
        stage.server.address,
        stage.api(),
        body.len()
    )
}

/// Sends something from a process of its own: `sh` by way of bash's sockets.
fn sent_by(stage: &Stage, first: &str, environment: &[(&str, &str)], request: &str) -> String {
    let (host, port) = stage.server.address.split_once(':').unwrap();
    let script = format!("exec 3<>/dev/tcp/{host}/{port}; cat >&3; cat <&3");
    let mut command =
        stage.house.command("bash", &["-c", &format!("exec -a {first} bash -c '{script}; true'")]);
    command.envs(environment.iter().copied());
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(request.as_bytes()).unwrap();
    let mut said = String::new();
    child.stdout.take().unwrap().read_to_string(&mut said).unwrap();
    child.wait().unwrap();
    said
}

/// A good token in the hands of an agent answers nothing: the process at the other end is looked at.
#[test]
fn an_answer_from_below_an_agent_is_refused() {
    let stage = Stage::set();
    for (first, environment) in [("bash", &[("CLAUDECODE", "1")][..]), ("claude", &[]), ("codex", &[])] {
        let said = sent_by(&stage, first, environment, &approval(&stage));
        assert!(said.starts_with("HTTP/1.1 403") && said.contains("inside an agent"), "{first}: {said}");
        assert!(stage.is_open());
    }
    let said = sent_by(&stage, "bash", &[], &approval(&stage));
    assert!(said.starts_with("HTTP/1.1 200"), "a person's own program may: {said}");
}

/// Whoever sends a word and closes the connection cannot be seen, so it is nobody's.
#[test]
fn an_answer_whose_sender_has_gone_is_refused() {
    let stage = Stage::set();
    for _ in 0..20 {
        let mut stream = std::net::TcpStream::connect(&stage.server.address).unwrap();
        stream.write_all(approval(&stage).as_bytes()).unwrap();
        drop(stream);
    }
    assert_eq!(stage.send("GET", "/api/requests", "Host: HOST\nCOOKIE", "").status, 200);
    assert!(stage.is_open());
}

/// An agent that has got hold of the link is not let in, and neither it nor who only looks uses the link up.
#[test]
fn the_link_opens_for_no_agent() {
    let mut stage = Stage::set();
    stage.server.renew();
    let path = stage.server.enter.split_once(&stage.server.host).unwrap().1.to_owned();
    let follow = format!("GET {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", stage.server.host);
    let said = sent_by(&stage, "bash", &[("CLAUDECODE", "1")], &follow);
    assert!(said.starts_with("HTTP/1.1 403") && said.contains("inside an agent"), "{said}");
    assert_eq!(stage.send("HEAD", &path, "Host: HOST\n", "").status, 405);
    let said = sent_by(&stage, "bash", &[], &follow);
    assert!(said.starts_with("HTTP/1.1 200"), "a person's own program may: {said}");
}

/// A host nobody has heard of that asks – by the hook or over HTTP – and then answers with a good token.
const ASKS_AND_ANSWERS: &str = r#"
post() {
    exec 3<>/dev/tcp/ADDRESS/PORT
    printf 'POST %s HTTP/1.1\r\nHost: HOST\r\nConnection: close\r\nAuthorization: Bearer %s\r\n' "$1" "$2" >&3
    printf 'Content-Type: application/json\r\nContent-Length: %s\r\n\r\n%s' "${#3}" "$3" >&3
    cat <&3
}
event=$(<event.json)
case WAY in
    ask) TOOLGATE hook claude-code <event.json; exit ;;
    hook | repeat) told=$(TOOLGATE hook claude-code <event.json 2>&1) ;;
    http) told=$(post /hook/claude-code "$(<"$HOME/.local/state/toolgate/hook.token")" "$event") ;;
esac
id=$(sed -n 's/.*Request \(r-[a-z0-9]*\) waits.*/\1/p' <<<"$told" | head -1)
post "/api/requests/$id/answer" TOKEN '{"word":"approve"}'
"#;

/// Runs the host in the given way, as a process of its own, to what it was told in the end.
fn run_host(stage: &Stage, way: &str) -> String {
    let (address, port) = stage.server.address.split_once(':').unwrap();
    let values = [
        ("ADDRESS", address),
        ("PORT", port),
        ("HOST", &stage.server.address),
        ("WAY", way),
        ("TOKEN ", &format!("{} ", stage.api())),
        ("TOOLGATE", crate::house::TOOLGATE),
    ];
    let fill = |text: String, (name, value): (&str, &str)| text.replace(name, value);
    stage.house.write("agent", values.into_iter().fold(ASKS_AND_ANSWERS.to_owned(), fill));
    crate::house::finish(stage.house.command("/bin/bash", &["agent"]), b"").text()
}

#[test]
fn an_answer_from_below_whoever_asked_is_refused() {
    let stage = Stage::set();
    for way in ["hook", "http"] {
        let command = format!("git push --force origin {way}");
        stage.house.write("event.json", stage.house.call(&command).to_string());
        let said = run_host(&stage, way);
        assert!(said.contains(" 403 ") && said.contains("(bash, process "), "{way}: {said}");
        assert!(stage.house.ask(&command).is_no(), "{way}");
    }
}

/// One program asks and ends; another makes the same call, which is merged into the same request. That one may
/// not answer it either.
#[test]
fn an_answer_from_below_whoever_repeated_the_call_is_refused() {
    let stage = Stage::set();
    let command = "git push --force origin twice";
    stage.house.write("event.json", stage.house.call(command).to_string());
    let asked = run_host(&stage, "ask");
    let said = run_host(&stage, "repeat");
    assert!(said.contains(" 403 ") && said.contains("(bash, process "), "{said}");
    let id = stage.house.ask(command).request();
    assert!(asked.contains(&id), "one request: {asked}");
}
