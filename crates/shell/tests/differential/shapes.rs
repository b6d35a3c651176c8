//! More shapes: what few people write, what bash changes while it reads, and
//! where two readings are near.

use super::grammar::Maker;

/// Comments, line ends and joined lines where they seldom stand.
const GAPS: &[&str] = &[" # it's (\n", "\n", " \\\n", "\n# \"$(\n", "\t", "\n\n", " # `\n"];

impl Maker<'_> {
    /// One of them, with lists and names of its own.
    pub(super) fn shape(&mut self, depth: usize) -> String {
        match self.dice.below(6) {
            0 => self.documents(depth),
            1 => self.parentheses(depth),
            2 => self.quotes(depth),
            3 => self.gaps(depth),
            4 => self.bindings(depth),
            _ => self.compounds(depth),
        }
    }

    /// Here-documents in and behind substitutions.
    fn documents(&mut self, depth: usize) -> String {
        let (a, b, c) = (self.name(), self.name(), self.name());
        let list = self.list(depth);
        match self.dice.below(12) {
            0 => format!("{a} $(( $({b} <<E\n1 $({c})\nE\n) + 1 ))"),
            1 => format!("{a} $({b} <<E) w\n$({c})\nE\n"),
            2 => format!("{a} <<E $({b} <<F)\n$({c})\nF\n`{list}`\nE\n"),
            3 => format!("{a} \"$({b} <<E) \n$({c}) '\nE\nw\""),
            4 => format!("{a} <({b} <<E) >({c} <<F)\nw\nE\n$({list}\n)\nF\n"),
            5 => format!("{a} ${{U:-$({b} <<'E'\nit's }} $(no)\nE\n)}}; {c}"),
            6 => format!("{a} <<E\\\nF\n$({b} 'x\\\ny')\nEF\n{c}"),
            7 => format!("{a} <<E\n${{U:-\"$({b})\"}} ${{U:-'`{c}`'}} \"\nE\n"),
            8 => format!("{a} `{b} <<E\n$({c})\nE\n`"),
            9 => format!("for V in w; do {a} <<E; done\n$({b})\nE\n{c}"),
            10 => format!("{a} <<E | {b} <<-F\n$({list}\n)\nE\n\t$({c})\n\tF\n"),
            _ => format!("case $({a} <<E\n$({b})\nE\n) in *) {c};; esac"),
        }
    }

    /// Where `((` and `$((` may be one thing or the other.
    fn parentheses(&mut self, depth: usize) -> String {
        let (a, b, c) = (self.name(), self.name(), self.name());
        let list = self.closed(depth);
        match self.dice.below(14) {
            0 => format!("{a} $(({b}) )"),
            1 => format!("{a} $(({b}); {list})"),
            2 => format!("{a} $(({b})|({c}))"),
            3 => format!("(({a})|({b}) )"),
            4 => format!("{a} $((echo {b}) ; ({c}) )"),
            5 => format!("{a} $(case w in w) {b};; (x) {c};; esac)"),
            6 => format!("{a} $(( $(case w in (w) {b};; esac) + (1) ))"),
            7 => format!("[[ w =~ ^(w|$({a}))$ && ! ( -e $({b}) || w < x ) ]]; {c}"),
            8 => format!("case '(' in '('|`{a}`) {b} ;;& [[:punct:]]) {c} ;& esac) : ;; esac"),
            9 => format!("function f3 ( {list})\nf3"),
            10 => format!("f4() (( $({a})1 )); f4 && {b}"),
            11 => format!("{a} $(( (1) + ({b} = 2) )) $[ `{c}` + 1 ]"),
            12 => format!("for ((i=$({a})0; i<(1); i++)) {{ {b}; }}; {c}"),
            _ => format!("{a} $(({b} <<E\nw\nE\n) ; {c})"),
        }
    }

    /// Quotes in quotes, and what is decoded first.
    fn quotes(&mut self, depth: usize) -> String {
        let (a, b, c) = (self.name(), self.name(), self.name());
        let list = self.list(depth);
        match self.dice.below(16) {
            0 => format!("{a} \"${{U:-\"$({b} \"$({c})\")\"}}\""),
            1 => format!("{a} \"${{U:-$'\\x24({b})'}}\" \"${{U:-$'w x'}}\""),
            2 => format!("{a} $(( $'\\x24({b})' )); {c}"),
            3 => format!("{a} \"${{U:-'}}'}}$({b})\" ${{U:-'}}'$({c})}}"),
            4 => format!("{a} \"`{b} \"w\" \\`{c}\\``\""),
            5 => format!("{a} {{$({b}),\"`{c}`\"}}x"),
            6 => format!("{a} \"${{V//$({b})/\"$({c})\"}}\" \"${{V%$'\\x'}}\""),
            7 => format!("{a} $\"w $({b})\" $'$({c})'"),
            8 => format!("{a} \"\\$(no) \\`no\\` \\\\$({b})\" '\\' `{c}`"),
            9 => format!("{a} ${{V:+\"$({b})\"}} ${{U:-{{ 'x y'}} ${{V[$({c})]:-w}}"),
            10 => format!("{a} ${{U:= 'w x' $({b}) }}; {c} $U"),
            11 => format!("{a} ${{V:$({b})0:1}} ${{V@Q}} ${{!V*}}; {c}"),
            12 => format!("V='{a} \"x y\"'; eval \"$V\" '$({b})' \\; {c}"),
            13 => format!("{a} <<<\"$({b})\"'`'$({c}) 3<<<w"),
            14 => format!("{a} > >({b}) 2> >({list}\n) < <({c})"),
            _ => format!("{a} {{fd}}<<<$({b}) {{gd}}> >({c})"),
        }
    }

    /// Comments and line ends in odd places.
    fn gaps(&mut self, depth: usize) -> String {
        let (a, b, c) = (self.name(), self.name(), self.name());
        let [g, h, i] = [0; 3].map(|_| self.dice.pick(GAPS));
        let word = self.word(depth);
        match self.dice.below(12) {
            0 => format!("if{g}{a}\nthen{h}{b}\nfi{i}"),
            1 => format!("case w{g}in{h}w){i}{a}\n;;\nesac; {b}"),
            2 => format!("for V in w {word}{g}do{h}{a}\ndone"),
            3 => format!("{a} &&{g}{b} |{h}{c}"),
            4 => format!("f5(){g}{{{h}{a}\n}}; f5"),
            5 => format!("A=({g}{a}{h}$({b}){i}); ${{A[0]}}"),
            6 => format!("{a} $({g}{b}{h})"),
            7 => format!("[[ -n $({a}){g}&&{h}w ]]; {b}").replace('#', "&& w #"),
            8 => format!("i\\\nf {a}; the\\\nn {b}; f\\\ni"),
            9 => format!("{a} &\\\n& {b} |\\\n| {c}"),
            10 => format!("{a} `{b} \\\\\n w`; {c}"),
            _ => format!("{a} w\r\n{b} $({c} x\r\n)\r"),
        }
    }

    /// Names bound to something: references, types, aliases, `read`, calls.
    fn bindings(&mut self, depth: usize) -> String {
        let (a, b) = (self.name(), self.name());
        let word = self.word(depth);
        match self.dice.below(22) {
            0 => format!("X=q; declare -n R=X; R={a}; $X {word}"),
            1 => format!("declare -n R='A[$({a})]'; R=1"),
            2 => format!("N='A[$({a})]'; echo ${{!N}}; [[ -v $N ]]"),
            3 => format!("M=N; N='A[$({a})]'; (( M ))"),
            4 => format!("declare -i N; for N in 'A[$({a})]'; do :; done"),
            5 => format!("read -ra A <<<'{a} w'; \"${{A[@]}}\""),
            6 => format!("read -r X Y <<<\"{a} w\"; $X $Y"),
            7 => format!("f6() {{ \"$@\"; }}; f6 f6 {a} {word}"),
            8 => format!("f6() {{ {a} $1; [[ $# -lt 2 ]] || {{ shift; f6 \"$@\"; }}; }}; f6 w x"),
            9 => format!("shopt -s expand_aliases\nalias q='{a} ' r='{b} w'\nq r"),
            10 => format!("shopt -s expand_aliases\nalias q='{a} w; {b}'\nq x | q"),
            11 => format!("set -- {a} w; IFS=-; \"$*\"; unset IFS; $*"),
            12 => format!("A=(q {a}); unset 'A[0]'; \"${{A[@]}}\""),
            13 => format!("declare -l X; X={}; $X", a.to_uppercase()),
            14 => format!("f7() {{ {a} <<<\"$1\"; }} 2>f; f7 w; sh f"),
            15 => format!("exec 3<<<'{a} w'; {b} && exec 3<<<w; sh <&3"),
            16 => format!("exec 4>f; echo {a} >&4; sh f"),
            17 => format!("echo {a} w >f 2>&1; sh f"),
            18 => format!("f8() {{ local X={a}; f9; }}; f9() {{ $X w; }}; f8"),
            19 => format!("trap '{a} $V' DEBUG; {b}; trap - DEBUG"),
            20 => format!("X={a} eval '$X'; X={b} sh -c '$X w'"),
            _ => format!("set -- w {a}; ${{!#}} x; ${{@: -1}} y; \"${{@:2}}\""),
        }
    }

    /// Compound commands with redirects, prefixes and odd ends.
    fn compounds(&mut self, depth: usize) -> String {
        let (a, b) = (self.name(), self.name());
        let list = self.closed(depth);
        match self.dice.below(14) {
            0 => format!("f() {{ {list}}} >\"$({a})f\" 2>&1 <<<w; f"),
            1 => format!("select V in w; do {list}break; done <<<1 >f"),
            2 => format!("case w in w) {list};;& x) {a};; *) {b};& y) :; esac"),
            3 => format!("time -p -- {a} | {b}"),
            4 => format!("! time ! {{ {list}}}"),
            5 => format!("coproc N if {a}; then {b}; fi"),
            6 => format!("coproc while {a}; do {b}; break; done"),
            7 => format!("until {a}; do {list}break; done 3<<<$({b})"),
            8 => format!("{{ {list}}} 3>&1 4<&3- &>f"),
            9 => format!("while :; do {list}break; done < <({a}) > >({b})"),
            10 => format!("if ((1)); then {a}; fi; ((0)) || {b}"),
            11 => format!("f() if {a}; then {b}; else {list}fi; f"),
            12 => format!("for V in {{w,$({a})}}; {{ {list}}}"),
            _ => format!("[ -n w ] && {{ {list}}} || ! {a} & {b}"),
        }
    }
}
