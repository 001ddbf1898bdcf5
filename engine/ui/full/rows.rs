//! The rows of a form between the story and the question. Up moves from the choices into the rows;
//! left and right change the focused row. Their answers add nothing to the story.

use crossterm::event::KeyCode;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::super::form::{Field, Form, Line as Row, why_closed};
use super::super::{facts, wrap};
use super::keymap::Action;
use super::screen::Screen;
use super::theme::{RULE, styled};
use crate::kit::text;
use crate::play::{Choice, Input};
use crate::ui::front::Answer;

/// The rows that the story keeps beside a form.
const STORY: u16 = 4;

impl Screen {
    /// Sets the form of a prompt; in the same scene the focus stays.
    pub(super) fn take_form(&mut self, form: Option<Form>, same: bool) {
        let kept = same && self.form.is_some() && form.is_some();
        if !kept {
            self.row = form.as_ref().map(|_| 0);
            self.pick = 0;
        }
        self.form = form;
    }

    fn row_in_focus(&self) -> Option<&Row> {
        self.form.as_ref()?.rows.get(self.row?)
    }

    /// Handles a key for the form; `None` if it is not one of its keys.
    pub(super) fn press_form(
        &mut self,
        code: KeyCode,
        action: Option<Action>,
    ) -> Option<Option<Answer>> {
        let rows = self.form.as_ref()?.rows.len();
        let Some(at) = self.row else {
            if action == Some(Action::Up) && self.asked.focus == 0 {
                self.focus_row(rows.checked_sub(1)?);
                return Some(None);
            }
            return None;
        };
        match (action, code) {
            (Some(Action::Up), _) => self.focus_row(at.saturating_sub(1)),
            (Some(Action::Down), _) if at + 1 < rows => self.focus_row(at + 1),
            (Some(Action::Down), _) => (self.row, self.asked.focus) = (None, 0),
            (Some(Action::Right), _) | (None, KeyCode::Char('+')) => return Some(self.set(true)),
            (Some(Action::Left), _) | (None, KeyCode::Char('-')) => return Some(self.set(false)),
            // One key cycles through the options, for devices with few keys.
            (Some(Action::Mark), _) => self.pick_next(),
            (Some(Action::Take), _) if self.reads_on() => return None,
            (Some(Action::Take), _) => return Some(self.take_row()),
            _ => return None,
        }
        Some(None)
    }

    fn focus_row(&mut self, at: usize) {
        self.row = Some(at);
        self.pick = match self.row_in_focus().map(|row| &row.field) {
            Some(Field::Picks { now, .. }) => now.unwrap_or(0),
            _ => 0,
        };
    }

    fn pick_next(&mut self) {
        if let Some(Field::Picks { choices, .. }) = self.row_in_focus().map(|row| &row.field) {
            self.pick = (self.pick + 1) % choices.len().max(1);
        }
    }

    /// One step to the right or left.
    fn set(&mut self, up: bool) -> Option<Answer> {
        match self.row_in_focus()?.field {
            Field::Stepper { .. } => {
                let choice = self.row_in_focus()?.step(up)?.clone();
                self.choose_in_form(&choice)
            }
            Field::Picks { ref choices, .. } => {
                let last = choices.len().saturating_sub(1);
                self.pick =
                    if up { (self.pick + 1).min(last) } else { self.pick.saturating_sub(1) };
                None
            }
        }
    }

    /// Submits the focused option, or increases the number.
    fn take_row(&mut self) -> Option<Answer> {
        let choice = match &self.row_in_focus()?.field {
            Field::Picks { choices, .. } => choices.get(self.pick)?.clone(),
            Field::Stepper { .. } => return self.set(true),
        };
        self.choose_in_form(&choice)
    }

    fn choose_in_form(&mut self, choice: &Choice) -> Option<Answer> {
        match why_closed(choice) {
            Some(why) => {
                self.asked.notice = format!("{why}.");
                None
            }
            None => Some(Answer::Input(Input::Choice(choice.id.clone()))),
        }
    }

    /// The rows that the form takes in a window.
    pub(super) fn form_rows(&self, area: Rect) -> u16 {
        let Some(form) = &self.form else { return 0 };
        let ruled = u16::from(area.height >= 14);
        // The question keeps its rule, its text, one choice and its details.
        let room = area.height.saturating_sub(STORY + 5 + ruled);
        (form.rows.len() as u16).min(room.max(1)) + ruled
    }

    pub(super) fn draw_form(&self, area: Rect, buf: &mut Buffer) {
        let Some(form) = &self.form else { return };
        let ruled = usize::from(usize::from(area.height) > form.rows.len() || area.height > 8);
        if ruled == 1 {
            let rule = RULE.repeat(usize::from(area.width));
            buf.set_line(area.x, area.y, &styled(rule, self.theme.quiet()), area.width);
            let label = format!(" {} ", form.label);
            buf.set_line(area.x + 1, area.y, &styled(label, self.theme.heading()), area.width - 1);
        }
        let room = usize::from(area.height) - ruled;
        // If not all rows fit, the focused one is visible.
        let first = (self.row.unwrap_or(0) + 1).saturating_sub(room);
        let widest = self.widest_row();
        for (at, line) in form.rows.iter().enumerate().skip(first).take(room) {
            let drawn = self.row_line(line, self.row == Some(at), widest, usize::from(area.width));
            let y = (ruled + at - first) as u16;
            buf.set_line(area.x, area.y + y, &drawn, area.width);
        }
    }

    fn row_line(&self, line: &Row, focused: bool, widest: usize, columns: usize) -> Line<'static> {
        let theme = self.theme;
        let style = if focused { theme.strong() } else { theme.plain() };
        let label = super::sheet::padded(&line.label, widest);
        let mut spans =
            vec![Span::styled(format!("{} {label}  ", if focused { ">" } else { " " }), style)];
        match &line.field {
            Field::Stepper { value, less, more } => {
                let sign = |sign: &'static str, choice: &Option<Box<Choice>>| match choice
                    .as_ref()
                    .is_some_and(|choice| choice.closed.is_none())
                {
                    true => Span::styled(sign, theme.strong()),
                    false => Span::styled(" ", theme.quiet()),
                };
                spans.push(sign("−", less));
                spans.push(Span::styled(format!(" {value:>2} "), style));
                spans.push(sign("+", more));
                spans.push(Span::raw("  "));
            }
            Field::Picks { choices, now } => {
                let width = |choice: &Choice| text::width(&facts::line(&choice.label)) + 2;
                let fit = widest + 3 + choices.iter().map(width).sum::<usize>() <= columns;
                // If not all options fit, only the focused or selected one is shown.
                let alone = if focused { self.pick } else { now.unwrap_or(0) };
                for (at, choice) in choices.iter().enumerate() {
                    if !fit && at != alone {
                        continue;
                    }
                    let words = facts::line(&choice.label);
                    let words =
                        if *now == Some(at) { format!("[{words}]") } else { format!(" {words} ") };
                    let style = match () {
                        () if focused && self.pick == at => theme.over(),
                        () if choice.closed.is_some() => theme.quiet(),
                        () if *now == Some(at) => theme.strong(),
                        () => theme.plain(),
                    };
                    spans.push(Span::styled(words, style));
                }
                spans.push(Span::raw("  "));
            }
        }
        let note = self.row_note(line, focused);
        let used: usize = spans.iter().map(|span| text::width(&span.content)).sum();
        let room = columns.saturating_sub(used + 1);
        if room >= 8 {
            spans.push(Span::styled(wrap::cut(&note, room), theme.quiet()));
        }
        Line::from(spans)
    }

    fn widest_row(&self) -> usize {
        let rows = self.form.iter().flat_map(|form| &form.rows);
        rows.map(|row| text::width(&row.label)).max().unwrap_or(0)
    }

    /// The note beside a row; for a focused selection, the note of the focused option.
    fn row_note(&self, line: &Row, focused: bool) -> String {
        match (&line.field, focused) {
            (Field::Picks { choices, .. }, true) => {
                choices.get(self.pick).map_or(String::new(), |choice| facts::line(&choice.note))
            }
            _ => line.note.clone(),
        }
    }

    /// The note of the focused row, below the choices if it does not fit beside the row.
    pub(super) fn row_detail(&self, columns: usize) -> Option<Vec<Line<'static>>> {
        let line = self.row_in_focus()?;
        let note = self.row_note(line, true);
        let drawn = self.row_line(line, true, self.widest_row(), columns + 2);
        if drawn.spans.last().is_some_and(|span| span.content == note) {
            return Some(Vec::new());
        }
        let lines = wrap::lines(&note, columns.max(1)).into_iter();
        Some(lines.map(|line| styled(line, self.theme.quiet())).collect())
    }

    /// The rows of the longest note, so that nothing moves when the focus changes.
    pub(super) fn row_detail_rows(&self, columns: usize) -> Option<usize> {
        let rows = &self.form.as_ref()?.rows;
        let notes = rows.iter().flat_map(|row| match &row.field {
            Field::Picks { choices, .. } => {
                choices.iter().map(|choice| facts::line(&choice.note)).collect()
            }
            Field::Stepper { .. } => vec![row.note.clone()],
        });
        notes.map(|note| wrap::lines(&note, columns.max(1)).len()).max()
    }
}
