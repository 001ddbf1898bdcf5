//! The types of `settings` and `profile`: what the player has set, and what earlier runs have left.

use std::collections::{BTreeMap, BTreeSet};

use super::ApiSource;
use super::field_types::{field_key, single_line_doc, union_of_strings};
use crate::analysis::{Literal, analyze_files};
use base::text::is_luau_name_character;
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
/// offered, with a type if each `award` of them writes out a value of one type.
pub(super) fn profile_type(source: &ApiSource<'_>, owner: &str) -> String {
    let mut fields: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
    let texts = source.vm.sources().iter().filter(|(mod_id, ..)| *mod_id == owner);
    for (_, _, lines) in texts {
        for after in lines.text().split("profile.").skip(1) {
            let end = after.find(|c| !is_luau_name_character(c)).unwrap_or(after.len());
            if end > 0 {
                fields.entry(after[..end].to_owned()).or_default();
            }
        }
    }
    let files = source.mods.get(owner).into_iter().flat_map(|own| &own.files);
    let (summaries, _) = analyze_files(owner, files.filter(|(_, text)| text.contains("award")));
    let calls = summaries.iter().flat_map(|file| &file.uses.calls);
    for call in calls.filter(|call| call.name == "award") {
        let Some(Literal::Table(award)) = call.argument_literals.first() else { continue };
        let is_added = call.argument_literals.len() == 1;
        for (name, _, value) in &award.named_fields {
            fields.entry(name.clone()).or_default().extend(awarded_type(value, is_added));
        }
    }
    let fields: String = fields
        .iter()
        .map(|(name, types)| {
            let single = types.first().filter(|ty| types.len() == 1 && **ty != "any");
            let ty = single.map_or("any".to_owned(), |ty| format!("{ty}?"));
            format!("  read {}: {ty},\n", field_key(name))
        })
        .collect();
    format!("{{\n{fields}  [string]: any,\n}}")
}

/// The type that an award shows. A value that is added is of the type that is there already.
fn awarded_type(value: &Literal, is_added: bool) -> Option<&'static str> {
    match value {
        Literal::Number(_) => Some("number"),
        Literal::Text(_) => Some("string"),
        Literal::Bool(_) => Some("boolean"),
        Literal::Unknown if is_added => None,
        _ => Some("any"),
    }
}
