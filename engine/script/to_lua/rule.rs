//! One rule by its whole id, called from outside a run: what a test compares with figures worked out
//! by hand, and what a tool asks.

use mlua::{Function, MultiValue, Value as LuaValue};

use super::super::phase::Permit;
use super::super::plain;
use super::super::vm::Vm;
use super::call::{blame, given, place_of};
use crate::kit::{Problem, Value};
use crate::play::World;

impl Vm {
    /// What a rule gives for these arguments; `None` where it gives nothing. There is no run:
    /// `state` and `profile` are empty.
    pub fn call_rule(&self, id: &str, arguments: &[Value]) -> Result<Option<Value>, Problem> {
        let mut nowhere = World::default();
        self.enter(&mut nowhere, &Value::map(), Permit::Look("a rule"), |lua, host| {
            let Some(definition) = host.definition("rule", id)? else {
                let problem = Problem::error("unknown-rule", format!("there is no rule {id:?}"));
                return Err(problem.into());
            };
            let run: Function = definition.get("run")?;
            let mut handed = MultiValue::new();
            for argument in arguments {
                handed.push_back(plain::to_lua(lua, argument, true)?);
            }
            let result: LuaValue = run.call(handed)?;
            given(lua, host, "rule", &result).map_err(|error| {
                match error.downcast_ref::<Problem>() {
                    Some(problem) => blame(problem.clone(), place_of(host, "rule", id, "run")),
                    None => error,
                }
            })
        })
    }
}
