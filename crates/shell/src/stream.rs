//! What flows through a pipe: text that is plain to see, or where it is from.

use crate::reading::Word;

/// Longer text than this is not followed.
const TEXT_MAX: usize = 256 << 10;

/// The output of a command, as far as it can be told.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Stream {
    /// The text itself, where every byte is known.
    pub(crate) text: Option<String>,
    /// What it may be instead: `which a || which b`.
    pub(crate) other: Option<String>,
    /// Set when some of it comes from the network: the address.
    pub(crate) download: Option<Word>,
    /// Position of the command that wrote it.
    pub(crate) from: Option<usize>,
    /// It is the content of a file nobody here wrote.
    pub(crate) is_file: bool,
    /// It was made of text that stood here, in a way that is not followed.
    pub(crate) changed: bool,
    /// There may be errors in it as well.
    pub(crate) noisy: bool,
    /// Paths it lists, where they can be described (`find … | xargs`).
    pub(crate) paths: Vec<Word>,
}

impl Stream {
    /// Nothing is written.
    pub(crate) fn silent() -> Stream {
        Stream { text: Some(String::new()), ..Stream::default() }
    }

    pub(crate) fn unknown() -> Stream {
        Stream::default()
    }

    pub(crate) fn known(text: impl Into<String>) -> Stream {
        let text: String = text.into();
        Stream { text: (text.len() <= TEXT_MAX).then_some(text), ..Stream::default() }
    }

    /// `more` is written behind this.
    pub(crate) fn append(&mut self, more: Stream) {
        let other = match (self.other.take(), &more.other) {
            (None, None) => None,
            (Some(one), None) => joined(Some(one), more.text.as_deref()),
            (None, Some(two)) => joined(self.text.clone(), Some(two)),
            (Some(_), Some(_)) => {
                self.text = None;
                None
            }
        };
        self.text = joined(self.text.take(), more.text.as_deref());
        self.other = other.filter(|_| self.text.is_some());
        self.download = self.download.take().or(more.download);
        self.from = more.from.or(self.from);
        self.noisy |= more.noisy;
        self.changed |= more.changed;
        self.paths.extend(more.paths.into_iter().take(8));
        self.paths.truncate(8);
    }
}

/// One text behind the other, where both are known and not too long.
fn joined(one: Option<String>, two: Option<&str>) -> Option<String> {
    match (one, two) {
        (Some(one), Some(two)) if one.len() + two.len() <= TEXT_MAX => Some(one + two),
        _ => None,
    }
}
