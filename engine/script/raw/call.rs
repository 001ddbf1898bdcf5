//! Protected calls that leave nothing behind: mlua's own make two functions for each, which are garbage at
//! once. Here one function, made once, goes on to whatever is to be done.

use std::cell::OnceCell;
use std::ffi::{c_int, c_void};

use mlua::{FromLuaMulti, Function, IntoLuaMulti, LightUserData, Lua, ffi};
use serde::Serialize;

use super::super::host::Host;
use super::data::Maker;

/// The function that goes on, once it was made.
#[derive(Default)]
pub(crate) struct Caller(OnceCell<Function>);

/// What is to be done: a function of ours, and what it is handed.
struct Task {
    work: unsafe fn(*mut c_void, *mut ffi::lua_State),
    with: *mut c_void,
}

impl Host {
    /// Does something with the bare state in a protected call: its stack holds the arguments, and what lies
    /// on it in the end is the result.
    ///
    /// # Safety
    /// As for `Lua::exec_raw`: the work keeps the stack in order and asks for the room that it needs. An
    /// error of Luau's leaves it where it is.
    pub(super) unsafe fn protected<R: FromLuaMulti>(
        &self,
        lua: &Lua,
        arguments: impl IntoLuaMulti,
        work: impl FnOnce(*mut ffi::lua_State),
    ) -> mlua::Result<R> {
        let made = &self.caller.0;
        if made.get().is_none() {
            // SAFETY: it is only called below, with a task.
            let function = unsafe { lua.create_c_function(go_on) }?;
            assert!(made.set(function).is_ok(), "nobody made one meanwhile");
        }
        let mut work = Some(work);
        let task = Task { work: work_of(&work), with: (&raw mut work).cast() };
        let task = LightUserData((&raw const task).cast_mut().cast());
        made.get().expect("it was made above").call((task, arguments))
    }
}

/// What takes a piece of work out and does it.
fn work_of<F: FnOnce(*mut ffi::lua_State)>(
    _: &Option<F>,
) -> unsafe fn(*mut c_void, *mut ffi::lua_State) {
    |with, state| {
        // SAFETY: it is handed what lies in the task, which is the work itself.
        let work = unsafe { (*with.cast::<Option<F>>()).take() };
        if let Some(work) = work {
            work(state);
        }
    }
}

unsafe extern "C-unwind" fn go_on(state: *mut ffi::lua_State) -> c_int {
    // SAFETY: no script sees this function: it is called above, with a task as its first argument, which
    // lives until the call is over.
    unsafe {
        let task = ffi::lua_tolightuserdata(state, 1).cast::<Task>();
        ffi::lua_remove(state, 1);
        ((*task).work)((*task).with, state);
        ffi::lua_gettop(state)
    }
}

/// Calls a function with what can be written down, made a frozen value of Lua.
pub(crate) fn call_with(
    lua: &Lua,
    host: &Host,
    function: &Function,
    given: &impl Serialize,
) -> mlua::Result<()> {
    let mut made = Ok(());
    let outcome = &mut made;
    // SAFETY: the function is argument 1, and is called with the value that is made behind it; a maker asks
    // for the room that it needs.
    let called = unsafe {
        host.protected(lua, function, |state| {
            *outcome = given.serialize(&mut Maker::frozen(state));
            match outcome {
                Ok(()) => ffi::lua_call(state, 1, 0),
                Err(_) => ffi::lua_settop(state, 0),
            }
        })
    };
    made.map_err(mlua::Error::external).and(called)
}
