//! What stands beside the story, and when it is made: with every step where somebody plays, since a
//! view that breaks is to be seen in the step that broke it; else when somebody looks. Facts, which bots
//! are told, are made when a bot asks for them.

use super::session::Session;
use crate::kit::value::Map;
use crate::kit::{Problem, Value};
use crate::play::{Prompt, View, World};
use crate::script::Vm;

/// When the view is made. It has fuel of its own, so that a run comes to the same either way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Views {
    /// With every step, and one that cannot be made refuses the step: for whoever plays.
    Required,
    /// With every step; what is wrong with one is told, and the step stands: for whoever watches what
    /// was accepted once.
    Shown,
    /// When it is asked for.
    Asked,
}

/// What stands beside the story where no view was made.
static NO_VIEW: View = View { title: String::new(), widgets: Vec::new() };

impl Session {
    /// Says when views are made from here on. A run begins as one that somebody plays.
    pub fn make_views(&mut self, when: Views) {
        self.views = when;
    }

    /// What stands beside the story now; nothing if no view was made since the last step.
    pub fn view(&self) -> &View {
        self.view.as_ref().unwrap_or(&NO_VIEW)
    }

    /// The same, made now if it was not made yet. A Problem says why it cannot be: the run stands
    /// where it does all the same. Where there is no prompt there is nothing beside it.
    pub fn look(&mut self) -> Result<&View, Problem> {
        if self.view.is_none() && self.world.finished().is_none() && !self.is_stuck() {
            let made = self.vm.view(&mut self.world, &self.profile);
            self.stay_usable();
            self.view = Some(made?);
        }
        Ok(self.view())
    }

    /// What a bot is told of where the run stands.
    pub(super) fn facts(&mut self, bot: &str) -> Result<Map, Problem> {
        let told = self.vm.facts(bot, &mut self.world, &self.profile);
        self.stay_usable();
        told
    }

    /// What was wrong with the view of the last step, where it was shown and not required.
    pub(super) fn take_blindness(&mut self) -> Option<Problem> {
        self.blind.take()
    }

    /// The prompt where the world stands, and the view if it is to be made with each step.
    pub(super) fn ask(&mut self) -> Result<(Prompt, Option<View>), Problem> {
        self.blind = None;
        let (prompt, mut view) = ask(&self.vm, &mut self.world, &self.profile, self.views)?;
        if self.views == Views::Shown {
            let made = self.vm.view(&mut self.world, &self.profile);
            self.stay_usable();
            view = made.map_err(|problem| self.blind = Some(problem)).ok();
        }
        Ok((prompt, view))
    }
}

/// The prompt where a world stands, and the view where one is required.
pub(super) fn ask(
    vm: &Vm,
    world: &mut World,
    profile: &Value,
    views: Views,
) -> Result<(Prompt, Option<View>), Problem> {
    let prompt = vm.prompt(world, profile)?;
    let view = (views == Views::Required).then(|| vm.view(world, profile)).transpose()?;
    Ok((prompt, view))
}
