//! Migrates a world to other content. Removed definitions are remembered by name and restored ones
//! are active again. Removed scenes are closed, and mods with a higher version migrate the state.
//! All of it is one transaction, and gives the same result at each replay.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use semver::Version;

use super::content_diff::{DiffSide, limit_names};
use base::text::escape_markup;
use base::{Code, Problem, Value};
use content::{Datum, Definition};
use mods::ModSet;
use protocol::{StoryEvent, WorldState, removed_content::collect_value_texts};
use script::{VersionBump, Vm};

/// The maximum number of names in a note about removed or restored definitions.
const MAX_NAMES_IN_NOTE: usize = 6;

/// Migrates a world. The caller undoes it if this fails.
pub(super) fn migrate_world(
    before: DiffSide<'_>,
    vm: &Vm,
    mods: &ModSet,
    world: &mut WorldState,
    profile: &Value,
) -> Result<(), Problem> {
    if world.open_scenes().is_empty() || world.run_outcome().is_some() {
        // The run has not begun, or is over.
        return Ok(());
    }
    let migration_problem = |why: String| {
        Problem::error(
            Code::TooLarge,
            format!("the run cannot be migrated to the new content: {why}"),
        )
    };
    update_removed_definitions(before, vm, world, profile).map_err(migration_problem)?;
    close_removed_and_reopen_restored_scenes(vm, world).map_err(migration_problem)?;
    let version_bumps = find_version_bumps(before.mods, mods, world).map_err(migration_problem)?;
    vm.migrate_state(world, profile, &version_bumps)
}

/// Remembers removed definitions that the run refers to, and forgets those that exist again.
fn update_removed_definitions(
    before: DiffSide<'_>,
    vm: &Vm,
    world: &mut WorldState,
    profile: &Value,
) -> Result<(), String> {
    let exists = |kind: &str, id: &str| vm.registry().get(kind, id).is_some();
    let old = before.registry;
    let missing_definitions: Vec<&Definition> = old
        .kinds()
        .flat_map(|kind| old.all_definitions(&kind.name))
        .filter(|definition| !exists(&definition.kind, definition.id.as_str()))
        .collect();
    let remembered = world.removed_definitions();
    if missing_definitions.is_empty() && remembered.is_empty() {
        return Ok(());
    }
    let (restored, mut still_removed): (Vec<_>, Vec<_>) =
        remembered.into_iter().partition(|(kind, id, _)| exists(kind, id));
    let mut mentioned_texts = world.state_texts();
    collect_value_texts(profile, &mut mentioned_texts);
    let newly_removed: Vec<_> = missing_definitions
        .into_iter()
        .filter(|definition| mentioned_texts.contains(definition.id.as_str()))
        .map(|definition| {
            (definition.kind.to_string(), definition.id.to_string(), definition_name(definition))
        })
        .collect();
    emit_names_note(world, "Removed, but remembered by name", &newly_removed)?;
    emit_names_note(world, "Restored", &restored)?;
    still_removed.extend(newly_removed);
    world.set_removed_definitions(&still_removed)
}

fn definition_name(definition: &Definition) -> String {
    let own = definition.get("name").and_then(Datum::as_text).filter(|name| !name.is_empty());
    own.map_or_else(|| definition.id.name().replace('_', " "), str::to_owned)
}

fn emit_names_note(
    world: &mut WorldState,
    what: &str,
    definitions: &[(String, String, String)],
) -> Result<(), String> {
    if definitions.is_empty() {
        return Ok(());
    }
    let names: Vec<String> = definitions.iter().map(|(_, _, name)| name.clone()).collect();
    let text = escape_markup(&format!("{what}: {}.", limit_names(&names, MAX_NAMES_IN_NOTE)));
    world.emit_story_event(StoryEvent::Note { text })
}

/// Closes removed scenes, as long as one scene remains, and returns to restored ones if the run has
/// not moved on since.
fn close_removed_and_reopen_restored_scenes(vm: &Vm, world: &mut WorldState) -> Result<(), String> {
    let now = world.open_scenes();
    let mut scenes_before = now.clone();
    if let Some((was, left)) = world.scenes_before_and_after_closing()
        && left == now
    {
        scenes_before = was;
    }
    let exists = |scene: &&String| vm.registry().get("scene", scene).is_some();
    let there: Vec<String> = scenes_before.iter().filter(exists).cloned().collect();
    if there.is_empty() {
        return Ok(());
    }
    world.set_scenes_before_and_after_closing(
        (there != scenes_before).then_some((&scenes_before, &there)),
    )?;
    if there == now { Ok(()) } else { world.set_open_scenes(there) }
}

/// The version bumps: mods whose version is above the highest that this run had of them, in load
/// order. The highest version of missing and older mods is remembered, so that nothing is migrated
/// twice.
fn find_version_bumps(
    before: &ModSet,
    now: &ModSet,
    world: &mut WorldState,
) -> Result<Vec<VersionBump>, String> {
    let remembered = world.removed_or_downgraded_mods().into_iter();
    let parsed = remembered.filter_map(|(id, version)| Some((id, Version::parse(&version).ok()?)));
    let mut highest_versions: BTreeMap<String, Version> = parsed.collect();
    for source in &before.mods {
        let version = &source.manifest.version;
        let known =
            highest_versions.entry(source.id().to_owned()).or_insert_with(|| version.clone());
        if *version > *known {
            *known = version.clone();
        }
    }
    let mut version_bumps = Vec::new();
    for source in &now.mods {
        let (id, to) = (source.id(), &source.manifest.version);
        let Some(from) = highest_versions.get(id).cloned() else { continue };
        if from <= *to {
            highest_versions.remove(id);
        }
        let earlier = before.get(id).map(|source| &source.manifest.version);
        match from.cmp(to) {
            Ordering::Less => {
                version_bumps.push(VersionBump { mod_id: id.to_owned(), from, to: to.clone() })
            }
            Ordering::Greater if earlier != Some(to) => {
                let text = format!(
                    "{id} was {from} and is now {to}. The changes of {from} to this run stay."
                );
                world.emit_story_event(StoryEvent::Note { text: escape_markup(&text) })?;
            }
            _ => {}
        }
    }
    let left: Vec<(String, String)> =
        highest_versions.into_iter().map(|(id, version)| (id, version.to_string())).collect();
    world.set_removed_or_downgraded_mods(&left)?;
    Ok(version_bumps)
}
