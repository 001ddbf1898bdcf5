//! Keys that a table literal has twice: one of the two values is lost.

use std::collections::BTreeMap;
use std::fmt;

use full_moon::ast::{Expression, Field, TableConstructor};

use super::literal::{Literal, line_of, literal_of};
use super::syntax::{token_line, token_name};

/// A key that a table literal has again.
#[derive(Debug)]
pub(crate) struct DuplicateKey {
    /// As a script writes it, such as `name` or `[2]`.
    pub(crate) key: String,
    pub(crate) line: u32,
    /// The line where the table has it first.
    pub(crate) first_line: u32,
}

/// A key that is written out.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum ConstructorKey {
    Text(String),
    /// The bits of a number.
    Number(u64),
    Bool(bool),
}

/// The keys that a table literal has more than once. Items without a key count from 1.
pub(super) fn duplicate_keys(table: &TableConstructor) -> Vec<DuplicateKey> {
    let (mut first_lines, mut item_count) = (BTreeMap::new(), 0_u32);
    let mut duplicates = Vec::new();
    for field in table.fields() {
        let (key, line) = match field {
            Field::NameKey { key, .. } => {
                (Some(ConstructorKey::Text(token_name(key))), token_line(key))
            }
            Field::ExpressionKey { key, .. } => {
                (ConstructorKey::from_expression(key), line_of(key))
            }
            Field::NoKey(value) => {
                item_count += 1;
                (Some(ConstructorKey::from_number(item_count.into())), line_of(value))
            }
            _ => continue,
        };
        let Some(key) = key else { continue };
        match first_lines.get(&key) {
            Some(first_line) => {
                let (key, first_line) = (key.to_string(), *first_line);
                duplicates.push(DuplicateKey { key, line, first_line });
            }
            None => drop(first_lines.insert(key, line)),
        }
    }
    duplicates
}

impl ConstructorKey {
    fn from_expression(expression: &Expression) -> Option<Self> {
        match literal_of(expression) {
            Literal::Text(text) => text.map(Self::Text),
            Literal::Number(number) => number.map(Self::from_number),
            Literal::Bool(value) => value.map(Self::Bool),
            _ => None,
        }
    }

    fn from_number(number: f64) -> Self {
        // 0 and -0 are one key.
        Self::Number((number + 0.0).to_bits())
    }
}

impl fmt::Display for ConstructorKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => f.write_str(text),
            Self::Number(bits) => write!(f, "[{}]", f64::from_bits(*bits)),
            Self::Bool(value) => write!(f, "[{value}]"),
        }
    }
}
