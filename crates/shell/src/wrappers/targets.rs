//! Which recipes of a makefile a call of `make` comes to: those of the targets it
//! names, and of what they need.
//!
//! Where that cannot be told – a file that is included or includes others, names
//! that are computed, recipes that call `make` again – all of them count.

use std::collections::BTreeSet;

use super::arguments;
use crate::reading::{Command, Word};

/// Longer makefiles are read whole.
const LINES_MAX: usize = 4_000;

/// Options whose value is the next word.
const VALUED: [&str; 12] =
    ["-C", "-f", "-I", "-o", "-W", "-E", "--directory", "--file", "--makefile", "--eval", "-l", "--old-file"];

/// Signs of a makefile whose rules are not all plain to see, or not all there is.
const COMPUTED: [&str; 8] =
    ["include ", "$(eval", "${eval", "define ", "$(MAKE)", "${MAKE}", ".DEFAULT", ".SECONDEXPANSION"];

/// A rule: its targets, what they need, and where its lines are.
struct Rule<'a> {
    targets: Vec<&'a str>,
    needs: Vec<&'a str>,
    lines: std::ops::Range<usize>,
}

/// The makefile without the recipes the call does not come to; `None` if all count.
pub(super) fn reached(command: &Command, path: &Word, text: &Word) -> Option<Word> {
    let makes = matches!(command.program.as_str(), "make" | "gmake");
    if !makes || !path.exact || COMPUTED.iter().any(|sign| text.text.contains(sign)) {
        return None;
    }
    let goals = goals(command)?;
    let lines: Vec<&str> = text.text.lines().take(LINES_MAX + 1).collect();
    if lines.len() > LINES_MAX {
        return None;
    }
    let rules = rules(&lines)?;
    let usual = || rules.iter().flat_map(|rule| &rule.targets).find(|name| !name.starts_with('.')).copied();
    let mut wanted: Vec<&str> = if goals.is_empty() { usual().into_iter().collect() } else { goals };
    let mut known: BTreeSet<&str> = wanted.iter().copied().collect();
    let mut kept = vec![false; rules.len()];
    while let Some(name) = wanted.pop() {
        for (rule, kept) in rules.iter().zip(&mut kept) {
            // A pattern may stand for any file.
            if !rule.targets.iter().any(|target| *target == name || target.contains('%')) {
                continue;
            }
            *kept = true;
            wanted.extend(rule.needs.iter().copied().filter(|need| known.insert(need)));
        }
    }
    let dropped = |at: usize| rules.iter().zip(&kept).any(|(rule, kept)| !kept && rule.lines.contains(&at));
    let part = lines.iter().enumerate().filter(|(at, _)| !dropped(*at)).flat_map(|(_, line)| [*line, "\n"]);
    Some(Word { text: part.collect::<String>().into(), ..text.clone() })
}

/// The targets a call names; `None` if one cannot be told.
fn goals(command: &Command) -> Option<Vec<&str>> {
    let (mut goals, mut words) = (Vec::new(), arguments(command).iter());
    while let Some(word) = words.next() {
        let text = word.text.as_str();
        if VALUED.contains(&text) {
            words.next();
        } else if !word.exact {
            return None;
        } else if !text.starts_with('-') && !text.contains('=') {
            goals.push(text);
        }
    }
    Some(goals)
}

/// The rules with what belongs to them; `None` if a name is computed.
fn rules<'a>(lines: &[&'a str]) -> Option<Vec<Rule<'a>>> {
    let mut rules: Vec<Rule<'a>> = Vec::new();
    let mut open = false;
    for (at, line) in lines.iter().enumerate() {
        let continued =
            at.checked_sub(1).and_then(|before| lines.get(before)).is_some_and(|line| line.ends_with('\\'));
        if line.starts_with('\t') || continued {
            if let Some(rule) = rules.last_mut().filter(|_| open) {
                rule.lines.end = at + 1;
            }
            continue;
        }
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        let Some((targets, needs)) = split(line) else {
            open = false;
            continue;
        };
        if targets.contains('$') || needs.contains('$') || line.ends_with('\\') {
            return None;
        }
        let needs = needs.split_once(';').map_or(needs, |(needs, _)| needs);
        let plain = |text: &'a str| text.split_whitespace().filter(|name| *name != "|").collect();
        rules.push(Rule { targets: plain(targets), needs: plain(needs), lines: at..at + 1 });
        open = true;
    }
    Some(rules)
}

/// `targets: needs`, `targets:: needs`; no assignment, no directive.
fn split(line: &str) -> Option<(&str, &str)> {
    let (targets, needs) = line.split_once(':')?;
    let needs = needs.strip_prefix(':').unwrap_or(needs);
    (!needs.starts_with('=') && !targets.contains('=')).then_some((targets, needs))
}

#[cfg(test)]
mod tests {
    use super::reached;
    use crate::reading::{Command, Word};

    const FILE: &str = "X = 1\nall: build\nbuild: a.o | out\n\tcc a.o\n%.o: %.c\n\tcc -c $<\nclean::\n\trm -rf out\n\n\techo\nship: clean ; git push\n";

    fn kept(words: &[&str], text: &str) -> Option<String> {
        let word = |text: &&str| Word { text: (*text).into(), exact: true, ..Word::default() };
        let words = std::iter::once(&"make").chain(words).map(word).collect();
        let command = Command { program: "make".into(), words, ..Command::default() };
        reached(&command, &word(&"Makefile"), &word(&text)).map(|part| part.text.to_string())
    }

    #[test]
    fn only_what_is_reached_is_kept() {
        let has = |words: &[&str]| {
            let part = kept(words, FILE).expect("a plain makefile");
            ["cc a.o", "cc -c", "rm -rf", "git push"].map(|text| part.contains(text))
        };
        assert_eq!(has(&[]), [true, true, false, false]);
        assert_eq!(has(&["-j4", "build", "V=1"]), [true, true, false, false]);
        assert_eq!(has(&["clean"]), [false, true, true, false], "a pattern may stand for anything");
        assert_eq!(has(&["-C", "clean", "ship"]), [false, true, true, true]);
        assert_eq!(has(&["other"]), [false, true, false, false]);
    }

    #[test]
    fn what_is_computed_is_kept_whole() {
        for text in
            ["include a.mk\n", "a: $(B)\n\tx\n", "$(T): b\n\tx\n", "a:\n\t$(MAKE) b\n", "a: b \\\n c\n\tx\n"]
        {
            assert_eq!(kept(&["a"], text), None, "{text}");
        }
    }
}
