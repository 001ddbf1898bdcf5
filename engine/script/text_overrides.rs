//! Text overrides: `reword("text as written", "text to show")`. The original text itself is the
//! key, as in translations. So every text can be overridden, also inside functions, and nobody
//! maintains a list of names.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::host::Host;
use crate::base::{Code, Problem, SourceLocation};
use crate::content::DependencyMap;

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
    by_text: BTreeMap<Arc<str>, Arc<TextOverride>>,
    /// The same for texts that a script capitalizes to begin a sentence: `the heap` as `The heap`.
    capitalized_texts: BTreeMap<String, String>,
}

impl ResolvedTextOverrides {
    fn new(by_text: BTreeMap<Arc<str>, Arc<TextOverride>>) -> Self {
        let capital = |(from, one): (&Arc<str>, &Arc<TextOverride>)| {
            let from =
                capitalize_first_letter(from).filter(|from| !by_text.contains_key(&**from))?;
            Some((from, capitalize_first_letter(&one.to).unwrap_or_else(|| one.to.to_string())))
        };
        let capitals = by_text.iter().filter_map(capital).collect();
        Self { by_text, capitalized_texts: capitals }
    }

    /// The text to show.
    pub(crate) fn override_text<'t>(&'t self, text: &'t str) -> &'t str {
        self.by_text.get(text).map_or(text, |one| &one.to)
    }

    /// The word to show for a value in a text.
    pub(crate) fn override_word<'t>(&'t self, word: &'t str) -> &'t str {
        match self.by_text.get(word) {
            Some(one) => &one.to,
            None => self.capitalized_texts.get(word).map_or(word, |told| told),
        }
    }

    /// The replacement of each text.
    pub(super) fn replacements_by_text(&self) -> BTreeMap<Arc<str>, Arc<str>> {
        self.by_text.iter().map(|(from, one)| (from.clone(), one.to.clone())).collect()
    }

    /// The place of the override that gives this text.
    pub(crate) fn place_of_override(&self, told: &str) -> Option<&SourceLocation> {
        self.by_text.values().find(|one| *one.to == *told).map(|one| &one.place)
    }
}

impl Host {
    /// The text to show.
    pub(crate) fn override_text<'t>(&'t self, text: &'t str) -> &'t str {
        self.active_text_overrides().map_or(text, |overrides| overrides.override_text(text))
    }

    /// The word to show for a value in a text.
    pub(crate) fn override_word<'t>(&'t self, word: &'t str) -> &'t str {
        self.active_text_overrides().map_or(word, |overrides| overrides.override_word(word))
    }

    /// All declared overrides, in mod order.
    pub(crate) fn declared_text_overrides(&self) -> Vec<Arc<TextOverride>> {
        self.load_state.all_declarations.borrow().text_overrides.clone()
    }

    /// The text overrides, if there are any.
    pub(crate) fn active_text_overrides(&self) -> Option<&ResolvedTextOverrides> {
        self.text_overrides.get().filter(|overrides| !overrides.by_text.is_empty())
    }
}

/// Resolves the overrides of all mods: of several for one text the last wins, if its mod knows the
/// others.
pub(super) fn resolve_overrides(
    all: &[Arc<TextOverride>],
    dependencies: &DependencyMap,
    problems: &mut Vec<Problem>,
) -> ResolvedTextOverrides {
    let mut by_text: BTreeMap<Arc<str>, Vec<&Arc<TextOverride>>> = BTreeMap::new();
    for one in all {
        by_text.entry(one.from.clone()).or_default().push(one);
    }
    let holds = by_text.into_iter().filter_map(|(text, all)| {
        let (last, others) = all.split_last()?;
        let owner = &last.place.owner;
        let knows =
            |other: &str| dependencies.get(owner).is_some_and(|known| known.contains(other));
        let strange = others.iter().find(|one| one.to != last.to && !knows(&one.place.owner));
        problems.extend(strange.map(|other| override_conflict(other, last)));
        Some((text, Arc::clone(last)))
    });
    ResolvedTextOverrides::new(holds.collect())
}

/// A text with its first letter capitalized, if it is lower case.
pub fn capitalize_first_letter(text: &str) -> Option<String> {
    let first = text.chars().next().filter(|first| first.is_lowercase())?;
    Some(first.to_uppercase().chain(text.chars().skip(1)).collect())
}

fn override_conflict(earlier: &TextOverride, later: &TextOverride) -> Problem {
    let (one, other) = (&earlier.place.owner, &later.place.owner);
    let problem = match one == other {
        true => Problem::error(Code::Duplicate, format!("{other} overrides one text twice"))
            .expected("one override of a text"),
        false => {
            Problem::error(Code::Conflict, format!("{one} and {other} override the same text"))
                .expected("a mod that needs the other one or comes after it")
                .hint(format!(
                    "after = [\"{one}\"] in the mod.toml of {other}; or a third mod, after both, \
                 that overrides the text: `override_text(…)`"
                ))
        }
    };
    problem.at(later.place.clone()).add_related_location(earlier.place.clone())
}
