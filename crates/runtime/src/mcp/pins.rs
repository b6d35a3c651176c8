//! Pins in the ledger: read by the proxy, changed by it and by people.

use crate::broken::Broken;
use crate::checkpoints::tidy_behind;
use crate::clock::now_ms;
use crate::gate::{Gate, Later};
use crate::request_desk::Desk;
use std::collections::BTreeMap;
use toolgate_core::{Context, Entry, Pin, PinChange, PinStep};
use toolgate_store::Store;

impl Gate {
    /// The pins of a server by tool.
    ///
    /// # Errors
    /// If the ledger cannot be read.
    pub fn pins_of(&mut self, server: &str) -> Result<BTreeMap<String, Pin>, Broken> {
        let pins = self.store.begin()?.pins_of(server)?;
        Ok(pins.into_iter().map(|pin| (pin.tool.clone(), pin)).collect())
    }

    /// Records what became of pins, all of it or nothing.
    ///
    /// # Errors
    /// If it cannot be recorded.
    pub fn record_pins(&mut self, context: &Context, changes: Vec<PinChange>) -> Result<(), Broken> {
        let context = Context { policy: self.policy().revision().to_owned(), ..context.clone() };
        let mut seq = None;
        let mut turn = self.store.begin()?;
        for change in changes {
            seq = Some(turn.append(now_ms(), &context, Entry::Pinned(change))?.seq);
        }
        turn.commit()?;
        seq.into_iter().for_each(|seq| self.checkpoint(seq));
        Ok(())
    }
}

impl Gate {
    /// From now on tidying up waits for [`Gate::tidy`], so that no answer does.
    pub fn tidy_later(&mut self) {
        self.later = Later::Wanted(None);
    }

    /// Whether there is anything for [`Gate::tidy`] to do.
    #[must_use]
    pub fn is_untidy(&self) -> bool {
        matches!(self.later, Later::Wanted(Some(_)))
    }

    /// Tidies up behind what was recorded since the last time.
    pub fn tidy(&mut self) {
        if let Later::Wanted(left) = &mut self.later
            && let Some(seq) = left.take()
        {
            tidy_behind(&mut self.store, &self.setup.dirs, seq);
        }
    }
}

impl Desk {
    /// Records what a person did with a pin; the pin as it is then comes back.
    ///
    /// # Errors
    /// If it cannot be recorded.
    pub fn change_pin(&mut self, change: PinChange) -> Result<Option<Pin>, Broken> {
        let dirs = self.dirs().clone();
        let (server, tool) = (change.server.clone(), change.tool.clone());
        let mut turn = self.store().begin()?;
        let seq = turn.append(now_ms(), &Context::default(), Entry::Pinned(change))?.seq;
        let pins = turn.pins_of(&server)?;
        turn.commit()?;
        tidy_behind(self.store(), &dirs, seq);
        Ok(pins.into_iter().find(|pin| pin.tool == tool))
    }
}

/// A person approves what they saw of a tool.
#[must_use]
pub fn approved(pin: &Pin, by: &str) -> Option<PinChange> {
    let seen = pin.offered.as_ref().or(pin.trusted.as_ref())?;
    Some(change(pin, PinStep::Approved { by: by.to_owned(), digest: seen.digest() }))
}

/// A person revokes a pin.
#[must_use]
pub fn revoked(pin: &Pin, by: &str) -> PinChange {
    change(pin, PinStep::Revoked { by: by.to_owned() })
}

fn change(pin: &Pin, change: PinStep) -> PinChange {
    PinChange {
        server: pin.server.clone(),
        name: pin.name.clone(),
        transport: pin.transport.clone(),
        tool: pin.tool.clone(),
        change,
    }
}
