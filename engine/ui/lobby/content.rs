//! The content of a start, as requested by the command line and the player's profile.

use super::Setup;
use crate::kit::problem::few;
use crate::run::{Content, StartPlan, StartRequest, Startup, find as find_for};
use crate::save::Profile;
use crate::script::Vm;

pub(super) use crate::run::Unfit as Wrong;

/// Finds the content for a start.
pub(super) fn find(setup: &Setup, profile: &Profile) -> Result<StartPlan, Wrong> {
    let game = setup.game.as_deref();
    let found = find_for(StartRequest { places: &setup.places, game, with: &setup.with }, profile);
    // Further Problems are only counted.
    match found {
        Ok(plan) => Ok(StartPlan { warnings: few(plan.warnings, PROBLEMS_TOLD), ..plan }),
        Err(Wrong::Usage(problems)) => Err(Wrong::Usage(few(problems, PROBLEMS_TOLD))),
        Err(Wrong::Mods(problems)) => Err(Wrong::Mods(few(problems, PROBLEMS_TOLD))),
    }
}

/// The most Problems that a start shows.
const PROBLEMS_TOLD: usize = 50;

/// Finds the content for a start and loads it into a VM.
pub(super) fn load(setup: &Setup, profile: &Profile) -> Result<Startup, Wrong> {
    find(setup, profile)?.load()
}

/// The existing VM, or a new one for content that was loaded before.
pub(super) fn ready<'v>(vm: &'v mut Option<Vm>, content: &Content) -> &'v Vm {
    if vm.as_ref().is_none_or(|vm| !vm.usable()) {
        *vm = Some(content.load().expect("content that loaded once loads again"));
    }
    vm.as_ref().expect("it was just put there")
}
