//! Mods as files: `mods pack` creates a zip file from a folder, `mods install` installs it, `mods
//! remove` removes an installed mod. Only the folder of that mod is written, and old files are
//! removed only after the new ones have loaded.

mod install;
mod install_target;
mod pack;
mod remove;

use std::io::{self, BufRead, IsTerminal, Write};
use std::path::{Path, PathBuf};

pub use install::{InstallRequest, install_mod};
pub use pack::{PackRequest, pack_mod};
pub use remove::{RemoveRequest, remove_mod};

use super::switch_mods::{CommandFailure, FoundMods};
use super::{CommandContext, CommandOutcome};
use base::{Code, Problem, Severity, SourceLocation, Value, text};
use mods::{
    ModOrigin, ModSource, SearchPaths, choose_enabled_mods, discover_mods, ids_with_dependencies,
    sort_into_load_order,
};
use save::RunStatus;
use session::RunContent;

/// Asks for confirmation.
pub type ConfirmFn<'a> = dyn FnMut(&str) -> io::Result<bool> + 'a;

/// Asks on the terminal; without one, the answer is no.
pub fn confirm_on_terminal(question: &str) -> io::Result<bool> {
    if !io::stdin().is_terminal() {
        return Ok(false);
    }
    let mut out = io::stderr().lock();
    write!(out, "{} [y/N] ", text::strip_unprintable(question))?;
    out.flush()?;
    let mut line = String::new();
    io::stdin().lock().read_line(&mut line)?;
    Ok(["y", "yes"].contains(&line.trim().to_ascii_lowercase().as_str()))
}

/// A usage error.
fn usage_error(problem: Problem) -> CommandFailure {
    (CommandOutcome::UsageError, vec![problem])
}

/// An error of something that failed.
fn command_failure(problem: Problem) -> CommandFailure {
    (CommandOutcome::Problems, vec![problem])
}

/// A write error; nothing was changed.
fn write_error_failure(path: &Path, why: &io::Error) -> CommandFailure {
    let path = path.display().to_string();
    let problem = Problem::error(Code::NotWritten, format!("{path} cannot be written: {why}"));
    command_failure(
        problem
            .at(SourceLocation::new("", path, 0))
            .hint("nothing was changed: free some space, or check the permissions"),
    )
}

/// The player's mods folder in the data folder.
fn player_mods_folder(context: &CommandContext) -> Result<PathBuf, CommandFailure> {
    let none = || {
        let problem =
            Problem::error(Code::NoDataFolder, "the system has no data folder for this user");
        usage_error(problem.hint("name a folder with `--data DIR`"))
    };
    context.search_paths.user_folder.as_ref().map(|user| user.join("mods")).ok_or_else(none)
}

/// An installed mod: the mod if it can be read, and its path.
struct ExistingMod {
    source: Option<ModSource>,
    path: PathBuf,
}

/// The mod with this id in the player's mods folder, if any.
fn existing_mod(context: &CommandContext, id: &str) -> Result<Option<ExistingMod>, CommandFailure> {
    let user = context.search_paths.user_folder.clone();
    let (own, problems) =
        discover_mods(&SearchPaths { user_folder: user, ..SearchPaths::default() });
    let double = problems.iter().find(|problem| {
        problem.code == Code::TwoOfOneId && problem.message.contains(&format!("\"{id}\""))
    });
    if let Some(double) = double {
        return Err(command_failure(double.clone()));
    }
    let source = own.into_iter().find(|source| source.id() == id);
    if let Some(source) = source
        && let Some(path) = disk_path(&source).map(Path::to_owned)
    {
        return Ok(Some(ExistingMod { source: Some(source), path }));
    }
    let place = player_mods_folder(context)?.join(id);
    let Ok(about) = std::fs::symlink_metadata(&place) else { return Ok(None) };
    // A folder with that name that is not a valid mod, such as a broken old one.
    let broken =
        problems.iter().any(|problem| problem.place.as_ref().is_some_and(|at| at.owner == id));
    if about.is_dir() && broken {
        return Ok(Some(ExistingMod { source: None, path: place }));
    }
    let path = place.display().to_string();
    let problem =
        Problem::error(Code::FolderExists, format!("{path} exists and is not the mod {id}"));
    Err(command_failure(
        problem
            .at(SourceLocation::new("", path, 0))
            .hint("move it away first; nothing was changed"),
    ))
}

/// The path of a mod on disk.
fn disk_path(source: &ModSource) -> Option<&Path> {
    match &source.origin {
        ModOrigin::Folder(path) | ModOrigin::Archive(path) => Some(path),
        ModOrigin::Embedded | ModOrigin::ContentStore => None,
    }
}

/// The location of a mod as text.
fn location_text(source: &ModSource) -> String {
    disk_path(source).map_or_else(
        || "the program".to_owned(),
        |path| text::strip_unprintable(&path.display().to_string()),
    )
}

/// Checks that a mod loads, with its game and the mods it needs.
fn check_mod_loads(
    context: &CommandContext,
    found: &FoundMods,
    source: &ModSource,
) -> Result<(), Vec<Problem>> {
    let id = source.id();
    let others = found.mods.iter().filter(|other| other.id() != id).cloned();
    let all: Vec<ModSource> = others.chain([source.clone()]).collect();
    let needed = ids_with_dependencies(&all, &[id.to_owned()]);
    let is_game = |id: &String| all.iter().any(|one| one.id() == id && one.manifest.is_game);
    let needs_of = |id: &String| {
        let source = all.iter().find(|one| one.id() == id);
        source
            .into_iter()
            .flat_map(|one| one.manifest.needed_mods.keys())
            .cloned()
            .collect::<Vec<_>>()
    };
    let game = needed.iter().flat_map(needs_of).chain([id.to_owned()]).find(|id| is_game(id));
    let on: Vec<String> = needed.into_iter().filter(|id| !is_game(id)).collect();
    let game = game.or_else(|| context.game.clone());
    let (chosen, problems) =
        choose_enabled_mods(all.clone(), &context.search_paths, game.as_deref(), &on);
    let wrong: Vec<Problem> =
        problems.into_iter().filter(|one| one.severity == Severity::Error).collect();
    if !wrong.is_empty() {
        return Err(wrong);
    }
    let content = RunContent { mods: sort_into_load_order(chosen)?, settings: Value::map() };
    content.load_vm().map(drop)
}

/// Messages about unfinished runs that use a mod: they continue with the stored copy.
fn unfinished_run_messages(context: &CommandContext, id: &str) -> Vec<String> {
    let runs = context.data_dir.list_runs().unwrap_or_default().into_iter();
    let open = runs.filter(|run| matches!(run.status, RunStatus::Unfinished { .. }));
    let messages = open.filter_map(|run| {
        let header = run.header?;
        let mark = header.mods.iter().find(|mark| mark.id == id)?;
        let (whose, version) = (text::strip_unprintable(&header.profile_name), &mark.version);
        Some(format!("the run {} of {whose} uses {id} {version}: it continues with its copy, or with the mod found then", run.run_id))
    });
    messages.collect()
}
