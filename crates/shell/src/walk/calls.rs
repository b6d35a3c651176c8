//! Functions that call themselves, and aliases.

use std::rc::Rc;

use super::Walker;
use crate::parse;
use crate::reading::{Command, Unknown, Word};
use crate::scope::{Text, Value};
use crate::tree::Node;

/// How deep a function is followed into itself.
const RECURSION_MAX: usize = 4;

/// The same where it is given fewer words each time.
const SHRINKING_MAX: usize = 10;

/// Words bash reads by themselves, unless they are aliases.
const RESERVED: [&str; 22] = [
    "!", "{", "}", "[[", "]]", "if", "then", "else", "elif", "fi", "while", "until", "do", "done", "for",
    "in", "select", "case", "esac", "function", "time", "coproc",
];

impl Walker<'_> {
    /// Is there something new to find in this body? One that calls itself is
    /// followed while it is known what it is given, and that is something else.
    pub(super) fn may_enter(&mut self, body: &Rc<Node>, command: &Command) -> bool {
        let followed = || self.bodies.iter().filter(|(known, _)| *known == Rc::as_ptr(body));
        let depth = followed().count();
        if depth == 0 {
            return true;
        }
        let given: Value = command.words.iter().skip(1).map(Text::of).collect();
        let is_known = |given: &Value| given.first().is_none_or(|text| text.exact);
        // What no one knows is given to it once.
        let known = is_known(&given) || followed().all(|(_, before)| is_known(before));
        // With fewer words each time it comes to an end, and each may be run.
        let shrinks = followed().next_back().is_some_and(|(_, before)| given.len() < before.len());
        if !known && !shrinks || followed().any(|(_, before)| **before == given) {
            return false;
        }
        let room = depth < if shrinks { SHRINKING_MAX } else { RECURSION_MAX };
        if shrinks && !room {
            self.opaque(command.span, Unknown::Name, format!("`{}` in itself", command.program));
        }
        room
    }

    /// What values hide that were set just now.
    pub(super) fn run_subscripts(&mut self, span: crate::reading::Span) {
        for text in self.scope.take_subscripts() {
            self.run_text(&text, span);
        }
    }

    /// An alias that is no command by itself changes how the text is read.
    pub(super) fn doubt_alias(&mut self, name: &str, text: &str, word: &Word) {
        let whole = |text: &str| parse::parse(text, Some(word.span), parse::DEPTH_MAX / 2).fault.is_none();
        let odd = |sign: char| text.matches(sign).count() % 2 == 1;
        let takes = RESERVED.contains(&name) || text.contains("<<") || odd('\'') || odd('"');
        if takes || self.grow(text.len()) && !whole(text) {
            // What takes the lines behind it hides them; the rest is merely half a command.
            let kind = if takes { Unknown::Variable } else { Unknown::Name };
            self.opaque(word.span, kind, format!("what follows the alias `{name}`"));
        }
    }

    pub(super) fn call_alias(&mut self, command: &Command, text: &str) {
        if self.calls.contains(&command.program) {
            return;
        }
        self.calls.push(command.program.clone());
        let mut line = text.to_string();
        // Behind a blank, the next word may be an alias as well.
        let mut goes_on = text.ends_with([' ', '\t']);
        for word in command.words.iter().skip(1) {
            line.push(' ');
            let alias = self.scope.alias(&word.text).last().filter(|_| goes_on).cloned();
            goes_on = alias.as_ref().is_some_and(|text| text.ends_with([' ', '\t']));
            match &alias {
                Some(alias) => line.push_str(alias),
                None if word.exact && !word.glob => line.push_str(&crate::normal::quote(&word.text)),
                None => line.push_str(&word.text),
            }
        }
        let span = command.span;
        self.open_text(
            &Word { text: line.into(), exact: true, glob: false, span },
            &command.program,
            Vec::new(),
        );
        self.calls.pop();
    }
}
