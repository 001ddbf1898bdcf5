//! The numbers of choices: the same for as long as a question stands, so that what is spent leaves a gap.

use std::collections::BTreeMap;

use super::super::laid::Laid;
use crate::play::Prompt;

/// What had which number when it was asked last.
#[derive(Default)]
pub struct Numbers {
    scene: String,
    title: String,
    held: BTreeMap<String, usize>,
    /// The choices of the question in the order in which they are told, and each one's number.
    pub(super) laid: Laid,
    of: Vec<usize>,
}

impl Numbers {
    /// Numbers the choices of a prompt. `title` says where one is: the same question stands as long as
    /// that and its scene do, and something of it is still there.
    pub fn give(&mut self, prompt: &Prompt, title: &str) {
        let same = self.scene == prompt.scene && self.title == title;
        if !(same && prompt.choices.iter().any(|choice| self.held.contains_key(&choice.id))) {
            self.held.clear();
        }
        (self.scene, self.title) = (prompt.scene.clone(), title.to_owned());
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

    /// The number of a choice, by its place in the prompt.
    pub fn number(&self, at: usize) -> usize {
        self.of.get(at).copied().unwrap_or(at + 1)
    }

    /// The place of the choice that has a number.
    pub fn place(&self, number: usize) -> Option<usize> {
        self.of.iter().position(|of| *of == number)
    }
}
