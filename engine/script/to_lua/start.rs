//! The start of a run.

use super::step_ended;
use crate::host::phase::Permit;
use crate::values::plain_data;
use crate::vm::Vm;
use base::{Code, Problem, Value};
use mlua::ExternalError as _;
use protocol::WorldState;

/// The Problem of a game without `start`.
fn missing_start_problem() -> Problem {
    Problem::error(Code::NoStart, "the game does not declare how a run begins")
        .expected("start(function(options) … end)")
        .hint("add it to a script of the game: `start(function(options) go \"…\" end)`")
}

impl Vm {
    /// The Problem of a game without `start`, if it has none.
    pub fn check_start_declared(&self) -> Option<Problem> {
        self.host()
            .load_state
            .all_declarations
            .borrow()
            .start_function_id
            .is_none()
            .then(missing_start_problem)
    }

    /// Starts a run: calls the function given to `start` with the options.
    pub fn start_run(
        &self,
        world: &mut WorldState,
        profile: &Value,
        options: &Value,
    ) -> Result<(), Problem> {
        self.host().mirrors.expect_play_call();
        self.call_with_world(world, profile, Permit::ReadWrite, |lua, host| {
            let start = host.load_state.all_declarations.borrow().start_function_id;
            let Some(start) = start else {
                return Err(missing_start_problem().into_lua_err());
            };
            host.call_stored_function::<()>(
                start,
                plain_data::plain_value_to_lua(lua, options, true)?,
            )?;
            step_ended::end_step(lua, host, "")?;
            let world = host.call_context.world.borrow();
            if world.scene().is_some() || world.run_outcome().is_some() {
                return Ok(());
            }
            let problem = Problem::error(Code::NoScene, "the run began but went to no scene")
                .at(host.place_of_stored_function(start))
                .expected("a call of go \"…\" in the function given to `start`");
            Err(problem.into_lua_err())
        })
    }
}
