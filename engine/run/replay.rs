//! Replay: runs each successful step of a journal again on its content, and compares the digests.
//! Refused steps are skipped. A resume replays from the checkpoint, a replay from the start.

use std::borrow::Borrow;

use super::blame;
use super::content::Content;
use super::differing::{answered_by, where_else};
use super::recorder::Recorder;
use super::session::{Session, Task};
use super::views::Views;
use crate::kit::fault::{linger, planted};
use crate::kit::untimed::untimed;
use crate::kit::{Digest, Problem, Value};
use crate::mods::engine_version;
use crate::play::{Edition, Event, World};
use crate::save::{Checkpoint, DataDir, Entry, Header, ModMark, Pending, Restored};
use crate::script::{How, Vm};

/// The parameters of a replay.
pub(super) struct Replay<'a> {
    /// The data directory with the stored content.
    pub(super) data_dir: &'a DataDir,
    /// The header of the run.
    pub(super) header: &'a Header,
    /// The callback for each step: its number and its events.
    pub(super) tell: &'a mut dyn FnMut(u64, &[Event]),
    /// The content to replay on, instead of the run's own.
    pub(super) on: Option<&'a Content>,
}

impl Replay<'_> {
    /// A session at the checkpoint, or before the start if there is none. It has a null recorder.
    pub(super) fn begin(&self, checkpoint: Option<&Checkpoint>) -> Result<Session, Problem> {
        let _untimed = untimed();
        let marks = checkpoint.map_or(&self.header.mods[..], |found| &found.run_state.mods);
        let content = self.content(marks)?;
        let aside = checkpoint.map_or(&[][..], |found| &found.run_state.set_aside);
        let vm = blame::load(&content, aside, self.edition(), How::default()).map_err(first)?;
        self.begin_on(content, vm, checkpoint)
    }

    /// The same on loaded content.
    fn begin_on(
        &self,
        content: Content,
        vm: Vm,
        checkpoint: Option<&Checkpoint>,
    ) -> Result<Session, Problem> {
        let aside = checkpoint.map_or(&[][..], |found| &found.run_state.set_aside);
        assert!(checkpoint.is_none() || !planted("panic_at_the_checkpoint"), "planted");
        let (world, step) = match checkpoint {
            Some(found) => (restore(found)?, found.step),
            None => (World::new(self.header.seed), 0),
        };
        let profile = self.header.profile.clone();
        let mut session = Session::at(content, vm, world, profile, Recorder::nowhere(), step);
        session.aside = aside.to_vec();
        session.compares = true;
        session.known = true;
        session.vm().begin_step(true);
        session.views = Views::Asked;
        if checkpoint.is_some() {
            session.ask_again();
        }
        Ok(session)
    }

    /// A session before the start. Reuses the VM of a finished session if its content is the same.
    pub(super) fn begin_after(&self, over: Session) -> Result<Session, Problem> {
        let sources = over.content().mods.mods.iter().map(|source| source.digest);
        let same = sources.eq(self.header.mods.iter().map(|mark| mark.digest))
            && over.content().settings == self.header.settings
            && over.aside.is_empty()
            && over.vm().edition() == self.edition()
            && over.vm().usable();
        if !same {
            drop(over);
            return self.begin(None);
        }
        let content = over.content().clone();
        self.begin_on(content, over.into_vm(), None)
    }

    /// Replays the entries. Returns the task of an intent without a result, if there is one.
    pub(super) fn through(
        &mut self,
        session: &mut Session,
        entries: impl IntoIterator<Item = (u64, impl Borrow<Entry>)>,
        from_start: bool,
    ) -> Result<Option<Task>, Problem> {
        // What comes of each step is known: no clock is to end one.
        let _untimed = untimed();
        linger("busy_playing_again");
        assert!(!planted("panic_playing_again"), "planted");
        let mut pending = from_start.then(|| Task::Start(self.header.options.clone()));
        for (line, entry) in entries {
            match entry.borrow() {
                Entry::Intent { input, .. } => pending = Some(Task::Act(input.clone())),
                Entry::Console { order, .. } => pending = Some(Task::Console(order.clone())),
                Entry::Result { step, digest, events, written } => {
                    let task = pending.take().unwrap_or(Task::Start(Value::map()));
                    let by = answered_by(session, &task);
                    session.expected = Some(*digest);
                    let found = repeat(session, task)
                        .map_err(|why| self.diverged(line, *step, &why).through(by.clone()))?;
                    compare(*digest, events, came_to(session), &found).map_err(|why| {
                        let problem = self.diverged(line, *step, &why);
                        where_else(problem, session, events, &found, written, by)
                    })?;
                    (self.tell)(*step, &found);
                }
                Entry::Refusal { step, .. } if *step > 0 => {
                    pending = None;
                    session.step += 1;
                }
                Entry::Reload { mods, digest, .. } => {
                    let content = self.content(mods)?;
                    session.swap(content).map_err(first)?;
                    let step = session.step_number();
                    compare(*digest, &[], session.digest(), &[])
                        .map_err(|why| self.diverged(line, step, &why))?;
                }
                Entry::Restored(found) => {
                    pending = None;
                    self.restore(session, found)?;
                    let told = skipped(session.step_number(), found.step);
                    session.step = found.step;
                    compare(found.digest, &[], session.digest(), &[])
                        .map_err(|why| self.diverged(line, found.step, &why))?;
                    (self.tell)(found.step, &[told]);
                }
                Entry::SetAside(aside) => session.disable_again(aside).map_err(first)?,
                _ => {}
            }
        }
        Ok(pending)
    }

    /// Restores a checkpoint that follows damaged lines.
    fn restore(&self, session: &mut Session, found: &Restored) -> Result<(), Problem> {
        let content = self.content(&found.run_state.mods)?;
        let aside = &found.run_state.set_aside;
        let vm = blame::load(&content, aside, self.edition(), How::default()).map_err(first)?;
        let world = World::restore(found.snapshot.clone())?;
        let (profile, step) = (self.header.profile.clone(), session.step_number());
        let mut past = Session::at(content, vm, world, profile, Recorder::nowhere(), step);
        past.aside.clone_from(aside);
        past.views = Views::Asked;
        past.ask_again();
        session.become_past(past);
        Ok(())
    }

    /// The Problem of a step with a different result. It names a mod as the cause only if that is
    /// certain.
    fn diverged(&self, line: u64, step: u64, why: &str) -> Problem {
        let (then, now) = (&self.header.engine, engine_version().to_string());
        let hint = match (self.on, *then == now) {
            (Some(_), _) => "this content differs from the content of the run, or it keeps data between two steps outside the state".to_owned(),
            (None, true) => "the same program gave a different result on the same content: a script keeps data between two steps, such as a local counter, or this is a bug of the program".to_owned(),
            (None, false) => format!("the run was started by version {then} of the program, and this is {now}"),
        };
        let found = format!("step {step} gives a different result: {why}");
        Problem::error("diverged", found)
            .at(crate::kit::Place::new("", "journal.jsonl", u32::try_from(line).unwrap_or(0)))
            .hint(format!("{hint}; the journal is not changed"))
    }

    fn edition(&self) -> Edition {
        Edition::of_format(self.header.format)
    }

    fn content(&self, marks: &[ModMark]) -> Result<Content, Problem> {
        if let Some(content) = self.on {
            return Ok(content.clone());
        }
        let sources = self.data_dir.load_mods(marks).map_err(first)?;
        let mods = crate::mods::load_order(sources).map_err(first)?;
        Ok(Content { mods, settings: self.header.settings.clone() })
    }
}

/// The event that stands for damaged steps.
fn skipped(after: u64, to: u64) -> Event {
    let text = match (after + 1, to) {
        (from, to) if from < to => {
            format!("Steps {from} to {to} are missing: the file was damaged there.")
        }
        _ => format!("Step {to} is missing: the file was damaged there."),
    };
    Event::Note { text }
}

fn restore(checkpoint: &Checkpoint) -> Result<World, Problem> {
    World::restore(checkpoint.snapshot.clone()).map_err(|problem| {
        problem.hint("move checkpoint.json out of the run's folder; the journal is enough")
    })
}

/// The digest after the step that was repeated last.
fn came_to(session: &mut Session) -> Digest {
    // A session that compares digests has computed it in the step.
    session.came_to.as_ref().map(|(digest, _)| *digest).unwrap_or_else(|| session.digest())
}

fn repeat(session: &mut Session, task: Task) -> Result<Vec<Event>, String> {
    match session.carry_out(task) {
        Ok(told) => match told.refused {
            None => Ok(told.events),
            Some(problem) => Err(format!("it is refused now: {}", problem.message)),
        },
        Err(_) => Err("it cannot be run now".to_owned()),
    }
}

fn compare(
    digest: Digest,
    events: &[Event],
    found: Digest,
    found_events: &[Event],
) -> Result<(), String> {
    let odd = events.iter().zip(found_events).position(|(then, now)| then != now);
    if let Some(index) = odd {
        let json = |event: &Event| event.to_value().to_json();
        let (then, now) = (json(&events[index]), json(&found_events[index]));
        return Err(format!("its output was {then} and is {now}"));
    }
    if events.len() != found_events.len() {
        let (then, now) = (events.len(), found_events.len());
        return Err(format!("it had {then} events and has {now}"));
    }
    if digest != found && !planted("other_digests_pass") {
        return Err(format!("its digest was {digest} and is {found}"));
    }
    Ok(())
}

pub(super) fn first(problems: Vec<Problem>) -> Problem {
    let missing = || Problem::error("unknown", "an error without a message");
    problems.into_iter().next().unwrap_or_else(missing)
}

/// The task of a pending step.
pub(super) fn task_of(pending: &Pending, header: &Header) -> Task {
    match (&pending.input, &pending.order) {
        (Some(input), _) => Task::Act(input.clone()),
        (None, Some(order)) => Task::Console(order.clone()),
        (None, None) => Task::Start(header.options.clone()),
    }
}
