//! An exported ledger: any bytes go in. Used by the fuzz target and by the
//! smoke test of `toolgate-core`.

use toolgate_core::{Verification, verify_export};

/// Bytes changed one by one in an export that holds.
const CHANGED_MAX: usize = 64;

/// Checked; and where it holds, no other byte may hold in its place.
pub fn export(bytes: &[u8]) {
    let _ = verify_export(bytes, Some("00"));
    if !holds(bytes) {
        return;
    }
    let step = (bytes.len() / CHANGED_MAX).max(1);
    for at in (0..bytes.len()).step_by(step) {
        let mut changed = bytes.to_vec();
        changed.iter_mut().skip(at).take(1).for_each(|byte| *byte ^= 1);
        assert!(!holds(&changed), "byte {at} can be changed unseen");
        assert!(!bytes.get(..at).is_some_and(holds), "it can be cut at {at} unseen");
    }
}

fn holds(bytes: &[u8]) -> bool {
    matches!(verify_export(bytes, None), Verification::Intact { .. })
}
