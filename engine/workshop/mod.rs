//! The workshop: what a person runs who writes mods. Each command is a function of what it was
//! asked, where to look, and where to write; it says how it went. Knows no terminal and no ruleset.

mod api;
mod arguments;
mod case;
mod check;
mod crowd;
mod editor;
mod explore;
mod listing;
mod lua;
mod mods;
mod new;
mod playing;
mod scripted;
mod settings;
mod shown;
mod simulate;
mod told;
mod trial;
mod watch;
mod why;

use std::io;

pub use api::{Api, api};
pub use arguments::{Around, Command};
pub use case::Case;
pub use check::{Check, check};
pub use explore::{ExploreArguments, explore};
pub use listing::list;
pub use mods::{switch_off, switch_on};
pub use new::{New, new};
pub use scripted::{Scripted, play_case};
pub use settings::{Set, set};
pub use simulate::{SimulateArguments, reach, simulate};
pub use trial::{TestArguments, test};
pub use why::{Why, why};

use crate::kit::Problem;
use crate::mods::Places;
use crate::run::{StartRequest, Startup, Unfit, start_up};
use crate::save::DataDir;

/// Where a command of the workshop looks.
pub struct Bench {
    /// Where mods are looked for.
    pub places: Places,
    /// The game that was asked for.
    pub game: Option<String>,
    /// Mods switched on for this start.
    pub with: Vec<String>,
    /// Where profiles lie.
    pub data_dir: DataDir,
    /// The player's name.
    pub profile: String,
}

impl Bench {
    /// What there is to play on.
    fn start_up(&self) -> Result<Startup, (Outcome, Vec<Problem>)> {
        let profile = self.data_dir.look_at_profile(&self.profile);
        let profile = profile.map_err(|problem| (Outcome::Problems, vec![problem]))?;
        let game = self.game.as_deref();
        let wanted = StartRequest { places: &self.places, game, with: &self.with };
        start_up(wanted, &profile).map_err(|unfit| match unfit {
            Unfit::Usage(problems) => (Outcome::Usage, problems),
            Unfit::Mods(problems) => (Outcome::Problems, problems),
        })
    }
}

/// How a command went; the number is the program's exit status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// There is nothing to mend.
    Sound = 0,
    /// There are Problems, and they were told.
    Problems = 1,
    /// What was asked for is not there.
    Usage = 2,
}

/// What a command gives back: how it went, or that nothing could be written.
pub type Done = io::Result<Outcome>;
