//! The one door between a run and the person who plays it. The full screen, the plain voice and
//! whatever comes later stand behind the same few calls.

use std::io;

use super::log::LogReader;
use super::preferences::Preferences;
use super::watch::Bell;
use crate::kit::Problem;
use crate::play::{Event, Input, Past, Prompt, View};

/// What came back from a question.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// An input that the prompt accepts.
    Input(Input),
    /// Back to where the run was chosen. A run has nothing to save then: every step is on disk.
    Leave,
    /// The last answer is to be taken back. Only where the run says that it may be.
    Undo,
    /// The end of the program: the keyboard's interrupt, the end of the input, a signal.
    Quit,
    /// The mods are to be read again: they have changed, or the person asks for it.
    Reload,
    /// A line for the console of those who write mods.
    Console(String),
    /// The answers come from a file, and this line of it answers nothing.
    Stop(Problem),
}

/// A way of telling and asking.
pub trait Front {
    /// A new story begins. `past` is what was told and answered before, for the log; the end of it is
    /// shown again.
    fn begin(&mut self, past: &[Past]) -> io::Result<()>;

    /// Tells what happened in a step.
    fn tell(&mut self, events: &[Event]) -> io::Result<()>;

    /// Asks until there is an answer that the prompt accepts, or none will come.
    fn ask(&mut self, prompt: &Prompt, view: &View) -> io::Result<Answer>;

    /// Shows a page of its own until the person has read it.
    fn show(&mut self, page: &View) -> io::Result<()>;

    /// Tells of a Problem.
    fn trouble(&mut self, problem: &Problem) -> io::Result<()>;

    /// A person who writes mods plays: questions are broken off with `Answer::Reload` when the bell
    /// rings, and lines for the console are taken. `None` ends it.
    fn workbench(&mut self, bell: Option<Bell>) {
        let _ = bell;
    }

    /// Shows that what is played on is not what lies on disk, and why; nothing once it is again.
    fn stale(&mut self, why: Option<&str>) {
        let _ = why;
    }

    /// Says where the whole log of what is played is read from; nothing where it lies nowhere. A front end
    /// holds only the end of it.
    fn read_log_from(&mut self, reader: Option<LogReader>) {
        let _ = reader;
    }

    /// A run is played from here on. What was asked in it before can be met again, for whoever keeps
    /// something from question to question and has not met it.
    fn recall(&mut self, run_id: &str, met: &mut dyn FnMut() -> Option<(Prompt, View)>) {
        let _ = (run_id, met);
    }

    /// Gives a text to the person's clipboard, where there is a way to; whether there was.
    fn copy(&mut self, text: &str) -> io::Result<bool> {
        let _ = text;
        Ok(false)
    }

    /// Shows things as the player prefers from here on.
    fn prefer(&mut self, preferences: &Preferences);

    /// Says what sets apart what is shown from here on; nothing does that is empty. Answers may be
    /// taken back where that is said.
    fn mark(&mut self, words: &str, may_undo: bool) -> io::Result<()>;

    /// Leaves the terminal as it was found and says the last lines there.
    fn finish(&mut self, last_lines: &[String]) -> io::Result<()>;

    /// Whether a person still sees what was told when the program has ended.
    fn stays_in_sight(&self) -> bool {
        false
    }

    /// The signal that told the program to end, where it was heard and not left to the system.
    fn ended_by(&self) -> Option<i32> {
        None
    }
}
