//! What a reading of shell text is made of: the commands it would start, and
//! for each of them what it would do.
//!
//! These are plain values. Nothing here reads text, touches a file or judges.

use crate::effect_kind::EffectKind;
use crate::one_or_many::OneOrMany;
use smol_str::SmolStr;
use std::collections::BTreeMap;
use std::sync::Arc;

/// What the reader may take as known about the place the text would run in.
/// Values come in; the reader never looks at the real environment.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReadContext {
    /// What `~` and `$HOME` stand for; unknown when `None`.
    pub home: Option<String>,
    /// What `$PWD` represents at the start; unknown when `None`.
    pub pwd: Option<String>,
    /// The top of the repository the text would run in; unknown when `None`.
    pub project: Option<String>,
    /// What files hold that are there, by their whole path; `None` for one that is
    /// larger than is read. Nothing is known of all others.
    pub files: BTreeMap<SmolStr, Option<String>>,
}

/// Everything a text would do, as far as it can be told.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reading {
    /// Every simple command bash could start, in reading order, wrappers
    /// opened: `sudo rm x` yields `sudo` and, through it, `rm`.
    pub commands: Vec<Arc<Command>>,
    /// Places where a command would stand but which one cannot be told.
    pub opaque: Vec<Opaque>,
    /// Why the text could not be read to its end. Commands before it are kept.
    pub fault: Option<Fault>,
    /// Files it would run or read whose text would say more, by their whole path.
    pub wanted_files: Vec<SmolStr>,
}

/// A stretch of bytes of the outermost text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Span {
    /// First byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

/// One word after quoting and expansion.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Word {
    /// The value. Parts that cannot be known stand in their source spelling.
    pub text: SmolStr,
    /// False when some part of `text` is not what the command would see.
    pub exact: bool,
    /// True when an unquoted `*`, `?` or `[` would be matched against files.
    pub glob: bool,
    /// Where it is; for text inside other text (`bash -c '…'`), the
    /// place of the outer word.
    pub span: Span,
}

/// `NAME=value` in front of a command, or given to `env` or `export`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assignment {
    /// The variable.
    pub name: SmolStr,
    /// Its value.
    pub value: Word,
}

/// What a redirect does with its target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RedirectKind {
    /// `< file`
    Read,
    /// `> file`, `>| file`, `&> file`
    Write,
    /// `>> file`, `&>> file`
    Append,
    /// `<> file`
    ReadWrite,
    /// `<< END`: `target` is the body.
    HereDoc,
    /// `<<< word`
    HereString,
    /// `2>&1`, `<&3`, `>&-`
    Duplicate,
}

/// One redirect of a command (also those of the groups around it).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Redirect {
    /// What it does.
    pub kind: RedirectKind,
    /// The file, the body or the descriptor.
    pub target: Word,
}

/// One option of a command under its canonical name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flag {
    /// Canonical spelling: the long name where the program has one
    /// (`-n` of `git commit` is `--no-verify`, `-n` of `git push` is `--dry-run`).
    pub name: SmolStr,
    /// The value, if the option takes one and it was given.
    pub value: Option<Word>,
    /// True when the value is free text (a commit message, a search pattern)
    /// that must never be read as part of the command.
    pub data: bool,
    /// The value may stand in a word of its own; that of an unknown option can
    /// only have been attached.
    pub(crate) separate_value: bool,
    /// The word it is in: all of it, also when clustered (`-anm`).
    pub span: Span,
}

impl Flag {
    /// `--privileged=false` says that the option is not given.
    pub(crate) fn is_off(&self) -> bool {
        !self.separate_value && self.value.as_ref().is_some_and(|value| value.text == "false")
    }
}

/// The words of a command sorted into subcommand, options and operands.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Usage {
    /// `commit` of `git -C x commit`; several for `docker compose down`.
    pub subcommand: Vec<SmolStr>,
    /// Every option in any spelling, clusters taken apart.
    pub flags: Vec<Flag>,
    /// What is left.
    pub operands: OneOrMany<Word>,
    /// How many options stand before the subcommand.
    pub(crate) before_sub: usize,
}

/// Work that commands in front of this one have surely put into a commit or a stash.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SavedWork {
    /// The folder git ran in; `None` if it is the one the text began in.
    pub dir: Option<SmolStr>,
    /// Only what lies below that folder was saved, not all of the repository.
    pub below: bool,
    /// Changes of files git tracks.
    pub tracked: bool,
    /// Files git does not track, but for those it ignores.
    pub untracked: bool,
}

/// One thing a command would do, with what it would do it to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Effect {
    /// The kind of kind.
    pub kind: EffectKind,
    /// The file, host, package or branch concerned, if there is one.
    pub target: Option<Word>,
}

/// One simple command.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Command {
    /// Where it is.
    pub span: Span,
    /// Base name of the program, `/bin/rm` → `rm`; empty if it is not known.
    pub program: SmolStr,
    /// All words; the first is the program as written.
    pub words: Vec<Word>,
    /// Assignments in front of it, also those made by `env` and by `export`
    /// earlier in the text.
    pub assignments: Vec<Assignment>,
    /// Its redirects.
    pub redirects: Vec<Redirect>,
    /// The wrappers around it, outermost first: `["sudo", "timeout"]`.
    pub via: Vec<SmolStr>,
    /// Index in `Reading::commands` of the command that starts it: the `sudo`
    /// of `sudo rm x`, the call of the function it is in.
    pub started_by: Option<usize>,
    /// Where it runs if the text changed folder before it: `cd x && …`.
    /// Relative to the start unless absolute.
    pub dir: Option<Word>,
    /// Index in `Reading::commands` of the command whose output it reads.
    pub piped_from: Option<usize>,
    /// Indices of the commands whose output is in its words:
    /// `curl "x/$(cat key)"`.
    pub quotes: Vec<usize>,
    /// True when the spans of its words are bytes of the outermost text and
    /// replacing them there changes exactly this command.
    pub in_place: bool,
    /// It runs only where the file it makes is not there: `[ -f x ] || cp y x`.
    pub only_if_absent: bool,
    /// What was saved before it runs, where that surely succeeded.
    pub saved: Option<Arc<SavedWork>>,
    /// Its words, sorted.
    pub usage: Usage,
    /// What it would do.
    pub effects: Vec<Effect>,
}

/// A place where a command would stand but cannot be told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Opaque {
    /// Where.
    pub span: Span,
    /// Of what sort it is.
    pub kind: Unknown,
    /// What is there, in one phrase: ``eval of `$X` ``.
    pub what: String,
}

/// Why a command cannot be told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Unknown {
    /// Text is run that is in a variable or comes in from a pipe, unseen:
    /// `eval "$X"`.
    Variable,
    /// Text is run that another program on this machine prints:
    /// `eval "$(ssh-agent)"`.
    Output,
    /// Text is run that was encoded or packed: `base64 -d x | sh`.
    Decoded,
    /// A program is run whose name is not known: `$CMD -x`.
    Name,
    /// A program of another language computes what it runs.
    Computed,
    /// The text is not the shell's language; a shell would refuse it.
    Syntax,
    /// The text is larger or deeper than is read.
    Limit,
}

impl Unknown {
    /// Every sort, in order.
    pub const ALL: &'static [Unknown] = &[
        Unknown::Variable,
        Unknown::Output,
        Unknown::Decoded,
        Unknown::Name,
        Unknown::Computed,
        Unknown::Syntax,
        Unknown::Limit,
    ];

    /// The name policies use.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Unknown::Variable => "variable",
            Unknown::Output => "output",
            Unknown::Decoded => "decoded",
            Unknown::Name => "name",
            Unknown::Computed => "computed",
            Unknown::Syntax => "syntax",
            Unknown::Limit => "limit",
        }
    }

    /// The sort of that name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Unknown> {
        Unknown::ALL.iter().copied().find(|one| one.name() == name)
    }
}

/// Why a text could not be read to its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// Where reading stopped.
    pub span: Span,
    /// What was wrong, for a person: "unclosed `'`".
    pub message: String,
    /// Whether the text is not the shell's language, or more than is read.
    pub kind: Unknown,
}
