//! What git ignores: `.gitignore` in every folder, `info/exclude`, and the file for all
//! repositories of a user.

use ignore::gitignore::{Gitignore, GitignoreBuilder, gitconfig_excludes_path};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The ignore rules of one repository, read as they are needed.
#[derive(Debug)]
pub(super) struct Ignored {
    top: PathBuf,
    /// Those that hold for the whole repository, the stronger first.
    shared: Vec<Gitignore>,
    /// Those of each folder.
    of_folder: BTreeMap<PathBuf, Option<Gitignore>>,
}

impl Ignored {
    /// `common` is where the repository keeps what its working trees share.
    pub(super) fn of(top: &Path, common: &Path) -> Ignored {
        let user = named_in(&common.join("config")).or_else(gitconfig_excludes_path);
        let files = std::iter::once(common.join("info/exclude")).chain(user);
        let shared = files.filter_map(|file| rules(top, &file)).collect();
        Ignored { top: top.to_owned(), shared, of_folder: BTreeMap::new() }
    }

    /// Whether a path is ignored, or a folder above it is.
    pub(super) fn holds(&mut self, path: &Path, is_folder: bool) -> bool {
        let top = self.top.clone();
        let below = path.ancestors().skip(1).take_while(|folder| folder.starts_with(&top) && *folder != top);
        let mut folders: Vec<&Path> = below.collect();
        folders.reverse();
        // What is below an ignored folder cannot be taken back.
        folders.into_iter().any(|folder| self.is_named(folder, true)) || self.is_named(path, is_folder)
    }

    /// Whether the path itself is ignored: the rule nearest to it decides.
    pub(super) fn is_named(&mut self, path: &Path, is_folder: bool) -> bool {
        for folder in path.ancestors().skip(1).take_while(|folder| folder.starts_with(&self.top)) {
            let own = self.of_folder.entry(folder.to_owned());
            let own = own.or_insert_with(|| rules(folder, &folder.join(".gitignore")));
            if let Some(own) = own {
                let found = own.matched(path, is_folder);
                if !found.is_none() {
                    return found.is_ignore();
                }
            }
        }
        let found = self.shared.iter().map(|rules| rules.matched(path, is_folder)).find(|one| !one.is_none());
        found.is_some_and(|found| found.is_ignore())
    }
}

/// The `core.excludesFile` a repository sets for itself.
fn named_in(config: &Path) -> Option<PathBuf> {
    let text = std::fs::read_to_string(config).ok()?;
    let mut in_core = false;
    let mut found = None;
    for line in text.lines().map(str::trim) {
        if line.starts_with('[') {
            in_core = line.eq_ignore_ascii_case("[core]");
        } else if let Some((name, value)) = line.split_once('=').filter(|_| in_core)
            && name.trim().eq_ignore_ascii_case("excludesfile")
        {
            found = Some(value.trim().trim_matches('"'));
        }
    }
    let path = found?;
    match path.strip_prefix("~/") {
        Some(rest) => std::env::var_os("HOME").map(|home| PathBuf::from(home).join(rest)),
        None => Some(PathBuf::from(path)),
    }
}

/// The rules of one file, seen from `folder`; none if there is no such file. A line that is
/// no pattern ignores nothing, as for git.
fn rules(folder: &Path, file: &Path) -> Option<Gitignore> {
    // Opening a pipe would wait for a writer.
    std::fs::metadata(file).ok().filter(std::fs::Metadata::is_file)?;
    let mut builder = GitignoreBuilder::new(folder);
    let _ = builder.add(file);
    builder.build().ok().filter(|rules| !rules.is_empty())
}
