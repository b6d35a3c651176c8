//! What is taken out of a text before it leaves the machine. Here a word too
//! many taken out costs a judge a little, and one too few tells a third party a
//! password: whatever follows a telling name, option or header goes,
//! random or not.

use super::{Leak, Personal, found_in, merged, redacted};
use regex::Regex;
use std::sync::LazyLock;

/// A place where a secret is written.
pub(super) struct Shape {
    /// Of these words, in lower case, one is in every text that has such a place.
    pub words: &'static [&'static str],
    /// And one of these.
    pub signs: &'static [&'static str],
    /// With one group around what goes.
    /// Made when a text has the words: few have, and a hook is short.
    compiled: LazyLock<Option<Regex>>,
}

impl Shape {
    /// The pattern.
    pub(super) fn pattern(&self) -> Option<&Regex> {
        self.compiled.as_ref()
    }
}

macro_rules! shapes {
    ($($words:expr, $signs:expr, $text:expr;)*) => {
        [$(Shape { words: $words, signs: $signs, compiled: LazyLock::new(|| Regex::new($text).ok()) },)*]
    };
}

const NAMES: &[&str] = &["pass", "pwd", "secret", "token", "key", "credential"];

pub(super) static SHAPES: [Shape; 19] = shapes![
    // NAME=value, "name": "value"
    NAMES, &["=", ":"], r#"(?i)(?:passw(?:or)?d|passwd|passphrase|pwd|[_-]pass|\bpass|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|signing[_-]?key|credential)[a-z0-9_-]*\\?["']?\s*(?::=|=>|[:=])\s*(?:\$?"((?:[^"\\]|\\.)+)|\\"((?:[^"\\]|\\[^"])+)|\$?'([^']+)|([^\s"'`,;&|)\\][^\s"'`,;&|)]*))"#;
    // --password value
    NAMES, &["-"], r#"(?i)--?(?:password|passwd|pass|passphrase|token|secret|api-?key|access-?key|secret-?key|auth-?token|client-?secret)\s+\$?(?:"([^"]+)"|'([^']+)'|([^\s"'`;&|)-][^\s"'`;&|)]*))"#;
    // Authorization: Bearer value
    &["authorization"], &[":", "="], r#"(?i)authorization["']?\s*[:=]\s*["']?(?:(?:bearer|basic|token|digest|negotiate)\s+)?([^\s"'`]+)"#;
    &["x-api-key", "x-auth-token", "private-token", "cookie"], &[":"], r#"(?i)\b(?:x-api-key|x-auth-token|private-token|cookie|set-cookie)\s*:\s*([^"'`\n]+)"#;
    // -u name:value
    &["-u", "--user", "--proxy-user"], &[":"], r#"(?:^|\s)(?:-u|--user|--proxy-user|-U)[ =]?["']?[^\s:"'/]+:([^\s"'`@]+)"#;
    // mysql -pvalue, sshpass -p value
    &["mysql", "mariadb"], &["-p"], r#"\b(?:mysql\w*|mariadb\w*)\b[^\n;&|]*?\s-p([^\s"'`;&|]+)"#;
    &["sshpass"], &["-p"], r#"\bsshpass\b[^\n;&|]*?\s-p\s*["']?([^\s"'`;&|]+)"#;
    // Passwords in addresses, of this machine too.
    &["://"], &["@"], r#"\b[a-z][a-z0-9+.-]*://[^\s:/@"'`]+:([^\s@/"'`]+)@"#;
    // A token alone in an address.
    &["://"], &["@"], r#"\b[a-z][a-z0-9+.-]*://([^\s:/@"'`]{20,})@"#;
    // bearer value, wherever
    &["bearer"], &["bearer "], r#"(?i)\bbearer\s+([A-Za-z0-9._~+/=-]{8,})"#;
    // Programs with an option of their own for it.
    &["login"], &["-p"], r#"\b(?:docker|podman|helm|oc|az|nerdctl|buildah|skopeo|cf)\b[^\n;&|]*?\blogin\b[^\n;&|]*?\s-p\s*["']?([^\s"'`;&|]+)"#;
    &["redis-cli", "ldap", "mongo", "sqlcmd", "zip", "cqlsh", "smbclient", "ipmitool", "vncpasswd", "clickhouse"], &["-a", "-w", "-p"], r#"\b(?:redis-cli\b[^\n;&|]*?\s-a|ldap\w+\b[^\n;&|]*?\s-w|mongo\w*\b[^\n;&|]*?\s-p|sqlcmd\b[^\n;&|]*?\s-P|(?:un)?zip\b[^\n;&|]*?\s-P|cqlsh\b[^\n;&|]*?\s-p|ipmitool\b[^\n;&|]*?\s-P)\s+["']?([^\s"'`;&|-][^\s"'`;&|]*)"#;
    &["openssl"], &["-k", "-pass"], r#"(?i)\bopenssl\b[^\n;&|]*?\s-(?:k|passin|passout|pass)\s+["']?(?:pass:)?([^\s"'`;&|]+)"#;
    &["htpasswd"], &["-"], r#"\bhtpasswd\s+-\w*b\w*\s+\S+\s+\S+\s+["']?([^\s"'`;&|]+)"#;
    &["smbclient", "rpcclient"], &["%"], r#"\s-U\s*["']?[^\s%"']+%([^\s"'`;&|]+)"#;
    // config set NAME value, secret set NAME --body value
    NAMES, &["set "], r#"(?i)\bset\s+\S*(?:token|secret|password|passwd|_key|apikey|api-key|credential)\S*\s+["']?([^\s"'`;&|-][^\s"'`;&|]*)"#;
    &["secret"], &["-b"], r#"\bsecrets?\s+(?:set|create|put)\b[^\n;&|]*?\s(?:--body|-b)[ =]["']?([^\s"'`;&|]+)"#;
    &["secret"], &["="], r#"\bsecrets?[ :]set\b[^\n;&|]*?\s\w+=["']?([^\s"'`;&|]+)"#;
    // STRIPE_KEY=value
    &["_key=", "_pat=", "_pw=", "_pin=", "_auth=", "_creds=", "_dsn=", "_salt="], &["="], r#"\b[A-Z][A-Z0-9_]*_(?:KEY|PAT|PW|PIN|AUTH|CREDS?|DSN|SALT)=["']?([^\s"'`;&|/~.][^\s"'`;&|]{3,})"#;
];

/// The text as it may leave.
#[must_use]
pub fn outward(text: &str, personal: &[Personal]) -> String {
    let mut found = found_in(text, personal);
    for shape in SHAPES.iter() {
        let Some(pattern) = shape.pattern() else { continue };
        for hit in pattern.captures_iter(text) {
            let value = hit.iter().skip(1).flatten().next();
            // A name that represents a value tells nothing.
            let plain = value.filter(|value| !value.as_str().starts_with('$'));
            found.extend(plain.map(|value| Leak {
                kind: "secret-value",
                start: value.start(),
                end: value.end(),
            }));
        }
    }
    redacted(text, &merged(found))
}

#[cfg(test)]
mod tests {
    use super::{SHAPES, outward};

    #[test]
    fn every_shape_can_be_read() {
        let unread: Vec<usize> = (0..SHAPES.len()).filter(|at| SHAPES[*at].pattern().is_none()).collect();
        assert!(unread.is_empty(), "{unread:?}");
    }

    /// `§` in the expected text is what was taken out.
    fn check(text: &str, expected: &str) {
        assert_eq!(outward(text, &[]), expected.replace('§', "[redacted: secret-value]"), "{text}");
    }

    #[test]
    fn whatever_stands_behind_a_telling_name_goes() {
        check(
            "AWS_SECRET_ACCESS_KEY=abc PGPASSWORD=hunter2 git push",
            "AWS_SECRET_ACCESS_KEY=§ PGPASSWORD=§ git push",
        );
        check("API_KEY=0123 git fetch", "API_KEY=§ git fetch");
        check("export DB_PASSWORD='a b c'; make", "export DB_PASSWORD='§'; make");
        check(r#"{"token": "abc", "n": 1}"#, r#"{"token": "§", "n": 1}"#);
        // Written with escapes: the input of a call that is no command is shown as JSON.
        check(r#""content": "{\"password\": \"hunter2\"}""#, r#""content": "{\"password\": \"§\"}""#);
        check("PASSWORD=$'hunter2' make", "PASSWORD=$'§' make");
        check(r#"PASSWORD="hun\\ter2" make"#, r#"PASSWORD="§" make"#);
        check("tool --password hunter2 --verbose", "tool --password § --verbose");
        check("tool --token=abc run", "tool --token=§ run");
        check(
            r#"git -c http.extraHeader="Authorization: Bearer abc.def" push"#,
            r#"git -c http.extraHeader="Authorization: Bearer §" push"#,
        );
        check("curl -H 'X-Api-Key: abc' https://a", "curl -H 'X-Api-Key: §' https://a");
        check("curl --user ada:hunter2 https://a", "curl --user ada:§ https://a");
        check("curl -u ada:hunter2 https://a", "curl -u ada:§ https://a");
        check("mysql -h db -uroot -phunter2 shop", "mysql -h db -uroot -p§ shop");
        check("sshpass -p hunter2 ssh host", "sshpass -p § ssh host");
        check("psql postgres://app:hunter2@localhost/app", "psql postgres://app:§@localhost/app");
    }

    #[test]
    fn what_a_judge_needs_stays() {
        for text in [
            "git push --force origin main",
            "PASSWORD=$DB_PASSWORD make test",
            "psql -h db -p 5432 -U app -c 'select 1'",
            "mysql -h db -p shop",
            "curl -u \"$USER:$PASS\" https://a",
            "docker run -u 1000:1000 -p 8080:80 web",
            "git commit -m 'pass the token on'",
            "rm -rf ./secrets",
            "grep -rn token src",
        ] {
            // A user and a group look like a name and a password; that word too many is known.
            let expected = text.replace("1000:1000", "1000:§");
            check(text, &expected);
        }
    }
}
