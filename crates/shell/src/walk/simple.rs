//! One simple command: expanded, listed, and followed into what it starts.

use std::rc::Rc;
use std::sync::Arc;

use smol_str::{SmolStr, format_smolstr};

use super::fd_output::brings;
use super::flow::is_descriptor;
use super::links::{is_errors, is_quiet, leaves};
use super::named::program_name;
use super::{Walker, join_path};
use crate::effect_kind::EffectKind;
use crate::one_or_many::OneOrMany;
use crate::output;
use crate::programs;
use crate::reading::{Assignment, Command, Effect, Redirect, RedirectKind, Span, Word};
use crate::scope::{OPTIONS_MAX, Options, Text, Value, concat, size_of, size_of_value, state_key};
use crate::stream::Stream;
use crate::tree::{Part, RawAssignment, RawRedirect, RawWord, Simple};

/// Exported variables that are carried to later commands.
pub(super) const EXPORTED_MAX: usize = 256;

/// Larger values than this are not copied.
const VALUE_MAX: usize = 4 << 20;

/// A command ready to be listed.
#[derive(Debug, Clone, Default)]
pub(super) struct PendingCommand {
    pub(super) span: Span,
    pub(super) words: Vec<Word>,
    pub(super) assignments: Vec<Assignment>,
    pub(super) redirects: Vec<Redirect>,
    /// Overrides the folder (`env -C`).
    pub(super) dir: Option<Word>,
    /// The file its output goes to.
    pub(super) written: Option<Word>,
    /// Its errors go there as well.
    pub(super) with_errors: bool,
    /// It goes elsewhere, and this is left of it.
    pub(super) left: Option<Option<String>>,
    /// Descriptors whose text comes into the output, which itself goes elsewhere.
    pub(super) brings: Vec<SmolStr>,
    /// The words no longer stand in the text as they are used.
    pub(super) moved: bool,
}

impl Walker<'_> {
    pub(super) fn simple(&mut self, simple: &Simple, stdin: Option<&Stream>) -> Stream {
        let mut assigned: Vec<(SmolStr, Options)> = Vec::new();
        let was_in_place = self.in_place;
        let opened = self.opened.len();
        let before = self.values_before(simple);
        let out = self.in_rounds(|walker| walker.simple_once(simple, stdin, was_in_place, &mut assigned));
        if !simple.words.iter().any(is_exec) {
            self.close_numbered(opened);
        }
        self.in_place = was_in_place;
        for (name, mut options) in assigned {
            if let Some((_, old)) = before.iter().find(|(known, _)| *known == name) {
                let room = OPTIONS_MAX.saturating_sub(options.len());
                let others: Vec<Value> =
                    old.iter().filter(|value| !options.contains(value)).take(room).cloned().collect();
                options.extend(others);
            }
            self.scope.set(&name, options);
            self.export_all(&name);
        }
        out
    }

    fn simple_once(
        &mut self,
        simple: &Simple,
        stdin: Option<&Stream>,
        was_in_place: bool,
        assigned: &mut Vec<(SmolStr, Options)>,
    ) -> Stream {
        let writing = self.writing.len();
        let lists = std::mem::take(&mut self.lists);
        let (call, values, own) = self.expand_simple(simple);
        self.in_place = was_in_place && self.choice.is_single();
        let out = if call.words.is_empty() {
            if !self.grow((assigned.len() + values.len()) * values.len() * 4) {
                self.lists = lists;
                return Stream::unknown();
            }
            collect(assigned, values);
            self.run_subscripts(call.span);
            self.only_redirects(call)
        } else {
            let scoped = self.assign_for_call(unspelled(values, &call.words));
            let out = self.call(call, own.as_ref().or(stdin));
            for (name, old) in scoped.into_iter().rev() {
                self.scope.restore(&name, old);
            }
            out
        };
        self.writing.truncate(writing);
        self.lists = lists;
        out
    }

    /// Values of what is assigned behind an item no one knows the number of: bash
    /// may refuse that, and all that follows it with it.
    fn values_before(&self, simple: &Simple) -> Vec<(SmolStr, Options)> {
        let unknown = |one: &RawAssignment| {
            one.index.as_ref().is_some_and(|index| index.iter().any(|part| part.literal().is_none()))
        };
        let behind = simple.assignments.iter().skip_while(|one| !unknown(one)).skip(1);
        let value = |one: &RawAssignment| {
            let unset = || OneOrMany::One(OneOrMany::One(Text::unknown(format_smolstr!("${}", one.name))));
            (one.name.clone(), self.scope.get(&one.name).cloned().unwrap_or_else(unset))
        };
        behind.map(value).collect()
    }

    /// `X=1 f` sets `X` only while `f` runs. Functions and `eval` see it.
    pub(super) fn assign_for_call(
        &mut self,
        values: Vec<(SmolStr, Value)>,
    ) -> Vec<(SmolStr, Option<Options>)> {
        let mut old = Vec::new();
        for (name, value) in values {
            let before = self.scope.get(&name).cloned();
            self.grow(before.as_ref().map_or(0, size_of));
            let exported = state_key("export", &name);
            old.push((exported.clone(), self.scope.get(&exported).cloned()));
            self.scope.set_one(&exported, Text::exact("1"));
            old.push((name.clone(), before));
            self.scope.set(&name, OneOrMany::One(value));
        }
        old
    }

    fn expand_simple(&mut self, simple: &Simple) -> (PendingCommand, Vec<(SmolStr, Value)>, Option<Stream>) {
        let words = Vec::with_capacity(simple.words.len());
        let mut call = PendingCommand { span: simple.span, words, ..PendingCommand::default() };
        let mut values = Vec::new();
        for raw in &simple.assignments {
            let (value, word) = self.expand_assignment(raw);
            call.assignments.push(Assignment { name: raw.name.clone(), value: word });
            if simple.words.is_empty() {
                // `A=1 B=$A` alone on a line: the second sees the first.
                self.scope.set(&raw.name, OneOrMany::One(value.clone()));
            }
            values.push((raw.name.clone(), value));
        }
        for word in &simple.words {
            self.add_fields(word, &mut call.words);
        }
        let mut own = None;
        for raw in &simple.redirects {
            let redirect = self.long_body(simple, raw).unwrap_or_else(|| self.expand_redirect(raw));
            own = self.stream_of(&redirect, raw).or(own);
            if self.takes_output(&redirect, raw) {
                call.written = Some(redirect.target.clone());
            }
            call.brings.extend(brings(raw).filter(|_| call.written.is_none()));
            call.with_errors |= is_errors(raw);
            call.left = leaves(raw).or(call.left);
            call.redirects.push(redirect);
        }
        (call, values, own)
    }

    fn expand_assignment(&mut self, raw: &RawAssignment) -> (Value, Word) {
        if let Some(index) = &raw.index {
            self.arithmetic(index, raw.value.span);
        }
        let (mut value, word) = match raw.value.parts.as_slice() {
            [Part::Array(items)] => {
                let mut words = Vec::new();
                for item in items.iter() {
                    words.extend(self.fields(item));
                }
                let value = self.list_of(&raw.name, &words);
                (value, Word { text: "(…)".into(), span: raw.value.span, ..Word::default() })
            }
            parts => {
                let word = self.value(parts, raw.value.span);
                (OneOrMany::One(Text { text: word.text.clone(), exact: word.exact }), word)
            }
        };
        self.assigned(&raw.name, &word);
        if let Some(index) = &raw.index {
            let key = self.single(index, raw.value.span);
            value = self.list_with(&raw.name, &key, &word);
        } else if raw.append {
            let is_list = matches!(raw.value.parts.as_slice(), [Part::Array(_)]);
            value = self.appended(&raw.name, value, is_list);
        }
        (value, word)
    }

    pub(super) fn appended(&mut self, name: &str, value: Value, is_list: bool) -> Value {
        let unknown = || OneOrMany::One(Text::unknown(format_smolstr!("${name}")));
        let Some(options) = self.scope.get(name) else {
            // Most of what is not set is empty.
            return match value.as_slice() {
                [only] if !is_list => OneOrMany::One(Text::unknown(concat(&["${", name, "}", &only.text]))),
                _ => unknown(),
            };
        };
        let now = self.choice.pick(name, options.len()).and_then(|at| options.get(at));
        let bytes = now.map_or(0, |value| size_of_value(value));
        let now = now.filter(|_| bytes < VALUE_MAX).cloned();
        let Some(mut old) = now.filter(|_| self.grow(bytes)) else { return unknown() };
        match (old.last_mut(), value.as_slice()) {
            (Some(last), [only]) if !is_list => {
                last.text = concat(&[&last.text, &only.text]);
                last.exact &= only.exact;
            }
            _ => old.extend(value),
        }
        old
    }

    pub(super) fn expand_redirect(&mut self, raw: &RawRedirect) -> Redirect {
        let target = match (raw.kind, raw.text()) {
            (RedirectKind::HereDoc, Some(body)) => self.single(&body.parts, body.span),
            _ => self.single(&raw.target.parts, raw.target.span),
        };
        Redirect { kind: raw.kind, target }
    }

    /// Lists one command and follows it.
    pub(super) fn call(&mut self, call: PendingCommand, stdin: Option<&Stream>) -> Stream {
        let cost = self.cost_of(&call, stdin);
        if !self.grow(cost) {
            return Stream::unknown();
        }
        if self.depth >= super::DEPTH_MAX {
            self.fail(call.span, "nested too deeply");
            return Stream::unknown();
        }
        self.depth += 1;
        let stream = self.call_here(call, stdin);
        self.depth -= 1;
        stream
    }

    fn call_here(&mut self, call: PendingCommand, stdin: Option<&Stream>) -> Stream {
        let mut call = call;
        let written = call.written.take();
        let (with_errors, left) = (call.with_errors, call.left.take());
        let brings = std::mem::take(&mut call.brings);
        let from_descriptor = self
            .descriptors
            .as_ref()
            .filter(|_| stdin.is_none() && call.redirects.iter().any(is_descriptor))
            .cloned();
        let input = self.input.clone();
        let stdin = stdin.or(from_descriptor.as_ref()).or(input.as_deref());
        let command = Arc::new(self.command_of(call, stdin));
        self.keep_input(&command, stdin);
        let index = self.list_command(&command);
        self.last_listed = Some(index);
        if command.program.is_empty() {
            let first = command.words.first().cloned().unwrap_or_default();
            let kind = self.kind_of_name(&first.text);
            self.mark_download(index, &first.text);
            self.opaque(first.span, kind, format!("command named by `{}`", first.text));
            self.call_without_first(&command, stdin);
            return Stream { from: Some(index), ..Stream::default() };
        }
        if command.words.iter().any(|word| !word.exact) {
            self.doubt_arguments(&command);
            self.guess_arguments(&command, stdin);
        }
        let starter = self.starter.replace(index);
        let since = self.open_sent(&brings);
        let returned = self.follow(&command, index, stdin);
        self.starter = starter;
        self.run_subscripts(command.span);
        let mut out = returned.unwrap_or_else(|| output::of(&command, stdin, || self.here()));
        if let Some(known) = self.printed_file(&command) {
            out = known;
        }
        out.from = Some(index);
        if with_errors && written.is_some() && !is_quiet(&command.program) {
            out.text = None;
        }
        if let Some(text) = left.filter(|_| written.is_none()) {
            self.send(&command, &out);
            if let Some(file) = self.descriptor_file(&command) {
                self.keep_written(&file, &out, true);
            }
            (out.text, out.other) = (text, None);
        }
        self.remember_writes(&command, &out, written.as_ref());
        match self.close_sent(since).filter(|_| written.is_some()) {
            Some(sent) => Stream { from: Some(index), ..sent },
            None if written.is_some() => Stream { from: Some(index), ..Stream::silent() },
            None => out,
        }
    }

    /// `$x git …`: without a value, `$x` is no word at all.
    fn call_without_first(&mut self, command: &Command, stdin: Option<&Stream>) {
        let gone = command.words.iter().take_while(|word| crate::options::may_vanish(word)).count();
        let rest = command.words.get(gone..).unwrap_or_default();
        let named = rest.first().is_some_and(|word| word.exact && programs::is_known(&program_name(word)));
        if named && gone > 0 {
            let call = PendingCommand {
                span: command.span,
                words: rest.to_vec(),
                assignments: command.assignments.clone(),
                redirects: command.redirects.clone(),
                moved: true,
                ..PendingCommand::default()
            };
            let _ = self.call(call, stdin);
        }
    }

    fn command_of(&mut self, call: PendingCommand, stdin: Option<&Stream>) -> Command {
        let program = call.words.first().map(program_name).unwrap_or_default();
        let mut assignments = self.exported.clone();
        assignments.extend(call.assignments);
        let mut redirects = call.redirects;
        redirects.extend(self.carried.iter().cloned());
        let in_place = self.in_place && !call.moved && !shares_span(&call.words);
        let mut command = Command {
            span: call.span,
            program,
            words: call.words,
            assignments,
            redirects,
            via: self.via.clone(),
            started_by: self.starter,
            dir: call.dir.or_else(|| self.dir_now()),
            piped_from: stdin.and_then(|stream| stream.from),
            quotes: Vec::new(),
            in_place,
            ..Command::default()
        };
        let from_pipe = stdin.and_then(|stream| stream.text.as_deref()).or_else(|| self.patch_text(&command));
        self.add_options(&mut command);
        programs::study(&mut command, from_pipe);
        self.mark_new(&mut command);
        command.quotes = self.quoted(&command);
        if self.away {
            command.effects.retain(|effect| !effect.kind.is_local());
        }
        self.move_dir(&mut command);
        self.drop_effects_when_saved(&mut command);
        self.look_at_hooks(&mut command);
        command
    }

    /// `git -C x` and `make -C x` run in `x`.
    fn move_dir(&self, command: &mut Command) {
        if !matches!(command.program.as_str(), "git" | "make" | "gmake") {
            return;
        }
        if let Some(path) = command.usage.value("-C") {
            let here = command.dir.take().map(|dir| dir.text).unwrap_or_default();
            command.dir = Some(Word { text: join_path(&here, &path.text), ..path.clone() });
        }
    }

    pub(super) fn add_effect(&mut self, index: usize, kind: EffectKind, target: Option<Word>) {
        let effect = Effect { kind, target };
        if let Some(command) = self.commands.get_mut(index)
            && !command.effects.contains(&effect)
        {
            Arc::make_mut(command).effects.push(effect);
        }
    }

    /// Follows the command into what it starts. Variables set in front of it
    /// reach everything it starts.
    fn follow(&mut self, command: &Command, index: usize, stdin: Option<&Stream>) -> Option<Stream> {
        self.builtin(command, stdin);
        self.open_descriptors(command);
        if command.assignments.len() == self.exported.len() {
            return self.follow_into(command, index, stdin);
        }
        let inherited = command.assignments.iter().rev().take(EXPORTED_MAX).rev().cloned().collect();
        let exported = std::mem::replace(&mut self.exported, inherited);
        let returned = self.follow_into(command, index, stdin);
        self.exported = exported;
        returned
    }

    /// What a function it calls prints, if it calls one.
    fn follow_into(&mut self, command: &Command, index: usize, stdin: Option<&Stream>) -> Option<Stream> {
        let mut returned = None;
        let bodies = self.scope.function(&command.program);
        if !bodies.is_empty() && command.words.first().is_some_and(|word| word.text == command.program) {
            // The name may also still be the program: where a definition is
            // in a branch, it may never have run.
            returned = self.call_function(command, &bodies, stdin);
        }
        for text in self.scope.alias(&command.program).to_vec() {
            self.call_alias(command, &text);
        }
        if command.program == "git" && self.scope.has_aliases() {
            for text in self.scope.alias(&format!("git {}", command.usage.sub())).to_vec() {
                self.open_one(command, index, stdin, crate::wrappers::git_alias(command, &text));
            }
        }
        let printed = self.open(command, index, stdin);
        returned.or(printed)
    }

    fn call_function(
        &mut self,
        command: &Command,
        bodies: &[Rc<crate::tree::Node>],
        stdin: Option<&Stream>,
    ) -> Option<Stream> {
        let bodies: Vec<_> = bodies.iter().filter(|body| self.may_enter(body, command)).cloned().collect();
        if bodies.is_empty() {
            return None;
        }
        let by_name =
            !self.via.last().is_some_and(|via| matches!(via.as_str(), "command" | "builtin" | "env"));
        let sure = by_name && self.scope.is_sure(&state_key("function", &command.program));
        let returns = self.returns;
        let mark = self.scope.checkpoint();
        let arguments: Rc<Value> = Rc::new(command.words.iter().skip(1).map(Text::of).collect());
        let outer = self.scope.get("@").cloned();
        self.grow(outer.as_ref().map_or(0, size_of));
        let was_in_place = std::mem::replace(&mut self.in_place, false);
        // One that calls itself is not followed to its end.
        let is_given = bodies.len() == 1 && !self.calls.contains(&command.program);
        self.via.push(command.program.clone());
        self.calls.push(command.program.clone());
        let mut out = Stream::unknown();
        for body in &bodies {
            self.hidden.push(Vec::new());
            self.called.insert(Rc::as_ptr(body));
            self.scope.set("@", OneOrMany::One(Value::clone(&arguments)));
            self.bodies.push((Rc::as_ptr(body), Rc::clone(&arguments)));
            let is_given = is_given && self.knows_given();
            out = self.with_given(is_given, |walker| walker.node(body, stdin));
            self.bodies.pop();
            for (name, old) in self.hidden.pop().unwrap_or_default().into_iter().rev() {
                self.scope.restore(&name, old);
            }
        }
        self.calls.pop();
        self.via.pop();
        self.in_place = was_in_place;
        self.scope.restore("@", outer);
        if !sure || bodies.len() > 1 || self.returns > returns {
            // It may not be defined where it is called, or otherwise, or return before its end.
            let changes = self.scope.take_changes(mark);
            self.merge(&[changes], true);
            out.text = None;
        }
        (bodies.len() == 1).then_some(out)
    }
}

/// `X=1 eval $X`: the value of before is meant, and where that is not known,
/// the new one does not stand for it.
fn unspelled(mut values: Vec<(SmolStr, Value)>, words: &[Word]) -> Vec<(SmolStr, Value)> {
    for (name, value) in &mut values {
        let spells = |word: &Word| !word.exact && word.text.contains(name.as_str());
        if words.iter().any(spells) {
            *value = OneOrMany::One(Text::unknown(format!("${name}")));
        }
    }
    values
}

/// What `exec` opens stays open, and so does what it opens in some wrapper.
fn is_exec(word: &RawWord) -> bool {
    !matches!(word.parts.as_slice(), [Part::Plain(text) | Part::Quoted(text)] if text != "exec" && text != "eval")
}

/// Words made from one (`{a,b}`) cannot be replaced one by one.
fn shares_span(words: &[Word]) -> bool {
    words.windows(2).any(|pair| matches!(pair, [one, two] if one.span == two.span))
}

fn collect(assigned: &mut Vec<(SmolStr, Options)>, values: Vec<(SmolStr, Value)>) {
    for (name, value) in values {
        match assigned.iter_mut().find(|(known, _)| *known == name) {
            Some((_, options)) if !options.contains(&value) => options.push(value),
            Some(_) => {}
            None => assigned.push((name, OneOrMany::One(value))),
        }
    }
}
