//! Conditions and checks of guardrails: a small typed language over known
//! fields.
//!
//! ```text
//! agent.role == 'implementer' AND action.type == 'file_write'
//! action.target does not match '**/test_*' AND '**/*_test.*'
//! session.calls < 200 AND NOT (action.program in ['curl', 'wget'])
//! ```
//!
//! Why a language of our own and not CEL: the spelling people were promised
//! (`AND`, `does not match`, one pattern after the other) is no CEL, a target
//! that cannot be known needs a third answer CEL does not have, and this reads
//! a condition in about a microsecond without a further crate. There are no
//! loops, functions or variables, so every expression ends, in time linear in
//! its length. Everything that can be wrong is told when it is read, with the
//! place; nothing here panics. [`Expression`] is the seam for another language.

mod ask;
mod field;
mod parse;
mod token;

pub use field::{ActionSort, Target, View};

use ask::Node;
use parse::Parser;

/// Longest expression, in bytes.
const LENGTH_MAX: usize = 4096;

/// Something wrong with an expression, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExpressionFault {
    /// First byte it is about.
    pub start: usize,
    /// The byte behind it.
    pub end: usize,
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub cure: String,
}

// INVARIANT: declared from no to yes; `and` is the least, `or` the greatest.
/// What an expression says about one action.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Truth {
    /// It does not hold.
    No,
    /// It depends on what cannot be known.
    Unclear,
    /// It holds.
    Yes,
}

impl Truth {
    fn of(holds: bool) -> Truth {
        if holds { Truth::Yes } else { Truth::No }
    }

    fn not(self) -> Truth {
        match self {
            Truth::No => Truth::Yes,
            Truth::Unclear => Truth::Unclear,
            Truth::Yes => Truth::No,
        }
    }
}

/// An expression ready to be asked.
#[derive(Debug)]
pub struct Expression {
    root: Node,
}

impl Expression {
    /// Reads an expression; `threshold` is what that word means in it.
    ///
    /// # Errors
    /// The first thing wrong with it.
    pub fn new(text: &str, threshold: Option<f64>) -> Result<Expression, ExpressionFault> {
        let expression = Expression::trusted(text, threshold)?;
        match expression.root.bad_regex() {
            Some((pattern, why)) => {
                // One with an escaped quote is not found: then it is the whole.
                let found = text.find(pattern).map(|start| (start, start + pattern.len()));
                let (start, end) = found.unwrap_or((0, text.len()));
                let why = why.lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned();
                let message = format!("invalid regular expression `{pattern}`: {why}");
                let cure =
                    "correct the expression, or write `glob` for a file pattern with `*` and `?`".to_owned();
                Err(ExpressionFault { start, end, message, cure })
            }
            None => Ok(expression),
        }
    }

    /// The same for a text whose patterns were tried before.
    pub(crate) fn trusted(text: &str, threshold: Option<f64>) -> Result<Expression, ExpressionFault> {
        if text.len() > LENGTH_MAX {
            let message = format!("the expression is longer than {LENGTH_MAX} bytes");
            let cure = "split it into two guardrails".to_owned();
            return Err(ExpressionFault { start: 0, end: text.len(), message, cure });
        }
        let tokens = token::tokens(text)?;
        Ok(Expression { root: Parser::new(text, &tokens, threshold).whole()? })
    }

    /// What it says about one action.
    #[must_use]
    pub fn holds(&self, view: &View<'_>) -> Truth {
        self.root.holds(view)
    }
}

#[cfg(test)]
mod tests;
