//! The question at the bottom of the screen: its text, the choices with their odds or an input
//! field, and the details of the focused choice.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::text::{Line, Span};

use super::super::wrap;
use super::choices::{self, ChoiceColumns};
use super::draw::row_rect;
use super::screen::Screen;
use super::submenu_rows;
use super::theme::{RULE, styled};
use super::widget_lines;
use crate::base::text;
use crate::protocol::AnswerType;

/// From this width on two choices may share a row.
const TWO_PER_ROW_MIN_COLUMNS: u16 = 76;
/// The rows that the story keeps before details are shown.
const MIN_STORY_ROWS: u16 = 12;
/// The widest question, so that odds stay near their labels.
const MAX_COLUMNS: u16 = 132;

/// The rows of each part of the question.
pub(super) struct QuestionLayout {
    rule: u16,
    text: u16,
    choices: u16,
    /// Rows of submenus.
    submenus: u16,
    detail: u16,
    /// How many choices share a row.
    pub(super) choices_per_row: u16,
}

impl QuestionLayout {
    pub(super) fn total_rows(&self) -> u16 {
        self.rule + self.text + self.choices + self.submenus + self.detail
    }
}

impl Screen {
    pub(super) fn lay_out_question(&self, area: Rect) -> QuestionLayout {
        let area = limit_width(area);
        let columns = usize::from(area.width) - 2;
        let small = area.height < 14;
        let asked = &self.active;
        let text_rows = match asked.question_text() {
            "" => 0,
            text => wrap::marked_lines(text, columns).len() as u16,
        };
        let table = self.choice_table(area.width, 1);
        let details = asked.visible.choices.iter().map(|choice| {
            let columns = (columns, false);
            choices::detail_lines(choice, table.truncates_label(choice), columns, self.theme).len()
                as u16
        });
        // A multiple choice also shows how many choices are marked.
        let several = matches!(asked.prompt.ask, AnswerType::Many { .. });
        let of_rows = self.max_row_detail_rows(columns).map(|rows| rows as u16);
        let details = details.max().map(|rows| rows + u16::from(several)).max(of_rows);
        let wanted = match asked.prompt.ask {
            AnswerType::One | AnswerType::Many { .. } => asked.visible.choices.len() as u16,
            AnswerType::Number { .. } | AnswerType::Text { .. } => 1,
        };
        let story = if small { 4 } else { 6 };
        let mut parts = QuestionLayout {
            rule: u16::from(!small),
            text: text_rows.min((area.height / 4).max(1)),
            choices: wanted,
            submenus: 0,
            detail: 1,
            choices_per_row: 1,
        };
        // Submenus get the rows that the story can spare; in a repeating prompt only the minimum.
        let spare = area.height.saturating_sub(parts.total_rows() + MIN_STORY_ROWS);
        let most = if asked.prompt.rounds { 0 } else { spare };
        let pages = submenu_rows::arrange_rows(&asked.visible.submenus, columns, usize::from(most))
            .len() as u16;
        parts.submenus = if small { pages.min(1) } else { pages };
        // Details get the rows that the story can spare beyond its minimum.
        let kept = if small || of_rows.is_some() { 4 } else { MIN_STORY_ROWS };
        let spare = area.height.saturating_sub(parts.total_rows() + kept);
        parts.detail = details.unwrap_or(1).clamp(1, (1 + spare).clamp(1, 5));
        // If no choice has details, a story that is too short gets their row.
        let told = asked.visible.choices.iter().all(|choice| table.shows_everything(choice));
        let one = asked.prompt.ask == AnswerType::One && of_rows.is_none();
        let short = area.height < parts.total_rows() + kept;
        parts.detail -= u16::from(told && one && asked.visible.submenus.is_empty() && short);
        // The notice is always shown in full, even if the story gets shorter.
        let notice = match &*asked.notice {
            "" => 0,
            why => wrap::lines(why, columns).len() as u16,
        };
        let least = parts.total_rows() - parts.detail + wanted.min(3) - parts.choices.min(3) + 4;
        parts.detail = parts.detail.max(notice.min(area.height.saturating_sub(least)));
        let others = parts.rule + parts.text + parts.submenus + parts.detail;
        let room = area.height.saturating_sub(story + others);
        let room = room.max(3);
        // Submenus shrink before the choices and before the last two rows of the story.
        let without = others - parts.submenus + wanted.min(3) + 2;
        parts.submenus = parts.submenus.min(area.height.saturating_sub(without).max(1));
        // A visible choice is worth more than one row of the story.
        let room = room + u16::from(!small && wanted == room + 1);
        // Two choices share a row before choices are hidden.
        let odds = asked.visible.choices.iter().any(|choice| choice.odds.is_some());
        if wanted > room
            && wanted.div_ceil(2) <= room
            && !odds
            && area.width >= TWO_PER_ROW_MIN_COLUMNS
        {
            parts.choices_per_row = 2;
        }
        parts.choices = wanted.div_ceil(parts.choices_per_row).min(room);
        // At least one row of the story and one choice stay visible.
        let over = |parts: &QuestionLayout| (parts.total_rows() + 1).saturating_sub(area.height);
        parts.detail -= over(&parts).min(parts.detail.saturating_sub(1));
        parts.text -= over(&parts).min(parts.text.saturating_sub(1));
        parts.choices -= over(&parts).min(parts.choices.saturating_sub(1));
        parts
    }

    /// The layout of the choices with so many in a row.
    fn choice_table(&self, columns: u16, abreast: u16) -> ChoiceColumns {
        let many = matches!(self.active.prompt.ask, AnswerType::Many { .. });
        ChoiceColumns::new(
            &self.active.visible.choices,
            many,
            usize::from(columns / abreast),
            self.theme,
        )
    }

    pub(super) fn draw_question(&mut self, area: Rect, parts: &QuestionLayout, buf: &mut Buffer) {
        let mut y = area.y;
        if parts.rule == 1 {
            self.draw_rule(row_rect(area, 0), buf);
            y += 1;
        }
        let area = limit_width(area);
        let inner = usize::from(area.width) - 2;
        let lines = widget_lines::paragraph(self.active.question_text(), inner, self.theme.plain());
        for line in &widget_lines::fit_rows(lines, usize::from(parts.text), inner) {
            buf.set_line(area.x + 1, y, line, area.width - 1);
            y += 1;
        }
        let choices = Rect { y, height: parts.choices, ..area };
        match &self.active.prompt.ask {
            AnswerType::One | AnswerType::Many { .. } => {
                self.draw_choices(choices, parts.choices_per_row, buf)
            }
            AnswerType::Number { .. } | AnswerType::Text { .. } => self.draw_field(choices, buf),
        }
        let pages = Rect { y: y + parts.choices, height: parts.submenus, ..area };
        self.draw_submenus(pages, buf);
        let detail = Rect { y: pages.bottom(), height: parts.detail, ..area };
        self.draw_detail(detail, parts.choices_per_row, buf);
    }

    fn draw_rule(&self, area: Rect, buf: &mut Buffer) {
        let rule = RULE.repeat(usize::from(area.width));
        buf.set_line(area.x, area.y, &styled(rule, self.theme.quiet()), area.width);
        let legend = Line::from(choices::legend(
            &self.active.visible.choices,
            self.active.focus,
            self.theme,
        ));
        let (width, area) = (legend.width() as u16, limit_width(area));
        if width > 0 && width + 4 <= area.width {
            // The legend stands above the odds that it explains.
            let right = area.x + self.choice_table(area.width, 1).right_edge() as u16;
            let x = right.saturating_sub(width + 1).max(area.x + 2);
            buf.set_stringn(
                x,
                area.y,
                " ".repeat(usize::from(width)),
                usize::from(width),
                self.theme.background(),
            );
            buf.set_line(x, area.y, &legend, width);
        }
    }

    fn draw_choices(&mut self, area: Rect, abreast: u16, buf: &mut Buffer) {
        let many = matches!(self.active.prompt.ask, AnswerType::Many { .. });
        let table = self.choice_table(area.width, abreast);
        let all = self.active.visible.choices.len();
        let height = usize::from(area.height);
        let asked = &mut self.active;
        asked.rows_per_column = if abreast > 1 { height } else { 0 };
        let room = height * usize::from(abreast);
        asked.first_visible = asked.first_visible.min(all.saturating_sub(room));
        let focus = asked.focus.min(all.saturating_sub(1));
        asked.first_visible = asked
            .first_visible
            .clamp((focus + 1).saturating_sub(room), focus.max((focus + 1).saturating_sub(room)));
        let (first, below) = (asked.first_visible, all.saturating_sub(asked.first_visible + room));
        let beyond = hidden_counts(first, below);
        // On the last row if choices below are hidden, else on the first.
        let signed = if below > 0 { first + room - 1 } else { first };
        let mut signs = None;
        let shown = asked.visible.choices.iter().enumerate().skip(first).take(room);
        asked.hit_areas.clear();
        for (place, (index, choice)) in shown.enumerate() {
            let mark = many.then(|| asked.marks.contains(&index));
            let key = asked.visible.keys.get(index).copied().flatten();
            let focused = index == asked.focus && self.row_focus.is_none();
            let width = area.width / abreast;
            let x = area.x + width * (place / height.max(1)) as u16;
            let y = area.y + (place % height.max(1)) as u16;
            // The number of hidden choices stands in the row of a visible one, before its odds.
            let room = |sign: &&String| table.narrowed_by(text::width(sign)).fits_label(choice);
            let sign = beyond.iter().find(room).or(beyond.last()).filter(|_| index == signed);
            let kept = sign.map_or(0, |sign| text::width(sign));
            let line_of = table.narrowed_by(kept).choice_line(key, choice, focused, mark);
            buf.set_line(x, y, &line_of, width);
            signs = sign.map(|sign| (x + line_of.width() as u16, y, sign)).or(signs);
            asked.hit_areas.push((Rect { x, y, width, height: 1 }, index));
        }
        if let Some((x, y, sign)) = signs {
            buf.set_stringn(x, y, sign, usize::from(area.right() - x), self.theme.overlay());
        }
    }

    /// Draws the input field of a number or a line of text.
    fn draw_field(&self, area: Rect, buf: &mut Buffer) {
        let asked = &self.active;
        let range = match &asked.prompt.ask {
            AnswerType::Number { min, max, .. } => format!("   {min} to {max}"),
            AnswerType::Text { max_length, .. } => {
                format!("   {} of {max_length}", asked.typed.chars().count())
            }
            _ => String::new(),
        };
        let room = usize::from(area.width).saturating_sub(text::width(&range) + 5).max(1);
        let mut typed = asked.typed.as_str();
        while text::width(typed) > room {
            typed = &typed[typed.chars().next().map_or(0, char::len_utf8)..];
        }
        let x = area.x + 3 + text::width(typed) as u16;
        self.caret.set(Some(Position { x: x.min(area.right().saturating_sub(1)), y: area.y }));
        let cursor = self.theme.overlay();
        let field = Line::from(vec![
            Span::styled(" > ", self.theme.strong()),
            Span::styled(typed.to_owned(), self.theme.strong()),
            Span::styled(" ", cursor),
            Span::styled(range, self.theme.quiet()),
        ]);
        buf.set_line(area.x, area.y, &field, area.width);
    }

    fn draw_detail(&self, area: Rect, abreast: u16, buf: &mut Buffer) {
        let asked = &self.active;
        let table = self.choice_table(area.width, abreast);
        let one_row = area.height == 1;
        let detail = |choice, inner| {
            choices::detail_lines(
                choice,
                table.truncates_label(choice),
                (inner, one_row),
                self.theme,
            )
        };
        let inner = usize::from(area.width) - 2;
        let lines = match (&asked.prompt.ask, asked.focused_choice()) {
            _ if !asked.notice.is_empty() => {
                let lines = wrap::lines(&asked.notice, inner).into_iter();
                lines.map(|line| styled(line, self.theme.bad())).collect()
            }
            (AnswerType::Many { min, max }, _) => {
                let marked = asked.marks.len();
                let mut lines = vec![styled(
                    format!("{marked} marked; choose {min} to {max}."),
                    self.theme.plain(),
                )];
                let focused = asked.focused_choice();
                lines.extend(focused.into_iter().flat_map(|one| detail(one, inner)));
                lines
            }
            (_, focused) if self.row_focus.is_some() => self
                .row_detail(inner)
                .or_else(|| focused.map(|choice| detail(choice, inner)))
                .unwrap_or_default(),
            (_, Some(choice)) => detail(choice, inner),
            (_, None) => asked.submenu_lines(inner, self.theme),
        };
        let lines = widget_lines::fit_rows(lines, usize::from(area.height), inner);
        for (index, line) in lines.iter().enumerate() {
            buf.set_line(area.x + 1, area.y + index as u16, line, area.width - 2);
        }
    }
}

/// Limits an area to the width of a question.
fn limit_width(area: Rect) -> Rect {
    Rect { width: area.width.min(MAX_COLUMNS), ..area }
}

/// How many choices are hidden, as a longer and a shorter text.
fn hidden_counts(above: usize, below: usize) -> Vec<String> {
    match (above, below) {
        (0, 0) => Vec::new(),
        (0, _) => vec![format!(" {below} below ")],
        (_, 0) => vec![format!(" {above} above ")],
        _ => vec![format!(" {above} above, {below} below "), format!(" {below} below ")],
    }
}
