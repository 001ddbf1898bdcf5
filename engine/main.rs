//! The program `sub-rosa`: parses arguments, then plays or runs an author command.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, BufReader, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use clap::{Args, Parser, Subcommand};
use engine::kit::{Problem, text};
use engine::mods::{Carried, Places, hand_over};
use engine::save::{DataDir, MemoryDisk, display_name};
use engine::ui::full::{Full, Keymap, Palette, Theme, end_by};
use engine::ui::lobby::{NOBODY, Setup, Stop, play, project_folder, read_keys};
use engine::ui::plain::{Lines, Plain, terminal_columns};
use engine::ui::{Front, Preferences, day};
use engine::workshop;
use replay::{Replay, Then, replay};

#[path = "main/replay.rs"]
mod replay;

/// The VM allocates many small blocks; this allocator halves the time that takes.
#[global_allocator]
static MEMORY: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The bundled games and the mods that they need. `engine/build.rs` writes the list.
static CARRIED: Carried = include!(concat!(env!("OUT_DIR"), "/carried.rs"));

/// Plain text is wrapped at this width, or earlier in a narrower terminal.
const PLAIN_COLUMNS: usize = 80;

const EXAMPLES: &str = "\
Examples:
  sub-rosa                           play; continue the last run
  sub-rosa --plain                   play in plain text, for a screen reader
  sub-rosa --game fivey --daily      play another game with the seed of the day
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
#[command(after_help = EXAMPLES, args_conflicts_with_subcommands = true)]
struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    play: Play,
}

#[derive(Subcommand)]
enum Command {
    /// Play a game; the same as no command
    #[command(after_help = EXAMPLES)]
    Play(Play),
    /// Watch, verify or draw a recorded run, or play on from any step for practice
    #[command(after_help = replay::HELP)]
    Replay(Replay),
    #[command(flatten)]
    Workshop(workshop::Command),
}

#[derive(Args, Default)]
struct Play {
    /// Plain text with numbered choices [default if the output is not a terminal]
    #[arg(long)]
    plain: bool,
    /// Seed of the next new run [default: the seed in the profile]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Id of the game to play
    #[arg(long, value_name = "ID")]
    game: Option<String>,
    /// Set an option of new runs, instead of being asked; can be repeated
    #[arg(long, value_name = "OPTION=VALUE", value_parser = option_pair)]
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
    #[arg(long, value_name = "NAME", default_value = NOBODY, value_parser = display_name)]
    profile: String,
    /// Colours, instead of the ones in the profile
    #[arg(long, value_name = "NAME", value_parser = palettes())]
    palette: Option<String>,
    /// Use the daily seed (UTC) of today, or of a date such as 2026-11-21
    #[arg(long, value_name = "DATE", num_args = 0..=1, default_missing_value = "today")]
    #[arg(value_parser = day::named, conflicts_with = "seed")]
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

fn palettes() -> Vec<&'static str> {
    Palette::ALL.iter().map(|(_, name, _)| *name).collect()
}

fn option_pair(argument: &str) -> Result<(String, String), String> {
    let pair = argument.split_once('=').filter(|(name, _)| !name.is_empty());
    let pair = pair.ok_or_else(|| "expected OPTION=VALUE".to_owned())?;
    Ok((pair.0.to_owned(), pair.1.to_owned()))
}

fn main() -> ExitCode {
    hand_over(&CARRIED);
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => return answered_by_clap(&error),
    };
    let mut watch = None;
    let wanted = match arguments.command {
        Some(Command::Play(wanted)) => wanted,
        Some(Command::Replay(asked)) => match replay(asked) {
            Then::Done(done) => return status(done),
            Then::Watch(source, wanted) => {
                watch = Some(source);
                *wanted
            }
        },
        Some(Command::Workshop(command)) => return work(command),
        None => arguments.play,
    };
    let mut ended_by = None;
    let done = setup(&wanted).and_then(|mut setup| {
        setup.watch = watch;
        let mut front = front(&wanted, &mut setup)?;
        let done = play(setup, &mut *front, &mut rand::random);
        ended_by = front.ended_by();
        done
    });
    match ended_by {
        // Exit by the signal itself, so that the parent process sees the cause.
        Some(signal) if done.is_ok() => end_by(signal),
        _ => status(done),
    }
}

/// Runs an author command.
fn work(command: workshop::Command) -> ExitCode {
    let around = command.around();
    let folder = around.data.clone().or_else(user_folder);
    let bench = workshop::Bench {
        places: places(&around.mods, folder.clone()),
        game: around.game.clone(),
        with: command.with().to_vec(),
        data_dir: data_dir(folder.as_deref()),
        profile: command.profile().to_owned(),
    };
    match command.run(&bench, &mut workshop::OutputStreams::of_process()) {
        Ok(outcome) => ExitCode::from(outcome as u8),
        Err(error) => status(Err(Stop::Terminal(error))),
    }
}

fn status(done: Result<(), Stop>) -> ExitCode {
    match done {
        Ok(()) | Err(Stop::Quit) => ExitCode::SUCCESS,
        // The reader closed the pipe on purpose, as `head` does.
        Err(Stop::Terminal(error)) if error.kind() == io::ErrorKind::BrokenPipe => {
            ExitCode::SUCCESS
        }
        // An input error already names what could not be read.
        Err(Stop::Terminal(error)) if error.get_ref().is_some() => {
            complain(&[format!("error: {error}")], 1)
        }
        Err(Stop::Terminal(error)) => {
            let what = if io::stdout().is_terminal() { "terminal" } else { "output" };
            complain(&[format!("error: the {what} cannot be written: {error}")], 1)
        }
        Err(Stop::Failed(problems)) => complain(&problems, 1),
        Err(Stop::Usage(problems)) => complain(&problems, 2),
    }
}

/// Prints the help, the version or the usage error.
fn answered_by_clap(error: &clap::Error) -> ExitCode {
    if let Some(typed) = behind_the_command(error) {
        let told = ["error: options must follow the command", &format!("  help: {typed}")];
        return complain(&told, 2);
    }
    // The error repeats what was typed, which can contain control characters.
    let message = error.to_string();
    if error.use_stderr() && text::clean(&message) != message {
        return complain(&[text::clean(&message)], error.exit_code().try_into().unwrap_or(2));
    }
    match error.print().and_then(|()| io::stdout().flush()) {
        Err(failed) if !error.use_stderr() => status(Err(Stop::Terminal(failed))),
        _ => ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2)),
    }
}

/// The command line with the options moved behind the command, if they stood before it.
fn behind_the_command(error: &clap::Error) -> Option<String> {
    let message = error.to_string();
    let command = message.strip_prefix("error: the subcommand '")?.split('\'').next()?;
    let words = std::env::args_os().skip(1).map(text::argument);
    let words: Vec<String> = words.collect();
    let at = words.iter().position(|word| word == command)?;
    let (before, behind) = (words[..at].join(" "), words[at + 1..].join(" "));
    Some(format!("sub-rosa {command} {before} {behind}").trim_end().to_owned())
}

fn complain<T: ToString>(what: &[T], status: u8) -> ExitCode {
    let mut out = io::stderr().lock();
    for line in what {
        // If standard error fails too, the exit status still reports the error.
        let _ = writeln!(out, "{}", text::clean(&line.to_string()));
    }
    ExitCode::from(status)
}

fn setup(wanted: &Play) -> Result<Setup, Stop> {
    let kept = wanted.data.is_some() || wanted.script.is_none();
    let folder = match (&wanted.data, kept) {
        (Some(folder), _) => Some(folder.clone()),
        (None, true) => Some(user_folder().ok_or_else(no_folder)?),
        (None, false) => None,
    };
    let data_dir = data_dir(folder.as_deref());
    Ok(Setup {
        places: places(&wanted.mods, folder.or_else(user_folder)),
        game: wanted.game.clone(),
        with: wanted.with.clone(),
        data_dir,
        kept,
        profile: wanted.profile.clone(),
        seed: wanted.seed,
        daily: wanted.daily.clone(),
        // Nobody can play for the record of a day before the day begins.
        practice: wanted.practice || wanted.daily.as_deref().is_some_and(day::is_to_come),
        watch: None,
        keymap: Keymap::default(),
        set: wanted.set.clone(),
        dev: wanted.dev,
        usual_ascii: usual_ascii(),
        anew: workshop::write_anew,
        prefer: prefer(wanted),
        told: Vec::new(),
        command: command_again(wanted),
    })
}

/// The screen settings from the command line and the environment.
fn prefer(wanted: &Play) -> Preferences {
    let no_colour = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let palette = wanted.palette.clone();
    Preferences {
        palette: palette.or_else(|| no_colour.then(|| Palette::None.name().to_owned())),
        ascii: wanted.ascii.then_some(true),
        mouse: wanted.no_mouse.then_some(false),
        ..Preferences::default()
    }
}

/// The default palette: 256 colours if the terminal claims to have them.
fn usual_palette() -> Palette {
    let holds = |name: &str, word: &str| {
        std::env::var_os(name).is_some_and(|value| value.to_string_lossy().contains(word))
    };
    match holds("TERM", "256color") || holds("COLORTERM", "") {
        true => Palette::Dark,
        false => Palette::Sixteen,
    }
}

/// Whether to draw only ASCII by default: true if the locale is not UTF-8. The first of its
/// variables that is set decides.
fn usual_ascii() -> bool {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(set);
    let locale = locale.unwrap_or_default().to_string_lossy().to_lowercase().replace('-', "");
    cfg!(unix) && !locale.contains("utf8")
}

/// The folder of runs and profiles; without a folder, data lives in memory only.
fn data_dir(folder: Option<&Path>) -> DataDir {
    match folder {
        Some(folder) => DataDir::new(folder),
        None => DataDir::on(Arc::new(MemoryDisk::new()), "memory"),
    }
}

/// The paths where mods are searched.
fn places(extra: &[PathBuf], user: Option<PathBuf>) -> Places {
    let project = std::env::current_dir().ok().and_then(project_folder);
    Places { extra: extra.to_vec(), project, user }
}

/// The folder where this system stores a program's data.
fn user_folder() -> Option<PathBuf> {
    let folders = directories::ProjectDirs::from("", "", "sub-rosa")?;
    Some(folders.data_dir().to_path_buf())
}

fn no_folder() -> Stop {
    let problem = Problem::error("no-data-folder", "this system defines no data folder")
        .hint("choose one with --data");
    Stop::Failed(vec![problem])
}

/// The command to continue from here, for a person to type.
fn command_again(wanted: &Play) -> String {
    let mut words = vec!["sub-rosa".to_owned()];
    words.extend(wanted.mods.iter().map(|folder| text::flag("--mods", folder)));
    words.extend(wanted.data.iter().map(|folder| text::flag("--data", folder)));
    words.extend(wanted.game.iter().map(|id| text::flag("--game", id)));
    words.extend(wanted.with.iter().map(|id| text::flag("--with", id)));
    if wanted.plain {
        words.push("--plain".to_owned());
    }
    words.join(" ")
}

/// While mods are watched, a background thread reads the lines.
fn in_background(lines: Lines<BufReader<io::Stdin>>, dev: bool) -> Lines<BufReader<io::Stdin>> {
    if dev { lines.in_background() } else { lines }
}

fn front(wanted: &Play, setup: &mut Setup) -> Result<Box<dyn Front>, Stop> {
    let terminal = io::stdin().is_terminal() && io::stdout().is_terminal();
    let is = |name: &str, word: &str| std::env::var_os(name).as_deref() == Some(OsStr::new(word));
    let out = io::stdout();
    if let Some(path) = &wanted.script {
        let name = path.to_string_lossy().into_owned();
        let no_script = |why: &str| {
            let problem = Problem::error("no-script", format!("{name} cannot be read: {why}"));
            Stop::Usage(vec![problem.hint("name a file with one answer per line")])
        };
        if path.is_dir() {
            return Err(no_script("it is a folder"));
        }
        let file = File::open(path).map_err(|error| no_script(&error.to_string()))?;
        let lines = Lines::scripted(BufReader::new(file), &name);
        return Ok(Box::new(Plain::new(lines, out, PLAIN_COLUMNS)));
    }
    if wanted.plain || !terminal || is("TERM", "dumb") {
        let stdin = BufReader::new(io::stdin());
        if !io::stdin().is_terminal() {
            let lines = in_background(Lines::piped(stdin), wanted.dev);
            return Ok(Box::new(Plain::new(lines, out, PLAIN_COLUMNS)));
        }
        let columns = terminal_columns(PLAIN_COLUMNS);
        let lines = in_background(Lines::typed(stdin).at_a_keyboard(), wanted.dev);
        return Ok(Box::new(Plain::new(lines, out, columns)));
    }
    read_keys(setup);
    let keymap = setup.keymap.clone();
    let theme = Theme { ascii: setup.usual_ascii, ..Theme::of(usual_palette()) };
    Ok(Box::new(Full::open(theme, keymap)?))
}
