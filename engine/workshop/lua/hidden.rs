//! Locals that are used as if they were something else: one that holds no function is called, or asked for what
//! it plainly has not. Whether there is something of that name that it hides, `check` knows.

use std::collections::{BTreeMap, BTreeSet};

use super::locals::LocalId;
use super::said::Said;
use super::used::From;

/// What a local holds, as far as that is written out where it is declared.
#[derive(Clone, Debug)]
pub(in crate::workshop) enum Holds {
    /// It is written out.
    Said(Said),
    /// It comes from elsewhere.
    From(From),
}

/// A local that is used.
#[derive(Clone, Debug)]
pub(in crate::workshop) struct Hidden {
    pub(in crate::workshop) name: String,
    /// What is asked of it; nothing where it is called.
    pub(in crate::workshop) field: Option<String>,
    pub(in crate::workshop) line: u32,
    /// Where it is declared.
    pub(in crate::workshop) declared: u32,
    pub(in crate::workshop) holds: Holds,
}

/// Gathers them.
#[derive(Default)]
pub(super) struct Hiding {
    holds: BTreeMap<LocalId, (u32, Holds)>,
    used: Vec<(LocalId, String, Option<String>, u32)>,
    /// Tables that something is put into.
    written: BTreeSet<LocalId>,
}

impl Hiding {
    /// A local begins, and holds this.
    pub(super) fn holds(&mut self, local: LocalId, line: u32, holds: Holds) {
        if !matches!(holds, Holds::Said(Said::Untold | Said::Function | Said::Nil)) {
            self.holds.insert(local, (line, holds));
        }
    }

    /// Something is put into what a local holds.
    pub(super) fn written(&mut self, local: LocalId) {
        self.written.insert(local);
    }

    /// A local is called, or asked for a field.
    pub(super) fn used(&mut self, local: LocalId, name: &str, field: Option<&str>, line: u32) {
        if self.holds.contains_key(&local) {
            self.used.push((local, name.to_owned(), field.map(str::to_owned), line));
        }
    }

    /// Those of which it is known what they hold, where `changes` says which may hold something else by then.
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
