//! Runs on disk: beginning one, going on with one, giving one up, paying for one, replaying one.

use super::back::lines_that_count;
use super::content::{Content, Terms};
use super::host_prompt::Why;
use super::ladder::{Stood, stand};
use super::recorder::Recorder;
use super::reload::{adopt, reload};
use super::replay::{Replay, first, task_of};
use super::session::{Session, StepError, Told};
use super::views::Views;
use crate::kit::{Problem, Value};
use crate::mods::engine_version;
use crate::play::{Event, Past, World, compat};
use crate::save::{
    Begun, DataDir, Ending, Entry, LockedProfile, NewRun, Payment, Reach, Resumed, Whole,
    resume as reopen,
};
use crate::script::Vm;

/// What a new run is to be.
pub struct Wish {
    /// The content to play on.
    pub content: Content,
    /// The options, complete.
    pub options: Value,
    /// A seed that the player named.
    pub seed: Option<u64>,
    /// Whether it is for practice and earns nothing.
    pub practice: bool,
}

/// A run in hand, with what there is to tell before its first prompt.
pub struct InHand {
    /// The run.
    pub session: Session,
    /// What was told before the run was put down, for the log.
    pub past: Vec<Past>,
    /// What is told now: the start, or the end of a step that was cut off.
    pub told: Told,
    /// What else there is to say about the files.
    pub notes: Vec<Problem>,
}

/// Begins a run on disk.
pub fn begin(
    held: &mut LockedProfile,
    wish: Wish,
    draw: &mut dyn FnMut() -> u64,
) -> Result<InHand, Problem> {
    let vm = wish.content.load().map_err(first)?;
    begin_on(vm, held, wish, draw)
}

/// Begins a run on disk, in a VM that was loaded from its content. The content is stored first, then
/// the run's header, then its start is run.
pub fn begin_on(
    vm: Vm,
    held: &mut LockedProfile,
    wish: Wish,
    draw: &mut dyn FnMut() -> u64,
) -> Result<InHand, Problem> {
    begin_of_day(vm, held, wish, None, draw)
}

/// The same for a run whose seed is that of a day, which then counts as played.
pub fn begin_of_day(
    vm: Vm,
    held: &mut LockedProfile,
    wish: Wish,
    day: Option<String>,
    draw: &mut dyn FnMut() -> u64,
) -> Result<InHand, Problem> {
    let Wish { content, options, seed, practice } = wish;
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
    let journal = match held.begin(new, draw)? {
        Begun::New(journal) => *journal,
        Begun::Unfinished(id) => {
            return Err(Problem::error("unfinished-run", format!("the run {id} is not over"))
                .hint("go on with it or give it up before beginning another"));
        }
    };
    let header = journal.header();
    let terms = Terms {
        seed: header.seed,
        options: header.options.clone(),
        profile: header.profile.clone(),
    };
    let recorder = Recorder::of(journal);
    let (session, told) = Session::begin(content, vm, &terms, recorder).map_err(written)?;
    Ok(InHand { session, past: Vec::new(), told, notes: Vec::new() })
}

/// Goes on with a run. What lies past its checkpoint is walked again, a step that was begun is
/// taken to its end with the dice it would have had, and content that changed since is taken up
/// if it has a prompt for where the run stands. A run of an older format whose content this program
/// does not play says so and stays as it is.
pub fn resume(data_dir: &DataDir, run_id: &str, now: Option<&Content>) -> Result<InHand, Problem> {
    let resumed = reopen(data_dir, run_id, Reach::Tail)?;
    let opened = resumed.opened;
    let mut past = opened.story();
    let mut notes: Vec<Problem> = opened.torn.iter().chain(&opened.told).cloned().collect();
    let Some(journal) = resumed.writer else {
        let damage = opened.damage.as_ref().map(|damage| damage.problem.clone());
        return Err(damage.unwrap_or_else(|| first(notes)));
    };
    let data_dir =
        &now.map_or_else(|| data_dir.clone(), |now| data_dir.with_mods_at_hand(&now.mods.mods));
    let stood = stand(data_dir, &opened);
    let Stood { mut session, back_to, passed_over, notes: passed } =
        stood.map_err(|problem| compat::of_older_run(opened.header.format, problem))?;
    notes.extend(data_dir.helped());
    notes.extend(passed);

    let pending = journal.run_state().pending.clone().filter(|_| back_to.is_none());
    session.set_recorder(Recorder::of(journal));
    session.views = Views::Required;
    if let Some(to) = back_to {
        past = session.goes_back(to, data_dir)?;
    }
    let mut told = Told::default();
    if let Some(pending) = pending {
        let task = task_of(&pending, &opened.header);
        if pending.again > 0 {
            session.hold(task, Why::Deadly, "");
        } else {
            session.note_again(pending.step).map_err(written)?;
            told = session.carry_out(task).map_err(written)?;
        }
    }
    if passed_over {
        session.checkpoint();
    }
    if let Some(now) = now
        && now.mods.digest() != session.content().mods.digest()
    {
        notes.extend(take_up(data_dir, &mut session, now, &mut told));
    }
    if let Some(now) = now {
        adopt(&mut session, now);
    }
    // The step was accepted once: what is wrong with its view now is told, and refuses nothing.
    notes.extend(session.look().err());
    Ok(InHand { session, past, told, notes })
}

/// Takes up content that changed since the run was left. If it cannot, the run goes on with the
/// content it was made on.
fn take_up(
    data_dir: &DataDir,
    session: &mut Session,
    now: &Content,
    told: &mut Told,
) -> Vec<Problem> {
    match reload(data_dir, session, now.clone()).map(Option::unwrap_or_default) {
        Ok(reloaded) => {
            told.events.extend(reloaded.events);
            let found =
                "the mods changed since this run was left: it goes on with them as they are now";
            vec![Problem::warning("content-changed", found)]
        }
        Err(mut problems) => {
            problems.push(
                Problem::warning("content-kept", "the mods changed since this run was left")
                    .hint("the run goes on with the content it was made on until they are mended"),
            );
            problems
        }
    }
}

/// Gives a run up: it has failed, and what it earned so far is paid.
pub fn abandon(session: &mut Session, held: &mut LockedProfile) -> Result<(), Problem> {
    let outcome = Value::of([("outcome", "abandoned".into())]);
    session.abandon(outcome)?;
    settle(session, held).map(drop)
}

/// Gives up a run that cannot be gone on with here, because its content is not to be had or needs what
/// there is no more. Nothing of it is run: it is paid what it had earned at its last checkpoint.
pub fn abandon_unplayed(held: &mut LockedProfile, run_id: &str) -> Result<(), Problem> {
    let data_dir = held.data_dir().clone();
    let Resumed { opened, writer, .. } = reopen(&data_dir, run_id, Reach::Tail)?;
    let Some(mut journal) = writer else {
        let damage = opened.damage.map(|damage| damage.problem);
        return Err(damage.unwrap_or_else(|| first(Vec::new())));
    };
    // What was earned in steps that were taken back since is not paid.
    let went_back = opened.went_back();
    let found = opened.checkpoint.filter(|_| !went_back);
    let world = found.and_then(|found| World::restore(found.snapshot).ok());
    let award = world.map_or_else(Value::map, |world| world.awarded());
    let outcome = Value::of([("outcome", "abandoned".into())]);
    if journal.run_state().ended.is_none() {
        let (achieved, day) = (Vec::new(), held.today().to_owned());
        let ending = Ending { outcome, award, abandoned: true, achieved, day };
        journal.append(&Entry::Ended(ending), true)?;
    }
    held.settle(&mut journal).map(drop)
}

/// Pays what a finished run earned into the profile, once. Returns what came of it.
pub fn settle(session: &mut Session, held: &mut LockedProfile) -> Result<Payment, Problem> {
    match session.journal() {
        Some(journal) if !journal.run_state().settled => held.settle(journal),
        _ => Ok(Payment::default()),
    }
}

/// Replays a whole run on other content than that which made it, and compares digests and events
/// as `replay` does: whether it would come to the same today.
pub fn verify(data_dir: &DataDir, run_id: &str, on: &Content) -> Result<u64, Problem> {
    walk_whole(data_dir, &data_dir.open_whole(run_id)?, &mut |_, _| {}, Some(on))
}

/// Replays a whole run on the content that made it, telling each step, and compares digests and
/// events. Returns how many steps were compared.
pub fn replay(
    data_dir: &DataDir,
    run_id: &str,
    tell: &mut dyn FnMut(u64, &[Event]),
) -> Result<u64, Problem> {
    walk_whole(data_dir, &data_dir.open_whole(run_id)?, tell, None)
}

/// Walks a journal from its start, line by line; the number of the last step.
pub(super) fn walk_whole(
    data_dir: &DataDir,
    whole: &Whole,
    tell: &mut dyn FnMut(u64, &[Event]),
    on: Option<&Content>,
) -> Result<u64, Problem> {
    let mut walk = Replay { data_dir, header: whole.header(), tell, on };
    let mut session = walk.begin(None)?;
    // Line by line: a long run's entries take ten times the room of its text, and having that from
    // the system is what a step of a long run would cost above one of a short run.
    let counting = whole.goes_back().then(|| lines_that_count(whole, None)).transpose()?;
    let counts =
        |line: &u64| counting.as_ref().is_none_or(|lines| lines.binary_search(line).is_ok());
    let mut entries = whole.entries()?;
    walk.through(&mut session, entries.by_ref().filter(|(line, _)| counts(line)), true)?;
    match entries.damage()? {
        Some(damage) => Err(damage.problem),
        None => Ok(session.step_number()),
    }
}

pub(super) fn written(error: StepError) -> Problem {
    match error {
        StepError::NotWritten(problem) => problem,
        StepError::NotAccepted(why) => Problem::error("not-accepted", why),
    }
}
