//! The choice of a question that leads back out of it.

use protocol::{Choice, Prompt};

/// The prefix of the scenes of host prompts.
pub(crate) const HOST_SCENE_PREFIX: &str = "host:";
/// The ids of their choices that go back.
const BACK_CHOICE_IDS: [&str; 3] = ["host:back", "back", "title"];

/// The choice that goes back: that of a host prompt, or the one that the game marks with `back`.
pub(crate) fn back_choice(prompt: &Prompt) -> Option<&Choice> {
    let is_host_prompt = prompt.scene.starts_with(HOST_SCENE_PREFIX);
    let mut host_choices =
        BACK_CHOICE_IDS.iter().filter(|_| is_host_prompt).filter_map(|id| prompt.choice(id));
    let mut marked_choices =
        prompt.choices.iter().filter(|choice| choice.is_back_choice && choice.is_enabled());
    host_choices.next().or_else(|| marked_choices.next())
}
