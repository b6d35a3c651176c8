//! The MCP servers in the configuration of a client, and `toolgate mcp` put in
//! front of each: the words of the old command move behind ours, and no other
//! byte of the file changes.

use super::splice::spliced;
use crate::settings::{Node, Settings, SettingsFault};
use std::ops::Range;

/// Objects that hold servers by name, wherever they are in the file.
const ANYWHERE: &[&str] = &["mcpServers", "mcp_servers"];
/// The same at the top of the file only: elsewhere these words mean other things.
const AT_TOP: &[&str] = &["servers", "context_servers"];
/// Folders of projects and their servers are no deeper.
const DEPTH_MAX: usize = 4;

/// One server of a configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct McpServer {
    /// Its name there.
    pub name: String,
    /// How it is started; empty for one that is reached by an address.
    pub command: Vec<String>,
    /// Whether it is started through `toolgate mcp`.
    pub is_wrapped: bool,
}

/// The servers of a configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct McpConfig {
    /// In the order of the file.
    pub servers: Vec<McpServer>,
}

/// Reads a configuration.
///
/// # Errors
/// If it is not JSON.
pub fn config_of(bytes: &[u8]) -> Result<McpConfig, SettingsFault> {
    let settings = Settings::read(bytes)?;
    let root = settings.root();
    let mut found = Vec::new();
    collect(&root, 0, &mut found);
    Ok(McpConfig { servers: found.iter().map(|entry| entry.server(&settings)).collect() })
}

/// The configuration with `program mcp` in front of every server that is started here.
///
/// # Errors
/// If it is not JSON.
pub fn wrapped(bytes: &[u8], program: &str) -> Result<Vec<u8>, SettingsFault> {
    edited(bytes, |entry, settings| entry.wrap(settings, program))
}

/// The configuration as it was before [`wrapped`].
///
/// # Errors
/// If it is not JSON.
pub fn unwrapped(bytes: &[u8]) -> Result<Vec<u8>, SettingsFault> {
    edited(bytes, |entry, settings| entry.unwrap(settings))
}

type Edits = Vec<(Range<usize>, String)>;

fn edited(
    bytes: &[u8],
    edit: impl Fn(&Entry<'_>, &Settings) -> Option<Edits>,
) -> Result<Vec<u8>, SettingsFault> {
    let settings = Settings::read(bytes)?;
    let root = settings.root();
    let mut found = Vec::new();
    collect(&root, 0, &mut found);
    let edits = found.iter().filter_map(|entry| edit(entry, &settings)).flatten().collect();
    Ok(spliced(settings.text(), edits).into_bytes())
}

/// One server in the text.
struct Entry<'a> {
    name: &'a str,
    node: &'a Node,
}

fn collect<'a>(node: &'a Node, depth: usize, found: &mut Vec<Entry<'a>>) {
    for (name, _, value) in node.members() {
        let is_home = ANYWHERE.contains(&name.as_str()) || depth == 0 && AT_TOP.contains(&name.as_str());
        if is_home {
            found.extend(value.members().iter().map(|(name, _, node)| Entry { name, node }));
        } else if depth < DEPTH_MAX {
            collect(value, depth + 1, found);
        }
    }
}

impl Entry<'_> {
    fn server(&self, settings: &Settings) -> McpServer {
        let command = self.node.get("command").and_then(|node| text_of(settings, node));
        let command = command.into_iter().chain(self.args(settings)).collect();
        McpServer { name: self.name.to_owned(), command, is_wrapped: self.rest_at(settings).is_some() }
    }

    fn args(&self, settings: &Settings) -> Vec<String> {
        let items = self.node.get("args").map(Node::list).unwrap_or_default();
        items.iter().filter_map(|item| text_of(settings, item)).collect()
    }

    /// Which argument is the old command, in a server that is wrapped.
    fn rest_at(&self, settings: &Settings) -> Option<usize> {
        let program = text_of(settings, self.node.get("command")?)?;
        let is_ours = program.rsplit(['/', '\\']).next().is_some_and(|name| name.starts_with("toolgate"));
        let args = self.args(settings);
        let is_mcp = is_ours && args.first().is_some_and(|first| first == "mcp");
        let at = args.iter().position(|arg| arg == "--").filter(|_| is_mcp)?;
        (at + 1 < args.len()).then_some(at + 1)
    }

    fn wrap(&self, settings: &Settings, program: &str) -> Option<Edits> {
        let command = self.node.get("command")?;
        text_of(settings, command)?;
        if self.rest_at(settings).is_some() {
            return None;
        }
        let old = settings.text().get(command.start..command.end)?;
        let quoted = |word: &str| serde_json::Value::String(word.to_owned()).to_string();
        let mut words = vec![quoted("mcp"), quoted("--name"), quoted(self.name)];
        // What the configuration sets for the server reaches it; what else is set does not.
        for (name, _, _) in self.node.get("env").map(Node::members).unwrap_or_default() {
            words.extend([quoted("--env"), quoted(name)]);
        }
        words.extend([quoted("--"), old.to_owned()]);
        let words = words.join(", ");
        let program = quoted(program);
        Some(match self.node.get("args") {
            Some(args) => {
                let (at, comma) = match args.list().first() {
                    Some(first) => (first.start, ", "),
                    None => (args.start + 1, ""),
                };
                vec![(command.start..command.end, program), (at..at, format!("{words}{comma}"))]
            }
            None => vec![(command.start..command.end, format!("{program}, \"args\":[{words}]"))],
        })
    }

    fn unwrap(&self, settings: &Settings) -> Option<Edits> {
        let at = self.rest_at(settings)?;
        let (command, args) = (self.node.get("command")?, self.node.get("args")?);
        let (first, old) = (args.list().first()?, args.list().get(at)?);
        let text = settings.text();
        let old_text = text.get(old.start..old.end)?.to_owned();
        // What `wrap` adds where there were no arguments has no space behind the colon.
        let added = text.get(command.end..args.start) == Some(", \"args\":");
        if added && args.list().len() == at + 1 {
            return Some(vec![(command.start..args.end, old_text)]);
        }
        let end = args.list().get(at + 1).map_or(old.end, |next| next.start);
        Some(vec![(command.start..command.end, old_text), (first.start..end, String::new())])
    }
}

fn text_of(settings: &Settings, node: &Node) -> Option<String> {
    settings.value_at(node).as_str().map(str::to_owned)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn wrapping_is_taken_back_byte_by_byte() {
        for text in [
            "{\n  \"mcpServers\": {\n    \"fs\": {\n      \"command\": \"npx\",\n      \"args\": [\n        \"-y\",\n        \"s\"\n      ]\n    }\n  }\n}\n",
            r#"{"servers":{"a":{"command":"a\u0062","args":[ ]},"b":{"command":"c"},"h":{"url":"https://x"}}}"#,
            r#"{"mcpServers":{"a":{"env":{"K":"v"},"args":["x"],"type":"stdio","command":"c"}},"other":[1.0]}"#,
            r#"{"projects":{"/p":{"mcpServers":{"a":{"command":"c" , "args": []}}}}}"#,
        ] {
            let new = wrapped(text.as_bytes(), "/bin/toolgate").unwrap();
            let found = config_of(&new).unwrap();
            assert!(found.servers.iter().all(|one| one.is_wrapped || one.command.is_empty()), "{found:?}");
            assert!(found.servers.iter().any(|one| one.is_wrapped));
            assert_eq!(wrapped(&new, "/bin/toolgate").unwrap(), new, "twice is once");
            assert_eq!(String::from_utf8(unwrapped(&new).unwrap()).unwrap(), text);
        }
    }

    #[test]
    fn the_old_command_moves_behind_ours() {
        let text = r#"{"mcpServers":{"gh":{"command":"npx","args":["-y","s"],"env":{"TOKEN":"t"}}}}"#;
        let new = config_of(&wrapped(text.as_bytes(), "/bin/toolgate").unwrap()).unwrap();
        let words: Vec<&str> =
            new.servers.iter().flat_map(|one| one.command.iter().map(String::as_str)).collect();
        assert_eq!(words.join(" "), "/bin/toolgate mcp --name gh --env TOKEN -- npx -y s");
    }
}
