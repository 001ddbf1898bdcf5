//! Small tables in one go: what a text or a roll is given beside it, and what a roll gives back.
//! Through mlua each field is a protected call or two. What is unusual is left to whoever asks.

use std::collections::BTreeMap;
use std::ffi::c_int;

use mlua::{Lua, Table, ffi};

use super::super::host::Host;
use super::data::{Maker, Reading};
use super::{text_at, utf8};
use crate::kit::Value;
use crate::kit::value::Map;

/// Most fields that are read at once.
const FIELDS: usize = 64;

/// What was read of a table.
#[derive(Default)]
pub(crate) struct Read {
    /// The fields.
    pub(crate) fields: Map,
    /// The fuel that reading them one by one would have been charged.
    pub(crate) fuel: usize,
}

/// The fields of a table that hold no tables and nothing odd; of one with rules of its own none.
pub(crate) fn leaves(lua: &Lua, host: &Host, table: &Table) -> Map {
    let read = walk(lua, host, table, |reading, state, kind| match kind {
        // SAFETY: the field lies at 3.
        ffi::LUA_TBOOLEAN | ffi::LUA_TNUMBER | ffi::LUA_TSTRING => unsafe {
            Some(reading.value(state, 3, 0))
        },
        _ => Some(None),
    });
    read.unwrap_or_default().fields
}

/// The fields of a table as plain data, but for one; `None` if it takes a closer look.
pub(crate) fn plain_but(lua: &Lua, host: &Host, table: &Table, but: &str) -> Option<Read> {
    walk(lua, host, table, |reading, state, _| {
        // SAFETY: the name lies at 2, the field at 3.
        unsafe {
            if text_at(state, 2) == but.as_bytes() {
                return Some(None);
            }
            reading.value(state, 3, 0).map(Some)
        }
    })
}

/// Walks a table. For each field it is asked whether all goes on, and what is kept of the field.
fn walk(
    lua: &Lua,
    host: &Host,
    table: &Table,
    mut look: impl FnMut(&mut Reading<'_>, *mut ffi::lua_State, c_int) -> Option<Option<Value>>,
) -> Option<Read> {
    let mut keys = host.keys.try_borrow_mut().ok()?;
    let mut reading = Reading::new(host, None, &mut keys);
    let mut found = None;
    let outcome = &mut found;
    // SAFETY: the table is argument 1; a name and a field lie above it, and are taken away after each.
    let asked = unsafe {
        host.protected::<()>(lua, table, |state| {
            ffi::lua_rawcheckstack(state, 6);
            let mut read = Read::default();
            let mut next = match ffi::lua_getmetatable(state, 1) {
                0 => ffi::lua_rawiter(state, 1, 0),
                _ => return ffi::lua_settop(state, 0),
            };
            while next >= 0 {
                let is_name = ffi::lua_type(state, 2) == ffi::LUA_TSTRING;
                reading.begin();
                let kept = match is_name && read.fields.len() < FIELDS {
                    true => look(&mut reading, state, ffi::lua_type(state, 3)),
                    false => None,
                };
                let name = kept.as_ref().and_then(|_| utf8(text_at(state, 2)));
                let (Some(kept), Some(name)) = (kept, name) else {
                    return ffi::lua_settop(state, 0);
                };
                if let Some(value) = kept {
                    read.fuel += reading.read() / 4;
                    read.fields.insert(reading.key(name), value);
                }
                ffi::lua_settop(state, 1);
                next = ffi::lua_rawiter(state, 1, next);
            }
            ffi::lua_settop(state, 0);
            *outcome = Some(read);
        })
    };
    asked.ok()?;
    found
}

/// What a roll gives beside its total, as a table: what counts as natural, the total, each die, and
/// what it comes to, if that is known already.
pub(crate) fn parts(
    lua: &Lua,
    host: &Host,
    natural: Option<i64>,
    total: i64,
    dice: impl ExactSizeIterator<Item = u32>,
    outcome: Option<Option<&str>>,
) -> mlua::Result<Table> {
    // SAFETY: what is pushed has room, since a maker asks for it, and is the result.
    unsafe {
        host.protected(lua, (), |state| {
            let mut maker = Maker::new(state);
            maker.open(0, 4);
            // The same names in the same order each time: a table is walked in the order that it was
            // filled in.
            maker.text("natural");
            match natural {
                Some(natural) => maker.number(natural as f64),
                None => maker.nil(),
            }
            maker.put();
            maker.text("total");
            maker.number(total as f64);
            maker.put();
            maker.text("dice");
            maker.open(dice.len(), 0);
            for (at, face) in dice.enumerate() {
                maker.number(f64::from(face));
                maker.put_at(at + 1);
            }
            maker.put();
            if let Some(outcome) = outcome {
                maker.text("outcome");
                match outcome {
                    Some(outcome) => maker.text(outcome),
                    None => maker.nil(),
                }
                maker.put();
            }
        })
    }
}

/// Names with their numbers as a table, and one more at the end.
pub(crate) fn counts(
    lua: &Lua,
    host: &Host,
    counted: &BTreeMap<String, u64>,
    last: (&str, u64),
) -> mlua::Result<Table> {
    // SAFETY: as above.
    unsafe {
        host.protected(lua, (), |state| {
            let mut maker = Maker::new(state);
            maker.open(0, counted.len() + 1);
            let all = counted.iter().map(|(name, count)| (name.as_str(), *count));
            for (name, count) in all.chain([last]) {
                maker.text(name);
                maker.number(count as f64);
                maker.put();
            }
        })
    }
}
