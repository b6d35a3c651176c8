//! The effects a command can do, each with the one name policies use for it.
//!
//! A kind says what happens, never how it was spelled and never whether it is
//! allowed. Adding one = one row in the table below, and the program models
//! that report it.

macro_rules! effects {
    ($( $(#[doc = $doc:literal])+ $variant:ident = $name:literal, )+) => {
        /// One kind of thing a command can do.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum EffectKind { $( $(#[doc = $doc])+ $variant, )+ }

        impl EffectKind {
            /// Every kind, in order.
            pub const ALL: &'static [EffectKind] = &[ $( EffectKind::$variant, )+ ];

            /// The name policies use: `skips-commit-hooks`.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $( EffectKind::$variant => $name, )+ }
            }

            /// Whether it is done to something that a rule can name as its target.
            #[must_use]
            pub fn has_target(self) -> bool {
                let about = match self { $( EffectKind::$variant => concat!($($doc),+), )+ };
                about.contains("(target: ")
            }

            /// The kind of that name.
            #[must_use]
            pub fn from_name(name: &str) -> Option<EffectKind> {
                match name { $( $name => Some(EffectKind::$variant), )+ _ => None }
            }
        }
    };
}

effects! {
    /// Reads a file (target: the path).
    ReadsFile = "reads-file",
    /// Looks for a file by its whole name, outside the folder it runs in (target: where and what).
    SeeksFile = "seeks-file",
    /// Writes, creates or changes a file (target: the path).
    WritesFile = "writes-file",
    /// Makes a file or folder where there is none; what is there stays as it is (target: the path).
    CreatesFile = "creates-file",
    /// Deletes one file (target: the path).
    DeletesFile = "deletes-file",
    /// Deletes a folder with all it holds (target: the path).
    DeletesTree = "deletes-tree",
    /// Deletes a folder named by a variable nothing here sets (target: the variable).
    DeletesUnknown = "deletes-unknown",
    /// Takes files git does not track out of the folder.
    TakesUntracked = "takes-untracked",
    /// Deletes what matches anywhere below a folder (target: the folder).
    DeletesBelow = "deletes-below",
    /// Deletes what is of some age, size or owner, or all but some names, whatever it is called (target: the folder).
    DeletesMost = "deletes-most",
    /// Overwrites a disk or makes a file system (target: the device).
    WipesDevice = "wipes-device",
    /// Lets a git command run without the hooks of the repository.
    SkipsCommitHooks = "skips-commit-hooks",
    /// Rewrites or deletes what others may have on the remote (target: the branch, if known).
    RewritesRemote = "rewrites-remote",
    /// Rewrites the remote only if no one else has pushed (target: the branch, if known).
    RewritesOwnRemote = "rewrites-own-remote",
    /// Throws away uncommitted or unreachable work, all there is.
    DiscardsWork = "discards-work",
    /// Throws away the work of named files, one branch, one stash, one worktree.
    DiscardsNamedWork = "discards-named-work",
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
    /// Sends the content of a file to a host, whole (target: the path).
    SendsFile = "sends-file",
    /// Puts what a file says into what goes to a host (target: the path).
    QuotesFile = "quotes-file",
    /// Installs packages (target: the package).
    InstallsPackage = "installs-package",
    /// Makes files accessible or owned otherwise (target: the path).
    ChangesAccess = "changes-access",
    /// Lets anyone who runs a file have the rights of its owner (target: the path).
    GivesOwnerRights = "gives-owner-rights",
    /// Ends or signals processes (target: pid or name).
    EndsProcess = "ends-process",
    /// Switches the machine off or starts it again.
    StopsMachine = "stops-machine",
    /// Records what goes over the network.
    WatchesTraffic = "watches-traffic",
    /// Starts processes without end.
    FloodsProcesses = "floods-processes",
    /// Makes something run later or at every start (target: where it is left, if known).
    RunsLater = "runs-later",
    /// Destroys machines, services or stores in a cloud or a cluster (target: what goes).
    DestroysInfrastructure = "destroys-infrastructure",
    /// Deletes something a service keeps (target: the server and its tool).
    DestroysRemote = "destroys-remote",
    /// Shows something to other people, or makes it part of what they use (target: the server and its tool).
    Publishes = "publishes",
    /// Pays, refunds or charges (target: the server and its tool).
    MovesMoney = "moves-money",
    /// Weakens what protects or watches the machine.
    WeakensDefence = "weakens-defence",
    /// Removes the traces of what was done.
    HidesTraces = "hides-traces",
    /// Prints a secret some program keeps: a token, a private key, a password.
    RevealsSecret = "reveals-secret",
    /// Lets anyone who is at the other end of a connection run a program here (target: the host, if known).
    GivesShell = "gives-shell",
}

impl EffectKind {
    /// Whether it is about files or devices of the machine it runs on.
    pub(crate) fn is_local(self) -> bool {
        matches!(
            self,
            EffectKind::ReadsFile
                | EffectKind::WritesFile
                | EffectKind::CreatesFile
                | EffectKind::DeletesUnknown
                | EffectKind::DeletesFile
                | EffectKind::DeletesTree
                | EffectKind::WipesDevice
                | EffectKind::ChangesAccess
                | EffectKind::EndsProcess
        )
    }
}
