//! Restores a run from its journal: the world of its checkpoint, and after it what each later step
//! changed. No script runs, so the state does not depend on the content or the program of today.

use super::attribution;
use super::recorder::StepRecorder;
use super::replay::first_problem;
use super::run_content::RunContent;
use super::step::Session;
use super::view_policy::ViewPolicy;
use base::panic_guard::catch_panics;
use base::{Code, Problem, SourceLocation};
use mods::sort_stored_mods;
use protocol::WorldState;
use save::{
    Checkpoint, DataDir, JournalEntry, LoadedJournal, ModVersion, ReadExtent, RunHeader, RunState,
};
use script::LoadOptions;

/// A run after one of its steps, as its journal says.
pub struct RestoredRun {
    /// The world.
    pub world: WorldState,
    /// The step, the mods and the disabled hooks and mods there. Its reasons against an award may
    /// be incomplete if steps were undone.
    pub run_state: RunState,
}

impl RestoredRun {
    /// Before the start.
    pub(super) fn before_start(header: &RunHeader) -> Self {
        Self { world: WorldState::new(header.seed), run_state: RunState::new(header) }
    }

    /// At a checkpoint.
    fn at_checkpoint(checkpoint: &Checkpoint) -> Result<Self, Problem> {
        let world = WorldState::restore(checkpoint.snapshot.clone())?;
        Ok(Self { world, run_state: checkpoint.run_state.clone() })
    }

    /// The number of the last step; 0 also before the start.
    pub fn step(&self) -> u64 {
        self.run_state.last_completed_step().unwrap_or(0)
    }

    /// Applies the entries of an opened run that count, perhaps only up to the end of a step.
    fn apply_entries(
        mut self,
        opened: &LoadedJournal,
        up_to: Option<u64>,
    ) -> Result<Self, Problem> {
        let last_line = up_to.map_or(u64::MAX, |step| opened.line_of_step(step));
        let mut entries = opened.effective_entries(last_line);
        while let Some((line, entry)) = entries.next_entry()? {
            self.apply_entry(line, &entry)?;
        }
        Ok(self)
    }

    /// Applies the next entry that counts. After a Problem the world is in between and must be
    /// dropped.
    pub(super) fn apply_entry(&mut self, line: u64, entry: &JournalEntry) -> Result<(), Problem> {
        let place = || {
            let line = u32::try_from(line).unwrap_or(0);
            SourceLocation::new("", "journal.jsonl", line)
        };
        match entry {
            JournalEntry::Result { changes, .. } | JournalEntry::Reload { changes, .. } => {
                self.world.apply_changes(changes).map_err(|problem| problem.at(place()))?;
            }
            JournalEntry::RestoredFromCheckpoint(found) => {
                self.world = WorldState::restore(found.snapshot.clone())
                    .map_err(|problem| problem.at(place()))?;
            }
            _ => {}
        }
        self.run_state.apply_entry(entry).map_err(|why| {
            Problem::error(
                Code::JournalDamaged,
                format!("an entry of the run is out of order: {why}"),
            )
            .at(place())
            .hint("go back to an earlier step of the journal")
        })
    }
}

/// Restores a run after its last step, or after an earlier one.
pub fn restore_run(
    data_dir: &DataDir,
    run_id: &str,
    up_to: Option<u64>,
) -> Result<RestoredRun, Problem> {
    let opened = data_dir.open_run(run_id, ReadExtent::AfterCheckpoint)?;
    restore_opened_run(data_dir, &opened, up_to).map(|(restored, _)| restored)
}

/// The same for a journal that was opened. Also returns why its checkpoint could not be used, if
/// so: the run is then restored from its first line.
pub(super) fn restore_opened_run(
    data_dir: &DataDir,
    opened: &LoadedJournal,
    up_to: Option<u64>,
) -> Result<(RestoredRun, Option<Problem>), Problem> {
    let earliest_step = opened.earliest_undo().into_iter().chain(up_to).min().unwrap_or(u64::MAX);
    // A checkpoint at that very step may contain a reload that followed the step.
    let is_usable = |found: &&Checkpoint| found.step < earliest_step;
    let mut note = None;
    if let Some(checkpoint) = opened.checkpoint.as_ref().filter(is_usable) {
        let restored = catch_panics("restore a run from its checkpoint", || {
            RestoredRun::at_checkpoint(checkpoint)?.apply_entries(opened, up_to)
        });
        match restored {
            Ok(restored) => return Ok((restored, None)),
            Err(problem) => note = Some(unusable_checkpoint_problem(&problem)),
        }
    }
    let restored = catch_panics("restore a run from its journal", || {
        let whole_run = match opened.checkpoint {
            Some(_) => Some(data_dir.open_run(&opened.header.run_id, ReadExtent::All)?),
            None => None,
        };
        let opened = whole_run.as_ref().unwrap_or(opened);
        RestoredRun::before_start(&opened.header).apply_entries(opened, up_to)
    })?;
    Ok((restored, note))
}

fn unusable_checkpoint_problem(problem: &Problem) -> Problem {
    let found = "the run cannot be continued from its checkpoint";
    Problem::warning(Code::CheckpointPassedOver, format!("{found}: {}", problem.message))
        .hint("nothing is lost: it was restored from the first line of its journal instead")
}

/// The content of a run as its journal names it.
pub(super) fn load_run_content(
    data_dir: &DataDir,
    header: &RunHeader,
    mod_versions: &[ModVersion],
) -> Result<RunContent, Problem> {
    let sources = data_dir.load_stored_mods(mod_versions).map_err(first_problem)?;
    let mut mods = sort_stored_mods(sources).map_err(first_problem)?;
    mods.translation = data_dir.translation().cloned();
    Ok(RunContent { mods, settings: header.settings.clone() })
}

/// A session at a restored step, with a null recorder and the prompt of that step. If the content
/// of the run cannot be loaded, it is replaced by the current one; the Problem says why.
pub(super) fn open_restored_session(
    data_dir: &DataDir,
    header: &RunHeader,
    restored: RestoredRun,
    current_content: Option<&RunContent>,
) -> Result<(Session, Option<Problem>), Problem> {
    let step = restored.step();
    let RestoredRun { world, run_state } = restored;
    let world = world.with_run_options(&header.options);
    let disabled = run_state.disabled_entries;
    let load_vm = |content: RunContent| {
        let vm = attribution::load_vm_without_disabled(&content, &disabled, LoadOptions::default());
        vm.map_err(first_problem).map(|vm| (content, vm))
    };
    let own = load_run_content(data_dir, header, &run_state.mods).and_then(load_vm);
    let ((content, vm), replaced) = match (own, current_content) {
        (Ok(own), _) => (own, None),
        (Err(problem), None) => return Err(problem),
        (Err(problem), Some(now)) => {
            let content = RunContent { settings: header.settings.clone(), ..now.clone() };
            (load_vm(content).map_err(|_| problem.clone())?, Some(problem))
        }
    };
    let profile = header.profile.clone();
    let mut session =
        Session::with_world(content, vm, world, profile, StepRecorder::without_journal(), step);
    session.disabled_entries = disabled;
    session.view_policy = ViewPolicy::OnRequest;
    if run_state.next_step > 0 {
        session.refresh_prompt();
    }
    Ok((session, replaced))
}
