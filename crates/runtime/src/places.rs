//! Turns paths into file-system facts: where the project is, which files are
//! the gate's own, and where symlinks lead.

use crate::scene::Setup;
use std::path::{Path, PathBuf};
use toolgate_core::{Facts, Places, absolute, normalise};

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
pub fn places_of(setup: &Setup, also: &[String]) -> Places {
    let home = setup.dirs.home.as_ref().map(|home| text(home));
    let mut workspace = both(&setup.project);
    let base = home.clone().unwrap_or_default();
    workspace.extend(also.iter().map(|folder| match folder.strip_prefix("~/") {
        Some(rest) => normalise(&format!("{base}/{rest}")),
        None => absolute(folder, &text(&setup.project)),
    }));
    let gate = own_files(setup).iter().map(|path| text(path)).collect();
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
pub fn with_real_places(setup: &Setup, mut places: Places) -> Places {
    places.gate = own_files(setup).iter().flat_map(|path| both(path)).collect();
    places
}

fn own_files(setup: &Setup) -> Vec<PathBuf> {
    let dirs = &setup.dirs;
    let own = [&dirs.managed, &dirs.config, &dirs.state, &dirs.cache].map(PathBuf::clone);
    let program = std::env::current_exe().ok();
    // A policy file may be a link; where it leads is ours too.
    own.into_iter()
        .chain(dirs.policy_files(&setup.project))
        .chain([setup.project.join(".toolgate")])
        .chain(setup.host_files.iter().cloned())
        .chain(program)
        .collect()
}

fn text(path: &Path) -> String {
    normalise(&path.to_string_lossy())
}

/// A path as given and where it really is, if that differs.
fn both(path: &Path) -> Vec<String> {
    let given = text(path);
    let real = real_path(&given);
    if real == given { vec![given] } else { vec![given, real] }
}

/// Fills in where each file of the facts really is.
#[must_use]
pub fn with_real_paths(mut facts: Facts) -> Facts {
    for file in &mut facts.files {
        if file.exact {
            let real = real_path(&file.path);
            file.real = (real != file.path).then_some(real);
        }
    }
    facts
}

/// The path with every symlink of its existing part followed. What does not
/// exist yet is kept as written below it.
fn real_path(path: &str) -> String {
    let mut missing: Vec<&std::ffi::OsStr> = Vec::new();
    let mut at = Path::new(path);
    loop {
        if let Ok(real) = std::fs::canonicalize(at) {
            let full = missing.iter().rev().fold(real, |path, name| path.join(name));
            return text(&full);
        }
        match dangling(at) {
            Some(target) if missing.len() < 64 => {
                let full = missing.iter().rev().fold(target, |path, name| path.join(name));
                return text(&full);
            }
            _ => {}
        }
        match (at.parent(), at.file_name()) {
            (Some(parent), Some(name)) => {
                missing.push(name);
                at = parent;
            }
            _ => return path.to_owned(),
        }
    }
}

/// Where a symlink to nothing points: writing through it makes that file.
fn dangling(path: &Path) -> Option<PathBuf> {
    let target = std::fs::read_link(path).ok()?;
    let parent = path.parent()?;
    let base = std::fs::canonicalize(parent).unwrap_or_else(|_| parent.to_path_buf());
    Some(base.join(target))
}
