//! Command line arguments of `simulate`.

use std::ops::Range;
use std::path::PathBuf;

use clap::Args;
use serde::{Deserialize, Serialize};

use author::common_arguments::{
    CommonArguments, PlayerArguments, parse_name_value_pair, parse_run_count, parse_thread_count,
};

/// The end of `sub-rosa simulate --help`.
pub const HELP: &str = "\
A bot plays many runs in memory, on all processors. The report does not depend
on the number of threads. Each share has its 95% confidence interval. --set
takes one value, several (a,b), a range (1..5) or all (*); every combination of
values is a group, and all groups use the same seeds.

--vs plays every seed with and without a mod and reports which differences are
significant. --record writes the first run of each outcome as a test case.
--optimize finds the bots and options with the highest share of an outcome.
Options set to one value stay fixed. A bot with parameters takes part with each
value of them; --bot NAME/PARAMETER=VALUE fixes one, --bot 'NAME*' selects all
bots whose names begin so. docs/simulating.md shows how to spread runs over
machines with --shard and --merge.

Examples:
  sub-rosa simulate --runs 1000 --bot steady
  sub-rosa simulate --runs 500 --set 'build=blade,eye'
  sub-rosa simulate --runs 500 --profile-data experience=1200
  sub-rosa simulate --runs 200 --set 'heat=1..3' --csv
  sub-rosa simulate --runs 500 --html report.html
  sub-rosa simulate --runs 300 --record tests/runs --outcome peace
  sub-rosa simulate --runs 500 --vs ember_words
  sub-rosa simulate --runs 400 --optimize victory,peace
  sub-rosa simulate --runs 500 --bot steady/without=brace
  sub-rosa simulate --runs 100000 --shard 3/16 > part3.jsonl
  sub-rosa simulate --merge part*.jsonl

Exit status: 0 all runs ended, 1 some failed, 2 no such mod, bot or option.";

/// One part of the seeds, of several.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) struct Shard {
    /// The number of the part, from 1.
    #[serde(rename = "part")]
    pub(super) number: usize,
    /// The number of parts.
    #[serde(rename = "of")]
    pub(super) shard_count: usize,
}

impl Shard {
    /// All seeds as one part.
    pub(super) const ALL_SEEDS: Self = Self { number: 1, shard_count: 1 };

    /// The runs of each group that belong to this part, from 0.
    pub(super) fn run_index_range(self, runs: usize) -> Range<usize> {
        let edge = |part: usize| (runs as u128 * part as u128 / self.shard_count as u128) as usize;
        edge(self.number - 1)..edge(self.number)
    }
}

fn parse_shard(written: &str) -> Result<Shard, String> {
    let parts = written.split_once('/').and_then(|(part, of)| {
        Some(Shard { number: part.parse().ok()?, shard_count: of.parse().ok()? })
    });
    match parts {
        Some(shard) if (1..=shard.shard_count).contains(&shard.number) => Ok(shard),
        _ => Err("which part of how many, such as 3/16".to_owned()),
    }
}

/// Arguments of `simulate`.
#[derive(Args, Clone, Debug)]
pub struct SimulateArguments {
    /// Number of runs of each group
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = parse_run_count)]
    pub(crate) runs: usize,
    /// A bot of the game, such as `steady`, `steady/parameter=value` or, with each value,
    /// `steady/parameter=*`; or `random` [default: the first bot of the game]
    #[arg(long, value_name = "NAME")]
    pub(super) bot: Option<String>,
    /// Set an option of the runs: one value, a list, a range or *; can be repeated
    #[arg(long, value_name = "OPTION=VALUE", value_parser = parse_name_value_pair)]
    pub(super) set: Vec<(String, String)>,
    /// Set a value of the profile, as JSON or text; can be repeated
    #[arg(long, value_name = "KEY=VALUE", value_parser = parse_name_value_pair)]
    pub(super) profile_data: Vec<(String, String)>,
    /// Seed of the first run; each further run uses the next number
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(super) seed: u64,
    /// Number of threads [default: one per processor]
    #[arg(long, value_name = "N", value_parser = parse_thread_count)]
    pub(super) threads: Option<usize>,
    /// Report a run as endless after this many steps
    #[arg(long, value_name = "N", default_value_t = 20_000)]
    pub(super) steps: u64,
    /// Print one CSV line for each run
    #[arg(long, conflicts_with = "json")]
    pub(super) csv: bool,
    /// Also write the report to this file, with histograms and curves
    #[arg(long, value_name = "FILE", conflicts_with_all = ["vs", "vs_mods", "shard", "optimize"])]
    pub(super) html: Option<PathBuf>,
    /// Compare with runs that also have this mod turned on; can be repeated
    #[arg(long, value_name = "ID", conflicts_with_all = ["csv", "record"])]
    pub(super) vs: Vec<String>,
    /// Mod or folder of mods that the runs with `--vs` search first
    #[arg(long, value_name = "DIR", conflicts_with_all = ["csv", "record"])]
    pub(super) vs_mods: Vec<PathBuf>,
    /// Play one of N parts of the runs and print it for `--merge`
    #[arg(long, value_name = "K/N", value_parser = parse_shard, conflicts_with_all = ["csv", "json", "vs", "vs_mods", "record"])]
    pub(super) shard: Option<Shard>,
    /// Merge the shards in these files and report, without playing
    #[arg(long, value_name = "FILE", num_args = 1.., conflicts_with_all = ["shard", "vs", "vs_mods", "record"])]
    pub(super) merge: Vec<PathBuf>,
    /// Find the bots and options with the highest share of this outcome; `--runs` is for the last
    /// round
    #[arg(long, value_name = "WORD", conflicts_with_all = ["csv", "vs", "vs_mods", "record", "shard", "merge"])]
    pub(super) optimize: Option<String>,
    /// Write the first run of each outcome as a test case to this folder
    #[arg(long, value_name = "DIR")]
    pub(super) record: Option<PathBuf>,
    /// Record only this outcome
    #[arg(long, value_name = "WORD", requires = "record")]
    pub(super) outcome: Option<String>,
    /// Turn on this mod, and the mods it needs; can be repeated
    #[arg(long, value_name = "ID")]
    pub with: Vec<String>,
    #[allow(missing_docs)] // a comment here would be help
    #[command(flatten)]
    pub player: PlayerArguments,
    #[allow(missing_docs)] // a comment here would be help
    #[command(flatten)]
    pub common: CommonArguments,
}
