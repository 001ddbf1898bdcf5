//! The view and when it is made. For a player, with every step, so that a broken view fails in the
//! step that broke it; otherwise on request. Facts for bots are made when a bot needs them.

use super::step::Session;
use base::value::ValueMap;
use base::{Problem, Value};
use protocol::{Prompt, View, WorldState};
use script::Vm;

/// When the view is made. It has its own fuel, so that it does not affect the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ViewPolicy {
    /// With every step; if it cannot be made, the step is refused. For players.
    EveryStep,
    /// On request.
    OnRequest,
}

/// The view if none was made.
static EMPTY_VIEW: View = View { title: String::new(), widgets: Vec::new() };

impl Session {
    /// Sets when views are made from now on. The default is that of a player.
    pub fn set_view_policy(&mut self, policy: ViewPolicy) {
        self.view_policy = policy;
    }

    /// The current view; empty if none was made since the last step.
    pub fn view(&self) -> &View {
        self.view.as_ref().unwrap_or(&EMPTY_VIEW)
    }

    /// The current view, made now if needed. A Problem says why it cannot be made; the run does not
    /// change. Without a prompt the view is empty.
    pub fn compute_view_if_needed(&mut self) -> Result<&View, Problem> {
        if self.view.is_none()
            && self.world.run_outcome().is_none()
            && !self.is_without_game_prompt()
        {
            let view_result = self.vm.compute_view(&mut self.world, &self.profile);
            self.rebuild_vm_if_unusable();
            self.view = Some(view_result?);
        }
        Ok(self.view())
    }

    /// The facts that a bot observes at the current state.
    pub fn compute_bot_facts(&mut self, bot: &str) -> Result<ValueMap, Problem> {
        let facts = self.vm.compute_facts(bot, &mut self.world, &self.profile);
        self.rebuild_vm_if_unusable();
        facts
    }

    /// The current prompt, and the view if it is made with each step.
    pub(super) fn compute_prompt(&mut self) -> Result<(Prompt, Option<View>), Problem> {
        self.view_problem = None;
        compute_prompt_and_view(&self.vm, &mut self.world, &self.profile, self.view_policy)
    }
}

/// The prompt of a world, and its view if one is required.
pub(super) fn compute_prompt_and_view(
    vm: &Vm,
    world: &mut WorldState,
    profile: &Value,
    policy: ViewPolicy,
) -> Result<(Prompt, Option<View>), Problem> {
    let prompt = vm.compute_prompt(world, profile)?;
    let view =
        (policy == ViewPolicy::EveryStep).then(|| vm.compute_view(world, profile)).transpose()?;
    Ok((prompt, view))
}
