//! The fuzz target of policy files without a fuzzer. `fuzz/run` looks longer.

#[path = "../../../fuzz/src/mutated.rs"]
mod mutated;
#[path = "../../../fuzz/src/policy.rs"]
mod policy;

#[test]
fn whatever_a_policy_file_holds_is_read_or_refused() {
    mutated::smoke("policy", 1_500, policy::policy);
}
