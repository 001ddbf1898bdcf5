//! Handles keys on the screen.

use base::host_texts::translate_host_text;
use base::{host_text, host_text_id};
use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

use super::cards;
use super::keymap::KeyAction;
use super::map_page::MapKeyResult;
use super::overlay::Overlay;
use super::screen::{ActivePrompt, Screen};
use super::visible_choices::PromptMode;
use crate::display_text;
use crate::frontend::Answer;
use base::text;
use protocol::{AnswerType, Input};

/// The notice if no choice leads to a place.
const NO_TRAVEL_NOTICE: &str = host_text_id!("No choice here leads to a place.");
/// The notice if answers cannot be undone.
const NO_UNDO_NOTICE: &str = host_text_id!("Only answers of a practice run can be undone.");
/// Notices that ask for a second press: before dice are rolled for a choice that was not focused on
/// purpose, and before a choice is taken in a prompt that could be left.
const SECOND_PRESS_NOTICES: [&str; 2] = [
    host_text_id!("Press {key} again to roll the dice for: {label}."),
    host_text_id!("Press {key} again to take: {label}."),
];

impl Screen {
    /// Handles a key; returns an answer if it gave one. Only key presses count.
    pub fn press_key(&mut self, key: KeyEvent) -> Option<Answer> {
        if key.kind != KeyEventKind::Press {
            return None;
        }
        self.active_prompt.notice.clear();
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        if control && matches!(key.code, KeyCode::Char('c' | 'C')) {
            return Some(Answer::Quit);
        }
        if control || key.modifiers.contains(KeyModifiers::ALT) {
            return None;
        }
        if let Some(overlay) = &mut self.overlay {
            let is_help_key = self.keymap.action_of_key(key.code) == Some(KeyAction::Help);
            if overlay.leads_to_terms && is_help_key {
                self.overlay = Some(self.terms_page());
                return None;
            }
            match overlay.press_map_key(key.code, &self.keymap) {
                Some(MapKeyResult::StayOpen) => {}
                Some(MapKeyResult::Close) => self.overlay = None,
                Some(MapKeyResult::TravelTo(place)) => return self.start_travel(Some(&place)),
                None if overlay.press_key(key.code, &self.keymap) => self.overlay = None,
                None => {}
            }
            return None;
        }
        if let Some(line) = &mut self.console_line {
            match key.code {
                KeyCode::Esc => self.console_line = None,
                KeyCode::Backspace if line.pop().is_none() => self.console_line = None,
                KeyCode::Char(c) if text::is_printable(c) && c != '\n' => line.push(c),
                KeyCode::Enter => {
                    let line = self.console_line.take().unwrap_or_default();
                    return Some(self.interrupt_prompt(Answer::ConsoleLine(line)));
                }
                _ => {}
            }
            return None;
        }
        let action = self.keymap.action_of_key(key.code);
        if self.press_reading_key(action) {
            return None;
        }
        if let Some(pressed) = self.press_form_key(key.code, action) {
            return pressed;
        }
        if self.active_prompt.takes_text() {
            match (key.code, action) {
                (KeyCode::F(1), _) => self.overlay = Some(self.help_page()),
                (KeyCode::PageUp, _) => self.story.scroll_pages(-1),
                (KeyCode::PageDown, _) => self.story.scroll_pages(1),
                (code, _) => return self.press_text_key(code),
            }
            return None;
        }
        match action {
            Some(KeyAction::PageUp) => self.story.scroll_pages(-1),
            Some(KeyAction::PageDown) => self.story.scroll_pages(1),
            Some(KeyAction::Help) => self.overlay = Some(self.help_page()),
            Some(KeyAction::Leave) => return Some(Answer::Leave),
            Some(KeyAction::Undo) if self.can_undo => return Some(Answer::Undo),
            Some(KeyAction::Undo) => {
                self.active_prompt.notice = translate_host_text(NO_UNDO_NOTICE, &[])
            }
            Some(KeyAction::Reload) => return Some(self.interrupt_prompt(Answer::Reload)),
            Some(KeyAction::Console) if self.has_console => self.console_line = Some(String::new()),
            Some(KeyAction::Dice) => self.story.toggle_dice_lines(),
            Some(KeyAction::Log) => self.overlay = Some(self.log_page()),
            Some(KeyAction::Search) => self.overlay = Some(self.log_page().with_search_input()),
            Some(KeyAction::Sheet) => {
                self.overlay = Some(Overlay::from_page(&self.active_prompt.view))
            }
            Some(KeyAction::Map) => self.open_map(),
            Some(KeyAction::Explore) if self.active_prompt.has_travel_choice() => {
                return self.start_travel(None);
            }
            Some(KeyAction::Explore) => {
                self.active_prompt.notice = translate_host_text(NO_TRAVEL_NOTICE, &[])
            }
            Some(KeyAction::Examine) => self.open_cards(),
            Some(KeyAction::ToggleMark) if !self.is_multiple_choice() => self.story.scroll_pages(1),
            // New text is read before a choice is taken.
            Some(KeyAction::TakeChoice) if self.has_unread_story() => {
                self.active_prompt.take_needs_second_press = true;
                self.story.scroll_pages(1);
            }
            // A stray press while reading must not take a choice with consequences.
            Some(KeyAction::TakeChoice) if self.active_prompt.needs_second_press() => {
                self.active_prompt.focus_was_chosen = true;
                let focused = self.active_prompt.focused_choice();
                let label = focused.map(display_text::choice_label).unwrap_or_default();
                let dice = focused.is_some_and(|choice| choice.odds.is_some());
                let key = self.keymap.key_text(KeyAction::TakeChoice);
                self.active_prompt.notice = translate_host_text(
                    SECOND_PRESS_NOTICES[usize::from(!dice)],
                    &[("key", &key), ("label", &label)],
                );
            }
            action => return self.press_answer_key(key.code, action),
        }
        None
    }

    /// Opens the card of the focused choice, or else the first card.
    fn open_cards(&mut self) {
        let all = cards::collect_cards(
            &self.active_prompt.prompt,
            &self.active_prompt.view,
            self.active_prompt.focused_index(),
        );
        if all.is_empty() {
            self.active_prompt.notice = host_text!("There is nothing to examine here.");
            return;
        }
        let focused = all.iter().position(|(choice, ..)| {
            *choice == self.active_prompt.focused_index() && choice.is_some()
        });
        let of_view = all.iter().position(|(choice, ..)| choice.is_none());
        let at = focused.or(of_view).unwrap_or(0);
        let cards = all.into_iter().map(|(_, name, card)| (name, card)).collect();
        self.overlay = Some(Overlay::from_cards(cards, at));
    }

    /// Opens the map, if there is one.
    fn open_map(&mut self) {
        match Overlay::from_map(&self.active_prompt.prompt, &self.active_prompt.view) {
            Some(overlay) => self.overlay = Some(overlay),
            None => self.active_prompt.notice = host_text!("There is no map here."),
        }
    }

    pub(super) fn is_multiple_choice(&self) -> bool {
        matches!(self.active_prompt.prompt.answer_type, AnswerType::MultipleChoice { .. })
    }

    fn press_answer_key(&mut self, code: KeyCode, action: Option<KeyAction>) -> Option<Answer> {
        if let AnswerType::Number { min, max, .. } = self.active_prompt.prompt.answer_type {
            return self.press_number_key(code, action, min, max);
        }
        let rows = self.active_prompt.rows_per_column as isize;
        self.active_prompt.focus_was_chosen |= action.is_some_and(KeyAction::is_movement);
        match action {
            Some(KeyAction::Down) => self.active_prompt.move_focus(1),
            Some(KeyAction::Up) => self.active_prompt.move_focus(-1),
            Some(KeyAction::Right) => self.active_prompt.move_focus(rows),
            Some(KeyAction::Left) => self.active_prompt.move_focus(-rows),
            Some(KeyAction::FocusFirst) => self.active_prompt.focus = 0,
            Some(KeyAction::FocusLast) => {
                self.active_prompt.focus =
                    self.active_prompt.visible_choices.focus_count().saturating_sub(1);
            }
            Some(KeyAction::ToggleMark) => self.active_prompt.toggle_focused_selection(),
            Some(KeyAction::Close)
                if self.active_prompt.visible_choices.mode != PromptMode::TopLevel =>
            {
                self.active_prompt.set_mode(PromptMode::TopLevel)
            }
            Some(KeyAction::Close) => match self.active_prompt.back_choice_id() {
                Some(back) => return self.submit_input(Input::Choice(back.to_owned())),
                // Before the run begins, back leads out of it.
                None => return self.form.is_some().then_some(Answer::Leave),
            },
            Some(KeyAction::TakeChoice) if self.is_multiple_choice() => {
                return self.submit_selected_choices();
            }
            Some(KeyAction::TakeChoice) => {
                self.last_answer_used_key = false;
                return self.activate_focused_entry(None);
            }
            _ => {
                self.last_answer_used_key = true;
                return self.press_choice_key(code);
            }
        }
        None
    }

    /// Takes the choice with this key at once.
    fn press_choice_key(&mut self, code: KeyCode) -> Option<Answer> {
        let key = match code {
            KeyCode::Char(key) => key,
            KeyCode::Backspace
                if self.active_prompt.visible_choices.mode != PromptMode::TopLevel =>
            {
                self.active_prompt.set_mode(PromptMode::TopLevel);
                return None;
            }
            _ => return None,
        };
        if let Some((page, each, is_visible)) =
            self.active_prompt.visible_choices.find_submenu_choice_by_key(key)
        {
            self.active_prompt.set_mode(PromptMode::Submenu(page));
            self.active_prompt.focus = each;
            // What was not in sight is seen before it is taken.
            if !is_visible {
                self.active_prompt.focus_was_chosen = true;
                self.active_prompt.opened_by_choice_key = true;
                return None;
            }
            let answer = self.activate_focused_entry(Some(key));
            self.open_submenu_id.clear();
            // A disabled choice shows its reason in the list where it was.
            if answer.is_none()
                && self.active_prompt.visible_choices.mode == PromptMode::Submenu(page)
            {
                self.active_prompt.set_mode(PromptMode::TopLevel);
            }
            return answer;
        }
        if self.active_prompt.visible_choices.closes_submenu(key) {
            // A submenu that the key of a choice opened is only now opened by its own.
            if !std::mem::take(&mut self.active_prompt.opened_by_choice_key) {
                self.active_prompt.set_mode(PromptMode::TopLevel);
            }
            return None;
        }
        if self.active_prompt.visible_choices.leads_to_other_submenu(key) {
            self.active_prompt.set_mode(PromptMode::TopLevel);
        }
        let active_prompt = &mut self.active_prompt;
        let group_choice =
            active_prompt.visible_choices.find_group_choice_by_key(key, active_prompt.focus);
        if let Some(at) = group_choice {
            (active_prompt.focus, active_prompt.focus_was_chosen) = (at, true);
            return None;
        }
        let Some(at) = self.active_prompt.visible_choices.find_entry_with_key(key) else {
            if !std::mem::replace(&mut self.active_prompt.unknown_key_was_reported, true) {
                let help = self.keymap.key_text(KeyAction::Help);
                self.active_prompt.notice = host_text!(
                    "{key} does nothing here; {help} lists the keys.",
                    key = key,
                    help = help
                );
            }
            return None;
        };
        self.active_prompt.focus = at;
        self.activate_focused_entry(Some(key))
    }

    /// Takes what is focused: answers, marks, opens a submenu, or asks for confirmation.
    pub(super) fn activate_focused_entry(&mut self, pressed: Option<char>) -> Option<Answer> {
        if self.is_multiple_choice() {
            self.active_prompt.toggle_focused_selection();
            return None;
        }
        if let PromptMode::Confirm(at) = self.active_prompt.visible_choices.mode {
            // The first of the two choices is "no".
            let is_confirmed = self.active_prompt.focus == 1;
            let id = self.active_prompt.prompt.choices.get(at)?.id.clone();
            self.active_prompt.set_mode(PromptMode::TopLevel);
            return if is_confirmed { self.submit_input(Input::Choice(id)) } else { None };
        }
        if self.active_prompt.visible_choices.leads_out_of_submenu(self.active_prompt.focus) {
            self.active_prompt.set_mode(PromptMode::TopLevel);
            return None;
        }
        if let Some(page) =
            self.active_prompt.visible_choices.submenu_index_at_focus(self.active_prompt.focus)
            && self.active_prompt.focused_index().is_none()
        {
            self.active_prompt.set_mode(PromptMode::Submenu(page));
            return None;
        }
        let (at, choice) =
            (self.active_prompt.focused_index()?, self.active_prompt.focused_choice()?);
        if let Some(why) = &choice.disabled_because {
            let (label, why) = (text::strip_markup(&choice.label), text::strip_markup(why));
            self.active_prompt.notice = text::strip_unprintable(&host_text!(
                "{label} is closed: {why}.",
                label = label,
                why = why
            ));
            return None;
        }
        // An answer that can be undone needs no confirmation.
        if !choice.confirm.is_empty() && !self.can_undo {
            let keymap = &self.keymap;
            let is_free = |key| keymap.reserved_action(key).is_none();
            self.active_prompt.visible_choices.ask_confirmation(
                &self.active_prompt.prompt,
                at,
                pressed,
                &is_free,
            );
            (self.active_prompt.focus, self.active_prompt.first_visible_choice) = (0, 0);
            return None;
        }
        let id = choice.id.clone();
        self.submit_input(Input::Choice(id))
    }

    /// Submits the marked choices. With none marked it needs a second press.
    fn submit_selected_choices(&mut self) -> Option<Answer> {
        let is_none_marked = self.active_prompt.selected_choices.is_empty()
            && !self.active_prompt.prompt.choices.is_empty();
        if is_none_marked
            && !std::mem::replace(&mut self.active_prompt.empty_answer_was_confirmed, true)
        {
            self.active_prompt.notice = match self.active_prompt.prompt.answer_type {
                AnswerType::MultipleChoice { min: 0, .. } => {
                    host_text!("Nothing is marked. Press again to choose none.")
                }
                _ => return self.submit_input(Input::Choices(Vec::new())),
            };
            return None;
        }
        let chosen = self
            .active_prompt
            .selected_choices
            .iter()
            .filter_map(|at| self.active_prompt.prompt.choices.get(*at));
        let ids = chosen.map(|choice| choice.id.clone()).collect();
        self.submit_input(Input::Choices(ids))
    }

    pub(super) fn submit_input(&mut self, input: Input) -> Option<Answer> {
        match self.active_prompt.prompt.accept(input) {
            Ok(input) => Some(self.submit_accepted(input)),
            Err(why) => {
                self.active_prompt.notice = format!("{}.", text::strip_unprintable(&why));
                None
            }
        }
    }
}

impl ActivePrompt {
    fn move_focus(&mut self, by: isize) {
        let all = self.visible_choices.focus_count();
        if all > 0 {
            let from = self.focus.min(all - 1) as isize;
            self.focus = (from + by).rem_euclid(all as isize) as usize;
        }
    }

    fn toggle_focused_selection(&mut self) {
        let Some(choice) = self.focused_choice() else { return };
        if let Some(why) = &choice.disabled_because {
            self.notice = host_text!("Closed: {why}", why = text::strip_markup(why));
        } else if !self.selected_choices.remove(&self.focus) {
            self.selected_choices.insert(self.focus);
        }
    }
}
