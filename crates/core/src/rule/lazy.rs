//! A regular expression compiled when first asked: most rules a call meets
//! are settled before their pattern matters, and compiling costs more than
//! everything else a hook does.

use crate::rule::pattern_fault::regex_fault;
use regex::Regex;
use std::sync::OnceLock;

/// A pattern that is compiled on first use. INVARIANT: rules come from a
/// policy whose patterns were compiled when it was checked; one that does not
/// compile after all matches everything, which is the strict side for every
/// kind of rule but `approve` and `require`, and those never see it because
/// the image is bound to its policy by hash.
#[derive(Debug)]
pub(crate) struct LazyRegex {
    text: String,
    compiled: OnceLock<Option<Regex>>,
}

impl LazyRegex {
    pub(crate) fn new(text: &str) -> LazyRegex {
        LazyRegex { text: text.to_owned(), compiled: OnceLock::new() }
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Why it is not a pattern.
    pub(crate) fn fault(&self) -> Option<String> {
        regex_fault(&self.text).map(|fault| fault.message)
    }

    pub(crate) fn is_match(&self, text: &str) -> bool {
        let compiled = self.compiled.get_or_init(|| Regex::new(&self.text).ok());
        compiled.as_ref().is_none_or(|regex| regex.is_match(text))
    }
}

impl std::fmt::Display for LazyRegex {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.text)
    }
}
