//! What faces a person: the full screen and the plain voice. Both draw the same prompt, view and
//! events, and know no game.

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
