//! The view that stands beside the story, and when it is made: with every step where somebody plays,
//! since one that breaks is to be seen in the step that broke it; else when somebody looks.

use super::session::Session;
use crate::kit::Problem;
use crate::play::{Prompt, View};

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
    /// What stands beside the story now; nothing if no view was made since the last step.
    pub fn view(&self) -> &View {
        self.view.as_ref().unwrap_or(&NO_VIEW)
    }

    /// The same, made now if it was not made yet. A Problem says why it cannot be: the run stands
    /// where it does all the same.
    pub fn look(&mut self) -> Result<&View, Problem> {
        if self.view.is_none() && self.world.finished().is_none() {
            let made = self.vm.view(&mut self.world, &self.profile);
            self.stay_usable();
            self.view = Some(made?);
        }
        Ok(self.view())
    }

    /// What was wrong with the view of the last step, where it was shown and not required.
    pub(super) fn take_blindness(&mut self) -> Option<Problem> {
        self.blind.take()
    }

    /// The prompt where the world stands, and the view if it is to be made with each step.
    pub(super) fn ask(&mut self) -> Result<(Prompt, Option<View>), Problem> {
        self.blind = None;
        let prompt = self.vm.prompt(&mut self.world, &self.profile)?;
        let view = match self.views {
            Views::Asked => None,
            Views::Required => Some(self.vm.view(&mut self.world, &self.profile)?),
            Views::Shown => {
                let made = self.vm.view(&mut self.world, &self.profile);
                self.stay_usable();
                made.map_err(|problem| self.blind = Some(problem)).ok()
            }
        };
        Ok((prompt, view))
    }
}
