//! Where things are: one value, made once from the environment.

use std::path::{Path, PathBuf};

/// The folders of one user on one machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dirs {
    /// The user's home.
    pub home: Option<PathBuf>,
    /// Managed policy, for the administrator: `/etc/toolgate`.
    pub managed: PathBuf,
    /// The user's policy and approver: `~/.config/toolgate`.
    pub config: PathBuf,
    /// Ledger, key, installs: `~/.local/state/toolgate`.
    pub state: PathBuf,
    /// Compiled policies: `~/.cache/toolgate`.
    pub cache: PathBuf,
}

impl Dirs {
    /// From variables as the process has them. Without a home, folders below
    /// `/dev/null` make every write fail, also for root, which closes the gate.
    #[must_use]
    pub fn from_env(var: &dyn Fn(&str) -> Option<String>) -> Dirs {
        let absolute = |name: &str| var(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let home = absolute("HOME");
        let base = home.clone().unwrap_or_else(|| PathBuf::from("/dev/null"));
        let folder = |name: &str, fallback: &str| {
            absolute(name).unwrap_or_else(|| base.join(fallback)).join("toolgate")
        };
        Dirs {
            managed: PathBuf::from("/etc/toolgate"),
            config: folder("XDG_CONFIG_HOME", ".config"),
            state: folder("XDG_STATE_HOME", ".local/state"),
            cache: folder("XDG_CACHE_HOME", ".cache"),
            home,
        }
    }

    /// The ledger file.
    #[must_use]
    pub fn ledger(&self) -> PathBuf {
        self.state.join("ledger.sqlite")
    }

    /// The policy files from the highest layer to the lowest.
    #[must_use]
    pub fn policy_files(&self, project: &Path) -> [PathBuf; 3] {
        [
            self.managed.join("policy.yaml"),
            self.config.join("policy.yaml"),
            project.join(".toolgate/policy.yaml"),
        ]
    }

    /// The files in which a project says what it knows about itself.
    #[must_use]
    pub fn knowledge_files(project: &Path) -> [PathBuf; 2] {
        [project.join(".toolgate/knowledge.toml"), project.join(".patinox/knowledge.toml")]
    }
}
