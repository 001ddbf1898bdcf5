//! Prepares a start: finds the mods, chooses and sorts them, and loads a VM.

use std::path::PathBuf;

use super::invalid_settings::invalid_setting_warnings;
use super::run_content::RunContent;
use base::{Code, Problem, Severity};
use mods::{
    Manifest, ModOrigin, ModSet, ModSource, SearchPaths, available_languages, choose_enabled_mods,
    discover_manifests, find_translation_mods, ids_with_dependencies, read_scripts,
    read_translation, sort_into_load_order,
};
use save::Profile;
use script::Vm;

/// The parameters of a start.
#[derive(Clone, Copy, Debug)]
pub struct StartRequest<'a> {
    /// The search paths for mods.
    pub search_paths: &'a SearchPaths,
    /// The game; if `None`, the only game or the default game.
    pub game: Option<&'a str>,
    /// Mods enabled for this start with their dependencies, in addition to those of the profile.
    pub extra_mods: &'a [String],
    /// The language to show the game in, if it is not its own.
    pub language: Option<&'a str>,
    /// The flags of commands that are told to a person, each with a space before it.
    pub command_flags: &'a str,
}

/// The mods of a start, before they are loaded.
pub struct StartPlan {
    /// The mods and their settings.
    pub content: RunContent,
    /// All games that were found, including the chosen one.
    pub games: Vec<Manifest>,
    /// The warnings.
    pub warnings: Vec<Problem>,
}

/// The content of a start, loaded.
pub struct LoadedStart {
    /// The mods and their settings.
    pub content: RunContent,
    /// The VM loaded from them.
    pub vm: Vm,
    /// All games that were found, including the chosen one.
    pub games: Vec<Manifest>,
    /// The warnings.
    pub warnings: Vec<Problem>,
}

/// Why a start failed.
#[derive(Debug)]
pub enum StartError {
    /// The requested game or mod does not exist.
    Usage(Vec<Problem>),
    /// The mods have Problems.
    ModProblems(Vec<Problem>),
}

/// The code of the Problem that two mods have the same id.
const DUPLICATE_ID_CODE: Code = Code::TwoOfOneId;

/// The codes of Problems that only another request can fix.
const USAGE_ERROR_CODES: [Code; 5] =
    [Code::NoSuchMod, Code::NotAGame, Code::WhichGame, Code::NoFolder, Code::NoGame];

/// Finds, chooses, sorts and loads the mods.
pub fn prepare_start(
    request: StartRequest<'_>,
    profile: &Profile,
) -> Result<LoadedStart, StartError> {
    plan_start(request, profile)?.load()
}

/// Finds, chooses and sorts the mods.
pub fn plan_start(request: StartRequest<'_>, profile: &Profile) -> Result<StartPlan, StartError> {
    let (found, discovery_problems) = discover_manifests(request.search_paths);
    let is_read = |one: &String| found.iter().any(|source| source.id() == one);
    let is_broken =
        |one: &String| discovery_problems.iter().any(|problem| is_problem_of_mod(problem, one));
    // A mod that exists but cannot be read is reported as broken, not as missing.
    let not_broken = |one: &&String| is_read(one) || !is_broken(one);
    let extra_mods: Vec<String> = request.extra_mods.iter().filter(not_broken).cloned().collect();
    // The enabled mods are stored per game, so the game is chosen first; the mods of this start may
    // imply it.
    let (mods_without_profile, choice_problems) =
        choose_enabled_mods(found.clone(), request.search_paths, request.game, &extra_mods);
    let Some(id) = find_game_among(&mods_without_profile) else {
        return Err(to_start_error(
            discovery_problems.into_iter().chain(choice_problems).collect(),
        ));
    };
    let game_profile = profile.game_profile(&id);
    // A missing mod does not block the start.
    let exists = |one: &String| is_read(one) || is_broken(one);
    let (mut enabled_ids, missing_ids): (Vec<String>, Vec<String>) =
        game_profile.enabled_mods.iter().cloned().partition(|one| exists(one));
    let games = found.iter().map(|source| &source.manifest).filter(|manifest| manifest.is_game);
    let games = games.cloned().collect();
    let extra_mods = ids_with_dependencies(&found, request.extra_mods);
    enabled_ids
        .extend(extra_mods.into_iter().filter(|id| !enabled_ids.contains(id)).collect::<Vec<_>>());
    let requested_ids: Vec<String> = enabled_ids.iter().filter(not_broken).cloned().collect();
    let mut problems = discovery_problems.clone();
    let missing = |one: &String| missing_mod_problem(one, &id, request.command_flags);
    problems.extend(missing_ids.iter().map(missing));
    let (chosen, choice_problems) =
        choose_enabled_mods(found.clone(), request.search_paths, Some(&id), &requested_ids);
    let has_errors = choice_problems.iter().any(|problem| problem.severity == Severity::Error);
    // A broken mod blocks a start only if it is enabled.
    let concerns_enabled_mod = |problem: &Problem| {
        is_problem_of_mod(problem, &id)
            || enabled_ids.iter().any(|on| is_problem_of_mod(problem, on))
    };
    let is_start_blocked = problems.iter().any(|problem| {
        problem.severity == Severity::Error
            && (concerns_enabled_mod(problem) || USAGE_ERROR_CODES.contains(&problem.code))
    });
    problems.extend(choice_problems);
    if has_errors || is_start_blocked {
        return Err(to_start_error(problems));
    }
    // Scripts are read only from chosen mods.
    let mut mods =
        read_scripts(chosen).and_then(sort_into_load_order).map_err(StartError::ModProblems)?;
    if let Some(language) = request.language {
        problems.extend(set_translation(&mut mods, &found, language));
    }
    problems.extend(invalid_setting_warnings(&mods, &game_profile.settings, request.command_flags));
    Ok(StartPlan {
        content: RunContent { mods, settings: game_profile.settings },
        games,
        warnings: problems,
    })
}

/// Reads the translation of a content again; returns its Problems.
pub fn reread_translation(
    content: &mut RunContent,
    search_paths: &SearchPaths,
    language: &str,
) -> Vec<Problem> {
    set_translation(&mut content.mods, &discover_manifests(search_paths).0, language)
}

/// The folders of the mods that only translate a game into a language.
pub fn translation_folders(search_paths: &SearchPaths, game: &str, language: &str) -> Vec<PathBuf> {
    let found = discover_manifests(search_paths).0;
    let folder = |source: ModSource| match source.origin {
        ModOrigin::Folder(folder) => Some(folder),
        _ => None,
    };
    find_translation_mods(&found, game, language).into_iter().filter_map(folder).collect()
}

/// Reads the translation into a language, from the mods of a start and those that only translate.
fn set_translation(mods: &mut ModSet, found: &[ModSource], language: &str) -> Vec<Problem> {
    let game = mods.game().id().to_owned();
    let translation_mods = find_translation_mods(found, &game, language);
    let translation_mods = match read_scripts(translation_mods) {
        Ok(read_mods) => read_mods,
        Err(problems) => return problems,
    };
    let is_new = |source: &&ModSource| mods.get(source.id()).is_none();
    let sources: Vec<&ModSource> =
        mods.mods.iter().chain(translation_mods.iter().filter(is_new)).collect();
    let (translation, mut problems) = read_translation(language, &sources);
    if translation.is_none() && problems.is_empty() {
        let found_text = format!("there is no translation of {game} into {language:?}");
        let languages = available_languages(found, &mods.mods, &game);
        let problem = Problem::warning(Code::MissingTranslation, found_text)
            .hint("the texts are shown as they are written");
        problems.push(match languages.is_empty() {
            true => problem,
            false => problem.expected(format!("one of {}", languages.join(", "))),
        });
    }
    mods.translation = translation;
    problems
}

impl StartPlan {
    /// Loads a VM from the plan.
    pub fn load(self) -> Result<LoadedStart, StartError> {
        let Self { content, games, mut warnings } = self;
        let vm = content.load_vm().map_err(StartError::ModProblems)?;
        warnings.extend(vm.load_warnings().iter().cloned());
        Ok(LoadedStart { content, vm, games, warnings })
    }
}

/// The Problem of an enabled mod that is missing. The told command ends with the flags.
pub fn missing_mod_problem(id: &str, game: &str, command_flags: &str) -> Problem {
    Problem::warning(Code::AbsentMod, format!("{id} is on for {game}, but is missing"))
        .hint(format!("restore it, or switch it off: `sub-rosa mods off {id}{command_flags}`"))
}

/// The game of a start, if it is known.
pub fn find_start_game(found: &[ModSource], request: StartRequest<'_>) -> Option<String> {
    let is_read = |one: &&String| found.iter().any(|source| source.id() == *one);
    let extra_mods: Vec<String> = request.extra_mods.iter().filter(is_read).cloned().collect();
    find_game_among(
        &choose_enabled_mods(found.to_vec(), request.search_paths, request.game, &extra_mods).0,
    )
}

fn find_game_among(chosen: &[ModSource]) -> Option<String> {
    chosen.iter().find(|source| source.manifest.is_game).map(|game| game.id().to_owned())
}

/// Whether a Problem of reading mods is about the mod with that id.
pub fn is_problem_of_mod(problem: &Problem, id: &str) -> bool {
    let place = problem.place.as_ref();
    // If two mods have the same id, neither place identifies the mod.
    let is_duplicate_id_of =
        || problem.code == DUPLICATE_ID_CODE && problem.message.contains(&format!("\"{id}\""));
    place.is_some_and(|place| place.owner == id) || is_duplicate_id_of()
}

fn to_start_error(problems: Vec<Problem>) -> StartError {
    let errors = || problems.iter().filter(|problem| problem.severity == Severity::Error);
    match errors().all(|problem| USAGE_ERROR_CODES.contains(&problem.code)) {
        true => StartError::Usage(problems),
        false => StartError::ModProblems(problems),
    }
}
