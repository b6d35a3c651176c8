//! Commands hidden in values: arithmetic evaluates the variables it names, and
//! a subscript in such a value is expanded. `x='a[$(rm y)]'; ((x))` runs `rm`.

use crate::parse;
use crate::reading::Span;
use crate::scope::Options;
use crate::tree::Part;
use crate::walk::Walker;

/// More variables of one expression than this are not looked at.
const NAMES_MAX: usize = 64;

impl Walker<'_> {
    /// Expands an expression, and what the variables it names hide.
    pub(crate) fn arithmetic(&mut self, parts: &[Part], span: Span) {
        let word = self.single(parts, span);
        self.evaluate(&word.text, span);
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
            // What is not exact stands in its source spelling, and that ran when
            // it was assigned: `total=$((total + n))` does not lead into itself.
            let texts = options.iter().flatten().filter(|text| text.exact).map(|text| &text.text);
            texts.filter(|text| crate::scope::hides(text)).cloned().collect::<Vec<String>>()
        };
        let found: Vec<String> =
            names.take(NAMES_MAX).filter_map(|name| self.scope.get(name)).flat_map(hiding).collect();
        for text in found {
            self.run_text(&text, span);
        }
    }

    /// Runs the substitutions in `text`, and in the variables it names.
    pub(crate) fn run_text(&mut self, text: &str, span: Span) {
        if !crate::scope::hides(text) || self.depth_left() == 0 || !self.grow(text.len() * 16) {
            return;
        }
        let (parts, whole) = parse::parse_text(text, span, parse::DEPTH_MAX.saturating_sub(8));
        if !whole {
            self.fail(span, "a value with substitutions that cannot be read");
        }
        self.aside(|walker| {
            let word = walker.single(&parts, span);
            // Its own substitutions have run; a name that leads back does not.
            if word.text != *text {
                walker.evaluate(&word.text, span);
            }
        });
    }
}
