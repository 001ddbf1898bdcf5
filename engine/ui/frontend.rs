//! The interface between a run and the person who plays it: one trait, implemented by the full
//! screen, by plain text and by test doubles.

use std::io;

use super::file_watch::ReloadSignal;
use super::preferences::Preferences;
use super::story_log::LogReader;
use super::terms::ExplainedTerm;
use base::{Problem, Value};
use protocol::{AcceptedInput, Prompt, StoryEntry, StoryEvent, View};
use session::TraceEntry;

/// The result of a prompt.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// An input that the prompt accepts.
    Input(AcceptedInput),
    /// Leave the run. There is nothing to save: every step is already on disk.
    Leave,
    /// Undo the last answer; only where the run allows it.
    Undo,
    /// End the program: the interrupt key, the end of the input, or a signal.
    Quit,
    /// Reload the mods, because they changed or on request.
    Reload,
    /// A line for the author's console.
    ConsoleLine(String),
    /// A line of the answer file that is not an answer.
    BadScriptLine(Problem),
}

/// Shows a game to a person and asks for answers.
pub trait Frontend {
    /// Begins a new story. `past` holds earlier events and answers for the log; its end is shown
    /// again.
    fn begin_story(&mut self, past: &[StoryEntry]) -> io::Result<()>;

    /// Shows events.
    fn show_events(&mut self, events: &[StoryEvent]) -> io::Result<()>;

    /// Shows the story of a step: its answer, if it is told, and its events. A frontend that shows
    /// no answers needs only the events.
    fn show_story(&mut self, story: &[StoryEntry]) -> io::Result<()> {
        let events: Vec<StoryEvent> = story.iter().filter_map(StoryEntry::event).cloned().collect();
        self.show_events(&events)
    }

    /// Asks until an answer is accepted by the prompt, or the input ends.
    fn ask_prompt(&mut self, prompt: &Prompt, view: &View) -> io::Result<Answer>;

    /// Shows a page until the person closes it.
    fn show_page(&mut self, page: &View) -> io::Result<()>;

    /// Shows a Problem.
    fn show_problem(&mut self, problem: &Problem) -> io::Result<()>;

    /// Shows several Problems.
    fn show_problems(&mut self, problems: &[Problem]) -> io::Result<()> {
        problems.iter().try_for_each(|problem| self.show_problem(problem))
    }

    /// Enables dev mode: prompts return `Answer::Reload` when the signal is set, and console lines
    /// are read. `None` ends it.
    fn set_reload_signal(&mut self, reload_signal: Option<ReloadSignal>) {
        let _ = reload_signal;
    }

    /// Whether the state and the trace of each step are shown in dev mode.
    fn shows_state(&self) -> bool {
        false
    }

    /// Shows the state of the run before a question, and what the step before it did.
    fn show_state(&mut self, state: Value, trace: Vec<TraceEntry>) -> io::Result<()> {
        let _ = (state, trace);
        Ok(())
    }

    /// Shows that the run uses older mods than those on disk, and why; `None` hides it.
    fn set_stale_mods_reason(&mut self, why: Option<&str>) {
        let _ = why;
    }

    /// Sets where the complete log is read from, if it is stored. A frontend keeps only its end in
    /// memory.
    fn set_log_reader(&mut self, reader: Option<LogReader>) {
        let _ = reader;
    }

    /// Sets the terms that the game explains; help leads to them.
    fn set_terms(&mut self, terms: Vec<ExplainedTerm>) {
        let _ = terms;
    }

    /// The keys of choices as text, and the name of the page that keeps them beside the run. `None`
    /// if the frontend keeps no keys across prompts.
    fn saved_keys(&self) -> Option<(&'static str, String)> {
        None
    }

    /// A run is played from here on. `read_page` returns a page beside it, for a frontend that has
    /// saved its keys there.
    fn restore_keys(&mut self, run_id: &str, read_page: &mut dyn FnMut(&str) -> Option<String>) {
        let _ = (run_id, read_page);
    }

    /// Copies a text to the clipboard; returns whether that is possible.
    fn copy_to_clipboard(&mut self, text: &str) -> io::Result<bool> {
        let _ = text;
        Ok(false)
    }

    /// Applies the player's preferences from here on.
    fn apply_preferences(&mut self, preferences: &Preferences);

    /// Sets the label that marks what follows (empty for none), and whether answers can be undone.
    fn set_run_label(&mut self, words: &str, can_undo: bool) -> io::Result<()>;

    /// Restores the terminal and prints the last lines.
    fn finish(&mut self, last_lines: &[String]) -> io::Result<()>;

    /// Whether the output is still visible after the program ends.
    fn output_stays_visible(&self) -> bool {
        false
    }

    /// The signal that ended the program, if it was caught.
    fn ending_signal(&self) -> Option<i32> {
        None
    }
}
