//! Lists of tools: one page read, and tools that do not run replaced by a stub
//! that says why.

use super::envelope::{Members, envelope};
use super::splice::{span_in, spliced};
use super::strict::strict_value;
use serde_json::value::RawValue;
use serde_json::{Value, json};

/// One page of a list of tools.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolPage {
    /// The tools; `null` for one that is not JSON everyone reads alike.
    pub tools: Vec<Value>,
    /// Where the next page begins.
    pub next: Option<String>,
}

/// Reads a page; none if the result is not one.
#[must_use]
pub fn list_page(line: &str) -> Option<ToolPage> {
    let result = envelope(line).ok()?.result?;
    let tools = raw_tools(result)?.into_iter().map(|tool| strict_value(tool).unwrap_or_default()).collect();
    let next = member(result, "nextCursor").and_then(|next| serde_json::from_str(next).ok());
    Some(ToolPage { tools, next })
}

/// Whether a request for a list asks for its first page.
#[must_use]
pub fn begins_listing(params: Option<&str>) -> bool {
    params.and_then(|params| member(params, "cursor")).is_none_or(|cursor| cursor == "null")
}

fn member<'a>(object: &'a str, name: &str) -> Option<&'a str> {
    let members: Members<'a> = serde_json::from_str(object).ok()?;
    // Of several, none can be told to be the one.
    let mut found = members.0.into_iter().filter(|(own, _)| own == name);
    match (found.next(), found.next()) {
        (Some((_, value)), None) => Some(value),
        _ => None,
    }
}

fn raw_tools(result: &str) -> Option<Vec<&str>> {
    let list: Vec<&RawValue> = serde_json::from_str(member(result, "tools")?).ok()?;
    Some(list.into_iter().map(RawValue::get).collect())
}

/// The line with a stub in the place of some tools; `stubs` has, for each tool of the page, its
/// name and why it does not run, if it does not. The list is then this client's own.
#[must_use]
pub fn with_stubs(line: &str, stubs: &[Option<(String, String)>]) -> Option<String> {
    let result = envelope(line).ok()?.result?;
    let mut edits = Vec::new();
    for (tool, stub) in raw_tools(result)?.into_iter().zip(stubs) {
        let Some((name, why)) = stub else { continue };
        let text = format!(
            "Blocked by Toolgate: {why}. Do not call it; tell the user to run `toolgate pins diff` in their own terminal."
        );
        // What has no name that can be read gets one that says so.
        let name = if name.is_empty() { "unreadable" } else { name.as_str() };
        let stub = json!({ "name": name, "description": text, "inputSchema": { "type": "object" } });
        edits.push((span_in(line, tool)?, stub.to_string()));
    }
    if let Some(scope) = member(result, "cacheScope").filter(|_| !edits.is_empty()) {
        edits.push((span_in(line, scope)?, "\"private\"".to_owned()));
    }
    Some(spliced(line, edits))
}

/// The instructions of a server in its answer to `initialize` or `server/discover`.
#[must_use]
pub fn instructions_of(line: &str) -> Option<String> {
    let result = envelope(line).ok()?.result?;
    serde_json::from_str(member(result, "instructions")?).ok()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn stubs_take_the_place_of_single_tools() {
        let line = r#"{"id":1,"result":{"tools":[ {"name":"a","x":1.0}, {"name":"b"} ],"nextCursor":"n","cacheScope":"public"}}"#;
        let page = list_page(line).unwrap();
        assert_eq!((page.tools.len(), page.next.as_deref()), (2, Some("n")));
        let new = with_stubs(line, &[None, Some(("b".to_owned(), "it changed".to_owned()))]).unwrap();
        assert!(new.starts_with(r#"{"id":1,"result":{"tools":[ {"name":"a","x":1.0}, {"name":"b","description":"Blocked by Toolgate: it changed."#));
        assert!(new.ends_with(r#"} ],"nextCursor":"n","cacheScope":"private"}}"#), "{new}");
        assert_eq!(with_stubs(line, &[None, None]).unwrap(), line);
        assert_eq!(list_page(r#"{"id":1,"result":{"tools":1}}"#), None);
        assert_eq!(list_page(r#"{"id":1,"result":{"tools":[],"tools":[]}}"#), None);
    }
}
