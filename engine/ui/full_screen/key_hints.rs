//! The keys that work now. The key line and the help page come from the same list, which follows
//! the key map.

use super::cards;
use super::key_hint::KeyHint;
use super::keymap::{KeyAction, Keymap};
use super::screen::Screen;
use super::visible_choices::PromptMode;
use base::host_text;
use protocol::AnswerType;
use protocol::view::Widget;

/// The `drop_order` of keys that only the help page shows.
pub(super) const HELP_ONLY_DROP_ORDER: u8 = 100;

/// Collects hints.
struct KeyHintList<'a> {
    keymap: &'a Keymap,
    hints: Vec<KeyHint>,
}

impl KeyHintList<'_> {
    fn add_action(&mut self, action: KeyAction, label: &str, drop_order: u8) {
        let key = self.keymap.key_text(action);
        if !key.is_empty() {
            let keys = self.keymap.all_key_text(action);
            self.hints.push(KeyHint { key, all_keys: keys, label: label.to_owned(), drop_order });
        }
    }

    /// Two actions with one hint.
    fn add_pair(&mut self, one: KeyAction, other: KeyAction, label: &str, drop_order: u8) {
        let (key, with) = (self.keymap.key_text(one), self.keymap.key_text(other));
        let keys =
            format!("{}, {}", self.keymap.all_key_text(one), self.keymap.all_key_text(other));
        if !key.is_empty() && !with.is_empty() {
            self.hints.push(KeyHint {
                key: format!("{key}/{with}"),
                all_keys: keys,
                label: label.to_owned(),
                drop_order,
            });
        }
    }

    /// A key that cannot be rebound.
    fn add_fixed_key(&mut self, key: &str, label: &str, drop_order: u8) {
        let (key, does) = (key.to_owned(), label.to_owned());
        self.hints.push(KeyHint { all_keys: key.clone(), key, label: does, drop_order });
    }
}

impl Screen {
    /// The keys that work now.
    pub(super) fn key_hints(&self) -> Vec<KeyHint> {
        let active_prompt = &self.active_prompt;
        let mut hints = KeyHintList { keymap: &self.keymap, hints: Vec::new() };
        let key_summary = active_prompt.visible_choices.key_summary();
        match &active_prompt.prompt.answer_type {
            AnswerType::SingleChoice if self.is_question_closed() => {
                hints.add_action(KeyAction::TakeChoice, &host_text!("read on"), 0);
            }
            AnswerType::SingleChoice => {
                hints.add_fixed_key(&key_summary, &host_text!("choose"), 0);
                if self.focused_form_row.is_some() {
                    hints.add_pair(KeyAction::Left, KeyAction::Right, &host_text!("set"), 2);
                }
                hints.add_action(KeyAction::TakeChoice, &host_text!("take"), 6);
                hints.add_pair(KeyAction::Up, KeyAction::Down, &host_text!("move"), 7);
                if active_prompt.visible_choices.mode != PromptMode::TopLevel {
                    hints.add_action(KeyAction::Close, &Keymap::action_label(KeyAction::Close), 2);
                } else if active_prompt.back_choice_id().is_some() || self.form.is_some() {
                    hints.add_action(KeyAction::Close, &Keymap::action_label(KeyAction::Close), 4);
                }
            }
            AnswerType::MultipleChoice { .. } => {
                hints.add_fixed_key(&key_summary, &host_text!("mark"), 3);
                hints.add_action(KeyAction::ToggleMark, &host_text!("mark"), 7);
                hints.add_action(KeyAction::TakeChoice, &host_text!("done"), 0);
                hints.add_pair(KeyAction::Up, KeyAction::Down, &host_text!("move"), 8);
            }
            AnswerType::Number { .. } => {
                hints.add_pair(KeyAction::Up, KeyAction::Down, &host_text!("more or less"), 6);
                hints.add_fixed_key("0-9", &host_text!("type it"), 7);
                hints.add_fixed_key(
                    &host_text!("Backspace"),
                    &host_text!("delete"),
                    HELP_ONLY_DROP_ORDER,
                );
                hints.add_action(KeyAction::TakeChoice, &host_text!("done"), 0);
                if active_prompt.prompt.is_from_host() {
                    hints.add_fixed_key(&host_text!("Esc"), &host_text!("back"), 2);
                }
            }
            AnswerType::Text { .. } => {
                hints.add_fixed_key(&host_text!("Enter"), &host_text!("done"), 0);
                let leaves_prompt = active_prompt.prompt.is_from_host()
                    && (active_prompt.replaces_typed_text || active_prompt.typed_text.is_empty());
                hints.add_fixed_key(
                    &host_text!("Esc"),
                    &if leaves_prompt { host_text!("back") } else { host_text!("clear") },
                    2,
                );
                hints.add_fixed_key(&host_text!("Backspace"), &host_text!("delete"), 3);
                hints.add_fixed_key("F1", &host_text!("help"), 1);
            }
        }
        if !active_prompt.takes_text() {
            self.add_common_hints(&mut hints);
        }
        hints.add_pair(
            KeyAction::PageUp,
            KeyAction::PageDown,
            &host_text!("scroll the story"),
            HELP_ONLY_DROP_ORDER,
        );
        if !active_prompt.takes_text() && self.mouse_enabled {
            hints.add_fixed_key(
                &host_text!("mouse"),
                &host_text!(
                    "click a choice to focus it, again to take it; the wheel scrolls the story"
                ),
                HELP_ONLY_DROP_ORDER,
            );
        }
        hints.add_fixed_key(
            "Ctrl-C",
            &host_text!("quit the program; everything is saved"),
            HELP_ONLY_DROP_ORDER,
        );
        hints.add_fixed_key("Ctrl-L", &host_text!("redraw the screen"), HELP_ONLY_DROP_ORDER);
        hints.add_fixed_key(
            "Ctrl-Z",
            &host_text!("suspend the program, if the shell can"),
            HELP_ONLY_DROP_ORDER,
        );
        hints.hints
    }

    /// The keys that work at every prompt except a text field.
    fn add_common_hints(&self, hints: &mut KeyHintList<'_>) {
        let active_prompt = &self.active_prompt;
        if !cards::collect_cards(
            &active_prompt.prompt,
            &active_prompt.view,
            active_prompt.focused_index(),
        )
        .is_empty()
        {
            hints.add_action(KeyAction::Examine, &host_text!("examine"), 4);
        }
        if !active_prompt.view.widgets.is_empty() {
            hints.add_action(KeyAction::Sheet, &host_text!("sheet"), 3);
        }
        if active_prompt
            .view
            .widgets
            .iter()
            .any(|placed| matches!(placed.widget, Widget::Map { .. }))
        {
            hints.add_action(KeyAction::Map, &host_text!("map"), 4);
            if active_prompt.has_travel_choice() {
                hints.add_action(KeyAction::Explore, &host_text!("explore"), 5);
            }
        }
        hints.add_action(KeyAction::Log, &host_text!("log"), 5);
        if self.can_undo {
            hints.add_action(KeyAction::Undo, &host_text!("undo"), 2);
        }
        hints.add_action(KeyAction::Help, &host_text!("help"), 1);
        hints.add_action(KeyAction::Leave, &host_text!("leave"), 2);
        hints.add_action(
            KeyAction::Reload,
            &Keymap::action_label(KeyAction::Reload),
            HELP_ONLY_DROP_ORDER,
        );
        if self.has_console {
            hints.add_action(
                KeyAction::Console,
                &Keymap::action_label(KeyAction::Console),
                HELP_ONLY_DROP_ORDER,
            );
        }
        hints.add_action(
            KeyAction::Dice,
            &Keymap::action_label(KeyAction::Dice),
            HELP_ONLY_DROP_ORDER,
        );
        hints.add_action(KeyAction::Search, &host_text!("search the log"), HELP_ONLY_DROP_ORDER);
        if matches!(
            active_prompt.prompt.answer_type,
            AnswerType::SingleChoice | AnswerType::MultipleChoice { .. }
        ) {
            if active_prompt.rows_per_column > 0 {
                hints.add_pair(
                    KeyAction::Left,
                    KeyAction::Right,
                    &host_text!("move to the other column"),
                    HELP_ONLY_DROP_ORDER,
                );
            }
            hints.add_pair(
                KeyAction::FocusFirst,
                KeyAction::FocusLast,
                &host_text!("move to the first or last choice"),
                HELP_ONLY_DROP_ORDER,
            );
        } else {
            hints.add_pair(
                KeyAction::FocusFirst,
                KeyAction::FocusLast,
                &host_text!("set the minimum or maximum"),
                HELP_ONLY_DROP_ORDER,
            );
        }
        if !matches!(active_prompt.prompt.answer_type, AnswerType::MultipleChoice { .. }) {
            hints.add_action(
                KeyAction::ToggleMark,
                &host_text!("scroll the story on"),
                HELP_ONLY_DROP_ORDER,
            );
        }
    }
}
