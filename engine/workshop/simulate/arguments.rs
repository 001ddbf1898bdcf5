//! `simulate` as it is typed.

use std::ops::Range;
use std::path::PathBuf;

use clap::Args;
use serde::{Deserialize, Serialize};

use crate::workshop::common_arguments::{Around, Player, many_runs, many_threads, pair};

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
  sub-rosa simulate --runs 500 --vs ember_words
  sub-rosa simulate --seek victory,peace --runs 400
  sub-rosa simulate --runs 500 --bot steady/without=brace
  sub-rosa simulate --runs 100000 --shard 3/16 > part3.jsonl
  sub-rosa simulate --merge part*.jsonl

--vs plays every seed twice, with and without, and tells a difference from noise. docs/simulating.md
shows how to spread runs over machines.
--seek lets every bot with every value of the options race for an outcome and tells the best few, on
seeds that chose nobody. Options that are set to one value are not sought over. A bot that declares
parameters races in each of its ways; --bot NAME/PARAMETER=VALUE names one, --bot 'NAME*' all that
begin so.
--record writes the first run of each outcome as a case that can be played again.

Exit status: 0 when all runs ended, 1 when some met a Problem, 2 when there is no such thing.";

/// One of so many parts of the seeds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) struct Shard {
    /// Which, from 1.
    pub(super) part: usize,
    /// Of how many.
    pub(super) of: usize,
}

impl Shard {
    /// All there is, in one part.
    pub(super) const WHOLE: Self = Self { part: 1, of: 1 };

    /// The runs of each group that are this part's, counted from 0.
    pub(super) fn range(self, runs: usize) -> Range<usize> {
        let edge = |part: usize| (runs as u128 * part as u128 / self.of as u128) as usize;
        edge(self.part - 1)..edge(self.part)
    }
}

fn shard(written: &str) -> Result<Shard, String> {
    let parts = written
        .split_once('/')
        .and_then(|(part, of)| Some(Shard { part: part.parse().ok()?, of: of.parse().ok()? }));
    match parts {
        Some(shard) if (1..=shard.of).contains(&shard.part) => Ok(shard),
        _ => Err("which part of how many, such as 3/16".to_owned()),
    }
}

/// `simulate`.
#[derive(Args, Debug)]
pub struct SimulateArguments {
    /// How many runs of each group
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = many_runs)]
    pub(super) runs: usize,
    /// Who plays: a bot of the game's, with `/parameter=value` behind its name where it is to play in one
    /// of its ways, or `random`; without one the game's first
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
    #[arg(long, value_name = "N", value_parser = many_threads)]
    pub(super) threads: Option<usize>,
    /// Steps after which a run is taken to have no end
    #[arg(long, value_name = "N", default_value_t = 20_000)]
    pub(super) steps: u64,
    /// Write a line for each run, for a spreadsheet
    #[arg(long, conflicts_with = "json")]
    pub(super) csv: bool,
    /// Play the same seeds with this mod on as well, and say what differs from noise; may be given
    /// several times
    #[arg(long, value_name = "ID", conflicts_with_all = ["csv", "record"])]
    pub(super) vs: Vec<String>,
    /// The other side finds its mods here first: a mod, or a folder of mods
    #[arg(long, value_name = "DIR", conflicts_with_all = ["csv", "record"])]
    pub(super) vs_mods: Vec<PathBuf>,
    /// Play one part of the runs and write them down, to be merged
    #[arg(long, value_name = "K/N", value_parser = shard, conflicts_with_all = ["csv", "json", "vs", "vs_mods", "record"])]
    pub(super) shard: Option<Shard>,
    /// Play nothing; report what the shards in these files came to together
    #[arg(long, value_name = "FILE", num_args = 1.., conflicts_with_all = ["shard", "vs", "vs_mods", "record"])]
    pub(super) merge: Vec<PathBuf>,
    /// Seek what comes to this outcome most: over the values of the options and the bots, by races on
    /// fresh seeds; --runs is for the last round
    #[arg(long, value_name = "WORD", conflicts_with_all = ["csv", "vs", "vs_mods", "record", "shard", "merge"])]
    pub(super) seek: Option<String>,
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
