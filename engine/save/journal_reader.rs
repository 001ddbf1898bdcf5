//! Reads a journal. The chain is checked over all bytes. Only entries after the checkpoint are
//! parsed, unless all are requested. Needs no lock: a run can be watched while it is played.

use std::collections::BTreeMap;
use std::io::{ErrorKind, Read};
use std::ops::Range;
use std::path::Path;

use super::chain::{ChainBreak, ChainLine, entry_ranges_from, for_each_line_after};
use super::checkpoint::{self, Checkpoint};
use super::damage::{JournalDamage, classify_chain_break};
use super::data_dir::DataDir;
use super::entry::{JournalEntry, ModVersion, RunHeader};
use super::io_error::{IoContext, file_location};
use super::journal::{JournalEndState, journal_hasher};
use super::journal_header::{self, HeaderProblem, missing_header_problem, parse_header};
use super::line_reader::read_lines;
use super::run_state::RunState;
use super::salvage::SalvagedData;
use super::size_limits::MAX_READ_JOURNAL_BYTES;
use super::story::{MAX_LINE_PREFIX_BYTES, MAX_STORY_READ_BYTES, story_from_entries};
use super::verified_chain::VerifiedChain;
use super::verified_prefix::VerifiedPrefix;
use base::digest::Hasher;
use base::panic_guard::catch_panics;
use base::{Code, Digest, Problem};
use protocol::StoryEntry;

/// How much of a journal is parsed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadExtent {
    /// The entries after the newest checkpoint: enough to resume.
    AfterCheckpoint,
    /// All entries, for navigation; the checkpoint is not used.
    All,
}

/// The maximum number of entries that are loaded for a resume: more than any run has after its
/// checkpoint.
const MAX_LOADED_ENTRIES: usize = 20_000;

/// A journal that was read.
#[derive(Debug)]
pub struct LoadedJournal {
    /// The parameters of the run.
    pub header: RunHeader,
    /// The newest checkpoint, if it is usable and not everything was requested.
    pub checkpoint: Option<Checkpoint>,
    /// The entries after the checkpoint with their line numbers, from 1; without a checkpoint, all
    /// but the header. Empty if there are too many, which `has_all_entries` says; the caller then streams
    /// the journal.
    pub entries: Vec<(u64, JournalEntry)>,
    /// Whether `entries` is complete.
    pub has_all_entries: bool,
    has_undo: bool,
    /// The run state after the last valid line.
    pub run_state: RunState,
    /// An incomplete last line after a crash. It is only a note: nothing of that line was ever
    /// shown, and the run continues without it.
    pub torn_line_note: Option<Problem>,
    /// Damage that a crash does not explain. Such a run must be repaired before it is written to.
    pub damage: Option<JournalDamage>,
    /// Other notes, such as an unusable checkpoint.
    pub notes: Vec<Problem>,
    pub(super) salvage: Option<SalvagedData>,
    pub(super) bytes: Vec<u8>,
    /// Whether the first line of `bytes` was restored and differs from the one on disk.
    pub(super) is_header_restored: bool,
    entry_ranges: Vec<Range<usize>>,
    pub(super) valid_bytes: u64,
    pub(super) lines: u64,
    pub(super) last_link: Digest,
    /// The running digest of the valid bytes, if it was computed on the way.
    hasher: Option<Hasher>,
}

impl LoadedJournal {
    /// The story of the run for the log, oldest first, within the last `MAX_STORY_READ_BYTES` of the
    /// journal. Undone steps are left out.
    pub fn recent_story(&self) -> Vec<StoryEntry> {
        let from = self.bytes.len().saturating_sub(MAX_STORY_READ_BYTES);
        let recent_ranges = self.entry_ranges.iter().filter(|range| range.start >= from);
        story_from_entries(recent_ranges.map(|range| &self.bytes[range.clone()]))
    }

    /// Whether steps were undone after the checkpoint, perhaps to before it.
    pub fn has_undo(&self) -> bool {
        self.has_undo
    }

    /// The mod versions of the run, each once.
    pub fn mod_versions(&self) -> Vec<&ModVersion> {
        let later = self.entries.iter().flat_map(|(_, entry)| entry.mod_versions());
        let all = self.header.mods.iter().chain(later);
        let by_digest: BTreeMap<Digest, &ModVersion> =
            all.map(|mark| (mark.digest, mark)).collect();
        by_digest.into_values().collect()
    }

    /// Records that the first line was damaged and is restored: this is the first damage of the
    /// journal.
    fn record_header_repair(&mut self, from: &str, path: &Path) {
        let what = format!("it can be restored from {from}");
        let earlier_damage =
            self.damage.take().map(|damage| format!("; line {}: {}", damage.line, damage.reason));
        let what = format!("{what}{}", earlier_damage.unwrap_or_default());
        let mut damage = JournalDamage::new(1, what, &self.run_state, self.salvage.as_ref());
        damage.problem.place = Some(file_location(path, 1));
        self.damage = Some(damage);
        self.torn_line_note = None;
        self.is_header_restored = true;
    }

    pub(super) fn end_state(&self) -> JournalEndState {
        let good = || &self.bytes[..usize::try_from(self.valid_bytes).unwrap_or(usize::MAX)];
        JournalEndState {
            header: self.header.clone(),
            run_state: self.run_state.clone(),
            last_link: self.last_link,
            hasher: self.hasher.clone().unwrap_or_else(|| journal_hasher(good())),
            lines: self.lines,
            bytes: self.valid_bytes,
        }
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
        let mut found = match extent {
            ReadExtent::All => None,
            ReadExtent::AfterCheckpoint => checkpoint(&mut notes),
        };
        // The journal is read after the checkpoint: a run in progress then never has a shorter
        // journal than its checkpoint says.
        let mut bytes = self.read_journal(path)?;
        let mut header_source = None;
        if !journal_header::is_header_intact(&bytes) {
            let checkpoint_copy = match extent {
                ReadExtent::All => checkpoint(&mut Vec::new()),
                ReadExtent::AfterCheckpoint => None,
            };
            if let Some((restored_bytes, from)) =
                journal_header::restore_header(&bytes, found.as_ref().or(checkpoint_copy.as_ref()))
            {
                (bytes, header_source) = (restored_bytes, Some(from));
            }
        }
        let mut opened = read_journal_with_path(path, bytes, found.take(), extent, notes)?;
        check_run_id(&opened.header, run_id, path)?;
        if let Some(header_source) = header_source {
            opened.record_header_repair(header_source, path);
        }
        Ok(opened)
    }

    /// Reads a whole journal file, at any path.
    pub fn open_journal_file(&self, path: &Path) -> Result<LoadedJournal, Problem> {
        catch_panics("read a journal", || {
            let bytes = self.read_journal(path)?;
            read_journal_with_path(path, bytes, None, ReadExtent::All, Vec::new())
        })
    }

    /// Reads the lines of a journal, and after them only enough to see that no line follows.
    fn read_journal(&self, path: &Path) -> Result<Vec<u8>, Problem> {
        const READ_ACTION: &str = "read the run's journal";
        let mut source = self
            .disk()
            .open_reader(path, 0)
            .with_context(READ_ACTION, path)?
            .take(MAX_READ_JOURNAL_BYTES + 1);
        let bytes = read_lines(&mut source).with_context(READ_ACTION, path)?;
        if bytes.len() as u64 > MAX_READ_JOURNAL_BYTES {
            Err(ErrorKind::FileTooLarge.into()).with_context(READ_ACTION, path)?;
        }
        Ok(bytes)
    }
}

/// Reads a journal and reports damage with its location.
fn read_journal_with_path(
    path: &Path,
    bytes: Vec<u8>,
    checkpoint: Option<Checkpoint>,
    extent: ReadExtent,
    notes: Vec<Problem>,
) -> Result<LoadedJournal, Problem> {
    let mut opened = read_journal_bytes(bytes, checkpoint, extent, notes)
        .map_err(|why| missing_header_problem(path, why))?;
    let at = |problem: &mut Problem, line| problem.place = Some(file_location(path, line));
    if let Some(damage) = &mut opened.damage {
        at(&mut damage.problem, damage.line);
    }
    if let Some(torn) = &mut opened.torn_line_note {
        at(torn, opened.lines + 1);
    }
    for problem in opened.notes.iter_mut().filter(|problem| problem.place.is_none()) {
        at(problem, 0);
    }
    Ok(opened)
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

fn read_journal_bytes(
    bytes: Vec<u8>,
    checkpoint: Option<Checkpoint>,
    extent: ReadExtent,
    mut notes: Vec<Problem>,
) -> Result<LoadedJournal, HeaderProblem> {
    let verified_prefix = checkpoint
        .as_ref()
        .and_then(|checkpoint| VerifiedPrefix::verify_before(checkpoint, &bytes));
    let (mut verified_chain, digest) = match verified_prefix {
        Some(known) => (
            VerifiedChain::after_checkpoint(&bytes, known.first_line, known.last),
            Some(known.hasher),
        ),
        None => (VerifiedChain::verify_from_start(&bytes, checkpoint.as_ref()), None),
    };
    let first = verified_chain.first.as_ref().map(|line| &bytes[line.entry.clone()]);
    let header = parse_header(first, &mut verified_chain.chain_break)?;
    let (checkpoint, salvage) =
        usable_checkpoint(checkpoint, &mut verified_chain, bytes.len(), &mut notes);
    let mut run_state =
        checkpoint.as_ref().map_or_else(|| RunState::new(&header), |c| c.run_state.clone());
    let from =
        if checkpoint.is_some() { verified_chain.checkpoint_line } else { verified_chain.first };
    let mut last = from.unwrap_or_else(ChainLine::origin);
    let (mut entries, mut has_undo, mut has_all_entries, mut parse_break) =
        (Vec::new(), false, true, None);
    for_each_line_after(&bytes[..verified_chain.last.end], &last.clone(), |line| {
        if parse_break.is_some() {
            return;
        }
        match parse_entry(&bytes[line.entry.clone()], &mut run_state) {
            Ok(entry) => {
                has_undo |= matches!(entry, JournalEntry::Undo { .. });
                has_all_entries &= extent == ReadExtent::All || entries.len() < MAX_LOADED_ENTRIES;
                if has_all_entries {
                    entries.push((line.number, entry));
                }
                last = line;
            }
            Err(what) => {
                parse_break = Some(ChainBreak { line: line.number, reason: what, torn: false })
            }
        }
    });
    if !has_all_entries {
        entries = Vec::new();
    }
    let stop = parse_break.or(verified_chain.chain_break);
    let (good_bytes, count, chain) = (last.end as u64, last.number, last.link);
    let salvage = salvage
        .and_then(|checkpoint| SalvagedData::from_checkpoint(checkpoint, &bytes, &run_state));
    let (torn, damage) = classify_chain_break(stop, &run_state, salvage.as_ref());
    let story_start = bytes.len().saturating_sub(MAX_STORY_READ_BYTES + MAX_LINE_PREFIX_BYTES);
    let story_ranges = entry_ranges_from(&bytes[..last.end], story_start);
    let checkpoint_bytes = checkpoint.as_ref().map_or(0, |found| found.journal_bytes) as usize;
    let digest = digest.map(|mut digest| {
        digest.feed_bytes(&bytes[checkpoint_bytes..good_bytes as usize]);
        digest
    });
    Ok(LoadedJournal {
        header,
        checkpoint,
        entries,
        has_all_entries,
        has_undo,
        run_state,
        torn_line_note: torn,
        damage,
        notes,
        salvage,
        bytes,
        is_header_restored: false,
        entry_ranges: story_ranges,
        valid_bytes: good_bytes,
        lines: count,
        last_link: chain,
        hasher: digest,
    })
}

/// The checkpoint, if it belongs to this journal: either usable, or after the damage.
fn usable_checkpoint(
    checkpoint: Option<Checkpoint>,
    verified_chain: &mut VerifiedChain,
    bytes: usize,
    notes: &mut Vec<Problem>,
) -> (Option<Checkpoint>, Option<Checkpoint>) {
    let Some(checkpoint) = checkpoint else { return (None, None) };
    match check_checkpoint_matches(&checkpoint, verified_chain, bytes) {
        Ok(()) => (Some(checkpoint), None),
        Err(CheckpointMismatch::TooShort(what)) => {
            // A crash does not remove lines that were synced before the checkpoint.
            let line = verified_chain.last.number + 1;
            verified_chain.chain_break = Some(match verified_chain.chain_break.take() {
                Some(stop) => ChainBreak { torn: false, ..stop },
                None => ChainBreak { line, reason: what, torn: false },
            });
            (None, Some(checkpoint))
        }
        Err(CheckpointMismatch::OtherJournal(what)) => {
            notes.push(
                Problem::warning(Code::CheckpointForeign, what)
                    .hint("nothing is lost: the run is read from its journal"),
            );
            (None, None)
        }
    }
}

/// Parses the entry of a valid line.
pub(super) fn parse_entry(entry: &[u8], run_state: &mut RunState) -> Result<JournalEntry, String> {
    let entry: JournalEntry = serde_json::from_slice(entry)
        .map_err(|error| format!("it is intact, but cannot be parsed: {error}"))?;
    run_state
        .apply_entry(&entry)
        .map_err(|why| format!("it is intact, but out of order: {why}"))?;
    Ok(entry)
}

enum CheckpointMismatch {
    /// The valid part of the journal is shorter than at the checkpoint.
    TooShort(String),
    /// It belongs to another journal.
    OtherJournal(String),
}

fn check_checkpoint_matches(
    checkpoint: &Checkpoint,
    verified_chain: &VerifiedChain,
    bytes: usize,
) -> Result<(), CheckpointMismatch> {
    let at = checkpoint.journal_bytes;
    if (verified_chain.last.end as u64) < at {
        return Err(CheckpointMismatch::TooShort(format!(
            "the file ends after {bytes} bytes; it had {at} at the checkpoint after step {}",
            checkpoint.step
        )));
    }
    if verified_chain.checkpoint_line.is_some() {
        return Ok(());
    }
    Err(CheckpointMismatch::OtherJournal(
        "the checkpoint does not belong to this journal".to_owned(),
    ))
}
