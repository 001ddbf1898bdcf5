//! Where a session records its steps. For a run on disk this is a journal: intents are synced
//! before the step runs, results follow, and checkpoints are replaced at intervals. A run that
//! nobody resumes has a null recorder. The session calls in a fixed order: intent, then result or
//! refusal.

use super::run_content::RunContent;
use base::Problem;
use protocol::{Input, Odds, RecordedEvent, WorldChanges, WorldState};
use save::{ConsoleCommand, DisabledEntry, JournalEntry, JournalWriter, ModVersion, RunEnding};

/// The number of steps between two checkpoints: few enough for a fast resume, many enough to keep
/// writing cheap.
const STEPS_PER_CHECKPOINT: u64 = 16;
/// The interval grows by this many steps per so many tables and leaves of the state. The cost of a
/// checkpoint grows with the state, and the cost of a step must not.
const STATE_VALUES_PER_CHECKPOINT_INTERVAL: u64 = 1_024;
/// The same per so many mods, because a checkpoint names each with its version and digest.
const MODS_PER_CHECKPOINT_INTERVAL: u64 = 32;

/// Records the steps of a session. A call that returns `Ok` has recorded its entry; after an `Err`,
/// the entry does not count.
pub struct StepRecorder {
    journal: Option<JournalWriter>,
}

impl StepRecorder {
    /// A null recorder, for runs that nobody resumes.
    pub fn without_journal() -> Self {
        Self { journal: None }
    }

    /// A recorder that appends to a journal.
    pub fn with_journal(journal: JournalWriter) -> Self {
        Self { journal: Some(journal) }
    }

    fn append(&mut self, entry: impl FnOnce() -> JournalEntry) -> Result<(), Problem> {
        self.journal.as_mut().map_or(Ok(()), |journal| journal.append(&entry(), true))
    }

    /// Records an input before it runs, with its description and its odds. On disk and synced when
    /// this returns.
    pub(super) fn record_intent(
        &mut self,
        step: u64,
        input: &Input,
        describe_input: impl FnOnce(&Input) -> (String, Option<Odds>),
    ) -> Result<(), Problem> {
        self.append(|| {
            let (said, odds) = describe_input(input);
            JournalEntry::Intent {
                step,
                input: input.clone(),
                answer_text: said,
                odds: odds.map(Box::new),
            }
        })
    }

    /// Records a console command before it runs. On disk and synced when this returns.
    pub(super) fn record_console_command(
        &mut self,
        step: u64,
        console_command: &ConsoleCommand,
    ) -> Result<(), Problem> {
        let Some(journal) = &mut self.journal else { return Ok(()) };
        let mut entries = vec![JournalEntry::Console { step, command: console_command.clone() }];
        if !journal.run_state().no_award_reasons.contains("console") {
            entries.insert(0, JournalEntry::NoAwardReason { reason: "console".to_owned() });
        }
        journal.append_all(&entries, true)
    }

    /// Records the retry of a step in which the program died.
    pub(super) fn record_retry(&mut self, step: u64) -> Result<(), Problem> {
        self.append(|| JournalEntry::Retry { step })
    }

    /// Whether steps are recorded. A null recorder does not need the changes of a step.
    pub(super) fn is_recording(&self) -> bool {
        self.journal.is_some()
    }

    /// Records a successful step: what it changed, its events, and the end of the run, if it is
    /// over.
    pub(super) fn record_result(
        &mut self,
        step: u64,
        world: &WorldState,
        changes: WorldChanges,
        ending: Option<RunEnding>,
    ) -> Result<(), Problem> {
        let Some(journal) = &mut self.journal else { return Ok(()) };
        let events = world.recorded_events();
        let mut entries = vec![JournalEntry::Result { step, events, changes }];
        let ended = ending.is_some();
        entries.extend(ending.map(JournalEntry::Ended));
        journal.append_all(&entries, ended)?;
        let mods = journal.run_state().mods.len() as u64;
        let interval_factor = 1
            + world.state.value_count() as u64 / STATE_VALUES_PER_CHECKPOINT_INTERVAL
            + mods / MODS_PER_CHECKPOINT_INTERVAL;
        if ended || step.is_multiple_of(STEPS_PER_CHECKPOINT * interval_factor) {
            // A checkpoint only saves time. If it cannot be written now, a later one is.
            let _ = journal.replace_checkpoint(world.snapshot(), world.digest());
        }
        Ok(())
    }

    /// Records a refused step, which has no other effect.
    pub(super) fn record_refusal(&mut self, step: u64, problem: &Problem) -> Result<(), Problem> {
        self.append(|| JournalEntry::Refusal { step, problem: problem.clone() })
    }

    /// Records new content between two steps: the migrated world, the events, and in `disabled`
    /// what is disabled from here on.
    pub(super) fn record_reload(
        &mut self,
        disabled: Option<&DisabledEntry>,
        content: &RunContent,
        events: &[RecordedEvent],
        changes: WorldChanges,
    ) -> Result<(), Problem> {
        let Some(journal) = &mut self.journal else { return Ok(()) };
        let mods = ModVersion::from_mod_set(&content.mods);
        let mut entries: Vec<JournalEntry> =
            disabled.cloned().map(JournalEntry::Disabled).into_iter().collect();
        entries.push(JournalEntry::Reload { mods, events: events.to_vec(), changes });
        journal.append_all(&entries, true)
    }

    /// Records that the player abandoned the run.
    pub(super) fn record_abandonment(&mut self, ending: RunEnding) -> Result<(), Problem> {
        self.append(|| JournalEntry::Ended(ending))
    }

    pub(super) fn journal(&mut self) -> Option<&mut JournalWriter> {
        self.journal.as_mut()
    }
}
