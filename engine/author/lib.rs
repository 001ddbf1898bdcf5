//! The author tools: commands for people who write mods. Each command is a function of a request, a
//! command context and an output; it returns a command outcome. They know no terminal and no
//! ruleset.

mod analysis;
mod api;
mod arguments;
mod automatic_run;
mod case;
mod case_errors;
mod case_runner;
mod check;
mod command_context;
mod common_arguments;
mod editor;
mod explore;
mod format_data;
mod ledger;
mod listing;
mod mods;
mod mutate;
mod new_mod;
mod output;
mod packaging;
mod parallel;
mod progress;
mod settings;
mod simulate;
mod test_runner;
mod why;

pub use api::{ApiRequest, write_api};
pub use arguments::AuthorCommand;
pub use case::Case;
pub use case_runner::{CaseRun, play_case};
pub use check::{CheckRequest, check};
pub use command_context::{
    CommandContext, CommandOutcome, CommandOutput, CommandResult, OutputStreams,
};
pub use common_arguments::CommonArguments;
pub use editor::refresh_type_declarations;
pub use explore::{ExploreArguments, explore};
pub use listing::list_mods;
pub use mods::{switch_mods_off, switch_mods_on};
pub use mutate::{MutateArguments, mutate};
pub use new_mod::{NewRequest, create_mod};
pub use packaging::{
    ConfirmFn, InstallRequest, PackRequest, RemoveRequest, install_mod, pack_mod, remove_mod,
};
pub use settings::{SetRequest, change_setting};
pub use simulate::{SimulateArguments, critical_value, simulate};
pub use test_runner::{TestArguments, run_tests};
pub use why::{WhyRequest, explain_origin};
