//! The undo log: savepoints, rollback, and the paths written since a savepoint. Each record undoes
//! one write. Undoing all records in reverse order restores every table and every handle.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::arena::{StateSize, SubtreeChange};
use super::{Key, StateTree, StoredValue};

/// How to undo one write.
#[derive(Clone)]
pub(super) enum UndoRecord {
    /// A text key was set or removed; `before` is its previous slot.
    TextKey { node: u32, key: Arc<str>, before: Option<StoredValue> },
    /// A list item was overwritten; `before` is its previous slot.
    ListItem { node: u32, index: u32, before: StoredValue },
    /// An item was inserted into a list.
    ListInsert { node: u32, index: u32 },
    /// An item was removed from a list; `before` is its slot.
    ListRemove { node: u32, index: u32, before: StoredValue },
}

/// A position in the undo log. A rollback or a commit consumes it. Savepoints nest: using an outer
/// one consumes those inside it.
#[derive(Debug)]
#[must_use = "roll back to it or commit it"]
pub struct StateSavepoint {
    pub(super) log_length: usize,
    open_savepoint_count: usize,
    tree_size: StateSize,
    written_size: StateSize,
}

impl StateTree {
    /// Opens a savepoint.
    pub fn open_savepoint(&mut self) -> StateSavepoint {
        let level = self.open_savepoint_count;
        self.open_savepoint_count += 1;
        StateSavepoint {
            log_length: self.undo_log.len(),
            open_savepoint_count: level,
            tree_size: self.tree_size,
            written_size: self.written_size,
        }
    }

    /// Undoes everything written since a savepoint. Its cost is proportional to what was written.
    pub fn rollback_to(&mut self, mark: StateSavepoint) {
        assert!(
            mark.open_savepoint_count < self.open_savepoint_count,
            "a mark is used once, inner ones before outer ones"
        );
        while self.undo_log.len() > mark.log_length {
            let undo = self.undo_log.pop().expect("the undo log is longer than the mark");
            self.undo_record(undo);
        }
        self.open_savepoint_count = mark.open_savepoint_count;
        self.tree_size = mark.tree_size;
        self.written_size = mark.written_size;
    }

    /// Keeps everything written since a savepoint. Committing the outermost savepoint clears the
    /// undo log.
    pub fn commit_savepoint(&mut self, mark: StateSavepoint) {
        assert!(
            mark.open_savepoint_count < self.open_savepoint_count,
            "a mark is used once, inner ones before outer ones"
        );
        self.open_savepoint_count = mark.open_savepoint_count;
        if self.open_savepoint_count > 0 {
            return;
        }
        let mut log = std::mem::take(&mut self.undo_log);
        for undo in log.drain(..) {
            if let Some(before) = undo.previous_value() {
                self.change_subtree(before, SubtreeChange::Free);
            }
        }
        self.undo_log = log;
        self.written_size = StateSize::default();
    }

    /// The paths written since a savepoint, in order and each once. A write in a table that was
    /// itself removed is reported as the path of that table.
    pub fn written_paths(&self, mark: &StateSavepoint) -> Vec<Vec<Key>> {
        let mut paths = BTreeSet::new();
        for undo in &self.undo_log[mark.log_length.min(self.undo_log.len())..] {
            let (node, key) = undo.written_entry_key();
            let cell = &self.cells[node as usize];
            let is_detached = cell.generation % 2 == 1;
            if is_detached {
                continue;
            }
            let mut path =
                self.path_to_table(super::TableHandle { index: node, generation: cell.generation });
            path.push(key);
            paths.insert(path);
        }
        paths.into_iter().collect()
    }

    fn undo_record(&mut self, undo: UndoRecord) {
        let (removed, restored) = match undo {
            UndoRecord::TextKey { node, key, before: Some(before) } => {
                (self.put_text_key(node, &key, before.clone()).1, Some(before))
            }
            UndoRecord::TextKey { node, key, before: None } => {
                (self.remove_text_key(node, &key).map(|(_, removed)| removed), None)
            }
            UndoRecord::ListItem { node, index, before } => {
                (Some(self.replace_item(node, index, before.clone())), Some(before))
            }
            UndoRecord::ListInsert { node, index } => (Some(self.remove_item(node, index)), None),
            UndoRecord::ListRemove { node, index, before } => {
                self.insert_item(node, index, before.clone());
                (None, Some(before))
            }
        };
        if let Some(removed) = removed {
            self.change_subtree(&removed, SubtreeChange::Free);
        }
        if let Some(restored) = restored {
            self.change_subtree(&restored, SubtreeChange::Attach);
        }
    }
}

impl UndoRecord {
    fn previous_value(&self) -> Option<&StoredValue> {
        match self {
            Self::TextKey { before, .. } => before.as_ref(),
            Self::ListItem { before, .. } | Self::ListRemove { before, .. } => Some(before),
            Self::ListInsert { .. } => None,
        }
    }

    /// The cell of the written table.
    pub(super) fn cell_index(&self) -> u32 {
        match self {
            Self::TextKey { node, .. }
            | Self::ListItem { node, .. }
            | Self::ListInsert { node, .. }
            | Self::ListRemove { node, .. } => *node,
        }
    }

    fn written_entry_key(&self) -> (u32, Key) {
        match self {
            Self::TextKey { node, key, .. } => (*node, Key::Text(key.clone())),
            Self::ListItem { node, index, .. }
            | Self::ListInsert { node, index }
            | Self::ListRemove { node, index, .. } => (*node, Key::Index(*index)),
        }
    }
}
