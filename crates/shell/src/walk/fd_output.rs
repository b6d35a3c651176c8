//! What is written to descriptors by number: `{ echo x >&3; } 3>&1 >/dev/null | sh`.

use smol_str::SmolStr;

use super::Walker;
use crate::reading::{Command, RedirectKind};
use crate::stream::Stream;
use crate::tree::{Part, RawRedirect};

impl Walker<'_> {
    /// Keeps what `command` writes to a descriptor instead of its output, where that
    /// leads somewhere. Its own redirects stand before those of groups around it.
    pub(super) fn send(&mut self, command: &Command, out: &Stream) {
        let Some(target) = command.redirects.iter().find(|one| one.kind == RedirectKind::Duplicate) else {
            return;
        };
        if let Some((_, sent)) = self.sent.iter_mut().rfind(|(to, _)| *to == target.target.text) {
            sent.append(out.clone());
        }
    }

    /// What redirects such as `3>&1` bring into the output of `inner`.
    pub(super) fn with_sent(
        &mut self,
        redirects: &[RawRedirect],
        inner: impl FnOnce(&mut Self) -> Stream,
    ) -> (Stream, Option<Stream>) {
        let brought: Vec<SmolStr> = redirects.iter().filter_map(brings).collect();
        let since = self.open_sent(&brought);
        let out = inner(self);
        let sent = self.close_sent(since);
        (out, sent)
    }

    /// From here on, what is written to these descriptors is kept.
    pub(super) fn open_sent(&mut self, brought: &[SmolStr]) -> usize {
        let since = self.sent.len();
        self.sent.extend(brought.iter().map(|to| (to.clone(), Stream::silent())));
        since
    }

    /// What was written to those opened since then; none where none was.
    pub(super) fn close_sent(&mut self, since: usize) -> Option<Stream> {
        let mut all: Option<Stream> = None;
        for (_, stream) in self.sent.drain(since..) {
            all.get_or_insert_with(Stream::silent).append(stream);
        }
        // Programs may have written there as well, and no one knows what.
        all.map(|all| if all.text.as_deref() == Some("") { Stream::unknown() } else { all })
    }
}

/// The descriptor whose text comes into the output: the `3` of `3>&1`.
pub(super) fn brings(one: &RawRedirect) -> Option<SmolStr> {
    let to_output = matches!(one.target.parts.as_slice(), [Part::Plain(text)] if text == "1");
    let from = one.from.as_deref().filter(|from| *from != "1");
    from.filter(|_| one.kind == RedirectKind::Duplicate && to_output).map(SmolStr::from)
}
