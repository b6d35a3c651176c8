//! Loops of other languages over texts that stand in the program:
//! `for d in ['a', 'b']: rmtree(d)` is read once with each.
//!
//! No parser: a few forms of loops, and lists that are plain to see. Items no one
//! knows are left out.

use super::language::name_at;
use super::lists::GAP;
use super::values::{Values, name_of};

/// Longer programs are read once; rounds and loops of one program.
const PROGRAM_MAX: usize = 16 << 10;
const ROUNDS_MAX: usize = 12;
const LOOPS_MAX: usize = 16;

/// What the loops of a program go through.
#[derive(Debug, Default)]
pub(super) struct Rounds {
    /// A name and the texts it represents.
    names: Vec<(String, Vec<String>)>,
    /// Calls made with each item: `map(rmtree, ['a'])`.
    calls: String,
}

impl Rounds {
    /// How often the program is read.
    pub(super) fn count(&self) -> usize {
        self.names.iter().map(|(_, items)| items.len()).max().unwrap_or(1).clamp(1, ROUNDS_MAX)
    }

    /// The names of one round.
    pub(super) fn bind(&self, round: usize, values: &mut Values) {
        for (name, items) in &self.names {
            if let Some(text) = items.get(round % items.len().max(1)) {
                values.bind(name, text);
            }
        }
    }

    /// Calls that stand for loops, in the words of the program.
    pub(super) fn calls(&self) -> Option<&str> {
        Some(self.calls.as_str()).filter(|calls| !calls.is_empty())
    }

    fn add(&mut self, name: &str, items: Vec<String>) {
        let items: Vec<String> = items.into_iter().filter(|item| item != GAP).collect();
        if !name.is_empty() && !items.is_empty() && self.names.len() < LOOPS_MAX {
            self.names.push((name.to_string(), items));
        }
    }

    fn add_calls(&mut self, call: &str, items: &[String]) {
        for item in
            items.iter().filter(|item| *item != GAP && !item.contains(['\'', '\\', '\n'])).take(ROUNDS_MAX)
        {
            self.calls.push_str(&format!("\n{call}('{item}')"));
        }
    }
}

/// The loops of a program.
pub(super) fn of(language: &str, text: &str) -> Rounds {
    let mut rounds = Rounds::default();
    let loops = ["for", "each", "map("].iter().any(|sign| text.contains(sign));
    if !loops || text.len() > PROGRAM_MAX || language.ends_with("awk") {
        return rounds;
    }
    let mut values = Values::of(language);
    let mut rest = text;
    while !rest.is_empty() {
        let (name, after) = name_at(rest);
        if name.is_empty() {
            rest = rest.get(rest.chars().next().map_or(1, char::len_utf8)..).unwrap_or("");
            continue;
        }
        values.learn(name, after);
        let head = text.get(..text.len() - rest.len()).unwrap_or("");
        look(name, head, after, &values, &mut rounds);
        rest = after;
    }
    rounds
}

/// Does a loop begin with this word?
fn look(word: &str, head: &str, after: &str, values: &Values, rounds: &mut Rounds) {
    match word {
        "for" | "foreach" if !head.ends_with('.') => {
            if let Some((name, items)) = of_loop(after, values) {
                rounds.add(name, items);
            }
        }
        "forEach" | "map" | "each" | "flatMap" if head.ends_with('.') => {
            let Some((items, _)) = values.words(receiver(head.trim_end_matches('.'))) else { return };
            let given = after.trim_start().trim_start_matches(['(', '{', ' ']);
            match parameter(given) {
                Some(name) => rounds.add(name, items),
                None => rounds.add_calls(callee(given), &items),
            }
        }
        "map" => {
            let Some((call, list)) =
                after.trim_start().strip_prefix('(').and_then(|inside| inside.split_once(','))
            else {
                return;
            };
            if let Some((items, _)) = values.words(list).filter(|_| callee(call) == call.trim()) {
                rounds.add_calls(callee(call), &items);
            }
        }
        _ => {}
    }
}

/// `d in […]`, `(const d of […])`, `my $d (…)`, `qw(…)`, `([…] as $d)`.
fn of_loop<'a>(after: &'a str, values: &Values) -> Option<(&'a str, Vec<String>)> {
    let inside = after.trim_start();
    let bare = inside.strip_prefix('(').map_or(inside, str::trim_start);
    if let Some((items, rest)) =
        values.words(bare).or_else(|| values.words(inside)).filter(|(items, _)| !items.is_empty())
    {
        // The name comes behind, or there is none.
        let named = rest
            .trim_start()
            .strip_prefix("as ")
            .map(|rest| rest.rsplit_once("=>").map_or(rest, |(_, name)| name));
        return Some((named.map_or("_", name_of), items));
    }
    let named = ["const ", "let ", "var ", "my ", "await "]
        .iter()
        .fold(bare, |text, word| text.strip_prefix(word).unwrap_or(text));
    let name = name_of(named);
    let rest = named.get(named.find(name)? + name.len()..)?.trim_start();
    let list = ["in ", "of "].iter().find_map(|word| rest.strip_prefix(word)).unwrap_or(rest);
    let (items, _) = values.words(list)?;
    Some((name, items))
}

/// The list in front of a method, as text.
fn receiver(head: &str) -> &str {
    let Some(close) = head.chars().last().filter(|last| matches!(last, ']' | ')' | '}')) else {
        let at = head.rfind(|found: char| !(found.is_alphanumeric() || found == '_' || found == '$'));
        return head.get(at.map_or(0, |at| at + 1)..).unwrap_or("");
    };
    let open = match close {
        ']' => '[',
        ')' => '(',
        _ => '{',
    };
    let at = head.rfind(open).unwrap_or(0);
    let front = head.get(..at).unwrap_or("");
    let at = if front.ends_with("%w") || front.ends_with("qw") { at - 2 } else { at };
    head.get(at..).unwrap_or("")
}

/// The name a function gives its item: `d =>`, `(d) =>`, `function (d)`, `|d|`.
fn parameter(given: &str) -> Option<&str> {
    let given = given.strip_prefix("async").map_or(given, str::trim_start);
    let given = given.strip_prefix("do").map_or(given, str::trim_start);
    if let Some(name) = given.strip_prefix('|') {
        return Some(name_of(name));
    }
    let is_function = given.strip_prefix("function");
    let given = is_function.unwrap_or(given).trim_start().trim_start_matches(['(', ' ']);
    let name = name_of(given);
    let rest = given.get(given.find(name)? + name.len()..)?.trim_start();
    let is_name = rest.starts_with("=>")
        || rest.starts_with(',')
        || rest.starts_with(')') && rest.get(1..)?.trim_start().starts_with("=>");
    (is_name || is_function.is_some()).then_some(name)
}

/// The call that is given by its name.
fn callee(given: &str) -> &str {
    let given = given.trim();
    let end = given
        .find(|found: char| !(found.is_alphanumeric() || matches!(found, '_' | '.')))
        .unwrap_or(given.len());
    given.get(..end).unwrap_or("")
}

#[cfg(test)]
mod tests {
    use super::of;

    fn check(language: &str, text: &str, expected: &str) {
        let rounds = of(language, text);
        let names: Vec<String> =
            rounds.names.iter().map(|(name, items)| format!("{name}={}", items.join(","))).collect();
        assert_eq!(format!("{}{}", names.join(" "), rounds.calls), expected, "{text}");
    }

    #[test]
    fn loops_over_what_stands_there_are_found() {
        check("python", "for p in ['a', 'b']:\n  x(p)", "p=a,b");
        check("python", "l = ('a', 'b')\nfor p in l: x(p)", "p=a,b");
        check("python", "[x(p) for p in ['a']]", "p=a");
        check("python", "list(map(shutil.rmtree, ['a', 'b']))", "\nshutil.rmtree('a')\nshutil.rmtree('b')");
        check("node", "for (const d of ['a', 'b']) x(d)", "d=a,b");
        check("node", "['a','b'].forEach(d=>x(d))", "d=a,b");
        check("node", "['a'].map((d) => x(d))", "d=a");
        check("node", "const l=['a']; l.forEach(function (d) { x(d) })", "d=a");
        check("node", "['a'].forEach(fs.unlinkSync)", "\nfs.unlinkSync('a')");
        check("ruby", "%w[a b].each { |d| x(d) }", "d=a,b");
        check("ruby", "['a', 'b'].each do |d|\n x(d)", "d=a,b");
        check("perl", "x $_ for qw(a b)", "_=a,b");
        check("perl", "for my $d ('a', 'b') { x($d) }", "d=a,b");
        check("php", "foreach (['a', 'b'] as $d) x($d);", "d=a,b");
        check("python", "for i in range(3): x(i)", "");
        check("node", "for (let i = 0; i < 3; i++) x(i)", "");
    }
}
