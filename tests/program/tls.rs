//! A supervisor behind HTTPS: one with a certificate the policy vouches for is asked; any other hears nothing.

use crate::answer::Answer;
use crate::house::{ASKED, House};
use crate::judge::{Judge, Line, opinion};
use crate::supervisors::entries;
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;

/// HTTPS in front of a judge: its port, and the certificate that vouches for it.
fn in_front_of(judge: &Judge) -> (u16, String) {
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).expect("a certificate");
    let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(made.signing_key.serialize_der()));
    let ring = Arc::new(rustls::crypto::ring::default_provider());
    let config =
        ServerConfig::builder_with_provider(ring).with_safe_default_protocol_versions().expect("versions");
    let config =
        config.with_no_client_auth().with_single_cert(vec![made.cert.der().clone()], key).expect("a pair");
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let (port, plain, config) =
        (listener.local_addr().expect("an address").port(), judge.port(), Arc::new(config));
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let connection = ServerConnection::new(Arc::clone(&config)).expect("a connection");
            // A client that does not trust us hangs up: a case, not a fault of the test.
            let _ = relay(StreamOwned::new(connection, stream), plain);
        }
    });
    (port, made.cert.pem())
}

/// One request through to the plain port, and its answer back.
fn relay(mut outside: StreamOwned<ServerConnection, TcpStream>, plain: u16) -> std::io::Result<()> {
    let mut inside = TcpStream::connect(("127.0.0.1", plain))?;
    let mut request = Vec::new();
    let mut bytes = [0; 4096];
    while !is_whole(&request) {
        match outside.read(&mut bytes)? {
            0 => return Ok(()),
            count => request.extend_from_slice(&bytes[..count]),
        }
    }
    inside.write_all(&request)?;
    let mut answer = Vec::new();
    inside.read_to_end(&mut answer)?;
    outside.write_all(&answer)?;
    outside.conn.send_close_notify();
    outside.flush()
}

fn is_whole(request: &[u8]) -> bool {
    let text = String::from_utf8_lossy(request).to_lowercase();
    let Some((head, body)) = text.split_once("\r\n\r\n") else { return false };
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
    length.and_then(|length| length.trim().parse().ok()).is_none_or(|length: usize| body.len() >= length)
}

/// What a call comes to with a supervisor at this address, and why there was no opinion.
fn check(url: &str, ca: Option<&str>, expected: Result<(), &str>) {
    let house = House::new();
    let ca = ca.map_or(String::new(), |text| {
        house.write("ca.pem", text);
        format!(", ca_file: \"{}\"", house.project().join("ca.pem").display())
    });
    house.write_user(&format!(
        "version: 1\nreview: {{ delivery: ticket, supervisor_seconds: 60 }}\nsupervisors:\n  one: {{ endpoint: openai, url: \"{url}\", model: test, seconds: 60{ca} }}\n"
    ));
    let answer = house.ask(ASKED);
    let reviewed = entries(&house, "reviewed");
    match expected {
        Ok(()) => assert_eq!(answer, Answer::Silent, "{reviewed:?}"),
        Err(why) => {
            assert!(answer.is_no() && answer.text().contains("is waiting for a person"), "{answer:?}");
            let missing = reviewed[0]["missing"].as_str().expect("a reason");
            assert!(missing.contains(why), "{missing}");
        }
    }
}

#[test]
fn only_a_service_somebody_vouches_for_is_asked() {
    let judge = Judge::start(|asked| Line::json(opinion(asked, "approve", 0.95)));
    let (port, own) = in_front_of(&judge);
    let (_, other) = in_front_of(&judge);
    let named = format!("https://localhost:{port}/v1");
    check(&named, Some(&own), Ok(()));
    assert_eq!(judge.asked().len(), 1);
    // The public certificates, another service's, another name, no certificate at all.
    check(&named, None, Err("certificate"));
    check(&named, Some(&other), Err("certificate"));
    check(&format!("https://127.0.0.1:{port}/v1"), Some(&own), Err("certificate"));
    check(&named, Some("no certificate\n"), Err("contains no certificate"));
    assert_eq!(judge.asked().len(), 1, "nothing was said to a stranger");
}
