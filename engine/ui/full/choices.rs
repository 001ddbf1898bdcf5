//! The choices with their odds, and what there is to say about the one in focus.

use ratatui::text::{Line, Span};

use super::super::{facts, shares, wrap};
use super::look::{Look, styled};
use super::sheet::padded;
use crate::kit::text;
use crate::play::{Choice, Odds, Prompt};

/// Cells of the bar that shows odds: one for each face of the die that is thrown most.
const BAR_COLUMNS: usize = 20;

/// How the choices are laid out, the same for all of them.
pub(super) struct Table {
    number_columns: usize,
    label_columns: usize,
    bar_columns: usize,
    share_columns: usize,
    columns: usize,
    look: Look,
}

impl Table {
    /// The layout for a prompt at a width.
    pub(super) fn new(prompt: &Prompt, many: bool, columns: usize, look: Look) -> Self {
        let number_columns = prompt.choices.len().to_string().len() + if many { 4 } else { 0 };
        let bands = prompt.choices.iter().filter_map(|choice| choice.odds.as_ref());
        let bands = bands.map(|odds| odds.bands.len()).max().unwrap_or(0).min(8);
        let share_columns = if bands == 0 { 0 } else { bands * 4 + 1 };
        let lead = number_columns + 3;
        let labels = prompt.choices.iter().map(|choice| text::width(&label(choice)));
        let widest = labels.max().unwrap_or(0);
        let bar = share_columns > 0 && columns >= lead + 20 + BAR_COLUMNS + share_columns + 2;
        let bar_columns = if bar { BAR_COLUMNS } else { 0 };
        let right = match (share_columns, bar) {
            (0, _) => columns / 3,
            (_, true) => BAR_COLUMNS + share_columns + 2,
            (_, false) => share_columns + 2,
        };
        let label_columns = widest.min(columns.saturating_sub(lead + right).max(8));
        Self { number_columns, label_columns, bar_columns, share_columns, columns, look }
    }

    /// One choice on one line.
    pub(super) fn line(
        &self,
        index: usize,
        choice: &Choice,
        focused: bool,
        marked: Option<bool>,
    ) -> Line<'static> {
        let look = self.look;
        let open = choice.closed.is_none();
        let style = match (focused, open) {
            (true, _) => look.strong(),
            (false, true) => look.plain(),
            (false, false) => look.quiet(),
        };
        let mark = match marked {
            None => "",
            Some(true) => "[x] ",
            Some(false) => "[ ] ",
        };
        let width = self.number_columns - mark.len().min(self.number_columns);
        let lead = format!("{} {mark}{:>width$} ", if focused { ">" } else { " " }, index + 1);
        let words = label(choice);
        let lead_columns = self.number_columns + 3;
        // Only odds stand in columns of their own. Beside anything else a label may be longer, as
        // far as that leaves room for something readable.
        let beside = choice.closed.is_some() || !choice.note.is_empty();
        let kept = if beside { 24 } else { 0 };
        let most = self.columns.saturating_sub(lead_columns + kept + 1);
        let label_columns = match (&choice.odds, open) {
            (Some(_), true) => self.label_columns,
            _ => text::width(&words).min(most).max(self.label_columns),
        };
        let mut spans =
            vec![Span::styled(lead, style), Span::styled(padded(&words, label_columns), style)];
        let used = lead_columns + label_columns;
        let room = self.columns.saturating_sub(used + 2);
        match (&choice.closed, &choice.odds) {
            (Some(why), _) => {
                let why = wrap::cut(&format!("  closed: {}", facts::line(why)), room + 2);
                spans.push(Span::styled(why, look.quiet()));
            }
            (None, Some(odds)) => {
                let gap = self.columns.saturating_sub(used + self.bar_columns + self.share_columns);
                let gap = gap.saturating_sub(1);
                let note = if gap < 24 { String::new() } else { facts::line(&choice.note) };
                let note = padded(&format!("  {note}"), gap.saturating_sub(2));
                spans.push(Span::styled(padded(&note, gap), look.quiet()));
                spans.extend(self.odds(odds));
            }
            (None, None) if room >= 12 && !choice.note.is_empty() => {
                let note = wrap::cut(&format!("  {}", facts::line(&choice.note)), room + 2);
                spans.push(Span::styled(note, look.quiet()));
            }
            (None, None) => {}
        }
        Line::from(spans)
    }

    fn odds(&self, odds: &Odds) -> Vec<Span<'static>> {
        let mut spans = Vec::new();
        for (index, cells) in shares::cells(odds, self.bar_columns).into_iter().enumerate() {
            let (sign, style) = self.look.band(&odds.bands[index].tone, index);
            spans.push(Span::styled(sign.repeat(cells), style));
        }
        for percent in shares::whole_percents(odds).iter().take(8) {
            spans.push(Span::raw(format!("{percent:>4}")));
        }
        spans.push(Span::raw("%"));
        spans
    }
}

/// A choice's label with its cost behind it.
fn label(choice: &Choice) -> String {
    match choice.cost.is_empty() {
        true => facts::line(&choice.label),
        false => format!("{} [{}]", facts::line(&choice.label), facts::line(&choice.cost)),
    }
}

/// What the signs of a bar mean.
pub(super) fn legend(prompt: &Prompt, focus: usize, look: Look) -> Vec<Span<'static>> {
    let focused = prompt.choices.get(focus).and_then(|choice| choice.odds.as_ref());
    let first = || prompt.choices.iter().find_map(|choice| choice.odds.as_ref());
    let Some(odds) = focused.or_else(first) else { return Vec::new() };
    let mut spans = vec![Span::raw(" ")];
    for (index, band) in odds.bands.iter().take(8).enumerate() {
        let (sign, style) = look.band(&band.tone, index);
        spans.push(Span::styled(sign, style));
        spans.push(Span::raw(format!(" {}  ", facts::line(&band.label))));
    }
    spans
}

/// What there is to say about a choice beyond its line.
pub(super) fn detail(choice: &Choice, columns: usize, look: Look) -> Vec<Line<'static>> {
    let mut out = Vec::new();
    let mut add = |words: &str, style| {
        out.extend(wrap::lines(words, columns.max(1)).into_iter().map(|line| styled(line, style)));
    };
    if let Some(why) = &choice.closed {
        add(&format!("Closed: {}", facts::line(why)), look.plain());
    }
    if let Some(odds) = &choice.odds {
        let roll = facts::line(&odds.label);
        let roll = if roll.is_empty() { roll } else { format!("{roll}: ") };
        // The percentages stand in the line itself.
        let cases = odds.bands.iter().enumerate().map(|(index, band)| {
            let of = if index == 0 { format!(" of {}", odds.of) } else { String::new() };
            format!("{} {}{of}", facts::line(&band.label), band.cases)
        });
        add(&format!("{roll}{}", cases.collect::<Vec<_>>().join(", ")), look.plain());
    }
    if !choice.note.is_empty() {
        add(&facts::line(&choice.note), look.quiet());
    }
    out
}
