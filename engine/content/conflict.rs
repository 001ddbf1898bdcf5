//! Conflicts: changes of one field by mods that are not ordered by their manifests, where the
//! alphabetical order of mods would decide the result.

use std::collections::BTreeSet;

use super::content_builder::DependencyMap;
use super::registry::{ChangeAction, ChangeOrigin, Definition, is_within, paths_overlap};
use crate::base::{Code, Problem};

/// Finds the conflicts among the changes of a definition. Two plain sets of one field conflict; a
/// replace, a retire or a drop conflicts with any other change of the same field. There is no
/// conflict if one of the mods needs or comes after the other, or if a mod that comes after both
/// settles it. A set that overwrites what another mod added or wrapped is a warning; so is a
/// settlement without a conflict.
pub(super) fn find_conflicts(
    definition: &Definition,
    dependencies: &DependencyMap,
    problems: &mut Vec<Problem>,
) {
    let mut reported: BTreeSet<(&str, &str, &str)> = BTreeSet::new();
    let mut idle: BTreeSet<usize> = (0..definition.changes.len())
        .filter(|at| definition.changes[*at].what == ChangeAction::Resolved)
        .collect();
    for (index, later) in definition.changes.iter().enumerate() {
        for earlier in &definition.changes[..index] {
            if has_dependency_between(&earlier.owner, &later.owner, dependencies)
                || !paths_overlap(&earlier.path, &later.path)
            {
                continue;
            }
            let clashes = is_set_action(earlier.what) && is_set_action(later.what)
                || conflicts_with_any_change(earlier.what)
                || conflicts_with_any_change(later.what);
            if clashes
                && let Some(by) = find_settlement(definition, (earlier, later), index, dependencies)
            {
                idle.remove(&by);
                continue;
            }
            let problem = match (earlier.what, later.what) {
                (one, other) if is_set_action(one) && is_set_action(other) => {
                    conflict_problem(definition, earlier, later)
                }
                (one, other)
                    if conflicts_with_any_change(one) || conflicts_with_any_change(other) =>
                {
                    conflict_problem(definition, earlier, later)
                }
                (_, ChangeAction::Set) => overwritten_problem(definition, earlier, later),
                _ => continue,
            };
            if reported.insert((&earlier.owner, &later.owner, &later.path)) {
                problems.push(problem);
            }
        }
    }
    problems.extend(
        idle.into_iter().map(|at| unneeded_settlement_warning(definition, &definition.changes[at])),
    );
}

fn is_set_action(what: ChangeAction) -> bool {
    matches!(what, ChangeAction::Set | ChangeAction::Resolved)
}

/// The index of the change that settles a conflict: a `settle_conflict` of the field, or a replacement of
/// the whole definition, by a mod that comes after both.
fn find_settlement(
    definition: &Definition,
    (earlier, later): (&ChangeOrigin, &ChangeOrigin),
    index: usize,
    dependencies: &DependencyMap,
) -> Option<usize> {
    let path = deeper_path(earlier, later);
    let knows = |by: &ChangeOrigin| {
        let after =
            |other: &str| dependencies.get(&by.owner).is_some_and(|all| all.contains(other));
        after(&earlier.owner) && after(&later.owner)
    };
    let mut after = definition.changes.iter().enumerate().skip(index + 1);
    let found = after.find(|(_, by)| {
        let says = match by.what {
            ChangeAction::Resolved => is_within(path, &by.path),
            ChangeAction::Replaced | ChangeAction::Retired => true,
            _ => false,
        };
        says && knows(by)
    });
    found.map(|(at, _)| at)
}

fn unneeded_settlement_warning(definition: &Definition, origin: &ChangeOrigin) -> Problem {
    let thing = format!("{} \"{}\", {}", definition.kind, definition.id, origin.path);
    let found = format!("{thing}: {} comes after no two mods that conflict here", origin.owner);
    let kind = &definition.kind;
    Problem::warning(Code::NoSuchConflict, found)
        .at(origin.place.clone())
        .expected("two mods that set it, both under needs or after in mod.toml")
        .hint(format!("write `patch.{kind}` to change it in any case, or remove this line"))
}

fn conflicts_with_any_change(what: ChangeAction) -> bool {
    matches!(what, ChangeAction::Replaced | ChangeAction::Retired | ChangeAction::Dropped)
}

fn has_dependency_between(one: &str, other: &str, dependencies: &DependencyMap) -> bool {
    let stands_behind =
        |one: &str, other: &str| dependencies.get(one).is_some_and(|b| b.contains(other));
    one == other || stands_behind(one, other) || stands_behind(other, one)
}

fn conflict_problem(
    definition: &Definition,
    earlier: &ChangeOrigin,
    later: &ChangeOrigin,
) -> Problem {
    let does = |origin: &ChangeOrigin| match origin.what {
        ChangeAction::Set | ChangeAction::Resolved => format!("{} sets it", origin.owner),
        ChangeAction::Added => format!("{} adds to it", origin.owner),
        ChangeAction::Wrapped => format!("{} wraps it", origin.owner),
        ChangeAction::Dropped => format!("{} drops from it", origin.owner),
        ChangeAction::Replaced => format!("{} replaces the definition", origin.owner),
        ChangeAction::Retired => format!("{} retires the definition", origin.owner),
        ChangeAction::Declared | ChangeAction::Default => format!("{} declares it", origin.owner),
    };
    // A conflict about the whole definition is settled for the whole definition.
    let verb = if deeper_path(earlier, later).is_empty() { "replace" } else { "settle_conflict" };
    let message = format!(
        "{}: {}, {}",
        describe_subject(definition, earlier, later),
        does(earlier),
        does(later)
    );
    Problem::error(Code::Conflict, message)
        .at(later.place.clone())
        .expected("one of the two mods needs the other or comes after it")
        .hint(format!(
            "after = [\"{}\"] in the mod.toml of {}; or let a mod that comes after both settle it: \
             `{verb}.{} \"{}\"`",
            earlier.owner, later.owner, definition.kind, definition.id
        ))
        .called_from(earlier.place.clone())
}

fn overwritten_problem(
    definition: &Definition,
    earlier: &ChangeOrigin,
    later: &ChangeOrigin,
) -> Problem {
    let thing = describe_subject(definition, earlier, later);
    let message =
        format!("{thing}: {} sets it, which overwrites what {}", later.owner, earlier.owner);
    let what = if earlier.what == ChangeAction::Added { "added" } else { "wrapped around it" };
    Problem::warning(Code::UndoneChange, format!("{message} {what}"))
        .at(later.place.clone())
        .hint("add { … } and wrap( … ) keep the changes of other mods")
        .called_from(earlier.place.clone())
}

fn deeper_path<'o>(earlier: &'o ChangeOrigin, later: &'o ChangeOrigin) -> &'o str {
    if later.path.len() > earlier.path.len() { &later.path } else { &earlier.path }
}

/// What two changes conflict about: the longer of their paths.
fn describe_subject(
    definition: &Definition,
    earlier: &ChangeOrigin,
    later: &ChangeOrigin,
) -> String {
    let path = deeper_path(earlier, later);
    let whole = format!("{} \"{}\"", definition.kind, definition.id);
    if path.is_empty() { whole } else { format!("{whole}, {path}") }
}
