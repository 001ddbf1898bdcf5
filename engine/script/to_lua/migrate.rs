//! Migrations: functions of a mod that bring the state of a run, or a profile, from an older
//! version of the mod to this one.

use mlua::ExternalError as _;
use std::rc::Rc;

use mlua::{Lua, Value as LuaValue};
use semver::Version;

use crate::host::Host;
use crate::host::phase::Permit;
use crate::values::{plain_data, proxy};
use crate::vm::Vm;
use base::{Code, Problem, Value};
use protocol::{WorldState, profile_part, replace_profile_part};

/// A mod with a newer version than the run or profile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VersionBump {
    /// The mod.
    pub mod_id: String,
    /// The version that the data was made with.
    pub from: Version,
    /// The version now.
    pub to: Version,
}

impl Vm {
    /// Runs the migrations of the state, oldest version first, mod by mod in the given order.
    pub fn migrate_state(
        &self,
        world: &mut WorldState,
        profile: &Value,
        version_bumps: &[VersionBump],
    ) -> Result<(), Problem> {
        let _budget =
            self.share_budget(self.host().load_state.all_declarations.borrow().migrations.len());
        for version_bump in version_bumps {
            let function_ids = due_migrations(
                &self.host().load_state.all_declarations.borrow().migrations,
                version_bump,
            );
            for function_id in function_ids {
                self.call_with_world(world, profile, Permit::ReadWrite, |lua, host| {
                    host.call_stored_function::<()>(function_id, proxy::root_proxy(lua, host)?)
                })?;
            }
        }
        Ok(())
    }

    /// Runs the migrations of the profile. They change the table that they receive, or return
    /// another.
    pub fn migrate_profile(
        &self,
        data: &Value,
        version_bumps: &[VersionBump],
    ) -> Result<Value, Problem> {
        let mut data = data.clone();
        let _budget = self.share_budget(
            self.host().load_state.all_declarations.borrow().profile_migrations.len(),
        );
        for version_bump in version_bumps {
            let function_ids = due_migrations(
                &self.host().load_state.all_declarations.borrow().profile_migrations,
                version_bump,
            );
            let owner = self.host().profile_owner(&version_bump.mod_id);
            for function_id in function_ids {
                let current_data = profile_part(&data, owner).into_owned();
                let permit = Permit::ReadOnly("a migration of a profile");
                let migrated = self.call_with_world(
                    &mut WorldState::new(0),
                    &Value::map(),
                    permit,
                    |lua, host| run_profile_migration(lua, host, function_id, &current_data),
                )?;
                data = replace_profile_part(data, owner, migrated);
            }
        }
        Ok(data)
    }
}

/// The migrations between two versions, oldest first.
fn due_migrations(migrations: &[(String, Version, u64)], version_bump: &VersionBump) -> Vec<u64> {
    let is_between =
        |version: &Version| *version > version_bump.from && *version <= version_bump.to;
    let mut ids_by_version: Vec<(&Version, u64)> = migrations
        .iter()
        .filter(|(owner, version, _)| *owner == version_bump.mod_id && is_between(version))
        .map(|(_, version, function_id)| (version, *function_id))
        .collect();
    ids_by_version.sort_by(|a, b| a.0.cmp(b.0));
    ids_by_version.into_iter().map(|(_, function_id)| function_id).collect()
}

fn run_profile_migration(
    lua: &Lua,
    host: &Rc<Host>,
    function_id: u64,
    data: &Value,
) -> mlua::Result<Value> {
    let table = plain_data::plain_value_to_lua(lua, data, false)?;
    let profile_value = match host.call_stored_function::<LuaValue>(function_id, &table)? {
        LuaValue::Nil => table,
        returned_value => returned_value,
    };
    match host.read_plain_value(
        lua,
        &"profile",
        &profile_value,
        plain_data::MixedTablePolicy::Reject,
    )? {
        Some(Value::List(list)) if list.is_empty() => Ok(Value::map()),
        Some(data @ Value::Map(_)) => Ok(data),
        _ => {
            let problem = Problem::error(Code::WrongType, "a migration returned no table")
                .at(host.place_of_stored_function(function_id))
                .expected("the profile, changed in place or returned");
            Err(problem.into_lua_err())
        }
    }
}
