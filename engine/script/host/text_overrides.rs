//! `override_text("text as written", "text to show")`: which override of a text wins.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::host::Host;
use base::{Code, Problem, TextOverride, TextOverrides};
use content::DependencyMap;

impl Host {
    /// The text to show.
    pub(crate) fn apply_text_override<'t>(&'t self, text: &'t str) -> &'t str {
        self.active_text_overrides().map_or(text, |overrides| overrides.apply_text_override(text))
    }

    /// All declared overrides, in mod order.
    pub(crate) fn declared_text_overrides(&self) -> Vec<Arc<TextOverride>> {
        self.load_state.all_declarations.borrow().text_overrides.clone()
    }

    /// The text overrides, if there are any: in the language of the player where something is
    /// computed to be shown. Functions that change a run see no translation.
    pub(crate) fn active_text_overrides(&self) -> Option<&TextOverrides> {
        let registry = self.registry.get()?;
        let overrides = match self.is_displaying.get() {
            true => registry.displayed_texts(),
            false => registry.text_overrides(),
        };
        Some(&**overrides).filter(|all| !all.is_empty())
    }
}

/// Resolves the overrides of all mods: of several for one text the last wins, if its mod knows the
/// others.
pub(crate) fn resolve_overrides(
    overrides: &[Arc<TextOverride>],
    dependencies: &DependencyMap,
    problems: &mut Vec<Problem>,
) -> BTreeMap<Arc<str>, Arc<TextOverride>> {
    let mut by_text: BTreeMap<Arc<str>, Vec<&Arc<TextOverride>>> = BTreeMap::new();
    for text_override in overrides {
        by_text.entry(text_override.from.clone()).or_default().push(text_override);
    }
    let winning_overrides = by_text.into_iter().filter_map(|(text, candidates)| {
        let (last_override, earlier_overrides) = candidates.split_last()?;
        let owner = &last_override.place.owner;
        let depends_on = |other_owner: &str| {
            dependencies
                .get(owner)
                .is_some_and(|dependency_ids| dependency_ids.contains(other_owner))
        };
        let conflicting_override = earlier_overrides.iter().find(|candidate| {
            candidate.to != last_override.to && !depends_on(&candidate.place.owner)
        });
        problems
            .extend(conflicting_override.map(|earlier_override| {
                override_conflict_problem(earlier_override, last_override)
            }));
        Some((text, Arc::clone(last_override)))
    });
    winning_overrides.collect()
}

fn override_conflict_problem(
    earlier_override: &TextOverride,
    later_override: &TextOverride,
) -> Problem {
    let (first_owner, second_owner) = (&earlier_override.place.owner, &later_override.place.owner);
    let problem = match first_owner == second_owner {
        true => Problem::error(Code::Duplicate, format!("{second_owner} overrides one text twice"))
            .expected("one override of a text"),
        false => {
            Problem::error(Code::Conflict, format!("{first_owner} and {second_owner} override the same text"))
                .expected("a mod that needs the other one or comes after it")
                .hint(format!(
                    "after = [\"{first_owner}\"] in the mod.toml of {second_owner}; or a third mod, after both, \
                 that overrides the text: `override_text(…)`"
                ))
        }
    };
    problem.at(later_override.place.clone()).add_related_location(earlier_override.place.clone())
}
