//! The primitive edits: set or remove a text key, insert, remove or splice list items. They maintain
//! the sums of the digest and the keys of inner tables. They check nothing and record no undo.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::arena::{TableBody, TableEntry};
use super::{Key, NodeId, Slot, State};

impl State {
    /// Sets a text key of a map or an empty table. Returns the shared key and the previous slot.
    pub(super) fn put_text_key(
        &mut self,
        at: u32,
        key: &str,
        slot: Slot,
    ) -> (Arc<str>, Option<Slot>) {
        self.record_write(at);
        let child = if let Slot::Node(child) = slot { Some(child) } else { None };
        let cell = &mut self.cells[at as usize];
        let id = NodeId { index: at, generation: cell.generation };
        if let TableBody::Empty = cell.body {
            cell.body = TableBody::Map(BTreeMap::new());
        }
        let TableBody::Map(map) = &mut cell.body else { unreachable!("the caller saw a map") };
        let (shared_key, before, was_up_to_date) = match map.get_mut(key) {
            Some(entry) => {
                cell.parts_sum = cell.parts_sum.wrapping_sub(entry.digest_part);
                let was_up_to_date = entry.digest_part != 0;
                entry.digest_part = 0;
                let shared_key = entry.key.clone().expect("a map's entries have keys");
                (shared_key, Some(std::mem::replace(&mut entry.slot, slot)), was_up_to_date)
            }
            None => {
                let shared_key: Arc<str> = Arc::from(key);
                map.insert(shared_key.clone(), TableEntry::in_map(shared_key.clone(), slot));
                (shared_key, None, true)
            }
        };
        // An entry that is pending already need not be recorded again.
        if was_up_to_date && !cell.are_all_parts_stale && self.pending.is_recording() {
            self.pending.push(id, Key::Text(shared_key.clone()), self.tree_size.entries);
        }
        if let Some(child) = child {
            self.set_parent(&Slot::Node(child), at, Key::Text(shared_key.clone()));
        }
        (shared_key, before)
    }

    /// Removes the entry under a text key.
    pub(super) fn remove_text_key(&mut self, at: u32, key: &str) -> Option<(Arc<str>, Slot)> {
        self.record_write(at);
        let cell = &mut self.cells[at as usize];
        let id = NodeId { index: at, generation: cell.generation };
        let TableBody::Map(map) = &mut cell.body else { return None };
        let (shared_key, entry) = map.remove_entry(key)?;
        cell.parts_sum = cell.parts_sum.wrapping_sub(entry.digest_part);
        if map.is_empty() {
            cell.body = TableBody::Empty;
        }
        self.pending.push(id, Key::Text(shared_key.clone()), self.tree_size.entries);
        Some((shared_key, entry.slot))
    }

    /// Overwrites a list item, counted from 1.
    pub(super) fn replace_item(&mut self, at: u32, index: u32, slot: Slot) -> Slot {
        self.record_write(at);
        self.set_parent(&slot, at, Key::Index(index));
        let cell = &mut self.cells[at as usize];
        let id = NodeId { index: at, generation: cell.generation };
        let TableBody::List(list) = &mut cell.body else { unreachable!("the caller saw a list") };
        let entry = &mut list[index as usize - 1];
        cell.parts_sum = cell.parts_sum.wrapping_sub(entry.digest_part);
        let was_up_to_date = entry.digest_part != 0;
        entry.digest_part = 0;
        let before = std::mem::replace(&mut entry.slot, slot);
        if was_up_to_date && !cell.are_all_parts_stale {
            self.pending.push(id, Key::Index(index), self.tree_size.entries);
        }
        before
    }

    /// Inserts an item into a list or an empty table and shifts the items from there on.
    pub(super) fn insert_item(&mut self, at: u32, index: u32, slot: Slot) {
        self.record_write(at);
        let cell = &mut self.cells[at as usize];
        let id = NodeId { index: at, generation: cell.generation };
        if matches!(cell.body, TableBody::Empty) {
            cell.body = TableBody::List(Vec::new());
        }
        let TableBody::List(list) = &mut cell.body else { unreachable!("the caller saw a list") };
        list.insert(index as usize - 1, TableEntry::in_list(slot));
        let is_append = index as usize == list.len();
        if is_append && !cell.are_all_parts_stale {
            self.pending.push(id, Key::Index(index), self.tree_size.entries);
        }
        self.rekey_items(at, index, is_append);
    }

    /// Removes a list item and closes the gap.
    pub(super) fn remove_item(&mut self, at: u32, index: u32) -> Slot {
        self.record_write(at);
        let cell = &mut self.cells[at as usize];
        let id = NodeId { index: at, generation: cell.generation };
        let TableBody::List(list) = &mut cell.body else { unreachable!("the caller saw a list") };
        let entry = list.remove(index as usize - 1);
        cell.parts_sum = cell.parts_sum.wrapping_sub(entry.digest_part);
        let last = index as usize == list.len() + 1;
        if list.is_empty() {
            cell.body = TableBody::Empty;
        }
        if last && !cell.are_all_parts_stale {
            self.pending.push(id, Key::Index(index), self.tree_size.entries);
        }
        self.rekey_items(at, index, last);
        entry.slot
    }

    /// Replaces ranges of list items, also in an empty table: each is the index after the edit, the number
    /// of items that leave and those that take their place, in ascending order. Returns the items that
    /// leave.
    pub(super) fn splice_items(
        &mut self,
        at: u32,
        ranges: Vec<(u32, u32, Vec<Slot>)>,
    ) -> Vec<Slot> {
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
            before.extend(rest.by_ref().take(removed as usize).map(|entry| entry.slot));
            entries.extend(inserted.into_iter().map(TableEntry::in_list));
        }
        entries.extend(rest);
        if !entries.is_empty() {
            cell.body = TableBody::List(entries);
        }
        self.rekey_items(at, first, false);
        before
    }

    /// Updates the keys of the tables in a list from an index on. Where items moved, all parts of
    /// the list are pending, because a part depends on its key.
    fn rekey_items(&mut self, at: u32, from: u32, is_at_end: bool) {
        let size = self.tree_size.entries;
        let cell = &mut self.cells[at as usize];
        let id = NodeId { index: at, generation: cell.generation };
        if !is_at_end && !cell.are_all_parts_stale {
            cell.are_all_parts_stale = true;
            self.pending.push(id, Key::Index(0), size);
        }
        let TableBody::List(list) = &cell.body else { return };
        let tables: Vec<(u32, u32)> = list
            .iter()
            .enumerate()
            .skip(from as usize - 1)
            .filter_map(|(place, entry)| match entry.slot {
                Slot::Node(id) => Some((id.index, place as u32 + 1)),
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
