//! The differences between two tables, as changes. A replaced table is written as the entries that
//! differ: a list that is rebuilt with more items becomes its new items.

use std::collections::BTreeSet;

use super::arena::{TableBody, TableEntry};
use super::changes::{ListSplice, TableChange};
use super::{Key, StateTree, StoredValue};

impl StateTree {
    /// Adds the changes that turn one table into another at a path. Returns false if the tables are
    /// of different kinds. Also false if the old one, or a table below it, was written in this
    /// step, because its value at the savepoint is lost.
    pub(super) fn add_table_diff(
        &self,
        path: &[Key],
        (before, now): (&StoredValue, &StoredValue),
        written_cells: &BTreeSet<u32>,
        changes: &mut Vec<TableChange>,
    ) -> bool {
        let (StoredValue::Table(before), StoredValue::Table(now)) = (before, now) else {
            return false;
        };
        if before.index == now.index || self.is_subtree_written(before.index, written_cells) {
            return false;
        }
        self.add_body_diff(path, before.index, now.index, changes)
    }

    fn is_subtree_written(&self, cell: u32, written_cells: &BTreeSet<u32>) -> bool {
        let is_written = |entry: &TableEntry| match &entry.value {
            StoredValue::Table(child) => self.is_subtree_written(child.index, written_cells),
            _ => false,
        };
        written_cells.contains(&cell)
            || match &self.cells[cell as usize].body {
                TableBody::Empty => false,
                TableBody::List(list) => list.iter().any(is_written),
                TableBody::Map(map) => map.values().any(is_written),
            }
    }

    fn add_body_diff(
        &self,
        path: &[Key],
        before: u32,
        now: u32,
        changes: &mut Vec<TableChange>,
    ) -> bool {
        let mut change = TableChange { path: path.to_vec(), ..TableChange::default() };
        match (&self.cells[before as usize].body, &self.cells[now as usize].body) {
            (TableBody::Empty, TableBody::Empty) => return true,
            (TableBody::List(before), TableBody::List(now)) => {
                change.list_splices = self.list_diff(before, now).into_iter().collect();
            }
            (TableBody::Map(before), TableBody::Map(now)) => {
                let is_gone = |key: &&std::sync::Arc<str>| !now.contains_key(*key);
                change.removed_keys = before.keys().filter(is_gone).cloned().collect();
                for (key, entry) in now {
                    let old_slot = before.get(key).map(|entry| &entry.value);
                    if old_slot.is_some_and(|old| self.is_same_value(old, &entry.value)) {
                        continue;
                    }
                    if let (Some(StoredValue::Table(old)), StoredValue::Table(new)) =
                        (old_slot, &entry.value)
                    {
                        let inner = [path, &[Key::Text(key.clone())]].concat();
                        if self.add_body_diff(&inner, old.index, new.index, changes) {
                            continue;
                        }
                    }
                    change
                        .set_entries
                        .insert(key.clone(), self.stored_to_value_unchecked(&entry.value));
                }
            }
            _ => return false,
        }
        if !change.is_empty() {
            changes.push(change);
        }
        true
    }

    /// The splice between the equal items at both ends.
    fn list_diff(&self, before: &[TableEntry], now: &[TableEntry]) -> Option<ListSplice> {
        let is_same = |(one, other): &(&TableEntry, &TableEntry)| {
            self.is_same_value(&one.value, &other.value)
        };
        let head = before.iter().zip(now).take_while(is_same).count();
        let (before, now) = (&before[head..], &now[head..]);
        let tail = before.iter().rev().zip(now.iter().rev()).take_while(is_same).count();
        let (before, now) = (&before[..before.len() - tail], &now[..now.len() - tail]);
        let inserted = now.iter().map(|entry| self.stored_to_value_unchecked(&entry.value));
        (!before.is_empty() || !now.is_empty()).then(|| ListSplice {
            first_index: head as u32 + 1,
            removed_count: before.len() as u32,
            inserted_items: inserted.collect(),
        })
    }

    fn is_same_value(&self, one: &StoredValue, other: &StoredValue) -> bool {
        let (StoredValue::Table(one), StoredValue::Table(other)) = (one, other) else {
            return one == other;
        };
        let bodies = (&self.cells[one.index as usize].body, &self.cells[other.index as usize].body);
        match bodies {
            (TableBody::Empty, TableBody::Empty) => true,
            (TableBody::List(one), TableBody::List(other)) => {
                let mut pairs = one.iter().zip(other);
                one.len() == other.len()
                    && pairs.all(|(one, other)| self.is_same_value(&one.value, &other.value))
            }
            (TableBody::Map(one), TableBody::Map(other)) => {
                let mut pairs = one.iter().zip(other);
                one.len() == other.len()
                    && pairs.all(|((key, one), (other_key, other))| {
                        key == other_key && self.is_same_value(&one.value, &other.value)
                    })
            }
            _ => false,
        }
    }
}
