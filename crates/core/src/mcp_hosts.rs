//! The hosts a tool of an MCP server would reach, read from its arguments:
//! `browser_navigate { url }` goes where WebFetch would.
//!
//! Names of arguments are all there is; an address of a resource the server
//! keeps itself (`note://x`) is no host.

use serde_json::{Map, Value};
use toolgate_shell::{EffectKind, SmolStr, hosts_in_code};

/// More addresses of one call than this are not read.
const ADDRESSES_MAX: usize = 64;
/// Arguments inside arguments are read so deep.
const DEPTH_MAX: usize = 4;

/// Arguments that hold an address.
const ADDRESSES: &[&str] = &[
    "url",
    "urls",
    "uri",
    "uris",
    "href",
    "link",
    "address",
    "endpoint",
    "baseurl",
    "targeturl",
    "pageurl",
    "websiteurl",
    "site",
    "website",
    "connectionstring",
    "connectionurl",
    "dsn",
    "databaseurl",
    "webhook",
    "webhookurl",
    "callbackurl",
    "origin",
    "remote",
    "remoteurl",
    "repourl",
    "cloneurl",
    "repository",
    "repo",
    "proxy",
    "registry",
];
/// Arguments that hold the name of a host.
const NAMES: &[&str] = &["host", "hostname", "domain", "server", "ip"];
/// Arguments that hold program text.
const CODE: &[&str] = &["function", "script", "code", "expression", "javascript", "pagefunction"];
/// Arguments that hold what is sent.
const SENT: &[&str] =
    &["body", "data", "payload", "json", "form", "formdata", "postdata", "requestbody", "files"];
/// What is spoken with hosts; other schemes name what a server keeps.
const SCHEMES: &[&str] = &[
    "http",
    "https",
    "ws",
    "wss",
    "ftp",
    "ftps",
    "sftp",
    "ssh",
    "git",
    "git+ssh",
    "git+https",
    "postgres",
    "postgresql",
    "mysql",
    "mariadb",
    "redis",
    "rediss",
    "mongodb",
    "mongodb+srv",
    "amqp",
    "amqps",
    "ldap",
    "ldaps",
    "smtp",
    "smtps",
    "imap",
    "imaps",
    "tcp",
    "udp",
    "grpc",
];

/// What is reached, and what is sent where.
pub(crate) fn of_input(input: &Value) -> Vec<(EffectKind, SmolStr)> {
    let mut found = Found::default();
    collect(input, DEPTH_MAX, &mut found);
    let mut effects: Vec<(EffectKind, SmolStr)> = Vec::new();
    for address in found.addresses.into_iter().take(ADDRESSES_MAX) {
        if found.sends {
            effects.push((EffectKind::SendsData, address.clone()));
        }
        effects.push((EffectKind::ReachesHost, address));
    }
    effects
}

#[derive(Default)]
struct Found {
    addresses: Vec<SmolStr>,
    sends: bool,
}

fn collect(value: &Value, depth_left: usize, found: &mut Found) {
    match value {
        Value::Object(fields) if depth_left > 0 => collect_fields(fields, depth_left, found),
        Value::Array(items) if depth_left > 0 => {
            items.iter().take(ADDRESSES_MAX).for_each(|item| collect(item, depth_left - 1, found));
        }
        _ => {}
    }
}

fn collect_fields(fields: &Map<String, Value>, depth_left: usize, found: &mut Found) {
    let number = |value: &Value| value.as_u64().or_else(|| value.as_str()?.trim().parse().ok());
    let port = fields.iter().find(|(field, _)| field.eq_ignore_ascii_case("port"));
    let port = port.and_then(|(_, value)| number(value)).filter(|port| (1..=65_535).contains(port));
    for (field, value) in fields {
        let name: String =
            field.chars().filter(|c| c.is_alphanumeric()).collect::<String>().to_ascii_lowercase();
        let is = |names: &[&str]| names.contains(&name.as_str());
        found.sends |= is(SENT) && !value.is_null();
        if is(ADDRESSES) || is(NAMES) {
            let many = value.as_array().into_iter().flatten().filter_map(Value::as_str);
            let texts = value.as_str().into_iter().chain(many);
            let addresses = texts.filter(|text| if is(NAMES) { is_host(text) } else { is_address(text) });
            // `{ "host": "db.example", "port": 5432 }`
            let port = port.as_ref().filter(|_| is(NAMES));
            let with_port = |text: &str| match port {
                Some(port) if !text.contains(':') => SmolStr::from(format!("{}:{port}", text.trim())),
                _ => SmolStr::from(text),
            };
            found.addresses.extend(addresses.take(ADDRESSES_MAX).map(with_port));
        }
        if is(CODE)
            && let Some(text) = value.as_str()
        {
            for (address, sends) in hosts_in_code(text).into_iter().take(ADDRESSES_MAX) {
                found.sends |= sends;
                found.addresses.push(address.into());
            }
        }
        collect(value, depth_left.saturating_sub(1), found);
    }
}

fn is_address(text: &str) -> bool {
    match text.trim().split_once("://") {
        Some((scheme, _)) => SCHEMES.contains(&scheme.to_ascii_lowercase().as_str()),
        // `example.com/x`, as browsers take it; a path begins otherwise.
        None => {
            is_host(text.split(['/', '?', '#']).next().unwrap_or_default()) || text.trim().starts_with("//")
        }
    }
}

fn is_host(text: &str) -> bool {
    let text = text.trim();
    let named = text.contains('.') && !text.starts_with('.') || text.contains(':') || text == "localhost";
    named && text.len() <= 255 && !text.contains([' ', '/', '\\', '\n'])
}

#[cfg(test)]
mod tests {
    use super::of_input;
    use serde_json::{Value, json};

    #[track_caller]
    fn check(input: &Value, expected: &str) {
        let found: Vec<String> =
            of_input(input).iter().map(|(kind, address)| format!("{} {address}", kind.name())).collect();
        assert_eq!(found.join(", "), expected, "{input}");
    }

    #[test]
    fn addresses_among_the_arguments_are_reached() {
        check(&json!({ "url": "https://a.example/x" }), "reaches-host https://a.example/x");
        check(&json!({ "request": { "URL": "a.example" } }), "reaches-host a.example");
        check(&json!({ "host": "db.example", "port": 5432 }), "reaches-host db.example:5432");
        check(&json!({ "function": "() => fetch('https://a.example')" }), "reaches-host https://a.example");
        check(&json!({ "repository": "git@a.example:b/c.git" }), "reaches-host git@a.example:b/c.git");
        check(&json!({ "repository": "b/c" }), "");
        check(
            &json!({ "url": "https://a.example", "body": "x" }),
            "sends-data https://a.example, reaches-host https://a.example",
        );
        for other in [
            json!({ "uri": "note://x" }),
            json!({ "uri": "file:///etc/passwd" }),
            json!({ "url": "/local/path" }),
            json!({ "text": "https://a.example" }),
        ] {
            check(&other, "");
        }
    }
}
