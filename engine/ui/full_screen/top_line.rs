//! The top line: the title and the quantities beside it; and the quantities of a narrow window.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::Line;

use super::super::{display_text, text_wrap};
use super::draw_screen::SHEET_MIN_COLUMNS;
use super::screen::Screen;
use super::theme::{HORIZONTAL_LINE, styled_line};
use super::widget_lines;
use base::text;
use protocol::view::{PlacedWidget, Widget, WidgetSlot};

impl Screen {
    /// Draws the title and the view's top widgets; on a rule if there is one.
    pub(super) fn draw_top_line(&self, area: Rect, is_on_rule: bool, buf: &mut Buffer) {
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

    /// Draws the quantities of the sheet on one line.
    pub(super) fn draw_one_line_sheet(&self, area: Rect, buf: &mut Buffer) {
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
pub(super) fn is_gauge(widget: &Widget) -> bool {
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
