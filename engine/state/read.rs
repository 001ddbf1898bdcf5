//! Reads: values, iteration order and paths. Nothing here writes, and reading a leaf allocates
//! nothing.

use std::ops::Bound;

use super::arena::{TableBody, TableCell};
use super::{Key, ROOT_CELL, StateError, StateTree, StoredValue, TableHandle};
use base::Value;

impl StateTree {
    /// The value under a key; `Nil` where there is none.
    pub fn get(&self, node: TableHandle, key: &Key) -> Result<StoredValue, StateError> {
        match key {
            Key::Text(text) => self.get_by_text_key(node, text),
            Key::Index(index) => self.get_by_index(node, *index),
        }
    }

    /// The value under a text key.
    #[inline]
    pub fn get_by_text_key(&self, node: TableHandle, key: &str) -> Result<StoredValue, StateError> {
        self.get_ref_by_text_key(node, key).cloned()
    }

    /// The list item at an index, from 1.
    #[inline]
    pub fn get_by_index(&self, node: TableHandle, index: u32) -> Result<StoredValue, StateError> {
        self.get_ref_by_index(node, index).cloned()
    }

    /// The same as [`StateTree::get_by_text_key`], borrowed instead of copied.
    #[inline]
    pub fn get_ref_by_text_key(
        &self,
        node: TableHandle,
        key: &str,
    ) -> Result<&StoredValue, StateError> {
        match &self.live_cell(node)?.body {
            TableBody::Map(map) => Ok(map.get(key).map_or(&StoredValue::Nil, |entry| &entry.value)),
            _ => Ok(&StoredValue::Nil),
        }
    }

    /// The same as [`StateTree::get_by_index`], borrowed instead of copied.
    #[inline]
    pub fn get_ref_by_index(
        &self,
        node: TableHandle,
        index: u32,
    ) -> Result<&StoredValue, StateError> {
        match &self.live_cell(node)?.body {
            TableBody::List(list) => {
                let entry = list.get((index as usize).wrapping_sub(1));
                Ok(entry.map_or(&StoredValue::Nil, |entry| &entry.value))
            }
            _ => Ok(&StoredValue::Nil),
        }
    }

    /// The length of a list, as `#` counts it: 0 for a map.
    pub fn list_length(&self, node: TableHandle) -> Result<usize, StateError> {
        match &self.live_cell(node)?.body {
            TableBody::List(list) => Ok(list.len()),
            _ => Ok(0),
        }
    }

    /// The number of entries of a list or map.
    pub fn entry_count(&self, node: TableHandle) -> Result<usize, StateError> {
        match &self.live_cell(node)?.body {
            TableBody::Empty => Ok(0),
            TableBody::List(list) => Ok(list.len()),
            TableBody::Map(map) => Ok(map.len()),
        }
    }

    /// The items of a list, in order; nothing for a map.
    pub fn list_items(&self, node: TableHandle) -> impl Iterator<Item = &StoredValue> {
        let list = match self.live_cell(node).map(|cell| &cell.body) {
            Ok(TableBody::List(list)) => &list[..],
            _ => &[],
        };
        list.iter().map(|entry| &entry.value)
    }

    /// The entries of a map, sorted by key; nothing for a list.
    pub fn map_entries(&self, node: TableHandle) -> impl Iterator<Item = (&str, &StoredValue)> {
        let map = match self.live_cell(node).map(|cell| &cell.body) {
            Ok(TableBody::Map(map)) => Some(map),
            _ => None,
        };
        map.into_iter().flatten().map(|(key, entry)| (&**key, &entry.value))
    }

    /// The entry after a key, or the first: lists from 1 to n, maps sorted by key. The key itself
    /// may have been removed.
    pub fn next_entry(
        &self,
        node: TableHandle,
        after: Option<&Key>,
    ) -> Result<Option<(Key, StoredValue)>, StateError> {
        match (&self.live_cell(node)?.body, after) {
            (TableBody::List(list), None | Some(Key::Index(_))) => {
                let at = if let Some(Key::Index(index)) = after { *index as usize } else { 0 };
                Ok(list.get(at).map(|entry| (Key::Index(at as u32 + 1), entry.value.clone())))
            }
            (TableBody::Map(map), None) => Ok(map
                .first_key_value()
                .map(|(key, entry)| (Key::Text(key.clone()), entry.value.clone()))),
            (TableBody::Map(map), Some(Key::Text(after))) => Ok(map
                .range::<str, _>((Bound::Excluded(&**after), Bound::Unbounded))
                .next()
                .map(|(key, entry)| (Key::Text(key.clone()), entry.value.clone()))),
            _ => Ok(None),
        }
    }

    /// Whether a table is a list (an empty one is neither list nor map).
    pub fn is_list(&self, node: TableHandle) -> Result<bool, StateError> {
        Ok(matches!(self.live_cell(node)?.body, TableBody::List(_)))
    }

    /// Whether a handle's table is in the tree.
    pub fn is_live_handle(&self, node: TableHandle) -> bool {
        self.live_cell(node).is_ok()
    }

    /// A copy of a table as plain data. An empty table becomes an empty map.
    pub fn table_to_value(&self, node: TableHandle) -> Result<Value, StateError> {
        Ok(self.table_body_to_value(&self.live_cell(node)?.body))
    }

    /// A copy of the value of a slot; `None` for `Nil`.
    pub fn stored_to_plain_value(&self, slot: &StoredValue) -> Result<Option<Value>, StateError> {
        match slot {
            StoredValue::Nil => Ok(None),
            StoredValue::Table(id) => self.table_to_value(*id).map(Some),
            leaf => Ok(Some(self.stored_to_value_unchecked(leaf))),
        }
    }

    /// The keys from the root to a table; empty for the root and for stale handles.
    pub fn path_to_table(&self, node: TableHandle) -> Vec<Key> {
        let mut path = Vec::new();
        let Ok(mut cell) = self.live_cell(node) else { return path };
        let mut index = node.index;
        while index != ROOT_CELL {
            path.push(cell.key.clone());
            index = cell.parent;
            cell = &self.cells[index as usize];
        }
        path.reverse();
        path
    }

    /// The cell of a handle, if its table is in the tree.
    #[inline]
    pub(super) fn live_cell(&self, node: TableHandle) -> Result<&TableCell, StateError> {
        match self.cells.get(node.index as usize) {
            Some(cell) if cell.generation == node.generation => Ok(cell),
            _ => Err(StateError::StaleHandle),
        }
    }

    fn table_body_to_value(&self, body: &TableBody) -> Value {
        match body {
            TableBody::Empty => Value::map(),
            TableBody::List(list) => Value::List(
                list.iter().map(|entry| self.stored_to_value_unchecked(&entry.value)).collect(),
            ),
            TableBody::Map(map) => Value::Map(
                map.iter()
                    .map(|(key, entry)| (key.clone(), self.stored_to_value_unchecked(&entry.value)))
                    .collect(),
            ),
        }
    }

    /// The value of a slot, attached or detached.
    pub(super) fn stored_to_value_unchecked(&self, slot: &StoredValue) -> Value {
        match slot {
            StoredValue::Nil => Value::map(),
            StoredValue::Bool(truth) => Value::Bool(*truth),
            StoredValue::Int(int) => Value::Int(*int),
            StoredValue::Num(num) => Value::Num(*num),
            StoredValue::Text(text) => Value::Text(text.clone()),
            StoredValue::Table(id) => self.table_body_to_value(&self.cells[id.index as usize].body),
        }
    }
}
