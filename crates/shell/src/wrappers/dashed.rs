//! Programs no one described: what follows a `--` and is the name of a
//! program someone did describe is started. `x exec -- rm y` is the usual form.

use super::{Inner, arguments};
use crate::programs::{base_name, is_known};
use crate::reading::Command;
use crate::stream::Stream;

pub(super) fn open(command: &Command, _: Option<&Stream>) -> Option<Vec<Inner>> {
    let words = arguments(command);
    let at = words.iter().position(|word| word.text == "--")?;
    if command.program.is_empty() || is_known(&command.program) {
        return None;
    }
    let run = words.get(at + 1..)?;
    let first = run.first().filter(|word| word.exact && is_known(base_name(&word.text)))?;
    // A name alone may be anything.
    (run.len() > 1 && !first.glob).then(|| vec![Inner::words(run)])
}
