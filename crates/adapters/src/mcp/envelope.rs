//! The envelope of a JSON-RPC message: which members it has and where, nothing
//! of what is in them.
//!
//! Strict on purpose: members that are there twice, or under a name that some
//! reader takes for another one (`Method`), make a message that two programs
//! could understand differently. It is refused, so that nothing is judged as one
//! call and run as another.

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::fmt;

/// The members this proxy reads; others are passed on unread.
const KNOWN: &[&str] = &["jsonrpc", "id", "method", "params", "result", "error"];

/// The id of a request. A number and a text are never the same id.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Id {
    /// A number, in its shortest form: `1.0` is `1`.
    Number(String),
    /// A text.
    Text(String),
}

/// A message: slices of the line it was read from.
#[derive(Debug, Clone, PartialEq)]
pub struct Envelope<'a> {
    /// The id as written, if there is one.
    pub id_text: Option<&'a str>,
    /// The same read; none if it is neither a number nor a text.
    pub id: Option<Id>,
    /// The method.
    pub method: Option<Cow<'a, str>>,
    /// What goes with the method, as written.
    pub params: Option<&'a str>,
    /// The result, as written.
    pub result: Option<&'a str>,
    /// The error, as written.
    pub error: Option<&'a str>,
}

/// Why a line is not a message this proxy passes on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EnvelopeFault {
    /// It is not JSON.
    NotJson,
    /// It is JSON, but no single message, or one that can be read in two ways.
    Refused {
        /// Why, as the end of a sentence.
        why: String,
        /// The id it has, if that is clear.
        id: Option<String>,
    },
}

/// Reads the envelope of one line.
///
/// # Errors
/// If it is not one message that everyone reads alike.
pub fn envelope(line: &str) -> Result<Envelope<'_>, EnvelopeFault> {
    let members: Members<'_> = match serde_json::from_str(line) {
        Ok(members) => members,
        Err(_) => return Err(not_an_object(line)),
    };
    let refused = |why: String| {
        let ids: Vec<&str> = members.0.iter().filter(|(name, _)| name == "id").map(|(_, id)| *id).collect();
        let clear = match ids.as_slice() {
            [one] if Id::of(one).is_some() => Some((*one).to_owned()),
            _ => None,
        };
        Err(EnvelopeFault::Refused { why, id: clear })
    };
    if let Some(name) = ambiguous(&members.0, KNOWN) {
        return refused(format!("it has more than one `{name}`, or one spelled differently"));
    }
    let get = |name: &str| members.0.iter().find(|(own, _)| own == name).map(|(_, value)| *value);
    let method = match get("method").map(serde_json::from_str::<Cow<'_, str>>) {
        None => None,
        Some(Ok(method)) => Some(Cow::Owned(method.into_owned())),
        Some(Err(_)) => return refused("its `method` is not a text".to_owned()),
    };
    let (result, error) = (get("result"), get("error"));
    match (&method, result, error) {
        (Some(_), None, None) | (None, Some(_), None) | (None, None, Some(_)) => {}
        (None, None, None) => return refused("it is neither a request nor an answer".to_owned()),
        (None, Some(_), Some(_)) => return refused("it holds both a result and an error".to_owned()),
        _ => return refused("it is both a request and an answer".to_owned()),
    }
    let id_text = get("id");
    let id = id_text.and_then(Id::of);
    // Whether `null` asks for an answer is read in both ways.
    if method.is_some() && id_text.is_some() && id.is_none() {
        return refused("its `id` is neither a number nor a text".to_owned());
    }
    Ok(Envelope { id_text, id, method, params: get("params"), result, error })
}

fn not_an_object(line: &str) -> EnvelopeFault {
    match serde_json::from_str::<&RawValue>(line) {
        Ok(value) if value.get().starts_with('[') => EnvelopeFault::Refused {
            why: "it is a list of messages, which MCP does not have".to_owned(),
            id: None,
        },
        Ok(value) if value.get().starts_with('{') => {
            EnvelopeFault::Refused { why: "the name of a member cannot be read".to_owned(), id: None }
        }
        Ok(_) => EnvelopeFault::Refused { why: "it is not a JSON object".to_owned(), id: None },
        Err(_) => EnvelopeFault::NotJson,
    }
}

/// The first of the known names that a reader could find in two places.
pub(super) fn ambiguous<'a>(members: &[(Cow<'_, str>, &str)], known: &[&'a str]) -> Option<&'a str> {
    known.iter().copied().find(|known| {
        let mut alike = members.iter().filter(|(name, _)| name == known || is_alike(name, known));
        match (alike.next(), alike.next()) {
            (Some((name, _)), None) => name != known,
            (None, _) => false,
            (Some(_), Some(_)) => true,
        }
    })
}

/// Whether a reader that does not mind case takes one name for the other.
pub(super) fn is_alike(one: &str, other: &str) -> bool {
    // Two letters have no ASCII form and still fold to one.
    let fold = |c: char| match c {
        '\u{17f}' => 's',
        '\u{212a}' => 'k',
        c => c.to_ascii_lowercase(),
    };
    one.len() <= other.len().saturating_mul(3) && one.chars().map(fold).eq(other.chars().map(fold))
}

impl Id {
    /// Reads an id as written.
    #[must_use]
    pub fn of(text: &str) -> Option<Id> {
        if text.starts_with('"') {
            return serde_json::from_str(text).ok().map(Id::Text);
        }
        if !text.starts_with(|first: char| first == '-' || first.is_ascii_digit()) {
            return None;
        }
        if text.bytes().all(|byte| byte == b'-' || byte.is_ascii_digit()) {
            return Some(Id::Number(if text == "-0" { "0".to_owned() } else { text.to_owned() }));
        }
        let number: f64 = text.parse().ok()?;
        // Up to here every whole number has a form of its own.
        let whole = number.fract() == 0.0 && number.abs() < 9_007_199_254_740_992.0;
        let plain =
            if whole { format!("{}", if number == 0.0 { 0.0 } else { number }) } else { text.to_owned() };
        Some(Id::Number(plain))
    }
}

/// The members of an object in their order, values as written.
pub(super) struct Members<'a>(pub Vec<(Cow<'a, str>, &'a str)>);

impl<'de: 'a, 'a> Deserialize<'de> for Members<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader;
        impl<'de> Visitor<'de> for Reader {
            type Value = Members<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members<'de>, A::Error> {
                let mut members = Vec::new();
                while let Some((name, value)) = map.next_entry::<Name<'de>, &'de RawValue>()? {
                    members.push((name.0, value.get()));
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(Reader)
    }
}

/// The name of a member, borrowed where it holds no escapes.
struct Name<'a>(Cow<'a, str>);

impl<'de> Deserialize<'de> for Name<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader;
        impl<'de> Visitor<'de> for Reader {
            type Value = Name<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a name")
            }

            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Name<'de>, E> {
                Ok(Name(Cow::Borrowed(text)))
            }

            fn visit_str<E>(self, text: &str) -> Result<Name<'de>, E> {
                Ok(Name(Cow::Owned(text.to_owned())))
            }
        }
        deserializer.deserialize_str(Reader)
    }
}

/// Whether a line from the client that is not JSON may reach the server as it is: even a
/// lenient reader finds no call of a tool in it.
#[must_use]
pub fn is_harmless_noise(line: &[u8]) -> bool {
    let lower = line.to_ascii_lowercase();
    let holds = |word: &[u8]| lower.windows(word.len()).any(|part| part == word);
    // Escapes and signs outside ASCII can spell anything.
    line.iter().all(|byte| byte.is_ascii() && *byte != b'\\') && !holds(b"tool") && !holds(b"call")
}

/// Whether a line from the server that is not JSON is plain text without any message.
#[must_use]
pub fn is_plain_line(line: &[u8]) -> bool {
    !line.iter().any(|byte| matches!(byte, b'{' | b'[')) && std::str::from_utf8(line).is_ok()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, expected: &str) {
        let found = match envelope(line) {
            Ok(one) => format!(
                "{} {} {}",
                one.method.as_deref().unwrap_or("-"),
                one.id_text.unwrap_or("-"),
                one.params.or(one.result).or(one.error).unwrap_or("-")
            ),
            Err(EnvelopeFault::NotJson) => "not JSON".to_owned(),
            Err(EnvelopeFault::Refused { why, id }) => format!("refused: {why} ({})", id.unwrap_or_default()),
        };
        assert_eq!(found, expected, "{line}");
    }

    #[test]
    fn members_are_slices_of_the_line() {
        check(r#"{"jsonrpc":"2.0","id":1,"method":"a/b","params":{ "x" : 1.0 }}"#, r#"a/b 1 { "x" : 1.0 }"#);
        check(r#" {"m\u0065thod":"tools\/call","id":"1"} "#, r#"tools/call "1" -"#);
        check(r#"{"result":{"id":2},"id":1.0}"#, r#"- 1.0 {"id":2}"#);
        check(r#"{"id":null,"error":{}}"#, "- null {}");
        check(r#"{"method":"n","extra":[[[]]]}"#, "n - -");
    }

    #[test]
    fn what_can_be_read_in_two_ways_is_refused() {
        let twice =
            |name: &str| format!("refused: it has more than one `{name}`, or one spelled differently");
        check(r#"{"id":1,"method":"a","method":"tools/call"}"#, &format!("{} (1)", twice("method")));
        check(r#"{"id":1,"method":"a","m\u0065thod":"b"}"#, &format!("{} (1)", twice("method")));
        check(r#"{"id":1,"Method":"tools/call"}"#, &format!("{} (1)", twice("method")));
        check("{\"id\":1,\"method\":\"a\",\"param\u{17f}\":{}}", &format!("{} (1)", twice("params")));
        check(r#"{"id":1,"id":2,"method":"a"}"#, &format!("{} ()", twice("id")));
        check(r#"{"id":1,"result":{},"error":{}}"#, "refused: it holds both a result and an error (1)");
        check(r#"{"id":1,"method":"a","result":{}}"#, "refused: it is both a request and an answer (1)");
        check(r#"{"id":1}"#, "refused: it is neither a request nor an answer (1)");
        check(r#"{"id":null,"method":"a"}"#, "refused: its `id` is neither a number nor a text ()");
        check(r#"{"id":1,"method":["a"]}"#, "refused: its `method` is not a text (1)");
        check(r#"[{"id":1,"method":"a"}]"#, "refused: it is a list of messages, which MCP does not have ()");
        check("1", "refused: it is not a JSON object ()");
        for bad in ["", "{", r#"{"id":1,}"#, r#"{"id":NaN,"method":"a"}"#, "{} {}", "\u{feff}{}", "{'id':1}"]
        {
            check(bad, "not JSON");
        }
    }

    #[test]
    fn ids_have_one_form() {
        for (one, two, same) in [
            ("1", "1.0", true),
            ("1", "1e0", true),
            ("1", "\"1\"", false),
            ("\"a\"", "\"\\u0061\"", true),
            ("9007199254740993", "9007199254740992", false),
            ("0", "-0", true),
            ("0", "-0.0", true),
            ("1.5", "1.5", true),
        ] {
            assert_eq!(Id::of(one).unwrap() == Id::of(two).unwrap(), same, "{one} {two}");
        }
        for bad in ["null", "true", "{}", "[1]"] {
            assert_eq!(Id::of(bad), None, "{bad}");
        }
    }

    #[test]
    fn only_noise_without_a_call_passes() {
        assert!(is_harmless_noise(br#"{"jsonrpc":"2.0","id":7,"method":"#));
        for bad in [r#"{method:"tools/call"}"#, r#"{"method":"\u0074ools"}"#, "{'x': CALL}", "ä"] {
            assert!(!is_harmless_noise(bad.as_bytes()), "{bad}");
        }
        assert!(is_plain_line(b"Server ready"));
        assert!(!is_plain_line(b"log {\"id\":1}") && !is_plain_line(b"\xff"));
    }
}
