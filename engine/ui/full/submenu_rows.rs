//! The rows of submenus below the choices: each with its key, its name and a preview of its
//! choices.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::super::wrap;
use super::screen::{ActivePrompt, Screen};
use super::theme::{Theme, styled};
use super::visible_choices::SubmenuLine;
use crate::base::text;

/// Columns between two submenus.
const GAP: usize = 3;

/// Widths of the previewed choices, the longest first.
const NAME_WIDTHS: [usize; 4] = [usize::MAX, 24, 16, 12];

/// How much of a submenu its row shows.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum SubmenuDetail {
    /// Only the number of choices.
    Count,
    /// The first choices, each with its key and cut to a width, and how many more there are.
    First(usize, usize),
    /// The choices of a range, in full; two rows together show all.
    Range(usize, usize),
}

impl SubmenuDetail {
    /// How many choices are visible with a working key.
    fn visible_count(self) -> usize {
        match self {
            Self::Count => 0,
            Self::First(shown, _) | Self::Range(_, shown) => shown,
        }
    }
}

/// The text of a submenu.
fn row_text(page: &SubmenuLine, told: SubmenuDetail) -> String {
    if page.single_choice.is_some() {
        return page.entry_list();
    }
    let all = page.entries.len();
    let (from, shown, columns) = match told {
        SubmenuDetail::Count => return format!("{} ({all})", page.name),
        SubmenuDetail::First(shown, columns) => (0, shown, columns),
        SubmenuDetail::Range(from, to) => (from, to, usize::MAX),
    };
    let labels: Vec<&str> = page.entries.iter().map(|one| &*one.label).collect();
    let each = page.entries.iter().take(shown).skip(from).map(|one| {
        let start = common_prefix_len(&one.label, &labels);
        let words = one.mark_disabled(&wrap::truncate(&one.label[start..], columns));
        one.key.map_or(words.clone(), |key| format!("{key} {words}"))
    });
    let mut each: Vec<String> = each.collect();
    match told {
        SubmenuDetail::Range(1.., _) => return each.join(", "),
        SubmenuDetail::Range(..) => each.push(String::new()),
        _ if shown < all => each.push(format!("… ({})", all - shown)),
        _ => {}
    }
    format!("{}: {}", page.name, each.join(", ")).trim_end().to_owned()
}

/// The length of the whole words that a label shares with all but at most one of the others, as in
/// "The pack of ". They distinguish nothing.
fn common_prefix_len(label: &str, labels: &[&str]) -> usize {
    let ends = label.match_indices(' ').map(|(at, _)| at + 1);
    let alike = |at: usize| labels.iter().filter(|other| other.starts_with(&label[..at])).count();
    let begins = alike(ends.clone().next().unwrap_or(0));
    if begins < 2 || begins + 1 < labels.len() {
        return 0;
    }
    ends.take_while(|at| alike(*at) == begins).last().unwrap_or(0)
}

/// The width of a submenu with its key.
fn entry_width(page: &SubmenuLine, told: SubmenuDetail) -> usize {
    text::width(&row_text(page, told)) + 2
}

/// Arranges submenus in rows: as many side by side as fit, each with as large a preview as there is
/// room for. With more rows available, a submenu with an incomplete preview gets a row of its own.
pub(super) fn arrange_rows(
    pages: &[SubmenuLine],
    columns: usize,
    most: usize,
) -> Vec<Vec<(usize, SubmenuDetail)>> {
    let mut alone = vec![false; pages.len()];
    let mut rows = pack_rows(pages, columns, &alone);
    for at in 0..pages.len() {
        let told = |(of, told): &(usize, SubmenuDetail)| {
            *of == at && told.visible_count() < pages[at].entries.len()
        };
        if rows.iter().flatten().any(told) && pages[at].single_choice.is_none() {
            alone[at] = true;
            let wider = pack_rows(pages, columns, &alone);
            alone[at] = wider.len() <= most;
            rows = if alone[at] { wider } else { rows };
        }
    }
    let mut at = 0;
    while at < rows.len() && rows.len() < most {
        if let Some((first, rest)) = split_into_two_rows(pages, &rows[at], columns) {
            rows.splice(at..=at, [vec![first], vec![rest]]);
            at += 1;
        }
        at += 1;
    }
    rows
}

/// Splits a submenu with its own row into two rows, if the preview is incomplete.
fn split_into_two_rows(
    pages: &[SubmenuLine],
    row: &[(usize, SubmenuDetail)],
    columns: usize,
) -> Option<((usize, SubmenuDetail), (usize, SubmenuDetail))> {
    let [(at, SubmenuDetail::First(shown, _))] = *row else { return None };
    let (page, all) = (&pages[at], pages[at].entries.len());
    if shown == all
        && row_text(page, SubmenuDetail::First(all, usize::MAX)) == row_text(page, row[0].1)
    {
        return None;
    }
    let room = columns.saturating_sub(1);
    let parts =
        (1..all).rev().map(|to| (SubmenuDetail::Range(0, to), SubmenuDetail::Range(to, all)));
    let fits = |(one, rest): &(SubmenuDetail, SubmenuDetail)| {
        [one, rest].iter().all(|told| entry_width(page, **told) <= room)
    };
    parts.into_iter().find(fits).map(|(one, rest)| ((at, one), (at, rest)))
}

fn pack_rows(
    pages: &[SubmenuLine],
    columns: usize,
    alone: &[bool],
) -> Vec<Vec<(usize, SubmenuDetail)>> {
    let room = columns.saturating_sub(1) + GAP;
    let mut rows: Vec<(usize, Vec<(usize, SubmenuDetail)>)> = Vec::new();
    for (at, page) in pages.iter().enumerate() {
        let more = entry_width(page, SubmenuDetail::Count) + GAP;
        let apart = alone[at] || at > 0 && alone[at - 1];
        match rows.last_mut().filter(|(used, _)| used + more <= room && !apart) {
            Some((used, row)) => {
                row.push((at, SubmenuDetail::Count));
                *used += more;
            }
            None => rows.push((more, vec![(at, SubmenuDetail::Count)])),
        }
    }
    for (used, row) in &mut rows {
        // One submenu gets a full preview, with names as long as possible, before another gets a
        // partial one.
        for columns in NAME_WIDTHS {
            for (at, now) in
                row.iter_mut().filter(|(at, now)| now.visible_count() < pages[*at].entries.len())
            {
                let all = pages[*at].entries.len();
                let least = if columns == NAME_WIDTHS[NAME_WIDTHS.len() - 1] {
                    now.visible_count() + 1
                } else {
                    all
                };
                for shown in least..=all {
                    let told = SubmenuDetail::First(shown, columns);
                    let with =
                        *used + entry_width(&pages[*at], told) - entry_width(&pages[*at], *now);
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
    pub(super) fn draw_submenus(&mut self, area: Rect, buf: &mut Buffer) {
        let columns = usize::from(area.width) - 2;
        let asked = &mut self.active;
        let before = asked.visible.choices.len();
        let rows = arrange_rows(&asked.visible.submenus, columns, usize::from(area.height));
        asked.visible.submenus.iter_mut().for_each(|page| page.visible_entries = 0);
        // If not all rows fit, the row of the focused submenu is visible.
        let in_focus = |row: &Vec<(usize, SubmenuDetail)>| {
            row.iter().any(|(at, _)| before + at == asked.focus)
        };
        let (all, height) = (rows.len(), usize::from(area.height));
        let first =
            rows.iter().position(in_focus).map_or(0, |row| (row + 1).saturating_sub(height));
        for (y, row) in (area.y..area.bottom()).zip(rows.into_iter().skip(first)) {
            let mut x = area.x + 1;
            for (at, told) in row {
                let page = &mut asked.visible.submenus[at];
                page.visible_entries = page.visible_entries.max(told.visible_count());
                let further = matches!(told, SubmenuDetail::Range(1.., _));
                let focused = asked.focus == before + at && !further;
                let style = if focused { self.theme.strong() } else { self.theme.plain() };
                let key = if further { ' ' } else { page.key.unwrap_or('·') }.to_string();
                let mark = if focused { ">" } else { " " };
                buf.set_line(x - 1, y, &styled(mark, style), 1);
                let line = Line::from(vec![
                    Span::styled(key, self.theme.strong()),
                    Span::styled(format!(" {}", row_text(page, told)), style),
                ]);
                let room = area.right().saturating_sub(x);
                let taken = (entry_width(page, told) as u16).min(room);
                buf.set_line(x, y, &line, taken);
                asked.hit_areas.push((Rect { x, y, width: taken, height: 1 }, before + at));
                x = x.saturating_add(taken + GAP as u16).min(area.right());
            }
        }
        if all > height && height > 0 {
            let below = all.saturating_sub(first + height);
            let sign =
                if below > 0 { format!(" {below} below ") } else { format!(" {first} above ") };
            let x = area.right().saturating_sub(text::width(&sign) as u16).max(area.x);
            buf.set_line(x, area.bottom() - 1, &styled(sign, self.theme.overlay()), area.width);
        }
    }
}

impl ActivePrompt {
    /// The text of the prompt, or of the open submenu.
    pub(super) fn question_text(&self) -> &str {
        self.visible.text.as_deref().unwrap_or(&self.prompt.text)
    }

    /// The choices of the focused submenu.
    pub(super) fn submenu_lines(&self, columns: usize, theme: Theme) -> Vec<Line<'static>> {
        let Some(page) = self.visible.submenu_at(self.focus) else { return Vec::new() };
        let lines =
            wrap::lines(&self.visible.submenus[page].entry_list(), columns.max(1)).into_iter();
        lines.map(|line| styled(line, theme.quiet())).collect()
    }
}
