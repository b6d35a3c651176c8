//! Turns paths into file-system facts: where the project is, which files are
//! the gate's own, and where symlinks lead.

use crate::dirs::Dirs;
use crate::scene::Setup;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt;
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
    let mut workspace: Vec<String> = both(&text(&setup.project), links).collect();
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
    let settings = setup.agents.iter().flat_map(|agent| agent.own_settings);
    let settings = settings.map(|name| (*name).to_owned()).collect();
    Places { home, workspace, temp, gate, settings }
}

/// The same, with where the gate's own files really are next to where they seem.
#[must_use]
pub fn with_real_places(places: &Places, links: &RealPaths) -> Places {
    let gate = places.gate.iter().flat_map(|path| both(path, links)).collect();
    Places { gate, ..places.clone() }
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
/// that share most of their folders. Made again for every judgement, so that
/// what it says is never older than that.
#[derive(Debug, Default)]
pub struct RealPaths {
    /// Names in folders that are real already, by their whole path.
    looked_at: RefCell<BTreeMap<String, Found>>,
}

/// What was found under a name.
#[derive(Debug, Clone, Default)]
struct Found {
    /// Whether it is there, if that could be told.
    there: Option<bool>,
    /// Where it leads, if that is elsewhere.
    leads_to: Option<String>,
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
        let mut here = String::with_capacity(path.len().saturating_add(1));
        here.push_str(from);
        self.walk_on(&mut here, rest, LINKS_MAX);
        if here.is_empty() { "/".to_owned() } else { here }
    }

    /// The nearest folder above a path that was followed before and is where it
    /// seems, and what is left below it: nothing above need be looked at again.
    fn known_above<'a>(&self, path: &'a str) -> (&'a str, &'a str) {
        let looked_at = self.looked_at.borrow();
        let mut folders =
            path.rmatch_indices('/').take(ABOVE_MAX).filter_map(|(at, _)| path.split_at_checked(at));
        let is_real =
            |(folder, _): &(&str, &str)| looked_at.get(*folder).is_some_and(|found| found.leads_to.is_none());
        folders.find(is_real).unwrap_or(("", path))
    }

    /// Whether a real path that was followed is there.
    #[must_use]
    pub fn is_there(&self, real: &str) -> Option<bool> {
        self.looked_at.borrow().get(real).and_then(|found| found.there)
    }

    /// Goes on from a folder that is real already; the root is the empty text.
    fn walk_on(&self, here: &mut String, path: &str, links_left: u32) {
        for part in path.split('/') {
            match part {
                "" | "." => {}
                ".." => here.truncate(here.rfind('/').unwrap_or(0)),
                name => self.step(here, name, links_left),
            }
        }
    }

    /// One name in the folder `here`.
    fn step(&self, here: &mut String, name: &str, links_left: u32) {
        let folder = here.len();
        here.push('/');
        here.push_str(name);
        let known = self.looked_at.borrow().get(here.as_str()).map(|found| found.leads_to.clone());
        let leads_to = known.unwrap_or_else(|| {
            let found = self.look(here, folder, links_left);
            let leads_to = found.leads_to.clone();
            self.looked_at.borrow_mut().insert(here.clone(), found);
            leads_to
        });
        if let Some(real) = leads_to {
            *here = real;
        }
    }

    /// Looks at a path whose folder ends at `folder`.
    fn look(&self, path: &str, folder: usize, links_left: u32) -> Found {
        let folder = path.get(..folder).unwrap_or_default();
        // Nothing is in a folder that is not there.
        if self.is_there(folder) == Some(false) {
            return Found { there: Some(false), leads_to: None };
        }
        match std::fs::read_link(path) {
            Ok(target) if links_left > 0 => {
                let target = target.to_string_lossy();
                let mut real = if target.starts_with('/') { String::new() } else { folder.to_owned() };
                self.walk_on(&mut real, &target, links_left.saturating_sub(1));
                Found { there: None, leads_to: Some(real) }
            }
            Ok(_) => Found::default(),
            // Whatever is no link is there all the same: only a link can be read as one.
            Err(error) => Found { there: there_for(error.kind()), leads_to: None },
        }
    }
}

/// What it says about a path that it cannot be read as a link.
fn there_for(kind: ErrorKind) -> Option<bool> {
    match kind {
        ErrorKind::InvalidInput => Some(true),
        ErrorKind::NotFound | ErrorKind::NotADirectory => Some(false),
        _ => None,
    }
}

/// A clean path as given and where it really is, if that differs.
fn both(given: &str, links: &RealPaths) -> impl Iterator<Item = String> {
    let real = links.of(given);
    let elsewhere = (real != given).then_some(real);
    std::iter::once(given.to_owned()).chain(elsewhere)
}

/// A path whose folder is what it is without links, if that differs. What it names itself may
/// be a link: who deletes it deletes that.
fn spelled(path: &str, links: &RealPaths) -> Option<String> {
    let (folder, name) = path.rsplit_once('/').filter(|(folder, _)| !folder.is_empty())?;
    let real = links.of(folder);
    (real != folder).then(|| format!("{}/{name}", real.trim_end_matches('/')))
}

/// The files of the project where its folder is written with other letters, on a disk to which
/// those are the same.
pub(crate) fn with_other_case(mut facts: Facts, places: &Places) -> Facts {
    for file in facts.files.iter_mut().filter(|file| file.exact && file.spelled.is_none()) {
        file.spelled = places.workspace.iter().find_map(|top| in_other_case(&file.path, top));
    }
    facts
}

fn in_other_case(path: &str, top: &str) -> Option<String> {
    let (written, rest) = path.split_at_checked(top.len())?;
    let is_other =
        written != top && written.eq_ignore_ascii_case(top) && (rest.is_empty() || rest.starts_with('/'));
    let place = |path: &str| std::fs::metadata(path).ok().map(|found| (found.dev(), found.ino()));
    (is_other && place(written)? == place(top)?).then(|| format!("{top}{rest}"))
}

/// Fills in where each file of the facts really is.
#[must_use]
pub fn with_real_paths(mut facts: Facts, links: &RealPaths) -> Facts {
    for file in facts.files.iter_mut().filter(|file| file.exact) {
        let real = links.of(file.raw.as_deref().unwrap_or(&file.path));
        file.exists = links.is_there(&real).filter(|_| !file.glob);
        file.spelled = spelled(&file.path, links).filter(|_| real != file.path);
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
    fn other_letters_are_the_project_only_where_the_disk_says_so() {
        let top = tempfile::tempdir().unwrap();
        let top = std::fs::canonicalize(top.path()).unwrap();
        for folder in ["project", "OTHER", "other"] {
            std::fs::create_dir(top.join(folder)).unwrap();
        }
        // As a disk that does not tell letters apart shows it.
        symlink("project", top.join("PROJECT")).unwrap();
        let at = |name: &str| top.join(name).display().to_string();
        assert_eq!(in_other_case(&at("PROJECT/src"), &at("project")), Some(at("project/src")));
        for (path, top) in [("OTHER/src", "other"), ("project/src", "project"), ("PROJECTS/src", "project")] {
            assert_eq!(in_other_case(&at(path), &at(top)), None, "{path}");
        }
    }

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
