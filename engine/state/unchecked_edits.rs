//! The primitive edits: set or remove a text key, insert, remove or splice list items. They
//! maintain the keys of inner tables. They check nothing and record no undo.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::arena::{TableBody, TableEntry};
use super::{Key, StateTree, StoredValue};

impl StateTree {
    /// Sets a text key of a map or an empty table. Returns the shared key and the previous slot.
    pub(super) fn put_text_key(
        &mut self,
        at: u32,
        key: &str,
        slot: StoredValue,
    ) -> (Arc<str>, Option<StoredValue>) {
        self.record_write(at);
        let child = if let StoredValue::Table(child) = slot { Some(child) } else { None };
        let cell = &mut self.cells[at as usize];
        if let TableBody::Empty = cell.body {
            cell.body = TableBody::Map(BTreeMap::new());
        }
        let TableBody::Map(map) = &mut cell.body else { unreachable!("the caller saw a map") };
        let (shared_key, before) = match map.get_mut(key) {
            Some(entry) => {
                let shared_key = entry.key.clone().expect("a map's entries have keys");
                (shared_key, Some(std::mem::replace(&mut entry.value, slot)))
            }
            None => {
                let shared_key: Arc<str> = Arc::from(key);
                map.insert(shared_key.clone(), TableEntry::map_entry(shared_key.clone(), slot));
                (shared_key, None)
            }
        };
        if let Some(child) = child {
            self.set_parent(&StoredValue::Table(child), at, Key::Text(shared_key.clone()));
        }
        (shared_key, before)
    }

    /// Removes the entry under a text key.
    pub(super) fn remove_text_key(
        &mut self,
        at: u32,
        key: &str,
    ) -> Option<(Arc<str>, StoredValue)> {
        self.record_write(at);
        let cell = &mut self.cells[at as usize];
        let TableBody::Map(map) = &mut cell.body else { return None };
        let (shared_key, entry) = map.remove_entry(key)?;
        if map.is_empty() {
            cell.body = TableBody::Empty;
        }
        Some((shared_key, entry.value))
    }

    /// Overwrites a list item, counted from 1.
    pub(super) fn replace_item(&mut self, at: u32, index: u32, slot: StoredValue) -> StoredValue {
        self.record_write(at);
        self.set_parent(&slot, at, Key::Index(index));
        let cell = &mut self.cells[at as usize];
        let TableBody::List(list) = &mut cell.body else { unreachable!("the caller saw a list") };
        std::mem::replace(&mut list[index as usize - 1].value, slot)
    }

    /// Inserts an item into a list or an empty table and shifts the items from there on.
    pub(super) fn insert_item(&mut self, at: u32, index: u32, slot: StoredValue) {
        self.record_write(at);
        let cell = &mut self.cells[at as usize];
        if matches!(cell.body, TableBody::Empty) {
            cell.body = TableBody::List(Vec::new());
        }
        let TableBody::List(list) = &mut cell.body else { unreachable!("the caller saw a list") };
        list.insert(index as usize - 1, TableEntry::list_entry(slot));
        self.rekey_items(at, index);
    }

    /// Removes a list item and closes the gap.
    pub(super) fn remove_item(&mut self, at: u32, index: u32) -> StoredValue {
        self.record_write(at);
        let cell = &mut self.cells[at as usize];
        let TableBody::List(list) = &mut cell.body else { unreachable!("the caller saw a list") };
        let entry = list.remove(index as usize - 1);
        if list.is_empty() {
            cell.body = TableBody::Empty;
        }
        self.rekey_items(at, index);
        entry.value
    }

    /// Replaces ranges of list items, also in an empty table. Each range has the index after the
    /// edit, the number of removed items, and the inserted items, in ascending order. Returns the
    /// removed items.
    pub(super) fn splice_items(
        &mut self,
        at: u32,
        ranges: Vec<(u32, u32, Vec<StoredValue>)>,
    ) -> Vec<StoredValue> {
        self.record_write(at);
        let cell = &mut self.cells[at as usize];
        let list = match std::mem::replace(&mut cell.body, TableBody::Empty) {
            TableBody::Empty => Vec::new(),
            TableBody::List(list) => list,
            TableBody::Map(_) => unreachable!("the caller saw a list"),
        };
        let first = ranges.first().map_or(1, |(index, ..)| *index);
        let (mut entries, mut before) = (Vec::with_capacity(list.len()), Vec::new());
        let mut rest = list.into_iter();
        for (index, removed, inserted) in ranges {
            let unchanged = index as usize - 1 - entries.len();
            entries.extend(rest.by_ref().take(unchanged));
            before.extend(rest.by_ref().take(removed as usize).map(|entry| entry.value));
            entries.extend(inserted.into_iter().map(TableEntry::list_entry));
        }
        entries.extend(rest);
        if !entries.is_empty() {
            cell.body = TableBody::List(entries);
        }
        self.rekey_items(at, first);
        before
    }

    /// Updates the keys of the tables in a list from an index on.
    fn rekey_items(&mut self, at: u32, from: u32) {
        let cell = &self.cells[at as usize];
        let TableBody::List(list) = &cell.body else { return };
        let tables: Vec<(u32, u32)> = list
            .iter()
            .enumerate()
            .skip(from as usize - 1)
            .filter_map(|(place, entry)| match entry.value {
                StoredValue::Table(id) => Some((id.index, place as u32 + 1)),
                _ => None,
            })
            .collect();
        for (child, index) in tables {
            let cell = &mut self.cells[child as usize];
            cell.parent = at;
            cell.key = Key::Index(index);
        }
    }
}
