//! The host a call reaches: name, port and scheme, read from an address in any
//! of the forms people and programs write it.
//!
//! `https://good.example@EVIL.example.:8443/x` is `evil.example`, port 8443:
//! user names, capitals, a last dot, escapes and other alphabets hide nothing.
//! Nothing is looked up.

use std::net::{Ipv4Addr, Ipv6Addr};
use toolgate_shell::{Command, Connection, connection, given_port};

/// A host as a call names it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Host {
    /// `https`; the usual one of the program where none is written.
    pub scheme: String,
    /// In lower case, ASCII, without brackets; empty if it cannot be known.
    pub name: String,
    /// As written, else the usual one of the scheme.
    pub port: Option<u16>,
}

impl Host {
    /// Reads the address a tool is given. Programs do not agree on what `\` is,
    /// so an address with one may be two hosts.
    pub(crate) fn of_address(text: &str) -> Vec<Host> {
        read(text, "http", None)
    }

    /// Reads the address a command reaches.
    pub(crate) fn of_command(command: &Command, target: &str) -> Vec<Host> {
        let Connection { scheme, image, .. } = connection(&command.program);
        if image {
            match target.split_once("://") {
                // `docker -H tcp://host:2375`
                Some((scheme, _)) if scheme != "docker" => {}
                Some((_, name)) => return vec![of_image(name)],
                None => return vec![of_image(target)],
            }
        }
        read(target, scheme, given_port(command))
    }

    /// Whether the call leaves open which host it is.
    pub(crate) fn is_unknown(&self) -> bool {
        self.name.is_empty()
    }
}

/// The registry of `registry.example/team/app:1`.
fn of_image(reference: &str) -> Host {
    let first = reference.split_once('/').map(|(first, _)| first);
    let registry =
        first.filter(|name| name.contains(['.', ':']) || *name == "localhost").unwrap_or("docker.io");
    authority(registry, "https", None).unwrap_or_default()
}

fn read(text: &str, usual: &str, port: Option<u16>) -> Vec<Host> {
    let text = text.trim();
    let (scheme, rest) = match text.split_once("://") {
        Some((scheme, rest)) if is_scheme(scheme) => (scheme.to_ascii_lowercase(), rest),
        _ => (usual.to_owned(), text.strip_prefix("//").unwrap_or(text)),
    };
    // `https:evil.example` and `https:/evil.example` are read like the full form.
    let (scheme, rest) = match rest.split_once(':') {
        Some((short, rest))
            if matches!(short.to_ascii_lowercase().as_str(), "http" | "https") && !is_port(rest) =>
        {
            (short.to_ascii_lowercase(), rest.trim_start_matches('/'))
        }
        _ => (scheme, rest.trim_start_matches('/')),
    };
    let is_plain = !text.contains("://");
    let end = |text: &str, signs: &[char]| text.find(signs).unwrap_or(text.len());
    let whole = rest.get(..end(rest, &['/', '?', '#'])).unwrap_or(rest);
    let mut found = Vec::new();
    // `git@host:path`: what follows the colon is no port.
    let scp = whole.rsplit_once('@').map_or(whole, |(_, host)| host);
    if is_plain
        && !scp.starts_with('[')
        && scp.split_once(':').is_some_and(|(_, behind)| !is_port(behind))
        && scp.matches(':').count() == 1
    {
        let name = scp.split(':').next().unwrap_or_default();
        let scheme = if usual == "git" || whole.contains('@') { "ssh" } else { usual };
        found.extend(authority(name, scheme, port));
        return found;
    }
    found.extend(authority(whole, &scheme, port));
    let before = whole.get(..end(whole, &['\\'])).unwrap_or(whole);
    if before.len() < whole.len() {
        found.extend(authority(before, &scheme, port));
        let behind = whole.rsplit('\\').next().unwrap_or_default();
        found.extend(authority(behind, &scheme, port));
    }
    found
}

fn is_scheme(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_alphabetic())
        && text.chars().all(|found| found.is_ascii_alphanumeric() || "+-.".contains(found))
}

fn is_port(text: &str) -> bool {
    let digits = text.split(['/', '?', '#']).next().unwrap_or_default();
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// `user:password@host:port`
fn authority(text: &str, scheme: &str, port: Option<u16>) -> Option<Host> {
    let text = text.rsplit_once('@').map_or(text, |(_, host)| host);
    let (name, written) = match text.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((name, behind)) => (name, behind.strip_prefix(':')),
        None if text.matches(':').count() > 1 => (text, None),
        None => text.split_once(':').map_or((text, None), |(name, port)| (name, Some(port))),
    };
    let scheme = scheme.strip_prefix("git+").unwrap_or(scheme).to_owned();
    let port = written.and_then(|port| port.parse().ok()).or(port).or_else(|| usual_port(&scheme));
    if name.contains(['$', '`']) {
        return Some(Host { scheme, name: String::new(), port });
    }
    let name = canonical_name(name);
    (!name.is_empty()).then_some(Host { scheme, name, port })
}

/// The port of a scheme where none is written.
pub(crate) fn usual_port(scheme: &str) -> Option<u16> {
    Some(match scheme {
        "http" | "ws" => 80,
        "https" | "wss" => 443,
        "ssh" | "sftp" | "scp" | "rsync+ssh" => 22,
        "ftp" => 21,
        "telnet" => 23,
        "git" => 9418,
        "rsync" => 873,
        "ldap" => 389,
        "ldaps" => 636,
        "postgres" | "postgresql" => 5432,
        "mysql" | "mariadb" => 3306,
        "redis" | "rediss" => 6379,
        "mongodb" => 27017,
        "amqp" => 5672,
        _ => return None,
    })
}

/// A host's name as it is compared.
pub(crate) fn canonical_name(name: &str) -> String {
    let plain: String = unescaped(name).chars().map(narrow).flat_map(char::to_lowercase).collect();
    let plain = plain.trim_end_matches('.');
    if let Some(address) = ipv6(plain) {
        return address;
    }
    if let Some(address) = ipv4(plain) {
        return address.to_string();
    }
    plain.split('.').map(in_ascii).collect::<Vec<_>>().join(".")
}

/// Wide letters and the dots of other scripts, which resolvers take for plain ones.
fn narrow(letter: char) -> char {
    match letter {
        '\u{ff01}'..='\u{ff5e}' => {
            u32::from(letter).checked_sub(0xfee0).and_then(char::from_u32).unwrap_or(letter)
        }
        '\u{3002}' | '\u{ff61}' => '.',
        other => other,
    }
}

/// `%65vil` is `evil`.
fn unescaped(text: &str) -> String {
    if text.contains('%') { crate::mcp_files::unescaped(text) } else { text.to_owned() }
}

fn ipv6(text: &str) -> Option<String> {
    let address: Ipv6Addr = text.split('%').next()?.parse().ok()?;
    Some(address.to_ipv4_mapped().map_or_else(|| address.to_string(), |short| short.to_string()))
}

/// `127.1`, `0x7f.0.0.1` and `2130706433` are all `127.0.0.1`.
fn ipv4(text: &str) -> Option<Ipv4Addr> {
    let number = |part: &str| match (part.strip_prefix("0x"), part.strip_prefix('0')) {
        (Some(digits), _) => u32::from_str_radix(digits, 16).ok(),
        (None, Some(digits)) if !digits.is_empty() => u32::from_str_radix(digits, 8).ok(),
        _ => part.parse().ok(),
    };
    let parts: Vec<u32> = text.split('.').map(number).collect::<Option<_>>()?;
    let (last, first) = parts.split_last()?;
    if first.len() > 3 || first.iter().any(|part| *part > 255) {
        return None;
    }
    let bits = 8 * u32::try_from(4 - first.len()).ok()?;
    if bits < 32 && last.checked_shr(bits).is_some_and(|over| over > 0) {
        return None;
    }
    let head = first.iter().zip([24u32, 16, 8]).fold(0, |all, (part, by)| all | part << by);
    Some(Ipv4Addr::from(head | last))
}

/// One label of a name the way resolvers write it: `münchen` is `xn--mnchen-3ya`.
fn in_ascii(label: &str) -> String {
    if label.is_ascii() {
        return label.to_owned();
    }
    punycode(label).map_or_else(|| label.to_owned(), |coded| format!("xn--{coded}"))
}

/// RFC 3492.
fn punycode(label: &str) -> Option<String> {
    let letters: Vec<u32> = label.chars().map(u32::from).collect();
    let mut out: String = label.chars().filter(char::is_ascii).collect();
    let basic = u32::try_from(out.len()).ok()?;
    if basic > 0 {
        out.push('-');
    }
    let (mut next, mut delta, mut bias, mut done) = (128u32, 0u32, 72u32, basic);
    while usize::try_from(done).ok()? < letters.len() {
        let least = letters.iter().copied().filter(|letter| *letter >= next).min()?;
        delta = delta.checked_add((least - next).checked_mul(done + 1)?)?;
        next = least;
        for letter in &letters {
            if *letter < next {
                delta = delta.checked_add(1)?;
            }
            if *letter == next {
                digits(delta, bias, &mut out);
                bias = adapted(delta, done + 1, done == basic);
                delta = 0;
                done += 1;
            }
        }
        delta = delta.checked_add(1)?;
        next = next.checked_add(1)?;
    }
    Some(out)
}

fn digits(delta: u32, bias: u32, out: &mut String) {
    let mut left = delta;
    let mut step = 36;
    loop {
        let threshold = step.max(bias + 1).saturating_sub(bias).clamp(1, 26);
        if left < threshold {
            break;
        }
        out.push(digit(threshold + (left - threshold) % (36 - threshold)));
        left = (left - threshold) / (36 - threshold);
        step += 36;
    }
    out.push(digit(left));
}

fn digit(value: u32) -> char {
    let code = if value < 26 { u32::from(b'a') + value } else { u32::from(b'0') + value - 26 };
    char::from_u32(code).unwrap_or('a')
}

fn adapted(delta: u32, points: u32, first: bool) -> u32 {
    let mut delta = if first { delta / 700 } else { delta / 2 };
    delta += delta / points;
    let mut steps = 0;
    while delta > 455 {
        delta /= 35;
        steps += 36;
    }
    steps + 36 * delta / (delta + 38)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let shown = |host: &Host| {
            let port = host.port.map_or_else(String::new, |port| format!(":{port}"));
            format!("{}://{}{port}", host.scheme, host.name)
        };
        let found: Vec<String> = Host::of_address(text).iter().map(shown).collect();
        assert_eq!(found.join(" "), expected, "{text}");
    }

    #[test]
    fn nothing_hides_the_host() {
        check("https://evil.com/x?y#z", "https://evil.com:443");
        check("https://good.com@evil.com/", "https://evil.com:443");
        check("https://good.com:x@EVIL.com.:8443", "https://evil.com:8443");
        check("https://good.com%2f@evil.com", "https://evil.com:443");
        check("https://%65vil.com", "https://evil.com:443");
        check("https:evil.com/x", "https://evil.com:443");
        check("https:/evil.com/x", "https://evil.com:443");
        check("//evil.com/x", "http://evil.com:80");
        check("evil.com", "http://evil.com:80");
        check("evil.com:8080/x", "http://evil.com:8080");
        check("git@evil.com:team/app.git", "ssh://evil.com:22");
        check("ssh://git@evil.com:2222/x", "ssh://evil.com:2222");
        check("http://[::1]:8080/", "http://::1:8080");
        check("http://[0:0:0:0:0:0:0:1]/", "http://::1:80");
        check("http://[::ffff:10.0.0.1]/", "http://10.0.0.1:80");
        check("http://2130706433/", "http://127.0.0.1:80");
        check("http://0x7f.1/", "http://127.0.0.1:80");
        check("https://münchen.de/", "https://xn--mnchen-3ya.de:443");
        check("https://ｅｖｉｌ。com/", "https://evil.com:443");
        check("https://bücher.example", "https://xn--bcher-kva.example:443");
        check(
            "https://good.com\\@evil.com/",
            "https://evil.com:443 https://good.com:443 https://evil.com:443",
        );
        check("https://$HOST/x", "https://:443");
        check("https://$USER@evil.com/x", "https://evil.com:443");
        check("postgres://u:p@db/shop", "postgres://db:5432");
        check("", "");
    }
}
