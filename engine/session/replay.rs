//! Replay: runs each successful step of a journal again on its content, and compares the digests.
//! Refused steps are skipped. A resume replays from the checkpoint, a replay from the start.

use std::borrow::Borrow;

use super::attribution;
use super::content::Content;
use super::differing::{answered_by, where_else};
use super::recorder::Recorder;
use super::step::{Session, StepTask};
use super::views::ViewPolicy;
use crate::base::fault::{linger, planted};
use crate::base::untimed::suspend_time_limit;
use crate::base::{Code, Digest, Problem, Value};
use crate::mods::engine_version;
use crate::protocol::{Edition, StoryEvent, World};
use crate::save::{
    Checkpoint, DataDir, JournalEntry, ModVersion, PendingStep, RestoredCheckpoint, RunHeader,
};
use crate::script::{LoadOptions, Vm};

/// The parameters of a replay.
pub(super) struct JournalReplayer<'a> {
    /// The data folder with the stored content.
    pub(super) data_dir: &'a DataDir,
    /// The header of the run.
    pub(super) header: &'a RunHeader,
    /// The callback for each step: its number and its events.
    pub(super) on_step: &'a mut dyn FnMut(u64, &[StoryEvent]),
    /// The content to replay on, instead of the run's own.
    pub(super) other_content: Option<&'a Content>,
}

impl JournalReplayer<'_> {
    /// A session at the checkpoint, or before the start if there is none. It has a null recorder.
    pub(super) fn open_session(&self, checkpoint: Option<&Checkpoint>) -> Result<Session, Problem> {
        let _untimed = suspend_time_limit();
        let mod_versions = checkpoint.map_or(&self.header.mods[..], |found| &found.run_state.mods);
        let content = self.load_run_content(mod_versions)?;
        let disabled = checkpoint.map_or(&[][..], |found| &found.run_state.disabled);
        let vm = attribution::load_vm(&content, disabled, self.edition(), LoadOptions::default())
            .map_err(first_problem)?;
        self.open_session_with_vm(content, vm, checkpoint)
    }

    /// The same on loaded content.
    fn open_session_with_vm(
        &self,
        content: Content,
        vm: Vm,
        checkpoint: Option<&Checkpoint>,
    ) -> Result<Session, Problem> {
        let disabled = checkpoint.map_or(&[][..], |found| &found.run_state.disabled);
        assert!(checkpoint.is_none() || !planted("panic_at_the_checkpoint"), "planted");
        let (world, step) = match checkpoint {
            Some(found) => (restore(found)?, found.step),
            None => (World::new(self.header.seed), 0),
        };
        let profile = self.header.profile.clone();
        let mut session = Session::with_world(content, vm, world, profile, Recorder::null(), step);
        session.disabled = disabled.to_vec();
        session.compares_steps = true;
        session.replays_known_steps = true;
        session.vm().begin_step(true);
        session.views = ViewPolicy::OnRequest;
        if checkpoint.is_some() {
            session.refresh_prompt();
        }
        Ok(session)
    }

    /// A session before the start. Reuses the VM of a finished session if its content is the same.
    pub(super) fn open_session_after(&self, finished_session: Session) -> Result<Session, Problem> {
        let sources = finished_session.content().mods.mods.iter().map(|source| source.digest);
        let same = sources.eq(self.header.mods.iter().map(|mark| mark.digest))
            && finished_session.content().settings == self.header.settings
            && finished_session.disabled.is_empty()
            && finished_session.vm().edition() == self.edition()
            && finished_session.vm().is_usable();
        if !same {
            drop(finished_session);
            return self.open_session(None);
        }
        let content = finished_session.content().clone();
        self.open_session_with_vm(content, finished_session.into_vm(), None)
    }

    /// Replays the entries. Returns the task of an intent without a result, if there is one.
    pub(super) fn replay_entries(
        &mut self,
        session: &mut Session,
        entries: impl IntoIterator<Item = (u64, impl Borrow<JournalEntry>)>,
        from_start: bool,
    ) -> Result<Option<StepTask>, Problem> {
        // What comes of each step is known: no clock is to end one.
        let _untimed = suspend_time_limit();
        linger("busy_playing_again");
        assert!(!planted("panic_playing_again"), "planted");
        let mut pending = from_start.then(|| StepTask::Start(self.header.options.clone()));
        for (line, entry) in entries {
            match entry.borrow() {
                JournalEntry::Intent { input, .. } => {
                    pending = Some(StepTask::Answer(input.clone()))
                }
                JournalEntry::Console { order, .. } => {
                    pending = Some(StepTask::Console(order.clone()))
                }
                JournalEntry::Result { step, digest, events, changes } => {
                    let task = pending.take().unwrap_or(StepTask::Start(Value::map()));
                    let handler_place = answered_by(session, &task);
                    let found = repeat_step(session, task).map_err(|why| {
                        self.divergence_problem(line, *step, &why)
                            .add_related_locations(handler_place.clone())
                    })?;
                    compare_step_result(*digest, events, digest_after(session), &found).map_err(
                        |why| {
                            let problem = self.divergence_problem(line, *step, &why);
                            where_else(problem, session, events, &found, changes, handler_place)
                        },
                    )?;
                    (self.on_step)(*step, &found);
                }
                JournalEntry::Refusal { step, .. } if *step > 0 => {
                    pending = None;
                    session.step += 1;
                }
                JournalEntry::Reload { mods, digest, .. } => {
                    let content = self.load_run_content(mods)?;
                    session.swap_content(content).map_err(first_problem)?;
                    let step = session.step_number();
                    compare_step_result(*digest, &[], session.digest(), &[])
                        .map_err(|why| self.divergence_problem(line, step, &why))?;
                }
                JournalEntry::Restored(found) => {
                    pending = None;
                    self.restore_checkpoint(session, found)?;
                    let skipped_event = skipped_event(session.step_number(), found.step);
                    session.step = found.step;
                    compare_step_result(found.digest, &[], session.digest(), &[])
                        .map_err(|why| self.divergence_problem(line, found.step, &why))?;
                    (self.on_step)(found.step, &[skipped_event]);
                }
                JournalEntry::Disabled(disabled) => {
                    session.replay_disabling(disabled).map_err(first_problem)?
                }
                _ => {}
            }
        }
        Ok(pending)
    }

    /// Restores a checkpoint that follows damaged lines.
    fn restore_checkpoint(
        &self,
        session: &mut Session,
        found: &RestoredCheckpoint,
    ) -> Result<(), Problem> {
        let content = self.load_run_content(&found.run_state.mods)?;
        let disabled = &found.run_state.disabled;
        let vm = attribution::load_vm(&content, disabled, self.edition(), LoadOptions::default())
            .map_err(first_problem)?;
        let world = World::restore(found.snapshot.clone())?;
        let (profile, step) = (self.header.profile.clone(), session.step_number());
        let mut restored_session =
            Session::with_world(content, vm, world, profile, Recorder::null(), step);
        restored_session.disabled.clone_from(disabled);
        restored_session.views = ViewPolicy::OnRequest;
        restored_session.refresh_prompt();
        session.replace_with_past(restored_session);
        Ok(())
    }

    /// The Problem of a step with a different result. It names a mod as the cause only if that is
    /// certain.
    fn divergence_problem(&self, line: u64, step: u64, why: &str) -> Problem {
        let (recorded_engine, current_engine) = (&self.header.engine, engine_version().to_string());
        let hint = match (self.other_content, *recorded_engine == current_engine) {
            (Some(_), _) => "this content differs from the content of the run, or it keeps data between two steps outside the state".to_owned(),
            (None, true) => "the same program gave a different result on the same content: a script keeps data between two steps, such as a local counter, or this is a bug of the program".to_owned(),
            (None, false) => format!("the run was started by version {recorded_engine} of the program, and this is {current_engine}"),
        };
        let found = format!("step {step} gives a different result: {why}");
        Problem::error(Code::Diverged, found)
            .at(crate::base::SourceLocation::new(
                "",
                "journal.jsonl",
                u32::try_from(line).unwrap_or(0),
            ))
            .hint(format!("{hint}; the journal is not changed"))
    }

    fn edition(&self) -> Edition {
        Edition::of_format(self.header.format)
    }

    fn load_run_content(&self, mod_versions: &[ModVersion]) -> Result<Content, Problem> {
        if let Some(content) = self.other_content {
            return Ok(content.clone());
        }
        let sources = self.data_dir.load_mods(mod_versions).map_err(first_problem)?;
        let mods = crate::mods::load_order(sources).map_err(first_problem)?;
        Ok(Content { mods, settings: self.header.settings.clone() })
    }
}

/// The event that stands for damaged steps.
fn skipped_event(after: u64, to: u64) -> StoryEvent {
    let text = match (after + 1, to) {
        (from, to) if from < to => {
            format!("Steps {from} to {to} are missing: the file was damaged there.")
        }
        _ => format!("Step {to} is missing: the file was damaged there."),
    };
    StoryEvent::Note { text }
}

fn restore(checkpoint: &Checkpoint) -> Result<World, Problem> {
    World::restore(checkpoint.snapshot.clone()).map_err(|problem| {
        problem.hint("move checkpoint.json out of the run's folder; the journal is enough")
    })
}

/// The digest after the step that was repeated last.
fn digest_after(session: &mut Session) -> Digest {
    // A session that compares digests has computed it in the step.
    session.last_result.as_ref().map(|(digest, _)| *digest).unwrap_or_else(|| session.digest())
}

fn repeat_step(session: &mut Session, task: StepTask) -> Result<Vec<StoryEvent>, String> {
    match session.run_step(task) {
        Ok(told) => match told.refused {
            None => Ok(told.events),
            Some(problem) => Err(format!("it is refused now: {}", problem.message)),
        },
        Err(_) => Err("it cannot be run now".to_owned()),
    }
}

fn compare_step_result(
    digest: Digest,
    events: &[StoryEvent],
    found: Digest,
    found_events: &[StoryEvent],
) -> Result<(), String> {
    let first_difference = events.iter().zip(found_events).position(|(then, now)| then != now);
    if let Some(index) = first_difference {
        let json = |event: &StoryEvent| event.to_value().to_json();
        let (then, now) = (json(&events[index]), json(&found_events[index]));
        return Err(format!("its output was {then} and is {now}"));
    }
    if events.len() != found_events.len() {
        let (then, now) = (events.len(), found_events.len());
        return Err(format!("it had {then} events and has {now}"));
    }
    if digest != found {
        return Err(format!("its digest was {digest} and is {found}"));
    }
    Ok(())
}

pub(super) fn first_problem(problems: Vec<Problem>) -> Problem {
    let missing = || {
        Problem::error(Code::Unknown, "the run cannot be opened, and no reason was reported")
            .hint("this is a bug of the program: please report it")
    };
    problems.into_iter().next().unwrap_or_else(missing)
}

/// The task of a pending step.
pub(super) fn pending_task(pending: &PendingStep, header: &RunHeader) -> StepTask {
    match (&pending.input, &pending.console_command) {
        (Some(input), _) => StepTask::Answer(input.clone()),
        (None, Some(console_command)) => StepTask::Console(console_command.clone()),
        (None, None) => StepTask::Start(header.options.clone()),
    }
}
