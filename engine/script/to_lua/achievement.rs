//! Achievements, checked when a run is over.

use mlua::Value as LuaValue;

use super::super::phase::Permit;
use super::super::plain;
use super::super::vm::Vm;
use crate::kit::{Problem, Value};
use crate::play::World;

/// Maximum number of failed achievements that are reported.
const TOLD: usize = 5;

impl Vm {
    /// The full ids of all achievements whose `when` returns true. `seen` is plain data about the
    /// finished run. A failed check is reported and does not stop the others; all share one budget.
    pub fn achieved(&self, seen: &Value, profile: &Value) -> (Vec<String>, Vec<Problem>) {
        let (mut done, mut problems, mut failed) = (Vec::new(), Vec::new(), 0);
        let ids: Vec<String> =
            self.registry().all("achievement").map(|one| one.id.to_string()).collect();
        let _budget = self.one_budget(ids.len());
        // Created once: it may be large.
        let mut shown = None;
        for id in &ids {
            match self.is_achieved(id, (seen, &mut shown), profile) {
                Ok(true) => done.push(id.clone()),
                Ok(false) => {}
                Err(problem) => {
                    failed += 1;
                    if failed <= TOLD {
                        problems.push(problem);
                    }
                }
            }
            if !self.usable() {
                break;
            }
        }
        if failed > TOLD {
            let found = format!("{} more achievements could not be checked", failed - TOLD);
            problems.push(Problem::error("achievements-failed", found));
        }
        (done, problems)
    }

    fn is_achieved(
        &self,
        id: &str,
        (seen, shown): (&Value, &mut Option<LuaValue>),
        profile: &Value,
    ) -> Result<bool, Problem> {
        let permit = Permit::Look("an achievement");
        self.enter(&mut World::default(), profile, permit, |lua, host| {
            let when = host.function_of("achievement", id, "when")?;
            let Some((when, _, _spender)) = when else { return Ok(false) };
            let seen = match shown {
                Some(made) => made.clone(),
                None => shown.insert(plain::to_lua(lua, seen, true)?).clone(),
            };
            let done: LuaValue = when.call(seen)?;
            Ok(!matches!(done, LuaValue::Nil | LuaValue::Boolean(false)))
        })
    }
}
