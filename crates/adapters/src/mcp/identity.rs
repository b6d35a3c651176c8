//! What a server is, judged by how it is started and by nothing it says: a key
//! for its pins, a name for people and rules, and the command without secrets.

use serde_json::json;
use toolgate_core::{canonical, digest_of, leaks, redacted};

/// The identity of a server that is started here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerIdentity {
    /// Hash of the command line.
    pub key: String,
    /// What it is called: `filesystem`.
    pub name: String,
    /// The command line without secrets.
    pub transport: String,
}

/// Programs that start another one named behind them.
const STARTERS: &[&str] = &[
    "npx", "uvx", "bunx", "pnpm", "yarn", "npm", "bun", "deno", "node", "uv", "pipx", "python", "python3",
    "docker", "podman", "exec", "run", "dlx", "x", "tool", "env", "sh", "bash", "cmd", "tsx", "ts-node",
];

/// Longest name.
const NAME_MAX: usize = 40;

/// The identity of the server with this command line, under a name of the person's own if there
/// is one.
#[must_use]
pub fn server_identity(command: &[String], named: Option<&str>) -> ServerIdentity {
    let key = digest_of(canonical(&json!({ "transport": "stdio", "command": command })).as_bytes());
    let name = named.map(plain).filter(|name| !name.is_empty()).unwrap_or_else(|| name_of(command));
    let words: Vec<String> = command.iter().map(|word| without_secrets(word)).collect();
    ServerIdentity { key, name, transport: words.join(" ") }
}

/// The text of an option whose name says that it is secret goes, and so does what looks like one.
fn without_secrets(word: &str) -> String {
    let secret = ["token", "key", "secret", "password", "auth"];
    if let Some((option, value)) = word.split_once('=')
        && secret.iter().any(|part| option.to_ascii_lowercase().contains(part))
        && !value.is_empty()
    {
        return format!("{option}=[redacted]");
    }
    redacted(word, &leaks(word, &[]))
}

/// The first word that names what is started, without what all of them are called.
fn name_of(command: &[String]) -> String {
    let base = |word: &str| {
        let word = word.trim_end_matches('/').rsplit('/').next().unwrap_or(word).to_ascii_lowercase();
        // A version behind the name is none of it.
        word.split('@').find(|part| !part.is_empty()).unwrap_or_default().to_owned()
    };
    let words = command.iter().map(|word| base(word));
    let real = words.filter(|word| {
        let program = word.trim_end_matches(".exe");
        !word.is_empty() && !word.starts_with('-') && !STARTERS.contains(&program)
    });
    let first = real.map(|word| short(&word)).find(|word| !word.is_empty());
    first.map(|word| plain(&word)).filter(|word| !word.is_empty()).unwrap_or_else(|| "server".to_owned())
}

fn short(word: &str) -> String {
    let mut word = word;
    for end in [".js", ".mjs", ".cjs", ".ts", ".py", ".sh"] {
        word = word.strip_suffix(end).unwrap_or(word);
    }
    let word = word.strip_prefix("mcp-server-").or_else(|| word.strip_prefix("server-")).unwrap_or(word);
    let word = word.strip_prefix("mcp-").or_else(|| word.strip_prefix("mcp_")).unwrap_or(word);
    let word = word.strip_suffix("-mcp-server").or_else(|| word.strip_suffix("-mcp")).unwrap_or(word);
    word.strip_suffix("-server").unwrap_or(word).to_owned()
}

/// A name that can be part of `mcp__NAME__tool`.
fn plain(name: &str) -> String {
    let sign = |c: char| if c.is_ascii_alphanumeric() || c == '-' || c == '.' { c } else { '_' };
    let mut plain: String = name.chars().take(NAME_MAX).map(sign).collect();
    while plain.contains("__") {
        plain = plain.replace("__", "_");
    }
    plain.trim_matches('_').to_owned()
}

#[cfg(test)]
mod tests {
    use super::server_identity;

    #[test]
    fn names_come_from_the_command() {
        for (command, name) in [
            ("npx -y @modelcontextprotocol/server-filesystem /tmp", "filesystem"),
            ("npx -y @playwright/mcp@latest", "mcp"),
            ("uvx mcp-server-git --repository .", "git"),
            ("node /opt/github-mcp-server/index.js", "index"),
            ("python -m mcp_server_time", "server_time"),
            ("/usr/local/bin/github-mcp-server stdio", "github"),
            ("npx", "server"),
        ] {
            let words: Vec<String> = command.split(' ').map(str::to_owned).collect();
            assert_eq!(server_identity(&words, None).name, name, "{command}");
        }
        let words = ["s".to_owned(), "--api-key=abc".to_owned()];
        let found = server_identity(&words, Some("my server__x"));
        assert_eq!(
            (found.name.as_str(), found.transport.as_str()),
            ("my_server_x", "s --api-key=[redacted]")
        );
        assert_ne!(found.key, server_identity(&["s".to_owned()], None).key);
    }
}
