//! `sub-rosa replay`: watches or verifies a run, or draws its report as a picture.

use std::ffi::OsStr;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use author::progress::ProgressBar;
use base::{Code, Problem, text};
use clap::Args;
use mods::ModSource;
use save::DataDir;
use session::RunSource;
use ui::full_screen::{Palette, Theme, page_svg};
use ui::menu::{ExitReason, installed_mods};
use ui::report_names::ReportNames;
use ui::run_report::RunReport;

use super::{PlayArguments, data_dir_or_memory, search_paths, user_data_folder};

/// The name of a run's journal file.
const JOURNAL_FILE_NAME: &str = "journal.jsonl";

pub(super) const REPLAY_HELP: &str = "\
Examples:
  sub-rosa replay RUN                watch a run of this player
  sub-rosa replay journal.jsonl --verify
  sub-rosa replay RUN --picture run.svg

Exit status: 0 ok, 1 a step differs or an error occurred, 2 no such run.";

#[derive(Args)]
pub(super) struct ReplayArguments {
    /// Id of the run, its folder, or its journal.jsonl
    #[arg(value_name = "FILE|RUN")]
    run: String,
    /// Only re-execute the run and compare each step with the journal; exits with 1 on a difference
    #[arg(long)]
    verify: bool,
    /// Write the summary page of the run as an SVG picture
    #[arg(long, value_name = "FILE", conflicts_with = "verify")]
    picture: Option<PathBuf>,
    #[command(flatten)]
    play: PlayArguments,
}

/// What `main` has to do next.
pub(super) enum ReplayOutcome {
    /// Nothing; this is the result.
    Done(Result<(), ExitReason>),
    /// Show this run in a frontend.
    Watch(RunSource, Box<PlayArguments>),
}

/// Verifies or draws the named run, or returns it to be watched.
pub(super) fn run_replay(arguments: ReplayArguments) -> ReplayOutcome {
    let ReplayArguments { run, verify, picture, mut play } = arguments;
    let source = match resolve_run_argument(&run) {
        Ok(source) => source,
        Err(problem) => return ReplayOutcome::Done(Err(ExitReason::UsageError(vec![problem]))),
    };
    // A journal inside a data folder also determines the data folder.
    if let (None, Some(root)) = (&play.data, data_folder_of_journal(&source)) {
        play.data = Some(root.to_path_buf());
    }
    match picture {
        Some(file) => ReplayOutcome::Done(draw_picture(&run, &source, &play, &file)),
        None if verify => ReplayOutcome::Done(verify_run(&run, &source, &play)),
        None => ReplayOutcome::Watch(source, Box::new(play)),
    }
}

/// Finds the run that somebody typed. A file is that file; the folder of a run stands for its
/// journal. A link that a person names is followed; entries of `runs/` are opened without following
/// links.
fn resolve_run_argument(run: &str) -> Result<RunSource, Problem> {
    let path = Path::new(run);
    let journal = if path.is_dir() { path.join(JOURNAL_FILE_NAME) } else { path.to_path_buf() };
    let is_id = run.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-');
    if path.is_file() || journal.is_file() && !is_id {
        return Ok(RunSource::JournalFile(journal.canonicalize().unwrap_or(journal)));
    }
    if is_id {
        return Ok(RunSource::RunId(run.to_owned()));
    }
    let message = match path.metadata() {
        Ok(about) if about.is_dir() => format!("the folder {run} contains no {JOURNAL_FILE_NAME}"),
        Ok(_) => format!("{run} is not a regular file"),
        Err(_) => format!("there is no file {run}"),
    };
    let hint = "the history in the menu lists the ids of past runs; each run has a folder in runs/ of the data folder";
    Err(Problem::error(Code::NoRun, message)
        .expected("the id of a run, its folder, or its journal.jsonl")
        .hint(hint))
}

/// The data folder that contains a journal.
fn data_folder_of_journal(source: &RunSource) -> Option<&Path> {
    let RunSource::JournalFile(path) = source else { return None };
    let runs = path.parent()?.parent()?;
    (runs.file_name() == Some(OsStr::new("runs"))).then(|| runs.parent())?
}

fn open_data_dir_with_fallback(play: &PlayArguments) -> DataDir {
    let folder = play.data.clone().or_else(user_data_folder);
    data_dir_or_memory(folder.as_deref()).with_fallback_paths(search_paths(&play.mods, folder))
}

/// Re-executes a run and compares each step with its journal.
fn verify_run(run: &str, source: &RunSource, play: &PlayArguments) -> Result<(), ExitReason> {
    let bar = ProgressBar::new("verifying");
    let draw_progress =
        &mut |bytes: u64, total: u64| bar.draw((bytes * 100 / total.max(1)) as usize, 100);
    let replayed = source.replay_and_verify(
        &open_data_dir_with_fallback(play),
        &|| available_mods(play),
        draw_progress,
    );
    bar.clear();
    let replayed = replayed.map_err(to_exit_reason)?;
    if let Some(torn) = replayed.torn_line_note {
        let problem = torn.hint("everything before this line is verified");
        writeln!(io::stderr(), "{problem}")?;
    }
    let steps = match replayed.steps {
        1 => "1 step".to_owned(),
        steps => format!("{steps} steps"),
    };
    print_line(&format!("{run}: {steps} verified, no difference"))
}

/// Draws the report of a run as a picture.
fn draw_picture(
    run: &str,
    source: &RunSource,
    play: &PlayArguments,
    file: &Path,
) -> Result<(), ExitReason> {
    let summary =
        source.summarize_run(&open_data_dir_with_fallback(play)).map_err(to_exit_reason)?;
    let report = RunReport::from_summary(&summary, &ReportNames::without_content(&summary), &[]);
    let write_error = |why: &str| {
        let words = format!("{} cannot be written: {why}", file.display());
        to_exit_reason(Problem::error(Code::NotWritten, words).hint("choose another file"))
    };
    if let (RunSource::JournalFile(journal), Ok(target)) = (source, file.canonicalize())
        && *journal == target
    {
        return Err(write_error("it is the journal itself"));
    }
    std::fs::write(file, page_svg(&report.to_view(), Theme::from_palette(Palette::Dark)))
        .map_err(|error| write_error(&error.to_string()))?;
    print_line(&format!("{run}: report saved as {}", file.display()))
}

/// The mods with which a journal from elsewhere may have been made.
fn available_mods(play: &PlayArguments) -> Vec<ModSource> {
    installed_mods(&search_paths(&play.mods, play.data.clone().or_else(user_data_folder)))
}

fn to_exit_reason(problem: Problem) -> ExitReason {
    ExitReason::from_run_problem(problem)
}

fn print_line(line: &str) -> Result<(), ExitReason> {
    Ok(writeln!(io::stdout(), "{}", text::strip_unprintable(line))?)
}
