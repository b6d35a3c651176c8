//! Compound commands: groups, subshells, conditions, loops, tests, functions.

use smol_str::SmolStr;
use std::rc::Rc;

use super::Parser;
use super::list::CLOSERS;
use crate::tree::{Arm, List, Node, Part, Pieces, RawRedirect, RawWord, Then};

impl Parser<'_> {
    /// One command of any shape.
    pub(super) fn command(&mut self) -> Node {
        self.deeper(|parser| Some(parser.command_here())).unwrap_or(Node::Group(Vec::new(), Vec::new()))
    }

    fn command_here(&mut self) -> Node {
        self.blanks();
        self.count_piece();
        self.print_command();
        let bare = match self.peek() {
            Some(b'c'..=b'f' | b'i' | b's'..=b'w' | b'{' | b'}' | b'[') => self.bare(),
            // No word that means something here begins with anything else.
            _ => super::look::Bare::default(),
        };
        let bare = bare.as_str();
        if bare == "coproc" {
            return self.coproc();
        }
        if bare == "function" {
            return self.function_word();
        }
        if CLOSERS.contains(&bare) || bare == "in" && self.pos == self.end {
            self.fail(self.pos, format!("unexpected `{bare}`"));
            return Node::Group(Vec::new(), Vec::new());
        }
        match self.compound(bare) {
            Some(node) => node,
            None => self.simple(),
        }
    }

    fn at_compound(&self, bare: &str) -> bool {
        self.peek() == Some(b'(')
            || matches!(bare, "{" | "[[" | "if" | "while" | "until" | "for" | "select" | "case")
    }

    /// A compound command with its redirects, if one is here.
    fn compound(&mut self, bare: &str) -> Option<Node> {
        if !self.at_compound(bare) {
            return None;
        }
        let mut node = match bare {
            "{" => self.group(),
            "[[" => self.test(),
            "if" => self.if_clause(),
            "while" | "until" => self.while_clause(bare),
            "for" => self.for_clause(bare),
            "select" => self.for_clause(bare),
            "case" => self.case_clause(),
            _ => self.parenthesis(),
        };
        self.print_heredocs();
        let extra = self.redirects();
        if let Some(redirects) = node.redirects_mut() {
            redirects.extend(extra);
        }
        Some(node)
    }

    fn redirects(&mut self) -> Vec<RawRedirect> {
        let mut found = Vec::new();
        loop {
            self.blanks();
            match if self.may_redirect() { self.redirect() } else { None } {
                Some(redirect) => found.push(redirect),
                None => return found,
            }
        }
    }

    fn expect_bare(&mut self, word: &str, start: usize) {
        self.lines();
        if !self.eat_bare(word) {
            if self.pos >= self.end {
                self.fail(start, format!("missing `{word}`"));
            } else {
                self.fail_unexpected();
            }
        }
    }

    fn group(&mut self) -> Node {
        let start = self.pos;
        self.take_bare("{");
        let list = self.filled_list();
        self.expect_bare("}", start);
        Node::Group(list, Vec::new())
    }

    fn parenthesis(&mut self) -> Node {
        let start = self.pos;
        if self.looking_at("((") {
            let close = self.look_for_arithmetic_close(2);
            if let Some(end) = close.filter(|_| self.closes_twice(close)) {
                self.advance(2);
                let parts = self.arithmetic_body(end);
                let word = RawWord { span: self.span(start, self.pos), parts };
                return Node::Test(vec![word], Vec::new());
            }
            self.pushed_to = self.pushed_to.max(close.unwrap_or(0));
            self.lose_word_behind(close);
        }
        self.advance(1);
        let list = self.filled_list();
        if !self.eat(")") {
            if self.pos >= self.end {
                self.fail(start, "unclosed `(`");
            } else {
                self.fail_unexpected();
            }
        }
        Node::Subshell(list, Vec::new())
    }

    fn if_clause(&mut self) -> Node {
        let start = self.pos;
        self.take_bare("if");
        let mut arms = Vec::new();
        let mut rest = None;
        loop {
            let condition = self.filled_list();
            self.expect_bare("then", start);
            self.print_condition();
            let body = self.filled_list();
            arms.push((condition, body));
            self.lines();
            if self.eat_bare("elif") {
                continue;
            }
            if self.eat_bare("else") {
                rest = Some(self.filled_list());
            }
            self.expect_bare("fi", start);
            return Node::If { arms, rest, redirects: Vec::new() };
        }
    }

    fn while_clause(&mut self, word: &str) -> Node {
        let start = self.pos;
        self.take_bare(word);
        let condition = self.filled_list();
        let body = self.do_body(start);
        Node::While { condition, body, redirects: Vec::new() }
    }

    fn do_body(&mut self, start: usize) -> List {
        self.expect_bare("do", start);
        self.print_condition();
        let body = self.filled_list();
        self.expect_bare("done", start);
        body
    }

    fn for_clause(&mut self, word: &str) -> Node {
        let start = self.pos;
        self.take_bare(word);
        self.blanks();
        if word == "for" && self.looking_at("((") {
            return self.for_arithmetic(start);
        }
        // Bash takes any word here and says when it runs whether it is a name.
        let name = match self.word() {
            Some(word) => plain_text(&word),
            None => {
                self.fail_unexpected();
                SmolStr::default()
            }
        };
        self.lines();
        let words = if self.eat_bare("in") { Some(self.words_to_line_end()) } else { None };
        self.blanks();
        if self.peek() == Some(b';') && self.peek_at(1) != Some(b';') {
            self.advance(1);
        }
        self.lines();
        let body_start = self.pos;
        let body = self.loop_body(start);
        let text = self.slice(body_start, self.pos);
        let uses_name = self.fault.is_some() || !self.may_look(text.len()) || mentions(text, &name);
        Node::For { name, words, body: Rc::new(body), uses_name, redirects: Vec::new() }
    }

    /// `do … done`, or the `{ … }` bash takes in its place.
    fn loop_body(&mut self, start: usize) -> List {
        if self.bare().as_str() == "{" {
            match self.group() {
                Node::Group(list, _) => list,
                _ => Vec::new(),
            }
        } else {
            self.do_body(start)
        }
    }

    fn words_to_line_end(&mut self) -> Vec<RawWord> {
        let mut words = Vec::new();
        loop {
            self.blanks();
            match self.word() {
                Some(word) => words.push(word),
                None => return words,
            }
        }
    }

    fn for_arithmetic(&mut self, start: usize) -> Node {
        let close = self.look_for_arithmetic_close(2);
        let Some(close) = close.filter(|_| self.closes_twice(close)) else {
            self.fail(start, "unclosed `((`");
            return Node::Group(Vec::new(), Vec::new());
        };
        self.advance(2);
        let parts = self.arithmetic_body(close);
        let head = RawWord { span: self.span(start, self.pos), parts };
        self.blanks();
        if self.peek() == Some(b';') {
            self.advance(1);
        }
        self.lines();
        let body = self.loop_body(start);
        let condition = vec![Node::Test(vec![head], Vec::new())];
        Node::While { condition, body, redirects: Vec::new() }
    }

    fn case_clause(&mut self) -> Node {
        let start = self.pos;
        self.take_bare("case");
        self.blanks();
        let subject = self.word().unwrap_or_else(|| {
            self.fail_unexpected();
            RawWord::default()
        });
        self.expect_bare("in", start);
        let mut arms = Vec::new();
        loop {
            self.lines();
            if self.eat_bare("esac") {
                break;
            }
            if self.pos >= self.end {
                self.fail(start, "missing `esac`");
                break;
            }
            arms.push(self.case_arm());
        }
        Node::Case { subject, arms, redirects: Vec::new() }
    }

    fn case_arm(&mut self) -> Arm {
        let mut patterns = Vec::new();
        let _ = self.eat("(");
        loop {
            self.blanks();
            match self.word() {
                Some(word) => patterns.push(word),
                None => self.fail_unexpected(),
            }
            self.blanks();
            if self.eat(")") {
                break;
            }
            if !self.eat("|") {
                self.fail_unexpected();
                break;
            }
        }
        let body = self.list();
        self.lines();
        self.print_heredocs();
        let signs = [(";;&", Then::Test), (";;", Then::Leave), (";&", Then::Next)];
        let sign = signs.into_iter().find(|(sign, _)| self.eat(sign));
        if sign.is_none() && self.bare().as_str() != "esac" {
            self.fail_unexpected();
        }
        Arm { patterns, body, then: sign.map_or(Then::Leave, |(_, then)| then) }
    }

    /// `[[ … ]]`: only what is substituted inside matters.
    fn test(&mut self) -> Node {
        let start = self.pos;
        self.take_bare("[[");
        let mut words = Vec::new();
        let mut regex = false;
        loop {
            self.lines();
            if self.eat_bare("]]") {
                break;
            }
            if self.pos >= self.end {
                self.fail(start, "missing `]]`");
                break;
            }
            let sign_at = self.pos;
            if self.eat("=~") {
                regex = true;
                // The one sign that counts later: what matches is kept.
                let parts = Pieces::One(Part::Plain("=~".into()));
                words.push(RawWord { span: self.span(sign_at, self.pos), parts });
                continue;
            }
            if std::mem::take(&mut regex) {
                words.extend(self.regex_word());
                continue;
            }
            if self.eat("&&") || self.eat("||") || self.eat("(") || self.eat(")") {
                continue;
            }
            if !self.looking_at("<(") && !self.looking_at(">(") && (self.eat("<") || self.eat(">")) {
                continue;
            }
            match self.word() {
                Some(word) => words.push(word),
                None => self.fail_unexpected(),
            }
        }
        Node::Test(words, Vec::new())
    }

    fn coproc(&mut self) -> Node {
        self.take_bare("coproc");
        self.blanks();
        let back = self.pos;
        // Behind `a=b`, which is no name, `{` is a word.
        if !self.at_compound(self.bare().as_str()) && self.assignment_head().is_none() {
            // Any word is taken here; whether it is a name bash asks later.
            let mut apart = !self.identifier().is_empty() && self.peek() == Some(b'(');
            while self.peek().is_some_and(|byte| !b" \t\n;&|<>()'\"`$\\".contains(&byte)) {
                let _ = self.take();
            }
            let named = self.pos > back;
            apart |= matches!(self.peek(), Some(b' ' | b'\t'));
            self.blanks();
            let next = self.bare();
            if !named || !apart || !self.at_compound(next.as_str()) {
                self.pos = back;
                return self.coproc_with_word();
            }
        }
        self.coproc_at = Some(self.pos);
        Node::Coproc(Box::new(self.command()))
    }

    /// The same where its name, if it has one, is quoted or expanded.
    fn coproc_with_word(&mut self) -> Node {
        let back = self.pos;
        let open = std::mem::take(&mut self.pending);
        let name = self.word();
        let apart = matches!(self.peek(), Some(b' ' | b'\t'));
        self.blanks();
        let next = self.bare();
        let name = name.filter(|_| apart && self.at_compound(next.as_str()));
        // Read once more, it leaves its here-documents open once more.
        let left = std::mem::replace(&mut self.pending, open);
        match name {
            Some(_) => self.leave_open(left),
            None => self.pos = back,
        }
        self.coproc_at = Some(self.pos);
        let node = Node::Coproc(Box::new(self.command()));
        match name {
            Some(name) => Node::Group(vec![Node::Test(vec![name], Vec::new()), node], Vec::new()),
            None => node,
        }
    }

    fn function_word(&mut self) -> Node {
        self.take_bare("function");
        self.blanks();
        let name = self.word();
        if name.is_none() {
            self.fail_unexpected();
        }
        self.blanks();
        // `function f ( … )` has a body in parentheses.
        let before = self.pos;
        let head = self.eat("(") && {
            self.blanks();
            self.eat(")")
        };
        if !head {
            self.pos = before;
        }
        self.function_body(name.as_ref())
    }

    /// The body after `f()`: bash takes a compound command and nothing else.
    pub(super) fn function_body(&mut self, name: Option<&RawWord>) -> Node {
        self.lines();
        let bare = self.bare();
        self.reprint.functions += 1;
        let body = self.deeper(|parser| parser.compound(bare.as_str()));
        self.reprint.functions = self.reprint.functions.saturating_sub(1);
        let body = body.unwrap_or_else(|| {
            self.fail_unexpected();
            Node::Group(Vec::new(), Vec::new())
        });
        let parts = name.map_or(&[] as &[Part], |name| name.parts.as_slice());
        let function = Node::Function { name: name.map(plain_text).unwrap_or_default(), body: Rc::new(body) };
        if parts.iter().all(|part| matches!(part, Part::Plain(_))) {
            return function;
        }
        // `\f() { … }`: bash refuses the name, other shells define `f`.
        Node::If { arms: vec![(Vec::new(), vec![function])], rest: None, redirects: Vec::new() }
    }
}

/// Does `text` seem to use the variable `name`?
fn mentions(text: &str, name: &str) -> bool {
    text.contains(&format!("${name}"))
        || text.contains(&format!("{{{name}"))
        || text.contains(&format!("!{name}"))
}

/// The literal text of a word.
pub(super) fn plain_text(word: &RawWord) -> SmolStr {
    if let [Part::Plain(text) | Part::Quoted(text)] = word.parts.as_slice() {
        return text.clone();
    }
    word.parts.iter().filter_map(Part::literal).collect()
}
