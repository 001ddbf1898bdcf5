//! What scripts call, one file per topic. A topic has one function, `declare`, which puts its
//! names into the base table that every mod sees; each name begins with `host.loading`,
//! `host.playing` or `host.acting`.

mod chance;
mod datum;
mod definition;
mod dice;
mod edit;
mod export;
mod field;
mod hook;
mod kind;
mod list;
mod moments;
mod require;
pub(super) mod rules;
mod scenes;
pub(super) mod state;
mod tell;

use std::rc::Rc;

use mlua::{Lua, Table};

use super::host::Host;

/// Puts everything that scripts can call into the base table.
pub(crate) fn declare(lua: &Lua, host: &Rc<Host>, base: &Table) -> mlua::Result<()> {
    // while loading
    field::declare(lua, host, base)?;
    kind::declare(lua, host, base)?;
    edit::declare(lua, host, base)?;
    hook::declare(lua, host, base)?;
    export::declare(lua, host, base)?;
    require::declare(lua, host, base)?;
    // while loading and while playing
    definition::declare(lua, host, base)?;
    // while playing
    state::declare(lua, host, base)?;
    list::declare(lua, host, base)?;
    dice::declare(lua, host, base)?;
    chance::declare(lua, host, base)?;
    tell::declare(lua, host, base)?;
    scenes::declare(lua, host, base)?;
    moments::declare(lua, host, base)?;
    rules::declare(lua, host, base)
}
