//! What `mutate` is asked.

use std::path::PathBuf;

use clap::Args;

use crate::workshop::common_arguments::Around;

pub(in crate::workshop) const HELP: &str = "\
Changes the scripts of a mod one small thing at a time: a number by one and by half, a comparison, and
for or, plus for minus, a condition made true or false, a statement left out, an entry of a table
swapped with its neighbour or left out. Each changed file is loaded in a VM of its own, and the mod's
cases that reach the place are asked (see `test`). A change that no case notices survives, and is shown
with its lines: a case is missing, or the change makes no difference. What makes none is marked where
it stands, with its reason, on the line or above it; so is a figure that is tuned by playing:
  -- same(5 -> 6): no armour is worth five
  -- tuned: found by thousands of runs
With --write what it came to is written into the ledger's page.
With --ledger a change belongs to the rows that name its file and function, or whose ids head the
comment above it, and must be caught by a case whose name begins with one of them.

Examples:
  sub-rosa mutate ember_words                                the whole of a mod
  sub-rosa mutate ember_words --file rules/                  files whose path begins so
  sub-rosa mutate my_game --ledger my_game/ledger.md --rule R-2.1
  sub-rosa mutate my_game --since HEAD~1                     lines that git says were changed
  sub-rosa mutate my_game --keep found.jsonl                 goes on there if it was stopped

Exit status: 0 when enough is caught, 1 when changes survive, 2 when there is no such mod, file or row.";

/// `mutate`.
#[derive(Args, Debug)]
pub struct MutateArguments {
    /// The id of a mod, or its folder (with a / or a . in it)
    #[arg(value_name = "MOD")]
    pub(super) wanted: String,
    /// Only files whose path in the mod begins with this; may be given several times
    #[arg(long, value_name = "PATH")]
    pub(super) file: Vec<String>,
    /// Only what belongs to this row of the ledger; may be given several times
    #[arg(long, value_name = "ID")]
    pub(super) rule: Vec<String>,
    /// Only lines that were changed since a revision, as git has them
    #[arg(long, value_name = "REV")]
    pub(super) since: Option<String>,
    /// The page with the rows that the rules have
    #[arg(long, value_name = "FILE")]
    pub(super) ledger: Option<PathBuf>,
    /// Write the counts into the ledger, between `<!-- mutate -->` and `<!-- /mutate -->`
    #[arg(long, requires = "ledger", conflicts_with_all = ["since", "rule"])]
    pub(super) write: bool,
    /// How many of a hundred changes must be caught or marked for the exit status 0
    #[arg(long, value_name = "PERCENT", default_value_t = 100,
          value_parser = clap::value_parser!(u32).range(..=100))]
    pub(super) least: u32,
    /// A file that results are kept in, so that a run that was stopped goes on
    #[arg(long, value_name = "FILE")]
    pub(super) keep: Option<PathBuf>,
    /// How many work at once; without it as many as this machine does
    #[arg(long, value_name = "N")]
    pub(super) threads: Option<usize>,
    #[command(flatten)]
    pub(in crate::workshop) around: Around,
}
