//! Checks names in functions: whether each exists for the file that uses it. Reports what would
//! fail at run time.

use std::sync::Arc;

use crate::kit::Problem;
use crate::kit::meter::{self, PARTS};
use crate::kit::problem::nearest;
use crate::mods::ModSet;
use crate::script::{Named, Vm};
use crate::workshop::lua::Facts;

/// Host functions whose argument is an id, with its kind.
const GIVEN: [(&str, &str); 4] =
    [("go", "scene"), ("push", "scene"), ("ask", "scene"), ("queue_stage", "stage")];

/// The budget of one check for finding suggestions, in units of `kit::meter`: some seconds.
const PARTS_PER_CHECK: i64 = 60_000_000 * PARTS;

/// Checks the names in all files.
pub(super) fn look(vm: &Vm, mods: &ModSet, facts: &[Arc<Facts>]) -> Vec<Problem> {
    meter::set_left(PARTS_PER_CHECK);
    let each = facts.iter().flat_map(|facts| {
        let names = names(vm, facts).chain(fields(vm, facts)).chain(settings(mods, facts));
        names.collect::<Vec<_>>().into_iter().chain(passed_over(facts))
    });
    each.collect()
}

/// A warning that the budget ran out before all names of a file were checked.
fn passed_over(facts: &Facts) -> Option<Problem> {
    let first = facts.uses.globals.values().map(|global| global.line).min().unwrap_or(1);
    meter::is_spent().then(|| {
        let found = "this file has so many unknown names that the rest was not checked";
        Problem::warning("names-not-checked", found)
            .at(facts.place(first))
            .hint("fix the reported ones first, then check again")
    })
}

fn names<'t>(vm: &'t Vm, facts: &'t Facts) -> impl Iterator<Item = Problem> + 't {
    let globals = facts.uses.globals.values().filter_map(move |global| {
        if meter::is_spent() {
            return None;
        }
        let named = match &global.field {
            _ if global.assigned => Named::Assigned(&global.name),
            Some(field) => Named::Within(&global.name, field),
            None => Named::Global(&global.name),
        };
        let place = facts.place(global.line);
        vm.missing(&place, named)
    });
    let given = facts.words.iter().filter(|_| !meter::is_spent()).filter_map(move |word| {
        let (verb, kind) = GIVEN.iter().find(|(verb, _)| *verb == word.callee)?;
        vm.missing(&facts.place(word.line), Named::Called(kind, verb, &word.text))
    });
    globals.chain(given)
}

/// Fields that a kind does not have, read from a named definition: `boat.low.nmae`.
fn fields<'t>(vm: &'t Vm, facts: &'t Facts) -> impl Iterator<Item = Problem> + 't {
    facts.uses.globals.values().filter_map(move |global| {
        let (Some(_), Some(field)) = (&global.field, &global.further) else { return None };
        let kind = vm.registry().kind(&global.name)?;
        let names = || kind.fields.iter().map(|field| &*field.name).chain(["id"]);
        if names().any(|name| name == field) || !vm.sees(&facts.owner, &kind.place.owner) {
            return None;
        }
        let problem =
            Problem::error("unknown-field", format!("a {} has no field `{field}`", kind.name))
                .at(facts.place(global.line))
                .one_of_names(field, names())
                .by_way_of(kind.place.clone());
        Some(problem)
    })
}

/// Settings that the mod's manifest does not declare.
fn settings<'t>(mods: &'t ModSet, facts: &'t Facts) -> impl Iterator<Item = Problem> + 't {
    let manifest = mods.get(&facts.owner).map(|source| &source.manifest);
    facts.uses.globals.values().filter_map(move |global| {
        let declared = &manifest?.settings;
        let name = global.field.as_ref().filter(|_| global.name == "settings")?;
        if declared.contains_key(name) {
            return None;
        }
        let problem = Problem::error("unknown-setting", format!("there is no `settings.{name}`"))
            .at(facts.place(global.line))
            .expected(format!("a setting declared in mod.toml: `[settings.{name}]`"));
        let near = nearest(name, declared.keys().map(String::as_str));
        Some(problem.maybe_hint(near.map(|near| format!("did you mean `settings.{near}`?"))))
    })
}
