//! Finds locals that are misused: one that holds no function is called, or one is read for a field
//! that it does not have. `check` knows whether the local shadows something that is meant.

use std::collections::{BTreeMap, BTreeSet};

use super::file_uses::ValueSource;
use super::literal::Literal;
use super::locals::LocalId;

/// The value of a local, as far as its declaration shows it.
#[derive(Clone, Debug)]
pub(crate) enum LocalValue {
    /// A literal.
    Literal(Literal),
    /// A value from elsewhere.
    Source(ValueSource),
}

/// A local that is used in a way that its value may not allow.
#[derive(Clone, Debug)]
pub(crate) struct MisusedLocal {
    pub(crate) name: String,
    /// The field that is read; none for a call.
    pub(crate) field: Option<String>,
    pub(crate) line: u32,
    /// The line of the declaration.
    pub(crate) declared_line: u32,
    pub(crate) value: LocalValue,
}

/// Collects them.
#[derive(Default)]
pub(super) struct ShadowingCollector {
    values: BTreeMap<LocalId, (u32, LocalValue)>,
    uses: Vec<(LocalId, String, Option<String>, u32)>,
    /// Tables that are written to.
    written_tables: BTreeSet<LocalId>,
}

impl ShadowingCollector {
    /// Records a new local and its value.
    pub(super) fn add_local(&mut self, local: LocalId, line: u32, value: LocalValue) {
        if !matches!(
            value,
            LocalValue::Literal(Literal::Unknown | Literal::Function | Literal::Nil)
        ) {
            self.values.insert(local, (line, value));
        }
    }

    /// Records a write into a local's table.
    pub(super) fn add_write(&mut self, local: LocalId) {
        self.written_tables.insert(local);
    }

    /// Records a call of a local, or a read of a field.
    pub(super) fn add_use(&mut self, local: LocalId, name: &str, field: Option<&str>, line: u32) {
        if self.values.contains_key(&local) {
            self.uses.push((local, name.to_owned(), field.map(str::to_owned), line));
        }
    }

    /// Returns the uses of locals whose value is known. `changes` says which locals may have
    /// changed.
    pub(super) fn into_misused_locals(
        self,
        changes: impl Fn(LocalId, bool) -> bool,
    ) -> Vec<MisusedLocal> {
        let Self { values, uses, written_tables } = self;
        let misused_locals = uses.into_iter().filter_map(|(local, name, field, line)| {
            let (declared, value) = values.get(&local)?.clone();
            let table = matches!(value, LocalValue::Literal(Literal::Table(_)));
            let is_written_table = field.is_some() && table && written_tables.contains(&local);
            (!is_written_table && !changes(local, table)).then_some(MisusedLocal {
                name,
                field,
                line,
                declared_line: declared,
                value,
            })
        });
        misused_locals.collect()
    }
}
