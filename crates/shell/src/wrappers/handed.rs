//! What a program of another language is handed, put where it asks for it:
//! `sys.argv[1]`, `os.environ['D']`, `$ARGV[0]`, `input()`.
//!
//! Text in, text out. Words no one knows stay what they are: calls.

use crate::reading::{Command, Word};

/// Longer programs stay as they are; pieces of one program that are replaced.
const PROGRAM_MAX: usize = 64 << 10;
const PIECES_MAX: usize = 64;

/// The program with what it is handed written out: the words `behind` it, the
/// variables of `command`, and its input.
pub(crate) fn fill(
    language: &str,
    command: &Command,
    behind: &[Word],
    input: Option<&str>,
    text: &Word,
) -> Word {
    if text.text.len() > PROGRAM_MAX {
        return text.clone();
    }
    let asks = Asks { language, command, behind, input };
    match asks.filled(&text.text) {
        Some(filled) => Word { text: filled.into(), ..text.clone() },
        None => text.clone(),
    }
}

struct Asks<'a> {
    language: &'a str,
    command: &'a Command,
    behind: &'a [Word],
    input: Option<&'a str>,
}

impl Asks<'_> {
    fn filled(&self, text: &str) -> Option<String> {
        let signs: &[&str] = match self.language {
            "python" | "pypy" => &["sys.argv[", "os.environ", "os.getenv(", "input()", "sys.stdin.read"],
            "node" | "nodejs" | "bun" | "deno" | "tsx" | "ts-node" => &["process.argv", "process.env"],
            "ruby" => &["ARGV", "ENV[", "ENV.fetch(", "gets", "STDIN.read"],
            "perl" => &["@ARGV", "$ARGV[", "$ENV{", "shift", "<STDIN>"],
            "php" => &["$argv[", "getenv("],
            awk if awk.ends_with("awk") => &["ARGV[", "ENVIRON["],
            _ => return None,
        };
        let front = self.set_by_options();
        let mut out = front.clone();
        let mut rest = text;
        let mut pieces = 0;
        while let Some((at, sign)) = next(rest, signs).filter(|_| pieces < PIECES_MAX) {
            let behind = rest.get(at + sign.len()..).unwrap_or("");
            out.push_str(rest.get(..at).unwrap_or(""));
            match self.answer(sign, behind) {
                Some((value, after)) => {
                    out.push_str(&value);
                    rest = after;
                    pieces += 1;
                }
                None => {
                    out.push_str(sign);
                    rest = behind;
                }
            }
        }
        out.push_str(rest);
        (pieces > 0 || !front.is_empty()).then_some(out)
    }

    /// What is in place of the sign and of what follows it, and what follows that.
    fn answer<'t>(&self, sign: &str, behind: &'t str) -> Option<(String, &'t str)> {
        match sign {
            "sys.argv[" | "$argv[" | "ARGV[" if behind.starts_with("1:]") => {
                Some((self.all()?, behind.get(3..)?))
            }
            "sys.argv[" | "$argv[" => self.numbered(behind, 1),
            "$ARGV[" => self.numbered(behind, 0),
            "ARGV[" => self.numbered(behind, 1),
            "@ARGV" => Some((self.all()?, behind)),
            "ARGV" => match behind.strip_prefix('[') {
                Some(number) => self.numbered(number, 0),
                None => Some((self.all()?, behind)),
            },
            "process.argv" => self.node_words(behind),
            "shift" => {
                Some((self.quoted(self.behind.first()?)?, behind.strip_prefix("()").unwrap_or(behind)))
            }
            "input()" | "gets" | "<STDIN>" => {
                let line = self.input?.lines().next()?;
                Some((self.literal(line)?, behind.strip_prefix(".chomp").unwrap_or(behind)))
            }
            "sys.stdin.read" | "STDIN.read" => Some((
                self.literal(self.input?.trim_end())?,
                behind.trim_start_matches("line").trim_start_matches("()"),
            )),
            _ => self.variable(behind),
        }
    }

    fn numbered<'t>(&self, behind: &'t str, first: usize) -> Option<(String, &'t str)> {
        let (number, after) = behind.split_once(']')?;
        let word = self.behind.get(number.trim().parse::<usize>().ok()?.checked_sub(first)?)?;
        Some((self.quoted(word)?, after))
    }

    /// Node counts itself, and the script where there is one.
    fn node_words<'t>(&self, behind: &'t str) -> Option<(String, &'t str)> {
        let inline = self
            .command
            .words
            .iter()
            .any(|word| matches!(word.text.as_str(), "-e" | "-p" | "-pe" | "--eval" | "--print"));
        let first = if inline { 1 } else { 2 };
        if let Some(number) = behind.strip_prefix('[') {
            return self.numbered(number, first);
        }
        let after = behind.strip_prefix(".slice(")?.split_once(')')?.1;
        Some((self.all()?, after))
    }

    /// A variable the command is given: `['X']`, `.get('X')`, `.X`, `{X}`.
    fn variable<'t>(&self, behind: &'t str) -> Option<(String, &'t str)> {
        let call = behind
            .strip_prefix(".get(")
            .or_else(|| behind.strip_prefix(['[', '.', '(', '{']))
            .unwrap_or(behind);
        let bare = call.trim_start_matches(['\'', '"']);
        let end = bare.find(|found: char| !(found.is_ascii_alphanumeric() || found == '_'))?;
        let (name, rest) = bare.split_at(end);
        let closed = rest.trim_start_matches(['\'', '"']);
        let plain = call.len() == bare.len() && behind.starts_with('.');
        let after = if plain { closed } else { closed.get(1..).unwrap_or("") };
        // The last one counts.
        let set = self.command.assignments.iter().rev().find(|one| one.name == name)?;
        Some((self.quoted(&set.value)?, after))
    }

    fn all(&self) -> Option<String> {
        let texts: Vec<String> = self.behind.iter().map(|word| self.quoted(word)).collect::<Option<_>>()?;
        let whole = texts.join(", ");
        Some(if self.language == "perl" { format!("({whole})") } else { format!("[{whole}]") })
            .filter(|_| !texts.is_empty())
    }

    fn quoted(&self, word: &Word) -> Option<String> {
        if word.exact { self.literal(&word.text) } else { None }
    }

    fn literal(&self, text: &str) -> Option<String> {
        let quote = if self.language.ends_with("awk") { '"' } else { '\'' };
        let escaped = text.replace('\\', "\\\\").replace(quote, &format!("\\{quote}"));
        (!text.contains('\n')).then(|| format!("{quote}{escaped}{quote}"))
    }

    /// `awk -v f=x`: what its options set comes first.
    fn set_by_options(&self) -> String {
        if !self.language.ends_with("awk") {
            return String::new();
        }
        let words = &self.command.words;
        let apart = words.windows(2).filter_map(|pair| match pair {
            [option, value] if option.text == "-v" || option.text == "--assign" => {
                Some((value, value.text.as_str()))
            }
            _ => None,
        });
        let attached = words.iter().filter_map(|word| Some((word, word.text.strip_prefix("-v")?)));
        let set =
            apart.chain(attached).filter(|(word, _)| word.exact).filter_map(|(_, text)| text.split_once('='));
        set.filter_map(|(name, value)| Some(format!("{name} = {};\n", self.literal(value)?))).collect()
    }
}

/// The first of the signs, and where it is.
fn next<'s>(text: &str, signs: &[&'s str]) -> Option<(usize, &'s str)> {
    signs.iter().filter_map(|sign| Some((text.find(sign)?, *sign))).min_by_key(|(at, _)| *at)
}

#[cfg(test)]
mod tests {
    use super::fill;
    use crate::reading::{Assignment, Command, Word};

    fn word(text: &str) -> Word {
        Word { text: text.into(), exact: true, ..Word::default() }
    }

    fn check(language: &str, program: &str, expected: &str) {
        let command = Command {
            words: [language, "-e", program, "a", "b c"].map(word).to_vec(),
            assignments: vec![Assignment { name: "D".into(), value: word("/d") }],
            ..Command::default()
        };
        let behind = command.words.get(3..).unwrap_or_default();
        assert_eq!(
            fill(language, &command, behind, Some("in\nx"), &word(program)).text,
            expected,
            "{program}"
        );
    }

    #[test]
    fn what_is_handed_over_stands_where_it_is_asked_for() {
        check("python", "x(sys.argv[1], sys.argv[2])", "x('a', 'b c')");
        check("python", "run(sys.argv[1:])", "run(['a', 'b c'])");
        check("python", "x(os.environ['D'] + os.environ.get(\"D\"), os.getenv('D'))", "x('/d' + '/d', '/d')");
        check("python", "x(input())", "x('in')");
        check("node", "x(process.argv[1], process.env.D, process.env['D'])", "x('a', '/d', '/d')");
        check("node", "x(process.argv.slice(1))", "x(['a', 'b c'])");
        check("perl", "system @ARGV; x $ARGV[0], $ENV{D}", "system ('a', 'b c'); x 'a', '/d'");
        check("ruby", "system(*ARGV); x ARGV[1], ENV['D']", "system(*['a', 'b c']); x 'b c', '/d'");
        check("awk", "BEGIN{system(ARGV[1] ENVIRON[\"D\"])}", "BEGIN{system(\"a\" \"/d\")}");
    }

    #[test]
    fn what_is_not_there_stays() {
        check(
            "python",
            "x(sys.argv[7], os.environ['E'], os.environ)",
            "x(sys.argv[7], os.environ['E'], os.environ)",
        );
        check("node", "x(process.env)", "x(process.env)");
    }
}
