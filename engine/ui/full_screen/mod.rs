//! The full-screen frontend. `Screen` decides what is shown and what keys do and knows no terminal;
//! this file moves keys in and frames out.

mod cards;
mod choice_columns;
mod decoder;
mod draw_screen;
mod edge_routes;
mod fixed_positions;
mod folded_dice;
mod form_rows;
mod input_field;
mod key_actions;
mod key_handling;
mod key_hint;
mod key_hints;
mod keyboard;
mod keymap;
mod map_drawing;
mod map_layers;
mod map_page;
mod map_tree;
mod mouse;
mod overlay;
mod painter;
mod palette;
mod question_layout;
mod reading;
mod reading_state;
mod screen;
mod scroll_hint;
mod signals;
mod story_lines;
mod story_pane;
mod submenu_rows;
mod svg;
mod terminal;
mod terminal_modes;
mod terms_page;
mod theme;
mod top_line;
mod travel_keys;
mod visible_choices;
mod widget_lines;
mod widget_picture;

use std::io;
use std::process::ExitCode;

use crossterm::event::KeyCode;

pub use decoder::Decoder;
pub use draw_screen::MIN_WINDOW_SIZE;
pub use keyboard::SequenceTimer;
pub use keymap::{KeyAction, Keymap};
pub use painter::Painter;
pub use palette::{Palette, TextRole};
pub use screen::Screen;
pub use svg::{SVG_CELL_SIZE, SVG_MARGIN, frame_svg, page_svg};
pub use terminal::terminal_size;
pub use theme::Theme;
pub use widget_picture::widget_picture;

use super::file_watch::ReloadSignal;
use super::frontend::{Answer, Frontend};
use super::preferences::Preferences;
use super::story_log::LogReader;
use super::terms::ExplainedTerm;
use base::Problem;
use protocol::{Prompt, StoryEntry, StoryEvent, View};
use terminal::{TerminalEvent, TerminalHandle};

/// Ends the program with a caught signal, so that the exit status reports it.
pub fn exit_by_signal(signal: i32) -> ExitCode {
    #[cfg(unix)]
    drop(signal_hook::low_level::emulate_default_handler(signal));
    // The exit status that shells use for a signal.
    ExitCode::from(u8::try_from(128 + signal).unwrap_or(u8::MAX))
}

/// The full-screen frontend on the terminal of this process.
pub struct FullScreen {
    screen: Screen,
    terminal: TerminalHandle,
    reload_signal: Option<ReloadSignal>,
    /// The key of the last answer, until another key is pressed. While it is held down, it answers
    /// no further prompt.
    answer_key: Option<KeyCode>,
}

impl FullScreen {
    /// Takes the terminal. It is restored on drop, on a panic and on a signal that ends the
    /// program.
    pub fn open(theme: Theme, keymap: Keymap) -> io::Result<Self> {
        let screen = Screen::new(theme).with_keymap(keymap);
        Ok(Self {
            screen,
            terminal: TerminalHandle::open()?,
            reload_signal: None,
            answer_key: None,
        })
    }

    fn draw(&mut self) -> io::Result<()> {
        let Self { screen, terminal, .. } = self;
        terminal.draw(|area, frame| {
            screen.draw_into(area, frame);
            screen.caret()
        })
    }
}

impl FullScreen {
    /// Discards the rest of the burst that gave an answer, except the help key.
    fn discard_burst(&mut self) {
        let keymap = &self.screen.keymap;
        self.terminal.discard_burst(|code| keymap.action_of_key(code) == Some(KeyAction::Help));
    }
}

/// The page beside a run that keeps the keys of choices.
pub(crate) const KEYS_PAGE: &str = "keys.json";

impl Frontend for FullScreen {
    fn begin_story(&mut self, past: &[StoryEntry]) -> io::Result<()> {
        self.screen.begin_story(past);
        Ok(())
    }

    fn show_events(&mut self, events: &[StoryEvent]) -> io::Result<()> {
        self.screen.add_events(events);
        Ok(())
    }

    fn show_story(&mut self, story: &[StoryEntry]) -> io::Result<()> {
        self.screen.add_story(story);
        Ok(())
    }

    fn ask_prompt(&mut self, prompt: &Prompt, view: &View) -> io::Result<Answer> {
        self.screen.show_prompt(prompt, view);
        if let Some(answer) = self.screen.continue_travel() {
            return Ok(answer);
        }
        loop {
            self.draw()?;
            match self.terminal.wait_for_event(self.reload_signal.as_ref())? {
                TerminalEvent::ProgramEnd => return Ok(Answer::Quit),
                TerminalEvent::Redraw => {}
                TerminalEvent::ModsChanged => {
                    return Ok(self.screen.interrupt_prompt(Answer::Reload));
                }
                TerminalEvent::Paste(text) => self.screen.insert_pasted_text(&text),
                TerminalEvent::Key(key) => {
                    let is_answer_key = self.answer_key.take() == Some(key.code);
                    if is_answer_key && self.terminal.consume_key_repeats(key.code)? {
                        self.answer_key = Some(key.code);
                        continue;
                    }
                    if let Some(answer) = self.screen.press_key(key) {
                        self.answer_key = Some(key.code);
                        self.discard_burst();
                        return Ok(answer);
                    }
                }
                TerminalEvent::Mouse(mouse) => {
                    if let Some(answer) = self.screen.handle_mouse(mouse) {
                        self.discard_burst();
                        return Ok(answer);
                    }
                }
            }
        }
    }

    fn show_page(&mut self, page: &View) -> io::Result<()> {
        self.screen.open_page(page);
        while self.screen.has_open_page() {
            self.draw()?;
            match self.terminal.wait_for_event(None)? {
                TerminalEvent::Redraw | TerminalEvent::ModsChanged => {}
                TerminalEvent::ProgramEnd => return Ok(()),
                TerminalEvent::Paste(text) => self.screen.insert_pasted_text(&text),
                TerminalEvent::Mouse(mouse) => drop(self.screen.handle_mouse(mouse)),
                TerminalEvent::Key(key) => {
                    if self.screen.press_key(key).is_some() {
                        // The prompt after the page handles the interrupt.
                        self.terminal.request_program_end();
                        return Ok(());
                    }
                }
            }
        }
        Ok(())
    }

    fn show_problem(&mut self, problem: &Problem) -> io::Result<()> {
        self.screen.add_problem(problem);
        Ok(())
    }

    fn set_reload_signal(&mut self, reload_signal: Option<ReloadSignal>) {
        self.screen.set_console(reload_signal.is_some());
        self.reload_signal = reload_signal;
    }

    fn set_stale_mods_reason(&mut self, why: Option<&str>) {
        self.screen.set_stale_mods_reason(why);
    }

    fn apply_preferences(&mut self, preferences: &Preferences) {
        self.screen.apply_preferences(preferences);
        self.terminal.set_mouse_capture(preferences.uses_mouse.unwrap_or(true));
    }

    fn saved_keys(&self) -> Option<(&'static str, String)> {
        Some((KEYS_PAGE, self.screen.saved_keys()))
    }

    fn restore_keys(&mut self, run_id: &str, read_page: &mut dyn FnMut(&str) -> Option<String>) {
        self.screen.restore_keys(run_id, || read_page(KEYS_PAGE));
    }

    fn set_terms(&mut self, terms: Vec<ExplainedTerm>) {
        self.screen.set_terms(terms);
    }

    fn set_log_reader(&mut self, reader: Option<LogReader>) {
        self.screen.set_log_reader(reader);
    }

    fn copy_to_clipboard(&mut self, text: &str) -> io::Result<bool> {
        self.terminal.copy_to_clipboard(text).map(|()| true)
    }

    fn set_run_label(&mut self, words: &str, can_undo: bool) -> io::Result<()> {
        self.screen.set_run_label(words, can_undo);
        Ok(())
    }

    fn finish(&mut self, last_lines: &[String]) -> io::Result<()> {
        self.terminal.close(last_lines)
    }

    fn ending_signal(&self) -> Option<i32> {
        self.terminal.ending_signal()
    }
}
