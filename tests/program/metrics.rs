//! Counters as collectors read them (S2-60).

use crate::house::{ASKED, House, TICKET};

#[test]
fn collectors_read_what_guards_did() {
    let house = House::with_policy(&format!(
        "{TICKET}guardrails:\n  - id: custom-scope-001\n    type: pre_execution\n    category: scope\n    condition: {{ expression: \"action.program == 'make'\" }}\n    validation: {{ check: \"false\" }}\n    bypass: {{ allowed: true }}\n"
    ));
    house.ask(ASKED).request();
    let blocked = house.ask("make it");
    let call = blocked.text().split("--call ").nth(1).expect("a way past").split(' ').next().unwrap();
    let reason = "this must be made before the evening";
    house
        .run_as_agent(&["bypass", "request", "custom-scope-001", "--call", call, "--reason", reason])
        .ended(0);
    let text = house.run(&["stats", "--metrics"]).ended(0).text();
    for line in [
        "# TYPE guardrail_invocations_total counter",
        "guardrail_invocations_total{guardrail_id=\"custom-scope-001\",result=\"block\"} 1",
        "# TYPE guardrail_duration_ms histogram",
        "guardrail_duration_ms_bucket{guardrail_id=\"custom-scope-001\",le=\"+Inf\"} 1",
        "guardrail_duration_ms_count{guardrail_id=\"custom-scope-001\"} 1",
        "guardrail_blocks_total{category=\"scope\"} 1",
        "bypass_requests_total{guardrail_id=\"custom-scope-001\",outcome=\"pending\"} 1",
    ] {
        assert!(text.lines().any(|own| own == line), "{line} is missing:\n{text}");
    }
    let is_one = |line: &str| {
        line.starts_with('#') || line.rsplit_once(' ').is_some_and(|(_, n)| n.parse::<f64>().is_ok())
    };
    assert!(text.lines().all(is_one), "{text}");
}
