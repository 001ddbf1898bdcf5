//! Mods that cannot be loaded, alone or together with others. A start offers to disable one of them
//! with the mods that need it, so that a broken mod never keeps anybody from playing.

use base::host_text;
use std::collections::BTreeSet;

use super::{ExitReason, HostPrompts, MenuSetup, host_choice};
use base::text::escape_markup;
use base::{Problem, Severity};
use mods::{ModSource, discover_manifests, ids_with_dependencies};
use protocol::Choice;
use save::{LockedProfile, Profile};
use session::{StartRequest, find_start_game, is_problem_of_mod};

const DISABLE_PREFIX: &str = "off:";
/// Stands for all mods; not a valid id.
const ALL_MODS_ID: &str = "*";

/// Shows the Problems and asks what to do; `Ok` means to try again.
pub(super) fn ask_what_to_disable(
    setup: &mut MenuSetup,
    profile_lock: &mut LockedProfile,
    host_prompts: &mut HostPrompts<'_>,
    problems: &[Problem],
) -> Result<(), ExitReason> {
    let choices = build_disable_choices(setup, profile_lock.profile(), problems);
    let choice_id = host_prompts.ask_retry_or_choose(problems, choices)?;
    disable_chosen_mod(setup, profile_lock, host_prompts, &choice_id)
}

/// The choices to start without a mod that caused a Problem, or without all mods if none can be
/// blamed.
pub(super) fn build_disable_choices(
    setup: &MenuSetup,
    profile: &Profile,
    problems: &[Problem],
) -> Vec<Choice> {
    let sources = discover_manifests(&setup.search_paths).0;
    let enabled_ids = enabled_mods(setup, profile, &sources);
    let faulty_ids = mods_at_fault(&enabled_ids, problems);
    match faulty_ids.is_empty() && !enabled_ids.is_empty() {
        true => {
            let note = host_text!(
                "switches off {mods} until you switch them on again",
                mods = mod_names(&sources, &enabled_ids)
            );
            vec![Choice {
                note,
                ..host_choice(
                    &format!("{DISABLE_PREFIX}{ALL_MODS_ID}"),
                    &host_text!("Play without mods"),
                )
            }]
        }
        false => {
            let choice =
                |id: &String| build_disable_choice(&sources, &enabled_ids, id, &setup.enabled_mods);
            faulty_ids.iter().map(choice).collect()
        }
    }
}

/// Disables what was chosen, if such a choice was taken.
pub(super) fn disable_chosen_mod(
    setup: &mut MenuSetup,
    profile_lock: &mut LockedProfile,
    host_prompts: &mut HostPrompts<'_>,
    choice_id: &str,
) -> Result<(), ExitReason> {
    let Some(disabled_id) = choice_id.strip_prefix(DISABLE_PREFIX) else { return Ok(()) };
    let sources = discover_manifests(&setup.search_paths).0;
    let is_disabled = |id: &String| {
        disabled_id == ALL_MODS_ID || id == disabled_id || depends_on(&sources, id, disabled_id)
    };
    let game = find_start_game(&sources, start_request(setup));
    setup.enabled_mods.retain(|id| !is_disabled(id));
    let result = profile_lock.update_profile(|profile| {
        for (id, kept) in &mut profile.games {
            if game.as_ref().is_none_or(|game| game == id) {
                kept.enabled_mods.retain(|id| !is_disabled(id));
            }
        }
    });
    result.or_else(|problem| Ok(host_prompts.frontend.show_problem(&problem)?))
}

fn start_request(setup: &MenuSetup) -> StartRequest<'_> {
    StartRequest {
        search_paths: &setup.search_paths,
        game: setup.game.as_deref(),
        extra_mods: &setup.enabled_mods,
        language: None,
        command_flags: "",
    }
}

/// The mods enabled for this start, with the mods that they need and the game does not.
fn enabled_mods(setup: &MenuSetup, profile: &Profile, sources: &[ModSource]) -> BTreeSet<String> {
    let game = find_start_game(sources, start_request(setup));
    let of_profile = profile.games.iter().filter(|(id, _)| game.as_ref().is_none_or(|g| g == *id));
    let of_profile = of_profile.flat_map(|(_, kept)| kept.enabled_mods.iter().cloned());
    let enabled_ids: Vec<String> = setup.enabled_mods.iter().cloned().chain(of_profile).collect();
    let game_mods: Vec<String> = ids_with_dependencies(sources, game.as_slice());
    let all = ids_with_dependencies(sources, &enabled_ids).into_iter();
    all.filter(|id| !game_mods.contains(id)).collect()
}

/// The enabled mods that caused Problems: those where a Problem is located come first. Of two
/// conflicting mods, that is the one loaded later.
fn mods_at_fault(enabled_ids: &BTreeSet<String>, problems: &[Problem]) -> Vec<String> {
    let mut faulty_ids: Vec<String> = Vec::new();
    for problem in problems.iter().filter(|problem| problem.severity == Severity::Error) {
        let places =
            problem.place.iter().chain(&problem.related_locations).map(|place| &place.owner);
        let mentioned_ids = enabled_ids.iter().filter(|id| is_problem_of_mod(problem, id));
        for id in places.chain(mentioned_ids).filter(|id| enabled_ids.contains(*id)) {
            if !faulty_ids.contains(id) {
                faulty_ids.push(id.clone());
            }
        }
    }
    faulty_ids
}

/// The choice to start without a mod.
fn build_disable_choice(
    sources: &[ModSource],
    enabled_ids: &BTreeSet<String>,
    disabled_id: &str,
    mods_of_this_start: &[String],
) -> Choice {
    let dependents = enabled_ids.iter().filter(|id| depends_on(sources, id, disabled_id));
    let dependents: BTreeSet<String> = dependents.cloned().collect();
    let note = match dependents.is_empty() {
        // The next start with the same command line enables it again.
        true if mods_of_this_start.iter().any(|id| id == disabled_id) => {
            host_text!("leaves it out of this start")
        }
        true => host_text!("switches it off until you switch it on again"),
        false => host_text!(
            "also switches off what needs it: {mods}",
            mods = mod_names(sources, &dependents)
        ),
    };
    let label = host_text!("Play without {mod_name}", mod_name = mod_name(sources, disabled_id));
    Choice { note, ..host_choice(&format!("{DISABLE_PREFIX}{disabled_id}"), &label) }
}

fn mod_name(found: &[ModSource], id: &str) -> String {
    let source = found.iter().find(|source| source.id() == id);
    escape_markup(source.map_or(id, |source| &source.manifest.name))
}

fn mod_names(found: &[ModSource], ids: &BTreeSet<String>) -> String {
    ids.iter().map(|id| mod_name(found, id)).collect::<Vec<_>>().join(", ")
}

/// Whether a mod needs another, directly or indirectly.
fn depends_on(sources: &[ModSource], id: &str, other: &str) -> bool {
    let mut unvisited_ids = vec![id.to_owned()];
    let mut visited_ids: Vec<String> = Vec::new();
    while let Some(one) = unvisited_ids.pop() {
        let source = sources.iter().find(|source| source.id() == one);
        for need in source.into_iter().flat_map(|source| source.manifest.needed_mods.keys()) {
            if need == other {
                return true;
            }
            if !visited_ids.contains(need) {
                visited_ids.push(need.clone());
                unvisited_ids.push(need.clone());
            }
        }
    }
    false
}
