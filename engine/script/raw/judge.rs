//! A judge asked about every outcome of a roll in one go: a prompt shows the odds of many choices, each
//! of twenty outcomes or more, and through mlua each of them is several protected calls.

use std::ffi::c_int;

use mlua::{Function, Lua, Value, ffi};

use super::text_at;

/// One thing that the dice may come to.
pub(crate) struct Case {
    /// The single die that counts as natural, if there is one.
    pub(crate) natural: Option<i64>,
    /// What it comes to with everything added.
    pub(crate) total: i64,
    /// In how many equally likely cases.
    pub(crate) cases: u64,
}

/// What a judge said of all outcomes: names with their cases, in the order they first came in.
pub(crate) struct Judged {
    /// The names.
    pub(crate) bands: Vec<(String, u64)>,
    /// The first outcome that it gave no fit text for, and what it gave.
    pub(crate) odd: Option<(usize, Value)>,
}

/// Calls `judge(total, parts)` for each outcome, where `parts` has `natural` and `total`. The judge may
/// give any text but `reserved`.
pub(crate) fn judge_all(
    lua: &Lua,
    judge: &Function,
    reserved: &str,
    outcomes: impl Iterator<Item = Case>,
) -> mlua::Result<Judged> {
    let mut bands: Vec<(String, u64)> = Vec::new();
    let mut stopped = None;
    let (found, stop) = (&mut bands, &mut stopped);
    // SAFETY: the judge is argument 1; its copy, a total, a table, a key and a value have room; what it
    // gives is taken away again, but for the one that stops the walk, which is the result.
    let odd: Value = unsafe {
        lua.exec_raw(judge, |state| {
            ffi::lua_rawcheckstack(state, 8);
            for (at, Case { natural, total, cases }) in outcomes.enumerate() {
                ffi::lua_pushvalue(state, 1);
                ffi::lua_pushnumber(state, total as f64);
                push_parts(state, natural, total);
                ffi::lua_call(state, 2, 1);
                let is_text = ffi::lua_type(state, 2) == ffi::LUA_TSTRING;
                let name = if is_text { text_at(state, 2) } else { reserved.as_bytes() };
                if name == reserved.as_bytes() {
                    *stop = Some(at);
                    break;
                }
                match found.iter_mut().find(|(known, _)| known.as_bytes() == name) {
                    Some((_, sum)) => *sum += cases,
                    None => found.push((String::from_utf8_lossy(name).into_owned(), cases)),
                }
                ffi::lua_settop(state, 1);
            }
            if stop.is_none() {
                ffi::lua_pushnil(state);
            }
            ffi::lua_remove(state, 1);
        })
    }?;
    Ok(Judged { bands, odd: stopped.map(|at| (at, odd)) })
}

/// # Safety
/// The state must be live and have room for three values.
unsafe fn push_parts(state: *mut ffi::lua_State, natural: Option<i64>, total: i64) {
    // SAFETY: as asked for; each field takes its value away.
    unsafe {
        ffi::lua_createtable(state, 0, 4);
        let parts: c_int = ffi::lua_gettop(state);
        if let Some(natural) = natural {
            ffi::lua_pushnumber(state, natural as f64);
            ffi::lua_rawsetfield(state, parts, c"natural".as_ptr());
        }
        ffi::lua_pushnumber(state, total as f64);
        ffi::lua_rawsetfield(state, parts, c"total".as_ptr());
    }
}
