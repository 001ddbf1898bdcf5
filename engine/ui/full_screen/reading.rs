//! Reading: a new story that does not fit above its question has the screen alone, and the question
//! opens after it.

use base::host_text;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::draw_screen::row_rect;
use super::keymap::KeyAction;
use super::reading_state::ReadingState;
use super::screen::Screen;
use super::scroll_hint::clear_rule;
use super::theme::{HORIZONTAL_LINE, styled_line};
use base::text;
use protocol::AnswerType;

/// Lines that stay in sight when the story is read on.
const OVERLAP_ROWS: usize = 2;

impl Screen {
    /// Whether there is new text to read before a choice is taken.
    pub(super) fn has_unread_story(&self) -> bool {
        let has_typed_text = !self.active_prompt.typed_text.is_empty();
        self.story.has_unread()
            && !has_typed_text
            && self.active_prompt.prompt.answer_type == AnswerType::SingleChoice
    }

    /// Whether the story is read before the question is shown.
    pub(super) fn is_question_closed(&self) -> bool {
        matches!(self.active_prompt.reading_state, ReadingState::StoryAlone { .. })
    }

    /// Closes the question if the newest step does not fit into the rows that it leaves: those now,
    /// and those after reading.
    pub(super) fn close_question_while_reading(
        &mut self,
        newest_rows: usize,
        (story_rows, rows_after_reading): (usize, usize),
    ) {
        let story_alone = ReadingState::StoryAlone { rows_beside_question: rows_after_reading };
        self.active_prompt.reading_state = match self.active_prompt.reading_state {
            ReadingState::Undecided => {
                let is_list = self.active_prompt.prompt.answer_type == AnswerType::SingleChoice;
                let is_new = !self.story.is_read() && newest_rows > story_rows;
                let is_answering = self.active_prompt.focus_was_chosen;
                match is_list && self.form.is_none() && is_new && !is_answering {
                    true => story_alone,
                    false => ReadingState::Together,
                }
            }
            // The window may have changed.
            ReadingState::StoryAlone { .. } => story_alone,
            decided => decided,
        };
    }

    /// Handles a key while the question is closed; returns whether that is all it does.
    pub(super) fn press_reading_key(&mut self, action: Option<KeyAction>) -> bool {
        let ReadingState::StoryAlone { rows_beside_question } = self.active_prompt.reading_state
        else {
            return false;
        };
        match action {
            Some(KeyAction::TakeChoice | KeyAction::ToggleMark | KeyAction::PageDown) => {
                self.active_prompt.take_needs_second_press = true;
                let below = self.story.rows_below();
                match below == 0 || below + OVERLAP_ROWS <= rows_beside_question {
                    true => self.open_question(),
                    false => self.story.scroll_pages(1),
                }
            }
            Some(
                KeyAction::PageUp
                | KeyAction::Help
                | KeyAction::Leave
                | KeyAction::Undo
                | KeyAction::Reload
                | KeyAction::Console
                | KeyAction::Log
                | KeyAction::Search
                | KeyAction::Dice
                | KeyAction::Sheet
                | KeyAction::Map
                | KeyAction::Explore,
            ) => return false,
            Some(_) => {
                self.open_question();
                return false;
            }
            // The key of a choice takes nothing that is not in sight.
            None => self.open_question(),
        }
        true
    }

    fn open_question(&mut self) {
        self.active_prompt.reading_state = ReadingState::ReadFirst;
        self.story.mark_read();
    }

    /// Draws the story, with a rule for the closed question.
    pub(super) fn draw_story_alone(&mut self, area: Rect, buf: &mut Buffer) {
        self.active_prompt.choice_hit_areas.clear();
        let rule = HORIZONTAL_LINE.repeat(usize::from(area.width));
        let row = row_rect(area, area.height - 1);
        buf.set_line(row.x, row.y, &styled_line(rule, self.theme.quiet_style()), row.width);
        self.draw_story(Rect { height: area.height - 1, ..area }, buf);
        if self.story.rows_below() > 0 {
            return;
        }
        let key = self.keymap.key_text(KeyAction::TakeChoice);
        let words = host_text!(" {key} reads on: the choices ", key = key);
        clear_rule(buf, row.x, row.y, text::display_width(&words), self.theme);
        buf.set_stringn(row.x, row.y, &words, usize::from(row.width), self.theme.overlay_style());
    }
}
