//! The fuzz targets without a fuzzer: every seed and some thousand seeded
//! mutations of them. `fuzz/run` looks longer.

#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "the seeds are files")]

#[path = "../../../fuzz/src/targets.rs"]
mod targets;

/// Mutations of each target.
const ROUNDS: usize = 1_000;

fn below(state: &mut u64, limit: usize) -> usize {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    usize::try_from(*state >> 16).unwrap_or(0) % limit.max(1)
}

/// One text made of two: a piece of the one put into the other, or a byte changed.
fn mutated(state: &mut u64, seeds: &[String]) -> String {
    const SIGNS: &[u8] = b"\"'`$(){}[]<>|&;#\\\n =*?!~-:@%/,.0aE";
    let one = seeds.get(below(state, seeds.len())).cloned().unwrap_or_default();
    let other = seeds.get(below(state, seeds.len())).cloned().unwrap_or_default();
    let mut bytes = one.into_bytes();
    for _ in 0..=below(state, 6) {
        let at = below(state, bytes.len() + 1);
        let sign = SIGNS.get(below(state, SIGNS.len())).copied().unwrap_or(b' ');
        match below(state, 4) {
            0 => bytes.insert(at, sign),
            1 if at < bytes.len() => {
                bytes.remove(at);
            }
            2 => {
                let from = below(state, other.len() + 1);
                let piece: Vec<u8> = other.bytes().skip(from).take(1 + below(state, 24)).collect();
                bytes.splice(at..at, piece);
            }
            _ => bytes.iter_mut().skip(at).take(1).for_each(|byte| *byte = sign),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[test]
fn seeds_and_their_mutations_are_read() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds");
    let mut state = 0x2545_F491_4F6C_DD1D;
    for (name, target) in targets::TARGETS {
        let entries = std::fs::read_dir(folder.join(name)).map(|found| found.flatten().collect::<Vec<_>>());
        let mut paths: Vec<_> = entries.unwrap_or_default().iter().map(std::fs::DirEntry::path).collect();
        paths.sort();
        let seeds: Vec<String> = paths.iter().filter_map(|path| std::fs::read_to_string(path).ok()).collect();
        assert!(!seeds.is_empty(), "no seeds for {name}");
        seeds.iter().for_each(|seed| target(seed));
        for _ in 0..ROUNDS {
            target(&mutated(&mut state, &seeds));
        }
    }
}
