//! `risk-critical`: at the highest risk level a person sees every action.

use super::block;
use crate::call::Kind;
use crate::event::EventKind;
use crate::facts::Access;
use crate::finding::{Finding, Source};
use crate::guard::{Category, Guard, Seen, Severity};
use crate::outcome::Outcome;
use crate::risk::Risk;

pub(crate) const ID: &str = "risk-critical";

pub(crate) const PAGE: &str = "\
risk-critical: at the highest risk level a person approves every action.

With `risk: critical`, for a policy or one agent, every call needs approval, and all category guardrails are on with tighter
thresholds. Reading a file with a read-only tool does not count, unless `category_guardrails.literal` is set.

  risk: critical            # or, of one agent
  agents:
    deployer: { risk: critical }
";

/// See the module.
pub(crate) struct CriticalRisk;

impl Guard for CriticalRisk {
    fn id(&self) -> &str {
        ID
    }

    fn priority(&self) -> u32 {
        60
    }

    fn category(&self) -> Category {
        Category::Safety
    }

    fn judge(&self, seen: &Seen<'_>) -> Option<Finding> {
        let call = &seen.event.call;
        if seen.event.kind != EventKind::PreExecution || seen.settings.risk_of(call) != Some(Risk::Critical) {
            return None;
        }
        let literal = seen.settings.categories.iter().any(|entry| entry.categories.literal);
        if matches!(call.kind, Kind::File { access: Access::Read, .. }) && !literal {
            return None;
        }
        let agents = seen.settings.agents_of(call).filter(|entry| entry.agent.risk == Some(Risk::Critical));
        let layers = seen.settings.categories.iter().filter(|entry| entry.risk == Some(Risk::Critical));
        let source: Option<Source> = layers.map(|entry| entry.source.clone()).next();
        let source = source.or_else(|| agents.map(|entry| entry.source.clone()).next()).unwrap_or_default();
        let message = "at this risk level a person approves every action".to_owned();
        let step = "wait for the answer; reading is allowed meanwhile";
        Some(Finding {
            source,
            severity: Severity::High,
            outcome: Outcome::Ask,
            ..block(ID, message, step, Vec::new())
        })
    }
}
