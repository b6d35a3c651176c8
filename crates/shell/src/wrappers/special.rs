//! Quotes that run what is in them, Perl's `open` with a pipe, and how the
//! words of a command are given as a list.

use super::language::{literal, quoted};

/// `%x(ls)` of Ruby, `` `ls` `` of several, `` $`ls` `` of Bun and zx, at the sign.
pub(super) fn quoted_command<'a>(language: &str, text: &str, rest: &'a str) -> Option<(String, &'a str)> {
    if let Some(inside) = rest.strip_prefix("%x").filter(|_| language == "ruby") {
        return bracketed(inside);
    }
    if let Some(inside) = rest.strip_prefix("$`") {
        let runs = language == "bun" || text.contains("\"zx\"") || text.contains("'zx'");
        return runs.then(|| quoted(inside, '`'));
    }
    let inside = rest.strip_prefix('`')?;
    matches!(language, "perl" | "ruby" | "php" | "julia").then(|| quoted(inside, '`'))
}

/// Where the further words of a command begin: `["-l"]`, `c("-l")` of R,
/// `{args: ["-l"]}` of Deno, or one text after the other.
pub(super) fn list_of(more: &str) -> &str {
    let bracket = more.strip_prefix('[').or_else(|| more.strip_prefix("c("));
    let named = || {
        let (_, list) = more.strip_prefix('{')?.split_once("args")?;
        list.trim_start().strip_prefix(':')?.trim_start().strip_prefix('[')
    };
    let bare = if more.starts_with(['"', '\'']) { more } else { "" };
    bracket.or_else(named).unwrap_or(bare)
}

/// The text Perl runs by `qx{ls}`, `system qw(ls -l)`, `open(F, "ls |")`.
pub(super) fn perl(name: &str, opening: &str, inside: Option<&str>) -> Option<String> {
    match name {
        "qx" => bracketed(opening).map(|(text, _)| text),
        "system" | "exec" => {
            let list = inside.unwrap_or(opening).strip_prefix("qw")?;
            bracketed(list.trim_start()).map(|(text, _)| text)
        }
        "open" => {
            let (_, rest) = inside.unwrap_or(opening).split_once(',')?;
            let (text, after) = literal(rest.trim_start())?;
            let text = text.trim();
            match text {
                // `open(F, "-|", "ls")`
                "-|" | "|-" => {
                    literal(after.trim_start().strip_prefix(',')?.trim_start()).map(|(text, _)| text)
                }
                _ => text.strip_suffix('|').or(text.strip_prefix('|')).map(|text| text.trim().to_string()),
            }
        }
        _ => None,
    }
}

/// Text between a sign and the one that closes it.
pub(super) fn bracketed(text: &str) -> Option<(String, &str)> {
    let open = text.chars().next().filter(|sign| !sign.is_alphanumeric() && *sign != ' ' && *sign != ',')?;
    let close = match open {
        '(' => ')',
        '[' => ']',
        '{' => '}',
        '<' => '>',
        other => other,
    };
    Some(quoted(text.get(open.len_utf8()..)?, close))
}
