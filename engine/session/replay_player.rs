//! Watches a run: replays it step by step on its content, from any point. Undone steps are left
//! out.

use super::replay::JournalReplayer;
use super::run_source::RunSource;
use super::step::Session;
use super::undo::drop_undone;
use super::views::ViewPolicy;
use crate::base::Problem;
use crate::protocol::{Input, Prompt, StoryEntry, StoryEvent};
use crate::save::{DataDir, JournalEntry, OpenedRun, RunHeader, RunState};

/// A run that is watched.
pub struct ReplayPlayer {
    data_dir: DataDir,
    source: RunSource,
    header: RunHeader,
    run_state: RunState,
    entries: Vec<(u64, JournalEntry)>,
    /// The damage at the end of the journal.
    damage: Option<Problem>,
    session: Session,
    /// The index of the first entry that was not shown yet.
    next_entry_index: usize,
    story: Vec<StoryEntry>,
}

/// A step that was shown.
pub struct ReplayFrame {
    /// Its number; 0 is the start.
    pub step: u64,
    /// The prompt before it; `None` before the start.
    pub asked: Option<Prompt>,
    /// The answer.
    pub input: Option<Input>,
    /// Its events.
    pub events: Vec<StoryEvent>,
    /// Why it was refused in the original run, if it was.
    pub refused: Option<Problem>,
}

impl ReplayFrame {
    /// The answer in the words of the prompt, with the number of its step.
    pub fn answer(&self) -> Option<String> {
        let words = self.asked.as_ref()?.describe_answer(self.input.as_ref()?);
        Some(format!("Step {}: {words}", self.step))
    }
}

impl ReplayPlayer {
    /// Opens a run to watch it, before its start.
    pub fn open(data_dir: &DataDir, run_id: &str) -> Result<Self, Problem> {
        RunSource::RunId(run_id.to_owned()).open(data_dir, &Vec::new)
    }

    /// The same for a run that was just played, from its finished session.
    pub(super) fn open_after(
        data_dir: &DataDir,
        run_id: &str,
        finished_session: Session,
    ) -> Result<Self, Problem> {
        let source = RunSource::RunId(run_id.to_owned());
        let opened = source.read_journal(data_dir)?;
        Self::from_opened_run(data_dir, source, opened, Some(finished_session))
    }

    pub(super) fn from_opened_run(
        data_dir: &DataDir,
        source: RunSource,
        opened: OpenedRun,
        finished_session: Option<Session>,
    ) -> Result<Self, Problem> {
        let OpenedRun { header, entries, run_state, damage, .. } = opened;
        let session = match finished_session {
            Some(over) => {
                new_replayer(data_dir, &header, &mut |_, _| {}).open_session_after(over)?
            }
            None => new_session(data_dir, &header)?,
        };
        Ok(Self {
            data_dir: data_dir.clone(),
            source,
            entries: drop_undone(entries),
            run_state,
            damage: damage.map(|damage| damage.problem),
            header,
            session,
            next_entry_index: 0,
            story: Vec::new(),
        })
    }

    /// The header of the run.
    pub fn header(&self) -> &RunHeader {
        &self.header
    }

    /// The run state at the end of the journal.
    pub fn run_state(&self) -> &RunState {
        &self.run_state
    }

    /// The damage of the journal after the last step that can be shown.
    pub fn damage(&self) -> Option<&Problem> {
        self.damage.as_ref()
    }

    /// The number of the last step.
    pub fn last_step_number(&self) -> u64 {
        self.entries.iter().rev().find_map(|(_, entry)| entry.completed_step()).unwrap_or(0)
    }

    /// The number of the current step.
    pub fn current_step_number(&self) -> u64 {
        self.session.step_number()
    }

    /// From now on, makes the view of each step at which the player stops.
    pub fn show_views(&mut self) {
        self.session.views = ViewPolicy::BestEffort;
        self.session.view_problem = self.session.make_view().err();
    }

    /// Why the current step has no view, if making it failed.
    pub fn take_view_problem(&mut self) -> Option<Problem> {
        self.session.take_view_problem()
    }

    /// The session after the current step.
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// The story so far, with the answers.
    pub fn story(&self) -> &[StoryEntry] {
        &self.story
    }

    /// Replays the next step; `None` at the end.
    pub fn next_step(&mut self) -> Result<Option<ReplayFrame>, Problem> {
        let from = self.next_entry_index;
        let rest = self.entries.get(from..).unwrap_or_default();
        let Some(length) = rest.iter().position(|(_, entry)| entry.completed_step().is_some())
        else {
            return Ok(None);
        };
        let frame_entries = rest[..=length].to_vec();
        let is_started = from > 0;
        let asked = is_started.then(|| self.session.prompt().clone());
        let mut events = Vec::new();
        let mut on_step =
            |_: u64, step_events: &[StoryEvent]| events.extend_from_slice(step_events);
        let mut replayer = new_replayer(&self.data_dir, &self.header, &mut on_step);
        replayer.replay_entries(
            &mut self.session,
            frame_entries.iter().map(|(line, entry)| (*line, entry)),
            !is_started,
        )?;
        self.next_entry_index = from + length + 1;
        let mut frame = ReplayFrame { step: 0, asked, input: None, events, refused: None };
        for (_, entry) in frame_entries {
            match entry {
                JournalEntry::Intent { input, .. } => frame.input = Some(input),
                JournalEntry::Result { step, .. } => frame.step = step,
                JournalEntry::Restored(found) => frame.step = found.step,
                JournalEntry::Refusal { step, problem } => {
                    frame.step = step;
                    frame.refused = Some(problem);
                }
                _ => {}
            }
        }
        self.story.extend(frame.answer().map(StoryEntry::Answer));
        self.story.extend(frame.events.iter().cloned().map(StoryEntry::Event));
        Ok(Some(frame))
    }

    /// Jumps to the end of a step, from the start if the step is in the past.
    pub fn jump(&mut self, step: u64) -> Result<(), Problem> {
        if self.next_entry_index == 0 || step < self.current_step_number() {
            self.rewind()?;
        }
        let views = self.session.views;
        while self.next_entry_index == 0 || self.current_step_number() < step {
            // A run that ends keeps the view of the step before.
            self.session.views =
                if self.current_step_number() + 2 < step { ViewPolicy::OnRequest } else { views };
            if self.next_step()?.is_none() {
                break;
            }
        }
        self.session.views = views;
        if views == ViewPolicy::BestEffort {
            self.session.view_problem = self.session.make_view().err();
        }
        Ok(())
    }

    /// Reads new entries of the journal: another process may be playing.
    pub fn refresh(&mut self) -> Result<(), Problem> {
        let OpenedRun { entries, run_state, damage, .. } =
            self.source.read_journal(&self.data_dir)?;
        let entries = drop_undone(entries);
        let shown = self.next_entry_index;
        let is_prefix_unchanged = entries.get(..shown) == self.entries.get(..shown);
        self.entries = entries;
        self.run_state = run_state;
        self.damage = damage.map(|damage| damage.problem);
        match is_prefix_unchanged {
            true => Ok(()),
            // Steps that were shown have been undone meanwhile.
            false => {
                let at = self.current_step_number().min(self.last_step_number());
                self.rewind()?;
                self.jump(at)
            }
        }
    }

    fn rewind(&mut self) -> Result<(), Problem> {
        let views = self.session.views;
        self.session = new_session(&self.data_dir, &self.header)?;
        self.session.views = views;
        self.next_entry_index = 0;
        self.story.clear();
        Ok(())
    }

    /// The entries of the journal up to the current step.
    pub(super) fn into_entries(self) -> (RunHeader, Vec<(u64, JournalEntry)>) {
        let Self { header, mut entries, next_entry_index: next, .. } = self;
        entries.truncate(next);
        (header, entries)
    }
}

fn new_session(data_dir: &DataDir, header: &RunHeader) -> Result<Session, Problem> {
    new_replayer(data_dir, header, &mut |_, _| {}).open_session(None)
}

fn new_replayer<'a>(
    data_dir: &'a DataDir,
    header: &'a RunHeader,
    on_step: &'a mut dyn FnMut(u64, &[StoryEvent]),
) -> JournalReplayer<'a> {
    JournalReplayer { data_dir, header, on_step, other_content: None }
}
