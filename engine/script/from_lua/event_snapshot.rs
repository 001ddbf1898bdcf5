//! Compares, copies and freezes the tables of events, each in one go: a game previews many events
//! for one prompt.

use base::{limits, meter};
use luau::{LuaType, Stack, StackIndex};

/// Maximum number of fields that are kept on the stack; larger events are copied to a table.
const MAX_STACK_FIELDS: StackIndex = 32;

/// The length of a value that is not a list.
const NO_LIST_LENGTH: u32 = u32::MAX;

/// The fields of an event before a hook is called.
pub(super) struct EventSnapshot {
    /// Whether values are compared, not only their types.
    pub(super) compares_values: bool,
    /// Whether some fields may be lists, which can change in place.
    pub(super) compares_lengths: bool,
    /// Whether another hook follows; it is compared with what this one leaves.
    pub(super) has_next_hook: bool,
    /// The number of fields on the stack, as pairs of key and value.
    field_count: StackIndex,
    /// The address of each key, if it has one.
    key_addresses: [usize; MAX_STACK_FIELDS as usize],
    /// The kind of each value, and its fingerprint where values are compared.
    value_types: [LuaType; MAX_STACK_FIELDS as usize],
    fingerprints: [u64; MAX_STACK_FIELDS as usize],
    /// The length of each value that may be a list.
    list_lengths: [u32; MAX_STACK_FIELDS as usize],
}

impl EventSnapshot {
    /// The kind and the fingerprint of a value.
    #[inline]
    fn fingerprint(&self, stack: Stack<'_>, index: StackIndex) -> (LuaType, u64) {
        let kind = stack.lua_type(index);
        let value_bits = match kind {
            _ if !self.compares_values => 0,
            LuaType::Nil => 0,
            LuaType::Bool => u64::from(stack.is_truthy(index)),
            LuaType::Number => stack.number(index).to_bits(),
            _ => stack.value_address(index) as u64,
        };
        (kind, value_bits)
    }
}

/// A change that a hook made to an event.
pub(super) enum EventChange {
    /// The value under the key at an index, which is above it, has become the value at `now`.
    ValueChanged { key: StackIndex, new_value: StackIndex },
    /// The list above the key at an index had this other length.
    ListResized { key: StackIndex, old_length: u32 },
    /// The key is new; its value is above it on top.
    KeyAdded { key: StackIndex },
}

/// Takes a snapshot of the fields of a table: on the stack, or for a large table in a copy at
/// `copy`.
pub(super) fn take_snapshot(
    stack: Stack<'_>,
    (table, copy): (StackIndex, StackIndex),
    (compares_values, has_lists): (bool, bool),
) -> EventSnapshot {
    let top = stack.top();
    let mut snapshot = EventSnapshot {
        compares_values,
        compares_lengths: has_lists,
        has_next_hook: true,
        field_count: 0,
        key_addresses: [0; MAX_STACK_FIELDS as usize],
        value_types: [LuaType::Nil; MAX_STACK_FIELDS as usize],
        fingerprints: [0; MAX_STACK_FIELDS as usize],
        list_lengths: [NO_LIST_LENGTH; MAX_STACK_FIELDS as usize],
    };
    let mut position = stack.push_next_entry(table, 0);
    while position >= 0 {
        if snapshot.field_count >= MAX_STACK_FIELDS {
            stack.set_top(top);
            stack.push_shallow_table_copy(table);
            stack.replace(copy);
            snapshot.field_count = 0;
            return snapshot;
        }
        let value = top + 2 * snapshot.field_count + 2;
        let field = snapshot.field_count as usize;
        snapshot.key_addresses[field] = stack.value_address(value - 1);
        (snapshot.value_types[field], snapshot.fingerprints[field]) =
            snapshot.fingerprint(stack, value);
        if has_lists && snapshot.value_types[field] == LuaType::Table {
            snapshot.list_lengths[field] = stack.list_length(value) as u32;
        }
        snapshot.field_count += 1;
        position = stack.push_next_entry(table, position);
    }
    snapshot
}

/// Reports each change since the snapshot and updates the snapshot. Returns true if the set of keys
/// has changed.
pub(super) fn compare_event<E>(
    stack: Stack<'_>,
    (table, copy): (StackIndex, StackIndex),
    snapshot: &mut EventSnapshot,
    report_change: &mut dyn FnMut(EventChange) -> Result<(), E>,
) -> Result<bool, E> {
    let top = stack.top();
    if snapshot.field_count == 0 && stack.lua_type(copy) == LuaType::Table {
        return compare_with_copy(stack, table, copy, report_change);
    }
    // A table keeps its iteration order when only values change.
    let mut position = stack.push_next_entry(table, 0);
    for field in 0..snapshot.field_count {
        let key = top - 2 * (snapshot.field_count - field) + 1;
        let key_address = snapshot.key_addresses[field as usize];
        let is_same_key = || {
            (key_address != 0 && key_address == stack.value_address(top + 1))
                || stack.raw_equal(key, top + 1)
        };
        if position < 0 || !is_same_key() {
            stack.set_top(top);
            return compare_by_keys(stack, table, snapshot, report_change);
        }
        compare_field(stack, snapshot, field, top + 2, report_change)?;
        stack.set_top(top);
        position = stack.push_next_entry(table, position);
    }
    match position {
        ..0 => Ok(false),
        _ => {
            stack.set_top(top);
            compare_by_keys(stack, table, snapshot, report_change)
        }
    }
}

/// Compares one field with its snapshot.
#[inline]
fn compare_field<E>(
    stack: Stack<'_>,
    snapshot: &mut EventSnapshot,
    field: StackIndex,
    new_value: StackIndex,
    report_change: &mut dyn FnMut(EventChange) -> Result<(), E>,
) -> Result<(), E> {
    let key = new_value - 1 - 2 * (snapshot.field_count - field);
    let field_index = field as usize;
    let (kind, value_bits) = snapshot.fingerprint(stack, new_value);
    if snapshot.value_types[field_index] == kind && snapshot.fingerprints[field_index] == value_bits
    {
        // Only the length of a list can have changed.
        if snapshot.list_lengths[field_index] != NO_LIST_LENGTH {
            let length = stack.list_length(new_value) as u32;
            if length != snapshot.list_lengths[field_index] {
                report_change(EventChange::ListResized {
                    key,
                    old_length: snapshot.list_lengths[field_index],
                })?;
                snapshot.list_lengths[field_index] = length;
            }
        }
        return Ok(());
    }
    report_change(EventChange::ValueChanged { key, new_value })?;
    if snapshot.has_next_hook {
        (snapshot.value_types[field_index], snapshot.fingerprints[field_index]) =
            (kind, value_bits);
        let is_list = snapshot.compares_lengths && kind == LuaType::Table;
        snapshot.list_lengths[field_index] =
            if is_list { stack.list_length(new_value) as u32 } else { NO_LIST_LENGTH };
        stack.set_top(new_value);
        stack.replace(key + 1);
    }
    Ok(())
}

/// Compares a table whose keys have changed or are in another order.
#[cold]
fn compare_by_keys<E>(
    stack: Stack<'_>,
    table: StackIndex,
    snapshot: &mut EventSnapshot,
    report_change: &mut dyn FnMut(EventChange) -> Result<(), E>,
) -> Result<bool, E> {
    let top = stack.top();
    let key_index_of = |field: StackIndex| top - 2 * (snapshot.field_count - field) + 1;
    let keys: Vec<StackIndex> = (0..snapshot.field_count).map(key_index_of).collect();
    for (field, key) in (0..).zip(&keys) {
        stack.push_nil();
        stack.push_copy(*key);
        stack.raw_get(table);
        compare_field(stack, snapshot, field, top + 2, report_change)?;
        stack.set_top(top);
    }
    let mut has_new_keys = false;
    let mut position = stack.push_next_entry(table, 0);
    while position >= 0 {
        if !keys.iter().any(|key| stack.raw_equal(*key, top + 1)) {
            has_new_keys = true;
            report_change(EventChange::KeyAdded { key: top + 1 })?;
        }
        stack.set_top(top);
        position = stack.push_next_entry(table, position);
    }
    Ok(has_new_keys)
}

/// Compares a large table with its copy.
#[cold]
fn compare_with_copy<E>(
    stack: Stack<'_>,
    table: StackIndex,
    copy: StackIndex,
    report_change: &mut dyn FnMut(EventChange) -> Result<(), E>,
) -> Result<bool, E> {
    let top = stack.top();
    let mut position = stack.push_next_entry(copy, 0);
    while position >= 0 {
        stack.push_copy(top + 1);
        stack.raw_get(table);
        if !stack.raw_equal(top + 2, top + 3) {
            report_change(EventChange::ValueChanged { key: top + 1, new_value: top + 3 })?;
        }
        stack.set_top(top);
        position = stack.push_next_entry(copy, position);
    }
    let mut has_new_keys = false;
    let mut position = stack.push_next_entry(table, 0);
    while position >= 0 {
        stack.push_copy(top + 1);
        if stack.raw_get(copy) == LuaType::Nil {
            has_new_keys = true;
            stack.set_top(top + 2);
            report_change(EventChange::KeyAdded { key: top + 1 })?;
        }
        stack.set_top(top);
        position = stack.push_next_entry(table, position);
    }
    // The next comparison is with the current state.
    stack.push_shallow_table_copy(table);
    stack.replace(copy);
    Ok(has_new_keys)
}

/// Pushes a deep copy of a table, without copying frozen tables. False if the nesting is too deep
/// or the budget is spent; the pushed value is then unusable.
pub(super) fn push_deep_copy(stack: Stack<'_>, table: StackIndex, depth: usize) -> bool {
    if depth >= limits::MAX_NESTING_DEPTH || meter::is_fuel_exhausted() {
        return false;
    }
    stack.push_shallow_table_copy(table);
    let copy = stack.top();
    // The copy has no metatable.
    stack.push_nil();
    stack.set_metatable(copy);
    let mut position = stack.push_next_entry(copy, 0);
    while position >= 0 {
        if stack.lua_type(copy + 2) == LuaType::Table && !stack.is_frozen(copy + 2) {
            if !push_deep_copy(stack, copy + 2, depth + 1) {
                return false;
            }
            stack.replace(copy + 2);
            stack.raw_set(copy);
        }
        stack.set_top(copy);
        position = stack.push_next_entry(copy, position);
    }
    true
}

/// Freezes a table and all tables in it. Nested tables that were not frozen before go into a list
/// at `inner_list`, which is created when needed. Returns their number; `None` if the nesting is
/// too deep.
pub(super) fn freeze_event(
    stack: Stack<'_>,
    table: StackIndex,
    inner_list: StackIndex,
) -> Option<StackIndex> {
    let mut count = 0;
    freeze_nested(stack, table, inner_list, 0, &mut count).then_some(count)
}

fn freeze_nested(
    stack: Stack<'_>,
    table: StackIndex,
    inner_list: StackIndex,
    depth: usize,
    count: &mut StackIndex,
) -> bool {
    if depth >= limits::MAX_NESTING_DEPTH {
        return false;
    }
    stack.set_frozen(table, true);
    let top = stack.top();
    let mut position = stack.push_next_entry(table, 0);
    while position >= 0 {
        if stack.lua_type(top + 2) == LuaType::Table && !stack.is_frozen(top + 2) {
            if *count == 0 {
                stack.push_table(1, 0);
                stack.replace(inner_list);
            }
            stack.push_copy(top + 2);
            *count += 1;
            stack.raw_set_at(inner_list, *count);
            if !freeze_nested(stack, top + 2, inner_list, depth + 1, count) {
                return false;
            }
        }
        stack.set_top(top);
        position = stack.push_next_entry(table, position);
    }
    true
}

/// Makes a frozen table writable again, with the nested tables in the list at `inner_list`.
pub(super) fn unfreeze_event(
    stack: Stack<'_>,
    table: StackIndex,
    (inner_list, count): (StackIndex, StackIndex),
) {
    stack.set_frozen(table, false);
    if count == 0 {
        return;
    }
    let top = stack.top();
    for list_index in 1..=count {
        stack.raw_get_at(inner_list, list_index);
        stack.set_frozen(top + 1, false);
        stack.set_top(top);
    }
}
