//! Undo and fork. The journal loses nothing: an undo is an entry `back to N`, and readers skip the
//! undone entries.

use super::lifecycle::{ActiveRun, resume_run};
use super::reload::{adopt_folder_origins, reload_if_content_differs};
use super::replay::first_problem;
use super::restore::{open_restored_session, restore_opened_run};
use super::step::Session;
use base::{Code, Problem};
use protocol::StoryEntry;
use save::{
    ConsoleCommand, DataDir, JournalEntry, JournalWriter, LockedProfile, ModVersion, ReadExtent,
};

fn require_journal(session: &mut Session) -> Result<&mut JournalWriter, Problem> {
    session.journal().ok_or_else(|| {
        Problem::error(Code::NoJournal, "this run has no journal, so its steps cannot be undone")
    })
}

/// Undoes a run to the end of a step: restores it there, then switches to the current content
/// if that has a prompt there. Returns the story up to there.
pub fn undo_to_step(
    data_dir: &DataDir,
    session: &mut Session,
    to: u64,
) -> Result<Vec<StoryEntry>, Problem> {
    let current_content = session.content().clone();
    if to > session.step_number() {
        let last = session.step_number();
        return Err(Problem::error(Code::NoSuchStep, format!("step {to} is in the future"))
            .expected(format!("a step from 0 to {last}")));
    }
    let writer = require_journal(session)?;
    writer.sync()?;
    let run_id = writer.run_id().to_owned();
    let opened = data_dir.open_run(&run_id, ReadExtent::AfterCheckpoint)?;
    let (restored, _) = restore_opened_run(data_dir, &opened, Some(to))?;
    let (past_session, _) =
        open_restored_session(data_dir, &opened.header, restored, Some(&current_content))?;
    let entry = JournalEntry::Undo {
        to_step: to,
        mods: ModVersion::from_mod_set(&past_session.content().mods),
        disabled: past_session.disabled_entries.clone(),
    };
    let writer = require_journal(session)?;
    let mark = JournalEntry::NoAwardReason { reason: "console".to_owned() };
    let is_marked = writer.run_state().no_award_reasons.contains("console");
    let entries = if is_marked { vec![entry] } else { vec![mark, entry] };
    writer.append_all(&entries, true)?;
    session.replace_with_past_session(past_session);
    adopt_folder_origins(session, &current_content);
    let reload_problem = match reload_if_content_differs(data_dir, session, current_content) {
        Ok(_) => None,
        Err(problems) => Some(first_problem(problems)),
    };
    session.write_checkpoint();
    match reload_problem {
        Some(problem) => {
            Err(problem.hint("the steps are undone; the run continues with its earlier content"))
        }
        None => {
            let opened = data_dir.open_run(&run_id, ReadExtent::AfterCheckpoint)?;
            Ok(opened.recent_story(session.text_overrides())?)
        }
    }
}

impl Session {
    /// Writes a checkpoint of the current state, if possible: it only saves time.
    pub(super) fn write_checkpoint(&mut self) {
        let (snapshot, digest) = (self.world.snapshot(), self.world.digest());
        let journal = self.recorder.journal();
        let is_between_steps = |journal: &&mut JournalWriter| {
            let at = journal.run_state();
            at.pending_step.is_none() && at.last_completed_step().is_some()
        };
        if let Some(journal) = journal.filter(is_between_steps) {
            let _ = journal.replace_checkpoint(snapshot, digest);
        }
    }
}

/// Creates a new run with everything of this one up to its current step and with other dice. It
/// names its parent and earns nothing.
pub fn fork_run(
    locked_profile: &mut LockedProfile,
    session: &mut Session,
    draw: &mut dyn FnMut() -> u64,
) -> Result<ActiveRun, Problem> {
    let (current_content, step) = (session.content().clone(), session.step_number());
    let writer = require_journal(session)?;
    writer.sync()?;
    let run_id = writer.run_id().to_owned();
    let data_dir = locked_profile.data_dir().clone();
    let opened = data_dir.open_run(&run_id, ReadExtent::All)?;
    let entries = opened.effective_entries(u64::MAX);
    let id = locked_profile.fork_run(
        &opened.header,
        step,
        entries,
        Some(ConsoleCommand::Seed(draw())),
    )?;
    resume_run(&data_dir, &id, Some(&current_content))
}
