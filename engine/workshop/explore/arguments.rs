//! `explore` as it is typed.

use std::path::PathBuf;

use clap::Args;

use crate::workshop::common_arguments::{Around, Player, many_runs, many_threads, pair};

pub(in crate::workshop) const HELP: &str = "\
Plays in three manners by turns: any choice, the choice taken least often so far, the game's bots; over
the ranges of the game's options and from the starts that it declares (`sample`). What goes wrong is
shrunk to a short script. Tells which definitions, choices and lines were never reached; what a script
explains, `-- seldom: why` on the line, above it or its declaration, or at the head of its file, is told
apart, and so is a choice that is answered as one that was taken. What comes of it depends on --seed and
--runs alone.

Examples:
  sub-rosa explore --runs 300                  the game itself
  sub-rosa explore ember_words --runs 300      with a mod, and what it needs, switched on
  sub-rosa explore --runs 2000 --record tests/runs --json

Exit status: 0 when nothing was found, 1 when something was, 2 when there is no such mod.";

/// `explore`.
#[derive(Args, Debug)]
pub struct ExploreArguments {
    /// Ids of mods that are switched on besides
    #[arg(value_name = "MOD")]
    pub(in crate::workshop) mods_on: Vec<String>,
    /// How many runs
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = many_runs)]
    pub(super) runs: usize,
    /// The seed that everything comes from
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(super) seed: u64,
    /// An option that is not explored but set; may be given several times
    #[arg(long, value_name = "OPTION=VALUE", value_parser = pair)]
    pub(super) set: Vec<(String, String)>,
    /// How many threads; without it, as many as the machine has
    #[arg(long, value_name = "N", value_parser = many_threads)]
    pub(super) threads: Option<usize>,
    /// Steps after which a run is taken to have no end
    #[arg(long, value_name = "N", default_value_t = 5_000)]
    pub(super) steps: u64,
    /// Write what is found as cases into this folder
    #[arg(long, value_name = "DIR")]
    pub(super) record: Option<PathBuf>,
    #[command(flatten)]
    pub(in crate::workshop) player: Player,
    #[command(flatten)]
    pub(in crate::workshop) around: Around,
}
