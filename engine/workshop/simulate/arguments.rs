//! `simulate` as it is typed.

use std::path::PathBuf;

use clap::Args;

use crate::workshop::arguments::{Around, Player, pair};

pub(in crate::workshop) const HELP: &str = "\
A bot plays many runs, in memory and on as many threads as the machine has; the report is the same
whatever their number. OPTION takes one value, several (a,b), a range (1..5) or all there are (*);
every value goes with every value of the others, each group on the same seeds. Shares stand with
the interval that the true share lies in 95 times of 100.

Examples:
  sub-rosa simulate --runs 1000 --bot steady
  sub-rosa simulate --runs 500 --set 'build=blade,eye' --profile-data experience=1200
  sub-rosa simulate --runs 200 --set 'heat=1..3' --csv
  sub-rosa simulate --runs 300 --record tests/runs --outcome peace

--record writes the first run of each outcome as a case that can be played again.

Exit status: 0 when all runs ended, 1 when some met a Problem, 2 when there is no such thing.";

/// `simulate`.
#[derive(Args, Debug)]
pub struct SimulateArguments {
    /// How many runs of each group
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub(super) runs: usize,
    /// Who plays: a bot of the game's, or `random`; without one the game's first
    #[arg(long, value_name = "NAME")]
    pub(super) bot: Option<String>,
    /// An option of the runs: one value, a list, a range or *; may be given several times
    #[arg(long, value_name = "OPTION=VALUE", value_parser = pair)]
    pub(super) set: Vec<(String, String)>,
    /// Something that the profile holds when a run starts, as JSON or a text
    #[arg(long, value_name = "KEY=VALUE", value_parser = pair)]
    pub(super) profile_data: Vec<(String, String)>,
    /// The seed of the first run; each further one has the next
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(super) seed: u64,
    /// How many threads; without it, as many as the machine has
    #[arg(long, value_name = "N")]
    pub(super) threads: Option<usize>,
    /// Steps after which a run is taken to have no end
    #[arg(long, value_name = "N", default_value_t = 20_000)]
    pub(super) steps: u64,
    /// Write a line for each run, for a spreadsheet
    #[arg(long, conflicts_with = "json")]
    pub(super) csv: bool,
    /// Write the first run of each outcome as a case, into this folder
    #[arg(long, value_name = "DIR")]
    pub(super) record: Option<PathBuf>,
    /// Record this outcome only
    #[arg(long, value_name = "WORD", requires = "record")]
    pub(super) outcome: Option<String>,
    /// The id of a mod to switch on for these runs; may be given several times
    #[arg(long, value_name = "ID")]
    pub(in crate::workshop) with: Vec<String>,
    #[command(flatten)]
    pub(in crate::workshop) player: Player,
    #[command(flatten)]
    pub(in crate::workshop) around: Around,
}
