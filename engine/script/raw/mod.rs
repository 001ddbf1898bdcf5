//! The only corner with `unsafe`: four things of Luau that mlua does not offer safely, or not fast.
//!
//! 1. The interrupt. mlua's own leaks stack slots for each host error that a script catches, and
//!    a script may catch many; this one only counts, and raises a plain text.
//! 2. The values that a function has captured. Tables made while loading must be frozen, also those
//!    that are reachable through captured locals alone.
//! 3. The proxies of the state. Scripts read and write little else; through mlua's userdata each
//!    read costs five times as much, most of it for errors that do not happen (`proxies`).
//! 4. Plain data into tables and out of them in one go (`data`, `datum`, `look`, `fields`, over the
//!    `walk` that they share, and `written`), moments announced
//!    (`moments`, `events`), judges asked (`judge`), texts told (`tell`) and dice thrown (`roll`); and protected calls that
//!    leave no garbage (`call`).
#![allow(unsafe_code)]

mod call;
mod data;
mod datum;
mod events;
mod fields;
pub(crate) mod judge;
mod look;
pub(crate) mod moments;
mod proxies;
mod roll;
mod tell;
mod walk;
mod written;

use std::ffi::{CStr, c_int};
use std::rc::Rc;

use mlua::{AnyUserData, Function, Lua, Table, Value, ffi};

use super::fuel::{self, Tick};
use super::host::{Host, Permit};

pub(crate) use call::{Caller, call_with};
pub(crate) use data::{Keys, make, make_datum, plain};
pub(crate) use datum::{Counts, body};
pub(crate) use fields::{counts, leaves, parts, plain_but};
pub(crate) use look::{Gave, call_and_read};
pub(crate) use proxies::{each, proxy, proxy_in, proxy_of, teach_proxies};
pub(crate) use roll::roller;
pub(crate) use tell::{TOLD, teller};

/// The text of the error that stops a script whose fuel is spent. Who sees it looks at the fuel.
pub(crate) const SPENT: &str = "the fuel is spent";

/// Frames that are looked at for the place where a script was stopped.
const FRAMES: c_int = 8;
/// Calls that are looked at for whoever called us.
const CALLS: c_int = 64;

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
        match fuel::tick(ffi::lua_gc(state, ffi::LUA_GCCOUNT, 0)) {
            Tick::On => return,
            Tick::Look => return look(state),
            Tick::Stop => {}
        }
        note_stop(state);
        ffi::lua_rawcheckstack(state, 2);
        ffi::lua_pushlstring(state, SPENT.as_ptr().cast(), SPENT.len());
        ffi::lua_error(state);
    }
}

/// Says which mod's function is running: the innermost that is not our own Lua.
///
/// # Safety
/// The state must be live.
unsafe fn look(state: *mut ffi::lua_State) {
    for level in 0..FRAMES {
        // SAFETY: as in `note_stop`.
        unsafe {
            let mut record: ffi::lua_Debug = std::mem::zeroed();
            if ffi::lua_getinfo(state, level, c"s".as_ptr(), &mut record) == 0 {
                break;
            }
            if record.short_src.is_null() {
                continue;
            }
            let chunk = CStr::from_ptr(record.short_src).to_bytes();
            let owner = chunk.split(|byte| *byte == b'/').next().unwrap_or_default();
            let ours = owner.len() == chunk.len() || owner.first() == Some(&b'[');
            if let Ok(owner) = std::str::from_utf8(owner)
                && !ours
            {
                return fuel::seen(owner);
            }
        }
    }
    fuel::seen("");
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

/// The innermost call whose chunk is one of those asked for: the chunk and the line.
pub(crate) fn caller(lua: &Lua, is_one: impl Fn(&str) -> bool) -> Option<(String, u32)> {
    let mut found = None;
    let outcome = &mut found;
    // SAFETY: as in `note_stop`; nothing is pushed, and nothing here raises.
    let asked = unsafe {
        lua.exec_raw::<()>((), |state| {
            for level in 0..CALLS {
                let mut record: ffi::lua_Debug = std::mem::zeroed();
                if ffi::lua_getinfo(state, level, c"sl".as_ptr(), &mut record) == 0 {
                    return;
                }
                if record.short_src.is_null() {
                    continue;
                }
                let chunk = CStr::from_ptr(record.short_src).to_string_lossy();
                if is_one(&chunk) {
                    *outcome =
                        Some((chunk.into_owned(), u32::try_from(record.currentline).unwrap_or(0)));
                    return;
                }
            }
        })
    };
    asked.ok().and(found)
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

/// A print of the values that the functions in a list have captured: another one if any of them
/// has captured another value since.
pub(crate) fn print_of(lua: &Lua, functions: &Table) -> mlua::Result<u64> {
    let mut print = 0xcbf2_9ce4_8422_2325_u64;
    let out = &mut print;
    let mut feed =
        |bits: u64| *out = (*out ^ bits).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(23);
    // SAFETY: the list is argument 1; one function lies above it at a time, and one value above
    // that, for which there is room. A value is looked at before it is taken away.
    unsafe {
        lua.exec_raw::<()>(functions, |state| {
            ffi::lua_rawcheckstack(state, 3);
            for at in 1..=ffi::lua_objlen(state, 1) {
                ffi::lua_rawgeti_(state, 1, c_int::try_from(at).unwrap_or(c_int::MAX));
                let mut index = 1;
                while !ffi::lua_getupvalue(state, 2, index).is_null() {
                    let kind = ffi::lua_type(state, 3);
                    feed(u64::from(kind.unsigned_abs()));
                    match kind {
                        ffi::LUA_TNUMBER => feed(ffi::lua_tonumber(state, 3).to_bits()),
                        ffi::LUA_TBOOLEAN => feed(u64::from(ffi::lua_toboolean(state, 3) != 0)),
                        _ => feed(ffi::lua_topointer(state, 3) as usize as u64),
                    }
                    ffi::lua_settop(state, 2);
                    index += 1;
                }
                ffi::lua_settop(state, 1);
            }
            ffi::lua_settop(state, 0);
        })
    }?;
    Ok(print)
}

/// A value of the host that is nothing but its metatable.
pub(crate) fn blank(lua: &Lua, meta: &Table) -> mlua::Result<AnyUserData> {
    // SAFETY: the metatable is argument 1; what is pushed has room, and is the result.
    unsafe {
        lua.exec_raw(meta, |state| {
            ffi::lua_newuserdata(state, 0);
            ffi::lua_insert(state, 1);
            ffi::lua_setmetatable(state, 1);
        })
    }
}

/// Copies the entries of a table into another one, where that has none of the name.
pub(crate) fn copy_into(lua: &Lua, into: &Table, from: &Table) -> mlua::Result<()> {
    // SAFETY: the tables are arguments 1 and 2; the key, the value and a copy of both have room, and
    // are taken away again. Walking does not mind that another table grows.
    unsafe {
        lua.exec_raw((into, from), |state| {
            ffi::lua_rawcheckstack(state, 6);
            let mut next = ffi::lua_rawiter(state, 2, 0);
            while next >= 0 {
                ffi::lua_pushvalue(state, 3);
                if ffi::lua_rawget(state, 1) == ffi::LUA_TNIL {
                    ffi::lua_settop(state, 4);
                    ffi::lua_rawset(state, 1);
                }
                ffi::lua_settop(state, 2);
                next = ffi::lua_rawiter(state, 2, next);
            }
            ffi::lua_settop(state, 0);
        })
    }
}

/// A function that calls another one with leave to look and no more. Where that one fails, whoever
/// catches its error gives the leave back (`Host::keep_permit`).
pub(crate) fn rule(lua: &Lua, host: &Rc<Host>, function: &Function) -> mlua::Result<Function> {
    let host = Rc::as_ptr(host).cast_mut().cast();
    // SAFETY: the function is argument 1; the host outlives the VM's last call.
    unsafe {
        lua.exec_raw(function, |state| {
            ffi::lua_pushlightuserdata(state, host);
            ffi::lua_insert(state, 1);
            ffi::lua_pushcclosured(state, call_rule, c"rule".as_ptr(), 2);
        })
    }
}

unsafe extern "C-unwind" fn call_rule(state: *mut ffi::lua_State) -> c_int {
    // SAFETY: Luau calls this with room for more than the arguments; the function is there.
    unsafe {
        let permit = &host_of(state).permit;
        let before = permit.replace(Permit::Look("a rule"));
        let arguments = ffi::lua_gettop(state);
        ffi::lua_pushvalue(state, ffi::lua_upvalueindex(IN_FULL));
        ffi::lua_insert(state, 1);
        ffi::lua_call(state, arguments, ffi::LUA_MULTRET);
        permit.set(before);
        ffi::lua_gettop(state)
    }
}

/// Where our own functions find the host, and what they go on to.
const HOST: c_int = 1;
const IN_FULL: c_int = 2;

/// # Safety
/// The state must be live and inside one of our functions; the host is borrowed no longer
/// than that function runs.
unsafe fn host_of<'h>(state: *mut ffi::lua_State) -> &'h Host {
    // SAFETY: the upvalue was set to the host when the function was made.
    unsafe { &*ffi::lua_tolightuserdata(state, ffi::lua_upvalueindex(HOST)).cast::<Host>() }
}

/// Calls what does the same in full with the arguments that are there.
///
/// # Safety
/// The state must be live and inside one of our functions, which was made with another behind the host.
unsafe fn in_full(state: *mut ffi::lua_State, arguments: c_int, results: c_int) -> c_int {
    // SAFETY: the function is there, and has room below its arguments.
    unsafe {
        ffi::lua_settop(state, arguments);
        ffi::lua_pushvalue(state, ffi::lua_upvalueindex(IN_FULL));
        ffi::lua_insert(state, 1);
        ffi::lua_call(state, arguments, results);
    }
    results
}

/// A text of Luau's as one of ours, if it is UTF-8. Most are plain, which is seen at once.
#[inline]
fn utf8(bytes: &[u8]) -> Option<&str> {
    if bytes.is_ascii() {
        // SAFETY: whatever is ASCII is UTF-8.
        return Some(unsafe { std::str::from_utf8_unchecked(bytes) });
    }
    std::str::from_utf8(bytes).ok()
}

/// # Safety
/// There must be a text, and it must stay on the stack as long as its bytes are used.
unsafe fn text_at<'k>(state: *mut ffi::lua_State, at: c_int) -> &'k [u8] {
    let mut length = 0;
    // SAFETY: texts of Luau do not move.
    unsafe {
        let bytes = ffi::lua_tolstring(state, at, &mut length);
        std::slice::from_raw_parts(bytes.cast(), length)
    }
}
