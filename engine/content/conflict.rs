//! Conflicts: changes of one field by mods that are not ordered by their manifests, where the
//! alphabetical order of mods would decide the result.

use std::collections::BTreeSet;

use super::content_builder::DependencyMap;
use super::registry::{ChangeAction, Definition, ProvenanceRecord, is_path_within, paths_overlap};
use base::{Code, Problem};

/// Finds the conflicts among the changes of a definition. Two plain sets of one field conflict; a
/// replace, a retire or a drop conflicts with any other change of the same field. There is no
/// conflict if one of the mods needs or comes after the other, or if a mod that comes after both
/// settles it. A set or a settlement that overwrites what another mod added or wrapped is a
/// warning; so is a settlement without a conflict.
pub(super) fn find_conflicts(
    definition: &Definition,
    dependencies: &DependencyMap,
    problems: &mut Vec<Problem>,
) {
    let mut reported: BTreeSet<(&str, &str, &str)> = BTreeSet::new();
    let mut unneeded_settlements: BTreeSet<usize> = (0..definition.changes.len())
        .filter(|at| definition.changes[*at].action == ChangeAction::SettledConflict)
        .collect();
    for (index, later) in definition.changes.iter().enumerate() {
        for earlier in &definition.changes[..index] {
            if has_dependency_between(&earlier.owner, &later.owner, dependencies)
                || !paths_overlap(&earlier.path, &later.path)
            {
                continue;
            }
            let is_conflict = is_set_action(earlier.action) && is_set_action(later.action)
                || conflicts_with_any_change(earlier.action)
                || conflicts_with_any_change(later.action);
            if is_conflict
                && let Some(settlement_index) =
                    find_conflict_settlement(definition, (earlier, later), index, dependencies)
            {
                unneeded_settlements.remove(&settlement_index);
                continue;
            }
            if is_conflict
                && let Some((settlement, unordered)) =
                    incomplete_settlement(definition, (earlier, later), dependencies)
            {
                unneeded_settlements.retain(|at| definition.changes[*at] != *settlement);
                if reported.insert((&settlement.owner, &unordered.owner, &settlement.path)) {
                    problems.push(incomplete_settlement_problem(definition, settlement, unordered));
                }
                continue;
            }
            let problem = match (earlier.action, later.action) {
                (one, other) if is_set_action(one) && is_set_action(other) => {
                    conflict_problem(definition, earlier, later)
                }
                (one, other)
                    if conflicts_with_any_change(one) || conflicts_with_any_change(other) =>
                {
                    conflict_problem(definition, earlier, later)
                }
                (_, set) if is_set_action(set) => {
                    overwritten_change_problem(definition, earlier, later)
                }
                _ => continue,
            };
            if reported.insert((&earlier.owner, &later.owner, &later.path)) {
                problems.push(problem);
            }
        }
    }
    problems.extend(
        unneeded_settlements
            .into_iter()
            .map(|at| unneeded_settlement_warning(definition, &definition.changes[at])),
    );
}

fn is_set_action(what: ChangeAction) -> bool {
    matches!(what, ChangeAction::Set | ChangeAction::SettledConflict)
}

/// The index of the change that settles a conflict: a `settle_conflict` of the field, or a
/// replacement of the whole definition, by a mod that comes after both.
fn find_conflict_settlement(
    definition: &Definition,
    (earlier, later): (&ProvenanceRecord, &ProvenanceRecord),
    index: usize,
    dependencies: &DependencyMap,
) -> Option<usize> {
    let path = longer_path(earlier, later);
    let comes_after_both = |by: &ProvenanceRecord| {
        let after =
            |other: &str| dependencies.get(&by.owner).is_some_and(|all| all.contains(other));
        after(&earlier.owner) && after(&later.owner)
    };
    let mut after = definition.changes.iter().enumerate().skip(index + 1);
    let found = after.find(|(_, by)| {
        let covers_conflict = match by.action {
            ChangeAction::SettledConflict => is_path_within(path, &by.path),
            ChangeAction::Replaced | ChangeAction::Retired => true,
            _ => false,
        };
        covers_conflict && comes_after_both(by)
    });
    found.map(|(at, _)| at)
}

/// A settlement that a further mod escapes: its owner comes after one of two conflicting mods, or is
/// one of them, and not after the other one.
fn incomplete_settlement<'d>(
    definition: &'d Definition,
    (earlier, later): (&'d ProvenanceRecord, &'d ProvenanceRecord),
    dependencies: &DependencyMap,
) -> Option<(&'d ProvenanceRecord, &'d ProvenanceRecord)> {
    let path = longer_path(earlier, later);
    let mut settlements = definition.changes.iter().filter(|change| {
        change.action == ChangeAction::SettledConflict && is_path_within(path, &change.path)
    });
    settlements.find_map(|settlement| {
        let comes_after = |other: &str| {
            dependencies.get(&settlement.owner).is_some_and(|all| all.contains(other))
        };
        let is_settled = |change: &ProvenanceRecord| {
            change.owner == settlement.owner || comes_after(&change.owner)
        };
        let unordered = match (is_settled(earlier), is_settled(later)) {
            (true, false) => later,
            (false, true) => earlier,
            _ => return None,
        };
        let is_after_settlement =
            has_dependency_between(&unordered.owner, &settlement.owner, dependencies);
        (!is_after_settlement).then_some((settlement, unordered))
    })
}

fn incomplete_settlement_problem(
    definition: &Definition,
    settlement: &ProvenanceRecord,
    unordered: &ProvenanceRecord,
) -> Problem {
    let (settling, other) = (&settlement.owner, &unordered.owner);
    let message = format!(
        "{}: {settling} settles a conflict, but {other} changes it too",
        describe_subject(definition, settlement, unordered)
    );
    Problem::error(Code::Conflict, message)
        .at(unordered.place.clone())
        .expected(format!("{settling} comes after {other}, so that it settles this change as well"))
        .hint(format!("list \"{other}\" under `after` in the mod.toml of {settling}"))
        .add_related_location(settlement.place.clone())
}

fn unneeded_settlement_warning(definition: &Definition, origin: &ProvenanceRecord) -> Problem {
    let subject = format!("{} \"{}\", {}", definition.kind, definition.id, origin.path);
    let found = format!("{subject}: {} settles a conflict that does not exist", origin.owner);
    let kind = &definition.kind;
    Problem::warning(Code::NoSuchConflict, found)
        .at(origin.place.clone())
        .expected("two mods that set it differently, both under needs or after in mod.toml")
        .hint(format!("to change it anyway write `patch.{kind}`, else remove this line"))
}

fn conflicts_with_any_change(what: ChangeAction) -> bool {
    matches!(what, ChangeAction::Replaced | ChangeAction::Retired | ChangeAction::Dropped)
}

fn has_dependency_between(one: &str, other: &str, dependencies: &DependencyMap) -> bool {
    let depends_on =
        |one: &str, other: &str| dependencies.get(one).is_some_and(|b| b.contains(other));
    one == other || depends_on(one, other) || depends_on(other, one)
}

fn conflict_problem(
    definition: &Definition,
    earlier: &ProvenanceRecord,
    later: &ProvenanceRecord,
) -> Problem {
    let describe_action = |origin: &ProvenanceRecord| match origin.action {
        ChangeAction::Set | ChangeAction::SettledConflict => format!("{} sets it", origin.owner),
        ChangeAction::Added => format!("{} adds to it", origin.owner),
        ChangeAction::Wrapped => format!("{} wraps it", origin.owner),
        ChangeAction::Dropped => format!("{} drops from it", origin.owner),
        ChangeAction::Replaced => format!("{} replaces the definition", origin.owner),
        ChangeAction::Retired => format!("{} retires the definition", origin.owner),
        ChangeAction::Declared | ChangeAction::Default => format!("{} declares it", origin.owner),
    };
    // A conflict about the whole definition is settled for the whole definition.
    let verb = if longer_path(earlier, later).is_empty() { "replace" } else { "settle_conflict" };
    let message = format!(
        "{}: {}, {}",
        describe_subject(definition, earlier, later),
        describe_action(earlier),
        describe_action(later)
    );
    Problem::error(Code::Conflict, message)
        .at(later.place.clone())
        .expected("one of the two mods needs the other or comes after it")
        .hint(format!(
            "after = [\"{}\"] in the mod.toml of {}; or let a mod that comes after both settle it: \
             `{verb}.{} \"{}\"`",
            earlier.owner, later.owner, definition.kind, definition.id
        ))
        .add_related_location(earlier.place.clone())
}

fn overwritten_change_problem(
    definition: &Definition,
    earlier: &ProvenanceRecord,
    later: &ProvenanceRecord,
) -> Problem {
    let subject = describe_subject(definition, earlier, later);
    let message =
        format!("{subject}: {} sets it, which overwrites what {}", later.owner, earlier.owner);
    let what = if earlier.action == ChangeAction::Added { "added" } else { "wrapped around it" };
    let hint = match later.action {
        // A settlement is a set by design: the other mod can change what was settled.
        ChangeAction::SettledConflict => format!(
            "after = [\"{}\"] in the mod.toml of {} lets it change what was settled",
            later.owner, earlier.owner
        ),
        _ => "add { … } and wrap( … ) keep the changes of other mods".to_owned(),
    };
    Problem::warning(Code::UndoneChange, format!("{message} {what}"))
        .at(later.place.clone())
        .hint(hint)
        .add_related_location(earlier.place.clone())
}

fn longer_path<'o>(earlier: &'o ProvenanceRecord, later: &'o ProvenanceRecord) -> &'o str {
    if later.path.len() > earlier.path.len() { &later.path } else { &earlier.path }
}

/// The path that two changes conflict about: the longer of their paths.
fn describe_subject(
    definition: &Definition,
    earlier: &ProvenanceRecord,
    later: &ProvenanceRecord,
) -> String {
    let path = longer_path(earlier, later);
    let whole = format!("{} \"{}\"", definition.kind, definition.id);
    if path.is_empty() { whole } else { format!("{whole}, {path}") }
}
