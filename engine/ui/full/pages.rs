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

/// How much a page's row tells of it: the least first.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Told {
    /// How much it holds.
    Count,
    /// The keys of what it holds.
    Keys,
    /// What it holds, with the keys.
    Whole,
}

/// The words of a page.
fn words(page: &PageLine, told: Told) -> String {
    let keys = || page.each.iter().filter_map(|(key, _)| *key).map(String::from);
    let each = page.each.iter().map(|(key, label)| match key {
        Some(key) => format!("{key} {label}"),
        None => label.clone(),
    });
    match told {
        _ if page.only.is_some() => page.holds(),
        Told::Whole => format!("{}: {}", page.name, each.collect::<Vec<_>>().join(", ")),
        Told::Keys if keys().count() == page.each.len() => {
            format!("{} ({})", page.name, keys().collect::<Vec<_>>().join(" "))
        }
        Told::Count | Told::Keys => format!("{} ({})", page.name, page.each.len()),
    }
}

/// How wide a page is with its key.
fn width(page: &PageLine, told: Told) -> usize {
    text::width(&words(page, told)) + 2
}

/// Which pages stand in which row, each with how much is told of it: as many as fit side by side, and
/// of as many of them as there is room for, from the first on, which keys are behind it and what for.
pub(super) fn rows(pages: &[PageLine], columns: usize) -> Vec<Vec<(usize, Told)>> {
    let room = columns.saturating_sub(1) + BETWEEN;
    let mut rows: Vec<(usize, Vec<(usize, Told)>)> = Vec::new();
    for (at, page) in pages.iter().enumerate() {
        let more = width(page, Told::Count) + BETWEEN;
        match rows.last_mut().filter(|(used, _)| used + more <= room) {
            Some((used, row)) => {
                row.push((at, Told::Count));
                *used += more;
            }
            None => rows.push((more, vec![(at, Told::Count)])),
        }
    }
    for (used, row) in &mut rows {
        for told in [Told::Keys, Told::Whole] {
            for (at, now) in row.iter_mut() {
                let with = *used + width(&pages[*at], told) - width(&pages[*at], *now);
                if with <= room {
                    (*used, *now) = (with, told);
                }
            }
        }
    }
    rows.into_iter().map(|(_, row)| row).collect()
}

impl Screen {
    pub(super) fn draw_pages(&mut self, area: Rect, buf: &mut Buffer) {
        let columns = usize::from(area.width) - 2;
        let asked = &mut self.asked;
        let before = asked.sight.choices.len();
        let rows = rows(&asked.sight.pages, columns);
        asked.sight.pages.iter_mut().for_each(|page| page.shown = false);
        // The row of the page in focus is in sight where not all are.
        let in_focus =
            |row: &Vec<(usize, Told)>| row.iter().any(|(at, _)| before + at == asked.focus);
        let (all, height) = (rows.len(), usize::from(area.height));
        let first =
            rows.iter().position(in_focus).map_or(0, |row| (row + 1).saturating_sub(height));
        for (y, row) in (area.y..area.bottom()).zip(rows.into_iter().skip(first)) {
            let mut x = area.x + 1;
            for (at, told) in row {
                let page = &mut asked.sight.pages[at];
                page.shown = told != Told::Count;
                let focused = asked.focus == before + at;
                let style = if focused { self.theme.strong() } else { self.theme.plain() };
                let key = page.key.unwrap_or('·').to_string();
                let mark = if focused { ">" } else { " " };
                buf.set_line(x - 1, y, &styled(mark, style), 1);
                let line = Line::from(vec![
                    Span::styled(key, self.theme.strong()),
                    Span::styled(format!(" {}", words(page, told)), style),
                ]);
                let room = area.right().saturating_sub(x);
                let taken = (width(page, told) as u16).min(room);
                buf.set_line(x, y, &line, taken);
                asked.spots.push((Rect { x, y, width: taken, height: 1 }, before + at));
                x = x.saturating_add(taken + BETWEEN as u16).min(area.right());
            }
        }
        if all > height && height > 0 {
            let below = all.saturating_sub(first + height);
            let sign =
                if below > 0 { format!(" {below} below ") } else { format!(" {first} above ") };
            let x = area.right().saturating_sub(text::width(&sign) as u16).max(area.x);
            buf.set_line(x, area.bottom() - 1, &styled(sign, self.theme.over()), area.width);
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
        let lines = wrap::lines(&self.sight.pages[page].holds(), columns.max(1)).into_iter();
        lines.map(|line| styled(line, theme.quiet())).collect()
    }
}
