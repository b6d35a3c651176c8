//! Follows a command into what it starts: wrapped words, text for a shell,
//! scripts this same text wrote.

use super::Walker;
use super::simple::PendingCommand;
use crate::effect_kind::EffectKind;
use crate::one_or_many::OneOrMany;
use crate::parse;
use crate::reading::{Command, Unknown, Word};
use crate::scope::{Text, Typed, size_of};
use crate::stream::Stream;
use crate::wrappers::{self, Inner};

/// What reading a byte of opened text costs: it becomes a tree of its own.
const TEXT_COST: usize = 8;

/// More wrappers around each other than this are not opened.
const WRAPPERS_MAX: usize = 12;

/// Texts of `trap` that are walked once more at the end.
const TRAPPED_MAX: usize = 16;

/// What looking at something that may be started counts for.
const INNER_COST: usize = 64;

impl Walker<'_> {
    /// Opens whatever `command` wraps. What the one command prints that a plain
    /// wrapper starts is what the wrapper prints.
    pub(super) fn open(&mut self, command: &Command, index: usize, stdin: Option<&Stream>) -> Option<Stream> {
        self.open_named(command, index, stdin);
        let mut printed = None;
        let unknown = Stream::unknown;
        let listed = wrappers::item_file(command)
            .map(|file| self.joined_files(std::slice::from_ref(&file)).unwrap_or_else(unknown));
        for inner in wrappers::open(command, listed.as_ref().or(stdin)) {
            if !self.grow(INNER_COST) {
                break;
            }
            let plain = matches!(&inner, Inner::Words { words, moved: false, .. } if !words.is_empty());
            self.open_one(command, index, stdin, inner);
            let one = self.printed.take();
            if plain && wrappers::passes_output(&command.program) {
                printed = one;
            }
        }
        self.guess_items(command, index, listed.as_ref().or(stdin));
        printed
    }

    /// Commands named by variables (`GIT_EDITOR=x`). What they start does not
    /// start them again.
    fn open_named(&mut self, command: &Command, index: usize, stdin: Option<&Stream>) {
        let named = wrappers::editors(command);
        if named.is_empty() {
            return;
        }
        let without =
            self.exported.iter().filter(|one| !wrappers::names_command(&one.name)).cloned().collect();
        let exported = std::mem::replace(&mut self.exported, without);
        for inner in named {
            self.open_one(command, index, stdin, inner);
        }
        self.exported = exported;
    }

    pub(super) fn open_one(&mut self, command: &Command, index: usize, stdin: Option<&Stream>, inner: Inner) {
        match inner {
            Inner::Words { words, assignments, dir, moved, same_shell } => {
                if words.is_empty() {
                    return;
                }
                if self.via.len() >= WRAPPERS_MAX {
                    return self.fail(command.span, "wrapped too deeply");
                }
                let span = span_of(command, &words);
                let moved = moved || !command.in_place;
                let values = assignments
                    .iter()
                    .map(|one| (one.name.clone(), OneOrMany::One(Text::of(&one.value))))
                    .collect();
                let call =
                    PendingCommand { span, words, assignments, dir, moved, ..PendingCommand::default() };
                self.in_shell(same_shell, |walker| {
                    walker.via.push(command.program.clone());
                    walker.enter_dir(command, call.dir.as_ref());
                    let scoped = walker.assign_for_call(values);
                    let printed = walker.call(PendingCommand { dir: None, ..call }, stdin);
                    walker.printed = Some(printed);
                    for (name, old) in scoped.into_iter().rev() {
                        walker.scope.restore(&name, old);
                    }
                    walker.via.pop();
                });
            }
            Inner::Text { text, arguments, same_shell } => {
                self.mark_download(index, &text.text);
                if command.program == "trap" {
                    if self.trapped.len() < TRAPPED_MAX {
                        self.trapped.push(text.clone());
                    }
                    return self.merge_trap_effects(command, &text);
                }
                self.in_shell(same_shell, |walker| {
                    walker.enter_child(&command.program);
                    walker.name_child(&command.program);
                    walker.open_text_with(&text, &command.program, arguments, stdin);
                });
            }
            Inner::Input | Inner::Program if stdin.is_some_and(|stream| stream.on_disk) => {
                self.follow_on_disk("the input", |walker| walker.open_stream(command, index, stdin, &inner));
            }
            Inner::Input | Inner::Program => self.open_stream(command, index, stdin, &inner),
            Inner::File(path) => self.open_file(command, index, &path),
            Inner::Away(words) => {
                let was_away = std::mem::replace(&mut self.away, true);
                self.open_one(command, index, stdin, Inner::words(&words));
                self.away = was_away;
            }
            Inner::Opaque { span, kind, what } => self.opaque(span, kind, what),
            Inner::Foreign(text) => self.mark_download(index, &text.text),
            Inner::Download(from) => self.add_effect(index, EffectKind::RunsDownload, Some(from)),
        }
    }

    /// `env -C x` runs all of what follows in `x`.
    fn enter_dir(&mut self, command: &Command, dir: Option<&Word>) {
        let Some(dir) = dir else { return };
        let here = command.dir.clone().unwrap_or(Word { exact: true, ..Word::default() });
        let text = super::join_path(&here.text, &dir.text);
        let exact = dir.exact && !dir.glob && (here.exact || dir.text.starts_with('/'));
        self.scope.set_one(crate::scope::DIR, Text { text, exact });
    }

    /// What a trap does may be done at any time from here on, or never; at the end, it
    /// comes too late for all the rest.
    fn merge_trap_effects(&mut self, command: &Command, text: &Word) {
        let (mark, outer) = (self.scope.checkpoint(), self.trapped.len());
        self.open_text(text, &command.program, Vec::new());
        self.trapped_since(outer);
        let mut changes = self.scope.take_changes(mark);
        let at_end = |word: &Word| matches!(word.text.as_str(), "EXIT" | "0");
        if command.words.iter().skip(2).all(at_end) {
            return;
        }
        changes.remove(crate::scope::DIR);
        self.merge(std::slice::from_ref(&changes), true);
        for name in changes.keys().filter(|name| !name.starts_with('=')) {
            if text.text.contains(['$', '`']) {
                // With the values of then.
                self.scope.doubt(name);
            }
            self.scope.attribute(name, Typed::Other);
        }
    }

    /// What `trap` was given runs at the end, with the values of then.
    pub(super) fn trapped(&mut self) {
        for text in std::mem::take(&mut self.trapped) {
            self.open_text(&text, "trap", Vec::new());
        }
    }

    /// The same at the end of a subshell, for what was trapped inside it: it has run then.
    pub(super) fn trapped_since(&mut self, outer: usize) {
        let inside = self.trapped.split_off(outer.min(self.trapped.len()));
        for text in inside {
            self.open_text(&text, "trap", Vec::new());
        }
        // A trap may set one itself, which never runs.
        self.trapped.truncate(outer);
    }

    fn in_shell(&mut self, same: bool, inner: impl FnOnce(&mut Self)) {
        if same {
            return inner(self);
        }
        let (mark, outer) = (self.scope.checkpoint(), self.trapped.len());
        self.with_given(false, inner);
        self.trapped_since(outer);
        self.scope.rollback(mark);
    }

    /// Reads `text` as a shell would and walks it.
    pub(super) fn open_text(&mut self, text: &Word, via: &str, arguments: Vec<Word>) {
        self.open_text_with(text, via, arguments, None);
    }

    /// The same for text whose commands read `stdin`.
    fn open_text_with(&mut self, text: &Word, via: &str, arguments: Vec<Word>, stdin: Option<&Stream>) {
        if !self.grow(text.text.len() * TEXT_COST) {
            return;
        }
        if !text.exact && self.is_unknown(&text.text) {
            let kind = self.kind_of_text(&text.text);
            self.opaque(text.span, kind, format!("{via} of `{}`", text.text));
            if let Some(stream) = self.streams.get(text.text.trim()).cloned() {
                self.guess_printed(&stream, text.span, via);
            }
            return;
        }
        let parsed = parse::parse(&text.text, Some(text.span), self.depth);
        let unclosed = parsed.fault.as_ref().is_some_and(|fault| fault.message.starts_with("unclosed"));
        self.half_line |= via == "eval" && unclosed;
        if via == "eval" && text.text.trim_end_matches('\n').ends_with('\\') {
            // Bash goes on as if in the middle of a command: a `{` is a name then.
            self.opaque(text.span, Unknown::Name, "command after `eval` of half a line".to_string());
        }
        let broken = parsed.fault.is_some() || may_hold_group(&text.text);
        let mark = self.scope.checkpoint();
        let overwritten = self.overwritten.len();
        if let Some(fault) = parsed.fault {
            let what = format!("text for `{via}` that cannot be read ({})", fault.message);
            self.opaque(text.span, fault.kind, what);
            // Values no one knows stand in it as they are spelled, which may be the mistake.
            let spelled = Word { exact: text.exact && !self.spelled, ..text.clone() };
            if let Some(emptied) = crate::options::with_empty_unknowns(&spelled) {
                let word = Word { text: emptied, exact: true, ..spelled };
                let outer = std::mem::replace(&mut self.spelled, false);
                self.open_text_with(&word, via, arguments.clone(), stdin);
                self.spelled = outer;
            }
        }
        let outer = self.scope.get("@").cloned();
        self.grow(outer.as_ref().map_or(0, size_of));
        let was_in_place = std::mem::replace(&mut self.in_place, false);
        let choice = std::mem::take(&mut self.choice);
        let mut arguments = arguments.iter().map(Text::of);
        let name = arguments.next();
        let outer_name = self.scope.get("0").cloned();
        let has_own = name.is_some();
        if let Some(name) = name {
            self.scope.set_one("0", name);
            self.scope.set("@", OneOrMany::One(arguments.collect()));
        }
        self.via.push(via.into());
        let spelled = std::mem::replace(&mut self.spelled, !text.exact);
        let is_given = if has_own { self.knows_given() } else { self.is_given && via != "trap" };
        let _ = self.with_given(is_given, |walker| walker.list(&parsed.list, stdin));
        self.spelled = spelled;
        super::runaway::mark(&parsed.list, "", &mut self.commands);
        self.via.pop();
        self.choice = choice;
        self.in_place = was_in_place;
        if has_own {
            self.scope.restore("0", outer_name);
            self.scope.restore("@", outer);
        }
        if broken {
            // What is around the mistake was read and may not have run.
            self.doubt_written(overwritten);
            let changes = self.scope.take_changes(mark);
            self.merge(&[changes], true);
        }
    }

    /// Is all of `text` one expansion no one knows?
    fn is_unknown(&self, text: &str) -> bool {
        let text = text.trim();
        let name = text.strip_prefix("${").and_then(|rest| rest.strip_suffix('}')).or(text.strip_prefix('$'));
        let variable = name.is_some_and(|name| {
            !name.is_empty()
                && name.chars().all(|found| found.is_alphanumeric() || "_@*#?[]:-".contains(found))
        });
        variable || self.streams.contains_key(text)
    }

    fn open_stream(&mut self, command: &Command, index: usize, stdin: Option<&Stream>, inner: &Inner) {
        match inner {
            Inner::Program => self.open_program(command, index, stdin),
            _ => self.open_input(command, index, stdin),
        }
    }

    /// A shell that reads commands from its input.
    fn open_input(&mut self, command: &Command, index: usize, stdin: Option<&Stream>) {
        let span = command.span;
        let Some(stream) = stdin else { return };
        if let Some(url) = stream.download.clone().or_else(|| self.downloaded(stream)) {
            self.add_effect(index, EffectKind::RunsDownload, Some(url));
        }
        let partial =
            stream.paths.first().filter(|_| stream.from.is_none()).map(|word| word.text.to_string());
        if stream.noisy && stream.text.is_some() {
            self.opaque(span, Unknown::Variable, format!("errors given to `{}`", command.program));
        }
        match stream.text.clone().or(partial) {
            Some(text) if stream.text.is_none() && self.is_unknown(&text) => {
                let kind = self.kind_of_text(&text);
                self.opaque(span, kind, format!("`{text}` given to `{}`", command.program));
            }
            Some(text) => {
                let exact = stream.text.is_some();
                for text in std::iter::once(text).chain(stream.other.clone()) {
                    let word = Word { text: text.into(), exact, glob: false, span };
                    self.in_shell(is_source(command), |walker| {
                        walker.enter_child(&command.program);
                        walker.name_child(&command.program);
                        walker.open_text(&word, &command.program, wrappers::input_arguments(command));
                    });
                }
            }
            None if stream.is_file => {}
            None if stream.on_disk => self.too_large(command),
            None => {
                self.guess_printed(stream, span, &command.program);
                let kind = self.kind_of_input(stream);
                self.opaque(span, kind, format!("text piped to `{}`", command.program));
            }
        }
    }

    /// An interpreter of another language that reads its program from its input.
    fn open_program(&mut self, command: &Command, index: usize, stdin: Option<&Stream>) {
        let Some(stream) = stdin else { return };
        if let Some(url) = stream.download.clone().or_else(|| self.downloaded(stream)) {
            self.add_effect(index, EffectKind::RunsDownload, Some(url));
        }
        match &stream.text {
            Some(text) => {
                let word = Word { text: text.clone().into(), exact: true, glob: false, span: command.span };
                let at =
                    command.words.iter().position(|word| matches!(word.text.as_str(), "-" | "/dev/stdin"));
                let behind = at.and_then(|at| command.words.get(at + 1..)).unwrap_or_default();
                let language = wrappers::language_of(&command.program, "").unwrap_or("");
                let word = wrappers::fill_in(language, command, behind, None, &word);
                for inner in wrappers::program_text(&command.program, &word) {
                    self.open_one(command, index, None, inner);
                }
            }
            None if stream.is_file => {}
            None if stream.on_disk => self.too_large(command),
            None => {
                let kind = self.kind_of_stream(stream);
                self.opaque(command.span, kind, format!("program piped to `{}`", command.program));
            }
        }
    }

    /// A script file: known only when this same text wrote it.
    fn open_file(&mut self, command: &Command, index: usize, path: &Word) {
        let own = self.path_key(path);
        let named = self.named_files(path);
        if named.is_empty() {
            let stream = self.streams.get(&path.text).cloned().or_else(|| self.descriptor(&path.text));
            if let Some(stream) = stream {
                return self.open_written(command, index, path, &own, &stream);
            }
            // `{ echo …; sh f; } > f`: what was printed by then.
            let is_own = |file: &Word| file.exact && path.exact && self.path_key(file) == own;
            if self.writing.iter().any(is_own) {
                self.opaque(path.span, Unknown::Decoded, format!("`{}` while it is written", path.text));
            }
            // By `PATH` anything may be found; only what is there by name was unpacked.
            let by_name =
                !command.words.first().is_some_and(|first| first == path) || path.text.contains('/');
            // A name that is nowhere in the command is a guess.
            let meant = path.exact || command.words.contains(path);
            if let Some(from) = self.unpacked_from(&own).filter(|_| by_name && meant) {
                self.add_effect(index, EffectKind::RunsDownload, Some(from));
            }
            if path.text.starts_with("<(") {
                self.opaque(path.span, Unknown::Output, format!("text given to `{}`", command.program));
            }
        }
        for key in named {
            let Some(stream) = self.files.get(&key).cloned() else { continue };
            // What only may be meant counts where its text is known or was hidden.
            let sure = path.exact && !path.glob;
            if stream.on_disk {
                self.follow_on_disk(&path.text, |walker| {
                    walker.open_written(command, index, path, &key, &stream)
                });
            } else if sure || stream.text.is_some() || self.is_hidden(&stream) {
                self.open_written(command, index, path, &key, &stream);
            }
        }
    }

    fn open_written(&mut self, command: &Command, index: usize, path: &Word, key: &str, stream: &Stream) {
        if let Some(url) = stream.download.clone() {
            self.add_effect(index, EffectKind::RunsDownload, Some(url));
        }
        self.touch(key, path, false);
        if self.is_open(key) {
            self.opaque(path.span, Unknown::Output, format!("`{}` while it is written", path.text));
        }
        let text = stream.text.clone().unwrap_or_default();
        let word = Word { text: text.into(), exact: true, glob: false, span: path.span };
        let found = wrappers::read_file(command, path, &word);
        match (&stream.text, found) {
            (Some(_), Some(found)) => self.open_loaded(command, index, key, &word, found),
            (Some(_), None) => {
                let given = wrappers::given(command, path, &word.text);
                self.in_shell(is_source(command), |walker| {
                    walker.enter_child(&command.program);
                    walker.name_script(command, path);
                    walker.open_text(&word, &command.program, given);
                });
                if self.files.get(key).is_some_and(|now| now.text != stream.text) {
                    // Bash reads on where it was, in another text.
                    self.opaque(path.span, Unknown::Output, format!("`{}` while it is written", path.text));
                }
            }
            (None, _) if stream.is_file => {}
            (None, _) if stream.on_disk && !path.exact && is_data(&path.text) => {}
            (None, _) if stream.on_disk => self.too_large(command),
            (None, found) => {
                self.guess_printed(stream, path.span, &command.program);
                let hides = stream.changed && found.is_none();
                let kind = if hides { Unknown::Decoded } else { self.kind_of_stream(stream) };
                self.opaque(path.span, kind, format!("text of `{}` for `{}`", path.text, command.program));
            }
        }
    }

    /// Text that holds the output of a download runs a download.
    pub(super) fn mark_download(&mut self, index: usize, text: &str) {
        let found = self
            .downloads
            .iter()
            .find(|(spelling, _)| !spelling.is_empty() && text.contains(spelling.as_str()));
        if let Some(url) = found.map(|(_, url)| url.clone()) {
            self.add_effect(index, EffectKind::RunsDownload, Some(url));
        }
    }
}

/// Files that hold no program where another one loads them; anyone who is told to run one does.
fn is_data(path: &str) -> bool {
    let endings = [".json", ".txt", ".md", ".csv", ".yaml", ".yml", ".toml", ".html", ".css", ".svg"];
    endings.iter().any(|ending| path.ends_with(ending)) && !path.ends_with("package.json")
}

/// What it reads runs in this shell.
fn is_source(command: &Command) -> bool {
    matches!(command.program.as_str(), "." | "source")
}

/// The stretch from the first to the last of `words`, inside the command's.
fn span_of(command: &Command, words: &[Word]) -> crate::reading::Span {
    let outer = command.span;
    let inside = |word: &&Word| word.span.start >= outer.start && word.span.end <= outer.end;
    let start = words.first().filter(inside).map_or(outer.start, |word| word.span.start);
    let end = words.last().filter(inside).map_or(outer.end, |word| word.span.end);
    if start <= end { crate::reading::Span { start, end } } else { outer }
}

/// Patterns in parentheses are mistakes to a shell without `extglob`.
fn may_hold_group(text: &str) -> bool {
    text.contains('(') && ["?(", "*(", "+(", "@(", "!("].iter().any(|sign| text.contains(sign))
}
