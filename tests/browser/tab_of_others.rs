//! Other servers on this machine, for instance one an agent started: the browser brings them no cookie of ours, and
//! theirs do not disturb us.

use crate::{Stage, asked};
use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::mpsc::{Receiver, channel};

/// A server that tells what it was sent and sets every cookie it can.
fn server_of_others(names: &str) -> (u16, Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let (told, heard) = channel();
    let cookies: String = [names, "toolgate"]
        .iter()
        .flat_map(|name| [format!("{name}=f; Path=/"), format!("{name}=f; Path=/; Domain=localhost")])
        .map(|cookie| format!("Set-Cookie: {cookie}\r\n"))
        .collect();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut buffer = [0; 16 << 10];
            let length = stream.read(&mut buffer).unwrap_or(0);
            let _ = told.send(String::from_utf8_lossy(&buffer[..length]).to_lowercase());
            let page = "<!doctype html><title>x</title>";
            let head = format!(
                "HTTP/1.1 200 OK\r\n{cookies}Content-Length: {}\r\nContent-Type: text/html",
                page.len()
            );
            let _ = stream.write_all(format!("{head}\r\nConnection: close\r\n\r\n{page}").as_bytes());
        }
    });
    (port, heard)
}

#[test]
fn no_other_server_gets_the_cookie() {
    let (house, id) = asked();
    let Some(stage) = Stage::set(house) else { return };
    let cookie = stage.cookie();
    let (name, value) = cookie.trim().strip_prefix("Cookie: ").unwrap().split_once('=').unwrap();
    let (port, heard) = server_of_others(name);
    for host in ["127.0.0.1", "localhost", "evil.localhost"] {
        stage.tab.go(&format!("http://{host}:{port}/"));
        // A browser also asks for an icon, before the next page or after it.
        let sent = heard.iter().find(|sent| !sent.starts_with("get /favicon.ico ")).unwrap();
        assert!(sent.starts_with("get / ") && !sent.contains(value), "{host}: {sent}");
    }
    // Nor is anybody signed out.
    stage.go(&format!("/requests/{id}"));
    assert!(stage.tab.is("document.getElementById('yes')"), "still in");
}
