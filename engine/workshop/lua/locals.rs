//! The locals of a file: where each is declared, and what is known of its value.

use std::collections::BTreeMap;

use super::{Finding, Kept};

/// The number of a local in its file.
pub(super) type LocalId = usize;

/// A local.
struct Local {
    name: String,
    line: u32,
    /// The number of functions around it; 0 for locals of the file.
    depth: u32,
    /// Whether it starts as a table literal.
    table: bool,
    /// Whether it holds a table or a function, as far as is known.
    reference: bool,
}

/// A key of a write.
pub(super) enum Key {
    /// A table or a function.
    Reference,
    /// The value of a local.
    Local(LocalId),
}

/// The locals of a file, and the current scopes.
#[derive(Default)]
pub(super) struct Locals {
    all: Vec<Local>,
    scopes: Vec<BTreeMap<String, LocalId>>,
    depth: u32,
    /// Tables written with a key that may have no order.
    written: Vec<(LocalId, Key)>,
    /// Loops over tables, with their lines.
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

    /// Whether we are inside a function.
    pub(super) fn in_function(&self) -> bool {
        self.depth > 0
    }

    /// Declares a local.
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

    /// The local that a name means here; `None` for a global.
    pub(super) fn find(&self, name: &str) -> Option<LocalId> {
        self.scopes.iter().rev().find_map(|scope| scope.get(name).copied())
    }

    /// The local is indexed, so it holds a table or something like one.
    pub(super) fn indexed(&mut self, id: LocalId) {
        self.all[id].reference = true;
    }

    /// The local is assigned.
    pub(super) fn assigned(&mut self, id: LocalId, line: u32) {
        self.keep(id, line, true);
    }

    /// The table in a local is written.
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

    /// The table in a local is written with this key.
    pub(super) fn written(&mut self, id: LocalId, key: Key) {
        if self.all[id].table {
            self.written.push((id, key));
        }
    }

    /// A loop goes over a local.
    pub(super) fn walked(&mut self, id: LocalId, line: u32) {
        self.walked.push((id, line));
    }

    /// Loops over tables that were written with keys without an order.
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
