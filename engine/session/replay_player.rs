//! Watches a run: applies what each step changed, from any point. Scripts run only where the prompt and
//! the view of a step are asked for. Undone steps are left out.

use super::replay::skipped_steps_event;
use super::restore::{RestoredRun, open_restored_session};
use super::run_source::RunSource;
use super::step::Session;
use super::undo::drop_undone_entries;
use base::Problem;
use protocol::{Input, Odds, StoryEntry, StoryEvent, WorldState};
use save::{DataDir, JournalEntry, LoadedJournal, RunHeader, RunState};

/// A run that is watched.
pub struct ReplayPlayer {
    data_dir: DataDir,
    source: RunSource,
    header: RunHeader,
    run_state: RunState,
    entries: Vec<(u64, JournalEntry)>,
    /// The damage at the end of the journal.
    damage: Option<Problem>,
    /// The run after the current step.
    restored: RestoredRun,
    /// Why the content of a journal from elsewhere is not here.
    content_problem: Option<Problem>,
    /// The session at the current step, once its prompt was asked for.
    session: Option<Session>,
    /// The entry before which that session stands.
    session_index: Option<usize>,
    /// The index of the first entry that was not shown yet.
    next_entry_index: usize,
    story: Vec<StoryEntry>,
}

/// A step that was shown.
pub struct ReplayFrame {
    /// Its number; 0 is the start.
    pub step: u64,
    /// The answer.
    pub input: Option<Input>,
    /// The answer in the words of the prompt; empty for the start and for rows of a form.
    pub answer_text: String,
    /// The odds that stood beside the choice.
    pub odds: Option<Odds>,
    /// Its events.
    pub events: Vec<StoryEvent>,
    /// Why it was refused in the original run, if it was.
    pub refusal: Option<Problem>,
}

impl ReplayFrame {
    /// The answer in the words of the prompt, with the number of its step.
    pub fn numbered_answer_text(&self) -> Option<String> {
        let words = &self.answer_text;
        (!words.is_empty()).then(|| format!("Step {}: {words}", self.step))
    }
}

impl ReplayPlayer {
    /// Opens a run to watch it, before its start.
    pub fn open(data_dir: &DataDir, run_id: &str) -> Result<Self, Problem> {
        RunSource::RunId(run_id.to_owned()).open_replay(data_dir, &Vec::new)
    }

    pub(super) fn from_opened_run(
        data_dir: &DataDir,
        source: RunSource,
        opened: LoadedJournal,
        content_problem: Option<Problem>,
    ) -> Self {
        let LoadedJournal { header, entries, run_state, damage, .. } = opened;
        Self {
            data_dir: data_dir.clone(),
            source,
            entries: drop_undone_entries(entries),
            run_state,
            damage: damage.map(|damage| damage.problem),
            restored: RestoredRun::before_start(&header),
            header,
            content_problem,
            session: None,
            session_index: None,
            next_entry_index: 0,
            story: Vec::new(),
        }
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
        self.restored.step()
    }

    /// The world after the current step.
    pub fn world(&self) -> &WorldState {
        &self.restored.world
    }

    /// The session at the current step, with its prompt and view. A Problem says why the content of the
    /// run cannot be loaded; the run can be watched without.
    pub fn session(&mut self) -> Result<&Session, Problem> {
        let session = match self.session.take() {
            Some(session) if self.session_index == Some(self.next_entry_index) => session,
            Some(session) if self.has_content_of_step(&session) => {
                session.move_session_to_step(self.restored.step(), self.restored.world.clone())
            }
            _ => {
                let RestoredRun { world, run_state } = &self.restored;
                let copy = RestoredRun { world: world.clone(), run_state: run_state.clone() };
                let opened = open_restored_session(&self.data_dir, &self.header, copy, None);
                opened.map_err(|problem| self.content_problem.clone().unwrap_or(problem))?.0
            }
        };
        self.session_index = Some(self.next_entry_index);
        let session = self.session.insert(session);
        session.view_problem = session.compute_view_if_needed().err();
        Ok(session)
    }

    /// Why the current step has no view, if making it failed.
    pub fn take_view_problem(&mut self) -> Option<Problem> {
        self.session.as_mut().and_then(|session| session.view_problem.take())
    }

    /// Whether a session has the content of the current step.
    fn has_content_of_step(&self, session: &Session) -> bool {
        let run_state = &self.restored.run_state;
        let digests = session.content().mods.mods.iter().map(|source| source.digest);
        digests.eq(run_state.mods.iter().map(|version| version.digest))
            && session.disabled == run_state.disabled
    }

    /// The story so far, with the answers.
    pub fn story(&self) -> &[StoryEntry] {
        &self.story
    }

    /// Goes on to the end of the next step; `None` at the end.
    pub fn advance_step(&mut self) -> Result<Option<ReplayFrame>, Problem> {
        let from = self.next_entry_index;
        let rest = self.entries.get(from..).unwrap_or_default();
        let Some(length) = rest.iter().position(|(_, entry)| entry.completed_step().is_some())
        else {
            return Ok(None);
        };
        let mut frame = ReplayFrame {
            step: 0,
            input: None,
            answer_text: String::new(),
            odds: None,
            events: Vec::new(),
            refusal: None,
        };
        for (line, entry) in &rest[..=length] {
            let step_before = self.restored.step();
            self.restored.apply_entry(*line, entry)?;
            match entry {
                JournalEntry::Intent { input, answer_text: said, odds, .. } => {
                    frame.input = Some(input.clone());
                    frame.answer_text.clone_from(said);
                    frame.odds = odds.as_deref().cloned();
                }
                JournalEntry::Result { step, events, .. } => {
                    frame.step = *step;
                    frame.events.extend_from_slice(events);
                }
                JournalEntry::Restored(found) => {
                    frame.step = found.step;
                    frame.events.push(skipped_steps_event(step_before, found.step));
                }
                JournalEntry::Refusal { step, problem } => {
                    frame.step = *step;
                    frame.refusal = Some(problem.clone());
                }
                _ => {}
            }
        }
        self.next_entry_index = from + length + 1;
        self.story.extend(frame.numbered_answer_text().map(StoryEntry::Answer));
        self.story.extend(frame.events.iter().cloned().map(StoryEntry::Event));
        Ok(Some(frame))
    }

    /// Jumps to the end of a step, from the start if the step is in the past.
    pub fn jump_to_step(&mut self, step: u64) -> Result<(), Problem> {
        if self.next_entry_index == 0 || step < self.current_step_number() {
            self.rewind();
        }
        while self.next_entry_index == 0 || self.current_step_number() < step {
            if self.advance_step()?.is_none() {
                break;
            }
        }
        Ok(())
    }

    /// Reads new entries of the journal: another process may be playing.
    pub fn read_new_entries(&mut self) -> Result<(), Problem> {
        let LoadedJournal { entries, run_state, damage, .. } =
            self.source.read_journal(&self.data_dir)?;
        let entries = drop_undone_entries(entries);
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
                self.rewind();
                self.jump_to_step(at)
            }
        }
    }

    fn rewind(&mut self) {
        self.restored = RestoredRun::before_start(&self.header);
        self.next_entry_index = 0;
        self.session_index = None;
        self.story.clear();
    }

    /// The entries of the journal up to the current step.
    pub(super) fn into_entries(self) -> (RunHeader, Vec<(u64, JournalEntry)>) {
        let Self { header, mut entries, next_entry_index: next, .. } = self;
        entries.truncate(next);
        (header, entries)
    }
}

impl Session {
    /// The same session at another step of its run, with the prompt of that step.
    fn move_session_to_step(mut self, step: u64, world: WorldState) -> Self {
        (self.world, self.step) = (world, step);
        (self.view, self.view_problem, self.host_prompt) = (None, None, None);
        self.refresh_prompt();
        self
    }
}
