//! Properties of every reading, whatever the text: it ends soon, never
//! panics, and its spans are true.

use proptest::prelude::{ProptestConfig, Strategy, prop, proptest};
use toolgate_shell::{ReadContext, Reading, Span, read};

fn setting() -> ReadContext {
    ReadContext {
        home: Some("/home/u".to_string()),
        pwd: Some("/work".to_string()),
        ..ReadContext::default()
    }
}

#[track_caller]
fn check_span(source: &str, span: Span) {
    assert!(span.start <= span.end && span.end <= source.len(), "{span:?} of {source:?}");
    assert!(
        source.is_char_boundary(span.start) && source.is_char_boundary(span.end),
        "{span:?} of {source:?}"
    );
}

/// What holds for every reading of `source`.
#[track_caller]
fn check(source: &str) -> Reading {
    let reading = read(source, &setting());
    for (at, command) in reading.commands.iter().enumerate() {
        check_span(source, command.span);
        assert!(!command.words.is_empty(), "{source:?}");
        assert!(
            command.piped_from.is_none_or(|from| from < reading.commands.len() && from != at),
            "{source:?}"
        );
        assert!(!command.normal().contains('\n'), "{source:?}");
        for word in &command.words {
            check_span(source, word.span);
            if command.in_place {
                let written = source.get(word.span.start..word.span.end).unwrap_or("");
                let plain = !written.is_empty()
                    && written.chars().all(|found| found.is_alphanumeric() || "-_./=".contains(found));
                assert!(!plain || written == word.text, "{written:?} for {:?} in {source:?}", word.text);
                assert!(!written.is_empty(), "{source:?}");
            }
        }
        for flag in &command.usage.flags {
            check_span(source, flag.span);
        }
        for effect in &command.effects {
            effect.target.iter().for_each(|target| check_span(source, target.span));
        }
    }
    reading.opaque.iter().for_each(|opaque| check_span(source, opaque.span));
    reading.fault.iter().for_each(|fault| check_span(source, fault.span));
    reading
}

/// Pieces that mean something to a shell or to a model.
const PIECES: &[&str] = &[
    "rm",
    "-rf",
    "/",
    "git",
    "commit",
    "-n",
    "--no-verify",
    "$X",
    "X=rm",
    "$(",
    "`",
    ")",
    "(",
    "{",
    "}",
    "'",
    "\"",
    "\\",
    "\n",
    " ",
    " ",
    " ",
    ";",
    "&&",
    "||",
    "|",
    "&",
    "<",
    ">",
    "<<E",
    "\nE\n",
    "<<<",
    "<(",
    "$((",
    "))",
    "[[",
    "]]",
    "if ",
    "then ",
    "fi",
    "for x in ",
    "do ",
    "done",
    "while ",
    "case x in ",
    "esac",
    ";;",
    "f() ",
    "function ",
    "eval ",
    "bash -c ",
    "sh",
    "${",
    "${X:-",
    "${X#",
    "$'\\x72'",
    "{a,b}",
    "{1..9}",
    "*",
    "~",
    "é",
    "日",
    "\u{0}",
    "\r",
    "#",
    "!",
    "time ",
    "coproc ",
    "xargs ",
    "find . -exec ",
    "{} ",
    "\\;",
    "sudo ",
    "env A=1 ",
    "curl http://x ",
    "cd ",
    "..",
    "echo ",
    "printf %s ",
    "base64 -d",
    "python -c ",
    "os.system('",
    "')",
    "psql -c ",
    "DROP TABLE",
    "a=(",
    "$@",
    "$1",
    "set -- ",
    "export A=",
    "alias x=",
    "trap ",
    "docker exec ",
    "git -c alias.x=",
    "timeout 5 ",
    "-",
    "--",
    "=",
    "[",
    "]",
    "read x",
    "source ",
    "2>&1",
    "&>",
    "{fd}>",
    "$[",
    "?(",
    "!(",
    "@(",
];

fn mixed() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(PIECES), 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_read(source in "\\PC{0,80}") {
        check(&source);
    }

    #[test]
    fn any_mix_of_meaningful_pieces_is_read(source in mixed()) {
        check(&source);
    }

    /// Whatever is in a script that is there, it hides nothing of the call that runs it.
    #[test]
    fn a_script_hides_nothing_of_the_call(text in mixed()) {
        let call = "bash x.sh a -n; make -f x.sh y; python3 x.sh; git z; cat x.sh | sh; zzz --last";
        let paths = ["/work/x.sh", "/work/.git/config"];
        let files = paths.iter().map(|path| ((*path).into(), Some(text.clone()))).collect();
        let reading = read(call, &ReadContext { files, ..setting() });
        let last = |command: &toolgate_shell::Command| command.program == "zzz" && command.in_place;
        assert!(reading.commands.iter().any(|command| last(command)) || reading.fault.is_some(), "{text:?}");
        reading.opaque.iter().for_each(|opaque| check_span(call, opaque.span));
    }
}

/// Shapes that, repeated, make careless readers slow or deep.
const BOMBS: &[&str] = &[
    "(",
    "((",
    "$(",
    "$((",
    "{ ",
    "if ",
    "while ",
    "case x in a) ",
    "\"$(",
    "`",
    "${x:-",
    "${x:-\"",
    "<(",
    "[[ ",
    "f() { ",
    "! ",
    "$[",
    "a[",
    "a=(",
    "?(",
    "{a,",
    "{1..2}",
    "'",
    "\"",
    "\\",
    "<<E\n",
    "cat <<E $(",
    "for x in a b c; do ",
    "eval \"",
    "bash -c '",
    "coproc ",
    "time ",
    "x && ",
    "x | ",
    "x; ",
    "x\n",
    "X=$X$X; ",
    "X+=a; ",
    "f() { f; f; }; f; ",
    "export A=1; ",
    "cd a; ",
    "test x && cd x; ",
    "ln x; ",
    "ln -s a/x b; ln -s b/y a; ",
    "ln -s a b/c; ",
    "pushd a; ",
    "cd a; cd -; ",
    "if [ a ]; then echo b; fi | ",
    "git a $(awk '{print \"b\"}') ",
    "a[$(b)]=1 x=1; ",
    "sudo ",
    "xargs ",
    "env A=1 ",
    "git -c alias.a=a a ",
    "$X ",
    "echo a | ",
    "{ x; } >f; ",
    "alias x=x; x; ",
    "trap x; ",
    "x=`",
    "$'\\x",
    "~/",
    "\u{e9}",
    "python -c 'system(\"",
    "psql -c 'drop ",
    "read x; ",
    "set -- $@ a; ",
    "[ ",
    "a[ ;",
    "x <<< a ",
];

#[test]
fn bombs_are_defused() {
    for open in BOMBS {
        for count in [10, 100, 2_000] {
            check(&open.repeat(count));
            check(&format!("{}x{}", open.repeat(count), ")".repeat(count)));
        }
    }
    for source in [
        "X=aaaaaaaa; ".to_string() + &"X=$X$X; ".repeat(200),
        "{a,b}".repeat(1000),
        "{1..999999999}".repeat(9),
    ] {
        check(&source);
    }
    let nested =
        (0..30).fold("rm x".to_string(), |text, _| format!("for i in 1 2 3 4 5 6 7 8; do {text} $i; done"));
    check(&nested);
    let calls: String = (0..40).map(|at| format!("f{at}() {{ f{0}; f{0}; }}; ", at + 1)).collect();
    check(&(calls + "f0"));
}

#[test]
fn a_text_too_long_is_a_fault() {
    let reading = read(&"a".repeat((4 << 20) + 1), &setting());
    assert!(reading.fault.is_some() && reading.commands.is_empty());
}

/// Data is written to files that way; only who runs it must know it.
#[test]
fn a_long_here_document_for_a_file_is_read() {
    let body = "1,2,3,\"four\"\n".repeat(150_000);
    for head in ["cat > data.csv <<'END'", "cat <<END > data.csv", "tee data.csv <<-'END' >/dev/null"] {
        let reading = read(&format!("{head}\n{body}END\nrm x\n"), &setting());
        assert!(reading.fault.is_none() && reading.opaque.is_empty(), "{head}: {:?}", reading.fault);
        let programs: Vec<&str> = reading.commands.iter().map(|one| one.program.as_str()).collect();
        assert_eq!(programs.last(), Some(&"rm"), "{head}");
    }
    for source in [
        format!("cat <<'END' | sh\n{body}END\n"),
        format!("cat > f <<'END'\n{body}END\nsh f\n"),
        format!("sh <<'END'\n{body}END\n"),
        format!("cat > f <<END\n{body}$(eval \"$X\")\nEND\n"),
    ] {
        let reading = read(&source, &setting());
        let head = source.lines().next().unwrap_or_default();
        assert!(reading.fault.is_some() || !reading.opaque.is_empty(), "{head}");
    }
}
