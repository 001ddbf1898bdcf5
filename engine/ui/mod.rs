//! User interfaces: the full screen, plain text and the menu. The frontends draw the same prompts,
//! views and events and know nothing of a game.

pub mod choice_keys;
pub mod day;
pub mod errand;
pub mod facts;
pub mod form;
pub mod front;
pub mod full;
pub mod laid;
pub mod lobby;
pub mod log;
pub mod plain;
pub mod preferences;
pub mod report;
pub mod shares;
pub mod watch;
pub mod wrap;

pub use front::{Answer, Front};
pub use preferences::Preferences;
