//! Which commands bash could start: every construct of the grammar, and text
//! bash itself refuses.

use toolgate_shell::{ReadContext, Reading, read};

/// The names of the commands written in the text itself, as one sorted line.
fn names(reading: &Reading) -> String {
    let written = reading.commands.iter().filter(|command| command.via.is_empty());
    let mut names: Vec<&str> =
        written.filter_map(|command| command.words.first()).map(|word| word.text.as_str()).collect();
    names.sort_unstable();
    names.join(" ")
}

#[track_caller]
fn check(source: &str, expected: &str) {
    let reading = read(source, &ReadContext::default());
    assert_eq!(reading.fault, None, "{source}");
    let mut expected: Vec<&str> = expected.split(' ').filter(|name| !name.is_empty()).collect();
    expected.sort_unstable();
    assert_eq!(names(&reading), expected.join(" "), "{source}");
}

/// Text bash reads, with the commands it could start.
pub const READABLE: &[(&str, &str)] = &[
    ("git status --short", "git"),
    ("cd /tmp && ls -l || echo no; date\npwd & wait", "cd ls echo date pwd wait"),
    ("A=1 B=\"x y\" C=$(id) make -j2", "id make"),
    ("x=$(rm y)", "rm"),
    ("echo $(cat $(ls $(pwd)))", "echo cat ls pwd"),
    ("echo \"a $(rm \"b $(ls \"c d\")\")\"", "echo rm ls"),
    ("echo `rm x`", "echo rm"),
    ("echo `rm \\`ls\\``", "echo rm ls"),
    ("echo \"a `rm x` b\"", "echo rm"),
    ("cat <<EOF\nhi $(rm x) `ls`\nEOF\n", "cat rm ls"),
    ("cat <<'EOF'\nhi $(rm x)\nEOF\n", "cat"),
    ("cat <<'EOF' | sh -s\nrm x\nEOF\n", "cat sh"),
    ("cat <<-EOF && ls\n\t$(rm x)\n\tEOF\n", "cat ls rm"),
    ("cat <<A - <<'B'\n$(rm x)\nA\n$(no x)\nB\nls", "cat rm ls"),
    ("git commit -m \"$(cat <<'EOF'\nfix: it's (done) `no`\n\nA \"q\" $(no)\nEOF\n)\"", "git cat"),
    ("diff <(rm a) <(ls b) > >(tee c)", "diff rm ls tee"),
    ("while read l; do rm $l; done < <(ls)", "read rm ls"),
    ("[[ -n $(rm x) && $y =~ ^(a|b)+$ ]] && ls", "rm ls"),
    ("case $(id) in a|b) rm x;; (c*) ls;& *) pwd;;& esac", "id rm ls pwd"),
    ("if ls; then rm x; elif id; then pwd; else date; fi > $(hostname)", "ls rm id pwd date hostname"),
    ("for i in $(ls) b; do rm $i; done", "ls rm rm"),
    ("for ((i=0;i<$(id -u);i++)); do rm $i; done", "id rm"),
    ("function f { rm x; }; f", "f"),
    ("f() ( rm x ) 2>/dev/null; f a", "f"),
    ("(cd /; rm x) & { ls; }", "cd rm ls"),
    ("coproc rm x", "rm"),
    ("! rm x | ls; time -p id", "rm ls id"),
    ("$'\\x72\\x6d' -rf x", "rm"),
    ("'r'\"m\" x; l\\s", "rm ls"),
    ("r\\\nm x", "rm"),
    ("{rm,-rf,x}", "rm"),
    ("a=(1 $(rm x) 2); a[$(id)]=3", "rm id"),
    ("declare -a x=($(rm y)); export P=$(id)", "declare rm export id"),
    ("echo ${x:-$(rm y)} \"${z:=`id`}\" ${w/a/$(ls)}", "echo rm id ls"),
    ("echo ${a[$(rm x)]}", "echo rm"),
    ("echo $(( 1 + $(rm x) )); (( y = $(id) ))", "echo rm id"),
    ("cat <<<\"$(rm x)\"", "cat rm"),
    ("ls |& rm x &>/dev/null; id >& f 2>&1 {fd}<g", "ls rm id"),
    ("ls # $(rm x)\nid", "ls id"),
    (">f <g rm x", "rm"),
    ("select x in a; do rm $x; done; until ls; do id; done", "rm ls id"),
    ("echo $(case x in a) rm y;; esac)", "echo rm"),
    ("echo $(ls # it's )\nid)", "echo ls id"),
    ("écho «$(rm x)» 日本", "écho rm"),
    ("ls\t-l ;\tid", "ls id"),
    ("echo if then fi; rm done", "echo rm"),
    ("echo a#$(rm x) ${#y}", "echo rm"),
    ("rm -- *.[ch] ?(a|b) !(c)", "rm"),
    ("echo $\"a $(rm x)\"", "echo rm"),
    ("f() { cat <<E\n$(rm x)\nE\n}; f", "f"),
    ("eval \"rm x\"; bash -c 'ls'", "eval bash"),
    ("[ -f $(rm x) ] && ls", "[ rm ls"),
    ("echo \"x\" 'y' && find . -name '*.rs' -exec rm {} \\;", "echo find"),
    ("( ( rm x ) )", "rm"),
    ("( (rm x); ls )", "rm ls"),
    ("((rm x); ls)", "rm ls"),
    ("( (rm x) )", "rm"),
    ("echo $( (rm x) )", "echo rm"),
    ("echo $((rm x); ls)", "echo rm ls"),
    ("echo $( ( rm x ) )", "echo rm"),
    ("(( x = 1 )) && rm y", "rm"),
    ("echo \"`rm \\\"x\\\"`\"", "echo rm"),
    ("cat <<E | rm x\nbody\nE\nls", "cat rm ls"),
    ("cat <<\\E\n$(no)\nE\nrm x", "cat rm"),
    ("cat <<\"E F\"\n$(no)\nE F\nrm x", "cat rm"),
    ("cat <<E\n E\nE \n$(rm x)\nE\n", "cat rm"),
    ("echo \"${x:-'$(rm y)'}\"", "echo rm"),
    ("echo ${x:-\"${y:-$(rm z)}\"}", "echo rm"),
    ("PATH+=:$(rm x) ls", "rm ls"),
    ("ls > $(rm x) 2>`id`", "ls rm id"),
    ("ls &> \"$(rm x)\"", "ls rm"),
    ("case x in $(rm y)) ls;; esac", "rm ls"),
    ("f() { ls; } > $(rm x)", "ls rm"),
    ("function g() { rm x; }", "rm"),
    ("for x do rm $x; done", "rm"),
    ("ls | while read x; do rm $x; done", "ls read rm"),
    ("rm x #", "rm"),
    ("ls& rm x", "ls rm"),
    ("ls \\\n&& rm x", "ls rm"),
    ("ls &&\n\n rm x |\n id", "ls rm id"),
    ("$x rm y; ${z} w", "$x ${z} rm"),
    ("$(echo rm) x", "rm echo"),
    ("~/bin/x; /bin/r? y", "~/bin/x /bin/r?"),
    ("[[ a > b || ! ( c < $(rm d) ) ]]", "rm"),
    ("[[ $x == *.txt && $(rm y) != z* ]]", "rm"),
    ("let x=1+2; x=$[1+$(rm y)]", "let rm"),
    ("echo $'it\\'s' $(rm x)", "echo rm"),
    ("time { rm x; }", "rm"),
    ("coproc N { rm x; }", "rm"),
    ("exec {fd}>f; rm x >&$fd", "exec rm"),
    ("select x in a b; do rm $x; done", "rm rm"),
    ("echo $()", "echo"),
    ("declare -A m=([a]=$(rm x) [$(id)]=2)", "declare rm id"),
    ("a=b; c= rm x", "rm"),
    ("ls\r\nrm x", "ls\r rm"),
    ("printf 'a\\0b' | rm x", "printf rm"),
];

/// Text bash refuses.
pub const BROKEN: &[&str] = &[
    "echo \"unterminated",
    "echo 'it",
    "if true; then ls",
    "ls |",
    "ls )",
    "echo $(ls",
    "ls && && rm x",
    "ls &&",
    "{ ls",
    "ls; fi",
    "ls ;; rm x",
    "for in a; do ls; done",
    "case x in a) ls",
    "ls >",
    "echo ${x",
    "echo `ls",
    "echo $(ls && )",
    "f() ls rm",
    "case a in esac) rm x;; esac",
];

#[test]
fn every_command_bash_could_start_is_listed() {
    for (source, expected) in READABLE {
        check(source, expected);
    }
}

/// A backslash at a line end joins lines before anything else is looked at.
#[test]
fn lines_are_joined_inside_every_token() {
    check("x\\\n=1 rm y", "rm");
    check("echo \"$\\\n(rm y)\"", "echo rm");
    check("echo $\\\n(rm y) `r\\\nm z`", "echo rm rm");
    check("cat <<E\n$\\\n(rm y)\nE\n", "cat rm");
    check("ls &\\\n& rm y", "ls rm");
    check("i\\\nf ls; th\\\nen rm y; f\\\ni", "ls rm");
    check("echo \"${x\\\n:-$\\\n(rm y)}\" <\\\n(ls)", "echo rm ls");
    check("cat <\\\n<E\n$(rm y)\nE\n", "cat rm");
    check("f\\\n() { rm y; }; x+\\\n=4 a\\\n[0]=5 ls 2\\\n>f", "rm ls");
    check("echo 'a\\\nb' # c \\\nrm y", "echo rm");
}

#[test]
fn text_bash_refuses_is_a_fault() {
    for source in BROKEN {
        assert!(read(source, &ReadContext::default()).fault.is_some(), "{source}");
    }
}

#[test]
fn commands_before_a_fault_are_kept() {
    let reading = read("rm -rf /; echo 'oops", &ReadContext::default());
    assert!(reading.fault.is_some());
    assert_eq!(names(&reading), "echo rm");
}
