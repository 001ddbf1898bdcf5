//! Spectating: another program uses the profile. Its runs can be watched while they are played,
//! because reading needs no lock; nothing is written.

use super::replay::{Viewer, open_replay, show};
use super::{Door, Setup, Stop, ask, choice};
use crate::kit::Problem;
use crate::play::View;
use crate::run::RunSource;
use crate::save::RunStatus;

/// The code of the Problem of a lock that another program holds.
const IN_USE: &str = "in-use";

/// Asks what to do if the profile cannot be locked; `Ok` means to try again. If another program
/// uses it, its run can be watched; a run requested on the command line is shown at once.
pub(super) fn instead(
    setup: &mut Setup,
    door: &mut Door<'_>,
    problem: Problem,
) -> Result<(), Stop> {
    if problem.code != IN_USE {
        return door.again_or_quit(&[problem]);
    }
    if let Some(source) = setup.watch.take() {
        look_on(setup, door, &source)?;
        return Err(Stop::Quit);
    }
    // Clears Problems of the previous attempt.
    door.front.begin(&[])?;
    door.front.trouble(&problem)?;
    loop {
        let playing = playing(setup);
        let mut watch = choice("watch", "Watch the run that is played there");
        watch.closed = playing.is_none().then(|| "no run is being played".to_owned());
        let choices = vec![choice("again", "Try again"), watch, choice("quit", "Quit")];
        let prompt =
            ask("host:trouble", "Only one program at a time can play as this player.", choices);
        match (door.choose(&prompt, &View::default()), playing) {
            (Ok(Some(id)), _) if id == "again" => return Ok(()),
            (Ok(Some(id)), Some(run_id)) if id == "watch" => {
                look_on(setup, door, &RunSource::Run(run_id))?;
            }
            // The Problem was shown; only the exit status is left to report.
            (Ok(_) | Err(Stop::Quit), _) => return Err(Stop::Failed(Vec::new())),
            (Err(stop), _) => return Err(stop),
        }
    }
}

/// Shows a run that may still be played.
fn look_on(setup: &Setup, door: &mut Door<'_>, source: &RunSource) -> Result<(), Stop> {
    match open_replay(setup, source) {
        Ok(mut replay) => {
            show(door, &mut replay, Viewer::Onlooker)?;
            Ok(door.front.mark("", false)?)
        }
        Err(problem) => Err(Stop::Failed(vec![problem])),
    }
}

/// The newest unfinished run of this player.
fn playing(setup: &Setup) -> Option<String> {
    let player = setup.data_dir.profile_id(setup.profile.trim()).ok()?;
    let going_on = setup.data_dir.runs_there().ok()?.into_iter().filter(|line| {
        let header = line.header.as_ref();
        header.is_some_and(|header| header.profile_id == player)
            && matches!(line.status, RunStatus::Unfinished { .. })
    });
    going_on.last().map(|line| line.run_id)
}
