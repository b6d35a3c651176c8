//! Commands hidden in values: arithmetic evaluates the variables it names, and
//! a subscript in such a value is expanded. `x='a[$(rm y)]'; ((x))` runs `rm`.

use crate::parse;
use crate::reading::Span;
use crate::scope::{Options, Text};
use crate::tree::Part;
use crate::walk::Walker;
use smol_str::SmolStr;

/// More variables of one expression than this are not looked at.
const NAMES_MAX: usize = 64;

impl Walker<'_> {
    /// Expands an expression, and what the variables it names hide.
    pub(crate) fn arithmetic(&mut self, parts: &[Part], span: Span) {
        let word = self.single(parts, span);
        self.evaluate(&word.text, span);
        self.count_variables(&word.text);
    }

    /// `((x = 1, y++))`: what arithmetic assigns is not known.
    pub(crate) fn count_variables(&mut self, expression: &str) {
        if !expression.contains(['=', '+', '-']) || !self.grow(expression.len()) {
            return;
        }
        let is_name = |found: char| found.is_ascii_alphanumeric() || found == '_';
        let mut rest = expression;
        let mut stepped = false;
        while let Some(start) = rest.find(is_name) {
            let (before, from) = rest.split_at(start);
            stepped |= before.trim_end().ends_with("++") || before.trim_end().ends_with("--");
            let (name, after) = from.split_at(from.find(|found| !is_name(found)).unwrap_or(from.len()));
            if stepped || assigns(after.trim_start()) {
                let name = name.to_string();
                self.scope.set_one(&name, Text::unknown(format!("${name}")));
            }
            stepped = false;
            rest = after;
        }
    }

    /// What the variables named in `expression` hide.
    pub(crate) fn evaluate(&mut self, expression: &str, span: Span) {
        if !self.scope.hides_commands() || !self.grow(expression.len()) {
            return;
        }
        let is_name = |found: char| found.is_ascii_alphanumeric() || found == '_';
        let names = expression.split(|found: char| !is_name(found));
        let names = names.filter(|name| name.starts_with(|first: char| !first.is_ascii_digit()));
        let hiding = |options: &Options| {
            // What is not exact is in its source spelling, and that ran when
            // it was assigned: `total=$((total + n))` does not lead into itself.
            let texts = options.iter().flatten().filter(|text| text.exact).map(|text| &text.text);
            texts.filter(|text| crate::scope::hides(text)).cloned().collect::<Vec<SmolStr>>()
        };
        let found: Vec<SmolStr> =
            names.take(NAMES_MAX).filter_map(|name| self.scope.get(name)).flat_map(hiding).collect();
        for text in found {
            self.run_text(&text, span);
        }
    }

    /// Runs the substitutions in text that is expanded as a prompt. Where a
    /// `$(` is not closed, bash takes the last sign for its end, whatever it is.
    pub(crate) fn run_prompt(&mut self, text: &str, span: Span) {
        if !self.run_text(text, span) {
            let mut closed = text.to_string();
            closed.pop();
            // A backslash before it represents itself.
            let escaped = closed.ends_with('\\');
            closed.push_str(if escaped { "\\)" } else { ")" });
            let _ = self.run_text(&closed, span);
        }
    }

    /// Runs the substitutions in `text`, and in the variables it names. False
    /// where it could not be read to its end.
    pub(crate) fn run_text(&mut self, text: &str, span: Span) -> bool {
        if !crate::scope::hides(text) || self.depth_left() == 0 || !self.grow(text.len() * 16) {
            return true;
        }
        let (parts, whole) = parse::parse_text(text, span, parse::DEPTH_MAX.saturating_sub(8));
        if !whole {
            self.mistake(span, "a value with substitutions that cannot be read");
        }
        self.aside(|walker| {
            let word = walker.single(&parts, span);
            // Its own substitutions have run; a name that leads back does not.
            if word.text != *text {
                walker.evaluate(&word.text, span);
            }
        });
        whole
    }
}

/// Does what follows a name in an expression give it a value?
fn assigns(after: &str) -> bool {
    let after = match after.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((_, rest)) => rest.trim_start(),
        None => after,
    };
    if after.starts_with("++") || after.starts_with("--") {
        return true;
    }
    let operator = after.trim_start_matches(['+', '-', '*', '/', '%', '&', '|', '^', '<', '>']);
    let signs = after.len() - operator.len();
    let compares = signs == 1 && after.starts_with(['<', '>']);
    signs <= 2 && !compares && operator.starts_with('=') && !operator.starts_with("==")
}
