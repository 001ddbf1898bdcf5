//! What every author command gets and returns: the context, the output and the outcome.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use base::text::quote_shell_flag;
use base::{Code, Problem, Severity};
use mods::SearchPaths;
use save::DataDir;
use session::{LoadedStart, StartError, StartRequest, prepare_start};

/// The context that an author command runs in.
#[derive(Clone)]
pub struct CommandContext {
    /// Where mods are searched.
    pub search_paths: SearchPaths,
    /// The game that was named on the command line.
    pub game: Option<String>,
    /// Mods that are turned on for this start only.
    pub extra_mods: Vec<String>,
    /// The data folder with profiles.
    pub data_dir: DataDir,
    /// The name of the player.
    pub profile_name: String,
    /// `--mods` and `--data` of the command line, for commands that are told to a person.
    pub folder_flags: String,
}

impl CommandContext {
    /// The same context that searches the named folders first, so that mods in them are found by
    /// id.
    pub fn with_search_folders(&self, names: &[String]) -> Self {
        let mut context = self.clone();
        let folders = names.iter().filter(|one| is_folder_path(one)).map(PathBuf::from);
        context.search_paths.named_folders.splice(0..0, folders);
        context
    }

    /// The flags of this call for a command about mods, each with a space before it.
    pub(super) fn mods_command_flags(&self) -> String {
        let game = self.game.iter().map(|id| quote_shell_flag("--game", id));
        let player = Some(&self.profile_name).filter(|name| *name != "Player");
        let player = player.map(|name| quote_shell_flag("--profile", name));
        let flags = game.chain(player).map(|flag| format!(" {flag}"));
        flags.fold(self.folder_flags.clone(), |flags, flag| flags + &flag)
    }

    /// Loads the game with its mods. A mod that is named here must load: a disabled one is an
    /// error.
    pub fn load_game(&self) -> Result<LoadedStart, (CommandOutcome, Vec<Problem>)> {
        let profile = self.data_dir.read_profile_by_name(&self.profile_name);
        let profile = profile.map_err(|problem| (CommandOutcome::Problems, vec![problem]))?;
        let game = self.game.as_deref();
        let wanted = StartRequest {
            search_paths: &self.search_paths,
            game,
            extra_mods: &self.extra_mods,
            language: None,
            command_flags: &self.mods_command_flags(),
        };
        let startup = prepare_start(wanted, &profile).map_err(|unfit| match unfit {
            StartError::Usage(problems) => (CommandOutcome::UsageError, problems),
            StartError::ModProblems(problems) => (CommandOutcome::Problems, problems),
        })?;
        let is_loaded = |id: &String| startup.content.mods.get(id).is_some();
        if self.extra_mods.iter().all(is_loaded) {
            return Ok(startup);
        }
        let hint = "name one game, and mods that work with it";
        let disabled =
            startup.warnings.into_iter().filter(|problem| problem.code == Code::OtherGame);
        let game_problems =
            disabled.map(|problem| Problem { severity: Severity::Error, ..problem }.hint(hint));
        Err((CommandOutcome::UsageError, game_problems.collect()))
    }
}

/// Whether a mod is named by its folder instead of its id.
pub(super) fn is_folder_path(name: &str) -> bool {
    name.contains(['/', '\\', '.'])
}

/// Checks that a mod's folder that was named exists.
pub(super) fn check_folder_exists(folder: &Path) -> Result<(), Problem> {
    let message = || format!("there is no folder {}", folder.display());
    let missing = || Problem::error(Code::NoFolder, message()).expected("the folder of a mod");
    if folder.exists() { Ok(()) } else { Err(missing()) }
}

/// The result of a command; its number is the exit status of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommandOutcome {
    /// No problems.
    Ok = 0,
    /// Problems were found and reported.
    Problems = 1,
    /// Wrong arguments, such as a mod that does not exist.
    UsageError = 2,
}

/// Where a command writes its result, and its errors.
pub trait CommandOutput: Write {
    /// Where errors go.
    fn error_output(&mut self) -> &mut dyn Write;
}

/// Both in one buffer.
impl CommandOutput for Vec<u8> {
    fn error_output(&mut self) -> &mut dyn Write {
        self
    }
}

/// Standard output and standard error.
pub struct OutputStreams {
    output: io::StdoutLock<'static>,
    error_stream: io::Stderr,
}

impl OutputStreams {
    /// The streams of this process.
    pub fn stdout_and_stderr() -> Self {
        Self { output: io::stdout().lock(), error_stream: io::stderr() }
    }
}

impl Write for OutputStreams {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.output.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.output.flush()
    }
}

impl CommandOutput for OutputStreams {
    fn error_output(&mut self) -> &mut dyn Write {
        &mut self.error_stream
    }
}

/// What a command returns: its outcome, or an error from writing the output.
pub type CommandResult = io::Result<CommandOutcome>;
