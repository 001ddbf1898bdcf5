//! What scripts call, one file per topic. A topic has one function, `declare`, which puts its
//! names into the base table that every mod sees; each name begins with `host.loading`,
//! `host.playing` or `host.acting`.

use std::rc::Rc;

use mlua::{Lua, Table};

use super::host::Host;

/// Puts everything that scripts can call into the base table.
pub(crate) fn declare(lua: &Lua, host: &Rc<Host>, base: &Table) -> mlua::Result<()> {
    let _ = (lua, host, base);
    Ok(())
}
