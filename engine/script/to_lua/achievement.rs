//! Achievements, checked when a run is over.

use mlua::Value as LuaValue;

use crate::host::phase::Permit;
use crate::values::plain_data;
use crate::vm::Vm;
use base::{Code, Problem, Value};
use protocol::WorldState;

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
        // Created once: it may be large.
        let mut lua_run_data = None;
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
        (run_data, lua_run_data): (&Value, &mut Option<LuaValue>),
        profile: &Value,
    ) -> Result<bool, Problem> {
        let permit = Permit::ReadOnly("an achievement");
        self.call_with_world(&mut WorldState::default(), profile, permit, |lua, host| {
            let condition = host.load_function_and_charge_mod("achievement", id, "when")?;
            let Some((condition, _, _account_guard)) = condition else { return Ok(false) };
            let lua_value = match lua_run_data {
                Some(cached_data) => cached_data.clone(),
                None => lua_run_data
                    .insert(plain_data::plain_value_to_lua(lua, run_data, true)?)
                    .clone(),
            };
            let result: LuaValue = condition.call(lua_value)?;
            Ok(!matches!(result, LuaValue::Nil | LuaValue::Boolean(false)))
        })
    }
}
