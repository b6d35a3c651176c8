//! A policy file: any bytes go in. Used by the fuzz target and by the smoke
//! test of `toolgate-runtime`.

use toolgate_core::{Image, Layer, Policy, compile, merge};
use toolgate_runtime::parse_policy;

/// Read, joined, compiled, written and read again; or a fault with a place.
pub fn policy(bytes: &[u8]) {
    for layer in [Layer::Managed, Layer::User, Layer::Project] {
        match parse_policy(layer, "policy.yaml", bytes) {
            Err(fault) => {
                assert!(!fault.message.is_empty() && !fault.cure.is_empty(), "{fault:?}");
                assert!(!fault.render().is_empty());
            }
            Ok(layered) => {
                let Ok(policy) = compile(&merge(&[layered])) else { continue };
                let image = Image::from_bytes(policy.image().to_bytes(), 0);
                let again = image.map(Policy::new);
                assert!(
                    again.is_ok_and(|again| again.revision() == policy.revision()
                        && again.entries().len() == policy.entries().len()),
                    "{:?}",
                    String::from_utf8_lossy(bytes)
                );
            }
        }
    }
    let _ = Image::from_bytes(bytes.to_vec(), 0);
}
