//! How things look on the full screen: styles and the few signs that are drawn. Every sign tells
//! its fact by its shape; colour only repeats it.

use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};

use crate::kit::text::Run;

/// The choice of styles.
#[derive(Clone, Copy, Debug)]
pub struct Look {
    /// Whether colours are used at all.
    pub colour: bool,
}

/// The full part of a gauge.
pub(super) const BAR_FULL: &str = "█";
/// The empty part of a gauge.
pub(super) const BAR_EMPTY: &str = "░";
/// A mark of a meter that is left.
pub(super) const MARK_LEFT: &str = "●";
/// A mark of a meter that is spent.
pub(super) const MARK_SPENT: &str = "○";
/// A line across.
pub(super) const RULE: &str = "─";
/// Where a line down hangs from a line across.
pub(super) const CROSS_DOWN: &str = "┬";
/// Where a line down stands on a line across.
pub(super) const CROSS_UP: &str = "┴";
/// A line down.
pub(super) const WALL: &str = "│";

impl Look {
    fn coloured(self, colour: Color) -> Style {
        if self.colour { Style::new().fg(colour) } else { Style::new() }
    }

    pub(super) fn plain(self) -> Style {
        Style::new()
    }

    pub(super) fn quiet(self) -> Style {
        Style::new().add_modifier(Modifier::DIM)
    }

    pub(super) fn strong(self) -> Style {
        Style::new().add_modifier(Modifier::BOLD)
    }

    pub(super) fn heading(self) -> Style {
        self.coloured(Color::Yellow).add_modifier(Modifier::BOLD)
    }

    pub(super) fn good(self) -> Style {
        self.coloured(Color::Green)
    }

    pub(super) fn fair(self) -> Style {
        self.coloured(Color::Yellow)
    }

    pub(super) fn bad(self) -> Style {
        self.coloured(Color::Red)
    }

    /// The style of a tone that a game gave.
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

    /// The sign of a band of odds: by its tone, or by its place where it has none.
    pub(super) fn band(self, tone: &str, index: usize) -> (&'static str, Style) {
        match (tone, index) {
            ("good", _) => ("█", self.good()),
            ("fair", _) => ("▓", self.fair()),
            ("poor", _) => ("░", self.plain()),
            ("bad", _) => ("×", self.bad()),
            (_, 0) => ("█", self.plain()),
            (_, 1) => ("▓", self.plain()),
            (_, 2) => ("░", self.plain()),
            _ => ("×", self.plain()),
        }
    }
}

/// A line in one style.
pub(super) fn styled(text: impl Into<String>, style: Style) -> Line<'static> {
    Line::from(Span::styled(text.into(), style))
}

/// Runs of marked text as a line; what is emphasised is bold besides.
pub(super) fn run_line(lead: &str, runs: Vec<Run>, style: Style) -> Line<'static> {
    let mut spans = vec![Span::styled(lead.to_owned(), style)];
    spans.extend(runs.into_iter().map(|run| {
        let strong = if run.strong { Modifier::BOLD } else { Modifier::empty() };
        Span::styled(run.text, style.add_modifier(strong))
    }));
    spans.retain(|span| !span.content.is_empty());
    Line::from(spans)
}
