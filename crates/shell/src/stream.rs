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
    /// It is the content of a file no one here wrote.
    pub(crate) is_file: bool,
    /// It is the content of a file that was there before.
    pub(crate) on_disk: bool,
    /// It was made of text that was here, in a way that is not followed.
    pub(crate) changed: bool,
    /// It was in quotes: one word, whatever is in it.
    pub(crate) whole: bool,
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

    /// Either this is written or `other`, and no one knows which.
    pub(crate) fn or_instead(self, other: Stream) -> Stream {
        let known = self.other.is_none() && other.other.is_none();
        let same = self.text == other.text;
        let (text, second) = match (self.text, other.text) {
            (Some(one), Some(_)) if known && same => (Some(one), None),
            (Some(one), Some(two)) if known => (Some(one), Some(two)),
            _ => (None, None),
        };
        Stream {
            text,
            other: second,
            download: self.download.or(other.download),
            from: other.from.or(self.from),
            noisy: self.noisy || other.noisy,
            changed: self.changed || other.changed,
            ..Stream::default()
        }
    }

    /// What is kept of it where one text is: of two, neither.
    pub(crate) fn settled(&self) -> Stream {
        match self.other {
            Some(_) => Stream { text: None, other: None, changed: true, ..self.clone() },
            None => self.clone(),
        }
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
        self.on_disk &= more.on_disk;
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
