//! The host's own prompts, for situations without a prompt of the game. Their scene begins with
//! `host:`, and their answers are never steps of the run.

use super::attribution::FailedMod;
use crate::base::text::escape;
use crate::protocol::{AnswerType, Choice, Prompt};
use crate::script::FailedHook;

/// The id of the choice that retries the failed operation.
pub const AGAIN: &str = "again";
/// The id of the choice that refuses the step that ended the program.
pub const REFUSE: &str = "refuse";
/// The id of the choice that leaves the run unchanged.
pub const LEAVE: &str = "leave";

/// The id of the choice that disables the failed hook.
pub const WITHOUT_HOOK: &str = "without_hook";
/// The id of the choice that disables the mod most likely at fault; further ones have a number from
/// 2 as a suffix.
pub const SET_ASIDE: &str = "set_aside";

fn id_of_mod(number: usize) -> String {
    match number {
        0 => SET_ASIDE.to_owned(),
        number => format!("{SET_ASIDE}_{}", number + 1),
    }
}

/// The index of the mod that a choice disables, if it is such a choice.
pub(super) fn number_of_mod(id: &str) -> Option<usize> {
    if id == SET_ASIDE {
        return Some(0);
    }
    let number = id.strip_prefix(SET_ASIDE)?.strip_prefix('_')?;
    number.parse::<usize>().ok()?.checked_sub(1)
}

/// The reason of a host prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HostPromptReason {
    /// The content has no prompt at the current state.
    Stuck,
    /// A result could not be written.
    Unwritten,
    /// A step was refused, and the run can continue without the cause.
    Refused,
    /// The same step has ended the program twice.
    RepeatedCrash,
}

/// The host prompt for a reason, with the Problem.
pub(super) fn prompt(why: HostPromptReason, message: &str, blame: Option<&FailedMod>) -> Prompt {
    let (scene, text, again) = match why {
        HostPromptReason::Stuck => (
            "host:stuck",
            "The content has no prompt to give here. The run is safe on disk.",
            "Try again with the mods that are now on disk",
        ),
        HostPromptReason::Unwritten => (
            "host:unwritten",
            "The last step could not be written, so it has not been shown. The run is safe up to the step before.",
            "Try to write it again",
        ),
        HostPromptReason::Refused => (
            "host:refused",
            "That step was rolled back and has no effect.",
            "The mod is fixed: reload the mods and continue",
        ),
        HostPromptReason::RepeatedCrash => (
            "host:deadly",
            "The last input ended the program twice. The run is safe up to the step before it.",
            "Try it again",
        ),
    };
    let mut choices = vec![choice(AGAIN, again)];
    if why == HostPromptReason::RepeatedCrash {
        choices.push(choice(REFUSE, "Refuse that input and continue"));
    }
    let mut lines = vec![text.to_owned()];
    lines.extend((!message.is_empty()).then(|| escape(message)));
    if let Some(blame) = blame {
        if let Some(FailedHook { owner, hook, event: event_name }) = &blame.hook {
            let (owner, hook, event_name) = (escape(owner), escape(hook), escape(event_name));
            let label = format!("Disable the hook of {owner} on \"{event_name}\" ({hook})");
            choices.push(choice(WITHOUT_HOOK, &label));
        }
        for (number, owner) in blame.mods.iter().enumerate() {
            let label = format!("Disable the mod {} for this run", escape(owner));
            choices.push(choice(&id_of_mod(number), &label));
        }
        lines.extend(blame.needed.iter().map(|owner| {
            let owner = escape(owner);
            format!(
                "This run cannot continue without {owner} here. To switch it off, leave the run and \
                 type: sub-rosa mods off {owner}"
            )
        }));
    }
    choices.push(choice(LEAVE, "Leave the run as it is"));
    Prompt {
        scene: scene.to_owned(),
        text: lines.join("\n"),
        ask: AnswerType::One,
        choices,
        rounds: false,
    }
}

fn choice(id: &str, label: &str) -> Choice {
    Choice { id: id.to_owned(), label: label.to_owned(), ..Choice::default() }
}
