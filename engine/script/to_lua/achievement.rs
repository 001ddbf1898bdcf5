//! Achievements, checked when a run is over.

use mlua::Value as LuaValue;

use super::super::phase::Permit;
use super::super::plain;
use super::super::vm::Vm;
use crate::base::{Code, Problem, Value};
use crate::protocol::World;

/// Maximum number of failed achievements that are reported.
const MAX_REPORTED: usize = 5;

impl Vm {
    /// The full ids of all achievements whose `when` returns true. `seen` is plain data about the
    /// finished run. A failed check is reported and does not stop the others; all share one budget.
    pub fn list_achieved(&self, run_data: &Value, profile: &Value) -> (Vec<String>, Vec<Problem>) {
        let (mut done, mut problems, mut failed) = (Vec::new(), Vec::new(), 0);
        let ids: Vec<String> = self
            .registry()
            .active_definitions("achievement")
            .map(|one| one.id.to_string())
            .collect();
        let _budget = self.share_budget(ids.len());
        // Created once: it may be large.
        let mut lua_run_data = None;
        for id in &ids {
            match self.is_achieved(id, (run_data, &mut lua_run_data), profile) {
                Ok(true) => done.push(id.clone()),
                Ok(false) => {}
                Err(problem) => {
                    failed += 1;
                    if failed <= MAX_REPORTED {
                        problems.push(problem);
                    }
                }
            }
            if !self.is_usable() {
                break;
            }
        }
        if failed > MAX_REPORTED {
            let found = format!("{} more achievements could not be checked", failed - MAX_REPORTED);
            problems.push(Problem::error(Code::AchievementsFailed, found));
        }
        (done, problems)
    }

    fn is_achieved(
        &self,
        id: &str,
        (seen, shown): (&Value, &mut Option<LuaValue>),
        profile: &Value,
    ) -> Result<bool, Problem> {
        let permit = Permit::ReadOnly("an achievement");
        self.enter_vm(&mut World::default(), profile, permit, |lua, host| {
            let when = host.load_function_and_charge_mod("achievement", id, "when")?;
            let Some((when, _, _spender)) = when else { return Ok(false) };
            let seen = match shown {
                Some(made) => made.clone(),
                None => shown.insert(plain::plain_to_lua(lua, seen, true)?).clone(),
            };
            let done: LuaValue = when.call(seen)?;
            Ok(!matches!(done, LuaValue::Nil | LuaValue::Boolean(false)))
        })
    }
}
