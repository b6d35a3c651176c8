//! Old versions put over the files of the work: `git archive HEAD | tar x`.
//!
//! Only where the archive is unpacked into the folder it was made in, or the one the
//! text began in; elsewhere nothing is lost.

use std::sync::Arc;

use crate::effect_kind::EffectKind;
use crate::reading::{Command, Effect};

/// Adds to who unpacks an archive of the repository over it that work is lost by that.
pub(super) fn mark(commands: &mut [Arc<Command>]) {
    let over: Vec<usize> = (0..commands.len()).filter(|at| is_over(commands, *at)).collect();
    for at in over {
        if let Some(command) = commands.get_mut(at) {
            Arc::make_mut(command).effects.push(Effect { kind: EffectKind::DiscardsWork, target: None });
        }
    }
}

fn is_over(commands: &[Arc<Command>], at: usize) -> bool {
    let Some(unpacks) = commands.get(at).filter(|one| is_unpacking(one)) else { return false };
    let from = unpacks.piped_from.and_then(|from| commands.get(from));
    from.is_some_and(|made| {
        made.program == "git"
            && made.usage.sub() == "archive"
            && !made.usage.has("--remote")
            && made.dir == unpacks.dir
    })
}

/// Does it unpack into the folder it runs in?
fn is_unpacking(command: &Command) -> bool {
    let here = |effect: &Effect| {
        let target = effect.target.as_ref().map(|word| word.text.trim_end_matches('/'));
        effect.kind == EffectKind::WritesFile && target == Some(".")
    };
    matches!(command.program.as_str(), "tar" | "gtar" | "bsdtar") && command.effects.iter().any(here)
}
