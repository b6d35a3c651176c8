//! Calls of tools: from the bytes of a request to the call the gate judges.

use super::envelope::{Members, ambiguous, is_alike};
use super::splice::{span_in, spliced};
use super::strict::strict_value;
use crate::mcp_names::command_of;
use serde_json::{Map, Value};
use std::borrow::Cow;
use toolgate_core::{Call, Event, EventKind, Kind};

/// The members of a call that are read, or that change what happens to it.
const KNOWN: &[&str] = &["name", "arguments", "_meta", "task", "inputResponses", "requestState"];

/// The parts of a call of a tool.
#[derive(Debug, Clone, PartialEq)]
pub struct JudgedCall {
    /// The tool.
    pub tool: String,
    /// Its arguments; an empty object if there are none.
    pub arguments: Value,
    /// What requests of the newer protocol, which has no session, carry with them; none for
    /// the older one.
    pub meta: Option<String>,
    /// What a repeated call carries of the one before it.
    pub state: Option<String>,
}

/// Whether a method is, to some reader, the call of a tool without being spelled as one.
#[must_use]
pub fn looks_like_call(method: &str) -> bool {
    let plain = method.trim_matches(|c: char| c.is_whitespace() || c.is_control() || c == '/');
    method != "tools/call" && is_alike(plain, "tools/call")
}

/// Reads the call of a tool.
///
/// # Errors
/// Why it cannot be judged, as the end of a sentence.
pub fn judged_call(params: Option<&str>) -> Result<JudgedCall, String> {
    let params = params.ok_or("it has no `params`")?;
    let members: Members<'_> =
        serde_json::from_str(params).map_err(|_| "its `params` are not an object".to_owned())?;
    if let Some(name) = ambiguous(&members.0, KNOWN) {
        return Err(format!("its `params` have more than one `{name}`, or one spelled differently"));
    }
    let get = |name: &str| members.0.iter().find(|(own, _)| own == name).map(|(_, value)| *value);
    let tool = get("name").and_then(|name| serde_json::from_str::<String>(name).ok());
    let tool = tool.ok_or("its `name` is not a text")?;
    let arguments = match get("arguments") {
        None | Some("null") => Value::Object(Map::new()),
        Some(text) => strict_value(text)
            .ok_or("its `arguments` have a member twice, or are nested too deeply to be read")?,
    };
    let Some(fields) = arguments.as_object() else {
        return Err("its `arguments` are not an object".to_owned());
    };
    if let Some(name) = twice_by_case(fields) {
        return Err(format!("its `arguments` have `{name}` in two spellings"));
    }
    let meta = get("_meta").filter(|meta| meta.contains("io.modelcontextprotocol/protocolVersion"));
    let meta = meta.and_then(plain_meta);
    let state = get("requestState").and_then(|state| serde_json::from_str(state).ok());
    Ok(JudgedCall { tool, arguments, meta, state })
}

/// The same without what belongs to the one request.
fn plain_meta(meta: &str) -> Option<String> {
    let mut value = strict_value(meta)?;
    value.as_object_mut()?.shift_remove("progressToken");
    Some(value.to_string())
}

/// Two arguments that a reader without regard to case takes for one.
fn twice_by_case(fields: &Map<String, Value>) -> Option<&str> {
    let mut seen: Vec<&str> = Vec::new();
    for name in fields.keys() {
        if seen.iter().any(|other| is_alike(name, other)) {
            return Some(name);
        }
        // Longer lists have too many pairs, and no tool has so many arguments.
        if seen.len() < 256 {
            seen.push(name);
        }
    }
    None
}

/// A line with other arguments and every other byte as it was.
#[must_use]
pub fn with_arguments(line: &str, params: &str, arguments: &Value) -> Option<String> {
    let members: Members<'_> = serde_json::from_str(params).ok()?;
    let old = members.0.iter().find(|(name, _)| name == "arguments").map(|(_, value)| *value)?;
    Some(spliced(line, vec![(span_in(line, old)?, arguments.to_string())]))
}

/// The call of a tool of a server as the gate judges it, before it runs.
#[must_use]
pub fn call_event(call: &JudgedCall, server: &str, (host, session): (&str, &str), dir: &str) -> Event {
    let kind = match command_of(&call.tool, &call.arguments) {
        Some((field, command)) => Kind::Shell { command, field },
        None => Kind::Mcp { server: server.to_owned(), tool: call.tool.clone() },
    };
    event(kind, format!("mcp__{server}__{}", call.tool), call.arguments.clone(), (host, session), dir)
}

/// Anything else a model reads through a server: a resource, a prompt.
#[must_use]
pub fn read_event(
    method: &str,
    params: Option<&str>,
    server: &str,
    (host, session): (&str, &str),
    dir: &str,
) -> Event {
    let mut input = params.and_then(strict_value).unwrap_or_else(|| Value::Object(Map::new()));
    if let Some(fields) = input.as_object_mut() {
        fields.shift_remove("_meta");
    }
    let tool: Cow<'_, str> = method.replace('/', "_").into();
    let kind = Kind::Mcp { server: server.to_owned(), tool: tool.clone().into_owned() };
    event(kind, format!("mcp__{server}__{tool}"), input, (host, session), dir)
}

fn event(kind: Kind, tool: String, input: Value, (host, session): (&str, &str), dir: &str) -> Event {
    let call = Call {
        host: host.to_owned(),
        session: session.to_owned(),
        agent: "main".to_owned(),
        role: None,
        task: None,
        id: None,
        tool,
        kind,
        input,
        dir: dir.to_owned(),
        scripts: Vec::new(),
        salt: None,
        standing: None,
    };
    Event { kind: EventKind::PreExecution, call, log: None, output: None }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use serde_json::json;

    #[track_caller]
    fn check(params: &str, expected: &str) {
        let found = match judged_call(Some(params)) {
            Ok(call) => format!("{} {}", call.tool, call.arguments),
            Err(why) => why,
        };
        assert_eq!(found, expected, "{params}");
    }

    #[test]
    fn a_call_is_read_in_one_way_or_not_at_all() {
        check(r#"{"name":"a","arguments":{"x":1}}"#, r#"a {"x":1}"#);
        check(r#"{"name":"\u0061"}"#, "a {}");
        check(r#"{"name":"a","arguments":null}"#, "a {}");
        check(
            r#"{"name":"a","name":"b"}"#,
            "its `params` have more than one `name`, or one spelled differently",
        );
        check(
            r#"{"name":"a","Name":"b"}"#,
            "its `params` have more than one `name`, or one spelled differently",
        );
        check(r#"{"name":1}"#, "its `name` is not a text");
        check("[]", "its `params` are not an object");
        check(r#"{"name":"a","arguments":[1]}"#, "its `arguments` are not an object");
        let twice = "its `arguments` have a member twice, or are nested too deeply to be read";
        check(r#"{"name":"a","arguments":{"x":1,"x":2}}"#, twice);
        check(r#"{"name":"a","arguments":{"y":[{"x":1,"x":2}]}}"#, twice);
        check(
            r#"{"name":"a","arguments":{"path":1,"Path":2}}"#,
            "its `arguments` have `Path` in two spellings",
        );
        assert!(looks_like_call("Tools/Call") && looks_like_call("tools/call "));
        assert!(!looks_like_call("tools/call") && !looks_like_call("tools/list"));
    }

    #[test]
    fn new_arguments_take_the_place_of_the_old() {
        let line = r#"{"id": 1, "params": {"name":"a", "arguments": {"x":1} , "_meta":{"t":1.0}} }"#;
        let params = r#"{"name":"a", "arguments": {"x":1} , "_meta":{"t":1.0}}"#;
        let at = line.find(params).unwrap();
        let params = line.get(at..at + params.len()).unwrap();
        let new = with_arguments(line, params, &json!({ "y": 2 })).unwrap();
        assert_eq!(new, line.replace(r#"{"x":1}"#, r#"{"y":2}"#));
    }
}
