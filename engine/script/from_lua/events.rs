//! Compares, copies and freezes the tables of events, each in one go: a game previews many events
//! for one prompt.

use crate::kit::{limits, meter};
use crate::luau::{At, Kind, Stack};

/// Maximum number of fields that are kept on the stack; larger events are copied to a table.
const FEW: At = 32;

/// The length of a value that is not a list.
const NO_LIST: u32 = u32::MAX;

/// The fields of an event before a hook is called.
pub(super) struct Kept {
    /// Whether values are compared, not only their types.
    pub(super) held: bool,
    /// Whether some fields may be lists, which can change in place.
    pub(super) lists: bool,
    /// Whether another hook follows; it is compared with what this one leaves.
    pub(super) more: bool,
    /// The number of fields on the stack, as pairs of key and value.
    fields: At,
    /// The address of each key, if it has one.
    keys: [usize; FEW as usize],
    /// The kind of each value, and its fingerprint where values are compared.
    sorts: [Kind; FEW as usize],
    which: [u64; FEW as usize],
    /// The length of each value that may be a list.
    lengths: [u32; FEW as usize],
}

impl Kept {
    /// The kind and the fingerprint of a value.
    #[inline]
    fn print(&self, stack: Stack<'_>, at: At) -> (Kind, u64) {
        let sort = stack.kind(at);
        let which = match sort {
            _ if !self.held => 0,
            Kind::Nil => 0,
            Kind::Bool => u64::from(stack.truth(at)),
            Kind::Number => stack.number(at).to_bits(),
            _ => stack.pointer(at) as u64,
        };
        (sort, which)
    }
}

/// A change that a hook made to an event.
pub(super) enum Left {
    /// The value under the key at an index, which is above it, has become the value at `now`.
    Changed { key: At, now: At },
    /// The list above the key at an index had this other length.
    Grown { key: At, from: u32 },
    /// The key is new; its value is above it on top.
    New { key: At },
}

/// Takes a snapshot of the fields of a table: on the stack, or for a large table in a copy at
/// `copy`.
pub(super) fn keep_fields(
    stack: Stack<'_>,
    (table, copy): (At, At),
    (held, lists): (bool, bool),
) -> Kept {
    // Includes room for the comparison.
    stack.room(2 * FEW + 16);
    let top = stack.top();
    let mut kept = Kept {
        held,
        lists,
        more: true,
        fields: 0,
        keys: [0; FEW as usize],
        sorts: [Kind::Nil; FEW as usize],
        which: [0; FEW as usize],
        lengths: [NO_LIST; FEW as usize],
    };
    let mut next = stack.next(table, 0);
    while next >= 0 {
        if kept.fields >= FEW {
            stack.set_top(top);
            stack.push_clone(table);
            stack.replace(copy);
            kept.fields = 0;
            return kept;
        }
        let value = top + 2 * kept.fields + 2;
        let field = kept.fields as usize;
        kept.keys[field] = stack.pointer(value - 1);
        (kept.sorts[field], kept.which[field]) = kept.print(stack, value);
        if lists && kept.sorts[field] == Kind::Table {
            kept.lengths[field] = stack.length(value) as u32;
        }
        kept.fields += 1;
        next = stack.next(table, next);
    }
    kept
}

/// Reports each change since the snapshot and updates the snapshot. Returns true if the set of keys
/// has changed.
pub(super) fn what_is_left<E>(
    stack: Stack<'_>,
    (table, copy): (At, At),
    kept: &mut Kept,
    each: &mut dyn FnMut(Left) -> Result<(), E>,
) -> Result<bool, E> {
    let top = stack.top();
    if kept.fields == 0 && stack.kind(copy) == Kind::Table {
        return in_copy(stack, table, copy, each);
    }
    // A table keeps its iteration order when only values change.
    let mut next = stack.next(table, 0);
    for field in 0..kept.fields {
        let key = top - 2 * (kept.fields - field) + 1;
        let lies = kept.keys[field as usize];
        let is_it = || (lies != 0 && lies == stack.pointer(top + 1)) || stack.same(key, top + 1);
        if next < 0 || !is_it() {
            stack.set_top(top);
            return by_keys(stack, table, kept, each);
        }
        one(stack, kept, field, top + 2, each)?;
        stack.set_top(top);
        next = stack.next(table, next);
    }
    match next {
        ..0 => Ok(false),
        _ => {
            stack.set_top(top);
            by_keys(stack, table, kept, each)
        }
    }
}

/// Compares one field with its snapshot.
#[inline]
fn one<E>(
    stack: Stack<'_>,
    kept: &mut Kept,
    field: At,
    now: At,
    each: &mut dyn FnMut(Left) -> Result<(), E>,
) -> Result<(), E> {
    let key = now - 1 - 2 * (kept.fields - field);
    let at = field as usize;
    let (sort, which) = kept.print(stack, now);
    if kept.sorts[at] == sort && kept.which[at] == which {
        // Only the length of a list can have changed.
        if kept.lengths[at] != NO_LIST {
            let is = stack.length(now) as u32;
            if is != kept.lengths[at] {
                each(Left::Grown { key, from: kept.lengths[at] })?;
                kept.lengths[at] = is;
            }
        }
        return Ok(());
    }
    each(Left::Changed { key, now })?;
    if kept.more {
        (kept.sorts[at], kept.which[at]) = (sort, which);
        let is_list = kept.lists && sort == Kind::Table;
        kept.lengths[at] = if is_list { stack.length(now) as u32 } else { NO_LIST };
        stack.set_top(now);
        stack.replace(key + 1);
    }
    Ok(())
}

/// Compares a table whose keys have changed or are in another order.
#[cold]
fn by_keys<E>(
    stack: Stack<'_>,
    table: At,
    kept: &mut Kept,
    each: &mut dyn FnMut(Left) -> Result<(), E>,
) -> Result<bool, E> {
    let top = stack.top();
    let key_of = |field: At| top - 2 * (kept.fields - field) + 1;
    let keys: Vec<At> = (0..kept.fields).map(key_of).collect();
    for (field, key) in (0..).zip(&keys) {
        stack.push_nil();
        stack.push_copy(*key);
        stack.raw_get(table);
        one(stack, kept, field, top + 2, each)?;
        stack.set_top(top);
    }
    let mut others = false;
    let mut next = stack.next(table, 0);
    while next >= 0 {
        if !keys.iter().any(|key| stack.same(*key, top + 1)) {
            others = true;
            each(Left::New { key: top + 1 })?;
        }
        stack.set_top(top);
        next = stack.next(table, next);
    }
    Ok(others)
}

/// Compares a large table with its copy.
#[cold]
fn in_copy<E>(
    stack: Stack<'_>,
    table: At,
    copy: At,
    each: &mut dyn FnMut(Left) -> Result<(), E>,
) -> Result<bool, E> {
    let top = stack.top();
    let mut next = stack.next(copy, 0);
    while next >= 0 {
        stack.push_copy(top + 1);
        stack.raw_get(table);
        if !stack.same(top + 2, top + 3) {
            each(Left::Changed { key: top + 1, now: top + 3 })?;
        }
        stack.set_top(top);
        next = stack.next(copy, next);
    }
    let mut others = false;
    let mut next = stack.next(table, 0);
    while next >= 0 {
        stack.push_copy(top + 1);
        if stack.raw_get(copy) == Kind::Nil {
            others = true;
            stack.set_top(top + 2);
            each(Left::New { key: top + 1 })?;
        }
        stack.set_top(top);
        next = stack.next(table, next);
    }
    // The next comparison is with the current state.
    stack.push_clone(table);
    stack.replace(copy);
    Ok(others)
}

/// Pushes a deep copy of a table, without copying frozen tables. False if the nesting is too deep
/// or the budget is spent; the pushed value is then unusable.
pub(super) fn push_copy(stack: Stack<'_>, at: At, depth: usize) -> bool {
    if depth >= limits::DEPTH || meter::is_spent() {
        return false;
    }
    stack.room(8);
    stack.push_clone(at);
    let copy = stack.top();
    // The copy has no metatable.
    stack.push_nil();
    stack.set_rules(copy);
    let mut next = stack.next(copy, 0);
    while next >= 0 {
        if stack.kind(copy + 2) == Kind::Table && !stack.is_frozen(copy + 2) {
            if !push_copy(stack, copy + 2, depth + 1) {
                return false;
            }
            stack.replace(copy + 2);
            stack.raw_set(copy);
        }
        stack.set_top(copy);
        next = stack.next(copy, next);
    }
    true
}

/// Freezes a table and all tables in it. Nested tables that were not frozen before go into a list
/// at `inner`, which is created when needed. Returns their number; `None` if the nesting is too
/// deep.
pub(super) fn freeze(stack: Stack<'_>, table: At, inner: At) -> Option<At> {
    let mut count = 0;
    freeze_at(stack, table, inner, 0, &mut count).then_some(count)
}

fn freeze_at(stack: Stack<'_>, at: At, inner: At, depth: usize, count: &mut At) -> bool {
    if depth >= limits::DEPTH {
        return false;
    }
    // The caller has room for one.
    if depth > 0 {
        stack.room(4);
    }
    stack.set_frozen(at, true);
    let top = stack.top();
    let mut next = stack.next(at, 0);
    while next >= 0 {
        if stack.kind(top + 2) == Kind::Table && !stack.is_frozen(top + 2) {
            if *count == 0 {
                stack.push_table(1, 0);
                stack.replace(inner);
            }
            stack.push_copy(top + 2);
            *count += 1;
            stack.raw_set_at(inner, *count);
            if !freeze_at(stack, top + 2, inner, depth + 1, count) {
                return false;
            }
        }
        stack.set_top(top);
        next = stack.next(at, next);
    }
    true
}

/// Makes a frozen table writable again, with the nested tables in the list at `inner`.
pub(super) fn thaw(stack: Stack<'_>, table: At, (inner, count): (At, At)) {
    stack.set_frozen(table, false);
    if count == 0 {
        return;
    }
    let top = stack.top();
    for at in 1..=count {
        stack.raw_get_at(inner, at);
        stack.set_frozen(top + 1, false);
        stack.set_top(top);
    }
}
