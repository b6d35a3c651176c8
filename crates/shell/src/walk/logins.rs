//! A secret that goes straight into the login it is for is not shown:
//! `gh auth token | docker login ghcr.io --password-stdin`.

use std::sync::Arc;

use crate::effect_kind::EffectKind;
use crate::reading::Command;

/// Programs that log in with what comes in.
const LOGINS: [&str; 9] =
    ["docker", "podman", "nerdctl", "buildah", "skopeo", "helm", "crane", "oras", "regctl"];

/// Registries whose tokens those are. A name that begins with a dot is an ending.
const REGISTRIES: [&str; 13] = [
    "ghcr.io",
    "docker.pkg.github.com",
    "maven.pkg.github.com",
    "registry.gitlab.com",
    "docker.io",
    "quay.io",
    "gcr.io",
    ".gcr.io",
    ".pkg.dev",
    ".azurecr.io",
    ".amazonaws.com",
    "public.ecr.aws",
    "registry.fly.io",
];

/// Takes back that commands show a secret where a login reads it.
pub(super) fn mark_handed_over(commands: &mut [Arc<Command>]) {
    let readers: Vec<usize> =
        commands.iter().filter(|command| logs_in(command)).filter_map(|command| command.piped_from).collect();
    for from in readers {
        if let Some(command) = commands.get_mut(from) {
            Arc::make_mut(command).effects.retain(|effect| effect.kind != EffectKind::RevealsSecret);
        }
    }
}

fn logs_in(command: &Command) -> bool {
    let mut words = command.words.iter().skip(1);
    let is_known = |word: &crate::reading::Word| {
        let host = word.text.split('/').next().unwrap_or_default();
        word.exact
            && REGISTRIES
                .iter()
                .any(|one| if one.starts_with('.') { host.ends_with(one) } else { host == *one })
    };
    LOGINS.contains(&command.program.as_str())
        && words.any(|word| word.text == "login")
        && command.words.iter().any(|word| word.text == "--password-stdin")
        && command.words.iter().any(is_known)
}
