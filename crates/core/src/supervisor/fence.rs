//! A fence around text no one here wrote: what a judged call says must not
//! reach its judge as an instruction.
//!
//! Every line of such text follows a bar, between two lines that carry a
//! marker made by chance for this one brief. The marker itself, line breaks of
//! every alphabet and characters no one sees are taken out of the text, so that
//! nothing in it can end the fence or look as if it did.

use crate::visible::visible;

/// What the marker becomes where the text holds it.
const TAKEN_OUT: &str = "[marker]";

/// The fence of one brief.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fence {
    marker: String,
}

impl Fence {
    /// With this marker; anyone who calls it rolls the dice.
    #[must_use]
    pub fn new(marker: &str) -> Fence {
        Fence { marker: marker.to_owned() }
    }

    /// The marker.
    #[must_use]
    pub fn marker(&self) -> &str {
        &self.marker
    }

    /// Text behind the fence, whole; `name` is ours.
    #[must_use]
    pub fn around(&self, name: &'static str, text: &str) -> String {
        let safe = self.harmless(text);
        let lines: Vec<String> = safe.split('\n').map(|line| format!("| {line}")).collect();
        format!("[{0} begin {name}]\n{1}\n[{0} end {name}]\n", self.marker, lines.join("\n"))
    }

    fn harmless(&self, text: &str) -> String {
        let shown = visible(text);
        let mut flat = String::with_capacity(shown.len());
        for c in shown.chars() {
            if is_unseen(c) {
                flat.extend(c.escape_unicode());
            } else {
                flat.push(c);
            }
        }
        // Again and again: taking one out must not put another together.
        while !self.marker.is_empty() && flat.contains(&self.marker) {
            flat = flat.replace(&self.marker, TAKEN_OUT);
        }
        flat
    }
}

/// Line breaks and characters without a shape that people's screens bear but a
/// model reads.
fn is_unseen(c: char) -> bool {
    matches!(c, '\u{2028}' | '\u{2029}' | '\u{180e}' | '\u{115f}' | '\u{1160}' | '\u{3164}' | '\u{ffa0}')
        || matches!(c, '\u{61c}' | '\u{34f}' | '\u{fe00}'..='\u{fe0f}' | '\u{e0080}'..='\u{e0fff}')
        || matches!(c, '\u{fff0}'..='\u{ffff}')
}
