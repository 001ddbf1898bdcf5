//! The numbers of choices: the same for as long as a question stands, so that what is spent leaves a gap.

use std::collections::{BTreeMap, BTreeSet};

use super::super::laid::{Laid, Standing};
use crate::play::{Choice, Prompt};

/// What had which number when it was asked last.
#[derive(Default)]
pub struct Numbers {
    standing: Standing,
    held: BTreeMap<String, usize>,
    /// The choices of the question in the order in which they are told, and each one's number.
    pub(super) laid: Laid,
    of: Vec<usize>,
    /// The choices that were told by name: their ids and labels.
    told: BTreeSet<(String, String)>,
}

impl Numbers {
    /// Numbers the choices of a prompt. It is the same question as long as it stands and something of
    /// it is still there.
    pub fn give(&mut self, prompt: &Prompt, title: &str) {
        let met = prompt.choices.iter().any(|choice| self.held.contains_key(&choice.id));
        if !(self.standing.stays(prompt, title) && met) {
            self.held.clear();
        }
        self.laid = Laid::of(prompt);
        self.of = vec![0; prompt.choices.len()];
        let mut last = self.held.values().max().copied().unwrap_or(0);
        for at in self.laid.in_order() {
            let number = self.held.entry(prompt.choices[at].id.clone()).or_insert_with(|| {
                last += 1;
                last
            });
            self.of[at] = *number;
        }
    }

    /// Whether a choice was told by its name, so that its number is enough.
    pub(super) fn was_told(&self, choice: &Choice) -> bool {
        self.told.contains(&(choice.id.clone(), choice.label.clone()))
    }

    /// All that is open in a prompt was told.
    pub(super) fn is_told(&mut self, prompt: &Prompt) {
        let open = prompt.choices.iter().filter(|choice| choice.closed.is_none());
        self.told.extend(open.map(|choice| (choice.id.clone(), choice.label.clone())));
    }

    /// Nothing was told: a new story begins, or somebody asks for all of it once more.
    pub(super) fn forget_told(&mut self) {
        self.told.clear();
    }

    /// The number of a choice, by its place in the prompt.
    pub fn number(&self, at: usize) -> usize {
        self.of.get(at).copied().unwrap_or(at + 1)
    }

    /// The place of the choice that has a number.
    pub fn place(&self, number: usize) -> Option<usize> {
        self.of.iter().position(|of| *of == number)
    }
}
