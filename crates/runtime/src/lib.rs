//! The gate at work: everything the pure core must not do.
//!
//! In the order of one hook call: [`Dirs`] says where things are, [`load`]
//! gets the policy (from the cache where it can), `places` and `resolve` turn
//! paths into file-system facts, [`Gate`] judges, records and – where a person
//! is asked – waits. `approver` decides whose yes counts.
//!
//! Deliberately absent: wire formats of hosts (`toolgate-adapters`), SQL
//! (`toolgate-store`), printing (`toolgate-cli`), and any async runtime: this
//! code runs on every tool call.

mod after;
mod answer;
mod approver;
mod asking;
mod backup;
mod branch;
mod broken;
mod brought;
mod bypass;
mod cache;
mod checkpoints;
mod checks;
mod clock;
mod config;
mod copy_targets;
mod cursor_rules;
mod decide;
mod dirs;
mod gate;
mod git;
mod handover;
mod hearing;
mod hold;
mod kept;
mod key;
mod knowledge;
mod load;
pub mod mcp;
mod new_files;
mod notify;
mod own_work;
mod packs;
mod patched;
mod permission;
mod places;
mod prerequisites;
mod private;
mod processes;
mod provider;
mod reader;
mod rehearsal;
mod request_desk;
mod restore;
mod run_check;
mod scene;
mod scripts;
mod spending;
mod standing;
mod start;
mod supervise;
mod timed_guard;
mod unguarded;
mod unsaved;
mod untracked;
mod yaml;

pub use approver::{Approver, NotAPerson, Passphrase, set_passphrase, sign_answer};
pub use broken::Broken;
pub use bypass::{BypassAsked, BypassRefused};
pub use cache::{CacheState, load, rebuild};
pub use checkpoints::{keep_checkpoint, kept_checkpoints, verify_ledger};
pub use clock::now_ms;
pub use dirs::Dirs;
pub use gate::{Answered, Gate};
pub use handover::{HandOver, Handed, HookReply, Knocked, Listening, knock, running};
pub use kept::Policies;
pub use key::{signing_key, trusted_key};
pub use load::{Checked, Loaded, check, load_readable, load_uncached, load_with};
pub use packs::{PACKS, Pack, PackExample, pack_examples};
pub use places::find_project;
pub use private::{make_private_folder, write_private};
pub use processes::{ASKERS_MAX, agent_above, agent_over, askers};
pub use provider::{FeedbackContext, FeedbackProvider, Guidance, RecentCall};
pub use reader::{ReadCall, Reader};
pub use request_desk::{Desk, policy_of};
pub use restore::{Backup, Standing};
pub use scene::{HostLimits, Scene, Setup};
pub use start::started;
pub use supervise::Trial;
pub use unguarded::why_unguarded;
pub use yaml::{FaultLevel, PolicyFault, nearest, parse as parse_policy};
