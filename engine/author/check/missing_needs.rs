//! Checks what a mod uses of another mod that it does not need: definitions that it changes, and
//! kinds that it lists. With the game that is loaded they are there; without it the mod fails.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::analysis::{FileSummary, Literal};
use base::{Code, Problem};
use content::{Definition, EXPORT_KIND};
use script::{Vm, hint_need_mod, reverse_dependency_hint};

/// Checks the changes of some mods, and their calls of `all`.
pub(super) fn check_missing_needs(
    vm: &Vm,
    summaries: &[Arc<FileSummary>],
    ids: &BTreeSet<String>,
) -> Vec<Problem> {
    let registry = vm.registry();
    let kinds = registry.kinds().map(|kind| &*kind.name).chain([EXPORT_KIND]);
    let definitions = kinds.flat_map(|kind| registry.all_definitions(kind));
    let mut problems: Vec<Problem> =
        definitions.flat_map(|one| change_problems(vm, one, ids)).collect();
    for summary in summaries.iter().filter(|summary| ids.contains(&summary.owner)) {
        for call in summary.uses.calls.iter().filter(|call| call.name == "all") {
            let Some(Literal::Text(Some(name))) = call.argument_literals.first() else { continue };
            let Some(kind) = registry.kind(name).filter(|kind| !kind.is_builtin) else { continue };
            let owner = &kind.place.owner;
            if !vm.can_see(&summary.owner, owner) {
                let found = format!("the kind {name:?} belongs to `{owner}`, which may be missing");
                let problem = Problem::error(Code::UnknownKind, found);
                let problem = problem.at(summary.place(call.line));
                problems.push(
                    problem
                        .hint(need_hint(vm, &summary.owner, owner))
                        .add_related_location(kind.place.clone()),
                );
            }
        }
    }
    problems
}

/// A Problem for each mod that changes a definition of a mod that it does not see.
fn change_problems(vm: &Vm, definition: &Definition, ids: &BTreeSet<String>) -> Vec<Problem> {
    let owner = definition.id.mod_id();
    let changes = definition.changes.iter().filter(|change| {
        !change.is_optional && ids.contains(&change.owner) && !vm.can_see(&change.owner, owner)
    });
    let mut changing_mods = BTreeSet::new();
    let first_changes = changes.filter(|change| changing_mods.insert(&change.owner));
    let problems = first_changes.map(|change| {
        let (kind, id) = (&definition.kind, &definition.id);
        let found = format!(
            "the {kind} \"{id}\" is changed, but belongs to `{owner}`, which may be missing"
        );
        Problem::error(Code::AbsentTarget, found)
            .at(change.place.clone())
            .hint(need_hint(vm, &change.owner, owner))
            .add_related_location(definition.place.clone())
    });
    problems.collect()
}

/// What a mod does about a missing mod.
fn need_hint(vm: &Vm, user: &str, owner: &str) -> String {
    match vm.can_see(owner, user) {
        true => reverse_dependency_hint(owner, "it", user),
        false => hint_need_mod(owner, "it"),
    }
}
