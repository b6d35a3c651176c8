//! What `sed` makes of a text that is known, where that is plain: `s` with a
//! pattern that represents itself, `d`, and the numbers of lines before them.
//!
//! Everything else is not known.

use crate::reading::{Command, Word};

/// Longer scripts and texts are not computed.
const COMMANDS_MAX: usize = 16;
const TEXT_MAX: usize = 64 << 10;

/// One order of a script.
struct Order {
    line: Option<usize>,
    does: Does,
}

enum Does {
    Delete,
    Replace { old: String, new: String, every: bool },
}

/// The text after `command`, if it is a `sed` that can be followed.
pub(crate) fn of(command: &Command, text: &str) -> Option<String> {
    let usage = &command.usage;
    if !matches!(command.program.as_str(), "sed" | "gsed")
        || text.len() > TEXT_MAX
        || usage.has("--quiet")
        || usage.has("--file")
    {
        return None;
    }
    let given = usage.has("--expression");
    let scripts = usage.values("--expression").chain(usage.operands.iter().take(usize::from(!given)));
    let extended = usage.has("--regexp-extended") || usage.has("-E") || usage.has("-r");
    let mut orders = Vec::new();
    for script in scripts {
        orders.extend(read(script, extended)?);
    }
    if orders.is_empty() || orders.len() > COMMANDS_MAX {
        return None;
    }
    let mut out = String::with_capacity(text.len());
    for (at, line) in text.split_inclusive('\n').enumerate() {
        let (body, end) = line.strip_suffix('\n').map_or((line, ""), |body| (body, "\n"));
        if let Some(body) = changed(body.to_string(), at + 1, &orders) {
            out.push_str(&body);
            out.push_str(end);
        }
        if out.len() > 2 * TEXT_MAX {
            return None;
        }
    }
    Some(out)
}

fn changed(mut body: String, line: usize, orders: &[Order]) -> Option<String> {
    for order in orders.iter().filter(|order| order.line.is_none_or(|wanted| wanted == line)) {
        match &order.does {
            Does::Delete => return None,
            Does::Replace { old, new, every: true } => body = body.replace(old.as_str(), new),
            Does::Replace { old, new, every: false } => body = body.replacen(old.as_str(), new, 1),
        }
        if body.len() > 2 * TEXT_MAX {
            break;
        }
    }
    Some(body)
}

/// The orders of a script, if all of them are plain.
fn read(script: &Word, extended: bool) -> Option<Vec<Order>> {
    let mut orders = Vec::new();
    let mut rest = script.exact.then_some(script.text.as_str())?;
    loop {
        rest = rest.trim_start_matches([' ', '\t', '\n', ';']);
        if rest.is_empty() {
            return Some(orders);
        }
        let digits = rest.len() - rest.trim_start_matches(|found: char| found.is_ascii_digit()).len();
        let (number, behind) = rest.split_at(digits);
        let line = if number.is_empty() { None } else { Some(number.parse().ok()?) };
        let (does, after) = match behind.strip_prefix('s') {
            Some(parts) => replacement(parts, extended)?,
            None => (Does::Delete, behind.strip_prefix('d')?),
        };
        if !(after.is_empty() || after.starts_with([';', '\n', ' '])) || orders.len() > COMMANDS_MAX {
            return None;
        }
        orders.push(Order { line, does });
        rest = after;
    }
}

/// `/a/b/g` behind an `s`.
fn replacement(text: &str, extended: bool) -> Option<(Does, &str)> {
    let sign = text.chars().next().filter(|sign| sign.is_ascii_punctuation() && *sign != '\\')?;
    let special = if extended { ".*[]^$+?(){}|" } else { ".*[]^$" };
    let (old, rest) = part(text.get(1..)?, sign, special)?;
    let (new, rest) = part(rest, sign, "&")?;
    let every = rest.starts_with('g');
    (!old.is_empty()).then_some((Does::Replace { old, new, every }, rest.strip_prefix('g').unwrap_or(rest)))
}

/// Text up to `sign`, if it represents itself.
fn part<'a>(text: &'a str, sign: char, special: &str) -> Option<(String, &'a str)> {
    let mut value = String::new();
    let mut chars = text.chars();
    while let Some(found) = chars.next() {
        match found {
            found if found == sign => return Some((value, chars.as_str())),
            '\\' => value.push(chars.next().filter(|next| {
                *next == sign || next.is_ascii_punctuation() && !"+?(){}|<>'`".contains(*next)
            })?),
            '\n' => return None,
            found if special.contains(found) => return None,
            found => value.push(found),
        }
    }
    None
}
