//! Builtins whose arguments bash evaluates: arithmetic, and the subscripts of
//! names. `unset 'a[$(rm y)]'` runs `rm`. Also what is on the input.

use super::Walker;
use super::written::from_socket;
use crate::one_or_many::OneOrMany;
use crate::reading::{Command, Redirect, RedirectKind, Span, Word};
use crate::scope::{DIR, Text, hides_in_subscript, state_key};
use crate::stream::Stream;
use crate::tree::{Part, Pieces, RawRedirect, Simple};
use smol_str::{SmolStr, format_smolstr};

/// Programs that read text as a shell does, in a process of their own.
const SHELLS: [&str; 8] = ["sh", "bash", "dash", "zsh", "ksh", "ash", "rbash", "mksh"];

/// Variables every process has from the start.
const INHERITED: [&str; 6] = ["0", "HOME", "PATH", "PWD", "USER", "SHELL"];

/// What looking at one variable costs.
const VARIABLE_COST: usize = 32;

/// Here-documents as long as this are not kept where they are only copied.
const BODY_MAX: usize = 256 << 10;

impl Walker<'_> {
    /// What evaluating the arguments of `command` starts.
    pub(super) fn expressions(&mut self, command: &Command) {
        let arguments = command.words.get(1..).unwrap_or_default();
        let named = match command.program.as_str() {
            "let" => {
                for word in arguments {
                    self.evaluate(&word.text, word.span);
                    self.count_variables(&word.text);
                }
                true
            }
            "declare" | "typeset" | "local" | "export" | "readonly" => {
                let counts = |word: &Word| word.text.starts_with('-') && word.text.contains('i');
                self.counted |= arguments.iter().any(counts);
                for word in arguments {
                    if let Some((name, text)) = word.text.split_once('=') {
                        self.assigned(name, &Word { text: text.into(), ..word.clone() });
                    }
                }
                true
            }
            "printf" => arguments.first().is_some_and(|word| word.text.starts_with("-v")),
            "read" | "unset" | "test" | "[" | "wait" | "mapfile" | "readarray" | "getopts" => true,
            _ => false,
        };
        let subscripts = arguments.iter().filter(|word| named && has_subscript(&word.text));
        for word in subscripts {
            self.run_text(&word.text, word.span);
        }
        if let "mapfile" | "readarray" = command.program.as_str() {
            let at = arguments.iter().position(|word| callback(&word.text).is_some());
            let own =
                at.and_then(|at| arguments.get(at)).and_then(|word| Some((callback(&word.text)?, word)));
            let own = own.filter(|(text, _)| !text.is_empty());
            let own = own.map(|(text, word)| Word { text: text.into(), ..word.clone() });
            if let Some(word) = own.or_else(|| at.and_then(|at| arguments.get(at + 1)).cloned()) {
                // It is called with a number and a line.
                let text = Word { text: format_smolstr!("{} $INDEX \"$LINE\"", word.text), ..word.clone() };
                self.open_text(&text, &command.program, Vec::new());
            }
        }
    }

    /// `compgen` expands the words it is given, and runs a command.
    pub(super) fn complete(&mut self, arguments: &[Word]) {
        for pair in arguments.windows(2) {
            match pair {
                [option, words] if option.text == "-W" && words.exact => {
                    self.run_text(&words.text, words.span);
                }
                [option, text] if option.text == "-C" => self.open_text(text, "compgen", Vec::new()),
                _ => {}
            }
        }
    }

    /// A name with a subscript in `[[ -v … ]]`.
    pub(super) fn subscript_of(&mut self, parts: &[Part], span: Span) {
        if let Some(text) = parts.iter().map(Part::literal).collect::<Option<String>>()
            && text.contains('[')
        {
            self.run_text(&text, span);
        }
    }

    /// Values of variables that may be integers are evaluated when they are set;
    /// a prompt is expanded before every command, once `set -x` is in force.
    pub(super) fn assigned(&mut self, name: &str, value: &Word) {
        if name == "PS4" {
            self.run_prompt(&value.text, value.span);
        }
        if self.counted || value.exact && hides_in_subscript(&value.text) {
            self.run_text(&value.text, value.span);
            self.evaluate(&value.text, value.span);
        }
    }

    /// A shell of its own sees no variable but those that were exported.
    pub(super) fn enter_child(&mut self, program: &str) {
        if !SHELLS.contains(&program) || !self.grow(self.scope.count() * VARIABLE_COST) {
            return;
        }
        let exported: Vec<SmolStr> = self.exported.iter().map(|one| one.name.clone()).collect();
        let unsure = |name: &&SmolStr| !self.scope.is_sure(&state_key("export", name));
        let unsure: Vec<&SmolStr> = exported.iter().filter(unsure).collect();
        self.scope.forget(|name| {
            let known = name.strip_prefix("=export ").unwrap_or(name);
            INHERITED.contains(&name) || name == DIR || exported.iter().any(|one| one == known)
        });
        // Its parameters are its own and forgotten here; anyone who knows them sets them.
        for name in unsure {
            let mut options = self.scope.get(name).cloned().unwrap_or_default();
            options.push(OneOrMany::One(Text::unknown(format!("${name}"))));
            self.scope.set(name, options);
        }
    }

    /// Where nothing is given for it, `$0` is the shell itself.
    pub(super) fn name_child(&mut self, program: &str) {
        if SHELLS.contains(&program) {
            self.scope.set_one("0", Text::exact(program));
        }
    }

    /// A here-document of great length that is only copied somewhere: what it
    /// substitutes is followed, its text is not kept and no one knows it.
    pub(super) fn long_body(&mut self, simple: &Simple, raw: &RawRedirect) -> Option<Redirect> {
        let body = raw.text().filter(|_| raw.kind == RedirectKind::HereDoc)?;
        let length = |part: &Part| if let Part::Quoted(text) = part { text.len() } else { 0 };
        let copies = |text: &str| matches!(text, "cat" | "tee");
        let first = simple.words.first().map(|word| word.parts.as_slice());
        if body.parts.iter().map(length).sum::<usize>() < BODY_MAX
            || !matches!(first, Some([Part::Plain(text)]) if copies(text))
        {
            return None;
        }
        let kept = body.parts.iter().filter(|part| !matches!(part, Part::Quoted(_)));
        let kept: Pieces = kept.cloned().collect();
        let _ = self.single(&kept, body.span);
        let target = Word { text: "$body".into(), span: body.span, ..Word::default() };
        Some(Redirect { kind: raw.kind, target })
    }

    /// What a redirect puts on the standard input.
    pub(super) fn stream_of(&mut self, redirect: &Redirect, raw: &RawRedirect) -> Option<Stream> {
        if let Some(from) = raw.from.as_deref().filter(|from| *from != "0") {
            let stream = self.stream_on_input(redirect, Some("0")).filter(|_| !matches!(from, "1" | "2"));
            stream.into_iter().for_each(|stream| self.keep_numbered(from, stream));
            return None;
        }
        self.stream_on_input(redirect, raw.from.as_deref())
    }

    fn stream_on_input(&mut self, redirect: &Redirect, from: Option<&str>) -> Option<Stream> {
        let text = &redirect.target.text;
        match redirect.kind {
            RedirectKind::HereDoc if redirect.target.exact => Some(Stream::known(text.clone())),
            RedirectKind::HereString if redirect.target.exact => Some(Stream::known(format!("{text}\n"))),
            RedirectKind::HereDoc | RedirectKind::HereString => {
                // Unknown parts keep their spelling; a shell reading this text
                // is then opaque only where a command would stand.
                let download = self.streams.get(text).and_then(|stream| stream.download.clone());
                Some(Stream { download, paths: vec![redirect.target.clone()], ..Stream::default() })
            }
            RedirectKind::Read | RedirectKind::ReadWrite => {
                let path = self.path_key(&redirect.target);
                let known = self.streams.get(text).or_else(|| self.file(&path)).cloned();
                let known = known.or_else(|| self.descriptor(text)).or_else(|| from_socket(&redirect.target));
                Some(known.unwrap_or(Stream { is_file: true, ..Stream::default() }))
            }
            // `<&3`: what was put on that descriptor, or no one knows.
            RedirectKind::Duplicate if from == Some("0") && text != "-" && text != "0" => {
                let known = self.streams.get(format_smolstr!("/dev/fd/{text}").as_str()).cloned();
                Some(known.or_else(|| self.descriptors.clone()).unwrap_or_default())
            }
            _ => None,
        }
    }

    /// Remembers what a descriptor reads, for `<&3` and `/dev/fd/3`.
    pub(super) fn keep_numbered(&mut self, from: &str, stream: Stream) {
        let path = format_smolstr!("/dev/fd/{from}");
        if self.streams.get(&path).is_some_and(|known| known.text != stream.text) {
            self.overwritten.push(path.clone());
        }
        let old = self.streams.insert(path.clone(), stream);
        self.opened.push((path, old));
    }

    /// Descriptors opened since then were those of one command, which has ended.
    pub(super) fn close_numbered(&mut self, since: usize) {
        while self.opened.len() > since {
            match self.opened.pop() {
                Some((path, Some(old))) => self.streams.insert(path, old),
                Some((path, None)) => self.streams.remove(&path),
                None => return,
            };
        }
    }
}

/// What follows the `-C` of `mapfile`, in the same word. Only `t` can
/// stand before it, for all others take a value.
fn callback(option: &str) -> Option<&str> {
    option.strip_prefix('-')?.trim_start_matches('t').strip_prefix('C')
}

/// Could this be a name with a subscript? `$(tr [:upper:] x)` is none, and what
/// is in it has run already.
fn has_subscript(text: &str) -> bool {
    text.split_once('[').is_some_and(|(name, _)| {
        name.chars().all(|found| found.is_alphanumeric() || matches!(found, '_' | '$' | '{' | '}' | '-'))
    })
}
