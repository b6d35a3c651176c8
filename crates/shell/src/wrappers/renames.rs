//! Names a program gives to calls of others: `from shutil import rmtree as r`
//! makes `r` another name, and so does `s = os.system`.

use super::language::CALLS;

/// More of them are not followed.
const NAMES_MAX: usize = 64;

/// The program with the names it took over put back, if it renames anything.
pub(super) fn undone(language: &str, text: &str) -> Option<String> {
    let mut names = match language {
        "python" | "pypy" if text.contains(" as ") && text.contains("import ") => given(text),
        "python" | "pypy" | "node" | "nodejs" | "bun" | "deno" => Vec::new(),
        _ => return None,
    };
    assigned(text, &mut names);
    if names.is_empty() {
        return None;
    }
    let mut undone = String::with_capacity(text.len());
    let mut rest = text;
    let mut before = ' ';
    while let Some(first) = rest.chars().next() {
        let end = rest.find(|one: char| !(one.is_alphanumeric() || one == '_')).unwrap_or(rest.len());
        let (word, after) = rest.split_at(end.max(if end == 0 { first.len_utf8() } else { 0 }));
        let called = after.trim_start().starts_with('(') && before != '.';
        let real = names.iter().find(|(alias, _)| called && *alias == word).map_or(word, |(_, real)| real);
        undone.push_str(real);
        before = word.chars().last().unwrap_or(' ');
        rest = after;
    }
    Some(undone)
}

/// `s = os.system`, `const e = require("child_process").execSync`.
fn assigned<'a>(text: &'a str, found: &mut Vec<(&'a str, &'a str)>) {
    for statement in text.split(['\n', ';']) {
        let Some((left, right)) = statement.split_once('=').filter(|_| found.len() < NAMES_MAX) else {
            continue;
        };
        let left = left.trim();
        let alias =
            ["const ", "let ", "var "].iter().find_map(|word| left.strip_prefix(word)).unwrap_or(left);
        let Some((_, real)) = right.trim().rsplit_once('.') else { continue };
        let is_name = |name: &str| name.chars().all(|one| one.is_alphanumeric() || one == '_');
        if is_name(alias) && !alias.is_empty() && alias != real && CALLS.contains(&real) {
            found.push((alias, real));
        }
    }
}

/// The pairs of `from x import real as alias`.
fn given(text: &str) -> Vec<(&str, &str)> {
    let mut found = Vec::new();
    for statement in text.split(['\n', ';']) {
        let Some((_, names)) =
            statement.trim_start().strip_prefix("from ").and_then(|rest| rest.split_once(" import "))
        else {
            continue;
        };
        for name in names.trim_matches(['(', ')', ' ']).split(',') {
            if let Some((real, alias)) = name.split_once(" as ")
                && found.len() < NAMES_MAX
            {
                found.push((alias.trim(), real.trim()));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::undone;

    #[test]
    fn only_calls_of_the_new_name_are_put_back() {
        let text = "from shutil import rmtree as r; r('/x'); a.r(1); rr(2); r";
        let wanted = "from shutil import rmtree as r; rmtree('/x'); a.r(1); rr(2); r";
        assert_eq!(undone("python", text).as_deref(), Some(wanted));
        assert_eq!(undone("python", "import os as o; o.x()"), None);
        assert_eq!(undone("perl", text), None);
    }
}
