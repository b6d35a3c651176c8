//! Scripts made by rule, from a seed: every construct that ends by itself,
//! every command under a name of its own, so that a missed one is named.

/// A small generator: same seed, same scripts.
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Dice {
        Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 16).unwrap_or(0) % limit.max(1)
    }

    pub(super) fn pick<'a>(&mut self, items: &[&'a str]) -> &'a str {
        let at = self.below(items.len());
        items.get(at).copied().unwrap_or("")
    }
}

/// Makes one script.
pub struct Maker<'a> {
    pub(super) dice: &'a mut Dice,
    names: usize,
    room: usize,
}

/// Words without commands in them. `V`, `W` and `A` may have been set.
const WORDS: &[&str] = &[
    "w",
    "'a b'",
    "\"a $V b\"",
    "$V",
    "${V}",
    "\"$V\"",
    "${V:-d e}",
    "\"${V:-d e}\"",
    "${V#v}",
    "${V%.*}",
    "${V/v/u}",
    "${V//[a-v]/x}",
    "${V:1:2}",
    "${V^^}",
    "${#V}",
    "${!W}",
    "\"${A[@]}\"",
    "${A[1]}",
    "${#A[@]}",
    "{x,y}",
    "x{1..3}",
    "a\\ b",
    "$'a\\tb'",
    "$\"q\"",
    "~",
    "*",
    "[a]",
    "$((1 + 2))",
    "$((N))",
    "-n",
    "--",
    "\"\"",
    "''",
    "\\\n w",
    "a\\\nb",
    "$1",
    "\"$@\"",
    "$#",
    "a=b",
    "a=(b",
    "#no",
    "a#b",
    "!",
    "{",
    "}",
    "if",
    "\\;",
    "';'",
    "\"\\\"\"",
    "${V+set}",
    "${V:+'$(no)'}",
    "${U-$'x'}",
    "x\"y\"'z'",
    "2",
    "=",
    "?(a|b)",
    "@(w)",
    "+(x)y",
];

const VALUES: &[&str] =
    &["v.x", "'p q'", "\"$V\"", "$V$V", "w1", "$(echo w2)", "~/a", "a{b,c}", "", "*", "'$(no)'"];

/// What is put in front of a command.
const WRAPPERS: &[&str] = &[
    "env",
    "env V=x",
    "env -u V",
    "nice",
    "nice -n 3",
    "nice -5",
    "nohup",
    "timeout 9",
    "timeout -s KILL -k 1 9",
    "setsid -w",
    "stdbuf -oL",
    "sudo",
    "sudo -u x --",
    "sudo -n V=1",
    "doas -u x",
    "command",
    "command --",
    "flock f",
    "(exec) | exec",
    "exec 3>f; command",
    "builtin command",
    "eval",
    "eval --",
    "builtin eval",
];

impl<'a> Maker<'a> {
    pub fn new(dice: &'a mut Dice) -> Maker<'a> {
        Maker { dice, names: 0, room: 9 }
    }

    pub fn script(&mut self) -> String {
        let mut text = self.list(3);
        // Some scripts are damaged: bash may refuse them or read them anew.
        if self.dice.below(6) == 0 {
            let places: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
            let at = places.get(self.dice.below(places.len())).copied().unwrap_or(0);
            if self.dice.below(2) == 0 && at < text.len() {
                text.remove(at);
            } else {
                let sign = self.dice.pick(&[
                    "'", "\"", "`", "$(", ")", "\\", "\n", ";", "{ ", "}", "#", "&", "|", "<<E ", "$",
                ]);
                text.insert_str(at, sign);
            }
        }
        text
    }

    /// A name nothing else has.
    pub(super) fn name(&mut self) -> String {
        self.names += 1;
        format!("p{}", self.names)
    }

    /// The name of a new command, in some spelling.
    fn spelled(&mut self) -> String {
        let name = self.name();
        let number = name.trim_start_matches('p').to_string();
        match self.dice.below(14) {
            0 => format!("'p'{number}"),
            1 => format!("p\"{number}\""),
            2 => format!("\\p{number}"),
            3 => format!("$'\\x70'{number}"),
            4 => format!("p\\\n{number}"),
            5 => format!("{{{name},w}}"),
            6 => format!("${{U:-{name}}}"),
            7 => format!("$(echo {name})"),
            _ => name,
        }
    }

    pub(super) fn list(&mut self, depth: usize) -> String {
        let count = 1 + self.dice.below(3);
        let mut text = String::new();
        for at in 0..count {
            if at > 0 && !text.ends_with('\n') {
                text.push_str(self.dice.pick(&["; ", "\n", ";", " & ", " # no\n", "\n\n"]));
            }
            text.push_str(&self.chain(depth));
        }
        text
    }

    /// A list that can be followed by a closing word.
    pub(super) fn closed(&mut self, depth: usize) -> String {
        let mut list = self.list(depth);
        if !list.ends_with('\n') {
            list.push_str(self.dice.pick(&["; ", "\n", " & "]));
        }
        list
    }

    fn chain(&mut self, depth: usize) -> String {
        let mut text = self.pipeline(depth);
        while self.dice.below(4) == 0 && !text.ends_with('\n') {
            text.push_str(self.dice.pick(&[" && ", " || ", "&&", " ||\n"]));
            text.push_str(&self.pipeline(depth));
        }
        text
    }

    fn pipeline(&mut self, depth: usize) -> String {
        let mut text = self.dice.pick(&["", "", "", "", "", "! ", "time ", "time -p "]).to_string();
        text.push_str(&self.command(depth));
        while self.dice.below(5) == 0 && !text.ends_with('\n') {
            text.push_str(self.dice.pick(&[" | ", " |& ", "|", " |\n"]));
            text.push_str(&self.command(depth));
        }
        text
    }

    fn command(&mut self, depth: usize) -> String {
        self.room = self.room.saturating_sub(1);
        if depth == 0 || self.room == 0 {
            return self.name();
        }
        let inner = depth - 1;
        match self.dice.below(44) {
            0 => format!("{{ {}}}", self.closed(inner)),
            1 => format!("({})", self.list(inner)),
            2 => format!("( ({}) )", self.list(inner)),
            3 => format!("if {}then {}else {}fi", self.closed(inner), self.closed(inner), self.closed(inner)),
            4 => format!("if {}then {}fi", self.closed(inner), self.closed(inner)),
            5 => format!("while {}false; do {}done", self.closed(inner), self.closed(inner)),
            6 => format!("until {}true; do {}done", self.closed(inner), self.closed(inner)),
            7 => format!("for V in {} {}; do {}done", self.word(inner), self.word(inner), self.closed(inner)),
            8 => format!("for ((i=0; i<2; i++)); do {}done", self.closed(inner)),
            9 => self.case(inner),
            10 => self.function(inner),
            11 => format!("coproc {{ {}}}", self.closed(inner)),
            12 => format!("coproc {}", self.simple(inner)),
            13 => format!("[[ -n {} && {} == a* ]]", self.word(inner), self.word(inner)),
            14 => format!("[[ {} =~ (a|b) ]] ", self.word(inner)),
            15 => format!("(( $({}) + 1 ))", self.list(inner)),
            16 => format!("eval {}", self.quoted(inner)),
            17 => format!("bash -c {}", self.quoted(inner)),
            18 => format!("sh <<'E'\n{}\nE\n", self.list(inner)),
            19 => format!("echo {} | sh", self.quoted(inner)),
            20 => format!("{} <<E\na {} $V\nE\n", self.spelled(), self.substitution(inner)),
            21 => format!("{} <<-'E'\n\t$(no)\n\tE\n", self.spelled()),
            22 => format!("{} >f 2>&1 <<<{}", self.simple(inner), self.word(inner)),
            23 => format!("trap {} EXIT", self.quoted(inner)),
            24..=34 => self.several(inner),
            _ => self.simple(inner),
        }
    }

    /// Commands that hang together, most times kept together.
    fn several(&mut self, depth: usize) -> String {
        let text = match self.dice.below(16) {
            12..=15 => self.shape(depth),
            0 => format!("X={}; $X", self.name()),
            1 => format!("A=({} {}); \"${{A[@]}}\"", self.name(), self.word(depth)),
            2 => format!("set -- {} {}; \"$@\"", self.name(), self.word(depth)),
            3 | 4 => self.odd(depth),
            5 | 6 => self.wrapped(depth),
            7 | 8 => self.through_a_variable(depth),
            9 => self.through_a_file(depth),
            10 => self.rare(depth),
            _ => self.called_function(depth),
        };
        match self.dice.below(4) {
            0 => text,
            _ if text.ends_with('\n') => format!("{{ {text}}}"),
            _ => format!("{{ {text}\n}}"),
        }
    }

    fn case(&mut self, depth: usize) -> String {
        let end = self.dice.pick(&[";;", ";&", ";;&"]);
        format!(
            "case {} in ({}|b) {} {end} *) {};; esac",
            self.word(depth),
            self.word(depth),
            self.closed(depth),
            self.closed(depth)
        )
    }

    fn function(&mut self, depth: usize) -> String {
        let name = format!("f{}", self.dice.below(3));
        let body = self.closed(depth);
        let head = match self.dice.below(3) {
            0 => format!("{name}() {{ {body}}}"),
            1 => format!("function {name} {{ local V=l; {body}}}"),
            _ => format!("{name} () ( {body})"),
        };
        format!("{head}\n{name} {}", self.word(depth))
    }

    /// A command behind a program that runs it.
    fn wrapped(&mut self, depth: usize) -> String {
        let prefix = self.dice.pick(WRAPPERS);
        match self.dice.below(12) {
            0 => format!("echo {} | xargs {}", self.simple_word(), self.simple(0)),
            1 => format!("xargs -n1 {} <<<'a b'", self.name()),
            2 => format!("xargs -I{{}} {} {{}} x{{}} <<<'a b'", self.name()),
            3 => format!("echo w | xargs -I % sh -c '{} %'", self.name()),
            4 => format!("find . -maxdepth 0 -exec {} {{}} \\;", self.name()),
            5 => format!("find . -maxdepth 0 -exec {} w {{}} +", self.name()),
            6 => format!("find . -maxdepth 0 -exec sh -c {} \\;", self.quoted(depth)),
            7 => format!("bash -c '\"$0\" \"$@\"; {} $1' {} w x", self.name(), self.name()),
            8 => format!("env -S '{} w' x", self.name()),
            9 => format!("{prefix} bash -c {}", self.quoted(depth)),
            10 => format!("{prefix} {} {}", self.dice.pick(WRAPPERS), self.name()),
            _ => format!("{prefix} {} {}", self.name(), self.word(depth)),
        }
    }

    /// A command whose name comes out of a variable.
    fn through_a_variable(&mut self, depth: usize) -> String {
        let name = self.name();
        let word = self.word(depth);
        match self.dice.below(24) {
            0 => format!("X={name}; X+=\" w\"; $X {word}"),
            1 => format!("X=x{name}; ${{X#x}} {word}"),
            2 => format!("X={name}.x; ${{X%.x}} {word}"),
            3 => format!("X=${{U:-{}}}; ${{X,,}}", name.to_uppercase()),
            4 => format!("X=q{name}; ${{X:1}}; ${{X/q/}} {word}"),
            5 => format!("X={name} Y=X; ${{!Y}} {word}"),
            6 => format!("X={name}; declare -n R=X; $R {word}"),
            7 => format!("X='{name} a; {} b'; eval \"$X\"", self.name()),
            8 => format!("X='{name} a'; eval $X {word}"),
            9 => format!("IFS=:; X={name}:w:x; $X; unset IFS"),
            10 => format!("read X <<<{name}; $X {word}"),
            11 => format!("while read X; do $X w; done <<<{name}"),
            12 => format!("echo {name} w | while read X Y; do $X $Y; done"),
            13 => format!("mapfile -t A <<<{name}; ${{A[0]}} {word}"),
            14 => format!("printf -v X %s {name}; $X {word}"),
            15 => format!("A+=({name}); \"${{A[@]}}\""),
            16 => format!("A=([0]={name} [1]=w); \"${{A[@]}}\""),
            17 => format!("declare -A M=([k]={name}); ${{M[k]}} {word}"),
            18 => format!("for X in {name} {}; do $X {word}; done", self.name()),
            19 => format!("if p1; then X={name}; else X={}; fi; $X {word}", self.name()),
            20 => format!("case w in w) X={name};; *) X={};; esac; $X", self.name()),
            21 => format!("set -- w {name}; shift; $1 {word}; ${{@:1:1}} x"),
            22 => format!(
                "export X={name}; sh -c '$X w'; bash -c \"$X {}\"",
                self.simple_word().replace('"', "")
            ),
            _ => format!("X=$(echo {name}); $X {word}; : ${{Y:={name}}}; $Y"),
        }
    }

    /// Commands in a file this text writes, or on some descriptor.
    fn through_a_file(&mut self, depth: usize) -> String {
        let name = self.name();
        match self.dice.below(14) {
            10 => format!("echo {name} >f; echo {} w >>f; sh f", self.name()),
            11 => format!("{{ echo {name}; echo {} w; }} >f; sh f", self.name()),
            12 => format!("echo {name} >f; {} && echo {} >f; sh f", self.name(), self.name()),
            13 => format!("if {}; then echo {name} >f; else echo {} >f; fi; sh f", self.name(), self.name()),
            0 => format!("echo {name} w >f; . ./f"),
            1 => format!("echo {name} w >f; sh f"),
            2 => format!("cat >f <<'E'\n{}\nE\nbash f", self.list(depth)),
            3 => format!("bash <<E\n{name} $V\nE\n"),
            4 => format!("bash -s w <<'E'\n{name} $1\nE\n"),
            5 => format!("cat <<E | sh\n{name} w\nE\n"),
            6 => format!("source /dev/stdin <<<'{name} w'"),
            7 => format!("{{ echo {name}; echo {} w; }} | sh", self.name()),
            8 => format!("sh < <(echo {name} w)"),
            _ => format!("bash <<<{}", self.quoted(depth)),
        }
    }

    fn called_function(&mut self, depth: usize) -> String {
        let name = self.name();
        let word = self.word(depth);
        match self.dice.below(12) {
            8..=11 => self.given(),
            0 => format!("f0() {{ \"$@\"; }}; f0 {name} {word}"),
            1 => format!("f1() {{ $1 x; }}; f1 {name}"),
            2 => format!("f2() {{ local X={name}; $X {word}; }}; f2"),
            3 => format!("f0() {{ {name} $#; }} >f <<<{word}\nf0 {word} x"),
            4 => format!("f1() {{ f2() {{ {name} $1; }}; f2 w; }}; f1; f2 x"),
            5 => format!("f2() for V in {word}; do {name} $V; done\nf2"),
            6 => format!("f0() {{ X={name}; }}; f0; $X {word}"),
            _ => format!("f1() {{ echo {name}; }}; $(f1) {word}"),
        }
    }

    /// What is written seldom and runs all the same.
    fn rare(&mut self, depth: usize) -> String {
        let list = self.closed(depth);
        match self.dice.below(18) {
            0 => format!("select V in a b; do {list}break; done <<<1"),
            1 => format!("for V; do {list}done; for V in; do {list}done"),
            2 => format!("coproc N {{ {list}}}"),
            3 => format!("coproc N ( {list})"),
            4 => format!("trap {} ERR; false; trap - ERR", self.quoted(depth)),
            5 => format!("trap {} RETURN; f0() {{ :; }}; f0; trap - RETURN", self.quoted(depth)),
            6 => format!("if ! {}then {list}elif {}then :; fi", self.closed(depth), self.closed(depth)),
            7 => format!("! ! {}", self.simple(depth)),
            8 => format!("{} >\"$({})f\"", self.simple(depth), self.name()),
            9 => format!("(( V = $({})0 )); [[ $({}) -eq 1 ]]", self.name(), self.name()),
            10 => format!("for ((i=$({})0; i<1; i++)) {{ {list}}}", self.name()),
            11 => format!("[ -n \"$({})\" -o x = \"`{}`\" ]", self.name(), self.name()),
            12 => format!("((({})); {})", self.simple_word(), self.name()),
            13 => format!("(({}); {list})", self.simple(depth)),
            14 => format!("export V=$({}) W=`{}`; readonly Q=$({})", self.name(), self.name(), self.name()),
            15 => format!("# it's \"\n{}", self.simple(depth)),
            16 => format!("{} \"${{V:-\"$({})\"}}\" $\"$({})\"", self.name(), self.name(), self.name()),
            _ => format!("{{ {list}}} 2>f <<<\"$({})\"", self.name()),
        }
    }

    /// Ways to run something that are not a command where they stand.
    fn odd(&mut self, depth: usize) -> String {
        let name = self.name();
        match self.dice.below(16) {
            0 => format!("N='a[$({name})]'; (( N ))"),
            1 => format!("N='a[$({name})]'; echo $(( N + 1 ))"),
            2 => format!("N='a[$({name})]'; [[ N -eq 1 ]]"),
            3 => format!("N='a[$({name})]'; let N+=1"),
            4 => format!("N='a[$({name})]'; A=(1 2); echo ${{A[N]}}"),
            5 => format!("declare -i N; N='a[$({name})]'"),
            6 => format!("N='a[$({name})]'; echo ${{V:N}}"),
            7 => format!("exec 3<<<'{name} w'; sh <&3"),
            8 => format!("exec 3<<<'{name} w'; . /dev/fd/3"),
            9 => format!("V='$({name})'; echo ${{V@P}}"),
            10 => format!("alias q='{name} w'\nshopt -s expand_aliases\nq x"),
            11 => format!("printf -v 'A[$({name})]' x"),
            12 => format!("read 'A[$({name})]' <<<x"),
            13 => format!("source <(echo {name} {})", self.simple_word()),
            14 => format!("test -v 'A[$({name})]'; unset 'A[$({})]'", self.name()),
            _ => format!("mapfile -C '{name} w' -c 1 <<<{}", self.word(depth)),
        }
    }

    fn simple(&mut self, depth: usize) -> String {
        let mut text = String::new();
        if self.dice.below(6) == 0 {
            let name = self.dice.pick(&["V=", "W=V U=", "V+=", "A[1]=", "export V=", "declare W="]);
            text.push_str(name);
            text.push_str(self.dice.pick(VALUES));
            if name.starts_with("export") || name.starts_with("declare") || self.dice.below(2) == 0 {
                return text;
            }
            text.push(' ');
        }
        text.push_str(&self.spelled());
        for _ in 0..self.dice.below(4) {
            text.push(' ');
            text.push_str(&self.word(depth));
        }
        if self.dice.below(8) == 0 {
            text.push_str(self.dice.pick(&[
                " >f",
                " 2>/dev/null",
                " <f",
                " >&2",
                " {fd}>f",
                " &>f",
                " 3<>f",
            ]));
        }
        text
    }

    fn simple_word(&mut self) -> &'static str {
        self.dice.pick(WORDS)
    }

    pub(super) fn word(&mut self, depth: usize) -> String {
        if depth > 0 && self.dice.below(4) == 0 {
            return self.substitution(depth);
        }
        self.simple_word().to_string()
    }

    fn substitution(&mut self, depth: usize) -> String {
        let inner = depth.saturating_sub(1);
        let list = self.list(inner);
        let line = if list.ends_with('\n') { "" } else { " " };
        match self.dice.below(12) {
            0 => format!("\"$({list})\""),
            1 => format!("`{}`", self.name()),
            2 => format!("\"`{} \\\"x\\\"`\"", self.name()),
            3 => format!("${{U:-$({list})}}"),
            4 => format!("\"${{U:-'$({list})'}}\""),
            5 => format!("<({list})"),
            6 => format!("$(( 1 + $({list}) ))"),
            7 => format!("${{A[$({list})]}}"),
            8 => format!("${{V/$({list})/x}}"),
            9 => format!("a$({list})b"),
            10 => format!("`{} \\`{}\\``", self.name(), self.name()),
            _ => format!("$({list}{line})"),
        }
    }

    /// A list inside single quotes.
    fn quoted(&mut self, depth: usize) -> String {
        let list = self.list(depth);
        format!("'{}'", list.replace('\'', r"'\''"))
    }
}
