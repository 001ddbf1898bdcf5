//! The rows of a form between the story and the question. Up moves from the choices into the rows;
//! left and right change the focused row. Their answers add nothing to the story.

use crossterm::event::KeyCode;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::super::form::{FieldControl, Form, FormField as Row, accept_row_choice};
use super::super::{display_text, text_wrap};
use super::keymap::KeyAction;
use super::screen::Screen;
use super::theme::{HORIZONTAL_LINE, styled_line};
use crate::frontend::Answer;
use base::text;
use protocol::Choice;

/// The rows that the story keeps beside a form.
const MIN_STORY_ROWS: u16 = 4;

impl Screen {
    /// Sets the form of a prompt; in the same scene the focus stays.
    pub(super) fn set_form(&mut self, form: Option<Form>, is_same_scene: bool) {
        let keeps_focus = is_same_scene && self.form.is_some() && form.is_some();
        if !keeps_focus {
            self.focused_form_row = form.as_ref().map(|_| 0);
            self.focused_row_option = 0;
        }
        self.form = form;
    }

    fn focused_row(&self) -> Option<&Row> {
        self.form.as_ref()?.rows.get(self.focused_form_row?)
    }

    /// Handles a key for the form; `None` if it is not one of its keys.
    pub(super) fn press_form_key(
        &mut self,
        code: KeyCode,
        action: Option<KeyAction>,
    ) -> Option<Option<Answer>> {
        let rows = self.form.as_ref()?.rows.len();
        let Some(at) = self.focused_form_row else {
            if action == Some(KeyAction::Up) && self.active_prompt.focus == 0 {
                self.focus_row(rows.checked_sub(1)?);
                return Some(None);
            }
            return None;
        };
        match (action, code) {
            (Some(KeyAction::Up), _) => self.focus_row(at.saturating_sub(1)),
            (Some(KeyAction::Down), _) if at + 1 < rows => self.focus_row(at + 1),
            (Some(KeyAction::Down), _) => {
                (self.focused_form_row, self.active_prompt.focus) = (None, 0)
            }
            (Some(KeyAction::Right), _) | (None, KeyCode::Char('+')) => {
                return Some(self.step_focused_row(true));
            }
            (Some(KeyAction::Left), _) | (None, KeyCode::Char('-')) => {
                return Some(self.step_focused_row(false));
            }
            // One key cycles through the options, for devices with few keys.
            (Some(KeyAction::ToggleMark), _) => self.focus_next_option(),
            (Some(KeyAction::TakeChoice), _) if self.has_unread_story() => return None,
            (Some(KeyAction::TakeChoice), _) => return Some(self.submit_row()),
            _ => return None,
        }
        Some(None)
    }

    fn focus_row(&mut self, at: usize) {
        self.focused_form_row = Some(at);
        self.focused_row_option = match self.focused_row().map(|row| &row.control) {
            Some(FieldControl::Select { selected: now, .. }) => now.unwrap_or(0),
            _ => 0,
        };
    }

    fn focus_next_option(&mut self) {
        if let Some(FieldControl::Select { choices, .. }) =
            self.focused_row().map(|row| &row.control)
        {
            self.focused_row_option = (self.focused_row_option + 1) % choices.len().max(1);
        }
    }

    /// One step to the right or left.
    fn step_focused_row(&mut self, up: bool) -> Option<Answer> {
        match self.focused_row()?.control {
            FieldControl::Stepper { .. } => {
                let choice = self.focused_row()?.increment_or_decrement_choice(up)?.clone();
                self.submit_form_choice(&choice)
            }
            FieldControl::Select { ref choices, .. } => {
                let last = choices.len().saturating_sub(1);
                self.focused_row_option = if up {
                    (self.focused_row_option + 1).min(last)
                } else {
                    self.focused_row_option.saturating_sub(1)
                };
                None
            }
        }
    }

    /// Submits the focused option, or increases the number.
    fn submit_row(&mut self) -> Option<Answer> {
        let choice = match &self.focused_row()?.control {
            FieldControl::Select { choices, .. } => choices.get(self.focused_row_option)?.clone(),
            FieldControl::Stepper { .. } => return self.step_focused_row(true),
        };
        self.submit_form_choice(&choice)
    }

    fn submit_form_choice(&mut self, choice: &Choice) -> Option<Answer> {
        match accept_row_choice(choice) {
            Ok(input) => Some(Answer::Input(input)),
            Err(why) => {
                self.active_prompt.notice = format!("{why}.");
                None
            }
        }
    }

    /// The rows that the form takes in a window.
    pub(super) fn form_height(&self, area: Rect) -> u16 {
        let Some(form) = &self.form else { return 0 };
        let rule_rows = u16::from(area.height >= 14);
        // The question keeps its rule, its text, one choice and its details.
        let room = area.height.saturating_sub(MIN_STORY_ROWS + 5 + rule_rows);
        (form.rows.len() as u16).min(room.max(1)) + rule_rows
    }

    pub(super) fn draw_form(&self, area: Rect, buf: &mut Buffer) {
        let Some(form) = &self.form else { return };
        let rule_rows = usize::from(usize::from(area.height) > form.rows.len() || area.height > 8);
        if rule_rows == 1 {
            let rule = HORIZONTAL_LINE.repeat(usize::from(area.width));
            buf.set_line(area.x, area.y, &styled_line(rule, self.theme.quiet_style()), area.width);
            let label = format!(" {} ", form.label);
            buf.set_line(
                area.x + 1,
                area.y,
                &styled_line(label, self.theme.heading_style()),
                area.width - 1,
            );
        }
        let room = usize::from(area.height) - rule_rows;
        // If not all rows fit, the focused one is visible.
        let first = (self.focused_form_row.unwrap_or(0) + 1).saturating_sub(room);
        let widest = self.widest_row_label();
        for (at, line) in form.rows.iter().enumerate().skip(first).take(room) {
            let row_line = self.row_line(
                line,
                self.focused_form_row == Some(at),
                widest,
                usize::from(area.width),
            );
            let y = (rule_rows + at - first) as u16;
            buf.set_line(area.x, area.y + y, &row_line, area.width);
        }
    }

    fn row_line(&self, line: &Row, focused: bool, widest: usize, columns: usize) -> Line<'static> {
        let theme = self.theme;
        let style = if focused { theme.strong_style() } else { theme.text_style() };
        let label = super::widget_lines::truncate_or_pad(&line.label, widest);
        let mut spans =
            vec![Span::styled(format!("{} {label}  ", if focused { ">" } else { " " }), style)];
        match &line.control {
            FieldControl::Stepper { value, decrement: less, increment: more } => {
                let sign = |sign: &'static str, choice: &Option<Box<Choice>>| match choice
                    .as_ref()
                    .is_some_and(|choice| choice.is_enabled())
                {
                    true => Span::styled(sign, theme.strong_style()),
                    false => Span::styled(" ", theme.quiet_style()),
                };
                spans.push(sign("−", less));
                spans.push(Span::styled(format!(" {value:>2} "), style));
                spans.push(sign("+", more));
                spans.push(Span::raw("  "));
            }
            FieldControl::Select { choices, selected: now } => {
                let width = |choice: &Choice| {
                    text::display_width(&display_text::markup_on_one_line(&choice.label)) + 2
                };
                let fit = widest + 3 + choices.iter().map(width).sum::<usize>() <= columns;
                // If not all options fit, only the focused or selected one is shown.
                let single_option =
                    if focused { self.focused_row_option } else { now.unwrap_or(0) };
                for (at, choice) in choices.iter().enumerate() {
                    if !fit && at != single_option {
                        continue;
                    }
                    let words = display_text::markup_on_one_line(&choice.label);
                    let words =
                        if *now == Some(at) { format!("[{words}]") } else { format!(" {words} ") };
                    let style = match () {
                        () if focused && self.focused_row_option == at => theme.overlay_style(),
                        () if !choice.is_enabled() => theme.quiet_style(),
                        () if *now == Some(at) => theme.strong_style(),
                        () => theme.text_style(),
                    };
                    spans.push(Span::styled(words, style));
                }
                spans.push(Span::raw("  "));
            }
        }
        let note = self.row_note(line, focused);
        let used: usize = spans.iter().map(|span| text::display_width(&span.content)).sum();
        let room = columns.saturating_sub(used + 1);
        if room >= 8 {
            spans.push(Span::styled(text_wrap::truncate(&note, room), theme.quiet_style()));
        }
        Line::from(spans)
    }

    fn widest_row_label(&self) -> usize {
        let rows = self.form.iter().flat_map(|form| &form.rows);
        rows.map(|row| text::display_width(&row.label)).max().unwrap_or(0)
    }

    /// The note beside a row; for a focused selection, the note of the focused option.
    fn row_note(&self, line: &Row, focused: bool) -> String {
        match (&line.control, focused) {
            (FieldControl::Select { choices, .. }, true) => choices
                .get(self.focused_row_option)
                .map_or(String::new(), |choice| display_text::markup_on_one_line(&choice.note)),
            _ => line.note.clone(),
        }
    }

    /// The note of the focused row, below the choices if it does not fit beside the row.
    pub(super) fn row_detail_lines(&self, columns: usize) -> Option<Vec<Line<'static>>> {
        let line = self.focused_row()?;
        let note = self.row_note(line, true);
        let drawn = self.row_line(line, true, self.widest_row_label(), columns + 2);
        if drawn.spans.last().is_some_and(|span| span.content == note) {
            return Some(Vec::new());
        }
        let lines = text_wrap::wrap_lines(&note, columns.max(1)).into_iter();
        Some(lines.map(|line| styled_line(line, self.theme.quiet_style())).collect())
    }

    /// The rows of the longest note, so that nothing moves when the focus changes.
    pub(super) fn max_row_detail_rows(&self, columns: usize) -> Option<usize> {
        let rows = &self.form.as_ref()?.rows;
        let notes = rows.iter().flat_map(|row| match &row.control {
            FieldControl::Select { choices, .. } => choices
                .iter()
                .map(|choice| display_text::markup_on_one_line(&choice.note))
                .collect(),
            FieldControl::Stepper { .. } => vec![row.note.clone()],
        });
        notes.map(|note| text_wrap::wrap_lines(&note, columns.max(1)).len()).max()
    }
}
