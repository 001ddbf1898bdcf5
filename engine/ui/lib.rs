//! User interfaces: the full screen, plain text and the menu. The frontends draw the same prompts,
//! views and events and know nothing of a game.

pub mod auto_travel;
mod back_choice;
pub mod choice_keys;
pub mod choice_layout;
pub mod daily_seed;
pub mod display_text;
pub mod file_watch;
pub mod form;
pub mod frontend;
pub mod full_screen;
pub mod json_lines;
pub mod menu;
mod notation_text;
pub mod odds_display;
pub mod plain_text;
pub mod preferences;
pub mod report_names;
pub mod run_report;
pub mod story_log;
pub mod terms;
pub mod text_wrap;

pub use frontend::{Answer, Frontend};
pub use preferences::Preferences;
