//! A page that lies over the screen until it is closed: the log, the sheet, a card, help.

use crossterm::event::KeyCode;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::super::{facts, wrap};
use super::keys::Hint;
use super::look::{Look, styled};
use super::sheet::{self, Density};
use super::story::Story;
use crate::kit::text;
use crate::play::View;
use crate::play::view::Card;

/// Lines are not drawn longer than this, since long lines are hard to read.
const MOST_COLUMNS: usize = 100;

/// A page that lies over the screen.
pub(super) struct Overlay {
    title: String,
    what: What,
    top: usize,
    lines: Vec<Line<'static>>,
    columns: usize,
    height: usize,
}

enum What {
    View(View),
    Card(Card),
    Log,
    Help(Vec<(String, &'static str)>),
}

impl Overlay {
    fn new(title: &str, what: What) -> Self {
        let title = title.to_owned();
        Self { title, what, top: 0, lines: Vec::new(), columns: 0, height: 1 }
    }

    /// A page that a game or the host wants read.
    pub(super) fn page(page: &View) -> Self {
        Self::new(&facts::line(&page.title), What::View(page.clone()))
    }

    /// Everything in the view.
    pub(super) fn sheet(view: &View) -> Self {
        Self::page(view)
    }

    /// A card looked at closely.
    pub(super) fn card(card: &Card) -> Self {
        let untitled = Card { title: String::new(), ..card.clone() };
        Self::new(&facts::line(&card.title), What::Card(untitled))
    }

    /// Everything told so far, at its end.
    pub(super) fn log() -> Self {
        Self { top: usize::MAX, ..Self::new("Everything told so far", What::Log) }
    }

    /// What can be done now.
    pub(super) fn help(hints: &[Hint]) -> Self {
        let hints = hints.iter().map(|hint| (hint.key.clone(), hint.does)).collect();
        Self::new("What can be done now", What::Help(hints))
    }

    /// Takes a key; whether the page closes.
    pub(super) fn press(&mut self, code: KeyCode) -> bool {
        let page = self.height.saturating_sub(1).max(1);
        match code {
            KeyCode::Down | KeyCode::Char('j') => self.top = self.top.saturating_add(1),
            KeyCode::Up | KeyCode::Char('k') => self.top = self.top.saturating_sub(1),
            KeyCode::PageDown | KeyCode::Char(' ') => self.top = self.top.saturating_add(page),
            KeyCode::PageUp => self.top = self.top.saturating_sub(page),
            KeyCode::Home => self.top = 0,
            KeyCode::End => self.top = usize::MAX,
            KeyCode::Esc | KeyCode::Enter => return true,
            KeyCode::Char('q' | 'x' | 'c' | 'm' | '?') => return true,
            _ => {}
        }
        false
    }

    pub(super) fn draw(&mut self, area: Rect, buf: &mut Buffer, story: &Story, look: Look) {
        let columns = usize::from(area.width).saturating_sub(2).clamp(1, MOST_COLUMNS);
        if columns != self.columns {
            self.lines = self.what.lines(columns, story, look);
            self.columns = columns;
        }
        let head = u16::from(area.height > 3);
        let foot = u16::from(area.height > 2);
        self.height = usize::from(area.height - head - foot);
        self.top = self.top.min(self.lines.len().saturating_sub(self.height));
        if head == 1 {
            let title = wrap::cut(&self.title, columns);
            buf.set_line(area.x + 1, area.y, &styled(title, look.heading()), area.width - 1);
        }
        for (row, line) in self.lines[self.top..].iter().take(self.height).enumerate() {
            buf.set_line(area.x + 1, area.y + head + row as u16, line, area.width.max(1) - 1);
        }
        if foot == 1 {
            let below = self.lines.len().saturating_sub(self.top + self.height);
            let more = match (self.top, below) {
                (0, 0) => String::new(),
                (above, below) => {
                    format!("   {above} lines above, {below} below: Up/Down, PgUp/PgDn")
                }
            };
            let foot = wrap::cut(&format!("Esc back{more}"), usize::from(area.width));
            buf.set_line(area.x, area.bottom() - 1, &styled(foot, look.quiet()), area.width);
        }
    }
}

impl What {
    fn lines(&self, columns: usize, story: &Story, look: Look) -> Vec<Line<'static>> {
        match self {
            Self::View(view) => sheet::lines(view.widgets.iter(), columns, Density::Spaced, look),
            Self::Card(card) => sheet::card_lines(card, columns, look),
            Self::Log => story.all_lines(columns, look),
            Self::Help(hints) => {
                let widest = hints.iter().map(|(key, _)| text::width(key)).max().unwrap_or(0);
                let line = |(key, does): &(String, &'static str)| {
                    let key = Span::styled(sheet::padded(key, widest), look.strong());
                    Line::from(vec![key, Span::raw(format!("  {does}"))])
                };
                hints.iter().map(line).collect()
            }
        }
    }
}
