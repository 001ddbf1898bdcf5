//! The list of choices with their odds, and the details of the focused choice.

use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::super::{facts, shares, wrap};
use super::sheet::padded;
use super::theme::{Theme, styled};
use crate::kit::text;
use crate::play::{Choice, Odds};

/// Widths of the odds bar: one cell per face of a d20, half of that, or no bar if labels need the
/// room.
const BARS: [usize; 3] = [20, 10, 0];
/// Widths of a bar that shows thirds and sixths exactly.
const THIRDS: [usize; 2] = [18, 12];
/// Notes are aligned if no label is wider than this.
const CLOSE: usize = 20;
/// The columns that the widest bar must leave to labels.
const LEAST_LABEL: usize = 12;

/// Odds stand no further right than after a label of this width, or after the widest label.
const MOST_LABEL: usize = 46;

/// The column layout shared by all choices.
#[derive(Clone)]
pub(super) struct Table {
    number_columns: usize,
    bar_columns: usize,
    share_columns: usize,
    /// The widest label with a note beside it.
    beside_columns: usize,
    columns: usize,
    theme: Theme,
}

impl Table {
    /// The layout of a prompt at a width.
    pub(super) fn new(choices: &[Choice], many: bool, columns: usize, theme: Theme) -> Self {
        let number_columns = 1 + if many { 4 } else { 0 };
        let lead = number_columns + 3;
        let with_odds = choices.iter().filter(|choice| open_odds(choice).is_some());
        let bands = choices.iter().filter_map(open_odds).map(|odds| odds.bands.len());
        let bands = bands.max().unwrap_or(0).min(8);
        let share_columns = if bands == 0 { 0 } else { bands * 4 + 1 };
        let widest = with_odds.map(|choice| text::width(&label(choice))).max().unwrap_or(0);
        let room = |bar: &usize| columns.saturating_sub(lead + bar + share_columns + 2);
        let fits = |bar: &usize| room(bar) >= widest.max(LEAST_LABEL);
        let exact = |bar: &usize| {
            choices.iter().filter_map(open_odds).all(|odds| shares::fills(odds, *bar))
        };
        let thirds = THIRDS.iter().filter(|bar| exact(bar) && !BARS[..2].iter().any(exact));
        let bar = thirds.chain(&BARS).find(|bar| share_columns > 0 && fits(bar));
        // In a wide window odds stay near their labels.
        let wanted = |bar: &usize| widest.max(MOST_LABEL) + lead + bar + share_columns + 2;
        let columns = bar.map_or(columns, |bar| columns.min(wanted(bar)));
        let beside = choices.iter().filter(|choice| beside(choice).is_some());
        let beside = beside.map(|choice| text::width(&label(choice))).max().unwrap_or(0);
        Self {
            number_columns,
            bar_columns: bar.copied().unwrap_or(0),
            share_columns,
            beside_columns: beside.min(columns / 2),
            columns,
            theme,
        }
    }

    /// The same layout with fewer columns.
    pub(super) fn less(&self, columns: usize) -> Self {
        Self { columns: self.columns.saturating_sub(columns), ..self.clone() }
    }

    /// The column where the odds end.
    pub(super) fn right(&self) -> usize {
        self.columns
    }

    /// The column where labels begin.
    fn lead(&self) -> usize {
        self.number_columns + 3
    }

    /// The columns available to a label.
    fn label_room(&self, choice: &Choice) -> usize {
        let right = match (&choice.closed, &choice.odds) {
            // The word "closed:" is never cut off.
            (Some(_), _) => 9,
            (None, Some(_)) => self.bar_columns + self.share_columns + 2,
            (None, None) => 1,
        };
        self.columns.saturating_sub(self.lead() + right)
    }

    /// Whether a label has enough room to be distinguishable.
    pub(super) fn leaves_room(&self, choice: &Choice) -> bool {
        self.label_room(choice) >= text::width(&label(choice)).min(LEAST_LABEL)
    }

    /// Whether a label does not fit into its row.
    pub(super) fn cuts(&self, choice: &Choice) -> bool {
        text::width(&label(choice)) > self.label_room(choice)
    }

    /// Whether the row shows everything about a choice.
    pub(super) fn says_all(&self, choice: &Choice) -> bool {
        let (used, note) = (text::width(&label(choice)), facts::note(choice));
        let room = self.columns.saturating_sub(self.lead() + used);
        let says = |words: String| {
            let more = choice.closed.is_some() && !note.is_empty();
            !more && words.contains(&note) && self.beside(choice, used, room).contains(&words)
        };
        choice.odds.is_none() && !self.cuts(choice) && says(beside(choice).unwrap_or_default())
    }

    /// A choice as a row: key, label, note, odds.
    pub(super) fn line(
        &self,
        key: Option<char>,
        choice: &Choice,
        focused: bool,
        marked: Option<bool>,
    ) -> Line<'static> {
        let theme = self.theme;
        let style = match (focused, choice.closed.is_none()) {
            (true, _) => theme.strong(),
            (false, true) => theme.plain(),
            (false, false) => theme.quiet(),
        };
        let mark = match marked {
            None => "",
            Some(true) => "[x] ",
            Some(false) => "[ ] ",
        };
        let width = self.number_columns - mark.len().min(self.number_columns);
        let key = key.unwrap_or('·');
        let lead = format!("{} {mark}{key:>width$} ", if focused { ">" } else { " " });
        let words = wrap::cut(&label(choice), self.label_room(choice));
        let used = text::width(&words);
        let mut spans = vec![Span::styled(lead, style), Span::styled(words, style)];
        let right = match open_odds(choice) {
            Some(_) => self.bar_columns + self.share_columns + 1,
            None => 0,
        };
        let room = self.columns.saturating_sub(self.lead() + used + right);
        spans.push(Span::styled(self.beside(choice, used, room), theme.quiet()));
        spans.extend(open_odds(choice).into_iter().flat_map(|odds| self.odds(odds)));
        Line::from(spans)
    }

    /// The text between a label and the odds or the end of the row: exactly `room` columns. Notes
    /// are aligned if this does not shorten them.
    fn beside(&self, choice: &Choice, used: usize, room: usize) -> String {
        // In a list with odds, notes are shown below instead. Exceptions: disabled choices, and
        // choices with a confirmation.
        let told = self.share_columns == 0 || choice.closed.is_some() || !choice.dear.is_empty();
        let noted = beside(choice).filter(|_| told);
        let words = noted.unwrap_or_default();
        let aligned = self.beside_columns.saturating_sub(used) + 2;
        let close = self.beside_columns <= CLOSE || text::width(&words) + aligned < room;
        let lead = if close { aligned } else { 2 };
        // Before odds a note is shown in full or not at all; the details below repeat it.
        if open_odds(choice).is_some() && text::width(&words) + lead >= room {
            return " ".repeat(room);
        }
        // A few letters of a note help nobody; the details below have all of it.
        let least = if choice.closed.is_some() { lead + 6 } else { lead + 12 };
        if words.is_empty() || (room < least.min(lead + text::width(&words) + 1)) {
            return " ".repeat(room);
        }
        padded(&format!("{}{words}", " ".repeat(lead)), room.saturating_sub(1)) + " "
    }

    fn odds(&self, odds: &Odds) -> Vec<Span<'static>> {
        let mut spans = Vec::new();
        for (index, cells) in shares::cells(odds, self.bar_columns).into_iter().enumerate() {
            let (sign, style) = self.theme.band(&odds.bands[index].tone, index);
            spans.push(Span::styled(sign.repeat(cells), style));
        }
        for percent in shares::whole_percents(odds).iter().take(8) {
            spans.push(Span::raw(format!("{percent:>4}")));
        }
        spans.push(Span::raw("%"));
        spans
    }
}

/// The odds of an enabled choice.
fn open_odds(choice: &Choice) -> Option<&Odds> {
    choice.odds.as_ref().filter(|_| choice.closed.is_none())
}

/// The note beside a choice's label.
fn beside(choice: &Choice) -> Option<String> {
    let words = match &choice.closed {
        Some(why) => format!("closed: {}", facts::line(why)),
        None if choice.note.is_empty() => facts::line(&choice.gains),
        None => facts::line(&choice.note),
    };
    Some(words).filter(|words| !words.is_empty())
}

/// The label of a choice with its cost.
fn label(choice: &Choice) -> String {
    match choice.cost.is_empty() {
        true => facts::line(&choice.label),
        false => format!("{} [{}]", facts::line(&choice.label), facts::line(&choice.cost)),
    }
}

/// Explains the symbols of the bar.
pub(super) fn legend(choices: &[Choice], focus: usize, theme: Theme) -> Vec<Span<'static>> {
    let focused = choices.get(focus).and_then(|choice| choice.odds.as_ref());
    let first = || choices.iter().find_map(|choice| choice.odds.as_ref());
    let Some(odds) = focused.or_else(first) else { return Vec::new() };
    let mut spans = vec![Span::raw(" ")];
    for (index, band) in odds.bands.iter().take(8).enumerate() {
        let (sign, style) = theme.band(&band.tone, index);
        spans.push(Span::styled(sign, style));
        spans.push(Span::raw(format!(" {}  ", facts::line(&band.label))));
    }
    spans
}

/// Details of a choice beyond its row; first the whole label if it was cut. With one row, the
/// details are joined.
pub(super) fn detail(
    choice: &Choice,
    cut: bool,
    (columns, one_row): (usize, bool),
    theme: Theme,
) -> Vec<Line<'static>> {
    let parts = said(choice, cut, columns, theme);
    let broken = |words: &str, style| {
        let lines = wrap::lines(words, columns.max(1)).into_iter();
        lines.map(|line| styled(line, style)).collect::<Vec<_>>()
    };
    match &parts[..] {
        [(_, style), _, ..] if one_row => {
            let words: Vec<&str> =
                parts.iter().map(|(words, _)| words.trim_end_matches('.')).collect();
            broken(&words.join("; "), *style)
        }
        _ => parts.iter().flat_map(|(words, style)| broken(words, *style)).collect(),
    }
}

fn said(choice: &Choice, cut: bool, columns: usize, theme: Theme) -> Vec<(String, Style)> {
    let mut out = Vec::new();
    let mut add = |words: &str, style| out.push((words.to_owned(), style));
    if cut {
        add(&label(choice), theme.strong());
    }
    let note = facts::note(choice);
    if let Some(why) = &choice.closed {
        let why = format!("Closed: {}", facts::line(why));
        // On one row if they fit, because a second row would be taken from the choices.
        let both = format!("{why}; {note}");
        if !note.is_empty() && choice.odds.is_none() && text::width(&both) <= columns {
            add(&both, theme.plain());
            return out;
        }
        add(&why, theme.plain());
    }
    if !note.is_empty() {
        add(&note, theme.quiet());
    }
    if let Some(odds) = &choice.odds {
        let roll = facts::line(&odds.label);
        let roll = if roll.is_empty() { roll } else { format!("{roll}: ") };
        let percents = shares::percents(odds);
        let cases = odds.bands.iter().zip(percents).enumerate().map(|(index, (band, percent))| {
            let of = if index == 0 { format!(" of {}", odds.of) } else { String::new() };
            // The row of an enabled choice already shows its percentages.
            let share =
                if choice.closed.is_some() { format!(" ({percent})") } else { String::new() };
            format!("{} {}{of}{share}", facts::line(&band.label), band.cases)
        });
        add(&format!("{roll}{}", cases.collect::<Vec<_>>().join(", ")), theme.plain());
    }
    out
}
