//! Draws one frame: the top line, the story beside the sheet, the question, the key line. At 80
//! columns and 24 rows everything needed for a decision is visible. Smaller windows drop the sheet
//! column first and say which key shows it.

use base::host_text;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::super::{display_text, text_wrap};
use super::key_hint::KeyHint;
use super::key_hints::HELP_ONLY_DROP_ORDER;
use super::keymap::KeyAction;
use super::screen::Screen;
use super::theme::{HORIZONTAL_LINE, TEE_DOWN, TEE_UP, VERTICAL_LINE, styled_line};
use super::widget_lines::{self, Density};
use base::text;
use protocol::AnswerType;
use protocol::view::{PlacedWidget, Widget, WidgetSlot};

/// The smallest window that can be drawn.
const MIN_WINDOW_SIZE: (u16, u16) = (40, 12);
/// From this height on the top line is a rule.
const TOP_RULE_MIN_ROWS: u16 = 20;
/// From this width on the sheet has its own column.
const SHEET_MIN_COLUMNS: u16 = 64;
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
        self.draw_key_line(row_rect(area, area.height - 1), buf);
        let middle = Rect { y: area.y + 1, height: area.height - 2, ..area };
        let form = self.form_height(middle);
        let parts = self.lay_out_question(Rect { height: middle.height - form, ..middle });
        let height = parts.total_rows().min(middle.height - form);
        self.draw_question(Rect { y: middle.bottom() - height, height, ..middle }, &parts, buf);
        let height = height + form;
        self.draw_form(Rect { y: middle.bottom() - height, height: form, ..middle }, buf);
        self.draw_story(Rect { height: middle.height - height, ..middle }, buf);
    }

    /// Draws the title and the view's top widgets; on a rule if there is one.
    fn draw_top_line(&self, area: Rect, is_on_rule: bool, buf: &mut Buffer) {
        let view = &self.active_prompt.view;
        let mut title = display_text::markup_on_one_line(&view.title);
        for said in
            [&self.run_label, &self.stale_mods_reason].into_iter().filter(|said| !said.is_empty())
        {
            title = format!("[{said}] {title}");
        }
        // In a narrow window gauges have their own line.
        let own_line = |widget: &Widget| area.width < SHEET_MIN_COLUMNS && is_gauge(widget);
        let top = view.widgets.iter().filter(|placed| placed.slot == WidgetSlot::Top);
        let top = top.filter(|placed| !own_line(&placed.widget));
        let quantities = top.filter_map(|placed| match &placed.widget {
            Widget::PipCounter { label, value, max } => Some((
                display_text::markup_on_one_line(label),
                widget_lines::pip_counter_text(*value, *max, 12),
            )),
            Widget::Gauge { label, value, max, .. } => {
                Some((display_text::markup_on_one_line(label), format!("{value}/{max}")))
            }
            widget => display_text::widget_summary(widget).map(|words| (String::new(), words)),
        });
        let inset = 1 + u16::from(is_on_rule);
        let columns = usize::from(area.width - 2 * inset);
        let min_title_columns = text::display_width(&title).min(columns / 3);
        let quantities_text = fit_quantities(
            &quantities.collect::<Vec<_>>(),
            columns.saturating_sub(min_title_columns + 2),
        );
        // The title ends before the column border, which meets the rule.
        let bordered_columns =
            self.bordered_sheet_columns(area.width).filter(|_| is_on_rule).unwrap_or(0);
        let title = text_wrap::truncate(
            &title,
            columns
                .saturating_sub((text::display_width(&quantities_text) + 2).max(bordered_columns)),
        );
        let x = (area.right() - inset).saturating_sub(text::display_width(&quantities_text) as u16);
        let mut parts = [
            (area.x + inset, title, self.theme.heading_style()),
            (x, quantities_text, Style::new()),
        ];
        if is_on_rule {
            let rule = HORIZONTAL_LINE.repeat(usize::from(area.width));
            buf.set_line(area.x, area.y, &styled_line(rule, self.theme.quiet_style()), area.width);
            for (x, words, _) in parts.iter_mut().filter(|(_, words, _)| !words.is_empty()) {
                (*x, *words) = (*x - 1, format!(" {words} "));
            }
        }
        for (x, words, style) in parts {
            buf.set_line(x, area.y, &styled_line(words, style), area.width);
        }
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
    fn draw_story(&mut self, area: Rect, buf: &mut Buffer) {
        let has_slot =
            |place| self.active_prompt.view.widgets.iter().any(|placed| placed.slot == place);
        let (sheet, more) = (has_slot(WidgetSlot::Sheet), has_slot(WidgetSlot::Optional));
        let top =
            |placed: &PlacedWidget| placed.slot == WidgetSlot::Top && is_gauge(&placed.widget);
        let has_top_gauge = self.active_prompt.view.widgets.iter().any(top);
        let mut story = area;
        if area.width >= OPTIONAL_COLUMN_MIN_COLUMNS && sheet && more {
            let columns = 28 + (area.width - OPTIONAL_COLUMN_MIN_COLUMNS) / 4;
            // The columns beside the longest story lines.
            let spare_columns =
                area.width.saturating_sub(MAX_STORY_COLUMNS + MAX_SHEET_COLUMNS + 4);
            let column_area = self.split_off_column(
                &mut story,
                (columns + 6).min(spare_columns.clamp(60, 110)),
                buf,
            );
            self.draw_optional_widgets(column_area, buf);
            let column_area =
                self.split_off_column(&mut story, columns.min(MAX_SHEET_COLUMNS), buf);
            self.draw_sheet(column_area, &[WidgetSlot::Sheet], buf);
        } else if let Some(columns) = self.sheet_columns(area.width) {
            let column_area = self.split_off_column(&mut story, columns, buf);
            self.draw_sheet(column_area, &[WidgetSlot::Sheet, WidgetSlot::Optional], buf);
        } else if (sheet || has_top_gauge) && area.width < SHEET_MIN_COLUMNS && area.height > 1 {
            self.draw_one_line_sheet(row_rect(area, 0), buf);
            story = Rect { y: area.y + 1, height: area.height - 1, ..area };
        }
        let inner =
            Rect { x: story.x + 1, width: (story.width - 2).min(MAX_STORY_COLUMNS), ..story };
        let scroll_key = self.keymap.key_text(
            if self.active_prompt.prompt.answer_type == AnswerType::SingleChoice {
                KeyAction::TakeChoice
            } else {
                KeyAction::ToggleMark
            },
        );
        self.story.draw(inner, buf, self.theme, &scroll_key);
    }

    /// The width of the sheet column, if there is one.
    fn sheet_columns(&self, width: u16) -> Option<u16> {
        let sheet =
            self.active_prompt.view.widgets.iter().any(|placed| placed.slot == WidgetSlot::Sheet);
        let columns = if width >= 100 { 34 } else { 28 };
        (sheet && width >= SHEET_MIN_COLUMNS).then_some(columns)
    }

    /// The width of the sheet column with its border, if it is the only one.
    fn bordered_sheet_columns(&self, width: u16) -> Option<usize> {
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
        let lay_out_slots = |places: &[WidgetSlot], density| {
            let widgets = widgets.iter().filter(|placed| places.contains(&placed.slot));
            widget_lines::widgets_to_lines(widgets, columns, density, self.theme)
        };
        let all = lay_out_slots(slots, Density::Spaced);
        let densities = [
            Density::Spaced,
            Density::Compact,
            Density::CompactWithoutNotes,
            Density::OneLinePerItem,
        ]
        .into_iter();
        let mut layouts = densities.map(|density| lay_out_slots(&[WidgetSlot::Sheet], density));
        let fits = |lines: &Vec<_>| lines.len() <= height;
        let lines = Some(all).filter(fits).or_else(|| layouts.find(fits));
        let lines =
            lines.unwrap_or_else(|| lay_out_slots(&[WidgetSlot::Sheet], Density::OneLinePerItem));
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

    /// Draws the quantities of the sheet on one line.
    fn draw_one_line_sheet(&self, area: Rect, buf: &mut Buffer) {
        let widgets = || self.active_prompt.view.widgets.iter();
        let top =
            |placed: &&PlacedWidget| placed.slot == WidgetSlot::Top && is_gauge(&placed.widget);
        let sheet = widgets().filter(|placed| placed.slot == WidgetSlot::Sheet);
        let quantities =
            widgets().filter(top).chain(sheet).filter_map(|placed| match &placed.widget {
                Widget::Gauge { label, value, max, .. }
                | Widget::PipCounter { label, value, max } => {
                    Some((display_text::markup_on_one_line(label), format!("{value}/{max}")))
                }
                Widget::Stat { label, value, .. } => {
                    Some((display_text::markup_on_one_line(label), value.to_string()))
                }
                _ => None,
            });
        let quantities: Vec<(String, String)> = quantities.collect();
        let gauges = widgets().filter(top).count();
        let columns = usize::from(area.width) - 2;
        let mut line = fit_quantities(&quantities[..gauges], columns);
        for (name, words) in &quantities[gauges..] {
            line = format!("{line}  {name} {words}").trim_start().to_owned();
        }
        let line = text_wrap::truncate(&line, columns);
        buf.set_line(area.x + 1, area.y, &Line::from(line), area.width - 1);
    }
}

/// Whether a widget is a gauge.
fn is_gauge(widget: &Widget) -> bool {
    matches!(widget, Widget::Gauge { .. })
}

/// Joins named quantities. If they do not fit, all names are shortened equally, so that every
/// quantity stays. Of several words in a name, the first is kept.
fn fit_quantities(quantities: &[(String, String)], columns: usize) -> String {
    let longest = quantities.iter().map(|(name, _)| text::display_width(name)).max().unwrap_or(0);
    let shorten_names = |most: usize| {
        let each = quantities.iter().map(|(name, words)| {
            let first = name.split(' ').next().unwrap_or_default();
            let name = match text::display_width(name) > most {
                true if (3..=most).contains(&text::display_width(first)) => first.to_owned(),
                // At this width the letters matter more than an ellipsis.
                true if most < 5 => name.chars().take(most).collect(),
                _ => text_wrap::truncate(name, most),
            };
            format!("{name} {words}").trim_start().to_owned()
        });
        each.collect::<Vec<_>>().join("  ")
    };
    let candidates = (2..=longest.max(2)).rev().map(shorten_names);
    let fits = candidates.into_iter().find(|words| text::display_width(words) <= columns);
    fits.unwrap_or_else(|| text_wrap::truncate(&shorten_names(2), columns))
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
