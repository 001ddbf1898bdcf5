//! What is taken away from Luau before a mod sees it, and what stands in its place.

use std::rc::Rc;

use mlua::Lua;

use super::host::Host;

/// Seals the VM: what is in the globals now is all that mods will see, and is read-only.
pub(crate) fn seal(lua: &Lua, host: &Rc<Host>) -> mlua::Result<()> {
    let _ = host;
    lua.sandbox(true)
}
