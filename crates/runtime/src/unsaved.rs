//! Work that would be lost: of the files a call deletes or replaces inside the project,
//! those that no commit holds and that this session did not make.
//!
//! Only such a call is looked at, and only so far: of a tree with more files than that, a
//! person is asked. Without a repository nothing is held anywhere; then only whole folders
//! and patterns count, and what builds make again does not.

use crate::git::{Repository, State, is_only_copy};
use crate::own_work::OwnWork;
use crate::places::RealPaths;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::Metadata;
use std::path::{Path, PathBuf};
use toolgate_core::shell::Loss;
use toolgate_core::{BUILD_OUTPUT, Doubt, Facts, FileFact, Lossy, Place, Places, Unsaved, absolute, losses};

/// More files and folders of one call are not looked at.
const LOOKS_MAX: usize = 50_000;

/// The facts, with what would be lost.
pub(crate) fn with_unsaved(
    mut facts: Facts,
    start: &str,
    places: &Places,
    links: &RealPaths,
    own: &mut OwnWork<'_>,
) -> Facts {
    let mut look =
        Look { start, places, links, own, repositories: Vec::new(), tops: BTreeMap::new(), left: LOOKS_MAX };
    let found: Vec<(usize, Unsaved)> = losses(&facts)
        .iter()
        .map(|one| (one.at, look.at(one)))
        .filter(|(_, lost)| !lost.is_nothing())
        .collect();
    for (at, lost) in found {
        if let Some(file) = facts.files.get_mut(at) {
            file.unsaved = Some(Box::new(lost));
        }
    }
    facts
}

/// One look at the disk, for all files of a call.
struct Look<'a, 'b> {
    /// Where the call runs.
    start: &'a str,
    places: &'a Places,
    links: &'a RealPaths,
    own: &'a mut OwnWork<'b>,
    repositories: Vec<Repository>,
    /// Which of them has its top in a folder.
    tops: BTreeMap<PathBuf, Option<usize>>,
    /// Files and folders that may still be looked at.
    left: usize,
}

/// What is looked for, and where.
struct Search<'a> {
    lossy: &'a Lossy<'a>,
    /// The pattern of the call, if it is one.
    pattern: Option<Pattern>,
    /// The repository it starts in, and what of it is saved already.
    saved: Option<(usize, Loss)>,
    lost: Unsaved,
}

/// A folder still to be looked through.
struct Folder {
    path: PathBuf,
    repository: Option<usize>,
    /// Git ignores it; only what it tracks there counts.
    is_ignored: bool,
    /// Everything below is meant.
    is_meant: bool,
    depth: usize,
}

impl Look<'_, '_> {
    fn at(&mut self, lossy: &Lossy<'_>) -> Unsaved {
        let file = lossy.file;
        let pattern = file.glob.then(|| Pattern::of(lossy));
        let from = match &pattern {
            Some(pattern) => PathBuf::from(self.links.of(&pattern.folder)),
            None => PathBuf::from(self.place_of(file)),
        };
        let mut search = Search { lossy, pattern, saved: None, lost: Unsaved::default() };
        let is_work = self.is_work(&from) && !from.iter().any(|part| part == ".git");
        let Some(found) = std::fs::symlink_metadata(&from).ok().filter(|_| is_work) else {
            return search.lost;
        };
        let is_folder = found.is_dir();
        if is_folder && !lossy.tree && search.pattern.is_none() {
            return search.lost;
        }
        let repository = self.repository_of(if is_folder { &from } else { from.parent().unwrap_or(&from) });
        search.saved = repository.and_then(|at| Some((at, self.left_by_saving(lossy, at, &from)?)));
        let is_ignored = repository
            .and_then(|at| self.repositories.get_mut(at))
            .is_some_and(|repository| from != repository.top && repository.ignores(&from, is_folder));
        if !is_folder {
            self.file(&mut search, &from, &found, repository, is_ignored);
            return search.lost;
        }
        let is_meant = search.pattern.is_none();
        let first = Folder { path: from, repository, is_ignored, is_meant, depth: 0 };
        if self.may_hold(&first) {
            self.below(&mut search, first);
        }
        search.lost
    }

    /// Whether a path is of the project. The gate's own files have a guard of their own.
    fn is_work(&self, path: &Path) -> bool {
        let path = path.to_string_lossy();
        self.places.holds(Place::Workspace, &path) && !self.places.holds(Place::Gate, &path)
    }

    /// Where the file is: of a link the link itself.
    fn place_of(&self, file: &FileFact) -> String {
        let is_link = std::fs::symlink_metadata(file.path.as_str()).is_ok_and(|found| found.is_symlink());
        match file.path.rsplit_once('/') {
            Some((folder, name)) if is_link => format!("{}/{name}", self.links.of(folder)),
            _ => file.real.clone().unwrap_or_else(|| file.path.to_string()),
        }
    }

    /// What a commit or stash in the same call leaves to lose, if it was of this repository.
    fn left_by_saving(&mut self, lossy: &Lossy<'_>, at: usize, path: &Path) -> Option<Loss> {
        let saved = lossy.saved?;
        let folder = absolute(saved.dir.as_deref().unwrap_or(""), self.start);
        let folder = PathBuf::from(self.links.of(&folder));
        let same = self.repository_of(&folder) == Some(at);
        (same && (!saved.below || path.starts_with(&folder))).then_some(Loss {
            tracked: lossy.loss.tracked && !saved.tracked,
            untracked: lossy.loss.untracked && !saved.untracked,
        })
    }

    /// The repository a folder belongs to.
    fn repository_of(&mut self, folder: &Path) -> Option<usize> {
        for top in folder.ancestors() {
            if let Some(at) = self.repository_at(top) {
                return Some(at);
            }
        }
        None
    }

    fn repository_at(&mut self, top: &Path) -> Option<usize> {
        if let Some(known) = self.tops.get(top) {
            return *known;
        }
        let found = Repository::at(top).map(|one| {
            self.repositories.push(one);
            self.repositories.len().saturating_sub(1)
        });
        self.tops.insert(top.to_owned(), found);
        found
    }

    /// Whether a folder can hold anything that would be missed.
    fn may_hold(&mut self, folder: &Folder) -> bool {
        let repository = folder.repository.and_then(|at| self.repositories.get(at));
        if repository.is_some_and(|repository| repository.tracks_below(&folder.path)) {
            return true;
        }
        let top = repository.map(|repository| repository.top.clone());
        let below = top.as_deref().and_then(|top| folder.path.strip_prefix(top).ok());
        if folder.is_ignored || below.unwrap_or(&folder.path).iter().any(is_built) {
            return false;
        }
        !std::fs::symlink_metadata(&folder.path).is_ok_and(|found| self.own.made(&folder.path, &found))
    }

    /// Looks through a folder and all below, files first, by name.
    fn below(&mut self, search: &mut Search<'_>, first: Folder) {
        let mut open = vec![first];
        while let Some(folder) = open.pop() {
            let mut names: Vec<_> =
                std::fs::read_dir(&folder.path).into_iter().flatten().flatten().take(self.left + 1).collect();
            names.sort_by_key(std::fs::DirEntry::file_name);
            let is_top = names.iter().any(|entry| entry.file_name() == ".git");
            let repository = is_top.then(|| self.repository_at(&folder.path)).flatten().or(folder.repository);
            let is_ignored = folder.is_ignored && repository == folder.repository;
            // Only what is deleted takes the repository along.
            let takes_all = search.lossy.tree && search.lossy.loss == Loss::ALL;
            if is_top && folder.is_meant && takes_all && is_only_copy(&folder.path.join(".git")) {
                let made = std::fs::symlink_metadata(&folder.path)
                    .is_ok_and(|found| self.own.made(&folder.path, &found));
                let places = self.places;
                search.lost.history = (!made).then(|| shown(&folder.path, places));
            }
            let mut folders = Vec::new();
            for entry in names.iter().filter(|entry| entry.file_name() != ".git") {
                let Some(left) = self.left.checked_sub(1) else {
                    search.lost.doubt = Some(Doubt::TooMany);
                    return;
                };
                self.left = left;
                let path = entry.path();
                let is_meant = folder.is_meant || search.means(&path, folder.depth);
                if entry.file_type().is_ok_and(|found| found.is_dir()) {
                    // What only deletes files goes on below all the same, if it looks there.
                    let is_meant = is_meant && search.lossy.tree;
                    if !is_meant && !search.goes_below(folder.depth) {
                        continue;
                    }
                    let own = repository.and_then(|at| self.repositories.get_mut(at));
                    let is_ignored = is_ignored || own.is_some_and(|own| own.ignores_folder(&path));
                    let depth = folder.depth.saturating_add(1);
                    let next = Folder { path, repository, is_ignored, is_meant, depth };
                    if self.may_hold(&next) {
                        folders.push(next);
                    }
                } else if is_meant && let Ok(found) = entry.metadata() {
                    self.file(search, &path, &found, repository, is_ignored);
                }
            }
            open.extend(folders.into_iter().rev());
        }
    }

    fn file(
        &mut self,
        search: &mut Search<'_>,
        path: &Path,
        found: &Metadata,
        repository: Option<usize>,
        is_ignored: bool,
    ) {
        if !found.is_file() && !found.is_symlink() || !self.is_work(path) {
            return;
        }
        let places = self.places;
        let name = || shown(path, places);
        let loss = search.loss(repository);
        let Some(repository) = repository.and_then(|at| self.repositories.get_mut(at)) else {
            // One file by its name: no more than a person would do.
            let counts = search.lossy.tree || search.pattern.is_some();
            if counts && loss.untracked && found.len() > 0 && !self.own.made(path, found) {
                search.lost.no_repository = true;
                search.lost.add_untracked(name);
            }
            return;
        };
        if !loss.is_any() {
            return;
        }
        if !repository.is_readable() {
            search.lost.doubt = Some(Doubt::Index);
            return;
        }
        match repository.state(path, found, is_ignored) {
            State::Changed if loss.tracked => {
                let stamp = repository.stamp_of(path);
                if !stamp.is_some_and(|stamp| self.own.changed_since(path, &stamp)) {
                    search.lost.add_changed(name);
                }
            }
            // Nothing is lost with an empty file.
            State::Untracked if loss.untracked && found.len() > 0 => {
                let below = path.strip_prefix(&repository.top).unwrap_or(path);
                if !below.iter().any(is_built) && !self.own.made(path, found) {
                    search.lost.add_untracked(name);
                }
            }
            _ => {}
        }
    }
}

impl Search<'_> {
    fn means(&self, path: &Path, depth: usize) -> bool {
        self.pattern.as_ref().is_some_and(|pattern| pattern.fits(path, depth))
    }

    fn goes_below(&self, depth: usize) -> bool {
        self.pattern.as_ref().is_none_or(|pattern| depth.saturating_add(1) < pattern.depth)
    }

    /// What can be lost in a repository.
    fn loss(&self, repository: Option<usize>) -> Loss {
        self.saved.filter(|(at, _)| repository == Some(*at)).map_or(self.lossy.loss, |(_, loss)| loss)
    }
}

/// A pattern for files, as the shell or `find` takes it.
struct Pattern {
    /// The folder below which it means anything.
    folder: String,
    /// What is compared: whole paths, or names where it means any depth.
    text: String,
    is_name: bool,
    /// How deep it reaches.
    depth: usize,
    /// Names that begin with a dot are meant as well.
    is_dotted: bool,
}

impl Pattern {
    fn of(lossy: &Lossy<'_>) -> Pattern {
        let path = lossy.file.path.as_str();
        let parts: Vec<&str> = path.split('/').collect();
        let is_literal = |part: &&&str| !part.contains(['*', '?', '[', '{', '(']);
        let literal = parts.iter().take_while(is_literal).count();
        let (folder, rest) = parts.split_at(literal.min(parts.len()));
        let folder = folder.join("/");
        let first = rest.first().copied().unwrap_or_default();
        Pattern {
            folder: if folder.is_empty() { "/".to_owned() } else { folder },
            text: if lossy.any_depth { rest.join("/") } else { path.to_owned() },
            is_name: lossy.any_depth,
            depth: if lossy.any_depth || path.contains("**") { usize::MAX } else { rest.len() },
            is_dotted: lossy.any_depth || first.starts_with(['.', '[', '{']) || first == "**",
        }
    }

    fn fits(&self, path: &Path, depth: usize) -> bool {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if depth == 0 && !self.is_dotted && name.starts_with('.') {
            return false;
        }
        match self.is_name {
            true => fast_glob::glob_match(&self.text, name.as_ref()),
            false => fast_glob::glob_match(&self.text, path.to_string_lossy().as_ref()),
        }
    }
}

/// Whether builds make what is in a folder of this name.
fn is_built(name: &OsStr) -> bool {
    let name = name.to_string_lossy();
    BUILD_OUTPUT.iter().any(|known| fast_glob::glob_match(known, name.as_ref()))
}

/// A path as people see it, from the project.
fn shown(path: &Path, places: &Places) -> String {
    let text = path.to_string_lossy();
    let inside = places.workspace.iter().find_map(|top| text.strip_prefix(top.as_str())?.strip_prefix('/'));
    inside.unwrap_or(&text).to_owned()
}
