//! Which parts of a program in another language are only text: strings that hold
//! the spelling of a call, and comments.
//!
//! An edit of a source file (`s.replace("os.system('x')", …)`) starts nothing. Where
//! text may become program again (`eval`, `python -c`), and in languages whose quotes
//! cannot be told apart by looking, all of it counts as program.

use std::ops::Range;

/// Parts that are followed; a program with more is all program.
const PARTS_MAX: usize = 4096;

/// Words by which text becomes program, whatever the language.
const REVIVERS: [&str; 29] = [
    "vm.",
    "data:",
    "constructor",
    "runsource",
    "runcode",
    "pdb",
    "__dict__",
    "eval",
    "compile",
    "Function",
    "importlib",
    "__import__",
    "__builtins__",
    "getattr",
    "globals",
    "runpy",
    "timeit",
    "cProfile",
    "sys.executable",
    "execPath",
    "runIn",
    "setTimeout",
    "setInterval",
    "call_user_func",
    "create_function",
    "assert(",
    "'-c'",
    "\"-c\"",
    "'-e'",
];

/// How a language writes text and comments.
struct Manner {
    line_comments: &'static [&'static str],
    block_comments: bool,
    /// `'''` and `"""`.
    triple: bool,
    /// `` ` `` is a quote of text, and a slash may begin a pattern.
    scripts: bool,
    /// What makes program of a part of a text.
    fills: &'static [&'static str],
}

const PYTHON: Manner =
    Manner { line_comments: &["#"], block_comments: false, triple: true, scripts: false, fills: &[] };
const NODE: Manner =
    Manner { line_comments: &["//"], block_comments: true, triple: false, scripts: true, fills: &["${"] };
const PHP: Manner = Manner {
    line_comments: &["//", "#"],
    block_comments: true,
    triple: false,
    scripts: false,
    fills: &["{$", "${"],
};

/// The parts of `text` that are no program, in order.
pub(super) fn parts(language: &str, text: &str) -> Vec<Range<usize>> {
    let manner = match language {
        "python" | "pypy" => &PYTHON,
        "node" | "nodejs" | "bun" | "deno" => &NODE,
        "php" => &PHP,
        _ => return Vec::new(),
    };
    let is_exec = |word: &str| word == "exec";
    let executes = text.contains("exec") && text.split(|one: char| !one.is_alphanumeric()).any(is_exec);
    if executes || REVIVERS.iter().any(|sign| text.contains(sign)) || text.contains("<<<") {
        return Vec::new();
    }
    scan(manner, text).filter(|parts| parts.len() <= PARTS_MAX).unwrap_or_default()
}

/// `None` where a quote is not closed: then nothing is sure.
fn scan(manner: &Manner, text: &str) -> Option<Vec<Range<usize>>> {
    let mut parts = Vec::new();
    let mut at = 0;
    let mut before = '(';
    while let Some(first) = text.get(at..).and_then(|rest| rest.chars().next()) {
        let rest = text.get(at..)?;
        if let Some(end) = comment_end(manner, rest) {
            parts.push(at..at + end);
            at += end;
            continue;
        }
        if matches!(first, '\'' | '"') || first == '`' && manner.scripts {
            let end = at + literal_end(manner, rest)?;
            let inside = text.get(at..end)?;
            if inside.contains('(') && !is_filled(manner, text.get(..at)?, first, inside) {
                parts.push(at..end);
            }
            (at, before) = (end, first);
            continue;
        }
        if first == '/' && manner.scripts && begins_pattern(before) {
            at += pattern_end(rest)?;
            before = '/';
            continue;
        }
        if first == '/' && manner.scripts && may_be_pattern(rest) {
            // Behind a name or a parenthesis it may divide or not.
            return None;
        }
        before = if first.is_whitespace() { before } else { first };
        at += first.len_utf8();
    }
    Some(parts)
}

fn comment_end(manner: &Manner, rest: &str) -> Option<usize> {
    if manner.block_comments && rest.starts_with("/*") {
        return Some(rest.find("*/").map_or(rest.len(), |end| end + 2));
    }
    let begins = manner.line_comments.iter().any(|sign| rest.starts_with(sign));
    begins.then(|| rest.find('\n').unwrap_or(rest.len()))
}

/// Behind the quote that closes the one `rest` begins with.
fn literal_end(manner: &Manner, rest: &str) -> Option<usize> {
    let quote = rest.chars().next()?;
    let triple = ["'''", "\"\"\""].iter().find(|sign| manner.triple && rest.starts_with(**sign));
    let close = triple.map_or_else(|| quote.to_string(), |sign| (*sign).to_string());
    let mut at = close.len();
    loop {
        let behind = rest.get(at..)?;
        if behind.starts_with(&close) {
            return Some(at + close.len());
        }
        let found = behind.chars().next()?;
        // A line end closes nothing, and such a text is a mistake.
        if found == '\n' && triple.is_none() && quote != '`' && manner.line_comments != PHP.line_comments {
            return None;
        }
        at += found.len_utf8();
        if found == '\\' {
            at += behind.chars().nth(1)?.len_utf8();
        }
    }
}

/// Does the text hold places that are program?
fn is_filled(manner: &Manner, head: &str, quote: char, inside: &str) -> bool {
    let letters = head.bytes().rev().take_while(u8::is_ascii_alphabetic).take(3);
    let formatted = manner.triple && letters.into_iter().any(|byte| matches!(byte, b'f' | b'F'));
    formatted && inside.contains('{')
        || quote != '\'' && manner.fills.iter().any(|sign| inside.contains(sign))
}

/// May a pattern stand behind this sign? Behind a value a slash divides.
fn begins_pattern(before: char) -> bool {
    "(,=:[!&|?{};+-*%<>~^".contains(before)
}

/// Would the quotes behind this slash be none, if it began a pattern?
fn may_be_pattern(rest: &str) -> bool {
    let behind = rest.get(1..).unwrap_or("");
    let end = behind.find(['/', '\n']).unwrap_or(behind.len());
    let (between, after) = behind.split_at(end);
    after.starts_with('/') && between.contains(['\'', '"', '`'])
}

/// Behind the slash that closes a pattern.
fn pattern_end(rest: &str) -> Option<usize> {
    let (mut escaped, mut class) = (false, false);
    for (at, found) in rest.char_indices().skip(1) {
        match found {
            '\n' => return None,
            _ if std::mem::take(&mut escaped) => {}
            '\\' => escaped = true,
            '[' => class = true,
            ']' => class = false,
            '/' if !class => return Some(at + 1),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::parts;

    #[track_caller]
    fn check(language: &str, text: &str, expected: &[&str]) {
        let found: Vec<&str> = parts(language, text).into_iter().filter_map(|part| text.get(part)).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn strings_with_calls_and_comments_are_text() {
        check("python", "s.replace(\"os.system('x')\", 'y')", &["\"os.system('x')\""]);
        check("python", "a = '''f(\n'b')''' # g()\nh('x')", &["'''f(\n'b')'''", "# g()"]);
        check("python", "x = 'a\\'(b)'; y()", &["'a\\'(b)'"]);
        check("node", "w('f', `a('b')`); // c()\nd /* e() */", &["`a('b')`", "// c()", "/* e() */"]);
        check("node", "x = s.replace(/'(/g, 'y('); f('z')", &["'y('"]);
        check("node", "x = a / b; g('c(')", &["'c('"]);
        check("php", "f('a(b)'); // c\n$x = \"d(\";", &["'a(b)'", "// c", "\"d(\""]);
    }

    #[test]
    fn what_may_run_is_program() {
        check("python", "eval('f(1)')", &[]);
        check("python", "e = exec; e('f(1)')", &[]);
        check("node", "execSync('a'); g('b(')", &["'b('"]);
        check("python", "x = f'{f(1)}'", &[]);
        check("python", "x = 'f('\n'", &[]);
        check("python", "os.system('rm x')", &[]);
        check("node", "x = `${f('a')}`", &[]);
        check("node", "if (a) /'/.test(b); f('c('); /'/", &[]);
        check("ruby", "x = 'f(1)'", &[]);
        check("python", "run([sys.executable, '-c', 'f(1)'])", &[]);
    }
}
