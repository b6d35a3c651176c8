//! Small changes to seeds, the same on every run. Used by the smoke tests;
//! the fuzzer has its own.

/// The seeds of a target, in order.
pub fn seeds(target: &str) -> Vec<Vec<u8>> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds").join(target);
    let entries = std::fs::read_dir(folder).map(|found| found.flatten().collect::<Vec<_>>());
    let mut paths: Vec<_> = entries.unwrap_or_default().iter().map(std::fs::DirEntry::path).collect();
    paths.sort();
    let seeds: Vec<Vec<u8>> = paths.iter().filter_map(|path| std::fs::read(path).ok()).collect();
    assert!(!seeds.is_empty(), "no seeds for {target}");
    seeds
}

/// Every seed and then so many mutations go to the target.
pub fn smoke(target: &str, rounds: usize, run: impl Fn(&[u8])) {
    let seeds = seeds(target);
    seeds.iter().for_each(|seed| run(seed));
    let mut state = 0x2545_F491_4F6C_DD1D;
    for _ in 0..rounds {
        run(&mutated(&mut state, &seeds));
    }
}

fn below(state: &mut u64, limit: usize) -> usize {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    usize::try_from(*state >> 16).unwrap_or(0) % limit.max(1)
}

/// One text made of two: a piece of the one put into the other, or a byte changed.
fn mutated(state: &mut u64, seeds: &[Vec<u8>]) -> Vec<u8> {
    const SIGNS: &[u8] = b"\"'`$(){}[]<>|&;#\\\n =*?!~-:@%/,.0aE\0\xff";
    let mut bytes = seeds.get(below(state, seeds.len())).cloned().unwrap_or_default();
    let other = seeds.get(below(state, seeds.len())).cloned().unwrap_or_default();
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
                let piece: Vec<u8> = other.iter().copied().skip(from).take(1 + below(state, 24)).collect();
                bytes.splice(at..at, piece);
            }
            _ => bytes.iter_mut().skip(at).take(1).for_each(|byte| *byte = sign),
        }
    }
    bytes
}
