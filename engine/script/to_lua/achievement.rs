//! Achievements, checked when a run is over.

use std::collections::BTreeMap;

use mlua::Value as LuaValue;

use crate::host::phase::Permit;
use crate::values::plain_data;
use crate::vm::Vm;
use base::{Code, Problem, Value};
use protocol::{WorldState, award_part, profile_part};

/// Maximum number of failed achievements that are reported.
const MAX_REPORTED_FAILURES: usize = 5;

impl Vm {
    /// The full ids of all achievements whose `when` returns true. `seen` is plain data about the
    /// finished run. A failed check is reported and does not stop the others; all share one budget.
    pub fn list_achieved(&self, run_data: &Value, profile: &Value) -> (Vec<String>, Vec<Problem>) {
        let (mut achieved_ids, mut problems, mut failed_count) = (Vec::new(), Vec::new(), 0);
        let ids: Vec<String> = self
            .registry()
            .active_definitions("achievement")
            .map(|definition| definition.id.to_string())
            .collect();
        let _budget = self.share_budget(ids.len());
        // Created once for each mod: it may be large.
        let mut lua_run_data = BTreeMap::new();
        for id in &ids {
            match self.is_achieved(id, (run_data, &mut lua_run_data), profile) {
                Ok(true) => achieved_ids.push(id.clone()),
                Ok(false) => {}
                Err(problem) => {
                    failed_count += 1;
                    if failed_count <= MAX_REPORTED_FAILURES {
                        problems.push(problem);
                    }
                }
            }
            if !self.is_usable() {
                break;
            }
        }
        if failed_count > MAX_REPORTED_FAILURES {
            let message = format!(
                "more achievements could not be checked: {}",
                failed_count - MAX_REPORTED_FAILURES
            );
            problems.push(Problem::error(Code::AchievementsFailed, message));
        }
        (achieved_ids, problems)
    }

    fn is_achieved(
        &self,
        id: &str,
        (run_data, lua_run_data): (&Value, &mut BTreeMap<String, LuaValue>),
        profile: &Value,
    ) -> Result<bool, Problem> {
        let permit = Permit::ReadOnly("an achievement");
        self.call_with_world(&mut WorldState::default(), profile, permit, |lua, host| {
            let condition = host.load_function_and_charge_mod("achievement", id, "when")?;
            let Some((condition, _, _account_guard)) = condition else { return Ok(false) };
            let owner = id.split(':').next().unwrap_or_default();
            let lua_value = match lua_run_data.get(owner) {
                Some(cached_data) => cached_data.clone(),
                None => {
                    let own_data = run_data_of_owner(run_data, host.profile_owner(owner));
                    let created = plain_data::plain_value_to_lua(lua, &own_data, true)?;
                    lua_run_data.insert(owner.to_owned(), created.clone());
                    created
                }
            };
            let result: LuaValue = condition.call(lua_value)?;
            Ok(!matches!(result, LuaValue::Nil | LuaValue::Boolean(false)))
        })
    }
}

/// The data of a finished run with what one owner sees of the award and of the profile.
fn run_data_of_owner(run_data: &Value, mod_id: Option<&str>) -> Value {
    let Value::Map(fields) = run_data else { return run_data.clone() };
    let own_field = |name: &str, value: &Value| match name {
        "awarded" => award_part(value, mod_id),
        "profile" => profile_part(value, mod_id).into_owned(),
        _ => value.clone(),
    };
    let fields = fields.iter().map(|(name, value)| (name.clone(), own_field(name, value)));
    Value::Map(fields.collect())
}
