//! Which mods `check` looks at, and which others must be there beside them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use crate::kit::{Problem, Severity};
use crate::mods::{ModSource, Places, choose, discover, read_folder};
use crate::workshop::{Bench, Outcome};

/// Mods that are looked at together.
pub(super) struct Group {
    /// Those that were asked for.
    pub(super) ids: BTreeSet<String>,
    /// They, the game, and whatever they need.
    pub(super) mods: Vec<ModSource>,
}

/// What is looked at, and what there is to say of mods that cannot be.
pub(super) struct Which {
    pub(super) groups: Vec<Group>,
    pub(super) problems: Vec<Problem>,
}

/// Which mods are meant by ids and folders.
pub(super) fn which(bench: &Bench, asked: &[String]) -> Result<Which, (Outcome, Vec<Problem>)> {
    let mut places = bench.places.clone();
    let ids = ids(asked, &mut places).map_err(|problems| (Outcome::Problems, problems))?;
    let (found, problems) = discover(&places);
    let game = bench.game.as_deref();
    if ids.is_empty() {
        let groups = found.iter().filter_map(|source| {
            // A mod for another game than the one asked for is none of this game's business.
            let group = group(&found, game, &[source.id().to_owned()]).ok()?;
            group.mods.iter().any(|one| one.id() == source.id()).then_some(group)
        });
        let groups: Vec<Group> = groups.collect();
        return match groups.is_empty() && problems.is_empty() {
            false => Ok(Which { groups, problems }),
            true => {
                let none = Problem::error("no-mods", "there are no mods to check")
                    .hint("name one, or a folder of mods with --mods");
                Err((Outcome::Usage, vec![none]))
            }
        };
    }
    for id in &ids {
        if found.iter().any(|source| source.id() == id) {
            continue;
        }
        let about = problems.iter().filter(|problem| concerns(problem, id)).cloned();
        let about: Vec<Problem> = about.collect();
        if !about.is_empty() {
            return Err((Outcome::Problems, about));
        }
        let (_, told) = choose(found, game, &ids);
        return Err((Outcome::Usage, told));
    }
    let group = group(&found, game, &ids).map_err(|problems| (Outcome::Usage, problems))?;
    let concerned =
        problems.into_iter().filter(|problem| ids.iter().any(|id| concerns(problem, id)));
    Ok(Which { groups: vec![group], problems: concerned.collect() })
}

/// Turns folders into the ids of the mods in them, and looks there first.
fn ids(asked: &[String], places: &mut Places) -> Result<Vec<String>, Vec<Problem>> {
    let mut ids = Vec::new();
    let mut folders = Vec::new();
    for one in asked {
        let folder = PathBuf::from(one);
        if !one.contains(['/', '\\', '.']) {
            ids.push(one.clone());
            continue;
        }
        ids.push(read_folder(&folder)?.id().to_owned());
        folders.push(folder);
    }
    places.extra.splice(0..0, folders);
    Ok(ids)
}

/// Whether a Problem of discovery is about the mod of that id.
fn concerns(problem: &Problem, id: &str) -> bool {
    let owner = problem.place.as_ref().map_or("", |place| place.owner.as_str());
    owner == id || (owner.is_empty() && problem.message.contains(&format!("\"{id}\"")))
}

/// Mods with all that they need, and the game.
fn group(found: &[ModSource], game: Option<&str>, ids: &[String]) -> Result<Group, Vec<Problem>> {
    let by_id: BTreeMap<&str, &ModSource> = found.iter().map(|one| (one.id(), one)).collect();
    let mut needed = BTreeSet::new();
    let mut to_look: Vec<&str> = ids.iter().map(String::as_str).collect();
    while let Some(id) = to_look.pop() {
        if let Some(source) = by_id.get(id)
            && needed.insert(id)
        {
            to_look.extend(source.manifest.needs.keys().map(String::as_str));
        }
    }
    let own = needed.iter().find(|id| by_id[*id].manifest.game).copied();
    let on: Vec<String> = needed.iter().map(|id| (*id).to_owned()).collect();
    let (mods, problems) = choose(found.to_vec(), game.or(own), &on);
    // That a mod is made for another game than it is checked with is an answer too.
    if mods.is_empty() || problems.iter().any(|problem| problem.severity == Severity::Error) {
        return Err(problems);
    }
    Ok(Group { ids: ids.iter().cloned().collect(), mods })
}
