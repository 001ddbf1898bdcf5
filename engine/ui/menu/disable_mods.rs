//! Mods that cannot be loaded, alone or together with others. A start offers to disable one of them
//! with the mods that need it, so that a broken mod never keeps anybody from playing.

use std::collections::BTreeSet;

use super::{ExitReason, HostPrompts, Setup, host_choice};
use crate::base::text::escape;
use crate::base::{Problem, Severity};
use crate::mods::{ModSource, discover_manifests, ids_with_dependencies};
use crate::protocol::Choice;
use crate::save::{LockedProfile, Profile};
use crate::session::{StartRequest, game_of_start, is_about};

const DISABLE_PREFIX: &str = "off:";
/// Stands for all mods; not a valid id.
const ALL_MODS: &str = "*";

/// Shows the Problems and asks what to do; `Ok` means to try again.
pub(super) fn ask_what_to_disable(
    setup: &mut Setup,
    held: &mut LockedProfile,
    door: &mut HostPrompts<'_>,
    problems: &[Problem],
) -> Result<(), ExitReason> {
    let ways = disable_choices(setup, held.profile(), problems);
    let taken = door.retry_or_choose(problems, ways)?;
    disable_chosen(setup, held, door, &taken)
}

/// The choices to start without a mod that caused a Problem, or without all mods if none can be
/// blamed.
pub(super) fn disable_choices(
    setup: &Setup,
    profile: &Profile,
    problems: &[Problem],
) -> Vec<Choice> {
    let found = discover_manifests(&setup.search_paths).0;
    let on = enabled_mods(setup, profile, &found);
    let sides = mods_at_fault(&on, problems);
    match sides.is_empty() && !on.is_empty() {
        true => {
            let note =
                format!("switches off {} until you switch them on again", mod_names(&found, &on));
            vec![Choice {
                note,
                ..host_choice(&format!("{DISABLE_PREFIX}{ALL_MODS}"), "Play without mods")
            }]
        }
        false => sides.iter().map(|id| disable_choice(&found, id)).collect(),
    }
}

/// Disables what was chosen, if such a choice was taken.
pub(super) fn disable_chosen(
    setup: &mut Setup,
    held: &mut LockedProfile,
    door: &mut HostPrompts<'_>,
    taken: &str,
) -> Result<(), ExitReason> {
    let Some(off) = taken.strip_prefix(DISABLE_PREFIX) else { return Ok(()) };
    let found = discover_manifests(&setup.search_paths).0;
    let leaves = |id: &String| off == ALL_MODS || id == off || needs(&found, id, off);
    let game = game_of_start(&found, start_request(setup));
    setup.enabled_mods.retain(|id| !leaves(id));
    let switched = held.update_profile(|profile| {
        for (id, kept) in &mut profile.games {
            if game.as_ref().is_none_or(|game| game == id) {
                kept.mods_on.retain(|id| !leaves(id));
            }
        }
    });
    switched.or_else(|problem| Ok(door.frontend.show_problem(&problem)?))
}

fn start_request(setup: &Setup) -> StartRequest<'_> {
    StartRequest {
        places: &setup.search_paths,
        game: setup.game.as_deref(),
        with: &setup.enabled_mods,
    }
}

/// The mods enabled for this start, with the mods that they need and the game does not.
fn enabled_mods(setup: &Setup, profile: &Profile, found: &[ModSource]) -> BTreeSet<String> {
    let game = game_of_start(found, start_request(setup));
    let of_profile = profile.games.iter().filter(|(id, _)| game.as_ref().is_none_or(|g| g == *id));
    let of_profile = of_profile.flat_map(|(_, kept)| kept.mods_on.iter().cloned());
    let on: Vec<String> = setup.enabled_mods.iter().cloned().chain(of_profile).collect();
    let own: Vec<String> = ids_with_dependencies(found, game.as_slice());
    let all = ids_with_dependencies(found, &on).into_iter();
    all.filter(|id| !own.contains(id)).collect()
}

/// The enabled mods that caused Problems: those where a Problem is located come first. Of two
/// conflicting mods, that is the one loaded later.
fn mods_at_fault(on: &BTreeSet<String>, problems: &[Problem]) -> Vec<String> {
    let mut sides: Vec<String> = Vec::new();
    for problem in problems.iter().filter(|problem| problem.severity == Severity::Error) {
        let places = problem.place.iter().chain(&problem.trail).map(|place| &place.owner);
        let about = on.iter().filter(|id| is_about(problem, id));
        for id in places.chain(about).filter(|id| on.contains(*id)) {
            if !sides.contains(id) {
                sides.push(id.clone());
            }
        }
    }
    sides
}

/// The choice to start without a mod.
fn disable_choice(found: &[ModSource], off: &str) -> Choice {
    let needing: BTreeSet<String> = found
        .iter()
        .filter(|source| needs(found, source.id(), off))
        .map(|source| source.id().to_owned())
        .collect();
    let note = match needing.is_empty() {
        true => "switches it off until you switch it on again".to_owned(),
        false => format!("also switches off what needs it: {}", mod_names(found, &needing)),
    };
    let label = format!("Play without {}", mod_name(found, off));
    Choice { note, ..host_choice(&format!("{DISABLE_PREFIX}{off}"), &label) }
}

fn mod_name(found: &[ModSource], id: &str) -> String {
    let source = found.iter().find(|source| source.id() == id);
    escape(source.map_or(id, |source| &source.manifest.name))
}

fn mod_names(found: &[ModSource], ids: &BTreeSet<String>) -> String {
    ids.iter().map(|id| mod_name(found, id)).collect::<Vec<_>>().join(", ")
}

/// Whether a mod needs another, directly or indirectly.
fn needs(found: &[ModSource], id: &str, other: &str) -> bool {
    let mut to_look = vec![id.to_owned()];
    let mut looked: Vec<String> = Vec::new();
    while let Some(one) = to_look.pop() {
        let source = found.iter().find(|source| source.id() == one);
        for need in source.into_iter().flat_map(|source| source.manifest.needs.keys()) {
            if need == other {
                return true;
            }
            if !looked.contains(need) {
                looked.push(need.clone());
                to_look.push(need.clone());
            }
        }
    }
    false
}
