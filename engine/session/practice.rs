//! Practice runs: undo an answer, or fork a run from a replay. They are marked in their journals
//! and earn nothing.

use super::lifecycle::{ActiveRun, resume_run};
use super::replay_player::ReplayPlayer;
use super::step::Session;
use super::undo::undo_to_step;
use base::host_text;
use base::{Code, Problem};
use protocol::StoryEntry;
use save::{ConsoleCommand, DataDir, LockedProfile};

/// Why a run earns nothing, in words; `None` if it counts.
pub fn no_award_reason(session: &mut Session) -> Option<String> {
    let run_state = session.journal()?.run_state();
    let is_practice =
        ["practice", "fork"].iter().any(|mark| run_state.no_award_reasons.contains(*mark));
    match (run_state.earns_award(), is_practice) {
        (true, _) => None,
        (false, true) => Some(host_text!("Practice, earns nothing")),
        (false, false) => Some(host_text!("Not counted, earns nothing")),
    }
}

/// Undoes the last step of a run that earns nothing. Returns the story up to there.
pub fn undo_step(session: &mut Session, data_dir: &DataDir) -> Result<Vec<StoryEntry>, Problem> {
    if no_award_reason(session).is_none() {
        return Err(Problem::error(
            Code::Counts,
            "this run is not practice, so its steps cannot be undone",
        )
        .hint("steps can be undone in a run with --practice, which earns nothing"));
    }
    match session.step_number().checked_sub(1) {
        Some(to) => undo_to_step(data_dir, session, to),
        None => Err(Problem::error(Code::AtTheStart, "there is nothing to undo")
            .hint("this is the first prompt")),
    }
}

/// Forks a practice run from the current step of a replay. If the replayed run is over, the fork
/// keeps its dice. If it is not, the fork gets other dice, so that it does not reveal them.
pub fn fork_from_replay(
    locked_profile: &mut LockedProfile,
    replay: ReplayPlayer,
    draw: &mut dyn FnMut() -> u64,
) -> Result<ActiveRun, Problem> {
    if replay.world().run_outcome().is_some() {
        return Err(Problem::error(
            Code::RunOver,
            "the run is over here, so it cannot be continued",
        )
        .hint("go back to an earlier step first"));
    }
    let is_run_over = replay.run_state().run_ending.is_some();
    let step = replay.current_step_number();
    let (header, entries) = replay.into_entries();
    let data_dir = locked_profile.data_dir().clone();
    let console_command = (!is_run_over).then(|| ConsoleCommand::Seed(draw()));
    let id = locked_profile.fork_run(&header, step, entries, console_command)?;
    resume_run(&data_dir, &id, None)
}
