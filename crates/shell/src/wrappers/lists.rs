//! Lists in programs of other languages, as the words of a command: literals,
//! names, what is spread or added. Where no one knows an item, one unknown word
//! represents it, so that what follows is still seen.
//!
//! No parser; bounded in items and in what is skipped.

use super::language::literal;
use super::special::bracketed;
use super::values::{Value, Values, name_of};

/// Represents an item no one knows.
pub(super) const GAP: &str = "\u{1}gap";

/// Items of one list, signs of one item that is skipped, lists inside of lists.
const ITEMS_MAX: usize = 64;
const SKIPPED_MAX: usize = 2048;
const DEPTH_MAX: usize = 4;

/// Calls that add to the list they belong to: one item each, or all of a list.
const ADDERS: [&str; 4] = [".append(", ".push(", ".unshift(", "<<"];
const EXTENDERS: [&str; 4] = ["+=", ".extend(", ".concat(", ".push(..."];

impl Values {
    /// The words of the list `text` begins with, and what follows it:
    /// `['a', b] + c`, `[*a, 'b']`, `qw(a b)`, `'a b'.split()`.
    pub(super) fn words<'a>(&self, text: &'a str) -> Option<(Vec<String>, &'a str)> {
        self.words_at(text, 0)
    }

    fn words_at<'a>(&self, text: &'a str, depth: usize) -> Option<(Vec<String>, &'a str)> {
        let (mut words, mut rest) = self.one_list(text.trim_start(), depth)?;
        while let Some(more) = rest.trim_start().strip_prefix('+').filter(|_| words.len() < ITEMS_MAX) {
            match self.one_list(more.trim_start(), depth) {
                Some((next, after)) => {
                    words.extend(next);
                    rest = after;
                }
                None => {
                    words.push(GAP.to_string());
                    break;
                }
            }
        }
        Some((words, rest))
    }

    fn one_list<'a>(&self, text: &'a str, depth: usize) -> Option<(Vec<String>, &'a str)> {
        if depth > DEPTH_MAX {
            return None;
        }
        if let Some(inside) = text.strip_prefix('[') {
            return Some(self.items(inside, ']', depth));
        }
        if let Some(inside) = text.strip_prefix('(') {
            // A tuple is a list; one text in brackets is not.
            if inside.trim_start().starts_with('[') {
                let (words, rest) = self.words_at(inside, depth + 1)?;
                return Some((words, skipped(rest).strip_prefix(')').unwrap_or("")));
            }
            return Some(self.items(inside, ')', depth)).filter(|(words, _)| words.len() > 1);
        }
        if let Some(inside) = text.strip_prefix("%w").or_else(|| text.strip_prefix("qw")) {
            let (line, rest) = bracketed(inside.trim_start())?;
            return Some((line.split_ascii_whitespace().map(str::to_string).collect(), rest));
        }
        if let Some(inside) = text.strip_prefix("shlex.split(") {
            let (line, rest) = self.text(inside)?;
            return Some((super::split(&line), rest.trim_start().strip_prefix(')')?));
        }
        if let Some((line, rest)) = literal(text) {
            let rest = [".split()", ".split(' ')", ".split(\" \")"]
                .iter()
                .find_map(|split| rest.strip_prefix(split))?;
            return Some((line.split_ascii_whitespace().map(str::to_string).collect(), rest));
        }
        let name = name_of(text);
        let at = text.find(name)? + name.len();
        Some((self.list_named(name)?.to_vec(), text.get(at..)?))
    }

    fn items<'a>(&self, inside: &'a str, close: char, depth: usize) -> (Vec<String>, &'a str) {
        let mut found = Vec::new();
        let mut rest = inside.trim_start();
        while found.len() < ITEMS_MAX && !rest.is_empty() {
            if let Some(after) = rest.strip_prefix(close) {
                return (found, after);
            }
            let spread = rest.strip_prefix("...").or_else(|| rest.strip_prefix('*'));
            let ends = |after: &str| {
                let after = after.trim_start();
                after.is_empty() || after.starts_with([',', close, ';', '}'])
            };
            if let Some((words, after)) = spread.and_then(|list| self.words_at(list, depth + 1)) {
                found.extend(words);
                rest = skipped(after);
            } else if let Some((text, after)) = self.text(rest).filter(|(_, after)| ends(after)) {
                found.push(text);
                rest = after.trim_start();
            } else {
                found.push(GAP.to_string());
                rest = skipped(rest);
            }
            rest = rest.strip_prefix(',').map_or_else(|| rest.trim_start(), str::trim_start);
            if !rest.starts_with(close) && rest.starts_with([')', ']', '}']) {
                break;
            }
        }
        (found, rest)
    }

    /// `name += […]`, `name.append(…)`, `push @name, …`: what is added to a list.
    pub(super) fn add(&mut self, name: &str, after: &str) {
        let after = after.trim_start();
        if matches!(name, "push" | "unshift") {
            let Some((target, items)) = after.trim_start_matches('(').split_once(',') else { return };
            let (items, _) = self.items(items, ')', 0);
            return self.extend(name_of(target), items);
        }
        if let Some(more) = EXTENDERS.iter().find_map(|sign| after.strip_prefix(sign)) {
            if let Some((items, _)) = self.words(more) {
                return self.extend(name, items);
            }
            if let Some((text, _)) = self.text(more.trim_start()) {
                return self.lengthen(name, &text);
            }
        }
        if let Some(more) = ADDERS.iter().find_map(|sign| after.strip_prefix(sign)) {
            let (items, _) = self.items(more, ')', 0);
            self.extend(name, items);
        }
    }

    fn extend(&mut self, name: &str, items: Vec<String>) {
        if let Some(Value::List(list)) = self.get_mut(name)
            && list.len() < ITEMS_MAX
        {
            list.extend(items);
        }
    }
}

/// What follows an item no one knows: its comma, or the bracket that ends the list.
fn skipped(text: &str) -> &str {
    let mut depth = 0usize;
    let mut rest = text;
    let mut left = SKIPPED_MAX;
    while let Some(first) = rest.chars().next().filter(|_| left > 0) {
        left -= 1;
        match first {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' if depth == 0 => return rest,
            ')' | ']' | '}' => depth -= 1,
            ',' if depth == 0 => return rest,
            '"' | '\'' | '`' => {
                let Some((_, after)) = literal(rest) else { return "" };
                rest = after;
                continue;
            }
            _ => {}
        }
        rest = rest.get(first.len_utf8()..).unwrap_or("");
    }
    ""
}

#[cfg(test)]
mod tests {
    use super::super::values::Values;

    fn check(language: &str, before: &[(&str, &str)], text: &str, expected: &[&str]) {
        let mut values = Values::of(language);
        for (name, after) in before {
            values.learn(name, after);
        }
        let found = values.words(text).map(|(words, _)| words).unwrap_or_default();
        let shown: Vec<String> = found.iter().map(|word| word.replace(super::GAP, "?")).collect();
        assert_eq!(shown, expected, "{text}");
    }

    #[test]
    fn lists_are_read_past_what_nobody_knows() {
        check("python", &[], "['git', sub, f(1, 'x'), '-n'] x", &["git", "?", "?", "-n"]);
        check("python", &[], "['a'] + b + ['c']", &["a", "?"]);
        check("python", &[("b", "=['b']")], "['a', *b] + b", &["a", "b", "b"]);
        check("python", &[], "['a'] + (['-n'] if x else [])", &["a", "-n"]);
        check(
            "python",
            &[("c", "=['a']"), ("c", ".append('b')"), ("c", " += ['c', 'd']")],
            "c)",
            &["a", "b", "c", "d"],
        );
        check("node", &[("a", "=['-m']"), ("a", ".push('x', y)")], "['b', ...a]", &["b", "-m", "x", "?"]);
        check("ruby", &[], "%w[git push -f])", &["git", "push", "-f"]);
        check("perl", &[("c", " = ('a', 'b')"), ("push", " @c, '-n'")], "@c", &["a", "b", "-n"]);
        check("python", &[], "'a b -n'.split()", &["a", "b", "-n"]);
        check("python", &[], "('one')", &[]);
    }
}
