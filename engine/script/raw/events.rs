//! Events of moments, looked over and copied each in one go: a game previews many for one prompt, and
//! through mlua every field of them is a protected call of its own.

use std::ffi::c_int;

use mlua::{Lua, Table, ffi};

use crate::kit::limits;

/// A copy of a table, but for the tables in it, which are the same.
pub(crate) fn shallow(lua: &Lua, table: &Table) -> mlua::Result<Table> {
    // SAFETY: the table is argument 1; the copy has room, and is the result.
    unsafe {
        lua.exec_raw(table, |state| {
            ffi::lua_clonetable(state, 1);
            ffi::lua_remove(state, 1);
        })
    }
}

/// Whether every field that a table had when `before` was copied of it is still there and of its type.
pub(crate) fn same_types(lua: &Lua, before: &Table, now: &Table) -> mlua::Result<bool> {
    let mut same = true;
    let outcome = &mut same;
    // SAFETY: the tables are arguments 1 and 2; a key, a value, the key once more and what stands there
    // now have room, and are taken away after each field.
    unsafe {
        lua.exec_raw::<()>((before, now), |state| {
            ffi::lua_rawcheckstack(state, 6);
            let mut next = ffi::lua_rawiter(state, 1, 0);
            while next >= 0 {
                let was = sort_of(ffi::lua_type(state, 4));
                ffi::lua_pushvalue(state, 3);
                *outcome &= was == sort_of(ffi::lua_rawget(state, 2));
                ffi::lua_settop(state, 2);
                next = ffi::lua_rawiter(state, 1, next);
            }
            ffi::lua_settop(state, 0);
        })
    }?;
    Ok(same)
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

/// A copy of a table with all tables in it that are not frozen; `None` if they lie too deep.
pub(crate) fn deep_copy(lua: &Lua, table: &Table) -> mlua::Result<Option<Table>> {
    // SAFETY: the table is argument 1; what is pushed has room; the copy, or nothing, is the result.
    unsafe {
        lua.exec_raw(table, |state| {
            if !push_copy(state, 1, 0) {
                ffi::lua_settop(state, 1);
                ffi::lua_pushnil(state);
            }
            ffi::lua_replace(state, 1);
            ffi::lua_settop(state, 1);
        })
    }
}

/// Pushes a copy of a table. False if tables lie too deep in it; then what was pushed is of no use.
///
/// # Safety
/// The state must be live, the place counted from the bottom and that of a table.
unsafe fn push_copy(state: *mut ffi::lua_State, at: c_int, depth: usize) -> bool {
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

/// Freezes a table and all tables in it, and puts those that were not frozen before into a list.
/// False if they lie too deep.
pub(crate) fn freeze(lua: &Lua, table: &Table, frozen: &Table) -> mlua::Result<bool> {
    let mut fits = true;
    let outcome = &mut fits;
    // SAFETY: the tables are arguments 1 and 2; what is pushed has room and is taken away.
    unsafe {
        lua.exec_raw::<()>((frozen, table), |state| {
            let mut count = 0;
            *outcome = freeze_at(state, 2, 0, &mut count);
            ffi::lua_settop(state, 0);
        })
    }?;
    Ok(fits)
}

/// # Safety
/// The state must be live, the place counted from the bottom and that of a table; the list is at 1.
unsafe fn freeze_at(
    state: *mut ffi::lua_State,
    at: c_int,
    depth: usize,
    count: &mut c_int,
) -> bool {
    // SAFETY: a key and a value, and the table once more, have room.
    unsafe {
        if ffi::lua_getreadonly(state, at) != 0 {
            return true;
        }
        if depth >= limits::DEPTH {
            return false;
        }
        ffi::lua_rawcheckstack(state, 4);
        ffi::lua_setreadonly(state, at, 1);
        ffi::lua_pushvalue(state, at);
        *count += 1;
        ffi::lua_rawseti_(state, 1, *count);
        let top = ffi::lua_gettop(state);
        let mut next = ffi::lua_rawiter(state, at, 0);
        while next >= 0 {
            if ffi::lua_type(state, top + 2) == ffi::LUA_TTABLE
                && !freeze_at(state, top + 2, depth + 1, count)
            {
                return false;
            }
            ffi::lua_settop(state, top);
            next = ffi::lua_rawiter(state, at, next);
        }
    }
    true
}

/// Makes the tables of a list writable again.
pub(crate) fn thaw(lua: &Lua, frozen: &Table) -> mlua::Result<()> {
    // SAFETY: the list is argument 1; each table of it has room, and is taken away.
    unsafe {
        lua.exec_raw(frozen, |state| {
            for at in 1..=ffi::lua_objlen_(state, 1) {
                ffi::lua_rawgeti_(state, 1, at);
                ffi::lua_setreadonly(state, -1, 0);
                ffi::lua_settop(state, 1);
            }
            ffi::lua_settop(state, 0);
        })
    }
}
