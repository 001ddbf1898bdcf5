//! The prompts that the host asks itself, where the game has none to give. Their scene begins with
//! `host:`, and their answers are never steps of the run.

use super::blame::Blame;
use crate::kit::text::escape;
use crate::play::{Ask, Choice, Prompt};
use crate::script::Blamed;

/// The id of the choice that tries again what failed.
pub const AGAIN: &str = "again";
/// The id of the choice that refuses the step which ended the program.
pub const REFUSE: &str = "refuse";
/// The id of the choice that leaves the run as it lies.
pub const LEAVE: &str = "leave";

/// The id of the choice that goes on without the hook that failed.
pub const WITHOUT_HOOK: &str = "without_hook";
/// The id of the choice that disables the mod that is most likely to blame; for the next ones a
/// number from 2 stands behind it.
pub const SET_ASIDE: &str = "set_aside";

fn id_of_mod(number: usize) -> String {
    match number {
        0 => SET_ASIDE.to_owned(),
        number => format!("{SET_ASIDE}_{}", number + 1),
    }
}

/// Which of the mods that are to blame a choice disables, if it is such a choice.
pub(super) fn number_of_mod(id: &str) -> Option<usize> {
    if id == SET_ASIDE {
        return Some(0);
    }
    let number = id.strip_prefix(SET_ASIDE)?.strip_prefix('_')?;
    number.parse::<usize>().ok()?.checked_sub(1)
}

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
    let mut lines = vec![text.to_owned()];
    lines.extend((!trouble.is_empty()).then(|| escape(trouble)));
    if let Some(blame) = blame {
        if let Some(Blamed { owner, hook, moment }) = &blame.hook {
            let (owner, hook, moment) = (escape(owner), escape(hook), escape(moment));
            let label = format!("Go on without the hook of {owner} on \"{moment}\" ({hook})");
            choices.push(choice(WITHOUT_HOOK, &label));
        }
        for (number, owner) in blame.mods.iter().enumerate() {
            let label = format!("Set the mod {} aside for this run", escape(owner));
            choices.push(choice(&id_of_mod(number), &label));
        }
        lines.extend(blame.needed.iter().map(|owner| {
            let owner = escape(owner);
            format!(
                "This run cannot go on without {owner} here. To switch it off, leave the run and \
                 type: sub-rosa mods off {owner}"
            )
        }));
    }
    choices.push(choice(LEAVE, "Leave the run as it lies"));
    Prompt {
        scene: scene.to_owned(),
        text: lines.join("\n"),
        ask: Ask::One,
        choices,
        rounds: false,
    }
}

fn choice(id: &str, label: &str) -> Choice {
    Choice { id: id.to_owned(), label: label.to_owned(), ..Choice::default() }
}
