//! What is taken out of a text before it leaves the machine. Here a word too
//! many taken out costs a judge a little, and one too few tells a third party a
//! password: whatever follows a telling name, option or header goes,
//! random or not.

use super::{Leak, Personal, found_in, merged, redacted};
use regex::Regex;
use std::sync::LazyLock;

/// Each with one group around what goes.
const PLACES: &[&str] = &[
    // NAME=value, "name": "value"
    r#"(?i)(?:passw(?:or)?d|passwd|passphrase|pwd|[_-]pass|\bpass|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|signing[_-]?key|credential)[a-z0-9_-]*\\?["']?\s*(?::=|=>|[:=])\s*(?:\$?"((?:[^"\\]|\\.)+)|\\"((?:[^"\\]|\\[^"])+)|\$?'([^']+)|([^\s"'`,;&|)\\][^\s"'`,;&|)]*))"#,
    // --password value
    r#"(?i)--?(?:password|passwd|pass|passphrase|token|secret|api-?key|access-?key|secret-?key|auth-?token)\s+\$?(?:"([^"]+)"|'([^']+)'|([^\s"'`;&|)-][^\s"'`;&|)]*))"#,
    // Authorization: Bearer value
    r#"(?i)authorization["']?\s*[:=]\s*["']?(?:(?:bearer|basic|token|digest|negotiate)\s+)?([^\s"'`]+)"#,
    r#"(?i)\b(?:x-api-key|x-auth-token|private-token|cookie|set-cookie)\s*:\s*([^"'`\n]+)"#,
    // -u name:value
    r#"(?:^|\s)(?:-u|--user|--proxy-user|-U)[ =]?["']?[^\s:"'/]+:([^\s"'`@]+)"#,
    // mysql -pvalue, sshpass -p value
    r#"\b(?:mysql\w*|mariadb\w*)\b[^\n;&|]*?\s-p([^\s"'`;&|]+)"#,
    r#"\bsshpass\b[^\n;&|]*?\s-p\s*["']?([^\s"'`;&|]+)"#,
    // Passwords in addresses, of this machine too.
    r#"\b[a-z][a-z0-9+.-]*://[^\s:/@"'`]+:([^\s@/"'`]+)@"#,
];

static SHAPES: LazyLock<Vec<Regex>> =
    LazyLock::new(|| PLACES.iter().filter_map(|place| Regex::new(place).ok()).collect());

/// The text as it may leave.
#[must_use]
pub fn outward(text: &str, personal: &[Personal]) -> String {
    let mut found = found_in(text, personal);
    for shape in SHAPES.iter() {
        for hit in shape.captures_iter(text) {
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
    use super::{PLACES, SHAPES, outward};

    #[test]
    fn every_shape_can_be_read() {
        assert_eq!(SHAPES.len(), PLACES.len());
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
