//! The commands of the plain-text frontend: `help`, `log`, `map`, `go` and so on.

use base::host_text;
use std::io::{self, BufRead, Write};

use super::question_lines::QuestionStyle;
use super::{PlainText, PlainTextCommand, command_output};
use crate::auto_travel::{self, AutoTravel};
use crate::frontend::Answer;
use crate::terms::{find_terms, names_near};
use protocol::{AcceptedInput, Prompt, View};

impl<R: BufRead, W: Write> PlainText<R, W> {
    /// Runs a command; returns an answer if it ends the question.
    pub(super) fn run_command(
        &mut self,
        command: &PlainTextCommand,
        prompt: &Prompt,
        view: &View,
    ) -> io::Result<Option<Answer>> {
        match command {
            PlainTextCommand::Leave => return Ok(Some(Answer::Leave)),
            PlainTextCommand::Undo if self.can_undo => return Ok(Some(Answer::Undo)),
            PlainTextCommand::Undo => {
                self.print(&host_text!("Only answers of a practice run can be undone."))?
            }
            PlainTextCommand::Why(what) => {
                let lines = command_output::disabled_reason_lines(
                    what,
                    prompt,
                    &self.choice_numbers,
                    self.can_undo,
                );
                self.print_lines(&lines)?
            }
            PlainTextCommand::Explain(name) => {
                let terms = find_terms(&self.terms, name).into_iter();
                let mut lines: Vec<String> =
                    terms.map(|term| format!("{}: {}", term.names, term.meaning)).collect();
                if lines.is_empty() {
                    lines.push(host_text!("No term \"{name}\" is explained.", name = name));
                    let near = names_near(&self.terms, name);
                    if !near.is_empty() {
                        lines.push(host_text!("There are: {names}.", names = near.join("; ")));
                    }
                }
                self.print_lines(&lines)?
            }
            PlainTextCommand::Quit => return Ok(Some(Answer::Quit)),
            PlainTextCommand::Reload => return Ok(Some(Answer::Reload)),
            PlainTextCommand::Again => {
                self.choice_numbers.clear_named_choices();
                let style = match self.is_brief {
                    true => QuestionStyle::Brief,
                    false => QuestionStyle::Full,
                };
                self.print_prompt(prompt, view, style)?;
            }
            PlainTextCommand::Brief(brief) => {
                self.is_brief = *brief;
                self.print_prompt(prompt, view, self.question_style())?;
            }
            PlainTextCommand::Help => {
                self.print_lines(&command_output::help_lines(prompt, self.can_undo))?
            }
            PlainTextCommand::Sheet => self.print_lines(&command_output::sheet_lines(view))?,
            PlainTextCommand::Map => self.print_lines(&command_output::map_lines(view))?,
            PlainTextCommand::Explore => {
                return self.start_travel(AutoTravel::start_exploring(prompt, view));
            }
            PlainTextCommand::Go(name) => {
                let place = auto_travel::find_place(name, view);
                return self
                    .start_travel(place.and_then(|place| AutoTravel::start(&place, prompt, view)));
            }
            PlainTextCommand::Odds => {
                self.print_lines(&command_output::odds_lines(prompt, &self.choice_numbers))?
            }
            PlainTextCommand::Look(what) => self.print_lines(&command_output::card_lines(
                what,
                prompt,
                view,
                &self.choice_numbers,
            ))?,
            PlainTextCommand::Log(most) => {
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
        first_step: Result<(AutoTravel, AcceptedInput), String>,
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
