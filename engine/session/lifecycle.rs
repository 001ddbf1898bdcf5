//! The lifecycle of runs on disk: start, resume, abandon, pay and replay.

use super::content::{Content, RunParameters};
use super::host_prompt::HostPromptReason;
use super::ladder::{Stood, stand};
use super::recorder::Recorder;
use super::reload::{adopt_folder_sources, reload_changed};
use super::replay::{ReplayParameters, first_problem, task_of};
use super::step::Session;
use super::step_outcome::{StepError, StepOutcome};
use super::undo::effective_lines;
use super::views::ViewPolicy;
use crate::base::{Code, Problem, Value};
use crate::mods::engine_version;
use crate::protocol::{StoryEntry, StoryEvent, World, compat};
use crate::save::{
    DataDir, JournalEntry, JournalStream, LockedProfile, NewRun, PaymentOutcome, ReadExtent,
    RunEnding, StartedRun, WritableRun, open_run_for_writing as reopen,
};
use crate::script::Vm;

/// The parameters of a new run.
pub struct RunRequest {
    /// The content.
    pub content: Content,
    /// The complete options.
    pub options: Value,
    /// A seed that the player named.
    pub seed: Option<u64>,
    /// Whether the run is practice and earns nothing.
    pub practice: bool,
}

/// An active run, with the output before its first prompt.
pub struct ActiveRun {
    /// The run.
    pub session: Session,
    /// The story before the run was left, for the log.
    pub past: Vec<StoryEntry>,
    /// The output of now: of the start, or of a step that was interrupted.
    pub told: StepOutcome,
    /// Further Problems of the files.
    pub notes: Vec<Problem>,
}

/// Starts a run on disk.
pub fn begin(
    held: &mut LockedProfile,
    request: RunRequest,
    draw: &mut dyn FnMut() -> u64,
) -> Result<ActiveRun, Problem> {
    let vm = request.content.load().map_err(first_problem)?;
    begin_on(vm, held, request, draw)
}

/// Starts a run on disk, in a VM loaded from its content. Stores the content, then writes the
/// header, then runs the start.
pub fn begin_on(
    vm: Vm,
    held: &mut LockedProfile,
    request: RunRequest,
    draw: &mut dyn FnMut() -> u64,
) -> Result<ActiveRun, Problem> {
    begin_of_day(vm, held, request, None, draw)
}

/// The same for a run with the seed of a day, which then counts as played.
pub fn begin_of_day(
    vm: Vm,
    held: &mut LockedProfile,
    request: RunRequest,
    day: Option<String>,
    draw: &mut dyn FnMut() -> u64,
) -> Result<ActiveRun, Problem> {
    let RunRequest { content, options, seed, practice } = request;
    let mods = held.data_dir().store_mods(&content.mods)?;
    let new = NewRun {
        engine: engine_version().to_string(),
        game: content.mods.game().id().to_owned(),
        options,
        mods,
        settings: content.settings.clone(),
        seed,
        practice,
        parent: None,
        day,
    };
    let journal = match held.start_new_run(new, draw)? {
        StartedRun::New(journal) => *journal,
        StartedRun::Unfinished(id) => {
            return Err(Problem::error(Code::UnfinishedRun, format!("the run {id} is not over"))
                .hint("resume or abandon it before starting another"));
        }
    };
    let header = journal.header();
    let terms = RunParameters {
        seed: header.seed,
        options: header.options.clone(),
        profile: header.profile.clone(),
    };
    let recorder = Recorder::to_journal(journal);
    let (session, told) = Session::begin(content, vm, &terms, recorder).map_err(write_error)?;
    Ok(ActiveRun { session, past: Vec::new(), told, notes: Vec::new() })
}

/// Resumes a run. Replays the steps after its checkpoint and completes a pending step with the dice
/// it would have had. Adopts changed content if that has a prompt for the current state. A run of
/// an older format whose content this program cannot play is reported and stays unchanged.
pub fn resume(
    data_dir: &DataDir,
    run_id: &str,
    now: Option<&Content>,
) -> Result<ActiveRun, Problem> {
    let resumed = reopen(data_dir, run_id, ReadExtent::Tail)?;
    let opened = resumed.opened;
    let mut past = opened.story();
    let mut notes: Vec<Problem> = opened.torn.iter().chain(&opened.notes).cloned().collect();
    let Some(journal) = resumed.writer else {
        let damage = opened.damage.as_ref().map(|damage| damage.problem.clone());
        return Err(damage.unwrap_or_else(|| first_problem(notes)));
    };
    let data_dir =
        &now.map_or_else(|| data_dir.clone(), |now| data_dir.with_fallback_mods(&now.mods.mods));
    let stood = stand(data_dir, &opened);
    let Stood { mut session, back_to, passed_over, notes: passed } =
        stood.map_err(|problem| compat::of_older_run(opened.header.format, problem))?;
    notes.extend(data_dir.take_fallback_notes());
    notes.extend(passed);

    let pending = journal.run_state().pending.clone().filter(|_| back_to.is_none());
    session.set_recorder(Recorder::to_journal(journal));
    session.views = ViewPolicy::Required;
    if let Some(to) = back_to {
        past = session.record_undo(to, data_dir)?;
    }
    let mut told = StepOutcome::default();
    if let Some(pending) = pending {
        let task = task_of(&pending, &opened.header);
        if pending.retries > 0 {
            session.park_task(task, HostPromptReason::RepeatedCrash, "");
        } else {
            session.record_retry(pending.step).map_err(write_error)?;
            told = session.run_step(task).map_err(write_error)?;
        }
    }
    if passed_over {
        session.checkpoint();
    }
    if let Some(now) = now
        && now.mods.digest() != session.content().mods.digest()
    {
        notes.extend(adopt_content(data_dir, &mut session, now, &mut told));
    }
    if let Some(now) = now {
        adopt_folder_sources(&mut session, now);
    }
    // The step was accepted before: a Problem of its view is only reported.
    notes.extend(session.make_view().err());
    Ok(ActiveRun { session, past, told, notes })
}

/// Adopts content that changed since the run was left. If that fails, the run continues with its
/// old content.
fn adopt_content(
    data_dir: &DataDir,
    session: &mut Session,
    now: &Content,
    told: &mut StepOutcome,
) -> Vec<Problem> {
    match reload_changed(data_dir, session, now.clone()).map(Option::unwrap_or_default) {
        Ok(reloaded) => {
            told.events.extend(reloaded.events);
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
pub fn abandon(session: &mut Session, held: &mut LockedProfile) -> Result<(), Problem> {
    let outcome = Value::map_of([("outcome", "abandoned".into())]);
    session.abandon(outcome)?;
    pay_run(session, held).map(drop)
}

/// Abandons a run that cannot be played, because its content is missing or incompatible. Runs no
/// script: pays what the run had earned at its last checkpoint.
pub fn abandon_unreadable(held: &mut LockedProfile, run_id: &str) -> Result<(), Problem> {
    let data_dir = held.data_dir().clone();
    let WritableRun { opened, writer, .. } = reopen(&data_dir, run_id, ReadExtent::Tail)?;
    let Some(mut journal) = writer else {
        let damage = opened.damage.map(|damage| damage.problem);
        return Err(damage.unwrap_or_else(|| first_problem(Vec::new())));
    };
    // Earnings of undone steps are not paid.
    let went_back = opened.has_undo();
    let found = opened.checkpoint.filter(|_| !went_back);
    let world = found.and_then(|found| World::restore(found.snapshot).ok());
    let award = world.map_or_else(Value::map, |world| world.awards());
    let outcome = Value::map_of([("outcome", "abandoned".into())]);
    if journal.run_state().ended.is_none() {
        let (achieved, day) = (Vec::new(), held.today().to_owned());
        let ending = RunEnding { outcome, award, abandoned: true, achieved, day };
        journal.append(&JournalEntry::Ended(ending), true)?;
    }
    held.pay_run(&mut journal).map(drop)
}

/// Pays a finished run into the profile, once. Returns the payment.
pub fn pay_run(session: &mut Session, held: &mut LockedProfile) -> Result<PaymentOutcome, Problem> {
    match session.journal() {
        Some(journal) if !journal.run_state().is_paid => held.pay_run(journal),
        _ => Ok(PaymentOutcome::default()),
    }
}

/// Replays a whole run on other content, and compares digests and events as `replay` does: this
/// shows whether the other content gives the same result.
pub fn verify(data_dir: &DataDir, run_id: &str, on: &Content) -> Result<u64, Problem> {
    let whole = data_dir.stream_journal(run_id)?;
    replay_stream(data_dir, &whole, &mut |_, _| {}, Some(on)).map(|replayed| replayed.steps)
}

/// Replays a whole run on its own content, reports each step, and compares digests and events.
/// Returns the number of compared steps.
pub fn replay(
    data_dir: &DataDir,
    run_id: &str,
    tell: &mut dyn FnMut(u64, &[StoryEvent]),
) -> Result<u64, Problem> {
    let whole = data_dir.stream_journal(run_id)?;
    replay_stream(data_dir, &whole, tell, None).map(|replayed| replayed.steps)
}

/// A journal that was replayed without a difference.
#[derive(Debug)]
pub struct ReplayedJournal {
    /// The number of the last step.
    pub steps: u64,
    /// An incomplete last line, which was not compared.
    pub torn: Option<Problem>,
}

/// Replays a journal from its start as a stream.
pub(super) fn replay_stream(
    data_dir: &DataDir,
    whole: &JournalStream,
    tell: &mut dyn FnMut(u64, &[StoryEvent]),
    on: Option<&Content>,
) -> Result<ReplayedJournal, Problem> {
    let mut walk = ReplayParameters { data_dir, header: whole.header(), tell, on };
    let mut session = walk.begin(None)?;
    // As a stream: the entries of a long run take ten times the memory of its text, and allocating
    // that would slow down each step.
    let counting = whole.has_undo().then(|| effective_lines(whole, None)).transpose()?;
    let counts =
        |line: &u64| counting.as_ref().is_none_or(|lines| lines.binary_search(line).is_ok());
    let mut entries = whole.entries()?;
    walk.replay_entries(&mut session, entries.by_ref().filter(|(line, _)| counts(line)), true)?;
    let torn = entries.finish()?;
    Ok(ReplayedJournal { steps: session.step_number(), torn })
}

pub(super) fn write_error(error: StepError) -> Problem {
    match error {
        StepError::NotWritten(problem) => problem,
        StepError::NotAccepted(why) => Problem::error(Code::NotAccepted, why),
    }
}
