//! Runs for practice: an answer taken back, a run played on from any point of another. They earn
//! nothing, which their journals say.

use super::back::back;
use super::film::Film;
use super::session::Session;
use super::shelf::{InHand, resume, written};
use crate::kit::Problem;
use crate::play::Event;
use crate::save::{Entry, HeldProfile, Home, Order};

/// What sets a run apart, in words; `None` for one that counts.
pub fn set_apart(session: &mut Session) -> Option<&'static str> {
    let standing = session.journal()?.standing();
    let practice = ["practice", "fork"].iter().any(|mark| standing.marks.contains(*mark));
    match (standing.earns(), practice) {
        (true, _) => None,
        (false, true) => Some("Practice, earns nothing"),
        (false, false) => Some("Set apart, earns nothing"),
    }
}

/// The id of the run, if it lies on disk.
pub fn run_id(session: &mut Session) -> Option<String> {
    session.journal().map(|journal| journal.run_id().to_owned())
}

/// Takes the last step of a run back that earns nothing. Returns everything that was told up to
/// there.
pub fn take_back(session: &mut Session, home: &Home) -> Result<Vec<Event>, Problem> {
    if set_apart(session).is_none() {
        return Err(Problem::error("counts", "this run counts, and nothing of it is taken back")
            .hint("a run begun with --practice may be taken back, and earns nothing"));
    }
    match session.step_number().checked_sub(1) {
        Some(to) => back(home, session, to),
        None => Err(Problem::error("at-the-start", "there is nothing to take back")
            .hint("this is the first thing that was asked")),
    }
}

/// Begins a run for practice where a film stands: the same steps up to there, and what follows is
/// free. If the film's run is over, its dice go on as they did; if it is not, they are other ones,
/// so that nobody sees what they hold.
pub fn play_on(
    held: &mut HeldProfile,
    film: Film,
    draw: &mut dyn FnMut() -> u64,
) -> Result<InHand, Problem> {
    if film.session().finished().is_some() {
        return Err(Problem::error("run-over", "the run is over here; nothing follows")
            .hint("go back to an earlier step first"));
    }
    let over = film.standing().ended.is_some();
    let step = film.at();
    let (header, entries) = film.cut();
    let ends = |entry: &Entry| matches!(entry, Entry::Ended(_) | Entry::Settled {});
    let entries: Vec<Entry> =
        entries.into_iter().map(|(_, entry)| entry).filter(|entry| !ends(entry)).collect();
    let home = held.home().clone();
    let id = held.fork(&header, step, &entries)?;
    let mut in_hand = resume(&home, &id, None)?;
    if !over {
        in_hand.told = in_hand.session.console(Order::Seed(draw())).map_err(written)?;
    }
    Ok(in_hand)
}
