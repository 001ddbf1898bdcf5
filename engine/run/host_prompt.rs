//! The prompts that the host asks itself, where the game has none to give. Their scene begins with
//! `host:`, and their answers are never steps of the run.

use super::blame::Blame;
use crate::kit::text::escape;
use crate::play::{Ask, Choice, Prompt};

/// The id of the choice that tries again what failed.
pub const AGAIN: &str = "again";
/// The id of the choice that refuses the step which ended the program.
pub const REFUSE: &str = "refuse";
/// The id of the choice that leaves the run as it lies.
pub const LEAVE: &str = "leave";

/// The id of the choice that goes on without the hook that failed.
pub const WITHOUT_HOOK: &str = "without_hook";
/// The id of the choice that sets a mod aside.
pub const SET_ASIDE: &str = "set_aside";

/// Why the host asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Why {
    /// The content gives no prompt here.
    Stuck,
    /// A result could not be written.
    Unwritten,
    /// A step was refused, and the run can do without what is to blame.
    Refused,
    /// The same step has ended the program twice.
    Deadly,
}

/// The host's prompt for one of its reasons, with what was wrong.
pub(super) fn prompt(why: Why, trouble: &str, blame: Option<&Blame>) -> Prompt {
    let (scene, text, again) = match why {
        Why::Stuck => (
            "host:stuck",
            "The content has no prompt to give here. The run is safe on disk.",
            "Try again, with the mods as they lie on disk now",
        ),
        Why::Unwritten => (
            "host:unwritten",
            "The last step could not be written, so it has not been shown. The run is safe up to the step before.",
            "Try to write it again",
        ),
        Why::Refused => (
            "host:refused",
            "That step was taken back, and nothing of it has happened.",
            "It is mended: read the mods again and go on",
        ),
        Why::Deadly => (
            "host:deadly",
            "The last input ended the program twice. The run is safe up to the step before it.",
            "Try it once more",
        ),
    };
    let mut choices = vec![choice(AGAIN, again)];
    if why == Why::Deadly {
        choices.push(choice(REFUSE, "Refuse that input and go on"));
    }
    if let Some(blame) = blame {
        let owner = escape(&blame.owner);
        if let Some((hook, moment)) = &blame.hook {
            let (hook, moment) = (escape(hook), escape(moment));
            let label = format!("Go on without the hook of {owner} on \"{moment}\" ({hook})");
            choices.push(choice(WITHOUT_HOOK, &label));
        }
        if blame.can_leave {
            choices.push(choice(SET_ASIDE, &format!("Set the mod {owner} aside for this run")));
        }
    }
    choices.push(choice(LEAVE, "Leave the run as it lies"));
    let text = match trouble {
        "" => text.to_owned(),
        trouble => format!("{text}\n{}", escape(trouble)),
    };
    Prompt { scene: scene.to_owned(), text, ask: Ask::One, choices, rounds: false }
}

fn choice(id: &str, label: &str) -> Choice {
    Choice { id: id.to_owned(), label: label.to_owned(), ..Choice::default() }
}
