//! The syntax tree of shell text: what the parser makes and the walker reads.
//!
//! Plain values. Nothing here is expanded yet: quotes are gone, but variables,
//! braces and substitutions still stand as parts of their words.

use std::cell::OnceCell;
use std::rc::Rc;

use smol_str::SmolStr;

use crate::one_or_many::OneOrMany;
use crate::reading::{RedirectKind, Span};

/// A list of commands, in order.
pub(crate) type List = Vec<Node>;

/// One command of any shape.
#[derive(Debug)]
pub(crate) enum Node {
    /// `A=1 program words >redirects`
    Simple(Simple),
    /// `a | b | c`, at least two.
    Pipe(Vec<Node>),
    /// `a && b || c`: the first, then each with how it hangs on those before.
    Chain(Box<Node>, Vec<(Link, Node)>),
    /// `{ … }`
    Group(List, Vec<RawRedirect>),
    /// `( … )`, and anything put in the background.
    Subshell(List, Vec<RawRedirect>),
    /// `coproc …`: runs next to the rest, connected by pipes.
    Coproc(Box<Node>),
    /// `if`/`elif`/`else`: (condition, body) pairs, then the body of `else`.
    If { arms: Vec<(List, List)>, rest: Option<List>, redirects: Vec<RawRedirect> },
    /// `while` and `until`.
    While { condition: List, body: List, redirects: Vec<RawRedirect> },
    /// `for` and `select`; `words` is `None` where they are not written.
    For {
        name: SmolStr,
        words: Option<Vec<RawWord>>,
        body: Rc<List>,
        uses_name: bool,
        redirects: Vec<RawRedirect>,
    },
    /// `case`: the subject, then each arm.
    Case { subject: RawWord, arms: Vec<Arm>, redirects: Vec<RawRedirect> },
    /// `[[ … ]]`, `(( … ))` and the head of `for ((…))`: nothing runs but what is substituted.
    Test(Vec<RawWord>, Vec<RawRedirect>),
    /// What may stand behind a mistake in the text.
    Guess(List),
    /// `f() { … }`
    Function { name: SmolStr, body: Rc<Node> },
}

/// One arm of a `case`.
#[derive(Debug)]
pub(crate) struct Arm {
    pub(crate) patterns: Vec<RawWord>,
    pub(crate) body: List,
    pub(crate) then: Then,
}

/// What follows the body of an arm.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Then {
    /// `;;`: nothing.
    Leave,
    /// `;&`: the body of the next arm.
    Next,
    /// `;;&`: any later arm whose pattern fits.
    Test,
}

impl Node {
    /// Its redirects, where it has some of its own.
    pub(crate) fn redirects(&self) -> &[RawRedirect] {
        match self {
            Node::Simple(simple) => &simple.redirects,
            Node::Group(_, redirects)
            | Node::Subshell(_, redirects)
            | Node::If { redirects, .. }
            | Node::While { redirects, .. }
            | Node::For { redirects, .. }
            | Node::Case { redirects, .. }
            | Node::Test(_, redirects) => redirects,
            Node::Pipe(_) | Node::Chain(..) | Node::Coproc(_) | Node::Guess(_) | Node::Function { .. } => &[],
        }
    }

    /// The same, to add some.
    pub(crate) fn redirects_mut(&mut self) -> Option<&mut Vec<RawRedirect>> {
        match self {
            Node::Simple(simple) => Some(&mut simple.redirects),
            Node::Group(_, redirects)
            | Node::Subshell(_, redirects)
            | Node::If { redirects, .. }
            | Node::While { redirects, .. }
            | Node::For { redirects, .. }
            | Node::Case { redirects, .. }
            | Node::Test(_, redirects) => Some(redirects),
            Node::Pipe(_) | Node::Chain(..) | Node::Coproc(_) | Node::Guess(_) | Node::Function { .. } => {
                None
            }
        }
    }
}

/// How a command of a chain hangs on those before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Link {
    /// `&&`
    And,
    /// `||`
    Or,
}

/// One simple command as written.
#[derive(Debug, Default)]
pub(crate) struct Simple {
    pub(crate) span: Span,
    pub(crate) assignments: Vec<RawAssignment>,
    pub(crate) words: Vec<RawWord>,
    pub(crate) redirects: Vec<RawRedirect>,
}

/// `name=value`, `name+=value`, `name[index]=value`, `name=(…)`.
#[derive(Debug)]
pub(crate) struct RawAssignment {
    pub(crate) name: SmolStr,
    pub(crate) append: bool,
    pub(crate) index: Option<Pieces>,
    pub(crate) value: RawWord,
}

/// The stretches of a word. Most words have one.
pub(crate) type Pieces = OneOrMany<Part>;

/// A word as written.
#[derive(Debug, Clone, Default)]
pub(crate) struct RawWord {
    pub(crate) span: Span,
    pub(crate) parts: Pieces,
}

/// A stretch of a word.
#[derive(Debug, Clone)]
pub(crate) enum Part {
    /// Unquoted text: braces, tildes and globs still count.
    Plain(SmolStr),
    /// Text that represents itself.
    Quoted(SmolStr),
    /// `$x`, `${x…}`
    Param(Rc<Param>),
    /// `$(…)` and backticks.
    Output(Rc<Output>),
    /// `<(…)` and `>(…)`
    Process(Rc<Output>),
    /// A value that is never known (arithmetic, a glob group), with what it runs.
    Unknown(Box<Computed>),
    /// `(a b c)` after `name=`.
    Array(Rc<Vec<RawWord>>),
}

/// A value no one knows.
#[derive(Debug, Clone)]
pub(crate) struct Computed {
    /// Its spelling.
    pub(crate) text: SmolStr,
    /// What is expanded for it.
    pub(crate) inner: Pieces,
}

impl Part {
    /// A value no one knows, spelled this way, for which `inner` is expanded.
    pub(crate) fn unknown(text: SmolStr, inner: Pieces) -> Part {
        Part::Unknown(Box::new(Computed { text, inner }))
    }

    /// The text, where it is nothing else.
    pub(crate) fn literal(&self) -> Option<&str> {
        match self {
            Part::Plain(text) | Part::Quoted(text) => Some(text),
            _ => None,
        }
    }
}

/// A command substitution.
#[derive(Debug)]
pub(crate) struct Output {
    pub(crate) list: List,
    /// Source spelling, shortened.
    pub(crate) text: SmolStr,
    pub(crate) quoted: bool,
    /// The text inside backticks has lost its place in the source.
    pub(crate) in_place: bool,
}

/// A parameter expansion.
#[derive(Debug)]
pub(crate) struct Param {
    pub(crate) name: SmolStr,
    pub(crate) op: ParamOp,
    /// The operator has a colon: an empty value counts as none.
    pub(crate) colon: bool,
    /// What follows the operator.
    pub(crate) word: Pieces,
    /// What is in `[…]`.
    pub(crate) index: Option<Pieces>,
    pub(crate) quoted: bool,
    /// Source spelling, shortened.
    pub(crate) text: SmolStr,
}

/// What a parameter expansion does with its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ParamOp {
    /// `$x`
    Get,
    /// `${x:-w}`, `${x-w}`
    Default,
    /// `${x:=w}`, `${x=w}`
    Assign,
    /// `${x:+w}`, `${x+w}`
    Alternative,
    /// `${!x}`
    Indirect,
    /// `${#x}`
    Length,
    /// `${x#w}` and all others, by their operator.
    Edit(String),
}

/// One redirect as written.
#[derive(Debug, Clone)]
pub(crate) struct RawRedirect {
    pub(crate) kind: RedirectKind,
    /// The descriptor in front, `None` for the usual one.
    pub(crate) from: Option<SmolStr>,
    pub(crate) target: Rc<RawWord>,
    /// The body of a here-document, filled in when its lines are reached.
    pub(crate) body: Option<Rc<OnceCell<RawWord>>>,
}

impl RawRedirect {
    /// The text of a here-document, once it has been read.
    pub(crate) fn text(&self) -> Option<&RawWord> {
        self.body.as_deref().and_then(OnceCell::get)
    }
}
