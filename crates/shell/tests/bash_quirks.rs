//! What bash reads otherwise than it stands there: the text of here-documents,
//! quotes that vanish, separators that get lost, words where names would stand.

mod listed;

use listed::check;
use toolgate_shell::{ReadContext, read};

/// The text of a here-document is looked through when it is expanded, and bash
/// changes it on the way as it changes other text.
#[test]
fn the_text_of_a_here_document_is_read_as_bash_changes_it() {
    check("cat <<F\n$(a \"$(b <<E) \n '\nE\nw\"\nrm x\n)\nF\n", &["rm", "x"]);
    check("cat <<F\na\\\nb $(a \"$(b <<E) \n '\nE\nw\"\nrm x\n)\nF\n", &["rm", "x"]);
    check("cat <<F\na\\\nb $(p \"${U:-$'\\x24(rm x)'}\")\nF\n", &["rm", "x"]);
    check("cat <<E\n${U:-$\"(rm x)\"}\nE\n", &["rm", "x"]);
    // Comments are skipped there.
    check("cat <<E\n${U:-'$((( $(a) + 1 )); # `\nrm x)'}\nE\n", &["rm", "x"]);
}

/// Quotes are taken out of a value that stands in before it is expanded.
#[test]
fn quotes_between_a_dollar_and_a_parenthesis_vanish() {
    check("echo \"${U:-'$\"(rm x)'}\"", &["rm", "x"]);
    check("echo \"${U:-'$\"\"(rm x)\"'}\"", &["rm", "x"]);
}

/// Behind a `;` that bash loses, it prints `coproc` with a name.
#[test]
fn words_that_bash_prints_otherwise_are_not_known() {
    let found = read("a \"$(b <<E\nc\nE\nrm; ! coproc x\nd)\"", &ReadContext::default());
    let joined = |command: &toolgate_shell::Command| command.program == "rm" && command.words.len() > 1;
    let words = found.commands.iter().find(|command| joined(command)).map(|command| &command.words);
    assert!(words.is_some_and(|words| words.iter().any(|word| !word.exact)), "{found:?}");
}

#[test]
fn here_documents_of_a_condition_lose_a_separator_as_well() {
    check("a $(if b <<E\nc\nE\nthen rm; x; d; fi)", &["rm", "x"]);
}

/// Any word may stand where the name of a coprocess stands.
#[test]
fn a_coprocess_may_have_a_name_that_is_none() {
    check("coproc N# ( a )\nrm x", &["rm", "x"]);
    check("{ coproc N- { a; }; } | rm x", &["rm", "x"]);
}

/// `$@` and a group behind it are one pattern.
#[test]
fn a_group_may_follow_a_parameter() {
    check("a $@(w) && rm x", &["rm", "x"]);
    check("a $?(w|v); rm x", &["rm", "x"]);
}

#[test]
fn a_line_end_may_stand_before_a_subscript() {
    check("M=N; N='\nA[$(rm x)]'; (( M ))", &["rm", "x"]);
}

/// What a substitution prints that bash does not understand is not known.
#[test]
fn a_mistake_before_a_here_document_is_one() {
    let found = read("a $((echo b) ; <<E (c) )\n", &ReadContext::default());
    let known = |command: &toolgate_shell::Command| {
        command.program == "a" && command.words.iter().all(|word| word.exact)
    };
    assert!(!found.commands.iter().any(|command| known(command)), "{found:?}");
}

/// With an option it does not know, `set` sets nothing.
#[test]
fn what_set_refuses_leaves_the_parameters_alone() {
    check("set -- rm; set --} a; $1 x", &["rm", "x"]);
    assert!(!read("set --} a b; $1 x", &ReadContext::default()).opaque.is_empty());
    assert!(read("set -eu -- a b; $1 x", &ReadContext::default()).opaque.is_empty());
}

/// Of `$((…) …)` bash has only the text when it prints what is around it.
#[test]
fn a_nested_subshell_loses_no_separator_for_what_is_around_it() {
    check("a $(b <<E\nc\nE\n{ d $((e); f\n)\n} | rm; x)", &["rm", "x"]);
}

/// A joined line is one before the backslashes between backquotes are looked at.
#[test]
fn lines_between_backquotes_are_joined_first() {
    check("a `rm \\\\\\\n x`", &["rm", " x"]);
    check("a `rm 'x\\\ny'`", &["rm", "xy"]);
}

/// Behind a lost `;` before `case`, a pattern stands on a line of its own.
#[test]
fn a_pattern_of_a_case_that_is_none_runs() {
    check("a $(b <<E\nc\nE\nd; case e in rm) f;; esac)", &["rm"]);
}

/// And so are those of the branches of a `case`.
#[test]
fn a_branch_of_case_loses_a_separator() {
    check("a $(case b in (c) d <<E\ne\nE\n;; *) f; rm x;; esac)", &["f", "rm", "x"]);
}

/// From a file, bash loses a word behind what was no arithmetic.
#[test]
fn a_line_behind_no_arithmetic_loses_its_first_word() {
    check("sh <<'E'\n((( 1 ))\necho rm x)\nE", &["rm", "x"]);
    check("sh <<'E'\n((( 1 ))\n  echo rm x)\nE", &["echo", "rm", "x"]);
}

/// The name of a coprocess may be any word, quoted or expanded.
#[test]
fn a_coprocess_is_named_by_any_word() {
    check("coproc \\a (( 1 + $(rm x) ))", &["rm", "x"]);
    check("coproc b\"c\" { rm x; }", &["rm", "x"]);
    check("coproc $(rm x) { a; }", &["rm", "x"]);
    check("coproc \"rm\" x", &["rm", "x"]);
    check("coproc A=b { rm x", &["{", "rm", "x"]);
    check("coproc A=$(rm x) b", &["rm", "x"]);
    check("coproc \"a \"$(b <<E)\nc\nE\nrm x", &["rm", "x"]);
    check("coproc $(b <<E) { a; }\n$(rm x)\nE\n", &["rm", "x"]);
}

/// What stands right behind `name=(…)` makes it text, and is no comment.
#[test]
fn a_list_with_more_behind_it_is_none() {
    check("declare A=(b)#; rm x", &["rm", "x"]);
    let found = read("declare -A A=([k]=ls)#; ${A[k]} x", &ReadContext::default());
    assert!(!found.opaque.is_empty(), "{found:?}");
}

/// When `$((…))` is expanded, a comment in it hides a parenthesis.
#[test]
fn a_comment_makes_commands_of_arithmetic() {
    check("a $(( rm x #$(b # c\nd) ))", &["rm", "x"]);
    check("(( $(a $(( rm x #$(b # c\nd) )) ) + 1 ))", &["rm", "x"]);
    check("a $(( 1 + #(1) )); rm x", &["rm", "x"]);
    check("a <<E\n$((# 1 + $(rm x) ))\nE\n", &["rm", "x"]);
    check("a \"${U:-'$(( (b) ) |& { # `\nrm x\n})'}\"", &["rm", "x"]);
    assert!(read("echo $((16#ff + $#))", &ReadContext::default()).fault.is_none());
}

/// `$'…'` in arithmetic is read as if its text stood there, with an odd quote as well.
#[test]
fn a_quote_in_decoded_arithmetic_hides_nothing() {
    check("a $(( $'\\x24(rm x)\"' )); b", &["rm", "x"]);
    check("a $(( $'\\x27\\x24(rm x)' )); b", &["rm", "x"]);
}

/// Bash refuses a quoted name of a function; other shells do not.
#[test]
fn a_function_with_a_quoted_name_may_be_defined() {
    check("\\f() { X=rm; }; f; $X x", &["rm", "x"]);
    check("'f'() { rm x; }; f", &["rm", "x"]);
    assert!(!read("\\f() { X=ls; }; f; $X x", &ReadContext::default()).opaque.is_empty());
}

/// Behind its first name, `export` has no options.
#[test]
fn an_option_behind_a_name_is_none() {
    check("export X=rm sh -c; bash -c \"$X x\"", &["rm", "x"]);
    check("declare -u X=rm; $X x", &["RM", "x"]);
}

/// Behind `eval` of half a line, bash knows no reserved word.
#[test]
fn what_follows_half_a_line_is_not_known() {
    assert!(!read("eval 'a \\\n'\n! rm x", &ReadContext::default()).opaque.is_empty());
    assert!(read("eval 'a \\\nb'\n! c x", &ReadContext::default()).opaque.is_empty());
}

/// In a substitution, redirects are printed behind the words, and `!` is none.
#[test]
fn a_redirect_before_a_reserved_word_hides_nothing() {
    check("a $(<f ! rm x)", &["rm", "x"]);
    check("a $(<f time -p rm x)", &["rm", "x"]);
    check("a <(2>f coproc rm x)", &["rm", "x"]);
    check("a \"$(<<E ! rm x; b)\"", &["rm", "x"]);
    check("<f ! rm x", &["!", "rm", "x"]);
}

/// Quotes around a value nobody knows do not make its spelling the value.
#[test]
fn quotes_do_not_make_a_spelling_known() {
    let found = read("bash -c \"rm '$X y'\"; bash -c 'rm '\\''z'\\'", &ReadContext::default());
    let exact = |text: &str| {
        let words = found.commands.iter().flat_map(|command| &command.words);
        words.filter(|word| word.text == text).map(|word| word.exact).collect::<Vec<_>>()
    };
    assert_eq!(exact("$X y"), [false]);
    let found = read("bash <<E\nrm '$Y z'\nE", &ReadContext::default());
    let words = found.commands.iter().flat_map(|command| &command.words);
    assert!(words.filter(|word| word.text == "$Y z").all(|word| !word.exact), "{found:?}");
    assert_eq!(exact("z"), [true]);
}

/// In quotes inside of quotes, a backslash that protects nothing is taken out first.
#[test]
fn a_backslash_in_inner_quotes_is_taken_out() {
    check("a \"${U:-\"$\\(rm x)\"}\"", &["rm", "x"]);
    check("a <<E\n${U:-\"$\\(rm x)\"}\nE", &["rm", "x"]);
    let kept = read("a \"${U:-$\\(rm x)}\" \"$\\(rm x)\"", &ReadContext::default());
    assert_eq!(kept.commands.len(), 1, "{kept:?}");
}

/// A value nobody knows stands in a text as it is spelled, which may be the mistake in it.
#[test]
fn a_backslash_before_an_unknown_value_hides_nothing() {
    check("bash -c 'eval a '\\\\''$(b)'\\'' \\; rm x'", &["rm", "x"]);
    check("bash -c 'sh <<'\\''E'\\''\neval a '\\\\''$(b)'\\'' \\; rm x\nE\n'", &["rm", "x"]);
}

/// Where a prompt is not closed, a backslash before its end stands for itself.
#[test]
fn a_prompt_ends_behind_a_backslash() {
    check("V='$(rm\\)'; echo ${V@P}", &["rm\\"]);
}

/// In a here-document nothing is printed anew: the word is the name of a program.
#[test]
fn a_reserved_word_behind_a_redirect_is_also_a_name() {
    check("a <<E\n$(<f ! rm x)\nE", &["!", "rm", "x"]);
    check("a <<E\n$(<f ! rm x)\nE", &["rm", "x"]);
}

/// What an assignment asks a program for may go wrong: what follows may not run.
#[test]
fn an_assignment_may_fail() {
    check("Y=rm; X=$(false) && Y=ls; $Y x", &["rm", "x"]);
    check("declare -n R='A[$(p)]'; Y=rm; R=1 && Y=ls; $Y x", &["rm", "x"]);
}

/// `name[…]` that is no assignment is a word.
#[test]
fn a_word_with_brackets_runs_what_is_substituted_in_it() {
    check("a[ <(rm x) ] b", &["rm", "x"]);
    check("time[[ -n <(rm x) && <(b) == a* ]]", &["rm", "x"]);
    let kept = read("a[i<(3)]=1; b[>(2)]=1", &ReadContext::default());
    assert!(kept.commands.iter().all(|command| command.program.is_empty()), "{kept:?}");
}

/// Bash reads a script line by line: one that writes into itself is another.
#[test]
fn a_script_that_changes_itself_is_not_known() {
    assert!(!read("echo 'echo rm x >f' >f; bash f", &ReadContext::default()).opaque.is_empty());
    assert!(read("echo 'echo rm x >g' >f; bash f", &ReadContext::default()).opaque.is_empty());
    assert!(read("echo 'rm f' >f; bash f", &ReadContext::default()).opaque.is_empty());
}

/// An item with no number is refused, and so is what is assigned behind it.
#[test]
fn an_assignment_behind_a_refused_one_may_not_be() {
    check("X=rm; a[$(b)]=1 X=ls; $X x", &["rm", "x"]);
    check("X=rm; a[$(b)]=1 X=ls; $X x", &["ls", "x"]);
    assert!(!read("a[$(b)]=1 X=ls; $X rm", &ReadContext::default()).opaque.is_empty());
}

/// A backslash at the end of a comment joins lines in `(( … ))`, whose text bash
/// keeps for later, and does not where it looks for the end.
#[test]
fn joined_comments_in_arithmetic_are_not_followed() {
    let limited = |text: &str| read(text, &ReadContext::default()).fault.is_some();
    assert!(limited("(( $(( (a #no \\\nb <<<#no\n\nrm x ) )\nc ) + 1 ))"));
    assert!(!limited("(( a = 16#ff + ${#b} + $(c) + \\\n 1 ))"));
    assert!(!limited("echo $(( $(a # no\n) + 1 ))"));
}

/// Bash 5.2 takes `time` at the start of a substitution for a plain word, and so
/// `case` and `if` behind it: where that decides what runs, nothing is said to be known.
#[test]
fn time_before_a_compound_in_a_substitution_is_not_followed() {
    let unknown = [
        "a <<E\n$(time -p case w in w) b <<-'E'\n\t$(rm x)\n\tE\n;; esac)\nE\n",
        "a \"$(time case w in w) $(rm x);; esac)\"",
        "(( $(time -p if a #no&&(( $(b\n\nc) + 1 )) && d || rm x\nthen e; fi) + 1 ))",
    ];
    for text in unknown {
        let reading = read(text, &ReadContext::default());
        assert!(!reading.opaque.is_empty() || reading.fault.is_some(), "{text}");
    }
    for text in [
        "a \"$(time b c)\"",
        "t=$( { time a; } 2>&1 )",
        "time case w in w) a;; esac",
        "(( $(date +%s) - time ))",
        "a $(timeout 5 sh -c 'case w in w) a;; esac')",
    ] {
        let reading = read(text, &ReadContext::default());
        assert!(reading.opaque.is_empty() && reading.fault.is_none(), "{text}");
    }
}

/// The lines of a here-document that stand behind its `$(…)`, in a quote.
#[test]
fn lines_left_open_are_moved_where_nothing_else_holds() {
    let text = "a \"$(case x in (b) c;; *) d;; esac&&{ e \"$(f <<E) \n$(g) '\nE\nw\"\n};rm x; h)\"";
    check(text, &["rm", "x"]);
}

/// A trap may have run, or not, when what it sets is used; a text with a pattern in
/// parentheses is a mistake without `extglob`.
#[test]
fn what_a_trap_or_a_mistake_leaves_is_one_of_two() {
    check("trap 'V=rm' ERR; false\n${V:-d} x", &["rm", "x"]);
    check("trap 'V=rm' ERR; false\n${V:-d} x", &["d", "x"]);
    check("trap 'export V=rm' ERR; false; $V x", &["rm", "x"]);
    check("V=ls; trap 'V=rm' DEBUG; $V x", &["rm", "x"]);
    check("F=rm; eval 'F=ls; p ?(a|b)'; $F x", &["rm", "x"]);
    check("V=ls; trap 'V=rm' EXIT; $V x", &["ls", "x"]);
    assert!(!read("W=ls; trap 'V=$W' ERR; W=rm; false; $V x", &ReadContext::default()).opaque.is_empty());
}

/// A value nobody knows may be none, and then the default stands in.
#[test]
fn a_default_may_stand_in_for_what_nobody_knows() {
    check("V=$(a); $b ${V:-x}; git commit ${V:---no-verify}", &["git", "commit", "--no-verify"]);
    check("if a; then V=b; fi; ${V:-rm} x", &["rm", "x"]);
    check("read V; rm \"${V:=-rf}\" x; rm $V y", &["rm", "-rf", "y"]);
}

/// Behind `;&` and `;;&` the arm before has run, or not.
#[test]
fn what_an_arm_leaves_the_next_one_finds() {
    check("case $1 in a) V=rm;& *) ${V:-ls} x;; esac", &["rm", "x"]);
    check("case $1 in a) V=rm;& *) ${V:-ls} x;; esac", &["ls", "x"]);
    check("case $1 in a) V=rm;;& b) c;; *) ${V:-ls} x;; esac", &["rm", "x"]);
    check("case $1 in a) V=rm;;& b) c;; *) ${V:-ls} x;; esac", &["ls", "x"]);
    check("case $1 in a) V=rm;& b) c;& d) $V x; esac", &["rm", "x"]);
}

/// Nobody waits for a pipe whose last stage is a coprocess: what follows runs beside it.
#[test]
fn a_pipe_that_ends_in_a_coprocess_is_a_job() {
    let unknown = |text: &str| !read(text, &ReadContext::default()).opaque.is_empty();
    assert!(unknown("{ echo a >f; sh f; } | coproc { b; } && c &>f"));
    assert!(!unknown("{ echo a >f; sh f; } | b && c &>f"));
}

/// Bash expands what stands before a quote that is not closed, and then gives up.
#[test]
fn a_single_backquote_in_decoded_text_is_not_followed() {
    let limited = |text: &str| read(text, &ReadContext::default()).fault.is_some();
    assert!(limited("p $(( $'\\x24(rm x)`' ))"));
    assert!(limited("p $(( $'\\x24(rm x)$(' ))"));
    check("p $(( $'\\x24(rm x)' ))", &["rm", "x"]);
}

/// A function that calls itself with words nobody knows runs with those as well.
#[test]
fn a_function_is_given_what_nobody_knows_once() {
    check("f() { rm \"$@\"; f $X; }; f y", &["rm", "$X"]);
    check("f() { rm \"$@\"; f x $X; }; f y", &["rm", "x", "$X"]);
}

/// Builtins that set something print what is set, where they are given nothing.
#[test]
fn what_is_set_is_printed() {
    let exact = |source: &str| {
        let found = read(source, &ReadContext::default());
        found.commands.iter().any(|one| one.program == "p" && one.words.iter().all(|word| word.exact))
    };
    for source in [
        "p \"$(declare)x\"",
        "p \"$(export -p)\"",
        "p \"$(set)\"",
        "p \"$(alias x)\"",
        "p \"$(cd -)\"",
        "p \"$(trap)\"",
    ] {
        assert!(!exact(source), "{source}");
    }
    for source in ["p \"$(set -e)x\"", "p \"$(declare X=1)\"", "p \"$(cd /)\"", "p \"$(alias x=y)\""] {
        assert!(exact(source), "{source}");
    }
}
