//! `find`: where it starts, what it would match, what it does with it.

use super::{Deeds, Model};
use crate::deed::Deed;
use crate::options::Spec;
use crate::reading::{Command, Word};
use smol_str::format_smolstr;

pub(super) const MODELS: &[Model] = &[Model {
    names: &["find", "gfind"],
    spec: Spec {
        options: "name= iname= path= ipath= wholename= regex= iregex= type= maxdepth= mindepth= mtime= mmin= newer= size= \
                  user= group= perm= fprint= fprintf= fls= printf= atime= ctime= amin= cmin= empty delete print print0",
        leading: false,
        short_names: false,
        one_dash: true,
    },
    subs: &[],
    groups: &[],
    effects,
}];

/// Places that are copied, all in all.
const STARTS_MAX: usize = 2048;

/// A `find` taken apart.
#[derive(Debug, Default)]
pub(crate) struct Find {
    starts: Vec<Word>,
    /// The last name or path pattern.
    pattern: Option<Word>,
    /// Something narrows the match.
    filtered: bool,
    /// It asks for a whole name, no pattern.
    named: bool,
    /// Every file, but no folder: as good as everything.
    files_only: bool,
    /// `-mindepth`, so never the start itself.
    below: bool,
    pub(crate) deletes: bool,
    writes: Vec<Word>,
    /// The words of each `-exec` and its like.
    pub(crate) runs: Vec<Vec<Word>>,
}

impl Find {
    /// Takes the words behind `find` apart.
    pub(crate) fn of(words: &[Word]) -> Find {
        let mut find = Find::default();
        let mut rest = words.iter();
        let mut in_starts = true;
        while let Some(word) = rest.next() {
            let text = word.text.as_str();
            if in_starts && matches!(text, "-H" | "-L" | "-P") {
                continue;
            }
            if in_starts && !text.starts_with('-') && !matches!(text, "(" | "!" | ")" | ",") {
                find.starts.push(word.clone());
                continue;
            }
            in_starts = false;
            match text {
                "-exec" | "-execdir" | "-ok" | "-okdir" => {
                    let run: Vec<Word> = rest.by_ref().take_while(|word| !ends_run(word)).cloned().collect();
                    find.runs.push(run);
                }
                "-delete" => find.deletes = true,
                "-mindepth" => {
                    find.below = rest.next().is_none_or(|value| value.text != "0");
                }
                "-name" | "-iname" | "-path" | "-ipath" | "-wholename" | "-regex" | "-iregex" => {
                    find.pattern = rest.next().cloned();
                    find.filtered |= find.pattern.as_ref().is_none_or(|word| word.text != "*");
                    find.named |=
                        find.pattern.as_ref().is_some_and(|word| !word.text.contains(['*', '?', '[', '/']));
                }
                // What is pruned is not what is matched.
                "-prune" => {
                    find.pattern = None;
                    find.filtered = true;
                }
                "-fprint" | "-fls" | "-fprint0" => find.writes.extend(rest.next().cloned()),
                "-fprintf" => {
                    find.writes.extend(rest.next().cloned());
                    rest.next();
                }
                "-maxdepth" | "-printf" => {
                    rest.next();
                }
                "-type" => {
                    let value = rest.next().map_or("", |value| value.text.as_str());
                    find.files_only |= value == "f";
                    find.filtered |= !value.contains(['d', 'f']);
                }
                "-mtime" | "-mmin" | "-newer" | "-size" | "-user" | "-group" | "-perm" | "-atime"
                | "-ctime" | "-amin" | "-cmin" | "-inum" | "-links" | "-fstype" | "-samefile" | "-uid"
                | "-gid" => {
                    rest.next();
                    find.filtered = true;
                }
                "-empty" | "-executable" | "-readable" | "-writable" => find.filtered = true,
                _ => {}
            }
        }
        if find.starts.is_empty() {
            let span = words.first().map(|word| word.span).unwrap_or_default();
            find.starts.push(Word { text: ".".into(), exact: true, glob: false, span });
        }
        find
    }

    /// What `{}` stands for: the start itself when nothing narrows the match,
    /// else a pattern below it.
    pub(crate) fn matches(&self) -> Vec<Word> {
        let describe = |start: &Word| {
            let head = start.text.trim_end_matches('/');
            if !self.filtered && self.files_only {
                return Word { text: format_smolstr!("{head}/**"), glob: true, ..start.clone() };
            }
            if !self.filtered && !self.below {
                return start.clone();
            }
            if !self.filtered {
                // Everything below the start, but not the start.
                return Word { text: format_smolstr!("{head}/*"), glob: true, ..start.clone() };
            }
            let pattern = self.pattern.as_ref().map_or("?*", |word| word.text.as_str());
            Word {
                text: format_smolstr!("{head}/{}", pattern.trim_start_matches('/')),
                exact: false,
                glob: true,
                span: start.span,
            }
        };
        self.starts.iter().take(self.most()).map(describe).collect()
    }

    /// Places that are described: each is copied for every command that is run on it.
    fn most(&self) -> usize {
        STARTS_MAX.checked_div(self.runs.len()).map_or(usize::MAX, |most| most.max(8))
    }

    /// Are there places nobody looked at?
    pub(crate) fn has_more(&self) -> bool {
        self.starts.len() > self.most()
    }
}

impl Find {
    /// The same, file by file: where nothing narrows the match, every file below
    /// the start as well. A program that takes no folders takes those.
    pub(crate) fn listed(&self) -> Vec<Word> {
        let mut all = self.matches();
        if !self.filtered && !self.files_only {
            let below = |start: &Word| {
                let text = format_smolstr!("{}/**", start.text.trim_end_matches('/'));
                Word { text, glob: true, ..start.clone() }
            };
            all.extend(self.starts.iter().take(self.most()).map(below));
        }
        all
    }
}

/// The words without those of `-exec` and its like, which are another
/// command's.
pub(super) fn without_runs(words: &[Word]) -> Vec<Word> {
    let mut kept = Vec::new();
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        kept.push(word.clone());
        if matches!(word.text.as_str(), "-exec" | "-execdir" | "-ok" | "-okdir") {
            let _ = rest.by_ref().find(|word| ends_run(word));
        }
    }
    kept
}

fn ends_run(word: &Word) -> bool {
    matches!(word.text.as_str(), ";" | "+")
}

fn effects(command: &Command, _: Option<&str>) -> Deeds {
    let find = Find::of(command.words.get(1..).unwrap_or_default());
    let mut deeds = Deeds::none();
    if find.deletes {
        let deed = if find.filtered { Deed::DeletesFile } else { Deed::DeletesTree };
        deeds.on_each(deed, &find.matches());
        if find.filtered {
            deeds.on_each(Deed::DeletesBelow, &find.starts);
        }
    }
    deeds.on_each(Deed::WritesFile, &find.writes);
    // Looking for a file by its whole name, outside, is for its content.
    if find.named {
        let sought = find.matches();
        deeds.on_each(Deed::SeeksFile, sought.iter().filter(|word| word.text.starts_with(['/', '~'])));
    }
    deeds
}
