//! Undo and fork. The journal loses nothing: an undo is an entry `back to N`, and readers skip the
//! undone entries.

use super::lifecycle::{ActiveRun, resume};
use super::reload::{adopt_folder_sources, reload_changed};
use super::replay::{ReplayParameters, first_problem};
use super::step::Session;
use crate::base::{Code, Problem};
use crate::protocol::StoryEntry;
use crate::save::{
    ConsoleCommand, DataDir, JournalEntry, JournalStream, JournalWriter, LockedProfile, ModVersion,
    ReadExtent, RunHeader,
};

type NumberedEntries = Vec<(u64, JournalEntry)>;

/// The entries of a journal without the undone ones.
pub(super) fn drop_undone(entries: NumberedEntries) -> NumberedEntries {
    let mut flat = Vec::new();
    for (line, entry) in entries {
        match entry {
            JournalEntry::Undo { to, .. } => {
                truncate_after(&mut flat, to, JournalEntry::completed_step)
            }
            _ => flat.push((line, entry)),
        }
    }
    flat
}

/// The line numbers of the effective entries, in order: of all of them, or up to the end of a step.
pub(super) fn effective_lines(
    whole: &JournalStream,
    up_to: Option<u64>,
) -> Result<Vec<u64>, Problem> {
    let mut flat: Vec<(u64, Option<u64>)> = Vec::new();
    for (line, entry) in whole.entries()? {
        match entry {
            JournalEntry::Undo { to, .. } => truncate_after(&mut flat, to, |ends| *ends),
            _ => flat.push((line, entry.completed_step())),
        }
    }
    if let Some(step) = up_to {
        truncate_after(&mut flat, step, |ends| *ends);
    }
    Ok(flat.into_iter().map(|(line, _)| line).collect())
}

/// Removes everything after the result of a step.
fn truncate_after<T>(flat: &mut Vec<(u64, T)>, step: u64, ends: impl Fn(&T) -> Option<u64>) {
    let end = flat.iter().rposition(|(_, entry)| ends(entry) == Some(step));
    flat.truncate(end.map_or(0, |end| end + 1));
}

/// The entries of a journal up to the end of a step.
fn entries_up_to(
    data_dir: &DataDir,
    run_id: &str,
    step: u64,
) -> Result<(RunHeader, NumberedEntries), Problem> {
    let opened = data_dir.open(run_id, ReadExtent::All)?;
    let mut flat = drop_undone(opened.entries);
    truncate_after(&mut flat, step, JournalEntry::completed_step);
    Ok((opened.header, flat))
}

fn journal(session: &mut Session) -> Result<&mut JournalWriter, Problem> {
    session.journal().ok_or_else(|| {
        Problem::error(Code::NoJournal, "this run has no journal, so its steps cannot be undone")
    })
}

/// Undoes a run to the end of a step: replays it up to there, then switches to the current content
/// if that has a prompt there. Returns the story up to there.
pub fn undo_to(
    data_dir: &DataDir,
    session: &mut Session,
    to: u64,
) -> Result<Vec<StoryEntry>, Problem> {
    let now = session.content().clone();
    if to > session.step_number() {
        let last = session.step_number();
        return Err(Problem::error(Code::NoSuchStep, format!("step {to} is in the future"))
            .expected(format!("a step from 0 to {last}")));
    }
    let writer = journal(session)?;
    writer.sync()?;
    let run_id = writer.run_id().to_owned();
    let (header, entries) = entries_up_to(data_dir, &run_id, to)?;
    let mut walk = ReplayParameters { data_dir, header: &header, tell: &mut |_, _| {}, on: None };
    let mut past = walk.begin(None)?;
    walk.replay_entries(&mut past, entries, true)?;
    let entry = JournalEntry::Undo {
        to,
        mods: ModVersion::from_mod_set(&past.content().mods),
        set_aside: past.disabled.clone(),
    };
    let writer = journal(session)?;
    let mark = JournalEntry::Mark { mark: "console".to_owned() };
    let marked = writer.run_state().marks.contains("console");
    let entries = if marked { vec![entry] } else { vec![mark, entry] };
    writer.append_all(&entries, true)?;
    session.replace_with_past(past);
    adopt_folder_sources(session, &now);
    let kept = match reload_changed(data_dir, session, now) {
        Ok(_) => None,
        Err(problems) => Some(first_problem(problems)),
    };
    session.checkpoint();
    match kept {
        Some(problem) => {
            Err(problem.hint("the steps are undone; the run continues with its earlier content"))
        }
        None => Ok(data_dir.open(&run_id, ReadExtent::Tail)?.story()),
    }
}

impl Session {
    /// Records the undo, so that the later steps no longer count. Returns the story up to there.
    pub(super) fn record_undo(
        &mut self,
        to: u64,
        data_dir: &DataDir,
    ) -> Result<Vec<StoryEntry>, Problem> {
        let mods = ModVersion::from_mod_set(&self.content().mods);
        let entry = JournalEntry::Undo { to, mods, set_aside: self.disabled.clone() };
        let writer = journal(self)?;
        writer.append(&entry, true)?;
        let run_id = writer.run_id().to_owned();
        Ok(data_dir.open(&run_id, ReadExtent::All)?.story())
    }

    /// Writes a checkpoint of the current state, if possible: it only saves time.
    pub(super) fn checkpoint(&mut self) {
        let (snapshot, digest) = (self.world.snapshot(), self.world.digest());
        let journal = self.recorder.journal();
        let between_steps = |journal: &&mut JournalWriter| {
            let at = journal.run_state();
            at.pending.is_none() && at.last_step().is_some()
        };
        if let Some(journal) = journal.filter(between_steps) {
            let _ = journal.replace_checkpoint(snapshot, digest);
        }
    }
}

/// Creates a new run with everything of this one up to its current step and with other dice. It
/// names its parent and earns nothing.
pub fn fork(
    held: &mut LockedProfile,
    session: &mut Session,
    draw: &mut dyn FnMut() -> u64,
) -> Result<ActiveRun, Problem> {
    let (now, step) = (session.content().clone(), session.step_number());
    let writer = journal(session)?;
    writer.sync()?;
    let run_id = writer.run_id().to_owned();
    let data_dir = held.data_dir().clone();
    let opened = data_dir.open(&run_id, ReadExtent::All)?;
    let ended = |(_, entry): &(u64, JournalEntry)| {
        !matches!(entry, JournalEntry::Ended(_) | JournalEntry::Settled {})
    };
    let entries: Vec<JournalEntry> =
        drop_undone(opened.entries).into_iter().filter(ended).map(|(_, entry)| entry).collect();
    let id = held.fork(&opened.header, step, entries, Some(ConsoleCommand::Seed(draw())))?;
    resume(&data_dir, &id, Some(&now))
}
