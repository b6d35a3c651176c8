//! Scripts and functions that choose by what they were given: `case $1 in`.
//!
//! Their words are moved on, handed on, gone through and put in place of others, so that
//! an arm that is ruled out by mistake is missed.

use super::grammar::Maker;

/// What is given, and what is compared with it.
const GIVEN: &[&str] =
    &["a", "b", "ab", "A", "'a b'", "", "a b", "b a", "$V a", "x $V", "* a", "{a,b}", "\"$@\" a", "a b a"];
const SUBJECTS: &[&str] = &[
    "$1",
    "\"$1\"",
    "${1}",
    "${1:-b}",
    "\"${1-a}\"",
    "$2",
    "${2:-a}",
    "\"$1$2\"",
    "${1#x}",
    "$X",
    "${X:-b}",
];
const PATTERNS: &[&str] =
    &["a", "b", "a*", "?", "[ab]", "\"a\"", "'a'*", "a|b", "\"\"", "~", "*b", "$V", "A", "a\\ b", "${1}"];
/// What happens to the words in between.
const BETWEEN: &[&str] = &[
    "",
    "",
    "",
    "shift; ",
    "set -- b; ",
    "set -- \"$@\" a; ",
    "[ $# -gt 1 ] && shift; ",
    "shopt -s nocasematch; ",
    "p1 && shift; ",
    "X=$1; ",
    "X=$1; shift; ",
    "X=a; p1 && X=$2; ",
    "X=a; read X <<<$1; ",
];

impl Maker<'_> {
    /// One `case` over what was given.
    fn choosing(&mut self) -> String {
        let mut text = format!("case {} in ", self.dice.pick(SUBJECTS));
        for _ in 0..=self.dice.below(3) {
            let end = self.dice.pick(&[";;", ";;", ";;", ";&", ";;&"]);
            text.push_str(&format!("({}) {} {end} ", self.dice.pick(PATTERNS), self.name()));
        }
        text.push_str(&match self.dice.below(2) {
            0 => format!("*) {};; esac", self.name()),
            _ => "esac".to_string(),
        });
        text
    }

    pub(super) fn given(&mut self) -> String {
        let (between, words, case) = (self.dice.pick(BETWEEN), self.dice.pick(GIVEN), self.choosing());
        match self.dice.below(12) {
            0 => format!("while [ $# -gt 0 ]; do {case}; shift; done"),
            1 => format!("f0() {{ while [ $# -gt 0 ]; do {case}; shift; done; }}; f0 {words}"),
            2 => format!("f1() {{ {case}; [ $# -gt 1 ] && shift && f1 \"$@\"; }}; f1 {words}"),
            3 => format!("f2() {{ {case}; }}; for V in {words}; do f2 $V; done"),
            4 => format!("cat >f <<'E'\n{between}{case}\nE\nsh f {words}"),
            5 => format!("cat >f <<'E'\n{case}\nE\nset -- {words}; . ./f; sh f"),
            6 => format!("bash -c '{}' n {words}", format!("{between}{case}").replace('\'', "'\\''")),
            7 => format!("f0() {{ f1() {{ {case}; }}; f1 $2; f1; }}; f0 {words}"),
            8 => format!("set -- {words}; ({between}{case}); {}", self.choosing()),
            9 => format!("f0() {{ trap {} EXIT; {between}}}; (f0 {words})", quoted(&case)),
            10 => format!("f1() {{ eval {}; }}; f1 {words}", quoted(&format!("{between}{case}"))),
            _ => format!("f2() {{ {between}{case}; {}; }}; f2 {words}", self.choosing()),
        }
    }
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}
