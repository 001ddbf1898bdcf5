//! The rows of submenus below the choices: each with its key, its name and a preview of its
//! choices.

use base::host_text;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::super::text_wrap;
use super::screen::{ActivePrompt, Screen};
use super::theme::{Theme, styled_line};
use super::visible_choices::SubmenuLine;
use base::text;

/// Columns between two submenus.
const SUBMENU_GAP: usize = 3;

/// How much of a submenu its row shows. No name is cut: a choice is shown in full, or not at all.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum SubmenuPreview {
    /// Only the number of choices.
    CountOnly,
    /// The first choices, each with its key, and how many more there are.
    FirstChoices(usize),
    /// The choices of a range; several rows together show all.
    ChoiceRange(usize, usize),
}

impl SubmenuPreview {
    /// How many choices are visible with a working key.
    fn visible_count(self) -> usize {
        match self {
            Self::CountOnly => 0,
            Self::FirstChoices(shown) | Self::ChoiceRange(_, shown) => shown,
        }
    }

    /// Whether all choices are visible.
    fn shows_all_of(self, submenu: &SubmenuLine) -> bool {
        self.visible_count() == submenu.submenu_entries.len()
    }
}

/// The text of a submenu.
fn submenu_text(submenu: &SubmenuLine, detail: SubmenuPreview) -> String {
    if submenu.single_choice.is_some() {
        return submenu.entry_labels();
    }
    let all = submenu.submenu_entries.len();
    let (from, end) = match detail {
        SubmenuPreview::CountOnly => return format!("{} ({all})", submenu.name),
        SubmenuPreview::FirstChoices(shown) => (0, shown),
        SubmenuPreview::ChoiceRange(from, to) => (from, to),
    };
    let labels: Vec<&str> = submenu.submenu_entries.iter().map(|one| &*one.label).collect();
    let each = submenu.submenu_entries.iter().take(end).skip(from).map(|one| {
        let words = one.bracket_if_disabled(&one.label[common_prefix_len(&one.label, &labels)..]);
        one.key.map_or(words.clone(), |key| format!("{key}) {words}"))
    });
    let mut each: Vec<String> = each.collect();
    match detail {
        SubmenuPreview::ChoiceRange(1.., end) if end < all => each.push(String::new()),
        SubmenuPreview::ChoiceRange(1.., _) => {}
        SubmenuPreview::ChoiceRange(..) => each.push(String::new()),
        _ if end < all => each.push(format!("… ({})", all - end)),
        _ => {}
    }
    let choices = each.join(", ");
    let choices = choices.trim_end();
    match from {
        0 => format!("{}: {choices}", submenu.name),
        _ => choices.to_owned(),
    }
}

/// The length of the whole words that a label shares with all but at most one of the others, as in
/// "The pack of ". They distinguish nothing.
fn common_prefix_len(label: &str, labels: &[&str]) -> usize {
    let ends = label.match_indices(' ').map(|(at, _)| at + 1);
    let count_alike =
        |at: usize| labels.iter().filter(|other| other.starts_with(&label[..at])).count();
    let first_word_count = count_alike(ends.clone().next().unwrap_or(0));
    if first_word_count < 2 || first_word_count + 1 < labels.len() {
        return 0;
    }
    ends.take_while(|at| count_alike(*at) == first_word_count).last().unwrap_or(0)
}

/// The width of a submenu with its key.
fn submenu_width(submenu: &SubmenuLine, detail: SubmenuPreview) -> usize {
    text::display_width(&submenu_text(submenu, detail)) + "k) ".len()
}

/// Arranges submenus in rows: as many side by side as fit, each with as large a preview as there is
/// room for. With more rows available, a submenu that is not shown in full gets rows of its own.
pub(super) fn arrange_rows(
    submenus: &[SubmenuLine],
    columns: usize,
    max_rows: usize,
) -> Vec<Vec<(usize, SubmenuPreview)>> {
    let pack_rows = |has_own_row: &[bool]| pack_rows(submenus, columns, has_own_row);
    let mut has_own_row = vec![false; submenus.len()];
    let mut rows = pack_rows(&has_own_row);
    for at in 0..submenus.len() {
        let is_incomplete =
            |(of, told): &(usize, SubmenuPreview)| *of == at && !told.shows_all_of(&submenus[at]);
        if rows.iter().flatten().any(is_incomplete) && submenus[at].single_choice.is_none() {
            has_own_row[at] = true;
            let rows_with_own = pack_rows(&has_own_row);
            has_own_row[at] = rows_with_own.len() <= max_rows;
            rows = if has_own_row[at] { rows_with_own } else { rows };
        }
    }
    let mut at = 0;
    while at < rows.len() && rows.len() < max_rows {
        if let Some(wrapped) = wrap_row(submenus, &rows[at], columns)
            && rows.len() + wrapped.len() - 1 <= max_rows
        {
            let row_count = wrapped.len();
            rows.splice(at..=at, wrapped);
            at += row_count - 1;
        }
        at += 1;
    }
    rows
}

/// The rows of a submenu with its own row, if one does not show all of it in full.
fn wrap_row(
    submenus: &[SubmenuLine],
    row: &[(usize, SubmenuPreview)],
    columns: usize,
) -> Option<Vec<Vec<(usize, SubmenuPreview)>>> {
    let [(at, preview @ SubmenuPreview::FirstChoices(..))] = *row else { return None };
    let (submenu, all) = (&submenus[at], submenus[at].submenu_entries.len());
    if preview.shows_all_of(submenu) {
        return None;
    }
    let fits = |from, to| submenu_width(submenu, SubmenuPreview::ChoiceRange(from, to)) < columns;
    let (mut rows, mut from) = (Vec::new(), 0);
    while from < all {
        // A choice that is too long even for a row of its own is cut there.
        let to = (from + 1..=all).rev().find(|to| fits(from, *to)).unwrap_or(from + 1);
        rows.push(vec![(at, SubmenuPreview::ChoiceRange(from, to))]);
        from = to;
    }
    Some(rows)
}

fn pack_rows(
    submenus: &[SubmenuLine],
    columns: usize,
    has_own_row: &[bool],
) -> Vec<Vec<(usize, SubmenuPreview)>> {
    let room = columns.saturating_sub(1) + SUBMENU_GAP;
    let mut rows: Vec<(usize, Vec<(usize, SubmenuPreview)>)> = Vec::new();
    for (at, page) in submenus.iter().enumerate() {
        let more = submenu_width(page, SubmenuPreview::CountOnly) + SUBMENU_GAP;
        let needs_new_row = has_own_row[at] || at > 0 && has_own_row[at - 1];
        match rows.last_mut().filter(|(used, _)| used + more <= room && !needs_new_row) {
            Some((used, row)) => {
                row.push((at, SubmenuPreview::CountOnly));
                *used += more;
            }
            None => rows.push((more, vec![(at, SubmenuPreview::CountOnly)])),
        }
    }
    for (used, row) in &mut rows {
        let stands_alone = row.len() == 1;
        for (at, preview) in row {
            let all = submenus[*at].submenu_entries.len();
            // Beside others, a part of a submenu helps nobody.
            let least = if stands_alone { 1 } else { all };
            for shown in least..=all {
                let larger = SubmenuPreview::FirstChoices(shown);
                let new_width = *used + submenu_width(&submenus[*at], larger)
                    - submenu_width(&submenus[*at], *preview);
                if new_width <= room {
                    (*used, *preview) = (new_width, larger);
                }
            }
        }
    }
    rows.into_iter().map(|(_, row)| row).collect()
}

impl Screen {
    pub(super) fn draw_submenus(&mut self, area: Rect, buf: &mut Buffer) {
        let columns = usize::from(area.width) - 2;
        let active_prompt = &mut self.active_prompt;
        let choice_count = active_prompt.visible_choices.choices.len();
        let rows = arrange_rows(
            &active_prompt.visible_choices.submenus,
            columns,
            usize::from(area.height),
        );
        active_prompt
            .visible_choices
            .submenus
            .iter_mut()
            .for_each(|page| page.visible_entry_count = 0);
        // If not all rows fit, the row of the focused submenu is visible.
        let in_focus = |row: &Vec<(usize, SubmenuPreview)>| {
            row.iter().any(|(at, _)| choice_count + at == active_prompt.focus)
        };
        let (all, height) = (rows.len(), usize::from(area.height));
        let first =
            rows.iter().position(in_focus).map_or(0, |row| (row + 1).saturating_sub(height));
        for (y, row) in (area.y..area.bottom()).zip(rows.into_iter().skip(first)) {
            let mut x = area.x + 1;
            for (at, told) in row {
                let submenu = &mut active_prompt.visible_choices.submenus[at];
                submenu.visible_entry_count = submenu.visible_entry_count.max(told.visible_count());
                let is_continuation = matches!(told, SubmenuPreview::ChoiceRange(1.., _));
                let focused = active_prompt.focus == choice_count + at && !is_continuation;
                let style =
                    if focused { self.theme.strong_style() } else { self.theme.text_style() };
                let (key, closing_mark) = match is_continuation {
                    true => (' ', ' '),
                    false => (submenu.key.unwrap_or('·'), ')'),
                };
                let mark = if focused { ">" } else { " " };
                buf.set_line(x - 1, y, &styled_line(mark, style), 1);
                let line = Line::from(vec![
                    Span::styled(key.to_string(), self.theme.strong_style()),
                    Span::styled(format!("{closing_mark} {}", submenu_text(submenu, told)), style),
                ]);
                let room = area.right().saturating_sub(x);
                let used_columns = (submenu_width(submenu, told) as u16).min(room);
                buf.set_line(x, y, &line, used_columns);
                active_prompt
                    .choice_hit_areas
                    .push((Rect { x, y, width: used_columns, height: 1 }, choice_count + at));
                x = x.saturating_add(used_columns + SUBMENU_GAP as u16).min(area.right());
            }
        }
        if all > height && height > 0 {
            let below = all.saturating_sub(first + height);
            let sign = match below {
                0 => host_text!(" {above} above ", above = first),
                _ => host_text!(" {below} below ", below = below),
            };
            let x = area.right().saturating_sub(text::display_width(&sign) as u16).max(area.x);
            buf.set_line(
                x,
                area.bottom() - 1,
                &styled_line(sign, self.theme.overlay_style()),
                area.width,
            );
        }
    }
}

impl ActivePrompt {
    /// The text of the prompt, or of the open submenu.
    pub(super) fn question_text(&self) -> &str {
        self.visible_choices.replacement_text.as_deref().unwrap_or(&self.prompt.text)
    }

    /// The choices of the focused submenu.
    pub(super) fn submenu_lines(&self, columns: usize, theme: Theme) -> Vec<Line<'static>> {
        let Some(submenu) = self.visible_choices.submenu_index_at_focus(self.focus) else {
            return Vec::new();
        };
        let lines = text_wrap::wrap_lines(
            &self.visible_choices.submenus[submenu].entry_labels(),
            columns.max(1),
        )
        .into_iter();
        lines.map(|line| styled_line(line, theme.quiet_style())).collect()
    }
}
