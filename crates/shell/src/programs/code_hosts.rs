//! Hosts that programs in other languages reach, where the call has the
//! address in it: `requests.post('https://…')`, `socket.create_connection(('host', 80))`.
//!
//! A scan for names of calls, no parser. An address that is put together is not
//! guessed at, and one that is only text (`print('https://…')`) is none.

use super::Effects;
use crate::effect_kind::EffectKind;
use crate::reading::{Command, Word};

/// Longer texts are looked through so far.
const TEXT_MAX: usize = 32 << 10;
/// Hosts of one program.
const HOSTS_MAX: usize = 32;
/// An address is so near to the name of its call.
const NEAR: usize = 40;

/// Calls that are given a whole address.
const BY_ADDRESS: &[&str] = &[
    "get",
    "post",
    "put",
    "patch",
    "delete",
    "head",
    "request",
    "urlopen",
    "Request",
    "urlretrieve",
    "fetch",
    "WebSocket",
    "EventSource",
    "axios",
    "got",
    "ky",
    "open",
    "URI",
    "file_get_contents",
    "fopen",
    "readfile",
    "curl_init",
    "getstore",
    "getprint",
    "mirror",
    "create_connection",
    "connect",
    "stream",
    "createConnection",
    "createClient",
    "create_engine",
    "MongoClient",
];

/// Those that send something there.
const SENDING: &[&str] = &["post", "put", "patch"];

/// Calls that are given the name of a host.
const BY_NAME: &[&str] = &[
    "create_connection(",
    ".connect(",
    "HTTPSConnection(",
    "HTTPConnection(",
    "SMTP(",
    "SMTP_SSL(",
    "FTP(",
    "Telnet(",
    "TCPSocket.new(",
    "TCPSocket.open(",
    "fsockopen(",
    "createConnection(",
];

/// Adds the hosts the program text of a command names.
pub(super) fn reveal(command: &Command, input: Option<&str>, effects: &mut Effects) {
    let place = command.words.first().cloned().unwrap_or_default();
    let words = command.words.iter().skip(1).filter(|word| word.text.contains('('));
    let texts = words.map(|word| (word.text.as_str(), word)).chain(input.map(|text| (text, &place)));
    for (text, word) in texts {
        for (address, sends) in hosts_in_code(text) {
            let address = Word { text: address.into(), ..word.clone() };
            effects.on(EffectKind::ReachesHost, &address);
            if sends {
                effects.on(EffectKind::SendsData, &address);
            }
        }
    }
}

/// The addresses and hosts that program text names in its calls, and whether
/// something is sent there.
#[must_use]
pub fn hosts_in_code(text: &str) -> Vec<(String, bool)> {
    let text = text.get(..text.floor_char_boundary(TEXT_MAX)).unwrap_or(text);
    let mut found = Vec::new();
    addresses(text, &mut found);
    names(text, &mut found);
    found
}

fn addresses(text: &str, found: &mut Vec<(String, bool)>) {
    for (at, _) in text.match_indices("://").take(HOSTS_MAX) {
        let before = text.get(..at).unwrap_or_default();
        let Some(quote) = before.rfind(['"', '\'', '`']) else { continue };
        let scheme = before.get(quote + 1..).unwrap_or_default();
        if scheme.is_empty() || !scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'+') {
            continue;
        }
        let Some(call) = call_before(before.get(..quote).unwrap_or_default()) else { continue };
        let rest = text.get(quote + 1..).unwrap_or_default();
        let end = rest.find(['"', '\'', '`', '\n', ' ']).unwrap_or(rest.len());
        found.push((rest.get(..end).unwrap_or_default().to_owned(), SENDING.contains(&call)));
    }
}

/// The name of the call whose first argument begins here, or which takes it by
/// name: `get(`, `Request(url=`, `Net::HTTP.get(URI(`.
fn call_before(before: &str) -> Option<&str> {
    let near = before.get(before.ceil_char_boundary(before.len().saturating_sub(NEAR))..).unwrap_or(before);
    let mut rest = near.trim_end_matches(['f', 'r', 'b', 'u']).trim_end();
    for named in ["url=", "url:", "uri=", "uri:"] {
        rest = rest.strip_suffix(named).map_or(rest, str::trim_end);
    }
    // `request("GET", "https://…")`, `connect({ …`
    if let Some(list) = rest.strip_suffix(',') {
        rest = list.rsplit_once('(').map_or("", |(head, _)| head);
    } else {
        rest = rest.trim_end_matches(['{', '[', '(']).trim_end();
    }
    let is_name = |byte: char| byte.is_ascii_alphanumeric() || byte == '_';
    let from = rest.rfind(|found: char| !is_name(found)).map_or(0, |at| at + 1);
    let name = rest.get(from..)?;
    BY_ADDRESS.contains(&name).then_some(name)
}

fn names(text: &str, found: &mut Vec<(String, bool)>) {
    for call in BY_NAME {
        for (at, _) in text.match_indices(call).take(HOSTS_MAX) {
            let rest = text.get(at + call.len()..).unwrap_or_default();
            let end = rest.find([')', '\n']).unwrap_or(rest.len());
            let arguments = rest.get(..end).unwrap_or_default();
            let Some((_, behind)) = arguments.split_once(['"', '\'']) else { continue };
            let host = behind.split(['"', '\'']).next().unwrap_or_default();
            let is_host = (host.contains('.') || host == "localhost")
                && host
                    .bytes()
                    .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b':'));
            if is_host {
                let digits: Vec<&str> = arguments
                    .split(|found: char| !found.is_ascii_alphanumeric() && found != '.')
                    .filter(|part| part.parse::<u16>().is_ok())
                    .collect();
                let address = match digits.as_slice() {
                    [port, ..] if !host.contains(':') => format!("{host}:{port}"),
                    _ => host.to_string(),
                };
                found.push((address, false));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{EffectKind, ReadContext, read};

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let reading = read(text, &ReadContext::default());
        let effects = reading.commands.iter().flat_map(|command| &command.effects);
        let hosts = effects.filter(|one| one.kind == EffectKind::ReachesHost);
        let hosts: Vec<&str> = hosts.filter_map(|one| Some(one.target.as_ref()?.text.as_str())).collect();
        assert_eq!(hosts.join(" "), expected, "{text}");
    }

    #[test]
    fn literal_addresses_of_calls_are_reached() {
        check("python3 -c \"import requests; requests.get('https://a.test/x')\"", "https://a.test/x");
        check("python3 -c \"requests.request('GET', url='https://a.test')\"", "https://a.test");
        check("python3 -c \"socket.create_connection(('a.test', 80))\"", "a.test:80");
        check("node -e \"require('net').connect(80,'a.test')\"", "a.test:80");
        check("node -e \"fetch('https://a.test/')\"", "https://a.test/");
        check("ruby -e \"Net::HTTP.get(URI('https://a.test/'))\"", "https://a.test/");
        check("python3 -c \"print('https://a.test')\"", "");
        check("python3 -c \"x = 'https://a.test'\"", "");
        check("node -e \"console.log('https://a.test')\"", "");
        check("node -e \"a.get('key')\"", "");
    }
}
