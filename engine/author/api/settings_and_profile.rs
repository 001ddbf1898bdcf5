//! The types of `settings` and `profile`: what the player has set, and what earlier runs have left.

use std::collections::{BTreeMap, BTreeSet};

use super::ApiSource;
use super::field_types::{field_key, single_line_doc, union_of_strings};
use crate::analysis::{AccessPath, Literal, PathRoot, TableLiteral, ValueSource, analyze_files};
use base::text::is_luau_name_character;
use content::{FieldType, PathLookupResult, StateSchemas};
use mods::{Setting, SettingType};

/// The settings that are described: those of one mod, or of all that are loaded.
pub(super) fn included_settings<'s>(
    source: &'s ApiSource<'_>,
) -> impl Iterator<Item = (&'s String, &'s Setting)> {
    let is_included = |id: &str| source.for_mod.is_none_or(|only| only == id);
    let mods = source.mods.mods.iter().filter(move |one| is_included(one.id()));
    mods.flat_map(|one| &one.manifest.settings)
}

/// The type of `settings`.
pub(super) fn settings_type(source: &ApiSource<'_>) -> String {
    let mut fields = String::new();
    for (name, setting) in included_settings(source) {
        let doc = if setting.doc.is_empty() { &setting.label } else { &setting.doc };
        let (doc, name) = (single_line_doc(doc), field_key(name));
        if !fields.contains(&format!("\n  read {name}: ")) {
            fields.push_str(&format!("  -- {doc}\n  read {name}: {},\n", setting_type(setting)));
        }
    }
    format!("{{\n{fields}}}")
}

fn setting_type(setting: &Setting) -> String {
    match &setting.ty {
        SettingType::Boolean => "boolean".to_owned(),
        SettingType::Integer { .. } => "number".to_owned(),
        SettingType::Text => "string".to_owned(),
        SettingType::OneOf(words) => union_of_strings(words.iter()),
    }
}

/// The type of the profile of a mod. Nothing declares its fields: those that its scripts name are
/// offered, with a type if all values that are written out for them are of one type: in an `award`,
/// and for a field that is absent (`profile.best or 0`).
pub(super) fn profile_type(source: &ApiSource<'_>, owner: &str) -> String {
    let mut fields: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let texts = source.vm.sources().iter().filter(|(mod_id, ..)| *mod_id == owner);
    for (_, _, lines) in texts {
        for after in lines.text().split("profile.").skip(1) {
            let end = after.find(|c| !is_luau_name_character(c)).unwrap_or(after.len());
            if end > 0 {
                let types = fields.entry(after[..end].to_owned()).or_default();
                types.extend(fallback_type(&after[end..]).map(str::to_owned));
            }
        }
    }
    let files = source.mods.get(owner).into_iter().flat_map(|own| &own.files);
    let (summaries, _) = analyze_files(owner, files.filter(|(_, text)| text.contains("award")));
    let schemas = source.vm.state_schemas();
    let calls = summaries.iter().flat_map(|file| &file.uses.calls);
    for call in calls.filter(|call| call.name == "award") {
        let Some(Literal::Table(award)) = call.argument_literals.first() else { continue };
        let is_added = call.argument_literals.len() == 1;
        for (name, _, value) in &award.named_fields {
            let sources = &call.awarded_sources;
            let source =
                sources.iter().find(|(own, _)| own == name).and_then(|(_, of)| of.as_ref());
            let ty = source.and_then(|of| type_in_state(&schemas, of));
            let ty = ty.or_else(|| awarded_type(value, is_added));
            fields.entry(name.clone()).or_default().extend(ty);
        }
    }
    let fields: String = fields
        .iter()
        .map(|(name, types)| {
            let single = types.first().filter(|ty| types.len() == 1 && *ty != "any");
            let ty = single.map_or("any".to_owned(), |ty| format!("{ty}?"));
            format!("  read {}: {ty},\n", field_key(name))
        })
        .collect();
    format!("{{\n{fields}  [string]: any,\n}}")
}

/// The type of the value behind a field that may be absent: ` or 0`.
fn fallback_type(rest_of_text: &str) -> Option<&'static str> {
    let fallback = rest_of_text.strip_prefix(" or ")?;
    match fallback.chars().next()? {
        '0'..='9' => Some("number"),
        '"' | '\'' => Some("string"),
        _ => None,
    }
}

/// The type of a number, text or boolean of the state that is awarded.
fn type_in_state(schemas: &StateSchemas, source: &ValueSource) -> Option<String> {
    let ValueSource::Path(AccessPath { root: PathRoot::State, path, .. }) = source else {
        return None;
    };
    let PathLookupResult::Found(ty) = schemas.lookup_in_state(path) else { return None };
    let ty = match ty {
        FieldType::Int { .. } | FieldType::Number => "number",
        FieldType::Text
        | FieldType::SingleLineText(_)
        | FieldType::Ref(_)
        | FieldType::OneOf(_) => "string",
        FieldType::Bool => "boolean",
        _ => return None,
    };
    Some(ty.to_owned())
}

/// The type that an award shows. A value that is added is of the type that is there already.
fn awarded_type(value: &Literal, is_added: bool) -> Option<String> {
    Some(match value {
        Literal::Number(_) | Literal::Fraction => "number".to_owned(),
        Literal::Text(_) => "string".to_owned(),
        Literal::Bool(_) => "boolean".to_owned(),
        Literal::Table(table) => awarded_table_type(table),
        Literal::Unknown if is_added => return None,
        _ => "any".to_owned(),
    })
}

/// The type of a table: a list, or values by name.
fn awarded_table_type(table: &TableLiteral) -> String {
    let named_values = table.named_fields.iter().map(|(_, _, value)| value);
    let named_types = types_of_values(named_values.chain(&table.keyed_values));
    let item_types = types_of_values(table.items.iter().map(|(_, value)| value));
    let only = |types: &BTreeSet<String>| match types.first() {
        Some(ty) if types.len() == 1 => ty.clone(),
        _ => "any".to_owned(),
    };
    match (named_types.is_empty(), item_types.is_empty()) {
        (false, true) => format!("{{ [string]: {} }}", only(&named_types)),
        (true, false) => format!("{{ {} }}", only(&item_types)),
        _ => "any".to_owned(),
    }
}

fn types_of_values<'l>(values: impl Iterator<Item = &'l Literal>) -> BTreeSet<String> {
    values.filter_map(|value| awarded_type(value, false)).collect()
}
