//! Checks comparisons of state and event fields, of fields of definitions, and of options, with a
//! text that they never have: another word than those listed, or no whole id of a definition.

use super::access_paths::format_access_path;
use super::call_graph::CallGraph;
use super::calls::value_categories;
use super::declaration_lookup::DeclarationLookup;
use super::value_types::type_of_path;
use base::problem::nearest_name;
use base::{Code, Problem};
use content::FieldType;
use mods::ModSet;

/// Checks the comparisons in all files.
pub(super) fn check_comparisons(
    mods: &ModSet,
    context: &DeclarationLookup<'_>,
    graph: &CallGraph<'_>,
) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (file, summary) in graph.summaries.iter().enumerate() {
        for one in &summary.uses.comparisons {
            let Some(ty) = type_of_path(context, graph, file, &one.path) else { continue };
            let hint = match &ty {
                FieldType::OneOf(words) if words.contains(&one.text) => continue,
                FieldType::OneOf(words) => {
                    let near = nearest_name(&one.text, words.iter().map(String::as_str));
                    near.map(|near| format!("did you mean \"{near}\"?"))
                }
                FieldType::Ref(kind) if may_be_id(mods, context, kind, &one.text) => continue,
                FieldType::Ref(kind) => Some(id_hint(context, &summary.owner, kind, &one.text)),
                ty if value_categories(ty).is_some_and(|all| !all.contains(&"text")) => None,
                _ => continue,
            };
            let found = format!(
                "{} is compared with {:?}, a value that it never has",
                format_access_path(&context.callbacks, &one.path),
                one.text
            );
            let problem = Problem::error(Code::WrongType, found)
                .at(summary.place(one.line))
                .expected(ty.to_string());
            problems.push(problem.with_optional_hint(hint));
        }
    }
    problems
}

/// Whether a text is the whole id of a definition, or one of a mod that is not loaded.
fn may_be_id(mods: &ModSet, context: &DeclarationLookup<'_>, kind: &str, text: &str) -> bool {
    let registry = context.vm.registry();
    let is_of_other_mod = text.split_once(':').is_some_and(|(owner, _)| mods.get(owner).is_none());
    is_of_other_mod || registry.kind(kind).is_none() || registry.get(kind, text).is_some()
}

/// The id that was probably meant: the mod's own, or a similar one.
fn id_hint(context: &DeclarationLookup<'_>, owner: &str, kind: &str, text: &str) -> String {
    let registry = context.vm.registry();
    let own = format!("{owner}:{text}");
    let near = match registry.get(kind, &own) {
        Some(definition) => Some(definition.id.as_str()),
        None => registry.suggest_id(kind, text),
    };
    match near {
        Some(near) => format!("did you mean \"{near}\"? A value has the whole id"),
        None => format!("write a whole id, such as \"{own}\""),
    }
}
