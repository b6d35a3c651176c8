//! What comparing with real bash has found, a case each: the text, and a
//! command bash runs of it that must be in the list, with exactly these words.

mod listed;

use listed::check;
use toolgate_shell::{ReadContext, Unknown, read};

/// Text that is only read when it runs may have mistakes; what stands behind
/// it runs all the same.
#[test]
fn nothing_hides_behind_a_mistake() {
    for source in [
        "echo `(`; rm x",
        "echo \"`if`\"; rm x",
        "cat <<E\n$(( 1 + (2 )\nE\nrm x",
        "cat <<E\n$(a ;; b)\nE\nrm x",
        "cat <<E\n`(`\nE\nrm x",
        "cat <<E\n${x\nE\nrm x",
        "echo $((a ;; b) c); rm x",
        "echo \"${x:-'$(a ;; b'}\"; rm x",
        "echo \"${x:-'$(a <<E b; ;; )'}\"\nrm x",
        // A comment does not hide the quote that bash looks for.
        "echo \"${x:-'$(a #b)'}\" | bash -c '(b <<E\nc\nE\nd)\nrm x'",
        // Shells before bash 5.2 look for the parenthesis only.
        "echo $(;); rm x",
        "echo <(a ;; b); rm x",
        // A shell that reads a script goes on with the next line.
        "bash <<'E'\na=(b & c)\nrm x\nE\n",
        "N='a[$(b ;; c)]'; (( N )); rm x",
    ] {
        check(source, &["rm", "x"]);
        let found = read(source, &ReadContext::default());
        let kinds = found.fault.iter().map(|fault| fault.kind).chain(found.opaque.iter().map(|one| one.kind));
        assert_eq!(kinds.collect::<Vec<_>>(), [Unknown::Syntax], "{source}");
    }
}

/// Bash reads `((…) …)` twice and then looks for here-documents behind it.
#[test]
fn here_documents_between_two_parentheses_are_commands() {
    check("((a; cat <<E\nrm x\nE\n); c)\nd", &["rm", "x"]);
    check("((a; cat <<E\nb\nE\n); c)\nrm x", &["rm", "x"]);
    check("((a; cat <<E\n); rm x; (b\nE\n); c)", &["rm", "x"]);
}

/// The word that ends a here-document may hold anything and is not expanded.
#[test]
fn here_documents_end_at_their_word() {
    // Bash prints expansions anew before it compares: nobody knows where these end.
    for source in
        ["cat <<${V/$(a b)/x}\na", "cat <<$(a   b)\n$(a b)\nrm x", "cat <<`a`\na", "cat <<\"$(a)\"\na"]
    {
        let fault = read(source, &ReadContext::default()).fault;
        assert!(fault.is_some_and(|fault| fault.kind == Unknown::Limit), "{source}");
    }
    check("cat <<\"a\\b\"\na\\b\nrm x\nab", &["rm", "x"]);
    check("cat <<\"E\\\nOF\"\n'\nEOF\nrm x", &["rm", "x"]);
    check("cat <<$'\\x45'\nE\nrm x", &["rm", "x"]);
    check("cat <<-'\tE'\n'\n\tE\nrm x", &["rm", "x"]);
    check("cat <<@(w)\n$(rm x)\n@(w)\n", &["rm", "x"]);
    check("cat <<@(w)\na\n@(w)\nrm x", &["rm", "x"]);
    check("cat <<$'E'\na\nE\nrm x", &["rm", "x"]);
    // In a substitution, a `)` behind it in the line will do.
    check("a $(b <<E\nc\nE)\nrm x", &["rm", "x"]);
    check("a $(b <<E\nc\nE rm x; d)\ne", &["rm", "x"]);
    check("a $(b <<-'E'\nc\n\tErm x # )\nE\n)", &["rm", "x"]);
    check("a $( (b <<''\nc\nrm x)\n)", &["rm", "x"]);
    check("a <(b <<E\nc\nE\\\n rm x)\nd", &["rm", "x"]);
    check("cat <<$\"E\"\n$(a)\nE\nrm x", &["rm", "x"]);
}

/// Bash reads the lines of here-documents that are open at the `)` there, in
/// the middle of whatever it is in.
#[test]
fn here_documents_open_behind_a_substitution_come_first() {
    check("p <<A $(q <<B)\n`b`\nB\n`rm x`\nA\n", &["rm", "x"]);
    check("p <<A $(q <<B)\nB\n$(a)\nA\nrm x", &["rm", "x"]);
    check("p $(q <<B; $(r <<C)) <<A\nC\nB\nA\nrm x", &["rm", "x"]);
    check("p $(echo a <<E) b\\\nc '\nE\nd", &["p", "a", "bd"]);
    check("p \"$(q <<E) \n'\nE\na\"; rm x", &["rm", "x"]);
    check("p ${U:-$(q <<E)\n}'\nE\na}; rm x", &["rm", "x"]);
    check("(( $(q <<E) + 1\n'\nE\n)); rm x", &["rm", "x"]);
    check("p $(( $(q <<E) + 1\n))'\nE\n)); rm x", &["rm", "x"]);
    check("a=($(q <<E)\n'\nE\nb); rm x", &["rm", "x"]);
    check("p <(q <<E) \\\n'\nE\na; rm x", &["rm", "x"]);
}

/// `$'…'` is decoded before bash looks at what stands around it.
#[test]
fn ansi_text_in_braces_is_read_as_text() {
    check("p \"${U:-$'\\x24(rm x)'}\"", &["rm", "x"]);
    check("p \"${U:-$'\\x24(rm 'x)}\"", &["rm", "x"]);
    check("p \"${U:-$'\\x60rm x\\x60'}\"", &["rm", "x"]);
    check("p \"${U:-${W:-$'\\x24(rm x)'}}\"", &["rm", "x"]);
    check("p $(( $'\\x24(rm x)' )); (( $'\\x24(a)' ))", &["rm", "x"]);
    check("(( $'\\x24(rm x)' ))", &["rm", "x"]);
    check("p ${A[$'\\x24(rm x)']}", &["rm", "x"]);
    check("A[$'\\x24(rm x)']=1", &["rm", "x"]);
    check("cat <<E\n$(p \"${U:-$'\\x24(rm x)'}\")\nE\n", &["rm", "x"]);
    check("p \"${U:-$'x y'z}\" \"${U:-$\"a\"b}\" ${U:-$'$(no)'}", &["p", "x yz", "ab", "$(no)"]);
    check("V=vrm; \"${V#$'v'}\" x", &["rm", "x"]);
    check("V=rm$'\\r'; \"${V%$'\\r'}\" x", &["rm", "x"]);
    // In a here-document it is no quote.
    check("sh <<E\np ${U:-$'a b'}\nE\n", &["p", "a b"]);
}

/// `$(a <<A) $(b <<B)`: each is read where its substitution closes.
#[test]
fn here_documents_left_open_keep_their_order() {
    check("p <(q <<E) >(r <<F)\nE\n$(a)\nF\nrm x", &["rm", "x"]);
    check("p $(q <<E) $(r <<F) <<G\nE\nF\nG\nrm x", &["rm", "x"]);
    check("p <<E $(q <<F)\nF`a $(b)`\nE\nrm x", &["rm", "x"]);
}

/// Bash joins lines of a here-document before it looks at anything in it.
#[test]
fn lines_are_joined_before_quotes_count() {
    check("cat <<E\n$(p 'a\\\nb')\nE\n", &["p", "ab"]);
    check("p `q \\\\\na; rm x`", &["rm", "x"]);
    check("p `q 'a\\\\\nb'`", &["q", "a\\\nb"]);
}

/// What a substitution prints that has a mistake in it is not known.
#[test]
fn a_mistake_ends_what_a_substitution_prints() {
    assert_eq!(read("echo $(( $(case x in (a) b;; esac) + 1 ))", &ReadContext::default()).fault, None);
    for source in ["rm a$((echo p) ${V}\nq)b", "rm `echo p; (`", "rm \"`echo p\nfi`\""] {
        let reading = read(source, &ReadContext::default());
        let rm = reading.commands.iter().find(|command| command.program == "rm");
        let known = rm.is_none_or(|command| command.words.iter().all(|word| word.exact));
        assert!(!known, "{source:?}: {rm:?}");
    }
}

#[test]
fn words_are_taken_where_names_would_stand() {
    check("for 1x in a; do b; done; rm x", &["rm", "x"]);
    check("select V# in a; do b; done; rm x", &["rm", "x"]);
    check("declare -A M=([k|]=a [b;c]=d [e f]=g); rm x", &["rm", "x"]);
    // Where an assignment could stand, brackets hold anything.
    check("a[ # ]; rm x", &["rm", "x"]);
    check("a[b; c\n'd']e f; rm x", &["a[b; c\n'd']e", "f"]);
    check("V=1 a[<<E]; rm x", &["rm", "x"]);
    check("a[1]+=b rm x", &["rm", "x"]);
}

#[test]
fn the_end_of_arithmetic_is_where_bash_sees_it() {
    check("echo $(( 1 + $(case x in (a) b;; *) c;; esac) )); rm x", &["rm", "x"]);
    check("echo $(( 1 + $(case x in a) b;; esac) ))", &["1", "+", "$(case x in a) b;; esac)"]);
    check("echo $(( 1 + $(case x in (a) b;; esac) ))", &["1", "+", "$(case x in (a) b;; esac)"]);
    check("echo $((a)#) ; rm x", &["rm", "x"]);
    check("f() { (( $((( V = 0 )); [[ ${ (b) -eq 1 ]]\nc ${V%.*} | d) + 1 )); }\nrm x", &["rm", "x"]);
    check("(( ${x:+(} rm x ))", &["(", "rm", "x"]);
    check("(( ${x:-(} + 1 ) )); rm x", &["rm", "x"]);
    check("for ((i=0; i<${x:-(1)}; i++)); do rm x; done", &["rm", "x"]);
    check("[[ ${#A[@} == a ]]; rm x", &["rm", "x"]);
    check("echo ${a[}; rm x", &["rm", "x"]);
    check("(( $(a \")\" # )\n) + 1 )); rm x", &["rm", "x"]);
    check("echo $(( \"$(echo \")\")\" )); rm x", &["rm", "x"]);
}

#[test]
fn tildes_are_homes_where_bash_says_so() {
    check(
        "p declare W=~/a a=b:~ --p=~/b b:~",
        &["p", "declare", "W=/home/u/a", "a=b:/home/u", "--p=~/b", "b:~"],
    );
    check(
        "W=~/a:~/b; p $W ~\"/x\" ~/\"x\" {a=~,b}",
        &["p", "/home/u/a:/home/u/b", "~/x", "/home/u/x", "a=~", "b"],
    );
}

#[test]
fn words_that_stand_in_for_a_value_keep_their_quotes() {
    check("p ${U-$'x\\n'} ${U-''} ${U:-d 'e f'}", &["p", "x\n", "", "d", "e f"]);
    check("p \"${U:-'='}\"; q ${U:-r}", &["q", "r"]);
    check("p ${U:-{ 'a b'} x${U:- 'c d' }y", &["p", "{", "a b", "x", "c d", "y"]);
    check("V=' a '; p x${U:-$V}y z${U:- }z", &["p", "x", "a", "y", "z", "z"]);
    check("V=; p ${V-x} ${V:-y} ${V+z} a${V:+z}", &["p", "y", "z", "a"]);
    check("p $'\\xg' $'\\u'", &["p", "\\xg", "\\u"]);
}

/// In double quotes, `${x:-'…'}` ends where single quotes count and is then
/// expanded as if they did not; patterns keep their quotes.
#[test]
fn single_quotes_in_braces_count_once() {
    check("p \"${U:-'a'b}\" \"${U:-'}'}\" ${U:-'}'}", &["p", "'a'b", "'}'", "}"]);
    check("a \"${U:-'$(time -p W=V U='$(no)' rm x)'}\"", &["rm", "x"]);
    check("p \"${U:-'$(export V=1 || bash -c 'a;b\nc')'}\"; rm x", &["rm", "x"]);
    check("p \"${U:-'$(export V=1)'}\" x", &["p", "''", "x"]);
    check("V=vrm; \"${V#'v'}\" x", &["rm", "x"]);
    check("V=vrm; \"${V/'v'/}\" x", &["rm", "x"]);
}

#[test]
fn lists_are_cut_as_bash_cuts_them() {
    check("set -- w p; shift; ${@:1:1} x", &["p", "x"]);
    check("set -- a b p; shift 2; $1 x", &["p", "x"]);
    check("set -- p b; shift b; $1 x", &["p", "x"]);
    check("set -- p b; shift 3; $1 x", &["p", "x"]);
    check("set -- $w p; shift; $1 x", &["p", "x"]);
    check("f() { for i in 1 2; do set -- p $#; \"$@\"; done; }; f x", &["p", "2"]);
    check("set -- $w p; shift; ${@:1:1} rm x", &["rm", "x"]);
    check("IFS=:; X=p::x:; $X", &["p", "", "x"]);
    check("IFS=:; echo 'p w' | while read X Y; do $X $Y; done", &["p w"]);
    check("read X Y Z <<<'  p   w  x y '; $X $Y \"$Z\"", &["p", "w", "x y"]);
    check("echo p:w | while IFS=: read X Y; do $X $Y; done", &["p", "w"]);
    check("IFS=' :'; X=' p : x'; $X", &["p", "x"]);
    check("p ${A[1 [[ 2 ]] N='a[$(rm x)]']}", &["rm", "x"]);
    check("A=(a p b); ${A[@]:1:1} x", &["p", "x"]);
    check("mapfile -t A <<<p; ${A[0]} x", &["p", "x"]);
    check("A[1]=q; p ${A[1]}", &["p", "${A[1]}"]);
    check("A+=(p)#; \"${A[@]}\"; rm x", &["rm", "x"]);
    check("true && IFS=:; X=p:w; $X", &["p", "w"]);
}

#[test]
fn what_may_not_have_happened_is_one_of_two() {
    check("a | f() { X=p; }; X=q; f; $X x", &["q", "x"]);
    check("X=q; a && f() { X=p; }; f; $X x", &["q", "x"]);
    check("V=a; b && V=c; set -- p $V; \"$@\"", &["p", "a"]);
    check("V=a; b && V=c; set -- p $V; \"$@\"", &["p", "c"]);
    check("f() { f() { rm x; }; f; }; f", &["rm", "x"]);
    check("X=q; ! true && X=p; $X x", &["q", "x"]);
    check("X=p; a && X=q; X+=1; $X x", &["p1", "x"]);
    check("X=p; a && X=q; declare -n R=X; $R x", &["q", "x"]);
    check("a && V=w || p x $V", &["p", "x", "$V"]);
    check("cd a && b && V=w; p x $V", &["p", "x", "$V"]);
    check("cd a && V=w && b; p x $V", &["p", "x", "w"]);
    check("p $(echo r || echo q)", &["p", "r"]);
    for end in ["a", "q"] {
        check("p $(command -v a || echo q)", &["p", end]);
        check("X=`which a || which q`; p $X", &["p", end]);
        check("p $([ -d x ] && echo a || echo q)", &["p", "$([ -d x ] && echo a || echo q)"]);
    }
    check("cat `which f`", &["cat", "f"]);
    check("cat `which f`", &["cat"]);
    check("p a $([ -d x ] && echo -f)", &["p", "a", "-f"]);
    check("p a $([ -d x ] && echo -f)", &["p", "a"]);
    check("(test x && echo rm x) | sh", &["rm", "x"]);
    check("PWD=/; cd /a; p \"$PWD\"", &["p", "/a"]);
    check("for V; do set -- q w; done; echo $1 | xargs p", &["p", "$stdin"]);
    check("X=rm; declare -z X=q; $X x", &["rm", "x"]);
    check("X=rm; eval '{ X=q;'; $X x", &["rm", "x"]);
    check("X=rm; declare -i N; N='a[]' && X=q; $X x", &["rm", "x"]);
    check("declare -{ n R=X; $R rm x", &["rm", "x"]);
    check("mapfile -tC 'rm x' -c 1 <<<a", &["rm", "x", "$INDEX", "$LINE"]);
    check("mapfile -C'rm x' -c 1 <<<a", &["rm", "x", "$INDEX", "$LINE"]);
}

#[test]
fn programs_get_what_their_wrappers_give_them() {
    check("xargs -n1 p <<<'a b'", &["p", "a"]);
    check("xargs -n1 p <<<'a b'", &["p", "b"]);
    check("xargs p <<<'a\\ b \"c d\"'", &["p", "a b", "c d"]);
    check("xargs -I{} p {} x{} <<<' b c'", &["p", "b c", "xb c"]);
    check("env -S 'p ;w' x", &["p", ";w", "x"]);
    check("env -S '-u V A=1 p' x", &["p", "x"]);
    check("V=a; env V=p sh -c '$V w'", &["p", "w"]);
    check("f() { bash -s w <<'E'\np x\nE\n}; f 1", &["p", "x"]);
    check("bash -c sh <<<'rm x'", &["rm", "x"]);
    check("eval bash -c 'sh' <<<'rm x'", &["rm", "x"]);
}

#[test]
fn braces_close_where_bash_closes_them() {
    check("{p1},w}", &["p1}", "w"]);
    check("p {},b} a{},b}", &["p", "{},b}", "a}", "ab"]);
    check("p {1..3..} {1..3..2}", &["p", "{1..3..}", "1", "3"]);
    check("p x{\\1..3} {'1'..3}{a,b}", &["p", "x{1..3}", "{1..3}a", "{1..3}b"]);
    check("V=1; p {$V..3} {'a,b'..3} {a\\,b..3}", &["p", "{1..3}", "a,b..3", "{a,b..3}"]);
}

#[test]
fn what_stands_behind_the_first_word_of_a_coproc_may_be_a_list() {
    check("bash <<'E'\nfor i in 1; do coproc p a=(b\nc &>f; done\nrm x\nE\n", &["rm", "x"]);
    check("coproc p a=(b $(rm x))", &["rm", "x"]);
    check("coproc p a=(b !\n(( $(rm x) + 1 ))\nc", &["rm", "x"]);
    check("bash -c 'a=(b @(w) # no\nrm x >f\nc'", &["rm", "x"]);
    check("if a=(p +(w)y); b \\\n rm x; then c; fi", &["rm", "x"]);
    check("case a in a) coproc b esac; rm x", &["rm", "x"]);
    check("coproc V=v p } x", &["p", "}", "x"]);
    check("coproc p <<E }", &["p", "}"]);
    check("(time -pf() { a; }; rm x)", &["rm", "x"]);
    check("time -p( (! a; rm x) )", &["rm", "x"]);
    check("time -p;rm x", &["rm", "x"]);
    check("time -- (rm x)", &["rm", "x"]);
}

#[test]
fn what_stands_behind_a_mistake_bash_gets_over_is_listed() {
    check("eval \"a '\"\n}\nrm x", &["rm", "x"]);
    check("p $(time case #no in (*) a;& *) b ;; esac\n) q; rm x", &["rm", "x"]);
    check("p <<E\n$(( 1 + $(a # it's \"\n) ))\nE\n", &["1", "+", "$(a # it's \"\n)"]);
    check("coproc p{ 4 a", &["p{", "4", "a"]);
    check("f\"$(a)\"() { b; }; rm x", &["rm", "x"]);
    check("declare -i N='a[$(rm x)]'", &["rm", "x"]);
    check("case ${|!W} in (a) b;; esac; rm x", &["rm", "x"]);
    check("({ echo ${ {a} | b\n} | c\n)\nrm x", &["rm", "x"]);
    check("if f() ( { a ${ {b}\n}\nc\n)\nf & then rm x; fi", &["rm", "x"]);
    check("bash <<'E'\n{ eval a=(b\n}; c | d\nrm x\nE\n", &["rm", "x"]);
    check("let a=(1\n); rm x", &["rm", "x"]);
    check("bash -c '[[ a # b ]]\nc a=(d\n;; *) e\nrm x\nf ;; esac'", &["rm", "x"]);
    check("(( $({ a=(b #c); d\n} |& e\nf & )\nrm x) + 1 )) & g", &["rm", "x"]);
    check("(( $({ a=(b #c); d\n} |& e\nf & )\nrm x) + 1 )) & g", &["+", "1"]);
}

#[test]
fn lists_given_to_eval_are_text() {
    check("eval a=(b 'c d')", &["eval", "a=(b c d)"]);
    check("eval a=(b $'c)\\nrm x')", &["rm", "x"]);
    check("eval a=($(rm x))", &["rm", "x"]);
}

/// Bash takes the last sign of a prompt for the end of what is open.
#[test]
fn prompts_are_expanded() {
    check("V='$(rm x)'; echo ${V@P}", &["rm", "x"]);
    check("V='$(rm xy'; echo ${V@P}", &["rm", "x"]);
    check("PS4='$(rm x)'; set -x; a", &["rm", "x"]);
    check("export PS4='$(rm x)'; bash -x a", &["rm", "x"]);
}

#[test]
fn printf_lays_out_its_values() {
    check("$(printf %.2s rmx) x", &["rm", "x"]);
    check("$(printf 'r\\0m') x", &["rm", "x"]);
    check("$'\\x{72}m' x", &["rm", "x"]);
    check("$(printf %c%c rx mx) x", &["rm", "x"]);
    check("p \"$(printf '%-3s|%3s|%03d' a b 7)\"", &["p", "a  |  b|007"]);
    check("p \"$(printf '%s-%d%%' a 12)\"", &["p", "a-12%"]);
}

#[test]
fn a_trap_sees_the_values_of_then() {
    check("f() { local V=l; trap 'p \"$V\"' EXIT; }; V=a; f", &["p", "a"]);
    check("X=q; trap '$X w' EXIT; X=p", &["p", "w"]);
}

#[test]
fn files_hold_all_that_was_written_to_them() {
    check("echo rm x >f; echo q >>f; sh f", &["rm", "x"]);
    check("{ echo rm x; echo q; } >f; sh f", &["rm", "x"]);
    check("echo a >f; echo q x >f; sh f", &["q", "x"]);
    for source in [
        "echo q >f; a && echo p >f; sh f",
        "if a; then echo q >f; else echo p >f; fi; sh f",
        "X=q; a && X=p; echo $X >f; sh f",
        "X=q; a && X=p; echo $X | sh",
    ] {
        assert!(!read(source, &ReadContext::default()).opaque.is_empty(), "{source:?}");
    }
}

#[test]
fn a_file_that_is_written_while_it_runs_is_not_known() {
    for source in [
        "p >f 2>&1 <<<\"$(echo q >f; sh f)\"",
        "{ echo q >f; sh f; } 2>f",
        "eval 'echo q >f; sh f' 2>f",
        "{ echo q >f; sh f; } | p 2>f",
        "{ echo q >f; sh f; } | { echo p >f; sh f; }",
        "{ echo q >f; sh f; } & echo p >f",
        "echo q >f & sh f",
        "p >f 2>&1 <<<<(q); echo a >f; sh f",
        "echo a >f; p <(echo q >f); sh f",
        "{ echo q >f; sh f & } | a; echo p >f; sh f",
        "{ a & } >f; echo p >f; sh f",
    ] {
        let reading = read(source, &ReadContext::default());
        assert!(reading.opaque.iter().any(|one| one.kind == Unknown::Output), "{source:?}");
    }
    for source in [
        "{ echo q >f; sh f; } >g 2>/dev/null",
        "echo q >f; sh f | a; echo p >f; sh f | a",
        "echo q >f; sh f &",
        "while read x; do echo $x; done >f 2>&1 < <(q)",
    ] {
        assert!(read(source, &ReadContext::default()).opaque.is_empty(), "{source:?}");
    }
}

/// Bash 5.2 prints `$(…)` to read it anew, and loses a `;` behind a here-document.
#[test]
fn a_semicolon_is_lost_behind_a_here_document() {
    check("a $(b <<E\nc\nE\nset -- rm q; shift; $1 x)", &["rm", "x"]);
    check("a $(b <<E\nc\nE\nset -- rm q; shift; $1 x)", &["q", "x"]);
    check("a $(b <<E; c; rm x)\nd\nE\n", &["c", "rm", "x"]);
    check("a $(b <<E\nE\nuntil c; true; do d; done)", &["c", "true"]);
    check("a <(b <<E\nE\n{ V=1; [[ V -eq 1 ]]\n})", &["[[", "V", "-eq", "1", "]]"]);
    check("a $(b <<E\nE\nf() { c; d; }; f)", &["c"]);
    check("$(cat <<E\nrm x\nE\n)", &["rm", "x"]);
    check("a $(if b | sh <<E\nE\nthen c;rm x\nfi)", &["c", "rm", "x"]);
    // Each time it is printed.
    check("a=(b $(c <<E\nE\nd || { e; f || g; rm x; }))", &["g", "rm", "x"]);
    check("a $(b $(c <<E\nE\nd || { e; f || g; rm x; }))", &["g", "rm", "x"]);
    check("a $(b <<E\nE\nc; ! case 2 in (rm|d) e;; esac)", &["rm"]);
}

#[test]
fn a_value_that_is_not_set_yet_or_at_all_is_not_known() {
    for source in ["X='p a' eval $X w", "A=(p a=(b)\nA+=(q); \"${A[@]}\""] {
        let reading = read(source, &ReadContext::default());
        assert!(
            reading.opaque.iter().any(|one| one.kind == Unknown::Name),
            "{source:?}: {:?}",
            reading.opaque
        );
    }
}

/// `cd '$(rm x)' |& sh` says that there is no such folder – to a shell.
#[test]
fn errors_given_to_a_shell_are_not_known() {
    for source in [
        "cd '$(rm x)' |& sh",
        "{ echo a; } 2>&1 | sh",
        "trap 'time a' EXIT |& cat | sh",
        "ls '$(rm x)' 2>f; sh f",
        "{ time ls; } 2>>f; sh f",
        "cd '$(rm x)' >f 2>&1; sh f",
        "{ cd '$(rm x)'; } >f 2>&1; sh f",
        "{ echo q >f; cd '$(rm x)'; } 2>f; sh f",
        "exec >f; echo q; exec >/dev/null; sh f",
        "echo q 1<>f; sh f",
        "{ echo q >f; time ls; sh f; } >\"${V}f\" 2>&1",
        "{ time ls; } >\"$(a)f\" 2>&1; sh f",
        "ls >\"${V}f\"; sh f",
        "exec 3<<<q; a && exec 3<<<p; sh <&3",
        "exec 3<<<q; (exec 3<<<p); sh <&3",
    ] {
        assert!(!read(source, &ReadContext::default()).opaque.is_empty(), "{source:?}");
    }
    for source in [
        "echo ls |& sh",
        "cd '$(rm x)' | sh",
        "make 2>&1 | tail -5",
        "echo ls >f 2>&1; sh f",
        "ls >\"$V\"; sh f",
    ] {
        assert!(read(source, &ReadContext::default()).opaque.is_empty(), "{source:?}");
    }
    check("printf 'rm x' |& sh", &["rm", "x"]);
}

/// A shell that cannot read its text may not have written the file.
#[test]
fn a_mistake_leaves_files_as_they_were() {
    let found = read("time ls 2>f; sh <<'E'\n{ echo q >f\nE\nsh f", &ReadContext::default());
    assert!(found.opaque.iter().any(|one| one.what.contains("text of `f`")), "{:?}", found.opaque);
}

/// An item that is written makes the whole list one nobody knows.
#[test]
fn an_item_written_by_name_changes_the_list() {
    for writes in ["printf -v 'A[0]' x", "read 'A[0]' <<<x", "declare 'A[0]=x'"] {
        let found = read(&format!("A=(ls); {writes}; ${{A[0]}} y"), &ReadContext::default());
        assert!(!found.opaque.is_empty(), "{writes}: {found:?}");
    }
}

#[test]
fn printf_writes_into_a_variable_however_it_is_spelled() {
    for source in ["printf -v X %s rm; $X x", "printf -vX %s rm; $X x"] {
        check(source, &["rm", "x"]);
    }
}

/// A subshell's trap runs at its end, with the values of then.
#[test]
fn a_trap_of_a_subshell_runs_at_its_end() {
    check("(trap '${U:-p1} x' EXIT && U=rm)", &["rm", "x"]);
    check("trap '${U:-p1} x' EXIT; U=rm", &["rm", "x"]);
    check("{ trap '${U:-p1} x' EXIT; U=rm; } | q", &["rm", "x"]);
}

/// Nobody can tell what a comment in arithmetic hides once bash has printed a
/// `case` beside it.
#[test]
fn a_comment_and_case_in_arithmetic_are_not_followed() {
    let limit = |source: &str| {
        let fault = read(source, &ReadContext::default()).fault;
        fault.is_some_and(|fault| fault.kind == Unknown::Limit)
    };
    assert!(limit("p $(a $((# $(case rm in (rm) b;; esac) + (1) ))\n)"));
    assert!(!limit("p $((1 # 2\n))"));
    assert!(!limit("p $((16#ff + ${#x} + '#'))"));
}
