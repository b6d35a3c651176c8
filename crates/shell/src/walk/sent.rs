//! What is written to descriptors by number: `{ echo x >&3; } 3>&1 >/dev/null | sh`.

use smol_str::SmolStr;

use super::Walker;
use crate::reading::{Command, RedirectKind};
use crate::stream::Stream;
use crate::tree::{Part, RawRedirect};

/// So many texts are remembered.
const SENT_MAX: usize = 16;

impl Walker<'_> {
    /// Remembers what `command` writes to a descriptor instead of its output. Its own
    /// redirects stand before those of groups around it.
    pub(super) fn send(&mut self, command: &Command, out: &Stream) {
        let target = command.redirects.iter().find(|one| one.kind == RedirectKind::Duplicate);
        if let Some(target) = target.filter(|_| self.sent.len() < SENT_MAX) {
            self.sent.push((target.target.text.clone(), out.clone()));
        }
    }

    /// What redirects such as `3>&1` bring into the output of `inner`.
    pub(super) fn with_sent(
        &mut self,
        redirects: &[RawRedirect],
        inner: impl FnOnce(&mut Self) -> Stream,
    ) -> (Stream, Option<Stream>) {
        let since = self.sent.len();
        let out = inner(self);
        let brought: Vec<SmolStr> = redirects.iter().filter_map(brings).collect();
        let sent = self.sent_since(since, &brought);
        (out, sent)
    }

    /// What was sent to these descriptors since then.
    pub(super) fn sent_since(&self, since: usize, brought: &[SmolStr]) -> Option<Stream> {
        if brought.is_empty() {
            return None;
        }
        let full = self.sent.len() >= SENT_MAX;
        let mut all = Stream::silent();
        for (_, stream) in self.sent.iter().skip(since).filter(|(to, _)| brought.contains(to)) {
            all.append(stream.clone());
        }
        // Programs may have written there as well, and nobody knows what.
        let silent = all.text.as_deref() == Some("");
        Some(if full || silent { Stream::unknown() } else { all })
    }
}

/// The descriptor whose text comes into the output: the `3` of `3>&1`.
pub(super) fn brings(one: &RawRedirect) -> Option<SmolStr> {
    let to_output = matches!(one.target.parts.as_slice(), [Part::Plain(text)] if text == "1");
    let from = one.from.as_deref().filter(|from| *from != "1");
    from.filter(|_| one.kind == RedirectKind::Duplicate && to_output).map(SmolStr::from)
}
