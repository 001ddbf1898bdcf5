//! One run in progress: each input runs as a step that completes or has no effect.

use super::host_prompt::{self, HostPromptReason, RefusalCause};
use super::player_account::PlayerAccount;
use super::recorder::StepRecorder;
use super::run_content::RunContent;
use super::step_outcome::StepOutcome;
use super::view_policy::ViewPolicy;
use base::{Code, Digest, Problem, Value};
use dice::RandomStreams;
use protocol::world::WorldSavepoint;
use protocol::{
    AcceptedInput, Input, Prompt, RecordedEvent, View, WorldChanges, WorldState,
    show_emitted_events,
};
use save::{ConsoleCommand, DisabledEntry, JournalWriter, RunEnding};
use script::Vm;

/// One run in progress.
pub struct Session {
    pub(super) content: RunContent,
    pub(super) vm: Vm,
    pub(super) world: WorldState,
    pub(super) profile: Value,
    pub(super) recorder: StepRecorder,
    pub(super) step_number: u64,
    pub(super) prompt: Prompt,
    pub(super) view_policy: ViewPolicy,
    pub(super) view: Option<View>,
    /// Why there is no view, if making it failed.
    pub(super) view_problem: Option<Problem>,
    /// An input with an intent on disk and no result.
    unfinished_task: Option<StepTask>,
    /// The host prompt, if the game's prompt cannot be answered.
    pub(super) host_prompt: Option<(HostPromptReason, Prompt)>,
    /// Disabled hooks and mods.
    pub(super) disabled_entries: Vec<DisabledEntry>,
    /// The hook and mods at fault for the last refusal.
    pub(super) refusal_cause: Option<RefusalCause>,
    /// If set, a host prompt follows a refusal. It tells commands with these flags.
    pub(super) disabling_command_flags: Option<String>,
    /// Whether steps are compared with a journal; then the events and changes of the last step.
    pub(super) collects_changes: bool,
    /// Whether strict mode is on, as it was when the VM was loaded.
    pub(super) is_strict: bool,
    pub(super) last_result: Option<(Vec<RecordedEvent>, WorldChanges)>,
    /// Whether steps are traced, which needs strict mode.
    pub(super) traces_steps: bool,
    /// The player account for the end of the run, and the Problems of its achievements.
    pub(super) player_account: Option<PlayerAccount>,
    pub(super) ending_problems: Vec<Problem>,
}

/// The task of a step.
#[derive(Clone)]
pub(super) enum StepTask {
    /// The game's start, with the options.
    Start(Value),
    /// The player's answer.
    Answer(AcceptedInput),
    /// A console command.
    Console(ConsoleCommand),
    /// A line of Luau in the name of a mod, in a run without a journal.
    LuauLine { owner: String, line: String },
}

impl Session {
    /// A session with a given world and no prompt yet.
    pub(super) fn with_world(
        content: RunContent,
        vm: Vm,
        world: WorldState,
        profile: Value,
        recorder: StepRecorder,
        step: u64,
    ) -> Self {
        Self {
            is_strict: vm.is_strict(),
            content,
            vm,
            world,
            profile,
            recorder,
            step_number: step,
            prompt: host_prompt::build_host_prompt(HostPromptReason::ContentHasNoPrompt, "", None),
            view_policy: ViewPolicy::EveryStep,
            view: None,
            view_problem: None,
            unfinished_task: None,
            host_prompt: None,
            disabled_entries: Vec::new(),
            refusal_cause: None,
            disabling_command_flags: None,
            collects_changes: false,
            last_result: None,
            traces_steps: false,
            player_account: None,
            ending_problems: Vec::new(),
        }
    }

    /// Enables strict mode from the next step on: checks everything that is written, emitted,
    /// passed and returned.
    pub fn enable_strict_mode(&mut self) {
        self.is_strict = true;
        // Strict mode of calls needs a new VM.
        if let Ok(vm) = self.load_new_vm(false) {
            self.vm = vm;
        }
    }

    /// The current prompt.
    pub fn prompt(&self) -> &Prompt {
        self.host_prompt.as_ref().map_or(&self.prompt, |(_, prompt)| prompt)
    }

    /// Rebuilds a VM that ran out of memory.
    pub(super) fn rebuild_vm_if_unusable(&mut self) {
        if !self.vm.is_usable() {
            self.rebuild_vm().expect("content that loaded once loads again");
        }
    }

    /// The number of steps that succeeded or were refused, without the start.
    pub fn step_number(&self) -> u64 {
        self.step_number
    }

    /// The game's table of how the run ended, if it is over.
    pub fn run_outcome(&self) -> Option<Value> {
        self.world.run_outcome()
    }

    /// The award of the run so far, as it will be paid into the profile.
    pub fn award_so_far(&self) -> Value {
        self.world.award_so_far()
    }

    /// The digest of the state and of the dice.
    pub fn digest(&self) -> Digest {
        self.world.digest()
    }

    /// The world, read-only.
    pub fn world(&self) -> &WorldState {
        &self.world
    }

    /// The VM, for pages and rules.
    pub fn vm(&self) -> &Vm {
        &self.vm
    }

    /// Takes the VM for the next run and drops this session.
    pub fn into_vm(self) -> Vm {
        self.vm
    }

    /// The current content.
    pub fn content(&self) -> &RunContent {
        &self.content
    }

    /// Accepts an input and runs it as a step.
    pub fn answer_prompt(&mut self, input: &Input) -> Result<StepOutcome, Problem> {
        let accepted = self.prompt().accept(input.clone());
        self.take_answer(accepted.map_err(|why| Problem::error(Code::BadAnswer, why))?)
    }

    /// Runs an input that the current prompt has accepted as a step.
    pub fn take_answer(&mut self, input: AcceptedInput) -> Result<StepOutcome, Problem> {
        if self.host_prompt.is_some() {
            return self.answer_host_prompt(&input);
        }
        assert!(self.world.run_outcome().is_none(), "a finished run takes no input");
        // A journal keeps the answer as the mods write it, whatever the language.
        let source_prompt = match self.text_overrides().is_translation() {
            true => self.vm.compute_source_prompt(&mut self.world, &self.profile).ok(),
            false => None,
        };
        let prompt = source_prompt.as_ref().unwrap_or(&self.prompt);
        let describe_input = |input: &Input| match input {
            Input::Choice(id) if self.view.as_ref().is_some_and(|view| view.is_form_choice(id)) => {
                (String::new(), None)
            }
            Input::Choice(id) => {
                let odds = prompt.choice(id).and_then(|choice| choice.odds.clone());
                (prompt.describe_answer(input), odds)
            }
            _ => (prompt.describe_answer(input), None),
        };
        self.recorder.record_intent(self.step_number + 1, &input, describe_input)?;
        self.run_step(StepTask::Answer(input))
    }

    /// Rebuilds the VM from the same content. This must not change anything.
    pub fn rebuild_vm(&mut self) -> Result<(), Vec<Problem>> {
        self.vm = self.load_new_vm(false)?;
        Ok(())
    }

    /// Abandons the run.
    pub(super) fn abandon_run(&mut self) -> Result<(), Problem> {
        let (award, day) = (self.world.award_so_far(), self.ending_day());
        let outcome = self.outcome_when_abandoned();
        self.recorder.record_abandonment(RunEnding {
            outcome,
            award,
            was_abandoned: true,
            achievement_ids: Vec::new(),
            end_date: day,
        })
    }

    /// The journal of this run, if it is on disk.
    pub(super) fn journal(&mut self) -> Option<&mut JournalWriter> {
        self.recorder.journal()
    }

    /// Computes the prompt and the view, and falls back to a host prompt if the content has none.
    /// Returns the Problem.
    pub(super) fn refresh_prompt(&mut self) -> Option<Problem> {
        if self.world.run_outcome().is_some() {
            return None;
        }
        match self.compute_prompt() {
            Ok((prompt, view)) => {
                (self.prompt, self.view) = (prompt, view);
                self.host_prompt = None;
                None
            }
            Err(problem) => {
                self.refusal_cause = self.find_refusal_cause(&problem);
                self.ask_host_prompt(HostPromptReason::ContentHasNoPrompt, &problem.message);
                Some(problem)
            }
        }
    }

    pub(super) fn ask_host_prompt(&mut self, why: HostPromptReason, message: &str) {
        self.host_prompt =
            Some((why, host_prompt::build_host_prompt(why, message, self.refusal_cause.as_ref())));
    }

    pub(super) fn is_without_game_prompt(&self) -> bool {
        matches!(self.host_prompt, Some((HostPromptReason::ContentHasNoPrompt, _)))
    }

    /// Parks a task with an intent on disk, and asks the player what to do with it.
    pub(super) fn ask_to_retry(&mut self, task: StepTask, why: HostPromptReason, message: &str) {
        self.unfinished_task = Some(task);
        self.ask_host_prompt(why, message);
    }

    fn answer_host_prompt(&mut self, input: &Input) -> Result<StepOutcome, Problem> {
        let Input::Choice(id) = input else { return Ok(StepOutcome::default()) };
        if id == host_prompt::LEAVE_RUN_CHOICE_ID {
            return Ok(StepOutcome::default());
        }
        if id == host_prompt::REFUSE_STEP_CHOICE_ID {
            let problem =
                Problem::error(Code::EndedProgram, "this input crashed the program twice")
                    .hint("you chose to refuse the answer: the run continues from the step before. Report this with the run's folder");
            self.unfinished_task = None;
            self.record_refusal(&problem)?;
            self.host_prompt = None;
            let refused = self.refresh_prompt().or(Some(problem));
            return Ok(StepOutcome { events: Vec::new(), refusal: refused });
        }
        match id.as_str() {
            host_prompt::DISABLE_HOOK_CHOICE_ID => self.disable_failed_hook(),
            id => match host_prompt::parse_disable_mod_choice(id) {
                Some(number) => self.disable_suspected_mod(number),
                None => self.continue_after_refusal(),
            },
        }
    }

    /// Retries the parked task, or else shows the game's prompt.
    pub(super) fn continue_after_refusal(&mut self) -> Result<StepOutcome, Problem> {
        if let Some(task) = self.unfinished_task.clone() {
            return self.run_step(task);
        }
        Ok(StepOutcome { events: Vec::new(), refusal: self.refresh_prompt() })
    }

    /// Runs one step in a transaction: the task, the next prompt and view, and the record. After
    /// any failure the world is unchanged.
    pub(super) fn run_step(&mut self, task: StepTask) -> Result<StepOutcome, Problem> {
        let number = self.step_number + u64::from(!matches!(task, StepTask::Start(_)));
        let dice = matches!(task, StepTask::Console(_)).then(|| self.world.dice.clone());
        let (mark, outcome) = self.run_task_with_retry(&task, dice.as_ref());
        let next_prompt = match outcome {
            Ok(asked) => asked,
            Err(problem) => {
                self.roll_back(mark, dice.clone());
                let problem = self.attribute_to_wrong_write(&task, dice, problem);
                return self.refuse_task(task, problem);
            }
        };
        let changes = (self.collects_changes || self.recorder.is_recording())
            .then(|| self.world.changes_since(&mark));
        let ending = self.compute_ending();
        let recorded = match changes {
            Some(changes) if self.recorder.is_recording() => {
                self.recorder.record_result(number, &self.world, changes, ending)
            }
            compared => {
                self.last_result = compared.map(|changes| (self.world.recorded_events(), changes));
                Ok(())
            }
        };
        if let Err(problem) = recorded {
            self.roll_back(mark, dice);
            self.refusal_cause = None;
            self.ask_to_retry(task, HostPromptReason::ResultNotWritten, &problem.message);
            return Err(problem);
        }
        let events = self.world.take_story_events();
        self.world.commit_savepoint(mark);
        self.step_number = number;
        (self.unfinished_task, self.host_prompt, self.refusal_cause) = (None, None, None);
        if let Some((prompt, view)) = next_prompt {
            (self.prompt, self.view) = (prompt, view);
        }
        let events = show_emitted_events(events, self.text_overrides());
        Ok(StepOutcome { events, refusal: None })
    }

    /// Rolls a step back. A savepoint has the positions of the dice, but not their seed.
    pub(super) fn roll_back(&mut self, mark: WorldSavepoint, dice: Option<RandomStreams>) {
        if let Some(dice) = dice {
            self.world.dice = dice;
        }
        self.world.rollback_to(mark);
    }

    /// Replaces this session's state by another session's, and keeps the recorder.
    pub(super) fn replace_with_past_session(&mut self, past_session: Session) {
        let Session {
            content,
            vm,
            world,
            disabled_entries: disabled,
            step_number: step,
            prompt,
            view,
            view_problem,
            host_prompt,
            ..
        } = past_session;
        (self.content, self.vm, self.world, self.disabled_entries) = (content, vm, world, disabled);
        (self.step_number, self.prompt, self.host_prompt) = (step, prompt, host_prompt);
        (self.view, self.view_problem) = (view, view_problem);
        if self.view_policy != ViewPolicy::OnRequest {
            self.view_problem = self.compute_view_if_needed().err();
        }
        (self.unfinished_task, self.refusal_cause) = (None, None);
    }

    fn refuse_task(&mut self, task: StepTask, problem: Problem) -> Result<StepOutcome, Problem> {
        let is_start = matches!(task, StepTask::Start(_));
        // Attribution needs a VM, so it runs only if a prompt follows.
        // What fails at the console is the author's own trial.
        let is_console = matches!(task, StepTask::Console(_));
        let offers_disabling = self.disabling_command_flags.is_some() && !is_console;
        let needs_cause = offers_disabling || is_start;
        self.refusal_cause = needs_cause.then(|| self.find_refusal_cause(&problem)).flatten();
        self.rebuild_vm_if_unusable();
        if is_start {
            self.ask_to_retry(task, HostPromptReason::ContentHasNoPrompt, &problem.message);
            return Ok(StepOutcome { events: Vec::new(), refusal: Some(problem) });
        }
        self.record_refusal(&problem)?;
        if self.unfinished_task.take().is_some() {
            self.host_prompt = None;
        }
        if offers_disabling && self.refusal_cause.is_some() && self.host_prompt.is_none() {
            self.ask_host_prompt(HostPromptReason::StepRefused, "");
        }
        Ok(StepOutcome { events: Vec::new(), refusal: Some(problem) })
    }

    pub(super) fn record_refusal(&mut self, problem: &Problem) -> Result<(), Problem> {
        self.recorder.record_refusal(self.step_number + 1, problem)?;
        self.step_number += 1;
        Ok(())
    }
}
