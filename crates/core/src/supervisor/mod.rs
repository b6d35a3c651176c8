//! AI supervisors: models that may answer some questions before a person is
//! asked.
//!
//! In reading order: `data` is what a policy says of them, `room` which
//! questions they may answer, `brief` what one of them is shown, `opinion` what
//! counts as its answer, `panel` whom to ask next and what the answers come to,
//! `health` what the records say of each, `standing` what a yes of theirs is
//! still worth when it is used.
//!
//! Deliberately absent: asking. Nothing here waits, and no answer is ever a yes
//! because something else failed.

mod brief;
mod data;
mod fence;
mod health;
mod opinion;
mod panel;
mod record;
mod room;
mod standing;

pub use brief::{Brief, Question, answer_schema, shape_of};
pub use data::{CallSort, Endpoint, Supervision, Supervisor, SupervisorEntry, SupervisorRole, Together};
pub(crate) use data::{displaced, joined};
pub use fence::Fence;
pub use health::{Health, HealthStep, SupervisionChange, supervision_changes};
pub use opinion::{Judgement, Opinion, Reason, Unread, read_opinion};
pub use panel::{Candidate, Panel, PanelReply, PanelStep, Settled, in_asking_order};
pub use record::{Consulted, KeptAnswer, ReviewNote, Reviewed};
