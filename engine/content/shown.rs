//! Texts of definitions that the host shows by itself, and what mods tell in their place. What a script
//! tells is put into other words when it is told; these are told by nobody, so they are read so.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::datum::Datum;
use super::registry::Registry;

/// The fields of the host's own kinds that are shown.
const SHOWN: &[(&str, &[&str])] = &[
    ("achievement", &["name", "text"]),
    ("group", &["name"]),
    ("option", &["label", "doc"]),
    ("page", &["title", "text"]),
    (
        "title",
        &["name", "text", "new", "resume", "abandon", "profile", "history", "settings", "quit"],
    ),
];

/// What is told in place of which text.
pub(super) type Told = BTreeMap<Arc<str>, Arc<str>>;

impl Registry {
    /// Takes what is told in place of which text. What the host shows by itself says that from here on.
    pub fn reword(&mut self, told: Told) {
        for (kind, names) in SHOWN {
            let Some(table) = self.tables.get_mut(*kind).filter(|_| !told.is_empty()) else {
                continue;
            };
            for definition in &mut table.list {
                for name in *names {
                    let text = definition.get(name).and_then(Datum::as_text);
                    if let Some(words) = text.and_then(|text| told.get(text)).cloned() {
                        let fields = &mut Arc::make_mut(definition).fields;
                        fields.insert(Arc::from(*name), Datum::text(&words));
                    }
                }
            }
        }
        self.told = told;
    }

    /// A text of any definition as the host shows it.
    pub fn told<'t>(&'t self, text: &'t str) -> &'t str {
        self.told.get(text).map_or(text, |told| told)
    }
}
