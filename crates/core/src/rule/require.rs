//! What a `require` rule demands, and what of it is missing.

use crate::completion::only_looks;
use crate::guard::Seen;
use crate::outcome::Outcome;
use crate::rule::compiled::{Check, RuleFault};
use crate::rule::data::{Otherwise, Requirement};
use crate::rule::lazy::LazyRegex;
use crate::rule::matching::{Hit, has_flag, param_matches};
use toolgate_shell::{Command, RedirectKind};

/// Compiled requirement; empty for rules of other kinds.
#[derive(Debug, Default)]
pub(crate) struct Must {
    flags: Vec<String>,
    regex: Option<LazyRegex>,
    message: Option<LazyRegex>,
    params: Vec<(String, LazyRegex)>,
    ran: Option<LazyRegex>,
    fresh: bool,
    otherwise: Otherwise,
}

impl Must {
    pub(crate) fn new(requirement: Option<&Requirement>, check: &Check<'_>) -> Result<Must, RuleFault> {
        let Some(wanted) = requirement else { return Ok(Must::default()) };
        Ok(Must {
            flags: wanted.flags.0.clone(),
            regex: check.regex(wanted.regex.as_ref())?,
            message: check.regex(wanted.message.as_ref())?,
            params: check.params(&wanted.params)?,
            // From the program on: `echo cargo test` is not `cargo test`.
            ran: check.regex(wanted.ran.as_ref().map(|pattern| format!("^(?:{pattern})")).as_ref())?,
            fresh: wanted.fresh,
            otherwise: wanted.otherwise,
        })
    }

    pub(crate) fn outcome(&self) -> Outcome {
        match self.otherwise {
            Otherwise::Block => Outcome::Block,
            Otherwise::Escalate => Outcome::Escalate,
            Otherwise::Warn => Outcome::Warn,
        }
    }

    /// The first thing missing, in words; `None` when everything holds.
    pub(crate) fn missing(&self, seen: &Seen<'_>, hit: &Hit) -> Option<String> {
        self.missing_in_session(seen).or_else(|| self.missing_in_input(seen)).or_else(|| {
            seen.facts
                .commands()
                .filter(|(at, _)| hit.commands.contains(at))
                .find_map(|(_, c)| self.missing_in_command(c))
        })
    }

    fn missing_in_session(&self, seen: &Seen<'_>) -> Option<String> {
        let ran = self.ran.as_ref()?;
        let (list, since) = match self.fresh {
            true => (&seen.session.fresh, "since the last change"),
            false => (&seen.session.ran, "in this session"),
        };
        // `cargo test --help` shows nothing, unless that is what the rule asks for.
        let shows = |command: &str| !only_looks(command) || only_looks(&ran.to_string());
        let done = list.iter().any(|command| ran.is_match(command) && shows(command));
        (!done).then(|| format!("no command matching `{ran}` has succeeded {since}"))
    }

    fn missing_in_input(&self, seen: &Seen<'_>) -> Option<String> {
        let input = &seen.event.call.input;
        let (name, regex) = self.params.iter().find(|(name, regex)| !param_matches(input, name, regex))?;
        Some(format!("the field `{name}` does not match `{regex}`"))
    }

    fn missing_in_command(&self, command: &Command) -> Option<String> {
        if let Some(flag) = self.flags.iter().find(|flag| !has_flag(command, flag)) {
            return Some(format!("`{}` lacks `{flag}`", command.normal()));
        }
        if let Some(regex) = self.regex.as_ref().filter(|regex| !regex.is_match(&command.normal())) {
            return Some(format!("`{}` does not match `{regex}`", command.normal()));
        }
        let message = self.message.as_ref()?;
        let given: Vec<&str> = messages(command).collect();
        (!given.iter().any(|text| message.is_match(text)))
            .then(|| format!("the message does not match `{message}`"))
    }
}

/// The messages a command is given: by option, or on its input for `-F -`.
fn messages(command: &Command) -> impl Iterator<Item = &str> {
    let flags = &command.usage.flags;
    let named = flags.iter().filter(|flag| matches!(flag.name.as_str(), "--message" | "-m"));
    let from_input = flags.iter().any(|flag| {
        let value = flag.value.as_ref().map_or("", |word| word.text.as_str());
        matches!(flag.name.as_str(), "--file" | "-F") && matches!(value, "-" | "/dev/stdin")
    });
    let here = command.redirects.iter().filter(move |one| {
        from_input && matches!(one.kind, RedirectKind::HereDoc | RedirectKind::HereString)
    });
    let texts = named.filter_map(|flag| flag.value.as_ref()).chain(here.map(|one| &one.target));
    texts.map(|word| word.text.as_str())
}
