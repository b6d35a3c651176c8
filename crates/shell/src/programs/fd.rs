//! `fd`: where it starts, what it would match, what it does with it.
//!
//! Its patterns are regular expressions and are not read: a search is either
//! narrowed, or it means everything below its start.

use super::{Effects, Model};
use crate::options::{self, Spec};
use crate::reading::{Usage, Word};

const SPEC: Spec = Spec {
    options: "H,hidden I,no-ignore u,unrestricted s,case-sensitive i,ignore-case g,glob regex F,fixed-strings and= a,absolute-path \
              l,list-details L,follow p,full-path 0,print0 d,max-depth= min-depth= exact-depth= E,exclude= prune t,type= e,extension= \
              S,size= changed-within= newer>changed-within changed-before= o,owner= format= batch-size= ignore-file= c,color= j,threads= \
              max-buffer-time= max-results= 1 q,quiet show-errors base-directory= path-separator= search-path= strip-cwd-prefix? \
              one-file-system x,exec X,exec-batch",
    leading: false,
    short_names: false,
    one_dash: false,
};

pub(super) const MODELS: &[Model] = &[Model {
    names: &["fd", "fdfind"],
    spec: SPEC,
    subs: &[],
    groups: &[],
    effects: |_, _| Effects::none(),
}];

/// Options that leave only some of what is there.
const NARROWING: [&str; 9] = [
    "--and",
    "--extension",
    "--size",
    "--changed-within",
    "--changed-before",
    "--owner",
    "--exclude",
    "--max-results",
    "-1",
];

/// An `fd` taken apart.
#[derive(Debug, Default)]
pub(crate) struct Fd {
    starts: Vec<Word>,
    filtered: bool,
    /// The words behind `-x` or `-X`.
    pub(crate) run: Vec<Word>,
}

impl Fd {
    /// Takes the words behind `fd` apart.
    pub(crate) fn of(words: &[Word]) -> Fd {
        let runs = |word: &Word| matches!(word.text.as_str(), "-x" | "-X" | "--exec" | "--exec-batch");
        let at = words.iter().position(runs).unwrap_or(words.len());
        let (own, rest) = words.split_at(at);
        let run = rest.iter().skip(1).take_while(|word| word.text != ";").cloned().collect();
        let mut usage = Usage::default();
        options::sort(own, &SPEC, &mut usage);
        let all = |word: &&Word| !matches!(word.text.as_str(), "" | "." | ".*" | "*" | "**");
        let some_type = |word: &Word| !matches!(word.text.as_str(), "f" | "file" | "d" | "dir" | "directory");
        let filtered = usage.operands.first().filter(all).is_some()
            || NARROWING.iter().any(|name| usage.has(name))
            || usage.values("--type").any(some_type);
        let mut starts: Vec<Word> = usage.operands.iter().skip(1).cloned().collect();
        starts.extend(usage.values("--search-path").chain(usage.values("--base-directory")).cloned());
        if starts.is_empty() {
            let span = words.first().map(|word| word.span).unwrap_or_default();
            starts.push(Word { text: ".".into(), exact: true, glob: false, span });
        }
        Fd { starts, filtered, run }
    }

    /// What `{}` represents. It never finds its own start.
    pub(crate) fn matches(&self) -> Vec<Word> {
        let below = |start: &Word| {
            let head = start.text.trim_end_matches('/');
            let text = format!("{head}/{}", if self.filtered { "?*" } else { "**" });
            Word { text: text.into(), exact: start.exact && !self.filtered, glob: true, span: start.span }
        };
        self.starts.iter().map(below).collect()
    }
}
