//! Finds the origin of a wrong text: a text in a mod's definition that another mod's code outputs.
//! It is searched only after an error.

use crate::host::Host;
use base::{Digest, SourceLocation};
use content::{ChangeAction, Datum, Definition};

impl Host {
    /// The place of a text in a definition or in a patch of one.
    #[cold]
    pub(crate) fn find_text_origin(&self, digest: Digest) -> Option<SourceLocation> {
        let registry = self.registry();
        let mut all = registry.kinds().flat_map(|kind| registry.all_definitions(&kind.name));
        all.find_map(|definition| {
            definition.fields.iter().find_map(|(field, datum)| {
                let text = find_text(datum, digest)?;
                Some(self.place_of_text(definition, field, text))
            })
        })
    }

    /// The line with the text, searched from its field on; without one, the place itself.
    fn place_of_text(&self, definition: &Definition, field: &str, text: &str) -> SourceLocation {
        let set =
            |what: ChangeAction| !matches!(what, ChangeAction::Declared | ChangeAction::Default);
        let changes = definition.changes.iter().rev();
        let mut changes = changes.filter(|change| {
            set(change.action) && change.path.split(['.', '[']).next() == Some(field)
        });
        let says = |place: &SourceLocation| {
            let lines = self.sources.indexed_text(&place.owner, &place.file)?;
            let from = (place.line as usize).saturating_sub(1);
            let begins: String = text.chars().take_while(|c| !"\n\\\"'".contains(*c)).collect();
            let mut at = (from..).take_while(|at| lines.line_text(*at).is_some());
            let contains = |line: &str| line.contains(&begins);
            let found = at.find(|at| lines.line_text(*at).is_some_and(contains))?;
            self.sources
                .source_location(&format!("{}/{}", place.owner, place.file), found as u32 + 1)
        };
        let changed = changes.find_map(|change| says(&change.place));
        let declared = || says(&definition.place).unwrap_or_else(|| definition.place.clone());
        changed.unwrap_or_else(declared)
    }
}

fn find_text(datum: &Datum, digest: Digest) -> Option<&str> {
    match datum {
        Datum::Text(text) => (Digest::hash_bytes(text.as_bytes()) == digest).then_some(&**text),
        Datum::List(list) => list.iter().find_map(|item| find_text(item, digest)),
        Datum::Map(map) => map.values().find_map(|item| find_text(item, digest)),
        _ => None,
    }
}
