//! What a function gave, looked at where it lies: in the same protected call that called it.

use std::borrow::Cow;
use std::ffi::c_int;

use mlua::{Function, Lua, Value as LuaValue, ffi};

use super::super::convert::weight;
use super::super::host::Host;
use super::super::look::Look;
use super::proxies::proxy_at;
use super::text_at;
use crate::kit::{Value, limits};

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
        lua.exec_raw(function, |state| {
            ffi::lua_call(state, 0, 1);
            let mut looking = Looking { host, split, looked: 0, bytes: 0 };
            let seen = match ffi::lua_type(state, 1) {
                ffi::LUA_TTABLE => looking.value(state, 1, 0),
                _ => None,
            };
            if let Some(seen) = seen {
                *outcome = read.take().map(|read| read(&seen, looking.looked));
                ffi::lua_settop(state, 0);
                ffi::lua_pushnil(state);
            }
        })
    }?;
    Ok(made.map_or(Gave::Other(other), Gave::Read))
}

struct Looking<'h> {
    host: &'h Host,
    split: &'h str,
    looked: usize,
    /// Bytes of texts so far: one text may stand in many places, and is copied for each.
    bytes: usize,
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
        self.weigh(1, 0)?;
        // SAFETY: each is asked for as what it is.
        unsafe {
            match ffi::lua_type(state, at) {
                ffi::LUA_TBOOLEAN => Some(Look::Bool(ffi::lua_toboolean(state, at) != 0)),
                ffi::LUA_TNUMBER => match Value::number(ffi::lua_tonumber(state, at))? {
                    Value::Int(int) => Some(Look::Int(int)),
                    Value::Num(number) => Some(Look::Num(number)),
                    _ => None,
                },
                ffi::LUA_TSTRING => {
                    self.text(state, at).map(|text| Look::Text(Cow::Borrowed(text)))
                }
                ffi::LUA_TTABLE if depth < limits::DEPTH => self.table(state, at, depth),
                ffi::LUA_TUSERDATA => {
                    let proxy = proxy_at(state, at)?;
                    let world = self.host.world.try_borrow().ok()?;
                    let node = proxy.node.filter(|_| proxy.turn == self.host.turn.number())?;
                    let value = world.state.value(node).ok()?;
                    let (nodes, bytes) = weight(&value);
                    self.weigh(nodes, bytes)?;
                    Some(Look::kept(value))
                }
                _ => None,
            }
        }
    }

    /// # Safety
    /// As above, and there must be a text.
    unsafe fn text<'s>(&mut self, state: *mut ffi::lua_State, at: c_int) -> Option<&'s str> {
        // SAFETY: as asked for.
        let bytes = unsafe { text_at(state, at) };
        let fits = bytes.len() <= limits::TEXT_BYTES;
        let text = fits.then(|| std::str::from_utf8(bytes).ok()).flatten()?;
        self.weigh(0, text.len())?;
        Some(text)
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
        self.weigh(limits::TABLE_NODES, 0)?;
        // SAFETY: room for a key and a value is asked for; both are taken away after each entry, and the
        // table keeps what was looked at.
        unsafe {
            ffi::lua_rawcheckstack(state, 4);
            let value = ffi::lua_gettop(state) + 2;
            let mut next = ffi::lua_rawiter(state, at, 0);
            while next >= 0 {
                match ffi::lua_type(state, value - 1) {
                    ffi::LUA_TNUMBER => {
                        if ffi::lua_tonumber(state, value - 1) != (list.len() + 1) as f64 {
                            return None;
                        }
                        list.push(self.value(state, value, depth + 1)?);
                    }
                    ffi::LUA_TSTRING => {
                        let name = Cow::Borrowed(self.text(state, value - 1)?);
                        map.push((name, self.value(state, value, depth + 1)?));
                    }
                    _ => return None,
                }
                if list.len() + map.len() > limits::TABLE_ENTRIES {
                    return None;
                }
                ffi::lua_settop(state, value - 2);
                next = ffi::lua_rawiter(state, at, next);
            }
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

    /// Counts what was looked at; `None` where it is too much.
    fn weigh(&mut self, nodes: usize, bytes: usize) -> Option<()> {
        self.looked = self.looked.saturating_add(nodes);
        self.bytes = self.bytes.saturating_add(bytes);
        (self.looked <= limits::STATE_NODES && self.bytes <= limits::STATE_BYTES).then_some(())
    }
}
