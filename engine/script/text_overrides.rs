//! Text overrides: `override_text("text as written", "text to show")`. The original text itself is
//! the key, as in translations. So every text can be overridden, also inside functions, and nobody
//! maintains a list of names.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::host::Host;
use base::{Code, Problem, SourceLocation};
use content::DependencyMap;

/// A text and its replacement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextOverride {
    /// The text as its mod wrote it, with its marks.
    pub from: Arc<str>,
    /// The replacement.
    pub to: Arc<str>,
    /// The place of the declaration.
    pub place: SourceLocation,
}

/// All text overrides.
#[derive(Debug, Default)]
pub(crate) struct ResolvedTextOverrides {
    overrides_by_text: BTreeMap<Arc<str>, Arc<TextOverride>>,
    /// The same for texts that a script capitalizes to begin a sentence: `the heap` as `The heap`.
    capitalized_texts: BTreeMap<String, String>,
}

impl ResolvedTextOverrides {
    fn new(by_text: BTreeMap<Arc<str>, Arc<TextOverride>>) -> Self {
        let capitalize_entry = |(from, text_override): (&Arc<str>, &Arc<TextOverride>)| {
            let capitalized_text = capitalize_first_letter(from)
                .filter(|candidate| !by_text.contains_key(&**candidate))?;
            Some((
                capitalized_text,
                capitalize_first_letter(&text_override.to)
                    .unwrap_or_else(|| text_override.to.to_string()),
            ))
        };
        let capitalized_entries = by_text.iter().filter_map(capitalize_entry).collect();
        Self { overrides_by_text: by_text, capitalized_texts: capitalized_entries }
    }

    /// The text to show.
    pub(crate) fn apply_text_override<'t>(&'t self, text: &'t str) -> &'t str {
        self.overrides_by_text.get(text).map_or(text, |text_override| &text_override.to)
    }

    /// The word to show for a value in a text.
    pub(crate) fn apply_word_override<'t>(&'t self, word: &'t str) -> &'t str {
        match self.overrides_by_text.get(word) {
            Some(text_override) => &text_override.to,
            None => self.capitalized_texts.get(word).map_or(word, |new_text| new_text),
        }
    }

    /// The replacement of each text.
    pub(super) fn replacements_by_text(&self) -> BTreeMap<Arc<str>, Arc<str>> {
        self.overrides_by_text
            .iter()
            .map(|(from, text_override)| (from.clone(), text_override.to.clone()))
            .collect()
    }

    /// The place of the override that gives this text.
    pub(crate) fn place_of_override(&self, new_text: &str) -> Option<&SourceLocation> {
        self.overrides_by_text
            .values()
            .find(|text_override| *text_override.to == *new_text)
            .map(|text_override| &text_override.place)
    }
}

impl Host {
    /// The text to show.
    pub(crate) fn apply_text_override<'t>(&'t self, text: &'t str) -> &'t str {
        self.active_text_overrides().map_or(text, |overrides| overrides.apply_text_override(text))
    }

    /// The word to show for a value in a text.
    pub(crate) fn apply_word_override<'t>(&'t self, word: &'t str) -> &'t str {
        self.active_text_overrides().map_or(word, |overrides| overrides.apply_word_override(word))
    }

    /// All declared overrides, in mod order.
    pub(crate) fn declared_text_overrides(&self) -> Vec<Arc<TextOverride>> {
        self.load_state.all_declarations.borrow().text_overrides.clone()
    }

    /// The text overrides, if there are any.
    pub(crate) fn active_text_overrides(&self) -> Option<&ResolvedTextOverrides> {
        self.text_overrides.get().filter(|overrides| !overrides.overrides_by_text.is_empty())
    }
}

/// Resolves the overrides of all mods: of several for one text the last wins, if its mod knows the
/// others.
pub(super) fn resolve_overrides(
    overrides: &[Arc<TextOverride>],
    dependencies: &DependencyMap,
    problems: &mut Vec<Problem>,
) -> ResolvedTextOverrides {
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
    ResolvedTextOverrides::new(winning_overrides.collect())
}

/// A text with its first letter capitalized, if it is lower case.
pub fn capitalize_first_letter(text: &str) -> Option<String> {
    let first_letter = text.chars().next().filter(|first| first.is_lowercase())?;
    Some(first_letter.to_uppercase().chain(text.chars().skip(1)).collect())
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
