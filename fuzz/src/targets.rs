//! What is fuzzed, one function per target: any text goes in, and whatever the
//! reading says of it must be true. Used by the fuzz targets and by the smoke
//! test of `toolgate-shell`, so both try the same.

use toolgate_shell::{Reading, Setting, Span, canonical_flag, read};

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

/// Programs with option tables or wrappers of their own.
const PROGRAMS: &[&str] = &[
    "git",
    "git commit",
    "git push",
    "rm",
    "cp",
    "mv",
    "ln",
    "chmod",
    "find",
    "sed",
    "tar",
    "rsync",
    "curl",
    "wget",
    "ssh",
    "scp",
    "docker run",
    "docker exec",
    "kubectl delete",
    "npm install",
    "pip install",
    "cargo",
    "sudo",
    "env",
    "xargs",
    "timeout",
    "nice",
    "psql",
    "mysql",
    "redis-cli",
    "dd",
    "tee",
    "grep",
    "awk",
    "python",
    "perl",
    "node",
    "bash",
    "systemctl",
    "crontab",
    "aws s3",
    "gcloud",
    "terraform",
    "make",
    "parallel",
    "watch",
    "kill",
    "truncate",
    "unzip",
    "openssl",
];

/// The first byte chooses the program, each line is a word.
pub fn options(source: &str) {
    let mut lines = source.split('\n');
    let first = lines.next().unwrap_or("");
    let number = first.bytes().fold(0usize, |sum, byte| sum.wrapping_mul(31).wrapping_add(usize::from(byte)));
    let program = PROGRAMS.get(number % PROGRAMS.len()).copied().unwrap_or("git");
    let words: Vec<&str> = lines.collect();
    let quoted: Vec<String> = words.iter().map(|word| quote(word)).collect();
    let reading = checked(&format!("{program} {}", quoted.join(" ")));
    assert!(reading.fault.is_some() || !reading.commands.is_empty(), "{program} {words:?}");
    let mut names = program.split(' ');
    let name = names.next().unwrap_or("");
    let subcommand: Vec<String> = names.map(str::to_string).collect();
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
    let setting = Setting { home: Some("/home/u".to_string()), pwd: Some("/work".to_string()) };
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
    }
    reading.opaque.iter().for_each(|opaque| check(opaque.span));
    reading.fault.iter().for_each(|fault| check(fault.span));
    assert!(reading == read(source, &setting), "read twice, read differently: {source:?}");
    reading
}
