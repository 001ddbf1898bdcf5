//! The mouse: a click focuses or takes a choice, the wheel scrolls.

use crossterm::event::{MouseButton, MouseEvent, MouseEventKind};
use ratatui::layout::Position;

use super::screen::Screen;
use crate::frontend::Answer;

/// Lines per turn of the wheel.
const WHEEL_LINES: isize = 3;

impl Screen {
    /// Handles a mouse event; returns an answer if it gave one. A click focuses a choice; a click
    /// on the focused choice takes it.
    pub fn handle_mouse(&mut self, mouse: MouseEvent) -> Option<Answer> {
        let lines = match mouse.kind {
            MouseEventKind::ScrollUp => -WHEEL_LINES,
            MouseEventKind::ScrollDown => WHEEL_LINES,
            MouseEventKind::Down(MouseButton::Left) => 0,
            _ => return None,
        };
        self.active_prompt.notice.clear();
        if let Some(overlay) = &mut self.overlay {
            if lines == 0 {
                self.overlay = None
            } else {
                overlay.scroll(lines)
            }
            return None;
        }
        if lines != 0 {
            self.story.scroll_lines(lines);
            return None;
        }
        let at = Position::new(mouse.column, mouse.row);
        let clicked_area =
            self.active_prompt.choice_hit_areas.iter().find(|(spot, _)| spot.contains(at));
        let index = clicked_area.map(|(_, index)| *index)?;
        let was_focused = self.active_prompt.focus == index;
        self.active_prompt.focus = index;
        self.active_prompt.focus_was_chosen = true;
        if was_focused || self.is_multiple_choice() {
            self.activate_focused_entry(None)
        } else {
            None
        }
    }
}
