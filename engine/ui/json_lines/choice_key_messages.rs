//! The keys of a person who answers over messages: those of the choices of a prompt and of actions,
//! as in the full screen, and the game's terms.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::messages::{OutputMessage, TermMessage};
use crate::Preferences;
use crate::back_choice::back_choice;
use crate::choice_keys::ChoiceKeys;
use crate::choice_layout::ChoiceLayout;
use crate::form;
use crate::full_screen::Keymap;
use crate::preferences::OWN_LANGUAGE;
use crate::terms::ExplainedTerm;
use base::host_texts::find_host_text_translation;
use base::text;
use protocol::{Prompt, View};

/// The keys of a prompt's choices, and which of them lie in submenus.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub(super) struct ChoiceKeysMessage {
    /// The key of each choice by its id; a choice without one is taken by moving to it.
    choices: BTreeMap<String, char>,
    /// The ids of the choices outside submenus, in the order in which they are listed.
    top_level: Vec<String>,
    /// The submenus, in order.
    submenus: Vec<SubmenuMessage>,
    /// The id of the choice that goes back.
    #[serde(skip_serializing_if = "Option::is_none")]
    back: Option<String>,
}

/// Choices behind one key.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
struct SubmenuMessage {
    /// Its name; marked text.
    name: String,
    /// Its key.
    #[serde(skip_serializing_if = "Option::is_none")]
    key: Option<char>,
    /// The ids of its choices.
    choices: Vec<String>,
    /// Whether the keys of its choices work while it is closed.
    are_keys_unique: bool,
}

/// The keys of a person.
pub(super) struct PersonKeys {
    default_keymap: Keymap,
    keymap: Keymap,
    choice_keys: ChoiceKeys,
    /// The key map that was sent last.
    sent_keymap: Option<OutputMessage>,
    /// The words of the client itself, and those that were sent last.
    client_words: Vec<&'static str>,
    sent_words: Option<OutputMessage>,
    language: Option<String>,
    /// Terms that were not sent yet.
    unsent_terms: Option<Vec<TermMessage>>,
}

impl PersonKeys {
    pub(super) fn new(keymap: Keymap, client_words: Vec<&'static str>) -> Self {
        Self {
            default_keymap: keymap.clone(),
            keymap,
            choice_keys: ChoiceKeys::default(),
            sent_keymap: None,
            client_words,
            sent_words: None,
            language: None,
            unsent_terms: None,
        }
    }

    pub(super) fn apply_preferences(&mut self, preferences: &Preferences) {
        self.language = preferences.language.clone().filter(|name| name != OWN_LANGUAGE);
        self.keymap = self.default_keymap.with_overrides(&preferences.key_overrides).0;
    }

    pub(super) fn set_terms(&mut self, terms: Vec<ExplainedTerm>) {
        let to_message =
            |term: ExplainedTerm| TermMessage { names: term.names, meaning: term.meaning };
        self.unsent_terms = Some(terms.into_iter().map(to_message).collect());
    }

    /// What a client must know before the next prompt: words, key map and terms, if they changed.
    pub(super) fn take_changes(&mut self, is_dev: bool) -> Vec<OutputMessage> {
        let actions = Keymap::actions_with_names()
            .map(|(action, name)| (name, self.keymap.keys_of(action)))
            .collect();
        let keymap = OutputMessage::Keymap { actions, is_dev };
        let changed_keymap = (self.sent_keymap.as_ref() != Some(&keymap)).then(|| keymap.clone());
        self.sent_keymap = Some(keymap);
        let translated = |word: &&'static str| {
            Some((*word, text::strip_unprintable(&find_host_text_translation(word)?)))
        };
        let words = OutputMessage::Words {
            language: self.language.clone(),
            words: self.client_words.iter().filter_map(translated).collect(),
        };
        let changed_words = (self.sent_words.as_ref() != Some(&words)).then(|| words.clone());
        self.sent_words = Some(words);
        let terms = self.unsent_terms.take().map(|terms| OutputMessage::Terms { terms });
        changed_words.into_iter().chain(changed_keymap).chain(terms).collect()
    }

    /// Assigns the keys of a prompt. The choices of a form have none.
    pub(super) fn assign_keys(&mut self, prompt: &Prompt, view: &View) -> ChoiceKeysMessage {
        let (prompt, _) = &form::split_off_form(prompt, view);
        let layout = ChoiceLayout::from_prompt(prompt);
        let keymap = &self.keymap;
        let is_free = |key| keymap.reserved_action(key).is_none();
        let assigned = self.choice_keys.assign_keys(prompt, &view.title, &layout, &is_free);
        let ids = |choices: &[usize]| -> Vec<String> {
            choices.iter().map(|at| prompt.choices[*at].id.clone()).collect()
        };
        let top_level = ids(&layout.top_level);
        let mut choices = BTreeMap::new();
        let mut insert_keys = |ids: &[String], keys: &[Option<char>]| {
            choices.extend(ids.iter().zip(keys).filter_map(|(id, key)| Some((id.clone(), (*key)?))))
        };
        insert_keys(&top_level, &assigned.top_level);
        let mut submenus = Vec::new();
        for (index, submenu) in layout.submenus.iter().enumerate() {
            let message = SubmenuMessage {
                name: submenu.name.clone(),
                key: assigned.submenus.get(index).copied().flatten(),
                choices: ids(&submenu.choices),
                are_keys_unique: assigned.are_unique,
            };
            let keys = assigned.submenu_choices.get(index).map(Vec::as_slice).unwrap_or_default();
            insert_keys(&message.choices, keys);
            submenus.push(message);
        }
        let back = back_choice(prompt).map(|choice| choice.id.clone());
        ChoiceKeysMessage { choices, top_level, submenus, back }
    }

    /// The keys of the choices, as text.
    pub(super) fn to_text(&self) -> String {
        self.choice_keys.to_text()
    }

    /// Restores the keys of a run, so that every choice gets the key that it had.
    pub(super) fn restore(&mut self, run_id: &str, saved_keys: impl FnOnce() -> Option<String>) {
        self.choice_keys.restore(run_id, saved_keys);
    }
}
