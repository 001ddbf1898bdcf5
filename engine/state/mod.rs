//! The memory of a run: a tree of plain data that scripts read and write through handles.
//!
//! Tables lie in an arena and are named by [`NodeId`]s that notice when their table is gone. Every
//! write is kept in a journal, so that going back costs what was written and not what there is. A
//! digest of the whole tree is kept up along the paths that were written, and is the same as that
//! of a tree built anew from the same data. This room knows neither Lua nor disk nor step.
//!
//! A table is a *list* (keys 1 to n without a hole), a *map* (text keys, in order), or *empty*, and
//! an empty one becomes either at its first write. Values put in are copied.

mod arena;
mod digest;
mod edit;
mod error;
mod journal;
mod key;
mod read;
mod watch;
mod write;

use crate::kit::Value;

use arena::{Cell, Weight};
use journal::Undo;

pub use error::StateError;
pub use journal::Mark;
pub use key::{Key, NodeId, Slot, path_text};

/// The tree. See the room's own description.
#[derive(Clone)]
pub struct State {
    cells: Vec<Cell>,
    free: Vec<u32>,
    /// What lies in the tree now.
    weight: Weight,
    /// What was written since the outermost mark.
    spent: Weight,
    log: Vec<Undo>,
    /// How many marks are open.
    level: usize,
    pending: digest::Pending,
    watch: watch::Watch,
}

/// The cell of the root; it is never freed.
const ROOT: u32 = 0;

impl State {
    /// An empty tree.
    pub fn new() -> Self {
        Self {
            cells: vec![Cell::root()],
            free: Vec::new(),
            weight: Weight::default(),
            spent: Weight::default(),
            log: Vec::new(),
            level: 0,
            pending: digest::Pending::new(),
            watch: watch::Watch::default(),
        }
    }

    /// A tree that holds a copy of a table with text keys. Anything else is refused.
    pub fn from_value(value: Value) -> Result<Self, StateError> {
        let mut state = Self::new();
        match value {
            Value::Map(map) => {
                for (key, value) in map {
                    state.set_text(state.root(), &key, Some(value))?;
                }
            }
            Value::List(list) if list.is_empty() => {}
            _ => return Err(StateError::RootNotMap),
        }
        Ok(state)
    }

    /// The root table. It holds text keys only.
    pub fn root(&self) -> NodeId {
        NodeId { index: ROOT, generation: self.cells[ROOT as usize].generation }
    }

    /// How many tables and leaves the tree holds, the root among them.
    pub fn nodes(&self) -> usize {
        self.weight.entries + 1
    }

    /// How many tables there is room for without asking for memory: those in the tree, those that
    /// the journal holds, and those that were let go.
    pub fn cells(&self) -> usize {
        self.cells.len()
    }
}

impl Default for State {
    fn default() -> Self {
        Self::new()
    }
}
