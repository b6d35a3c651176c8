//! Decision time in process for growing policies: 100, 1,000 and 10,000
//! rules of mixed kinds, as a ratio to the smallest.

#![allow(clippy::print_stdout, clippy::print_stderr)]

use serde_json::json;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};
use toolgate_bench::{Dice, decide, median, ratio, shell_call};
use toolgate_core::{Layer, Layered, Policy, PolicyFile, Session, compile, merge};

const SIZES: [usize; 3] = [100, 1_000, 10_000];
const ROUNDS: usize = 400;
const COMMAND: &str =
    "cd src && cargo test --workspace 2>&1 | tail -20 && git commit -m 'fix' && kubectl get pods";

fn main() {
    let policies: Vec<(usize, Policy)> =
        SIZES.iter().filter_map(|size| Some((*size, policy(*size)?))).collect();
    let mut samples: Vec<Vec<Duration>> = policies.iter().map(|_| Vec::new()).collect();
    let session = Session::new("bench");
    let mut dice = Dice::new(7);
    for round in 0..=ROUNDS {
        let mut order: Vec<usize> = (0..policies.len()).collect();
        dice.shuffle(&mut order);
        for at in order {
            let (Some((_, policy)), Some(taken)) = (policies.get(at), samples.get_mut(at)) else { continue };
            let started = Instant::now();
            let decision = decide(policy, shell_call(COMMAND), &session);
            let took = started.elapsed();
            // The first round compiles the few rules a call needs.
            if round > 0 && decision.findings.len() < 100 {
                taken.push(took);
            }
        }
    }
    let base = samples.first().map(|taken| median(taken)).unwrap_or_default();
    println!("{:>8} {:>12} {:>8}", "rules", "median µs", "x 100");
    for ((size, _), taken) in policies.iter().zip(&samples) {
        println!("{size:>8} {:>12.1} {:>8.2}", median(taken).as_secs_f64() * 1e6, ratio(median(taken), base));
    }
}

/// Rules as teams write them: by program and option, by pattern, by path, by tool.
fn policy(size: usize) -> Option<Policy> {
    let rules: Vec<serde_json::Value> = (0..size)
        .map(|n| {
            let matches = match n % 5 {
                0 => json!({ "command": { "program": format!("tool{n}"), "flags": ["--force"] } }),
                1 => json!({ "command": { "program": "git", "subcommand": format!("verb{n}") } }),
                2 => json!({ "regex": format!("deploy-{n}-(prod|live)") }),
                3 => json!({ "tool": format!("mcp__server{n}__delete") }),
                _ => json!({ "command": { "program": "kubectl", "subcommand": "delete", "flags": [format!("--flag{n}")] } }),
            };
            json!({ "id": format!("rule-{n}"), "kind": "prohibit", "match": matches, "reason": "bench" })
        })
        .collect();
    let policy: PolicyFile = serde_json::from_value(json!({ "version": 1, "rules": rules })).ok()?;
    compile(&merge(&[Layered {
        layer: Layer::Project,
        by: Layer::Project,
        file: "bench".to_owned(),
        policy,
        lines: Vec::new(),
        agent_lines: BTreeMap::new(),
        guardrail_lines: Default::default(),
    }]))
    .ok()
}
