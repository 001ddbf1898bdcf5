//! Identifiers in the tree: handles of tables, keys, slots and paths.

use std::fmt::Write;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use base::text::is_luau_name;

/// The handle of a table. It goes stale when the table is removed from the tree, and is valid again
/// if that write is rolled back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TableHandle {
    pub(super) index: u32,
    /// Even while the table is in the tree, odd while only the undo log owns it.
    pub(super) generation: u32,
}

impl TableHandle {
    /// A small number that no other table in the tree has now; a later table may reuse it.
    pub fn cell_index(self) -> u32 {
        self.index
    }
}

/// A key of a table. In a file it is a number or a text.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Key {
    /// The index of a list item, from 1.
    Index(u32),
    /// A key of a map.
    Text(Arc<str>),
}

/// The value under a key.
#[derive(Clone, Debug, PartialEq)]
pub enum StoredValue {
    /// Nothing.
    Nil,
    /// True or false.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A finite number that is not whole.
    Num(f64),
    /// A text.
    Text(Arc<str>),
    /// A table.
    Table(TableHandle),
}

impl From<&str> for Key {
    fn from(text: &str) -> Self {
        Self::Text(Arc::from(text))
    }
}

impl From<u32> for Key {
    fn from(index: u32) -> Self {
        Self::Index(index)
    }
}

/// A path as a script writes it: `hero.bag[3].name`.
pub fn display_state_path(path: &[Key]) -> String {
    let mut text = String::new();
    path.iter().for_each(|key| push_path_key(&mut text, key));
    text
}

/// Appends one key to the text of a path.
pub(super) fn push_path_key(text: &mut String, key: &Key) {
    match key {
        Key::Index(index) => push_path_index(text, *index as usize),
        Key::Text(key) => push_path_name(text, key),
    }
}

/// Appends a list index to the text of a path.
pub(super) fn push_path_index(text: &mut String, index: usize) {
    write!(text, "[{index}]").expect("a text takes whatever is written to it");
}

/// Appends a text key to the text of a path.
pub(super) fn push_path_name(text: &mut String, name: &str) {
    if !is_luau_name(name) {
        write!(text, "[{name:?}]").expect("a text takes whatever is written to it");
        return;
    }
    if !text.is_empty() {
        text.push('.');
    }
    text.push_str(name);
}
