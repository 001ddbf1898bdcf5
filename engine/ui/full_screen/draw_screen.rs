//! Draws one frame: the top line, the story beside the sheet, the question, the key line. At 80
//! columns and 24 rows everything needed for a decision is visible. Smaller windows drop the sheet
//! column first and say which key shows it.

use base::host_text;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::super::text_wrap;
use super::key_hint::KeyHint;
use super::key_hints::HELP_ONLY_DROP_ORDER;
use super::keymap::KeyAction;
use super::reading_state::ReadingState;
use super::screen::Screen;
use super::theme::{HORIZONTAL_LINE, TEE_DOWN, TEE_UP, VERTICAL_LINE, styled_line};
use super::top_line::is_gauge;
use super::widget_lines::{self, Density};
use base::text;
use protocol::AnswerType;
use protocol::view::{PlacedWidget, Widget, WidgetSlot};

/// The columns and rows of the smallest window that can be drawn.
pub const MIN_WINDOW_SIZE: (u16, u16) = (40, 12);
/// From this height on the top line is a rule.
const TOP_RULE_MIN_ROWS: u16 = 20;
/// From this width on the sheet has its own column.
pub(super) const SHEET_MIN_COLUMNS: u16 = 64;
/// From this width on the "more" widgets have a column too.
const OPTIONAL_COLUMN_MIN_COLUMNS: u16 = 112;
/// The widest story line, because long lines are hard to read.
const MAX_STORY_COLUMNS: u16 = 90;
/// The widest sheet column.
const MAX_SHEET_COLUMNS: u16 = 44;

impl Screen {
    /// Draws the whole screen into a part of a buffer.
    pub fn draw_into(&mut self, area: Rect, buf: &mut Buffer) {
        self.theme.fill_background(area, buf);
        self.draw_without_ascii_replacement(area, buf);
        self.theme.replace_with_ascii(area, buf);
    }

    fn draw_without_ascii_replacement(&mut self, area: Rect, buf: &mut Buffer) {
        self.caret.set(None);
        if area.width < MIN_WINDOW_SIZE.0 || area.height < MIN_WINDOW_SIZE.1 {
            return draw_too_small_notice(area, buf);
        }
        if let Some(overlay) = &mut self.overlay {
            overlay.draw(area, buf, &self.story, self.theme, &self.keymap);
            return self.caret.set(overlay.caret(area));
        }
        self.draw_top_line(row_rect(area, 0), area.height >= TOP_RULE_MIN_ROWS, buf);
        let middle = Rect { y: area.y + 1, height: area.height - 2, ..area };
        let form = self.form_height(middle);
        // What was read is told, and the question grows over it.
        let newest_rows = match self.active_prompt.reading_state {
            ReadingState::ReadFirst => 0,
            _ => self.newest_step_rows(area.width),
        };
        let question = Rect { height: middle.height - form, ..middle };
        let opened = self.lay_out_question(question, 0);
        let parts = self.lay_out_question(question, u16::try_from(newest_rows).unwrap_or(u16::MAX));
        let height = parts.total_rows().min(middle.height - form);
        let own_row = usize::from(self.has_one_line_sheet(area.width));
        let story_rows = |rows: u16| {
            usize::from((middle.height - form).saturating_sub(rows)).saturating_sub(own_row)
        };
        let rows = (story_rows(height), story_rows(opened.total_rows()));
        self.close_question_while_reading(newest_rows, rows);
        self.draw_key_line(row_rect(area, area.height - 1), buf);
        if self.is_question_closed() {
            return self.draw_story_alone(middle, buf);
        }
        self.draw_question(Rect { y: middle.bottom() - height, height, ..middle }, &parts, buf);
        let height = height + form;
        self.draw_form(Rect { y: middle.bottom() - height, height: form, ..middle }, buf);
        self.draw_story(Rect { height: middle.height - height, ..middle }, buf);
    }

    /// Draws the keys that work now, as many as fit.
    fn draw_key_line(&self, area: Rect, buf: &mut Buffer) {
        if let Some(line) = &self.console_line {
            let room = usize::from(area.width).saturating_sub(3);
            let skipped = text::display_width(line).saturating_sub(room);
            let visible_text: String = line.chars().skip(skipped).collect();
            let x = area.x + 1 + text::display_width(&visible_text) as u16;
            self.caret.set(Some(Position { x: x.min(area.right() - 1), y: area.y }));
            buf.set_line(area.x, area.y, &Line::from(format!(":{visible_text}_")), area.width);
            return;
        }
        let hints = self.key_hints();
        let mut visible_hints: Vec<&KeyHint> =
            hints.iter().filter(|hint| hint.drop_order < HELP_ONLY_DROP_ORDER).collect();
        let width =
            |hint: &KeyHint| text::display_width(&hint.key) + text::display_width(&hint.label) + 3;
        while visible_hints.iter().map(|hint| width(hint)).sum::<usize>()
            > usize::from(area.width) + 1
        {
            let least = visible_hints.iter().map(|hint| hint.drop_order).max();
            visible_hints.retain(|hint| Some(hint.drop_order) != least);
        }
        let mut spans = vec![Span::raw(" ")];
        for hint in visible_hints {
            spans.push(Span::styled(hint.key.clone(), self.theme.strong_style()));
            spans.push(Span::styled(format!(" {}  ", hint.label), self.theme.quiet_style()));
        }
        buf.set_line(area.x, area.y, &Line::from(spans), area.width);
    }

    /// Draws the story with the sheet beside it or in one line above it. In a wide window the
    /// "more" widgets have their own column.
    pub(super) fn draw_story(&mut self, area: Rect, buf: &mut Buffer) {
        let mut story = area;
        let widths = self.column_widths(area.width);
        if let [more, sheet] = widths[..] {
            let column_area = self.split_off_column(&mut story, more, buf);
            self.draw_optional_widgets(column_area, buf);
            let column_area = self.split_off_column(&mut story, sheet, buf);
            self.draw_sheet(column_area, &[WidgetSlot::Sheet], buf);
        } else if let [columns] = widths[..] {
            let column_area = self.split_off_column(&mut story, columns, buf);
            self.draw_sheet(column_area, &[WidgetSlot::Sheet, WidgetSlot::Optional], buf);
        } else if self.has_one_line_sheet(area.width) && area.height > 1 {
            self.draw_one_line_sheet(row_rect(area, 0), buf);
            story = Rect { y: area.y + 1, height: area.height - 1, ..area };
        }
        let inner = Rect { x: story.x + 1, width: story_line_columns(story.width), ..story };
        let scroll_key = self.keymap.key_text(
            if self.active_prompt.prompt.answer_type == AnswerType::SingleChoice {
                KeyAction::TakeChoice
            } else {
                KeyAction::ToggleMark
            },
        );
        self.story.draw(inner, buf, self.theme, &scroll_key);
    }

    /// Whether quantities stand in one line above the story.
    fn has_one_line_sheet(&self, width: u16) -> bool {
        let top =
            |placed: &PlacedWidget| placed.slot == WidgetSlot::Top && is_gauge(&placed.widget);
        let has_top_gauge = self.active_prompt.view.widgets.iter().any(top);
        width < SHEET_MIN_COLUMNS && (self.has_slot(WidgetSlot::Sheet) || has_top_gauge)
    }

    fn has_slot(&self, slot: WidgetSlot) -> bool {
        self.active_prompt.view.widgets.iter().any(|placed| placed.slot == slot)
    }

    /// The widths of the columns beside the story, from the right.
    fn column_widths(&self, width: u16) -> Vec<u16> {
        let has_both = self.has_slot(WidgetSlot::Sheet) && self.has_slot(WidgetSlot::Optional);
        if width < OPTIONAL_COLUMN_MIN_COLUMNS || !has_both {
            return self.sheet_columns(width).into_iter().collect();
        }
        let columns = 28 + (width - OPTIONAL_COLUMN_MIN_COLUMNS) / 4;
        // The columns beside the longest story lines.
        let spare_columns = width.saturating_sub(MAX_STORY_COLUMNS + MAX_SHEET_COLUMNS + 4);
        vec![(columns + 6).min(spare_columns.clamp(60, 110)), columns.min(MAX_SHEET_COLUMNS)]
    }

    /// The rows of the newest step in a window of this width.
    pub(super) fn newest_step_rows(&mut self, width: u16) -> usize {
        let columns = self.column_widths(width).iter().map(|columns| columns + 1).sum();
        let columns = story_line_columns(width.saturating_sub(columns).max(3));
        self.story.newest_step_rows(usize::from(columns), self.theme)
    }

    /// The width of the sheet column, if there is one.
    fn sheet_columns(&self, width: u16) -> Option<u16> {
        let sheet =
            self.active_prompt.view.widgets.iter().any(|placed| placed.slot == WidgetSlot::Sheet);
        let columns = if width >= 100 { 34 } else { 28 };
        (sheet && width >= SHEET_MIN_COLUMNS).then_some(columns)
    }

    /// The width of the sheet column with its border, if it is the only one.
    pub(super) fn bordered_sheet_columns(&self, width: u16) -> Option<usize> {
        let columns = self.sheet_columns(width).filter(|_| width < OPTIONAL_COLUMN_MIN_COLUMNS)?;
        Some(usize::from(columns) + 2)
    }

    /// Splits a column off the right side of the story, with a border.
    fn split_off_column(&self, story: &mut Rect, columns: u16, buf: &mut Buffer) -> Rect {
        story.width -= columns + 1;
        let wall = story.right();
        for y in story.y..story.bottom() {
            buf.set_line(wall, y, &styled_line(VERTICAL_LINE, self.theme.quiet_style()), 1);
        }
        // The border meets the rules above and below.
        let joint = |sign| styled_line(sign, self.theme.quiet_style());
        if story.y > buf.area.y && buf[(wall, story.y - 1)].symbol() == HORIZONTAL_LINE {
            buf.set_line(wall, story.y - 1, &joint(TEE_DOWN), 1);
        }
        if buf[(wall, story.bottom())].symbol() == HORIZONTAL_LINE {
            buf.set_line(wall, story.bottom(), &joint(TEE_UP), 1);
        }
        Rect { x: wall + 2, width: columns - 2, ..*story }
    }

    /// Draws the sheet column; with the "more" widgets if all of them fit.
    fn draw_sheet(&self, area: Rect, slots: &[WidgetSlot], buf: &mut Buffer) {
        let widgets = &self.active_prompt.view.widgets;
        let columns = usize::from(area.width);
        let height = usize::from(area.height);
        let sheet = [WidgetSlot::Sheet];
        let candidates = [
            (slots, Density::Spaced),
            (&sheet, Density::Spaced),
            (&sheet, Density::Compact),
            (&sheet, Density::CompactShortNotes),
            (&sheet, Density::CompactWithoutNotes),
            (&sheet, Density::OneLinePerItem),
        ];
        let lay_out_slots = |(places, density): (&[WidgetSlot], Density)| {
            let widgets = widgets.iter().filter(|placed| places.contains(&placed.slot));
            widget_lines::widgets_to_lines(widgets, columns, density, self.theme)
        };
        // At a place, rows keep theirs: what had to stand closer does not spread again.
        let place = (self.active_prompt.view.title.clone(), columns);
        let mut sheet_density = self.sheet_density.borrow_mut();
        let first = if sheet_density.0 == place { sheet_density.1 } else { 0 };
        let last = candidates.len() - 1;
        let fits = |at: &usize| lay_out_slots(candidates[*at]).len() <= height;
        let chosen = (first..last).find(fits).unwrap_or(last);
        *sheet_density = (place, chosen);
        let lines = lay_out_slots(candidates[chosen]);
        self.draw_column(area, &lines, buf);
    }

    /// Draws the "more" widgets: cards, then maps, then the rest.
    fn draw_optional_widgets(&self, area: Rect, buf: &mut Buffer) {
        let rank = |placed: &&PlacedWidget| match placed.widget {
            Widget::Card(_) => 0,
            Widget::Map { .. } => 1,
            _ => 2,
        };
        let optional_widgets = self
            .active_prompt
            .view
            .widgets
            .iter()
            .filter(|placed| placed.slot == WidgetSlot::Optional);
        let mut optional_widgets: Vec<&PlacedWidget> = optional_widgets.collect();
        optional_widgets.sort_by_key(rank);
        let columns = usize::from(area.width);
        let lay_out_widgets = |density| {
            widget_lines::widgets_to_lines(
                optional_widgets.iter().copied(),
                columns,
                density,
                self.theme,
            )
        };
        let fits = |lines: &Vec<_>| lines.len() <= usize::from(area.height);
        let densities = [Density::Spaced, Density::Compact].into_iter();
        let lines = densities
            .map(lay_out_widgets)
            .find(fits)
            .unwrap_or_else(|| lay_out_widgets(Density::OneLinePerItem));
        self.draw_column(area, &lines, buf);
    }

    fn draw_column(&self, area: Rect, lines: &[Line<'static>], buf: &mut Buffer) {
        let height = usize::from(area.height);
        for (index, line) in lines.iter().take(height).enumerate() {
            buf.set_line(area.x, area.y + index as u16, line, area.width);
        }
        if lines.len() > height && height > 0 {
            let key = self.keymap.key_text(KeyAction::Sheet);
            let sign =
                host_text!("… {count} more: {key}", count = lines.len() + 1 - height, key = key);
            let sign = widget_lines::truncate_or_pad(&sign, usize::from(area.width));
            buf.set_line(
                area.x,
                area.bottom() - 1,
                &styled_line(sign, self.theme.quiet_style()),
                area.width,
            );
        }
    }
}

/// The columns of a line in a story of this width.
fn story_line_columns(width: u16) -> u16 {
    (width - 2).min(MAX_STORY_COLUMNS)
}

pub(super) fn row_rect(area: Rect, index: u16) -> Rect {
    Rect { y: area.y + index, height: 1, ..area }
}

fn draw_too_small_notice(area: Rect, buf: &mut Buffer) {
    let (width, height) = MIN_WINDOW_SIZE;
    let words = host_text!(
        "This window has {columns} columns and {rows} rows. At least {width} and {height} are needed.",
        columns = area.width,
        rows = area.height,
        width = width,
        height = height
    );
    let lines = text_wrap::wrap_lines(&words, usize::from(area.width));
    for (index, line) in lines.iter().take(usize::from(area.height)).enumerate() {
        buf.set_stringn(area.x, area.y + index as u16, line, usize::from(area.width), Style::new());
    }
}
