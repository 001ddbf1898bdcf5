//! Watches a run: applies what each step changed, from any point. Scripts run only where the prompt
//! and the view of a step are asked for. Undone steps are left out.

use base::host_text;
use std::sync::Arc;

use super::replay::skipped_steps_event;
use super::restore::{RestoredRun, open_restored_session};
use super::run_source::RunSource;
use super::step::Session;
use super::text_overrides::load_text_overrides;
use base::{Problem, TextOverrides};
use protocol::{Input, Odds, StoryEntry, StoryEvent, WorldState, fill_recorded_events};
use save::{DataDir, EffectiveEntries, JournalEntry, LoadedJournal, RunHeader, RunState};

/// How many story events are kept: more than the log shows.
const MAX_REPLAY_STORY_BYTES: usize = 8 * 1024 * 1024;

/// A run that is watched.
pub struct ReplayPlayer {
    data_dir: DataDir,
    source: RunSource,
    loaded_journal: LoadedJournal,
    /// The entries after the current step.
    entries: EffectiveEntries,
    /// The run after the current step.
    restored_run: RestoredRun,
    /// Why the content of a journal from elsewhere is not here.
    content_problem: Option<Problem>,
    /// The session at the current step, once its prompt was asked for.
    session: Option<Session>,
    /// The journal line after which that session is.
    session_line: Option<u64>,
    /// The text overrides of the mods at the end of the journal, once an event was shown.
    text_overrides: Option<Arc<TextOverrides>>,
    story: Vec<StoryEntry>,
    story_bytes: usize,
}

/// A step that was shown.
pub struct ReplayFrame {
    /// Its number; 0 is the start.
    pub step: u64,
    /// The answer.
    pub input: Option<Input>,
    /// The answer in the words of the prompt; empty for the start and for rows of a form.
    pub answer_text: String,
    /// The odds that were shown with the choice.
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
        (!words.is_empty())
            .then(|| host_text!("Step {step}: {answer}", step = self.step, answer = words))
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
        Self {
            data_dir: data_dir.clone(),
            source,
            entries: opened.effective_entries(u64::MAX),
            restored_run: RestoredRun::before_start(&opened.header),
            loaded_journal: opened,
            content_problem,
            session: None,
            session_line: None,
            text_overrides: None,
            story: Vec::new(),
            story_bytes: 0,
        }
    }

    /// The header of the run.
    pub fn header(&self) -> &RunHeader {
        &self.loaded_journal.header
    }

    /// The run state at the end of the journal.
    pub fn run_state(&self) -> &RunState {
        &self.loaded_journal.run_state
    }

    /// The damage of the journal after the last step that can be shown.
    pub fn damage_problem(&self) -> Option<&Problem> {
        self.loaded_journal.damage.as_ref().map(|damage| &damage.problem)
    }

    /// The number of the last step.
    pub fn last_step_number(&self) -> u64 {
        self.loaded_journal.last_effective_step().map_or(0, |(step, _)| step)
    }

    /// The number of the current step.
    pub fn current_step_number(&self) -> u64 {
        self.restored_run.step()
    }

    /// The world after the current step.
    pub fn world(&self) -> &WorldState {
        &self.restored_run.world
    }

    /// The session at the current step, with its prompt and view. A Problem says why the content of
    /// the run cannot be loaded; the run can be watched without.
    pub fn session(&mut self) -> Result<&Session, Problem> {
        let session = match self.session.take() {
            Some(session) if self.session_line == Some(self.entries.line()) => session,
            Some(session) if self.has_content_of_step(&session) => session
                .move_session_to_step(self.restored_run.step(), self.restored_run.world.clone()),
            _ => {
                let RestoredRun { world, run_state } = &self.restored_run;
                let copy = RestoredRun { world: world.clone(), run_state: run_state.clone() };
                let opened =
                    open_restored_session(&self.data_dir, &self.loaded_journal.header, copy, None);
                opened.map_err(|problem| self.content_problem.clone().unwrap_or(problem))?.0
            }
        };
        self.session_line = Some(self.entries.line());
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
        let run_state = &self.restored_run.run_state;
        let digests = session.content().mods.mods.iter().map(|source| source.digest);
        digests.eq(run_state.mods.iter().map(|version| version.digest))
            && session.disabled_entries == run_state.disabled_entries
    }

    /// The story so far, with the answers; of a long one its end.
    pub fn story(&self) -> &[StoryEntry] {
        &self.story
    }

    /// Advances to the end of the next step; `None` at the end.
    pub fn advance_step(&mut self) -> Result<Option<ReplayFrame>, Problem> {
        let last_line = self.loaded_journal.last_effective_step().map_or(0, |(_, line)| line);
        if self.entries.line() >= last_line {
            return Ok(None);
        }
        let mut frame = ReplayFrame {
            step: 0,
            input: None,
            answer_text: String::new(),
            odds: None,
            events: Vec::new(),
            refusal: None,
        };
        while let Some((line, entry)) = self.entries.next_entry()? {
            let step_before = self.restored_run.step();
            self.restored_run.apply_entry(line, &entry)?;
            let completes_step = entry.completed_step().is_some();
            match entry {
                JournalEntry::Intent { input, answer_text, odds, .. } => {
                    let overrides = self.text_overrides.get_or_insert_with(|| {
                        load_text_overrides(&self.data_dir, &self.loaded_journal)
                    });
                    frame.input = Some(input);
                    frame.answer_text = overrides.apply_word_override(&answer_text).to_owned();
                    frame.odds = odds.map(|odds| *odds);
                }
                JournalEntry::Result { step, events, .. } => {
                    frame.step = step;
                    let overrides = self.text_overrides.get_or_insert_with(|| {
                        load_text_overrides(&self.data_dir, &self.loaded_journal)
                    });
                    frame.events.extend(fill_recorded_events(events, overrides));
                }
                JournalEntry::RestoredFromCheckpoint(found) => {
                    frame.step = found.step;
                    frame.events.push(skipped_steps_event(step_before, found.step));
                }
                JournalEntry::Refusal { step, problem } => {
                    frame.step = step;
                    frame.refusal = Some(problem);
                }
                _ => {}
            }
            if completes_step {
                break;
            }
        }
        let shown_from = self.story.len();
        self.story.extend(frame.numbered_answer_text().map(StoryEntry::Answer));
        self.story.extend(frame.events.iter().cloned().map(StoryEntry::Event));
        self.story_bytes +=
            self.story[shown_from..].iter().map(StoryEntry::memory_bytes).sum::<usize>();
        if self.story_bytes > MAX_REPLAY_STORY_BYTES {
            self.drop_older_half_of_story();
        }
        Ok(Some(frame))
    }

    /// Jumps to the end of a step, from the start if the step is in the past.
    pub fn jump_to_step(&mut self, step: u64) -> Result<(), Problem> {
        if !self.is_started() || step < self.current_step_number() {
            self.rewind();
        }
        while !self.is_started() || self.current_step_number() < step {
            if self.advance_step()?.is_none() {
                break;
            }
        }
        Ok(())
    }

    /// Reads new entries of the journal: another process may be playing.
    pub fn read_new_entries(&mut self) -> Result<(), Problem> {
        self.loaded_journal = self.source.read_journal(&self.data_dir)?;
        self.text_overrides = None;
        match self.entries.continue_in(&self.loaded_journal)? {
            true => Ok(()),
            // Steps that were shown have been undone meanwhile.
            false => {
                let at = self.current_step_number().min(self.last_step_number());
                self.rewind();
                self.jump_to_step(at)
            }
        }
    }

    fn drop_older_half_of_story(&mut self) {
        let mut dropped_count = 0;
        while self.story_bytes > MAX_REPLAY_STORY_BYTES / 2 {
            self.story_bytes -= self.story[dropped_count].memory_bytes();
            dropped_count += 1;
        }
        self.story.drain(..dropped_count);
    }

    /// Whether an entry after the header was shown.
    fn is_started(&self) -> bool {
        self.entries.line() > 1
    }

    fn rewind(&mut self) {
        self.restored_run = RestoredRun::before_start(&self.loaded_journal.header);
        self.entries = self.loaded_journal.effective_entries(u64::MAX);
        self.session_line = None;
        self.story.clear();
        self.story_bytes = 0;
    }

    /// The entries of the journal up to the current step.
    pub(super) fn into_entries(self) -> (RunHeader, EffectiveEntries) {
        let entries = self.loaded_journal.effective_entries(self.entries.line());
        (Arc::unwrap_or_clone(self.loaded_journal.header), entries)
    }
}

impl Session {
    /// The same session at another step of its run, with the prompt of that step.
    fn move_session_to_step(mut self, step: u64, world: WorldState) -> Self {
        let world = world.with_run_options(self.world.run_options());
        (self.world, self.step_number) = (world, step);
        (self.view, self.view_problem, self.host_prompt) = (None, None, None);
        self.refresh_prompt();
        self
    }
}
