//! Exports a frame as SVG, so that documentation can show the real screen at any size.

use base::host_text;
use ratatui::buffer::{Buffer, Cell};
use ratatui::style::{Color, Modifier};
use ratatui::text::Line;

use ratatui::layout::Rect;

use super::theme::{Theme, styled_line};
use super::widget_lines::{self, Density};
use crate::display_text;
use base::text;
use protocol::View;

/// The width and height of a cell in a picture.
pub const SVG_CELL_SIZE: (f64, f64) = (9.0, 19.0);
/// The margin around the frame in a picture.
pub const SVG_MARGIN: f64 = 12.0;
/// Text and background colours if the palette uses the terminal's own.
const TERMINAL_COLOURS: (&str, &str) = ("#d0d0d0", "#121212");

/// The columns of a page.
const SVG_PAGE_COLUMNS: u16 = 84;
/// The most rows of a page; a longer one is cut and says so.
const MAX_PAGE_ROWS: usize = 400;

/// A whole page as SVG, however long it is.
pub fn page_svg(page: &View, theme: Theme) -> String {
    let columns = SVG_PAGE_COLUMNS - 4;
    let mut lines = vec![
        styled_line(display_text::markup_on_one_line(&page.title), theme.heading_style()),
        Line::default(),
    ];
    let widgets = page.widgets.iter();
    lines.extend(widget_lines::widgets_to_lines(
        widgets,
        usize::from(columns),
        Density::Spaced,
        theme,
    ));
    if lines.len() > MAX_PAGE_ROWS {
        let more = lines.len() + 1 - MAX_PAGE_ROWS;
        lines.truncate(MAX_PAGE_ROWS - 1);
        lines.push(styled_line(host_text!("… {count} more", count = more), theme.quiet_style()));
    }
    let area = Rect::new(0, 0, SVG_PAGE_COLUMNS, lines.len() as u16 + 2);
    let mut frame = Buffer::empty(area);
    theme.fill_background(area, &mut frame);
    for (row, line) in lines.iter().enumerate() {
        frame.set_line(2, row as u16 + 1, line, columns);
    }
    frame_svg(&frame)
}

/// A frame as SVG.
pub fn frame_svg(frame: &Buffer) -> String {
    let area = frame.area;
    let (width, height) =
        (f64::from(area.width) * SVG_CELL_SIZE.0, f64::from(area.height) * SVG_CELL_SIZE.1);
    let background = cell_colours(&frame[(area.x, area.y)]).1;
    let (outer_width, outer_height) = (width + 2.0 * SVG_MARGIN, height + 2.0 * SVG_MARGIN);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {outer_width} {outer_height}\" \
         width=\"{outer_width}\" height=\"{outer_height}\">\n\
         <rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"{background}\"/>\n\
         <g font-family=\"ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace\" \
         font-size=\"15\" xml:space=\"preserve\">\n"
    );
    for y in area.top()..area.bottom() {
        let mut x = area.left();
        while x < area.right() {
            let first = &frame[(x, y)];
            let same = |at: u16| cell_style(&frame[(at, y)]) == cell_style(first);
            let mut end = x + 1;
            while end < area.right() && same(end) {
                end += 1;
            }
            let words: String = (x..end).map(|at| frame[(at, y)].symbol()).collect();
            out.push_str(&cell_run_svg(
                first,
                &words,
                x - area.x,
                y - area.y,
                end - x,
                &background,
            ));
            x = end;
        }
    }
    out.push_str("</g>\n</svg>\n");
    out
}

/// A run of cells with one style: the background if it differs, and the text.
fn cell_run_svg(cell: &Cell, words: &str, x: u16, y: u16, cells: u16, background: &str) -> String {
    let (text_colour, background_colour) = cell_colours(cell);
    let (left, top) =
        (SVG_MARGIN + f64::from(x) * SVG_CELL_SIZE.0, SVG_MARGIN + f64::from(y) * SVG_CELL_SIZE.1);
    let width = f64::from(cells) * SVG_CELL_SIZE.0;
    let mut out = String::new();
    if background_colour != background {
        out.push_str(&format!(
            "<rect x=\"{left}\" y=\"{top}\" width=\"{width}\" height=\"{}\" fill=\"{background_colour}\"/>\n",
            SVG_CELL_SIZE.1
        ));
    }
    let visible_text = words.trim_end();
    if visible_text.is_empty() {
        return out;
    }
    let spaces = visible_text.len() - visible_text.trim_start().len();
    // Newer browsers collapse several spaces, whatever the attribute says.
    let visible_text = visible_text.trim_start().replace("  ", "\u{a0}\u{a0}");
    let left = left + spaces as f64 * SVG_CELL_SIZE.0;
    let weight = if cell.modifier.contains(Modifier::BOLD) { " font-weight=\"bold\"" } else { "" };
    let faint = if cell.modifier.contains(Modifier::DIM) { " opacity=\"0.65\"" } else { "" };
    out.push_str(&format!(
        "<text x=\"{left}\" y=\"{}\" fill=\"{text_colour}\"{weight}{faint} textLength=\"{}\" \
         lengthAdjust=\"spacingAndGlyphs\">{}</text>\n",
        top + 14.5,
        text::display_width(&visible_text) as f64 * SVG_CELL_SIZE.0,
        escape_xml(&visible_text)
    ));
    out
}

fn cell_style(cell: &Cell) -> (Color, Color, Modifier) {
    (cell.fg, cell.bg, cell.modifier)
}

/// The text and background colours of a cell.
fn cell_colours(cell: &Cell) -> (String, String) {
    let text_colour = hex_colour(cell.fg).unwrap_or_else(|| TERMINAL_COLOURS.0.to_owned());
    let background_colour = hex_colour(cell.bg).unwrap_or_else(|| TERMINAL_COLOURS.1.to_owned());
    if cell.modifier.contains(Modifier::REVERSED) {
        (background_colour, text_colour)
    } else {
        (text_colour, background_colour)
    }
}

fn hex_colour(colour: Color) -> Option<String> {
    let [red, green, blue] = match colour {
        Color::Indexed(number @ 16..=231) => {
            let at = number - 16;
            let level = |part: u8| if part == 0 { 0 } else { 55 + 40 * part };
            [level(at / 36), level(at / 6 % 6), level(at % 6)]
        }
        Color::Indexed(number @ 232..) => [8 + 10 * (number - 232); 3],
        Color::Rgb(red, green, blue) => [red, green, blue],
        Color::Yellow => [205, 170, 60],
        Color::Green => [95, 175, 95],
        Color::Red => [215, 95, 95],
        _ => return None,
    };
    Some(format!("#{red:02x}{green:02x}{blue:02x}"))
}

fn escape_xml(words: &str) -> String {
    words.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
