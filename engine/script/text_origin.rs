//! Finds the origin of a wrong text: a text in a mod's definition that another mod's code outputs.
//! It is searched only after an error.

use super::host::Host;
use base::{SourceLocation, meter};
use content::{ChangeAction, Datum, Definition};

impl Host {
    /// The place of a text in a definition or in a patch of one.
    #[cold]
    pub(crate) fn find_text_origin(&self, text: &str) -> Option<SourceLocation> {
        let registry = self.registry();
        let all = registry.kinds().flat_map(|kind| registry.all_definitions(&kind.name));
        let (definition, field) = all
            .filter_map(|definition| {
                let mut fields = definition.fields.iter();
                let (field, _) = fields.find(|(_, datum)| contains_text(datum, text))?;
                Some((definition, field))
            })
            .next()?;
        Some(self.place_of_text(definition, field, text))
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
            let contains = |line: &str| {
                meter::charge_bytes(line.len() + begins.len());
                line.contains(&begins)
            };
            let found = at.find(|at| lines.line_text(*at).is_some_and(contains))?;
            self.sources
                .source_location(&format!("{}/{}", place.owner, place.file), found as u32 + 1)
        };
        let changed = changes.find_map(|change| says(&change.place));
        let declared = || says(&definition.place).unwrap_or_else(|| definition.place.clone());
        changed.unwrap_or_else(declared)
    }
}

fn contains_text(datum: &Datum, text: &str) -> bool {
    meter::charge_table_entries(4);
    match datum {
        Datum::Text(own) => **own == *text,
        Datum::List(list) => list.iter().any(|one| contains_text(one, text)),
        Datum::Map(map) => map.values().any(|one| contains_text(one, text)),
        _ => false,
    }
}
