//! `emit` and `preview`: moments that a game announces, and the hooks that mods hang on them.
//!
//! `before` hooks may change the event and nothing else; `after` hooks see its final value, frozen,
//! and may act. A preview runs the `before` hooks on a copy. All of that is in `raw::moments`; here is
//! what is told when it goes wrong.

use std::rc::Rc;

use mlua::{Error, Lua, Table, Value as LuaValue};

use super::super::fault::NO_MEMORY;
use super::super::host::Host;
use super::super::raw::moments::{Telling, Wrong, announcing};
use super::tell::{found, word};
use crate::kit::{Problem, limits};

/// Declares them.
pub(super) fn declare(lua: &Lua, host: &Rc<Host>, base: &Table) -> mlua::Result<()> {
    let shared = host.clone();
    let refuse =
        move |lua: &Lua, (wrong, hook, moment, event, third, before): (u8, usize, _, _, _, _)| {
            let refused = Refused { moment, event, third, before };
            Err::<(), _>(refused.error(lua, &shared, wrong, hook)?)
        };
    let shared = host.clone();
    let wake = move |lua: &Lua, (moment, hook): (String, usize)| {
        let moment = shared.moments.place_of(&moment).expect("hooks hang on it");
        shared.wake_hook(lua, moment, hook)
    };
    let telling = Telling {
        refuse: lua.create_function(refuse)?,
        wake: lua.create_function(wake)?,
        carry: lua.create_function(|lua, error: LuaValue| Ok(carried(lua, error)))?,
    };
    let (emit, preview) = announcing(lua, host, host.moments.table(lua)?, &telling)?;
    base.raw_set("emit", emit)?;
    base.raw_set("preview", preview)
}

/// What an error becomes on its way up from a hook: one of ours, with the calls that led there. One of
/// ours stays as it is.
fn carried(lua: &Lua, error: LuaValue) -> LuaValue {
    let text = match &error {
        LuaValue::Error(_) => return error,
        LuaValue::String(text) => text.to_string_lossy(),
        other => other.to_string().unwrap_or_default(),
    };
    let carried = if text.ends_with(NO_MEMORY) {
        Error::MemoryError(text)
    } else {
        // The first on the way is this function itself.
        let traced = lua.traceback(Some(&text), 1);
        Error::RuntimeError(traced.map_or(text, |traced| traced.to_string_lossy()))
    };
    LuaValue::Error(Box::new(carried))
}

/// What was announced, and something was wrong with it.
struct Refused {
    moment: LuaValue,
    event: LuaValue,
    /// What was to be applied, the name of what was called, or that of a field that was changed.
    third: LuaValue,
    /// What the field was.
    before: LuaValue,
}

impl Refused {
    /// The error of what is wrong.
    fn error(self, lua: &Lua, host: &Host, wrong: u8, hook: usize) -> mlua::Result<Error> {
        let problem = match Wrong::of(wrong) {
            Wrong::Announced => return self.announced(lua, host),
            Wrong::Deep => {
                let found = format!("more than {} moments inside each other", limits::EMIT_DEPTH);
                Problem::error("too-deep", found)
                    .hint("a hook that announces the moment it hangs on calls itself")
            }
            Wrong::Changed => {
                let name = self.name();
                let moment = host.moments.place_of(&name).map(|place| host.moments.at(place));
                let hook = moment.and_then(|moment| moment.hooks().nth(hook));
                let place = hook.expect("a hook was called").place.clone();
                self.changed(&name)?.at(place)
            }
            Wrong::Apply => {
                let given =
                    format!("emit {:?} was given {} to apply", self.name(), found(&self.third));
                Problem::error("wrong-type", given).expected("a function")
            }
            Wrong::Event => {
                let found = "an event with tables nested too deep, or in a cycle";
                Problem::error("too-large", found)
                    .expected(format!("at most {} tables inside each other", limits::DEPTH))
            }
        };
        Ok(host.fail(lua, problem))
    }

    /// The error of what must not be announced, or not now.
    fn announced(&self, lua: &Lua, host: &Host) -> mlua::Result<Error> {
        let name = self.third.to_string()?;
        if name == "emit" {
            host.acting(lua, &name)?;
        } else {
            host.playing(lua, &name)?;
        }
        let moment = word(lua, host, &name, &self.moment, "the name of a moment")?;
        let found = format!("{name} {moment:?} was given {}", found(&self.event));
        let problem = Problem::error("wrong-type", found)
            .expected("a table: what happens, with everything that hooks may change");
        Ok(host.fail(lua, problem))
    }

    fn name(&self) -> String {
        self.moment.as_string().map(|name| name.to_string_lossy()).unwrap_or_default()
    }

    /// The Problem of a before-hook that took a field away or changed its type.
    fn changed(&self, moment: &str) -> mlua::Result<Problem> {
        let is = self.event.as_table().map(|event| event.raw_get::<LuaValue>(&self.third));
        let (was, now) = (kind(&self.before), kind(&is.transpose()?.unwrap_or_default()));
        let key = match &self.third {
            LuaValue::String(name) => name.to_string_lossy(),
            other => format!("[{}]", found(other)),
        };
        let found = format!("a before-hook on {moment:?} made event.{key} {now}");
        Ok(Problem::error("event-changed-type", found)
            .expected(format!("{was}, as the game announced it"))
            .hint("a hook changes values; it takes nothing away and changes no type"))
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
