//! Variables that may have several values: every combination of them is listed,
//! wherever the variables stand.

mod listed;

use listed::check;
use toolgate_shell::{ReadContext, Reading, Unknown, read};

const A: &str = "if p; then A=git; else A=echo; fi; ";
const B: &str = "if q; then B=status; else B='commit -n'; fi; ";

fn reading(source: &str) -> Reading {
    read(source, &ReadContext::default())
}

/// Two variables that changed apart from each other.
#[test]
fn values_meet_in_every_combination() {
    for first in ["git", "echo"] {
        check(&format!("{A}{B}$A $B"), &[first, "status"]);
        check(&format!("{A}{B}$A $B"), &[first, "commit", "-n"]);
        check(&format!("{A}{B}C=\"$A $B\"; $C"), &[first, "commit", "-n"]);
        check(&format!("{A}{B}eval \"$A $B\""), &[first, "commit", "-n"]);
        check(&format!("{A}{B}f() {{ $A $1 $2; }}; f $B"), &[first, "commit", "-n"]);
        check(&format!("{A}{B}X=x; X+=$A; X+=$B; ${{X#x}}"), &[&format!("{first}commit"), "-n"]);
    }
    check(&format!("{A}{B}p $A $A"), &["p", "git", "git"]);
    // One variable has one value in one command.
    assert!(!reading(&format!("{A}p $A $A")).commands.iter().any(|one| {
        let texts: Vec<&str> = one.words.iter().map(|word| word.text.as_str()).collect();
        texts == ["p", "git", "echo"]
    }));
}

/// Not only the words of simple commands have several values.
#[test]
fn compound_commands_see_every_value() {
    check(&format!("{A}for i in $A; do $i x; done"), &["echo", "x"]);
    check(&format!("{A}{B}for i in \"$A $B\"; do $i; done"), &["git", "commit", "-n"]);
    check(&format!("{A}{{ bash; }} <<<\"$A x\""), &["echo", "x"]);
    check(&format!("{A}while read l; do $l; done <<<\"$A x\""), &["echo", "x"]);
    check("if p; then x=1; else x='a[$(rm y)]'; fi; (( x ))", &["rm", "y"]);
    check("if p; then x=1; else x='a[$(rm y)]'; fi; [[ x -eq 1 ]]", &["rm", "y"]);
    let found = reading("if p; then F=a; else F=b; fi; { echo x; } >$F");
    let mut written: Vec<&str> = found
        .commands
        .iter()
        .flat_map(|command| &command.redirects)
        .map(|redirect| redirect.target.text.as_str())
        .collect();
    written.sort_unstable();
    assert_eq!(written, ["a", "b"]);
}

/// The folder is one of them.
#[test]
fn folders_meet_every_value() {
    let found = reading("if p; then cd /; fi; if q; then X=build; else X=etc; fi; rm -rf $X");
    let places: Vec<(String, String)> = found
        .commands
        .iter()
        .filter(|command| command.program == "rm")
        .map(|command| {
            let dir = command.dir.as_ref().map(|dir| dir.text.to_string()).unwrap_or_default();
            (dir, command.words.last().map(|word| word.text.to_string()).unwrap_or_default())
        })
        .collect();
    for wanted in [("", "build"), ("", "etc"), ("/", "build"), ("/", "etc")] {
        let wanted = (wanted.0.to_string(), wanted.1.to_string());
        assert!(places.contains(&wanted), "{wanted:?} in {places:?}");
    }
}

/// With more combinations than are walked, the last variables are also not known.
#[test]
fn too_many_combinations_are_said_to_be_unknown() {
    let many: String = (0..9).map(|at| format!("if p; then V{at}=a; else V{at}=b; fi; ")).collect::<String>();
    let found = reading(&format!("{many}x $V0$V1$V2$V3$V4$V5$V6$V7$V8"));
    let words = found.commands.iter().filter(|one| one.program == "x").filter_map(|one| one.words.last());
    assert!(words.clone().any(|word| !word.exact && word.text.contains("$V8")));
    assert!(words.clone().any(|word| word.exact && word.text.ends_with('b')));
    let named = reading(&format!("{many}$V0$V1$V2$V3$V4$V5$V6$V7$V8 x"));
    assert!(named.opaque.iter().any(|one| one.kind == Unknown::Name), "{:?}", named.opaque);
}
