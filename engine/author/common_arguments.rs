//! Arguments that several commands share.

use std::path::PathBuf;

use clap::Args;

use save::parse_display_name;

/// Arguments of every author command: search path, game, data folder and output format.
#[derive(Args, Clone, Debug, Default)]
pub struct CommonArguments {
    /// Mod or folder of mods to search first; can be repeated
    #[arg(long, value_name = "DIR", global = true)]
    pub mods: Vec<PathBuf>,
    /// Id of the game
    #[arg(long, value_name = "ID", global = true)]
    pub game: Option<String>,
    /// Data folder with runs and profiles
    #[arg(long, value_name = "DIR", global = true)]
    pub data: Option<PathBuf>,
    /// Print JSON
    #[arg(long, global = true)]
    pub json: bool,
}

/// The player whose mods and settings are used.
#[derive(Args, Clone, Debug)]
pub struct PlayerArguments {
    /// Name of the player
    #[arg(long, value_name = "NAME", default_value = "Player", global = true)]
    #[arg(value_parser = parse_display_name)]
    pub profile: String,
}

/// Parses an argument of the form `name=value`.
pub fn parse_name_value_pair(argument: &str) -> Result<(String, String), String> {
    let pair = argument.split_once('=').filter(|(name, _)| !name.is_empty());
    let pair = pair.ok_or_else(|| "expected NAME=VALUE".to_owned())?;
    Ok((pair.0.to_owned(), pair.1.to_owned()))
}

/// Upper limits: memory for every run and thread is reserved before the first run. For more runs,
/// use shards.
const MAX_RUNS: usize = 10_000_000;
const MAX_THREADS: usize = 4_096;

fn parse_limited_count(max: usize, argument: &str) -> Result<usize, String> {
    match argument.parse() {
        Ok(many) if many <= max => Ok(many),
        _ => Err(format!("expected a whole number of at most {max}")),
    }
}

/// Parses a number of runs.
pub fn parse_run_count(argument: &str) -> Result<usize, String> {
    parse_limited_count(MAX_RUNS, argument)
}

/// Parses a number of threads.
pub fn parse_thread_count(argument: &str) -> Result<usize, String> {
    parse_limited_count(MAX_THREADS, argument)
}
