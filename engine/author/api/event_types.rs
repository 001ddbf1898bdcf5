//! The types of events. Luau cannot give the parameter of a hook its type by the name of the event: it
//! infers no parameter from overloads. The plugin for luau-lsp in `editor_files` writes the type there.

use super::field_types::{
    DefinitionIds, FieldForm, single_line_doc, union_of_strings, write_fields,
};
use content::{Kind, pascal_case};

/// The name of the type of an event; the plugin for luau-lsp makes the same.
pub(super) fn event_type_name(event: &str) -> String {
    format!("{}Event", pascal_case(event))
}

/// The names of events, and their types.
pub(super) fn write_event_types(page: &mut String, events: &[Kind], ids: &DefinitionIds) {
    if events.is_empty() {
        return;
    }
    page.push_str("\n-- Events and their fields. In luau-lsp the plugin gives the parameter of a hook this type; without it, write\n-- `after(\"blow\", function(event: BlowEvent)`.\n\n");
    let names = union_of_strings(events.iter().map(|event| &*event.name));
    page.push_str(&format!("export type EventName = {names}\n"));
    for event in events {
        page.push_str(&format!(
            "\n-- {}\nexport type {} = {{\n",
            single_line_doc(&event.doc),
            event_type_name(&event.name)
        ));
        write_fields(page, &event.fields, 1, FieldForm::Definition, ids);
        page.push_str("}\n");
    }
}
