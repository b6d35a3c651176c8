//! Why a request was made, taken apart: the sentence, the rule and where it is written.

/// From `sentence (rule, file:line)`, as a request keeps it.
#[must_use]
pub fn why_parts(text: &str) -> Option<(&str, &str, &str)> {
    let (sentence, rest) = text.strip_suffix(')')?.rsplit_once(" (")?;
    let (rule, source) = rest.split_once(", ")?;
    (!rule.contains(' ')).then_some((sentence, rule, source))
}
