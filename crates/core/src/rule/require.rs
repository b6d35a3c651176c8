//! What a `require` rule demands, and what of it is missing.

use crate::completion::only_looks;
use crate::guard::Seen;
use crate::outcome::Outcome;
use crate::rule::compiled::{Check, RuleFault};
use crate::rule::data::{Otherwise, Requirement};
use crate::rule::lazy::LazyRegex;
use crate::rule::matching::{Hit, has_flag, param_matches};
use crate::rule::message::{headers_in, headers_of, messages};
use toolgate_shell::Command;

/// Compiled requirement; empty for rules of other kinds.
#[derive(Debug, Default)]
pub(crate) struct CompiledRequirement {
    flags: Vec<String>,
    regex: Option<LazyRegex>,
    message: Option<LazyRegex>,
    params: Vec<(String, LazyRegex)>,
    ran: Option<LazyRegex>,
    fresh: bool,
    headers: Vec<String>,
    backup: bool,
    otherwise: Otherwise,
}

impl CompiledRequirement {
    pub(crate) fn new(
        requirement: Option<&Requirement>,
        check: &Check<'_>,
    ) -> Result<CompiledRequirement, RuleFault> {
        let Some(wanted) = requirement else { return Ok(CompiledRequirement::default()) };
        Ok(CompiledRequirement {
            flags: wanted.flags.0.clone(),
            regex: check.regex(wanted.regex.as_ref())?,
            message: check.regex(wanted.message.as_ref())?,
            params: check.params(&wanted.params)?,
            // From the program on: `echo cargo test` is not `cargo test`.
            ran: check.regex(wanted.ran.as_ref())?.map(|own| LazyRegex::new(&format!("^(?:{})", own.text()))),
            fresh: wanted.fresh,
            headers: wanted.headers.iter().map(str::to_ascii_lowercase).collect(),
            backup: wanted.backup,
            otherwise: wanted.otherwise,
        })
    }

    pub(crate) fn outcome(&self) -> Outcome {
        match self.otherwise {
            Otherwise::Block => Outcome::Block,
            Otherwise::Ask => Outcome::Ask,
            Otherwise::Warn => Outcome::Warn,
        }
    }

    /// The copies that must be made before the call runs, if any must.
    pub(crate) fn backup(&self) -> Option<Outcome> {
        self.backup.then_some(Outcome::Backup { otherwise: self.otherwise })
    }

    /// The first thing missing, in words; `None` when everything holds.
    pub(crate) fn missing(&self, seen: &Seen<'_>, hit: &Hit) -> Option<String> {
        self.missing_in_session(seen).or_else(|| self.missing_in_input(seen)).or_else(|| {
            seen.facts
                .commands()
                .filter(|(at, _)| hit.commands.contains(at))
                .find_map(|(_, c)| self.missing_in_command(seen, c))
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
        let wrong = self.params.iter().find(|(name, regex)| !param_matches(input, name, regex));
        if let Some((name, regex)) = wrong {
            return Some(format!("the field `{name}` does not match `{regex}`"));
        }
        if seen.event.call.command().is_some() {
            return None;
        }
        self.missing_header(&headers_in(input))
    }

    fn missing_header(&self, given: &[String]) -> Option<String> {
        let missing = self.headers.iter().find(|name| !given.contains(name))?;
        Some(format!("the header `{missing}` is missing"))
    }

    fn missing_in_command(&self, seen: &Seen<'_>, command: &Command) -> Option<String> {
        if let Some(flag) = self.flags.iter().find(|flag| !has_flag(command, flag)) {
            return Some(format!("`{}` lacks `{flag}`", command.normal()));
        }
        if let Some(regex) = self.regex.as_ref().filter(|regex| !regex.is_match(&command.normal())) {
            return Some(format!("`{}` does not match `{regex}`", command.normal()));
        }
        if let Some(missing) = self.missing_header(&headers_of(command)) {
            return Some(missing);
        }
        let message = self.message.as_ref()?;
        (!messages(seen, command).iter().any(|text| message.is_match(text)))
            .then(|| format!("the message does not match `{message}`"))
    }
}
