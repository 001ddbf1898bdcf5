//! Finds locals that are misused: one that holds no function is called, or one is read for a field
//! that it does not have. `check` knows whether the local shadows something that is meant.

use std::collections::{BTreeMap, BTreeSet};

use super::locals::LocalId;
use super::said::Said;
use super::used::From;

/// The value of a local, as far as its declaration shows it.
#[derive(Clone, Debug)]
pub(in crate::workshop) enum Holds {
    /// A literal.
    Said(Said),
    /// A value from elsewhere.
    From(From),
}

/// A local that is used in a way that its value may not allow.
#[derive(Clone, Debug)]
pub(in crate::workshop) struct Hidden {
    pub(in crate::workshop) name: String,
    /// The field that is read; none for a call.
    pub(in crate::workshop) field: Option<String>,
    pub(in crate::workshop) line: u32,
    /// The line of the declaration.
    pub(in crate::workshop) declared: u32,
    pub(in crate::workshop) holds: Holds,
}

/// Collects them.
#[derive(Default)]
pub(super) struct Hiding {
    holds: BTreeMap<LocalId, (u32, Holds)>,
    used: Vec<(LocalId, String, Option<String>, u32)>,
    /// Tables that are written to.
    written: BTreeSet<LocalId>,
}

impl Hiding {
    /// Records a new local and its value.
    pub(super) fn holds(&mut self, local: LocalId, line: u32, holds: Holds) {
        if !matches!(holds, Holds::Said(Said::Untold | Said::Function | Said::Nil)) {
            self.holds.insert(local, (line, holds));
        }
    }

    /// Records a write into a local's table.
    pub(super) fn written(&mut self, local: LocalId) {
        self.written.insert(local);
    }

    /// Records a call of a local, or a read of a field.
    pub(super) fn used(&mut self, local: LocalId, name: &str, field: Option<&str>, line: u32) {
        if self.holds.contains_key(&local) {
            self.used.push((local, name.to_owned(), field.map(str::to_owned), line));
        }
    }

    /// Returns the uses of locals whose value is known. `changes` says which locals may have
    /// changed.
    pub(super) fn finish(self, changes: impl Fn(LocalId, bool) -> bool) -> Vec<Hidden> {
        let Self { holds, used, written } = self;
        let hidden = used.into_iter().filter_map(|(local, name, field, line)| {
            let (declared, holds) = holds.get(&local)?.clone();
            let table = matches!(holds, Holds::Said(Said::Table(_)));
            let put = field.is_some() && table && written.contains(&local);
            (!put && !changes(local, table)).then_some(Hidden {
                name,
                field,
                line,
                declared,
                holds,
            })
        });
        hidden.collect()
    }
}
