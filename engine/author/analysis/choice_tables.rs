//! Choices that a script writes as tables, with a group or a requested key.

use full_moon::ast::{Expression, Field, TableConstructor};

use super::syntax::{string_value, token_line, token_name};

/// The fields of a choice, each with its line.
#[derive(Debug, Default)]
pub(crate) struct ChoiceTable {
    pub(crate) id: Option<(String, u32)>,
    pub(crate) group: Option<(String, u32)>,
    pub(crate) key: Option<(String, u32)>,
}

impl ChoiceTable {
    /// The choice in a table literal, if it has an id and a group or a key.
    pub(super) fn from_table(table: &TableConstructor) -> Option<Self> {
        let mut found = Self::default();
        for field in table.fields() {
            if let Field::NameKey { key, value, .. } = field
                && let Expression::String(token) = &**value
                && let Some(text) = string_value(token.token())
            {
                let spot = match token_name(key).as_str() {
                    "id" => &mut found.id,
                    "group" => &mut found.group,
                    "key" => &mut found.key,
                    _ => continue,
                };
                *spot = Some((text, token_line(token)));
            }
        }
        (found.id.is_some() && (found.group.is_some() || found.key.is_some())).then_some(found)
    }
}
