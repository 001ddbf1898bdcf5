//! The type of `options`: the options of the run that the loaded mods declare.

use super::field_types::{DefinitionIds, field_key, single_line_doc, union_of_strings};
use content::{Datum, Definition, Registry};

/// The name of the type of `options`.
pub(super) const OPTIONS_TYPE_NAME: &str = "RunOptions";

/// Writes the type of `options`. A name that no option has cannot be read.
pub(super) fn write_options_type(page: &mut String, registry: &Registry, ids: &DefinitionIds) {
    page.push_str(&format!("\n-- The options of the run.\nexport type {OPTIONS_TYPE_NAME} = {{\n"));
    for option in registry.active_definitions("option") {
        let text = |field: &str| option.get(field).and_then(Datum::as_text).unwrap_or_default();
        let doc = if text("doc").is_empty() { text("label") } else { text("doc") };
        if !doc.is_empty() {
            page.push_str(&format!("  -- {}\n", single_line_doc(registry.display_text(doc))));
        }
        let may_lack = content::option_default(option).is_none();
        let ty = option_type(option, ids);
        let ty = if may_lack { format!("({ty})?") } else { ty };
        page.push_str(&format!("  read {}: {ty},\n", field_key(option.id.name())));
    }
    page.push_str("}\n");
}

fn option_type(option: &Definition, ids: &DefinitionIds) -> String {
    let text = |field: &str| option.get(field).and_then(Datum::as_text);
    match text("type") {
        Some("ref") => ids.id_type_name(text("kind").unwrap_or_default(), false),
        Some("one_of") => {
            let values = option.get("values").and_then(Datum::as_list).unwrap_or_default();
            union_of_strings(values.iter().filter_map(Datum::as_text))
        }
        Some("bool") => "boolean".to_owned(),
        Some("int") => "number".to_owned(),
        _ => "string".to_owned(),
    }
}
