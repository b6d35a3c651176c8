//! A shell command judged with the default pack and explained: any text goes
//! in. Used by the fuzz target and by the smoke test of `toolgate-runtime`.

use serde_json::json;
use toolgate_core::{
    Call, Event, EventKind, Facts, Kind, Layer, Pass, Places, Policy, Session, compile, explain, judge, merge,
};
use toolgate_runtime::{PACKS, parse_policy};

/// Longer texts are left to the other targets.
const LENGTH_MAX: usize = 2_000;

thread_local! {
    static POLICY: Option<Policy> = default_pack();
}

fn default_pack() -> Option<Policy> {
    let pack = PACKS.iter().find(|pack| pack.name == "default")?;
    let layer = parse_policy(Layer::Pack, pack.name, pack.text.as_bytes()).ok()?;
    compile(&merge(&[layer])).ok()
}

/// The same verdict as without explaining, and causes that lie in the text.
pub fn explained(source: &str) {
    if source.len() > LENGTH_MAX {
        return;
    }
    POLICY.with(|policy| {
        assert!(policy.is_some(), "the default pack does not load");
        policy.iter().for_each(|policy| with_policy(policy, source));
    });
}

fn with_policy(policy: &Policy, source: &str) {
    let home = Some("/home/u".to_owned());
    let places = Places { home, workspace: vec!["/home/u/work".to_owned()], ..Places::default() };
    let call = Call {
        host: "fuzz".to_owned(),
        session: "s".to_owned(),
        agent: "main".to_owned(),
        role: None,
        task: None,
        id: None,
        tool: "Bash".to_owned(),
        kind: Kind::Shell { command: source.to_owned(), field: "command".to_owned() },
        input: json!({ "command": source }),
        dir: "/home/u/work".to_owned(),
        scripts: Vec::new(),
        salt: None,
        standing: None,
    };
    let event = Event { kind: EventKind::PreExecution, call, log: None, output: None };
    let facts_of = |call: &Call| Facts::of(call, &places);
    let pass = Pass {
        facts_of: &facts_of,
        disk: toolgate_core::Disk::BLIND,
        now_ms: 0,
        clock_us: &|| 0,
        suspended: &[],
    };
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
