//! Runs for practice: an answer taken back, a run played on from any point of another. They earn
//! nothing, which their journals say.

use super::back::back;
use super::lifecycle::{InHand, resume};
use super::replay_player::ReplayPlayer;
use super::session::Session;
use crate::kit::Problem;
use crate::play::Past;
use crate::save::{DataDir, Entry, LockedProfile, Order};

/// What sets a run apart, in words; `None` for one that counts.
pub fn set_apart(session: &mut Session) -> Option<&'static str> {
    let run_state = session.journal()?.run_state();
    let practice = ["practice", "fork"].iter().any(|mark| run_state.marks.contains(*mark));
    match (run_state.earns(), practice) {
        (true, _) => None,
        (false, true) => Some("Practice, earns nothing"),
        (false, false) => Some("Set apart, earns nothing"),
    }
}

/// Takes the last step of a run back that earns nothing. Returns everything that was told up to
/// there.
pub fn take_back(session: &mut Session, data_dir: &DataDir) -> Result<Vec<Past>, Problem> {
    if set_apart(session).is_none() {
        return Err(Problem::error("counts", "this run counts, and nothing of it is taken back")
            .hint("a run begun with --practice may be taken back, and earns nothing"));
    }
    match session.step_number().checked_sub(1) {
        Some(to) => back(data_dir, session, to),
        None => Err(Problem::error("at-the-start", "there is nothing to take back")
            .hint("this is the first thing that was asked")),
    }
}

/// Begins a run for practice where a film stands: the same steps up to there, and what follows is
/// free. If the film's run is over, its dice go on as they did; if it is not, they are other ones,
/// so that nobody sees what they hold.
pub fn play_on(
    held: &mut LockedProfile,
    replay: ReplayPlayer,
    draw: &mut dyn FnMut() -> u64,
) -> Result<InHand, Problem> {
    if replay.session().finished().is_some() {
        return Err(Problem::error("run-over", "the run is over here; nothing follows")
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
