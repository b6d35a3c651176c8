//! A guard of your own in ten lines: no call may name a production host.
//!
//!   cargo run -p toolgate --example own_validator

#![allow(clippy::print_stdout)] // an example talks

use toolgate::{Broken, Category, Finding, Gate, Guard, Outcome, Seen, Severity, Source, Tool};

struct NoProduction;

impl Guard for NoProduction {
    fn id(&self) -> &str {
        "no-production"
    }

    fn priority(&self) -> u32 {
        100
    }

    fn category(&self) -> Category {
        Category::Safety
    }

    fn judge(&self, seen: &Seen<'_>) -> Option<Finding> {
        seen.event.call.title().contains("prod.example.com").then(|| Finding {
            guard: self.id().to_owned(),
            source: Source { file: "own_validator.rs".to_owned(), line: 0 },
            category: self.category(),
            severity: Severity::High,
            outcome: Outcome::Block,
            message: "this call names a production host".to_owned(),
            remediation: Some("use the staging host".to_owned()),
            alternatives: Vec::new(),
            evidence: Vec::new(),
            confidence: 1.0,
            duration_us: 0,
        })
    }
}

/// The whole example.
pub fn main() -> Result<(), Broken> {
    let mut gate = Gate::open(".")?.with_guard(NoProduction);
    let mut agent = gate.agent("example");
    for command in ["curl https://staging.example.com", "curl https://prod.example.com"] {
        let answer = agent.ask(&Tool::shell(command))?;
        println!("{} {command}", if answer.is_no() { "no " } else { "yes" });
    }
    Ok(())
}
