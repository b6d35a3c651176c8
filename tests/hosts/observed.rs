//! What was seen of a host, kept in the tree as `observed/HOST.json`: the pages are written from it, and a run is
//! compared with it.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::path::PathBuf;

/// A host as the kit saw it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Observed {
    /// The version that was run.
    pub version: String,
    /// What became of each call of the script, by its number: the verdict, or why there is none.
    pub verdicts: BTreeMap<String, String>,
    /// What held, by the name of the property.
    pub held: Vec<String>,
    /// What the host does when the hook fails, by the name of the failure: `runs` or `blocked`.
    pub failures: BTreeMap<String, String>,
}

fn file(host: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("../../tests/hosts/observed/{host}.json"))
}

/// What is written down about a host.
pub fn recorded(host: &str) -> Option<Observed> {
    let text = fs::read_to_string(file(host)).ok()?;
    Some(serde_json::from_str(&text).unwrap_or_else(|error| panic!("observed/{host}.json: {error}")))
}

/// Compares a run with what is written down, or writes it down. Says what differs.
pub fn settle(host: &str, seen: &Observed) -> Vec<String> {
    if env::var_os("TOOLGATE_HOSTS_RECORD").is_some_and(|value| value == "1") {
        let text = serde_json::to_string_pretty(seen).expect("plain data") + "\n";
        fs::create_dir_all(file(host).parent().expect("a folder")).expect("a folder");
        fs::write(file(host), text).expect("a file of the tree");
        return Vec::new();
    }
    let Some(known) = recorded(host) else {
        return vec![format!("nothing is written down about it; run with TOOLGATE_HOSTS_RECORD=1: {seen:?}")];
    };
    let mut faults = Vec::new();
    if known.version != seen.version {
        faults.push(format!("version {} is written down, {} was run", known.version, seen.version));
    }
    for (what, known, seen) in
        [("call", &known.verdicts, &seen.verdicts), ("hook", &known.failures, &seen.failures)]
    {
        let mut names: Vec<&String> = known.keys().chain(seen.keys()).collect();
        names.sort();
        names.dedup();
        for name in names.into_iter().filter(|name| known.get(*name) != seen.get(*name)) {
            faults.push(format!(
                "{what} {name}: {:?} is written down, {:?} was seen",
                known.get(name),
                seen.get(name)
            ));
        }
    }
    if known.held != seen.held {
        faults.push(format!("held: {:?} is written down, {:?} was seen", known.held, seen.held));
    }
    faults
}
