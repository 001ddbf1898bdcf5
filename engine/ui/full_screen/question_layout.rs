//! The question at the bottom of the screen: its text, the choices with their odds or an input
//! field, and the details of the focused choice.

use base::host_text;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::text::{Line, Span};

use super::super::text_wrap;
use super::choice_columns::{self, ChoiceColumns};
use super::draw_screen::row_rect;
use super::screen::Screen;
use super::submenu_rows;
use super::theme::{HORIZONTAL_LINE, styled_line};
use super::widget_lines;
use base::text;
use protocol::AnswerType;

/// From this width on two choices may share a row.
const TWO_CHOICES_MIN_COLUMNS: u16 = 76;
/// The rows that the story keeps before details are shown.
const MIN_STORY_ROWS: u16 = 12;
/// The rows that it keeps beside the details of a choice that the player has gone to.
const MIN_STORY_ROWS_BESIDE_DETAILS: u16 = 8;
/// The widest question, so that odds stay near their labels.
const MAX_QUESTION_COLUMNS: u16 = 132;

/// The rows of each part of the question.
pub(super) struct QuestionLayout {
    rule_rows: u16,
    text_rows: u16,
    choice_rows: u16,
    /// Rows of submenus.
    submenu_rows: u16,
    detail_rows: u16,
    /// How many choices share a row.
    pub(super) choices_per_row: u16,
}

impl QuestionLayout {
    pub(super) fn total_rows(&self) -> u16 {
        self.rule_rows + self.text_rows + self.choice_rows + self.submenu_rows + self.detail_rows
    }
}

impl Screen {
    /// The layout of the question; the newest step of the story has so many rows.
    pub(super) fn lay_out_question(&self, area: Rect, newest_step_rows: u16) -> QuestionLayout {
        let area = limit_width(area);
        let columns = usize::from(area.width) - 2;
        let is_small = area.height < 14;
        let active_prompt = &self.active_prompt;
        let text_rows = match active_prompt.question_text() {
            "" => 0,
            text => text_wrap::wrap_markup(text, columns).len() as u16,
        };
        let table = self.choice_columns(area.width, 1);
        let details = active_prompt.visible_choices.choices.iter().map(|choice| {
            let columns = (columns, false);
            choice_columns::detail_lines(choice, table.truncates_label(choice), columns, self.theme)
                .len() as u16
        });
        // A multiple choice also shows how many choices are marked.
        let several = matches!(active_prompt.prompt.answer_type, AnswerType::MultipleChoice { .. });
        let form_detail_rows = self.max_row_detail_rows(columns).map(|rows| rows as u16);
        let details = details.max().map(|rows| rows + u16::from(several)).max(form_detail_rows);
        let wanted_rows = match active_prompt.prompt.answer_type {
            AnswerType::SingleChoice | AnswerType::MultipleChoice { .. } => {
                active_prompt.visible_choices.choices.len() as u16
            }
            AnswerType::Number { .. } | AnswerType::Text { .. } => 1,
        };
        let min_story_rows = if is_small { 4 } else { 6 };
        let mut parts = QuestionLayout {
            rule_rows: u16::from(!is_small),
            text_rows: text_rows.min((area.height / 4).max(1)),
            choice_rows: wanted_rows,
            submenu_rows: 0,
            detail_rows: 1,
            choices_per_row: 1,
        };
        // Submenus get the rows that the story can spare; in a repeating prompt only the minimum.
        let spare_rows = area.height.saturating_sub(parts.total_rows() + MIN_STORY_ROWS);
        let max_submenu_rows = if active_prompt.prompt.repeats { 0 } else { spare_rows };
        let pages = submenu_rows::arrange_rows(
            &active_prompt.visible_choices.submenus,
            columns,
            usize::from(max_submenu_rows),
        )
        .len() as u16;
        parts.submenu_rows = if is_small { pages.min(1) } else { pages };
        // Details get the rows that the story can spare beyond its minimum.
        let story_rows = match active_prompt.focus_was_chosen {
            _ if is_small || form_detail_rows.is_some() => 4,
            true => MIN_STORY_ROWS_BESIDE_DETAILS,
            false => MIN_STORY_ROWS,
        };
        // A step that is new is read before the choices are looked at.
        let is_new = !active_prompt.focus_was_chosen && form_detail_rows.is_none() && !is_small;
        let story_rows = if is_new { story_rows.max(newest_step_rows) } else { story_rows };
        let spare_rows = area.height.saturating_sub(parts.total_rows() + story_rows);
        parts.detail_rows = details.unwrap_or(1).clamp(1, (1 + spare_rows).clamp(1, 5));
        // If no choice has details, a story that is too short gets their row.
        let rows_show_everything = active_prompt
            .visible_choices
            .choices
            .iter()
            .all(|choice| table.shows_everything(choice));
        let is_single_choice = active_prompt.prompt.answer_type == AnswerType::SingleChoice
            && form_detail_rows.is_none();
        let is_story_too_short = area.height < parts.total_rows() + story_rows;
        parts.detail_rows -= u16::from(
            rows_show_everything
                && is_single_choice
                && active_prompt.visible_choices.submenus.is_empty()
                && is_story_too_short,
        );
        // The notice is always shown in full, even if the story gets shorter.
        let notice = match &*active_prompt.notice {
            "" => 0,
            why => text_wrap::wrap_lines(why, columns).len() as u16,
        };
        let least = parts.total_rows() - parts.detail_rows + wanted_rows.min(3)
            - parts.choice_rows.min(3)
            + 4;
        parts.detail_rows = parts.detail_rows.max(notice.min(area.height.saturating_sub(least)));
        let others = parts.rule_rows + parts.text_rows + parts.submenu_rows + parts.detail_rows;
        let room = area.height.saturating_sub(min_story_rows + others);
        let room = room.max(3);
        // Submenus shrink before the choices and before the last two rows of the story.
        let required_rows = others - parts.submenu_rows + wanted_rows.min(3) + 2;
        parts.submenu_rows =
            parts.submenu_rows.min(area.height.saturating_sub(required_rows).max(1));
        // A visible choice is worth more than one row of the story.
        let room = room + u16::from(!is_small && wanted_rows == room + 1);
        // Two choices share a row before choices are hidden; labels are cut only for many.
        let odds = active_prompt.visible_choices.choices.iter().any(|choice| choice.odds.is_some());
        if wanted_rows > room
            && wanted_rows.div_ceil(2) <= room
            && !odds
            && area.width >= TWO_CHOICES_MIN_COLUMNS
            && (wanted_rows > room + room / 2
                || self.fits_labels(self.choice_columns(area.width, 2)))
        {
            parts.choices_per_row = 2;
        }
        parts.choice_rows = wanted_rows.div_ceil(parts.choices_per_row).min(room);
        // At least one row of the story and one choice stay visible.
        let excess_rows =
            |parts: &QuestionLayout| (parts.total_rows() + 1).saturating_sub(area.height);
        parts.detail_rows -= excess_rows(&parts).min(parts.detail_rows.saturating_sub(1));
        parts.text_rows -= excess_rows(&parts).min(parts.text_rows.saturating_sub(1));
        parts.choice_rows -= excess_rows(&parts).min(parts.choice_rows.saturating_sub(1));
        parts
    }

    /// Whether no label is cut.
    fn fits_labels(&self, table: ChoiceColumns) -> bool {
        let choices = &self.active_prompt.visible_choices.choices;
        !choices.iter().any(|choice| table.truncates_label(choice))
    }

    /// The layout of the choices with so many in a row.
    fn choice_columns(&self, columns: u16, choices_per_row: u16) -> ChoiceColumns {
        let many =
            matches!(self.active_prompt.prompt.answer_type, AnswerType::MultipleChoice { .. });
        ChoiceColumns::new(
            &self.active_prompt.visible_choices.choices,
            (many, self.active_prompt.prompt.repeats),
            usize::from(columns / choices_per_row),
            self.theme,
        )
    }

    pub(super) fn draw_question(&mut self, area: Rect, parts: &QuestionLayout, buf: &mut Buffer) {
        let mut y = area.y;
        if parts.rule_rows == 1 {
            self.draw_rule(row_rect(area, 0), buf);
            y += 1;
        }
        let area = limit_width(area);
        let inner = usize::from(area.width) - 2;
        let lines = widget_lines::paragraph_lines(
            self.active_prompt.question_text(),
            inner,
            self.theme.text_style(),
        );
        for line in &widget_lines::limit_rows(lines, usize::from(parts.text_rows), inner) {
            buf.set_line(area.x + 1, y, line, area.width - 1);
            y += 1;
        }
        let choices = Rect { y, height: parts.choice_rows, ..area };
        match &self.active_prompt.prompt.answer_type {
            AnswerType::SingleChoice | AnswerType::MultipleChoice { .. } => {
                self.draw_choices(choices, parts.choices_per_row, buf)
            }
            AnswerType::Number { .. } | AnswerType::Text { .. } => {
                self.draw_input_field(choices, buf)
            }
        }
        let pages = Rect { y: y + parts.choice_rows, height: parts.submenu_rows, ..area };
        self.draw_submenus(pages, buf);
        let detail = Rect { y: pages.bottom(), height: parts.detail_rows, ..area };
        self.draw_detail(detail, parts.choices_per_row, buf);
    }

    fn draw_rule(&self, area: Rect, buf: &mut Buffer) {
        let rule = HORIZONTAL_LINE.repeat(usize::from(area.width));
        buf.set_line(area.x, area.y, &styled_line(rule, self.theme.quiet_style()), area.width);
        let legend = Line::from(choice_columns::odds_legend(
            &self.active_prompt.visible_choices.choices,
            self.active_prompt.focus,
            self.theme,
        ));
        let (width, area) = (legend.width() as u16, limit_width(area));
        if width > 0 && width + 4 <= area.width {
            // The legend stands above the odds that it explains.
            let right = area.x + self.choice_columns(area.width, 1).odds_end_column() as u16;
            let x = right.saturating_sub(width + 1).max(area.x + 2);
            buf.set_stringn(
                x,
                area.y,
                " ".repeat(usize::from(width)),
                usize::from(width),
                self.theme.background_style(),
            );
            buf.set_line(x, area.y, &legend, width);
        }
    }

    fn draw_choices(&mut self, area: Rect, choices_per_row: u16, buf: &mut Buffer) {
        let many =
            matches!(self.active_prompt.prompt.answer_type, AnswerType::MultipleChoice { .. });
        let table = self.choice_columns(area.width, choices_per_row);
        let all = self.active_prompt.visible_choices.choices.len();
        let height = usize::from(area.height);
        let active_prompt = &mut self.active_prompt;
        active_prompt.rows_per_column = if choices_per_row > 1 { height } else { 0 };
        let room = height * usize::from(choices_per_row);
        active_prompt.first_visible_choice =
            active_prompt.first_visible_choice.min(all.saturating_sub(room));
        let focus = active_prompt.focus.min(all.saturating_sub(1));
        active_prompt.first_visible_choice = active_prompt
            .first_visible_choice
            .clamp((focus + 1).saturating_sub(room), focus.max((focus + 1).saturating_sub(room)));
        let (first, below) = (
            active_prompt.first_visible_choice,
            all.saturating_sub(active_prompt.first_visible_choice + room),
        );
        let hidden_count_texts = hidden_count_texts(first, below);
        // On the last row if choices below are hidden, else on the first.
        let sign_index = if below > 0 { first + room - 1 } else { first };
        let mut signs = None;
        let visible_choices =
            active_prompt.visible_choices.choices.iter().enumerate().skip(first).take(room);
        active_prompt.choice_hit_areas.clear();
        for (place, (index, choice)) in visible_choices.enumerate() {
            let mark = many.then(|| active_prompt.selected_choices.contains(&index));
            let key = active_prompt.visible_choices.keys.get(index).copied().flatten();
            let focused = index == active_prompt.focus && self.focused_form_row.is_none();
            let width = area.width / choices_per_row;
            let x = area.x + width * (place / height.max(1)) as u16;
            let y = area.y + (place % height.max(1)) as u16;
            // The number of hidden choices stands in the row of a visible one, before its odds.
            let room = |sign: &&String| {
                table.with_fewer_columns(text::display_width(sign)).fits_label(choice)
            };
            let sign = hidden_count_texts
                .iter()
                .find(room)
                .or(hidden_count_texts.last())
                .filter(|_| index == sign_index);
            let sign_columns = sign.map_or(0, |sign| text::display_width(sign));
            let line_of =
                table.with_fewer_columns(sign_columns).choice_line(key, choice, focused, mark);
            buf.set_line(x, y, &line_of, width);
            signs = sign.map(|sign| (x + line_of.width() as u16, y, sign)).or(signs);
            active_prompt.choice_hit_areas.push((Rect { x, y, width, height: 1 }, index));
        }
        if let Some((x, y, sign)) = signs {
            buf.set_stringn(x, y, sign, usize::from(area.right() - x), self.theme.overlay_style());
        }
    }

    /// Draws the input field of a number or a line of text.
    fn draw_input_field(&self, area: Rect, buf: &mut Buffer) {
        let active_prompt = &self.active_prompt;
        let range = match &active_prompt.prompt.answer_type {
            AnswerType::Number { min, max, .. } => {
                host_text!("   {min} to {max}", min = min, max = max)
            }
            AnswerType::Text { max_length, .. } => {
                host_text!(
                    "   {count} of {max}",
                    count = active_prompt.typed_text.chars().count(),
                    max = max_length
                )
            }
            _ => String::new(),
        };
        let room = usize::from(area.width).saturating_sub(text::display_width(&range) + 5).max(1);
        let mut typed = active_prompt.typed_text.as_str();
        while text::display_width(typed) > room {
            typed = &typed[typed.chars().next().map_or(0, char::len_utf8)..];
        }
        let x = area.x + 3 + text::display_width(typed) as u16;
        self.caret.set(Some(Position { x: x.min(area.right().saturating_sub(1)), y: area.y }));
        let cursor = self.theme.overlay_style();
        let field = Line::from(vec![
            Span::styled(" > ", self.theme.strong_style()),
            Span::styled(typed.to_owned(), self.theme.strong_style()),
            Span::styled(" ", cursor),
            Span::styled(range, self.theme.quiet_style()),
        ]);
        buf.set_line(area.x, area.y, &field, area.width);
    }

    fn draw_detail(&self, area: Rect, choices_per_row: u16, buf: &mut Buffer) {
        let active_prompt = &self.active_prompt;
        let table = self.choice_columns(area.width, choices_per_row);
        let one_row = area.height == 1;
        let detail = |choice, inner| {
            choice_columns::detail_lines(
                choice,
                table.truncates_label(choice),
                (inner, one_row),
                self.theme,
            )
        };
        let inner = usize::from(area.width) - 2;
        let lines = match (&active_prompt.prompt.answer_type, active_prompt.focused_choice()) {
            _ if !active_prompt.notice.is_empty() => {
                let lines = text_wrap::wrap_lines(&active_prompt.notice, inner).into_iter();
                lines.map(|line| styled_line(line, self.theme.bad_style())).collect()
            }
            (AnswerType::MultipleChoice { min, max }, _) => {
                let marked = active_prompt.selected_choices.len();
                let mut lines = vec![styled_line(
                    host_text!(
                        "{count} marked; choose {min} to {max}.",
                        count = marked,
                        min = min,
                        max = max
                    ),
                    self.theme.text_style(),
                )];
                let focused = active_prompt.focused_choice();
                lines.extend(focused.into_iter().flat_map(|one| detail(one, inner)));
                lines
            }
            (_, focused) if self.focused_form_row.is_some() => self
                .row_detail_lines(inner)
                .or_else(|| focused.map(|choice| detail(choice, inner)))
                .unwrap_or_default(),
            (_, Some(choice)) => detail(choice, inner),
            (_, None) => active_prompt.submenu_lines(inner, self.theme),
        };
        let lines = widget_lines::limit_rows(lines, usize::from(area.height), inner);
        for (index, line) in lines.iter().enumerate() {
            buf.set_line(area.x + 1, area.y + index as u16, line, area.width - 2);
        }
    }
}

/// Limits an area to the width of a question.
fn limit_width(area: Rect) -> Rect {
    Rect { width: area.width.min(MAX_QUESTION_COLUMNS), ..area }
}

/// How many choices are hidden, as a longer and a shorter text.
fn hidden_count_texts(above: usize, below: usize) -> Vec<String> {
    match (above, below) {
        (0, 0) => Vec::new(),
        (0, _) => vec![host_text!(" {below} below ", below = below)],
        (_, 0) => vec![host_text!(" {above} above ", above = above)],
        _ => vec![
            host_text!(" {above} above, {below} below ", above = above, below = below),
            host_text!(" {below} below ", below = below),
        ],
    }
}
