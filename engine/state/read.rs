//! Reads: values, iteration order and paths. Nothing here writes, and reading a leaf allocates
//! nothing.

use std::ops::Bound;

use super::arena::{TableBody, TableCell};
use super::{Key, NodeId, ROOT_CELL, Slot, State, StateError};
use crate::base::Value;

impl State {
    /// The value under a key; `Nil` where there is none.
    pub fn get(&self, node: NodeId, key: &Key) -> Result<Slot, StateError> {
        match key {
            Key::Text(text) => self.get_text(node, text),
            Key::Index(index) => self.get_index(node, *index),
        }
    }

    /// The value under a text key.
    #[inline]
    pub fn get_text(&self, node: NodeId, key: &str) -> Result<Slot, StateError> {
        self.get_text_ref(node, key).cloned()
    }

    /// The list item at an index, from 1.
    #[inline]
    pub fn get_index(&self, node: NodeId, index: u32) -> Result<Slot, StateError> {
        self.get_index_ref(node, index).cloned()
    }

    /// The same as [`State::get_text`], borrowed instead of copied.
    #[inline]
    pub fn get_text_ref(&self, node: NodeId, key: &str) -> Result<&Slot, StateError> {
        match &self.cell(node)?.body {
            TableBody::Map(map) => Ok(map.get(key).map_or(&Slot::Nil, |entry| &entry.slot)),
            _ => Ok(&Slot::Nil),
        }
    }

    /// The same as [`State::get_index`], borrowed instead of copied.
    #[inline]
    pub fn get_index_ref(&self, node: NodeId, index: u32) -> Result<&Slot, StateError> {
        match &self.cell(node)?.body {
            TableBody::List(list) => {
                let entry = list.get((index as usize).wrapping_sub(1));
                Ok(entry.map_or(&Slot::Nil, |entry| &entry.slot))
            }
            _ => Ok(&Slot::Nil),
        }
    }

    /// The length of a list, as `#` counts it: 0 for a map.
    pub fn len(&self, node: NodeId) -> Result<usize, StateError> {
        match &self.cell(node)?.body {
            TableBody::List(list) => Ok(list.len()),
            _ => Ok(0),
        }
    }

    /// The number of entries of a list or map.
    pub fn count(&self, node: NodeId) -> Result<usize, StateError> {
        match &self.cell(node)?.body {
            TableBody::Empty => Ok(0),
            TableBody::List(list) => Ok(list.len()),
            TableBody::Map(map) => Ok(map.len()),
        }
    }

    /// The items of a list, in order; nothing for a map.
    pub fn list_slots(&self, node: NodeId) -> impl Iterator<Item = &Slot> {
        let list = match self.cell(node).map(|cell| &cell.body) {
            Ok(TableBody::List(list)) => &list[..],
            _ => &[],
        };
        list.iter().map(|entry| &entry.slot)
    }

    /// The entries of a map, sorted by key; nothing for a list.
    pub fn map_slots(&self, node: NodeId) -> impl Iterator<Item = (&str, &Slot)> {
        let map = match self.cell(node).map(|cell| &cell.body) {
            Ok(TableBody::Map(map)) => Some(map),
            _ => None,
        };
        map.into_iter().flatten().map(|(key, entry)| (&**key, &entry.slot))
    }

    /// The entry after a key, or the first: lists from 1 to n, maps sorted by key. The key itself
    /// may have been removed.
    pub fn next(
        &self,
        node: NodeId,
        after: Option<&Key>,
    ) -> Result<Option<(Key, Slot)>, StateError> {
        match (&self.cell(node)?.body, after) {
            (TableBody::List(list), None | Some(Key::Index(_))) => {
                let at = if let Some(Key::Index(index)) = after { *index as usize } else { 0 };
                Ok(list.get(at).map(|entry| (Key::Index(at as u32 + 1), entry.slot.clone())))
            }
            (TableBody::Map(map), None) => Ok(map
                .first_key_value()
                .map(|(key, entry)| (Key::Text(key.clone()), entry.slot.clone()))),
            (TableBody::Map(map), Some(Key::Text(after))) => Ok(map
                .range::<str, _>((Bound::Excluded(&**after), Bound::Unbounded))
                .next()
                .map(|(key, entry)| (Key::Text(key.clone()), entry.slot.clone()))),
            _ => Ok(None),
        }
    }

    /// Whether a table is a list (an empty one is neither list nor map).
    pub fn is_list(&self, node: NodeId) -> Result<bool, StateError> {
        Ok(matches!(self.cell(node)?.body, TableBody::List(_)))
    }

    /// Whether a handle's table is in the tree.
    pub fn is_live(&self, node: NodeId) -> bool {
        self.cell(node).is_ok()
    }

    /// A copy of a table as plain data. An empty table becomes an empty map.
    pub fn value(&self, node: NodeId) -> Result<Value, StateError> {
        Ok(self.body_value(&self.cell(node)?.body))
    }

    /// A copy of the value of a slot; `None` for `Nil`.
    pub fn slot_value(&self, slot: &Slot) -> Result<Option<Value>, StateError> {
        match slot {
            Slot::Nil => Ok(None),
            Slot::Node(id) => self.value(*id).map(Some),
            leaf => Ok(Some(self.detached_or_live_slot_value(leaf))),
        }
    }

    /// The keys from the root to a table; empty for the root and for stale handles.
    pub fn path(&self, node: NodeId) -> Vec<Key> {
        let mut path = Vec::new();
        let Ok(mut cell) = self.cell(node) else { return path };
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
    pub(super) fn cell(&self, node: NodeId) -> Result<&TableCell, StateError> {
        match self.cells.get(node.index as usize) {
            Some(cell) if cell.generation == node.generation => Ok(cell),
            _ => Err(StateError::StaleHandle),
        }
    }

    fn body_value(&self, body: &TableBody) -> Value {
        match body {
            TableBody::Empty => Value::map(),
            TableBody::List(list) => Value::List(
                list.iter().map(|entry| self.detached_or_live_slot_value(&entry.slot)).collect(),
            ),
            TableBody::Map(map) => Value::Map(
                map.iter()
                    .map(|(key, entry)| {
                        (key.clone(), self.detached_or_live_slot_value(&entry.slot))
                    })
                    .collect(),
            ),
        }
    }

    /// The value of a slot, attached or detached.
    pub(super) fn detached_or_live_slot_value(&self, slot: &Slot) -> Value {
        match slot {
            Slot::Nil => Value::map(),
            Slot::Bool(truth) => Value::Bool(*truth),
            Slot::Int(int) => Value::Int(*int),
            Slot::Num(num) => Value::Num(*num),
            Slot::Text(text) => Value::Text(text.clone()),
            Slot::Node(id) => self.body_value(&self.cells[id.index as usize].body),
        }
    }
}
