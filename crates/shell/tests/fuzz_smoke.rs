//! The fuzz targets without a fuzzer: every seed and some thousand seeded
//! mutations of them. `fuzz/run` looks longer.

#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "the seeds are files")]

#[path = "../../../fuzz/src/mutated.rs"]
mod mutated;
#[path = "../../../fuzz/src/targets.rs"]
mod targets;

/// Mutations of each target.
const ROUNDS: usize = 1_000;

#[test]
fn seeds_and_their_mutations_are_read() {
    for (name, target) in targets::TARGETS {
        mutated::smoke(name, ROUNDS, |bytes| target(&String::from_utf8_lossy(bytes)));
    }
}

/// The words of every seed go through every option parser there is.
#[test]
fn every_option_parser_is_reached() {
    let commands = targets::commands();
    assert!(commands.len() > 300, "{}", commands.len());
    for seed in mutated::seeds("options") {
        let text = String::from_utf8_lossy(&seed);
        let words = text.split_once('\n').map_or("", |(_, words)| words);
        for command in &commands {
            targets::options_of(command, words);
        }
    }
}
