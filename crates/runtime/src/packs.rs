//! The packs that ship with the program. Adding one = one file in `policies/`
//! with its test page, one line here.

/// A set of rules that ships with the program.
#[derive(Debug, Clone, Copy)]
pub struct Pack {
    /// Its name in `packs:`.
    pub name: &'static str,
    /// Its text, a policy file.
    pub text: &'static str,
}

/// Every pack.
pub const PACKS: &[Pack] = &[
    Pack { name: "default", text: include_str!("../../../policies/default.yaml") },
    Pack { name: "strict", text: include_str!("../../../policies/strict.yaml") },
    Pack { name: "relaxed", text: include_str!("../../../policies/relaxed.yaml") },
];

/// The pack of that name.
pub(crate) fn pack(name: &str) -> Option<&'static Pack> {
    PACKS.iter().find(|pack| pack.name == name)
}
