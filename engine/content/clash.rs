//! Clashes: changes of one thing by mods that know nothing of each other, where the order of their
//! names would decide who wins.

use std::collections::BTreeSet;

use super::draft::Behind;
use super::registry::{Definition, Origin, What, overlap};
use crate::kit::Problem;

/// The clashes among the changes of a definition. Two plain sets of one field clash; a replace, a
/// retire or a drop clashes with any other change of the same thing; unless one of the mods needs
/// or comes after the other. A set that undoes what another mod added or wrapped is a warning.
pub(super) fn find(definition: &Definition, behind: &Behind, problems: &mut Vec<Problem>) {
    let mut told: BTreeSet<(&str, &str, &str)> = BTreeSet::new();
    for (index, later) in definition.changes.iter().enumerate() {
        for earlier in &definition.changes[..index] {
            if related(&earlier.owner, &later.owner, behind) || !overlap(&earlier.path, &later.path)
            {
                continue;
            }
            let problem = match (earlier.what, later.what) {
                (What::Set, What::Set) => clash(definition, earlier, later),
                (one, other) if is_whole(one) || is_whole(other) => {
                    clash(definition, earlier, later)
                }
                (_, What::Set) => undone(definition, earlier, later),
                _ => continue,
            };
            if told.insert((&earlier.owner, &later.owner, &later.path)) {
                problems.push(problem);
            }
        }
    }
}

fn is_whole(what: What) -> bool {
    matches!(what, What::Replaced | What::Retired | What::Dropped)
}

fn related(one: &str, other: &str, behind: &Behind) -> bool {
    let stands_behind = |one: &str, other: &str| behind.get(one).is_some_and(|b| b.contains(other));
    one == other || stands_behind(one, other) || stands_behind(other, one)
}

fn clash(definition: &Definition, earlier: &Origin, later: &Origin) -> Problem {
    let does = |origin: &Origin| match origin.what {
        What::Set => format!("{} sets it", origin.owner),
        What::Added => format!("{} adds to it", origin.owner),
        What::Wrapped => format!("{} wraps it", origin.owner),
        What::Dropped => format!("{} drops from it", origin.owner),
        What::Replaced => format!("{} replaces the whole", origin.owner),
        What::Retired => format!("{} retires the whole", origin.owner),
        What::Declared | What::Default => format!("{} declares it", origin.owner),
    };
    let message =
        format!("{}: {}, {}", thing(definition, earlier, later), does(earlier), does(later));
    Problem::error("clash", message)
        .at(later.place.clone())
        .expected("that one of the two mods needs the other or comes after it")
        .hint(format!("after = [\"{}\"] in the mod.toml of {}", earlier.owner, later.owner))
        .by_way_of(earlier.place.clone())
}

fn undone(definition: &Definition, earlier: &Origin, later: &Origin) -> Problem {
    let thing = thing(definition, earlier, later);
    let message = format!("{thing}: {} sets it, which undoes what {}", later.owner, earlier.owner);
    let what = if earlier.what == What::Added { "added" } else { "wrapped around it" };
    Problem::warning("undone-change", format!("{message} {what}"))
        .at(later.place.clone())
        .hint("add { … } and wrap( … ) leave room for the changes of others")
        .by_way_of(earlier.place.clone())
}

/// What two changes meet in: the more exact of their paths.
fn thing(definition: &Definition, earlier: &Origin, later: &Origin) -> String {
    let path = if later.path.len() > earlier.path.len() { &later.path } else { &earlier.path };
    let whole = format!("{} \"{}\"", definition.kind, definition.id);
    if path.is_empty() { whole } else { format!("{whole}, {path}") }
}
