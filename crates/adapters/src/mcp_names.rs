//! What the name and input of an MCP tool say about running commands. Shared by
//! all hosts, because the tools are the servers' and not the hosts'.

use serde_json::Value;

/// The command a tool of a server gives to a shell, and the field it is in,
/// where that one text is all there is. Lists, arguments apart and a folder of
/// its own are read by `toolgate-core`.
pub(crate) fn command_of(tool: &str, input: &Value) -> Option<(String, String)> {
    let name = tool.to_ascii_lowercase();
    let runs =
        ["run", "exec", "shell", "bash", "command", "terminal", "cmd"].iter().any(|word| name.contains(word));
    let fields = ["command", "cmd", "script", "commandline", "command_line", "shell_command", "shellCommand"]
        .into_iter()
        .filter(|_| runs);
    let more = [
        "args",
        "arguments",
        "argv",
        "commands",
        "cwd",
        "workdir",
        "working_directory",
        "workingDirectory",
        "dir",
        "directory",
    ];
    if more.iter().any(|field| input.get(field).is_some_and(|value| !value.is_null())) {
        return None;
    }
    let mut found =
        fields.filter_map(|field| Some((field.to_owned(), input.get(field)?.as_str()?.to_owned())));
    found.next()
}
