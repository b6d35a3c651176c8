//! Turns paths into file-system facts: where the project is, which files are
//! the gate's own, and where symlinks lead.

use crate::dirs::Dirs;
use crate::scene::Setup;
use std::cell::RefCell;
use std::collections::HashMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use toolgate_core::{Access, Facts, Places, Policy, absolute, normalise};

/// The project a folder belongs to: the nearest folder above it with a
/// `.toolgate`, else the nearest with a `.git`, else the folder itself. A
/// repository made inside a guarded project does not leave it.
#[must_use]
pub fn find_project(dir: &Path) -> PathBuf {
    let with = |name: &str| dir.ancestors().find(|folder| folder.join(name).exists());
    with(".toolgate").or_else(|| with(".git")).unwrap_or(dir).to_path_buf()
}

/// The places of a judgement, as they are written.
#[must_use]
pub fn places_of(setup: &Setup, policy: &Policy, links: &RealPaths) -> Places {
    let home = setup.dirs.home.as_ref().map(|home| text(home));
    let mut workspace = both(&setup.project, links);
    let base = home.clone().unwrap_or_default();
    workspace.extend(policy.workspace().also.0.iter().map(|folder| match folder.strip_prefix("~/") {
        Some(rest) => normalise(&format!("{base}/{rest}")),
        None => absolute(folder, &text(&setup.project)),
    }));
    let gate = own_files(setup, policy).iter().map(|path| text(path)).collect();
    let mut temp: Vec<String> = ["/tmp", "/var/tmp", "/private/tmp", "/dev/shm"].map(str::to_owned).to_vec();
    temp.extend(
        std::env::var("TMPDIR")
            .ok()
            .filter(|dir| dir.starts_with('/'))
            .map(|dir| normalise(&dir))
            .filter(|dir| dir != "/"),
    );
    Places { home, workspace, temp, gate }
}

/// The same, with where the gate's own files really are beside where they seem.
#[must_use]
pub fn with_real_places(setup: &Setup, policy: &Policy, mut places: Places, links: &RealPaths) -> Places {
    places.gate = own_files(setup, policy).iter().flat_map(|path| both(path, links)).collect();
    places
}

fn own_files(setup: &Setup, policy: &Policy) -> Vec<PathBuf> {
    let dirs = &setup.dirs;
    let own = [&dirs.managed, &dirs.config, &dirs.state, &dirs.cache].map(PathBuf::clone);
    // The same for as long as this process runs, even if the file is replaced.
    static PROGRAM: OnceLock<Option<PathBuf>> = OnceLock::new();
    let program = PROGRAM.get_or_init(|| std::env::current_exe().ok());
    // A policy file may be a link; where it leads is ours too.
    own.into_iter()
        .chain(dirs.policy_files(&setup.project))
        .chain(Dirs::knowledge_files(&setup.project))
        .chain([setup.project.join(".toolgate")])
        .chain(policy.settings().outside.iter().map(PathBuf::from))
        .chain(setup.host_files.iter().cloned())
        .chain(program.clone())
        .collect()
}

fn text(path: &Path) -> String {
    normalise(&path.to_string_lossy())
}

/// Follows symlinks, each folder once: one judgement asks about many paths
/// that share most of their folders. Made anew for every judgement, so that
/// what it says is never older than that.
#[derive(Debug, Default)]
pub struct RealPaths {
    known: RefCell<HashMap<String, String>>,
    /// Whether a path that was looked at is there, if that could be told.
    there: RefCell<HashMap<String, bool>>,
}

/// Folders above a path that are looked for among those followed before.
const ABOVE_MAX: usize = 8;

/// As many links as the system itself follows.
const LINKS_MAX: u32 = 40;

impl RealPaths {
    /// The path with every symlink followed, `..` taken where it really leads.
    /// What does not exist yet is kept as written, so that a link to nothing
    /// says where a write would land.
    #[must_use]
    pub fn of(&self, path: &str) -> String {
        let (from, rest) = self.known_above(path);
        self.walk_on(from, rest, LINKS_MAX)
    }

    /// The nearest folder above a path that was followed before and is where it
    /// seems, and what is left below it: nothing above need be looked at again.
    fn known_above<'a>(&self, path: &'a str) -> (String, &'a str) {
        let known = self.known.borrow();
        let mut folders =
            path.rmatch_indices('/').take(ABOVE_MAX).filter_map(|(at, _)| path.split_at_checked(at));
        let is_real = |(folder, _): &(&str, &str)| known.get(*folder).is_some_and(|real| real == folder);
        folders.find(is_real).map_or((String::new(), path), |(folder, rest)| (folder.to_owned(), rest))
    }

    /// Whether a real path that was followed is there.
    #[must_use]
    pub fn is_there(&self, real: &str) -> Option<bool> {
        self.there.borrow().get(real).copied()
    }

    fn walk(&self, path: &str, links_left: u32) -> String {
        self.walk_on(String::new(), path, links_left)
    }

    fn walk_on(&self, from: String, path: &str, links_left: u32) -> String {
        path.split('/').fold(from, |here, part| match part {
            "" | "." => here,
            ".." => here.rsplit_once('/').map_or_else(String::new, |(parent, _)| parent.to_owned()),
            name => self.step(&here, name, links_left),
        })
    }

    /// One name in a folder that is real already; the root is the empty text.
    fn step(&self, folder: &str, name: &str, links_left: u32) -> String {
        let here = format!("{folder}/{name}");
        if let Some(real) = self.known.borrow().get(&here) {
            return real.clone();
        }
        // Nothing is in a folder that is not there.
        if self.is_there(folder) == Some(false) {
            self.there.borrow_mut().insert(here.clone(), false);
            self.known.borrow_mut().insert(here.clone(), here.clone());
            return here;
        }
        let read = std::fs::read_link(&here);
        // Whatever is no link is there all the same: only a link can be read as one.
        let there = match read.as_ref().map_err(std::io::Error::kind) {
            Err(ErrorKind::InvalidInput) => Some(true),
            Err(ErrorKind::NotFound | ErrorKind::NotADirectory) => Some(false),
            Ok(_) | Err(_) => None,
        };
        if let Some(there) = there {
            self.there.borrow_mut().insert(here.clone(), there);
        }
        let real = match read {
            Ok(target) if links_left > 0 => {
                let target = target.to_string_lossy();
                let from =
                    if target.starts_with('/') { target.into_owned() } else { format!("{folder}/{target}") };
                self.walk(&from, links_left.saturating_sub(1))
            }
            _ => here.clone(),
        };
        self.known.borrow_mut().insert(here, real.clone());
        real
    }
}

/// A path as given and where it really is, if that differs.
fn both(path: &Path, links: &RealPaths) -> Vec<String> {
    let given = text(path);
    let real = normalise(&links.of(&given));
    if real == given { vec![given] } else { vec![given, real] }
}

/// Fills in where each file of the facts really is.
#[must_use]
pub fn with_real_paths(mut facts: Facts, links: &RealPaths) -> Facts {
    for file in facts.files.iter_mut().filter(|file| file.exact) {
        let real = normalise(&links.of(file.raw.as_deref().unwrap_or(&file.path)));
        file.exists = links.is_there(&real).filter(|_| !file.glob);
        file.real = (real != file.path).then_some(real);
        // A copy made from a template replaces what is there, and so does a new key.
        let command = file.command.and_then(|at| facts.reading.commands.get(at));
        let copies = command.is_some_and(|one| {
            matches!(one.program.as_str(), "cp" | "openssl")
                && !one.usage.has("--no-clobber")
                && !one.only_if_absent
        });
        if file.access == Access::Create && file.exists == Some(true) && copies {
            file.access = Access::Write;
        }
    }
    facts
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn links_are_followed_the_way_the_system_does() {
        let top = tempfile::tempdir().unwrap();
        let top = std::fs::canonicalize(top.path()).unwrap();
        std::fs::create_dir_all(top.join("project/sub")).unwrap();
        std::fs::create_dir_all(top.join("secret/deep")).unwrap();
        symlink(top.join("secret/deep"), top.join("project/link")).unwrap();
        symlink("../secret", top.join("project/relative")).unwrap();
        symlink(top.join("secret/none"), top.join("project/dangling")).unwrap();
        symlink("loop", top.join("project/loop")).unwrap();
        let base = top.display().to_string();
        let links = RealPaths::default();
        for (path, expected) in [
            ("project/sub/a", "project/sub/a"),
            ("project/link/a", "secret/deep/a"),
            ("project/link/../a", "secret/a"),
            ("project/sub/../a", "project/a"),
            ("project/relative/a", "secret/a"),
            ("project/dangling", "secret/none"),
            ("project/new/deeper/a", "project/new/deeper/a"),
            ("project/link/*", "secret/deep/*"),
        ] {
            assert_eq!(links.of(&format!("{base}/{path}")), format!("{base}/{expected}"), "{path}");
        }
        assert!(links.of(&format!("{base}/project/loop/a")).starts_with(&base), "a loop ends");
    }
}
