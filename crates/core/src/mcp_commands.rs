//! The commands a tool of an MCP server amounts to: a list of words for a
//! shell, a `git_push { force }`, statements for a database.
//!
//! What comes out is text for the shell reader, so that every rule about
//! commands holds for these tools as well. No server says what its tools do in
//! a form that binds it; names of tools and arguments are all there is.

use serde_json::{Map, Value};

/// Longest list of arguments that is read.
const ITEMS_MAX: usize = 256;

/// Words in the name of a tool that runs commands.
const RUNNERS: &[&str] = &[
    "run", "exec", "execute", "shell", "bash", "command", "commands", "terminal", "cmd", "process", "spawn",
    "zsh", "sh", "ssh",
];

/// Words that say it runs in a container.
const CONTAINERS: &[&str] = &["docker", "container", "containers", "podman", "pod", "kubernetes", "k8s"];

/// Words that say a shell reads what it is given.
const SHELLS: &[&str] = &[
    "shell", "bash", "zsh", "sh", "ssh", "terminal", "command", "commands", "cmd", "process", "pty", "tmux",
    "console",
];

/// Words that name a language, and how a program in it is run.
const LANGUAGES: &[(&[&str], &str)] = &[
    (&["python", "python3", "py", "ipython", "jupyter", "notebook"], "python -c"),
    (&["javascript", "js", "node", "nodejs", "typescript", "ts", "deno", "bun"], "node -e"),
    (&["ruby", "rb"], "ruby -e"),
    (&["perl", "pl"], "perl -e"),
    (&["php"], "php -r"),
];

/// Words that say a database is meant.
const DATABASES: &[&str] = &[
    "sql",
    "database",
    "db",
    "postgres",
    "postgresql",
    "pg",
    "mysql",
    "mariadb",
    "sqlite",
    "supabase",
    "bigquery",
    "snowflake",
    "duckdb",
    "clickhouse",
    "redshift",
    "mssql",
    "cockroach",
    "neon",
    "planetscale",
    "oracle",
];

/// Subcommands of git that tools are named after.
const GIT_VERBS: &[&str] = &[
    "commit",
    "push",
    "reset",
    "checkout",
    "clean",
    "branch",
    "rebase",
    "merge",
    "stash",
    "add",
    "restore",
    "switch",
    "tag",
    "config",
    "cherry-pick",
    "revert",
    "pull",
    "am",
    "worktree",
    "reflog",
    "gc",
    "rm",
];

/// Shell text that does what the tool would, if it is of these kinds.
pub(crate) fn of_input(server: &str, tool: &str, input: &Value) -> Option<String> {
    let fields = input.as_object()?;
    let named: Vec<String> = words_of(tool);
    let all: Vec<String> = named.iter().cloned().chain(words_of(server)).collect();
    let says = |words: &[String], wanted: &[&str]| words.iter().any(|word| wanted.contains(&word.as_str()));
    // A field called `sql` says so whatever the server is called.
    let is_database = says(&all, DATABASES) || fields.keys().any(|field| plain_name(field) == "sql");
    if let Some(text) = is_database.then(|| statements(fields)).flatten() {
        return Some(text);
    }
    if all.iter().any(|word| word == "git")
        && let Some(verb) = GIT_VERBS.iter().find(|verb| named.iter().any(|word| word == *verb))
    {
        return Some(git(verb, fields));
    }
    let text = says(&all, RUNNERS).then(|| commands(fields, &all)).flatten()?;
    // What runs in a container has files of its own.
    let inside = |line: &str| format!("docker run image {line}");
    let away = says(&all, CONTAINERS);
    Some(if away { text.lines().map(inside).collect::<Vec<_>>().join("\n") } else { text })
}

/// The words of a name: `executeSql`, `execute_sql` and `execute-sql`.
fn words_of(name: &str) -> Vec<String> {
    crate::mcp_files::words_of(name)
}

/// A field's name without signs: `shell_command` and `shellCommand`.
fn plain_name(name: &str) -> String {
    name.chars().filter(|found| found.is_alphanumeric()).collect::<String>().to_ascii_lowercase()
}

fn texts(value: &Value) -> Vec<&str> {
    let many = value.as_array().into_iter().flatten().take(ITEMS_MAX).filter_map(Value::as_str);
    value.as_str().into_iter().chain(many).collect()
}

fn quote(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

fn quoted(words: &[&str]) -> String {
    words.iter().map(|word| quote(word)).collect::<Vec<_>>().join(" ")
}

fn commands(fields: &Map<String, Value>, named: &[String]) -> Option<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut arguments: Vec<&str> = Vec::new();
    for (field, value) in fields {
        match plain_name(field).as_str() {
            "code" | "sourcecode" | "snippet" | "cell" => {
                texts(value).iter().for_each(|text| lines.extend(program(text, fields, named)));
            }
            "input" | "keys" if named.iter().any(|word| SHELLS.contains(&word.as_str())) => {
                lines.extend(texts(value).into_iter().map(str::to_owned));
            }
            "args" | "arguments" | "argv" => arguments = texts(value),
            // Each of several is a line of its own.
            "commands" | "cmds" | "scripts" | "lines" | "steps" => lines.extend(each(value)),
            "command" | "cmd" | "script" | "commandline" | "shellcommand" | "bashcommand" | "cmdline"
            | "program" | "executable" => match value {
                Value::String(text) => lines.insert(0, text.clone()),
                // A list here is one command, word by word.
                Value::Array(_) => lines.insert(0, quoted(&texts(value))),
                _ => {}
            },
            _ => {}
        }
    }
    match lines.first_mut() {
        Some(first) if !arguments.is_empty() => {
            first.push(' ');
            first.push_str(&quoted(&arguments));
        }
        None if !arguments.is_empty() => lines.push(quoted(&arguments)),
        _ => {}
    }
    if lines.is_empty() {
        return None;
    }
    let folder = fields.iter().find(|(field, _)| {
        matches!(
            plain_name(field).as_str(),
            "cwd" | "workdir" | "workingdir" | "workingdirectory" | "dir" | "directory"
        )
    });
    let moved = folder.and_then(|(_, value)| value.as_str()).map(|folder| format!("cd {}\n", quote(folder)));
    Some(format!("{}{}", moved.unwrap_or_default(), lines.join("\n")))
}

/// What runs a program given as text: in the language a field or a name says, a
/// shell where one is named, else in the one most tools of this kind run.
fn program(text: &str, fields: &Map<String, Value>, named: &[String]) -> Vec<String> {
    let field = |name: &str| matches!(name, "language" | "lang" | "kernel" | "runtime" | "interpreter");
    let said = fields.iter().filter(|(name, _)| field(&plain_name(name)));
    let said: Vec<String> = said.filter_map(|(_, value)| value.as_str()).flat_map(words_of).collect();
    let by = if said.is_empty() { named } else { &said };
    let is_in = |names: &[&str]| by.iter().any(|word| names.contains(&word.as_str()));
    let language = LANGUAGES.iter().find(|(names, _)| is_in(names)).map(|(_, run)| *run);
    if language.is_none() && is_in(SHELLS) {
        return vec![text.to_owned()];
    }
    let run = language.unwrap_or("python -c");
    // Notebooks give lines that begin so to a shell.
    let escaped = text.lines().filter_map(|line| line.trim_start().strip_prefix('!')).map(str::to_owned);
    std::iter::once(format!("{run} {}", quote(text))).chain(escaped).collect()
}

/// The commands of a list: texts, lists of words, or objects that hold one.
fn each(value: &Value) -> Vec<String> {
    if let Some(text) = value.as_str() {
        return vec![text.to_owned()];
    }
    let items = value.as_array().into_iter().flatten().take(ITEMS_MAX);
    items
        .filter_map(|item| match item {
            Value::String(text) => Some(text.clone()),
            Value::Array(_) => Some(quoted(&texts(item))),
            Value::Object(fields) => commands(fields, &[]),
            _ => None,
        })
        .collect()
}

fn statements(fields: &Map<String, Value>) -> Option<String> {
    let is_sql = |field: &str| {
        matches!(
            plain_name(field).as_str(),
            "sql" | "query" | "queries" | "statement" | "statements" | "sqlquery" | "command" | "script"
        )
    };
    let found: Vec<String> = fields
        .iter()
        .filter(|(field, _)| is_sql(field))
        .flat_map(|(_, value)| texts(value))
        .map(|text| format!("psql -c {}", quote(text)))
        .collect();
    (!found.is_empty()).then(|| found.join("\n"))
}

fn git(verb: &str, fields: &Map<String, Value>) -> String {
    let mut line = format!("git {verb}");
    let mut add = |word: &str| {
        line.push(' ');
        line.push_str(word);
    };
    for (field, value) in fields {
        let name = plain_name(field);
        let on = value.as_bool() == Some(true) || value.as_str() == Some("true");
        match name.as_str() {
            "noverify" | "skiphooks" | "skipverify" | "bypasshooks" if on => add("--no-verify"),
            "verify" | "runhooks" if value.as_bool() == Some(false) => add("--no-verify"),
            "message" | "commitmessage" | "msg" if verb == "commit" => {
                texts(value).iter().for_each(|text| add(&format!("-m {}", quote(text))));
            }
            "forcewithlease" if on => add("--force-with-lease"),
            "force" | "hard" | "delete" | "mirror" | "prune" | "amend" | "all" if on => {
                add(&format!("--{name}"))
            }
            "mode" | "resettype" | "resetmode" => {
                texts(value).into_iter().for_each(|mode| add(&format!("--{}", mode.trim_start_matches('-'))));
            }
            "flags" | "options" | "args" | "arguments" | "extraargs" | "additionalargs" => {
                texts(value)
                    .iter()
                    .flat_map(|text| text.split_ascii_whitespace())
                    .for_each(|word| add(&quote(word)));
            }
            _ => {}
        }
    }
    // Where it goes, then what: the order git wants.
    for wanted in ["remote", "commit", "target", "ref", "branch", "branchname", "refspec", "files", "paths"] {
        let given = fields.iter().filter(|(field, _)| plain_name(field) == wanted);
        given.flat_map(|(_, value)| texts(value)).for_each(|text| add(&quote(text)));
    }
    line
}

#[cfg(test)]
mod tests {
    use super::of_input;
    use serde_json::{Value, json};

    #[track_caller]
    fn check(server: &str, tool: &str, input: &Value, expected: Option<&str>) {
        assert_eq!(of_input(server, tool, input).as_deref(), expected, "{server} {tool} {input}");
    }

    #[test]
    fn lists_and_arguments_are_commands() {
        check("shell", "run", &json!({ "command": ["rm", "-rf", "/"] }), Some("'rm' '-rf' '/'"));
        check("shell", "run", &json!({ "command": "rm", "args": ["-rf", "/"] }), Some("rm '-rf' '/'"));
        check("shell", "run", &json!({ "commands": ["ls", "rm -rf /"] }), Some("ls\nrm -rf /"));
        check("shell", "x", &json!({ "shell_command": "ls", "cwd": "/" }), Some("cd '/'\nls"));
        check(
            "docker",
            "run_container",
            &json!({ "command": ["rm", "-rf", "/"] }),
            Some("docker run image 'rm' '-rf' '/'"),
        );
        check("notes", "create", &json!({ "command": "rm -rf /" }), None);
    }

    #[test]
    fn programs_and_what_is_typed_are_commands() {
        check("terminal", "send_input", &json!({ "input": "rm -rf /" }), Some("rm -rf /"));
        check("bash", "execute", &json!({ "code": "rm -rf /" }), Some("rm -rf /"));
        check("repl", "run", &json!({ "code": "rm x", "language": "bash" }), Some("rm x"));
        check("python", "execute_code", &json!({ "code": "f('x')" }), Some(r"python -c 'f('\''x'\'')'"));
        check("x", "run_code", &json!({ "code": "a", "language": "javascript" }), Some("node -e 'a'"));
        check("jupyter", "execute_cell", &json!({ "code": "!ls" }), Some("python -c '!ls'\nls"));
        check("chat", "run_model", &json!({ "input": "rm -rf /" }), None);
        check("review", "check", &json!({ "code": "rm -rf /" }), None);
    }

    #[test]
    fn git_and_databases_are_their_commands() {
        check(
            "git",
            "git_commit",
            &json!({ "message": "x", "no_verify": true }),
            Some("git commit -m 'x' --no-verify"),
        );
        check(
            "git",
            "push",
            &json!({ "force": true, "branch": "main", "remote": "origin" }),
            Some("git push --force 'origin' 'main'"),
        );
        check("git", "git_reset", &json!({ "mode": "hard" }), Some("git reset --hard"));
        check("git", "git_status", &json!({ "repo_path": "." }), None);
        check("github", "create_branch", &json!({ "branch": "x", "force": true }), None);
        check("postgres", "query", &json!({ "sql": "drop table a" }), Some("psql -c 'drop table a'"));
        check("search", "query", &json!({ "query": "drop table a" }), None);
    }
}
