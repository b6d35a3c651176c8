//! The address of a service as people write it: `http://localhost:9222/json`.
//!
//! Only what guards and checks need of it. Nothing is looked up here.

/// A parsed address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    /// `http`, `https`, …; `http` where none is written.
    pub scheme: String,
    /// The host in lower case, without brackets.
    pub host: String,
    /// The port, or the usual one of the scheme.
    pub port: u16,
    /// Everything behind, with the `/`; may be empty.
    pub path: String,
}

impl Address {
    /// Reads an address; `None` if it has no host or no port that can be known.
    #[must_use]
    pub fn parse(text: &str) -> Option<Address> {
        let text = text.trim();
        let (scheme, rest) = text.split_once("://").unwrap_or(("http", text));
        let scheme = scheme.to_ascii_lowercase();
        if scheme.is_empty() || !scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c)) {
            return None;
        }
        let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        let (authority, path) = rest.split_at_checked(end)?;
        let authority = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
        let (host, port) = match authority.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
            Some((host, port)) => (host, port.strip_prefix(':')),
            None => authority.rsplit_once(':').map_or((authority, None), |(host, port)| (host, Some(port))),
        };
        let port = match port {
            Some(port) => port.parse().ok()?,
            None => usual_port(&scheme)?,
        };
        let is_name = |c: char| c.is_alphanumeric() || ".-_:%".contains(c);
        if host.is_empty() || !host.chars().all(is_name) || path.chars().any(char::is_control) {
            return None;
        }
        Some(Address { scheme, host: host.to_ascii_lowercase(), port, path: path.to_owned() })
    }

    /// Whether it is this machine.
    #[must_use]
    pub fn is_loopback(&self) -> bool {
        let host = self.host.as_str();
        let numbers = host.split('.').all(|part| part.parse::<u8>().is_ok());
        host == "localhost"
            || host.ends_with(".localhost")
            || host == "::1"
            || host.starts_with("127.") && numbers
    }

    /// Whether both name one service: this machine has many names.
    #[must_use]
    pub fn is_same_service(&self, other: &Address) -> bool {
        self.port == other.port && (self.host == other.host || self.is_loopback() && other.is_loopback())
    }

    /// Without path and without who logs in.
    #[must_use]
    pub fn origin(&self) -> String {
        let host = if self.host.contains(':') { format!("[{}]", self.host) } else { self.host.clone() };
        format!("{}://{host}:{}", self.scheme, self.port)
    }
}

fn usual_port(scheme: &str) -> Option<u16> {
    Some(match scheme {
        "http" | "ws" => 80,
        "https" | "wss" => 443,
        "postgres" | "postgresql" => 5432,
        "mysql" => 3306,
        "redis" => 6379,
        "mongodb" => 27017,
        "amqp" => 5672,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_as_written() {
        for (text, expected) in [
            ("http://localhost:9222/json/version", Some("http://localhost:9222")),
            ("localhost:3000", Some("http://localhost:3000")),
            ("HTTPS://User:pw@Example.org/a", Some("https://example.org:443")),
            ("http://[::1]:80/", Some("http://[::1]:80")),
            ("redis://cache", Some("redis://cache:6379")),
            ("http://x:99999/", None),
            ("http:///x", None),
            ("http://a b/", None),
            ("", None),
        ] {
            assert_eq!(Address::parse(text).map(|one| one.origin()).as_deref(), expected, "{text}");
        }
        let same = |a: &str, b: &str| Address::parse(a).unwrap().is_same_service(&Address::parse(b).unwrap());
        assert!(same("http://127.0.0.1:3000/x", "localhost:3000"));
        assert!(!same("http://localhost:30001", "localhost:3000"));
        assert!(!same("http://127.evil.example:80", "http://localhost:80"));
    }
}
