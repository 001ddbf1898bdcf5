//! The hint that the story continues above or below its pane.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::theme::{HORIZONTAL_LINE, Theme};
use crate::text_wrap;
use base::text;

/// Removes other text from a rule where the hint would overlap it: the hint is more important.
pub(super) fn clear_rule(buf: &mut Buffer, from: u16, y: u16, columns: usize, theme: Theme) {
    let has_text = |buf: &Buffer, x: u16| {
        buf.cell((x, y))
            .is_some_and(|cell| cell.symbol() != HORIZONTAL_LINE && buf.area.right() > x)
    };
    let columns = columns as u16;
    if !(from..from + columns + 1).any(|x| has_text(buf, x)) {
        return;
    }
    let first = (from..buf.area.right()).find(|x| has_text(buf, *x)).unwrap_or(from);
    for x in (first..buf.area.right())
        .take_while(|x| *x < from + columns || has_text(buf, *x))
        .collect::<Vec<_>>()
    {
        buf.set_string(x, y, HORIZONTAL_LINE, theme.quiet_style());
    }
}

/// Draws a hint at the right end of a row.
pub(super) fn draw_scroll_hint(area: Rect, y: u16, buf: &mut Buffer, theme: Theme, words: &str) {
    let words = text_wrap::truncate(words, usize::from(area.width));
    let blank = " ".repeat(usize::from(area.width));
    buf.set_stringn(area.x, y, blank, usize::from(area.width), theme.background_style());
    let x = area.right() - text::display_width(&words) as u16;
    buf.set_stringn(x, y, &words, usize::from(area.width), theme.overlay_style());
}
