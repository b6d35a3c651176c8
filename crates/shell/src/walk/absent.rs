//! Commands that run only where a file is not there: `[ -f x ] || cp y x`.
//!
//! What such a command writes there is new, whatever the disk says now.

use smol_str::SmolStr;

use super::Walker;
use crate::effect_kind::EffectKind;
use crate::reading::Command;
use crate::tree::{Link, List, Node, Part, RawWord};

/// Files that are taken to be absent at once.
const ABSENT_MAX: usize = 16;

impl Walker<'_> {
    /// Notes the file that is absent when what hangs on `first` runs. Gives how
    /// many were noted before.
    pub(super) fn enter_absent(&mut self, first: &Node, link: Link) -> usize {
        let before = self.absent.len();
        let asked = tested(first).filter(|(_, negated)| *negated == (link == Link::And));
        self.absent.extend(asked.filter(|_| before < ABSENT_MAX).map(|(path, _)| path));
        before
    }

    /// The same for the body of an `if`.
    pub(super) fn enter_absent_if(&mut self, condition: &List) -> usize {
        match condition.as_slice() {
            [only] => self.enter_absent(only, Link::And),
            _ => self.absent.len(),
        }
    }

    /// What a command writes to a file that is not there, it makes.
    pub(super) fn mark_new(&self, command: &mut Command) {
        if self.absent.is_empty() {
            return;
        }
        for effect in &mut command.effects {
            let new =
                effect.target.as_ref().is_some_and(|word| word.exact && self.absent.contains(&word.text));
            if new && matches!(effect.kind, EffectKind::WritesFile | EffectKind::CreatesFile) {
                effect.kind = EffectKind::CreatesFile;
                command.only_if_absent = true;
            }
        }
    }
}

/// The file a test asks about, and whether it asks for its absence.
fn tested(node: &Node) -> Option<(SmolStr, bool)> {
    let words: Vec<&str> = match node {
        Node::Simple(simple) if simple.assignments.is_empty() => {
            simple.words.iter().map(plain).collect::<Option<_>>()?
        }
        Node::Test(words, _) => words.iter().map(plain).collect::<Option<_>>()?,
        _ => return None,
    };
    let words = match words.as_slice() {
        ["[", rest @ .., "]"] | ["[[", rest @ .., "]]"] | ["test", rest @ ..] => rest,
        rest => rest,
    };
    match words {
        ["-f" | "-e" | "-s" | "-r", path] => Some(((*path).into(), false)),
        ["!", "-f" | "-e" | "-s" | "-r", path] => Some(((*path).into(), true)),
        _ => None,
    }
}

/// A word that represents itself.
fn plain(word: &RawWord) -> Option<&str> {
    match word.parts.as_slice() {
        [Part::Plain(text)] if !text.contains(['~', '*', '?', '{']) => Some(text),
        [Part::Quoted(text)] => Some(text),
        _ => None,
    }
}
