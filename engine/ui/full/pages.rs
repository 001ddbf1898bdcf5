//! The rows of submenus below the choices: each with its key, its name and a preview of its
//! choices.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::super::wrap;
use super::screen::{Asked, Screen};
use super::sight::PageLine;
use super::theme::{Theme, styled};
use crate::kit::text;

/// Columns between two submenus.
const BETWEEN: usize = 3;

/// Widths of the previewed choices, the longest first.
const NAMES: [usize; 4] = [usize::MAX, 24, 16, 12];

/// How much of a submenu its row shows.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Told {
    /// Only the number of choices.
    Count,
    /// The first choices, each with its key and cut to a width, and how many more there are.
    First(usize, usize),
    /// The choices of a range, in full; two rows together show all.
    Part(usize, usize),
}

impl Told {
    /// How many choices are visible with a working key.
    fn shown(self) -> usize {
        match self {
            Self::Count => 0,
            Self::First(shown, _) | Self::Part(_, shown) => shown,
        }
    }
}

/// The text of a submenu.
fn words(page: &PageLine, told: Told) -> String {
    if page.only.is_some() {
        return page.holds();
    }
    let all = page.each.len();
    let (from, shown, columns) = match told {
        Told::Count => return format!("{} ({all})", page.name),
        Told::First(shown, columns) => (0, shown, columns),
        Told::Part(from, to) => (from, to, usize::MAX),
    };
    let labels: Vec<&str> = page.each.iter().map(|one| &*one.label).collect();
    let each = page.each.iter().take(shown).skip(from).map(|one| {
        let start = shared_start(&one.label, &labels);
        let words = one.marked(&wrap::cut(&one.label[start..], columns));
        one.key.map_or(words.clone(), |key| format!("{key} {words}"))
    });
    let mut each: Vec<String> = each.collect();
    match told {
        Told::Part(1.., _) => return each.join(", "),
        Told::Part(..) => each.push(String::new()),
        _ if shown < all => each.push(format!("… ({})", all - shown)),
        _ => {}
    }
    format!("{}: {}", page.name, each.join(", ")).trim_end().to_owned()
}

/// The length of the whole words that a label shares with all but at most one of the others, as in
/// "The pack of ". They distinguish nothing.
fn shared_start(label: &str, labels: &[&str]) -> usize {
    let ends = label.match_indices(' ').map(|(at, _)| at + 1);
    let alike = |at: usize| labels.iter().filter(|other| other.starts_with(&label[..at])).count();
    let begins = alike(ends.clone().next().unwrap_or(0));
    if begins < 2 || begins + 1 < labels.len() {
        return 0;
    }
    ends.take_while(|at| alike(*at) == begins).last().unwrap_or(0)
}

/// The width of a submenu with its key.
fn width(page: &PageLine, told: Told) -> usize {
    text::width(&words(page, told)) + 2
}

/// Arranges submenus in rows: as many side by side as fit, each with as large a preview as there is
/// room for. With more rows available, a submenu with an incomplete preview gets a row of its own.
pub(super) fn rows(pages: &[PageLine], columns: usize, most: usize) -> Vec<Vec<(usize, Told)>> {
    let mut alone = vec![false; pages.len()];
    let mut rows = packed(pages, columns, &alone);
    for at in 0..pages.len() {
        let told = |(of, told): &(usize, Told)| *of == at && told.shown() < pages[at].each.len();
        if rows.iter().flatten().any(told) && pages[at].only.is_none() {
            alone[at] = true;
            let wider = packed(pages, columns, &alone);
            alone[at] = wider.len() <= most;
            rows = if alone[at] { wider } else { rows };
        }
    }
    let mut at = 0;
    while at < rows.len() && rows.len() < most {
        if let Some((first, rest)) = halves(pages, &rows[at], columns) {
            rows.splice(at..=at, [vec![first], vec![rest]]);
            at += 1;
        }
        at += 1;
    }
    rows
}

/// Splits a submenu with its own row into two rows, if the preview is incomplete.
fn halves(
    pages: &[PageLine],
    row: &[(usize, Told)],
    columns: usize,
) -> Option<((usize, Told), (usize, Told))> {
    let [(at, Told::First(shown, _))] = *row else { return None };
    let (page, all) = (&pages[at], pages[at].each.len());
    if shown == all && words(page, Told::First(all, usize::MAX)) == words(page, row[0].1) {
        return None;
    }
    let room = columns.saturating_sub(1);
    let parts = (1..all).rev().map(|to| (Told::Part(0, to), Told::Part(to, all)));
    let fits =
        |(one, rest): &(Told, Told)| [one, rest].iter().all(|told| width(page, **told) <= room);
    parts.into_iter().find(fits).map(|(one, rest)| ((at, one), (at, rest)))
}

fn packed(pages: &[PageLine], columns: usize, alone: &[bool]) -> Vec<Vec<(usize, Told)>> {
    let room = columns.saturating_sub(1) + BETWEEN;
    let mut rows: Vec<(usize, Vec<(usize, Told)>)> = Vec::new();
    for (at, page) in pages.iter().enumerate() {
        let more = width(page, Told::Count) + BETWEEN;
        let apart = alone[at] || at > 0 && alone[at - 1];
        match rows.last_mut().filter(|(used, _)| used + more <= room && !apart) {
            Some((used, row)) => {
                row.push((at, Told::Count));
                *used += more;
            }
            None => rows.push((more, vec![(at, Told::Count)])),
        }
    }
    for (used, row) in &mut rows {
        // One submenu gets a full preview, with names as long as possible, before another gets a
        // partial one.
        for columns in NAMES {
            for (at, now) in row.iter_mut().filter(|(at, now)| now.shown() < pages[*at].each.len())
            {
                let all = pages[*at].each.len();
                let least = if columns == NAMES[NAMES.len() - 1] { now.shown() + 1 } else { all };
                for shown in least..=all {
                    let told = Told::First(shown, columns);
                    let with = *used + width(&pages[*at], told) - width(&pages[*at], *now);
                    if with <= room {
                        (*used, *now) = (with, told);
                    }
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
        let rows = rows(&asked.sight.pages, columns, usize::from(area.height));
        asked.sight.pages.iter_mut().for_each(|page| page.shown = 0);
        // If not all rows fit, the row of the focused submenu is visible.
        let in_focus =
            |row: &Vec<(usize, Told)>| row.iter().any(|(at, _)| before + at == asked.focus);
        let (all, height) = (rows.len(), usize::from(area.height));
        let first =
            rows.iter().position(in_focus).map_or(0, |row| (row + 1).saturating_sub(height));
        for (y, row) in (area.y..area.bottom()).zip(rows.into_iter().skip(first)) {
            let mut x = area.x + 1;
            for (at, told) in row {
                let page = &mut asked.sight.pages[at];
                page.shown = page.shown.max(told.shown());
                let further = matches!(told, Told::Part(1.., _));
                let focused = asked.focus == before + at && !further;
                let style = if focused { self.theme.strong() } else { self.theme.plain() };
                let key = if further { ' ' } else { page.key.unwrap_or('·') }.to_string();
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
    /// The text of the prompt, or of the open submenu.
    pub(super) fn question(&self) -> &str {
        self.sight.text.as_deref().unwrap_or(&self.prompt.text)
    }

    /// The choices of the focused submenu.
    pub(super) fn page_lines(&self, columns: usize, theme: Theme) -> Vec<Line<'static>> {
        let Some(page) = self.sight.page_of(self.focus) else { return Vec::new() };
        let lines = wrap::lines(&self.sight.pages[page].holds(), columns.max(1)).into_iter();
        lines.map(|line| styled(line, theme.quiet())).collect()
    }
}
