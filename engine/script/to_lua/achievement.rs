//! Achievements: what a game holds worth having done, looked at when a run is over.

use mlua::Value as LuaValue;

use super::super::phase::Permit;
use super::super::plain;
use super::super::vm::Vm;
use crate::kit::{Problem, Value};
use crate::play::World;

impl Vm {
    /// The whole ids of all achievements whose `when` says that they are done. `seen` is plain
    /// data of the run that is over. One that fails is told of, and holds up no other.
    pub fn achieved(&self, seen: &Value, profile: &Value) -> (Vec<String>, Vec<Problem>) {
        let (mut done, mut problems) = (Vec::new(), Vec::new());
        let ids: Vec<String> =
            self.registry().all("achievement").map(|one| one.id.to_string()).collect();
        for id in ids {
            match self.is_achieved(&id, seen, profile) {
                Ok(true) => done.push(id),
                Ok(false) => {}
                Err(problem) => problems.push(problem),
            }
            if !self.usable() {
                break;
            }
        }
        (done, problems)
    }

    fn is_achieved(&self, id: &str, seen: &Value, profile: &Value) -> Result<bool, Problem> {
        let permit = Permit::Look("an achievement");
        self.enter(&mut World::default(), profile, permit, |lua, host| {
            let when = host.function_of("achievement", id, "when")?;
            let Some((when, _, _spender)) = when else { return Ok(false) };
            let done: LuaValue = when.call(plain::to_lua(lua, seen, true)?)?;
            Ok(!matches!(done, LuaValue::Nil | LuaValue::Boolean(false)))
        })
    }
}
