//! The program `sub-rosa`: parses arguments, then plays or runs an author command.

use std::fs::File;
use std::io::{self, BufReader, IsTerminal, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use base::{Code, Problem, text};
use clap::{Args, Parser, Subcommand};
use environment::{
    data_dir_or_memory, default_palette, folder_flags, is_ascii_default, is_colour_refused,
    is_dumb_terminal, search_paths, user_data_folder,
};
use mods::{EmbeddedMods, register_embedded};
use replay::{ReplayArguments, ReplayOutcome, run_replay};
use save::parse_display_name;
use ui::full_screen::{FullScreen, Keymap, Palette, Theme, exit_by_signal};
use ui::json_lines::JsonLines;
use ui::menu::{DEFAULT_PLAYER_NAME, ExitReason, MenuSetup, read_key_file, run_menu};
use ui::plain_text::{LineReader, PlainText, terminal_columns};
use ui::{Frontend, Preferences, daily_seed};

mod author_command;
mod doctor;
mod environment;
mod licences;
mod paths;
mod replay;
#[cfg(feature = "serve")]
mod serve;
mod system_command;

/// The VM allocates many small blocks; this allocator halves the time that takes.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The bundled games and the mods that they need. `engine/app/build.rs` writes the list.
static BUNDLED_MODS: EmbeddedMods = include!(concat!(env!("OUT_DIR"), "/embedded_mods.rs"));

/// Plain text is wrapped at this width, or earlier in a narrower terminal.
const MAX_PLAIN_COLUMNS: usize = 80;

const HELP_EXAMPLES: &str = "\
Examples:
  sub-rosa                           play; continue the last run
  sub-rosa --plain                   play in plain text, for a screen reader
  sub-rosa --game ID --daily         play the daily run of another game
  sub-rosa --seed 7 --script run.txt
                                     read answers from a file, print the story

Exit status: 0 ok, 1 an error occurred, 2 wrong arguments.";

#[derive(Parser)]
#[command(
    name = "sub-rosa",
    version,
    about = "Sub Rosa, a moddable engine for text games in Luau",
    max_term_width = 80
)]
#[command(after_help = HELP_EXAMPLES, args_conflicts_with_subcommands = true)]
struct Arguments {
    #[command(subcommand)]
    command: Option<ProgramCommand>,
    #[command(flatten)]
    play: PlayArguments,
}

#[derive(Subcommand)]
enum ProgramCommand {
    /// Play a game; the same as no command
    #[command(after_help = HELP_EXAMPLES)]
    Play(PlayArguments),
    /// Watch, verify or draw a recorded run, or play on from any step for practice
    #[command(after_help = replay::REPLAY_HELP)]
    Replay(ReplayArguments),
    /// Play in a browser, on a page that this program serves
    #[cfg(feature = "serve")]
    #[command(after_help = serve::SERVE_HELP)]
    Serve(Box<serve::ServeArguments>),
    #[command(flatten)]
    Author(author_command::AuthorCommand),
    #[command(flatten)]
    System(system_command::SystemCommand),
}

#[derive(Args, Default)]
struct PlayArguments {
    /// Plain text with numbered choices [default if the output is not a terminal]
    #[arg(long)]
    plain: bool,
    /// One JSON object a line on standard input and output, for other programs
    #[arg(long, conflicts_with_all = ["plain", "script"])]
    json: bool,
    /// Seed of the next new run [default: the seed in the profile]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Id of the game to play
    #[arg(long, value_name = "ID")]
    game: Option<String>,
    /// Set an option of new runs, instead of being asked; can be repeated
    #[arg(long, value_name = "OPTION=VALUE", value_parser = parse_option_argument)]
    set: Vec<(String, String)>,
    /// Mod or folder of mods to search first; can be repeated
    #[arg(long, value_name = "DIR")]
    mods: Vec<PathBuf>,
    /// Enable this mod for one start, and the mods it needs; can be repeated
    #[arg(long, value_name = "ID")]
    with: Vec<String>,
    /// Developer mode: reload files when they change, ":" opens a console
    #[arg(long)]
    dev: bool,
    /// Data folder with runs and profiles
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// Read answers from a file, one per line; without --data nothing is saved
    #[arg(long, value_name = "FILE")]
    script: Option<PathBuf>,
    /// Name of the player
    #[arg(long, value_name = "NAME", default_value = DEFAULT_PLAYER_NAME, value_parser = parse_display_name)]
    profile: String,
    /// Colours, instead of the ones in the profile
    #[arg(long, value_name = "NAME", value_parser = Palette::ALL.map(|(_, name, _)| name))]
    palette: Option<String>,
    /// Language of the texts; "none" for the one they are written in
    #[arg(long, value_name = "LANGUAGE")]
    language: Option<String>,
    /// Play the run of today (UTC), or of a date such as 2026-11-21
    #[arg(long, value_name = "DATE", num_args = 0..=1, default_missing_value = "today")]
    #[arg(value_parser = daily_seed::parse_date, conflicts_with = "seed")]
    daily: Option<String>,
    /// Practice mode for new runs: steps can be undone, nothing is earned
    #[arg(long)]
    practice: bool,
    /// Use only ASCII characters
    #[arg(long)]
    ascii: bool,
    /// Do not use the mouse
    #[arg(long)]
    no_mouse: bool,
}

fn parse_option_argument(argument: &str) -> Result<(String, String), String> {
    let pair = argument.split_once('=').filter(|(name, _)| !name.is_empty());
    let pair = pair.ok_or_else(|| "expected OPTION=VALUE".to_owned())?;
    Ok((pair.0.to_owned(), pair.1.to_owned()))
}

fn main() -> ExitCode {
    register_embedded(&BUNDLED_MODS);
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => return handle_clap_error(&error),
    };
    let mut watched_run = None;
    let play_arguments = match arguments.command {
        Some(ProgramCommand::Play(play_arguments)) => play_arguments,
        Some(ProgramCommand::Replay(replay_arguments)) => match run_replay(replay_arguments) {
            ReplayOutcome::Done(done) => return report_exit(done),
            ReplayOutcome::Watch(source, play_arguments) => {
                watched_run = Some(source);
                *play_arguments
            }
        },
        #[cfg(feature = "serve")]
        Some(ProgramCommand::Serve(asked)) => return serve::run_serve(&asked),
        Some(ProgramCommand::Author(command)) => return run_author_command(command),
        Some(ProgramCommand::System(command)) => {
            return match command.run() {
                Ok(status) => status,
                Err(reason) => report_exit(Err(reason)),
            };
        }
        None => arguments.play,
    };
    let mut ending_signal = None;
    let result = build_menu_setup(&play_arguments).and_then(|mut setup| {
        setup.watched_run = watched_run;
        let mut frontend = open_frontend(&play_arguments, &mut setup)?;
        let result = run_menu(setup, &mut *frontend, &mut rand::random);
        ending_signal = frontend.ending_signal();
        result
    });
    match ending_signal {
        // Exit by the signal itself, so that the parent process sees the cause.
        Some(signal) if result.is_ok() => exit_by_signal(signal),
        _ => report_exit(result),
    }
}

/// Runs an author command.
fn run_author_command(command: author_command::AuthorCommand) -> ExitCode {
    let common_arguments = command.common_arguments();
    let folder = common_arguments.data.clone().or_else(user_data_folder);
    let context = author::CommandContext {
        search_paths: search_paths(&common_arguments.mods, folder.clone()),
        game: common_arguments.game.clone(),
        extra_mods: command.extra_mods().to_vec(),
        data_dir: data_dir_or_memory(folder.as_deref()),
        profile_name: command.profile_name().to_owned(),
        folder_flags: folder_flags(&common_arguments.mods, common_arguments.data.as_deref()),
    };
    match command.run(&context, &mut author::OutputStreams::stdout_and_stderr()) {
        Ok(outcome) => ExitCode::from(outcome as u8),
        Err(error) => report_exit(Err(ExitReason::TerminalError(error))),
    }
}

fn report_exit(result: Result<(), ExitReason>) -> ExitCode {
    match result {
        Ok(()) | Err(ExitReason::Quit) => ExitCode::SUCCESS,
        // The reader closed the pipe on purpose, as `head` does.
        Err(ExitReason::TerminalError(error)) if error.kind() == io::ErrorKind::BrokenPipe => {
            ExitCode::SUCCESS
        }
        // An input error already names what could not be read.
        Err(ExitReason::TerminalError(error)) if error.get_ref().is_some() => {
            print_errors(&[format!("error: {error}")], 1)
        }
        Err(ExitReason::TerminalError(error)) => {
            let what = if io::stdout().is_terminal() { "terminal" } else { "output" };
            print_errors(&[format!("error: the {what} cannot be written: {error}")], 1)
        }
        Err(ExitReason::Failed(problems)) => print_errors(&problems, 1),
        Err(ExitReason::UsageError(problems)) => print_errors(&problems, 2),
    }
}

/// Prints the help, the version or the usage error.
fn handle_clap_error(error: &clap::Error) -> ExitCode {
    if let Some(typed) = suggest_reordered_command(error) {
        let error_lines = ["error: options must follow the command", &format!("  help: {typed}")];
        return print_errors(&error_lines, 2);
    }
    // The error repeats what was typed, which can contain control characters.
    let message = error.to_string();
    if error.use_stderr() && text::strip_unprintable(&message) != message {
        return print_errors(
            &[text::strip_unprintable(&message)],
            error.exit_code().try_into().unwrap_or(2),
        );
    }
    match error.print().and_then(|()| io::stdout().flush()) {
        Err(failed) if !error.use_stderr() => report_exit(Err(ExitReason::TerminalError(failed))),
        _ => ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2)),
    }
}

/// The command line with the options moved behind the command, if they stood before it.
fn suggest_reordered_command(error: &clap::Error) -> Option<String> {
    let message = error.to_string();
    let command = message.strip_prefix("error: the subcommand '")?.split('\'').next()?;
    let words = std::env::args_os().skip(1).map(text::quote_shell_argument);
    let words: Vec<String> = words.collect();
    let command_index = words.iter().position(|word| word == command)?;
    let (before, behind) = (words[..command_index].join(" "), words[command_index + 1..].join(" "));
    Some(format!("sub-rosa {command} {before} {behind}").trim_end().to_owned())
}

fn print_errors<T: ToString>(errors: &[T], status: u8) -> ExitCode {
    let mut out = io::stderr().lock();
    for line in errors {
        // If standard error fails too, the exit status still reports the error.
        let _ = writeln!(out, "{}", text::strip_unprintable(&line.to_string()));
    }
    ExitCode::from(status)
}

fn build_menu_setup(play_arguments: &PlayArguments) -> Result<MenuSetup, ExitReason> {
    let is_saved = play_arguments.data.is_some() || play_arguments.script.is_none();
    let folder = match (&play_arguments.data, is_saved) {
        (Some(folder), _) => Some(folder.clone()),
        (None, true) => Some(user_data_folder().ok_or_else(no_data_folder_error)?),
        (None, false) => None,
    };
    let data_dir = data_dir_or_memory(folder.as_deref());
    Ok(MenuSetup {
        search_paths: search_paths(&play_arguments.mods, folder.or_else(user_data_folder)),
        game: play_arguments.game.clone(),
        enabled_mods: play_arguments.with.clone(),
        data_dir,
        is_persistent: is_saved,
        player_name: play_arguments.profile.clone(),
        seed: play_arguments.seed,
        daily_date: play_arguments.daily.clone(),
        // A daily run before its day is practice: it does not count for the record.
        is_practice: play_arguments.practice
            || play_arguments.daily.as_deref().is_some_and(daily_seed::is_future_day),
        watched_run: None,
        keymap: Keymap::default(),
        command_line_options: play_arguments.set.clone(),
        is_dev_mode: play_arguments.dev,
        uses_ascii_by_default: is_ascii_default(),
        on_dev_load: author::refresh_editor_files_of_run,
        preferences: preferences_from_arguments(play_arguments),
        problems: Vec::new(),
        folder_flags: folder_flags(&play_arguments.mods, play_arguments.data.as_deref()),
        is_plain: play_arguments.plain,
    })
}

/// The screen settings from the command line and the environment.
fn preferences_from_arguments(play_arguments: &PlayArguments) -> Preferences {
    let palette = play_arguments.palette.clone();
    Preferences {
        palette: palette.or_else(|| is_colour_refused().then(|| Palette::None.name().to_owned())),
        uses_ascii: play_arguments.ascii.then_some(true),
        uses_mouse: play_arguments.no_mouse.then_some(false),
        language: play_arguments.language.clone(),
        ..Preferences::default()
    }
}

fn no_data_folder_error() -> ExitReason {
    let problem = Problem::error(Code::NoDataFolder, "the system has no data folder for this user")
        .hint("name a folder with `--data DIR`");
    ExitReason::Failed(vec![problem])
}

fn open_frontend(
    play_arguments: &PlayArguments,
    setup: &mut MenuSetup,
) -> Result<Box<dyn Frontend>, ExitReason> {
    let is_terminal = io::stdin().is_terminal() && io::stdout().is_terminal();
    let out = io::stdout();
    if let Some(path) = &play_arguments.script {
        let name = path.to_string_lossy().into_owned();
        let script_error = |why: &str| {
            let problem = Problem::error(Code::NoScript, format!("{name} cannot be read: {why}"));
            ExitReason::UsageError(vec![problem.hint("name a file with one answer per line")])
        };
        if path.is_dir() {
            return Err(script_error("it is a folder"));
        }
        let file = File::open(path).map_err(|error| script_error(&error.to_string()))?;
        let lines = LineReader::from_script(BufReader::new(file), &name);
        return Ok(Box::new(PlainText::new(lines, out, MAX_PLAIN_COLUMNS)));
    }
    if play_arguments.json {
        let stdin = LineReader::from_pipe(BufReader::new(io::stdin()));
        let lines = stdin.read_in_background_if(play_arguments.dev);
        return Ok(Box::new(JsonLines::new(lines, out).map_err(ExitReason::TerminalError)?));
    }
    if play_arguments.plain || !is_terminal || is_dumb_terminal() {
        let stdin = BufReader::new(io::stdin());
        if !io::stdin().is_terminal() {
            let lines = LineReader::from_pipe(stdin).read_in_background_if(play_arguments.dev);
            return Ok(Box::new(PlainText::new(lines, out, MAX_PLAIN_COLUMNS)));
        }
        let columns = terminal_columns(MAX_PLAIN_COLUMNS);
        let lines = LineReader::from_terminal(stdin).detect_pastes();
        let lines = lines.read_in_background_if(play_arguments.dev);
        return Ok(Box::new(PlainText::new(lines, out, columns)));
    }
    read_key_file(setup);
    let keymap = setup.keymap.clone();
    let theme =
        Theme { ascii_only: setup.uses_ascii_by_default, ..Theme::from_palette(default_palette()) };
    Ok(Box::new(FullScreen::open(theme, keymap)?))
}
