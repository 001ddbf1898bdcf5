//! `say`, `note` and their like as Luau calls them: a step tells several texts, and through mlua each
//! value that is put into one is a protected call of its own. What is unusual goes on to functions that
//! do the same in full.

use std::ffi::{CStr, c_int};
use std::rc::Rc;

use mlua::{Function, Lua, ffi};

use super::super::host::{Host, Permit, Phase};
use super::super::shape;
use super::{host_of, in_full, text_at, utf8};
use crate::kit::text::{Part, escape_into, parts, shown};
use crate::kit::{Value, limits};
use crate::play::Event;

/// A function that tells: its name, and what it makes of a text.
type Told = (&'static CStr, fn(String) -> Event);

/// What is told, by the name of the function that tells it.
pub(crate) const TOLD: [Told; 5] = [
    (c"say", |text| Event::Say { text }),
    (c"heading", |text| Event::Heading { text }),
    (c"note", |text| Event::Note { text }),
    (c"gain", |text| Event::Gain { text }),
    (c"loss", |text| Event::Loss { text }),
];

/// What is told with, in the order of arguments.
const TEXT: c_int = 1;
const VALUES: c_int = 2;
/// Where the function finds its place in the list above.
const SORT: c_int = 3;
/// Most marks of a text that is filled here.
const MARKS: c_int = 12;

/// A function that tells. `sort` is its place in the list; `in_full` does the same in full.
pub(crate) fn teller(
    lua: &Lua,
    host: &Rc<Host>,
    sort: usize,
    in_full: &Function,
) -> mlua::Result<Function> {
    let host = Rc::as_ptr(host).cast_mut().cast();
    // SAFETY: the function in full is argument 1 and becomes an upvalue; the host outlives the VM's last
    // call; what is pushed has room, and the function made is the result.
    unsafe {
        lua.exec_raw(in_full, |state| {
            ffi::lua_pushlightuserdata(state, host);
            ffi::lua_insert(state, 1);
            ffi::lua_pushnumber(state, sort as f64);
            ffi::lua_pushcclosured(state, tell, TOLD[sort].0.as_ptr(), 3);
        })
    }
}

unsafe extern "C-unwind" fn tell(state: *mut ffi::lua_State) -> c_int {
    // SAFETY: Luau calls this with room for twenty values: two arguments and the marks. Nothing is
    // held while values are laid out; nothing raises an error while there is a text of ours.
    unsafe {
        let host = host_of(state);
        ffi::lua_settop(state, VALUES);
        let may = host.phase.get() == Phase::Playing && host.permit.get() == Permit::Act;
        if may && lay_out(state).is_some() {
            let sort = ffi::lua_tonumber(state, ffi::lua_upvalueindex(SORT)) as usize;
            let told = filled(state).map(TOLD[sort].1);
            if told.is_some_and(|event| told_to(host, event).is_some()) {
                return 0;
            }
        }
        in_full(state, VALUES, 0)
    }
}

/// Tells an event, if there is room for it.
fn told_to(host: &Host, event: Event) -> Option<()> {
    host.world.try_borrow_mut().ok()?.tell(event).ok()
}

/// Lays the values of all marks out behind the arguments, in the order of the marks. `None` if that takes
/// a closer look.
///
/// # Safety
/// The state must be live and inside the function above, with its two arguments.
unsafe fn lay_out(state: *mut ffi::lua_State) -> Option<()> {
    // SAFETY: the text is an argument, and stays; there is room for so many marks.
    unsafe {
        let text = written(state)?;
        let values = ffi::lua_type(state, VALUES);
        if !text.as_bytes().contains(&b'{') {
            let fits = matches!(values, ffi::LUA_TNIL | ffi::LUA_TTABLE | ffi::LUA_TUSERDATA);
            return fits.then_some(());
        }
        if values != ffi::LUA_TTABLE || ffi::lua_getmetatable(state, VALUES) != 0 {
            return None;
        }
        for part in parts(text) {
            let Part::Mark(name) = part else { continue };
            // A name with a point in it means a field of a field.
            if name.contains('.') || ffi::lua_gettop(state) >= VALUES + MARKS {
                return None;
            }
            ffi::lua_pushlstring_(state, name.as_ptr().cast(), name.len());
            ffi::lua_rawget(state, VALUES);
        }
    }
    Some(())
}

/// The text with the values put in; `None` if that takes a closer look.
///
/// # Safety
/// As above, and the values were laid out.
unsafe fn filled(state: *mut ffi::lua_State) -> Option<String> {
    // SAFETY: the text stays where it is.
    let text = unsafe { written(state) }?;
    let mut out = String::with_capacity(text.len() + 16);
    let mut at = VALUES;
    for part in parts(text) {
        match part {
            Part::Plain(plain) => out.push_str(plain),
            Part::Mark(_) => {
                at += 1;
                // SAFETY: the value of this mark lies there.
                unsafe { put(state, at, &mut out) }?;
            }
        }
    }
    shape::fit(&"a text", &out).ok().map(|()| out)
}

/// Puts a value behind a text; `None` if that takes a closer look.
///
/// # Safety
/// As above.
unsafe fn put(state: *mut ffi::lua_State, at: c_int, out: &mut String) -> Option<()> {
    // SAFETY: each is asked for as what it is.
    unsafe {
        match ffi::lua_type(state, at) {
            ffi::LUA_TBOOLEAN => {
                let truth = Value::Bool(ffi::lua_toboolean(state, at) != 0);
                out.push_str(&shown(&truth));
            }
            ffi::LUA_TNUMBER => out.push_str(&shown(&Value::number(ffi::lua_tonumber(state, at))?)),
            ffi::LUA_TSTRING => {
                let bytes = text_at(state, at);
                let fits = bytes.len() <= limits::TEXT_BYTES;
                escape_into(out, fits.then(|| utf8(bytes)).flatten()?);
            }
            _ => return None,
        }
    }
    Some(())
}

/// The text that is told, if it is one.
///
/// # Safety
/// As above; the text is used no longer than it stays an argument.
unsafe fn written<'s>(state: *mut ffi::lua_State) -> Option<&'s str> {
    // SAFETY: as asked for.
    unsafe {
        let is_text = ffi::lua_type(state, TEXT) == ffi::LUA_TSTRING;
        is_text.then(|| utf8(text_at(state, TEXT))).flatten()
    }
}
