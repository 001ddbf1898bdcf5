//! Text overrides for texts of definitions that the host displays directly. Overrides of story
//! texts apply when a script emits them; these texts are never emitted, so they are replaced in the
//! definitions.

use std::sync::Arc;

use super::datum::Datum;
use super::registry::Registry;
use base::TextOverrides;

/// The displayed fields of the host's own kinds.
const DISPLAYED_FIELDS: &[(&str, &[&str])] = &[
    ("achievement", &["name", "text"]),
    ("group", &["name"]),
    ("option", &["label", "doc"]),
    ("page", &["title", "text"]),
    (
        "title",
        &["name", "text", "new", "resume", "abandon", "profile", "history", "settings", "quit"],
    ),
];

impl Registry {
    /// Sets the text overrides and applies them to all texts that the host displays. `displayed`
    /// are the same in the language of the player, which no script sees.
    pub fn set_text_overrides(
        &mut self,
        overrides: TextOverrides,
        displayed: Option<TextOverrides>,
    ) {
        for (kind, names) in DISPLAYED_FIELDS {
            let Some(table) =
                self.definitions_by_kind.get_mut(*kind).filter(|_| !overrides.is_empty())
            else {
                continue;
            };
            for definition in &mut table.definitions {
                for name in *names {
                    let text = definition.get(name).and_then(Datum::as_text);
                    if let Some(replacement) = text.and_then(|text| overrides.replacement(text)) {
                        let fields = &mut Arc::make_mut(definition).fields;
                        fields.insert(Arc::from(*name), Datum::text(replacement));
                    }
                }
            }
        }
        self.text_overrides = Arc::new(overrides);
        self.displayed_texts = displayed.map_or_else(|| self.text_overrides.clone(), Arc::new);
    }

    /// The text overrides of all mods.
    pub fn text_overrides(&self) -> &Arc<TextOverrides> {
        &self.text_overrides
    }

    /// The text overrides of all mods, in the language of the player.
    pub fn displayed_texts(&self) -> &Arc<TextOverrides> {
        &self.displayed_texts
    }

    /// A text of any definition as the host displays it.
    pub fn display_text<'t>(&'t self, text: &'t str) -> &'t str {
        self.displayed_texts.apply_text_override(text)
    }
}
