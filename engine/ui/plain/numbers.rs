//! The numbers of choices. They stay the same while the prompt repeats, so a choice that disappears
//! leaves a gap.

use std::collections::{BTreeMap, BTreeSet};

use super::super::laid::{Laid, Standing};
use crate::play::{Choice, Prompt};

/// The numbers assigned so far.
#[derive(Default)]
pub struct Numbers {
    standing: Standing,
    held: BTreeMap<String, usize>,
    /// The layout of the prompt, and the number of each choice by index.
    pub(super) laid: Laid,
    of: Vec<usize>,
    /// The choices that were shown by name: ids and labels.
    told: BTreeSet<(String, String)>,
}

impl Numbers {
    /// Numbers the choices of a prompt. The prompt counts as repeated while its identity stays and
    /// one of its choices is still there.
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

    /// Whether a choice was shown by name, so that its number is enough.
    pub(super) fn was_told(&self, choice: &Choice) -> bool {
        self.told.contains(&(choice.id.clone(), choice.label.clone()))
    }

    /// Marks all open choices of a prompt as shown by name.
    pub(super) fn is_told(&mut self, prompt: &Prompt) {
        let open = prompt.choices.iter().filter(|choice| choice.closed.is_none());
        self.told.extend(open.map(|choice| (choice.id.clone(), choice.label.clone())));
    }

    /// Marks all choices as not shown: a new story begins, or the question is repeated in full.
    pub(super) fn forget_told(&mut self) {
        self.told.clear();
    }

    /// The number of a choice, by its index in the prompt.
    pub fn number(&self, at: usize) -> usize {
        self.of.get(at).copied().unwrap_or(at + 1)
    }

    /// The index of the choice with a number.
    pub fn place(&self, number: usize) -> Option<usize> {
        self.of.iter().position(|of| *of == number)
    }
}
