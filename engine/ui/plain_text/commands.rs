//! The commands of the plain-text frontend: `help`, `log`, `map`, `go` and so on.

use std::io::{self, BufRead, Write};

use super::{HostCommand, PlainText, command_output};
use crate::protocol::{Input, Prompt, View};
use crate::ui::auto_travel::{self, AutoTravel};
use crate::ui::frontend::Answer;

impl<R: BufRead, W: Write> PlainText<R, W> {
    /// Runs a command; returns an answer if it ends the question.
    pub(super) fn run_command(
        &mut self,
        command: &HostCommand,
        prompt: &Prompt,
        view: &View,
    ) -> io::Result<Option<Answer>> {
        match command {
            HostCommand::Leave => return Ok(Some(Answer::Leave)),
            HostCommand::Undo if self.can_undo => return Ok(Some(Answer::Undo)),
            HostCommand::Undo => self.print("Only answers of a practice run can be undone.")?,
            HostCommand::Why(what) => {
                let lines =
                    command_output::why_lines(what, prompt, &self.choice_numbers, self.can_undo);
                self.print_lines(&lines)?
            }
            HostCommand::Quit => return Ok(Some(Answer::Quit)),
            HostCommand::Reload => return Ok(Some(Answer::Reload)),
            HostCommand::Again => {
                self.choice_numbers.clear_named_choices();
                self.print_prompt(prompt, view)?;
            }
            HostCommand::Brief(brief) => {
                self.is_brief = *brief;
                self.print_prompt(prompt, view)?;
            }
            HostCommand::Help => {
                self.print_lines(&command_output::help_lines(prompt, self.can_undo))?
            }
            HostCommand::Sheet => self.print_lines(&command_output::sheet_lines(view))?,
            HostCommand::Map => self.print_lines(&command_output::map_lines(view))?,
            HostCommand::Explore => {
                return self.start_travel(AutoTravel::start_exploring(prompt, view));
            }
            HostCommand::Go(name) => {
                let place = auto_travel::find_place(name, view);
                return self
                    .start_travel(place.and_then(|place| AutoTravel::start(&place, prompt, view)));
            }
            HostCommand::Odds => {
                self.print_lines(&command_output::odds_lines(prompt, &self.choice_numbers))?
            }
            HostCommand::Look(what) => self.print_lines(&command_output::card_lines(
                what,
                prompt,
                view,
                &self.choice_numbers,
            ))?,
            HostCommand::Log(most) => {
                let log = self.log.all_entries();
                let from = most.map_or(0, |most| log.len().saturating_sub(most));
                log[from..].iter().try_for_each(|past| self.print_story_entry(past))?;
            }
        }
        Ok(None)
    }

    /// Starts a travel: the first of several answers, or why there is none.
    fn start_travel(
        &mut self,
        first_step: Result<(AutoTravel, Input), String>,
    ) -> io::Result<Option<Answer>> {
        match first_step {
            Ok((travel, input)) => {
                self.auto_travel = Some(travel);
                Ok(Some(Answer::Input(input)))
            }
            Err(why) => self.print(&format!("{why}.")).map(|()| None),
        }
    }
}
