//! Selects the mods that a command is about, and the mods they need.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::command_context::{check_folder_exists, is_folder_path};
use crate::{CommandContext, CommandOutcome};
use base::{Code, Problem, Severity};
use mods::{ModSource, SearchPaths, choose_enabled_mods, discover_mods, read_folder};

/// Mods that are checked together.
pub struct CheckGroup {
    /// The mods that were asked for.
    pub(crate) ids: BTreeSet<String>,
    /// These mods, the game, and all mods they need.
    pub mods: Vec<ModSource>,
}

/// The selected groups, and problems of mods that cannot be checked.
pub struct ModSelection {
    /// The mods that are checked together.
    pub groups: Vec<CheckGroup>,
    /// The Problems of the named mods.
    pub problems: Vec<Problem>,
    /// All mods that were found.
    pub(crate) found_mods: Vec<ModSource>,
}

/// Selects mods by ids and folders.
pub fn select_mods(
    context: &CommandContext,
    names: &[String],
) -> Result<ModSelection, (CommandOutcome, Vec<Problem>)> {
    let mut places = context.search_paths.clone();
    let ids = resolve_mod_ids(names, &mut places)
        .map_err(|problems| (failure_outcome(&problems), problems))?;
    let (found, mut problems) = discover_mods(&places);
    let game = context.game.as_deref();
    if ids.is_empty() {
        return select_all_mods(&found, &places, game, problems);
    }
    for id in ids.iter().filter(|id| !found.iter().any(|source| source.id() == *id)) {
        let about = problems.iter().filter(|problem| is_about_mod(problem, id)).cloned();
        let about: Vec<Problem> = about.collect();
        if !about.is_empty() {
            return Err((CommandOutcome::Problems, about));
        }
        // It may be a folder in the current folder, with another id in its manifest.
        let here = Path::new(id);
        let unread = if here.is_dir() { read_folder(here).err() } else { None };
        if let Some(problems) = unread.filter(|all| all.iter().any(|one| one.hint.is_some())) {
            return Err((CommandOutcome::Problems, problems));
        }
    }
    let of_places = |problem: &Problem| problem.code == Code::NoFolder;
    problems.retain(|problem| of_places(problem) || ids.iter().any(|id| is_about_mod(problem, id)));
    let (group, disabled) = build_group(&found, &places, game, &ids).map_err(|mut told| {
        let outcome = failure_outcome(&told);
        // If a folder is missing, the mod may be in it.
        told.splice(0..0, problems.iter().filter(|problem| of_places(problem)).cloned());
        (outcome, told)
    })?;
    problems.extend(disabled);
    Ok(ModSelection { groups: vec![group], problems, found_mods: found })
}

/// Selects each mod that is found, as a group of its own.
fn select_all_mods(
    found: &[ModSource],
    places: &SearchPaths,
    game: Option<&str>,
    mut problems: Vec<Problem>,
) -> Result<ModSelection, (CommandOutcome, Vec<Problem>)> {
    let mut groups = Vec::new();
    for source in found {
        match build_group(found, places, game, &[source.id().to_owned()]) {
            // A mod for another game than the named one is skipped.
            Ok((group, _)) if group.ids.is_empty() => {}
            Ok((group, _)) => groups.push(group),
            Err(told) if failure_outcome(&told) == CommandOutcome::UsageError => {
                return Err((CommandOutcome::UsageError, told));
            }
            Err(told) => problems.extend(told),
        }
    }
    if groups.is_empty() && problems.is_empty() {
        let none = Problem::error(Code::NoMods, "there are no mods to check");
        let none = none.hint("name a mod, or a folder of mods with --mods");
        return Err((CommandOutcome::UsageError, vec![none]));
    }
    Ok(ModSelection { groups, problems, found_mods: found.to_vec() })
}

/// Whether other arguments would fix it.
fn failure_outcome(problems: &[Problem]) -> CommandOutcome {
    let of_usage = [Code::NoSuchMod, Code::NotAGame, Code::WhichGame, Code::NoGame, Code::NoFolder];
    match problems.iter().any(|problem| of_usage.contains(&problem.code)) {
        true => CommandOutcome::UsageError,
        false => CommandOutcome::Problems,
    }
}

/// Returns the ids of mods; folders are added to the search paths.
fn resolve_mod_ids(
    names: &[String],
    places: &mut SearchPaths,
) -> Result<Vec<String>, Vec<Problem>> {
    let mut ids = Vec::new();
    let mut folders = Vec::new();
    for one in names {
        let folder = PathBuf::from(one);
        if !is_folder_path(one) {
            ids.push(one.clone());
            continue;
        }
        check_folder_exists(&folder).map_err(|problem| vec![problem])?;
        ids.push(read_folder(&folder)?.id().to_owned());
        folders.push(folder);
    }
    places.named_folders.splice(0..0, folders);
    Ok(ids)
}

/// Whether a Problem of discovery is about this mod.
fn is_about_mod(problem: &Problem, id: &str) -> bool {
    let owner = problem.place.as_ref().map_or("", |place| place.owner.as_str());
    let folder = problem.place.iter().map(|place| Path::new(&place.file));
    let of_folder = problem.code == Code::NoManifest
        && folder.into_iter().any(|folder| folder.file_name().is_some_and(|name| name == id));
    owner == id
        || (owner.is_empty() && (of_folder || problem.message.contains(&format!("\"{id}\""))))
}

/// Builds a group: mods, the mods they need, and the game. Also returns problems of disabled mods.
fn build_group(
    found: &[ModSource],
    places: &SearchPaths,
    game: Option<&str>,
    ids: &[String],
) -> Result<(CheckGroup, Vec<Problem>), Vec<Problem>> {
    let by_id: BTreeMap<&str, &ModSource> = found.iter().map(|one| (one.id(), one)).collect();
    let mut needed: BTreeSet<&str> = ids.iter().map(String::as_str).collect();
    let mut to_look: Vec<&str> = needed.iter().copied().collect();
    while let Some(id) = to_look.pop() {
        let Some(source) = by_id.get(id) else { continue };
        let needs = source.manifest.needed_mods.keys().map(String::as_str);
        to_look.extend(needs.filter(|id| by_id.contains_key(id) && needed.insert(id)));
    }
    let is_game = |id: &&&str| by_id.get(**id).is_some_and(|source| source.manifest.is_game);
    let own = needed.iter().find(is_game).copied();
    let on: Vec<String> = needed.iter().map(|id| (*id).to_owned()).collect();
    let (mods, problems) = choose_enabled_mods(found.to_vec(), places, game.or(own), &on);
    if mods.is_empty() || problems.iter().any(|problem| problem.severity == Severity::Error) {
        return Err(problems);
    }
    let is_enabled = |id: &&String| mods.iter().any(|source| source.id() == **id);
    Ok((CheckGroup { ids: ids.iter().filter(is_enabled).cloned().collect(), mods }, problems))
}
