//! The cost of a key on the full screen at 120 columns and 40 rows: the time to draw, and the bytes
//! sent to the terminal. The benchmark plays a descent and moves the focus down and up between two
//! answers.

use std::time::Duration;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ui::full_screen::{Painter, Palette, Screen, Theme};

use super::descent::{begin_session, bundled_content, record_answers};
use super::report::{BenchReport, median_time, time_work};

/// The maximum time to draw after a key.
const MAX_DRAW_TIME: Duration = Duration::from_millis(5);

/// A terminal of 120 columns and 40 rows that discards its output.
#[derive(Default)]
pub struct DiscardTerminal(Painter);

impl DiscardTerminal {
    /// Draws a screen and returns the number of bytes sent.
    pub fn paint(&mut self, screen: &mut Screen) -> usize {
        let area = Rect::new(0, 0, 120, 40);
        let (mut frame, mut output) = (Buffer::empty(area), Vec::new());
        screen.draw_into(area, &mut frame);
        self.0.paint_changes(frame, &mut output).unwrap();
        output.len()
    }
}

/// The rows of the full screen.
pub fn add_rows(report: &mut BenchReport) {
    let content = bundled_content();
    let mut session = begin_session(&content, content.load_vm().unwrap(), 1);
    let mut terminal = DiscardTerminal::default();
    let mut screen = Screen::new(Theme::from_palette(Palette::Dark));
    let (mut draw_times, mut move_bytes, mut answer_bytes) = (Vec::new(), Vec::new(), Vec::new());
    for input in record_answers(&content, 1) {
        screen.show_prompt(session.prompt(), session.view());
        terminal.paint(&mut screen);
        let mut draw_timed = |screen: &mut Screen, bytes: &mut Vec<usize>| {
            let (time, bytes_written) = time_work(|| terminal.paint(screen));
            draw_times.push(time);
            bytes.push(bytes_written);
        };
        for key in [KeyCode::Down, KeyCode::Up] {
            screen.press_key(KeyEvent::new(key, KeyModifiers::NONE));
            draw_timed(&mut screen, &mut move_bytes);
        }
        let events = session.answer_prompt(&input).unwrap().events;
        screen.begin_story(&[]);
        screen.add_events(&events);
        screen.show_prompt(session.prompt(), session.view());
        draw_timed(&mut screen, &mut answer_bytes);
    }
    report.add_row(
        "a key drawn at 120x40",
        median_time(&mut draw_times),
        "the most it may take",
        MAX_DRAW_TIME,
    );
    let median_bytes = |bytes: &mut Vec<usize>| {
        bytes.sort_unstable();
        bytes[bytes.len() / 2]
    };
    let (move_median, answer_median) =
        (median_bytes(&mut move_bytes), median_bytes(&mut answer_bytes));
    let mut all_bytes = [move_bytes, answer_bytes].concat();
    let overall_median = median_bytes(&mut all_bytes);
    report.add_note(&format!(
        "bytes of output for a key at 120x40: {overall_median} in the middle, {move_median} to move, {answer_median} for an answer"
    ));
}
