//! The locals of a file: where each was declared, and what is known of what it holds.

use std::collections::BTreeMap;

use super::{Finding, Kept};

/// The number of a local in its file.
pub(super) type LocalId = usize;

/// A local.
struct Local {
    name: String,
    line: u32,
    /// How many functions it stands inside; 0 for those that the file itself keeps.
    depth: u32,
    /// Whether it began as a table written out.
    table: bool,
    /// Whether it holds a table or a function, as far as can be told.
    reference: bool,
}

/// A key that something was written under.
pub(super) enum Key {
    /// It plainly is a table or a function.
    Reference,
    /// It is what a local holds.
    Local(LocalId),
}

/// The locals of a file, and which of them a name means now.
#[derive(Default)]
pub(super) struct Locals {
    all: Vec<Local>,
    scopes: Vec<BTreeMap<String, LocalId>>,
    depth: u32,
    /// Tables written to under a key that may have no order.
    written: Vec<(LocalId, Key)>,
    /// Tables walked, and where.
    walked: Vec<(LocalId, u32)>,
    pub(super) kept: Vec<Kept>,
}

impl Locals {
    pub(super) fn open(&mut self) {
        self.scopes.push(BTreeMap::new());
    }

    pub(super) fn close(&mut self) {
        self.scopes.pop();
    }

    pub(super) fn open_function(&mut self) {
        self.depth += 1;
        self.open();
    }

    pub(super) fn close_function(&mut self) {
        self.depth -= 1;
        self.close();
    }

    /// Whether we stand inside a function.
    pub(super) fn in_function(&self) -> bool {
        self.depth > 0
    }

    /// A local begins.
    pub(super) fn declare(
        &mut self,
        name: String,
        line: u32,
        table: bool,
        reference: bool,
    ) -> LocalId {
        let id = self.all.len();
        self.all.push(Local { name: name.clone(), line, depth: self.depth, table, reference });
        if self.scopes.is_empty() {
            self.open();
        }
        self.scopes.last_mut().expect("a scope was just opened").insert(name, id);
        id
    }

    /// The local that a name means here; `None` if it is none of the file's own.
    pub(super) fn find(&self, name: &str) -> Option<LocalId> {
        self.scopes.iter().rev().find_map(|scope| scope.get(name).copied())
    }

    /// The local was indexed, so that it holds a table or what behaves like one.
    pub(super) fn indexed(&mut self, id: LocalId) {
        self.all[id].reference = true;
    }

    /// The local is assigned here.
    pub(super) fn assigned(&mut self, id: LocalId, line: u32) {
        self.keep(id, line, true);
    }

    /// Something is written into the table that a local holds.
    pub(super) fn changed(&mut self, id: LocalId, line: u32) {
        if self.all[id].table {
            self.keep(id, line, false);
        }
    }

    fn keep(&mut self, id: LocalId, line: u32, assigned: bool) {
        let local = &self.all[id];
        if local.depth == 0 && self.depth > 0 {
            let (name, declared) = (local.name.clone(), local.line);
            self.kept.push(Kept { name, line, declared, assigned });
        }
    }

    /// Something is written into a local's table under a key.
    pub(super) fn written(&mut self, id: LocalId, key: Key) {
        if self.all[id].table {
            self.written.push((id, key));
        }
    }

    /// A local is walked by a loop.
    pub(super) fn walked(&mut self, id: LocalId, line: u32) {
        self.walked.push((id, line));
    }

    /// The loops over tables of this file that were written to under keys without an order.
    pub(super) fn unordered(&self) -> Vec<Finding> {
        let odd = |table: LocalId| {
            self.written.iter().any(|(written, key)| {
                *written == table
                    && match key {
                        Key::Reference => true,
                        Key::Local(id) => self.all[*id].reference,
                    }
            })
        };
        let walked = self.walked.iter().filter(|(table, _)| odd(*table));
        walked.map(|(id, line)| Finding { name: self.all[*id].name.clone(), line: *line }).collect()
    }
}
