//! The author tools: commands for people who write mods. Each command is a function of a request, a
//! command context and an output; it returns a command outcome. They know no terminal and no
//! ruleset.

pub mod analysis;
pub mod api;
pub mod case;
mod case_dice;
mod case_errors;
mod case_places;
pub mod case_runner;
mod case_settings;
mod change_setting;
pub mod check;
pub mod command_context;
pub mod common_arguments;
mod editor_files;
mod format_data;
pub mod ledger;
mod list_mods;
pub mod new_mod;
pub mod output;
pub mod packaging;
pub mod parallel;
pub mod profile_names;
pub mod progress;
pub mod switch_mods;
pub mod test_runner;
pub mod texts;
mod why;

pub use api::{ApiRequest, write_api};
pub use case::Case;
pub use case_runner::{CaseRun, play_case};
pub use change_setting::{SetRequest, change_setting};
pub use check::{CheckRequest, check};
pub use command_context::{
    CommandContext, CommandOutcome, CommandOutput, CommandResult, OutputStreams,
};
pub use common_arguments::CommonArguments;
pub use editor_files::{refresh_editor_files, refresh_editor_files_of_run};
pub use list_mods::list_mods;
pub use new_mod::{NewRequest, create_mod};
pub use packaging::{
    ConfirmFn, InstallRequest, PackRequest, RemoveRequest, install_mod, pack_mod, remove_mod,
};
pub use switch_mods::{switch_mods_off, switch_mods_on};
pub use test_runner::{TestArguments, run_tests};
pub use texts::{TextsRequest, extract_texts};
pub use why::{WhyRequest, explain_origin};
