//! Checks the ids of choices that are added to scenes: whether two of them, or one and a choice of the
//! prompt, have the same id and are shown together. Reports what would fail at run time.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::analysis::{FileSummary, Literal, UiTableKind};
use base::{Code, Problem, SourceLocation};
use content::{Datum, DatumMap, Definition};
use script::Vm;

/// A choice of a scene: where it is, and whether a condition may hide it.
struct SceneChoice {
    place: SourceLocation,
    is_conditional: bool,
}

/// Checks the added choices of all scenes.
pub(super) fn check_added_choices(vm: &Vm, summaries: &[Arc<FileSummary>]) -> Vec<Problem> {
    let mut problems = Vec::new();
    for scene in vm.registry().active_definitions("scene") {
        let choices = scene.get("choices").and_then(Datum::as_list).unwrap_or_default();
        if choices.is_empty() {
            continue;
        }
        let mut known = prompt_choices(scene, summaries);
        for choice in choices.iter().filter_map(Datum::as_map) {
            let Some(id) = choice.get("id").and_then(Datum::as_text) else { continue };
            let added = SceneChoice {
                place: vm.sources().with_excerpt(&place_of_choice(scene, choice)),
                is_conditional: choice.get("when").is_some(),
            };
            match known.get(id) {
                // Two conditions may exclude each other.
                Some(other) if other.is_conditional && added.is_conditional => {}
                Some(other) => problems.push(same_id_problem(scene, id, &added, other)),
                None => drop(known.insert(id.to_owned(), added)),
            }
        }
    }
    problems
}

/// The choices that the prompt of a scene always shows, where it is written out.
fn prompt_choices(
    scene: &Definition,
    summaries: &[Arc<FileSummary>],
) -> BTreeMap<String, SceneChoice> {
    let mut known = BTreeMap::new();
    for summary in summaries.iter().filter(|summary| summary.owner == scene.id.mod_id()) {
        let tables = summary.uses.ui_tables.iter();
        for table in tables.filter(|table| table.kind == UiTableKind::Prompt) {
            if table.scene.as_deref() != Some(scene.id.name()) {
                continue;
            }
            let Literal::Table(prompt) = &table.literal else { continue };
            let Some(Literal::Table(choices)) = prompt.get("choices") else { continue };
            for (line, choice) in &choices.items {
                if let Literal::Table(choice) = choice
                    && let Some(Literal::Text(Some(id))) = choice.get("id")
                {
                    let place = summary.place(*line);
                    known.insert(id.clone(), SceneChoice { place, is_conditional: false });
                }
            }
        }
    }
    known
}

/// The place of an added choice: that of its handler.
fn place_of_choice(scene: &Definition, choice: &DatumMap) -> SourceLocation {
    let handler = choice.get("on").and_then(Datum::as_fn);
    handler.map_or_else(|| scene.place.clone(), |handler| handler.place.clone())
}

fn same_id_problem(
    scene: &Definition,
    id: &str,
    added: &SceneChoice,
    other: &SceneChoice,
) -> Problem {
    let hint = match added.place.owner == other.place.owner {
        true => "give one of the two another id",
        false => "begin it with the name of the mod",
    };
    Problem::error(Code::DuplicateId, format!("{} has two choices with the id {id:?}", scene.id))
        .at(added.place.clone())
        .expected("an id that no other choice of the prompt has")
        .hint(hint)
        .add_related_location(other.place.clone())
}
