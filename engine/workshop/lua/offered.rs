//! Choices that a script writes as tables, with a group or a requested key.

use full_moon::ast::{Expression, Field, TableConstructor};

use super::names::{line, name, text};

/// The fields of a choice, each with its line.
#[derive(Debug, Default)]
pub(in crate::workshop) struct Offered {
    pub(in crate::workshop) id: Option<(String, u32)>,
    pub(in crate::workshop) group: Option<(String, u32)>,
    pub(in crate::workshop) key: Option<(String, u32)>,
}

impl Offered {
    /// The choice in a table literal, if it has an id and a group or a key.
    pub(super) fn read(table: &TableConstructor) -> Option<Self> {
        let mut found = Self::default();
        for field in table.fields() {
            if let Field::NameKey { key, value, .. } = field
                && let Expression::String(token) = &**value
                && let Some(text) = text(token.token())
            {
                let spot = match name(key).as_str() {
                    "id" => &mut found.id,
                    "group" => &mut found.group,
                    "key" => &mut found.key,
                    _ => continue,
                };
                *spot = Some((text, line(token)));
            }
        }
        (found.id.is_some() && (found.group.is_some() || found.key.is_some())).then_some(found)
    }
}
