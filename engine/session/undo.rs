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
    ConsoleCommand, DataDir, JournalEntry, JournalStream, JournalWriter, LockedProfile, ModVersion,
    ReadExtent,
};

type NumberedEntries = Vec<(u64, JournalEntry)>;

/// The entries of a journal without the undone ones.
pub(super) fn drop_undone_entries(entries: NumberedEntries) -> NumberedEntries {
    let mut effective = Vec::new();
    for (line, entry) in entries {
        match entry {
            JournalEntry::Undo { to, .. } => {
                truncate_after_step(&mut effective, to, JournalEntry::completed_step)
            }
            _ => effective.push((line, entry)),
        }
    }
    effective
}

/// The line numbers of the effective entries, in order: of all of them, or up to the end of a step.
pub(super) fn effective_line_numbers(
    stream: &JournalStream,
    up_to: Option<u64>,
) -> Result<Vec<u64>, Problem> {
    let mut effective: Vec<(u64, Option<u64>)> = Vec::new();
    for (line, entry) in stream.entries()? {
        match entry {
            JournalEntry::Undo { to, .. } => truncate_after_step(&mut effective, to, |ends| *ends),
            _ => effective.push((line, entry.completed_step())),
        }
    }
    if let Some(step) = up_to {
        truncate_after_step(&mut effective, step, |ends| *ends);
    }
    Ok(effective.into_iter().map(|(line, _)| line).collect())
}

/// Removes everything after the result of a step.
pub(super) fn truncate_after_step<T>(
    effective: &mut Vec<(u64, T)>,
    step: u64,
    completed_step: impl Fn(&T) -> Option<u64>,
) {
    let end = effective.iter().rposition(|(_, entry)| completed_step(entry) == Some(step));
    effective.truncate(end.map_or(0, |end| end + 1));
}

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
        to,
        mods: ModVersion::from_mod_set(&past_session.content().mods),
        disabled: past_session.disabled.clone(),
    };
    let writer = require_journal(session)?;
    let mark = JournalEntry::Mark { reason: "console".to_owned() };
    let is_marked = writer.run_state().marks.contains("console");
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
        None => Ok(data_dir.open_run(&run_id, ReadExtent::AfterCheckpoint)?.recent_story()),
    }
}

impl Session {
    /// Writes a checkpoint of the current state, if possible: it only saves time.
    pub(super) fn write_checkpoint(&mut self) {
        let (snapshot, digest) = (self.world.snapshot(), self.world.digest());
        let journal = self.recorder.journal();
        let is_between_steps = |journal: &&mut JournalWriter| {
            let at = journal.run_state();
            at.pending.is_none() && at.last_completed_step().is_some()
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
    let is_not_ending = |(_, entry): &(u64, JournalEntry)| {
        !matches!(entry, JournalEntry::Ended(_) | JournalEntry::Settled {})
    };
    let entries: Vec<JournalEntry> = drop_undone_entries(opened.entries)
        .into_iter()
        .filter(is_not_ending)
        .map(|(_, entry)| entry)
        .collect();
    let id = locked_profile.fork_run(
        &opened.header,
        step,
        entries,
        Some(ConsoleCommand::Seed(draw())),
    )?;
    resume_run(&data_dir, &id, Some(&current_content))
}
