//! Command line arguments of `mutate`.

use std::path::PathBuf;

use clap::Args;

use author::common_arguments::CommonArguments;

/// The end of `sub-rosa mutate --help`.
pub(crate) const HELP: &str = "\
Makes one small change to a script at a time (a mutant), loads the mod with it
and runs the mod's test cases that reach the changed line. A mutant is caught if
a case fails, else it survives: a case is missing, or the change makes no
difference. Changes: a number plus one, minus one or halved; another comparison;
`and` for `or`; plus for minus; a condition set to true or false; a statement
removed, such as one that pays a price; an entry of a table removed or swapped
with the next one; a word of a `field.one_of` list, such as an attribute,
replaced by the next of its list.

Mark a mutant that makes no difference, or a number that is tuned by playing, on
its line or above it, with a reason:
  -- same(5 -> 6): no armour is worth five
  -- tuned: found by thousands of runs

With --ledger a mutant belongs to the rows that name its file and function, or
whose ids begin the comment above it. It counts as caught only if a case whose
name begins with one of those ids fails. --write writes the result to the page.

Examples:
  sub-rosa mutate ember_words                     all scripts of a mod
  sub-rosa mutate ember_words --file rules/       files below rules/
  sub-rosa mutate my_game --ledger my_game/ledger.md --rule R-2.1
  sub-rosa mutate my_game --since HEAD~1          lines changed since a commit
  sub-rosa mutate my_game --file play/ --sample 300 --seed 7
                                                  300 of them, and the interval
  sub-rosa mutate my_game --cache found.jsonl     continue after an interruption

Exit status: 0 the score is high enough, 1 mutants survived, 2 no such mod, file
or row.";

/// Arguments of `mutate`.
#[derive(Args, Debug)]
pub struct MutateArguments {
    /// Id of a mod, or its folder (with a / or . in the name)
    #[arg(value_name = "MOD")]
    pub(super) target_mod: String,
    /// Change only files whose path begins with this; can be repeated
    #[arg(long, value_name = "PATH")]
    pub(super) file: Vec<String>,
    /// Change only code of this row of the ledger; can be repeated
    #[arg(long, value_name = "ID")]
    pub(super) rule: Vec<String>,
    /// Change only lines that differ from this git revision
    #[arg(long, value_name = "REV")]
    pub(super) since: Option<String>,
    /// Try only this many mutants, drawn by --seed; prints the 95% interval of the score
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(super) sample: Option<u32>,
    /// Seed of the sample
    #[arg(long, value_name = "S", requires = "sample", default_value_t = 1)]
    pub(super) seed: u64,
    /// Page with the requirement rows of the rules
    #[arg(long, value_name = "FILE")]
    pub(super) ledger: Option<PathBuf>,
    /// Write the result to the ledger, between `<!-- mutate -->` and `<!-- /mutate -->`
    #[arg(long, requires = "ledger", conflicts_with_all = ["since", "rule", "sample"])]
    pub(super) write: bool,
    /// Exit with 1 if fewer percent of the mutants are caught or marked
    #[arg(long, value_name = "PERCENT", default_value_t = 100,
          value_parser = clap::value_parser!(u32).range(..=100))]
    pub(super) min_score: u32,
    /// Store results in this file and reuse them
    #[arg(long, value_name = "FILE")]
    pub(super) cache: Option<PathBuf>,
    /// Number of threads [default: one per processor]
    #[arg(long, value_name = "N")]
    pub(super) threads: Option<usize>,
    #[allow(missing_docs)] // a comment here would be help
    #[command(flatten)]
    pub common: CommonArguments,
}
