//! Names of things in the tree: handles of tables, keys, what stands under a key, and paths.

use std::fmt::Write;
use std::sync::Arc;

use crate::kit::text::is_name;

/// The handle of a table. It goes stale when the table is taken out of the tree, and works again if
/// the write that took it out is rolled back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId {
    pub(super) index: u32,
    /// Even while the table is in the tree, odd while only the journal still holds it.
    pub(super) generation: u32,
}

impl NodeId {
    /// A small number that no other table in the tree has now; later ones may have it again.
    pub fn cell(self) -> u32 {
        self.index
    }
}

/// A key of a table.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Key {
    /// A place in a list, from 1.
    Index(u32),
    /// A key of a map.
    Text(Arc<str>),
}

/// What stands under a key.
#[derive(Clone, Debug, PartialEq)]
pub enum Slot {
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
    Node(NodeId),
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

/// A path as a script would write it: `hero.bag[3].name`.
pub fn path_text(path: &[Key]) -> String {
    let mut text = String::new();
    path.iter().for_each(|key| push_key(&mut text, key));
    text
}

/// Adds one key to the text of a path.
pub(super) fn push_key(text: &mut String, key: &Key) {
    match key {
        Key::Index(index) => push_index(text, *index as usize),
        Key::Text(key) => push_name(text, key),
    }
}

/// Adds a place in a list to the text of a path.
pub(super) fn push_index(text: &mut String, index: usize) {
    write!(text, "[{index}]").expect("a text takes whatever is written to it");
}

/// Adds a text key to the text of a path.
pub(super) fn push_name(text: &mut String, name: &str) {
    if !is_name(name) {
        write!(text, "[{name:?}]").expect("a text takes whatever is written to it");
        return;
    }
    if !text.is_empty() {
        text.push('.');
    }
    text.push_str(name);
}
