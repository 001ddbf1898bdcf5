//! The cost of a key on the full screen at 120 columns and 40 rows: the time to draw, and the bytes
//! sent to the terminal. The benchmark plays a descent and moves the focus down and up between two
//! answers.

use std::time::Duration;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use engine::ui::full::{Painter, Palette, Screen, Theme};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::descent::{answers, begin, content};
use super::report::{BenchReport, median, timed};

/// The maximum time to draw after a key.
const MOST: Duration = Duration::from_millis(5);

/// A terminal of 120 columns and 40 rows that discards its output.
#[derive(Default)]
pub struct DiscardTerminal(Painter);

impl DiscardTerminal {
    /// Draws a screen and returns the number of bytes sent.
    pub fn paint(&mut self, screen: &mut Screen) -> usize {
        let area = Rect::new(0, 0, 120, 40);
        let (mut frame, mut out) = (Buffer::empty(area), Vec::new());
        screen.draw_into(area, &mut frame);
        self.0.paint_changes(frame, &mut out).unwrap();
        out.len()
    }
}

/// The rows of the full screen.
pub fn rows(table: &mut BenchReport) {
    let content = content();
    let mut session = begin(&content, content.load().unwrap(), 1);
    let mut nobody = DiscardTerminal::default();
    let mut screen = Screen::new(Theme::of(Palette::Dark));
    let (mut times, mut moves, mut taken) = (Vec::new(), Vec::new(), Vec::new());
    for input in answers(&content, 1) {
        screen.show_prompt(session.prompt(), session.view());
        nobody.paint(&mut screen);
        let mut draw = |screen: &mut Screen, bytes: &mut Vec<usize>| {
            let (time, written) = timed(|| nobody.paint(screen));
            times.push(time);
            bytes.push(written);
        };
        for key in [KeyCode::Down, KeyCode::Up] {
            screen.press_key(KeyEvent::new(key, KeyModifiers::NONE));
            draw(&mut screen, &mut moves);
        }
        let told = session.answer(&input).unwrap().events;
        screen.begin_story(&[]);
        screen.add_events(&told);
        screen.show_prompt(session.prompt(), session.view());
        draw(&mut screen, &mut taken);
    }
    table.row("a key drawn at 120x40", median(&mut times), "the most it may take", MOST);
    let middle = |bytes: &mut Vec<usize>| {
        bytes.sort_unstable();
        bytes[bytes.len() / 2]
    };
    let (moved, answered) = (middle(&mut moves), middle(&mut taken));
    let mut all = [moves, taken].concat();
    let whole = middle(&mut all);
    table.note(&format!(
        "bytes of output for a key at 120x40: {whole} in the middle, {moved} to move, {answered} for an answer"
    ));
}
