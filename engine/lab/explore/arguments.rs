//! Command line arguments of `explore`.

use std::path::PathBuf;

use clap::Args;

use author::common_arguments::{
    CommonArguments, PlayerArguments, parse_name_value_pair, parse_run_count, parse_thread_count,
};

/// The end of `sub-rosa explore --help`.
pub(crate) const HELP: &str = "\
Plays runs in three ways in turn: random choices, the choice taken least often
so far, and the game's bots. Options are drawn from their ranges; start states
are drawn from the game's `sample` definitions. A run that ends in an error is
shrunk to a short list of answers.

Also reports definitions, choices and lines that no run reached. Code marked
`-- seldom: reason` is listed apart. The mark stands on the line, above the line
or its declaration, or at the top of the file. A choice with the same handler as
one that was taken is listed apart too. The same --seed and --runs always give
the same report.

With --texts it reports faults of the shown texts: ids, markup, `nil`, spaces,
punctuation, lower case at the start of a sentence, `a` before a vowel, `1 turns`,
`(s)`, and sentences of at least 60 characters that are told twice in one run.
It also reports texts and open choices whose table says `about` an id that the
fact `gone` lists, `needs` a name that the fact `holds` does not list, or `lacks`
one that it lists; a bot of the game must name the facts.

A fault is only counted if there is a reason: `-- texts(FAULT): reason` where the
text is written, or `-- texts(FAULT) KIND.FIELD: reason` anywhere.

Examples:
  sub-rosa explore --runs 300
  sub-rosa explore --texts --runs 300
  sub-rosa explore ember_words --runs 300
  sub-rosa explore --runs 2000 --record tests/runs --json

Exit status: 0 nothing found, 1 errors or faults found, 2 no such mod.";

/// Arguments of `explore`.
#[derive(Args, Clone, Debug)]
pub struct ExploreArguments {
    /// Mods to turn on, with the mods they need
    #[arg(value_name = "MOD")]
    pub mods_on: Vec<String>,
    /// Number of runs
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = parse_run_count)]
    pub(crate) runs: usize,
    /// Seed of the whole exploration
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(super) seed: u64,
    /// Fix an option instead of exploring it; can be repeated
    #[arg(long, value_name = "OPTION=VALUE", value_parser = parse_name_value_pair)]
    pub(super) set: Vec<(String, String)>,
    /// Number of threads [default: one per processor]
    #[arg(long, value_name = "N", value_parser = parse_thread_count)]
    pub(super) threads: Option<usize>,
    /// Report a run as endless after this many steps
    #[arg(long, value_name = "N", default_value_t = 5_000)]
    pub(super) steps: u64,
    /// Write each error as a test case to this folder
    #[arg(long, value_name = "DIR")]
    pub(super) record: Option<PathBuf>,
    /// Report faults of the shown texts instead of what was never reached
    #[arg(long)]
    pub(super) texts: bool,
    #[allow(missing_docs)] // a comment here would be help
    #[command(flatten)]
    pub player: PlayerArguments,
    #[allow(missing_docs)] // a comment here would be help
    #[command(flatten)]
    pub common: CommonArguments,
}
