//! What goes to the terminal for a frame: what differs from the frame before and nothing else, in as
//! few bytes as can be had without tricks that only some terminals know. A slow line is a line too.

use std::io::{self, Write};

use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier};

use crate::base::text;

/// What a terminal shows, and how it is changed into what it is to show.
#[derive(Default)]
pub struct Painter {
    /// The frame that was painted last; nothing where what is shown is not known.
    shown: Option<Buffer>,
}

/// Modifiers that can be seen on an empty cell.
const SEEN_EMPTY: Modifier = Modifier::REVERSED.union(Modifier::UNDERLINED);
/// Modifiers with the numbers that turn them on and off. Two are turned off together.
const MODIFIERS: [(Modifier, &str, &str); 5] = [
    (Modifier::BOLD, "1", "22"),
    (Modifier::DIM, "2", "22"),
    (Modifier::ITALIC, "3", "23"),
    (Modifier::UNDERLINED, "4", "24"),
    (Modifier::REVERSED, "7", "27"),
];

impl Painter {
    /// Forgets what is shown, so that the next frame is painted whole.
    pub fn forget(&mut self) {
        self.shown = None;
    }

    /// Paints a frame, from the left upper corner of the terminal on.
    pub fn paint(&mut self, mut frame: Buffer, out: &mut impl Write) -> io::Result<()> {
        frame.content.iter_mut().for_each(settle);
        let known = self.shown.take().filter(|shown| shown.area == frame.area);
        let shown = known.unwrap_or_else(|| unknown(frame.area));
        let mut pen = Pen::default();
        for (x, y, cell) in shown.diff(&frame) {
            pen.go(x, y, &frame);
            pen.put(cell);
        }
        self.shown = Some(frame);
        out.write_all(pen.finish().as_bytes())?;
        out.flush()
    }
}

/// Brings what cannot be seen of a cell to one form, so that it never counts as a difference.
fn settle(cell: &mut Cell) {
    cell.modifier = MODIFIERS
        .iter()
        .fold(Modifier::empty(), |kept, (modifier, ..)| kept | (cell.modifier & *modifier));
    // Bold and faint at once looks different on every terminal; faint is what is meant.
    if cell.modifier.contains(Modifier::DIM) {
        cell.modifier.remove(Modifier::BOLD);
    }
    if cell.symbol() == " " && !cell.modifier.intersects(SEEN_EMPTY) {
        cell.fg = Color::Reset;
        cell.modifier = Modifier::empty();
    }
}

/// A frame that differs everywhere from any that is drawn.
fn unknown(area: Rect) -> Buffer {
    let mut cell = Cell::new("\u{fffd}");
    cell.set_fg(Color::Rgb(1, 2, 3));
    Buffer::filled(area, cell)
}

/// Where the terminal writes next and how, with what was written so far.
#[derive(Default)]
struct Pen {
    out: String,
    /// Where the next sign goes; not known at first, nor after the last column.
    at: Option<(u16, u16)>,
    ink: Ink,
}

#[derive(Clone, Copy, PartialEq, Eq)]
struct Ink {
    fg: Color,
    bg: Color,
    modifier: Modifier,
}

impl Default for Ink {
    fn default() -> Self {
        Self { fg: Color::Reset, bg: Color::Reset, modifier: Modifier::empty() }
    }
}

impl Ink {
    fn of(cell: &Cell) -> Self {
        Self { fg: cell.fg, bg: cell.bg, modifier: cell.modifier }
    }
}

impl Pen {
    /// Goes to a cell: over cells that stand as they are by writing them once more where that is
    /// the shortest way.
    fn go(&mut self, x: u16, y: u16, frame: &Buffer) {
        let to = (x, y);
        if self.at == Some(to) {
            return;
        }
        let far = match (x, y) {
            (0, 0) => "\u{1b}[H".to_owned(),
            (0, _) => format!("\u{1b}[{}H", y + 1),
            _ => format!("\u{1b}[{};{}H", y + 1, x + 1),
        };
        let near = self.at.and_then(|(from, row)| match x {
            0 if y == row + 1 => Some("\r\n".to_owned()),
            _ if y == row && x == from + 1 => Some("\u{1b}[C".to_owned()),
            _ if y == row && x > from => Some(format!("\u{1b}[{}C", x - from)),
            _ => None,
        });
        let way = near.filter(|near| near.len() < far.len()).unwrap_or(far);
        match self.rewrite_cells_up_to(to, frame).filter(|signs| signs.len() <= way.len()) {
            Some(signs) => self.out.push_str(&signs),
            None => self.out.push_str(&way),
        }
        self.at = Some(to);
    }

    /// The cells between here and there, if they can be written again with the ink at hand.
    fn rewrite_cells_up_to(&self, (x, y): (u16, u16), frame: &Buffer) -> Option<String> {
        let (from, row) = self.at.filter(|(from, row)| *row == y && *from < x)?;
        let cells = (from..x).map(|x| &frame[(x, row)]);
        let mut signs = String::new();
        for cell in cells {
            let narrow = text::width(cell.symbol()) == 1;
            if !narrow || !self.serves(cell) {
                return None;
            }
            signs.push_str(cell.symbol());
        }
        Some(signs)
    }

    /// Whether a cell looks as it should with the ink at hand.
    fn serves(&self, cell: &Cell) -> bool {
        let ink = Ink::of(cell);
        let empty = cell.symbol() == " " && !ink.modifier.intersects(SEEN_EMPTY);
        let as_empty = empty && !self.ink.modifier.intersects(SEEN_EMPTY) && self.ink.bg == ink.bg;
        as_empty || self.ink == ink
    }

    fn put(&mut self, cell: &Cell) {
        if !self.serves(cell) {
            self.change_ink(Ink::of(cell));
        }
        self.out.push_str(cell.symbol());
        let width = text::width(cell.symbol()).max(1) as u16;
        self.at = self.at.map(|(x, y)| (x + width, y));
    }

    fn change_ink(&mut self, to: Ink) {
        let from = std::mem::replace(&mut self.ink, to);
        let mut numbers: Vec<String> = Vec::new();
        // Some go off together, and those of them that stay are turned on again.
        let gone: Vec<&str> = MODIFIERS
            .iter()
            .filter(|(modifier, ..)| (from.modifier - to.modifier).contains(*modifier))
            .map(|(_, _, off)| *off)
            .collect();
        for (modifier, on, off) in MODIFIERS {
            if gone.contains(&off) && !numbers.iter().any(|number| number == off) {
                numbers.push(off.to_owned());
            }
            let lit = from.modifier.contains(modifier) && !gone.contains(&off);
            if to.modifier.contains(modifier) && !lit {
                numbers.push(on.to_owned());
            }
        }
        if from.fg != to.fg {
            numbers.push(number(to.fg, 30));
        }
        if from.bg != to.bg {
            numbers.push(number(to.bg, 40));
        }
        self.out.push_str(&format!("\u{1b}[{}m", numbers.join(";")));
    }

    /// Everything written, with the ink put away, so that nobody else writes with it.
    fn finish(mut self) -> String {
        if self.ink != Ink::default() {
            self.out.push_str("\u{1b}[m");
        }
        self.out
    }
}

/// A colour as terminals number it: of what is written from 30 on, of what lies under it from 40 on.
fn number(colour: Color, from: u8) -> String {
    let plain = |at: u8| (from + at).to_string();
    let bright = |at: u8| (from + 60 + at).to_string();
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
        Color::Indexed(index) => format!("{};5;{index}", from + 8),
        Color::Rgb(red, green, blue) => format!("{};2;{red};{green};{blue}", from + 8),
    }
}
