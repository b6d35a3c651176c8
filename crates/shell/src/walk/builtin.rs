//! Builtins that change the shell itself: folder, variables, aliases.

use super::Walker;
use crate::one_or_many::OneOrMany;
use crate::reading::{Command, Unknown, Word};
use crate::scope::{OPTIONS_MAX, Options, Text, Typed, Value, hides, is_number, size_of, state_key};
use crate::stream::Stream;
use smol_str::format_smolstr;

/// Options of `set` by their letters.
const SET_LETTERS: &str = "abefhkmnprtuvxBCEHPTo";

impl Walker<'_> {
    /// Applies what `command` does to the shell that runs it.
    pub(super) fn builtin(&mut self, command: &Command, stdin: Option<&Stream>) {
        self.expressions(command);
        let arguments = command.words.get(1..).unwrap_or_default();
        match command.program.as_str() {
            "cd" | "chdir" => self.change_dir(arguments),
            "pushd" => self.push_dir(arguments),
            "popd" => self.pop_dir(arguments),
            "export" | "declare" | "typeset" | "local" | "readonly" => self.declare(command, arguments),
            "return" => self.returns += 1,
            "unset" => self.unset(arguments),
            "set" => {
                let keyword = |word: &&Word| {
                    word.text == "keyword" || word.text.starts_with('-') && word.text.contains('k')
                };
                if let Some(word) = arguments.iter().take_while(|word| word.text != "--").find(keyword) {
                    self.opaque(word.span, Unknown::Name, "words that are assignments".to_string());
                }
                self.set_positions(arguments);
                self.exports_all |= arguments.iter().take_while(|word| word.text != "--").any(exports_all);
            }
            "shopt" if arguments.iter().any(|word| word.text == "lastpipe") => {
                self.scope.set_one(&state_key("option", "lastpipe"), Text::exact("1"));
            }
            "compgen" => self.complete(arguments),
            "shift" => self.shift_positions(arguments),
            "read" => self.read_variables(arguments, stdin),
            "mapfile" | "readarray" => self.read_lines(arguments, stdin),
            "hash" => {
                if let [option, path, names @ ..] = arguments
                    && option.text == "-p"
                {
                    for name in names {
                        self.scope.set_alias(&name.text, &path.text);
                    }
                }
            }
            "alias" => self.alias(arguments),
            "git" if command.usage.sub() == "config" => {
                if let [name, value, ..] = command.usage.operands.as_slice()
                    && let Some(alias) = name.text.strip_prefix("alias.")
                {
                    self.scope.set_alias(&format!("git {alias}"), &value.text);
                }
            }
            "printf" => {
                if let Some((name, rest)) = printed_into(arguments) {
                    let inner = Command {
                        program: "printf".into(),
                        words: command.words.iter().take(1).chain(rest).cloned().collect(),
                        ..Command::default()
                    };
                    let text = crate::output::of(&inner, None, || None).text;
                    let value = text.map_or_else(|| Text::unknown(format!("${name}")), Text::exact);
                    self.scope.set_one(name, value);
                }
            }
            _ => {}
        }
    }

    fn unset(&mut self, arguments: &[Word]) {
        let functions = arguments.first().is_some_and(|word| word.text == "-f");
        for word in arguments.iter().filter(|word| !word.text.starts_with('-')) {
            match word.text.split_once('[') {
                _ if functions => {
                    self.scope.set_one(&state_key("function", &word.text), Text::unknown("unset"));
                }
                // Which items are left is not followed.
                Some((name, _)) => {
                    self.scope.set_one(name, Text::unknown(format_smolstr!("${{{name}[@]}}")));
                }
                None => self.scope.set(&word.text, OneOrMany::One(OneOrMany::default())),
            }
        }
    }

    fn alias(&mut self, arguments: &[Word]) {
        for word in arguments {
            let Some((name, text)) = word.text.split_once('=') else { continue };
            self.scope.set_alias(name, text);
            self.doubt_alias(name, text, word);
        }
    }

    fn declare(&mut self, command: &Command, arguments: &[Word]) {
        let letters = leading_options(arguments);
        let exports = command.program == "export" || has_letter(letters, &['x']);
        let refused = letters.iter().filter_map(|word| word.text.strip_prefix('-')).any(is_refused);
        for word in arguments.iter().filter(|word| !word.text.starts_with('-')) {
            match word.text.split_once('=') {
                Some((name, text)) => {
                    let adds = name.ends_with('+');
                    let name = name.trim_end_matches('+');
                    if command.program != "export" && !has_letter(letters, &['g']) {
                        self.hide(name);
                    }
                    if text.starts_with('(') && hides(text) {
                        // Read once more, as a list.
                        let list = format_smolstr!("{name}={text}");
                        self.open_text(&Word { text: list, ..word.clone() }, "declare", Vec::new());
                    }
                    // The tilde would be a home by now, unless it was quoted.
                    let exact = word.exact && !text.starts_with('~');
                    let list = self.take_list(name).filter(|_| !word.exact);
                    let is_list = list.is_some();
                    let mut options = match list {
                        Some(list) => OneOrMany::One(list),
                        None => self.declared(letters, text, exact),
                    };
                    if adds {
                        let added = options.into_iter().next().unwrap_or_default();
                        options = OneOrMany::One(self.appended(name, added, is_list));
                    }
                    if refused {
                        // Either way: other shells know other letters.
                        let old = self
                            .scope
                            .get(name)
                            .cloned()
                            .unwrap_or_else(|| OneOrMany::One(OneOrMany::default()));
                        options.extend(old.into_iter().take(OPTIONS_MAX - 1));
                    }
                    self.scope.set(name, options);
                    self.keep_attributes(letters, name, text, exact && !refused);
                    if exports {
                        self.export(name, Word { text: text.into(), ..word.clone() });
                    }
                    if command.program == "readonly" || has_letter(letters, &['r']) {
                        self.scope.fix(name);
                    }
                }
                None if exports => {
                    let value =
                        self.scope.get(&word.text).and_then(|options| options.first()?.first()).cloned();
                    if let Some(value) = value {
                        self.export(
                            &word.text,
                            Word { text: value.text, exact: value.exact, ..word.clone() },
                        );
                    }
                }
                None => {
                    if matches!(command.program.as_str(), "local" | "declare" | "typeset")
                        && !has_letter(letters, &['g', 'p', 'f', 'F'])
                    {
                        self.hide_value(&word.text);
                    }
                    self.keep_attributes(letters, &word.text, "", false);
                }
            }
        }
    }

    /// What `-i`, `-l`, `-u`, `-c` and `-n` make of values from now on.
    fn keep_attributes(&mut self, letters: &[Word], name: &str, text: &str, exact: bool) {
        let has = |letter: char| has_letter(letters, &[letter]);
        match (has('l'), has('u'), has('i') || has('c')) {
            (false, false, false) => {}
            (true, false, false) => self.scope.attribute(name, Typed::Lower),
            (false, true, false) => self.scope.attribute(name, Typed::Upper),
            _ => self.scope.attribute(name, Typed::Other),
        }
        if exact && has_letter(letters, &['n']) {
            self.scope.set_one(&state_key("ref", name), Text::exact(text));
        }
    }

    /// `local x` alone: in bash it has no value then, in other shells it keeps the old one.
    fn hide_value(&mut self, name: &str) {
        let Some(mut options) = self.scope.get(name).filter(|_| !self.hidden.is_empty()).cloned() else {
            return;
        };
        self.grow(size_of(&options));
        self.hide(name);
        if options.len() < OPTIONS_MAX {
            options.push(Value::default());
        }
        self.scope.set(name, options);
    }

    /// `local x` in a function: the old value comes back at its end.
    fn hide(&mut self, name: &str) {
        let old = self.scope.get(name).cloned();
        if let Some(hidden) = self.hidden.last_mut() {
            hidden.push((name.into(), old));
            let mark = state_key("ref", name);
            let old = self.scope.get(&mark).cloned();
            hidden.push((mark, old));
        }
    }

    /// `declare -l`, `-u` and `-n` change what the value means.
    fn declared(&mut self, letters: &[Word], text: &str, exact: bool) -> Options {
        let has = |letter: char| has_letter(letters, &[letter]);
        if has('n') {
            let bytes = self.scope.get(text).map_or(0, size_of);
            let known = if self.grow(bytes) { self.scope.get(text).cloned() } else { None };
            return known
                .unwrap_or_else(|| OneOrMany::One(OneOrMany::One(Text::unknown(format!("${text}")))));
        }
        let exact = exact && (!has('i') || is_number(text));
        let text = match (has('l'), has('u')) {
            (true, _) => text.to_lowercase(),
            (_, true) => text.to_uppercase(),
            _ if has('c') => {
                let mut rest = text.chars();
                rest.next().into_iter().flat_map(char::to_uppercase).chain(rest).collect()
            }
            _ => text.to_string(),
        };
        OneOrMany::One(OneOrMany::One(Text { text: text.into(), exact }))
    }

    /// The list that was given to `declare name=(…)`.
    fn take_list(&mut self, name: &str) -> Option<Value> {
        let is_next = self.lists.front().is_some_and(|(known, _)| known == name);
        if is_next { self.lists.pop_front().map(|(_, list)| list) } else { None }
    }

    /// With `set -a`, what was just assigned is seen by every program.
    pub(super) fn export_all(&mut self, name: &str) {
        let value =
            self.scope.get(name).filter(|_| self.exports_all).and_then(|options| options.last()?.first());
        if let Some(Text { text, exact }) = value.cloned() {
            self.export(name, Word { text, exact, ..Word::default() });
        }
    }

    /// `set -- a b`: the positional parameters.
    fn set_positions(&mut self, arguments: &[Word]) {
        let mut from = 0;
        let mut refused = false;
        while let Some(word) = arguments.get(from) {
            // With an option it does not know, nothing is set – in bash.
            let letters = word.text.strip_prefix(['-', '+']).filter(|letters| *letters != "-").unwrap_or("");
            refused |= letters.contains(|letter: char| !SET_LETTERS.contains(letter));
            match word.text.as_str() {
                "--" | "-" => {
                    from += 1;
                    break;
                }
                // `-o pipefail`: the name belongs to the option.
                text if text.starts_with(['-', '+']) => from += if text.ends_with('o') { 2 } else { 1 },
                _ => break,
            }
        }
        let only_options = from >= arguments.len() && arguments.last().is_none_or(|word| word.text != "--");
        if !only_options {
            self.is_given = false;
            let all: Value = arguments.iter().skip(from).map(Text::of).collect();
            // What is not known may be nothing, and what follows moves up.
            let moves_up = all.windows(2).any(|pair| matches!(pair, [one, two] if !one.exact && two.exact));
            let known = moves_up.then(|| all.iter().filter(|text| text.exact).cloned().collect());
            let before = self.scope.get("@").cloned().filter(|_| refused);
            let before = before.unwrap_or_else(|| OneOrMany::One(OneOrMany::One(Text::unknown("$@"))));
            let unchanged = before.into_iter().take(if refused { OPTIONS_MAX - 2 } else { 0 });
            self.scope.set("@", std::iter::once(all).chain(known).chain(unchanged).collect());
        }
    }

    /// `shift 2`: what cannot be shifted stays.
    fn shift_positions(&mut self, arguments: &[Word]) {
        let count = match arguments {
            [] => Some(1),
            [word] if word.exact => Some(word.text.parse().unwrap_or(0)),
            [_] => None,
            _ => Some(0),
        };
        let bytes = self.scope.get("@").map_or(0, size_of);
        if !self.grow(bytes) {
            return;
        }
        let left = |value: &Value| -> Value {
            // However many there are: behind one that is not known, more may be left.
            let some = |text: &Text| !text.exact && text.text == "$@";
            match count.filter(|count| !value.iter().take(*count).any(some)) {
                Some(count) => value.get(count..).unwrap_or(value).iter().cloned().collect(),
                None => OneOrMany::One(Text::unknown("$@")),
            }
        };
        let moved: Option<Options> = self.scope.get("@").map(|options| options.iter().map(left).collect());
        moved.into_iter().for_each(|options| self.scope.set("@", options));
    }
}

/// `set -a`, `set -o allexport`.
fn exports_all(word: &Word) -> bool {
    let letters = word.text.strip_prefix('-').filter(|letters| !letters.starts_with('-'));
    word.text == "allexport" || letters.is_some_and(|letters| letters.contains('a'))
}

/// The options of `declare`: behind the first name, `-c`
/// is a bad name and no option.
fn leading_options(arguments: &[Word]) -> &[Word] {
    let is_option = |word: &&Word| word.text.len() > 1 && word.text.starts_with(['-', '+']);
    arguments.split_at(arguments.iter().take_while(is_option).count()).0
}

/// Is one of the letters among the options of `declare`?
fn has_letter(options: &[Word], letters: &[char]) -> bool {
    options.iter().any(|word| word.text.starts_with('-') && word.text.contains(letters))
}

/// Does `declare` know one of these letters not? Then it sets nothing.
fn is_refused(letters: &str) -> bool {
    letters != "-" && letters.chars().any(|letter| !"aAcfFgiIlnprtux".contains(letter))
}

/// The variable `printf -v X` or `printf -vX` writes to, and what follows.
fn printed_into(arguments: &[Word]) -> Option<(&str, &[Word])> {
    match arguments {
        [option, name, rest @ ..] if option.text == "-v" => Some((&name.text, rest)),
        [option, rest @ ..] => Some((option.text.strip_prefix("-v").filter(|name| !name.is_empty())?, rest)),
        [] => None,
    }
}
