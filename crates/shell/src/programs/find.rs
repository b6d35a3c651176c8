//! `find`: where it starts, what it would match, what it does with it.

use super::files::is_unset;
use super::{Effects, Model};
use crate::effect_kind::EffectKind;
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

/// Represents whatever is of some age, size or owner, or not of some name.
pub(super) const MOST: &str = "?**";

/// A `find` taken apart.
#[derive(Debug, Default)]
pub(crate) struct Find {
    starts: Vec<Word>,
    /// The last name or path pattern.
    pattern: Option<Word>,
    /// Something narrows the match.
    filtered: bool,
    /// What narrows it says what goes, and not only its age, size or rights, or what stays.
    by_name: bool,
    /// It asks for a whole name, no pattern.
    named: bool,
    /// Every file, but no folder: as good as everything.
    files_only: bool,
    /// `-ok`: a person is asked about each.
    asks: bool,
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
        let (mut negated, mut depth) = (false, 0);
        while let Some(word) = rest.next() {
            let text = word.text.as_str();
            let not = std::mem::replace(&mut negated, matches!(text, "!" | "-not"));
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
                    find.asks |= text.starts_with("-ok");
                }
                "-delete" => find.deletes = true,
                "-mindepth" => {
                    find.below = rest.next().is_none_or(|value| value.text != "0");
                }
                "-name" | "-iname" | "-path" | "-ipath" | "-wholename" | "-regex" | "-iregex" => {
                    let pattern = rest.next().cloned();
                    find.filtered |= pattern.as_ref().is_none_or(|word| word.text != "*");
                    if not {
                        continue;
                    }
                    find.named |=
                        pattern.as_ref().is_some_and(|word| !word.text.contains(['*', '?', '[', '/']));
                    find.by_name |= pattern.as_ref().is_none_or(|word| word.text != "*");
                    find.pattern = pattern;
                }
                // What is pruned is not what is matched by the rest, which `-o` begins: see `widen`.
                "-prune" => {
                    find.pattern = find.pattern.take().filter(|_| depth == 0);
                    find.filtered = true;
                }
                "(" => depth += 1,
                ")" => depth -= 1,
                // What is before it narrows nothing behind it.
                "-o" | "-or" if depth == 0 && !find.acts() => find.widen(),
                _ => find.test(text, &mut rest),
            }
        }
        if find.starts.is_empty() {
            let span = words.first().map(|word| word.span).unwrap_or_default();
            find.starts.push(Word { text: ".".into(), exact: true, glob: false, span });
        }
        find
    }

    /// Tests and actions that take no part in the order of things.
    fn test<'w>(&mut self, text: &str, rest: &mut impl Iterator<Item = &'w Word>) {
        match text {
            "-fprint" | "-fls" | "-fprint0" => self.writes.extend(rest.next().cloned()),
            "-fprintf" => {
                self.writes.extend(rest.next().cloned());
                rest.next();
            }
            "-maxdepth" | "-printf" => {
                rest.next();
            }
            "-type" => {
                let value = rest.next().map_or("", |value| value.text.as_str());
                self.files_only |= value == "f";
                let rare = !value.contains(['d', 'f']);
                self.filtered |= rare;
                self.by_name |= rare;
            }
            "-size" => {
                let value = rest.next().map_or("", |value| value.text.as_str());
                self.filtered = true;
                // Nothing is lost with what is empty.
                self.by_name |= value.trim_end_matches(char::is_alphabetic) == "0";
            }
            "-mtime" | "-mmin" | "-newer" | "-user" | "-group" | "-perm" | "-atime" | "-ctime" | "-amin"
            | "-cmin" | "-links" | "-fstype" | "-uid" | "-gid" => {
                rest.next();
                self.filtered = true;
            }
            // Links that lead nowhere, and others that are rare.
            "-xtype" | "-lname" | "-ilname" | "-inum" | "-samefile" => {
                rest.next();
                self.filtered = true;
                self.by_name = true;
            }
            "-empty" => {
                self.filtered = true;
                self.by_name = true;
            }
            "-executable" | "-readable" | "-writable" => self.filtered = true,
            _ => {}
        }
    }

    fn acts(&self) -> bool {
        self.deletes || !self.runs.is_empty()
    }

    fn widen(&mut self) {
        (self.pattern, self.filtered, self.by_name) = (None, false, false);
        (self.named, self.files_only) = (false, false);
    }

    /// What `{}` represents: the start itself when nothing narrows the match,
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
            let some = if self.by_name || self.asks { "?*" } else { MOST };
            let pattern = self.pattern.as_ref().map_or(some, |word| word.text.as_str());
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

    /// Are there places no one looked at?
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

fn effects(command: &Command, _: Option<&str>) -> Effects {
    let find = Find::of(command.words.get(1..).unwrap_or_default());
    let mut effects = Effects::none();
    if find.deletes {
        let kind = if find.filtered { EffectKind::DeletesFile } else { EffectKind::DeletesTree };
        effects.on_each(kind, &find.matches());
        if find.filtered {
            effects.on_each(EffectKind::DeletesBelow, &find.starts);
        }
        if find.filtered && !find.by_name {
            effects.on_each(EffectKind::DeletesMost, &find.starts);
        }
        // `cd "$X" && find . -delete`: without a value that is another folder.
        let nowhere = !find.filtered && command.dir.as_ref().is_some_and(is_unset);
        effects.on_each(
            EffectKind::DeletesUnknown,
            find.starts.iter().filter(|start| nowhere && start.text == "."),
        );
    }
    // What is run on each match deletes it as well.
    let removes = |run: &Vec<Word>| {
        let name = run.first().map_or("", |word| super::base_name(&word.text));
        matches!(name, "rm" | "grm" | "unlink" | "rmdir" | "shred" | "srm" | "trash")
    };
    if !find.deletes && !find.asks && find.filtered && find.runs.iter().any(removes) {
        effects.on_each(EffectKind::DeletesBelow, &find.starts);
    }
    if find.deletes {
        effects.on_each(EffectKind::DeletesUnknown, find.starts.iter().filter(|start| is_unset(start)));
    }
    effects.on_each(EffectKind::WritesFile, &find.writes);
    // Looking for a file by its whole name, outside, is for its content.
    if find.named {
        let sought = find.matches();
        effects
            .on_each(EffectKind::SeeksFile, sought.iter().filter(|word| word.text.starts_with(['/', '~'])));
    }
    effects
}
