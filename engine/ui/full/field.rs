//! The input field for a number or a line of text. Pasted text goes only here and never answers a
//! prompt.

use crossterm::event::KeyCode;

use super::keymap::Action;
use super::screen::Screen;
use crate::kit::text;
use crate::play::{Ask, Input};
use crate::ui::front::Answer;

impl Screen {
    /// Inserts pasted text. Line ends become spaces.
    pub fn paste(&mut self, pasted: &str) {
        self.asked.notice.clear();
        let lines = pasted.split(['\n', '\r', '\t']).filter(|line| !line.is_empty());
        let line = lines.collect::<Vec<_>>().join(" ");
        let keys = line.chars().map(KeyCode::Char);
        if let Some(overlay) = &mut self.overlay {
            return overlay.paste(keys);
        }
        if let Some(console) = &mut self.line {
            return console.push_str(&text::clean(&line));
        }
        match self.asked.prompt.ask {
            Ask::Text { .. } => keys.for_each(|key| drop(self.write(key))),
            Ask::Number { .. } if line.trim().parse::<i64>().is_ok() => {
                line.trim().clone_into(&mut self.asked.typed);
                self.asked.untouched = false;
            }
            _ => self.asked.notice = "Pasted text is ignored here.".to_owned(),
        }
    }

    pub(super) fn count(
        &mut self,
        code: KeyCode,
        action: Option<Action>,
        min: i64,
        max: i64,
    ) -> Option<Answer> {
        let host = self.asked.is_hosts();
        let asked = &mut self.asked;
        let now: i64 = asked.typed.parse().unwrap_or(min);
        // Typing replaces the default value and a value set by arrow keys.
        let moved = action.is_some_and(Action::moves);
        let mut set = |number: i64| asked.typed = number.clamp(min, max).to_string();
        match (action, code) {
            (Some(Action::Up | Action::Right), _) => set(now.saturating_add(1)),
            (Some(Action::Down | Action::Left), _) => set(now.saturating_sub(1)),
            (Some(Action::First), _) => set(min),
            (Some(Action::Last), _) => set(max),
            (_, KeyCode::Backspace) => drop(asked.typed.pop()),
            (_, KeyCode::Char(c @ ('0'..='9' | '-'))) if asked.typed.len() < 20 => {
                if asked.untouched || asked.typed == "0" {
                    asked.typed.clear();
                }
                asked.typed.push(c);
            }
            (Some(Action::Take), _) => {
                return match asked.typed.parse() {
                    Ok(number) => self.offer(Input::Number(number)),
                    Err(_) => {
                        asked.notice = "This is not a whole number.".to_owned();
                        None
                    }
                };
            }
            (_, KeyCode::Esc) if host => return Some(Answer::Leave),
            _ => return None,
        }
        asked.untouched = moved;
        None
    }

    pub(super) fn write(&mut self, code: KeyCode) -> Option<Answer> {
        let Ask::Text { max_length, .. } = self.asked.prompt.ask else { return None };
        let host = self.asked.is_hosts();
        let asked = &mut self.asked;
        match code {
            KeyCode::Backspace => drop(asked.typed.pop()),
            // Host prompts can be left.
            KeyCode::Esc if host && (asked.untouched || asked.typed.is_empty()) => {
                return Some(Answer::Leave);
            }
            KeyCode::Esc => asked.typed.clear(),
            // A character that joins the previous one is checked together with it.
            KeyCode::Char(c)
                if c != '\n'
                    && (text::is_plain(c) || text::joins(&asked.typed, c, Some('\u{2190}'))) =>
            {
                if asked.untouched {
                    asked.typed.clear();
                }
                match asked.typed.chars().count() < max_length {
                    true => asked.typed.push(c),
                    false => asked.notice = format!("At most {max_length} characters are allowed."),
                }
            }
            KeyCode::Enter => {
                let line = asked.typed.clone();
                return self.offer(Input::Text(line));
            }
            _ => return None,
        }
        asked.untouched = false;
        None
    }
}
