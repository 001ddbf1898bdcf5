//! The sizes of what a run has beside its world: mods, disabled hooks, the pending input and
//! the ending. A session copies it often, so a crafted journal may not make it large.

use std::collections::BTreeSet;

use super::entry::{ConsoleCommand, DisabledEntry, ModVersion, RunEnding, RunHeader};
use super::run_state::RunState;
use super::size_limits::{
    MAX_GAME_PROFILE_VALUES, MAX_NO_AWARD_REASONS, MAX_RUN_LIST_BYTES, RUN_LIST_ITEM_COST_BYTES,
};
use protocol::Input;

/// Refuses a header whose texts or mods take too much. Its plain values are counted when it is
/// parsed.
pub(super) fn check_header_size(header: &RunHeader) -> Result<(), String> {
    let parent = header.forked_from.iter().map(|parent| &parent.run_id);
    let texts = [&header.engine_version, &header.run_id, &header.profile_id, &header.profile_name];
    let texts =
        texts.into_iter().chain([&header.game]).chain(parent).chain(&header.daily_seed_date);
    check_text_sizes("names", texts)?;
    check_mod_list_size(&header.mods)
}

/// Refuses a state of a run, read from a checkpoint, that takes too much.
pub(super) fn check_run_state_size(run_state: &RunState) -> Result<(), String> {
    check_mod_list_size(&run_state.mods)?;
    check_no_award_reasons_size(&run_state.no_award_reasons)?;
    check_disabled_list_size(&run_state.disabled_entries)?;
    run_state.run_ending.as_ref().map_or(Ok(()), check_ending_size)?;
    let Some(pending) = &run_state.pending_step else { return Ok(()) };
    check_task_size(pending.input.as_ref(), pending.console_command.as_ref())
}

pub(super) fn check_no_award_reasons_size(reasons: &BTreeSet<String>) -> Result<(), String> {
    match reasons.len() > MAX_NO_AWARD_REASONS {
        true => Err(format!(
            "{} reasons for no award; a run has at most {MAX_NO_AWARD_REASONS}",
            reasons.len()
        )),
        false => check_text_sizes("reasons for no award", reasons),
    }
}

pub(super) fn check_mod_list_size(mods: &[ModVersion]) -> Result<(), String> {
    check_text_sizes("mods", mods.iter().flat_map(|version| [&version.id, &version.version]))
}

pub(super) fn check_disabled_list_size(disabled: &[DisabledEntry]) -> Result<(), String> {
    let texts = disabled.iter().flat_map(|entry| [&entry.owner, &entry.hook, &entry.reason]);
    check_text_sizes("disabled hooks and mods", texts)
}

pub(super) fn check_ending_size(ending: &RunEnding) -> Result<(), String> {
    for (what, value) in [("an outcome", &ending.outcome), ("an award", &ending.award)] {
        let (count, _) = value.count_values_and_text_bytes();
        if count > MAX_GAME_PROFILE_VALUES {
            return Err(format!(
                "{what} of {count} values; a run has at most {MAX_GAME_PROFILE_VALUES}"
            ));
        }
    }
    check_text_sizes("achievements", ending.achievement_ids.iter().chain([&ending.end_date]))
}

/// Refuses an input or a console command that takes too much.
pub(super) fn check_task_size(
    input: Option<&Input>,
    command: Option<&ConsoleCommand>,
) -> Result<(), String> {
    match input {
        Some(Input::Choices(ids)) => check_text_sizes("choices", ids)?,
        Some(Input::Choice(text) | Input::Text(text)) => check_text_sizes("an answer", [text])?,
        Some(Input::Number(_)) | None => {}
    }
    match command {
        Some(ConsoleCommand::Lua(text) | ConsoleCommand::Goto(text)) => {
            check_text_sizes("a console command", [text])
        }
        Some(ConsoleCommand::LuaInMod { mod_id, line }) => {
            check_text_sizes("a console command", [mod_id, line])
        }
        Some(ConsoleCommand::Seed(_)) | None => Ok(()),
    }
}

fn check_text_sizes<'t>(
    what: &str,
    texts: impl IntoIterator<Item = &'t String>,
) -> Result<(), String> {
    check_size(what, texts.into_iter().map(|text| text.len() + RUN_LIST_ITEM_COST_BYTES).sum())
}

fn check_size(what: &str, bytes: usize) -> Result<(), String> {
    match bytes > MAX_RUN_LIST_BYTES {
        true => Err(format!("{what} of {bytes} bytes; a run has at most {MAX_RUN_LIST_BYTES}")),
        false => Ok(()),
    }
}
