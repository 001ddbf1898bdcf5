//! What a page asks for. It names no file: nothing is written.

use clap::Parser;
use serde::Deserialize;

use crate::explore::{ExploreArguments, explore_live};
use crate::live_work::LiveWork;
use crate::simulate::{SimulateArguments, simulate_live};
use author::CommandContext;

/// The most runs that a page asks for.
const MAX_RUNS: usize = 5_000;

/// A request, as JSON.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum LiveRequest {
    Explore {
        runs: usize,
    },
    Simulate {
        runs: usize,
        /// The name of the bot; empty for the first one.
        bot: String,
        /// Options, as after `--set`.
        set: Vec<String>,
    },
}

/// The arguments of the commands, without the rest of a command line.
#[derive(Parser)]
enum LiveCommand {
    Explore(Box<ExploreArguments>),
    Simulate(Box<SimulateArguments>),
}

/// Starts what a request asks for; returns why it is refused.
pub fn start_live_work(
    request: &str,
    context: impl FnOnce() -> CommandContext + Send + 'static,
) -> Result<LiveWork, String> {
    let request = serde_json::from_str(request).map_err(|error| error.to_string())?;
    let words = match request {
        LiveRequest::Explore { runs } => vec!["explore".to_owned(), format!("--runs={runs}")],
        LiveRequest::Simulate { runs, bot, set } => {
            let bot = Some(bot).filter(|bot| !bot.is_empty());
            let options = set.into_iter().map(|option| format!("--set={option}"));
            ["simulate".to_owned(), format!("--runs={runs}")]
                .into_iter()
                .chain(bot.map(|bot| format!("--bot={bot}")))
                .chain(options)
                .collect()
        }
    };
    let command = LiveCommand::try_parse_from(["sub-rosa".to_owned()].into_iter().chain(words))
        .map_err(|error| error.to_string())?;
    let runs = match &command {
        LiveCommand::Explore(arguments) => arguments.runs,
        LiveCommand::Simulate(arguments) => arguments.runs,
    };
    if runs > MAX_RUNS {
        return Err(format!("at most {MAX_RUNS} runs"));
    }
    let started = LiveWork::start(move |output| match command {
        LiveCommand::Explore(arguments) => explore_live(&context(), &arguments, output),
        LiveCommand::Simulate(arguments) => simulate_live(&context(), &arguments, output),
    });
    started.map_err(|error| error.to_string())
}
