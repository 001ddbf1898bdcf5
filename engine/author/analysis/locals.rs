//! The locals of a file: where each is declared, and what is known of its value.

use std::collections::BTreeMap;

use super::{LocalMutation, UnorderedLoop};

/// The number of a local in its file.
pub(super) type LocalId = usize;
/// The number of a function in its file.
pub(crate) type FunctionIndex = usize;

/// A local.
struct Local {
    name: String,
    line: u32,
    /// The number of functions around it; 0 for locals of the file.
    function_depth: u32,
    /// Whether it starts as a table literal.
    is_table: bool,
    /// Whether it holds a table or a function, as far as is known.
    is_reference: bool,
}

/// A key of a write.
pub(super) enum TableKey {
    /// A table or a function.
    TableOrFunction,
    /// The value of a local.
    Local(LocalId),
}

/// The locals of a file, and the current scopes.
#[derive(Default)]
pub(super) struct Locals {
    locals: Vec<Local>,
    scopes: Vec<BTreeMap<String, LocalId>>,
    function_depth: u32,
    /// Tables written with a key that may have no order.
    keyed_writes: Vec<(LocalId, TableKey)>,
    /// Loops over tables, with their lines.
    table_loops: Vec<(LocalId, u32)>,
    pub(super) mutations: Vec<LocalMutation>,
}

impl Locals {
    pub(super) fn open_scope(&mut self) {
        self.scopes.push(BTreeMap::new());
    }

    pub(super) fn close_scope(&mut self) {
        self.scopes.pop();
    }

    pub(super) fn open_function(&mut self) {
        self.function_depth += 1;
        self.open_scope();
    }

    pub(super) fn close_function(&mut self) {
        self.function_depth -= 1;
        self.close_scope();
    }

    /// Whether we are inside a function.
    pub(super) fn is_in_function(&self) -> bool {
        self.function_depth > 0
    }

    /// Declares a local.
    pub(super) fn declare_local(
        &mut self,
        name: String,
        line: u32,
        table: bool,
        reference: bool,
    ) -> LocalId {
        let id = self.locals.len();
        self.locals.push(Local {
            name: name.clone(),
            line,
            function_depth: self.function_depth,
            is_table: table,
            is_reference: reference,
        });
        if self.scopes.is_empty() {
            self.open_scope();
        }
        self.scopes.last_mut().expect("a scope was just opened").insert(name, id);
        id
    }

    /// The local that a name means here; `None` for a global.
    pub(super) fn find_local(&self, name: &str) -> Option<LocalId> {
        self.scopes.iter().rev().find_map(|scope| scope.get(name).copied())
    }

    /// The local is indexed, so it holds a table or something like one.
    pub(super) fn mark_indexed(&mut self, id: LocalId) {
        self.locals[id].is_reference = true;
    }

    /// The local is assigned.
    pub(super) fn mark_assigned(&mut self, id: LocalId, line: u32) {
        self.add_mutation(id, line, true);
    }

    /// The table in a local is written.
    pub(super) fn mark_table_written(&mut self, id: LocalId, line: u32) {
        if self.locals[id].is_table {
            self.add_mutation(id, line, false);
        }
    }

    fn add_mutation(&mut self, id: LocalId, line: u32, assigned: bool) {
        let local = &self.locals[id];
        if local.function_depth == 0 && self.function_depth > 0 {
            let (name, declared) = (local.name.clone(), local.line);
            self.mutations.push(LocalMutation {
                name,
                line,
                declared_line: declared,
                is_assigned: assigned,
            });
        }
    }

    /// The table in a local is written with this key.
    pub(super) fn add_keyed_write(&mut self, id: LocalId, key: TableKey) {
        if self.locals[id].is_table {
            self.keyed_writes.push((id, key));
        }
    }

    /// A loop goes over a local.
    pub(super) fn add_loop(&mut self, id: LocalId, line: u32) {
        self.table_loops.push((id, line));
    }

    /// Loops over tables that were written with keys without an order.
    pub(super) fn unordered_loops(&self) -> Vec<UnorderedLoop> {
        let has_unordered_keys = |table: LocalId| {
            self.keyed_writes.iter().any(|(written, key)| {
                *written == table
                    && match key {
                        TableKey::TableOrFunction => true,
                        TableKey::Local(id) => self.locals[*id].is_reference,
                    }
            })
        };
        let unordered = self.table_loops.iter().filter(|(table, _)| has_unordered_keys(*table));
        unordered
            .map(|(id, line)| UnorderedLoop { name: self.locals[*id].name.clone(), line: *line })
            .collect()
    }
}
