//! A session: one run being played. Takes an input to its end as one step, and begins, resumes,
//! replays and settles runs. Knows no terminal and no ruleset.

mod account;
mod back;
mod bot;
mod carry;
mod changes;
mod console;
mod content;
mod culprit;
mod differing;
mod film;
mod gather;
mod host_prompt;
mod options;
mod practice;
mod recorder;
mod reload;
mod report;
mod retrace;
mod run_file;
mod session;
mod shelf;

pub use account::{Account, Tally};
pub use back::{back, fork};
pub use bot::{Bot, RANDOM};
pub use changes::{Side, changes};
pub use content::{Content, Terms};
pub use film::{Film, Frame};
pub use gather::{Found, Gathered, Unfit, Wanted, absent, find, gather};
pub use host_prompt::{AGAIN, LEAVE, REFUSE, SET_ASIDE, WITHOUT_HOOK};
pub use options::{Holds, OptionSpec, complete as complete_options, specs as option_specs};
pub use practice::{play_on, run_id, set_apart, take_back};
pub use recorder::{Nowhere, Recorder};
pub use reload::{Reloaded, adopt, reload, reread, reread_changed};
pub use report::{migrate_profile, mods_since};
pub use run_file::RunFile;
pub use session::{Session, StepError, Told};
pub use shelf::{InHand, Wish, abandon, begin, begin_on, replay, resume, settle, verify};
