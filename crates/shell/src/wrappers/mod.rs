//! Programs that start other commands: which words, which text.
//!
//! Each family is one file with a function from the command to what it
//! starts. Nothing here walks or lists; the walker does.

mod consoles;
mod dashed;
mod editor;
mod env_calls;
mod environment;
mod expect;
mod file_calls;
mod git;
mod handed;
mod hidden;
mod imports;
mod interpreters;
mod language;
mod launcher;
mod lisp;
mod listings;
mod lists;
mod loaded;
mod loads;
mod m4;
mod make;
mod many;
mod mounts;
mod option_text;
mod own_calls;
mod placed;
mod plain;
mod powershell;
mod prefix;
mod prints;
mod queries;
mod quoted;
mod remote;
mod renames;
mod rounds;
mod runner;
mod scripts;
mod sed;
mod settings_file;
mod shell;
mod special;
mod started;
mod targets;
mod tool_mode;
mod uploads;
mod values;

use crate::name_filter::NameFilter;
use crate::programs::is_named;
use crate::reading::{Assignment, Command, Span, Unknown, Word};
use crate::stream::Stream;
use smol_str::format_smolstr;

/// Something a wrapper starts.
#[derive(Debug)]
pub(crate) enum Inner {
    /// A command made of words.
    Words {
        words: Vec<Word>,
        assignments: Vec<Assignment>,
        dir: Option<Word>,
        /// Some words are not the ones in the text.
        moved: bool,
        /// What it changes (folder, variables) stays in force.
        same_shell: bool,
    },
    /// Text a shell reads, with its positional parameters.
    Text { text: Word, arguments: Vec<Word>, same_shell: bool },
    /// Whatever comes in on the standard input, read as shell text.
    Input,
    /// Whatever comes in on the standard input, read as a program of this
    /// command's language.
    Program,
    /// A script file.
    File(Word),
    /// Words that run in a container, away from this machine's files.
    Away(Vec<Word>),
    /// Program text of another language, for where it came from.
    Foreign(Word),
    /// Code straight from an address.
    Download(Word),
    /// Something that cannot be told.
    Opaque { span: Span, kind: Unknown, what: String },
}

impl Inner {
    /// Words that stand in the text as they are.
    pub(crate) fn words(words: &[Word]) -> Inner {
        Inner::Words {
            words: words.to_vec(),
            assignments: Vec::new(),
            dir: None,
            moved: false,
            same_shell: false,
        }
    }

    /// Words put together by the wrapper.
    fn made(words: Vec<Word>) -> Inner {
        Inner::Words { words, assignments: Vec::new(), dir: None, moved: true, same_shell: false }
    }

    fn text(text: Word) -> Inner {
        Inner::Text { text, arguments: Vec::new(), same_shell: false }
    }
}

/// One family: the commands it knows, opened.
type Family = fn(&Command, Option<&Stream>) -> Option<Vec<Inner>>;

/// Every family, the most used in front. The first that knows the program answers.
const FAMILIES: &[Family] = &[
    git::open,
    shell::open,
    powershell::open,
    environment::open,
    editor::open,
    prefix::open,
    many::open,
    launcher::open,
    placed::open,
    remote::open,
    runner::open,
    tool_mode::open,
    lisp::open,
    m4::open,
    language::open,
    consoles::open,
    expect::open,
    make::open,
    dashed::open,
];

/// The commonest programs of all, none of which any family knows: half the
/// commands of a script need not ask them.
const PLAIN: [&str; 20] = [
    "echo", "printf", "cd", "test", "[", "cat", "cp", "mv", "rm", "mkdir", "ls", "grep", "head", "tail",
    "touch", "chmod", "true", "set", "tee", "curl",
];

static PLAIN_NAMES: NameFilter = NameFilter::of(&PLAIN);

fn is_plain(program: &str) -> bool {
    PLAIN_NAMES.may_hold(program) && PLAIN.iter().any(|name| is_named(name, program))
}

/// Commands one program is seen to start.
const STARTED_MAX: usize = 1_000;

/// As many as are followed. That there are more is said: no one shall hide behind
/// a thousand others.
fn limited(mut all: Vec<Inner>, span: Span) -> Vec<Inner> {
    if all.len() > STARTED_MAX {
        all.truncate(STARTED_MAX);
        all.push(more(span));
    }
    all
}

fn more(span: Span) -> Inner {
    Inner::Opaque { span, kind: Unknown::Limit, what: "more commands than are followed".to_string() }
}

/// What is read because it is printed or used up, as the `cat` it amounts to.
fn reader_of(file: &Word, at: &Word) -> Inner {
    let cat = Word { text: "cat".into(), exact: true, glob: false, span: at.span };
    Inner::made(vec![cat, file.clone()])
}

/// Everything `command` starts.
pub(crate) fn open(command: &Command, stdin: Option<&Stream>) -> Vec<Inner> {
    let mut all = Vec::new();
    if !is_plain(&command.program) {
        all = hidden::open(command);
        all.extend(loads::open(command));
        all.extend(FAMILIES.iter().find_map(|family| family(command, stdin)).unwrap_or_default());
    }
    let path = command.assignments.iter().rfind(|one| one.name == "PATH");
    if let Some(first) = command.words.first().filter(|word| path.is_some() || word.text.contains('/')) {
        // `./x.sh` runs a file this text may have written, and so does `PATH=. x.sh`.
        all.push(Inner::File(first.clone()));
        all.extend(path.into_iter().flat_map(|path| in_folders(&path.value, first)));
    }
    limited(all, command.span)
}

/// The program in each folder of a `PATH`.
fn in_folders(path: &Word, first: &Word) -> Vec<Inner> {
    let named = |folder: &&str| !folder.is_empty() && !folder.contains('$') && !first.text.contains('/');
    let file = |folder: &str| format_smolstr!("{}/{}", folder.trim_end_matches('/'), first.text);
    let word = |folder: &str| Inner::File(Word { text: file(folder), exact: false, ..first.clone() });
    path.text.split(':').filter(named).take(STARTED_MAX + 1).map(word).collect()
}

/// Does it print what the command prints that it is put in front of?
pub(crate) fn passes_output(program: &str) -> bool {
    program == "env" || prefix::is_prefix(program)
}

/// The language of a program file, `None` for shell text: by who runs it, or
/// by its first line.
pub(crate) fn language_of(program: &str, text: &str) -> Option<&'static str> {
    let first = text.lines().next().and_then(|line| line.strip_prefix("#!")).unwrap_or("");
    let named = first.rsplit(['/', ' ']).next().unwrap_or("");
    let by_program = interpreters::name_of(program).or_else(|| own_language(program));
    by_program.or_else(|| interpreters::name_of(named)).or_else(|| own_language(named))
}

/// Whether a program of this name runs programs of another language.
#[must_use]
pub fn is_interpreter(program: &str) -> bool {
    interpreters::name_of(program).is_some()
}

/// Programs that are the name of their language.
fn own_language(program: &str) -> Option<&'static str> {
    match program {
        "expect" | "tclsh" | "wish" => Some("expect"),
        "make" | "gmake" => Some("make"),
        "m4" | "gm4" => Some("m4"),
        _ if lisp::runs_files(program) => Some("lisp"),
        _ => None,
    }
}

/// The shell text in a program of another language.
pub(crate) fn program_text(language: &str, text: &Word) -> Vec<Inner> {
    let all = match language {
        "expect" | "tclsh" | "wish" => expect::starts(text),
        "make" | "gmake" => make::recipes(text),
        "m4" | "gm4" => m4::starts(text),
        _ if language == "lisp" || lisp::runs_files(language) => lisp::calls(text),
        // A program on the input is named by who runs it: `python3`.
        _ => language::calls(interpreters::name_of(language).unwrap_or(language), text),
    };
    limited(all, text.span)
}

pub(crate) use environment::{editors, names_command};
pub(crate) use git::{open_alias as git_alias, settings as git_settings};
pub(crate) use handed::fill as fill_in;
pub(crate) use loaded::{folder, given, read_file};
pub(crate) use many::item_file;
pub(crate) use prints::{UNKNOWN, printed_texts};
pub(crate) use scripts::set_scripts;
pub(crate) use settings_file::set_in_file;
pub(crate) use shell::input_arguments;

/// A command; where its first word has blanks in it, it is a line for a shell.
fn words_or_line(run: &[Word]) -> Vec<Inner> {
    match run {
        [] => Vec::new(),
        [line, ..] if line.text.contains(' ') => joined(run).map(Inner::text).into_iter().collect(),
        _ => vec![Inner::words(run)],
    }
}

/// All words after the program.
fn arguments(command: &Command) -> &[Word] {
    command.words.get(1..).unwrap_or_default()
}

/// The words of `text` as `xargs` and `env -S` cut it: at blanks, with quotes
/// and backslashes.
fn split(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut current: Option<String> = None;
    let mut quote = None;
    let mut chars = text.chars();
    while let Some(found) = chars.next() {
        match (quote, found) {
            (Some(open), _) if open == found => quote = None,
            (Some(_), _) => current.get_or_insert_default().push(found),
            (None, '\'' | '"') => {
                quote = Some(found);
                current.get_or_insert_default();
            }
            (None, '\\') => current.get_or_insert_default().extend(chars.next()),
            (None, ' ' | '\t' | '\n' | '\0') => words.extend(current.take()),
            (None, _) => current.get_or_insert_default().push(found),
        }
    }
    words.extend(current);
    words
}

/// Several words as one text, the way `eval` and `ssh` join them.
fn joined(words: &[Word]) -> Option<Word> {
    let first = words.first()?;
    let texts: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
    let exact = words.iter().all(|word| word.exact);
    let end = words.last().map_or(first.span.end, |word| word.span.end);
    let span = Span { start: first.span.start, end: end.max(first.span.start) };
    Some(Word { text: texts.join(" ").into(), exact, glob: false, span })
}

#[cfg(test)]
mod tests {
    use super::{FAMILIES, PLAIN, hidden, loads};
    use crate::reading::{Command, Word};

    /// A family that comes to know one of them would never be asked.
    #[test]
    fn no_family_knows_a_plain_program() {
        let word = |text: &str| Word { text: text.into(), exact: true, ..Word::default() };
        let command = |program: &str| Command {
            program: program.into(),
            words: [program, "-c", "x", "-e", "x", "-exec", "x", "-x", "x", "--", "x"].map(word).to_vec(),
            ..Command::default()
        };
        for program in PLAIN {
            let command = command(program);
            assert!(hidden::open(&command).is_empty() && loads::open(&command).is_empty(), "{program}");
            assert!(FAMILIES.iter().all(|family| family(&command, None).is_none()), "{program}");
        }
        assert!(FAMILIES.iter().any(|family| family(&command("bash"), None).is_some()));
    }
}
