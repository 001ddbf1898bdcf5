//! Events of moments, looked over and copied each in one go: a game previews many for one prompt, and
//! through mlua every field of them is a protected call of its own.

use std::ffi::c_int;

use mlua::ffi;

use crate::kit::limits;

/// Fields of an event that are kept on the stack; those of a larger one are kept in a table.
const FEW: c_int = 32;

/// Keeps the fields of a table as they are now: on top of the stack, keys and values in turn, or in a
/// copy of it at `copy`. Says how many lie on the stack.
///
/// # Safety
/// The state must be live, the places counted from the bottom, the first that of a table.
pub(super) unsafe fn keep_fields(state: *mut ffi::lua_State, table: c_int, copy: c_int) -> c_int {
    // SAFETY: there is room for the few, and for one more.
    unsafe {
        ffi::lua_rawcheckstack(state, 2 * FEW + 8);
        let (mut fields, mut next) = (0, ffi::lua_rawiter(state, table, 0));
        while next >= 0 {
            fields += 1;
            if fields > FEW {
                ffi::lua_settop(state, -2 * fields - 1);
                ffi::lua_clonetable(state, table);
                ffi::lua_replace(state, copy);
                return 0;
            }
            next = ffi::lua_rawiter(state, table, next);
        }
        fields
    }
}

/// Whether every field that was kept is still there and of its type. The first that is not is pushed,
/// with what it was.
///
/// # Safety
/// As above, and the fields on the stack must lie on top.
pub(super) unsafe fn same_types(
    state: *mut ffi::lua_State,
    table: c_int,
    copy: c_int,
    fields: c_int,
) -> bool {
    // SAFETY: a key, a value, the key once more and what stands there now have room, and are taken away
    // after each field.
    unsafe {
        ffi::lua_rawcheckstack(state, 6);
        let top = ffi::lua_gettop(state);
        for key in (0..fields).map(|field| top - 2 * (fields - field) + 1) {
            if !same_type(state, table, key) {
                ffi::lua_pushvalue(state, key);
                ffi::lua_pushvalue(state, key + 1);
                return false;
            }
        }
        if fields > 0 || ffi::lua_type(state, copy) != ffi::LUA_TTABLE {
            return true;
        }
        let mut next = ffi::lua_rawiter(state, copy, 0);
        while next >= 0 {
            if !same_type(state, table, top + 1) {
                return false;
            }
            ffi::lua_settop(state, top);
            next = ffi::lua_rawiter(state, copy, next);
        }
    }
    true
}

/// Whether what stands in a table under a key is of the type of what lies behind that key.
///
/// # Safety
/// As above.
unsafe fn same_type(state: *mut ffi::lua_State, table: c_int, key: c_int) -> bool {
    // SAFETY: as above.
    unsafe {
        ffi::lua_pushvalue(state, key);
        let is = ffi::lua_rawget(state, table);
        ffi::lua_settop(state, -2);
        let was = ffi::lua_type(state, key + 1);
        is == was || sort_of(is) == sort_of(was)
    }
}

/// Types that a script does not tell apart count as one.
fn sort_of(kind: c_int) -> c_int {
    match kind {
        ffi::LUA_TUSERDATA => ffi::LUA_TTABLE,
        ffi::LUA_TINTEGER => ffi::LUA_TNUMBER,
        ffi::LUA_TLIGHTUSERDATA | ffi::LUA_TTHREAD | ffi::LUA_TBUFFER | ffi::LUA_TVECTOR => {
            ffi::LUA_TLIGHTUSERDATA
        }
        kind => kind,
    }
}

/// Pushes a copy of a table with all tables in it that are not frozen. False if they lie too deep;
/// then what was pushed is of no use.
///
/// # Safety
/// The state must be live, the place counted from the bottom and that of a table.
pub(super) unsafe fn push_copy(state: *mut ffi::lua_State, at: c_int, depth: usize) -> bool {
    if depth >= limits::DEPTH {
        return false;
    }
    // SAFETY: the copy, a key, a value, and both once more have room. Walking minds no new values under
    // keys that are there. A table that is a copy has no rules of its own.
    unsafe {
        ffi::lua_rawcheckstack(state, 8);
        ffi::lua_clonetable(state, at);
        let copy = ffi::lua_gettop(state);
        if ffi::lua_getmetatable(state, copy) != 0 {
            ffi::lua_settop(state, copy);
            ffi::lua_pushnil(state);
            ffi::lua_setmetatable(state, copy);
        }
        let mut next = ffi::lua_rawiter(state, copy, 0);
        while next >= 0 {
            let is_open = ffi::lua_type(state, copy + 2) == ffi::LUA_TTABLE
                && ffi::lua_getreadonly(state, copy + 2) == 0;
            if is_open {
                if !push_copy(state, copy + 2, depth + 1) {
                    return false;
                }
                ffi::lua_replace(state, copy + 2);
                ffi::lua_rawset(state, copy);
            }
            ffi::lua_settop(state, copy);
            next = ffi::lua_rawiter(state, copy, next);
        }
    }
    true
}

/// Freezes a table that is not frozen, and all tables in it. Those in it that were not frozen before
/// are put into a list at `inner`; while there is none, nothing lies there. False if they lie too
/// deep.
///
/// # Safety
/// The state must be live, the places counted from the bottom.
pub(super) unsafe fn freeze(state: *mut ffi::lua_State, table: c_int, inner: c_int) -> bool {
    // SAFETY: as asked for.
    unsafe { freeze_at(state, table, inner, 0, &mut 0) }
}

/// # Safety
/// As above.
unsafe fn freeze_at(
    state: *mut ffi::lua_State,
    at: c_int,
    inner: c_int,
    depth: usize,
    count: &mut c_int,
) -> bool {
    if depth >= limits::DEPTH {
        return false;
    }
    // SAFETY: a key and a value, and the table once more, have room.
    unsafe {
        ffi::lua_rawcheckstack(state, 4);
        ffi::lua_setreadonly(state, at, 1);
        let top = ffi::lua_gettop(state);
        let mut next = ffi::lua_rawiter(state, at, 0);
        while next >= 0 {
            let is_open = ffi::lua_type(state, top + 2) == ffi::LUA_TTABLE
                && ffi::lua_getreadonly(state, top + 2) == 0;
            if is_open {
                if *count == 0 {
                    ffi::lua_createtable(state, 1, 0);
                    ffi::lua_replace(state, inner);
                }
                ffi::lua_pushvalue(state, top + 2);
                *count += 1;
                ffi::lua_rawseti_(state, inner, *count);
                if !freeze_at(state, top + 2, inner, depth + 1, count) {
                    return false;
                }
            }
            ffi::lua_settop(state, top);
            next = ffi::lua_rawiter(state, at, next);
        }
    }
    true
}

/// Makes a table that was frozen writable again, and those of a list, if one lies at `inner`.
///
/// # Safety
/// As above.
pub(super) unsafe fn thaw(state: *mut ffi::lua_State, table: c_int, inner: c_int) {
    // SAFETY: each table of the list has room, and is taken away.
    unsafe {
        ffi::lua_setreadonly(state, table, 0);
        if ffi::lua_type(state, inner) != ffi::LUA_TTABLE {
            return;
        }
        let top = ffi::lua_gettop(state);
        for at in 1..=ffi::lua_objlen_(state, inner) {
            ffi::lua_rawgeti_(state, inner, at);
            ffi::lua_setreadonly(state, top + 1, 0);
            ffi::lua_settop(state, top);
        }
    }
}
