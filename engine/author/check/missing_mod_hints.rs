//! Names that no loaded mod declares, but another mod that was found does.

use base::{Problem, UndeclaredName};
use mods::ModSource;
use script::{declares_name, hint_need_mod, reverse_dependency_hint};

/// Adds a hint to turn on the mod that declares the missing name, if one was found.
pub(super) fn add_missing_mod_hint(problem: Problem, found: &[ModSource]) -> Problem {
    let (verbs, name): (&[&str], _) = match problem.undeclared_name() {
        Some(UndeclaredName::ScriptName(name)) => (&["kind", "export", "export_builder"], name),
        Some(UndeclaredName::Event(name)) => (&["event"], name),
        Some(UndeclaredName::OpenListOwner(name)) => (&["kind", "event"], name),
        Some(UndeclaredName::StatePart(_)) | None => return problem,
    };
    let owner = problem.place.as_ref().map_or("", |place| place.owner.as_str());
    let says = |source: &&ModSource| {
        let mut texts = source.files.values();
        source.id() != owner && texts.any(|text| declares_name(text, verbs, name))
    };
    match found.iter().find(says) {
        Some(source) => {
            let hint = match source.manifest.needed_mods.contains_key(owner) {
                true => reverse_dependency_hint(source.id(), "one", owner),
                false => hint_need_mod(source.id(), "one"),
            };
            Problem { hint: Some(hint), ..problem }
        }
        None => problem,
    }
}
