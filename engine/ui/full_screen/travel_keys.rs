//! Travel by one key: to a place of the map, or to the nearest one not yet passed.

use super::screen::{ActivePrompt, Screen};
use crate::auto_travel::AutoTravel;
use crate::frontend::Answer;

impl Screen {
    /// Starts a travel to a place, or to the nearest unvisited one: the first of several answers.
    pub(super) fn start_travel(&mut self, place: Option<&str>) -> Option<Answer> {
        self.overlay = None;
        let ActivePrompt { prompt, view, .. } = &self.active_prompt;
        let travel_start = match place {
            Some(place) => AutoTravel::start(place, prompt, view),
            None => AutoTravel::start_exploring(prompt, view),
        };
        match travel_start {
            Ok((travel, input)) => {
                self.auto_travel = Some(travel);
                Some(self.submit_accepted(input))
            }
            Err(why) => {
                self.active_prompt.notice = format!("{why}.");
                None
            }
        }
    }

    /// The next answer of a travel; `None` if it has arrived or something else is asked.
    pub fn continue_travel(&mut self) -> Option<Answer> {
        let (travel, input) = self
            .auto_travel
            .take()?
            .next_answer(&self.active_prompt.prompt, &self.active_prompt.view)?;
        self.auto_travel = Some(travel);
        Some(self.submit_accepted(input))
    }
}
