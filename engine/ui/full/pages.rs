//! The row of pages below the choices: each with its key, its name, and what it holds at a glance.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::super::wrap;
use super::screen::{Asked, Screen};
use super::sight::PageLine;
use super::theme::{Theme, styled};
use crate::kit::text;

/// Columns between two pages.
const BETWEEN: usize = 3;

/// The words of a page: its name and how much it holds, or all of that where there is room.
fn words(page: &PageLine, whole: bool) -> String {
    match whole {
        _ if page.only.is_some() => page.holds.clone(),
        true => format!("{}: {}", page.name, page.holds),
        false => format!("{} ({})", page.name, page.count),
    }
}

/// How wide a page is with its key.
fn width(page: &PageLine, whole: bool) -> usize {
    text::width(&words(page, whole)) + 2
}

/// Which pages stand in which row, and whether with all that they hold: as many as fit side by side.
pub(super) fn rows(pages: &[PageLine], columns: usize) -> Vec<(Vec<usize>, bool)> {
    let all = |whole| pages.iter().map(|page| width(page, whole) + BETWEEN).sum::<usize>();
    if pages.is_empty() {
        return Vec::new();
    }
    let room = columns.saturating_sub(1) + BETWEEN;
    if all(true) <= room {
        return vec![((0..pages.len()).collect(), true)];
    }
    let mut rows: Vec<(Vec<usize>, bool)> = Vec::new();
    let mut used = usize::MAX;
    for (at, page) in pages.iter().enumerate() {
        let more = width(page, false) + BETWEEN;
        match rows.last_mut().filter(|_| used + more <= room) {
            Some((row, _)) => {
                row.push(at);
                used += more;
            }
            None => {
                rows.push((vec![at], false));
                used = more;
            }
        }
    }
    rows
}

impl Screen {
    pub(super) fn draw_pages(&mut self, area: Rect, buf: &mut Buffer) {
        let columns = usize::from(area.width) - 2;
        let asked = &mut self.asked;
        let before = asked.sight.choices.len();
        let rows = rows(&asked.sight.pages, columns);
        for (y, (row, whole)) in (area.y..area.bottom()).zip(rows) {
            let mut x = area.x + 1;
            for at in row {
                let page = &asked.sight.pages[at];
                let focused = asked.focus == before + at;
                let style = if focused { self.theme.strong() } else { self.theme.plain() };
                let key = page.key.unwrap_or('·').to_string();
                let mark = if focused { ">" } else { " " };
                buf.set_line(x - 1, y, &styled(mark, style), 1);
                let line = Line::from(vec![
                    Span::styled(key, self.theme.strong()),
                    Span::styled(format!(" {}", words(page, whole)), style),
                ]);
                let room = area.right().saturating_sub(x);
                let taken = (width(page, whole) as u16).min(room);
                buf.set_line(x, y, &line, taken);
                asked.spots.push((Rect { x, y, width: taken, height: 1 }, before + at));
                x = x.saturating_add(taken + BETWEEN as u16).min(area.right());
            }
        }
    }
}

impl Asked {
    /// What is asked: the prompt's own words, or those of the page that is open.
    pub(super) fn question(&self) -> &str {
        self.sight.text.as_deref().unwrap_or(&self.prompt.text)
    }

    /// What the page in focus holds.
    pub(super) fn page_lines(&self, columns: usize, theme: Theme) -> Vec<Line<'static>> {
        let Some(page) = self.sight.page_of(self.focus) else { return Vec::new() };
        let holds = &self.sight.pages[page].holds;
        let lines = wrap::lines(holds, columns.max(1)).into_iter();
        lines.map(|line| styled(line, theme.quiet())).collect()
    }
}
