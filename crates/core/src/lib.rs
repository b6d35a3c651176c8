//! The pure heart of Toolgate, in reading order.
//!
//! A [`Call`] comes in, its [`Facts`] are read, the guards of a [`Policy`]
//! give their [`Finding`]s, the chain joins them into one [`Decision`], and
//! what happened is a [`Record`]. Same call, same policy revision, same
//! session state: same verdict, on any machine.
//!
//! Deliberately absent: files, clock, network, environment, randomness,
//! printing. Those come in as values from `toolgate-runtime`.

mod address;
mod agent;
mod agent_program;
mod alert;
mod asker;
mod autonomy;
mod budget;
mod call;
mod card;
mod categories;
mod chain;
mod completion;
mod digest;
mod event;
mod evidence;
mod explained;
mod expression;
mod extent;
mod facts;
mod failure;
mod feedback;
mod finding;
mod guard;
mod guardrail;
pub mod guards;
mod handoff;
mod host;
mod host_answer;
mod inbox;
mod knowledge;
mod leak;
mod learning;
mod ledger;
mod lines;
pub mod lint;
mod lock;
mod mark;
mod mcp_cards;
mod mcp_commands;
mod mcp_files;
mod mcp_hosts;
mod mcp_names;
mod metrics;
mod nearest;
mod notify;
mod outcome;
mod output;
mod path;
mod path_aliases;
mod people;
mod pin;
mod places;
mod policy;
mod prerequisite;
mod progress;
mod prose;
mod prose_forms;
mod recovery;
mod risk;
pub mod rule;
pub mod schema;
mod scratch;
mod session;
mod settings;
mod supervisor;
mod tally;
mod task;
mod tool_word;
mod traps;
mod tries;
mod unsaved;
mod verification;
mod visible;
mod wording;

pub use address::Address;
pub use agent::{Agent, AgentEntry, Scope};
pub use agent_program::{AgentProgram, SettingsFile, Unguarded};
pub use alert::{ALERTS_MS, Alert, alerts};
pub use asker::{Asker, Process, asker_among, asker_over};
pub use autonomy::{Autonomy, autonomy};
pub use budget::{Budget, Price, Reserved, Spent, Tokens, Usage, UsageReader, reserves};
pub use call::{Call, Kind, Script};
pub use card::{Details, Earlier, age, earlier, reached, why_parts};
pub use categories::{Categories, CategoriesEntry, Parameters};
pub use chain::{Decision, GUARD_MAX_US, Pass, judge, too_slow};
pub use completion::Completion;
pub use digest::{Digest, canonical, digest_of, hex, plain_digest_of};
pub use event::{Event, EventKind};
pub use evidence::{Evidence, Origin};
pub use explained::{Explained, Pointed, Round, explain};
pub use expression::{ActionSort, Expression, ExpressionFault, Target, Truth, View};
pub use extent::{Extent, MINUTES_MAX, fits, fits_text, proposed_pattern};
pub use facts::{Access, Facts, FileFact};
pub use failure::{Failure, is_connection_failure, kept_message};
pub use feedback::{Advice, Provider, Urgency, duration, feedback, feedback_asks, is_turn};
pub use finding::{Finding, Source};
pub use guard::{Category, Disk, Guard, Seen, Severity};
pub use guardrail::{
    AppliesTo, Bypass, Condition, Guardrail, GuardrailEntry, GuardrailLines, OnFail, Validation,
    way_past_text,
};
pub use guards::category::BUILD_OUTPUT;
pub use handoff::{Handoff, HandoffEntry};
pub use host_answer::HostAnswer;
pub use inbox::{
    Answer, BYPASS_MS, BypassRequest, Grant, Pressing, Proof, Request, RequestState, Word, signed_text,
};
pub use knowledge::{
    ConfigPattern, Knowledge, KnowledgeEntry, KnowledgeFault, KnownIssue, Practice, ServiceEndpoint,
};
pub use leak::{Leak, Personal, leaks, outward, recorded, redacted, without_secrets_of};
pub use learning::{Habit, Proposal, habit_of, proposals};
pub use ledger::{
    Backed, Before, Changed, Checker, Checkpoint, Context, Decided, Entry, ExportCheck, FirstBad, Handling,
    Head, Line, Record, Resulted, SavedFile, Touched, Verification, Was, export_line, genesis, seal,
    sign_head, verify_export, verify_head,
};
pub use lock::{Lock, LockChange, SESSION_END, SUBAGENT_START, SUBAGENT_STOP, lock_change, written};
pub use mark::{
    CHANGED_MARK, Mark, Marks, WARNINGS_ANSWERED, advice_mark, failed_mark, handed_mark, marks_of,
    passed_mark, read_mark, tool_mark, warned_mark,
};
pub use mark::{backup_mark, changed_mark, found_as_mark, found_mark, made_mark, wrote_mark};
pub use metrics::Metrics;
pub use nearest::nearest;
pub use notify::{Channels, Notify, NotifyEntry, Webhook, news, terminal_line, webhook_body};
pub use outcome::{Edit, Outcome, Verdict, Waiting};
pub use output::{
    EmptyCheck, OutputChecks, OutputEntry, SchemaCheck, SecretCheck, output_data, output_texts, withheld,
    without_leaks,
};
pub use path::{absolute, is_within, normalise};
pub use people::{EMERGENCY_MS, Emergency, People, PeopleEntry, REVIEW_DUE_MS, is_overridden};
pub use pin::{
    Definition, FieldChange, INSTRUCTIONS, Listing, Pin, PinChange, PinRules, PinState, PinStep, Standing,
    Told, Unpinnable,
};
pub use places::{Place, Places};
pub use policy::{
    Delivery, Image, ImageFault, Layer, Layered, Merged, Mode, Notice, NoticeKind, Policy, PolicyFile,
    Review, RuleEntry, RuleFault, Workspace, compile, merge,
};
pub use prerequisite::{CheckResult, Method, Prerequisite, in_order};
pub use progress::{Comment, Progress};
pub use prose::{Enforceable, Sentence, sentences};
pub use recovery::{ErrorClass, Errors, ErrorsEntry, Failing, Quarantine, recovery};
pub use risk::Risk as RiskLevel;
pub use rule::path_fits;
pub use session::{SECRET_LABEL, Session};
pub use settings::{Settings, VerificationEntry};
pub use supervisor::{
    Brief, CallSort, Candidate, Consulted, Endpoint, Fence, Health, HealthStep, Judgement, KeptAnswer,
    Opinion, Panel, PanelReply, PanelStep, Question, Reason, ReviewNote, Reviewed, Settled, Supervision,
    SupervisionChange, Supervisor, SupervisorEntry, SupervisorRole, Together, Unread, answer_schema,
    in_asking_order, read_opinion, shape_of, supervision_changes,
};
pub use tally::{GuardTally, Tally};
pub use task::task_in_branch;
pub use tool_word::TOOL_WORDS;
pub use traps::{
    Action, Alternative, FileTrap, InstallTrap, IssueAnswer, IssueTrap, NetworkTrap, Risk, Traps, TrapsEntry,
};
pub use tries::{PAUSE_MS, Tries, WRONG_MAX};
pub use unsaved::{Doubt, Lossy, Unsaved, losses};
pub use verification::{Drift, FirstUse};
pub use verification::{Enforced, Environment, Status, ToolStatus, ToolVerification, VerificationMode};
pub use visible::{Piece, line_pieces, one_line, pieces, visible};
pub use wording::{
    WORDS_MAX, agent_text, count, person_text, quoted_message, rewritten_text, span, words_fault,
};

pub use toolgate_shell as shell;
