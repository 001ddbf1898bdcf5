//! What each key does. The help page and the line of keys are made from the same list.

use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

use super::overlay::Overlay;
use super::screen::{Asked, Screen};
use crate::kit::text;
use crate::play::{Ask, Input};
use crate::ui::front::Answer;

/// A key and what it does now.
pub(super) struct Hint {
    pub(super) key: String,
    pub(super) does: &'static str,
    /// How soon it gives way on the line of keys; the least stays longest.
    pub(super) need: u8,
}

/// The need of keys that the help page alone tells of.
pub(super) const RARE: u8 = 100;

impl Screen {
    /// Takes a key; an answer if it gave one. Only presses count.
    pub fn press(&mut self, key: KeyEvent) -> Option<Answer> {
        if key.kind != KeyEventKind::Press {
            return None;
        }
        self.asked.notice.clear();
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        if control && matches!(key.code, KeyCode::Char('c' | 'C')) {
            return Some(Answer::Quit);
        }
        if control || key.modifiers.contains(KeyModifiers::ALT) {
            return None;
        }
        if let Some(overlay) = &mut self.overlay {
            if overlay.press(key.code) {
                self.overlay = None;
            }
            return None;
        }
        if let Some(line) = &mut self.line {
            match key.code {
                KeyCode::Esc => self.line = None,
                KeyCode::Backspace if line.pop().is_none() => self.line = None,
                KeyCode::Char(c) if text::is_plain(c) && c != '\n' => line.push(c),
                KeyCode::Enter => return self.line.take().map(Answer::Console),
                _ => {}
            }
            return None;
        }
        match key.code {
            KeyCode::PageUp => self.story.scroll(-1),
            KeyCode::PageDown => self.story.scroll(1),
            KeyCode::F(1) => self.overlay = Some(Overlay::help(&self.hints())),
            _ if self.asked.writes() => return self.write(key.code),
            KeyCode::Char('R') => return Some(self.broken_off()),
            KeyCode::Char(':') if self.console => self.line = Some(String::new()),
            KeyCode::Char('?') => self.overlay = Some(Overlay::help(&self.hints())),
            KeyCode::Char('Q') => return Some(Answer::Leave),
            KeyCode::Char('m') => self.overlay = Some(Overlay::log()),
            KeyCode::Char('c') => self.overlay = Some(Overlay::sheet(&self.asked.view)),
            KeyCode::Char(' ') if !self.takes_several() => self.story.scroll(1),
            code => return self.answer(code),
        }
        None
    }

    fn takes_several(&self) -> bool {
        matches!(self.asked.prompt.ask, Ask::Many { .. })
    }

    fn answer(&mut self, code: KeyCode) -> Option<Answer> {
        if let Ask::Number { min, max, .. } = self.asked.prompt.ask {
            return self.count(code, min, max);
        }
        match code {
            KeyCode::Down | KeyCode::Char('j') => self.asked.step(1),
            KeyCode::Up | KeyCode::Char('k') => self.asked.step(-1),
            KeyCode::Right | KeyCode::Char('l') => self.asked.step(self.asked.rows as isize),
            KeyCode::Left | KeyCode::Char('h') => self.asked.step(-(self.asked.rows as isize)),
            KeyCode::Home => self.asked.focus = 0,
            KeyCode::End => self.asked.focus = self.asked.prompt.choices.len().saturating_sub(1),
            KeyCode::Char('x') => {
                match self.asked.focused().and_then(|choice| choice.card.as_ref()) {
                    Some(card) => self.overlay = Some(Overlay::card(card)),
                    None => self.asked.notice = "There is no more to see of this one.".to_owned(),
                }
            }
            KeyCode::Char(digit @ '0'..='9') => {
                if self.asked.type_digit(digit) {
                    return self.take();
                }
                return None;
            }
            KeyCode::Char(' ') => self.asked.toggle(),
            KeyCode::Enter if self.takes_several() => return self.offer_many(),
            KeyCode::Enter => return self.take(),
            _ => {}
        }
        self.asked.typed.clear();
        None
    }

    /// Takes the choice in focus: as the answer, or as one of several.
    fn take(&mut self) -> Option<Answer> {
        self.asked.typed.clear();
        if self.takes_several() {
            self.asked.toggle();
            return None;
        }
        let id = self.asked.focused()?.id.clone();
        self.offer(Input::Choice(id))
    }

    fn offer_many(&mut self) -> Option<Answer> {
        let chosen = self.asked.marks.iter().filter_map(|at| self.asked.prompt.choices.get(*at));
        let ids = chosen.map(|choice| choice.id.clone()).collect();
        self.offer(Input::Many(ids))
    }

    fn offer(&mut self, input: Input) -> Option<Answer> {
        match self.asked.prompt.accepts(&input) {
            Ok(()) => Some(Answer::Input(self.answered(input))),
            Err(why) => {
                self.asked.notice = format!("{}.", text::clean(&why));
                None
            }
        }
    }

    fn count(&mut self, code: KeyCode, min: i64, max: i64) -> Option<Answer> {
        let asked = &mut self.asked;
        let now: i64 = asked.typed.parse().unwrap_or(min);
        let mut set = |number: i64| asked.typed = number.clamp(min, max).to_string();
        match code {
            KeyCode::Up | KeyCode::Right | KeyCode::Char('k' | 'l' | '+') => {
                set(now.saturating_add(1));
            }
            KeyCode::Down | KeyCode::Left | KeyCode::Char('j' | 'h') => set(now.saturating_sub(1)),
            KeyCode::Home => set(min),
            KeyCode::End => set(max),
            KeyCode::Backspace => drop(asked.typed.pop()),
            KeyCode::Char(c @ ('0'..='9' | '-')) if asked.typed.len() < 20 => {
                if asked.untouched {
                    asked.typed.clear();
                }
                asked.typed.push(c);
            }
            KeyCode::Enter => {
                return match asked.typed.parse() {
                    Ok(number) => self.offer(Input::Number(number)),
                    Err(_) => {
                        asked.notice = "This is no whole number.".to_owned();
                        None
                    }
                };
            }
            _ => return None,
        }
        asked.untouched = false;
        None
    }

    fn write(&mut self, code: KeyCode) -> Option<Answer> {
        let Ask::Text { max_length, .. } = self.asked.prompt.ask else { return None };
        let asked = &mut self.asked;
        match code {
            KeyCode::Backspace => drop(asked.typed.pop()),
            KeyCode::Esc => asked.typed.clear(),
            KeyCode::Char(c) if text::is_plain(c) && c != '\n' => {
                if asked.untouched {
                    asked.typed.clear();
                }
                match asked.typed.chars().count() < max_length {
                    true => asked.typed.push(c),
                    false => asked.notice = format!("At most {max_length} characters fit."),
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

    /// What can be done now.
    pub(super) fn hints(&self) -> Vec<Hint> {
        let asked = &self.asked;
        let hint = |key: &str, does, need| Hint { key: key.to_owned(), does, need };
        let numbers = match asked.prompt.choices.len() {
            0 | 1 => "1".to_owned(),
            count => format!("1-{count}"),
        };
        let mut hints = match &asked.prompt.ask {
            Ask::One => vec![
                hint(&numbers, "choose", 0),
                hint("Enter", "take", 6),
                hint("Up/Down", "move", 7),
            ],
            Ask::Many { .. } => vec![
                hint(&numbers, "mark", 3),
                hint("Space", "mark", 7),
                hint("Enter", "done", 0),
                hint("Up/Down", "move", 8),
            ],
            Ask::Number { .. } => vec![
                hint("Up/Down", "more or less", 6),
                hint("0-9", "type it", 7),
                hint("Enter", "done", 0),
            ],
            Ask::Text { .. } => vec![
                hint("Enter", "done", 0),
                hint("Esc", "clear", 2),
                hint("Backspace", "rub out", 3),
            ],
        };
        if asked.focused().is_some_and(|choice| choice.card.is_some()) {
            hints.push(hint("x", "examine", 4));
        }
        if asked.writes() {
            hints.push(hint("F1", "help", 1));
        } else {
            if !asked.view.widgets.is_empty() {
                hints.push(hint("c", "sheet", 3));
            }
            hints.push(hint("m", "log", 5));
            hints.extend([hint("?", "help", 1), hint("Q", "leave", 2)]);
            hints.push(hint("j, k", "move, as the arrows do", RARE));
            hints.push(hint("R", "the mods once more, as they lie on disk", RARE));
            if self.console {
                hints.push(hint(":", "a line for the console", RARE));
            }
            if !self.takes_several() {
                hints.push(hint("Space", "read on", RARE));
            }
            hints.push(hint("F1", "help, also while a text is asked for", RARE));
        }
        hints.push(hint("PgUp/PgDn", "the story, back and forth", RARE));
        hints.push(hint("Ctrl-C", "the end of the program; nothing is lost", RARE));
        hints.push(hint("Ctrl-Z", "put the program aside, where the shell can", RARE));
        hints
    }
}

impl Asked {
    fn step(&mut self, by: isize) {
        let all = self.prompt.choices.len();
        if all > 0 {
            let from = self.focus.min(all - 1) as isize;
            self.focus = (from + by).rem_euclid(all as isize) as usize;
        }
    }

    fn toggle(&mut self) {
        let Some(choice) = self.focused() else { return };
        if let Some(why) = &choice.closed {
            self.notice = format!("Closed: {}", text::unmarked(why));
        } else if !self.marks.remove(&self.focus) {
            self.marks.insert(self.focus);
        }
    }

    /// Takes a digit of a choice's number; whether the number is complete. Where no longer number
    /// could be meant, one digit is enough.
    fn type_digit(&mut self, digit: char) -> bool {
        let all = self.prompt.choices.len();
        let number_of = |typed: &str| typed.parse::<usize>().ok().filter(|n| (1..=all).contains(n));
        self.typed.push(digit);
        let number = number_of(&self.typed).or_else(|| {
            self.typed = digit.to_string();
            number_of(&self.typed)
        });
        let Some(number) = number else {
            self.typed.clear();
            return false;
        };
        self.focus = number - 1;
        number * 10 > all
    }
}
