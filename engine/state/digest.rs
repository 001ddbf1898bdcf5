//! The digest of the tree, computed when it is asked for.
//!
//! Every entry of a table has a *part*: a 128-bit hash of its key and its leaf, or of its key and
//! the digest of its table. The digest of a table is a hash of its type, its count and the wrapping
//! sum of its parts.
//!
//! Sums of hashes can be forged deliberately. This digest detects damage and divergence; it does
//! not protect against forgery (see `base::digest`).

use super::arena::TableBody;
use super::{ROOT_CELL, StateTree, StoredValue};
use base::Digest;
use base::digest::Hasher;

impl StateTree {
    /// The digest of the whole tree. Its cost is proportional to the size of the tree.
    pub fn digest(&self) -> Digest {
        Digest(self.table_digest(ROOT_CELL).to_le_bytes())
    }

    fn table_digest(&self, index: u32) -> u128 {
        let body = &self.cells[index as usize].body;
        let (kind_tag, count, parts_sum) = match body {
            TableBody::Empty => (b'e', 0, 0),
            TableBody::List(list) => {
                let parts = list.iter().zip(1_u32..);
                let parts =
                    parts.map(|(entry, at)| self.entry_hash(BorrowedKey::Index(at), &entry.value));
                (b'l', list.len(), parts.fold(0, u128::wrapping_add))
            }
            TableBody::Map(map) => {
                let parts = map.iter();
                let parts =
                    parts.map(|(key, entry)| self.entry_hash(BorrowedKey::Text(key), &entry.value));
                (b'm', map.len(), parts.fold(0, u128::wrapping_add))
            }
        };
        let mut hasher = Hasher::new("table");
        hasher.feed_tag(kind_tag).feed_count(count).feed_bytes(&parts_sum.to_le_bytes());
        u128::from_le_bytes(hasher.finish().0)
    }

    fn entry_hash(&self, key: BorrowedKey<'_>, slot: &StoredValue) -> u128 {
        let mut hasher = Hasher::new("entry");
        match key {
            BorrowedKey::Index(index) => hasher.feed_tag(b'i').feed_count(index as usize),
            BorrowedKey::Text(key) => hasher.feed_tag(b'k').feed_text(key),
        };
        match slot {
            StoredValue::Nil => hasher.feed_tag(b'0'),
            StoredValue::Bool(truth) => hasher.feed_tag(if *truth { b't' } else { b'f' }),
            StoredValue::Int(int) => hasher.feed_tag(b'i').feed_bytes(&int.to_le_bytes()),
            StoredValue::Num(num) => hasher.feed_tag(b'n').feed_bytes(&num.to_bits().to_le_bytes()),
            StoredValue::Text(text) => hasher.feed_tag(b's').feed_text(text),
            StoredValue::Table(id) => {
                hasher.feed_tag(b'T').feed_bytes(&self.table_digest(id.index).to_le_bytes())
            }
        };
        u128::from_le_bytes(hasher.finish().0)
    }
}

/// A borrowed key.
pub(super) enum BorrowedKey<'a> {
    Index(u32),
    Text(&'a str),
}
