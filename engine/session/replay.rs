//! Replay: runs each successful step of a journal again on its content, from the start, and
//! compares what it changed. Refused steps are skipped. A tool: no run needs it to be continued.

use super::attribution;
use super::run_content::RunContent;

use super::recorder::StepRecorder;
use super::restore::{RestoredRun, load_run_content};
use super::step::{Session, StepTask};
use super::step_differences::{add_differences, find_handler_location};
use super::view_policy::ViewPolicy;
use base::{Code, Problem, Value};
use mods::engine_version;
use protocol::{Prompt, RecordedEvent, StoryEvent, WorldChanges, WorldState};
use save::{
    DataDir, EffectiveEntries, JournalEntry, ModVersion, PendingStep, RestoredCheckpoint,
    RunHeader, RunState,
};
use script::LoadOptions;

/// The most bytes of an event that a difference quotes.
const MAX_QUOTED_EVENT_BYTES: usize = 16 * 1024;
/// The most reloads that a replay runs again: each loads all mods.
const MAX_REPLAYED_RELOADS: usize = 2_000;

/// The parameters of a replay.
pub(super) struct JournalReplayer<'a> {
    /// The data folder with the stored content.
    pub(super) data_dir: &'a DataDir,
    /// The header of the run.
    pub(super) header: &'a RunHeader,
    /// The callback for each step: its number and its events.
    pub(super) on_step: &'a mut dyn FnMut(u64, &[StoryEvent]),
    /// The callback after each entry: the size of the journal up to there.
    pub(super) on_progress: &'a mut dyn FnMut(u64),
    /// The content to replay on, instead of the run's own.
    pub(super) other_content: Option<&'a RunContent>,
}

impl JournalReplayer<'_> {
    /// A session before the start, with a null recorder.
    pub(super) fn open_session(&self) -> Result<Session, Problem> {
        self.open_session_at(
            &RestoredRun::before_start(self.header).run_state,
            WorldState::new(self.header.seed),
        )
    }

    fn open_session_at(&self, run_state: &RunState, world: WorldState) -> Result<Session, Problem> {
        let content = self.load_run_content(&run_state.mods)?;
        let disabled = &run_state.disabled_entries;
        let vm = attribution::load_vm_without_disabled(&content, disabled, LoadOptions::default())
            .map_err(first_problem)?;
        let world = world.with_run_options(&self.header.options);
        let profile = self.header.profile.clone();
        let step = run_state.last_completed_step().unwrap_or(0);
        let mut session =
            Session::with_world(content, vm, world, profile, StepRecorder::without_journal(), step);
        session.disabled_entries.clone_from(disabled);
        session.collects_changes = true;
        session.view_policy = ViewPolicy::OnRequest;
        Ok(session)
    }

    /// Replays the entries of a run from its start.
    pub(super) fn replay_entries(
        &mut self,
        session: &mut Session,
        entries: &mut EffectiveEntries,
    ) -> Result<(), Problem> {
        let mut pending = Some(Ok(StepTask::Start(self.header.options.clone())));
        let (mut disabled_since, mut reloads) = (Vec::new(), 0);
        while let Some((line, entry)) = entries.next_entry()? {
            match &entry {
                JournalEntry::Intent { input, .. } => {
                    pending = Some(session.prompt().accept(input.clone()).map(StepTask::Answer))
                }
                JournalEntry::Console { command: order, .. } => {
                    pending = Some(Ok(StepTask::Console(order.clone())))
                }
                JournalEntry::Result { step, events, changes } => {
                    let task = pending.take().unwrap_or(Ok(StepTask::Start(Value::map())));
                    let task = task.map_err(|why| {
                        let why = format!("it is refused now: {why}");
                        self.divergence_problem(line, *step, &why)
                    })?;
                    let handler = find_handler_location(session, &task);
                    let found = rerun_step(session, task).map_err(|why| {
                        self.divergence_problem(line, *step, &why)
                            .add_related_locations(handler.clone())
                    })?;
                    let (events_now, changes_now) =
                        session.last_result.as_ref().expect("a session that compares steps has it");
                    let compared =
                        compare_step_result((events, changes), (events_now, changes_now));
                    compared.map_err(|why| {
                        let problem = self.divergence_problem(line, *step, &why);
                        add_differences(problem, session, events, changes, handler)
                    })?;
                    (self.on_step)(*step, &found);
                }
                JournalEntry::Refusal { step, .. } if *step > 0 => {
                    pending = None;
                    session.step_number += 1;
                }
                JournalEntry::Reload { mods, changes, .. } => {
                    reloads += 1;
                    if reloads > MAX_REPLAYED_RELOADS {
                        return Err(too_many_reloads_problem(line));
                    }
                    let content = self.load_run_content(mods)?;
                    let mark = session.world.open_savepoint();
                    session
                        .switch_content_unchecked(content, std::mem::take(&mut disabled_since))
                        .map_err(first_problem)?;
                    let changes_now = session.world.changes_since(&mark);
                    session.world.commit_savepoint(mark);
                    let step = session.step_number();
                    compare_step_result((&[], changes), (&[], &changes_now))
                        .map_err(|why| self.divergence_problem(line, step, &why))?;
                }
                JournalEntry::RestoredFromCheckpoint(found) => {
                    pending = None;
                    let skipped_event = skipped_steps_event(session.step_number(), found.step);
                    self.restore_checkpoint(session, found)?;
                    (self.on_step)(found.step, &[skipped_event]);
                }
                // The reload after it, with which it was written, disables it.
                JournalEntry::Disabled(disabled) => disabled_since.push(disabled.clone()),
                _ => {}
            }
            (self.on_progress)(entries.byte_count());
        }
        Ok(())
    }

    /// Continues from a checkpoint that follows damaged lines.
    fn restore_checkpoint(
        &self,
        session: &mut Session,
        found: &RestoredCheckpoint,
    ) -> Result<(), Problem> {
        let world = WorldState::restore(found.snapshot.clone())?;
        *session = self.open_session_at(&found.run_state, world)?;
        session.refresh_prompt();
        Ok(())
    }

    /// The Problem of a step with a different result. It names a mod as the cause only if that is
    /// certain.
    fn divergence_problem(&self, line: u64, step: u64, why: &str) -> Problem {
        let (recorded_engine, current_engine) =
            (&self.header.engine_version, engine_version().to_string());
        let hint = match (self.other_content, *recorded_engine == current_engine) {
            (Some(_), _) => "this content differs from the content of the run, or it keeps data between two steps outside the state".to_owned(),
            (None, true) => "the same program gave a different result on the same content: a script keeps data between two steps, such as a local counter, or this is a bug of the program".to_owned(),
            (None, false) => format!("the run was started by version {recorded_engine} of the program, and this is {current_engine}"),
        };
        let found = format!("step {step} gives a different result: {why}");
        Problem::error(Code::Diverged, found)
            .at(base::SourceLocation::new("", "journal.jsonl", u32::try_from(line).unwrap_or(0)))
            .hint(format!("{hint}; the journal is not changed"))
    }

    fn load_run_content(&self, mod_versions: &[ModVersion]) -> Result<RunContent, Problem> {
        match self.other_content {
            Some(content) => Ok(content.clone()),
            None => load_run_content(self.data_dir, self.header, mod_versions),
        }
    }
}

fn too_many_reloads_problem(line: u64) -> Problem {
    let found = format!("the journal reloads its mods more than {MAX_REPLAYED_RELOADS} times");
    Problem::error(Code::TooLarge, found)
        .at(base::SourceLocation::new("", "journal.jsonl", u32::try_from(line).unwrap_or(0)))
        .expected(format!("at most {MAX_REPLAYED_RELOADS} reloads in a replay"))
        .hint("the steps before are verified; the run can still be watched and continued")
}

/// The event that stands for damaged steps.
pub(super) fn skipped_steps_event(after: u64, to: u64) -> StoryEvent {
    let text = match (after + 1, to) {
        (from, to) if from < to => {
            format!("Steps {from} to {to} are missing: the file was damaged there.")
        }
        _ => format!("Step {to} is missing: the file was damaged there."),
    };
    StoryEvent::Note { text }
}

fn rerun_step(session: &mut Session, task: StepTask) -> Result<Vec<StoryEvent>, String> {
    match session.run_step(task) {
        Ok(told) => match told.refusal {
            None => Ok(told.events),
            Some(problem) => Err(format!("it is refused now: {}", problem.message)),
        },
        Err(_) => Err("it cannot be run now".to_owned()),
    }
}

/// Compares the events and the changes of a step with those in the journal.
fn compare_step_result(
    (events, changes): (&[RecordedEvent], &WorldChanges),
    (found_events, found_changes): (&[RecordedEvent], &WorldChanges),
) -> Result<(), String> {
    let first_difference = events.iter().zip(found_events).position(|(then, now)| then != now);
    if let Some(index) = first_difference {
        let json = |event: &RecordedEvent| match event.text_bytes() {
            0..=MAX_QUOTED_EVENT_BYTES => event.to_json(),
            bytes => format!("an event of {bytes} bytes"),
        };
        let (then, now) = (json(&events[index]), json(&found_events[index]));
        return Err(format!("its output was {then} and is {now}"));
    }
    if events.len() != found_events.len() {
        let (then, now) = (events.len(), found_events.len());
        return Err(format!("it had {then} events and has {now}"));
    }
    match changes == found_changes {
        true => Ok(()),
        false => Err("it changes the state or the dice in another way".to_owned()),
    }
}

pub(super) fn first_problem(problems: Vec<Problem>) -> Problem {
    let missing = || {
        Problem::error(Code::Unknown, "the run cannot be opened, and no reason was reported")
            .hint("this is a bug of the program: please report it")
    };
    problems.into_iter().next().unwrap_or_else(missing)
}

/// The task of a pending step, or why the present prompt refuses its input.
pub(super) fn pending_task(
    pending: &PendingStep,
    header: &RunHeader,
    prompt: &Prompt,
) -> Result<StepTask, String> {
    Ok(match (&pending.input, &pending.console_command) {
        (Some(input), _) => StepTask::Answer(prompt.accept(input.clone())?),
        (None, Some(console_command)) => StepTask::Console(console_command.clone()),
        (None, None) => StepTask::Start(header.options.clone()),
    })
}
