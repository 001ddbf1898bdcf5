//! Parses and runs a line of the author's console.

use super::run_loop::show_step;
use super::{ExitReason, HostPrompts, Menu};
use base::host_texts::translate_host_text;
use base::text::escape_markup;
use base::{host_text, host_text_id};
use protocol::StoryEvent;
use save::ConsoleCommand;
use session::{ActiveRun, Session};

const CONSOLE_HELP: &str = host_text_id!(
    "A line of Luau runs as a step, as in `state.x = 3` or `state.x`. Commands: \
    `goto SCENE`, `seed N`, `back` or `back N` (that many steps), `back to N`, `fork`. \
    `@MOD LINE` runs a line as a file of that mod, with the names that it sees. \
    A run earns nothing once the console was used."
);

/// A command of the console.
#[derive(Debug, PartialEq, Eq)]
enum ConsoleLine {
    Help,
    Command(ConsoleCommand),
    UndoSteps(u64),
    UndoToStep(u64),
    Fork,
}

/// Parses a line; what is not a command is Luau.
fn parse_console_line(line: &str) -> ConsoleLine {
    let words: Vec<&str> = line.split_whitespace().collect();
    let number = |word: &str| word.parse::<u64>().ok();
    match words[..] {
        [] | ["console"] => ConsoleLine::Help,
        ["fork"] => ConsoleLine::Fork,
        ["goto", scene] => ConsoleLine::Command(ConsoleCommand::Goto(scene.to_owned())),
        ["back"] => ConsoleLine::UndoSteps(1),
        ["back", "to", step] if number(step).is_some() => {
            ConsoleLine::UndoToStep(number(step).unwrap_or(0))
        }
        ["back", steps] if number(steps).is_some() => {
            ConsoleLine::UndoSteps(number(steps).unwrap_or(0))
        }
        ["seed", seed] if number(seed).is_some() => {
            ConsoleLine::Command(ConsoleCommand::Seed(number(seed).unwrap_or(0)))
        }
        _ => match parse_mod_scope(line) {
            Some((_, "")) => ConsoleLine::Help,
            Some((mod_id, line)) => {
                let (mod_id, line) = (mod_id.to_owned(), line.to_owned());
                ConsoleLine::Command(ConsoleCommand::LuaInMod { mod_id, line })
            }
            None => ConsoleLine::Command(ConsoleCommand::Lua(line.to_owned())),
        },
    }
}

/// The mod and the rest of a line such as `@weather turn_to "rain"`. No Luau begins with `@` and a
/// name, apart from an attribute of a function.
fn parse_mod_scope(line: &str) -> Option<(&str, &str)> {
    let scoped_line = line.trim().strip_prefix('@')?;
    let (mod_id, rest) = scoped_line.split_once(char::is_whitespace).unwrap_or((scoped_line, ""));
    (!mod_id.is_empty()).then(|| (mod_id, rest.trim_start()))
}

impl Menu {
    /// Runs a line of the console.
    pub(super) fn run_console_line(
        &mut self,
        host_prompts: &mut HostPrompts<'_>,
        session: &mut Session,
        line: &str,
        draw_seed: &mut dyn FnMut() -> u64,
    ) -> Result<(), ExitReason> {
        match parse_console_line(line) {
            ConsoleLine::Help => Ok(host_prompts
                .frontend
                .show_events(&[note_event(&translate_host_text(CONSOLE_HELP, &[]))])?),
            ConsoleLine::Command(order) => {
                show_step(host_prompts, None, session.run_console_step(order))
            }
            ConsoleLine::UndoSteps(steps) => {
                let step = session.step_number().saturating_sub(steps);
                self.undo_to_step(host_prompts, session, step)
            }
            ConsoleLine::UndoToStep(step) => self.undo_to_step(host_prompts, session, step),
            ConsoleLine::Fork => self.fork_run(host_prompts, session, draw_seed),
        }
    }

    fn undo_to_step(
        &mut self,
        host_prompts: &mut HostPrompts<'_>,
        session: &mut Session,
        step: u64,
    ) -> Result<(), ExitReason> {
        match session::undo_to_step(&self.setup.data_dir, session, step) {
            Ok(story) => {
                host_prompts.frontend.begin_story(&story)?;
                let text = host_text!("Back at step {step}.", step = session.step_number());
                Ok(host_prompts.frontend.show_events(&[note_event(&text)])?)
            }
            Err(problem) => Ok(host_prompts.frontend.show_problem(&problem)?),
        }
    }

    fn fork_run(
        &mut self,
        host_prompts: &mut HostPrompts<'_>,
        session: &mut Session,
        draw_seed: &mut dyn FnMut() -> u64,
    ) -> Result<(), ExitReason> {
        match session::fork_run(&mut self.profile_lock, session, draw_seed) {
            Ok(ActiveRun { session: forked, step_outcome: told, notes, .. }) => {
                *session = forked;
                session.offer_disabling_with_flags(self.mods_command_flags());
                notes
                    .iter()
                    .chain(&told.refusal)
                    .try_for_each(|note| host_prompts.frontend.show_problem(note))?;
                let name = session.run_id().unwrap_or_default();
                Ok(host_prompts.frontend.show_events(&[note_event(&host_text!(
                    "This is now the run {name}, with its own dice.",
                    name = name
                ))])?)
            }
            Err(problem) => Ok(host_prompts.frontend.show_problem(&problem)?),
        }
    }
}

fn note_event(text: &str) -> StoryEvent {
    StoryEvent::Note { text: escape_markup(text) }
}
