//! `emit` and `preview`: moments that a game announces, and the hooks that mods hang on them.
//!
//! `before` hooks may change the event and nothing else; `after` hooks see its final value, frozen,
//! and may act. A preview runs the `before` hooks on a copy.

use std::cell::Cell;
use std::rc::Rc;

use mlua::{Lua, Table, Value as LuaValue};

use super::super::host::{Hooks, Host, Permit};
use super::super::raw::events;
use super::tell::{found, word};
use crate::kit::{Problem, limits};

/// Declares them.
pub(super) fn declare(lua: &Lua, host: &Rc<Host>, base: &Table) -> mlua::Result<()> {
    let shared = host.clone();
    let emit =
        lua.create_function(move |lua, (moment, event, apply): (LuaValue, LuaValue, LuaValue)| {
            shared.acting(lua, "emit")?;
            let announced = Announced::new(lua, &shared, "emit", &moment, event)?;
            announced.emit(lua, &shared, &apply)
        })?;
    base.raw_set("emit", emit)?;
    let shared = host.clone();
    let preview = lua.create_function(move |lua, (moment, event): (LuaValue, LuaValue)| {
        shared.playing(lua, "preview")?;
        let announced = Announced::new(lua, &shared, "preview", &moment, event)?;
        // What is frozen already (a definition) or lies in the state is not copied, since no hook can
        // change it.
        let copy = events::deep_copy(lua, &announced.event)?;
        let event = copy.ok_or_else(|| too_deep(lua, &shared))?;
        let announced = Announced { event, ..announced };
        let _deeper = Deeper::go(lua, &shared)?;
        announced.before(lua, &shared)?;
        Ok(announced.event)
    })?;
    base.raw_set("preview", preview)
}

/// A moment that is being announced.
struct Announced {
    moment: String,
    event: Table,
    hooks: Option<Rc<Hooks>>,
}

impl Announced {
    fn new(
        lua: &Lua,
        host: &Host,
        name: &str,
        moment: &LuaValue,
        event: LuaValue,
    ) -> mlua::Result<Self> {
        let moment = word(lua, host, name, moment, "the name of a moment")?;
        let event = match event {
            LuaValue::Table(event) => event,
            LuaValue::Nil => lua.create_table()?,
            other => {
                let found = format!("{name} {moment:?} was given {}", found(&other));
                let problem = Problem::error("wrong-type", found)
                    .expected("a table: what happens, with everything that hooks may change");
                return Err(host.fail(lua, problem));
            }
        };
        let hooks = host.hooks(&moment);
        Ok(Self { moment, event, hooks })
    }

    fn emit(self, lua: &Lua, host: &Host, apply: &LuaValue) -> mlua::Result<Table> {
        let _deeper = Deeper::go(lua, host)?;
        self.before(lua, host)?;
        match apply {
            LuaValue::Nil => {}
            LuaValue::Function(apply) => apply.call::<()>(&self.event)?,
            other => {
                let given = format!("emit {:?} was given {} to apply", self.moment, found(other));
                let problem = Problem::error("wrong-type", given).expected("a function");
                return Err(host.fail(lua, problem));
            }
        }
        self.after(lua, host)?;
        Ok(self.event)
    }

    fn before(&self, lua: &Lua, host: &Host) -> mlua::Result<()> {
        let Some(hooks) = self.hooks.as_deref().filter(|hooks| !hooks.before.is_empty()) else {
            return Ok(());
        };
        self.few_enough(lua, host, hooks.before.len())?;
        let before = events::shallow(lua, &self.event)?;
        for hook in &hooks.before {
            host.with_permit(Permit::Look("a before-hook"), || {
                host.call_hook(*hook, &self.moment, &self.event)
            })?;
            if !events::same_types(lua, &before, &self.event)? {
                let place = host.place_of(*hook);
                host.blame_hook(&place, &self.moment);
                return Err(host.fail(lua, self.changed(&before)?.at(place)));
            }
        }
        Ok(())
    }

    fn after(&self, lua: &Lua, host: &Host) -> mlua::Result<()> {
        let Some(hooks) = self.hooks.as_deref().filter(|hooks| !hooks.after.is_empty()) else {
            return Ok(());
        };
        self.few_enough(lua, host, hooks.after.len())?;
        let frozen = lua.create_table()?;
        if !events::freeze(lua, &self.event, &frozen)? {
            return Err(too_deep(lua, host));
        }
        for hook in &hooks.after {
            host.call_hook(*hook, &self.moment, &self.event)?;
        }
        // The event is given back as writable as it came, whether there are hooks or none.
        events::thaw(lua, &frozen)
    }

    /// The Problem of a before-hook that took a field away or changed its type.
    fn changed(&self, before: &Table) -> mlua::Result<Problem> {
        for pair in before.pairs::<LuaValue, LuaValue>() {
            let (key, value) = pair?;
            let (was, now) = (kind(&value), kind(&self.event.raw_get::<LuaValue>(&key)?));
            if was == now {
                continue;
            }
            let key = match &key {
                LuaValue::String(name) => name.to_string_lossy(),
                other => format!("[{}]", found(other)),
            };
            let found = format!("a before-hook on {:?} made event.{key} {now}", self.moment);
            return Ok(Problem::error("event-changed-type", found)
                .expected(format!("{was}, as the game announced it"))
                .hint("a hook changes values; it takes nothing away and changes no type"));
        }
        // What only Lua tells apart has no name of ours.
        Ok(Problem::error("event-changed-type", "a before-hook changed the event"))
    }

    fn few_enough(&self, lua: &Lua, host: &Host, hooks: usize) -> mlua::Result<()> {
        if hooks <= limits::HOOKS_PER_MOMENT {
            return Ok(());
        }
        let found = format!("{hooks} hooks on the moment {:?}", self.moment);
        let problem = Problem::error("too-many-hooks", found)
            .expected(format!("at most {}", limits::HOOKS_PER_MOMENT));
        Err(host.fail(lua, problem))
    }
}

/// Counts how deep moments are announced inside hooks of moments.
struct Deeper<'a>(&'a Cell<usize>);

impl<'a> Deeper<'a> {
    fn go(lua: &Lua, host: &'a Host) -> mlua::Result<Self> {
        let depth = &host.turn.depth;
        if depth.get() >= limits::EMIT_DEPTH {
            let found = format!("more than {} moments inside each other", limits::EMIT_DEPTH);
            let problem = Problem::error("too-deep", found)
                .hint("a hook that announces the moment it hangs on calls itself");
            return Err(host.fail(lua, problem));
        }
        depth.set(depth.get() + 1);
        Ok(Self(depth))
    }
}

impl Drop for Deeper<'_> {
    fn drop(&mut self) {
        self.0.set(self.0.get() - 1);
    }
}

fn kind(value: &LuaValue) -> &'static str {
    match value {
        LuaValue::Nil => "nothing",
        LuaValue::Boolean(_) => "true or false",
        LuaValue::Integer(_) | LuaValue::Number(_) => "a number",
        LuaValue::String(_) => "a text",
        LuaValue::Table(_) | LuaValue::UserData(_) => "a table",
        LuaValue::Function(_) => "a function",
        _ => "something of the host's own",
    }
}

fn too_deep(lua: &Lua, host: &Host) -> mlua::Error {
    let problem =
        Problem::error("too-large", "an event with tables nested too deep, or in a cycle")
            .expected(format!("at most {} tables inside each other", limits::DEPTH));
    host.fail(lua, problem)
}
