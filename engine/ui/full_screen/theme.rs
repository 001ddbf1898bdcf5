//! The look of the full screen: styles and symbols. Every symbol is distinct by its shape; colour
//! only repeats the information.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};

use super::palette::{Palette, TextRole};
use base::text::StyledSpan;

/// A palette and a character set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Theme {
    /// The colours.
    pub palette: Palette,
    /// Whether only ASCII symbols are drawn. Letters of the game's texts stay as they are.
    pub ascii_only: bool,
}

/// The filled part of a gauge.
pub(super) const GAUGE_FILLED: &str = "█";
/// The empty part of a gauge.
pub(super) const GAUGE_EMPTY: &str = "░";
/// A remaining mark of a meter.
pub(super) const PIP_REMAINING: &str = "●";
/// A spent mark of a meter.
pub(super) const PIP_SPENT: &str = "○";
/// A horizontal line.
pub(super) const HORIZONTAL_LINE: &str = "─";
/// A vertical line below a horizontal one.
pub(super) const TEE_DOWN: &str = "┬";
/// A vertical line above a horizontal one.
pub(super) const TEE_UP: &str = "┴";
/// A vertical line.
pub(super) const VERTICAL_LINE: &str = "│";

/// The ASCII replacement of each symbol.
const ASCII_REPLACEMENTS: [(&str, &str); 25] = [
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
    pub fn from_palette(palette: Palette) -> Self {
        Self { palette, ascii_only: false }
    }

    pub(super) fn text_style(self) -> Style {
        self.palette.role_style(TextRole::Text)
    }

    pub(super) fn quiet_style(self) -> Style {
        self.palette.role_style(TextRole::Quiet)
    }

    pub(super) fn strong_style(self) -> Style {
        self.palette.role_style(TextRole::Strong)
    }

    pub(super) fn heading_style(self) -> Style {
        self.palette.role_style(TextRole::Heading)
    }

    pub(super) fn good_style(self) -> Style {
        self.palette.role_style(TextRole::Good)
    }

    pub(super) fn fair_style(self) -> Style {
        self.palette.role_style(TextRole::Fair)
    }

    pub(super) fn bad_style(self) -> Style {
        self.palette.role_style(TextRole::Bad)
    }

    /// The style of a text laid over the story or the choices.
    pub(super) fn overlay_style(self) -> Style {
        self.palette.background_style().add_modifier(Modifier::REVERSED)
    }

    /// The background style.
    pub(super) fn background_style(self) -> Style {
        self.palette.background_style()
    }

    /// The style of a tone given by a game.
    pub(super) fn tone_style(self, tone: &str) -> Style {
        match tone {
            "good" => self.good_style(),
            "fair" => self.fair_style(),
            "bad" => self.bad_style(),
            "quiet" | "poor" => self.quiet_style(),
            "strong" => self.strong_style(),
            _ => self.text_style(),
        }
    }

    /// The symbol of a band of odds: by its tone, or by its index if it has none.
    pub(super) fn band_symbol(self, tone: &str, index: usize) -> (&'static str, Style) {
        match (tone, index) {
            ("good", _) => ("█", self.good_style()),
            ("fair", _) => ("▓", self.fair_style()),
            ("poor", _) => ("░", self.quiet_style()),
            ("bad", _) => ("×", self.bad_style()),
            (_, 0) => ("█", self.text_style()),
            (_, 1) => ("▓", self.text_style()),
            (_, 2) => ("░", self.text_style()),
            _ => ("×", self.text_style()),
        }
    }

    /// Fills a part of a buffer with the background.
    pub(super) fn fill_background(self, area: Rect, buf: &mut Buffer) {
        buf.set_style(area, self.background_style());
    }

    /// Replaces symbols by ASCII, if wanted.
    pub(super) fn replace_with_ascii(self, area: Rect, buf: &mut Buffer) {
        if !self.ascii_only {
            return;
        }
        for position in area.positions() {
            let Some(cell) = buf.cell_mut(position) else { continue };
            if let Some((_, plain)) =
                ASCII_REPLACEMENTS.iter().find(|(sign, _)| *sign == cell.symbol())
            {
                cell.set_symbol(plain);
            }
        }
    }
}

/// A line in one style.
pub(super) fn styled_line(text: impl Into<String>, style: Style) -> Line<'static> {
    Line::from(Span::styled(text.into(), style))
}

/// Runs of marked text as a line; emphasised runs are also bold.
pub(super) fn styled_runs_line(prefix: &str, runs: Vec<StyledSpan>, style: Style) -> Line<'static> {
    let mut spans = vec![Span::styled(prefix.to_owned(), style)];
    spans.extend(runs.into_iter().map(|run| {
        let strong = if run.is_emphasized { Modifier::BOLD } else { Modifier::empty() };
        Span::styled(run.text, style.add_modifier(strong))
    }));
    spans.retain(|span| !span.content.is_empty());
    Line::from(spans)
}
