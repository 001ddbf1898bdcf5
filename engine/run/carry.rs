//! Carrying a run over to other content: what vanished is remembered by name, what came back is
//! alive again, scenes that are gone are left, and mods whose version rose migrate the state. All
//! of it lies inside one transaction, and is the same whenever a journal is walked again.

use std::cmp::Ordering;
use std::collections::BTreeMap;

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
    let risen = risen(before.mods, mods, vm, world).map_err(full)?;
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

/// Leaves scenes that are gone, as long as one is left to be asked, and returns to those that are there
/// again, as long as the run stands where it was left.
fn leave_scenes(vm: &Vm, world: &mut World) -> Result<(), String> {
    let now = world.scenes();
    let mut whole = now.clone();
    let remembers = vm.edition().remembers_changes();
    if let Some((was, left)) = world.left_scenes().filter(|_| remembers)
        && left == now
    {
        whole = was;
    }
    let is_there = |scene: &&String| vm.registry().get("scene", scene).is_some();
    let there: Vec<String> = whole.iter().filter(is_there).cloned().collect();
    if there.is_empty() {
        return Ok(());
    }
    if remembers {
        world.remember_left_scenes((there != whole).then_some((&whole, &there)))?;
    }
    if there == now { Ok(()) } else { world.set_scenes(there) }
}

/// The mods whose version rose above the highest that the run ever had of them, in load order. That
/// version is remembered of those that are not there, or are older now: what was migrated once is not
/// migrated again.
fn risen(before: &ModSet, now: &ModSet, vm: &Vm, world: &mut World) -> Result<Vec<Risen>, String> {
    let remembered = world.left().into_iter();
    let parsed = remembered.filter_map(|(id, version)| Some((id, Version::parse(&version).ok()?)));
    let mut highest: BTreeMap<String, Version> = parsed.collect();
    for source in &before.mods {
        let version = &source.manifest.version;
        let known = highest.entry(source.id().to_owned()).or_insert_with(|| version.clone());
        if *version > *known {
            *known = version.clone();
        }
    }
    let mut risen = Vec::new();
    for source in &now.mods {
        let (id, to) = (source.id(), &source.manifest.version);
        let Some(from) = highest.get(id).cloned() else { continue };
        if from <= *to || !vm.edition().remembers_changes() {
            highest.remove(id);
        }
        let earlier = before.get(id).map(|source| &source.manifest.version);
        match from.cmp(to) {
            Ordering::Less => risen.push(Risen { id: id.to_owned(), from, to: to.clone() }),
            Ordering::Greater if earlier != Some(to) => {
                let text = format!(
                    "{id} is {to} now, and was {from}. What {from} changed in this run stays."
                );
                world.tell(Event::Note { text: escape(&text) })?;
            }
            _ => {}
        }
    }
    let left: Vec<(String, String)> =
        highest.into_iter().map(|(id, version)| (id, version.to_string())).collect();
    world.remember_left(&left)?;
    Ok(risen)
}
