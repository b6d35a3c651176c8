//! Files that are written where there is none: nothing is lost by that.
//!
//! Only in the project. Elsewhere a new file may be what makes something run, and
//! rules say `write` or `change` of it as they need.

use toolgate_core::{Access, Facts, FileFact, Place, Places};

/// Of more files than this none is taken for a new one: each is held against all others.
const NEW_MAX: usize = 32;

/// The facts, with what is written for the first time as made.
#[must_use]
pub(crate) fn with_new_files(mut facts: Facts, places: &Places) -> Facts {
    make_new(&mut facts.files, places);
    facts
}

/// What is written in the project where nothing is, is made: nothing is lost by it. Unless the
/// call itself moves something there before.
fn make_new(files: &mut [FileFact], places: &Places) {
    let is_new = |file: &FileFact| {
        let inside = || file.targets().all(|path| places.holds(Place::Workspace, path));
        file.access == Access::Write && file.exists == Some(false) && !file.glob && inside()
    };
    if files.len() > NEW_MAX || !files.iter().any(is_new) {
        return;
    }
    let changes = |one: &&FileFact| one.access != Access::Read;
    // A command that changes other files as well may bring what was in them, and one that
    // writes what a pattern names may bring anything.
    let brought = |file: &FileFact| {
        if files.iter().filter(changes).any(|other| other.glob && other.command != file.command) {
            return true;
        }
        let same = files.iter().filter(changes).filter(|other| other.path == file.path);
        same.filter(|other| other.command != file.command).any(|other| {
            files.iter().filter(changes).any(|one| one.command == other.command && one.path != file.path)
        })
    };
    let new: Vec<bool> = files.iter().map(|file| is_new(file) && !brought(file)).collect();
    for (file, new) in files.iter_mut().zip(new) {
        if new {
            file.access = Access::Create;
        }
    }
}
