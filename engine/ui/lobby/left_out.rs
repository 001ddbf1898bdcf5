//! Mods that cannot be loaded, alone or together with others. A start offers to disable one of them
//! with the mods that need it, so that a broken mod never keeps anybody from playing.

use std::collections::BTreeSet;

use super::{Door, Setup, Stop, choice};
use crate::kit::text::escape;
use crate::kit::{Problem, Severity};
use crate::mods::{ModSource, discover_manifests, with_needs};
use crate::play::Choice;
use crate::run::{StartRequest, game_of_start, is_about};
use crate::save::{LockedProfile, Profile};

const OFF: &str = "off:";
/// Stands for all mods; not a valid id.
const ALL: &str = "*";

/// Shows the Problems and asks what to do; `Ok` means to try again.
pub(super) fn what_to_do(
    setup: &mut Setup,
    held: &mut LockedProfile,
    door: &mut Door<'_>,
    problems: &[Problem],
) -> Result<(), Stop> {
    let ways = ways(setup, held.profile(), problems);
    let taken = door.again_or(problems, ways)?;
    leave_out(setup, held, door, &taken)
}

/// The choices to start without a mod that caused a Problem, or without all mods if none can be
/// blamed.
pub(super) fn ways(setup: &Setup, profile: &Profile, problems: &[Problem]) -> Vec<Choice> {
    let found = discover_manifests(&setup.places).0;
    let on = switched_on(setup, profile, &found);
    let sides = sides(&on, problems);
    match sides.is_empty() && !on.is_empty() {
        true => {
            let note =
                format!("switches off {} until you switch them on again", in_words(&found, &on));
            vec![Choice { note, ..choice(&format!("{OFF}{ALL}"), "Play without mods") }]
        }
        false => sides.iter().map(|id| way(&found, id)).collect(),
    }
}

/// Disables what was chosen, if such a choice was taken.
pub(super) fn leave_out(
    setup: &mut Setup,
    held: &mut LockedProfile,
    door: &mut Door<'_>,
    taken: &str,
) -> Result<(), Stop> {
    let Some(off) = taken.strip_prefix(OFF) else { return Ok(()) };
    let found = discover_manifests(&setup.places).0;
    let leaves = |id: &String| off == ALL || id == off || needs(&found, id, off);
    let game = game_of_start(&found, request(setup));
    setup.with.retain(|id| !leaves(id));
    let switched = held.change(|profile| {
        for (id, kept) in &mut profile.games {
            if game.as_ref().is_none_or(|game| game == id) {
                kept.mods_on.retain(|id| !leaves(id));
            }
        }
    });
    switched.or_else(|problem| Ok(door.front.trouble(&problem)?))
}

fn request(setup: &Setup) -> StartRequest<'_> {
    StartRequest { places: &setup.places, game: setup.game.as_deref(), with: &setup.with }
}

/// The mods enabled for this start, with the mods that they need and the game does not.
fn switched_on(setup: &Setup, profile: &Profile, found: &[ModSource]) -> BTreeSet<String> {
    let game = game_of_start(found, request(setup));
    let of_profile = profile.games.iter().filter(|(id, _)| game.as_ref().is_none_or(|g| g == *id));
    let of_profile = of_profile.flat_map(|(_, kept)| kept.mods_on.iter().cloned());
    let on: Vec<String> = setup.with.iter().cloned().chain(of_profile).collect();
    let own: Vec<String> = with_needs(found, game.as_slice());
    let all = with_needs(found, &on).into_iter();
    all.filter(|id| !own.contains(id)).collect()
}

/// The enabled mods that caused Problems: those where a Problem is located come first. Of two
/// conflicting mods, that is the one loaded later.
fn sides(on: &BTreeSet<String>, problems: &[Problem]) -> Vec<String> {
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
fn way(found: &[ModSource], off: &str) -> Choice {
    let needing: BTreeSet<String> = found
        .iter()
        .filter(|source| needs(found, source.id(), off))
        .map(|source| source.id().to_owned())
        .collect();
    let note = match needing.is_empty() {
        true => "switches it off until you switch it on again".to_owned(),
        false => format!("also switches off what needs it: {}", in_words(found, &needing)),
    };
    let label = format!("Play without {}", name(found, off));
    Choice { note, ..choice(&format!("{OFF}{off}"), &label) }
}

fn name(found: &[ModSource], id: &str) -> String {
    let source = found.iter().find(|source| source.id() == id);
    escape(source.map_or(id, |source| &source.manifest.name))
}

fn in_words(found: &[ModSource], ids: &BTreeSet<String>) -> String {
    ids.iter().map(|id| name(found, id)).collect::<Vec<_>>().join(", ")
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
