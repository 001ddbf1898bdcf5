//! Choices that a script writes out as tables, as far as they say what they belong to or wish for.

use full_moon::ast::{Expression, Field, TableConstructor};

use super::names::{line, name, text};

/// A choice as a table writes it out: texts, each with its line.
#[derive(Debug, Default)]
pub(in crate::workshop) struct Offered {
    pub(in crate::workshop) id: Option<(String, u32)>,
    pub(in crate::workshop) group: Option<(String, u32)>,
    pub(in crate::workshop) key: Option<(String, u32)>,
}

impl Offered {
    /// What a table offers, if it has an id beside a group or a key.
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
