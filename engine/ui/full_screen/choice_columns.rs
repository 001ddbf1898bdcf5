//! The list of choices with their odds, and the details of the focused choice.

use base::host_text;
use std::rc::Rc;

use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::super::{display_text, odds_display, text_wrap};
use super::theme::{Theme, styled_line};
use super::widget_lines::truncate_or_pad;
use base::text;
use protocol::{Choice, Odds};

/// Widths of the odds bar: one cell per face of a d20, half of that, or no bar if labels need the
/// room.
const ODDS_BAR_WIDTHS: [usize; 3] = [20, 10, 0];
/// Widths of a bar that shows thirds and sixths exactly.
const THIRDS_ODDS_BAR_WIDTHS: [usize; 2] = [18, 12];
/// Notes are aligned if no label is wider than this.
const MAX_ALIGNED_LABEL_COLUMNS: usize = 20;
/// The columns that the widest bar must leave to labels.
const MIN_LABEL_COLUMNS: usize = 12;

/// Odds stand no further right than after a label of this width, or after the widest label.
const MAX_ODDS_OFFSET_COLUMNS: usize = 46;

/// The column layout shared by all choices.
#[derive(Clone)]
pub(super) struct ChoiceColumns {
    key_columns: usize,
    bar_columns: usize,
    percent_columns: usize,
    /// The widest label with a note beside it.
    label_columns_beside_notes: usize,
    total_columns: usize,
    /// Whether notes of open choices without a confirmation are shown.
    shows_notes: bool,
    /// All labels, which must stay different where they are cut.
    labels: Rc<[String]>,
    theme: Theme,
}

impl ChoiceColumns {
    /// The layout of a prompt at a width. In a prompt that repeats, rows with odds are kept short.
    pub(super) fn new(
        choices: &[Choice],
        (many, repeats): (bool, bool),
        columns: usize,
        theme: Theme,
    ) -> Self {
        let number_columns = 1 + if many { 4 } else { 0 };
        let lead = number_columns + 3;
        let with_odds = choices.iter().filter(|choice| enabled_odds(choice).is_some());
        let bands = choices.iter().filter_map(enabled_odds).map(|odds| odds.bands.len());
        let bands = bands.max().unwrap_or(0).min(8);
        let share_columns = if bands == 0 { 0 } else { bands * 4 + 1 };
        let widest = with_odds
            .map(|choice| text::display_width(&label_with_cost(choice)))
            .max()
            .unwrap_or(0);
        let room = |bar: &usize| columns.saturating_sub(lead + bar + share_columns + 2);
        let fits = |bar: &usize| room(bar) >= widest.max(MIN_LABEL_COLUMNS);
        let shows_exactly = |bar: &usize| {
            choices
                .iter()
                .filter_map(enabled_odds)
                .all(|odds| odds_display::bar_shows_odds_exactly(odds, *bar))
        };
        let third_bar_widths = THIRDS_ODDS_BAR_WIDTHS
            .iter()
            .filter(|bar| shows_exactly(bar) && !ODDS_BAR_WIDTHS[..2].iter().any(shows_exactly));
        let bar =
            third_bar_widths.chain(&ODDS_BAR_WIDTHS).find(|bar| share_columns > 0 && fits(bar));
        // In a wide window odds stay near their labels.
        let needed_columns =
            |bar: &usize| widest.max(MAX_ODDS_OFFSET_COLUMNS) + lead + bar + share_columns + 2;
        let columns = bar.map_or(columns, |bar| columns.min(needed_columns(bar)));
        let choices_with_note = choices.iter().filter(|choice| choice_note(choice).is_some());
        let widest_noted_label = choices_with_note
            .map(|choice| text::display_width(&label_with_cost(choice)))
            .max()
            .unwrap_or(0);
        Self {
            key_columns: number_columns,
            bar_columns: bar.copied().unwrap_or(0),
            percent_columns: share_columns,
            label_columns_beside_notes: widest_noted_label.min(columns / 2),
            total_columns: columns,
            shows_notes: share_columns == 0 || !repeats,
            labels: choices.iter().map(label_with_cost).collect(),
            theme,
        }
    }

    /// The same layout with fewer columns.
    pub(super) fn with_fewer_columns(&self, columns: usize) -> Self {
        Self { total_columns: self.total_columns.saturating_sub(columns), ..self.clone() }
    }

    /// The column where the odds end.
    pub(super) fn odds_end_column(&self) -> usize {
        self.total_columns
    }

    /// The column where labels begin.
    fn label_start(&self) -> usize {
        self.key_columns + 3
    }

    /// The columns available to a label.
    fn label_width(&self, choice: &Choice) -> usize {
        let reserved_columns = match (&choice.disabled_because, &choice.odds) {
            // The word "closed:" is never cut off.
            (Some(_), _) => 9,
            (None, Some(_)) => self.bar_columns + self.percent_columns + 2,
            (None, None) => 1,
        };
        self.total_columns.saturating_sub(self.label_start() + reserved_columns)
    }

    /// Whether a label has enough room to be distinguishable.
    pub(super) fn fits_label(&self, choice: &Choice) -> bool {
        self.label_width(choice)
            >= text::display_width(&label_with_cost(choice)).min(MIN_LABEL_COLUMNS)
    }

    /// Whether a label does not fit into its row.
    pub(super) fn truncates_label(&self, choice: &Choice) -> bool {
        text::display_width(&label_with_cost(choice)) > self.label_width(choice)
    }

    /// Whether the row shows everything about a choice.
    pub(super) fn shows_everything(&self, choice: &Choice) -> bool {
        let (used, note) =
            (text::display_width(&label_with_cost(choice)), display_text::note_with_gains(choice));
        let room = self.total_columns.saturating_sub(self.label_start() + used);
        let shows_note = |words: String| {
            let more = !choice.is_enabled() && !note.is_empty();
            !more && words.contains(&note) && self.note_text(choice, used, room).contains(&words)
        };
        choice.odds.is_none()
            && !self.truncates_label(choice)
            && shows_note(choice_note(choice).unwrap_or_default())
    }

    /// A choice as a row: key, label, note, odds.
    pub(super) fn choice_line(
        &self,
        key: Option<char>,
        choice: &Choice,
        focused: bool,
        marked: Option<bool>,
    ) -> Line<'static> {
        let theme = self.theme;
        let style = match (focused, choice.is_enabled()) {
            (true, _) => theme.strong_style(),
            (false, true) => theme.text_style(),
            (false, false) => theme.quiet_style(),
        };
        let mark = match marked {
            None => "",
            Some(true) => "[x] ",
            Some(false) => "[ ] ",
        };
        let width = self.key_columns - mark.len().min(self.key_columns);
        let key = key.unwrap_or('·');
        let lead = format!("{} {mark}{key:>width$} ", if focused { ">" } else { " " });
        let words = text_wrap::truncate_distinctly(
            &label_with_cost(choice),
            &self.labels,
            self.label_width(choice),
        );
        let used = text::display_width(&words);
        let mut spans = vec![Span::styled(lead, style), Span::styled(words, style)];
        let odds_columns = match enabled_odds(choice) {
            Some(_) => self.bar_columns + self.percent_columns + 1,
            None => 0,
        };
        let room = self.total_columns.saturating_sub(self.label_start() + used + odds_columns);
        spans.push(Span::styled(self.note_text(choice, used, room), theme.quiet_style()));
        spans.extend(enabled_odds(choice).into_iter().flat_map(|odds| self.odds_spans(odds)));
        Line::from(spans)
    }

    /// The text between a label and the odds or the end of the row: exactly `room` columns. Notes
    /// are aligned if this does not shorten them.
    fn note_text(&self, choice: &Choice, used: usize, room: usize) -> String {
        // In a round with odds, notes are shown below instead. Exceptions: disabled choices, and
        // choices with a confirmation.
        let shows_note = self.shows_notes || !choice.is_enabled() || !choice.confirm.is_empty();
        let visible_note = choice_note(choice).filter(|_| shows_note);
        let words = visible_note.unwrap_or_default();
        let aligned = self.label_columns_beside_notes.saturating_sub(used) + 2;
        let is_aligned = self.label_columns_beside_notes <= MAX_ALIGNED_LABEL_COLUMNS
            || text::display_width(&words) + aligned < room;
        let lead = if is_aligned { aligned } else { 2 };
        // Before odds a note is shown in full or not at all; the details below repeat it.
        if enabled_odds(choice).is_some() && text::display_width(&words) + lead >= room {
            return " ".repeat(room);
        }
        // A few letters of a note help nobody; the details below have all of it.
        let min_room = if choice.is_enabled() { lead + 12 } else { lead + 6 };
        if words.is_empty() || (room < min_room.min(lead + text::display_width(&words) + 1)) {
            return " ".repeat(room);
        }
        truncate_or_pad(&format!("{}{words}", " ".repeat(lead)), room.saturating_sub(1)) + " "
    }

    fn odds_spans(&self, odds: &Odds) -> Vec<Span<'static>> {
        let mut spans = Vec::new();
        for (index, cells) in
            odds_display::bar_cells(odds, self.bar_columns).into_iter().enumerate()
        {
            let (sign, style) = self.theme.band_symbol(&odds.bands[index].tone, index);
            spans.push(Span::styled(sign.repeat(cells), style));
        }
        for percent in odds_display::rounded_band_percents(odds).iter().take(8) {
            spans.push(Span::raw(format!("{percent:>4}")));
        }
        spans.push(Span::raw("%"));
        spans
    }
}

/// The odds of an enabled choice.
fn enabled_odds(choice: &Choice) -> Option<&Odds> {
    choice.odds.as_ref().filter(|_| choice.is_enabled())
}

/// The note beside a choice's label.
fn choice_note(choice: &Choice) -> Option<String> {
    let words = match &choice.disabled_because {
        Some(why) => host_text!("closed: {why}", why = display_text::markup_on_one_line(why)),
        None if choice.note.is_empty() => display_text::markup_on_one_line(&choice.gains),
        None => display_text::markup_on_one_line(&choice.note),
    };
    Some(words).filter(|words| !words.is_empty())
}

/// The label of a choice with its cost.
pub(super) fn label_with_cost(choice: &Choice) -> String {
    match choice.cost.is_empty() {
        true => display_text::markup_on_one_line(&choice.label),
        false => {
            format!(
                "{} [{}]",
                display_text::markup_on_one_line(&choice.label),
                display_text::markup_on_one_line(&choice.cost)
            )
        }
    }
}

/// Explains the symbols of the bar.
pub(super) fn odds_legend(choices: &[Choice], focus: usize, theme: Theme) -> Vec<Span<'static>> {
    let focused = choices.get(focus).and_then(|choice| choice.odds.as_ref());
    let first = || choices.iter().find_map(|choice| choice.odds.as_ref());
    let Some(odds) = focused.or_else(first) else { return Vec::new() };
    let mut spans = vec![Span::raw(" ")];
    for (index, band) in odds.bands.iter().take(8).enumerate() {
        let (sign, style) = theme.band_symbol(&band.tone, index);
        spans.push(Span::styled(sign, style));
        spans.push(Span::raw(format!(" {}  ", display_text::band_label(band))));
    }
    spans
}

/// Details of a choice beyond its row; first the whole label if it was cut. With one row, the
/// details are joined.
pub(super) fn detail_lines(
    choice: &Choice,
    is_truncated: bool,
    (columns, one_row): (usize, bool),
    theme: Theme,
) -> Vec<Line<'static>> {
    let parts = detail_parts(choice, is_truncated, columns, theme);
    let wrap_part = |words: &str, style| {
        let lines = text_wrap::wrap_lines(words, columns.max(1)).into_iter();
        lines.map(|line| styled_line(line, style)).collect::<Vec<_>>()
    };
    match &parts[..] {
        [(_, style), _, ..] if one_row => {
            let words: Vec<&str> =
                parts.iter().map(|(words, _)| words.trim_end_matches('.')).collect();
            wrap_part(&words.join("; "), *style)
        }
        _ => parts.iter().flat_map(|(words, style)| wrap_part(words, *style)).collect(),
    }
}

fn detail_parts(
    choice: &Choice,
    is_truncated: bool,
    columns: usize,
    theme: Theme,
) -> Vec<(String, Style)> {
    let mut out = Vec::new();
    let mut add = |words: &str, style| out.push((words.to_owned(), style));
    if is_truncated {
        add(&label_with_cost(choice), theme.strong_style());
    }
    let note = display_text::note_with_gains(choice);
    if let Some(why) = &choice.disabled_because {
        let why = host_text!("Closed: {why}", why = display_text::markup_on_one_line(why));
        // On one row if they fit, because a second row would be taken from the choices.
        let both = format!("{why}; {note}");
        if !note.is_empty() && choice.odds.is_none() && text::display_width(&both) <= columns {
            add(&both, theme.text_style());
            return out;
        }
        add(&why, theme.text_style());
    }
    if !note.is_empty() {
        add(&note, theme.quiet_style());
    }
    if let Some(odds) = &choice.odds {
        let roll = display_text::markup_on_one_line(&odds.label);
        let roll = if roll.is_empty() { roll } else { format!("{roll}: ") };
        let percents = odds_display::band_percents(odds);
        let cases = odds.bands.iter().zip(percents).enumerate().map(|(index, (band, percent))| {
            let of = if index == 0 {
                host_text!(" of {cases}", cases = odds.total_cases)
            } else {
                String::new()
            };
            // The row of an enabled choice already shows its percentages.
            let share = if choice.is_enabled() { String::new() } else { format!(" ({percent})") };
            format!("{} {}{of}{share}", display_text::band_label(band), band.case_count)
        });
        add(&format!("{roll}{}", cases.collect::<Vec<_>>().join(", ")), theme.text_style());
    }
    out
}
