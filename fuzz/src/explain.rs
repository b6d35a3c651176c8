//! A shell command judged with the default pack and explained: any text goes
//! in. Used by the fuzz target and by the smoke test of `toolgate-runtime`.

use serde_json::json;
use std::sync::OnceLock;
use toolgate_core::{
    Call, Event, EventKind, Facts, Kind, Layer, Pass, Places, Policy, Session, compile, explain, judge, merge,
};
use toolgate_runtime::{PACKS, parse_policy};

/// Longer texts are left to the other targets.
const LENGTH_MAX: usize = 2_000;

fn policy() -> Option<&'static Policy> {
    static POLICY: OnceLock<Option<Policy>> = OnceLock::new();
    let made = || {
        let pack = PACKS.iter().find(|pack| pack.name == "default")?;
        let layer = parse_policy(Layer::Pack, pack.name, pack.text.as_bytes()).ok()?;
        compile(&merge(&[layer])).ok()
    };
    POLICY.get_or_init(made).as_ref()
}

/// The same verdict as without explaining, and causes that lie in the text.
pub fn explained(source: &str) {
    let Some(policy) = policy().filter(|_| source.len() <= LENGTH_MAX) else { return };
    let home = Some("/home/u".to_owned());
    let places = Places { home, workspace: vec!["/home/u/work".to_owned()], ..Places::default() };
    let call = Call {
        host: "fuzz".to_owned(),
        session: "s".to_owned(),
        agent: "main".to_owned(),
        task: None,
        id: None,
        tool: "Bash".to_owned(),
        kind: Kind::Shell { command: source.to_owned(), field: "command".to_owned() },
        input: json!({ "command": source }),
        dir: "/home/u/work".to_owned(),
    };
    let event = Event { kind: EventKind::PreExecution, call };
    let facts_of = |call: &Call| Facts::of(call, &places);
    let pass = Pass { facts_of: &facts_of, clock_us: &|| 0 };
    let session = Session::new("s");
    let explained = explain(policy, &event, &session, &places, &pass);
    assert!(explained.decision == judge(policy, &event, &session, &places, &pass), "{source:?}");
    for round in &explained.rounds {
        let text = round.event.call.command().unwrap_or_default();
        for span in round.findings.iter().flat_map(|pointed| &pointed.causes) {
            assert!(
                span.start < span.end && text.get(span.start..span.end).is_some(),
                "{span:?} of {text:?}"
            );
        }
    }
}
