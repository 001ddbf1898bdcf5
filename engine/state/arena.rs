//! The arena cells that hold tables, and their life cycle. A table that is removed from the tree
//! while a savepoint is open stays in its cell, *detached*: its handles are stale, and the undo log
//! can restore it unchanged.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{Key, ROOT_CELL, StateError, StateTree, StoredValue, TableHandle};
use base::{Value, limits};

/// One table.
#[derive(Clone)]
pub(super) struct TableCell {
    /// Even while attached, odd while detached; it grows by two each time the cell is freed.
    pub(super) generation: u32,
    /// The number of tables above it.
    pub(super) depth: u32,
    /// The cell of the parent table; the root refers to itself.
    pub(super) parent: u32,
    /// The key of this table in its parent.
    pub(super) key: Key,
    pub(super) body: TableBody,
}

/// The contents of a table.
#[derive(Clone)]
pub(super) enum TableBody {
    /// No entries; the first write makes it a list or a map.
    Empty,
    /// Keys 1 to n.
    List(Vec<TableEntry>),
    /// Text keys, sorted.
    Map(BTreeMap<Arc<str>, TableEntry>),
}

/// One entry of a table.
#[derive(Clone)]
pub(super) struct TableEntry {
    /// The key in a map, repeated here so that one lookup finds both; `None` in a list.
    pub(super) key: Option<Arc<str>>,
    pub(super) value: StoredValue,
}

/// What happens to a slot and everything below it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum SubtreeChange {
    /// It leaves the tree and the undo log owns it.
    Detach,
    /// It returns from the undo log.
    Attach,
    /// It is deleted; its cells may be reused.
    Free,
}

/// A size: entries of tables, and bytes of texts and text keys.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct StateSize {
    pub(super) entry_count: usize,
    pub(super) text_bytes: usize,
}

impl StateSize {
    pub(super) fn add(&mut self, other: StateSize) {
        self.entry_count += other.entry_count;
        self.text_bytes += other.text_bytes;
    }

    pub(super) fn subtract(&mut self, other: StateSize) {
        self.entry_count -= other.entry_count;
        self.text_bytes -= other.text_bytes;
    }
}

impl TableEntry {
    pub(super) fn list_entry(slot: StoredValue) -> Self {
        Self { key: None, value: slot }
    }

    pub(super) fn map_entry(key: Arc<str>, slot: StoredValue) -> Self {
        Self { key: Some(key), value: slot }
    }
}

impl TableCell {
    pub(super) fn root() -> Self {
        Self::new(ROOT_CELL, 0)
    }

    fn new(parent: u32, depth: u32) -> Self {
        Self { generation: 0, depth, parent, key: Key::Index(0), body: TableBody::Empty }
    }
}

/// Measures a value under its key and checks that it may be stored. `depth` is that of the table
/// that will hold it. The key itself is not counted.
pub(super) fn measure_value(value: &Value, depth: usize) -> Result<StateSize, StateError> {
    let mut size = StateSize::default();
    match value {
        Value::Bool(_) => {}
        Value::Int(int) if int.unsigned_abs() > 1 << 53 => {
            return Err(StateError::IntegerTooLarge(*int));
        }
        Value::Int(_) => {}
        Value::Num(num) if num.is_finite() => {}
        Value::Num(_) => return Err(StateError::NotFinite),
        Value::Text(text) => size.text_bytes = measure_text(text)?,
        Value::List(list) => {
            check_table(list.len(), depth)?;
            size.entry_count += limits::TABLE_COST_ENTRIES;
            for item in list {
                size.add(measure_value(item, depth + 1)?);
                size.entry_count += 1;
            }
        }
        Value::Map(map) => {
            check_table(map.len(), depth)?;
            size.entry_count += limits::TABLE_COST_ENTRIES;
            for (key, item) in map {
                size.add(measure_value(item, depth + 1)?);
                size.entry_count += 1;
                size.text_bytes += measure_text(key)?;
            }
        }
    }
    Ok(size)
}

/// The bytes of a text, if it may be stored.
pub(super) fn measure_text(text: &str) -> Result<usize, StateError> {
    if text.len() > limits::MAX_TEXT_BYTES {
        Err(StateError::TextTooLong(text.len()))
    } else {
        Ok(text.len())
    }
}

fn check_table(entries: usize, depth: usize) -> Result<(), StateError> {
    if depth + 1 > limits::MAX_NESTING_DEPTH {
        return Err(StateError::TooDeep);
    }
    if entries > limits::MAX_TABLE_ENTRIES { Err(StateError::TooManyEntries) } else { Ok(()) }
}

impl StateTree {
    /// Copies a measured value into cells of its own. Its key in `parent` is set when it is linked.
    pub(super) fn allocate_value(&mut self, value: Value, parent: u32) -> StoredValue {
        let body = match value {
            Value::Bool(truth) => return StoredValue::Bool(truth),
            Value::Int(int) => return StoredValue::Int(int),
            Value::Num(num) => return normalize_number(num),
            Value::Text(text) => return StoredValue::Text(text),
            Value::List(_) | Value::Map(_) => value,
        };
        let id = self.allocate_cell(parent);
        let body = match body {
            Value::List(list) if !list.is_empty() => {
                let mut entries = Vec::with_capacity(list.len());
                for (index, item) in list.into_iter().enumerate() {
                    let slot = self.allocate_value(item, id.index);
                    self.set_parent(&slot, id.index, Key::Index(index as u32 + 1));
                    entries.push(TableEntry::list_entry(slot));
                }
                TableBody::List(entries)
            }
            Value::Map(map) if !map.is_empty() => {
                let mut entries = BTreeMap::new();
                for (key, item) in map {
                    let slot = self.allocate_value(item, id.index);
                    self.set_parent(&slot, id.index, Key::Text(key.clone()));
                    entries.insert(key.clone(), TableEntry::map_entry(key, slot));
                }
                TableBody::Map(entries)
            }
            _ => TableBody::Empty,
        };
        self.cells[id.index as usize].body = body;
        StoredValue::Table(id)
    }

    /// Sets the parent and key of a slot, if it is a table.
    pub(super) fn set_parent(&mut self, slot: &StoredValue, parent: u32, key: Key) {
        if let StoredValue::Table(id) = slot {
            let cell = &mut self.cells[id.index as usize];
            cell.parent = parent;
            cell.key = key;
        }
    }

    fn allocate_cell(&mut self, parent: u32) -> TableHandle {
        let mut cell = TableCell::new(parent, self.cells[parent as usize].depth + 1);
        let index = match self.free_cells.pop() {
            Some(index) => {
                cell.generation = self.cells[index as usize].generation;
                self.cells[index as usize] = cell;
                index
            }
            None => {
                self.cells.push(cell);
                (self.cells.len() - 1) as u32
            }
        };
        TableHandle { index, generation: self.cells[index as usize].generation }
    }

    /// The size of a slot in the tree, without its own entry.
    pub(super) fn measure_stored_value(&self, slot: &StoredValue) -> StateSize {
        let id = match slot {
            StoredValue::Table(id) => *id,
            StoredValue::Text(text) => return StateSize { entry_count: 0, text_bytes: text.len() },
            _ => return StateSize::default(),
        };
        let mut size = StateSize { entry_count: limits::TABLE_COST_ENTRIES, text_bytes: 0 };
        match &self.cells[id.index as usize].body {
            TableBody::Empty => {}
            TableBody::List(list) => {
                list.iter().for_each(|entry| size.add(self.measure_stored_value(&entry.value)));
                size.entry_count += list.len();
            }
            TableBody::Map(map) => {
                for (key, entry) in map {
                    size.add(self.measure_stored_value(&entry.value));
                    size.add(StateSize { entry_count: 1, text_bytes: key.len() });
                }
            }
        }
        size
    }

    /// Detaches, attaches or frees all tables of a slot; returns the size of the slot.
    pub(super) fn change_subtree(
        &mut self,
        slot: &StoredValue,
        change: SubtreeChange,
    ) -> StateSize {
        let id = match slot {
            StoredValue::Table(id) => *id,
            StoredValue::Text(text) => return StateSize { entry_count: 0, text_bytes: text.len() },
            _ => return StateSize::default(),
        };
        self.record_write(id.index);
        let cell = &mut self.cells[id.index as usize];
        match change {
            SubtreeChange::Detach => cell.generation = cell.generation.wrapping_add(1),
            SubtreeChange::Free => cell.generation = (cell.generation | 1).wrapping_add(1),
            SubtreeChange::Attach => cell.generation = cell.generation.wrapping_sub(1),
        }
        let body = std::mem::replace(&mut cell.body, TableBody::Empty);
        let mut size = StateSize { entry_count: limits::TABLE_COST_ENTRIES, text_bytes: 0 };
        match &body {
            TableBody::Empty => {}
            TableBody::List(list) => {
                for entry in list {
                    size.add(self.change_subtree(&entry.value, change));
                }
                size.entry_count += list.len();
            }
            TableBody::Map(map) => {
                for (key, entry) in map {
                    size.add(self.change_subtree(&entry.value, change));
                    size.text_bytes += key.len();
                }
                size.entry_count += map.len();
            }
        }
        if change == SubtreeChange::Free {
            self.free_cells.push(id.index);
        } else {
            self.cells[id.index as usize].body = body;
        }
        size
    }
}

/// Normalizes a number: whole ones become integers, so one value has one digest.
fn normalize_number(num: f64) -> StoredValue {
    match Value::number(num) {
        Some(Value::Int(int)) => StoredValue::Int(int),
        _ => StoredValue::Num(num),
    }
}
