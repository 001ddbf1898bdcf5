//! How a run begins.

use super::super::phase::Permit;
use super::super::plain;
use super::super::vm::Vm;
use super::agenda;
use crate::kit::{Problem, Value};
use crate::play::World;

impl Vm {
    /// Begins a run: calls what the game gave to `start`, with the options filled in.
    pub fn start(
        &self,
        world: &mut World,
        profile: &Value,
        options: &Value,
    ) -> Result<(), Problem> {
        self.host().mirrors.plays();
        self.enter(world, profile, Permit::Act, |lua, host| {
            let start = host.heard.declared.borrow().start;
            let Some(start) = start else {
                let problem = Problem::error("no-start", "the game does not say how a run begins")
                    .expected("start(function(options) … end)");
                return Err(problem.into());
            };
            host.call::<()>(start, plain::to_lua(lua, options, true)?)?;
            agenda::go_on(lua, host)?;
            let world = host.lent.world.borrow();
            if world.scene().is_some() || world.finished().is_some() {
                return Ok(());
            }
            let problem = Problem::error("no-scene", "the run began and went to no scene")
                .at(host.place_of(start))
                .expected("go \"…\" somewhere in the function given to start");
            Err(problem.into())
        })
    }
}
