//! The full-screen frontend. `Screen` decides what is shown and what keys do and knows no terminal;
//! this file moves keys in and frames out.

mod atlas;
mod cards;
mod choices;
mod draw;
mod escape;
mod field;
mod hints;
mod interrupt;
mod keyboard;
mod keymap;
mod keys;
mod layers;
mod map;
mod modes;
mod mouse;
mod overlay;
mod pages;
mod paint;
mod palette;
mod picture;
mod question;
mod rows;
mod screen;
mod sheet;
mod sight;
mod story;
mod terminal;
mod theme;
mod tree;
mod ways;

use std::io;
use std::process::ExitCode;

use crossterm::event::KeyCode;

pub use escape::Decoder;
pub use keymap::{Action, Keymap};
pub use paint::Painter;
pub use palette::{Palette, Role};
pub use picture::{page_svg, svg};
pub use screen::Screen;
pub use theme::Theme;

use super::front::{Answer, Front};
use super::log::LogReader;
use super::preferences::Preferences;
use super::watch::Bell;
use crate::kit::Problem;
use crate::play::{Event, Past, Prompt, View};
use terminal::{Happening, Stage};

/// Ends the program with a caught signal, so that the exit status reports it.
pub fn end_by(signal: i32) -> ExitCode {
    #[cfg(unix)]
    drop(signal_hook::low_level::emulate_default_handler(signal));
    // The exit status that shells use for a signal.
    ExitCode::from(u8::try_from(128 + signal).unwrap_or(u8::MAX))
}

/// The full-screen frontend on the terminal of this process.
pub struct Full {
    screen: Screen,
    stage: Stage,
    bell: Option<Bell>,
    /// The key of the last answer, until another key is pressed. While it is held down, it answers
    /// no further prompt.
    answered_with: Option<KeyCode>,
}

impl Full {
    /// Takes the terminal. It is restored on drop, on a panic and on a signal that ends the
    /// program.
    pub fn open(theme: Theme, keymap: Keymap) -> io::Result<Self> {
        let screen = Screen::new(theme).with_keys(keymap);
        Ok(Self { screen, stage: Stage::open()?, bell: None, answered_with: None })
    }

    fn draw(&mut self) -> io::Result<()> {
        let Self { screen, stage, .. } = self;
        stage.draw(|area, frame| {
            screen.draw_into(area, frame);
            screen.caret()
        })
    }
}

impl Full {
    /// Discards the rest of the burst that gave an answer, except the help key.
    fn hear_no_more(&mut self) {
        let keymap = &self.screen.keymap;
        self.stage.answered(|code| keymap.action(code) == Some(Action::Help));
    }
}

impl Front for Full {
    fn begin(&mut self, past: &[Past]) -> io::Result<()> {
        self.screen.begin(past);
        Ok(())
    }

    fn tell(&mut self, events: &[Event]) -> io::Result<()> {
        self.screen.tell(events);
        Ok(())
    }

    fn ask(&mut self, prompt: &Prompt, view: &View) -> io::Result<Answer> {
        self.screen.pose(prompt, view);
        if let Some(answer) = self.screen.go_on() {
            return Ok(answer);
        }
        loop {
            self.draw()?;
            match self.stage.wait(self.bell.as_ref())? {
                Happening::End => return Ok(Answer::Quit),
                Happening::Redraw => {}
                Happening::Bell => return Ok(self.screen.broken_off(Answer::Reload)),
                Happening::Paste(text) => self.screen.paste(&text),
                Happening::Key(key) => {
                    let again = self.answered_with.take() == Some(key.code);
                    if again && self.stage.is_held(key.code)? {
                        self.answered_with = Some(key.code);
                        continue;
                    }
                    if let Some(answer) = self.screen.press(key) {
                        self.answered_with = Some(key.code);
                        self.hear_no_more();
                        return Ok(answer);
                    }
                }
                Happening::Mouse(mouse) => {
                    if let Some(answer) = self.screen.point(mouse) {
                        self.hear_no_more();
                        return Ok(answer);
                    }
                }
            }
        }
    }

    fn show(&mut self, page: &View) -> io::Result<()> {
        self.screen.open_page(page);
        while self.screen.page_is_open() {
            self.draw()?;
            match self.stage.wait(None)? {
                Happening::Redraw | Happening::Bell => {}
                Happening::End => return Ok(()),
                Happening::Paste(text) => self.screen.paste(&text),
                Happening::Mouse(mouse) => drop(self.screen.point(mouse)),
                Happening::Key(key) => {
                    if self.screen.press(key).is_some() {
                        // The prompt after the page handles the interrupt.
                        self.stage.end_soon();
                        return Ok(());
                    }
                }
            }
        }
        Ok(())
    }

    fn trouble(&mut self, problem: &Problem) -> io::Result<()> {
        self.screen.trouble(problem);
        Ok(())
    }

    fn workbench(&mut self, bell: Option<Bell>) {
        self.screen.set_console(bell.is_some());
        self.bell = bell;
    }

    fn stale(&mut self, why: Option<&str>) {
        self.screen.stale(why);
    }

    fn prefer(&mut self, preferences: &Preferences) {
        self.screen.prefer(preferences);
        self.stage.listen_to_mouse(preferences.mouse.unwrap_or(true));
    }

    fn recall(&mut self, run_id: &str, met: &mut dyn FnMut() -> Option<(Prompt, View)>) {
        self.screen.recall(run_id, met);
    }

    fn read_log_from(&mut self, reader: Option<LogReader>) {
        self.screen.read_log_from(reader);
    }

    fn copy(&mut self, text: &str) -> io::Result<bool> {
        self.stage.copy(text).map(|()| true)
    }

    fn mark(&mut self, words: &str, may_undo: bool) -> io::Result<()> {
        self.screen.mark(words, may_undo);
        Ok(())
    }

    fn finish(&mut self, last_lines: &[String]) -> io::Result<()> {
        self.stage.close(last_lines)
    }

    fn ended_by(&self) -> Option<i32> {
        self.stage.ended_by()
    }
}
