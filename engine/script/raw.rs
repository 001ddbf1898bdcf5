//! The only file with `unsafe`: two things of Luau that mlua does not offer safely.
//!
//! 1. The interrupt. mlua's own leaks stack slots for each host error that a script catches, and
//!    a script may catch many; this one only counts, and raises a plain text.
//! 2. The values that a function has captured. Tables made while loading must be frozen, also those
//!    that are reachable through captured locals alone.
#![allow(unsafe_code)]

use std::ffi::c_int;

use mlua::{Function, Lua, Value, ffi};

use super::fuel;

/// The text of the error that stops a script whose fuel is spent. Who sees it looks at the fuel.
pub(crate) const SPENT: &str = "the fuel is spent";

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
    if collector >= 0 || fuel::tick() {
        return;
    }
    // SAFETY: Luau calls this with a live state; the slots that are pushed to are asked for first.
    // Raising unwinds this frame, which holds nothing that wants dropping.
    unsafe {
        ffi::lua_rawcheckstack(state, 2);
        ffi::lua_pushlstring(state, SPENT.as_ptr().cast(), SPENT.len());
        ffi::lua_error(state);
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
