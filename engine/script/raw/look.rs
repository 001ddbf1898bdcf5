//! What a function gave, looked at where it lies: in the same protected call that called it.

use std::borrow::Cow;
use std::ffi::c_int;

use mlua::{Function, Lua, Value as LuaValue, ffi};

use super::super::host::Host;
use super::super::look::Look;
use super::walk::{Scales, entries};
use crate::kit::{Value, limits};

/// Names that there is room for at first in what is looked at; few tables have more.
const NAMES: usize = 8;
/// The most entries of a list that there is room for at first.
const LIST: usize = 64;

/// What a function gave.
pub(crate) enum Gave<R> {
    /// What was made of a table that it gave.
    Read(R),
    /// Anything that takes a closer look.
    Other(LuaValue),
}

/// Calls a function and reads the table that it gives, where nothing odd is in it: `read` is handed it
/// with the number of values that were looked at. What is unnamed in a table that has names too lies
/// under the key `split`.
pub(crate) fn call_and_read<R>(
    lua: &Lua,
    host: &Host,
    function: &Function,
    split: &str,
    read: impl FnOnce(&Look<'_>, usize) -> R,
) -> mlua::Result<Gave<R>> {
    let (mut made, mut read) = (None, Some(read));
    let (outcome, read) = (&mut made, &mut read);
    // SAFETY: the function is argument 1 and gives way to its result; what is pushed above that is taken
    // away again. Texts that were looked at belong to the result, which stays until it was read.
    let other: LuaValue = unsafe {
        host.protected(lua, function, |state| {
            ffi::lua_call(state, 0, 1);
            let mut looking = Looking { scales: Scales::new(host), split };
            let seen = match ffi::lua_type(state, 1) {
                ffi::LUA_TTABLE => looking.value(state, 1, 0),
                _ => None,
            };
            if let Some(seen) = seen {
                *outcome = read.take().map(|read| read(&seen, looking.scales.nodes));
                ffi::lua_settop(state, 0);
                ffi::lua_pushnil(state);
            }
        })
    }?;
    Ok(made.map_or(Gave::Other(other), Gave::Read))
}

struct Looking<'h> {
    scales: Scales<'h>,
    split: &'h str,
}

impl<'h> Looking<'h> {
    /// # Safety
    /// The state must be live, the place counted from the bottom, and what stands there must stay as long
    /// as what was looked at is used.
    unsafe fn value<'s>(
        &mut self,
        state: *mut ffi::lua_State,
        at: c_int,
        depth: usize,
    ) -> Option<Look<'s>>
    where
        'h: 's,
    {
        self.scales.weigh(1, 0)?;
        // SAFETY: each is asked for as what it is.
        unsafe {
            match ffi::lua_type(state, at) {
                ffi::LUA_TBOOLEAN => Some(Look::Bool(ffi::lua_toboolean(state, at) != 0)),
                ffi::LUA_TNUMBER => Value::number(ffi::lua_tonumber(state, at)).map(Look::kept),
                ffi::LUA_TSTRING => {
                    self.scales.text(state, at).map(|text| Look::Text(Cow::Borrowed(text)))
                }
                ffi::LUA_TTABLE if depth < limits::DEPTH => self.table(state, at, depth),
                ffi::LUA_TUSERDATA => self.scales.part(state, at).map(Look::kept),
                _ => None,
            }
        }
    }

    /// # Safety
    /// As above, and there must be a table.
    unsafe fn table<'s>(
        &mut self,
        state: *mut ffi::lua_State,
        at: c_int,
        depth: usize,
    ) -> Option<Look<'s>>
    where
        'h: 's,
    {
        let (mut list, mut map) = (Vec::new(), Vec::new());
        self.scales.weigh(limits::TABLE_NODES, 0)?;
        // SAFETY: there is a table; whatever is pushed for an entry is taken away again, and the table keeps
        // what was looked at.
        unsafe {
            entries(state, at, |value, name| {
                let Some(name) = name else {
                    if list.is_empty() {
                        list.reserve(ffi::lua_objlen(state, at).min(LIST));
                    }
                    list.push(self.value(state, value, depth + 1)?);
                    return Some(());
                };
                let name = Cow::Borrowed(self.scales.text(state, name)?);
                if map.is_empty() {
                    map.reserve(NAMES);
                }
                map.push((name, self.value(state, value, depth + 1)?));
                Some(())
            })?;
        }
        match (list.is_empty(), map.is_empty()) {
            (true, _) => Some(Look::Map(map)),
            (false, true) => Some(Look::List(list)),
            (false, false) => {
                map.push((Cow::Borrowed(self.split), Look::List(list)));
                Some(Look::Map(map))
            }
        }
    }
}
