//! Finds the texts of definitions: the fields whose type is a text.

use std::collections::{BTreeMap, BTreeSet};

use base::SourceLocation;
use content::{Datum, Definition, FieldType, Registry};

/// The host's own kinds whose texts are shown.
const SHOWN_HOST_KINDS: [&str; 6] = ["group", "achievement", "page", "title", "option", "scene"];
/// Fields that only authors or the program read.
const HIDDEN_FIELDS: [&str; 6] = ["id", "key", "doc", "kind", "type", "art"];

/// The texts of all definitions, each with the place of its first definition.
pub(super) fn content_texts(registry: &Registry) -> BTreeMap<String, SourceLocation> {
    let mut texts = BTreeMap::new();
    for kind in registry.kinds() {
        let is_host_kind = kind.is_builtin;
        if is_host_kind && !SHOWN_HOST_KINDS.contains(&&*kind.name) {
            continue;
        }
        for definition in registry.active_definitions(&kind.name) {
            // A report lists the options by their names.
            if &*kind.name == "option" {
                let name = definition.id.name().replace('_', " ");
                texts.entry(name).or_insert_with(|| definition.place.clone());
            }
            for field in kind.fields.iter() {
                // What an option says of itself is shown where it is asked.
                let is_hidden = HIDDEN_FIELDS.contains(&&*field.name)
                    && !(&*kind.name == "option" && &*field.name == "doc");
                if let Some(datum) = definition.get(&field.name).filter(|_| !is_hidden) {
                    collect_texts(datum, &field.ty, definition, &mut texts);
                }
            }
        }
    }
    texts
}

fn collect_texts(
    datum: &Datum,
    ty: &FieldType,
    definition: &Definition,
    texts: &mut BTreeMap<String, SourceLocation>,
) {
    match (ty, datum) {
        (FieldType::Text | FieldType::SingleLineText(_) | FieldType::Any, Datum::Text(text)) => {
            texts.entry(text.to_string()).or_insert_with(|| definition.place.clone());
        }
        (FieldType::List(item), Datum::List(list)) => {
            list.iter().for_each(|one| collect_texts(one, item, definition, texts));
        }
        (FieldType::Map(item), Datum::Map(map)) => {
            map.values().for_each(|one| collect_texts(one, item, definition, texts));
        }
        (FieldType::Record(fields), Datum::Map(map)) => {
            for field in fields.iter().filter(|field| !HIDDEN_FIELDS.contains(&&*field.name)) {
                if let Some(datum) = map.get(&field.name) {
                    collect_texts(datum, &field.ty, definition, texts);
                }
            }
        }
        (FieldType::Either(types), datum) => {
            types.iter().for_each(|ty| collect_texts(datum, ty, definition, texts));
        }
        _ => {}
    }
}

/// The names that scripts write as words and that nobody sees: of definitions, kinds and fields.
pub(super) fn content_names(registry: &Registry) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for kind in registry.kinds() {
        names.insert(kind.name.to_string());
        names.extend(kind.fields.iter().map(|field| field.name.to_string()));
        for definition in registry.all_definitions(&kind.name) {
            names.extend([definition.id.to_string(), definition.id.name().to_owned()]);
        }
    }
    names
}
