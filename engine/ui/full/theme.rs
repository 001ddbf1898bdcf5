//! The look of the full screen: styles and symbols. Every symbol is distinct by its shape; colour
//! only repeats the information.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};

use super::palette::{Palette, TextRole};
use crate::base::text::StyledRun;

/// A palette and a character set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Theme {
    /// The colours.
    pub palette: Palette,
    /// Whether only ASCII symbols are drawn. Letters of the game's texts stay as they are.
    pub ascii: bool,
}

/// The filled part of a gauge.
pub(super) const BAR_FULL: &str = "█";
/// The empty part of a gauge.
pub(super) const BAR_EMPTY: &str = "░";
/// A remaining mark of a meter.
pub(super) const MARK_LEFT: &str = "●";
/// A spent mark of a meter.
pub(super) const MARK_SPENT: &str = "○";
/// A horizontal line.
pub(super) const RULE: &str = "─";
/// A vertical line below a horizontal one.
pub(super) const CROSS_DOWN: &str = "┬";
/// A vertical line above a horizontal one.
pub(super) const CROSS_UP: &str = "┴";
/// A vertical line.
pub(super) const WALL: &str = "│";

/// The ASCII replacement of each symbol.
const ASCII_SIGNS: [(&str, &str); 25] = [
    ("█", "#"),
    ("▓", "+"),
    ("░", "-"),
    ("×", "x"),
    ("●", "*"),
    ("○", "."),
    ("─", "-"),
    ("┬", "+"),
    ("┴", "+"),
    ("│", "|"),
    ("├", "|"),
    ("└", "`"),
    ("┌", "."),
    ("┐", "."),
    ("┘", "'"),
    ("…", "~"),
    ("’", "'"),
    ("‘", "'"),
    ("“", "\""),
    ("”", "\""),
    ("—", "-"),
    ("–", "-"),
    ("−", "-"),
    ("·", "."),
    ("\u{a0}", " "),
];

impl Theme {
    /// A theme with all symbols.
    pub fn of(palette: Palette) -> Self {
        Self { palette, ascii: false }
    }

    pub(super) fn plain(self) -> Style {
        self.palette.style(TextRole::Text)
    }

    pub(super) fn quiet(self) -> Style {
        self.palette.style(TextRole::Quiet)
    }

    pub(super) fn strong(self) -> Style {
        self.palette.style(TextRole::Strong)
    }

    pub(super) fn heading(self) -> Style {
        self.palette.style(TextRole::Heading)
    }

    pub(super) fn good(self) -> Style {
        self.palette.style(TextRole::Good)
    }

    pub(super) fn fair(self) -> Style {
        self.palette.style(TextRole::Fair)
    }

    pub(super) fn bad(self) -> Style {
        self.palette.style(TextRole::Bad)
    }

    /// The style of a text laid over the story or the choices.
    pub(super) fn overlay(self) -> Style {
        self.palette.background().add_modifier(Modifier::REVERSED)
    }

    /// The background style.
    pub(super) fn background(self) -> Style {
        self.palette.background()
    }

    /// The style of a tone given by a game.
    pub(super) fn tone(self, tone: &str) -> Style {
        match tone {
            "good" => self.good(),
            "fair" => self.fair(),
            "bad" => self.bad(),
            "quiet" | "poor" => self.quiet(),
            "strong" => self.strong(),
            _ => self.plain(),
        }
    }

    /// The symbol of a band of odds: by its tone, or by its index if it has none.
    pub(super) fn band_sign(self, tone: &str, index: usize) -> (&'static str, Style) {
        match (tone, index) {
            ("good", _) => ("█", self.good()),
            ("fair", _) => ("▓", self.fair()),
            ("poor", _) => ("░", self.quiet()),
            ("bad", _) => ("×", self.bad()),
            (_, 0) => ("█", self.plain()),
            (_, 1) => ("▓", self.plain()),
            (_, 2) => ("░", self.plain()),
            _ => ("×", self.plain()),
        }
    }

    /// Fills a part of a buffer with the background.
    pub(super) fn fill_background(self, area: Rect, buf: &mut Buffer) {
        buf.set_style(area, self.background());
    }

    /// Replaces symbols by ASCII, if wanted.
    pub(super) fn replace_with_ascii(self, area: Rect, buf: &mut Buffer) {
        if !self.ascii {
            return;
        }
        for position in area.positions() {
            let Some(cell) = buf.cell_mut(position) else { continue };
            if let Some((_, plain)) = ASCII_SIGNS.iter().find(|(sign, _)| *sign == cell.symbol()) {
                cell.set_symbol(plain);
            }
        }
    }
}

/// A line in one style.
pub(super) fn styled(text: impl Into<String>, style: Style) -> Line<'static> {
    Line::from(Span::styled(text.into(), style))
}

/// Runs of marked text as a line; emphasised runs are also bold.
pub(super) fn run_line(lead: &str, runs: Vec<StyledRun>, style: Style) -> Line<'static> {
    let mut spans = vec![Span::styled(lead.to_owned(), style)];
    spans.extend(runs.into_iter().map(|run| {
        let strong = if run.strong { Modifier::BOLD } else { Modifier::empty() };
        Span::styled(run.text, style.add_modifier(strong))
    }));
    spans.retain(|span| !span.content.is_empty());
    Line::from(spans)
}
