//! The one place that runs the collector.

use mlua::{ExternalError as _, Lua, ffi};

/// Collects garbage, which frees the texts that host functions read in place: refused during a
/// call. Afterwards the collector is stopped again, because its own steps depend on a clock.
#[allow(clippy::disallowed_methods)] // the one place
pub fn collect_garbage(lua: &Lua) -> mlua::Result<()> {
    // SAFETY: the state is live; its depth is read.
    let depth = lua.exec_raw_lua(|raw_lua| unsafe {
        ffi::lua_stackdepth(ffi::lua_mainthread(raw_lua.state()))
    });
    if depth > 0 {
        return Err("garbage is collected between calls only".into_lua_err());
    }
    let outcome = lua.gc_collect();
    lua.gc_stop();
    outcome
}
