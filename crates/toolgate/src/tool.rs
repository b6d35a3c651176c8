//! A tool call as an agent of your own makes it.

use serde_json::{Value, json};
use toolgate_core::{Access, Kind};

/// One tool call, before it is judged.
#[derive(Debug, Clone, PartialEq)]
pub struct Tool {
    pub(crate) name: String,
    pub(crate) kind: Kind,
    pub(crate) input: Value,
    pub(crate) dir: Option<String>,
}

impl Tool {
    /// A shell command.
    #[must_use]
    pub fn shell(command: &str) -> Tool {
        let kind = Kind::Shell { command: command.to_owned(), field: "command".to_owned() };
        Tool::new("shell", kind, json!({ "command": command }))
    }

    /// Writing a file.
    #[must_use]
    pub fn write(path: &str, content: &str) -> Tool {
        Tool::file("write", Access::Write, path, json!({ "path": path, "content": content }))
    }

    /// Reading a file.
    #[must_use]
    pub fn read(path: &str) -> Tool {
        Tool::file("read", Access::Read, path, json!({ "path": path }))
    }

    /// Deleting a file.
    #[must_use]
    pub fn delete(path: &str) -> Tool {
        Tool::file("delete", Access::Delete, path, json!({ "path": path }))
    }

    /// A request to an address.
    #[must_use]
    pub fn fetch(url: &str) -> Tool {
        Tool::new("fetch", Kind::Fetch { url: url.to_owned() }, json!({ "url": url }))
    }

    /// A tool of an MCP server.
    #[must_use]
    pub fn mcp(server: &str, tool: &str, input: Value) -> Tool {
        let kind = Kind::Mcp { server: server.to_owned(), tool: tool.to_owned() };
        Tool::new(&format!("mcp__{server}__{tool}"), kind, input)
    }

    /// Any other tool.
    #[must_use]
    pub fn other(name: &str, input: Value) -> Tool {
        Tool::new(name, Kind::Other, input)
    }

    /// The same tool under the name your agent gives it.
    #[must_use]
    pub fn named(self, name: &str) -> Tool {
        Tool { name: name.to_owned(), ..self }
    }

    /// The same call in another folder than the project's.
    #[must_use]
    pub fn in_dir(self, dir: &str) -> Tool {
        Tool { dir: Some(dir.to_owned()), ..self }
    }

    fn file(name: &str, access: Access, path: &str, input: Value) -> Tool {
        Tool::new(name, Kind::File { access, paths: vec![path.to_owned()] }, input)
    }

    fn new(name: &str, kind: Kind, input: Value) -> Tool {
        Tool { name: name.to_owned(), kind, input, dir: None }
    }
}
