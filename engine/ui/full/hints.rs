//! The keys that work now. The key line and the help page come from the same list, which follows
//! the key map.

use super::cards;
use super::keymap::{Action, Keymap};
use super::keys::HOST;
use super::screen::Screen;
use super::sight::Open;
use crate::play::Ask;
use crate::play::view::Widget;

/// A key and what it does now.
pub(super) struct Hint {
    /// The key as the key line shows it.
    pub(super) key: String,
    /// All keys that do it, for the help page.
    pub(super) keys: String,
    pub(super) does: String,
    /// The order in which hints leave a narrow key line; the lowest stays longest.
    pub(super) need: u8,
}

/// The `need` of keys that only the help page shows.
pub(super) const RARE: u8 = 100;

/// Collects hints.
struct Hints<'a> {
    keymap: &'a Keymap,
    list: Vec<Hint>,
}

impl Hints<'_> {
    fn add(&mut self, action: Action, does: &str, need: u8) {
        let key = self.keymap.shown(action);
        if !key.is_empty() {
            let keys = self.keymap.all_shown(action);
            self.list.push(Hint { key, keys, does: does.to_owned(), need });
        }
    }

    /// Two actions with one hint.
    fn pair(&mut self, one: Action, other: Action, does: &str, need: u8) {
        let (key, with) = (self.keymap.shown(one), self.keymap.shown(other));
        let keys = format!("{}, {}", self.keymap.all_shown(one), self.keymap.all_shown(other));
        if !key.is_empty() && !with.is_empty() {
            self.list.push(Hint {
                key: format!("{key}/{with}"),
                keys,
                does: does.to_owned(),
                need,
            });
        }
    }

    /// A key that cannot be rebound.
    fn fixed(&mut self, key: &str, does: &str, need: u8) {
        let (key, does) = (key.to_owned(), does.to_owned());
        self.list.push(Hint { keys: key.clone(), key, does, need });
    }
}

impl Screen {
    /// The keys that work now.
    pub(super) fn hints(&self) -> Vec<Hint> {
        let asked = &self.asked;
        let mut hints = Hints { keymap: &self.keymap, list: Vec::new() };
        let numbers = asked.sight.keys_shown();
        match &asked.prompt.ask {
            Ask::One => {
                hints.fixed(&numbers, "choose", 0);
                if self.row.is_some() {
                    hints.pair(Action::Left, Action::Right, "set", 2);
                }
                hints.add(Action::Take, "take", 6);
                hints.pair(Action::Up, Action::Down, "move", 7);
                if asked.sight.open != Open::Whole {
                    hints.add(Action::Close, Keymap::does(Action::Close), 2);
                } else if asked.way_back().is_some() {
                    hints.add(Action::Close, Keymap::does(Action::Close), 4);
                }
            }
            Ask::Many { .. } => {
                hints.fixed(&numbers, "mark", 3);
                hints.add(Action::Mark, "mark", 7);
                hints.add(Action::Take, "done", 0);
                hints.pair(Action::Up, Action::Down, "move", 8);
            }
            Ask::Number { .. } => {
                hints.pair(Action::Up, Action::Down, "more or less", 6);
                hints.fixed("0-9", "type it", 7);
                hints.fixed("Backspace", "delete", RARE);
                hints.add(Action::Take, "done", 0);
                if asked.prompt.scene.starts_with(HOST) {
                    hints.fixed("Esc", "back", 2);
                }
            }
            Ask::Text { .. } => {
                hints.fixed("Enter", "done", 0);
                let leaves = asked.prompt.scene.starts_with(HOST)
                    && (asked.untouched || asked.typed.is_empty());
                hints.fixed("Esc", if leaves { "back" } else { "clear" }, 2);
                hints.fixed("Backspace", "delete", 3);
                hints.fixed("F1", "help", 1);
            }
        }
        if !asked.writes() {
            self.everywhere(&mut hints);
        }
        hints.pair(Action::PageUp, Action::PageDown, "scroll the story", RARE);
        if !asked.writes() && self.mouse {
            hints.fixed(
                "mouse",
                "click a choice to focus it, again to take it; the wheel scrolls the story",
                RARE,
            );
        }
        hints.fixed("Ctrl-C", "quit the program; everything is saved", RARE);
        hints.fixed("Ctrl-L", "redraw the screen", RARE);
        hints.fixed("Ctrl-Z", "suspend the program, if the shell can", RARE);
        hints.list
    }

    /// The keys that work at every prompt except a text field.
    fn everywhere(&self, hints: &mut Hints<'_>) {
        let asked = &self.asked;
        if !cards::all(&asked.prompt, &asked.view, asked.focused_at()).is_empty() {
            hints.add(Action::Examine, "examine", 4);
        }
        if !asked.view.widgets.is_empty() {
            hints.add(Action::Sheet, "sheet", 3);
        }
        if asked.view.widgets.iter().any(|placed| matches!(placed.widget, Widget::Map { .. })) {
            hints.add(Action::Map, "map", 4);
            if asked.leads_on() {
                hints.add(Action::Explore, "explore", 5);
            }
        }
        hints.add(Action::Log, "log", 5);
        if self.practice {
            hints.add(Action::Undo, "undo", 2);
        }
        hints.add(Action::Help, "help", 1);
        hints.add(Action::Leave, "leave", 2);
        hints.add(Action::Reload, Keymap::does(Action::Reload), RARE);
        if self.console {
            hints.add(Action::Console, Keymap::does(Action::Console), RARE);
        }
        hints.add(Action::Search, "search the log", RARE);
        if matches!(asked.prompt.ask, Ask::One | Ask::Many { .. }) {
            if asked.rows > 0 {
                hints.pair(Action::Left, Action::Right, "move to the other column", RARE);
            }
            hints.pair(Action::First, Action::Last, "move to the first or last choice", RARE);
        } else {
            hints.pair(Action::First, Action::Last, "set the minimum or maximum", RARE);
        }
        if !matches!(asked.prompt.ask, Ask::Many { .. }) {
            hints.add(Action::Mark, "scroll the story on", RARE);
        }
    }
}
