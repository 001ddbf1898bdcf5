//! The input field for a number or a line of text. Pasted text goes only here and never answers a
//! prompt.

use crossterm::event::KeyCode;

use super::keymap::Action;
use super::screen::Screen;
use crate::base::text;
use crate::protocol::{AnswerType, Input};
use crate::ui::frontend::Answer;

impl Screen {
    /// Inserts pasted text. Line ends become spaces.
    pub fn paste(&mut self, pasted: &str) {
        self.active.notice.clear();
        let lines = pasted.split(['\n', '\r', '\t']).filter(|line| !line.is_empty());
        let line = lines.collect::<Vec<_>>().join(" ");
        let keys = line.chars().map(KeyCode::Char);
        if let Some(overlay) = &mut self.overlay {
            return overlay.paste(keys);
        }
        if let Some(console) = &mut self.console_line {
            return console.push_str(&text::strip_unprintable(&line));
        }
        match self.active.prompt.ask {
            AnswerType::Text { .. } => keys.for_each(|key| drop(self.press_in_text(key))),
            AnswerType::Number { .. } if line.trim().parse::<i64>().is_ok() => {
                line.trim().clone_into(&mut self.active.typed);
                self.active.replaces_typed = false;
            }
            _ => self.active.notice = "Pasted text is ignored here.".to_owned(),
        }
    }

    pub(super) fn press_in_number(
        &mut self,
        code: KeyCode,
        action: Option<Action>,
        min: i64,
        max: i64,
    ) -> Option<Answer> {
        let host = self.active.is_host_prompt();
        let asked = &mut self.active;
        let now: i64 = asked.typed.parse().unwrap_or(min);
        // Typing replaces the default value and a value set by arrow keys.
        let moved = action.is_some_and(Action::is_movement);
        let mut set = |number: i64| asked.typed = number.clamp(min, max).to_string();
        match (action, code) {
            (Some(Action::Up | Action::Right), _) => set(now.saturating_add(1)),
            (Some(Action::Down | Action::Left), _) => set(now.saturating_sub(1)),
            (Some(Action::First), _) => set(min),
            (Some(Action::Last), _) => set(max),
            (_, KeyCode::Backspace) => drop(asked.typed.pop()),
            (_, KeyCode::Char(c @ ('0'..='9' | '-'))) if asked.typed.len() < 20 => {
                if asked.replaces_typed || asked.typed == "0" {
                    asked.typed.clear();
                }
                asked.typed.push(c);
            }
            (Some(Action::Take), _) => {
                return match asked.typed.parse() {
                    Ok(number) => self.submit(Input::Number(number)),
                    Err(_) => {
                        asked.notice = "This is not a whole number.".to_owned();
                        None
                    }
                };
            }
            (_, KeyCode::Esc) if host => return Some(Answer::Leave),
            _ => return None,
        }
        asked.replaces_typed = moved;
        None
    }

    pub(super) fn press_in_text(&mut self, code: KeyCode) -> Option<Answer> {
        let AnswerType::Text { max_length, .. } = self.active.prompt.ask else { return None };
        let host = self.active.is_host_prompt();
        let asked = &mut self.active;
        match code {
            KeyCode::Backspace => drop(asked.typed.pop()),
            // Host prompts can be left.
            KeyCode::Esc if host && (asked.replaces_typed || asked.typed.is_empty()) => {
                return Some(Answer::Leave);
            }
            KeyCode::Esc => asked.typed.clear(),
            // A character that joins the previous one is checked together with it.
            KeyCode::Char(c)
                if c != '\n'
                    && (text::is_printable(c)
                        || text::is_legitimate_joiner(&asked.typed, c, Some('\u{2190}'))) =>
            {
                if asked.replaces_typed {
                    asked.typed.clear();
                }
                match asked.typed.chars().count() < max_length {
                    true => asked.typed.push(c),
                    false => asked.notice = format!("At most {max_length} characters are allowed."),
                }
            }
            KeyCode::Enter => {
                let line = asked.typed.clone();
                return self.submit(Input::Text(line));
            }
            _ => return None,
        }
        asked.replaces_typed = false;
        None
    }
}
