//! Events of moments, looked over, copied and frozen each in one go: a game previews many for one
//! prompt.

use crate::kit::{limits, meter};
use crate::luau::{At, Kind, Stack};

/// Fields of an event that are kept on the stack; those of a larger one are kept in a table.
const FEW: At = 32;

/// The length of what is no list.
const NO_LIST: u32 = u32::MAX;

/// The fields of an event as they were when a hook was called.
pub(super) struct Kept {
    /// Whether what they are is held to what is declared, and not their sorts alone.
    pub(super) held: bool,
    /// Whether among them may be lists, which grow and stay the same.
    pub(super) lists: bool,
    /// Whether another hook is called after the one that is looked at, which is compared with what that left.
    pub(super) more: bool,
    /// How many lie on top of the stack, keys and values in turn.
    fields: At,
    /// Where the key of each lies, if it lies anywhere.
    keys: [usize; FEW as usize],
    /// What each was, and where what it was counts, which one.
    sorts: [Kind; FEW as usize],
    which: [u64; FEW as usize],
    /// How long each was that may be a list.
    lengths: [u32; FEW as usize],
}

impl Kept {
    /// What stands at a place, and where that counts, which one: enough to tell whether it is as it was.
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

/// What a hook left otherwise than it was.
pub(super) enum Left {
    /// What stood under the key at a place, and lies above it, is what lies at the other now.
    Changed { key: At, now: At },
    /// The list that lies above the key at a place has another length than this.
    Grown { key: At, from: u32 },
    /// The key on top but one, with the value above it, was not there.
    New { key: At },
}

/// Keeps the fields of a table as they are now: on top of the stack, or of a large one in a copy of it at
/// `copy`.
pub(super) fn keep_fields(
    stack: Stack<'_>,
    (table, copy): (At, At),
    (held, lists): (bool, bool),
) -> Kept {
    // With what looking at them takes.
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

/// Looks at what is not as it was kept, and keeps it as it is now. Says whether there are other keys.
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
    // A table in which only values were changed is walked in the order that it had.
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

/// Looks at one field that was kept, and at what it is now.
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
        // A list may have grown, and nothing else may be other than it was.
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

/// The same of a table that has other keys, or the same in another order.
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

/// The same of a table with many fields, which lie in a copy of it.
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
    // What it is to be compared with from here on is what it is.
    stack.push_clone(table);
    stack.replace(copy);
    Ok(others)
}

/// Pushes a copy of a table with all tables in it that are not frozen. False if they lie too deep, or are more than
/// can be paid for; then what was pushed is of no use.
pub(super) fn push_copy(stack: Stack<'_>, at: At, depth: usize) -> bool {
    if depth >= limits::DEPTH || meter::is_spent() {
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
/// are put into a list at `inner`; while there is none, nothing lies there. Says how many they are;
/// nothing if they lie too deep.
pub(super) fn freeze(stack: Stack<'_>, table: At, inner: At) -> Option<At> {
    let mut count = 0;
    freeze_at(stack, table, inner, 0, &mut count).then_some(count)
}

fn freeze_at(stack: Stack<'_>, at: At, inner: At, depth: usize, count: &mut At) -> bool {
    if depth >= limits::DEPTH {
        return false;
    }
    // Whoever announces has room for one.
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

/// Makes a table that was frozen writable again, and so many that lie in a list at `inner`.
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
