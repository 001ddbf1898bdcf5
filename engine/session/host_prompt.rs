//! The host's own prompts, for situations without a prompt of the game. Their scene begins with
//! `host:`, and their answers are never steps of the run.

use base::host_text;
use base::text::escape_markup;
use protocol::{AnswerType, Choice, Prompt};
use script::FailedHook;

/// The hook and the mods at fault for a refusal.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct RefusalCause {
    /// The hook in which it happened, if any.
    pub hook: Option<FailedHook>,
    /// Mods that the run can continue without, the most likely cause first.
    pub optional_mods: Vec<String>,
    /// Mods at fault that the run cannot continue without.
    pub required_mods: Vec<String>,
    /// The flags of a command that switches one of them off.
    pub command_flags: String,
    pub why: String,
}

/// The id of the choice that retries the failed operation.
pub const RETRY_CHOICE_ID: &str = "again";
/// The id of the choice that refuses the step that ended the program.
pub const REFUSE_STEP_CHOICE_ID: &str = "refuse";
/// The id of the choice that leaves the run unchanged.
pub const LEAVE_RUN_CHOICE_ID: &str = "leave";

/// The id of the choice that disables the failed hook.
pub const DISABLE_HOOK_CHOICE_ID: &str = "without_hook";
/// The id of the choice that disables the mod most likely at fault; further ones have a number from
/// 2 as a suffix.
pub const DISABLE_MOD_CHOICE_ID: &str = "set_aside";

fn disable_mod_choice_id(number: usize) -> String {
    match number {
        0 => DISABLE_MOD_CHOICE_ID.to_owned(),
        number => format!("{DISABLE_MOD_CHOICE_ID}_{}", number + 1),
    }
}

/// The index of the mod that a choice disables, if it is such a choice.
pub(super) fn parse_disable_mod_choice(id: &str) -> Option<usize> {
    if id == DISABLE_MOD_CHOICE_ID {
        return Some(0);
    }
    let number = id.strip_prefix(DISABLE_MOD_CHOICE_ID)?.strip_prefix('_')?;
    number.parse::<usize>().ok()?.checked_sub(1)
}

/// The reason of a host prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HostPromptReason {
    /// The content has no prompt at the current state.
    ContentHasNoPrompt,
    /// A result could not be written.
    ResultNotWritten,
    /// A step was refused, and the run can continue without the cause.
    StepRefused,
    /// The same step has ended the program twice.
    RepeatedCrash,
}

/// The host prompt for a reason, with the Problem.
pub(super) fn build_host_prompt(
    why: HostPromptReason,
    message: &str,
    cause: Option<&RefusalCause>,
) -> Prompt {
    let (scene, text, retry_label) = match why {
        HostPromptReason::ContentHasNoPrompt => (
            "host:stuck",
            host_text!(
                "The mods give no prompt at this point of the run. The run is safe on disk."
            ),
            host_text!("Try again with the mods that are now on disk"),
        ),
        HostPromptReason::ResultNotWritten => (
            "host:unwritten",
            host_text!(
                "The last step could not be written, so it has not been shown. The run is safe up to the step before."
            ),
            host_text!("Try to write it again"),
        ),
        HostPromptReason::StepRefused => (
            "host:refused",
            host_text!("That step was rolled back and has no effect."),
            host_text!("The mod is fixed: reload the mods and continue"),
        ),
        HostPromptReason::RepeatedCrash => (
            "host:deadly",
            host_text!(
                "The last input ended the program twice. The run is safe up to the step before it."
            ),
            host_text!("Try it again"),
        ),
    };
    let mut choices = vec![build_choice(RETRY_CHOICE_ID, &retry_label)];
    if why == HostPromptReason::RepeatedCrash {
        choices.push(build_choice(
            REFUSE_STEP_CHOICE_ID,
            &host_text!("Refuse that input and continue"),
        ));
    }
    let mut lines = vec![text];
    lines.extend((!message.is_empty()).then(|| escape_markup(message)));
    if let Some(cause) = cause {
        if let Some(FailedHook { owner, hook, event: event_name }) = &cause.hook {
            let (owner, hook, event_name) =
                (escape_markup(owner), escape_markup(hook), escape_markup(event_name));
            let label = host_text!(
                "Disable the hook of {owner} on \"{event_name}\" ({hook})",
                owner = owner,
                event_name = event_name,
                hook = hook
            );
            choices.push(build_choice(DISABLE_HOOK_CHOICE_ID, &label));
        }
        for (number, owner) in cause.optional_mods.iter().enumerate() {
            let label =
                host_text!("Disable the mod {owner} for this run", owner = escape_markup(owner));
            choices.push(build_choice(&disable_mod_choice_id(number), &label));
        }
        lines.extend(cause.required_mods.iter().map(|owner| {
            let command = format!("sub-rosa mods off {owner}{}", cause.command_flags);
            host_text!(
                "This run cannot continue without {owner} here: fix the mod, or leave the run and \
                 give it up. To play the next run without the mod, type: {command}",
                owner = escape_markup(owner),
                command = escape_markup(&command)
            )
        }));
    }
    choices.push(build_choice(LEAVE_RUN_CHOICE_ID, &host_text!("Leave the run as it is")));
    Prompt {
        scene: scene.to_owned(),
        text: lines.join("\n"),
        answer_type: AnswerType::SingleChoice,
        choices,
        repeats: false,
    }
}

fn build_choice(id: &str, label: &str) -> Choice {
    Choice { id: id.to_owned(), label: label.to_owned(), ..Choice::default() }
}
