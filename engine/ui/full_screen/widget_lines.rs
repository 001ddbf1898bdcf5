//! Draws widgets as lines of a column: gauges as bars, meters as marks, numbers side by side.

use base::host_text;
use ratatui::text::{Line, Span};

use super::super::display_text::{self, markup_on_one_line};
use super::super::text_wrap::{
    truncate, truncate_distinctly, wrap_lines, wrap_markup, wrap_with_prefix,
};
use super::map_drawing;
use super::theme::{
    GAUGE_EMPTY, GAUGE_FILLED, PIP_REMAINING, PIP_SPENT, Theme, styled_line, styled_runs_line,
};
use base::text;
use protocol::view::{Card, ListItem, PlacedWidget, Widget};

/// The widest note that stands beside its number in any case.
const MAX_UNIT_COLUMNS: usize = 6;

/// How closely the lines of a column stand.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Density {
    /// An empty line before each widget with a heading.
    Spaced,
    /// No empty lines.
    Compact,
    /// No empty lines, and numbers with the notes that fit beside them.
    CompactShortNotes,
    /// No empty lines, and numbers without notes.
    CompactWithoutNotes,
    /// The same, and each item on one line, cut if needed.
    OneLinePerItem,
}

/// Widgets as lines.
pub(super) fn widgets_to_lines<'a>(
    widgets: impl Iterator<Item = &'a PlacedWidget>,
    columns: usize,
    density: Density,
    theme: Theme,
) -> Vec<Line<'static>> {
    let widgets: Vec<&Widget> = widgets.map(|placed| &placed.widget).collect();
    // Names get their width before bars do.
    let named = widgets.iter().filter_map(|widget| match widget {
        Widget::Gauge { label, value, max, .. } | Widget::PipCounter { label, value, max } => {
            let numbers = text::display_width(&format!("{value}/{max}"));
            let room = columns.saturating_sub(numbers + 1).max(columns / 2);
            Some(text::display_width(&markup_on_one_line(label)).min(room))
        }
        _ => None,
    });
    let label_columns = named.max().unwrap_or(0);
    let mut out: Vec<Line<'static>> = Vec::new();
    let mut stats: Vec<String> = Vec::new();
    for widget in widgets {
        if let Widget::Stat { label, value, note } = widget {
            let stat = format!("{} {value}", markup_on_one_line(label));
            let fits_beside =
                || text::display_width(&stat) + text::display_width(note) + 2 <= columns;
            // A note such as "of 9" is a part of the number.
            if density != Density::Spaced && text::display_width(note) <= MAX_UNIT_COLUMNS {
                stats.push(format!("{stat} {}", markup_on_one_line(note)).trim_end().to_owned());
                continue;
            }
            let drops_note = match density {
                Density::Spaced | Density::Compact => false,
                Density::CompactShortNotes => !fits_beside(),
                Density::CompactWithoutNotes | Density::OneLinePerItem => true,
            };
            if note.is_empty() || drops_note {
                stats.push(stat);
            } else {
                append_stats_side_by_side(&mut out, &mut stats, columns);
                out.extend(stat_with_note(&stat, &markup_on_one_line(note), columns, theme));
            }
            continue;
        }
        append_stats_side_by_side(&mut out, &mut stats, columns);
        let has_heading = matches!(
            widget,
            Widget::List { .. } | Widget::Table { .. } | Widget::Map { .. } | Widget::Card(_)
        );
        if density == Density::Spaced && has_heading && !out.is_empty() {
            out.push(Line::default());
        }
        match (widget, density) {
            (Widget::List { label, items, empty_text: empty }, Density::OneLinePerItem) => {
                out.extend(tight_list_lines(label, items, empty, columns, theme));
            }
            (Widget::Map { label, nodes, edges }, _) => {
                out.push(styled_line(
                    truncate(&markup_on_one_line(label), columns),
                    theme.strong_style(),
                ));
                let shows_full_names = density == Density::Spaced;
                out.extend(map_drawing::map_lines(nodes, edges, columns, shows_full_names, theme));
            }
            // The question shows the form.
            (Widget::Form { .. }, _) => {}
            _ => out.extend(widget_lines(widget, columns, label_columns, theme)),
        }
    }
    append_stats_side_by_side(&mut out, &mut stats, columns);
    out
}

/// A number with a note beside it, or below if it does not fit.
fn stat_with_note(stat: &str, note: &str, columns: usize, theme: Theme) -> Vec<Line<'static>> {
    if text::display_width(stat) + text::display_width(note) + 2 <= columns {
        let note = Span::styled(format!("  {note}"), theme.quiet_style());
        return vec![Line::from(vec![Span::raw(stat.to_owned()), note])];
    }
    let mut out: Vec<Line<'static>> =
        wrap_lines(stat, columns).into_iter().map(Line::from).collect();
    let note = wrap_with_prefix("  ", note, columns).into_iter();
    out.extend(note.map(|line| styled_line(line, theme.quiet_style())));
    out
}

/// A list with each item on one line.
fn tight_list_lines(
    label: &str,
    items: &[ListItem],
    empty: &str,
    columns: usize,
    theme: Theme,
) -> Vec<Line<'static>> {
    if items.is_empty() {
        return list_lines(label, items, empty, columns, theme);
    }
    let mut out =
        vec![styled_line(truncate(&markup_on_one_line(label), columns), theme.strong_style())];
    let names: Vec<String> = items.iter().map(|item| markup_on_one_line(&item.label)).collect();
    out.extend(items.iter().map(|item| {
        let note = markup_on_one_line(&item.note);
        // A short note is kept in full; the name is cut.
        let note_columns = if text::display_width(&note) * 3 <= columns {
            text::display_width(&note) + 2
        } else {
            0
        };
        let room = if note.is_empty() { columns } else { columns.saturating_sub(note_columns) };
        let room = room.saturating_sub(1);
        let label = truncate_distinctly(&markup_on_one_line(&item.label), &names, room);
        let label = format!(" {label}");
        let room = columns.saturating_sub(text::display_width(&label) + 2);
        let note = if room < 6.min(note_columns) { String::new() } else { truncate(&note, room) };
        Line::from(vec![Span::raw(label), Span::styled(format!("  {note}"), theme.quiet_style())])
    }));
    out
}

/// Adds numbers side by side, in columns of equal width if they fit.
fn append_stats_side_by_side(
    out: &mut Vec<Line<'static>>,
    stats: &mut Vec<String>,
    columns: usize,
) {
    let widest = stats.iter().map(|stat| text::display_width(stat)).max().unwrap_or(0) + 2;
    let stats_per_line = (columns + 2).checked_div(widest).unwrap_or(1).max(1);
    for some in stats.chunks(stats_per_line) {
        let mut line = String::new();
        for stat in some {
            line.push_str(stat);
            line.push_str(&" ".repeat(widest.saturating_sub(text::display_width(stat))));
        }
        out.extend(wrap_lines(line.trim_end(), columns).into_iter().map(Line::from));
    }
    stats.clear();
}

fn widget_lines(
    widget: &Widget,
    columns: usize,
    label_columns: usize,
    theme: Theme,
) -> Vec<Line<'static>> {
    match widget {
        Widget::Text { text, tone } => paragraph_lines(text, columns, theme.tone_style(tone)),
        Widget::Gauge { label, value, max, previous_value: before, tone } => {
            let label = truncate_or_pad(&markup_on_one_line(label), label_columns);
            vec![gauge_line(&label, *value, *max, *before, tone, columns, theme)]
        }
        Widget::PipCounter { label, value, max } => {
            let label = truncate_or_pad(&markup_on_one_line(label), label_columns);
            let room = columns.saturating_sub(label_columns + 1);
            vec![Line::from(truncate(
                &format!("{label} {}", pip_counter_text(*value, *max, room)),
                columns,
            ))]
        }
        Widget::List { label, items, empty_text } => {
            list_lines(label, items, empty_text, columns, theme)
        }
        Widget::Table { label, columns: heads, rows } => {
            let mut out = vec![styled_line(
                truncate(&markup_on_one_line(label), columns),
                theme.strong_style(),
            )];
            out.extend(table_lines(heads, rows, columns, theme));
            out
        }
        Widget::Card(card) => card_lines(card, columns, theme),
        // `lines` handles these itself.
        Widget::Stat { .. } | Widget::Map { .. } | Widget::Form { .. } => {
            let mut out = Vec::new();
            for (index, fact) in display_text::widget_lines(widget).into_iter().enumerate() {
                let style = if index == 0 { theme.strong_style() } else { theme.text_style() };
                let lead = if index == 0 { "" } else { " " };
                let lines =
                    wrap_with_prefix(lead, fact.trim_start().trim_end_matches(':'), columns);
                out.extend(lines.into_iter().map(|line| styled_line(line, style)));
            }
            out
        }
    }
}

/// A gauge as a bar with its numbers and its change.
fn gauge_line(
    label: &str,
    value: i64,
    max: i64,
    before: Option<i64>,
    tone: &str,
    columns: usize,
    theme: Theme,
) -> Line<'static> {
    let change = before.map_or(0, |before| value.saturating_sub(before));
    let change = if change == 0 { String::new() } else { format!(" {change:+}") };
    let numbers = format!("{value}/{max}{change}");
    let used = text::display_width(label) + text::display_width(&numbers) + 2;
    let room = columns.saturating_sub(used).min(30);
    if room < 3 {
        return Line::from(truncate(&format!("{label} {numbers}"), columns));
    }
    let share = value.clamp(0, max.max(0)) as u128 * room as u128;
    let mut full_cells = share.checked_div(max.max(0) as u128).unwrap_or(0) as usize;
    // A positive value shows at least one cell.
    full_cells = full_cells.max(usize::from(value > 0 && max > 0)).min(room);
    let style = theme.tone_style(tone);
    Line::from(vec![
        Span::raw(format!("{label} ")),
        Span::styled(GAUGE_FILLED.repeat(full_cells), style),
        Span::styled(GAUGE_EMPTY.repeat(room - full_cells), theme.quiet_style()),
        Span::raw(format!(" {numbers}")),
    ])
}

/// A meter as marks, or as numbers if there are too many.
pub(super) fn pip_counter_text(value: i64, max: i64, room: usize) -> String {
    let (left, all) = (value.clamp(0, max.max(0)) as usize, max.max(0) as usize);
    if all == 0 || all > 12 || all > room || value > max || value < 0 {
        return format!("{value}/{max}");
    }
    format!("{}{}", PIP_REMAINING.repeat(left), PIP_SPENT.repeat(all - left))
}

fn list_lines(
    label: &str,
    items: &[ListItem],
    empty: &str,
    columns: usize,
    theme: Theme,
) -> Vec<Line<'static>> {
    let mut out =
        vec![styled_line(truncate(&markup_on_one_line(label), columns), theme.strong_style())];
    if items.is_empty() {
        let empty = if empty.is_empty() { host_text!("none") } else { markup_on_one_line(empty) };
        let lines = wrap_with_prefix(" ", &empty, columns);
        out.extend(lines.into_iter().map(|line| styled_line(line, theme.quiet_style())));
    }
    for item in items {
        let (label, note) = (markup_on_one_line(&item.label), markup_on_one_line(&item.note));
        let one_line = text::display_width(&label) + text::display_width(&note) + 3 <= columns;
        if one_line && !note.is_empty() {
            out.push(Line::from(vec![
                Span::raw(format!(" {label}  ")),
                Span::styled(note, theme.quiet_style()),
            ]));
            continue;
        }
        let lines = wrap_with_prefix(" ", &label, columns);
        out.extend(lines.into_iter().map(Line::from));
        if !note.is_empty() {
            let lines = wrap_with_prefix("   ", &note, columns);
            out.extend(lines.into_iter().map(|line| styled_line(line, theme.quiet_style())));
        }
    }
    out
}

/// A table with headings if it fits, else one fact per line.
fn table_lines(
    heads: &[String],
    rows: &[Vec<String>],
    columns: usize,
    theme: Theme,
) -> Vec<Line<'static>> {
    let width_of = |index: usize| {
        let cells = rows.iter().filter_map(|row| row.get(index)).chain(heads.get(index));
        cells.map(|cell| text::display_width(&markup_on_one_line(cell))).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..heads.len()).map(width_of).collect();
    let total_columns = widths.iter().sum::<usize>() + 2 * widths.len();
    if total_columns > columns + 1 || rows.iter().any(|row| row.len() != heads.len()) {
        let cells = rows.iter().flat_map(|row| row.iter().enumerate());
        let facts = cells.map(|(index, cell)| {
            let lead = if index == 0 { " " } else { "   " };
            match heads.get(index).filter(|head| !head.is_empty()) {
                Some(head) => {
                    (lead, format!("{}: {}", markup_on_one_line(head), markup_on_one_line(cell)))
                }
                None => (lead, markup_on_one_line(cell)),
            }
        });
        let lines = facts.flat_map(|(lead, fact)| wrap_with_prefix(lead, &fact, columns));
        return lines.map(Line::from).collect();
    }
    let row_text = |row: &[String]| {
        let cells = row.iter().zip(&widths);
        let cells = cells.map(|(cell, width)| {
            format!("{}  ", truncate_or_pad(&markup_on_one_line(cell), *width))
        });
        format!(" {}", cells.collect::<String>().trim_end())
    };
    let mut out = Vec::new();
    if heads.iter().any(|head| !head.is_empty()) {
        out.push(styled_line(row_text(heads), theme.quiet_style()));
    }
    out.extend(rows.iter().map(|row| Line::from(row_text(row))));
    out
}

/// A card as lines.
pub(super) fn card_lines(card: &Card, columns: usize, theme: Theme) -> Vec<Line<'static>> {
    let mut out = Vec::new();
    if !card.title.is_empty() {
        out.extend(paragraph_lines(&card.title, columns, theme.heading_style()));
    }
    if !card.subtitle.is_empty() {
        out.extend(paragraph_lines(&card.subtitle, columns, theme.quiet_style()));
    }
    if !card.text.is_empty() {
        out.extend(paragraph_lines(&card.text, columns, theme.text_style()));
    }
    for fact in &card.lines {
        let lines = wrap_with_prefix(" ", &markup_on_one_line(fact), columns);
        out.extend(lines.into_iter().map(Line::from));
    }
    out
}

/// Marked text as lines in one style.
pub(super) fn paragraph_lines(
    marked: &str,
    columns: usize,
    style: ratatui::style::Style,
) -> Vec<Line<'static>> {
    let lines = wrap_markup(marked, columns.max(1)).into_iter();
    lines.map(|runs| styled_runs_line("", runs, style)).collect()
}

/// Limits lines to a number of rows; the last one ends with an ellipsis after a whole word.
pub(super) fn limit_rows(
    mut lines: Vec<Line<'static>>,
    rows: usize,
    columns: usize,
) -> Vec<Line<'static>> {
    if lines.len() <= rows {
        return lines;
    }
    lines.truncate(rows);
    if let Some(last) = lines.last_mut() {
        while last.width() + 2 > columns {
            let Some(span) = last.spans.last_mut() else { break };
            match span.content.trim_end().rsplit_once(' ') {
                Some((kept, _)) => span.content = kept.to_owned().into(),
                None => drop(last.spans.pop()),
            }
        }
        last.push_span(" …");
    }
    lines
}

/// A text cut or padded to a width.
pub(super) fn truncate_or_pad(label: &str, columns: usize) -> String {
    let label = truncate(label, columns);
    let gap = columns.saturating_sub(text::display_width(&label));
    format!("{label}{}", " ".repeat(gap))
}
