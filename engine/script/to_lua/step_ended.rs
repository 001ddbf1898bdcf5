//! What follows a handler or the start: stages, and the event that the step has ended.

use mlua::{Function, Lua};

use super::agenda;
use crate::host::Host;
use content::STEP_ENDED_EVENT;

/// Runs what follows a handler, and emits `step_ended`. Hooks on it may queue stages and questions.
/// `answered_scene` is empty for the start.
pub(super) fn end_step(lua: &Lua, host: &Host, answered_scene: &str) -> mlua::Result<()> {
    agenda::run_agenda(lua, host)?;
    if !host.hook_table.has_hooks(STEP_ENDED_EVENT) {
        return Ok(());
    }
    let next_scene = {
        let world = host.call_context.world.borrow();
        let is_over = world.run_outcome().is_some();
        world.scene().filter(|_| !is_over).unwrap_or_default()
    };
    let event = lua.create_table()?;
    event.raw_set("answered", answered_scene)?;
    event.raw_set("scene", next_scene)?;
    let base = host.environments.base_table().expect("the base is there before any file runs");
    base.raw_get::<Function>("emit")?.call::<()>((STEP_ENDED_EVENT, event))?;
    agenda::run_agenda(lua, host)
}
