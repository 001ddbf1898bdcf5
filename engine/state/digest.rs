//! The digest of the tree, updated incrementally along the paths that were written.
//!
//! Every entry of a table has a *part*: a 128-bit hash of its key and its leaf, or of its key and
//! the digest of its table. A table stores the wrapping sum of its parts, so one changed entry
//! costs one hash however many entries the table has. Its digest is a hash of its type, its count
//! and that sum. Entries written since the last digest are *pending*; they are processed deepest
//! tables first.
//!
//! Sums of hashes can be forged deliberately. This digest detects damage and divergence; it does
//! not protect against forgery (see `base::digest`).

use std::cmp::Reverse;
use std::collections::BTreeSet;

use super::arena::TableBody;
use super::{Key, NodeId, ROOT_CELL, Slot, State};
use crate::base::Digest;
use crate::base::digest::Hasher;

/// Up to this many pending entries they are always processed one by one.
const MIN_PENDING_LIMIT: usize = 8_192;

/// The entries written since the last digest.
#[derive(Clone)]
pub(super) struct PendingDigests {
    entries: Vec<(NodeId, Key)>,
    /// So much was written that the whole tree is recomputed. Entries are then no longer recorded,
    /// so a run that never asks for a digest does not pay for one.
    is_full_refresh_due: bool,
}

impl PendingDigests {
    pub(super) fn new() -> Self {
        Self { entries: Vec::new(), is_full_refresh_due: true }
    }

    /// Whether entries are recorded at all.
    #[inline]
    pub(super) fn is_recording(&self) -> bool {
        !self.is_full_refresh_due
    }

    /// Records an entry, or with `Key::Index(0)` a table whose parts must all be recomputed. `size` is
    /// that of the tree: when more is pending than that, the whole tree is.
    #[inline]
    pub(super) fn push(&mut self, node: NodeId, key: Key, size: usize) {
        if self.is_full_refresh_due {
            return;
        }
        if self.entries.len() >= MIN_PENDING_LIMIT.max(size) {
            self.entries.clear();
            self.is_full_refresh_due = true;
            return;
        }
        self.entries.push((node, key));
    }
}

impl State {
    /// The digest of the whole tree. Its cost is proportional to what was written since the last
    /// call.
    pub fn digest(&mut self) -> Digest {
        let all = std::mem::replace(&mut self.pending.is_full_refresh_due, false);
        if all {
            self.pending.entries.clear();
            self.refresh_subtree(ROOT_CELL);
        } else {
            self.refresh_pending();
        }
        Digest(self.cells[ROOT_CELL as usize].digest.to_le_bytes())
    }

    /// Recomputes every part of a table and of all tables below it.
    fn refresh_subtree(&mut self, index: u32) {
        let tables: Vec<u32> = match &self.cells[index as usize].body {
            TableBody::Empty => Vec::new(),
            TableBody::List(list) => {
                list.iter().filter_map(|entry| table_index(&entry.slot)).collect()
            }
            TableBody::Map(map) => {
                map.values().filter_map(|entry| table_index(&entry.slot)).collect()
            }
        };
        for child in tables {
            self.refresh_subtree(child);
        }
        self.refresh_all_parts(index);
        self.refresh_digest(index);
    }

    fn refresh_pending(&mut self) {
        // Deepest first, so that the digest of a table is ready when its parent needs it.
        let mut stale_tables: BTreeSet<(Reverse<u32>, u32)> = BTreeSet::new();
        let mut entries = std::mem::take(&mut self.pending.entries);
        for (node, key) in entries.drain(..) {
            let Ok(cell) = self.cell(node) else { continue };
            stale_tables.insert((Reverse(cell.depth), node.index));
            if !cell.are_all_parts_stale {
                self.refresh_leaf(node.index, &key);
            }
        }
        self.pending.entries = entries;
        while let Some((Reverse(depth), index)) = stale_tables.pop_first() {
            if self.cells[index as usize].are_all_parts_stale {
                self.refresh_all_parts(index);
            }
            self.refresh_digest(index);
            if index == ROOT_CELL {
                continue;
            }
            let parent = self.cells[index as usize].parent;
            stale_tables.insert((Reverse(depth - 1), parent));
            if !self.cells[parent as usize].are_all_parts_stale {
                let key = self.cells[index as usize].key.clone();
                self.refresh_part(parent, &key);
            }
        }
    }

    /// Recomputes the part of a written leaf; that of a table waits for the table's digest.
    fn refresh_leaf(&mut self, index: u32, key: &Key) {
        let slot = match (&self.cells[index as usize].body, key) {
            (TableBody::List(list), Key::Index(at)) => list.get((*at as usize).wrapping_sub(1)),
            (TableBody::Map(map), Key::Text(key)) => map.get(&**key),
            _ => None,
        };
        if slot.is_some_and(|entry| table_index(&entry.slot).is_none()) {
            self.refresh_part(index, key);
        }
    }

    /// Recomputes one part of a table and corrects the sum.
    fn refresh_part(&mut self, index: u32, key: &Key) {
        let slot = match (&self.cells[index as usize].body, key) {
            (TableBody::List(list), Key::Index(at)) => &list[*at as usize - 1].slot,
            (TableBody::Map(map), Key::Text(key)) => &map[&**key].slot,
            _ => unreachable!("a table lies under its key in its parent"),
        };
        let part = match key {
            Key::Index(at) => self.compute_part(KeyRef::Index(*at), slot),
            Key::Text(key) => self.compute_part(KeyRef::Text(key), slot),
        };
        let cell = &mut self.cells[index as usize];
        let entry = match (&mut cell.body, key) {
            (TableBody::List(list), Key::Index(at)) => &mut list[*at as usize - 1],
            (TableBody::Map(map), Key::Text(key)) => map.get_mut(&**key).expect("it was just read"),
            _ => unreachable!("a table lies under its key in its parent"),
        };
        cell.parts_sum = cell.parts_sum.wrapping_sub(entry.digest_part).wrapping_add(part);
        entry.digest_part = part;
    }

    /// Recomputes all parts of a table whose inner tables are done.
    fn refresh_all_parts(&mut self, index: u32) {
        let mut body = std::mem::replace(&mut self.cells[index as usize].body, TableBody::Empty);
        let mut sum = 0_u128;
        match &mut body {
            TableBody::Empty => {}
            TableBody::List(list) => {
                for (at, entry) in list.iter_mut().enumerate() {
                    entry.digest_part =
                        self.compute_part(KeyRef::Index(at as u32 + 1), &entry.slot);
                    sum = sum.wrapping_add(entry.digest_part);
                }
            }
            TableBody::Map(map) => {
                for (key, entry) in map {
                    entry.digest_part = self.compute_part(KeyRef::Text(key), &entry.slot);
                    sum = sum.wrapping_add(entry.digest_part);
                }
            }
        }
        let cell = &mut self.cells[index as usize];
        cell.body = body;
        cell.parts_sum = sum;
        cell.are_all_parts_stale = false;
    }

    fn refresh_digest(&mut self, index: u32) {
        let cell = &mut self.cells[index as usize];
        let (kind_tag, count) = match &cell.body {
            TableBody::Empty => (b'e', 0),
            TableBody::List(list) => (b'l', list.len()),
            TableBody::Map(map) => (b'm', map.len()),
        };
        let mut hasher = Hasher::new("table");
        hasher.feed_tag(kind_tag).feed_count(count).feed_bytes(&cell.parts_sum.to_le_bytes());
        cell.digest = u128::from_le_bytes(hasher.finish().0);
    }

    /// The part of an entry. It is never 0, which means pending.
    fn compute_part(&self, name: KeyRef<'_>, slot: &Slot) -> u128 {
        let mut hasher = Hasher::new("entry");
        match name {
            KeyRef::Index(index) => hasher.feed_tag(b'i').feed_count(index as usize),
            KeyRef::Text(key) => hasher.feed_tag(b'k').feed_text(key),
        };
        match slot {
            Slot::Nil => hasher.feed_tag(b'0'),
            Slot::Bool(truth) => hasher.feed_tag(if *truth { b't' } else { b'f' }),
            Slot::Int(int) => hasher.feed_tag(b'i').feed_bytes(&int.to_le_bytes()),
            Slot::Num(num) => hasher.feed_tag(b'n').feed_bytes(&num.to_bits().to_le_bytes()),
            Slot::Text(text) => hasher.feed_tag(b's').feed_text(text),
            Slot::Node(id) => hasher
                .feed_tag(b'T')
                .feed_bytes(&self.cells[id.index as usize].digest.to_le_bytes()),
        };
        u128::from_le_bytes(hasher.finish().0).max(1)
    }
}

/// A borrowed key.
pub(super) enum KeyRef<'a> {
    Index(u32),
    Text(&'a str),
}

fn table_index(slot: &Slot) -> Option<u32> {
    if let Slot::Node(id) = slot { Some(id.index) } else { None }
}
