//! Spectating: another program uses the profile. Its runs can be watched while they are played,
//! because reading needs no lock; nothing is written.

use super::replay::{ReplayViewer, open_replay, show_replay};
use super::{ExitReason, HostPrompts, MenuSetup, host_choice, host_prompt};
use base::host_text;
use base::{Code, Problem};
use protocol::View;
use save::RunStatus;
use session::RunSource;

/// The code of the Problem of a lock that another program holds.
const PROFILE_IN_USE: Code = Code::InUse;

/// Asks what to do if the profile cannot be locked; `Ok` means to try again. If another program
/// uses it, its run can be watched; a run requested on the command line is shown at once.
pub(super) fn handle_locked_profile(
    setup: &mut MenuSetup,
    host_prompts: &mut HostPrompts<'_>,
    problem: Problem,
) -> Result<(), ExitReason> {
    if problem.code != PROFILE_IN_USE {
        return host_prompts.ask_retry_or_quit(&[problem]);
    }
    if let Some(source) = setup.watched_run.take() {
        spectate_run(setup, host_prompts, &source)?;
        return Err(ExitReason::Quit);
    }
    // Clears Problems of the previous attempt.
    host_prompts.frontend.begin_story(&[])?;
    host_prompts.frontend.show_problem(&problem)?;
    loop {
        let active_run = find_active_run(setup);
        let mut watch = host_choice("watch", &host_text!("Watch the run that is played there"));
        watch.disabled_because = active_run.is_none().then(|| host_text!("no run is being played"));
        let choices = vec![
            host_choice("again", &host_text!("Try again")),
            watch,
            host_choice("quit", &host_text!("Quit")),
        ];
        let prompt = host_prompt(
            "host:trouble",
            &host_text!("Only one program at a time can play as this player."),
            choices,
        );
        match (host_prompts.ask_choice(&prompt, &View::default()), active_run) {
            (Ok(Some(id)), _) if id == "again" => return Ok(()),
            (Ok(Some(id)), Some(run_id)) if id == "watch" => {
                spectate_run(setup, host_prompts, &RunSource::RunId(run_id))?;
            }
            // The Problem was shown; only the exit status is left to report.
            (Ok(_) | Err(ExitReason::Quit), _) => return Err(ExitReason::Failed(Vec::new())),
            (Err(stop), _) => return Err(stop),
        }
    }
}

/// Shows a run that may still be played.
fn spectate_run(
    setup: &MenuSetup,
    host_prompts: &mut HostPrompts<'_>,
    source: &RunSource,
) -> Result<(), ExitReason> {
    match open_replay(setup, source) {
        Ok(mut replay) => {
            show_replay(host_prompts, &mut replay, ReplayViewer::Spectator)?;
            Ok(host_prompts.frontend.set_run_label("", false)?)
        }
        Err(problem) => Err(ExitReason::Failed(vec![problem])),
    }
}

/// The newest unfinished run of this player.
fn find_active_run(setup: &MenuSetup) -> Option<String> {
    let player = setup.data_dir.find_profile_id(setup.player_name.trim()).ok()?;
    let unfinished_runs = setup.data_dir.list_runs().ok()?.into_iter().filter(|line| {
        let header = line.header.as_ref();
        header.is_some_and(|header| header.profile_id == player)
            && matches!(line.status, RunStatus::Unfinished { .. })
    });
    unfinished_runs.last().map(|line| line.run_id)
}
