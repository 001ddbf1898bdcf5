//! The body of a definition read in one go: through mlua every field of it is a protected call and a
//! handle. What is not plain is left to `from_lua::datum`, which tells what is wrong.

use std::ffi::c_int;
use std::sync::Arc;

use mlua::{Function, Lua, Table, ffi};

use super::super::host::Host;
use super::data::Keys;
use super::text_at;
use super::walk::entries;
use crate::content::{Datum, FnRef};
use crate::kit::{Place, limits};

/// Whole numbers from here on are told from each other in full only.
const LARGE: f64 = 9_007_199_254_740_992.0;

/// What was read of a table.
pub(crate) struct Body {
    /// The datum. Each function in it has its place among the functions for its number, and no more.
    pub(crate) datum: Datum,
    /// The functions, in the order that a walk comes to them.
    pub(crate) functions: Vec<Function>,
    /// How much that was.
    pub(crate) counts: Counts,
}

/// How much was read.
#[derive(Clone, Copy, Default)]
pub(crate) struct Counts {
    /// Values that were read, the table itself among them.
    pub(crate) values: usize,
    /// Tables among them.
    pub(crate) tables: usize,
    /// Functions among them.
    pub(crate) functions: usize,
    /// Bytes of texts among them.
    pub(crate) bytes: usize,
    /// Units of fuel for the bytes of texts, of which so many cost one.
    pub(crate) units: usize,
}

/// Reads a table; `None` if it takes a closer look, or does not fit: one table may stand in many places
/// of another, so that this is asked at each value. So many bytes of a text cost a unit of fuel.
pub(crate) fn body(
    lua: &Lua,
    host: &Host,
    table: &Table,
    bytes_per_unit: usize,
    fits: &dyn Fn(&Counts) -> bool,
) -> Option<Body> {
    let mut keys = host.keys.try_borrow_mut().ok()?;
    let counts = Counts::default();
    let mut reading = Bodies { keys: &mut keys, per_unit: bytes_per_unit, fits, counts };
    let mut found = None;
    let (outcome, reader) = (&mut found, &mut reading);
    // SAFETY: the table is argument 1; the list of functions lies at 2; what is pushed above both is taken
    // away again, and the list is the result.
    let functions: Table = unsafe {
        lua.exec_raw(table, |state| {
            ffi::lua_rawcheckstack(state, 4);
            ffi::lua_createtable(state, 0, 0);
            *outcome = reader.value(state, 1, 0);
            ffi::lua_settop(state, 2);
            ffi::lua_remove(state, 1);
        })
    }
    .ok()?;
    let functions = functions.sequence_values().collect::<mlua::Result<Vec<Function>>>().ok()?;
    Some(Body { datum: found?, functions, counts: reading.counts })
}

struct Bodies<'k> {
    keys: &'k mut Keys,
    per_unit: usize,
    fits: &'k dyn Fn(&Counts) -> bool,
    counts: Counts,
}

impl Bodies<'_> {
    /// # Safety
    /// The state must be live, the place counted from the bottom, the list of functions at 2.
    unsafe fn value(
        &mut self,
        state: *mut ffi::lua_State,
        at: c_int,
        depth: usize,
    ) -> Option<Datum> {
        self.counts.values += 1;
        if !(self.fits)(&self.counts) {
            return None;
        }
        // SAFETY: each is asked for as what it is.
        unsafe {
            match ffi::lua_type(state, at) {
                ffi::LUA_TBOOLEAN => Some(Datum::Bool(ffi::lua_toboolean(state, at) != 0)),
                ffi::LUA_TNUMBER => {
                    let number = ffi::lua_tonumber(state, at);
                    match number == number.trunc() {
                        true if number.abs() < LARGE => Some(Datum::Int(number as i64)),
                        false if number.is_finite() => Some(Datum::Num(number)),
                        _ => None,
                    }
                }
                ffi::LUA_TSTRING => {
                    let bytes = text_at(state, at);
                    let fits = bytes.len() <= limits::TEXT_BYTES;
                    let text = fits.then(|| std::str::from_utf8(bytes).ok()).flatten()?;
                    self.counts.bytes += text.len();
                    self.counts.units += text.len() / self.per_unit;
                    Some(Datum::text(text))
                }
                ffi::LUA_TFUNCTION => {
                    ffi::lua_pushvalue(state, at);
                    let number = self.counts.functions as u64;
                    self.counts.functions += 1;
                    ffi::lua_rawseti_(state, 2, c_int::try_from(self.counts.functions).ok()?);
                    Some(Datum::Fn(Box::new(FnRef::new(number, Place::default()))))
                }
                ffi::LUA_TTABLE if depth < limits::DEPTH => self.table(state, at, depth),
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
    ) -> Option<Datum> {
        self.counts.tables += 1;
        let (mut list, mut map) = (Vec::new(), Vec::new());
        // SAFETY: there is a table; whatever is pushed for an entry is taken away again.
        let listed = unsafe {
            entries(state, at, |value, name| {
                let Some(name) = name else {
                    list.push(self.value(state, value, depth + 1)?);
                    return Some(());
                };
                let name = std::str::from_utf8(text_at(state, name)).ok()?;
                let key: Arc<str> = self.keys.key(name);
                map.push((key, self.value(state, value, depth + 1)?));
                Some(())
            })
        }?;
        // A list that goes on behind a hole is told in full. SAFETY: the table is still there.
        if unsafe { ffi::lua_objlen_(state, at) } as usize != listed {
            return None;
        }
        match (list.is_empty(), map.is_empty()) {
            (true, _) => Some(Datum::Map(map.into_iter().collect())),
            (false, true) => Some(Datum::List(list)),
            (false, false) => None,
        }
    }
}
