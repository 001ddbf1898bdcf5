//! The lifecycle of runs on disk: start, resume, abandon, pay and replay.

use super::daily_run::daily_profile;
use super::host_prompt::HostPromptReason;
use super::recorder::StepRecorder;
use super::reload::{adopt_folder_origins, reload_if_content_differs};
use super::replay::{JournalReplayer, first_problem, pending_task};
use super::restore::{open_restored_session, restore_opened_run};
use super::run_content::{RunContent, RunParameters};
use super::run_ending::ABANDONED_OUTCOME;
use super::step::Session;
use super::step_outcome::StepOutcome;
use super::view_policy::ViewPolicy;
use base::{Code, Problem, Value};
use mods::engine_version;
use protocol::{StoryEntry, StoryEvent};
use save::{
    DataDir, JournalEntry, JournalStream, LockedProfile, NewRunParameters, PaymentOutcome,
    PendingStep, ReadExtent, RunEnding, RunHeader, StartRunOutcome, WritableRun,
    open_run_for_writing,
};
use script::Vm;

/// The parameters of a new run.
pub struct RunRequest {
    /// The content.
    pub content: RunContent,
    /// The complete options.
    pub options: Value,
    /// A seed that the player named.
    pub seed: Option<u64>,
    /// Whether the run is practice and earns nothing.
    pub is_practice: bool,
}

/// An active run, with the output before its first prompt.
pub struct ActiveRun {
    /// The run.
    pub session: Session,
    /// The story before the run was left, for the log.
    pub earlier_story: Vec<StoryEntry>,
    /// The output of now: of the start, or of a step that was interrupted.
    pub step_outcome: StepOutcome,
    /// Further Problems of the files.
    pub notes: Vec<Problem>,
}

/// Starts a run on disk.
pub fn start_run(
    locked_profile: &mut LockedProfile,
    request: RunRequest,
    draw: &mut dyn FnMut() -> u64,
) -> Result<ActiveRun, Problem> {
    let vm = request.content.load_vm().map_err(first_problem)?;
    start_run_in_vm(vm, locked_profile, request, draw)
}

/// Starts a run on disk, in a VM loaded from its content. Stores the content, then writes the
/// header, then runs the start.
pub fn start_run_in_vm(
    vm: Vm,
    locked_profile: &mut LockedProfile,
    request: RunRequest,
    draw: &mut dyn FnMut() -> u64,
) -> Result<ActiveRun, Problem> {
    start_daily_run(vm, locked_profile, request, None, draw)
}

/// The same for the run of a day, which then counts as played.
pub fn start_daily_run(
    vm: Vm,
    locked_profile: &mut LockedProfile,
    request: RunRequest,
    day: Option<String>,
    draw: &mut dyn FnMut() -> u64,
) -> Result<ActiveRun, Problem> {
    let shared_profile = day.as_ref().map(|_| daily_profile(vm.registry()));
    let RunRequest { content, options, seed, is_practice: practice } = request;
    let mods = locked_profile.data_dir().store_mods(&content.mods)?;
    let new_run = NewRunParameters {
        engine: engine_version().to_string(),
        game: content.mods.game().id().to_owned(),
        options,
        mods,
        settings: content.settings.clone(),
        seed,
        is_practice: practice,
        forked_from: None,
        daily_seed_date: day,
        shared_profile,
    };
    let journal = match locked_profile.start_new_run(new_run, draw)? {
        StartRunOutcome::Started(journal) => *journal,
        StartRunOutcome::BlockedByUnfinishedRun(id) => {
            return Err(Problem::error(Code::UnfinishedRun, format!("the run {id} is not over"))
                .hint("resume or abandon it before starting another"));
        }
    };
    let header = journal.header();
    let run_parameters = RunParameters {
        seed: header.seed,
        options: header.options.clone(),
        profile: header.profile.clone(),
    };
    let recorder = StepRecorder::with_journal(journal);
    let (session, output) = Session::start(content, vm, &run_parameters, recorder)?;
    Ok(ActiveRun { session, earlier_story: Vec::new(), step_outcome: output, notes: Vec::new() })
}

/// Resumes a run: restores its state and completes a pending step with the dice it would have had.
/// Adopts changed content if that has a prompt for the current state.
pub fn resume_run(
    data_dir: &DataDir,
    run_id: &str,
    current_content: Option<&RunContent>,
) -> Result<ActiveRun, Problem> {
    let writable_run = open_run_for_writing(data_dir, run_id, ReadExtent::AfterCheckpoint)?;
    let opened = writable_run.loaded_journal;
    let mut notes: Vec<Problem> =
        opened.torn_line_note.iter().chain(&opened.warnings).cloned().collect();
    let Some(journal) = writable_run.writer else {
        let damage = opened.damage.as_ref().map(|damage| damage.problem.clone());
        return Err(damage.unwrap_or_else(|| first_problem(notes)));
    };
    let data_dir = &current_content
        .map_or_else(|| data_dir.clone(), |now| data_dir.with_fallback_mods(&now.mods.mods));
    let (restored, checkpoint_note) = restore_opened_run(data_dir, &opened, None)?;
    let (mut session, replaced) =
        open_restored_session(data_dir, &opened.header, restored, current_content)?;
    notes.extend(data_dir.take_fallback_warnings());
    let has_passed_checkpoint = checkpoint_note.is_some();
    notes.extend(checkpoint_note);

    let pending = journal.run_state().pending_step.clone();
    session.recorder = StepRecorder::with_journal(journal);
    session.view_policy = ViewPolicy::EveryStep;
    if let Some(problem) = replaced {
        session.record_content_replacement(data_dir)?;
        notes.push(replaced_content_problem(&problem));
    }
    let mut output = match pending {
        Some(pending) => session.complete_pending_step(&pending, &opened.header)?,
        None => StepOutcome::default(),
    };
    if has_passed_checkpoint {
        session.write_checkpoint();
    }
    if let Some(now) = current_content
        && now.mods.digest() != session.content().mods.digest()
    {
        notes.extend(switch_to_current_content(data_dir, &mut session, now, &mut output));
    }
    if let Some(now) = current_content {
        adopt_folder_origins(&mut session, now);
    }
    let earlier_story = opened.recent_story(session.text_overrides())?;
    // The step was accepted before: a Problem of its view is only reported.
    notes.extend(session.compute_view_if_needed().err());
    Ok(ActiveRun { session, earlier_story, step_outcome: output, notes })
}

fn replaced_content_problem(problem: &Problem) -> Problem {
    let found = format!(
        "the mods that this run was played with cannot be loaded: {}; it continues with the present ones",
        problem.message
    );
    Problem { message: found, ..Problem::warning(Code::ContentChanged, "") }
        .hint("nothing is lost: the run goes on from its last step")
}

impl Session {
    /// Carries out the step that began and has no result. An input that the prompt does not accept
    /// any more is refused, and the prompt asked again.
    fn complete_pending_step(
        &mut self,
        pending: &PendingStep,
        header: &RunHeader,
    ) -> Result<StepOutcome, Problem> {
        let task = match pending_task(pending, header, self.prompt()) {
            Ok(task) => task,
            Err(why) => {
                let found = format!("the last answer does not fit the present mods: {why}");
                let problem = Problem::error(Code::NotAccepted, found)
                    .hint("it had no effect; answer the prompt again");
                self.record_refusal(&problem)?;
                return Ok(StepOutcome { events: Vec::new(), refusal: Some(problem) });
            }
        };
        if pending.retry_count > 0 {
            self.ask_to_retry(task, HostPromptReason::RepeatedCrash, "");
            return Ok(StepOutcome::default());
        }
        self.recorder.record_retry(pending.step)?;
        self.run_step(task)
    }
}

/// Adopts content that changed since the run was left. If that fails, the run continues with its
/// old content.
fn switch_to_current_content(
    data_dir: &DataDir,
    session: &mut Session,
    current_content: &RunContent,
    output: &mut StepOutcome,
) -> Vec<Problem> {
    match reload_if_content_differs(data_dir, session, current_content.clone())
        .map(Option::unwrap_or_default)
    {
        Ok(reloaded) => {
            output.events.extend(reloaded.events);
            let found =
                "the mods changed since this run was left: it continues with the new versions";
            vec![Problem::warning(Code::ContentChanged, found)]
        }
        Err(mut problems) => {
            problems.push(
                Problem::warning(Code::ContentKept, "the mods changed since this run was left")
                    .hint(
                        "fix the errors above; until then the run continues with its old content",
                    ),
            );
            problems
        }
    }
}

/// Abandons a run: it has failed, and what it earned so far is paid.
pub fn abandon_run(
    session: &mut Session,
    locked_profile: &mut LockedProfile,
) -> Result<(), Problem> {
    session.abandon_run()?;
    pay_run(session, locked_profile).map(drop)
}

/// Abandons a run that cannot be played, because its content is missing or incompatible. Runs no
/// script: pays what the run had earned.
pub fn abandon_unplayable_run(
    locked_profile: &mut LockedProfile,
    run_id: &str,
) -> Result<(), Problem> {
    let data_dir = locked_profile.data_dir().clone();
    let WritableRun { loaded_journal: opened, writer, .. } =
        open_run_for_writing(&data_dir, run_id, ReadExtent::AfterCheckpoint)?;
    let Some(mut journal) = writer else {
        let damage = opened.damage.map(|damage| damage.problem);
        return Err(damage.unwrap_or_else(|| first_problem(Vec::new())));
    };
    let world = restore_opened_run(&data_dir, &opened, None).ok().map(|(found, _)| found.world);
    let award = world.map_or_else(Value::map, |world| world.award_so_far());
    let outcome = Value::map_of([("outcome", ABANDONED_OUTCOME.into())]);
    if journal.run_state().run_ending.is_none() {
        let (achieved, day) = (Vec::new(), locked_profile.today().to_owned());
        let ending = RunEnding {
            outcome,
            award,
            was_abandoned: true,
            achievement_ids: achieved,
            end_date: day,
        };
        journal.append(&JournalEntry::Ended(ending), true)?;
    }
    locked_profile.pay_run(&mut journal).map(drop)
}

/// Pays a finished run into the profile, once. Returns the payment.
pub fn pay_run(
    session: &mut Session,
    locked_profile: &mut LockedProfile,
) -> Result<PaymentOutcome, Problem> {
    match session.journal() {
        Some(journal) if !journal.run_state().is_paid => locked_profile.pay_run(journal),
        _ => Ok(PaymentOutcome::default()),
    }
}

/// Replays a whole run on other content, and compares digests and events as `replay` does: this
/// shows whether the other content gives the same result.
pub fn verify_run_with_content(
    data_dir: &DataDir,
    run_id: &str,
    other_content: &RunContent,
) -> Result<u64, Problem> {
    let stream = data_dir.stream_journal(run_id)?;
    replay_and_verify_stream(data_dir, &stream, &mut |_, _| {}, &mut |_| {}, Some(other_content))
        .map(|replayed| replayed.steps)
}

/// Replays a whole run on its own content, reports each step, and compares digests and events.
/// Returns the number of compared steps.
pub fn replay_and_verify(
    data_dir: &DataDir,
    run_id: &str,
    on_step: &mut dyn FnMut(u64, &[StoryEvent]),
) -> Result<u64, Problem> {
    let stream = data_dir.stream_journal(run_id)?;
    replay_and_verify_stream(data_dir, &stream, on_step, &mut |_| {}, None)
        .map(|replayed| replayed.steps)
}

/// A journal that was replayed without a difference.
#[derive(Debug)]
pub struct ReplayedJournal {
    /// The number of the last step.
    pub steps: u64,
    /// An incomplete last line, which was not compared.
    pub torn_line_note: Option<Problem>,
}

/// Replays a journal from its start as a stream.
pub(super) fn replay_and_verify_stream(
    data_dir: &DataDir,
    stream: &JournalStream,
    on_step: &mut dyn FnMut(u64, &[StoryEvent]),
    on_progress: &mut dyn FnMut(u64),
    other_content: Option<&RunContent>,
) -> Result<ReplayedJournal, Problem> {
    let mut replayer =
        JournalReplayer { data_dir, header: stream.header(), on_step, on_progress, other_content };
    let mut session = replayer.open_session()?;
    // As a stream: the entries of a long run take ten times the memory of its text, and allocating
    // that would slow down each step.
    let mut entries = stream.effective_entries();
    replayer.replay_entries(&mut session, &mut entries)?;
    let torn = entries.finish()?;
    Ok(ReplayedJournal { steps: session.step_number(), torn_line_note: torn })
}
