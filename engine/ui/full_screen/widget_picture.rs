//! A picture of a widget in text, so that documentation can show what is really drawn.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::Line;

use super::palette::Palette;
use super::screen::Screen;
use super::theme::Theme;
use super::widget_lines::{self, Density};
use protocol::view::{PlacedWidget, Widget};
use protocol::{Prompt, View};

/// The lines that the full screen draws for a widget, without colours. A form is drawn with the
/// choices of the prompt.
pub fn widget_picture(placed: &PlacedWidget, prompt: &Prompt, columns: u16) -> Vec<String> {
    let theme = Theme::from_palette(Palette::None);
    let Widget::Form { rows, .. } = &placed.widget else {
        let widgets = std::iter::once(placed);
        let columns = usize::from(columns);
        let lines = widget_lines::widgets_to_lines(widgets, columns, Density::Spaced, theme);
        return lines.iter().map(line_text).collect();
    };
    let mut screen = Screen::new(theme);
    let view = View { widgets: vec![placed.clone()], ..View::default() };
    screen.show_prompt(prompt, &view);
    let area = Rect::new(0, 0, columns, rows.len() as u16 + 1);
    let mut frame = Buffer::empty(area);
    screen.draw_form(area, &mut frame);
    let row_text = |y| (0..columns).map(|x| frame[(x, y)].symbol()).collect::<String>();
    (0..area.height).map(|y| row_text(y).trim_end().to_owned()).collect()
}

fn line_text(line: &Line<'_>) -> String {
    let text: String = line.spans.iter().map(|span| &*span.content).collect();
    text.trim_end().to_owned()
}
