//! What a call reaches, as a card in the browser shows it.

use crate::App;
use crate::shown::Shown;
use toolgate_core::{Request, Severity};
use toolgate_runtime::Reader as CallReader;

/// Characters of one thing.
const THING_MAX: usize = 120;

/// Reads calls again for the pages.
pub(crate) struct Reader(CallReader);

impl Reader {
    pub(crate) fn new(app: &App) -> Reader {
        Reader(CallReader::new(app.setup.clone(), app.callbacks.call))
    }

    /// What the call of a request reaches; nothing if it cannot be told.
    pub(crate) fn of_request(&mut self, request: &Request) -> Vec<Shown> {
        shown(&self.0.reach(request))
    }

    /// What a shell command reaches.
    pub(crate) fn of_command(&mut self, tool: &str, command: &str, dir: &str) -> Vec<Shown> {
        shown(&self.0.reach_of_command(tool, command, dir))
    }

    /// How severe it would be; nothing if the rules no longer ask.
    pub(crate) fn severity(&mut self, request: &Request) -> Option<Severity> {
        self.0.severity(request)
    }
}

fn shown(all: &[String]) -> Vec<Shown> {
    all.iter().map(|one| Shown::line(one, THING_MAX)).collect()
}
