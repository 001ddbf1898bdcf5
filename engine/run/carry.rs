//! Carrying a run over to other content: what vanished is remembered by name, what came back is
//! alive again, scenes that are gone are left, and mods whose version rose migrate the state. All
//! of it lies inside one transaction, and is the same whenever a journal is walked again.

use std::collections::BTreeSet;

use semver::Version;

use super::changes::{Side, few};
use crate::content::{Datum, Definition};
use crate::kit::text::escape;
use crate::kit::{Problem, Value};
use crate::mods::ModSet;
use crate::play::{Event, World, gone::gather};
use crate::script::{Risen, Vm};

/// Most things that are named when they go or come back.
const NAMED: usize = 6;

/// Carries a world over. The caller takes it back if this fails.
pub(super) fn carry_over(
    before: Side<'_>,
    vm: &Vm,
    mods: &ModSet,
    world: &mut World,
    profile: &Value,
) -> Result<(), Problem> {
    if world.scenes().is_empty() || world.finished().is_some() {
        // Nothing has begun yet, or nothing comes after.
        return Ok(());
    }
    let full =
        |why: String| Problem::error("too-large", format!("the run cannot be carried over: {why}"));
    tombstones(before, vm, world, profile).map_err(full)?;
    leave_scenes(vm, world).map_err(full)?;
    let risen = risen(before.mods, mods, world).map_err(full)?;
    vm.migrate(world, profile, &risen)
}

/// Remembers what vanished while the run speaks of it, and forgets what is there again.
fn tombstones(before: Side<'_>, vm: &Vm, world: &mut World, profile: &Value) -> Result<(), String> {
    let is_there = |kind: &str, id: &str| vm.registry().get(kind, id).is_some();
    let old = before.registry;
    let vanished: Vec<&Definition> = old
        .kinds()
        .flat_map(|kind| old.every(&kind.name))
        .filter(|definition| !is_there(&definition.kind, definition.id.as_str()))
        .collect();
    let remembered = world.gone();
    if vanished.is_empty() && remembered.is_empty() {
        return Ok(());
    }
    let (back, mut gone): (Vec<_>, Vec<_>) =
        remembered.into_iter().partition(|(kind, id, _)| is_there(kind, id));
    let mut spoken_of = world.texts();
    gather(profile, &mut spoken_of);
    let lost: Vec<_> = vanished
        .into_iter()
        .filter(|definition| spoken_of.contains(definition.id.as_str()))
        .map(|definition| {
            (definition.kind.to_string(), definition.id.to_string(), name(definition))
        })
        .collect();
    tell(world, "Gone, and kept by name", &lost)?;
    tell(world, "There again", &back)?;
    gone.extend(lost);
    world.remember_gone(&gone)
}

fn name(definition: &Definition) -> String {
    let own = definition.get("name").and_then(Datum::as_text).filter(|name| !name.is_empty());
    own.map_or_else(|| definition.id.name().replace('_', " "), str::to_owned)
}

fn tell(world: &mut World, what: &str, named: &[(String, String, String)]) -> Result<(), String> {
    if named.is_empty() {
        return Ok(());
    }
    let names: Vec<String> = named.iter().map(|(_, _, name)| name.clone()).collect();
    let text = escape(&format!("{what}: {}.", few(&names, NAMED)));
    world.tell(Event::Note { text })
}

/// Leaves scenes that are gone, as long as one is left to be asked.
fn leave_scenes(vm: &Vm, world: &mut World) -> Result<(), String> {
    let scenes = world.scenes();
    let left: Vec<String> = scenes
        .iter()
        .filter(|scene| vm.registry().get("scene", scene).is_some())
        .cloned()
        .collect();
    if left.is_empty() || left.len() == scenes.len() {
        return Ok(());
    }
    world.set_scenes(left)
}

/// The mods whose version rose since the run last had them, in load order. Mods that leave are
/// remembered with their version until they come back.
fn risen(before: &ModSet, now: &ModSet, world: &mut World) -> Result<Vec<Risen>, String> {
    let there: BTreeSet<String> = now.ids().into_iter().collect();
    let (back, mut left): (Vec<_>, Vec<_>) =
        world.left().into_iter().partition(|(id, _)| there.contains(id));
    let mut risen = Vec::new();
    for source in &now.mods {
        let to = source.manifest.version.clone();
        let earlier = before.get(source.id()).map(|source| source.manifest.version.clone());
        let left_with = || back.iter().find(|(id, _)| id == source.id());
        let from = earlier.or_else(|| Version::parse(&left_with()?.1).ok());
        if let Some(from) = from.filter(|from| *from < to) {
            risen.push(Risen { id: source.id().to_owned(), from, to });
        }
    }
    let leaving = before.mods.iter().filter(|source| !there.contains(source.id()));
    left.extend(
        leaving.map(|source| (source.id().to_owned(), source.manifest.version.to_string())),
    );
    world.remember_left(&left)?;
    Ok(risen)
}
