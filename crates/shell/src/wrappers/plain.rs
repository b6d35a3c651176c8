//! Program text with what is put together out of constants written out:
//! `"r" "m"` and `'r' + 'm'` are one text, `getattr(os, 'system')` is `os.system`,
//! `x["exec"](…)` is `x.exec(…)`, `send(:system, …)` is `system(…)`.
//!
//! Text in, text out; no parser. One pass each, and what is not of these few
//! forms stays as it is.

use super::renames;

/// How a language joins two texts that stand side by side.
struct Joins {
    sign: &'static str,
    /// Nothing at all between them does as well.
    bare: bool,
}

/// The text as it would be without the detours, if there are any.
pub(super) fn of(language: &str, text: &str) -> Option<String> {
    let folded = joins(language).and_then(|joins| folded(text, &joins));
    let now = folded.as_deref().unwrap_or(text);
    let named = by_name(language, now);
    let now = named.as_deref().unwrap_or(now);
    let renamed = renames::undone(language, now);
    renamed.or(named).or(folded)
}

fn joins(language: &str) -> Option<Joins> {
    match language {
        "python" | "pypy" => Some(Joins { sign: "+", bare: true }),
        "node" | "nodejs" | "bun" | "deno" | "ruby" => Some(Joins { sign: "+", bare: false }),
        "perl" | "php" => Some(Joins { sign: ".", bare: false }),
        "lua" | "luajit" => Some(Joins { sign: "..", bare: false }),
        awk if awk.ends_with("awk") => Some(Joins { sign: "", bare: true }),
        _ => None,
    }
}

/// A literal in one line: its quote, what is in it, what follows it.
fn literal(text: &str) -> Option<(char, &str, &str)> {
    let quote = text.chars().next().filter(|first| matches!(first, '"' | '\''))?;
    let inside = text.get(1..)?;
    let mut escaped = false;
    for (at, found) in inside.char_indices() {
        match found {
            '\n' => return None,
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            found if found == quote => return Some((quote, inside.get(..at)?, inside.get(at + 1..)?)),
            _ => {}
        }
    }
    None
}

/// Literals that are joined, as one.
fn folded(text: &str, joins: &Joins) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    let mut any = false;
    // How much is left of the text where a line ends in which each quote stays open.
    let mut open = [usize::MAX; 2];
    while let Some(at) = rest.find(['"', '\'']) {
        let (before, from) = rest.split_at(at);
        out.push_str(before);
        let ends = open.get_mut(usize::from(from.starts_with('"')));
        let stays_open = ends.as_ref().is_some_and(|left| from.len() > **left);
        let Some((quote, body, mut after)) =
            (if stays_open || is_triple(from) { None } else { literal(from) })
        else {
            // No text of one line: on behind the sign, and no look at that line again.
            if let Some(left) = ends.filter(|_| !stays_open && !is_triple(from)) {
                *left = from.len() - from.find('\n').unwrap_or(from.len());
            }
            let skipped = if is_triple(from) { 3 } else { 1 };
            out.push_str(from.get(..skipped).unwrap_or(from));
            rest = from.get(skipped..).unwrap_or("");
            continue;
        };
        out.push(quote);
        out.push_str(body);
        while let Some((next, behind)) = joined(after, quote, joins) {
            out.push_str(next);
            after = behind;
            any = true;
        }
        out.push(quote);
        rest = after;
    }
    out.push_str(rest);
    any.then_some(out)
}

fn is_triple(text: &str) -> bool {
    text.starts_with("\"\"\"") || text.starts_with("'''")
}

/// The literal that is joined to the one before, where both are read alike.
fn joined<'a>(after: &'a str, quote: char, joins: &Joins) -> Option<(&'a str, &'a str)> {
    let near = after.trim_start_matches([' ', '\t']);
    let behind_sign = || near.strip_prefix(joins.sign).filter(|_| !joins.sign.is_empty());
    let next = behind_sign().map(str::trim_start).or_else(|| joins.bare.then_some(near))?;
    let (other, body, rest) = literal(next).filter(|_| !is_triple(next))?;
    let alike = other == quote || !body.contains(['$', '@', '#', '\\', '"', '\'']);
    alike.then_some((body, rest))
}

/// Names given as text, written as names.
fn by_name(language: &str, text: &str) -> Option<String> {
    let signs: &[&str] = match language {
        "python" | "pypy" => &["getattr(", ".__dict__[", "["],
        "node" | "nodejs" | "bun" | "deno" => &["["],
        "ruby" => &["send(", "send "],
        _ => return None,
    };
    let mut out = String::with_capacity(text.len());
    let mut places: Vec<(&str, Option<usize>)> = signs.iter().map(|sign| (*sign, text.find(sign))).collect();
    let mut done = 0;
    let mut any = false;
    loop {
        for (sign, place) in places.iter_mut().filter(|(_, place)| place.is_some_and(|place| place < done)) {
            *place = text.get(done..).and_then(|rest| rest.find(*sign)).map(|at| at + done);
        }
        let next = places.iter().filter_map(|(sign, place)| Some(((*place)?, *sign)));
        let Some((at, sign)) = next.min_by_key(|(at, _)| *at) else { break };
        out.push_str(text.get(done..at).unwrap_or(""));
        let behind = text.get(at + sign.len()..).unwrap_or("");
        if let Some((plain, after)) = written(sign, &out, behind) {
            out.push_str(&plain);
            done = text.len() - after.len();
            any = true;
        } else {
            out.push_str(sign);
            done = at + sign.len();
        }
    }
    out.push_str(text.get(done..).unwrap_or(""));
    any.then_some(out)
}

/// What a detour that begins with `sign` amounts to, and what follows it.
fn written<'a>(sign: &str, head: &str, behind: &'a str) -> Option<(String, &'a str)> {
    match sign {
        "getattr(" => {
            let end =
                behind.char_indices().take(OWNER_MAX).find(|(_, found)| *found == ',').map(|(at, _)| at)?;
            let owner = behind.get(..end)?.trim();
            let (name, after) = name(behind.get(end + 1..)?.trim_start())?;
            let after = after.trim_start();
            let after = after.strip_prefix(')')?;
            Some((format!("{owner}.{name}"), after))
        }
        ".__dict__[" => {
            let (name, after) = name(behind)?;
            Some((format!(".{name}"), after.strip_prefix(']')?))
        }
        "[" => {
            let owned =
                head.ends_with(|last: char| last.is_alphanumeric() || matches!(last, '_' | ')' | ']'));
            let (name, after) = name(behind).filter(|_| owned)?;
            let after = after.strip_prefix(']').filter(|after| after.starts_with('('))?;
            Some((format!(".{name}"), after))
        }
        _ => {
            let (name, after) = name(behind)?;
            Some((format!("{name}("), after.trim_start().strip_prefix(',')?))
        }
    }
}

/// Longer owners than this are not looked at.
const OWNER_MAX: usize = 80;

/// A plain name in quotes, or behind a colon.
fn name(text: &str) -> Option<(&str, &str)> {
    let (name, after) = match text.strip_prefix(':') {
        Some(symbol) => {
            let end = symbol.find(|found: char| !(found.is_alphanumeric() || found == '_'))?;
            symbol.split_at(end)
        }
        None => literal(text).map(|(_, body, after)| (body, after))?,
    };
    let plain = name.chars().all(|found| found.is_alphanumeric() || found == '_');
    (plain && !name.is_empty() && name.len() < 64).then_some((name, after))
}

#[cfg(test)]
mod tests {
    use super::of;

    #[test]
    fn constants_are_put_together() {
        for (language, text, wanted) in [
            ("python", "a('r' + 'm' \"s\")", "a('rms')"),
            ("awk", "system(\"r\" \"m\")", "system(\"rm\")"),
            ("perl", "system('r'.\"m\")", "system('rm')"),
            ("python", "getattr(os,'sys'+'tem')('x')", "os.system('x')"),
            ("python", "os.__dict__['system']('x')", "os.system('x')"),
            ("node", "c['exec'+'Sync']('x')", "c.execSync('x')"),
            ("ruby", "send('sys'+'tem', 'x')", "system( 'x')"),
            ("ruby", "Kernel.send(:system, 'x')", "Kernel.system( 'x')"),
        ] {
            assert_eq!(of(language, text).as_deref(), Some(wanted), "{text}");
        }
    }

    #[test]
    fn other_text_stays() {
        for (language, text) in [
            ("python", "a('r', 'm')"),
            ("python", "x['a'] = ['b']"),
            ("python", "# don't\nprint('a')"),
            ("node", "a['b'] + \"c\" + d"),
            ("perl", "\"$a\".'$b'"),
            ("python", "'''a''' 'b"),
            ("awk", "{print \"a\"}\n{print \"b\"}"),
            ("python", "getattr(a, b)('x')"),
            ("ruby", "send(x)"),
            ("python", "\"\\"),
        ] {
            assert_eq!(of(language, text), None, "{text}");
        }
    }
}
