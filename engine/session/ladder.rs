//! Ways to go on with a run, the one that costs nothing first. Whatever one of them meets, the next is
//! tried: from the checkpoint; from the start, without it; up to the last step that comes to what it
//! came to. (That content is taken from wherever it lies is part of each: `save::at_hand`.) What was
//! passed over is told, and nothing is written before one of them stands.

use std::cell::Cell;

use super::replay::JournalReplayer;
use super::step::Session;
use super::undo::effective_line_numbers;
use crate::base::fault::planted;
use crate::base::panic_guard::catch_panics;
use crate::base::{Code, Problem};
use crate::protocol::StoryEvent;
use crate::save::{Checkpoint, DataDir, JournalEntry, OpenedRun};

/// Where a run stands again.
pub(super) struct Stood {
    /// The run, recording nowhere yet.
    pub(super) session: Session,
    /// The last step that still counts, where some had to be taken back.
    pub(super) back_to: Option<u64>,
    /// Whether its checkpoint is to be replaced: it was of no use.
    pub(super) passed_over: bool,
    /// What was passed over, and why.
    pub(super) notes: Vec<Problem>,
}

/// One way: what it starts from and walks, and how far it came.
struct Way<'a> {
    checkpoint: Option<&'a Checkpoint>,
    good: Cell<Option<u64>>,
}

impl Way<'_> {
    fn walk(
        &self,
        data_dir: &DataDir,
        opened: &OpenedRun,
        up_to: Option<u64>,
    ) -> Result<Session, Problem> {
        self.good.set(None);
        catch_panics("played a run again", || {
            let tell = &mut |step: u64, _: &[StoryEvent]| self.good.set(Some(step));
            let mut walk = JournalReplayer {
                data_dir,
                header: &opened.header,
                on_step: tell,
                other_content: None,
            };
            let mut session = walk.open_session(self.checkpoint)?;
            self.good.set(self.checkpoint.map(|found| found.step));
            if self.checkpoint.is_some() {
                let ends = |step| {
                    move |(_, entry): &(u64, JournalEntry)| entry.completed_step() == Some(step)
                };
                let end = up_to.map(|step| opened.entries.iter().rposition(ends(step)));
                let end = end.map_or(opened.entries.len(), |last| last.map_or(0, |last| last + 1));
                let entries = opened.entries[..end].iter().map(|(line, entry)| (*line, entry));
                walk.replay_entries(&mut session, entries, false)?;
                return Ok(session);
            }
            // Line by line: the entries of a long run take ten times the room of its text.
            let whole = data_dir.stream_journal(&opened.header.run_id)?;
            let all_count = up_to.is_none() && !whole.has_undo();
            let counting =
                (!all_count).then(|| effective_line_numbers(&whole, up_to)).transpose()?;
            let counts = |(line, _): &(u64, JournalEntry)| {
                counting.as_ref().is_none_or(|lines| lines.binary_search(line).is_ok())
            };
            walk.replay_entries(&mut session, whole.entries()?.filter(counts), true)?;
            Ok(session)
        })
    }
}

/// Stands where a run was put down, or as near to it as can be.
pub(super) fn stand(data_dir: &DataDir, opened: &OpenedRun) -> Result<Stood, Problem> {
    let mut notes = Vec::new();
    // Where it went back to may lie before the checkpoint.
    let usable = |_: &&Checkpoint| opened.has_all_entries && !opened.has_undo();
    let checkpoint = opened.checkpoint.as_ref().filter(usable);
    let mut ways = Vec::new();
    if let Some(found) = checkpoint {
        let way = Way { checkpoint: Some(found), good: Cell::new(None) };
        match way.walk(data_dir, opened, None) {
            Ok(session) => return Ok(Stood { session, back_to: None, passed_over: false, notes }),
            Err(problem) if planted("no_other_way") => return Err(problem),
            Err(problem) => notes.push(from_the_start(&problem)),
        }
        ways.push(way);
    }
    let way = Way { checkpoint: None, good: Cell::new(None) };
    let problem = match way.walk(data_dir, opened, None) {
        Ok(session) => {
            let passed_over = checkpoint.is_some();
            return Ok(Stood { session, back_to: None, passed_over, notes });
        }
        Err(problem) => problem,
    };
    ways.push(way);
    last_good(data_dir, opened, ways, problem, notes)
}

/// The way that came furthest, up to where it came.
fn last_good(
    data_dir: &DataDir,
    opened: &OpenedRun,
    mut ways: Vec<Way<'_>>,
    problem: Problem,
    mut notes: Vec<Problem>,
) -> Result<Stood, Problem> {
    // What is over is paid for as it ended, and not taken back.
    if planted("no_other_way") || opened.run_state.ended.is_some() {
        return Err(problem);
    }
    ways.sort_by_key(|way| way.good.get());
    for way in ways.iter().rev() {
        // Where even this comes to something else, what it started from is left.
        let start = way.checkpoint.map_or(0, |found| found.step);
        let steps = way.good.get().into_iter().chain([start]);
        for step in steps.collect::<Vec<_>>() {
            if let Ok(session) = way.walk(data_dir, opened, Some(step))
                && session.step_number() == step
            {
                notes.push(taken_back(&problem, step, opened.run_state.last_step()));
                let back_to = Some(step);
                return Ok(Stood { session, back_to, passed_over: true, notes });
            }
        }
    }
    Err(problem)
}

fn from_the_start(problem: &Problem) -> Problem {
    let found = "the run cannot be gone on with from its checkpoint";
    Problem::warning(Code::CheckpointPassedOver, format!("{found}: {}", problem.message))
        .hint("nothing is lost: it was played again from its start instead")
}

fn taken_back(problem: &Problem, to: u64, last: Option<u64>) -> Problem {
    let last = last.map_or(String::new(), |last| format!(" to {last}"));
    let from = to + 1;
    let found = format!("steps {from}{last} cannot be played again: {}", problem.message);
    Problem::warning(Code::StepsTakenBack, found).hint(format!(
        "the run goes on from step {to}; its file keeps what was told, and nothing is deleted"
    ))
}
