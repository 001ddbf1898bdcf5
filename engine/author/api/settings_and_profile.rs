//! The types of `settings` and `profile`: what the player has set, and what earlier runs have left.

use std::collections::BTreeSet;

use super::ApiSource;
use super::field_types::{field_key, single_line_doc, union_of_strings};
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

/// The type of `profile`: nothing declares its fields, so those that a script reads are offered.
pub(super) fn profile_type(source: &ApiSource<'_>) -> String {
    let mut names = BTreeSet::new();
    for (_, _, lines) in source.vm.sources().iter() {
        for after in lines.text().split("profile.").skip(1) {
            let end = after.find(|c| !is_luau_name_character(c)).unwrap_or(after.len());
            names.extend((end > 0).then(|| field_key(&after[..end])));
        }
    }
    let fields: String = names.iter().map(|name| format!("  read {name}: any,\n")).collect();
    format!("{{\n{fields}  [string]: any,\n}}")
}
