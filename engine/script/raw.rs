//! The only file with `unsafe`: two things of Luau that mlua does not offer safely.
//!
//! 1. The interrupt. mlua's own leaks stack slots for each host error that a script catches, and
//!    a script may catch many; this one only counts, and raises a plain text.
//! 2. The values that a function has captured. Tables made while loading must be frozen, also those
//!    that are reachable through captured locals alone.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_int};

use mlua::{Function, Lua, Value, ffi};

use super::fuel;

/// The text of the error that stops a script whose fuel is spent. Who sees it looks at the fuel.
pub(crate) const SPENT: &str = "the fuel is spent";

/// Frames that are looked at for the place where a script was stopped.
const FRAMES: c_int = 8;

/// Counts fuel at every interrupt of the VM.
pub(crate) fn count_fuel(lua: &Lua) -> mlua::Result<()> {
    // SAFETY: the callbacks belong to a live VM (we hold it), and the function that is stored there
    // has the signature that Luau asks for.
    unsafe {
        lua.exec_raw((), |state| {
            (*ffi::lua_callbacks(state)).interrupt = Some(interrupt);
        })
    }
}

unsafe extern "C-unwind" fn interrupt(state: *mut ffi::lua_State, collector: c_int) {
    // The collector's own interrupts cannot be left by an error.
    if collector >= 0 {
        return;
    }
    // SAFETY: Luau calls this with a live state; asking for a count touches no stack; the slots that
    // are pushed to are asked for first. Raising unwinds this frame, which holds nothing that wants
    // dropping.
    unsafe {
        if fuel::tick(ffi::lua_gc(state, ffi::LUA_GCCOUNT, 0)) {
            return;
        }
        note_stop(state);
        ffi::lua_rawcheckstack(state, 2);
        ffi::lua_pushlstring(state, SPENT.as_ptr().cast(), SPENT.len());
        ffi::lua_error(state);
    }
}

/// Writes down where a script was stopped: what it does with the error may hide it.
///
/// # Safety
/// The state must be live.
unsafe fn note_stop(state: *mut ffi::lua_State) {
    for level in 0..FRAMES {
        // SAFETY: the record is filled by the call before it is read, and its text belongs to a
        // function that is on the stack as long as we are here.
        unsafe {
            let mut record: ffi::lua_Debug = std::mem::zeroed();
            if ffi::lua_getinfo(state, level, c"sl".as_ptr(), &mut record) == 0 {
                return;
            }
            if !record.short_src.is_null() {
                let chunk = CStr::from_ptr(record.short_src).to_string_lossy();
                fuel::note_stop(&chunk, u32::try_from(record.currentline).unwrap_or(0));
            }
        }
    }
}

/// The values that a Lua function has captured.
pub(crate) fn captured(lua: &Lua, function: &Function) -> mlua::Result<Vec<Value>> {
    let mut values = Vec::new();
    for index in 1..=c_int::from(u8::MAX) {
        // SAFETY: the function is argument 1 of this protected call, and `lua_getupvalue` pushes at
        // most one value, for which there is room. Without such a value it pushes nothing.
        let value: Option<Value> = unsafe {
            lua.exec_raw::<mlua::MultiValue>(function, |state| {
                ffi::lua_rawcheckstack(state, 1);
                let found = !ffi::lua_getupvalue(state, 1, index).is_null();
                ffi::lua_remove(state, 1);
                ffi::lua_pushboolean(state, c_int::from(found));
            })
        }
        .map(|mut results| match results.pop_back() {
            Some(Value::Boolean(true)) => results.pop_back(),
            _ => None,
        })?;
        match value {
            Some(value) => values.push(value),
            None => break,
        }
    }
    Ok(values)
}
