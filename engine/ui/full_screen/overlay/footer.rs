//! The last line of a page: its keys, and how much is beyond its edges.

use super::super::keymap::{KeyAction, Keymap};
use super::{Overlay, OverlayContent};
use crate::text_wrap;
use base::{host_text, text};

impl Overlay {
    /// The keys of this page and the number of lines beyond its edges, as far as they fit.
    pub(super) fn footer(&self, keymap: &Keymap, columns: usize) -> String {
        if let Some(typed) = &self.search_input {
            return text_wrap::truncate(
                &host_text!(
                    "{input}_   Enter searches, Esc cancels",
                    input = search_input_text(typed)
                ),
                columns,
            );
        }
        let mut words = vec![host_text!("{key} back", key = keymap.key_text(KeyAction::Close))];
        if !self.notice.is_empty() {
            return text_wrap::truncate(&format!(" {}   {}", self.notice, words[0]), columns);
        }
        if let OverlayContent::Cards(cards, at, listed) = &self.content
            && cards.len() > 1
        {
            let key = keymap.key_text(KeyAction::Examine);
            words.push(match listed {
                true => host_text!("{key} examine", key = key),
                false => host_text!(
                    "{key} next ({card} of {all})",
                    key = key,
                    card = at + 1,
                    all = cards.len()
                ),
            });
        }
        if !self.search_text.is_empty() {
            words.push(match self.match_line {
                Some(_) => {
                    host_text!("{key} previous match", key = keymap.key_text(KeyAction::NextMatch))
                }
                None => host_text!("\"{text}\" was not found", text = self.search_text),
            });
        }
        let (above, below) = (self.top_line, self.lines_below());
        let (search, mut beyond) =
            (host_text!("{key} search", key = keymap.key_text(KeyAction::Search)), Vec::new());
        if (above, below) != (0, 0) {
            let keys = [KeyAction::Up, KeyAction::Down, KeyAction::PageUp, KeyAction::PageDown];
            let keys = keys.map(|action| keymap.key_text(action)).join(" ");
            beyond = vec![
                vec![
                    search.clone(),
                    host_text!(
                        "{above} lines above, {below} below: {keys}",
                        above = above,
                        below = below,
                        keys = keys
                    ),
                ],
                vec![
                    search,
                    host_text!("{above} above, {below} below", above = above, below = below),
                ],
                vec![host_text!("{above} above, {below} below", above = above, below = below)],
                vec![host_text!("{below} below", below = below)],
            ];
            if below > 0 {
                let reads_on =
                    host_text!("{key} reads on", key = keymap.key_text(KeyAction::TakeChoice));
                beyond.iter_mut().for_each(|more| more.insert(0, reads_on.clone()));
            }
        } else if self.is_log() {
            beyond = vec![vec![search]];
        }
        let lines = beyond.iter().map(|more| [&words[..], more].concat().join("   "));
        let mut lines = lines.chain([words.join("   ")]).map(|line| format!(" {line}"));
        let fits = |line: &String| text::display_width(line) <= columns;
        lines.find(fits).unwrap_or_else(|| text_wrap::truncate(&words.join("   "), columns))
    }
}

/// The search as it is typed, up to the cursor.
pub(super) fn search_input_text(typed: &str) -> String {
    host_text!(" Search: {typed}", typed = typed)
}
