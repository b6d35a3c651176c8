//! Reads what a project knows about itself from TOML, with errors a person can
//! act on: file, line, caret, fix.

use crate::yaml::{FaultLevel, PolicyFault, at_needle, reword};
use toolgate_core::{Knowledge, KnowledgeEntry, Source};

/// Largest knowledge file read.
const SIZE_MAX: usize = 1 << 20;

/// Reads one knowledge file.
///
/// # Errors
/// What is wrong with it and where.
pub(crate) fn parse(file: &str, bytes: &[u8]) -> Result<KnowledgeEntry, PolicyFault> {
    if bytes.len() > SIZE_MAX {
        return Err(PolicyFault::of_file(
            file,
            "the file is larger than 1 MiB",
            "remove entries the project does not need",
        ));
    }
    let text = std::str::from_utf8(bytes)
        .map_err(|_| PolicyFault::of_file(file, "the file is not UTF-8 text", "save it as UTF-8"))?;
    let knowledge: Knowledge = toml::from_str(text).map_err(|error| toml_fault(file, text, &error))?;
    if let Some(fault) = knowledge.faults().first() {
        return Err(at_needle(file, text, 1, &fault.needle, fault.message.clone(), &fault.cure));
    }
    Ok(KnowledgeEntry { source: Source { file: file.to_owned(), line: 0 }, knowledge })
}

fn toml_fault(file: &str, text: &str, error: &toml::de::Error) -> PolicyFault {
    let start = error.span().map_or(0, |span| span.start);
    let before = text.get(..text.floor_char_boundary(start)).unwrap_or_default();
    let line = before.matches('\n').count().saturating_add(1);
    let column = before.rsplit('\n').next().map_or(0, |line| line.chars().count()).saturating_add(1);
    let (message, cure, length) = reword(error.message().lines().next().unwrap_or_default());
    let (level, file, text) = (FaultLevel::Error, file.to_owned(), text.into());
    PolicyFault { level, file, line, column, length, message, cure, text }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAMPLE: &str = r#"
[endpoints]
[endpoints.playwright]
name = "Playwright Server"
default_url = "http://localhost:9222"
config_key = "PLAYWRIGHT_SERVER_URL"
health_check = "/json/version"

[endpoints.api]
name = "Main API"
default_url = "http://localhost:8080"
config_key = "API_BASE_URL"

[[known_issues]]
symptom = "Failed to connect to Playwright server"
common_cause = "Wrong endpoint configuration"
simple_fix = "Check PLAYWRIGHT_SERVER_URL environment variable"
escalation_trap = "install playwright browsers"

[[known_issues]]
symptom = "Connection refused"
common_cause = "Service not running or wrong port"
simple_fix = "Verify service status and port configuration"
escalation_trap = "install dependencies"

[[practices]]
name = "Connection Failures"
rule = "Always verify configuration before installing software"
validation = "Check config and test connectivity first"

[[config_patterns]]
file = "config/app.toml"
"#;

    /// The sample of the seed is read whole.
    #[test]
    fn the_sample_is_read() {
        let known = parse("k.toml", SAMPLE.as_bytes()).unwrap().knowledge;
        assert_eq!(known.endpoints["playwright"].health_check.as_deref(), Some("/json/version"));
        assert_eq!(known.endpoints["api"].config_key, "API_BASE_URL");
        assert_eq!((known.known_issues.len(), known.practices.len(), known.config_patterns.len()), (2, 1, 1));
    }

    /// What is malformed has a place and a cure.
    #[test]
    fn faults_have_a_place_and_a_cure() {
        for (text, line, column, message, cure) in [
            ("[endpoints\n", 1, 11, "unclosed table, expected `]`", "a section as `[name]`"),
            ("a = 1\n", 1, 1, "unknown key `a`", "known here: endpoints"),
            (
                "[[known_issue]]\n",
                1,
                3,
                "unknown key `known_issue`",
                "change `known_issue` to `known_issues`",
            ),
            (
                "[[practices]]\nname = 3\nrule = \"x\"\n",
                2,
                8,
                "a string belongs here, not integer `3`",
                "put the value in quotes",
            ),
            (
                "[endpoints.x]\nname = \"x\"\ndefault_url = \"http://\"\nconfig_key = \"X\"\n",
                3,
                16,
                "`http://` of the endpoint `x` is not an address",
                "http://host:port",
            ),
        ] {
            let fault = parse("k.toml", text.as_bytes()).unwrap_err();
            assert_eq!((fault.line, fault.column, fault.message.as_str()), (line, column, message), "{text}");
            assert!(fault.cure.contains(cure), "{}", fault.cure);
        }
    }
}
