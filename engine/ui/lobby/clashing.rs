//! Two mods that cannot be played together: a start offers to leave one of them out, and what needs it.

use super::{Door, Setup, Stop, choice, content};
use crate::kit::Problem;
use crate::kit::text::escape;
use crate::mods::{ModSource, discover};
use crate::play::Choice;
use crate::save::LockedProfile;

/// Codes of Problems that two mods make together, each of them alone being whole.
const OF_TWO: [&str; 2] = ["clash", "mods-clash"];
const OFF: &str = "off:";

/// Tells what is wrong with the mods and asks what to do: `Ok` to look at them again.
pub(super) fn what_to_do(
    setup: &mut Setup,
    held: &mut LockedProfile,
    door: &mut Door<'_>,
    problems: &[Problem],
) -> Result<(), Stop> {
    let found = discover(&setup.places).0;
    let sides = sides(&found, problems);
    let ways = sides.iter().map(|id| way(&found, id)).collect();
    let taken = door.again_or(problems, ways)?;
    let Some(off) = taken.strip_prefix(OFF) else { return Ok(()) };
    let leaves = |id: &String| id == off || needs(&found, id, off);
    setup.with.retain(|id| !leaves(id));
    let game = content::find(setup, held.profile()).ok();
    let game = game.map(|plan| plan.content.mods.game().id().to_owned());
    let switched = held.change(|profile| {
        for (id, kept) in &mut profile.games {
            if game.as_ref().is_none_or(|game| game == id) {
                kept.mods_on.retain(|id| !leaves(id));
            }
        }
    });
    switched.or_else(|problem| Ok(door.front.trouble(&problem)?))
}

/// The mods that clash with others, but for games: the later of two first, since it is the newcomer.
fn sides(found: &[ModSource], problems: &[Problem]) -> Vec<String> {
    let mut sides: Vec<String> = Vec::new();
    for problem in problems.iter().filter(|problem| OF_TWO.contains(&problem.code.as_str())) {
        for place in problem.place.iter().chain(&problem.trail) {
            let is_mod = found.iter().any(|one| one.id() == place.owner && !one.manifest.game);
            if is_mod && !sides.contains(&place.owner) {
                sides.push(place.owner.clone());
            }
        }
    }
    sides
}

/// The choice to go on without a mod.
fn way(found: &[ModSource], off: &str) -> Choice {
    let name = |id: &str| {
        let source = found.iter().find(|source| source.id() == id);
        escape(source.map_or(id, |source| &source.manifest.name))
    };
    let needing: Vec<String> = found
        .iter()
        .filter(|source| needs(found, source.id(), off))
        .map(|source| name(source.id()))
        .collect();
    let note = match needing.is_empty() {
        true => "switched off until you switch it on again".to_owned(),
        false => format!("and without what needs it: {}", needing.join(", ")),
    };
    Choice { note, ..choice(&format!("{OFF}{off}"), &format!("Play without {}", name(off))) }
}

/// Whether a mod needs another, by whatever way.
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
