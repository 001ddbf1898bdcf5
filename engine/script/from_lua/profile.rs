//! `profile` and `game_profile`: the data that is kept between runs, as it was at the start of the
//! run. The `profile` of the game is its own data; that of each other mod is a table of its own.

use mlua::ExternalError as _;
use mlua::ExternalResult as _;
use std::cell::RefCell;
use std::rc::Rc;

use mlua::{Function, Lua, Table, Value as LuaValue};

use super::host_fn::{HostFn, HostFnRegistry};
use crate::host::Host;
use crate::host::phase::Availability;
use crate::values::plain_data::ProfileHandle;
use base::{Code, Problem, Value, meter};
use luau::call_with_stack;
use protocol::profile_part;

pub(super) fn register(api: &mut HostFnRegistry<'_>) -> mlua::Result<()> {
    register_metatable(api.lua, api.host)?;
    // Created for each mod, when the mod begins to load.
    api.add_documentation(HostFn {
        name: "profile",
        availability: Availability::Reading,
        params: None,
        returns: "{ [string]: any }",
        doc: "The data of this mod that is kept between runs, as it was when this run began; read-only.",
    });
    api.register_value(
        ("game_profile", Availability::Reading),
        "{ [string]: any }",
        "The same data of the game.",
        create_profile(api.lua, ProfileHandle::GAME)?,
    )
}

/// The Problem of a write to the profile.
pub fn profile_write_problem(target: &str) -> Problem {
    Problem::error(Code::ReadOnly, format!("{target} was written to"))
        .expected("only reads: the profile stays as it was when the run began")
        .hint("use award { … } to pay into the profile when the run ends")
}

/// The `profile` that one owner sees.
fn create_profile(lua: &Lua, handle: ProfileHandle) -> mlua::Result<LuaValue> {
    call_with_stack(lua, (), |stack| stack.push_tagged_userdata(handle))
}

fn register_metatable(lua: &Lua, host: &Rc<Host>) -> mlua::Result<()> {
    let metatable = lua.create_table()?;
    metatable.raw_set("__type", "profile")?;
    metatable.raw_set("__metatable", false)?;
    let index_function =
        host.create_typed_function(lua, move |host, lua, (profile, key): (LuaValue, LuaValue)| {
            if host.is_compiling.get() {
                return Ok(LuaValue::Nil);
            }
            let table = profile_table(lua, host, &profile)?;
            table.map_or(Ok(LuaValue::Nil), |table| table.raw_get(key))
        });
    metatable.raw_set("__index", index_function?)?;
    let write_function =
        host.create_typed_function(lua, |_, _, _: (LuaValue, LuaValue)| -> mlua::Result<()> {
            Err(profile_write_problem("the profile").into_lua_err())
        });
    metatable.raw_set("__newindex", write_function?)?;
    let length_function = host.create_typed_function(lua, move |host, lua, profile: LuaValue| {
        Ok(profile_table(lua, host, &profile)?.map_or(0, |table| table.raw_len()))
    });
    metatable.raw_set("__len", length_function?)?;
    let iterate_function = host.create_typed_function(lua, move |host, lua, profile: LuaValue| {
        create_profile_iterator(lua, host, &profile)
    });
    metatable.raw_set("__iter", iterate_function?)?;
    luau::set_type_metatable::<ProfileHandle>(lua, &metatable)
}

/// The handle that a script holds.
fn handle_of(lua: &Lua, profile: &LuaValue) -> mlua::Result<ProfileHandle> {
    let mut handle = ProfileHandle::GAME;
    let handle_mut = &mut handle;
    call_with_stack::<()>(lua, profile, |stack| {
        *handle_mut = stack.tagged_userdata::<ProfileHandle>(1).unwrap_or_default();
        stack.set_top(0);
    })?;
    Ok(handle)
}

fn profile_table(lua: &Lua, host: &Host, profile: &LuaValue) -> mlua::Result<Option<Table>> {
    host.check_function_allowed(Availability::Reading, "profile").into_lua_err()?;
    let handle = handle_of(lua, profile)?;
    Ok(host.profile_as_lua(lua, handle)?.as_table().cloned())
}

/// Iterates over the fields of the profile in the order of their names.
fn create_profile_iterator(
    lua: &Lua,
    host: &Rc<Host>,
    profile: &LuaValue,
) -> mlua::Result<Function> {
    let table = profile_table(lua, host, profile)?;
    let names = host.with_profile_of_handle(handle_of(lua, profile)?, |profile| {
        profile.as_map().map(|map| {
            meter::charge_table_entries(map.len());
            map.keys().cloned().collect::<Vec<_>>()
        })
    });
    let remaining_names = RefCell::new(names.unwrap_or_default().into_iter());
    host.create_typed_function(lua, move |_, lua, ()| {
        match (remaining_names.borrow_mut().next(), &table) {
            (Some(name), Some(table)) => {
                let value = table.raw_get::<LuaValue>(&*name)?;
                Ok((LuaValue::String(lua.create_string(name.as_bytes())?), value))
            }
            _ => Ok((LuaValue::Nil, LuaValue::Nil)),
        }
    })
}

impl Host {
    /// The mod whose table of the profile a mod uses; `None` for the game, which uses its own data.
    pub(crate) fn profile_owner<'m>(&self, mod_id: &'m str) -> Option<&'m str> {
        let is_game = mod_id.is_empty() || *self.load_state.game_id.borrow() == mod_id;
        (!is_game).then_some(mod_id)
    }

    /// The `profile` of a mod that begins to load.
    pub(crate) fn create_profile_of_mod(&self, lua: &Lua, mod_id: &str) -> mlua::Result<LuaValue> {
        if self.profile_owner(mod_id).is_none() {
            return create_profile(lua, ProfileHandle::GAME);
        }
        let mut owners = self.load_state.profile_owners.borrow_mut();
        owners.push(mod_id.to_owned());
        create_profile(lua, ProfileHandle(owners.len()))
    }

    /// Passes what a handle shows of the profile to `work`.
    pub(crate) fn with_profile_of_handle<R>(
        &self,
        handle: ProfileHandle,
        work: impl FnOnce(&Value) -> R,
    ) -> R {
        let owners = self.load_state.profile_owners.borrow();
        let mod_id = handle.0.checked_sub(1).and_then(|index| owners.get(index));
        let profile = self.call_context.profile.borrow();
        work(&profile_part(&profile, mod_id.map(String::as_str)))
    }

    /// The same as a frozen Lua table, which is created once in a call.
    pub(crate) fn profile_as_lua(
        &self,
        lua: &Lua,
        handle: ProfileHandle,
    ) -> mlua::Result<LuaValue> {
        if let Some(cached_profile) = self.call_scope.profiles.borrow().get(&handle.0) {
            return Ok(cached_profile.clone());
        }
        let table: LuaValue = call_with_stack(lua, (), |stack| {
            self.with_profile_of_handle(handle, |profile| stack.push_plain_data(profile, true));
        })?;
        self.call_scope.profiles.borrow_mut().insert(handle.0, table.clone());
        Ok(table)
    }

    /// What the mod of a definition sees of the profile, as a frozen Lua table.
    pub(crate) fn profile_of_definition(&self, lua: &Lua, id: &str) -> mlua::Result<LuaValue> {
        let owner = self.profile_owner(id.split(':').next().unwrap_or_default());
        let owners = self.load_state.profile_owners.borrow();
        let index = owner.and_then(|owner| owners.iter().position(|one| one == owner));
        let handle = index.map_or(ProfileHandle::GAME, |index| ProfileHandle(index + 1));
        drop(owners);
        self.profile_as_lua(lua, handle)
    }
}
