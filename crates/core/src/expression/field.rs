//! The fields an expression can speak of, and where their values come from.

use crate::facts::FileFact;
use crate::places::Places;

/// What a field holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Type {
    Text,
    Path,
    /// One of the names of [`ActionSort`].
    Sort,
    Number,
}

/// One field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Field {
    Role,
    Agent,
    Task,
    Sort,
    Tool,
    Target,
    Command,
    Program,
    Calls,
    Tokens,
    Answers,
    Lines,
    Minutes,
}

/// Names, the first of a field being its own and the others what people write too.
const FIELDS: &[(&str, Field)] = &[
    ("agent.role", Field::Role),
    ("agent.name", Field::Agent),
    ("agent.id", Field::Agent),
    ("task", Field::Task),
    ("task.id", Field::Task),
    ("action.type", Field::Sort),
    ("action.tool", Field::Tool),
    ("action.tool_name", Field::Tool),
    ("action.target", Field::Target),
    ("action.target_file", Field::Target),
    ("action.target_files", Field::Target),
    ("action.command", Field::Command),
    ("action.program", Field::Program),
    ("session.calls", Field::Calls),
    ("session.spent.tokens", Field::Tokens),
    ("session.spent.api_calls", Field::Answers),
    ("session.spent.lines", Field::Lines),
    ("session.minutes", Field::Minutes),
];

impl Field {
    pub(super) fn from_name(name: &str) -> Option<Field> {
        FIELDS.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, field)| *field)
    }

    /// The fields by their own names, for the message about an unknown one.
    pub(super) fn known() -> String {
        let mut seen = Vec::new();
        for (name, field) in FIELDS {
            if seen.iter().all(|(_, known)| known != field) {
                seen.push((*name, *field));
            }
        }
        seen.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ")
    }

    pub(super) fn holds_a(self) -> Type {
        match self {
            Field::Role | Field::Agent | Field::Task | Field::Tool | Field::Command | Field::Program => {
                Type::Text
            }
            Field::Sort => Type::Sort,
            Field::Target => Type::Path,
            Field::Calls | Field::Tokens | Field::Answers | Field::Lines | Field::Minutes => Type::Number,
        }
    }
}

/// What sort of thing one action is. A call can be several: `make > log` runs a
/// command and writes a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ActionSort {
    /// A file is made or changed.
    FileWrite,
    /// A file is read.
    FileRead,
    /// A file or folder is deleted.
    FileDelete,
    /// A program is run.
    Command,
    /// A host is reached.
    Network,
    /// A tool of an MCP server is used.
    Mcp,
    /// Work is given to another agent.
    Handoff,
    /// The agent wants to stop.
    Stop,
    /// Any other tool is used.
    Tool,
}

impl ActionSort {
    /// Every sort.
    pub const ALL: [ActionSort; 9] = [
        ActionSort::FileWrite,
        ActionSort::FileRead,
        ActionSort::FileDelete,
        ActionSort::Command,
        ActionSort::Network,
        ActionSort::Mcp,
        ActionSort::Handoff,
        ActionSort::Stop,
        ActionSort::Tool,
    ];

    /// The name used in expressions.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            ActionSort::FileWrite => "file_write",
            ActionSort::FileRead => "file_read",
            ActionSort::FileDelete => "file_delete",
            ActionSort::Command => "command",
            ActionSort::Network => "network",
            ActionSort::Mcp => "mcp",
            ActionSort::Handoff => "handoff",
            ActionSort::Stop => "stop",
            ActionSort::Tool => "tool",
        }
    }
}

/// What an action is about: a file, or the address of a host.
#[derive(Debug, Clone, Copy)]
pub struct Target<'a> {
    /// The path, absolute and clean; or the address.
    pub path: &'a str,
    /// False when part of it cannot be known.
    pub exact: bool,
    /// True when it is a pattern.
    pub glob: bool,
    /// Set where the path is to be taken for some file below this folder.
    pub within: Option<&'a FileFact>,
}

/// One action as an expression sees it. What is not there is the empty text.
#[derive(Debug, Clone, Copy)]
pub struct View<'a> {
    /// What the agent is here for.
    pub role: &'a str,
    /// The agent.
    pub agent: &'a str,
    /// The task.
    pub task: &'a str,
    /// The tool as the host names it.
    pub tool: &'a str,
    /// What sort of action it is.
    pub sort: ActionSort,
    /// The command in its normal form.
    pub command: &'a str,
    /// The program it runs.
    pub program: &'a str,
    /// What it is about.
    pub target: Option<Target<'a>>,
    /// Calls judged in the session.
    pub calls: u64,
    /// Tokens used in it; `None` if that is not known.
    pub tokens: Option<u64>,
    /// Answers of the model; `None` if that is not known.
    pub answers: Option<u64>,
    /// Lines written.
    pub lines: u64,
    /// Minutes since it began.
    pub minutes: u64,
    /// Where home and workspace are.
    pub places: &'a Places,
}

impl<'a> View<'a> {
    pub(super) fn text(&self, field: Field) -> &'a str {
        match field {
            Field::Role => self.role,
            Field::Agent => self.agent,
            Field::Task => self.task,
            Field::Sort => self.sort.name(),
            Field::Tool => self.tool,
            Field::Command => self.command,
            Field::Program => self.program,
            _ => "",
        }
    }

    pub(super) fn number(&self, field: Field) -> Option<u64> {
        match field {
            Field::Calls => Some(self.calls),
            Field::Tokens => self.tokens,
            Field::Answers => self.answers,
            Field::Lines => Some(self.lines),
            Field::Minutes => Some(self.minutes),
            _ => None,
        }
    }

    /// A path as people name it: in full, from the workspace, from home.
    pub(super) fn names(&self, path: &'a str) -> impl Iterator<Item = std::borrow::Cow<'a, str>> {
        let below = |root: &str| path.strip_prefix(root).and_then(|rest| rest.strip_prefix('/'));
        let inside = self.places.workspace.iter().find_map(|root| below(root));
        let home = self.places.home.as_ref().and_then(|home| below(home)).map(|rest| format!("~/{rest}"));
        std::iter::once(path)
            .chain(inside)
            .map(std::borrow::Cow::Borrowed)
            .chain(home.map(std::borrow::Cow::Owned))
    }
}
