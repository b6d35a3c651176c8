//! What an agent's section says without effect.

use crate::agent::AgentEntry;
use crate::policy::Notice;

pub(super) fn look(entry: &AgentEntry, notices: &mut Vec<Notice>) {
    let name = &entry.name;
    let mut say = |needle: &str, text: String, help: &str| {
        notices.push(Notice::warning(entry.source.clone(), needle, format!("agent `{name}`: {text}"), help));
    };
    for (at, provider) in entry.agent.feedback.iter().enumerate() {
        let own = provider.name.as_str();
        if entry.agent.feedback.iter().take(at).any(|earlier| earlier.name == own) {
            let text = format!("there are two feedback providers `{own}`, and they share one timer");
            say(own, text, "give each a name of its own");
        }
        let is_silent =
            provider.every_calls.is_none() && provider.every_seconds.is_none() && provider.on_file.is_none();
        if is_silent {
            let text = format!("the feedback provider `{own}` never speaks: nothing says when");
            say(own, text, "add `every_calls: 20`, `every_seconds: 600` or `on_file: PATH`");
        } else if provider.text.is_none() && provider.deadline.is_none() && provider.suggestions.is_empty() {
            let text = format!("the feedback provider `{own}` has nothing to say");
            say(own, text, "add `text:`");
        }
    }
}
