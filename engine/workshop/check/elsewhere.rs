//! What nobody declares among the mods that are looked at, and a mod does that was found beside them.

use crate::kit::Problem;
use crate::mods::ModSource;
use crate::script::{declares, to_be_needed};

/// The Problem with what to do, if a mod that was found declares what it is about.
pub(super) fn told(problem: Problem, found: &[ModSource]) -> Problem {
    let hint = problem.hint.as_deref().unwrap_or("declare it in this file");
    let (verbs, mark): (&[&str], char) = match problem.code.as_str() {
        "unknown-name" if hint.starts_with("declare it in this file") => {
            (&["kind", "export", "export_builder"], '`')
        }
        "unknown-moment" => (&["moment"], '"'),
        _ => return problem,
    };
    let Some(name) = problem.message.split(mark).nth(1) else { return problem };
    let owner = problem.place.as_ref().map_or("", |place| place.owner.as_str());
    let says = |source: &&ModSource| {
        let mut texts = source.files.values();
        source.id() != owner && texts.any(|text| declares(text, verbs, name))
    };
    match found.iter().find(says) {
        Some(source) => {
            let hint = to_be_needed(source.id(), "one");
            Problem { hint: Some(hint), ..problem }
        }
        None => problem,
    }
}
