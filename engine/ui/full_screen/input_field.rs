//! The input field for a number or a line of text. Pasted text goes only here and never answers a
//! prompt.

use base::host_text;
use crossterm::event::KeyCode;

use super::keymap::KeyAction;
use super::screen::Screen;
use crate::frontend::Answer;
use base::text;
use protocol::{AnswerType, Input};

impl Screen {
    /// Inserts pasted text. Line ends become spaces.
    pub fn insert_pasted_text(&mut self, pasted: &str) {
        self.active_prompt.notice.clear();
        let lines = pasted.split(['\n', '\r', '\t']).filter(|line| !line.is_empty());
        let line = lines.collect::<Vec<_>>().join(" ");
        let keys = line.chars().map(KeyCode::Char);
        if let Some(overlay) = &mut self.overlay {
            return overlay.paste_into_search(keys);
        }
        if let Some(console) = &mut self.console_line {
            return console.push_str(&text::strip_unprintable(&line));
        }
        match self.active_prompt.prompt.answer_type {
            AnswerType::Text { .. } => keys.for_each(|key| drop(self.press_text_key(key))),
            AnswerType::Number { .. } if line.trim().parse::<i64>().is_ok() => {
                line.trim().clone_into(&mut self.active_prompt.typed_text);
                self.active_prompt.replaces_typed_text = false;
            }
            _ => self.active_prompt.notice = host_text!("Pasted text is ignored here."),
        }
    }

    pub(super) fn press_number_key(
        &mut self,
        code: KeyCode,
        action: Option<KeyAction>,
        min: i64,
        max: i64,
    ) -> Option<Answer> {
        let is_host_prompt = self.active_prompt.prompt.is_from_host();
        let active_prompt = &mut self.active_prompt;
        let current_number: i64 = active_prompt.typed_text.parse().unwrap_or(min);
        // Typing replaces the default value and a value set by arrow keys.
        let is_movement = action.is_some_and(KeyAction::is_movement);
        let mut set_number =
            |number: i64| active_prompt.typed_text = number.clamp(min, max).to_string();
        match (action, code) {
            (Some(KeyAction::Up | KeyAction::Right), _) => {
                set_number(current_number.saturating_add(1))
            }
            (Some(KeyAction::Down | KeyAction::Left), _) => {
                set_number(current_number.saturating_sub(1))
            }
            (Some(KeyAction::FocusFirst), _) => set_number(min),
            (Some(KeyAction::FocusLast), _) => set_number(max),
            (_, KeyCode::Backspace) => drop(active_prompt.typed_text.pop()),
            (_, KeyCode::Char(c @ ('0'..='9' | '-'))) if active_prompt.typed_text.len() < 20 => {
                if active_prompt.replaces_typed_text || active_prompt.typed_text == "0" {
                    active_prompt.typed_text.clear();
                }
                active_prompt.typed_text.push(c);
            }
            (Some(KeyAction::TakeChoice), _) => {
                return match active_prompt.typed_text.parse() {
                    Ok(number) => self.submit_input(Input::Number(number)),
                    Err(_) => {
                        active_prompt.notice = host_text!("This is not a whole number.");
                        None
                    }
                };
            }
            (_, KeyCode::Esc) if is_host_prompt => return Some(Answer::Leave),
            _ => return None,
        }
        active_prompt.replaces_typed_text = is_movement;
        None
    }

    pub(super) fn press_text_key(&mut self, code: KeyCode) -> Option<Answer> {
        let AnswerType::Text { max_length, .. } = self.active_prompt.prompt.answer_type else {
            return None;
        };
        let is_host_prompt = self.active_prompt.prompt.is_from_host();
        let active_prompt = &mut self.active_prompt;
        match code {
            KeyCode::Backspace => drop(active_prompt.typed_text.pop()),
            // Host prompts can be left.
            KeyCode::Esc
                if is_host_prompt
                    && (active_prompt.replaces_typed_text
                        || active_prompt.typed_text.is_empty()) =>
            {
                return Some(Answer::Leave);
            }
            KeyCode::Esc => active_prompt.typed_text.clear(),
            // A character that joins the previous one is checked together with it.
            KeyCode::Char(c)
                if c != '\n'
                    && (text::is_printable(c)
                        || text::is_legitimate_joiner(
                            &active_prompt.typed_text,
                            c,
                            Some('\u{2190}'),
                        )) =>
            {
                if active_prompt.replaces_typed_text {
                    active_prompt.typed_text.clear();
                }
                match active_prompt.typed_text.chars().count() < max_length {
                    true => active_prompt.typed_text.push(c),
                    false => {
                        active_prompt.notice =
                            host_text!("At most {max} characters are allowed.", max = max_length)
                    }
                }
            }
            KeyCode::Enter => {
                let line = active_prompt.typed_text.clone();
                return self.submit_input(Input::Text(line));
            }
            _ => return None,
        }
        active_prompt.replaces_typed_text = false;
        None
    }
}
