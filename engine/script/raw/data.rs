//! Plain data into Lua's tables and out of them, each in one go: through mlua every entry is a
//! protected call of its own. What is not plain is left to `convert`, which tells what is wrong.

use std::ffi::c_int;
use std::sync::Arc;

use mlua::{Function, Lua, Table, Value as LuaValue, Variadic, ffi};
use serde::Serialize;

use super::super::host::Host;
use super::walk::{Scales, entries};
use crate::content::Datum;
use crate::kit::value::Map;
use crate::kit::{Value, limits};

/// What makes a value of Lua: each call pushes one value, or takes one or two away.
pub(crate) struct Maker {
    state: *mut ffi::lua_State,
    frozen: bool,
}

/// Makes a value of Lua of what can be written down; `frozen` tables refuse every write.
pub(crate) fn make(lua: &Lua, what: &impl Serialize, frozen: bool) -> mlua::Result<LuaValue> {
    let mut made = Ok(());
    let outcome = &mut made;
    // SAFETY: what is pushed has room, since a maker asks for it, and is the result.
    let value = unsafe {
        lua.exec_raw((), |state| {
            *outcome = what.serialize(&mut Maker { state, frozen });
        })
    };
    made.map_err(mlua::Error::external).and(value)
}

impl Maker {
    /// A maker of tables that may be written to.
    pub(super) fn new(state: *mut ffi::lua_State) -> Self {
        Self { state, frozen: false }
    }

    /// A maker of tables that refuse every write.
    pub(super) fn frozen(state: *mut ffi::lua_State) -> Self {
        Self { state, frozen: true }
    }

    /// Nothing.
    pub(super) fn nil(&mut self) {
        // SAFETY: a maker lives in a protected call only, and the room was asked for.
        unsafe { ffi::lua_pushnil(self.state) }
    }

    /// True or false.
    pub(super) fn truth(&mut self, truth: bool) {
        // SAFETY: as above.
        unsafe { ffi::lua_pushboolean(self.state, c_int::from(truth)) }
    }

    /// A number.
    pub(super) fn number(&mut self, number: f64) {
        // SAFETY: as above.
        unsafe { ffi::lua_pushnumber(self.state, number) }
    }

    /// A text.
    pub(super) fn text(&mut self, text: &str) {
        // SAFETY: as above; Luau copies the bytes.
        unsafe { ffi::lua_pushlstring_(self.state, text.as_ptr().cast(), text.len()) }
    }

    /// A table that entries are to be put into.
    pub(super) fn open(&mut self, list: usize, map: usize) {
        let room = |count: usize| c_int::try_from(count).unwrap_or(c_int::MAX);
        // SAFETY: room for the table, a key, a value and a table in that.
        unsafe {
            ffi::lua_rawcheckstack(self.state, 4);
            ffi::lua_createtable(self.state, room(list), room(map));
        }
    }

    /// Puts the value that was made last, under the key that was made before it, into the table
    /// that was opened before both.
    pub(super) fn put(&mut self) {
        // SAFETY: whoever calls this has made them.
        unsafe { ffi::lua_rawset(self.state, -3) }
    }

    /// Puts the value that was made last at a place, from 1, of the table that was opened before it.
    pub(super) fn put_at(&mut self, place: usize) {
        let place = c_int::try_from(place).unwrap_or(c_int::MAX);
        // SAFETY: whoever calls this has made them.
        unsafe { ffi::lua_rawseti_(self.state, -2, place) }
    }

    /// The table that was opened last is whole.
    pub(super) fn close(&mut self) {
        // SAFETY: whoever calls this has opened it, and nothing lies on it.
        unsafe { ffi::lua_setreadonly(self.state, -1, c_int::from(self.frozen)) }
    }
}

/// Makes frozen values of Lua of a datum. Its functions are given in the order of the datum.
pub(crate) fn make_datum(
    lua: &Lua,
    datum: &Datum,
    functions: Vec<Function>,
) -> mlua::Result<LuaValue> {
    // SAFETY: the functions are arguments from 1 on, below everything that is pushed; the result is
    // put in the place of the first and alone left.
    unsafe {
        lua.exec_raw(Variadic::from_iter(functions), |state| {
            let mut next = 1;
            push_datum(state, datum, &mut next);
            ffi::lua_insert(state, 1);
            ffi::lua_settop(state, 1);
        })
    }
}

/// # Safety
/// The state must be live; the functions lie in it from `next` on.
unsafe fn push_datum(state: *mut ffi::lua_State, datum: &Datum, next: &mut c_int) {
    let mut maker = Maker { state, frozen: true };
    match datum {
        Datum::Bool(truth) => maker.truth(*truth),
        Datum::Int(int) => maker.number(*int as f64),
        Datum::Num(number) => maker.number(*number),
        Datum::Text(text) => maker.text(text),
        Datum::Fn(_) => {
            // SAFETY: there is a function for each.
            unsafe { ffi::lua_pushvalue(state, *next) }
            *next += 1;
        }
        Datum::List(list) => {
            maker.open(list.len(), 0);
            for (at, item) in list.iter().enumerate() {
                // SAFETY: as for the whole.
                unsafe { push_datum(state, item, next) }
                maker.put_at(at + 1);
            }
            maker.close();
        }
        Datum::Map(map) => {
            maker.open(0, map.len());
            for (name, item) in map {
                maker.text(name);
                // SAFETY: as for the whole.
                unsafe { push_datum(state, item, next) }
                maker.put();
            }
            maker.close();
        }
    }
}

/// The most keys that are kept.
const KEYS: usize = 512;

/// Keys of tables that were read before: the same few come again and again.
pub(crate) struct Keys(Vec<Option<Arc<str>>>);

impl Default for Keys {
    fn default() -> Self {
        Self(vec![None; KEYS])
    }
}

impl Keys {
    /// A key. Luau has each text once: where it lies tells where to look, and no more.
    pub(super) fn key(&mut self, text: &str) -> Arc<str> {
        let lies = text.as_ptr() as usize;
        let kept = &mut self.0[((lies >> 4) ^ (lies >> 13)) % KEYS];
        match kept {
            Some(key) if **key == *text => key.clone(),
            _ => kept.insert(Arc::from(text)).clone(),
        }
    }
}

/// A table as plain data, and how many values were read; `None` if it takes a closer look. With
/// `split`, what is unnamed in a table that has names too lies under that key.
pub(crate) fn plain(
    lua: &Lua,
    host: &Host,
    table: &Table,
    split: Option<&str>,
) -> Option<(Value, usize)> {
    let mut keys = host.keys.try_borrow_mut().ok()?;
    let mut reading = Reading::new(host, split, &mut keys);
    let mut found = None;
    let outcome = &mut found;
    let reader = &mut reading;
    // SAFETY: the table is argument 1; everything that is pushed is taken away again.
    let asked = unsafe {
        lua.exec_raw::<()>(table, |state| {
            *outcome = reader.value(state, 1, 0);
            ffi::lua_settop(state, 0);
        })
    };
    asked.ok()?;
    Some((found?, reading.read()))
}

pub(super) struct Reading<'a> {
    scales: Scales<'a>,
    split: Option<&'a str>,
    keys: &'a mut Keys,
}

impl<'a> Reading<'a> {
    /// A reader of a table that has read nothing yet.
    pub(super) fn new(host: &'a Host, split: Option<&'a str>, keys: &'a mut Keys) -> Self {
        Self { scales: Scales::new(host), split, keys }
    }

    /// Begins with something else, which has the whole limit to itself.
    pub(super) fn begin(&mut self) {
        self.scales.clear();
    }

    /// How many values were read since then.
    pub(super) fn read(&self) -> usize {
        self.scales.nodes
    }

    /// A key.
    pub(super) fn key(&mut self, name: &str) -> Arc<str> {
        self.keys.key(name)
    }

    /// # Safety
    /// The state must be live, and the place counted from the bottom.
    pub(super) unsafe fn value(
        &mut self,
        state: *mut ffi::lua_State,
        at: c_int,
        depth: usize,
    ) -> Option<Value> {
        self.scales.weigh(1, 0)?;
        // SAFETY: each is asked for as what it is.
        unsafe {
            match ffi::lua_type(state, at) {
                ffi::LUA_TBOOLEAN => Some(Value::Bool(ffi::lua_toboolean(state, at) != 0)),
                ffi::LUA_TNUMBER => Value::number(ffi::lua_tonumber(state, at)),
                ffi::LUA_TSTRING => {
                    self.scales.text(state, at).map(|text| Value::Text(Arc::from(text)))
                }
                ffi::LUA_TTABLE if depth < limits::DEPTH => self.table(state, at, depth),
                ffi::LUA_TUSERDATA => self.scales.part(state, at),
                _ => None,
            }
        }
    }

    /// # Safety
    /// As above, and there must be a table.
    unsafe fn table(
        &mut self,
        state: *mut ffi::lua_State,
        at: c_int,
        depth: usize,
    ) -> Option<Value> {
        let (mut list, mut map) = (Vec::new(), Map::new());
        self.scales.weigh(limits::TABLE_NODES, 0)?;
        // SAFETY: there is a table; whatever is pushed for an entry is taken away again.
        unsafe {
            entries(state, at, |value, name| {
                let Some(name) = name else {
                    list.push(self.value(state, value, depth + 1)?);
                    return Some(());
                };
                let name = self.scales.text(state, name)?;
                let key = self.keys.key(name);
                map.insert(key, self.value(state, value, depth + 1)?);
                Some(())
            })?;
        }
        match (list.is_empty(), map.is_empty()) {
            (true, _) => Some(Value::Map(map)),
            (false, true) => Some(Value::List(list)),
            (false, false) => {
                map.insert(Arc::from(self.split?), Value::List(list));
                Some(Value::Map(map))
            }
        }
    }
}
