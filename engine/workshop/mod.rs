//! The author tools: commands for people who write mods. Each command is a function of a request, a
//! command context and an output; it returns a command outcome. They know no terminal and no
//! ruleset.

mod api;
mod arguments;
mod bad_case;
mod bench;
mod case;
mod check;
mod common_arguments;
mod crowd;
mod editor;
mod explore;
mod ledger;
mod listing;
mod lua;
mod mods;
mod mutate;
mod new;
mod playing;
mod scripted;
mod settings;
mod sharing;
mod shown;
mod simulate;
mod told;
mod trial;
mod watch;
mod why;

pub use api::{Api, api};
pub use arguments::Command;
pub use bench::{Bench, Done, Out, Outcome, OutputStreams};
pub use case::Case;
pub use check::{Check, check};
pub use common_arguments::Around;
pub use editor::write_anew;
pub use explore::{ExploreArguments, explore};
pub use listing::list;
pub use mods::{switch_off, switch_on};
pub use mutate::{MutateArguments, mutate};
pub use new::{New, new};
pub use scripted::{Scripted, play_case};
pub use settings::{Set, set};
pub use sharing::{Asker, Install, Pack, Remove, install, pack, remove};
pub use simulate::{SimulateArguments, reach, simulate};
pub use trial::{TestArguments, test};
pub use why::{Why, why};
