//! The docs of names and fields as luau-lsp reads them: a text for each symbol of the type
//! declarations. Comments in the declarations themselves are not shown.

use std::collections::BTreeMap;

use super::ApiSource;
use super::event_types::event_type_name;
use super::settings_and_profile::included_settings;
use content::{Field, FieldType, pascal_case};
use script::host_functions;
use serde_json::{Value, json};

/// The docs by symbol, for declarations that are loaded under the game's id.
struct SymbolDocs {
    package: String,
    docs: BTreeMap<String, Value>,
}

impl SymbolDocs {
    /// Adds the doc of a name, such as `vitals.mend`.
    fn add_global(&mut self, name: &str, doc: &str) {
        self.add(&format!("global/{name}"), doc);
    }

    /// Adds the docs of the fields of a type.
    fn add_fields(&mut self, type_name: &str, fields: &[Field]) {
        for field in fields {
            self.add(&format!("globaltype/{type_name}.{}", field.name), &field.doc);
        }
    }

    fn add(&mut self, symbol: &str, doc: &str) {
        if !doc.is_empty() {
            let symbol = format!("@{}/{symbol}", self.package);
            self.docs.insert(symbol, json!({ "documentation": doc }));
        }
    }
}

/// Renders the file.
pub(super) fn render_symbol_docs(source: &ApiSource<'_>) -> String {
    let mut docs = SymbolDocs { package: source.game_id().to_owned(), docs: BTreeMap::new() };
    for function in host_functions() {
        docs.add_global(function.name, function.doc);
    }
    for (name, function) in source.exported_functions() {
        docs.add_global(&name, &function.doc.doc);
    }
    for (id, rule) in source.rules() {
        let name = id.split_once(':').map_or(&*id, |(_, name)| name);
        docs.add_global(&format!("rules.{name}"), &rule.doc.doc);
    }
    for (name, setting) in included_settings(source) {
        docs.add_global(&format!("settings.{name}"), &setting.doc);
    }
    for kind in source.vm.registry().kinds() {
        docs.add_global(&kind.name, &kind.doc);
        for form in ["Body", "Patch", "Definition"] {
            docs.add_fields(&format!("{}{form}", pascal_case(&kind.name)), &kind.fields);
        }
    }
    for event in source.vm.declared_events() {
        docs.add_fields(&event_type_name(&event.name), &event.fields);
    }
    let schemas = source.vm.state_schemas();
    docs.add_fields("State", schemas.fields());
    for field in schemas.fields().iter() {
        if let FieldType::Record(fields) = &field.ty {
            docs.add_fields(&format!("{}State", pascal_case(&field.name)), fields);
        }
    }
    let text = serde_json::to_string_pretty(&docs.docs).expect("texts always have a JSON text");
    format!("{text}\n")
}
