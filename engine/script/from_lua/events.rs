//! Events of moments, looked over, copied and frozen each in one go: a game previews many for one
//! prompt.

use crate::kit::limits;
use crate::luau::{At, Kind, Stack};

/// Fields of an event that are kept on the stack; those of a larger one are kept in a table.
const FEW: At = 32;

/// Keeps the fields of a table as they are now: on top of the stack, keys and values in turn, or in a
/// copy of it at `copy`. Says how many lie on the stack.
pub(super) fn keep_fields(stack: Stack<'_>, table: At, copy: At) -> At {
    stack.room(2 * FEW + 8);
    let top = stack.top();
    let (mut fields, mut next) = (0, stack.next(table, 0));
    while next >= 0 {
        fields += 1;
        if fields > FEW {
            stack.set_top(top);
            stack.push_clone(table);
            stack.replace(copy);
            return 0;
        }
        next = stack.next(table, next);
    }
    fields
}

/// Whether every field that was kept, on top or in the copy, is still there and of its type. The first
/// that is not is pushed, with what it was.
pub(super) fn same_types(stack: Stack<'_>, table: At, copy: At, fields: At) -> bool {
    stack.room(6);
    let top = stack.top();
    for key in (0..fields).map(|field| top - 2 * (fields - field) + 1) {
        if !same_type(stack, table, key) {
            stack.push_copy(key);
            stack.push_copy(key + 1);
            return false;
        }
    }
    if fields > 0 || stack.kind(copy) != Kind::Table {
        return true;
    }
    let mut next = stack.next(copy, 0);
    while next >= 0 {
        if !same_type(stack, table, top + 1) {
            return false;
        }
        stack.set_top(top);
        next = stack.next(copy, next);
    }
    true
}

/// Whether what stands in a table under a key is of the type of what lies behind that key.
fn same_type(stack: Stack<'_>, table: At, key: At) -> bool {
    let top = stack.top();
    stack.push_copy(key);
    let is = stack.raw_get(table);
    stack.set_top(top);
    // Parts of the state and tables are not told apart.
    let same = |kind| if kind == Kind::Host { Kind::Table } else { kind };
    same(is) == same(stack.kind(key + 1))
}

/// Pushes a copy of a table with all tables in it that are not frozen. False if they lie too deep;
/// then what was pushed is of no use.
pub(super) fn push_copy(stack: Stack<'_>, at: At, depth: usize) -> bool {
    if depth >= limits::DEPTH {
        return false;
    }
    stack.room(8);
    stack.push_clone(at);
    let copy = stack.top();
    // A table that is a copy has no rules of its own.
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

/// Freezes a table that is not frozen, and all tables in it. Those in it that were not frozen before
/// are put into a list at `inner`; while there is none, nothing lies there. False if they lie too
/// deep.
pub(super) fn freeze(stack: Stack<'_>, table: At, inner: At) -> bool {
    freeze_at(stack, table, inner, 0, &mut 0)
}

fn freeze_at(stack: Stack<'_>, at: At, inner: At, depth: usize, count: &mut At) -> bool {
    if depth >= limits::DEPTH {
        return false;
    }
    stack.room(4);
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

/// Makes a table that was frozen writable again, and those of a list, if one lies at `inner`.
pub(super) fn thaw(stack: Stack<'_>, table: At, inner: At) {
    stack.set_frozen(table, false);
    if stack.kind(inner) != Kind::Table {
        return;
    }
    let top = stack.top();
    for at in 1..=stack.length(inner) as At {
        stack.raw_get_at(inner, at);
        stack.set_frozen(top + 1, false);
        stack.set_top(top);
    }
}
