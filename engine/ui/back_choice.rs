//! The choice of a question that leads back out of it.

use protocol::{Choice, Prompt};

/// The ids of choices that go back in prompts of the host.
const BACK_CHOICE_IDS: [&str; 3] = ["host:back", "back", "title"];

/// The choice that goes back: that of a host prompt, or the one that the game marks with `back`.
pub(crate) fn back_choice(prompt: &Prompt) -> Option<&Choice> {
    let mut host_ids = BACK_CHOICE_IDS.iter().filter(|_| prompt.is_from_host());
    let mut choices = prompt.choices.iter();
    host_ids
        .find_map(|id| prompt.choice(id))
        .or_else(|| choices.find(|choice| choice.is_back_choice && choice.is_enabled()))
}
