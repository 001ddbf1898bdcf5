//! The mouse: a click focuses or takes a choice, the wheel scrolls.

use crossterm::event::{MouseButton, MouseEvent, MouseEventKind};
use ratatui::layout::Position;

use super::screen::Screen;
use crate::ui::front::Answer;

/// Lines per turn of the wheel.
const WHEEL: isize = 3;

impl Screen {
    /// Handles a mouse event; returns an answer if it gave one. A click focuses a choice; a click
    /// on the focused choice takes it.
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
