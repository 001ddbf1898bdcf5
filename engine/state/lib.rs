//! The state of a run: a tree of plain data that scripts read and write through handles.
//!
//! Tables are stored in an arena and referred to by generational [`TableHandle`]s, which detect
//! that their table was removed. Every write is recorded in an undo log, so a rollback costs what
//! was written, not the size of the tree; what a step changed can be read from it as data. The
//! digest equals that of a tree built from the same data. This module knows nothing of Lua, disk or
//! steps.
//!
//! A table is a *list* (keys 1 to n without a hole), a *map* (text keys, sorted), or *empty*; the
//! first write into an empty one decides which. Values that are stored are copied.

mod arena;
mod changes;
mod digest;
mod error;
mod key;
mod read;
mod unchecked_edits;
mod undo_log;
mod value_diff;
mod write;
mod write_tracker;

use base::Value;

use arena::{StateSize, TableCell};
use undo_log::UndoRecord;

pub use changes::{ListSplice, TableChange};
pub use error::StateError;
pub use key::{Key, StoredValue, TableHandle, display_state_path};
pub use undo_log::StateSavepoint;

/// The state tree; see the module documentation.
#[derive(Clone)]
pub struct StateTree {
    cells: Vec<TableCell>,
    free_cells: Vec<u32>,
    /// The size of the tree.
    tree_size: StateSize,
    /// The size of what was written since the outermost savepoint.
    written_size: StateSize,
    undo_log: Vec<UndoRecord>,
    /// The number of open savepoints.
    open_savepoint_count: usize,
    write_tracker: write_tracker::WriteTracker,
}

/// The cell of the root; it is never freed.
const ROOT_CELL: u32 = 0;

impl StateTree {
    /// Creates an empty tree.
    pub fn new() -> Self {
        Self {
            cells: vec![TableCell::root()],
            free_cells: Vec::new(),
            tree_size: StateSize::default(),
            written_size: StateSize::default(),
            undo_log: Vec::new(),
            open_savepoint_count: 0,
            write_tracker: write_tracker::WriteTracker::default(),
        }
    }

    /// Creates a tree with a copy of a table with text keys. Any other value is refused.
    pub fn from_value(value: Value) -> Result<Self, StateError> {
        let mut state = Self::new();
        match value {
            Value::Map(map) => {
                for (key, value) in map {
                    state.set_by_text_key(state.root(), &key, Some(value))?;
                }
            }
            Value::List(list) if list.is_empty() => {}
            _ => return Err(StateError::RootNotMap),
        }
        Ok(state)
    }

    /// The root table. It holds text keys only.
    pub fn root(&self) -> TableHandle {
        TableHandle { index: ROOT_CELL, generation: self.cells[ROOT_CELL as usize].generation }
    }

    /// The number of tables and leaves in the tree, the root included.
    pub fn value_count(&self) -> usize {
        self.tree_size.entry_count + 1
    }

    /// The number of allocated cells: tables in the tree, detached ones, and free cells.
    pub fn cell_count(&self) -> usize {
        self.cells.len()
    }
}

impl Default for StateTree {
    fn default() -> Self {
        Self::new()
    }
}
