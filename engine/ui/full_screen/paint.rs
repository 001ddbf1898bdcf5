//! What goes to the terminal for a frame: what differs from the frame before and nothing else, in as
//! few bytes as can be had without tricks that only some terminals know. A slow line is a line too.

use std::io::{self, Write};

use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier};

use base::text;

/// What a terminal shows, and how it is changed into what it is to show.
#[derive(Default)]
pub struct Painter {
    /// The frame that was painted last; nothing where what is shown is not known.
    previous_frame: Option<Buffer>,
}

/// Modifiers that can be seen on an empty cell.
const MODIFIERS_VISIBLE_ON_SPACE: Modifier = Modifier::REVERSED.union(Modifier::UNDERLINED);
/// Modifiers with the numbers that turn them on and off. Two are turned off together.
const MODIFIER_CODES: [(Modifier, &str, &str); 5] = [
    (Modifier::BOLD, "1", "22"),
    (Modifier::DIM, "2", "22"),
    (Modifier::ITALIC, "3", "23"),
    (Modifier::UNDERLINED, "4", "24"),
    (Modifier::REVERSED, "7", "27"),
];

impl Painter {
    /// Forgets what is shown, so that the next frame is painted whole.
    pub fn forget_frame(&mut self) {
        self.previous_frame = None;
    }

    /// Paints a frame, from the left upper corner of the terminal on.
    pub fn paint_changes(&mut self, mut frame: Buffer, out: &mut impl Write) -> io::Result<()> {
        frame.content.iter_mut().for_each(normalize_cell);
        let previous_frame = self.previous_frame.take().filter(|shown| shown.area == frame.area);
        let previous_frame = previous_frame.unwrap_or_else(|| unmatchable_frame(frame.area));
        let mut writer = EscapeWriter::default();
        for (x, y, cell) in previous_frame.diff(&frame) {
            writer.move_cursor(x, y, &frame);
            writer.write_cell(cell);
        }
        self.previous_frame = Some(frame);
        out.write_all(writer.into_escape_text().as_bytes())?;
        out.flush()
    }
}

/// Brings what cannot be seen of a cell to one form, so that it never counts as a difference.
fn normalize_cell(cell: &mut Cell) {
    cell.modifier = MODIFIER_CODES
        .iter()
        .fold(Modifier::empty(), |kept, (modifier, ..)| kept | (cell.modifier & *modifier));
    // Bold and faint at once looks different on every terminal; faint is what is meant.
    if cell.modifier.contains(Modifier::DIM) {
        cell.modifier.remove(Modifier::BOLD);
    }
    if cell.symbol() == " " && !cell.modifier.intersects(MODIFIERS_VISIBLE_ON_SPACE) {
        cell.fg = Color::Reset;
        cell.modifier = Modifier::empty();
    }
}

/// A frame that differs everywhere from any that is drawn.
fn unmatchable_frame(area: Rect) -> Buffer {
    let mut cell = Cell::new("\u{fffd}");
    cell.set_fg(Color::Rgb(1, 2, 3));
    Buffer::filled(area, cell)
}

/// Where the terminal writes next and how, with what was written so far.
#[derive(Default)]
struct EscapeWriter {
    output: String,
    /// Where the next sign goes; not known at first, nor after the last column.
    cursor: Option<(u16, u16)>,
    current_style: CellStyle,
}

#[derive(Clone, Copy, PartialEq, Eq)]
struct CellStyle {
    fg: Color,
    bg: Color,
    modifier: Modifier,
}

impl Default for CellStyle {
    fn default() -> Self {
        Self { fg: Color::Reset, bg: Color::Reset, modifier: Modifier::empty() }
    }
}

impl CellStyle {
    fn of(cell: &Cell) -> Self {
        Self { fg: cell.fg, bg: cell.bg, modifier: cell.modifier }
    }
}

impl EscapeWriter {
    /// Goes to a cell: over cells that stand as they are by writing them once more where that is
    /// the shortest way.
    fn move_cursor(&mut self, x: u16, y: u16, frame: &Buffer) {
        let target = (x, y);
        if self.cursor == Some(target) {
            return;
        }
        let absolute_move = match (x, y) {
            (0, 0) => "\u{1b}[H".to_owned(),
            (0, _) => format!("\u{1b}[{}H", y + 1),
            _ => format!("\u{1b}[{};{}H", y + 1, x + 1),
        };
        let relative_move = self.cursor.and_then(|(from, row)| match x {
            0 if y == row + 1 => Some("\r\n".to_owned()),
            _ if y == row && x == from + 1 => Some("\u{1b}[C".to_owned()),
            _ if y == row && x > from => Some(format!("\u{1b}[{}C", x - from)),
            _ => None,
        });
        let shortest_move =
            relative_move.filter(|near| near.len() < absolute_move.len()).unwrap_or(absolute_move);
        match self
            .rewrite_cells_up_to(target, frame)
            .filter(|signs| signs.len() <= shortest_move.len())
        {
            Some(signs) => self.output.push_str(&signs),
            None => self.output.push_str(&shortest_move),
        }
        self.cursor = Some(target);
    }

    /// The cells between here and there, if they can be written again with the ink at hand.
    fn rewrite_cells_up_to(&self, (x, y): (u16, u16), frame: &Buffer) -> Option<String> {
        let (from, row) = self.cursor.filter(|(from, row)| *row == y && *from < x)?;
        let cells = (from..x).map(|x| &frame[(x, row)]);
        let mut signs = String::new();
        for cell in cells {
            let is_narrow = text::display_width(cell.symbol()) == 1;
            if !is_narrow || !self.matches_style(cell) {
                return None;
            }
            signs.push_str(cell.symbol());
        }
        Some(signs)
    }

    /// Whether a cell looks as it should with the ink at hand.
    fn matches_style(&self, cell: &Cell) -> bool {
        let cell_style = CellStyle::of(cell);
        let empty =
            cell.symbol() == " " && !cell_style.modifier.intersects(MODIFIERS_VISIBLE_ON_SPACE);
        let looks_empty = empty
            && !self.current_style.modifier.intersects(MODIFIERS_VISIBLE_ON_SPACE)
            && self.current_style.bg == cell_style.bg;
        looks_empty || self.current_style == cell_style
    }

    fn write_cell(&mut self, cell: &Cell) {
        if !self.matches_style(cell) {
            self.change_style(CellStyle::of(cell));
        }
        self.output.push_str(cell.symbol());
        let width = text::display_width(cell.symbol()).max(1) as u16;
        self.cursor = self.cursor.map(|(x, y)| (x + width, y));
    }

    fn change_style(&mut self, new_style: CellStyle) {
        let old_style = std::mem::replace(&mut self.current_style, new_style);
        let mut numbers: Vec<String> = Vec::new();
        // Some go off together, and those of them that stay are turned on again.
        let off_codes: Vec<&str> = MODIFIER_CODES
            .iter()
            .filter(|(modifier, ..)| (old_style.modifier - new_style.modifier).contains(*modifier))
            .map(|(_, _, off)| *off)
            .collect();
        for (modifier, on, off) in MODIFIER_CODES {
            if off_codes.contains(&off) && !numbers.iter().any(|number| number == off) {
                numbers.push(off.to_owned());
            }
            let stays_on = old_style.modifier.contains(modifier) && !off_codes.contains(&off);
            if new_style.modifier.contains(modifier) && !stays_on {
                numbers.push(on.to_owned());
            }
        }
        if old_style.fg != new_style.fg {
            numbers.push(colour_code(new_style.fg, 30));
        }
        if old_style.bg != new_style.bg {
            numbers.push(colour_code(new_style.bg, 40));
        }
        self.output.push_str(&format!("\u{1b}[{}m", numbers.join(";")));
    }

    /// Everything written, with the ink put away, so that nobody else writes with it.
    fn into_escape_text(mut self) -> String {
        if self.current_style != CellStyle::default() {
            self.output.push_str("\u{1b}[m");
        }
        self.output
    }
}

/// A colour as terminals number it: of what is written from 30 on, of what lies under it from 40 on.
fn colour_code(colour: Color, base_code: u8) -> String {
    let plain = |at: u8| (base_code + at).to_string();
    let bright = |at: u8| (base_code + 60 + at).to_string();
    match colour {
        Color::Reset => plain(9),
        Color::Black => plain(0),
        Color::Red => plain(1),
        Color::Green => plain(2),
        Color::Yellow => plain(3),
        Color::Blue => plain(4),
        Color::Magenta => plain(5),
        Color::Cyan => plain(6),
        Color::Gray => plain(7),
        Color::DarkGray => bright(0),
        Color::LightRed => bright(1),
        Color::LightGreen => bright(2),
        Color::LightYellow => bright(3),
        Color::LightBlue => bright(4),
        Color::LightMagenta => bright(5),
        Color::LightCyan => bright(6),
        Color::White => bright(7),
        Color::Indexed(index) => format!("{};5;{index}", base_code + 8),
        Color::Rgb(red, green, blue) => format!("{};2;{red};{green};{blue}", base_code + 8),
    }
}
