//! The mouse: a click puts a choice in focus or takes it, the wheel moves what is read.

use crossterm::event::{MouseButton, MouseEvent, MouseEventKind};
use ratatui::layout::Position;

use super::screen::Screen;
use crate::ui::front::Answer;

/// Lines that a turn of the wheel moves.
const WHEEL: isize = 3;

impl Screen {
    /// Takes what the mouse did; an answer if it gave one. A click puts a choice in focus, a
    /// click on the one in focus takes it.
    pub fn point(&mut self, mouse: MouseEvent) -> Option<Answer> {
        let lines = match mouse.kind {
            MouseEventKind::ScrollUp => -WHEEL,
            MouseEventKind::ScrollDown => WHEEL,
            MouseEventKind::Down(MouseButton::Left) => 0,
            _ => return None,
        };
        self.asked.notice.clear();
        if let Some(overlay) = &mut self.overlay {
            if lines == 0 {
                self.overlay = None
            } else {
                overlay.wheel(lines)
            }
            return None;
        }
        if lines != 0 {
            self.story.scroll_lines(lines);
            return None;
        }
        let at = Position::new(mouse.column, mouse.row);
        let hit = self.asked.spots.iter().find(|(spot, _)| spot.contains(at));
        let index = hit.map(|(_, index)| *index)?;
        let again = self.asked.focus == index;
        self.asked.focus = index;
        self.asked.aimed = true;
        if again || self.takes_several() { self.take(None) } else { None }
    }
}
