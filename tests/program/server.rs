//! A running `toolgate serve`, and requests to it byte by byte.

use crate::house::House;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

/// The connection was cut before an answer could be read.
pub const NO_ANSWER: u16 = 0;

/// A running server; ends with the test.
pub struct Server {
    pub child: Child,
    /// What the pages are reached by.
    pub host: String,
    /// The same for those that resolve no names below `localhost`.
    pub address: String,
    pub enter: String,
    /// The token of programs, if one was asked for.
    pub api: Option<String>,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub struct Reply {
    pub status: u16,
    pub head: String,
    pub body: String,
}

impl Server {
    pub fn start(house: &House) -> Server {
        Server::run(house.toolgate(&Server::WORDS))
    }

    /// What stands behind `toolgate` to start one.
    pub const WORDS: [&str; 4] = ["serve", "--listen", "127.0.0.1:0", "--json"];

    pub fn run(mut command: Command) -> Server {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        let said: Value = serde_json::from_str(&line).unwrap();
        let text = |key: &str| said[key].as_str().unwrap().to_owned();
        let address = said["hook"]["url"].as_str().unwrap().replace("http://", "").replace("/hook/", "");
        let api = said["api"]["token"].as_str().map(str::to_owned);
        Server { child, host: text("origin").replace("http://", ""), address, enter: text("enter"), api }
    }

    /// Makes it print a new link, as a person would where it runs.
    pub fn renew(&mut self) {
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args(["-USR1", &id]).status().unwrap().success());
        let mut line = String::new();
        BufReader::new(self.child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        let said: Value = serde_json::from_str(&line).unwrap();
        self.enter = said["enter"].as_str().unwrap().to_owned();
    }

    /// Sends exactly these bytes.
    pub fn raw(&self, request: &str) -> Reply {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        // A server that refuses early does not wait for the rest.
        let _ = stream.write_all(request.as_bytes());
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        let answer = String::from_utf8_lossy(&answer).into_owned();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
        let status = head.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap_or(NO_ANSWER);
        Reply { status, head: head.to_lowercase(), body: body.to_owned() }
    }

    pub fn get(&self, path: &str, headers: &str) -> Reply {
        let host = &self.host;
        self.raw(&format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n{headers}\r\n"))
    }

    pub fn post(&self, path: &str, headers: &str, body: &str) -> Reply {
        let (host, length) = (&self.host, body.len());
        self.raw(&format!(
            "POST {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\nContent-Length: {length}\r\n{headers}\r\n{body}"
        ))
    }

    /// Follows the link: the header that carries the cookie.
    pub fn come_in(&self) -> String {
        let path = self.enter.split_once(&self.host).unwrap().1;
        let reply = self.get(path, "Sec-Fetch-Site: none\r\n");
        assert_eq!(reply.status, 200, "{}", reply.body);
        let cookie = reply.head.lines().find_map(|line| line.strip_prefix("set-cookie: ")).unwrap();
        assert!(cookie.contains("httponly") && cookie.contains("samesite=strict"), "{cookie}");
        format!("Cookie: {}\r\n", cookie.split(';').next().unwrap())
    }

    /// Events it judged for hooks.
    pub fn judged(&self, cookie: &str) -> u64 {
        let said: Value = serde_json::from_str(&self.get("/api/status", cookie).body).unwrap();
        said["judged"].as_u64().unwrap()
    }

    /// A no with words, as a program would say it.
    pub fn deny(&self, cookie: &str, id: &str, words: &str) {
        let headers = format!("{cookie}Origin: http://{}\r\nContent-Type: application/json\r\n", self.host);
        let body = json!({ "word": "deny", "words": words }).to_string();
        let reply = self.post(&format!("/api/requests/{id}/answer"), &headers, &body);
        assert_eq!(reply.status, 200, "{}", reply.body);
    }

    /// The headers of a form of ours.
    pub fn form_headers(&self, cookie: &str) -> String {
        let origin = &self.host;
        format!("{cookie}Origin: http://{origin}\r\nContent-Type: application/x-www-form-urlencoded\r\n")
    }
}

/// The hidden field of the page of a request.
pub fn form_of(page: &Reply) -> &str {
    let (_, rest) = page.body.split_once("name=\"form\" value=\"").expect("a form");
    rest.split('"').next().unwrap()
}
