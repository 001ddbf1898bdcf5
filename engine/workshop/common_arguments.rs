//! Arguments that several commands take.

use std::path::PathBuf;

use clap::Args;

use crate::save::display_name;

/// Where to look; the same for every command.
#[derive(Args, Clone, Debug, Default)]
pub struct Around {
    /// A mod, or a folder of mods, to look at first; may be given several times
    #[arg(long, value_name = "DIR", global = true)]
    pub mods: Vec<PathBuf>,
    /// The id of the game
    #[arg(long, value_name = "ID", global = true)]
    pub game: Option<String>,
    /// Where runs and profiles lie
    #[arg(long, value_name = "DIR", global = true)]
    pub data: Option<PathBuf>,
    /// Write JSON, for a program to read
    #[arg(long, global = true)]
    pub json: bool,
}

/// Whose mods and settings.
#[derive(Args, Clone, Debug)]
pub(super) struct Player {
    /// The player's name
    #[arg(long, value_name = "NAME", default_value = "Player", global = true)]
    #[arg(value_parser = display_name)]
    pub profile: String,
}

/// An argument of the form `name=value`.
pub(super) fn pair(argument: &str) -> Result<(String, String), String> {
    let pair = argument.split_once('=').filter(|(name, _)| !name.is_empty());
    let pair = pair.ok_or_else(|| "expected NAME=VALUE".to_owned())?;
    Ok((pair.0.to_owned(), pair.1.to_owned()))
}

/// The most runs, and threads, that are asked for at once: each has its place in memory before any is
/// played. Who wants more plays them in shards.
const MOST_RUNS: usize = 10_000_000;
const MOST_THREADS: usize = 4_096;

fn at_most(most: usize, argument: &str) -> Result<usize, String> {
    match argument.parse() {
        Ok(many) if many <= most => Ok(many),
        _ => Err(format!("expected a whole number of at most {most}")),
    }
}

/// How many runs, as they are typed.
pub(super) fn many_runs(argument: &str) -> Result<usize, String> {
    at_most(MOST_RUNS, argument)
}

/// How many threads, as they are typed.
pub(super) fn many_threads(argument: &str) -> Result<usize, String> {
    at_most(MOST_THREADS, argument)
}
