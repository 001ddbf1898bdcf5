//! A session: one run in progress. Runs each input as one step, and starts, resumes, replays and
//! pays runs. Knows nothing of terminals or rulesets.

mod account;
mod attempt;
mod back;
mod blame;
mod bot;
mod carry;
mod changes;
mod console;
mod content;
mod differing;
mod ending;
mod host_prompt;
mod ladder;
mod lifecycle;
mod options;
mod practice;
mod recorder;
mod reload;
mod replay;
mod replay_player;
mod report;
mod run_source;
mod run_summary;
mod session;
mod startup;
mod unfit;
mod views;

pub use account::Account;
pub use back::{back, fork};
pub use bot::{Bot, RANDOM, parameters, parted, written};
pub use changes::{Side, changes};
pub use content::{Content, Terms};
pub use host_prompt::{AGAIN, LEAVE, REFUSE, SET_ASIDE, WITHOUT_HOOK};
pub use lifecycle::{
    InHand, Wish, abandon, abandon_unplayed, begin, begin_of_day, begin_on, replay, resume, settle,
    verify,
};
pub use options::{
    Holds, OptionSpec, complete as complete_options, complete_as_the_game_says,
    specs as option_specs,
};
pub use practice::{play_on, set_apart, take_back};
pub use recorder::Recorder;
pub use reload::{Reloaded, adopt, reload, reread};
pub use replay_player::{Frame, ReplayPlayer};
pub use report::{migrate_profile, mods_since};
pub use run_source::RunSource;
pub use run_summary::{RunSummary, Tally};
pub use session::{Session, StepError, Told};
pub use startup::{
    StartPlan, StartRequest, Startup, Unfit, find, game_of_start, is_about, missing_mod, start_up,
};
pub use views::Views;
