//! The fuzz targets of policy files and explanations without a fuzzer. `fuzz/run` looks longer.

#[path = "../../../fuzz/src/explain.rs"]
mod explain;
#[path = "../../../fuzz/src/mutated.rs"]
mod mutated;
#[path = "../../../fuzz/src/policy.rs"]
mod policy;

#[test]
fn whatever_a_policy_file_holds_is_read_or_refused() {
    mutated::smoke("policy", 1_500, policy::policy);
}

#[test]
fn explaining_changes_no_verdict() {
    mutated::smoke("explain", 300, |bytes| explain::explained(&String::from_utf8_lossy(bytes)));
}
