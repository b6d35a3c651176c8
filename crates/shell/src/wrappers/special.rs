//! Quotes of Perl and Ruby that run what is in them, and Perl's `open` with a
//! pipe.

use super::language::{literal, quoted};

/// `%x(ls)` of Ruby, at the sign.
pub(super) fn quoted_command<'a>(language: &str, rest: &'a str) -> Option<(String, &'a str)> {
    let inside = rest.strip_prefix("%x").filter(|_| language == "ruby")?;
    bracketed(inside)
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
fn bracketed(text: &str) -> Option<(String, &str)> {
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
