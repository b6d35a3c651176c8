//! The deeds a command can do, each with the one name policies use for it.
//!
//! A deed says what happens, never how it was spelled and never whether it is
//! allowed. Adding one = one row in the table below, and the program models
//! that report it.

macro_rules! deeds {
    ($( $(#[doc = $doc:literal])+ $variant:ident = $name:literal, )+) => {
        /// One kind of thing a command can do.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Deed { $( $(#[doc = $doc])+ $variant, )+ }

        impl Deed {
            /// Every deed, in order.
            pub const ALL: &'static [Deed] = &[ $( Deed::$variant, )+ ];

            /// The name policies use: `skips-commit-hooks`.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $( Deed::$variant => $name, )+ }
            }

            /// The deed of that name.
            #[must_use]
            pub fn from_name(name: &str) -> Option<Deed> {
                match name { $( $name => Some(Deed::$variant), )+ _ => None }
            }
        }
    };
}

deeds! {
    /// Reads a file (target: the path).
    ReadsFile = "reads-file",
    /// Writes, creates or changes a file (target: the path).
    WritesFile = "writes-file",
    /// Deletes one file (target: the path).
    DeletesFile = "deletes-file",
    /// Deletes a folder with all it holds (target: the path).
    DeletesTree = "deletes-tree",
    /// Overwrites a disk or makes a file system (target: the device).
    WipesDevice = "wipes-device",
    /// Lets a git command run without the hooks of the repository.
    SkipsCommitHooks = "skips-commit-hooks",
    /// Rewrites or deletes what others may have on the remote (target: the branch, if known).
    RewritesRemote = "rewrites-remote",
    /// Throws away uncommitted or unreachable work.
    DiscardsWork = "discards-work",
    /// Rewrites local history.
    RewritesHistory = "rewrites-history",
    /// Runs with the rights of another user (target: the user, if known).
    ChangesUser = "changes-user",
    /// Runs what came from the network (target: the address, if known).
    RunsDownload = "runs-download",
    /// Drops or empties tables or databases, or deletes without a condition (target: the statement).
    DropsData = "drops-data",
    /// Talks to a host (target: host or URL).
    ReachesHost = "reaches-host",
    /// Sends local data to a host (target: host or URL).
    SendsData = "sends-data",
    /// Installs packages (target: the package).
    InstallsPackage = "installs-package",
    /// Makes files accessible or owned otherwise (target: the path).
    ChangesAccess = "changes-access",
    /// Ends or signals processes (target: pid or name).
    EndsProcess = "ends-process",
}
