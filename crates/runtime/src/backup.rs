//! Copies of files made before a call changes them, and bringing them
//! back.
//!
//! Copies lie in the state folder under the hash of their content, for the
//! user only, so that the same content is kept once. What a call would change
//! must be known to be copied: where it is not, or is too much, there is no
//! backup, and the rule says what happens then.

use crate::broken::Broken;
use crate::dirs::Dirs;
use crate::private::{make_private_folder, write_private};
use std::fs::Metadata;
use std::io::{ErrorKind, Read};
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::SystemTime;
use toolgate_core::shell::Reach;
use toolgate_core::{Access, Facts, FileFact, SavedFile, Was, digest_of, path_fits};

/// Most files and bytes of one call.
const FILES_MAX: usize = 1000;
const BYTES_MAX: u64 = 64 << 20;

/// Most bytes kept in all; the oldest copies go first.
const KEPT_MAX: u64 = 1 << 30;

/// Why no backup can be made.
pub(crate) type Unkept = String;

/// The folder of the copies.
fn folder(dirs: &Dirs) -> PathBuf {
    dirs.state.join("backups")
}

/// Copies every file a call would change or delete.
pub(crate) fn keep(dirs: &Dirs, facts: &Facts) -> Result<Vec<SavedFile>, Unkept> {
    let mut copying = Copying { folder: folder(dirs), files: Vec::new(), bytes: 0, is_new: false };
    if !facts.reading.opaque.is_empty() || facts.reading.fault.is_some() {
        return Err("the files this call would change are not known until it runs".to_owned());
    }
    for file in facts.files.iter().filter(|file| file.access != Access::Read) {
        copying.fact(file)?;
    }
    if copying.is_new {
        prune(&copying.folder);
    }
    Ok(copying.files)
}

struct Copying {
    folder: PathBuf,
    files: Vec<SavedFile>,
    bytes: u64,
    is_new: bool,
}

impl Copying {
    fn fact(&mut self, file: &FileFact) -> Result<(), Unkept> {
        if !file.exact {
            return Err(format!("the file `{}` is not known until the call runs", file.written));
        }
        let is_delete = matches!(file.access, Access::Delete | Access::DeleteTree);
        // A link is deleted itself; a write goes where it leads.
        let path = if is_delete { file.path.as_str() } else { file.real.as_deref().unwrap_or(&file.path) };
        if file.glob {
            return self.pattern(path, file);
        }
        self.path(Path::new(path), file)
    }

    /// Every file a pattern means now.
    fn pattern(&mut self, pattern: &str, fact: &FileFact) -> Result<(), Unkept> {
        let fixed = pattern.split(['*', '?', '[', '{']).next().unwrap_or_default();
        let base = fixed.rsplit_once('/').map_or("/", |(base, _)| if base.is_empty() { "/" } else { base });
        let mut open = vec![PathBuf::from(base)];
        let mut looked = 0;
        while let Some(folder) = open.pop() {
            for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
                looked += 1;
                if looked > FILES_MAX * 10 {
                    return Err(format!("`{pattern}` matches too many files"));
                }
                let path = entry.path();
                if path_fits(pattern, &path.to_string_lossy()) {
                    self.path(&path, fact)?;
                } else if entry.file_type().is_ok_and(|kind| kind.is_dir()) && reaches_below(pattern, &path) {
                    open.push(path);
                }
            }
        }
        Ok(())
    }

    fn path(&mut self, path: &Path, fact: &FileFact) -> Result<(), Unkept> {
        match std::fs::symlink_metadata(path) {
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
                // What a deletion does not find it does not delete.
                if matches!(fact.access, Access::Write | Access::Change | Access::Create) {
                    self.add(path, Was::Absent)?;
                }
                Ok(())
            }
            Err(error) => Err(format!("`{}` cannot be inspected: {error}", path.display())),
            // What is moved or changed as a whole is copied as a whole; so is a folder that is
            // filled, as which of its files are replaced is not known.
            Ok(about) if about.is_dir() => match fact.below {
                Reach::All | Reach::Some => self.tree(path),
                Reach::Itself => Ok(()),
            },
            Ok(about) => self.file(path, &about),
        }
    }

    fn tree(&mut self, top: &Path) -> Result<(), Unkept> {
        let mut open = vec![top.to_path_buf()];
        while let Some(folder) = open.pop() {
            let unread = |error: std::io::Error| format!("`{}` cannot be read: {error}", folder.display());
            for entry in std::fs::read_dir(&folder).map_err(unread)? {
                let path = entry.map_err(unread)?.path();
                let about = std::fs::symlink_metadata(&path).map_err(unread)?;
                if about.is_dir() {
                    open.push(path);
                } else {
                    self.file(&path, &about)?;
                }
            }
        }
        Ok(())
    }

    fn file(&mut self, path: &Path, about: &Metadata) -> Result<(), Unkept> {
        if about.is_symlink() {
            let to = std::fs::read_link(path).map_err(|error| format!("`{}`: {error}", path.display()))?;
            return self.add(path, Was::Link { to: to.to_string_lossy().into_owned() });
        }
        let kind = about.file_type();
        if kind.is_char_device() || kind.is_fifo() || kind.is_socket() {
            // Nothing is kept in them: `/dev/null`, a terminal, a pipe.
            return Ok(());
        }
        if !about.is_file() {
            return Err(format!("`{}` is not a regular file", path.display()));
        }
        self.bytes = self.bytes.saturating_add(about.len());
        if self.bytes > BYTES_MAX {
            return Err(format!("the files are larger than {} MiB in total", BYTES_MAX >> 20));
        }
        let was = self.copy(path, about).map_err(|error| format!("`{}`: {error}", path.display()))?;
        self.add(path, was)
    }

    fn copy(&mut self, path: &Path, about: &Metadata) -> Result<Was, String> {
        let bytes = read(path).map_err(|error| error.to_string())?;
        let digest = digest_of(&bytes);
        let copy = self.folder.join(&digest);
        make_private_folder(&self.folder).map_err(|broken| broken.what)?;
        if !copy.exists() {
            write_private(&copy, &bytes).map_err(|broken| broken.what)?;
            self.is_new = true;
        } else if let Ok(file) = std::fs::File::options().append(true).open(&copy) {
            // Used again, so not among the oldest.
            let _ = file.set_modified(SystemTime::now());
        }
        let length = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        Ok(Was::File { digest, bytes: length, mode: about.mode() & 0o7777 })
    }

    fn add(&mut self, path: &Path, was: Was) -> Result<(), Unkept> {
        let path = path.to_string_lossy().into_owned();
        if self.files.iter().any(|kept| kept.path == path) {
            return Ok(());
        }
        if self.files.len() >= FILES_MAX {
            return Err(format!("more than {FILES_MAX} files would change"));
        }
        self.files.push(SavedFile { path, was });
        Ok(())
    }
}

fn read(path: &Path) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    std::fs::File::open(path)?.take(BYTES_MAX + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Takes the oldest copies away once there are too many. Best effort: what
/// stays costs room, nothing else.
fn prune(folder: &Path) {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut copies: Vec<(SystemTime, u64, PathBuf)> = entries
        .filter_map(|entry| {
            let about = entry.metadata().ok()?;
            Some((about.modified().ok()?, about.len(), entry.path()))
        })
        .collect();
    let mut all: u64 = copies.iter().map(|(_, length, _)| *length).sum();
    copies.sort();
    for (_, length, path) in copies {
        if all <= KEPT_MAX {
            return;
        }
        if std::fs::remove_file(path).is_ok() {
            all = all.saturating_sub(length);
        }
    }
}

/// What a file is now, without copying it.
pub(crate) fn state_of(path: &str) -> Option<Was> {
    let about = match std::fs::symlink_metadata(path) {
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Some(Was::Absent);
        }
        found => found.ok()?,
    };
    if about.is_symlink() {
        let to = std::fs::read_link(path).ok()?.to_string_lossy().into_owned();
        return Some(Was::Link { to });
    }
    if !about.is_file() || about.len() > BYTES_MAX {
        return None;
    }
    let bytes = read(Path::new(path)).ok()?;
    let length = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
    Some(Was::File { digest: digest_of(&bytes), bytes: length, mode: about.mode() & 0o7777 })
}

/// The kept content of a file.
pub(crate) fn content(dirs: &Dirs, digest: &str) -> Result<Vec<u8>, Broken> {
    let path = folder(dirs).join(digest);
    let gone = |why: String| {
        let cure = "backups are kept up to 1 GiB and the oldest are dropped first; look for another copy of the file";
        Broken::new(format!("the backup {} {why}", digest.get(..12).unwrap_or(digest)), cure)
    };
    let bytes = read(&path).map_err(|error| gone(format!("cannot be read: {error}")))?;
    if digest_of(&bytes) != digest {
        return Err(gone("was altered".to_owned()));
    }
    Ok(bytes)
}

/// Puts one file back to what it was.
pub(crate) fn put_back(dirs: &Dirs, kept: &SavedFile) -> Result<(), Broken> {
    let path = Path::new(&kept.path);
    let failed = |error: &std::io::Error| Broken::io("restored", path, error);
    match &kept.was {
        Was::Absent => match std::fs::remove_file(path) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(failed(&error)),
            _ => Ok(()),
        },
        Was::Link { to } => {
            make_room(path).map_err(|error| failed(&error))?;
            std::os::unix::fs::symlink(to, path).map_err(|error| failed(&error))
        }
        Was::File { digest, mode, .. } => {
            let bytes = content(dirs, digest)?;
            if let Some(parent) = path.parent() {
                std::fs::create_dir_all(parent).map_err(|error| failed(&error))?;
            }
            // A link that took the file's place is not followed.
            if path.is_symlink() {
                std::fs::remove_file(path).map_err(|error| failed(&error))?;
            }
            write_private(path, &bytes)?;
            let rights = std::fs::Permissions::from_mode(*mode);
            std::fs::set_permissions(path, rights).map_err(|error| failed(&error))
        }
    }
}

fn make_room(path: &Path) -> std::io::Result<()> {
    if let Some(parent) = path.parent() {
        std::fs::create_dir_all(parent)?;
    }
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Whether something deeper than a folder can be meant.
fn reaches_below(pattern: &str, folder: &Path) -> bool {
    let depth = |text: &str| text.matches('/').count();
    pattern.contains("**") || depth(pattern) > depth(&folder.to_string_lossy())
}
