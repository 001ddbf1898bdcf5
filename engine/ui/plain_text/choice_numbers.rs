//! The numbers of choices. They stay the same while the prompt repeats, so a choice that disappears
//! leaves a gap.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::super::choice_layout::{ChoiceLayout, PromptIdentity};
use protocol::{Choice, Prompt};

/// The largest number that is restored.
const MAX_NUMBER: usize = 1_000_000;

/// The numbers assigned so far.
#[derive(Default, Serialize, Deserialize)]
pub struct ChoiceNumbers {
    identity: PromptIdentity,
    numbers_by_id: BTreeMap<String, usize>,
    /// The layout of the prompt, and the number of each choice by index.
    #[serde(skip)]
    pub(super) layout: ChoiceLayout,
    #[serde(skip)]
    numbers_by_index: Vec<usize>,
    /// The choices that were shown by name: ids and labels.
    #[serde(skip)]
    choices_printed_by_name: BTreeSet<(String, String)>,
}

impl ChoiceNumbers {
    /// The numbers as text, to be kept beside a run.
    pub(super) fn to_text(&self) -> String {
        serde_json::to_string(self).expect("maps of texts can be written")
    }

    /// The numbers of a text; none if it has anything else.
    pub(super) fn from_text(text: &str) -> Self {
        let numbers: Self = serde_json::from_str(text).unwrap_or_default();
        let is_valid = numbers.numbers_by_id.values().all(|number| *number <= MAX_NUMBER);
        if is_valid { numbers } else { Self::default() }
    }

    /// Numbers the choices of a prompt. The prompt counts as repeated while its identity stays and
    /// one of its choices is still there.
    pub fn assign_numbers(&mut self, prompt: &Prompt, title: &str) {
        let is_repeated =
            prompt.choices.iter().any(|choice| self.numbers_by_id.contains_key(&choice.id));
        if !(self.identity.update(prompt, title) && is_repeated) {
            self.numbers_by_id.clear();
        }
        self.layout = ChoiceLayout::from_prompt(prompt);
        self.numbers_by_index = vec![0; prompt.choices.len()];
        let mut last = self.numbers_by_id.values().max().copied().unwrap_or(0);
        for at in self.layout.listing_order() {
            let number =
                self.numbers_by_id.entry(prompt.choices[at].id.clone()).or_insert_with(|| {
                    last += 1;
                    last
                });
            self.numbers_by_index[at] = *number;
        }
    }

    /// Whether a choice was shown by name, so that its number is enough.
    pub(super) fn was_printed_by_name(&self, choice: &Choice) -> bool {
        self.choices_printed_by_name.contains(&(choice.id.clone(), choice.label.clone()))
    }

    /// Marks choices of a prompt, by their indices, as shown by name.
    pub(super) fn mark_choices_named(&mut self, prompt: &Prompt, named_choices: &[usize]) {
        let named = named_choices.iter().filter_map(|at| prompt.choices.get(*at));
        self.choices_printed_by_name
            .extend(named.map(|choice| (choice.id.clone(), choice.label.clone())));
    }

    /// Marks all choices as not shown: a new story begins, or the question is repeated in full.
    pub(super) fn clear_named_choices(&mut self) {
        self.choices_printed_by_name.clear();
    }

    /// The number of a choice, by its index in the prompt.
    pub fn number_at_index(&self, at: usize) -> usize {
        self.numbers_by_index.get(at).copied().unwrap_or(at + 1)
    }

    /// The index of the choice with a number.
    pub fn index_with_number(&self, number: usize) -> Option<usize> {
        self.numbers_by_index.iter().position(|of| *of == number)
    }
}
