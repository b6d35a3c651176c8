//! Files a program of another language reads as its own: `import x`,
//! `require("./x")`, `do "x.pl"`.
//!
//! Guesses at names, as many as a module may have. A file no one here wrote is
//! none that counts.

use super::Inner;
use super::language::literal;
use crate::reading::Word;

/// Statements that are looked at, and names that are found.
const STATEMENTS_MAX: usize = 2048;
const NAMES_MAX: usize = 256;

/// Longer names are not looked at.
const NAME_MAX: usize = 200;

/// Words behind which the name of a file or of a module is.
const LOADERS: &[(&str, &[&str])] = &[
    (
        "python",
        &[
            "run_path",
            "execfile",
            "run_module",
            "__import__",
            "import_module",
            "exec(open",
            "spec_from_file_location",
        ],
    ),
    ("node", &["require", "import", "from"]),
    ("perl", &["do", "require"]),
    ("ruby", &["load", "require", "require_relative"]),
    ("php", &["include", "include_once", "require", "require_once"]),
    ("lua", &["dofile", "require"]),
];

/// The files a program text reads, as seen from its own folder.
pub(super) fn of(language: &str, program: &Word) -> Vec<Inner> {
    let family = family(language);
    let mut names = Vec::new();
    if family == "python" {
        python(&program.text, &mut names);
    }
    if family == "perl" {
        perl(&program.text, &mut names);
    }
    let loaders = LOADERS.iter().find(|(name, _)| *name == family).map_or(&[][..], |(_, words)| words);
    for word in loaders {
        for (at, _) in program.text.match_indices(word).take(NAMES_MAX) {
            let before = program.text.get(..at).and_then(|head| head.chars().next_back());
            let behind = program.text.get(at + word.len()..).unwrap_or("");
            let is_part = |found: char| found.is_alphanumeric() || found == '_';
            if before.is_some_and(is_part) {
                continue;
            }
            let argument = behind.trim_start_matches([' ', '(']);
            let end = argument.char_indices().nth(NAME_MAX).map_or(argument.len(), |(at, _)| at);
            if let Some((name, after)) = literal(argument.get(..end).unwrap_or("")) {
                // One that does not end there is none.
                names.extend(Some(name).filter(|_| !after.is_empty() || end == argument.len()));
            }
        }
    }
    names.iter().take(NAMES_MAX).flat_map(|name| files(language, name, program)).collect()
}

/// Languages that are read alike.
fn family(language: &str) -> &str {
    match language {
        "pypy" => "python",
        "nodejs" | "bun" | "deno" | "tsx" | "ts-node" => "node",
        "luajit" => "lua",
        other => other,
    }
}

/// The files a module may lie in.
pub(super) fn files(language: &str, name: &str, at: &Word) -> Vec<Inner> {
    let file =
        |text: String| Inner::File(Word { text: text.into(), exact: false, glob: false, span: at.span });
    let ends: &[&str] = match family(language) {
        "python" if name.contains('/') || name.ends_with(".py") => &[""],
        "python" => {
            let path = name.trim_start_matches('.').replace('.', "/");
            return [".py", "/__init__.py", "/__main__.py"]
                .iter()
                .map(|end| file(format!("{path}{end}")))
                .collect();
        }
        "node" if name.starts_with(['.', '/']) => &["", ".js", ".mjs", ".cjs", ".ts", "/index.js"],
        "perl" => &["", ".pm"],
        "ruby" => &["", ".rb"],
        "lua" => &["", ".lua"],
        "php" => &[""],
        _ => &[],
    };
    ends.iter().map(|end| file(format!("{name}{end}"))).collect()
}

/// `import a.b as c, d` and `from a import b`.
fn python(text: &str, names: &mut Vec<String>) {
    for statement in text.split(['\n', ';', ':']).take(STATEMENTS_MAX) {
        let statement = statement.trim_start();
        if names.len() >= NAMES_MAX {
            return;
        }
        if let Some(modules) = statement.strip_prefix("import ") {
            let named = modules.split(',').filter_map(|module| module.split_whitespace().next());
            names.extend(named.take(NAMES_MAX).map(str::to_string));
        } else if let Some((module, parts)) =
            statement.strip_prefix("from ").and_then(|rest| rest.split_once(" import "))
        {
            names.push(module.trim().to_string());
            let part = parts.trim_start_matches(['(', ' ']).split([',', ' ', ')']).next().unwrap_or("");
            names.push(format!("{}.{part}", module.trim().trim_end_matches('.')));
        }
    }
}

/// `use A::B;`
fn perl(text: &str, names: &mut Vec<String>) {
    for statement in text.split(['\n', ';', '{']).take(STATEMENTS_MAX) {
        if let Some(rest) = statement.trim_start().strip_prefix("use ")
            && names.len() < NAMES_MAX
        {
            names.extend(rest.split_whitespace().next().map(|name| name.replace("::", "/")));
        }
    }
}
