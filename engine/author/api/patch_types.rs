//! The types of `patch`, `settle_conflict`, `replace` and `retire`, by kind.

use super::field_types::{DefinitionIds, FieldForm, write_fields};
use crate::analysis::CHANGE_FUNCTIONS;
use content::{EXPORT_KIND, Kind, Registry, pascal_case};

/// The types of the changes of each kind, and of the functions that make them.
pub(super) fn write_patch_types(
    page: &mut String,
    registry: &Registry,
    ids: &DefinitionIds,
    docs: &dyn Fn(&str) -> &'static str,
) {
    page.push_str("\n-- Changes of definitions.\n");
    for kind in registry.kinds() {
        page.push_str(&format!("\nexport type {}Patch = {{\n", pascal_case(&kind.name)));
        page.push_str("  -- whether the definition may be missing\n  optional: boolean?,\n");
        write_fields(page, &kind.fields, 1, FieldForm::Patch, ids);
        page.push_str("}\n");
    }
    for function in CHANGE_FUNCTIONS {
        page.push_str(&format!("\n-- {}\ndeclare {function}: {{\n", docs(function)));
        for kind in registry.kinds() {
            page.push_str(&format!("  {}: {},\n", kind.name, change_type(function, kind, ids)));
        }
        let id = ids.id_type_name(EXPORT_KIND, true);
        page.push_str(&format!("  {EXPORT_KIND}: (id: {id}) -> (changes: any) -> (),\n}}\n"));
    }
}

/// The type of a function that changes a definition of a kind.
fn change_type(function: &str, kind: &Kind, ids: &DefinitionIds) -> String {
    let (id, title) = (ids.id_type_name(&kind.name, true), pascal_case(&kind.name));
    let short = kind.body_field.as_ref().map_or("", |_| " | ((...any) -> ...any)");
    match function {
        "replace" => format!("(id: {id}) -> (body: {title}Body{short}) -> ()"),
        "retire" => format!("(id: {id}) -> any"),
        // Only a definition that may be missing has an id that is unknown.
        _ => format!(
            "((id: {id}) -> (changes: {title}Patch{short}) -> ()) & ((id: string) -> (changes: {{ optional: boolean, [string]: any }}) -> ())"
        ),
    }
}
