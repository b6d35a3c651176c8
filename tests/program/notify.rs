//! People hear that a call waits: a signed message without the call, sent once; a bell in the terminal, a line on the
//! desktop; and nothing hangs on any of them.

use crate::house::{ASKED, House, Said, TICKET, TOOLGATE, finish};
use hmac::{Hmac, KeyInit, Mac};
use serde_json::Value;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::Path;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

const SECRET: &str = "a secret of the webhook";

/// A service that keeps what it is sent, and answers so.
fn service(status: &'static str) -> (String, Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/hook", listener.local_addr().unwrap());
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let (mut text, mut bytes) = (String::new(), [0; 4096]);
            while !is_whole(&text) {
                let count = stream.read(&mut bytes).unwrap();
                text.push_str(&String::from_utf8_lossy(&bytes[..count]));
            }
            stream.write_all(format!("HTTP/1.1 {status}\r\ncontent-length: 0\r\n\r\n").as_bytes()).unwrap();
            if sender.send(text).is_err() {
                return;
            }
        }
    });
    (url, receiver)
}

fn is_whole(text: &str) -> bool {
    let Some((head, body)) = text.split_once("\r\n\r\n") else { return false };
    let length =
        head.lines().find_map(|line| line.to_lowercase().strip_prefix("content-length: ").map(str::to_owned));
    length.and_then(|length| length.parse().ok()).is_none_or(|length: usize| body.len() >= length)
}

fn house(url: &str) -> House {
    let house = House::with_policy(TICKET);
    house.write_user(&format!(
        "version: 1\nnotify: {{ webhook: {{ url: '{url}', secret_env: HOOK_SECRET }} }}\n"
    ));
    house
}

fn ask(house: &House, command: &str, secret: Option<&str>) -> Said {
    let mut hook = house.toolgate(&["hook", "claude-code"]);
    if let Some(secret) = secret {
        hook.env("HOOK_SECRET", secret);
    }
    finish(hook, house.event(command).to_string().as_bytes())
}

#[test]
fn a_signed_message_without_the_call_is_sent_once() {
    let (url, sent) = service("200 OK");
    let house = house(&url);
    let id = ask(&house, ASKED, Some(SECRET)).answer().request();
    let message = sent.recv().unwrap();
    let (head, body) = message.split_once("\r\n\r\n").unwrap();
    let mut mac = Hmac::<sha2::Sha256>::new_from_slice(SECRET.as_bytes()).unwrap();
    mac.update(body.as_bytes());
    let signature =
        format!("x-toolgate-signature: sha256={}", toolgate_core::hex(&mac.finalize().into_bytes()));
    assert!(head.to_lowercase().contains(&signature), "{head}");
    let said: Value = serde_json::from_str(body).unwrap();
    assert_eq!(said["request"], id);
    assert!(said["text"].as_str().unwrap().contains(&id) && !body.contains("origin"), "{body}");
    assert_eq!(ask(&house, ASKED, Some(SECRET)).answer().request(), id);
    // The next message is about the next request: the repeated call sent none.
    let other = ask(&house, "git push --force origin other", Some(SECRET)).answer().request();
    assert!(sent.recv().unwrap().contains(&other));
}

/// Who asks to bypass a guardrail for the same once more calls nobody once more.
#[test]
fn a_bypass_asked_twice_is_told_once() {
    let (url, sent) = service("200 OK");
    let house = House::with_policy(
        "version: 1
guardrails:
  - id: custom-scope-001
    type: pre_execution
    condition: { expression: \"action.program == 'make'\" }
    validation: { check: \"false\" }
    bypass: { allowed: true, requires_approval: architect }
",
    );
    house.write_user(&format!(
        "version: 1\npacks: []\nnotify: {{ webhook: {{ url: '{url}', secret_env: HOOK_SECRET }} }}\n"
    ));
    let ask = |command: &str| {
        let blocked = house.ask(command);
        let call = blocked.text().split("--call ").nth(1).unwrap().split(' ').next().unwrap().to_owned();
        let reason = "the release needs this one target built";
        let args = ["bypass", "request", "custom-scope-001", "--call", &call, "--reason", reason, "--json"];
        let mut command = house.below_agent(&args);
        command.env("HOOK_SECRET", SECRET);
        let said: Value = serde_json::from_str(&finish(command, b"").ended(0).text()).unwrap();
        said["id"].as_str().unwrap().to_owned()
    };
    let id = ask("make a");
    assert!(sent.recv().unwrap().contains(&id));
    assert_eq!(ask("make a"), id);
    let next = ask("make b");
    assert!(sent.recv().unwrap().contains(&next), "nothing was sent in between");
}

#[test]
fn a_service_that_fails_changes_nothing() {
    let refused = house("http://127.0.0.1:1/hook");
    ask(&refused, ASKED, Some(SECRET)).answer().request();
    let (url, sent) = service("500 no");
    let failing = house(&url);
    ask(&failing, ASKED, Some(SECRET)).answer().request();
    sent.recv().unwrap();
}

#[test]
fn without_a_secret_nothing_is_sent() {
    let (url, sent) = service("200 OK");
    let house = house(&url);
    ask(&house, ASKED, None).answer().request();
    ask(&house, "git push --force origin b", Some("")).answer().request();
    let last = ask(&house, "git push --force origin c", Some(SECRET)).answer().request();
    assert!(sent.recv().unwrap().contains(&last), "the first message is the first with a secret");
}

#[test]
fn a_test_message_says_what_came_back() {
    let (url, sent) = service("200 OK");
    let test = |house: &House, secret: &str| {
        let mut command = house.toolgate(&["notify", "test"]);
        command.env("HOOK_SECRET", secret);
        finish(command, b"")
    };
    let own = house(&url);
    assert!(test(&own, SECRET).ended(0).text().contains("it answered 200"));
    assert!(sent.recv().unwrap().contains("a test message from Toolgate"));
    let silent = test(&own, "").ended(1).text();
    assert!(silent.contains("NOT SENT") && silent.contains("`HOOK_SECRET` is not set"), "{silent}");
    let (url, _sent) = service("500 no");
    assert!(test(&house(&url), SECRET).ended(1).text().contains("500"));
    let none = test(&House::with_policy(TICKET), SECRET).ended(0);
    assert!(none.err.contains("no webhook is configured"), "{}", none.err);
    let mut inside = own.toolgate(&["notify", "test"]);
    inside.env("CLAUDECODE", "1");
    finish(inside, b"").ended(1);
}

#[test]
fn an_address_that_is_none_is_named() {
    let house = house("hooks.example.com/x");
    let check = house.run(&["policy", "check"]).ended(1).text();
    assert!(check.contains("`hooks.example.com/x` is not an address"), "{check}");
    let doctor = house.run(&["doctor"]).text();
    assert!(doctor.contains("`hooks.example.com/x` is not an address"), "{doctor}");
    ask(&house, ASKED, Some(SECRET)).answer().request();
}

/// What the screen of the agent's program gets when its hook, which hosts start without a terminal, asks a person.
fn screen(house: &House, envs: &[(&str, &str)]) -> Option<String> {
    if !Path::new("/usr/bin/script").exists() {
        println!("SKIPPED: no `script` here; no bell was listened for");
        return None;
    }
    let event = house.root().join("event.json");
    std::fs::write(&event, house.call(ASKED).to_string()).unwrap();
    let hook = format!("setsid --wait {TOOLGATE} hook claude-code < {} > /dev/null 2>&1", event.display());
    let mut script = house.command("/usr/bin/script", &["-qec", &hook, "/dev/null"]);
    script.env_remove("CI").envs(envs.iter().copied());
    Some(finish(script, b"").text())
}

/// Nothing has to be switched on for a person at a terminal or a desktop to hear that a call waits.
#[test]
fn terminal_and_desktop_are_told_unless_switched_off() {
    let check = |user: &str, envs: &[(&str, &str)], bell: bool, desktop: bool, tmux: bool| {
        let house = House::with_policy(TICKET);
        house.write_user(&format!("version: 1\n{user}"));
        let programs = house.root().join("programs");
        std::fs::create_dir(&programs).unwrap();
        for name in ["notify-send", "tmux"] {
            let text = format!("#!/bin/sh\necho \"$@\" > '{}/{name}.said'\n", house.root().display());
            let path = programs.join(name);
            std::fs::write(&path, text).unwrap();
            std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        }
        let path = format!("{}:/usr/bin:/bin", programs.display());
        let envs: Vec<(&str, &str)> = envs.iter().copied().chain([("PATH", path.as_str())]).collect();
        let Some(screen) = screen(&house, &envs) else { return };
        assert_eq!(screen.contains('\u{7}'), bell, "{user} {envs:?}: {screen:?}");
        assert_eq!(screen.trim_matches(['\u{7}', '\r', '\n']), "", "nothing else is drawn on the screen");
        let id = house.records().iter().find_map(|one| one["entry"]["request"].as_str().map(str::to_owned));
        for (name, told) in [("notify-send", desktop), ("tmux", tmux)] {
            let said = house.root().join(format!("{name}.said"));
            // It is started and not waited for.
            let came = (0..if told { 500 } else { 20 }).find_map(|_| {
                std::thread::sleep(Duration::from_millis(10));
                std::fs::read_to_string(&said).ok().filter(|text| text.ends_with('\n'))
            });
            assert_eq!(came.is_some(), told, "{name} {user} {envs:?}");
            if let Some(came) = came {
                assert!(came.contains(id.as_deref().unwrap()) && came.contains("toolgate inbox"), "{came}");
            }
        }
    };
    let (desktop, tmux) = (("DISPLAY", ":7"), ("TMUX", "/tmp/none,1,0"));
    check("", &[desktop, tmux], true, true, true);
    check("", &[], true, false, false);
    check("", &[desktop, tmux, ("CI", "1")], false, false, false);
    check("notify: { bell: false }\n", &[desktop, tmux], false, true, false);
    check("notify: { desktop: false }\n", &[desktop, tmux], true, false, true);
}

/// A repository may be anybody's.
#[test]
fn a_project_sends_no_messages() {
    let (url, sent) = service("200 OK");
    let webhook = format!("notify: {{ webhook: {{ url: '{url}', secret_env: HOOK_SECRET }} }}\n");
    let house = House::with_policy(&format!("{TICKET}{webhook}"));
    ask(&house, ASKED, Some(SECRET)).answer().request();
    let check = house.run(&["policy", "check"]).ended(1).text();
    assert!(check.contains("`notify` of a project is ignored"), "{check}");
    assert!(sent.try_recv().is_err());
}

/// The desktop's own program is started with the news, and not with the call.
#[test]
#[cfg(target_os = "linux")]
fn the_desktop_shows_that_a_call_waits() {
    let house = House::with_policy(TICKET);
    house.write_user("version: 1\nnotify: { desktop: true }\n");
    // Nobody waits for that program, so the test reads what it says from a pipe.
    house.write("bin/notify-send", "#!/bin/sh\nprintf '%s\\n' \"$@\" > \"${0%/*}/said\"\n");
    for words in ["mkfifo bin/said", "chmod +x bin/notify-send"] {
        let made = house.command("sh", &["-c", words]).status().unwrap();
        assert!(made.success(), "{words}");
    }
    let (sender, receiver) = channel();
    let pipe = house.project().join("bin/said");
    std::thread::spawn(move || sender.send(std::fs::read_to_string(pipe).unwrap()));
    let mut hook = house.toolgate(&["hook", "claude-code"]);
    hook.env("PATH", format!("{}:/usr/bin:/bin", house.project().join("bin").display()));
    let id = finish(hook, house.event(ASKED).to_string().as_bytes()).answer().request();
    let said = receiver.recv_timeout(Duration::from_secs(60)).expect("the program was started");
    assert!(said.starts_with("--app-name=toolgate\nToolgate\nA Bash call waits for a person"), "{said}");
    assert!(said.contains(&id) && !said.contains("origin"), "{said}");
}

/// The bell goes to the terminal the agent runs in, and not into what the host reads.
#[test]
#[cfg(target_os = "linux")]
fn the_terminal_rings_when_a_call_waits() {
    let house = House::with_policy(TICKET);
    house.write_user("version: 1\nnotify: { bell: true }\n");
    house.write("event.json", house.event(ASKED).to_string());
    // `script` gives the hook a terminal of its own; everything else it says goes to a file.
    let inside =
        format!("'{}' hook claude-code < event.json > answer.json 2> said.txt", crate::house::TOOLGATE);
    let rung = finish(house.command("script", &["-qec", &inside, "/dev/null"]), b"");
    assert_eq!(rung.out, b"\x07", "{}", rung.err);
    assert!(!house.read("answer.json").contains('\x07') && !house.read("said.txt").contains('\x07'));
    assert!(house.read("answer.json").contains("is waiting for a person"));
}
