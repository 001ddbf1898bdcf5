//! Opens a run: reads its journal line by line, and stores where its steps are instead of what they
//! are. Needs no lock: a run can be watched while it is played.

use std::io;
use std::path::Path;
use std::sync::Arc;

use super::checkpoint::{self, Checkpoint};
use super::data_dir::DataDir;
use super::entry::RunHeader;
use super::hash_chain::{ChainBreak, JournalPosition};
use super::io_error::{IoContext, file_location};
use super::journal::JournalEndState;
use super::journal_damage::{JournalDamage, classify_chain_break};
use super::journal_entries::{EffectiveEntries, JournalEntries};
use super::journal_file::JournalFile;
use super::journal_header::{is_header_intact, read_header, restore_header};
use super::line_format::journal_hasher;
use super::recent_story::read_story;
use super::run_state::RunState;
use super::run_state::{ReadExtent, parse_entry};
use super::salvage::SalvagedData;
use super::step_index::StepIndex;
use base::digest::Hasher;
use base::panic_guard::catch_panics;
use base::{Code, Problem, TextOverrides};
use protocol::StoryEntry;

/// An open journal. It does not keep its entries in memory: they are read again on demand.
#[derive(Debug)]
pub struct LoadedJournal {
    /// The parameters of the run. Shared with its writer: a profile may be large.
    pub header: Arc<RunHeader>,
    /// The newest checkpoint, if it is usable and not everything was requested.
    pub checkpoint: Option<Checkpoint>,
    /// The run state after the last valid line.
    pub run_state: RunState,
    /// An incomplete last line after a crash. It is only a note: nothing of that line was ever
    /// shown, and the run continues without it.
    pub torn_line_note: Option<Problem>,
    /// Damage that a crash does not explain. Such a run must be repaired before it is written to.
    pub damage: Option<JournalDamage>,
    /// Other notes, such as an unusable checkpoint.
    pub warnings: Vec<Problem>,
    pub(super) salvaged_data: Option<SalvagedData>,
    pub(super) file: JournalFile,
    /// After the checkpoint, or after the header.
    entries_start: JournalPosition,
    /// After the last valid line.
    pub(super) valid_end: JournalPosition,
    /// The steps between.
    pub(super) step_index: Arc<StepIndex>,
    /// The running digest of the bytes before the checkpoint, if it verified them.
    prefix_hasher: Option<Box<Hasher>>,
}

impl LoadedJournal {
    /// The story of the run for the log, oldest first, within the last `MAX_STORY_READ_BYTES` of
    /// the journal. Undone steps are left out.
    pub fn recent_story(&self, overrides: &TextOverrides) -> Result<Vec<StoryEntry>, Problem> {
        catch_panics("read the story of a run", || {
            read_story(&self.file, self.valid_end.byte_count, overrides)
        })
    }

    /// The entries after the checkpoint with their line numbers, from 1; without a checkpoint, all
    /// but the header.
    pub fn entries(&self) -> JournalEntries {
        let at_checkpoint = self.checkpoint.as_ref().map(|found| found.run_state.clone());
        let run_state = at_checkpoint.unwrap_or_else(|| RunState::new(&self.header));
        JournalEntries::between_positions(
            &self.file,
            self.entries_start,
            self.valid_end.byte_count,
            run_state,
        )
    }

    /// The same up to a line, without those of undone steps.
    pub fn effective_entries(&self, last_line: u64) -> EffectiveEntries {
        EffectiveEntries::new(self.entries(), self.step_index.clone(), last_line)
    }

    /// The number of the last step after the checkpoint that counts, and its line.
    pub fn last_effective_step(&self) -> Option<(u64, u64)> {
        self.step_index.last_completed_step()
    }

    /// The line that completes a step after the checkpoint; 0 if none does.
    pub fn line_of_step(&self, step: u64) -> u64 {
        self.step_index.line_of_step(step)
    }

    /// The earliest step to which steps were undone after the checkpoint. It may be before it.
    pub fn earliest_undo(&self) -> Option<u64> {
        self.step_index.earliest_undo()
    }

    /// Records that the first line was damaged and is restored: this is the first damage of the
    /// journal.
    fn record_header_repair(&mut self) {
        let what = "it can be restored from the checkpoint, which has a copy";
        let earlier_damage =
            self.damage.take().map(|damage| format!("; line {}: {}", damage.line, damage.reason));
        let what = format!("{what}{}", earlier_damage.unwrap_or_default());
        let mut damage = JournalDamage::new(1, what, &self.run_state, self.salvaged_data.as_ref());
        damage.problem.place = Some(file_location(self.file.path(), 1));
        self.damage = Some(damage);
        self.torn_line_note = None;
    }

    pub(super) fn end_state(&self) -> Result<JournalEndState, Problem> {
        let from_checkpoint =
            self.prefix_hasher.clone().map(|hasher| (*hasher, self.entries_start.byte_count));
        let (mut hasher, from) = from_checkpoint.unwrap_or_else(|| (journal_hasher(&[]), 0));
        let end = self.valid_end;
        self.file.with_context(self.file.feed_hasher(&mut hasher, from..end.byte_count))?;
        let (header, run_state) = (self.header.clone(), self.run_state.clone());
        Ok(JournalEndState { header, run_state, hasher, end })
    }
}

impl DataDir {
    /// Reads a run. A Problem says that there is no such run, or that its header cannot be read or
    /// restored. No content of its folder causes worse.
    pub fn open_run(&self, run_id: &str, extent: ReadExtent) -> Result<LoadedJournal, Problem> {
        let path = self.journal_path(run_id)?;
        catch_panics("read a run's files", || self.open_run_unguarded(run_id, extent, &path))
            .map_err(|problem| {
                if problem.place.is_some() { problem } else { problem.at(file_location(&path, 0)) }
            })
    }

    /// The same; `None` if the folder has no journal, so that the run never started.
    pub(super) fn open_run_if_exists(
        &self,
        run_id: &str,
        extent: ReadExtent,
    ) -> Result<Option<LoadedJournal>, Problem> {
        let path = self.journal_path(run_id)?;
        match self.disk().exists(&path).with_context("look for a run", &path)? {
            true => self.open_run(run_id, extent).map(Some),
            false => Ok(None),
        }
    }

    fn open_run_unguarded(
        &self,
        run_id: &str,
        extent: ReadExtent,
        path: &Path,
    ) -> Result<LoadedJournal, Problem> {
        let mut notes = Vec::new();
        let checkpoint = |notes: &mut Vec<Problem>| {
            checkpoint::read_checkpoint(self, run_id).unwrap_or_else(|problem| {
                notes.push(problem);
                None
            })
        };
        let found = match extent {
            ReadExtent::All => None,
            ReadExtent::AfterCheckpoint => checkpoint(&mut notes),
        };
        // The journal is read after the checkpoint: a run in progress then never has a shorter
        // journal than its checkpoint says.
        let mut file = JournalFile::new(self, path);
        if !file.with_context(is_header_intact(&file))? {
            let checkpoint_copy = match extent {
                ReadExtent::All => checkpoint(&mut Vec::new()),
                ReadExtent::AfterCheckpoint => None,
            };
            let restored = restore_header(&file, found.as_ref().or(checkpoint_copy.as_ref()));
            file.restored_header = file.with_context(restored)?;
        }
        let is_header_restored = file.restored_header.is_some();
        let mut opened = read_journal(file, found, notes)?;
        check_run_id(&opened.header, run_id, path)?;
        if is_header_restored {
            opened.record_header_repair();
        }
        Ok(opened)
    }

    /// Reads a whole journal file, at any path.
    pub fn open_journal_file(&self, path: &Path) -> Result<LoadedJournal, Problem> {
        catch_panics("read a journal", || {
            read_journal(JournalFile::new(self, path), None, Vec::new())
        })
    }
}

/// Checks that a journal belongs to the run in whose folder it is.
pub(super) fn check_run_id(header: &RunHeader, run_id: &str, path: &Path) -> Result<(), Problem> {
    if header.run_id == run_id {
        return Ok(());
    }
    let what = format!("this is the journal of the run \"{}\"", header.run_id);
    Err(Problem::error(Code::JournalMisplaced, what)
        .at(file_location(path, 1))
        .expected(format!("the journal of \"{run_id}\""))
        .hint("move it back to the folder with its name"))
}

/// Reads a journal and reports damage with its location.
fn read_journal(
    file: JournalFile,
    checkpoint: Option<Checkpoint>,
    mut notes: Vec<Problem>,
) -> Result<LoadedJournal, Problem> {
    let (header, after_header) = read_header(&file)?;
    let (mut usable, mut salvaged, mut prefix_hasher, mut checkpoint_break) =
        (None, None, None, None);
    if let Some(checkpoint) = checkpoint {
        match file.with_context(find_checkpoint(&file, &checkpoint, after_header))? {
            CheckpointPlace::Line(hasher) => (usable, prefix_hasher) = (Some(checkpoint), hasher),
            CheckpointPlace::AfterEnd(found) => {
                (salvaged, checkpoint_break) = (Some(checkpoint), Some(found));
            }
            CheckpointPlace::OtherJournal => notes.push(
                Problem::warning(
                    Code::CheckpointForeign,
                    "the checkpoint does not belong to this journal",
                )
                .hint("nothing is lost: the run is read from its journal"),
            ),
        }
    }
    let start = usable.as_ref().map_or(after_header, Checkpoint::position);
    let mut run_state =
        usable.as_ref().map_or_else(|| RunState::new(&header), |found| found.run_state.clone());
    let (mut end, mut steps, mut parse_break) = (start, StepIndex::default(), None);
    let mut lines = file.with_context(file.lines_after(start))?;
    while let Some(entry) = file.with_context(lines.next_entry())? {
        let entry = parse_entry(entry, &mut run_state);
        let line = lines.position.line_count;
        match entry {
            Ok(entry) => steps.add_entry(line, &entry),
            Err(reason) => {
                parse_break = Some(ChainBreak { line, reason, is_torn: false });
                break;
            }
        }
        end = lines.position;
    }
    file.with_context(lines.check_size())?;
    let chain_break = parse_break.or(checkpoint_break).or(lines.chain_break.take());
    drop(lines);
    let salvage = salvaged.map(|found| SalvagedData::from_checkpoint(&file, found, &run_state));
    let salvage = file.with_context(salvage.transpose())?.flatten();
    let (mut torn_line_note, mut damage) =
        classify_chain_break(chain_break, &run_state, salvage.as_ref());
    let at = |problem: &mut Problem, line| problem.place = Some(file_location(file.path(), line));
    if let Some(damage) = &mut damage {
        at(&mut damage.problem, damage.line);
    }
    if let Some(torn) = &mut torn_line_note {
        at(torn, end.line_count + 1);
    }
    for problem in notes.iter_mut().filter(|problem| problem.place.is_none()) {
        at(problem, 0);
    }
    Ok(LoadedJournal {
        header: Arc::new(header),
        checkpoint: usable,
        run_state,
        torn_line_note,
        damage,
        warnings: notes,
        salvaged_data: salvage,
        file,
        entries_start: start,
        valid_end: end,
        step_index: Arc::new(steps),
        prefix_hasher,
    })
}

/// Where a checkpoint belongs in a journal.
enum CheckpointPlace {
    /// After one of its lines. The digest, if it verified all bytes before: following the chain of
    /// hundreds of thousands of lines takes most of the time of opening a long journal.
    Line(Option<Box<Hasher>>),
    /// After its valid part: lines are damaged or missing. A crash does not remove lines that were
    /// synced before the checkpoint.
    AfterEnd(ChainBreak),
    /// Nowhere.
    OtherJournal,
}

fn find_checkpoint(
    file: &JournalFile,
    checkpoint: &Checkpoint,
    after_header: JournalPosition,
) -> io::Result<CheckpointPlace> {
    let position = checkpoint.position();
    if position.byte_count < after_header.byte_count {
        return Ok(CheckpointPlace::OtherJournal);
    }
    let mut hasher = journal_hasher(&[]);
    if file.feed_hasher(&mut hasher, 0..position.byte_count)?
        && checkpoint.journal_digest == hasher.finish()
    {
        return Ok(CheckpointPlace::Line(Some(Box::new(hasher))));
    }
    // The journal is damaged or of another run: the chain shows which.
    let mut lines = file.lines_after(after_header)?;
    while lines.position.byte_count < position.byte_count && lines.next_entry()?.is_some() {}
    if lines.position.byte_count >= position.byte_count {
        return Ok(match lines.position == position {
            true => CheckpointPlace::Line(None),
            false => CheckpointPlace::OtherJournal,
        });
    }
    let (bytes, step) = (lines.position.byte_count, checkpoint.step);
    let at_end = || ChainBreak {
        line: lines.position.line_count + 1,
        reason: format!(
            "the file ends after {bytes} bytes; it had {} at the checkpoint after step {step}",
            position.byte_count
        ),
        is_torn: false,
    };
    let chain_break = lines.chain_break.clone().map(|found| ChainBreak { is_torn: false, ..found });
    Ok(CheckpointPlace::AfterEnd(chain_break.unwrap_or_else(at_end)))
}
