//! What is fuzzed, one function per target: any text goes in, and whatever the
//! reading says of it must be true. Used by the fuzz targets and by the smoke
//! test of `toolgate-shell`, so both try the same.

use toolgate_shell::{
    Outline, ReadContext, Reading, SmolStr, Span, canonical_flag, known_commands, outline, read,
};

/// Something that reads any text.
pub type Target = fn(&str);

/// The targets by name.
pub const TARGETS: &[(&str, Target)] =
    &[("parser", parser), ("expansion", expansion), ("options", options), ("sql", sql)];

/// The text as it is.
pub fn parser(source: &str) {
    let _ = checked(source);
}

/// The first line as values, the others as words that use them.
pub fn expansion(source: &str) {
    let (value, words) = source.split_once('\n').unwrap_or(("a b", source));
    let quoted = quote(value);
    let text = format!(
        "X={quoted} Y=X; A=({quoted} $X); set -- {quoted} y; x {words} \"{words}\"; cat <<E\n{words}\nE\n((X + {words}))\n"
    );
    let _ = checked(&text);
    let _ = checked(&format!("X={quoted}; eval \"$X\"; bash -c {quoted}; echo -e {quoted} | sh"));
}

/// Programs that start others, and builtins with options of their own. Those
/// with a model come from the reader itself.
const STARTERS: &[&str] = &[
    "builtin",
    "busybox",
    "bwrap",
    "chroot",
    "chrt",
    "command",
    "coproc",
    "doas",
    "exec",
    "firejail",
    "flock",
    "ionice",
    "nice",
    "nohup",
    "nsenter",
    "numactl",
    "pkexec",
    "rlwrap",
    "setpriv",
    "setsid",
    "stdbuf",
    "strace",
    "sudo",
    "systemd-run",
    "taskset",
    "time",
    "timeout",
    "torsocks",
    "unshare",
    "xvfb-run",
    "env",
    "runuser",
    "su",
    "concurrently",
    "entr",
    "fd",
    "find",
    "hyperfine",
    "parallel",
    "script",
    "watch",
    "xargs",
    "tmux",
    "screen",
    "zellij",
    "xterm",
    "wsl",
    "ssh",
    "mosh",
    "autossh",
    "kubectl",
    "docker",
    "podman",
    "asdf",
    "aws-vault",
    "bun",
    "bundle",
    "bunx",
    "cargo",
    "chamber",
    "conda",
    "cross-env",
    "direnv",
    "doppler",
    "dotenv",
    "mise",
    "nix",
    "nix-shell",
    "nodemon",
    "npm",
    "npx",
    "op",
    "pdm",
    "pipenv",
    "pnpm",
    "poetry",
    "rustup",
    "tini",
    "uv",
    "uvx",
    "watchexec",
    "yarn",
    "awk",
    "deno",
    "lua",
    "node",
    "osascript",
    "perl",
    "php",
    "pypy",
    "python",
    "ruby",
    "ash",
    "at",
    "bash",
    "batch",
    "dash",
    "eval",
    "fish",
    "ksh",
    "sh",
    "source",
    "trap",
    "zsh",
    "powershell",
    "pwsh",
    "vim",
    "ex",
    "sed",
    "sort",
    "tar",
    "rsync",
    "psql",
    "mysql",
    "sqlite3",
    "nc",
    "make",
    "git",
    "alias",
    "export",
    "declare",
    "printf",
    "read",
    "set",
    "unset",
    "cd",
    "pushd",
    "crontab",
];

/// Every command with a way of its own to read options.
pub fn commands() -> Vec<String> {
    let starters = STARTERS.iter().map(|name| (*name).to_string());
    known_commands().into_iter().chain(starters).collect()
}

/// The first line chooses the program, each other line is a word.
pub fn options(source: &str) {
    let (first, words) = source.split_once('\n').unwrap_or((source, ""));
    let all = commands();
    let number = first.bytes().fold(0usize, |sum, byte| sum.wrapping_mul(31).wrapping_add(usize::from(byte)));
    let named = all.iter().find(|name| *name == first).or_else(|| all.get(number % all.len().max(1)));
    options_of(named.map_or("git", String::as_str), words);
}

/// The words, one a line, as this program reads them.
pub fn options_of(program: &str, words: &str) {
    let words: Vec<&str> = words.split('\n').collect();
    let quoted: Vec<String> = words.iter().map(|word| quote(word)).collect();
    let reading = checked(&format!("{program} {}", quoted.join(" ")));
    assert!(reading.fault.is_some() || !reading.commands.is_empty(), "{program} {words:?}");
    let mut names = program.split(' ');
    let name = names.next().unwrap_or("");
    let subcommand: Vec<SmolStr> = names.map(SmolStr::from).collect();
    for word in words {
        let _ = canonical_flag(name, &subcommand, word);
    }
}

/// The text as SQL, as an argument and on the input.
pub fn sql(source: &str) {
    let quoted = quote(source);
    for text in [
        format!("psql -c {quoted}"),
        format!("echo {quoted} | mysql -u x"),
        format!("sqlite3 f.db {quoted}"),
        format!("psql <<'END_OF_SQL'\n{source}\nEND_OF_SQL\n"),
    ] {
        let _ = checked(&text);
    }
}

fn quote(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// Reads, and checks what holds for every reading.
fn checked(source: &str) -> Reading {
    let setting = ReadContext {
        home: Some("/home/u".to_string()),
        pwd: Some("/work".to_string()),
        ..ReadContext::default()
    };
    let reading = read(source, &setting);
    let check = |span: Span| assert!(source.get(span.start..span.end).is_some(), "{span:?} of {source:?}");
    for (at, command) in reading.commands.iter().enumerate() {
        check(command.span);
        command.words.iter().for_each(|word| check(word.span));
        command.usage.flags.iter().for_each(|flag| check(flag.span));
        assert!(!command.words.is_empty(), "{source:?}");
        assert!(
            command.piped_from.is_none_or(|from| from != at && from < reading.commands.len()),
            "{source:?}"
        );
        assert!(!command.normal().contains('\n'), "{source:?}");
        assert!(command.started_by.is_none_or(|by| by != at && by < reading.commands.len()), "{source:?}");
    }
    outline(source).iter().for_each(|piece| check_outline(piece, source));
    reading.opaque.iter().for_each(|opaque| check(opaque.span));
    reading.fault.iter().for_each(|fault| check(fault.span));
    assert!(reading == read(source, &setting), "read twice, read differently: {source:?}");
    reading
}

fn check_outline(piece: &Outline, source: &str) {
    assert!(source.get(piece.span.start..piece.span.end).is_some(), "{piece:?} of {source:?}");
    piece.inside.iter().for_each(|inner| check_outline(inner, source));
}
