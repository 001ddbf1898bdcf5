//! Practice runs: undo an answer, or fork a run from a replay. They are marked in their journals
//! and earn nothing.

use super::back::back;
use super::lifecycle::{InHand, resume};
use super::replay_player::ReplayPlayer;
use super::session::Session;
use crate::kit::Problem;
use crate::play::Past;
use crate::save::{DataDir, Entry, LockedProfile, Order};

/// Why a run earns nothing, in words; `None` if it counts.
pub fn set_apart(session: &mut Session) -> Option<&'static str> {
    let run_state = session.journal()?.run_state();
    let practice = ["practice", "fork"].iter().any(|mark| run_state.marks.contains(*mark));
    match (run_state.earns(), practice) {
        (true, _) => None,
        (false, true) => Some("Practice, earns nothing"),
        (false, false) => Some("Not counted, earns nothing"),
    }
}

/// Undoes the last step of a run that earns nothing. Returns the story up to there.
pub fn take_back(session: &mut Session, data_dir: &DataDir) -> Result<Vec<Past>, Problem> {
    if set_apart(session).is_none() {
        return Err(Problem::error("counts", "this run counts, so its steps cannot be undone")
            .hint("steps can be undone in a run with --practice, which earns nothing"));
    }
    match session.step_number().checked_sub(1) {
        Some(to) => back(data_dir, session, to),
        None => Err(Problem::error("at-the-start", "there is nothing to undo")
            .hint("this is the first prompt")),
    }
}

/// Forks a practice run from the current step of a replay. If the replayed run is over, the fork
/// keeps its dice. If it is not, the fork gets other dice, so that it does not reveal them.
pub fn play_on(
    held: &mut LockedProfile,
    replay: ReplayPlayer,
    draw: &mut dyn FnMut() -> u64,
) -> Result<InHand, Problem> {
    if replay.session().finished().is_some() {
        return Err(Problem::error("run-over", "the run is over here, so it cannot be continued")
            .hint("go back to an earlier step first"));
    }
    let over = replay.run_state().ended.is_some();
    let step = replay.at();
    let (header, entries) = replay.cut();
    let ends = |entry: &Entry| matches!(entry, Entry::Ended(_) | Entry::Settled {});
    let entries: Vec<Entry> =
        entries.into_iter().map(|(_, entry)| entry).filter(|entry| !ends(entry)).collect();
    let data_dir = held.data_dir().clone();
    let order = (!over).then(|| Order::Seed(draw()));
    let id = held.fork(&header, step, entries, order)?;
    resume(&data_dir, &id, None)
}
