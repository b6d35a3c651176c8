//! A scripted model service on 127.0.0.1: it speaks chat completions (or messages), keeps what it was
//! asked, and answers what the test tells it to – also what no honest service would.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// What the service was asked.
#[derive(Debug, Clone)]
pub struct Asked {
    pub path: String,
    pub headers: Vec<String>,
    pub body: Value,
}

impl Asked {
    /// The only value the schema allows for a field: that is how a real model knows the ids.
    fn only(&self, field: &str) -> Value {
        let schema = self
            .body
            .pointer("/response_format/json_schema/schema")
            .or_else(|| self.body.pointer("/tools/0/input_schema"))
            .expect("a schema");
        schema["properties"][field]["enum"][0].clone()
    }

    /// Everything the model reads.
    pub fn text(&self) -> String {
        self.body.to_string()
    }
}

/// How the service answers.
#[derive(Debug, Clone)]
pub enum Line {
    /// This status and body.
    Reply(u16, Vec<u8>),
    /// These bytes, one by one with such a pause.
    Drip(Vec<u8>, Duration),
    /// These bytes as they are, then the end.
    Raw(Vec<u8>),
    /// Nothing for so long, then the end.
    Silence(Duration),
}

impl Line {
    /// An answer in the service's own envelope.
    pub fn json(answer: Value) -> Line {
        Line::text(&answer.to_string())
    }

    /// This text where the answer belongs.
    pub fn text(text: &str) -> Line {
        let body = json!({ "id": "x", "object": "chat.completion", "choices": [{ "index": 0, "finish_reason": "stop",
            "message": { "role": "assistant", "content": text } }] });
        Line::Reply(200, body.to_string().into_bytes())
    }
}

/// A whole answer to what was asked.
pub fn opinion(asked: &Asked, decision: &str, confidence: f64) -> Value {
    json!({
        "request": asked.only("request"), "nonce": asked.only("nonce"),
        "reasons": [{ "rule": "R1", "text": "as the script says" }],
        "uncertainty": "none", "alternatives": [], "decision": decision, "confidence": confidence
    })
}

/// The running service; it ends with the test process.
#[derive(Clone)]
pub struct Judge {
    port: u16,
    asked: Arc<Mutex<Vec<Asked>>>,
}

impl Judge {
    /// Starts one that answers with `script`.
    pub fn start(script: impl Fn(&Asked) -> Line + Send + Sync + 'static) -> Judge {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("its address").port();
        let asked: Arc<Mutex<Vec<Asked>>> = Arc::default();
        let (kept, script) = (Arc::clone(&asked), Arc::new(script));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (kept, script) = (Arc::clone(&kept), Arc::clone(&script));
                std::thread::spawn(move || serve(stream, &kept, script.as_ref()));
            }
        });
        Judge { port, asked }
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}/v1", self.port)
    }

    /// Everything it was asked so far.
    pub fn asked(&self) -> Vec<Asked> {
        self.asked.lock().expect("the list").clone()
    }
}

/// An address nobody listens at.
pub fn nobody() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    format!("http://127.0.0.1:{}/v1", listener.local_addr().expect("its address").port())
}

// A client that hangs up is a case, not a fault of the test: failed writes are let go.
fn serve(stream: TcpStream, kept: &Mutex<Vec<Asked>>, script: &dyn Fn(&Asked) -> Line) {
    let Some(asked) = read(&stream) else { return };
    kept.lock().expect("the list").push(asked.clone());
    let mut stream = stream;
    match script(&asked) {
        Line::Reply(status, body) => {
            let head = format!(
                "HTTP/1.1 {status} X\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
                body.len()
            );
            let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(&body));
        }
        Line::Raw(bytes) => drop(stream.write_all(&bytes)),
        Line::Drip(bytes, pause) => {
            for byte in bytes {
                if stream.write_all(&[byte]).and_then(|()| stream.flush()).is_err() {
                    return;
                }
                std::thread::sleep(pause);
            }
        }
        Line::Silence(time) => std::thread::sleep(time),
    }
}

fn read(stream: &TcpStream) -> Option<Asked> {
    let mut reader = BufReader::new(stream.try_clone().ok()?);
    let mut first = String::new();
    reader.read_line(&mut first).ok()?;
    let path = first.split(' ').nth(1)?.to_owned();
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let line = line.trim_end().to_owned();
        if line.is_empty() {
            break;
        }
        headers.push(line);
    }
    let length = headers.iter().find_map(|line| {
        line.to_ascii_lowercase().strip_prefix("content-length:").map(|rest| rest.trim().to_owned())
    });
    let mut body = vec![0; length?.parse().ok()?];
    reader.read_exact(&mut body).ok()?;
    Some(Asked { path, headers, body: serde_json::from_slice(&body).ok()? })
}
