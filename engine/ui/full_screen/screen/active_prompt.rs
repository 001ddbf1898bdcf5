//! The prompt on the screen: its focus, its way back, and when taking a choice needs a second
//! press.

use std::collections::BTreeSet;

use super::ActivePrompt;
use crate::back_choice::back_choice;
use crate::full_screen::reading_state::ReadingState;
use crate::full_screen::visible_choices::{PromptMode, VisibleChoices};
use base::text;
use protocol::{AnswerType, Choice, Prompt, View};

impl ActivePrompt {
    pub(super) fn new(prompt: Prompt, view: View, visible_choices: VisibleChoices) -> Self {
        let typed = match &prompt.answer_type {
            AnswerType::Number { default, .. } => default.to_string(),
            AnswerType::Text { default, .. } => text::strip_unprintable(default).replace('\n', " "),
            _ => String::new(),
        };
        let first_enabled = first_focus(&visible_choices.choices);
        Self {
            // If no visible choice is open, the first submenu has the focus.
            focus: first_enabled.unwrap_or(if visible_choices.submenus.is_empty() {
                0
            } else {
                visible_choices.choices.len()
            }),
            visible_choices,
            prompt,
            view,
            selected_choices: BTreeSet::new(),
            replaces_typed_text: true,
            focus_was_chosen: false,
            take_needs_second_press: false,
            empty_answer_was_confirmed: false,
            reading_state: ReadingState::default(),
            opened_by_choice_key: false,
            typed_text: typed,
            notice: String::new(),
            unknown_key_was_reported: false,
            first_visible_choice: 0,
            rows_per_column: 0,
            choice_hit_areas: Vec::new(),
        }
    }

    /// The choice that goes back, if there is one.
    pub(in crate::full_screen) fn back_choice_id(&self) -> Option<&str> {
        back_choice(&self.prompt).map(|choice| &*choice.id)
    }

    /// The focused choice; `None` for a submenu and during a confirmation.
    pub(in crate::full_screen) fn focused_choice(&self) -> Option<&Choice> {
        self.prompt.choices.get(self.focused_index()?)
    }

    /// Whether taking the focused choice needs a second press. It does if the focus was not moved
    /// and the choice has consequences: it rolls dice, the prompt has a way back and this is not
    /// it, or the key was pressed to read on and there is more than one choice.
    pub(in crate::full_screen) fn needs_second_press(&self) -> bool {
        if self.prompt.answer_type != AnswerType::SingleChoice
            || self.focus_was_chosen
            || self.prompt.is_from_host()
        {
            return false;
        }
        let Some(focused_choice) = self.focused_choice().filter(|choice| choice.is_enabled())
        else {
            return false;
        };
        let has_several = || self.prompt.choices.iter().filter(|one| one.is_enabled()).count() > 1;
        let back = || !focused_choice.is_back_choice && self.back_choice_id().is_some();
        focused_choice.odds.is_some()
            || !focused_choice.cost.is_empty()
            || back()
            || self.take_needs_second_press && has_several()
    }

    /// The index of the focused choice in the prompt.
    pub(in crate::full_screen) fn focused_index(&self) -> Option<usize> {
        if matches!(self.visible_choices.mode, PromptMode::Confirm(_)) {
            return None;
        }
        let single_choice = || {
            self.visible_choices
                .submenus
                .get(self.visible_choices.submenu_index_at_focus(self.focus)?)?
                .single_choice
        };
        self.visible_choices.prompt_indices.get(self.focus).copied().or_else(single_choice)
    }

    /// Shows another part of the prompt.
    pub(in crate::full_screen) fn set_mode(&mut self, mode: PromptMode) {
        let previous_mode = self.visible_choices.mode;
        self.focus_was_chosen = false;
        self.opened_by_choice_key = false;
        self.visible_choices.set_mode(&self.prompt, mode);
        self.first_visible_choice = 0;
        self.focus = match previous_mode {
            PromptMode::Submenu(page) => self.visible_choices.choices.len() + page,
            PromptMode::Confirm(choice) => {
                self.visible_choices.prompt_indices.iter().position(|at| *at == choice).unwrap_or(0)
            }
            PromptMode::TopLevel => first_focus(&self.visible_choices.choices).unwrap_or(0),
        };
    }

    /// Opens a submenu by its id, if it offers anything.
    pub(super) fn open_submenu(&mut self, id: &str) {
        if let Some(at) = self.visible_choices.find_submenu(&self.prompt, id) {
            self.set_mode(PromptMode::Submenu(at));
        }
    }

    /// Whether a choice leads to a place of the map.
    pub(in crate::full_screen) fn has_travel_choice(&self) -> bool {
        self.prompt.choices.iter().any(|choice| !choice.map_targets.is_empty())
    }

    /// Whether keys write text.
    pub(in crate::full_screen) fn takes_text(&self) -> bool {
        matches!(self.prompt.answer_type, AnswerType::Text { .. })
    }
}

/// The choice that has the focus first: one without a price, rather than the way back unless this
/// stands first. Dice are rolled only by a second press.
fn first_focus(choices: &[Choice]) -> Option<usize> {
    let find = |is_wanted: &dyn Fn(&Choice) -> bool| {
        choices.iter().position(|choice| choice.is_enabled() && is_wanted(choice))
    };
    let is_free = |choice: &Choice| choice.cost.is_empty() && choice.confirm.is_empty();
    let stands_first = |choice: &Choice| choices.first().is_some_and(|first| first.id == choice.id);
    find(&|choice| is_free(choice) && (!choice.is_back_choice || stands_first(choice)))
        .or_else(|| find(&is_free))
        .or_else(|| find(&|_| true))
}
