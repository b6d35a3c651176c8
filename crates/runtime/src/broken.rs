//! The gate is broken: a state of its own, never to be taken for a denial.

use crate::yaml::PolicyFault;
use std::fmt;
use std::io::{Error, ErrorKind};
use std::path::Path;
use toolgate_store::StoreError;

/// Why the gate cannot judge, and the one thing that fixes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Broken {
    /// What is wrong, in one sentence without a full stop.
    pub what: String,
    /// What to do.
    pub cure: String,
}

impl Broken {
    /// A fault in words.
    #[must_use]
    pub fn new(what: impl Into<String>, cure: impl Into<String>) -> Broken {
        Broken { what: what.into(), cure: cure.into() }
    }

    /// What could not be done with a file or folder.
    #[must_use]
    pub fn io(doing: &str, path: &Path, error: &Error) -> Broken {
        // Our folders are there where no home is known.
        if path.starts_with("/dev/null") {
            return Broken::new("`HOME` is not set", "set it to your home folder");
        }
        let is_file = |folder: &&Path| folder.exists() && !folder.is_dir();
        if let Some(file) = path.ancestors().skip(1).find(is_file) {
            return Broken::in_the_way(file);
        }
        let cure = match error.kind() {
            ErrorKind::AlreadyExists if doing.ends_with("folder") => return Broken::in_the_way(path),
            ErrorKind::StorageFull => "free some disk space".to_owned(),
            _ => format!("give your user access to `{}`, then run `toolgate doctor`", path.display()),
        };
        Broken::new(format!("cannot {doing} `{}`: {error}", path.display()), cure)
    }
}

impl Broken {
    fn in_the_way(file: &Path) -> Broken {
        let file = file.display();
        Broken::new(
            format!("`{file}` is not a folder, and Toolgate needs one there"),
            format!("move `{file}` away"),
        )
    }
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "Toolgate is broken, so nothing was run: {}. Fix: {}. This is a problem with the setup, not a decision about the call.",
            self.what, self.cure
        )
    }
}

impl std::error::Error for Broken {}

impl From<StoreError> for Broken {
    fn from(error: StoreError) -> Broken {
        Broken::new(error.to_string(), error.cure())
    }
}

impl From<Vec<PolicyFault>> for Broken {
    fn from(faults: Vec<PolicyFault>) -> Broken {
        let first = faults.first();
        let what = first.map_or_else(
            || "the policy has an error".to_owned(),
            |fault| format!("the policy has an error: {fault}{}", more(faults.len())),
        );
        let cure = first.map_or_else(
            || "run `toolgate policy check`".to_owned(),
            |fault| format!("{}, or run `toolgate policy check`", fault.cure),
        );
        Broken { what, cure }
    }
}

/// What is said of the problems besides the first one.
fn more(all: usize) -> String {
    match all {
        0 | 1 => String::new(),
        2 => " (and 1 more problem)".to_owned(),
        all => format!(" (and {} more problems)", all.saturating_sub(1)),
    }
}
