//! Computes the output for a frame: only the cells that differ from the previous frame.

use std::io::{self, Write};

use ratatui::backend::{Backend, CrosstermBackend};
use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier};

/// The content of a terminal, and how it is changed into the next frame.
#[derive(Default)]
pub struct Painter {
    /// The last painted frame; `None` if the content of the terminal is unknown.
    previous_frame: Option<Buffer>,
}

impl Painter {
    /// Forgets what is shown, so that the next frame is painted whole.
    pub fn forget_frame(&mut self) {
        self.previous_frame = None;
    }

    /// Paints a frame, from the top left corner of the terminal.
    pub fn paint_changes(&mut self, mut frame: Buffer, out: &mut impl Write) -> io::Result<()> {
        // Bold and faint at once looks different on every terminal; faint is what is meant.
        let faint_cells =
            frame.content.iter_mut().filter(|cell| cell.modifier.contains(Modifier::DIM));
        faint_cells.for_each(|cell| cell.modifier.remove(Modifier::BOLD));
        let previous_frame = self.previous_frame.take().filter(|shown| shown.area == frame.area);
        let previous_frame = previous_frame.unwrap_or_else(|| unmatchable_frame(frame.area));
        let changes = previous_frame.diff(&frame);
        if !changes.is_empty() {
            // The palette decides about colours; the library would also look for `NO_COLOR`.
            crossterm::style::force_color_output(true);
            let mut backend = CrosstermBackend::new(out);
            backend.draw(changes.into_iter())?;
            Backend::flush(&mut backend)?;
        }
        self.previous_frame = Some(frame);
        Ok(())
    }
}

/// A frame that differs everywhere from any that is drawn.
fn unmatchable_frame(area: Rect) -> Buffer {
    let mut cell = Cell::new("\u{fffd}");
    cell.set_fg(Color::Rgb(1, 2, 3));
    Buffer::filled(area, cell)
}
