//! A pasted text: it is taken where a line of text is written, and nowhere else. It never gives an answer.

use crossterm::event::KeyCode;

use super::screen::Screen;
use crate::play::Ask;

impl Screen {
    /// Takes a text that was pasted. Its line ends are spaces, so that it stays in the line.
    pub fn paste(&mut self, text: &str) {
        self.asked.notice.clear();
        let lines = text.split(['\n', '\r', '\t']).filter(|line| !line.is_empty());
        let line = lines.collect::<Vec<_>>().join(" ");
        let keys = line.chars().map(KeyCode::Char);
        if let Some(overlay) = &mut self.overlay {
            return overlay.paste(keys);
        }
        if let Some(console) = &mut self.line {
            return console.push_str(&crate::kit::text::clean(&line));
        }
        match self.asked.prompt.ask {
            Ask::Text { .. } => keys.for_each(|key| drop(self.write(key))),
            Ask::Number { .. } if line.trim().parse::<i64>().is_ok() => {
                line.trim().clone_into(&mut self.asked.typed);
                self.asked.untouched = false;
            }
            _ => self.asked.notice = "What is pasted answers nothing here.".to_owned(),
        }
    }
}
