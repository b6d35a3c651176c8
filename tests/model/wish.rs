//! What the model wants to do, and the call that does it with the tools an agent offers.
//!
//! Agents name their tools and arguments differently. A wish is written once; the names come from the offer, the
//! arguments from the tool's own JSON schema.

use super::dialect::{Call, Offer, SEARCHES, smallest};
use serde_json::{Map, Value, json};

/// Something the model tries.
#[derive(Debug, Clone)]
pub enum Wish {
    /// Exactly this tool with exactly this input.
    Exact(String, Value),
    /// A shell command.
    Shell(String),
    /// A new file: path and content.
    Write(String, String),
    /// A change in a file: path, old text, new text.
    Edit(String, String, String),
    /// A look into a file.
    Read(String),
    /// A sub-agent: what it is told, and its kind where there is more than one.
    Agent(String, String),
    /// A tool of an MCP server: server, tool, input.
    Mcp(String, String, Value),
}

/// What tools are called, by what they do.
const SHELL: &[&str] = &[
    "Bash",
    "bash",
    "exec_command",
    "shell_command",
    "shell",
    "run_shell_command",
    "execute_command",
    "Execute",
    "run_commands",
    "run_terminal_command",
    "terminal",
    "execute_bash",
    "developer__shell",
];
const WRITE: &[&str] =
    &["Write", "write_file", "write", "create", "Create", "file_editor", "editor", "apply_patch"];
const EDIT: &[&str] =
    &["Edit", "edit", "replace", "search_replace", "file_editor", "editor", "patch", "apply_patch"];
const READ: &[&str] = &["Read", "read_file", "read", "view", "file_editor", "read_files"];
const AGENT: &[&str] = &[
    "Agent",
    "Task",
    "task",
    "agent",
    "spawn_agent",
    "multi_agent_v1.spawn_agent",
    "collaboration.spawn_agent",
    "spawn_subagent",
    "delegate",
    "invoke_agent",
    "subagent",
    "delegate_task",
    "use_subagents",
    "spawn_subagents",
];

/// What arguments are called, by what they mean.
const ROLES: &[(&str, &[&str])] = &[
    ("command", &["command", "cmd", "commands", "script"]),
    ("path", &["file_path", "filePath", "path", "target_file", "absolute_path", "files"]),
    ("content", &["content", "file_text", "contents", "text", "new_text"]),
    ("old", &["old_string", "oldString", "before", "old_str", "oldText", "old_text"]),
    ("new", &["new_string", "newString", "after", "new_str", "newText", "new_text"]),
    ("prompt", &["prompt", "instructions", "message", "task", "objective", "goal"]),
];

/// What tools ask for besides.
const BLANKS: &[(&str, &str)] = &[
    ("description", "scripted"),
    ("summary", "scripted"),
    ("instruction", "scripted"),
    ("security_risk", "LOW"),
    ("name", "scripted"),
];

impl Wish {
    /// The call that grants the wish with these tools; `word` is put where a text says `{word}`.
    pub fn resolve(&self, offers: &[Offer], id: &str, word: Option<&str>) -> Call {
        let (full, input) = self.chosen(offers);
        let input = word.map_or_else(|| input.clone(), |word| filled(&input, word));
        // A tool may be known only inside its namespace.
        let known = |offer: &&Offer| offer.name == full || offer.name.ends_with(&format!(".{full}"));
        let full = offers.iter().find(known).map_or(full.as_str(), |offer| offer.name.as_str());
        let is_plain = matches!(self, Wish::Exact(..)) && !offers.iter().any(|offer| offer.name == full);
        let (namespace, name) = match full.rsplit_once('.') {
            Some((namespace, name)) if !is_plain => (Some(namespace.to_string()), name.to_string()),
            _ => (None, full.to_string()),
        };
        Call { id: id.to_string(), namespace, name, input }
    }

    /// The call that searches for the tool, if it is not offered and may be searched for.
    pub fn search(&self, offers: &[Offer]) -> Option<Wish> {
        let search = offers.iter().find(|offer| SEARCHES.contains(&offer.name.as_str()))?;
        let (name, _) = self.chosen(offers);
        let query = match self {
            _ if offers.iter().any(|offer| offer.name == name) => return None,
            Wish::Mcp(server, tool, _) => format!("{server} {tool}"),
            Wish::Agent(..) => "spawn a sub-agent".to_string(),
            _ => return None,
        };
        Some(Wish::Exact(search.name.clone(), json!({"query": query})))
    }

    fn chosen(&self, offers: &[Offer]) -> (String, Value) {
        let offer =
            |names: &[&str]| names.iter().find_map(|name| offers.iter().find(|offer| offer.name == *name));
        let shaped = |names: &[&str], given: &[(&str, &str)], more: &[(&str, &str)]| {
            let offer = offer(names)?;
            Some((offer.name.clone(), shape(&offer.schema, given, more)))
        };
        let typescript = offers.iter().any(|offer| offer.name == "run_typescript");
        let chosen = match self {
            Wish::Exact(name, input) => Some((name.clone(), input.clone())),
            Wish::Shell(command) => shaped(SHELL, &[("command", command)], &[]),
            Wish::Write(path, content) => match offer(WRITE) {
                Some(offer) if offer.name == "apply_patch" => {
                    let lines: String = content.lines().map(|line| format!("+{line}\n")).collect();
                    Some((offer.name.clone(), patch(&format!("Add File: {path}\n{lines}"))))
                }
                _ => shaped(WRITE, &[("path", path), ("content", content)], &[("command", "create")]),
            },
            Wish::Edit(path, old, new) => match offer(EDIT) {
                Some(offer) if offer.name == "apply_patch" => {
                    let text = format!("Update File: {path}\n@@\n-{old}\n+{new}\n");
                    Some((offer.name.clone(), patch(&text)))
                }
                Some(offer) if offer.schema.pointer("/properties/edits").is_some() => {
                    let edits = json!([{"oldText": old, "newText": new}]);
                    Some((offer.name.clone(), json!({"path": path, "edits": edits})))
                }
                _ => {
                    let more = &[("command", "str_replace"), ("mode", "replace")];
                    shaped(EDIT, &[("path", path), ("old", old), ("new", new)], more)
                }
            },
            // Some agents read files with the shell alone.
            Wish::Read(path) => shaped(READ, &[("path", path)], &[("command", "view")])
                .or_else(|| shaped(SHELL, &[("command", &format!("cat '{path}'"))], &[])),
            Wish::Agent(prompt, _) if typescript => {
                let input = json!({"name": "scripted", "message": prompt});
                Some(script(&format!("tools.agents.spawn({input})")))
            }
            Wish::Agent(prompt, kind) => {
                let kinds = [("subagent_type", kind.as_str()), ("agent_name", kind), ("agent_type", kind)];
                shaped(AGENT, &[("prompt", prompt)], &kinds)
            }
            Wish::Mcp(server, tool, input) if typescript => {
                Some(script(&format!("tools.mcp_{server}.{tool}({input})")))
            }
            Wish::Mcp(server, tool, input) => Some(mcp(offers, server, tool, input)),
        };
        chosen.unwrap_or_else(|| ("no_such_tool".to_string(), json!({})))
    }
}

/// The input with `{word}` filled in, wherever a text stands.
fn filled(input: &Value, word: &str) -> Value {
    match input {
        Value::String(text) => json!(text.replace("{word}", word)),
        Value::Array(items) => items.iter().map(|item| filled(item, word)).collect(),
        Value::Object(fields) => {
            fields.iter().map(|(key, value)| (key.clone(), filled(value, word))).collect()
        }
        _ => input.clone(),
    }
}

/// The arguments a tool wants, by its own schema.
fn shape(schema: &Value, given: &[(&str, &str)], more: &[(&str, &str)]) -> Value {
    let known = |name: &str| schema.pointer(&format!("/properties/{name}"));
    let mut input = Map::new();
    for (role, value) in given {
        let names = ROLES.iter().find(|(known, _)| known == role).map_or(&[] as &[_], |(_, names)| names);
        let name = names.iter().copied().find(|name| known(name).is_some()).unwrap_or(role);
        input.insert(name.to_string(), formed(known(name).unwrap_or(&Value::Null), name, value));
    }
    let required = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
    for name in required {
        if input.contains_key(name) {
            continue;
        }
        let blank = more.iter().chain(BLANKS).find(|(known, _)| *known == name);
        let value =
            blank.map_or_else(|| smallest(known(name).unwrap_or(&Value::Null)), |(_, text)| json!(text));
        input.insert(name.to_string(), value);
    }
    for (name, text) in more {
        if known(name).is_some() && !input.contains_key(*name) {
            input.insert((*name).to_string(), json!(text));
        }
    }
    for name in ["background", "run_in_background", "async"] {
        if known(name).is_some() {
            input.insert(name.to_string(), json!(false));
        }
    }
    Value::Object(input)
}

/// A text, or the list or object around it that the schema wants.
fn formed(schema: &Value, name: &str, value: &str) -> Value {
    if schema["type"] != "array" {
        return json!(value);
    }
    match schema.pointer("/items/properties") {
        Some(_) => json!([shape(&schema["items"], &[("path", value)], &[])]),
        None if name == "command" => json!(["bash", "-lc", value]),
        None => json!([value]),
    }
}

fn patch(body: &str) -> Value {
    json!(format!("*** Begin Patch\n*** {body}*** End Patch"))
}

/// A call from the script of an agent whose tools are functions of TypeScript.
fn script(expression: &str) -> (String, Value) {
    let code = format!("async function main() {{ return await {expression} }}");
    ("run_typescript".to_string(), json!({"code": code}))
}

/// A tool of an MCP server, by whichever name the agent gives it.
fn mcp(offers: &[Offer], server: &str, tool: &str, input: &Value) -> (String, Value) {
    let names = [
        format!("mcp__{server}__{tool}"),
        format!("mcp_{server}_{tool}"),
        format!("{server}___{tool}"),
        format!("{server}__{tool}"),
        format!("{server}_{tool}"),
        format!("{server}-{tool}"),
    ];
    let mut found = names.iter().find_map(|name| offers.iter().find(|offer| offer.name == *name));
    let inside = |offer: &&Offer| offer.name.ends_with(&format!(".{tool}")) && offer.name.contains(server);
    found = found.or_else(|| offers.iter().find(inside));
    found = found.or_else(|| offers.iter().find(|offer| offer.name == tool));
    let Some(offer) = found else {
        if offers.iter().any(|offer| offer.name == "use_tool") {
            let name = format!("{server}__{tool}");
            return ("use_tool".to_string(), json!({"tool_name": name, "tool_input": input}));
        }
        return (names[0].clone(), input.clone());
    };
    // Some agents ask for more with every tool.
    let mut input = input.clone();
    for (name, text) in BLANKS {
        let required = offer.schema["required"].as_array().into_iter().flatten();
        if required.into_iter().any(|wanted| wanted == name) {
            input[*name] = json!(text);
        }
    }
    (offer.name.clone(), input)
}
