//! Writes: validation, size accounting, and the undo record of each write.

use super::arena::{StateSize, SubtreeChange, TableBody, measure_text, measure_value};
use super::digest::BorrowedKey;
use super::undo_log::UndoRecord;
use super::{Key, ROOT_CELL, StateError, StateTree, StoredValue, TableHandle};
use base::{Value, limits};

impl StateTree {
    /// Stores a copy of a value under a key; `None` removes the entry. A table that is overwritten
    /// or removed goes stale. A refused write changes nothing.
    pub fn set(
        &mut self,
        node: TableHandle,
        key: Key,
        value: Option<Value>,
    ) -> Result<(), StateError> {
        match key {
            Key::Text(text) => self.set_by_text_key(node, &text, value),
            Key::Index(index) => self.set_by_index(node, index, value),
        }
    }

    /// As `set`, under a text key.
    pub fn set_by_text_key(
        &mut self,
        node: TableHandle,
        key: &str,
        value: Option<Value>,
    ) -> Result<(), StateError> {
        let cell = self.live_cell(node)?;
        if matches!(cell.body, TableBody::List(_)) {
            let Some(_) = value else { return Ok(()) };
            return Err(StateError::TextKeyInList(Box::from(key)));
        }
        let Some(value) = value else {
            return self.remove_by_text_key(node, key);
        };
        if let TableBody::Map(map) = &cell.body
            && map.len() >= limits::MAX_TABLE_ENTRIES
            && !map.contains_key(key)
        {
            return Err(StateError::TooManyEntries);
        }
        let key_bytes = measure_text(key)?;
        self.check_and_charge_value(key_bytes, &value, node, BorrowedKey::Text(key))?;
        let slot = self.allocate_value(value, node.index);
        let (shared_key, before) = self.put_text_key(node.index, key, slot);
        match &before {
            Some(before) => self.release_replaced_value(before),
            None => self.tree_size.add(StateSize { entry_count: 1, text_bytes: key_bytes }),
        }
        self.record_undo(|| UndoRecord::TextKey { node: node.index, key: shared_key, before });
        Ok(())
    }

    /// As `set`, at an index of a list.
    pub fn set_by_index(
        &mut self,
        node: TableHandle,
        index: u32,
        value: Option<Value>,
    ) -> Result<(), StateError> {
        let length = self.require_list_length(node, index)?;
        let Some(value) = value else {
            return match index {
                _ if index == 0 || index > length => Ok(()),
                _ if index == length => self.remove_list_item(node, index),
                _ => Err(StateError::RemovalLeavesHole { index, length }),
            };
        };
        if index == 0 || index > length + 1 {
            return Err(StateError::WriteLeavesHole { index, length });
        }
        if index == length + 1 {
            return self.check_and_insert_item(node, index, value);
        }
        self.check_and_charge_value(0, &value, node, BorrowedKey::Index(index))?;
        let slot = self.allocate_value(value, node.index);
        let before = self.replace_item(node.index, index, slot);
        self.release_replaced_value(&before);
        self.record_undo(|| UndoRecord::ListItem { node: node.index, index, before });
        Ok(())
    }

    /// Inserts a copy of a value into a list, at 1 to one past its end, and shifts the items from
    /// there on.
    pub fn insert_into_list(
        &mut self,
        node: TableHandle,
        at: usize,
        value: Value,
    ) -> Result<(), StateError> {
        let index = u32::try_from(at).unwrap_or(u32::MAX);
        let length = self.require_list_length(node, index)?;
        if index == 0 || index > length + 1 {
            return Err(StateError::WriteLeavesHole { index, length });
        }
        self.check_and_insert_item(node, index, value)
    }

    /// Removes the list item at an index and closes the gap; `None` if there is no such item.
    pub fn remove_from_list(
        &mut self,
        node: TableHandle,
        at: usize,
    ) -> Result<Option<Value>, StateError> {
        let index = u32::try_from(at).unwrap_or(u32::MAX);
        let length = self.require_list_length(node, index)?;
        if index == 0 || index > length {
            return Ok(None);
        }
        let value = self.stored_to_plain_value(&self.get_by_index(node, index)?)?;
        self.remove_list_item(node, index)?;
        Ok(value)
    }

    fn check_and_insert_item(
        &mut self,
        node: TableHandle,
        index: u32,
        value: Value,
    ) -> Result<(), StateError> {
        if self.list_length(node)? >= limits::MAX_TABLE_ENTRIES {
            return Err(StateError::TooManyEntries);
        }
        self.check_and_charge_value(0, &value, node, BorrowedKey::Index(0))?;
        let slot = self.allocate_value(value, node.index);
        if let StoredValue::Table(_) = slot {
            self.set_parent(&slot, node.index, Key::Index(index));
        }
        self.insert_item(node.index, index, slot);
        self.tree_size.add(StateSize { entry_count: 1, text_bytes: 0 });
        self.record_undo(|| UndoRecord::ListInsert { node: node.index, index });
        Ok(())
    }

    fn remove_by_text_key(&mut self, node: TableHandle, key: &str) -> Result<(), StateError> {
        if self.get_by_text_key(node, key)? == StoredValue::Nil {
            return Ok(());
        }
        self.charge_write(StateSize { entry_count: 1, text_bytes: 0 })?;
        let (shared_key, before) = self.remove_text_key(node.index, key).expect("it was just read");
        self.release_replaced_value(&before);
        self.tree_size.subtract(StateSize { entry_count: 1, text_bytes: shared_key.len() });
        self.record_undo(|| UndoRecord::TextKey {
            node: node.index,
            key: shared_key,
            before: Some(before),
        });
        Ok(())
    }

    fn remove_list_item(&mut self, node: TableHandle, index: u32) -> Result<(), StateError> {
        self.charge_write(StateSize { entry_count: 1, text_bytes: 0 })?;
        let before = self.remove_item(node.index, index);
        self.release_replaced_value(&before);
        self.tree_size.subtract(StateSize { entry_count: 1, text_bytes: 0 });
        self.record_undo(|| UndoRecord::ListRemove { node: node.index, index, before });
        Ok(())
    }

    /// The length of a list or an empty table; a map is refused.
    fn require_list_length(&self, node: TableHandle, index: u32) -> Result<u32, StateError> {
        match &self.live_cell(node)?.body {
            _ if node.index == ROOT_CELL => Err(StateError::RootNotMap),
            TableBody::Empty => Ok(0),
            TableBody::List(list) => Ok(list.len() as u32),
            TableBody::Map(_) => Err(StateError::IndexInMap(index)),
        }
    }

    /// Checks a value before it is stored, and adds its size. A refused value is not counted.
    fn check_and_charge_value(
        &mut self,
        key_bytes: usize,
        value: &Value,
        node: TableHandle,
        replaced_key: BorrowedKey<'_>,
    ) -> Result<(), StateError> {
        let value_size = measure_value(value, self.cells[node.index as usize].depth as usize)?;
        let mut entry_size = value_size;
        entry_size.add(StateSize { entry_count: 1, text_bytes: key_bytes });
        if self.would_exceed_state_limits(entry_size, StateSize::default()) {
            // The size of the replaced value is only computed when the limit would be exceeded.
            let before = match replaced_key {
                BorrowedKey::Text(key) => self.get_by_text_key(node, key)?,
                BorrowedKey::Index(index) => self.get_by_index(node, index)?,
            };
            let mut freed_size = self.measure_stored_value(&before);
            if before != StoredValue::Nil {
                freed_size.add(StateSize { entry_count: 1, text_bytes: key_bytes });
            }
            if self.would_exceed_state_limits(entry_size, freed_size) {
                return Err(StateError::StateTooLarge);
            }
        }
        self.charge_write(entry_size)?;
        self.tree_size.add(value_size);
        Ok(())
    }

    fn would_exceed_state_limits(&self, added: StateSize, removed: StateSize) -> bool {
        // The root counts as one more entry.
        self.tree_size.entry_count + added.entry_count - removed.entry_count
            >= limits::MAX_STATE_ENTRIES
            || self.tree_size.text_bytes + added.text_bytes - removed.text_bytes
                > limits::MAX_STATE_TEXT_BYTES
    }

    /// Counts the writes since the outermost savepoint; this bounds the undo log.
    fn charge_write(&mut self, written_size: StateSize) -> Result<(), StateError> {
        if self.open_savepoint_count == 0 {
            return Ok(());
        }
        if self.written_size.entry_count + written_size.entry_count > limits::MAX_WRITES_PER_STEP
            || self.written_size.text_bytes + written_size.text_bytes
                > limits::MAX_WRITTEN_BYTES_PER_STEP
        {
            return Err(StateError::WriteBudgetExceeded);
        }
        self.written_size.add(written_size);
        Ok(())
    }

    /// Removes a replaced value from the tree: into the undo log if a savepoint is open, otherwise
    /// it is freed.
    fn release_replaced_value(&mut self, before: &StoredValue) {
        let change =
            if self.open_savepoint_count > 0 { SubtreeChange::Detach } else { SubtreeChange::Free };
        match before {
            StoredValue::Table(_) | StoredValue::Text(_) => {
                let weight = self.change_subtree(before, change);
                self.tree_size.subtract(weight);
            }
            _ => {}
        }
    }

    /// Appends a record to the undo log, if a savepoint is open.
    fn record_undo(&mut self, undo: impl FnOnce() -> UndoRecord) {
        if self.open_savepoint_count > 0 {
            self.undo_log.push(undo());
        }
    }
}
