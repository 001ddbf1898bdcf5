//! The changes of a step as data: computed from the undo log and written to a journal. Applied to
//! the tree before the step, they give the tree after it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::arena::{StateSize, SubtreeChange, TableBody, TableEntry, measure_text, measure_value};
use super::undo_log::{StateSavepoint, UndoRecord};
use super::{Key, ROOT_CELL, StateError, StateTree, StoredValue, TableHandle};
use base::value::ValueMap;
use base::{Value, limits};

/// What changed in one table. Applied in the order of the fields.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TableChange {
    /// The path of the table after the step.
    pub path: Vec<Key>,
    /// The text keys that were removed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[serde(rename = "removed")]
    pub removed_keys: Vec<Arc<str>>,
    /// The items of a list that were replaced, inserted or removed, in ascending order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[serde(rename = "items")]
    pub list_splices: Vec<ListSplice>,
    /// The text keys that were set, with their values.
    #[serde(default, skip_serializing_if = "ValueMap::is_empty")]
    #[serde(rename = "set")]
    pub set_entries: ValueMap,
}

impl TableChange {
    /// Whether it changes nothing.
    pub(super) fn is_empty(&self) -> bool {
        self.removed_keys.is_empty() && self.list_splices.is_empty() && self.set_entries.is_empty()
    }
}

/// Replaces a range of the items of a list.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ListSplice {
    /// The index of the first item of the range after the step, from 1.
    #[serde(rename = "at")]
    pub first_index: u32,
    /// The number of removed items.
    #[serde(default, skip_serializing_if = "is_zero")]
    #[serde(rename = "removed")]
    pub removed_count: u32,
    /// The inserted items.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[serde(rename = "inserted")]
    pub inserted_items: Vec<Value>,
}

fn is_zero(count: &u32) -> bool {
    *count == 0
}

/// The writes to one table since a savepoint.
#[derive(Default)]
struct WrittenTable<'a> {
    /// The written text keys, and the value of each at the savepoint.
    previous_values_by_key: BTreeMap<Arc<str>, Option<&'a StoredValue>>,
    /// The records of list items, in order.
    list_records: Vec<&'a UndoRecord>,
    /// For each item of the list, its index at the savepoint, from 0; `None` if it was written
    /// since.
    item_origins: Vec<Option<u32>>,
    /// The length of the list at the savepoint.
    previous_length: u32,
}

impl WrittenTable<'_> {
    /// Finds the origins of the items of a list with this current length.
    fn trace_item_origins(&mut self, length: usize) {
        let count = |is_counted: fn(&UndoRecord) -> bool| {
            self.list_records.iter().filter(|record| is_counted(record)).count()
        };
        let inserted = count(|record| matches!(record, UndoRecord::ListInsert { .. }));
        let removed = count(|record| matches!(record, UndoRecord::ListRemove { .. }));
        self.previous_length = (length + removed - inserted) as u32;
        self.item_origins = (0..self.previous_length).map(Some).collect();
        for record in &self.list_records {
            match record {
                UndoRecord::ListItem { index, .. } => self.item_origins[*index as usize - 1] = None,
                UndoRecord::ListInsert { index, .. } => {
                    self.item_origins.insert(*index as usize - 1, None);
                }
                UndoRecord::ListRemove { index, .. } => {
                    self.item_origins.remove(*index as usize - 1);
                }
                UndoRecord::TextKey { .. } => {}
            }
        }
    }

    /// The splices that turn the previous list into the current one. `values` copies a range of
    /// items, from 0.
    fn splices(&self, values: impl Fn(std::ops::Range<usize>) -> Vec<Value>) -> Vec<ListSplice> {
        let mut splices = Vec::new();
        let (mut place, mut next_origin) = (0, 0);
        while place < self.item_origins.len() || next_origin < self.previous_length {
            let written =
                self.item_origins[place..].iter().take_while(|item| item.is_none()).count();
            let end = place + written;
            let origin_after =
                self.item_origins.get(end).copied().flatten().unwrap_or(self.previous_length);
            let removed = origin_after - next_origin;
            if written > 0 || removed > 0 {
                let inserted = values(place..end);
                splices.push(ListSplice {
                    first_index: place as u32 + 1,
                    removed_count: removed,
                    inserted_items: inserted,
                });
            }
            (place, next_origin) = (end + 1, origin_after + 1);
        }
        splices
    }
}

impl StateTree {
    /// What changed since a savepoint, the tables nearest to the root first. Applied to the tree at
    /// the savepoint by [`StateTree::apply_changes`], it gives the present tree.
    pub fn changes_since(&self, mark: &StateSavepoint) -> Vec<TableChange> {
        let written = self.written_tables(mark);
        let written_cells: BTreeSet<u32> =
            self.undo_records_since(mark).iter().map(UndoRecord::cell_index).collect();
        let mut changes = Vec::new();
        for (node, table) in &written {
            if !self.is_within_written_value(*node, &written) {
                self.add_table_change(*node, table, &written_cells, &mut changes);
            }
        }
        changes.sort_by(|one, other| {
            (one.path.len(), &one.path).cmp(&(other.path.len(), &other.path))
        });
        changes
    }

    fn undo_records_since(&self, mark: &StateSavepoint) -> &[UndoRecord] {
        &self.undo_log[mark.log_length.min(self.undo_log.len())..]
    }

    /// The written tables that are in the tree, by cell.
    fn written_tables(&self, mark: &StateSavepoint) -> BTreeMap<u32, WrittenTable<'_>> {
        let mut written: BTreeMap<u32, WrittenTable<'_>> = BTreeMap::new();
        for record in self.undo_records_since(mark) {
            let node = record.cell_index();
            let is_detached = self.cells[node as usize].generation % 2 == 1;
            if is_detached {
                continue;
            }
            let table = written.entry(node).or_default();
            match record {
                UndoRecord::TextKey { key, before, .. } => {
                    table.previous_values_by_key.entry(key.clone()).or_insert(before.as_ref());
                }
                _ => table.list_records.push(record),
            }
        }
        for (node, table) in &mut written {
            if !table.list_records.is_empty() {
                table.trace_item_origins(self.list_entries_of_cell(*node).len());
            }
        }
        written
    }

    fn list_entries_of_cell(&self, node: u32) -> &[TableEntry] {
        match &self.cells[node as usize].body {
            TableBody::List(list) => list,
            _ => &[],
        }
    }

    /// Whether a table is inside a value that the change of another table contains.
    fn is_within_written_value(
        &self,
        node: u32,
        written: &BTreeMap<u32, WrittenTable<'_>>,
    ) -> bool {
        let mut index = node;
        while index != ROOT_CELL {
            let cell = &self.cells[index as usize];
            let is_written = written.get(&cell.parent).is_some_and(|parent| match &cell.key {
                Key::Text(key) => parent.previous_values_by_key.contains_key(key),
                Key::Index(at) => parent.item_origins.get(*at as usize - 1) == Some(&None),
            });
            if is_written {
                return true;
            }
            index = cell.parent;
        }
        false
    }

    fn add_table_change(
        &self,
        node: u32,
        table: &WrittenTable<'_>,
        written_cells: &BTreeSet<u32>,
        changes: &mut Vec<TableChange>,
    ) {
        let cell = &self.cells[node as usize];
        let id = TableHandle { index: node, generation: cell.generation };
        let mut change = TableChange { path: self.path_to_table(id), ..TableChange::default() };
        for (key, before) in &table.previous_values_by_key {
            let slot = match &cell.body {
                TableBody::Map(map) => map.get(key).map(|entry| &entry.value),
                _ => None,
            };
            match slot {
                Some(slot) => {
                    let path = [&change.path[..], &[Key::Text(key.clone())]].concat();
                    let is_written_as_diff = before.is_some_and(|before| {
                        before == slot
                            || self.add_table_diff(&path, (before, slot), written_cells, changes)
                    });
                    if !is_written_as_diff {
                        change
                            .set_entries
                            .insert(key.clone(), self.stored_to_value_unchecked(slot));
                    }
                }
                None if before.is_some() => change.removed_keys.push(key.clone()),
                None => {}
            }
        }
        let list = self.list_entries_of_cell(node);
        change.list_splices = table.splices(|range| {
            list[range].iter().map(|entry| self.stored_to_value_unchecked(&entry.value)).collect()
        });
        if !change.is_empty() {
            changes.push(change);
        }
    }

    /// Applies the changes of a step to the tree before it. Opens no savepoint and keeps the limits
    /// of the tree. After an error the tree is inconsistent and must be dropped.
    pub fn apply_changes(&mut self, changes: &[TableChange]) -> Result<(), StateError> {
        assert!(self.open_savepoint_count == 0, "changes are applied between steps");
        // Each value is in the tree after the step, so that all of them have less than its limits.
        let mut added = StateSize::default();
        changes.iter().try_for_each(|change| self.apply_table_change(change, &mut added))?;
        let is_too_large = self.tree_size.entry_count >= limits::MAX_STATE_ENTRIES
            || self.tree_size.text_bytes > limits::MAX_STATE_TEXT_BYTES;
        if is_too_large { Err(StateError::StateTooLarge) } else { Ok(()) }
    }

    fn apply_table_change(
        &mut self,
        change: &TableChange,
        added: &mut StateSize,
    ) -> Result<(), StateError> {
        let node = self.find_table_at_path(&change.path)?;
        for key in &change.removed_keys {
            if let Some((key, before)) = self.remove_text_key(node.index, key) {
                self.free_replaced_value(&before);
                self.tree_size.subtract(StateSize { entry_count: 1, text_bytes: key.len() });
            }
        }
        if !change.list_splices.is_empty() {
            self.apply_splices(node, &change.list_splices, added)?;
        }
        for (key, value) in &change.set_entries {
            if let TableBody::List(_) = self.live_cell(node)?.body {
                return Err(StateError::TextKeyInList(Box::from(&**key)));
            }
            let key_bytes = measure_text(key)?;
            let slot = self.allocate_checked_value(node, value, added)?;
            match self.put_text_key(node.index, key, slot).1 {
                Some(before) => self.free_replaced_value(&before),
                None => self.tree_size.add(StateSize { entry_count: 1, text_bytes: key_bytes }),
            }
            self.check_entry_count(node)?;
        }
        Ok(())
    }

    fn apply_splices(
        &mut self,
        node: TableHandle,
        splices: &[ListSplice],
        added: &mut StateSize,
    ) -> Result<(), StateError> {
        if node.index == ROOT_CELL {
            return Err(StateError::RootNotMap);
        }
        if let TableBody::Map(_) = &self.live_cell(node)?.body {
            return Err(StateError::IndexInMap(
                splices.first().map_or(1, |splice| splice.first_index),
            ));
        }
        let length_before = self.list_entries_of_cell(node.index).len() as u64;
        let (mut length, mut end) = (length_before, 1);
        let mut ranges = Vec::with_capacity(splices.len());
        for splice in splices {
            let (at, removed, inserted) = (
                u64::from(splice.first_index),
                u64::from(splice.removed_count),
                splice.inserted_items.len() as u64,
            );
            if at < end || at + removed > length + 1 {
                return Err(StateError::WriteLeavesHole {
                    index: splice.first_index,
                    length: length as u32,
                });
            }
            (length, end) = (length - removed + inserted, at + inserted);
            let mut slots = Vec::with_capacity(splice.inserted_items.len());
            for value in &splice.inserted_items {
                slots.push(self.allocate_checked_value(node, value, added)?);
            }
            self.tree_size.add(StateSize { entry_count: slots.len(), text_bytes: 0 });
            ranges.push((splice.first_index, splice.removed_count, slots));
        }
        for before in self.splice_items(node.index, ranges) {
            self.free_replaced_value(&before);
            self.tree_size.subtract(StateSize { entry_count: 1, text_bytes: 0 });
        }
        self.check_entry_count(node)
    }

    /// The table at a path.
    fn find_table_at_path(&self, path: &[Key]) -> Result<TableHandle, StateError> {
        let mut node = self.root();
        for key in path {
            node = match self.get(node, key)? {
                StoredValue::Table(child) => child,
                _ => return Err(StateError::StaleHandle),
            };
        }
        Ok(node)
    }

    fn allocate_checked_value(
        &mut self,
        node: TableHandle,
        value: &Value,
        added: &mut StateSize,
    ) -> Result<StoredValue, StateError> {
        let size = measure_value(value, self.live_cell(node)?.depth as usize)?;
        added.add(size);
        if added.entry_count >= limits::MAX_STATE_ENTRIES
            || added.text_bytes > limits::MAX_STATE_TEXT_BYTES
        {
            return Err(StateError::StateTooLarge);
        }
        self.tree_size.add(size);
        Ok(self.allocate_value(value.clone(), node.index))
    }

    fn check_entry_count(&self, node: TableHandle) -> Result<(), StateError> {
        match self.entry_count(node)? <= limits::MAX_TABLE_ENTRIES {
            true => Ok(()),
            false => Err(StateError::TooManyEntries),
        }
    }

    fn free_replaced_value(&mut self, before: &StoredValue) {
        let size = self.change_subtree(before, SubtreeChange::Free);
        self.tree_size.subtract(size);
    }
}
