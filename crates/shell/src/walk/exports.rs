//! Variables handed on to the programs that are started.

use super::Walker;
use super::simple::EXPORTED_MAX;
use crate::reading::{Assignment, Word};
use crate::scope::{Text, state_key};

/// The depth of a command that is in nothing else.
const TOP_DEPTH: usize = 2;

/// Values one exported variable may have at once.
const VALUES_MAX: usize = 8;

impl Walker<'_> {
    pub(super) fn export(&mut self, name: &str, value: Word) {
        // In a branch or a shell of its own it may never have been, or not for long.
        let unsure = self.depth > TOP_DEPTH;
        self.exported.retain(|known| known.name != name || unsure && known.value.text != value.text);
        let mut same = self.exported.iter().filter(|known| known.name == name).count();
        self.exported.retain(|known| {
            let drops = known.name == name && same > VALUES_MAX;
            same -= usize::from(drops);
            !drops
        });
        if self.exported.len() >= EXPORTED_MAX {
            self.exported.remove(0);
            self.fail(value.span, "more variables than are followed");
        }
        self.exported.push(Assignment { name: name.into(), value });
        self.scope.set_one(&state_key("export", name), Text::exact("1"));
    }
}
